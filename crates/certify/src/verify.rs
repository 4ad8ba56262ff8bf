//! The check of a whole certificate.

use crate::bdd::{Id, NONE};
use crate::certificate::{Certificate, Entry, Evidence, Proof, VERSION};
use crate::claim::{Claim, Claims};
use crate::compile::Space;
use crate::error::{CertifyError, Fault};
use crate::fixed_points::Inside;
use crate::steps::Steps;
use rustc_hash::FxHashMap;
use winset_formula::{
    Core, Fairness, Formula, FormulaError, Lasso, Linear, Pairs, Property, Tableau, states_where,
};
use winset_model::{ExprId, State, System, VarId, Variable};

/// What has to be proved about a specification, as sets of states.
enum Goal {
    /// The formula, or its negation if it is said not to hold.
    Branching(Core),
    /// The set, which has every state that can be reached.
    Invariant(ExprId),
    /// The tableau of the negation, and the states of the product without a fair path.
    Linear(Tableau, Core),
    /// Something else does.
    Nothing,
}

/// Checks a certificate against a model within n bytes of memory, and says what is proved by it.
pub fn verify(
    claims: &Claims<'_>,
    certificate: &Certificate,
    memory: u64,
) -> Result<Vec<Claim>, CertifyError> {
    if certificate.winset_certificate != VERSION {
        return Err(CertifyError::Version(certificate.winset_certificate));
    }
    let entries = &certificate.specifications;
    if entries.len() != claims.specifications.len() {
        let (theirs, ours) = (entries.len(), claims.specifications.len());
        return Err(CertifyError::Other(format!("it has {theirs} specifications and the model {ours}")));
    }
    for (entry, (text, _)) in entries.iter().zip(claims.specifications) {
        if entry.specification != *text {
            let said = &entry.specification;
            return Err(CertifyError::Other(format!("it is about {said}, and the model about {text}")));
        }
    }
    let mut system = System { sets: vec![], ..claims.system.clone() };
    let own = system.variables.len() as u32;
    let none = Fairness::default();
    let fairness = claims.fairness.unwrap_or(&none);
    let mut goals = vec![];
    for (entry, (_, property)) in entries.iter().zip(claims.specifications) {
        goals.push(goal(property, entry, fairness, claims.fairness.is_some(), &mut system)?);
    }
    let fair = [fairness.unfair_core(&mut system.exprs)?, fairness.core(&mut system.exprs)?];
    let tableaux =
        goals.iter().map(|goal| if let Goal::Linear(tableau, _) = goal { tableau.variables() } else { 0 });
    let values = ["no", "yes"].map(str::to_owned).to_vec();
    for number in 0..certificate_tableaux(certificate, own, tableaux.max().unwrap_or(0)) {
        let name = format!("promise {number}");
        system.variables.push(Variable { name, values: values.clone() });
    }
    let order: Vec<VarId> = certificate.order.iter().map(|&var| VarId(var)).collect();
    let mut sorted = certificate.order.clone();
    sorted.sort_unstable();
    if !sorted.into_iter().eq(0..system.variables.len() as u32) {
        return Err(CertifyError::Other("its variables are not those of the model".to_owned()));
    }
    let begin = |fault: Fault| fault.of("the model");
    let mut space = Space::new(&system.variables, &order, memory).map_err(begin)?;
    let mut steps =
        Steps::new(&mut space, claims.system, &system.exprs, claims.constraint, None).map_err(begin)?;
    let mut initial = initial(&mut space, &steps, &system).map_err(begin)?;
    // All paths count where none is said to.
    let mut given = [NONE, steps.states];
    if let (Some(_), Some(proofs)) = (claims.fairness, &certificate.fair) {
        given = [NONE, NONE];
        for which in [0, 1] {
            let [without, with] = &mut given;
            let others = vec![&mut initial, without, with];
            let exprs = &system.exprs;
            let proof = &proofs[which];
            let found = Inside::of(&mut space, &mut steps, exprs, others, &fair[which], proof, [NONE; 2]);
            given[which] = found.map_err(|fault| fault.of("which paths are fair"))?;
        }
    } else if claims.fairness.is_some() {
        given = [NONE, NONE];
    }
    let mut proved = vec![];
    for ((entry, goal), (text, property)) in entries.iter().zip(&goals).zip(claims.specifications) {
        let mut check = Check { claims, system: &system, space: &mut space, steps: &mut steps };
        let holds = check.entry(entry, goal, property, &mut initial, &mut given, fairness);
        let holds = holds.map_err(|fault| fault.of(text))?;
        proved.push(Claim { specification: text.clone(), holds });
    }
    Ok(proved)
}

