//! What was found, as JSON and as people read it.

use super::CheckArgs;
use super::task::Task;
use crate::failure::Failure;
use crate::output::say;
use crate::report::table::grouped;
use serde::Serialize;
use std::collections::BTreeSet;
use winset_diagnostic::Located;
use winset_formula::Property;
use winset_model::{State, VarId};
use winset_mu::{Distance, FixedPoint, Report, Step, Trace, Verdict};

#[derive(Serialize)]
pub struct Answer {
    pub specification: String,
    /// branching, linear, invariant or distance.
    kind: &'static str,
    pub holds: bool,
    /// The states where it holds; of linear time, the initial states where it does.
    satisfying: u128,
    /// The number of steps that was asked for: a number, "infinity" or "undefined".
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<String>,
    /// States of the witness or counterexample, with the moves between them.
    path: Vec<String>,
    /// For each state of the path but the first, what changed on the way to it.
    changes: Vec<Vec<Change>>,
    /// For each of these steps the inputs: which process ran, and the like.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inputs: Vec<Vec<String>>,
    /// The path goes on by returning to its state of this number.
    #[serde(skip_serializing_if = "Option::is_none")]
    back_to: Option<usize>,
    /// Steps of fixed points, and the most nodes in memory after one, garbage included.
    iterations: usize,
    peak: usize,
    seconds: f64,
    fixed_points: Vec<Cost>,
}

/// A variable that changed in a step.
#[derive(Serialize)]
struct Change {
    variable: String,
    from: String,
    to: String,
}

/// What a fixed point cost.
#[derive(Serialize)]
struct Cost {
    variable: String,
    kind: &'static str,
    iterations: usize,
    /// The nodes of the largest set that it went through.
    largest: usize,
    /// The most nodes in memory after a step, garbage included.
    peak: usize,
}

#[derive(Serialize)]
pub struct Answers {
    system: String,
    states: u128,
    initial: u128,
    deadlocks: u128,
    /// Initial states from which no path is fair: they count for nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    initial_without_fair_path: Option<u128>,
    /// The number of relations that the transitions were joined to.
    parts: usize,
    /// States from which a transition leads out of the constraint, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    leaving_constraint: Option<u128>,
    /// The variables that no specification depends on, and that were left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
    /// Where some were: whether the numbers of states are those of the model with them.
    #[serde(skip_serializing_if = "Option::is_none")]
    states_of_whole_model: Option<bool>,
    pub specifications: Vec<Answer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<Located>,
}

pub fn answers(args: &CheckArgs, task: &Task, report: &Report) -> Answers {
    let specifications = task.specs.iter().zip(&report.verdicts).map(|(spec, verdict)| Answer {
        specification: spec.text.clone(),
        kind: match spec.property {
            Property::Branching(_) => "branching",
            Property::Linear(_) => "linear",
            Property::Invariant(_) => "invariant",
            Property::Distance { .. } => "distance",
        },
        holds: verdict.holds,
        satisfying: verdict.satisfying,
        distance: distance(verdict),
        // Without an initial state no path begins.
        path: if report.initial == 0 { vec![] } else { path(&verdict.trace, &*task.print) },
        changes: changes(&verdict.trace, task),
        inputs: inputs(&verdict.trace, task),
        back_to: verdict.trace.back_to,
        iterations: verdict.work.iterations,
        peak: verdict.work.peak,
        seconds: verdict.seconds,
        fixed_points: verdict.fixed_points.iter().map(cost).collect(),
    });
    let constrained = args.constraint.is_some() || args.limit_pieces.is_some();
    Answers {
        system: task.title.clone(),
        states: report.states,
        initial: report.initial,
        deadlocks: report.deadlocks,
        initial_without_fair_path: task.fairness.as_ref().map(|_| report.unfair),
        parts: report.parts,
        leaving_constraint: constrained.then_some(report.leaving),
        left_out: task.left_out.clone(),
        states_of_whole_model: (!task.left_out.is_empty()).then_some(task.whole.is_some() && report.of_whole),
        specifications: specifications.collect(),
        warnings: task.warnings.clone(),
    }
}

