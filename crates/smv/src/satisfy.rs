//! Whether a condition can hold at all. Only for conditions that the compiler must know to be impossible; everything
//! else is left to the engines.

use rustc_hash::FxHashMap;
use winset_model::{Expr, ExprId, Exprs, Value, VarId};

/// A current or next value.
pub(crate) type Atom = (VarId, bool);

/// Replaces variables by values.
pub(crate) fn restrict(
    exprs: &mut Exprs,
    root: ExprId,
    values: &FxHashMap<Atom, Value>,
    known: &mut FxHashMap<ExprId, ExprId>,
) -> ExprId {
    // Operands are older than their users.
    let (mut below, mut stack) = (vec![], vec![root]);
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(id) = stack.pop() {
        if seen.insert(id) {
            below.push(id);
            stack.extend_from_slice(exprs.operands(id));
        }
    }
    below.sort_unstable();
    for id in below {
        if known.contains_key(&id) {
            continue;
        }
        let operands: Vec<ExprId> = exprs.operands(id).iter().map(|a| known[a]).collect();
        let fixed = |atom: &Atom, value: &Value| values.get(atom).map(|given| given == value);
        let (is, kind) = match exprs.get(id) {
            Expr::Is(var, value) => (fixed(&(*var, false), value), 0),
            Expr::Next(var, value) => (fixed(&(*var, true), value), 0),
            Expr::Not(_) => (None, 1),
            Expr::And(_) => (None, 2),
            Expr::Or(_) => (None, 3),
            Expr::False | Expr::True | Expr::Fix(..) => (None, 0),
        };
        let new = match (is, kind) {
            (Some(true), _) => Exprs::TRUE,
            (Some(false), _) => Exprs::FALSE,
            (None, 1) => exprs.not(operands[0]),
            (None, 2) => exprs.and(operands),
            (None, 3) => exprs.or(operands),
            (None, _) => id,
        };
        known.insert(id, new);
    }
    known[&root]
}

/// Whether conditions can hold at all: decision diagrams of their own, over the bits of the variables' values.
///
/// What was found for one condition is used for the next, since conditions share most of their parts.
#[derive(Default)]
pub(crate) struct Diagrams {
    nodes: Vec<Node>,
    ids: FxHashMap<Node, Id>,
    joined: FxHashMap<(bool, Id, Id), Id>,
    negated: FxHashMap<Id, Id>,
    known: FxHashMap<ExprId, Id>,
}

type Id = u32;
/// A bit, as a place in the order, and what follows if it is 0 and if it is 1.
type Node = (u64, Id, Id);
const NO: Id = 0;
const YES: Id = 1;
/// Places of bits that a value can have: as many as [`Value`] has bits.
const BITS: u64 = 16;

/// The diagrams became too large.
struct TooLarge;
type Made = Result<Id, TooLarge>;

impl Diagrams {
    /// Whether some values of the variables make the expression true; `None` if that takes more than n nodes.
    /// `sizes` gives the number of values of a variable.
    pub fn satisfiable(
        &mut self,
        exprs: &Exprs,
        root: ExprId,
        sizes: &dyn Fn(VarId) -> usize,
        most: usize,
    ) -> Option<bool> {
        match root {
            Exprs::TRUE => return Some(true),
            Exprs::FALSE => return Some(false),
            _ => {}
        }
        if self.nodes.len() > most / 2 {
            *self = Diagrams::default();
        }
        if self.nodes.is_empty() {
            self.nodes = vec![(u64::MAX, NO, NO), (u64::MAX, YES, YES)];
        }
        match self.diagram(exprs, root, sizes, most) {
            Ok(id) => Some(id != NO),
            Err(TooLarge) => {
                *self = Diagrams::default();
                None
            }
        }
    }

    fn diagram(&mut self, exprs: &Exprs, root: ExprId, sizes: &dyn Fn(VarId) -> usize, most: usize) -> Made {
        let mut stack = vec![(root, false)];
        while let Some((id, ready)) = stack.pop() {
            if self.known.contains_key(&id) {
                continue;
            }
            let operands = exprs.operands(id);
            if !ready && !operands.is_empty() {
                stack.push((id, true));
                stack.extend(operands.iter().filter(|a| !self.known.contains_key(a)).map(|a| (*a, false)));
                continue;
            }
            let made = match exprs.get(id) {
                Expr::False => NO,
                // Recursive definitions do not come from models.
                Expr::True | Expr::Fix(..) => YES,
                Expr::Is(var, value) => self.word(u64::from(var.0) * 2, *value, sizes(*var)),
                Expr::Next(var, value) => self.word(u64::from(var.0) * 2 + 1, *value, sizes(*var)),
                Expr::Not(a) => self.not(self.known[a]),
                Expr::And(_) | Expr::Or(_) => {
                    let and = matches!(exprs.get(id), Expr::And(_));
                    let mut all: Vec<Id> = operands.iter().map(|a| self.known[a]).collect();
                    // By halves, so that large results are joined rarely.
                    while all.len() > 1 {
                        let mut half = Vec::with_capacity(all.len().div_ceil(2));
                        for pair in all.chunks(2) {
                            half.push(match *pair {
                                [a, b] => self.join(and, a, b, most)?,
                                _ => pair[0],
                            });
                        }
                        all = half;
                    }
                    all[0]
                }
            };
            self.known.insert(id, made);
        }
        Ok(self.known[&root])
    }

