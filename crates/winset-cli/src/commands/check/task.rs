//! What is to be checked: a game or a model with its specifications.

use super::CheckArgs;
use super::shown::Shown;
use crate::args::Turn;
use crate::engines::failure;
use crate::failure::Failure;
use crate::source::{Checkable, Loaded};
use std::collections::{BTreeMap, BTreeSet};
use winset_diagnostic::{Located, render};
use winset_formula::{Fairness, FormulaError, Property};
use winset_model::{ExprId, Exprs, State, System, VarId};
use winset_mu::{Scope, Universe};
use winset_smv::{Model, Spec, WordVariable};
use winset_symbolic::Options;

/// A system with specifications and the way its states are written.
pub struct Task {
    pub title: String,
    pub system: System,
    pub specs: Vec<Specification>,
    /// Which paths count; none for games, where a path may end.
    pub fairness: Option<Fairness>,
    pub scope: Scope,
    pub order: Vec<VarId>,
    pub print: Box<dyn Fn(&State) -> String>,
    /// The variables of which it is shown what changes.
    pub shown: Shown,
    words: Vec<WordVariable>,
    /// The variables that no specification depends on, where they are left out, by name.
    pub left_out: Vec<String>,
    /// The same as they are in the system.
    pub without: Vec<VarId>,
    /// The system with them, if its states are to be counted.
    pub whole: Option<System>,
    pub warnings: Vec<Located>,
}

/// One of them, by its name or as it is written.
pub struct Specification {
    pub text: String,
    pub property: Property,
}

impl Task {
    pub fn new(args: &CheckArgs, source: &Checkable, options: &Options) -> Result<Task, Failure> {
        let mut task = match source {
            Checkable::Game(loaded) => game(args, loaded, options)?,
            Checkable::Model(model, warnings) => smv(args, model, warnings, options)?,
            Checkable::Circuit(read) => circuit(args, read, options)?,
            Checkable::Parity(_) => return Err(Failure::wrong_use("a parity game has no specifications")),
        };
        // Where nothing is asked, states are counted, and all variables count; whoever takes evidence along wants all of
        // them too, and a game's position is a whole.
        let evidence = args.certificate.is_some() || args.strategy.is_some() || args.witness.is_some();
        let constrained = args.all_states || args.constraint.is_some();
        let model = task.fairness.is_some() && !task.specs.is_empty();
        if model && !args.whole && (args.cone || !evidence && !constrained) {
            task.leave_out(!args.cone);
        }
        // A model without specifications has states to be counted at least.
        if task.specs.is_empty() && task.fairness.is_none() {
            return Err(Failure::wrong_use("there is no specification to check: give one with --formula"));
        }
        Ok(task)
    }
}

impl Task {
    /// Leaves out what no specification depends on, but among the states that are counted, if that is asked for.
    fn leave_out(&mut self, count_all: bool) {
        let fair = self.fairness.iter().flat_map(Fairness::sets);
        let asked = self.specs.iter().flat_map(|spec| spec.property.sets());
        let roots: Vec<ExprId> = fair.chain(asked).chain([self.scope.constraint]).collect();
        if let Some(cone) = winset_smv::cone(&self.system, roots) {
            // Words by their names, at the place of their first bit.
            let left_out: BTreeSet<VarId> = cone.left_out.iter().copied().collect();
            let whole = self.words.iter().filter(|word| word.bits.iter().all(|bit| left_out.contains(bit)));
            let bits = whole.flat_map(|word| word.bits.iter().map(move |&bit| (bit, word)));
            let word_of: BTreeMap<VarId, &WordVariable> = bits.collect();
            let name = |var: &VarId| match word_of.get(var) {
                Some(word) if word.bits.iter().min() == Some(var) => Some(word.name.clone()),
                Some(_) => None,
                None => Some(self.system.variables[var.index()].name.clone()),
            };
            self.left_out = cone.left_out.iter().filter_map(name).collect();
            self.shown = Shown::new(&cone.system, &self.words, &cone.left_out);
            self.print = printer(&self.shown);
            self.without = cone.left_out;
            let whole = std::mem::replace(&mut self.system, cone.system);
            self.whole = count_all.then_some(whole);
        }
    }
}

fn printer(shown: &Shown) -> Box<dyn Fn(&State) -> String> {
    let shown = shown.clone();
    Box::new(move |state: &State| shown.print(state))
}

