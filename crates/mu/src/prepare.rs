//! Properties made ready before anything is compiled: formulas in core form, tableaux with the variables they need.

use crate::check::Paths;
use crate::linear::Prepared;
use winset_formula::{Core, Fairness, Formula, FormulaError, Linear, Property};
use winset_model::{ExprId, System, VarId, Variable};

/// Everything that is compiled.
pub(crate) struct Preparation {
    /// The system, with variables for the tableau that needs most, which all of them share.
    pub system: System,
    pub ready: Vec<Ready>,
    /// The states without a fair path and those with one, where not every path counts.
    pub fair: Option<[Core; 2]>,
}

/// A property, ready to be checked.
pub(crate) enum Ready {
    /// The formula and its negation, over all paths and over fair ones, as far as they can be needed.
    Branching {
        plain: Option<Box<(Core, Core)>>,
        fair: Option<Box<(Core, Core)>>,
    },
    Linear(Box<Prepared>),
    Invariant(ExprId),
    Distance {
        longest: bool,
        from: ExprId,
        to: ExprId,
    },
}

pub(crate) fn prepare(
    system: &System,
    properties: &[Property],
    paths: Paths<'_>,
) -> Result<Preparation, FormulaError> {
    // Named sets are for reading formulas; here they would only be compiled.
    let mut system = System { sets: vec![], ..system.clone() };
    let (none, first) = (Fairness::default(), VarId(system.variables.len() as u32));
    let fairness = if let Paths::Fair(fairness) = paths { fairness } else { &none };
    let exprs = &mut system.exprs;
    let (mut ready, mut most) = (vec![], 0);
    for property in properties {
        ready.push(match property {
            Property::Branching(formula) => {
                let negation = Formula::Not(Box::new(formula.clone()));
                let plain = if fairness.is_empty() || formula.has_fixed_points() {
                    Some(Box::new((formula.core(exprs)?, negation.core(exprs)?)))
                } else {
                    None
                };
                let fair = if matches!(paths, Paths::Fair(_)) && !formula.has_fixed_points() {
                    Some(Box::new((
                        formula.fair_core(exprs, fairness)?,
                        negation.fair_core(exprs, fairness)?,
                    )))
                } else {
                    None
                };
                Ready::Branching { plain, fair }
            }
            Property::Linear(formula) => {
                let tableau = Linear::Not(Box::new(formula.clone())).tableau(exprs, first)?;
                most = most.max(tableau.variables());
                let justice = [&fairness.justice[..], &tableau.justice[..]].concat();
                let fairness = Fairness { justice, compassion: fairness.compassion.clone() };
                let (fair, unfair) = (fairness.core(exprs)?, fairness.unfair_core(exprs)?);
                Ready::Linear(Box::new(Prepared { tableau, fairness, fair, unfair }))
            }
            Property::Invariant(set) => Ready::Invariant(*set),
            &Property::Distance { longest, from, to } => Ready::Distance { longest, from, to },
        });
    }
    let fair = match paths {
        Paths::Fair(fairness) => Some([fairness.unfair_core(exprs)?, fairness.core(exprs)?]),
        Paths::Maximal => None,
    };
    let values = ["no", "yes"].map(str::to_owned).to_vec();
    for i in 0..most {
        system.hidden.push(VarId(system.variables.len() as u32));
        system.variables.push(Variable { name: format!("promise {i}"), values: values.clone() });
    }
    Ok(Preparation { system, ready, fair })
}
