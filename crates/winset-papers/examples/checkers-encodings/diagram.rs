//! Diagrams whose branches are pairs of a square's contents, before and after; and how many nodes they have as binary
//! diagrams once the contents have codes. So the relation is built once for all codes.

use rustc_hash::FxHashMap;

pub type Id = u32;
pub const NO: Id = 0;
pub const YES: Id = 1;

/// All diagrams.
pub struct Diagrams {
    /// How many branches a node of each level has: 64 pairs of contents, or 4 or 2 for the turn.
    pub widths: Vec<usize>,
    levels: Vec<u8>,
    branches: Vec<Box<[Id]>>,
    unique: FxHashMap<(u8, Box<[Id]>), Id>,
    joined: FxHashMap<(bool, Id, Id), Id>,
    negated: FxHashMap<Id, Id>,
}

impl Diagrams {
    pub fn new(widths: Vec<usize>) -> Diagrams {
        Diagrams {
            widths,
            levels: vec![u8::MAX; 2],
            branches: vec![Box::new([]), Box::new([])],
            unique: FxHashMap::default(),
            joined: FxHashMap::default(),
            negated: FxHashMap::default(),
        }
    }

    fn make(&mut self, level: u8, branches: Box<[Id]>) -> Id {
        if branches.iter().all(|&branch| branch == branches[0]) {
            return branches[0];
        }
        let key = (level, branches);
        if let Some(&id) = self.unique.get(&key) {
            return id;
        }
        let id = self.levels.len() as Id;
        self.levels.push(level);
        self.branches.push(key.1.clone());
        self.unique.insert(key, id);
        id
    }

    /// A condition on one level.
    pub fn on(&mut self, level: u8, holds: impl Fn(usize) -> bool) -> Id {
        let branches =
            (0..self.widths[usize::from(level)]).map(|i| if holds(i) { YES } else { NO }).collect();
        self.make(level, branches)
    }

    fn branch(&self, id: Id, level: u8, i: usize) -> Id {
        if self.levels[id as usize] == level { self.branches[id as usize][i] } else { id }
    }

    fn join(&mut self, and: bool, a: Id, b: Id) -> Id {
        let (zero, one) = if and { (NO, YES) } else { (YES, NO) };
        match (a, b) {
            _ if a == zero || b == zero => return zero,
            _ if a == one || a == b => return b,
            _ if b == one => return a,
            _ => {}
        }
        let key = (and, a.min(b), a.max(b));
        if let Some(&known) = self.joined.get(&key) {
            return known;
        }
        let level = self.levels[a as usize].min(self.levels[b as usize]);
        let each = 0..self.widths[usize::from(level)];
        let branches: Vec<Id> = each
            .map(|i| {
                let (a, b) = (self.branch(a, level, i), self.branch(b, level, i));
                self.join(and, a, b)
            })
            .collect();
        let id = self.make(level, branches.into());
        self.joined.insert(key, id);
        id
    }

    pub fn and(&mut self, list: &[Id]) -> Id {
        list.iter().rev().fold(YES, |all, &id| self.join(true, id, all))
    }

    pub fn or(&mut self, list: &[Id]) -> Id {
        list.iter().rev().fold(NO, |any, &id| self.join(false, id, any))
    }

    pub fn not(&mut self, id: Id) -> Id {
        if id < 2 {
            return 1 - id;
        }
        if let Some(&known) = self.negated.get(&id) {
            return known;
        }
        let branches: Vec<Id> = self.branches[id as usize].to_vec();
        let branches: Vec<Id> = branches.into_iter().map(|branch| self.not(branch)).collect();
        let negated = self.make(self.levels[id as usize], branches.into());
        self.negated.insert(id, negated);
        negated
    }

    /// The nodes below a root, by level.
    pub fn by_level(&self, root: Id) -> Vec<Vec<Id>> {
        let mut levels = vec![vec![]; self.widths.len()];
        let (mut seen, mut stack) = (vec![false; self.levels.len()], vec![root]);
        while let Some(id) = stack.pop() {
            if id >= 2 && !std::mem::replace(&mut seen[id as usize], true) {
                levels[usize::from(self.levels[id as usize])].push(id);
                stack.extend(self.branches[id as usize].iter());
            }
        }
        levels
    }

    /// How many nodes there are without leaves, where content v has the code `codes[v]`, bits in the order
    /// x x' y y' z z'.
    pub fn binary_nodes(&self, by_level: &[Vec<Id>], codes: &[u8; 8]) -> usize {
        let mut content = [0usize; 8];
        codes.iter().enumerate().for_each(|(value, &code)| content[usize::from(code)] = value);
        let pair = |word: usize| {
            let code = |from: usize| (0..3).fold(0, |code, bit| code << 1 | word >> (from - 2 * bit) & 1);
            8 * content[code(5)] + content[code(4)]
        };
        let pairs: Vec<usize> = (0..64).map(pair).collect();
        let mut table: FxHashMap<(Id, Id), Id> = FxHashMap::default();
        let mut total = 0;
        for (level, nodes) in by_level.iter().enumerate() {
            let mut width = self.widths[level];
            let place = |i: usize| if width == 64 { pairs[i] } else { i };
            let words = nodes.iter().flat_map(|&id| (0..width).map(move |i| (id, i)));
            let mut row: Vec<Id> = words.map(|(id, i)| self.branches[id as usize][place(i)]).collect();
            let first = self.levels.len() as Id;
            let mut next = first;
            while width > 1 {
                table.clear();
                let node = |pair: &[Id]| match pair {
                    [low, high] if low != high => *table.entry((*low, *high)).or_insert_with(|| {
                        next += 1;
                        next - 1
                    }),
                    same => same[0],
                };
                row = row.chunks(2).map(node).collect();
                width /= 2;
            }
            total += (next - first) as usize;
        }
        total
    }
}
