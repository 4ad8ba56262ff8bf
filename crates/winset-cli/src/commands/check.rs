//! `winset check`: do formulas hold in an SMV model or a game?

use crate::args::CheckArgs;
use crate::engines::failure;
use crate::failure::Failure;
use crate::memory;
use crate::output::{self, say};
use crate::report::table::grouped;
use crate::source::{self, Checkable, Loaded};
use crate::target;
use serde::Serialize;
use winset::excerpt::{Finding, Warning, render};
use winset_explore::strategy::{Keeps, Table};
use winset_formula::{Formula, FormulaError};
use winset_model::{Explicit, State, System, VarId};
use winset_mu::{Choice, Promise, Report, Trace, Universe};
use winset_smv::{Model, Spec};
use winset_symbolic::Options;

/// A system with formulas and the way its states are written.
struct Task {
    title: String,
    system: System,
    specs: Vec<(String, Formula)>,
    universe: Universe,
    order: Option<Vec<VarId>>,
    print: Box<dyn Fn(&State) -> String>,
    warnings: Vec<Warning>,
}

#[derive(Serialize)]
struct Answer {
    specification: String,
    holds: bool,
    satisfying: u128,
    /// States of the witness or counterexample, with the moves between them.
    path: Vec<String>,
    /// The path goes on by returning to its state of this number.
    #[serde(skip_serializing_if = "Option::is_none")]
    back_to: Option<usize>,
}

#[derive(Serialize)]
struct Answers {
    system: String,
    states: u128,
    initial: u128,
    deadlocks: u128,
    specifications: Vec<Answer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<Warning>,
}

/// Checks every specification and says where it holds.
pub fn run(args: &CheckArgs) -> Result<(), Failure> {
    let file = args.strategy.as_deref().map(|path| target::file("--strategy", path)).transpose()?;
    let source = source::checkable(&args.game)?;
    let memory = memory::left();
    let options = Options { memory, threads: args.game.threads.unwrap_or(1), ..Options::default() };
    let task = match &source {
        Checkable::Game(loaded) => game(args, loaded, &options)?,
        Checkable::Model(model, warnings) => smv(args, model, warnings)?,
    };
    if task.specs.is_empty() {
        return Err(Failure::wrong_use("there is no specification to check: give one with --formula"));
    }
    let (report, strategy) = match &file {
        Some(_) => with_strategy(args, &source, &task, &options)?,
        None => {
            let checked =
                winset_mu::check(&task.system, &formulas(&task), task.universe, task.order.clone(), &options);
            (checked.map_err(failure)?.map_err(|error| formula_failure(&args.formula, &error))?, vec![])
        }
    };
    let answers = answers(&task, &report);
    if args.json {
        output::json(&answers)?;
    } else {
        show(&answers, &report, &task)?;
    }
    if let Some(file) = file {
        file.write(&strategy)?;
    }
    Ok(())
}

fn formulas(task: &Task) -> Vec<Formula> {
    task.specs.iter().map(|(_, formula)| formula.clone()).collect()
}

/// Checks the one formula that was given and writes its strategy.
fn with_strategy(
    args: &CheckArgs,
    source: &Checkable,
    task: &Task,
    options: &Options,
) -> Result<(Report, Vec<u8>), Failure> {
    let [text] = args.formula.as_slice() else {
        return Err(Failure::wrong_use("a strategy is of one formula: give one --formula"));
    };
    let Checkable::Game(loaded) = source else {
        return Err(Failure::wrong_use("a strategy is of a game, and this is an SMV model"));
    };
    let game = &loaded.rules.game;
    let mut explicit = Explicit::new(game);
    let (mut table, mut kept_otherwise) = (Table::default(), 0u64);
    let mut spell = |promise: &Promise<'_>| {
        let keeps = match promise.choice(&explicit.successors(promise.state)) {
            // The promise is still open, and no single move comes nearer to it.
            Choice::Over if promise.least && promise.rounds > 0 => {
                kept_otherwise += 1;
                Keeps::Over
            }
            Choice::Over => Keeps::Over,
            Choice::Any => Keeps::Any,
            Choice::Move(id) => Keeps::Move(id),
        };
        let rounds = promise.least.then_some(promise.rounds as u32);
        table.push(game, promise.state, keeps, rounds);
    };
    let (formulas, order) = (formulas(task), task.order.clone());
    let checked =
        winset_mu::check_and_spell_out(&task.system, &formulas, task.universe, order, options, &mut spell);
    let report = checked.map_err(failure)?.map_err(|error| formula_failure(&args.formula, &error))?;
    if !report.verdicts.iter().all(|verdict| verdict.spelled_out) {
        return Err(Failure::wrong_use(
            "the formula is not a fixed point (mu X. ... or nu X. ...), so that there is no strategy to write",
        ));
    }
    if kept_otherwise > 0 {
        return Err(Failure::wrong_use(format!(
            "in {} states no single move comes nearer to what the formula promises, so that a table of moves cannot \
             keep it: X must stand under one EX or AX, as in mu X. goal | EX X",
            grouped(kept_otherwise)
        )));
    }
    let mut bytes = vec![];
    table.write(&mut bytes, game, loaded.rules.record.clone(), text)?;
    Ok((report, bytes))
}

