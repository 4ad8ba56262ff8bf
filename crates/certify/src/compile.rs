//! The variables as bits, and expressions as functions of them.

use crate::bdd::{ALL, Bdds, Id, Made, NONE};
use crate::certificate::Levels;
use crate::error::Fault;
use rustc_hash::FxHashMap;
use winset_model::{Expr, ExprId, Exprs, SystemId, Value, VarId, Variable};

/// Where each variable's bits are, and the functions over them. The next value of a bit has the level after its own.
pub struct Space {
    pub bdds: Bdds,
    order: Vec<VarId>,
    sizes: Vec<usize>,
    bits: Vec<Vec<u32>>,
    /// Every variable has one of its values.
    pub domain: Id,
}

impl Space {
    /// Variables in an order that has each of them once.
    pub fn new(variables: &[Variable], order: &[VarId], memory: u64) -> Result<Self, Fault> {
        let sizes: Vec<usize> = variables.iter().map(Variable::size).collect();
        let mut bits = vec![vec![]; sizes.len()];
        let mut next = 0;
        for &var in order {
            let width = usize::BITS - sizes[var.index()].saturating_sub(1).leading_zeros();
            bits[var.index()] = (0..width).map(|bit| next + 2 * bit).collect();
            next += 2 * width;
        }
        let (bdds, order) = (Bdds::new(memory), order.to_vec());
        let mut space = Space { bdds, order, sizes, bits, domain: ALL };
        for at in (0..space.order.len()).rev() {
            let var = space.order[at];
            let mut values = NONE;
            for value in 0..space.sizes[var.index()] {
                let is = space.is(var, value as Value, 0)?;
                values = space.bdds.or(values, is)?;
            }
            space.domain = space.bdds.and(values, space.domain)?;
        }
        Ok(space)
    }

    /// The levels of the variables' bits.
    pub fn levels(&self, vars: &[VarId]) -> Vec<u32> {
        vars.iter().flat_map(|var| self.bits[var.index()].iter().copied()).collect()
    }

    /// A variable has a value, now or (`next` is 1) after the step.
    fn is(&mut self, var: VarId, value: Value, next: u32) -> Made {
        if usize::from(value) >= self.sizes[var.index()] {
            return Ok(NONE);
        }
        let mut is = ALL;
        for (place, level) in self.bits[var.index()].clone().into_iter().enumerate().rev() {
            let bit = self.bdds.bit(level + next)?;
            let wanted = if value >> place & 1 == 1 { bit } else { self.bdds.not(bit)? };
            is = self.bdds.and(wanted, is)?;
        }
        Ok(is)
    }

    /// The states where an expression holds, or the steps.
    pub fn compile(&mut self, exprs: &Exprs, root: ExprId, known: &mut FxHashMap<ExprId, Id>) -> Made {
        self.inside(exprs, root, known, &mut FxHashMap::default())
    }

    /// The same while some recursive definitions are being solved.
    fn inside(
        &mut self,
        exprs: &Exprs,
        root: ExprId,
        known: &mut FxHashMap<ExprId, Id>,
        solving: &mut FxHashMap<SystemId, Vec<Id>>,
    ) -> Made {
        if let Some(&id) = known.get(&root) {
            return Ok(id);
        }
        for at in exprs.cone([root]) {
            if known.contains_key(&at) {
                continue;
            }
            let operands: Vec<Id> = exprs.operands(at).iter().map(|operand| known[operand]).collect();
            let made = match exprs.get(at) {
                Expr::False => NONE,
                Expr::True => ALL,
                &Expr::Is(var, value) => self.is(var, value, 0)?,
                &Expr::Next(var, value) => self.is(var, value, 1)?,
                Expr::Not(_) => self.bdds.not(operands[0])?,
                Expr::And(_) => self.all(operands)?,
                Expr::Or(_) => self.any(operands)?,
                &Expr::Fix(system, member) => self.member(exprs, system, member, solving)?,
            };
            known.insert(at, made);
        }
        Ok(known[&root])
    }

    /// The least solution of recursive definitions, from below.
    fn member(
        &mut self,
        exprs: &Exprs,
        system: SystemId,
        member: u32,
        solving: &mut FxHashMap<SystemId, Vec<Id>>,
    ) -> Made {
        if let Some(values) = solving.get(&system) {
            return Ok(values[member as usize]);
        }
        let bodies = exprs.bodies(system).to_vec();
        solving.insert(system, vec![NONE; bodies.len()]);
        loop {
            let mut known = FxHashMap::default();
            let mut values = vec![];
            for &body in &bodies {
                values.push(self.inside(exprs, body, &mut known, solving)?);
            }
            if solving.insert(system, values.clone()) == Some(values) {
                break;
            }
        }
        let values = solving.remove(&system).unwrap_or_default();
        Ok(values[member as usize])
    }

    /// Pairs of pairs: what is joined is small for long.
    fn all(&mut self, mut parts: Vec<Id>) -> Made {
        while parts.len() > 1 {
            let mut joined = vec![];
            for pair in parts.chunks(2) {
                joined.push(if let [a, b] = *pair { self.bdds.and(a, b)? } else { pair[0] });
            }
            parts = joined;
        }
        Ok(parts.first().copied().unwrap_or(ALL))
    }

    fn any(&mut self, parts: Vec<Id>) -> Made {
        let mut none_of = vec![];
        for part in parts {
            none_of.push(self.bdds.not(part)?);
        }
        let none = self.all(none_of)?;
        self.bdds.not(none)
    }

    /// A set of a certificate.
    pub fn read(&mut self, levels: &Levels) -> Made {
        let Levels(levels) = levels;
        if levels.is_empty() {
            return Ok(NONE);
        }
        if levels.len() != self.order.len() {
            return Err(Fault::Malformed("a set has another number of levels than there are variables"));
        }
        let mut below = vec![ALL];
        for (at, nodes) in levels.iter().enumerate().rev() {
            let var = self.order[at];
            let mut here = vec![];
            for edges in nodes {
                let mut set = NONE;
                for &(value, child) in edges {
                    if usize::from(value) >= self.sizes[var.index()] {
                        return Err(Fault::Malformed("a variable has no such value"));
                    }
                    let Some(&child) = below.get(child as usize) else {
                        return Err(Fault::Malformed("an edge leads nowhere"));
                    };
                    let is = self.is(var, value, 0)?;
                    let part = self.bdds.and(is, child)?;
                    set = self.bdds.or(set, part)?;
                }
                here.push(set);
            }
            below = here;
        }
        // The first node of the first level is the root.
        below.first().copied().ok_or(Fault::Malformed("a set has a level without nodes"))
    }
}
