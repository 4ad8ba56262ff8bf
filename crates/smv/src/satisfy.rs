//! Whether a condition can hold at all, by cases on its variables. Only for conditions that the compiler
//! must know to be impossible; everything else is left to the engines.

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
    for id in exprs.cone([root]) {
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

/// Whether some values of the variables make the expression true; `None` if that takes more than `steps`.
/// `sizes` gives the number of values of a variable.
pub(crate) fn satisfiable(
    exprs: &Exprs,
    root: ExprId,
    sizes: &dyn Fn(VarId) -> usize,
    steps: usize,
) -> Option<bool> {
    match root {
        Exprs::TRUE => return Some(true),
        Exprs::FALSE => return Some(false),
        _ => {}
    }
    let mut search = Search { exprs: Exprs::new(), sizes, steps, refuted: FxHashMap::default() };
    let root = search.copy(exprs, root);
    search.satisfiable(root)
}

struct Search<'s> {
    exprs: Exprs,
    sizes: &'s dyn Fn(VarId) -> usize,
    steps: usize,
    refuted: FxHashMap<ExprId, ()>,
}

impl Search<'_> {
    fn copy(&mut self, from: &Exprs, root: ExprId) -> ExprId {
        let mut known: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for id in from.cone([root]) {
            let operands: Vec<ExprId> = from.operands(id).iter().map(|a| known[a]).collect();
            let new = match from.get(id) {
                Expr::False => Exprs::FALSE,
                Expr::True | Expr::Fix(..) => Exprs::TRUE,
                Expr::Is(var, value) => self.exprs.is(*var, *value),
                Expr::Next(var, value) => self.exprs.next(*var, *value),
                Expr::Not(_) => self.exprs.not(operands[0]),
                Expr::And(_) => self.exprs.and(operands),
                Expr::Or(_) => self.exprs.or(operands),
            };
            known.insert(id, new);
        }
        known[&root]
    }

    fn satisfiable(&mut self, root: ExprId) -> Option<bool> {
        if root == Exprs::TRUE {
            return Some(true);
        }
        if root == Exprs::FALSE || self.refuted.contains_key(&root) {
            return Some(false);
        }
        let mut cone = self.exprs.cone([root]);
        self.steps = self.steps.checked_sub(cone.len())?;
        cone.sort_unstable();
        let literal = |&id: &ExprId| match self.exprs.get(id) {
            Expr::Is(var, value) => Some(((*var, false), *value)),
            Expr::Next(var, value) => Some(((*var, true), *value)),
            _ => None,
        };
        // A conjunction that names a value leaves no other.
        let only = match self.exprs.get(root) {
            Expr::And(list) => list.iter().find_map(literal),
            _ => literal(&root),
        };
        let (atom, values) = match only {
            Some((atom, value)) => (atom, u32::from(value)..u32::from(value) + 1),
            None => {
                let (atom, _) = cone.iter().find_map(literal)?;
                (atom, 0..(self.sizes)(atom.0) as u32)
            }
        };
        for value in values {
            // Every value takes a walk.
            self.steps = self.steps.checked_sub(cone.len() >> 2)?;
            let values = [(atom, value as Value)].into_iter().collect();
            let rest = restrict(&mut self.exprs, root, &values, &mut FxHashMap::default());
            if self.satisfiable(rest)? {
                return Some(true);
            }
        }
        self.refuted.insert(root, ());
        Some(false)
    }
}
