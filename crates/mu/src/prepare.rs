//! Properties made ready before anything is compiled: formulas in core form, tableaux with the variables they need.

use crate::check::Paths;
use crate::linear::Prepared;
use winset_formula::{Core, Fairness, Formula, FormulaError, Linear, Property};
use winset_model::{Expr, ExprId, Exprs, System, VarId, Variable};

/// Everything that is compiled.
pub(crate) struct Preparation {
    /// The system, with variables for the tableau that needs most, which all of them share.
    pub system: System,
    pub ready: Vec<Ready>,
    /// The states without a fair path and those with one, where not every path counts.
    pub fair: Option<[Core; 2]>,
    /// Hidden variables that are written and never read, but by fairness.
    pub unread: Vec<VarId>,
}

/// A formula and its negation, over all paths and over fair ones, as far as they can be needed.
pub(crate) struct Cores {
    pub plain: Option<Box<(Core, Core)>>,
    pub fair: Option<Box<(Core, Core)>>,
}

impl Cores {
    fn new(formula: &Formula, exprs: &mut Exprs, paths: Paths<'_>) -> Result<Self, FormulaError> {
        let negation = Formula::Not(Box::new(formula.clone()));
        let fairness = if let Paths::Fair(fairness) = paths { Some(fairness) } else { None };
        let plain = match fairness {
            Some(fairness) if !fairness.is_empty() && !formula.has_fixed_points() => None,
            _ => Some(Box::new((formula.core(exprs)?, negation.core(exprs)?))),
        };
        let fair = match fairness {
            Some(fairness) if !formula.has_fixed_points() => {
                Some(Box::new((formula.fair_core(exprs, fairness)?, negation.fair_core(exprs, fairness)?)))
            }
            _ => None,
        };
        Ok(Cores { plain, fair })
    }

    /// Those that are meant: over fair paths, if not every path is.
    pub fn used(&self, over_fair_paths: bool) -> Option<&(Core, Core)> {
        if over_fair_paths { self.fair.as_deref() } else { self.plain.as_deref() }
    }
}

/// A property, ready to be checked.
pub(crate) enum Ready {
    Branching(Cores),
    Linear(Box<Prepared>),
    Invariant(ExprId),
    Distance { longest: bool, from: ExprId, to: ExprId },
}

pub(crate) fn prepare(
    system: &System,
    properties: &[Property],
    paths: Paths<'_>,
    constraint: ExprId,
) -> Result<Preparation, FormulaError> {
    // Named sets are for reading formulas; here they would only be compiled.
    let mut system = System { sets: vec![], ..system.clone() };
    let (none, first) = (Fairness::default(), VarId(system.variables.len() as u32));
    let fairness = if let Paths::Fair(fairness) = paths { fairness } else { &none };
    let exprs = &mut system.exprs;
    let (mut ready, mut most) = (vec![], 0);
    for property in properties {
        ready.push(match property {
            Property::Branching(formula) => Ready::Branching(Cores::new(formula, exprs, paths)?),
            Property::Linear(formula) => {
                let tableau = Linear::Not(Box::new(formula.clone())).tableau(exprs, first)?;
                most = most.max(tableau.variables());
                let justice = [&fairness.justice[..], &tableau.justice[..]].concat();
                let fairness = Fairness { justice, compassion: fairness.compassion.clone() };
                let (fair, unfair) = (fairness.core(exprs)?, fairness.unfair_core(exprs)?);
                let branching = match (formula.branching(exprs), paths) {
                    (Some(same), Paths::Fair(_)) => Some(Cores::new(&same, exprs, paths)?),
                    _ => None,
                };
                Ready::Linear(Box::new(Prepared { tableau, fairness, fair, unfair, branching }))
            }
            Property::Invariant(set) => Ready::Invariant(*set),
            &Property::Distance { longest, from, to } => Ready::Distance { longest, from, to },
        });
    }
    let fair = match paths {
        Paths::Fair(fairness) => Some([fairness.unfair_core(exprs)?, fairness.core(exprs)?]),
        Paths::Maximal => None,
    };
    let unread = unread(&system, properties, fairness, constraint);
    let values = ["no", "yes"].map(str::to_owned).to_vec();
    for i in 0..most {
        system.hidden.push(VarId(system.variables.len() as u32));
        system.variables.push(Variable { name: format!("promise {i}"), values: values.clone() });
    }
    Ok(Preparation { system, ready, fair, unread })
}

/// What is recorded of steps for people to read, or for fairness alone. What a state can do does not depend on it: of which
/// records a fair path comes by again and again is decided by the steps to come, and these write them anew. So it does not
/// matter whether the states that count have records that no step has led to.
pub(crate) fn unread(
    system: &System,
    properties: &[Property],
    fairness: &Fairness,
    constraint: ExprId,
) -> Vec<VarId> {
    if system.hidden.is_empty() {
        return vec![];
    }
    let relations = system.relations.iter().map(|relation| relation.formula);
    let asked = properties.iter().flat_map(Property::sets);
    let read = reads(system, relations.chain(system.stops.iter().copied()).chain(asked).chain([constraint]));
    let fair = reads(system, fairness.sets());
    // What a step may leave as it was is no record of it.
    let written = |var: &VarId| system.relations.iter().all(|relation| relation.writes.contains(var));
    let unread = |var: &VarId| !read[var.index()] && (!fair[var.index()] || written(var));
    system.hidden.iter().copied().filter(unread).collect()
}

/// Which variables' values before the step are looked at.
fn reads(system: &System, roots: impl IntoIterator<Item = ExprId>) -> Vec<bool> {
    let mut read = vec![false; system.variables.len()];
    for id in system.exprs.cone(roots) {
        if let Expr::Is(var, _) = system.exprs.get(id) {
            read[var.index()] = true;
        }
    }
    read
}
