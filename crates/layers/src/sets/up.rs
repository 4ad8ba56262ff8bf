//! From handled requests to nodes, level by level upwards.

use crate::crew::Crew;
use crate::error::LayersError;
use crate::sets::set::{EMPTY, Level, Node};
use crate::sets::table::Table;
use winset_index::Digit;

/// Requests of a level that one thread has handled.
pub struct Handled {
    /// Their numbers.
    pub requests: Vec<u32>,
    /// Where each one's edges begin.
    pub start: Vec<u32>,
    /// Digits with numbers of the next level.
    pub edges: Vec<(Digit, u32)>,
    /// Where the numbers are in the next level as all threads together have made it.
    pub numbers: Vec<u32>,
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
        let level = to_level(&table);
        used += level.bytes();
        result.push(level);
        nodes = numbers;
    }
    result.reverse();
    Ok((result, nodes.first().copied().filter(|&node| node != EMPTY)))
}

/// The nodes of a level's requests: all of them, and which is each request's.
pub fn ascend(handled: Vec<Handled>, below: &[Node], crew: &Crew) -> (Table, Vec<Node>) {
    struct Made {
        from: Handled,
        table: Table,
        nodes: Vec<Node>,
    }
    let merged = handled.len() > 1;
    let work = |_, from: Handled| {
        let (mut table, mut nodes) = (Table::default(), Vec::with_capacity(from.requests.len()));
        let mut node = vec![];
        for i in 0..from.requests.len() {
            node.clear();
            for &(digit, child) in from.edges_of(i) {
                let child = below[from.numbers[child as usize] as usize];
                if child != EMPTY {
                    node.push(u64::from(digit) << 32 | u64::from(child));
                }
            }
            nodes.push(match &node[..] {
                [] => EMPTY,
                // What is merged anyway is looked up only then.
                _ if merged => table.append(&node),
                _ => table.add(&node),
            });
        }
        Made { from, table, nodes }
    };
    let mut made = crew.map(handled, work);
    let tables = made.iter_mut().map(|made| std::mem::take(&mut made.table)).collect();
    let (table, numbers) = Table::merge(tables, crew);
    let mut nodes = vec![EMPTY; made.iter().map(|made| made.nodes.len()).sum()];
    for (made, numbers) in made.iter().zip(&numbers) {
        for (&request, &node) in made.from.requests.iter().zip(&made.nodes) {
            if node != EMPTY {
                nodes[request as usize] = numbers[node as usize];
            }
        }
    }
    (table, nodes)
}

impl Handled {
    /// The edges of a request, by its place among those handled.
    pub fn edges_of(&self, at: usize) -> &[(Digit, u32)] {
        let end = self.start.get(at + 1).map_or(self.edges.len(), |&end| end as usize);
        &self.edges[self.start[at] as usize..end]
    }

    /// The memory that this takes.
    pub fn bytes(&self) -> u64 {
        let words = self.requests.len() + self.start.len() + self.numbers.len();
        (words * 4 + self.edges.len() * size_of::<(Digit, u32)>()) as u64
    }

    /// The most memory that the nodes of a level take while they are made: a word an edge, and three numbers a request. What
    /// several threads have made is there twice while it is merged.
    fn bytes_to_ascend(level: &[Handled]) -> u64 {
        let copies = if level.len() > 1 { 2 } else { 1 };
        let made = |handled: &Handled| handled.edges.len() * 8 + handled.requests.len() * 12;
        copies * level.iter().map(made).sum::<usize>() as u64
    }
}

/// The nodes of a level, given as digits with their children.
pub fn to_level(table: &Table) -> Level {
    Level {
        start: table.starts().to_vec(),
        digit: table.words().iter().map(|&word| (word >> 32) as Digit).collect(),
        child: table.words().iter().map(|&word| word as Node).collect(),
    }
}

/// The nodes of the last level that are in use, given as bitmaps of their digits, and which is each one's.
pub fn last_level(table: &Table, is_used: impl Fn(usize) -> bool) -> (Level, Vec<Node>) {
    let (mut level, mut nodes) = (Level::default(), Vec::with_capacity(table.len()));
    for number in 0..table.len() {
        let before = level.digit.len();
        let words = if is_used(number) { table.get(number) } else { &[] };
        for (i, &word) in words.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                level.digit.push((i as u32 * 64 + rest.trailing_zeros()) as Digit);
                rest &= rest - 1;
            }
        }
        if level.digit.len() == before {
            nodes.push(EMPTY);
        } else {
            nodes.push(level.nodes() as Node);
            level.start.push(level.digit.len() as u32);
        }
    }
    level.child = vec![0; level.digit.len()];
    (level, nodes)
}
