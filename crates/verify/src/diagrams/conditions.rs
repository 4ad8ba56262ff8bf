//! The rules' expressions as reduced diagrams over the variables' values.

use super::arena::{Arena, Id};
use crate::VerifyError;
use rustc_hash::FxHashMap;
use winset_model::{Expr, ExprId, Exprs, SystemId};

/// Holds nowhere.
pub const FALSE: Id = 0;
/// Holds everywhere.
pub const TRUE: Id = 1;

/// All conditions. A node is a list: its level, then a node for each of the variable's values; levels on which nothing
/// depends are left out.
#[derive(Debug)]
pub struct Conditions {
    arena: Arena,
    and: FxHashMap<(Id, Id), Id>,
    not: FxHashMap<Id, Id>,
    known: FxHashMap<ExprId, Id>,
    solved: FxHashMap<SystemId, Vec<Id>>,
    /// The level of each variable, and the number of values at each level.
    level_of: Vec<u32>,
    sizes: Vec<usize>,
    room: u64,
}

impl Conditions {
    pub fn new(level_of: Vec<u32>, sizes: Vec<usize>, room: u64) -> Self {
        let mut arena = Arena::new(room);
        let _ = arena.add(&[u32::MAX, 0]).and_then(|_| arena.add(&[u32::MAX, 1]));
        let (and, not, known, solved) = Default::default();
        Conditions { arena, and, not, known, solved, level_of, sizes, room }
    }

    fn level(&self, id: Id) -> u32 {
        self.arena.get(id)[0]
    }

    /// What is left of a condition once the variable of a level, no lower than the condition's, has a value.
    pub fn given(&self, id: Id, level: u32, value: u32) -> Id {
        let node = self.arena.get(id);
        if node[0] == level { node[1 + value as usize] } else { id }
    }

    fn node(&mut self, level: u32, children: &[Id]) -> Result<Id, VerifyError> {
        if children.iter().all(|&child| child == children[0]) {
            return Ok(children[0]);
        }
        let list: Vec<u32> = std::iter::once(level).chain(children.iter().copied()).collect();
        self.arena.add(&list)
    }

    pub fn not(&mut self, a: Id) -> Result<Id, VerifyError> {
        if a <= TRUE {
            return Ok(1 - a);
        }
        if let Some(&known) = self.not.get(&a) {
            return Ok(known);
        }
        let list = self.arena.get(a).to_vec();
        let children = list[1..].iter().map(|&child| self.not(child)).collect::<Result<Vec<_>, _>>()?;
        let made = self.node(list[0], &children)?;
        self.not.insert(a, made);
        Ok(made)
    }