fn distance(verdict: &Verdict) -> Option<String> {
    verdict.distance.map(|distance| match distance {
        Distance::Steps(steps) => steps.to_string(),
        Distance::Infinite => "infinity".to_owned(),
        Distance::Undefined => "undefined".to_owned(),
    })
}

fn cost(fixed_point: &FixedPoint) -> Cost {
    let FixedPoint { variable, least, iterations, largest, peak } = fixed_point.clone();
    Cost { variable, kind: if least { "least" } else { "greatest" }, iterations, largest, peak }
}

fn path(trace: &Trace, print: &dyn Fn(&State) -> String) -> Vec<String> {
    let start = std::iter::once(print(&trace.start));
    start.chain(trace.steps.iter().map(|step| format!("{} -> {}", step.name, print(&step.state)))).collect()
}

/// What each step changed.
fn changes(trace: &Trace, task: &Task) -> Vec<Vec<Change>> {
    let after = trace.steps.iter().map(|step| &step.state);
    let before = std::iter::once(&trace.start).chain(after.clone());
    let between = |(before, after): (&State, &State)| {
        let values = task.shown.values(before).zip(task.shown.values(after));
        let changed = values.filter(|((_, from), (_, to))| from != to);
        let one = |((variable, from), (_, to)): ((&str, String), (&str, String))| Change {
            variable: variable.to_owned(),
            from,
            to,
        };
        changed.map(one).collect()
    };
    before.zip(after).map(between).collect()
}

/// What each step recorded, or the name of its relation where that says more than that it is a step.
fn inputs(trace: &Trace, task: &Task) -> Vec<Vec<String>> {
    if task.fairness.is_none() || (task.system.hidden.is_empty() && task.system.relations.len() == 1) {
        return vec![];
    }
    let without: BTreeSet<VarId> = task.without.iter().copied().collect();
    let recorded = |state: &State| {
        let hidden = task.system.hidden.iter().map(|hidden| (&task.system.variables[hidden.index()], hidden));
        // What a specification says of a step has a bit of its own, which follows from the step.
        let hidden = hidden.filter(|(v, id)| !v.name.starts_with("before: ") && !without.contains(id));
        hidden.map(|(v, &hidden)| format!("{}={}", v.name, v.values[usize::from(state[hidden])])).collect()
    };
    let one = |step: &Step| {
        let mut all: Vec<String> = recorded(&step.state);
        if step.name != "step" {
            all.insert(0, step.name.clone());
        }
        all
    };
    trace.steps.iter().map(one).collect()
}

/// Changes as people read them, in a line below the state.
fn changed(changes: &[Change]) -> String {
    let word = |text: &str| if text.is_empty() { "nothing".to_owned() } else { text.to_owned() };
    let one = |change: &Change| match change.variable.is_empty() {
        true => format!("{} became {}", word(&change.from), word(&change.to)),
        false => format!("{}: {} became {}", change.variable, word(&change.from), word(&change.to)),
    };
    match changes {
        [] => "nothing changed".to_owned(),
        some => some.iter().map(one).collect::<Vec<_>>().join(", "),
    }
}

/// The most variables left out that are named; `--json` has all of them.
const NAMED: usize = 8;
/// Long paths are shown up to here; `--json` has all of them.
const SHOWN: usize = 30;

