//! Boolean expressions over `variable = value`, hash-consed in one arena.

use crate::variable::{Value, VarId};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// An expression, by its position in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(pub u32);

impl ExprId {
    /// The position as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A system of mutually recursive definitions, by its position in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SystemId(pub u32);

/// One expression. Operands are other expressions of the same arena.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// Holds nowhere.
    False,
    /// Holds everywhere.
    True,
    /// The variable has the value.
    Is(VarId, Value),
    /// The variable has the value after the transition. Only in relations of a [`crate::System`].
    Next(VarId, Value),
    /// Negation.
    Not(ExprId),
    /// Conjunction; operands sorted, at least two.
    And(Operands),
    /// Disjunction; operands sorted, at least two.
    Or(Operands),
    /// A member of a system of mutually recursive, monotone definitions: its least solution.
    /// Paths and other recursion through the state need it.
    Fix(SystemId, u32),
}

/// The operands of a conjunction or disjunction, sorted; read as a slice.
///
/// A game from a file has millions of expressions with two operands: these are kept in place, since asking
/// for memory costs more than everything else that is done with them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operands(Kept);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Kept {
    Two([ExprId; 2]),
    /// Any other number. The second box keeps expressions small.
    Many(Box<Box<[ExprId]>>),
}

impl From<&[ExprId]> for Operands {
    fn from(list: &[ExprId]) -> Self {
        Operands(match *list {
            [a, b] => Kept::Two([a, b]),
            _ => Kept::Many(Box::new(list.into())),
        })
    }
}

impl std::ops::Deref for Operands {
    type Target = [ExprId];

    fn deref(&self) -> &[ExprId] {
        match &self.0 {
            Kept::Two(pair) => pair,
            Kept::Many(list) => list,
        }
    }
}

impl<'a> IntoIterator for &'a Operands {
    type Item = &'a ExprId;
    type IntoIter = std::slice::Iter<'a, ExprId>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The arena: every distinct expression once, so that sharing is free and equality is identity.
///
/// Constructors simplify what is obvious from the operands alone: constants, duplicates, double
/// negation, `x and not x`, one variable with two values.
///
/// ```
/// use winset_model::{ExprId, Exprs, VarId};
/// let mut exprs = Exprs::new();
/// let a = exprs.is(VarId(0), 1);
/// let not_a = exprs.not(a);
/// assert_eq!(exprs.and([a, not_a]), Exprs::FALSE);
/// assert_eq!(exprs.or([a, Exprs::FALSE, a]), a);
/// ```
#[derive(Clone, Debug)]
pub struct Exprs {
    nodes: Vec<Expr>,
    /// Finds an expression's id by what is in `nodes`, so that operands are kept only once; with 32 bits of
    /// its hash, so that a table that grows need not look at the expressions again. There is a table for every
    /// [`RANGE`] of last operands: what is made of recent expressions is found in a small and recent table.
    ids: Vec<HashTable<(ExprId, u32)>>,
    systems: Vec<Box<[ExprId]>>,
    /// Room for operands, used again.
    list: Vec<ExprId>,
}

/// Expressions that share a table of those whose last operand they are, as a power of two.
const RANGE: u32 = 12;

fn hash(expr: &Expr) -> u32 {
    let mut hasher = FxHasher::default();
    expr.hash(&mut hasher);
    (hasher.finish() >> 32) as u32
}

/// A table looks at both ends of a hash.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Default for Exprs {
    fn default() -> Self {
        Self::new()
    }
}

impl Exprs {
    /// Holds nowhere, in every arena.
    pub const FALSE: ExprId = ExprId(0);
    /// Holds everywhere, in every arena.
    pub const TRUE: ExprId = ExprId(1);

    /// An arena with the two constants.
    pub fn new() -> Self {
        let mut exprs = Exprs { nodes: vec![], ids: vec![], systems: vec![], list: vec![] };
        exprs.intern(Expr::False);
        exprs.intern(Expr::True);
        exprs
    }

    fn intern(&mut self, expr: Expr) -> ExprId {
        let hash = hash(&expr);
        let last = match &expr {
            Expr::Not(a) => a.0,
            Expr::And(list) | Expr::Or(list) => list.last().map_or(0, |a| a.0),
            _ => 0,
        };
        // An operand that is not there is found when a game is made of these; here it costs no memory.
        let range = (last as usize).min(self.nodes.len()) >> RANGE;
        if range >= self.ids.len() {
            self.ids.resize_with(range + 1, HashTable::new);
        }
        let (nodes, ids) = (&self.nodes, &mut self.ids[range]);
        let same = |(id, h): &(ExprId, u32)| *h == hash && nodes[id.index()] == expr;
        if let Some((id, _)) = ids.find(spread(hash), same) {
            return *id;
        }
        let id = ExprId(nodes.len() as u32);
        ids.insert_unique(spread(hash), (id, hash), |(_, h)| spread(*h));
        self.nodes.push(expr);
        id
    }

