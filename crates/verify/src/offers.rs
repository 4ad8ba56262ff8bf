//! What the moves of up to 64 states lead to.

/// A distance that no play ends at.
pub const ENDLESS: u32 = u32::MAX;

/// For every code the lanes in which some move leads to it.
pub struct Offers {
    by_code: Vec<u64>,
    /// Those in which such a move does not rest on the layer's own values.
    sure: Vec<u64>,
    /// The lanes with moves that do.
    pub open: u64,
    spans: Vec<Span>,
}

/// Distances among the best moves of a lane.
#[derive(Clone, Copy, Default)]
pub struct Span {
    /// One more than how much they are liked; 0: there is no move yet.
    liking: u32,
    pub least: u32,
    pub greatest: u32,
}

impl Offers {
    pub fn new(codes: usize) -> Self {
        Offers { by_code: vec![0; codes], sure: vec![0; codes], open: 0, spans: vec![Span::default(); 64] }
    }

    pub fn clear(&mut self) {
        self.by_code.fill(0);
        self.sure.fill(0);
        self.open = 0;
        self.spans.fill(Span::default());
    }

    /// A move leads to a code. It is sure if that does not itself rest on this layer. A code beyond the
    /// table is reported where it is stored; here it only must not be followed.
    pub fn push(&mut self, lane: usize, code: u32, sure: bool) {
        let bit = 1 << lane;
        let Some(lanes) = self.by_code.get_mut(code as usize) else { return };
        *lanes |= bit;
        if sure {
            self.sure[code as usize] |= bit;
        } else {
            self.open |= bit;
        }
    }

    /// The same move's distance, and how much its code is liked.
    pub fn push_distance(&mut self, lane: usize, liking: u16, distance: u32) {
        let (liking, span) = (u32::from(liking) + 1, &mut self.spans[lane]);
        if liking > span.liking {
            *span = Span { liking, least: distance, greatest: distance };
        } else if liking == span.liking {
            span.least = span.least.min(distance);
            span.greatest = span.greatest.max(distance);
        }
    }

    /// The lanes in which some move leads to a code.
    pub fn of(&self, code: u16) -> u64 {
        self.by_code[usize::from(code)]
    }

    /// Those in which such a move does not rest on this layer.
    pub fn sure_of(&self, code: u16) -> u64 {
        self.sure[usize::from(code)]
    }

    pub fn span(&self, lane: usize) -> Span {
        self.spans[lane]
    }
}