pub fn show(args: &CheckArgs, answers: &Answers, report: &Report, task: &Task) -> Result<(), Failure> {
    let states = match report.states {
        u128::MAX => format!("about {:.5e}", report.states_about),
        states => grouped(states),
    };
    say!("{}: {states} states, {} initial\n", answers.system, grouped(answers.initial))?;
    if !answers.left_out.is_empty() {
        let (count, names) = (answers.left_out.len(), answers.left_out.iter().take(NAMED));
        let names = names.map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = if count > NAMED { ", ..." } else { "" };
        let (what, end) = match answers.states_of_whole_model {
            Some(true) => ("verdicts and paths are without", ""),
            _ if args.cone => ("without", ""),
            _ => ("without", "; --whole counts their states too"),
        };
        let variables = if count == 1 { "1 variable".to_owned() } else { format!("{count} variables") };
        say!("{what} {variables} that no specification depends on: {names}{more}{end}\n")?;
    }
    if let Some(state) = &report.deadlock {
        let text = (task.print)(state);
        say!("{} states have no successor, for example {text}\n", grouped(answers.deadlocks))?;
        if task.fairness.is_some() {
            say!("the transition relation is not total; only infinite paths count\n")?;
        }
    }
    if report.leaving > 0 {
        say!(
            "from {} of them transitions lead out of the constraint; they were left out\n",
            grouped(report.leaving)
        )?;
    }
    if report.initial == 0 {
        say!("there is no initial state, so that every specification holds and nothing is shown\n")?;
    } else if report.unfair == report.initial {
        say!("no fair path begins in an initial state, so that formulas over paths say nothing\n")?;
    } else if report.unfair > 0 {
        say!("{} initial states have no fair path and do not count\n", grouped(report.unfair))?;
    }
    for answer in &answers.specifications {
        match &answer.distance {
            Some(distance) => say!("\n{distance:<5}  {}\n", answer.specification)?,
            None => {
                let holds = if answer.holds { "true " } else { "false" };
                say!("\n{holds}  {}\n", answer.specification)?;
            }
        }
        match answer.kind {
            "branching" | "invariant" => say!("       holds in {} states\n", grouped(answer.satisfying))?,
            _ => {}
        }
        if args.stats {
            show_cost(answer)?;
        }
        show_path(answer, task)?;
    }
    Ok(())
}

fn show_cost(answer: &Answer) -> Result<(), Failure> {
    for Cost { variable, kind, iterations, largest, peak } in &answer.fixed_points {
        if *iterations > 0 {
            say!(
                "       {variable}: {kind} fixed point, {iterations} iterations, largest set {} nodes, peak {} nodes\n",
                grouped(*largest as u64),
                grouped(*peak as u64)
            )?;
        }
    }
    let (peak, seconds) = (grouped(answer.peak as u64), answer.seconds);
    say!("       {} iterations, peak {peak} nodes, {seconds:.2} s\n", answer.iterations)?;
    Ok(())
}

fn show_path(answer: &Answer, task: &Task) -> Result<(), Failure> {
    if answer.path.len() <= 1 && (answer.holds || task.fairness.is_none()) {
        return Ok(());
    }
    say!("       {}:\n", if answer.holds { "a witness" } else { "a counterexample" })?;
    let is_game = task.fairness.is_none();
    for (number, line) in answer.path.iter().enumerate().take(SHOWN) {
        let step = number.checked_sub(1);
        let changes = step.map(|step| changed(&answer.changes[step]));
        let inputs = step.and_then(|step| answer.inputs.get(step)).map(|inputs| inputs.join(", "));
        let by =
            inputs.filter(|inputs| !inputs.is_empty()).map_or(String::new(), |by| format!("  [by {by}]"));
        let begins = answer.back_to == Some(number) && number + 1 < answer.path.len();
        let mark = if begins { "the loop begins here\n         " } else { "" };
        match changes {
            // The states of a game are boards, which people want to see.
            Some(changes) if is_game => say!("         {mark}{line}\n           {changes}\n")?,
            // Those of a model have many variables; what they had before is known.
            Some(changes) => say!("         {mark}{number}: {changes}{by}\n")?,
            None if is_game => say!("         {mark}{line}\n")?,
            None => say!("         {mark}0: {line}\n")?,
        }
    }
    if answer.path.len() > SHOWN {
        say!("         ... and {} more steps\n", answer.path.len() - SHOWN)?;
    }
    if let Some(number) = answer.back_to {
        say!("         and on for ever from state {number}\n")?;
    }
    Ok(())
}