    /// The number of distinct expressions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: the constants are always there.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The expression behind an id.
    pub fn get(&self, id: ExprId) -> &Expr {
        &self.nodes[id.index()]
    }

    /// The operands of an expression; for a member of a system, none.
    pub fn operands(&self, id: ExprId) -> &[ExprId] {
        match self.get(id) {
            Expr::Not(a) => std::slice::from_ref(a),
            Expr::And(list) | Expr::Or(list) => list,
            _ => &[],
        }
    }

    /// `var = value`
    pub fn is(&mut self, var: VarId, value: Value) -> ExprId {
        self.intern(Expr::Is(var, value))
    }

    /// `var = value` after the transition.
    pub fn next(&mut self, var: VarId, value: Value) -> ExprId {
        self.intern(Expr::Next(var, value))
    }

    /// Negation.
    pub fn not(&mut self, a: ExprId) -> ExprId {
        match self.nodes.get(a.index()) {
            Some(Expr::False) => Self::TRUE,
            Some(Expr::True) => Self::FALSE,
            Some(&Expr::Not(b)) => b,
            _ => self.intern(Expr::Not(a)),
        }
    }

    /// Makes room for n more expressions, where it is known that they will come.
    pub fn reserve(&mut self, more: usize) {
        self.nodes.reserve(more);
    }

    /// Conjunction of any number of operands; of none: true.
    pub fn and(&mut self, operands: impl IntoIterator<Item = ExprId>) -> ExprId {
        self.junction(operands, [Self::TRUE, Self::FALSE], Expr::And)
    }

    /// Disjunction of any number of operands; of none: false.
    pub fn or(&mut self, operands: impl IntoIterator<Item = ExprId>) -> ExprId {
        self.junction(operands, [Self::FALSE, Self::TRUE], Expr::Or)
    }

    /// Either of the two, with the operand that changes nothing and the one that decides.
    fn junction(
        &mut self,
        operands: impl IntoIterator<Item = ExprId>,
        [neutral, absorbing]: [ExprId; 2],
        make: fn(Operands) -> Expr,
    ) -> ExprId {
        let mut list = std::mem::take(&mut self.list);
        list.extend(operands.into_iter().filter(|a| *a != neutral));
        list.sort_unstable();
        list.dedup();
        let impossible = || absorbing == Self::FALSE && self.has_two_values(&list);
        let result = if self.has_contradiction(&list, absorbing) || impossible() {
            absorbing
        } else {
            match list[..] {
                [] => neutral,
                [only] => only,
                _ => self.intern(make(list[..].into())),
            }
        };
        list.clear();
        self.list = list;
        result
    }

    /// `if condition then a else b`
    pub fn ite(&mut self, condition: ExprId, a: ExprId, b: ExprId) -> ExprId {
        let not = self.not(condition);
        let (yes, no) = (self.and([condition, a]), self.and([not, b]));
        self.or([yes, no])
    }

    /// The variable keeps its value over the transition.
    pub fn unchanged(&mut self, var: VarId, size: usize) -> ExprId {
        let same: Vec<ExprId> = (0..size as Value)
            .map(|value| {
                let pair = [self.is(var, value), self.next(var, value)];
                self.and(pair)
            })
            .collect();
        self.or(same)
    }

    /// More of the first expressions hold than of the second, `count(yes) > count(no) + margin`.
    /// Built as a shared counting network of quadratic size.
    pub fn majority(&mut self, pairs: &[(ExprId, ExprId)], margin: i32) -> ExprId {
        let n = pairs.len() as i32;
        // row[d + n]: with the pairs still to come, the difference d so far ends above the margin.
        let mut row: Vec<ExprId> =
            (-n..=n).map(|d| if d > margin { Self::TRUE } else { Self::FALSE }).collect();
        for (seen, &(yes, no)) in pairs.iter().enumerate().rev() {
            let reach = seen as i32;
            let mut above = vec![Self::FALSE; row.len()];
            for d in -reach..=reach {
                let at = (d + n) as usize;
                let fewer = self.ite(no, row[at - 1], row[at]);
                above[at] = self.ite(yes, row[at + 1], fewer);
            }
            row = above;
        }
        row[n as usize]
    }

