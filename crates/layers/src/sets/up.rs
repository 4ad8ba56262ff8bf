//! From handled requests to nodes, level by level upwards.

use crate::crew::Crew;
use crate::error::LayersError;
use crate::sets::set::{EMPTY, Level, Node};
use crate::sets::strings::{Joined, Strings};
use crate::sets::table::Table;
use crate::shares::Shares;
use winset_index::Digit;

/// Requests of a level that one thread has handled.
pub struct Handled {
    /// Their numbers.
    pub requests: Vec<u32>,
    /// Where each one's edges begin.
    pub start: Vec<u32>,
    /// The digits of all edges.
    pub digits: Vec<Digit>,
    /// The numbers in the next level that they lead to, among those that the same thread has found.
    pub numbers: Vec<u32>,
    /// The number of the first of these.
    pub first: u32,
}

/// The levels above those nodes that the requests of the lowest handled level lead to, from the top, and the root; none
/// if it is empty.
pub fn ascend_all(
    mut down: Vec<Vec<Handled>>,
    mut nodes: Vec<Node>,
    crew: &Crew,
    (taken, budget): (u64, Option<u64>),
) -> Result<(Vec<Level>, Option<Node>), LayersError> {
    let bytes = |level: &Vec<Handled>| level.iter().map(Handled::bytes).sum::<u64>();
    let mut used = taken + down.iter().map(bytes).sum::<u64>();
    let mut result = vec![];
    while let Some(handled) = down.pop() {
        LayersError::check_memory(used + Handled::bytes_to_ascend(&handled), budget)?;
        used -= bytes(&handled);
        let (table, numbers) = ascend(handled, &nodes, crew);
        if table.overflows() {
            return Err(LayersError::TooManyEdges);
        }
        let level = to_level(&table, crew);
        used += level.bytes();
        result.push(level);
        nodes = numbers;
    }
    result.reverse();
    Ok((result, nodes.first().copied().filter(|&node| node != EMPTY)))
}

/// A thread takes n requests at a time.
const CHUNK: usize = 1 << 10;

/// The nodes of a level's requests: all of them, and which is each request's.
pub fn ascend(handled: Vec<Handled>, below: &[Node], crew: &Crew) -> (Joined, Vec<Node>) {
    #[derive(Default)]
    struct Made {
        table: Table,
        /// Requests that have a node, and its number in the table.
        nodes: Vec<(u32, u32)>,
        node: Vec<u64>,
    }
    let requests: usize = handled.iter().map(|handled| handled.requests.len()).sum();
    let threads = crew.threads().min(requests / CHUNK).max(1);
    let mut chunks = vec![];
    for (which, handled) in handled.iter().enumerate() {
        let of = |begin| (which, begin..handled.requests.len().min(begin + CHUNK));
        chunks.extend((0..handled.requests.len()).step_by(CHUNK).map(of));
    }
    let tasks = Shares::new(chunks.len(), threads);
    let work = |thread: usize, mut made: Made| {
        while let Some(taken) = tasks.take(thread, 1) {
            let (which, range) = &chunks[taken.start];
            let from = &handled[*which];
            for i in range.clone() {
                made.node.clear();
                for (digit, child) in from.edges_of(i) {
                    let child = below[child as usize];
                    if child != EMPTY {
                        made.node.push(u64::from(digit) << 32 | u64::from(child));
                    }
                }
                if !made.node.is_empty() {
                    made.nodes.push((from.requests[i], made.table.add(&made.node)));
                }
            }
        }
        made
    };
    let mut made = crew.map((0..threads).map(|_| Made::default()).collect(), work);
    drop(handled);
    let strings = Strings::new(made.iter_mut().map(|made| std::mem::take(&mut made.table)).collect());
    let firsts = strings.firsts().to_vec();
    let joined = strings.join(crew);
    let mut nodes = vec![EMPTY; requests];
    for (made, first) in made.iter().zip(firsts) {
        for &(request, node) in &made.nodes {
            nodes[request as usize] = joined.number(first as u32 + node);
        }
    }
    (joined, nodes)
}

impl Handled {
    /// The edges of a request, by its place among those handled: digits with numbers of the next level.
    #[inline]
    pub fn edges_of(&self, at: usize) -> impl ExactSizeIterator<Item = (Digit, u32)> {
        let end = self.start.get(at + 1).map_or(self.digits.len(), |&end| end as usize);
        let edges = self.start[at] as usize..end;
        let numbers = self.numbers[edges.clone()].iter().map(|&number| self.first + number);
        self.digits[edges].iter().copied().zip(numbers)
    }

    /// More edges than can be numbered.
    pub fn overflows(&self) -> bool {
        self.digits.len() > u32::MAX as usize
    }

    /// The memory that this takes.
    pub fn bytes(&self) -> u64 {
        let words = self.requests.len() + self.start.len() + self.numbers.len();
        (words * 4 + self.digits.len() * 2) as u64
    }

    /// The most memory that the nodes of a level take while they are made: a word an edge, and five numbers a request.
    fn bytes_to_ascend(level: &[Handled]) -> u64 {
        let made = |handled: &Handled| handled.digits.len() * 8 + handled.requests.len() * 20;
        level.iter().map(made).sum::<usize>() as u64
    }
}

/// The nodes of a level, given as digits with their children.
pub fn to_level(nodes: &Joined, crew: &Crew) -> Level {
    let pieces = nodes.map(crew, |level: &mut Level, node| {
        level.digit.extend(node.iter().map(|&word| (word >> 32) as Digit));
        level.child.extend(node.iter().map(|&word| word as Node));
        level.start.push(level.digit.len() as u32);
    });
    one_level(pieces)
}

/// The nodes of several pieces of a level, one after the other.
fn one_level(pieces: Vec<Level>) -> Level {
    let mut pieces = pieces.into_iter();
    let mut all = pieces.next().unwrap_or_default();
    for piece in pieces {
        let edges = all.digit.len() as u32;
        all.start.extend(piece.start[1..].iter().map(|start| edges + start));
        all.digit.extend(piece.digit);
        all.child.extend(piece.child);
    }
    all.start.shrink_to_fit();
    all.digit.shrink_to_fit();
    all.child.shrink_to_fit();
    all
}

/// The nodes of the last level, given as bitmaps of their digits, and which is each one's.
pub fn last_level(nodes: Strings, crew: &Crew) -> (Level, Vec<Node>) {
    let before = nodes.len();
    let joined = nodes.join(crew);
    #[derive(Default)]
    struct Made {
        level: Level,
        is_empty: Vec<bool>,
    }
    let pieces = joined.map(crew, |made: &mut Made, node| {
        let Level { start, digit, .. } = &mut made.level;
        let begin = digit.len();
        for (i, &word) in node.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                digit.push((i as u32 * 64 + rest.trailing_zeros()) as Digit);
                rest &= rest - 1;
            }
        }
        made.is_empty.push(digit.len() == begin);
        if digit.len() > begin {
            start.push(digit.len() as u32);
        }
    });
    let (mut numbers, mut next) = (vec![], 0);
    for is_empty in pieces.iter().flat_map(|piece| &piece.is_empty) {
        numbers.push(if *is_empty { EMPTY } else { next });
        next += u32::from(!is_empty);
    }
    let mut level = one_level(pieces.into_iter().map(|piece| piece.level).collect());
    level.child = vec![0; level.digit.len()];
    let number = |string: usize| numbers[joined.number(string as u32) as usize];
    (level, (0..before).map(number).collect())
}
