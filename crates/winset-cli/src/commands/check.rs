//! `winset check`: do formulas hold in an SMV model or a game?

use crate::args::{DiagramArgs, GameArgs, Turn};
use crate::engines::failure;
use crate::failure::Failure;
use crate::memory;
use crate::output::{self, say};
use crate::report::table::grouped;
use crate::source::{self, Checkable, Loaded};
use crate::target;
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use winset_diagnostic::{Located, render};
use winset_explore::strategy::{Keeps, Table};
use winset_formula::{Formula, FormulaError};
use winset_model::{Explicit, ExprId, Exprs, State, System, VarId, Variable};
use winset_mu::{Choice, FixedPoint, Promise, Report, Scope, Trace, Universe};
use winset_smv::{Model, Spec};
use winset_symbolic::{Options, Partition};

#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Instead of a game, an SMV model can be given: a file that ends in .smv
    #[command(flatten)]
    pub game: GameArgs,
    /// A formula of the mu-calculus or CTL over the named sets; can be given several times
    #[arg(long, value_name = "FORMULA")]
    pub formula: Vec<String>,
    /// Look at every combination of values, not just at the reachable states
    #[arg(long)]
    pub all_states: bool,
    /// Only states where this formula holds count, and transitions out of them do not exist, as with INVAR in SMV; it
    /// says nothing about successors
    #[arg(long, value_name = "FORMULA")]
    pub constraint: Option<String>,
    /// As a constraint: no player has more than N pieces on the board; without N, no more than at the start
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true)]
    pub limit_pieces: Option<Option<usize>>,
    /// Join the transitions to N relations, of each of which the preimages are found apart; they are as many as the
    /// moves at most
    #[arg(long, value_name = "N", conflicts_with = "relation", value_parser = clap::value_parser!(u32).range(1..))]
    pub partition: Option<u32>,
    #[command(flatten)]
    pub diagram: DiagramArgs,
    /// Of a game and one formula that is a fixed point: write to this file, for every reachable state where
    /// it holds, the move that keeps the promise
    #[arg(long, value_name = "FILE")]
    pub strategy: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// A system with formulas and the way its states are written.
struct Task {
    title: String,
    system: System,
    specs: Vec<(String, Formula)>,
    scope: Scope,
    order: Vec<VarId>,
    print: Box<dyn Fn(&State) -> String>,
    warnings: Vec<Located>,
}

#[derive(Serialize)]
struct Answer {
    specification: String,
    holds: bool,
    satisfying: u128,
    /// States of the witness or counterexample, with the moves between them.
    path: Vec<String>,
    /// For each state of the path but the first, what changed on the way to it.
    changes: Vec<Vec<Change>>,
    /// The path goes on by returning to its state of this number.
    #[serde(skip_serializing_if = "Option::is_none")]
    back_to: Option<usize>,
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
struct Answers {
    system: String,
    states: u128,
    initial: u128,
    deadlocks: u128,
    /// The number of relations that the transitions were joined to.
    parts: usize,
    /// States from which a transition leads out of the constraint, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    leaving_constraint: Option<u128>,
    specifications: Vec<Answer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<Located>,
}

/// Checks every specification and says where it holds.
pub fn run(args: &CheckArgs) -> Result<(), Failure> {
    // Diagrams are as deep as a model has bits, and what walks through them takes a frame of the stack a level.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(DEEP).spawn_scoped(scope, || checked(args));
        match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => Err(Failure::Cannot(anyhow::anyhow!(
                "the system gives no thread with a stack of {} MiB: {error}; raise the limit of the address space (ulimit -v)",
                DEEP >> 20
            ))),
        }
    })
}

/// The stack for a walk through the diagrams of tens of thousands of bits; only what is used of it takes memory.
const DEEP: usize = 96 << 20;