    fn node(&mut self, node: Node) -> Id {
        if node.1 == node.2 {
            return node.1;
        }
        *self.ids.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            self.nodes.len() as Id - 1
        })
    }

    /// A value in binary; the codes after the last value stand for it too, so that every code stands for one.
    fn word(&mut self, place: u64, value: Value, size: usize) -> Id {
        let width = u64::from(usize::BITS - (size.max(1) - 1).leading_zeros());
        let last = usize::from(value) + 1 == size;
        if usize::from(value) >= size {
            return NO;
        }
        let mut made = YES;
        for bit in 0..width {
            let (at, set) = (place * BITS + (width - 1 - bit), value >> bit & 1 == 1);
            made = match (set, last) {
                (true, _) => self.node((at, NO, made)),
                (false, false) => self.node((at, made, NO)),
                (false, true) => self.node((at, made, YES)),
            };
        }
        made
    }

    fn not(&mut self, a: Id) -> Id {
        // Without recursion: a model can have thousands of bits.
        let mut stack = vec![a];
        self.negated.extend([(NO, YES), (YES, NO)]);
        while let Some(&at) = stack.last() {
            let (level, low, high) = self.nodes[at as usize];
            match (self.negated.get(&at), self.negated.get(&low), self.negated.get(&high)) {
                (Some(_), ..) => {
                    stack.pop();
                }
                (None, Some(&low), Some(&high)) => {
                    let made = self.node((level, low, high));
                    self.negated.insert(at, made);
                }
                (None, known_low, known_high) => {
                    if known_low.is_none() {
                        stack.push(low);
                    } else if known_high.is_none() {
                        stack.push(high);
                    }
                }
            }
        }
        self.negated[&a]
    }

    fn join(&mut self, and: bool, a: Id, b: Id, most: usize) -> Made {
        let quick = |a: Id, b: Id| {
            let (neutral, absorbing) = if and { (YES, NO) } else { (NO, YES) };
            match (a, b) {
                _ if a == absorbing || b == absorbing => Some(absorbing),
                _ if a == neutral || a == b => Some(b),
                _ if b == neutral => Some(a),
                _ => None,
            }
        };
        let key = |a: Id, b: Id| (and, a.min(b), a.max(b));
        let mut stack = vec![(a, b)];
        let known = |d: &Self, a: Id, b: Id| quick(a, b).or_else(|| d.joined.get(&key(a, b)).copied());
        while let Some(&(a, b)) = stack.last() {
            if known(self, a, b).is_some() {
                stack.pop();
                continue;
            }
            if self.nodes.len() > most || self.joined.len() > 4 * most {
                return Err(TooLarge);
            }
            let (x, y) = (self.nodes[a as usize], self.nodes[b as usize]);
            let level = x.0.min(y.0);
            let (a0, a1) = if x.0 == level { (x.1, x.2) } else { (a, a) };
            let (b0, b1) = if y.0 == level { (y.1, y.2) } else { (b, b) };
            match (known(self, a0, b0), known(self, a1, b1)) {
                (Some(low), Some(high)) => {
                    let made = self.node((level, low, high));
                    self.joined.insert(key(a, b), made);
                    stack.pop();
                }
                (None, _) => stack.push((a0, b0)),
                (_, None) => stack.push((a1, b1)),
            }
        }
        known(self, a, b).ok_or(TooLarge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(exprs: &Exprs, id: ExprId, value: &dyn Fn(VarId, bool) -> Value) -> bool {
        match exprs.get(id) {
            Expr::False => false,
            Expr::True | Expr::Fix(..) => true,
            Expr::Is(var, wanted) => value(*var, false) == *wanted,
            Expr::Next(var, wanted) => value(*var, true) == *wanted,
            Expr::Not(a) => !holds(exprs, *a, value),
            Expr::And(list) => list.iter().all(|a| holds(exprs, *a, value)),
            Expr::Or(list) => list.iter().any(|a| holds(exprs, *a, value)),
        }
    }

    /// Conditions over two variables of every size, against all of their values.
    #[test]
    fn as_all_values_say() {
        let mut seed = 7u64;
        let mut random = |n: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % n
        };
        for round in 0..100 {
            let sizes = [1 + round % 7, 1 + round / 7 % 7];
            let (mut exprs, mut diagrams) = (Exprs::new(), Diagrams::default());
            let mut pool = vec![Exprs::TRUE, Exprs::FALSE];
            for _ in 0..40 {
                let (a, b) = (pool[random(pool.len())], pool[random(pool.len())]);
                let var = random(2);
                let value = random(sizes[var]) as Value;
                pool.push(match random(6) {
                    0 => exprs.is(VarId(var as u32), value),
                    1 => exprs.next(VarId(var as u32), value),
                    2 => exprs.not(a),
                    3 => exprs.and([a, b]),
                    _ => exprs.or([a, b]),
                });
            }
            for &root in &pool {
                let all = sizes.iter().map(|n| n * n).product();
                let some = (0..all).any(|number: usize| {
                    let value = |var: VarId, next: bool| -> Value {
                        let (size, rest) = if var.0 == 0 {
                            (sizes[0], number)
                        } else {
                            (sizes[1], number / (sizes[0] * sizes[0]))
                        };
                        (if next { rest / size % size } else { rest % size }) as Value
                    };
                    holds(&exprs, root, &value)
                });
                let found = diagrams.satisfiable(&exprs, root, &|var| sizes[var.0 as usize], 1 << 16);
                assert_eq!(found, Some(some), "{sizes:?}");
            }
        }
    }
}