    pub fn and(&mut self, a: Id, b: Id) -> Result<Id, VerifyError> {
        match (a.min(b), a.max(b)) {
            (FALSE, _) => return Ok(FALSE),
            (TRUE, other) => return Ok(other),
            (x, y) if x == y => return Ok(x),
            _ => {}
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.and.get(&key) {
            return Ok(known);
        }
        let level = self.level(a).min(self.level(b));
        let mut children = vec![];
        for value in 0..self.sizes[level as usize] as u32 {
            let (x, y) = (self.given(a, level, value), self.given(b, level, value));
            children.push(self.and(x, y)?);
        }
        let made = self.node(level, &children)?;
        self.and.insert(key, made);
        if self.bytes() > self.room {
            return Err(VerifyError::Memory { room: self.room });
        }
        Ok(made)
    }

    pub fn or(&mut self, a: Id, b: Id) -> Result<Id, VerifyError> {
        let (a, b) = (self.not(a)?, self.not(b)?);
        let neither = self.and(a, b)?;
        self.not(neither)
    }

    /// The condition that an expression is.
    pub fn compile(&mut self, exprs: &Exprs, root: ExprId) -> Result<Id, VerifyError> {
        let cone = exprs.cone([root]);
        let systems: Vec<SystemId> = systems(exprs, &cone);
        if systems.iter().any(|system| !self.solved.contains_key(system)) {
            self.solve(exprs, root)?;
        }
        for id in cone {
            if !self.known.contains_key(&id) {
                let made = self.combine(exprs, id, &FxHashMap::default(), &FxHashMap::default())?;
                self.known.insert(id, made);
            }
        }
        Ok(self.known[&root])
    }

    fn combine(
        &mut self,
        exprs: &Exprs,
        id: ExprId,
        local: &FxHashMap<ExprId, Id>,
        members: &FxHashMap<(SystemId, u32), Id>,
    ) -> Result<Id, VerifyError> {
        let of =
            |this: &Self, a: ExprId| local.get(&a).or_else(|| this.known.get(&a)).copied().unwrap_or(FALSE);
        match exprs.get(id) {
            Expr::False => Ok(FALSE),
            Expr::True => Ok(TRUE),
            &Expr::Is(var, value) => {
                let level = self.level_of[var.index()];
                let holds = |v: usize| if v == usize::from(value) { TRUE } else { FALSE };
                let children: Vec<Id> = (0..self.sizes[level as usize]).map(holds).collect();
                self.node(level, &children)
            }
            // Rules of games never speak of the state after a move.
            Expr::Next(..) => Ok(FALSE),
            &Expr::Not(a) => {
                let a = of(self, a);
                self.not(a)
            }
            Expr::And(list) => {
                let parts: Vec<Id> = list.iter().map(|&a| of(self, a)).collect();
                self.balanced(parts, TRUE, Self::and)
            }
            Expr::Or(list) => {
                let parts: Vec<Id> = list.iter().map(|&a| of(self, a)).collect();
                self.balanced(parts, FALSE, Self::or)
            }
            Expr::Fix(system, member) => Ok(match self.solved.get(system) {
                Some(solved) => solved[*member as usize],
                None => members.get(&(*system, *member)).copied().unwrap_or(FALSE),
            }),
        }
    }

    /// Many conditions by twos.
    fn balanced(
        &mut self,
        mut parts: Vec<Id>,
        none: Id,
        join: fn(&mut Self, Id, Id) -> Result<Id, VerifyError>,
    ) -> Result<Id, VerifyError> {
        parts.sort_by_key(|&part| self.level(part));
        while parts.len() > 1 {
            let mut half = vec![];
            for pair in parts.chunks(2) {
                half.push(if let &[a, b] = pair { join(self, a, b)? } else { pair[0] });
            }
            parts = half;
        }
        Ok(parts.pop().unwrap_or(none))
    }

    /// The least solution of all systems below an expression together, by iteration from nothing.
    fn solve(&mut self, exprs: &Exprs, root: ExprId) -> Result<(), VerifyError> {
        let mut open: Vec<SystemId> = systems(exprs, &exprs.cone([root]));
        loop {
            let bodies = open.iter().flat_map(|&s| exprs.bodies(s)).copied();
            let more = systems(exprs, &exprs.cone(bodies));
            let fresh: Vec<SystemId> = more.into_iter().filter(|s| !open.contains(s)).collect();
            if fresh.is_empty() {
                break;
            }
            open.extend(fresh);
        }
        open.retain(|system| !self.solved.contains_key(system));
        let cone = exprs.cone(open.iter().flat_map(|&s| exprs.bodies(s)).copied());
        let mut members: FxHashMap<(SystemId, u32), Id> = FxHashMap::default();
        loop {
            let mut local: FxHashMap<ExprId, Id> = FxHashMap::default();
            for &id in &cone {
                let made = self.combine(exprs, id, &local, &members)?;
                local.insert(id, made);
            }
            let mut stable = true;
            for &system in &open {
                for (member, body) in exprs.bodies(system).iter().enumerate() {
                    let made = local[body];
                    stable &= members.insert((system, member as u32), made).unwrap_or(FALSE) == made;
                }
            }
            if stable {
                break;
            }
        }
        for system in open {
            let all = (0..exprs.bodies(system).len() as u32).map(|m| members[&(system, m)]).collect();
            self.solved.insert(system, all);
        }
        Ok(())
    }

    /// About the memory that is taken.
    fn bytes(&self) -> u64 {
        self.arena.bytes() + 32 * (self.and.len() + self.not.len() + self.known.len()) as u64
    }
}

fn systems(exprs: &Exprs, cone: &[ExprId]) -> Vec<SystemId> {
    let mut all: Vec<SystemId> = cone
        .iter()
        .filter_map(|&id| match exprs.get(id) {
            Expr::Fix(system, _) => Some(*system),
            _ => None,
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}