fn checked(args: &CheckArgs) -> Result<(), Failure> {
    let file = args.strategy.as_deref().map(|path| target::file("--strategy", path)).transpose()?;
    let source = source::checkable(&args.game)?;
    let memory = memory::left();
    let mut options =
        Options { memory, threads: args.game.threads.unwrap_or(1), ..crate::engines::options(&args.diagram) };
    if let Some(parts) = args.partition {
        options.partition = Partition::Parts(parts as usize);
    }
    let task = match &source {
        Checkable::Game(loaded) => game(args, loaded, &options)?,
        Checkable::Model(model, warnings) => smv(args, model, warnings, &options)?,
    };
    if task.specs.is_empty() {
        return Err(Failure::wrong_use("there is no specification to check: give one with --formula"));
    }
    let (report, strategy) = match &file {
        Some(_) => with_strategy(args, &source, &task, &options)?,
        None => {
            let checked = winset_mu::check(
                &task.system,
                &formulas(&task),
                task.scope,
                Some(task.order.clone()),
                &options,
            );
            (checked.map_err(failure)?.map_err(Failure::wrong_use)?, vec![])
        }
    };
    let answers = answers(args, &task, &report);
    if args.json {
        output::json(&answers)?;
    } else {
        show(&answers, &report, &task)?;
    }
    if let Some(file) = file {
        file.write(&strategy)?;
    }
    let wrong = answers.specifications.iter().filter(|answer| !answer.holds).count();
    match (wrong, answers.specifications.len()) {
        (0, _) => Ok(()),
        (_, 1) => Err(Failure::False("the specification is false".to_owned())),
        (wrong, all) => Err(Failure::False(format!("{wrong} of {all} specifications are false"))),
    }
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
    let (formulas, order) = (formulas(task), Some(task.order.clone()));
    let checked =
        winset_mu::check_and_spell_out(&task.system, &formulas, task.scope, order, options, &mut spell);
    let report = checked.map_err(failure)?.map_err(Failure::wrong_use)?;
    if report.leaving > 0 {
        return Err(Failure::wrong_use(format!(
            "in {} states a move leads out of the constraint, so that the formula promises nothing about the game \
             itself and there is no strategy to write",
            grouped(report.leaving)
        )));
    }
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
fn smv(args: &CheckArgs, model: &Model, warnings: &[Located], options: &Options) -> Result<Task, Failure> {
    if args.limit_pieces.is_some() {
        return Err(Failure::wrong_use("an SMV model has no pieces to limit: give a --constraint"));
    }
    if args.diagram.turn != Turn::Top {
        return Err(Failure::wrong_use("an SMV model has no turn to place: give all variables with --order"));
    }
    let mut system = model.system.clone();
    let named = |spec: &Spec| spec.name.clone().unwrap_or_else(|| spec.text.clone());
    let mut specs: Vec<(String, Formula)> = vec![];
    for spec in &model.specs {
        let formula = spec.branching().filter(|_| model.fairness.is_empty()).ok_or_else(|| {
            Failure::wrong_use(format!(
                "not checked yet: `{}`: linear time, distances and fairness",
                spec.text
            ))
        })?;
        specs.push((named(spec), formula));
    }
    specs.extend(parse(&args.formula, &mut system)?);
    let universe = if args.all_states { Universe::Within(model.states) } else { Universe::Reachable };
    let scope = Scope { universe, constraint: constraint(args, &mut system)? };
    let order = winset_mu::system_order(&system, &options.order).map_err(failure)?;
    let variables = system.variables.clone();
    let print = move |state: &State| {
        let each =
            variables.iter().zip(&state.0).map(|(v, &x)| format!("{}={}", v.name, v.values[x as usize]));
        each.collect::<Vec<_>>().join(" ")
    };
    let (title, warnings) = (args.game.game.clone(), warnings.to_vec());
    Ok(Task { title, system, specs, scope, order, print: Box::new(print), warnings })
}

/// A game with its turns, terminal condition and rewards as named sets.
fn game(args: &CheckArgs, loaded: &Loaded, options: &Options) -> Result<Task, Failure> {
    let (game, warnings) = (loaded.rules.game.clone(), loaded.warnings.clone());
    let mut system = game.system();
    let specs = parse(&args.formula, &mut system)?;
    let universe = if args.all_states { Universe::All } else { Universe::Reachable };
    let mut constraint = constraint(args, &mut system)?;
    if let Some(most) = args.limit_pieces {
        let limit = game.piece_limit(&mut system.exprs, most).ok_or_else(|| {
            Failure::wrong_use("the game does not say whose its pieces are: give a --constraint instead")
        })?;
        constraint = system.exprs.and([constraint, limit]);
    }
    let order = winset_symbolic::order(&game, &options.order, options.turn).map_err(failure)?;
    let title = game.title();
    let print = move |state: &State| game.print(state);
    let scope = Scope { universe, constraint };
    Ok(Task { title, system, specs, scope, order, print: Box::new(print), warnings })
}

/// The states that the user wants to see alone.
fn constraint(args: &CheckArgs, system: &mut System) -> Result<ExprId, Failure> {
    let Some(text) = &args.constraint else { return Ok(Exprs::TRUE) };
    let refuse = |error| formula_failure("--constraint", text, &error);
    let formula = winset_formula::parse(text, system).map_err(refuse)?;
    let core = formula.core(&mut system.exprs).map_err(refuse)?;
    core.set().ok_or_else(|| {
        Failure::wrong_use(
            "a constraint is about a state alone: it cannot use EX, AX, mu and what is made of them",
        )
    })
}

fn parse(texts: &[String], system: &mut System) -> Result<Vec<(String, Formula)>, Failure> {
    let mut all = vec![];
    for text in texts {
        let formula = winset_formula::parse(text, system);
        let formula = formula.map_err(|error| formula_failure("--formula", text, &error))?;
        // Whether its fixed points exist is found out here, where it is known which formula it is.
        formula.core(&mut system.exprs).map_err(|error| formula_failure("--formula", text, &error))?;
        all.push((text.clone(), formula));
    }
    Ok(all)
}

/// Shows the formula with the place.
fn formula_failure(flag: &str, text: &str, error: &FormulaError) -> Failure {
    let shown = render(flag, text.as_bytes(), &error.diagnostic());
    Failure::wrong_use(format!("the formula is refused\n{shown}"))
}

fn answers(args: &CheckArgs, task: &Task, report: &Report) -> Answers {
    let specifications = task.specs.iter().zip(&report.verdicts).map(|((text, _), verdict)| Answer {
        specification: text.clone(),
        holds: verdict.holds,
        satisfying: verdict.satisfying,
        path: path(&verdict.trace, &*task.print),
        changes: changes(&verdict.trace, task),
        back_to: verdict.trace.back_to,
        fixed_points: verdict.fixed_points.iter().map(cost).collect(),
    });
    let constrained = args.constraint.is_some() || args.limit_pieces.is_some();
    Answers {
        system: task.title.clone(),
        states: report.states,
        initial: report.initial,
        deadlocks: report.deadlocks,
        parts: report.parts,
        leaving_constraint: constrained.then_some(report.leaving),
        specifications: specifications.collect(),
        warnings: task.warnings.clone(),
    }
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
        let values = before.0.iter().zip(&after.0);
        let changed = task.system.variables.iter().zip(values).filter(|(_, (from, to))| from != to);
        let one = |(variable, (&from, &to)): (&Variable, (&u16, &u16))| Change {
            variable: variable.name.clone(),
            from: variable.values[usize::from(from)].clone(),
            to: variable.values[usize::from(to)].clone(),
        };
        changed.map(one).collect()
    };
    before.zip(after).map(between).collect()
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

/// Long paths are shown up to here; `--json` has all of them.
const SHOWN: usize = 30;

fn show(answers: &Answers, report: &Report, task: &Task) -> Result<(), Failure> {
    say!("{}: {} states, {} initial\n", answers.system, grouped(answers.states), grouped(answers.initial))?;
    if let Some(state) = &report.deadlock {
        let text = (task.print)(state);
        say!("{} states have no successor, for example {text}\n", grouped(answers.deadlocks))?;
    }
    if report.leaving > 0 {
        say!(
            "from {} of them transitions lead out of the constraint; they were left out\n",
            grouped(report.leaving)
        )?;
    }
    if report.initial == 0 {
        say!("there is no initial state, so nothing is shown about the specifications\n")?;
    }
    for answer in &answers.specifications {
        let verdict = if answer.holds { "true " } else { "false" };
        say!("\n{verdict}  {}\n", answer.specification)?;
        say!("       holds in {} states\n", grouped(answer.satisfying))?;
        for Cost { variable, kind, iterations, largest, peak } in &answer.fixed_points {
            say!(
                "       {variable}: {kind} fixed point, {iterations} iterations, largest set {} nodes, peak {} nodes\n",
                grouped(*largest as u64),
                grouped(*peak as u64)
            )?;
        }
        if answer.path.len() > 1 {
            say!("       {}:\n", if answer.holds { "a witness" } else { "a counterexample" })?;
            let steps = std::iter::once(None).chain(answer.changes.iter().map(Some));
            for (line, changes) in answer.path.iter().zip(steps).take(SHOWN) {
                say!("         {line}\n")?;
                if let Some(changes) = changes {
                    say!("           {}\n", changed(changes))?;
                }
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