/// An SMV model with the specifications of the file, and those of the command line.
fn smv(args: &CheckArgs, model: &Model, warnings: &[Located], options: &Options) -> Result<Task, Failure> {
    if args.limit_pieces.is_some() {
        return Err(Failure::wrong_use("an SMV model has no pieces to limit: give a --constraint"));
    }
    if args.diagram.turn != Turn::Top {
        return Err(Failure::wrong_use("an SMV model has no turn to place: give all variables with --order"));
    }
    let text = |spec: &Spec| match (&spec.name, &spec.property) {
        (Some(name), _) => name.clone(),
        (None, Property::Distance { longest, .. }) => {
            format!("{} [{}]", if *longest { "MAX" } else { "MIN" }, spec.text)
        }
        _ => spec.text.clone(),
    };
    let specs =
        model.specs.iter().map(|spec| Specification { text: text(spec), property: spec.property.clone() });
    let universe = if args.all_states { Universe::Within(model.states) } else { Universe::Reachable };
    let (system, fairness, words) = (model.system.clone(), model.fairness.clone(), model.words.clone());
    let claims = Claims { system, specs: specs.collect(), fairness, universe };
    Ok(Task { warnings: warnings.to_vec(), ..claimed(args, claims, words, options)? })
}

/// A circuit with what must never be true, and more formulas over its latches and inputs.
fn circuit(args: &CheckArgs, read: &winset_aiger::Circuit, options: &Options) -> Result<Task, Failure> {
    if args.limit_pieces.is_some() || args.diagram.turn != Turn::Top {
        return Err(Failure::wrong_use("a circuit has neither pieces nor turns"));
    }
    let winset_aiger::Model { system, properties, fairness } = read.model();
    let specs = properties.into_iter().map(|(text, property)| Specification { text, property });
    let universe = if args.all_states { Universe::All } else { Universe::Reachable };
    claimed(args, Claims { system, specs: specs.collect(), fairness, universe }, vec![], options)
}

/// A model and what its file says of it.
struct Claims {
    system: System,
    specs: Vec<Specification>,
    fairness: Fairness,
    universe: Universe,
}

/// A model with the specifications of the command line besides its own.
fn claimed(
    args: &CheckArgs,
    claims: Claims,
    words: Vec<WordVariable>,
    options: &Options,
) -> Result<Task, Failure> {
    let Claims { mut system, mut specs, fairness, universe } = claims;
    specs.extend(parse(&args.formula, &mut system)?);
    let scope = Scope { universe, constraint: constraint(args, &mut system)? };
    let order = winset_mu::system_order(&system, &options.order).map_err(failure)?;
    let (title, fairness) = (args.game.game.clone(), Some(fairness));
    let shown = Shown::new(&system, &words, &[]);
    let print = printer(&shown);
    let (left_out, without, whole, warnings) = (vec![], vec![], None, vec![]);
    Ok(Task {
        title,
        system,
        specs,
        fairness,
        scope,
        order,
        print,
        shown,
        words,
        left_out,
        without,
        whole,
        warnings,
    })
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
    let (shown, print) = (Shown::new(&system, &[], &[]), Box::new(print));
    let (words, left_out, whole, fairness) = (vec![], vec![], None, None);
    Ok(Task {
        title,
        system,
        specs,
        fairness,
        scope,
        order,
        print,
        shown,
        words,
        left_out,
        without: vec![],
        whole,
        warnings,
    })
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

fn parse(texts: &[String], system: &mut System) -> Result<Vec<Specification>, Failure> {
    let mut all = vec![];
    for text in texts {
        let formula = winset_formula::parse(text, system);
        let formula = formula.map_err(|error| formula_failure("--formula", text, &error))?;
        // Whether its fixed points exist is found out here, where it is known which formula it is.
        formula.core(&mut system.exprs).map_err(|error| formula_failure("--formula", text, &error))?;
        all.push(Specification { text: text.clone(), property: Property::Branching(formula) });
    }
    Ok(all)
}

/// Shows the formula with the place.
fn formula_failure(flag: &str, text: &str, error: &FormulaError) -> Failure {
    let shown = render(flag, text.as_bytes(), &error.diagnostic());
    Failure::wrong_use(format!("the formula is refused\n{shown}"))
}