/// The variables of tableaux that the certificate's sets have: those of formulas that do not hold need none here, but the
/// engine had them.
fn certificate_tableaux(certificate: &Certificate, own: u32, needed: usize) -> usize {
    certificate.order.len().saturating_sub(own as usize).clamp(needed, needed.max(1000))
}

/// What is to be proved.
fn goal(
    property: &Property,
    entry: &Entry,
    fairness: &Fairness,
    infinite: bool,
    system: &mut System,
) -> Result<Goal, FormulaError> {
    let (exprs, first) = (&mut system.exprs, VarId(system.variables.len() as u32));
    Ok(match property {
        Property::Branching(formula) => {
            let formula = match entry.holds {
                true => formula.clone(),
                false => Formula::Not(Box::new(formula.clone())),
            };
            let over_all = !infinite || formula.has_fixed_points();
            let core = if over_all { formula.core(exprs)? } else { formula.fair_core(exprs, fairness)? };
            Goal::Branching(core)
        }
        Property::Invariant(set) if entry.holds => Goal::Invariant(*set),
        Property::Linear(formula) if entry.holds => {
            let tableau = Linear::Not(Box::new(formula.clone())).tableau(exprs, first)?;
            let justice = [&fairness.justice[..], &tableau.justice[..]].concat();
            let fairness = Fairness { justice, compassion: fairness.compassion.clone() };
            let without = fairness.unfair_core(exprs)?;
            Goal::Linear(tableau, without)
        }
        _ => Goal::Nothing,
    })
}

fn initial(space: &mut Space, steps: &Steps, system: &System) -> Result<Id, Fault> {
    let initial = space.compile(&system.exprs, system.initial, &mut FxHashMap::default())?;
    space.bdds.and(initial, steps.states)
}

struct Check<'c> {
    claims: &'c Claims<'c>,
    /// With the variables of the tableaux, and the expressions of all formulas.
    system: &'c System,
    space: &'c mut Space,
    steps: &'c mut Steps,
}

