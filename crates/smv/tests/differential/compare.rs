//! One model by both: what `check` shows must be what the explicit evaluator finds.

use crate::evaluate::{Answer, Explicit, Report, mistakes};
use crate::flatten::flatten;
use crate::parse::parse;
use std::collections::BTreeSet;
use winset_model::{State, System, VarId};
use winset_mu::{Trace, Universe, check};
use winset_reference::Random;
use winset_smv::{Code, Limits, Severity, read};
use winset_symbolic::{Encoding, Kind, Options, Partition};

/// What both say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// The model is wrong.
    Refused(BTreeSet<Code>),
    /// It is right, over the reachable states.
    Checked(Report),
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "-- {} states, {} initial, {} deadlocks", self.states, self.initial, self.deadlocks)?;
        self.answers.iter().try_for_each(|answer| writeln!(f, "-- {} in {}", answer.holds, answer.satisfying))
    }
}

/// Compares the two; the seed chooses encodings, orders and the like.
pub fn compare(text: &str, seed: u64) -> Result<Said, String> {
    let flat = flatten(&parse(text));
    let mut expected = mistakes(&flat);
    let explicit = if expected.is_empty() { Some(Explicit::new(&flat)) } else { None };
    if let Some(explicit) = &explicit {
        if !explicit.initial.contains(&true) {
            expected.insert(Code::EmptyInitial);
        }
        if explicit.successors.iter().all(Vec::is_empty) {
            expected.insert(Code::NoSuccessor);
        }
    }
    let model = match read(text, &Limits::default()) {
        Ok(model) => model,
        Err(found) => {
            let errors = found.iter().filter(|d| d.severity == Severity::Error);
            let codes: BTreeSet<Code> = errors.map(|d| d.code).collect();
            if !codes.is_empty() && codes.is_subset(&expected) {
                return Ok(Said::Refused(codes));
            }
            return Err(format!("refused for {found:?}, expected {expected:?}"));
        }
    };
    if model.warnings.iter().any(|warning| expected.contains(&warning.code)) {
        // Too hard to tell for the reader, which says so.
        return Ok(Said::Refused(expected));
    }
    let Some(explicit) = explicit.filter(|_| expected.is_empty()) else {
        return Err(format!("accepted, expected {expected:?}"));
    };
    let shown = model.system.variables.len() - model.system.hidden.len();
    let sizes = model.system.variables[..shown].iter().map(|v| v.size());
    if !sizes.eq(flat.variables.iter().map(|v| v.values.len())) {
        return Err("the variables differ".to_owned());
    }
    let formulas: Vec<_> = model.specs.iter().map(|spec| spec.branching().unwrap()).collect();
    let expected = explicit.report(&explicit.reachable);
    let mut random = Random::new(seed);
    for round in 0..4 {
        let (options, order) = choices(&mut random, round, model.system.variables.len());
        let (universe, states, expected) = if round == 1 {
            (Universe::Within(model.states), &explicit.invariant, explicit.report(&explicit.invariant))
        } else {
            (Universe::Reachable, &explicit.reachable, expected.clone())
        };
        let report = check(&model.system, &formulas, universe, order.clone(), &options);
        let report = report.map_err(|e| e.to_string())?.map_err(|e| e.to_string())?;
        let answers = report.verdicts.iter().map(|v| Answer { holds: v.holds, satisfying: v.satisfying });
        let found = Report {
            states: report.states,
            initial: report.initial,
            deadlocks: report.deadlocks,
            answers: answers.collect(),
        };
        if found != expected {
            return Err(format!(
                "over {universe:?} with {options:?} and order {order:?} found\n{found}expected\n{expected}"
            ));
        }
        let index = |state: &State| position(&model.system, state);
        if let Some(state) = &report.deadlock
            && !(states[index(state)] && explicit.successors[index(state)].is_empty())
        {
            return Err(format!("{state:?} is no deadlock"));
        }
        for (i, verdict) in report.verdicts.iter().enumerate() {
            follows(&explicit, i, verdict.holds, &verdict.trace, &index)?;
        }
    }
    Ok(Said::Checked(expected))
}

/// First the defaults, then anything.
fn choices(random: &mut Random, round: usize, variables: usize) -> (Options, Option<Vec<VarId>>) {
    let memory = 40 << 20;
    if round == 0 {
        return (Options { memory, ..Options::default() }, None);
    }
    let options = Options {
        memory,
        kind: random.pick(&[Kind::Complement, Kind::Plain]),
        encoding: random.pick(&[Encoding::Standard, Encoding::ShortEmpty, Encoding::Binary]),
        partition: random.pick(&[
            Partition::Clustered,
            Partition::PerMove,
            Partition::Monolithic,
            Partition::Conjuncts,
        ]),
        threads: if random.one_in(20) { 2 } else { 1 },
        ..Options::default()
    };
    let mut order: Vec<VarId> = (0..variables as u32).map(VarId).collect();
    random.shuffle(&mut order);
    (options, Some(order))
}

/// The position of a state in the evaluator's list.
fn position(system: &System, state: &State) -> usize {
    // What is hidden comes last.
    let shown = &system.variables[..system.variables.len() - system.hidden.len()];
    let digits = state.0.iter().zip(shown);
    digits.fold(0, |n, (&value, variable)| n * variable.size() + usize::from(value))
}

/// A path shows what it is said to show: it begins at an initial state where the formula holds or fails, and
/// every step is a transition.
fn follows(
    explicit: &Explicit,
    spec: usize,
    holds: bool,
    trace: &Trace,
    index: &dyn Fn(&State) -> usize,
) -> Result<(), String> {
    let mut path = vec![index(&trace.start)];
    path.extend(trace.steps.iter().map(|step| index(&step.state)));
    let right = explicit.initial[path[0]]
        && explicit.specs[spec][path[0]] == holds
        && path.windows(2).all(|pair| explicit.successors[pair[0]].contains(&pair[1]))
        && trace.back_to.is_none_or(|back| path[back] == path[path.len() - 1])
        && trace.steps.iter().all(|step| !step.name.is_empty())
        && path.len() < 100_000;
    if right { Ok(()) } else { Err(format!("the path of specification {spec} is wrong: {trace:?}")) }
}
