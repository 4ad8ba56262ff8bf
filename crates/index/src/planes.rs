//! Small numbers in rank order, as bit planes.

/// A code of a few bits for every state of a set, one bit plane per bit of the code.
///
/// ```
/// let mut codes = winset_index::Planes::new(100, 2);
/// codes.set(70, 3);
/// assert_eq!((codes.get(69), codes.get(70)), (0, 3));
/// assert_eq!(codes.lanes_with(1, 3), 1 << 6);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Planes {
    len: u64,
    /// Plane b holds bit b of every code; bit i of word w belongs to rank 64 w + i. Each plane has one word
    /// more than needed, so that 64 bits can be read from any position.
    pub planes: Vec<Vec<u64>>,
}

impl Planes {
    /// Codes of `bits` bits for `len` states, all 0.
    pub fn new(len: u64, bits: usize) -> Self {
        Planes { len, planes: vec![vec![0; (len / 64 + 2) as usize]; bits] }
    }

    /// The number of states.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// No states.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The code at a rank.
    pub fn get(&self, rank: u64) -> u32 {
        let (word, bit) = ((rank / 64) as usize, rank % 64);
        self.planes
            .iter()
            .enumerate()
            .fold(0, |code, (b, plane)| code | ((plane[word] >> bit & 1) as u32) << b)
    }

    /// The states of a word that have a code, a bit each. Bits beyond the last state are meaningless.
    pub fn lanes_with(&self, word: usize, code: u32) -> u64 {
        let lanes = |lanes: u64, (b, plane): (usize, &Vec<u64>)| {
            lanes & if code >> b & 1 == 1 { plane[word] } else { !plane[word] }
        };
        self.planes.iter().enumerate().fold(!0, lanes)
    }

    /// Sets the code at a rank.
    pub fn set(&mut self, rank: u64, code: u32) {
        let (word, bit) = ((rank / 64) as usize, rank % 64);
        for (b, plane) in self.planes.iter_mut().enumerate() {
            plane[word] = plane[word] & !(1 << bit) | u64::from(code >> b & 1) << bit;
        }
    }
}
