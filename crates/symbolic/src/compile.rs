//! Expressions as sets.

use crate::diagram::Diagram;
use crate::error::SymbolicError;
use crate::space::Space;
use rustc_hash::FxHashMap;
use winset_model::{Expr, ExprId, Exprs, SystemId};

/// Compiles the expressions of one arena, each once.
pub struct Compiler<'a, F: Diagram> {
    space: &'a Space<F>,
    exprs: &'a Exprs,
    known: Vec<Option<F>>,
    solved: FxHashMap<SystemId, Vec<F>>,
}

impl<'a, F: Diagram> Compiler<'a, F> {
    /// A compiler that has compiled nothing yet.
    pub fn new(space: &'a Space<F>, exprs: &'a Exprs) -> Self {
        Compiler { space, exprs, known: vec![None; exprs.len()], solved: FxHashMap::default() }
    }

    /// The set where the expression holds; over pairs of states if it speaks of the next state.
    /// Unused codes may be in it or not.
    pub fn compile(&mut self, root: ExprId) -> Result<F, SymbolicError> {
        if self.known[root.index()].is_none() {
            for id in self.exprs.cone([root]) {
                if let Expr::Fix(system, _) = self.exprs.get(id) {
                    self.solve(*system)?;
                }
            }
            self.fill(root)?;
        }
        Ok(self.known[root.index()].clone().expect("just compiled"))
    }

    /// Compiles everything below the root whose systems are solved.
    fn fill(&mut self, root: ExprId) -> Result<(), SymbolicError> {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.known[id.index()].is_some() {
                stack.pop();
                continue;
            }
            let missing = self.exprs.operands(id).iter().filter(|a| self.known[a.index()].is_none());
            let before = stack.len();
            stack.extend(missing);
            if stack.len() == before {
                let set = match self.exprs.get(id) {
                    Expr::Fix(system, member) => self.solved[system][*member as usize].clone(),
                    expr => self.combine(expr, |a| self.known[a.index()].clone().expect("an operand"))?,
                };
                self.known[id.index()] = Some(set);
                stack.pop();
            }
        }
        Ok(())
    }

    /// One expression from its operands' sets.
    fn combine(&self, expr: &Expr, operand: impl Fn(ExprId) -> F) -> Result<F, SymbolicError> {
        let space = self.space;
        let all = |list: &[ExprId]| {
            let mut sets: Vec<F> = list.iter().map(|&a| operand(a)).collect();
            // Neighbours in the order combine to small diagrams.
            sets.sort_by_key(F::root_level);
            sets
        };
        match expr {
            Expr::False => Ok(space.none().clone()),
            Expr::True => Ok(space.all().clone()),
            Expr::Is(var, value) => Ok(space.is(*var, *value).clone()),
            Expr::Next(var, value) => Ok(space.next(*var, *value).clone()),
            Expr::Not(a) => {
                let a = operand(*a);
                space.attempt(|| a.not())
            }
            Expr::And(list) => space.and_all(all(list)),
            Expr::Or(list) => space.or_all(all(list)),
            Expr::Fix(..) => unreachable!("members of systems are looked up"),
        }
    }

    /// The least solution of a system, by iteration from the empty sets; together with it those systems
    /// that it depends on and that depend on it.
    fn solve(&mut self, system: SystemId) -> Result<(), SymbolicError> {
        if self.solved.contains_key(&system) {
            return Ok(());
        }
        let mut joint = vec![system];
        for other in self.systems_below(system) {
            if self.solved.contains_key(&other) || other == system {
                continue;
            }
            if self.systems_below(other).contains(&system) {
                joint.push(other);
            } else {
                self.solve(other)?;
            }
        }
        let exprs = self.exprs;
        let bodies: Vec<ExprId> = joint.iter().flat_map(|&s| exprs.bodies(s)).copied().collect();
        let dependent = self.dependent(&bodies, &joint)?;
        let mut sets: FxHashMap<(SystemId, u32), F> = FxHashMap::default();
        loop {
            let mut local: FxHashMap<ExprId, F> = FxHashMap::default();
            for &id in &dependent {
                let set = match exprs.get(id) {
                    Expr::Fix(s, member) => {
                        sets.get(&(*s, *member)).unwrap_or_else(|| self.space.none()).clone()
                    }
                    expr => self.combine(expr, |a| match local.get(&a) {
                        Some(set) => set.clone(),
                        None => self.known[a.index()].clone().expect("independent operands are known"),
                    })?,
                };
                local.insert(id, set);
            }
            let mut stable = true;
            for &s in &joint {
                for (member, body) in exprs.bodies(s).iter().enumerate() {
                    let set = match local.get(body) {
                        Some(set) => set.clone(),
                        None => self.known[body.index()].clone().expect("independent bodies are known"),
                    };
                    let old = sets.insert((s, member as u32), set.clone());
                    stable &= old.as_ref().unwrap_or_else(|| self.space.none()) == &set;
                }
            }
            if stable {
                break;
            }
        }
        for &s in &joint {
            let members = (0..exprs.bodies(s).len() as u32).map(|member| sets[&(s, member)].clone());
            self.solved.insert(s, members.collect());
        }
        Ok(())
    }

    /// The expressions below the bodies that depend on the systems, operands first. Compiles the others.
    fn dependent(&mut self, bodies: &[ExprId], systems: &[SystemId]) -> Result<Vec<ExprId>, SymbolicError> {
        let cone = self.exprs.cone(bodies.iter().copied());
        let mut depends = rustc_hash::FxHashSet::default();
        let mut list = vec![];
        for &id in &cone {
            let here = match self.exprs.get(id) {
                Expr::Fix(s, _) => systems.contains(s),
                _ => self.exprs.operands(id).iter().any(|a| depends.contains(a)),
            };
            if here {
                depends.insert(id);
                list.push(id);
            }
        }
        for id in cone {
            let free = !depends.contains(&id);
            let solved = !matches!(self.exprs.get(id), Expr::Fix(s, _) if !self.solved.contains_key(s));
            if free && solved {
                self.fill(id)?;
            }
        }
        Ok(list)
    }

    /// The systems that a system's bodies use, directly or not.
    fn systems_below(&self, system: SystemId) -> Vec<SystemId> {
        let cone = self.exprs.cone(self.exprs.bodies(system).iter().copied());
        let mut systems: Vec<SystemId> = cone
            .into_iter()
            .filter_map(|id| match self.exprs.get(id) {
                Expr::Fix(s, _) => Some(*s),
                _ => None,
            })
            .collect();
        systems.sort_unstable();
        systems.dedup();
        systems
    }
}