impl Check<'_> {
    /// What is proved about a specification.
    fn entry(
        &mut self,
        entry: &Entry,
        goal: &Goal,
        property: &Property,
        initial: &mut Id,
        given: &mut [Id; 2],
        fairness: &Fairness,
    ) -> Result<Option<bool>, Fault> {
        match (&entry.evidence, goal) {
            (Evidence::None, _) => Ok(None),
            (Evidence::Path { states, back_to }, Goal::Nothing) => {
                self.path(states, *back_to, property, fairness)?;
                Ok(Some(false))
            }
            (Evidence::Sets(proof), Goal::Branching(core)) => {
                let inside = self.inside(core, proof, initial, given)?;
                // What counts: all initial states but those without a fair path, or one that has one.
                let [without, with] = *given;
                let proved = if entry.holds {
                    let counting = self.space.bdds.minus(*initial, without)?;
                    self.space.bdds.is_inside(counting, inside)?
                } else {
                    let counting = self.space.bdds.and(*initial, with)?;
                    self.space.bdds.and(counting, inside)? != NONE
                };
                let otherwise = match entry.holds {
                    true => "an initial state is not among those where it is proved to hold",
                    false => "no initial state is among those where it is proved to be false",
                };
                if proved { Ok(Some(entry.holds)) } else { Err(Fault::Wrong(otherwise)) }
            }
            (Evidence::Sets(Proof(fixes)), Goal::Invariant(set)) => {
                let [crate::certificate::Fix::Greatest(inductive)] = fixes.as_slice() else {
                    return Err(Fault::Malformed("an invariant is proved by one set"));
                };
                let inductive = self.space.read(inductive)?;
                let set = self.space.compile(&self.system.exprs, *set, &mut FxHashMap::default())?;
                if !self.space.bdds.is_inside(*initial, inductive)? {
                    return Err(Fault::Wrong("the inductive set has not all initial states"));
                }
                if !self.space.bdds.is_inside(inductive, set)? {
                    return Err(Fault::Wrong("the inductive set has a state that breaks the invariant"));
                }
                let keeping = self.steps.only_before(self.space, inductive)?;
                if !self.space.bdds.is_inside(inductive, keeping)? {
                    return Err(Fault::Wrong("a step leads out of the inductive set"));
                }
                Ok(Some(true))
            }
            (Evidence::Sets(proof), Goal::Linear(tableau, core)) => {
                self.linear(tableau, core, proof, initial, given)?;
                Ok(Some(true))
            }
            _ => Err(Fault::Malformed("what it gives is not what proves such a verdict")),
        }
    }

    fn inside(
        &mut self,
        core: &Core,
        proof: &Proof,
        initial: &mut Id,
        given: &mut [Id; 2],
    ) -> Result<Id, Fault> {
        let sets = *given;
        let [without, with] = given;
        let others = vec![initial, without, with];
        Inside::of(self.space, self.steps, &self.system.exprs, others, core, proof, sets)
    }

    /// No fair path of the model together with the tableau begins where the formula is false.
    fn linear(
        &mut self,
        tableau: &Tableau,
        core: &Core,
        proof: &Proof,
        initial: &mut Id,
        given: &mut [Id; 2],
    ) -> Result<(), Fault> {
        let exprs = &self.system.exprs;
        let known = &mut FxHashMap::default();
        let constraint = self.claims.constraint;
        let mut product = Steps::new(self.space, self.claims.system, exprs, constraint, Some(tableau))?;
        let mut begin = self.space.compile(exprs, tableau.holds, known)?;
        begin = self.space.bdds.and(begin, *initial)?;
        for &(var, _) in &tableau.memories {
            let level = self.space.levels(&[var])[0];
            let remembers = self.space.bdds.bit(level)?;
            begin = self.space.bdds.minus(begin, remembers)?;
        }
        let [without, with] = given;
        let mut others = vec![&mut begin, initial, without, with];
        // The model's own steps are needed again afterwards.
        others.extend(self.steps.roots());
        let unfair = Inside::of(self.space, &mut product, exprs, others, core, proof, [NONE; 2])?;
        match self.space.bdds.is_inside(begin, unfair)? {
            true => Ok(()),
            false => Err(Fault::Wrong("a path that makes it false is not shown to be unfair")),
        }
    }

    /// A path of the model on which the specification is false.
    fn path(
        &self,
        states: &[Vec<u16>],
        back_to: Option<usize>,
        property: &Property,
        fairness: &Fairness,
    ) -> Result<(), Fault> {
        let system = self.claims.system;
        let fits = |values: &Vec<u16>| {
            values.len() == system.variables.len()
                && values.iter().zip(&system.variables).all(|(&value, v)| usize::from(value) < v.size())
        };
        if system.relations.iter().any(|relation| !relation.unless.is_empty()) {
            return Err(Fault::Malformed("of such a model a path is no proof"));
        }
        if states.is_empty() || !states.iter().all(fits) || back_to.is_some_and(|back| back >= states.len()) {
            return Err(Fault::Malformed("its path does not consist of states of the model"));
        }
        let mut path: Vec<State> = states.iter().map(|values| State(values.clone().into())).collect();
        let mut truth = |set: ExprId| states_where(system, &self.system.exprs, set, &path);
        if !truth(system.initial)[0] {
            return Err(Fault::Wrong("its path does not begin in an initial state"));
        }
        if truth(self.claims.constraint).contains(&false) {
            return Err(Fault::Wrong("its path has a state that the constraint excludes"));
        }
        let shows = match (property, back_to) {
            (Property::Invariant(set), _) => truth(*set).last() == Some(&false),
            (Property::Linear(formula), Some(back_to)) => {
                let lasso = Lasso { length: states.len(), back_to };
                !lasso.satisfies(formula, &mut truth) && lasso.is_fair(fairness, &mut truth)
            }
            _ => false,
        };
        if !shows {
            return Err(Fault::Wrong("its path does not show that it is false"));
        }
        if let Some(back) = back_to {
            path.push(path[back].clone());
        }
        match path.len() == 1 || Pairs::new(system).follow(system, &path) {
            true => Ok(()),
            false => Err(Fault::Wrong("its path has a step that the model does not allow")),
        }
    }
}