    /// A new system of `members` mutually recursive definitions, each to be given by [`Exprs::define`].
    pub fn declare_system(&mut self, members: usize) -> SystemId {
        self.systems.push(vec![Self::FALSE; members].into());
        SystemId(self.systems.len() as u32 - 1)
    }

    /// The least solution of a system at one of its members.
    pub fn member(&mut self, system: SystemId, member: u32) -> ExprId {
        self.intern(Expr::Fix(system, member))
    }

    /// Says what a member of a system stands for. The body must be monotone in the system's members.
    pub fn define(&mut self, system: SystemId, member: u32, body: ExprId) {
        self.systems[system.0 as usize][member as usize] = body;
    }

    /// The definitions of a system.
    pub fn bodies(&self, system: SystemId) -> &[ExprId] {
        &self.systems[system.0 as usize]
    }

    /// The number of systems.
    pub fn systems(&self) -> usize {
        self.systems.len()
    }

    /// The system is declared and has such a member.
    pub fn defines(&self, system: SystemId, member: u32) -> bool {
        self.systems.get(system.0 as usize).is_some_and(|bodies| (member as usize) < bodies.len())
    }

    /// The definitions of all systems.
    pub(crate) fn all_bodies(&self) -> impl Iterator<Item = ExprId> {
        self.systems.iter().flatten().copied()
    }

    /// Every expression, the oldest first.
    pub(crate) fn ids(&self) -> impl Iterator<Item = ExprId> + use<> {
        (0..self.nodes.len()).map(|i| ExprId(i as u32))
    }

    /// For every expression, whether it needs this one.
    pub(crate) fn users(&self, id: ExprId) -> Vec<bool> {
        let mut needs = vec![false; self.nodes.len()];
        needs[id.index()] = true;
        // Once, and again as long as recursive definitions carry it on.
        loop {
            let mut more = false;
            for user in self.ids().filter(|user| *user != id) {
                let parts = match self.get(user) {
                    Expr::Fix(system, _) => self.bodies(*system),
                    _ => self.operands(user),
                };
                if !needs[user.index()] && parts.iter().any(|part| needs[part.index()]) {
                    needs[user.index()] = true;
                    more |= matches!(self.get(user), Expr::Fix(..));
                }
            }
            if !more {
                return needs;
            }
        }
    }

    /// Every expression the roots need, ascending, so operands come before users. The bodies of a system
    /// are needed by each of its members, whatever their order; see [`crate::Lanes`] for how to solve one.
    pub fn cone(&self, roots: impl IntoIterator<Item = ExprId>) -> Vec<ExprId> {
        let mut seen = vec![false; self.nodes.len()];
        let mut stack: Vec<ExprId> = roots.into_iter().collect();
        let mut cone = vec![];
        while let Some(id) = stack.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            cone.push(id);
            stack.extend_from_slice(match self.get(id) {
                Expr::Fix(system, _) => self.bodies(*system),
                _ => self.operands(id),
            });
        }
        cone.sort_unstable();
        cone
    }

    /// The variables that the expression's value can depend on, sorted.
    pub fn support(&self, root: ExprId) -> Vec<VarId> {
        let mut vars: Vec<VarId> = self
            .cone([root])
            .into_iter()
            .filter_map(|id| match self.get(id) {
                Expr::Is(var, _) => Some(*var),
                _ => None,
            })
            .collect();
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// Sorted operands contain the absorbing constant or an expression with its negation.
    fn has_contradiction(&self, sorted: &[ExprId], absorbing: ExprId) -> bool {
        sorted.iter().any(|&a| {
            a == absorbing
                || matches!(self.nodes.get(a.index()), Some(Expr::Not(b)) if sorted.binary_search(b).is_ok())
        })
    }

    fn has_two_values(&self, operands: &[ExprId]) -> bool {
        let variable = |a: &ExprId| match self.nodes.get(a.index()) {
            Some(Expr::Is(var, _)) => Some((*var, false)),
            Some(Expr::Next(var, _)) => Some((*var, true)),
            _ => None,
        };
        // Most conjunctions are short, and this is asked for each of them.
        if let [a, b] = operands {
            return variable(a).is_some_and(|v| variable(b) == Some(v));
        }
        let mut vars: Vec<(VarId, bool)> = operands.iter().filter_map(variable).collect();
        let all = vars.len();
        vars.sort_unstable();
        vars.dedup();
        vars.len() < all
    }
}