/// An SMV model with the specifications of the file, and those of the command line.
fn smv(args: &CheckArgs, model: &Model, warnings: &[Warning]) -> Result<Task, Failure> {
    let mut system = model.system.clone();
    let named = |spec: &Spec| spec.name.clone().unwrap_or_else(|| spec.text.clone());
    let mut specs: Vec<(String, Formula)> =
        model.specs.iter().map(|spec| (named(spec), spec.formula.clone())).collect();
    specs.extend(parse(&args.formula, &mut system)?);
    let universe = if args.all_states { Universe::Within(model.states) } else { Universe::Reachable };
    let variables = system.variables.clone();
    let print = move |state: &State| {
        let each =
            variables.iter().zip(&state.0).map(|(v, &x)| format!("{}={}", v.name, v.values[x as usize]));
        each.collect::<Vec<_>>().join(" ")
    };
    let (title, warnings) = (args.game.game.clone(), warnings.to_vec());
    Ok(Task { title, system, specs, universe, order: None, print: Box::new(print), warnings })
}

/// A game with its turns, terminal condition and rewards as named sets.
fn game(args: &CheckArgs, loaded: &Loaded, options: &Options) -> Result<Task, Failure> {
    let (game, warnings) = (loaded.rules.game.clone(), loaded.warnings.clone());
    let mut system = game.system();
    let specs = parse(&args.formula, &mut system)?;
    let universe = if args.all_states { Universe::All } else { Universe::Reachable };
    let order = winset_symbolic::order(&game, &options.order, options.turn).map_err(failure)?;
    let title = game.title();
    let print = move |state: &State| game.print(state);
    Ok(Task { title, system, specs, universe, order: Some(order), print: Box::new(print), warnings })
}

fn parse(texts: &[String], system: &mut System) -> Result<Vec<(String, Formula)>, Failure> {
    let mut all = vec![];
    for text in texts {
        let formula = winset_formula::parse(text, system);
        let formula = formula.map_err(|error| formula_failure(std::slice::from_ref(text), &error))?;
        all.push((text.clone(), formula));
    }
    Ok(all)
}

/// Shows the formula with the place, where it is one of the command line.
fn formula_failure(texts: &[String], error: &FormulaError) -> Failure {
    let (message, span) = (error.to_string(), error.span());
    match texts {
        [text] => {
            let span = span.start..span.end;
            let finding = Finding { severity: "error", code: "formula", message: &message, help: None, span };
            Failure::wrong_use(format!(
                "the formula is refused\n{}",
                render("--formula", text.as_bytes(), &finding)
            ))
        }
        _ => Failure::wrong_use(message),
    }
}

fn answers(task: &Task, report: &Report) -> Answers {
    let specifications = task.specs.iter().zip(&report.verdicts).map(|((text, _), verdict)| Answer {
        specification: text.clone(),
        holds: verdict.holds,
        satisfying: verdict.satisfying,
        path: path(&verdict.trace, &*task.print),
        back_to: verdict.trace.back_to,
    });
    Answers {
        system: task.title.clone(),
        states: report.states,
        initial: report.initial,
        deadlocks: report.deadlocks,
        specifications: specifications.collect(),
        warnings: task.warnings.clone(),
    }
}

fn path(trace: &Trace, print: &dyn Fn(&State) -> String) -> Vec<String> {
    let start = std::iter::once(print(&trace.start));
    start.chain(trace.steps.iter().map(|step| format!("{} -> {}", step.name, print(&step.state)))).collect()
}

/// Long paths are shown up to here; `--json` has all of them.
const SHOWN: usize = 30;

fn show(answers: &Answers, report: &Report, task: &Task) -> Result<(), Failure> {
    say!("{}: {} states, {} initial\n", answers.system, grouped(answers.states), grouped(answers.initial))?;
    if let Some(state) = &report.deadlock {
        let text = (task.print)(state);
        say!("{} states have no successor, for example {text}\n", grouped(answers.deadlocks))?;
    }
    if report.initial == 0 {
        say!("there is no initial state, so nothing is shown about the specifications\n")?;
    }
    for answer in &answers.specifications {
        let verdict = if answer.holds { "true " } else { "false" };
        say!("\n{verdict}  {}\n", answer.specification)?;
        say!("       holds in {} states\n", grouped(answer.satisfying))?;
        if answer.path.len() > 1 {
            say!("       {}:\n", if answer.holds { "a witness" } else { "a counterexample" })?;
            for line in answer.path.iter().take(SHOWN) {
                say!("         {line}\n")?;
            }
            if answer.path.len() > SHOWN {
                say!("         ... and {} more steps\n", answer.path.len() - SHOWN)?;
            }
            if let Some(number) = answer.back_to {
                say!("         and on for ever from state {number}\n")?;
            }
        }
    }
    Ok(())
}
