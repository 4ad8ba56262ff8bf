//! The answer to "does it hold?", with numbers and a path.

use crate::certify::{levels, path};
use crate::checker::{Checker, FixedPoint, Scope, Work};
use crate::distance::Distance;
use crate::order::default_order;
use crate::prepare::{Ready, prepare};
use crate::progress::Progress;
use crate::promise::Promises;
use crate::recheck::Recheck;
use crate::trace::Trace;
use crate::whole::{Counts, Whole};
use std::time::Instant;
use winset_certify::{Evidence, Fix, Proof};
use winset_formula::{Core, Fairness, Formula, FormulaError, Property};
use winset_model::{Exprs, State, System, VarId};
use winset_symbolic::{Compiler, Diagram, Job, Options, Symbolic, SymbolicError, Which, with_kind};

/// The answer for one property.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// It holds in all initial states.
    pub holds: bool,
    /// The number of states of the universe where it holds; of a property over linear time, of initial states.
    pub satisfying: u128,
    /// If it holds, a witness from an initial state; otherwise a counterexample from one where it fails. Without an
    /// initial state it shows nothing.
    pub trace: Trace,
    /// How much was done.
    pub work: Work,
    /// What each of its fixed points cost, in the order of their binders.
    pub fixed_points: Vec<FixedPoint>,
    /// The alternation depth of the formula.
    pub alternation: usize,
    /// Its strategy was asked for and spelled out.
    pub spelled_out: bool,
    /// The number of steps, if that was asked for.
    pub distance: Option<Distance>,
    /// It was read over fair paths only, because not every path is fair and goes on for ever.
    pub over_fair_paths: bool,
    /// What proves it, if that was asked for.
    pub evidence: Option<Evidence>,
    /// How long it took.
    pub seconds: f64,
}

/// The answers for all properties, and what is wrong with the system.
#[derive(Clone, Debug)]
pub struct Report {
    /// The number of states of the universe; [`u128::MAX`] if there are more, as with every number of states here.
    pub states: u128,
    /// About the same number, however large.
    pub states_about: f64,
    /// The number of initial states. If it is zero, every formula holds in all of them, and nothing is
    /// shown.
    pub initial: u128,
    /// The number of states of the universe without successors, and one of them.
    pub deadlocks: u128,
    /// One of the states without successors.
    pub deadlock: Option<State>,
    /// The number of initial states from which no path is fair: they count for nothing. 0 where every path counts.
    pub unfair: u128,
    /// The number of states from which a transition leads out of the constraint, and was left out; 0 without one.
    pub leaving: u128,
    /// The number of relations that the transitions were joined to.
    pub parts: usize,
    /// All numbers of states are those of the whole system, and not of a cone of it.
    pub of_whole: bool,
    /// The answers, in the order of the properties; none if they are to be proved and there is no initial state.
    pub verdicts: Vec<Verdict>,
    /// For whoever checks what proves them: the order of the variables, those of tableaux included.
    pub order: Vec<VarId>,
    /// What proves which states have no fair path, and which have one.
    pub fair: Option<[Proof; 2]>,
}

/// Which paths the operators of branching time speak of.
#[derive(Clone, Copy, Debug)]
pub enum Paths<'a> {
    /// All, those included that end where a state has no successor: the textbook's fixed points, as for games.
    Maximal,
    /// The infinite ones that are fair, as NuSMV has it. Initial states without such a path count for nothing.
    Fair(&'a Fairness),
}

/// What is to be checked, and how.
#[derive(Clone, Debug)]
pub struct Query<'a> {
    /// The system.
    pub system: &'a System,
    /// What it is claimed to satisfy.
    pub properties: &'a [Property],
    /// The system is a cone of this one, whose states are counted.
    pub whole: Option<Whole<'a>>,
    /// Which paths count.
    pub paths: Paths<'a>,
    /// Which states count.
    pub scope: Scope,
    /// The order of the variables; without one they are placed by the relations they share.
    pub order: Option<Vec<VarId>>,
    /// How diagrams are built.
    pub options: &'a Options,
    /// What proves the verdicts is to be written down.
    pub certify: bool,
    /// Told how far the work is.
    pub progress: Option<&'a Progress>,
}

/// What checking gives: a formula may be wrong, and the work may not be possible.
pub type Checked = Result<Result<Report, FormulaError>, SymbolicError>;

/// Checks formulas on a system, over all paths. Without an order the variables are placed by the relations they share.
pub fn check(
    system: &System,
    formulas: &[Formula],
    scope: impl Into<Scope>,
    order: Option<Vec<VarId>>,
    options: &Options,
) -> Checked {
    let properties: Vec<Property> = formulas.iter().cloned().map(Property::Branching).collect();
    let (scope, paths) = (scope.into(), Paths::Maximal);
    answer(&Query {
        system,
        properties: &properties,
        paths,
        scope,
        order,
        options,
        certify: false,
        progress: None,
        whole: None,
    })
}

/// The same, and calls back with the strategy of every formula that is a fixed point.
pub fn check_and_spell_out(
    system: &System,
    formulas: &[Formula],
    scope: impl Into<Scope>,
    order: Option<Vec<VarId>>,
    options: &Options,
    promises: &mut Promises<'_>,
) -> Checked {
    let properties: Vec<Property> = formulas.iter().cloned().map(Property::Branching).collect();
    let (scope, paths) = (scope.into(), Paths::Maximal);
    let properties = &properties;
    let (whole, certify, progress) = (None, false, None);
    let query = &Query { system, properties, whole, paths, scope, order, options, certify, progress };
    with_kind(options.kind, Check { query, promises: Some(promises) })
}

/// Checks properties on a system.
pub fn answer(query: &Query<'_>) -> Checked {
    with_kind(query.options.kind, Check { query, promises: None })
}

struct Check<'a, 'p> {
    query: &'a Query<'a>,
    promises: Option<&'a mut Promises<'p>>,
}

impl Job for Check<'_, '_> {
    type Output = Checked;

    fn run<F: Diagram>(mut self) -> Self::Output {
        let query = self.query;
        let prepared = match prepare(query.system, query.properties, query.paths, query.scope.constraint) {
            Ok(prepared) => prepared,
            Err(error) => return Ok(Err(error)),
        };
        let own = query.system.variables.len() as u32;
        let mut order = query.order.clone().unwrap_or_else(|| default_order(query.system));
        order.extend((own..prepared.system.variables.len() as u32).map(VarId));
        let exprs = &prepared.system.exprs;
        let began = query.options.work.done();
        let mut symbolic = Symbolic::<F>::from_system(&prepared.system, order.clone(), query.options)?;
        // What proves a verdict is checked by whoever keeps all variables.
        let unread = if query.certify { vec![] } else { prepared.unread.clone() };
        let universe = Checker::without(&symbolic, exprs, query.scope, unread.clone())?.universe;
        if !query.properties.is_empty() {
            // Smaller relations are a help, not a need: where there is no room to make them, they stay as they are.
            match symbolic.narrow(&universe) {
                Err(SymbolicError::OutOfMemory { .. }) => {}
                done => done?,
            }
        }
        let symbolic = symbolic;
        let compiler = Compiler::new(&symbolic.space, exprs);
        let mut checker = Checker { unread, ..Checker::over(&symbolic, compiler, universe, None)? };
        checker.progress = query.progress;
        let space = &symbolic.space;
        let initial = space.and(&symbolic.initial, &checker.universe)?;
        let (which, going_on) = (Which::default(), checker.going_on.clone());
        // Without a constraint no transition leads out of the universe.
        let closed = query.scope.constraint == Exprs::TRUE;
        let somewhere = if closed { space.domain() } else { &checker.universe };
        let moving = symbolic.preimage_within(somewhere, &going_on, which)?;
        let stuck = space.diff(&checker.universe, &moving)?;
        let leaving = if closed {
            space.none().clone()
        } else {
            symbolic.preimage_within(&space.complement(&checker.universe)?, &going_on, which)?
        };
        // Where every path goes on for ever and counts, the plain fixed points say the same.
        let fair = match (&prepared.fair, query.paths) {
            (Some([_, core]), Paths::Fair(fairness))
                if query.certify || !fairness.is_empty() || stuck != *space.none() =>
            {
                Some(checker.evaluate(core)?)
            }
            _ => None,
        };
        let counting = match &fair {
            Some(fair) => space.and(&initial, fair)?,
            None => initial.clone(),
        };
        let mut report = Report {
            states: checker.count(&checker.universe)?,
            states_about: space.count_about(&checker.universe)?,
            initial: checker.count(&initial)?,
            deadlocks: checker.count(&stuck)?,
            deadlock: space.pick(&stuck)?.map(|state| own_part(&state, own)),
            unfair: checker.count(&space.diff(&initial, &counting)?)?,
            leaving: checker.count(&leaving)?,
            parts: symbolic.clusters(),
            verdicts: vec![],
            of_whole: query.whole.is_none(),
            order,
            fair: None,
        };
        if let (true, Some([without, with])) = (query.certify, &prepared.fair) {
            report.fair = Some([checker.proof(without)?, checker.proof(with)?]);
        }
        let mut counts = Counts { stuck, counting: counting.clone(), sets: vec![], began };
        let first = match space.pick(if counting == *space.none() { &initial } else { &counting })? {
            Some(first) => first,
            None if query.certify => {
                counts.of_whole(query, &prepared, &symbolic, &mut report)?;
                return Ok(Ok(report));
            }
            // Whatever is said of all initial states holds, and no path begins anywhere.
            None => State(vec![0; prepared.system.variables.len()].into()),
        };
        checker.fair = fair;
        let recheck = Recheck::new(query.system, exprs);
        for (number, ready) in prepared.ready.iter().enumerate() {
            if let Some(progress) = query.progress {
                progress.begin(number);
            }
            let began = Instant::now();
            let mut asked = Asked {
                checker: &mut checker,
                initial: &initial,
                counting: &counting,
                first: &first,
                own,
                exprs,
                certify: query.certify,
                fairness: if let Paths::Fair(fairness) = query.paths { Some(fairness) } else { None },
                by_tableau: false,
                set: None,
            };
            let verdict = asked.answer(ready, &mut self.promises)?;
            let shows = |verdict: &Verdict| {
                if counting == *space.none() {
                    return Ok(());
                }
                recheck.verdict(&query.properties[number], ready, verdict, query.paths)
            };
            let verdict = match (shows(&verdict), ready) {
                (Ok(()), _) => verdict,
                // The path of the formula over branching time may leave out what another one has to show.
                (Err(_), Ready::Linear(_)) => {
                    asked.by_tableau = true;
                    let verdict = asked.answer(ready, &mut self.promises)?;
                    shows(&verdict)?;
                    verdict
                }
                (Err(error), _) => return Err(error),
            };
            let seconds = began.elapsed().as_secs_f64();
            report.verdicts.push(Verdict { seconds, ..verdict });
            counts.sets.push(asked.set.clone().expect("a verdict is about a set"));
        }
        counts.of_whole(query, &prepared, &symbolic, &mut report)?;
        Ok(Ok(report))
    }
}

/// One property, and where it is asked.
struct Asked<'c, 's, F: Diagram> {
    checker: &'c mut Checker<'s, F>,
    initial: &'c F,
    /// The initial states that count.
    counting: &'c F,
    /// One of them.
    first: &'c State,
    /// The number of the system's own variables.
    own: u32,
    exprs: &'s Exprs,
    certify: bool,
    /// What is fair, where not every path counts.
    fairness: Option<&'c Fairness>,
    /// Formulas over linear time are not to be answered by one over branching time.
    by_tableau: bool,
    /// Where the last one that was answered holds.
    set: Option<F>,
}

impl<F: Diagram> Asked<'_, '_, F> {
    fn answer(
        &mut self,
        ready: &Ready,
        promises: &mut Option<&mut Promises<'_>>,
    ) -> Result<Verdict, SymbolicError> {
        match ready {
            Ready::Branching(cores) => {
                let over_fair_paths = cores.fair.is_some() && self.checker.fair.is_some();
                let (core, negation) = cores.used(over_fair_paths).expect("what can be needed was prepared");
                let verdict = self.branching(core, negation, promises)?;
                Ok(Verdict { over_fair_paths, ..verdict })
            }
            Ready::Linear(prepared) => {
                // What proves it is the tableau's.
                let same = match (self.by_tableau || self.certify, self.fairness) {
                    (false, Some(fairness)) => {
                        self.checker.linear_as_branching(prepared, self.initial, fairness)?
                    }
                    _ => None,
                };
                let found = match same {
                    Some(found) => found,
                    None => self.checker.linear(prepared, self.initial, self.exprs, self.certify)?,
                };
                let space = &self.checker.symbolic.space;
                let right = space.diff(self.initial, &found.wrong)?;
                let trace = match &found.path {
                    Some(path) => self.checker.trace_along(path, self.own as usize),
                    None => Trace::at(own_part(self.first, self.own)),
                };
                let mut verdict = self.verdict(found.path.is_none(), &right, trace)?;
                (verdict.work, verdict.fixed_points) = (found.work, found.fixed_points);
                verdict.evidence = match found.proof {
                    Some(proof) => Some(Evidence::Sets(proof)),
                    None => self.certify.then(|| path(&verdict.trace)),
                };
                Ok(verdict)
            }
            Ready::Invariant(set) => {
                let set = self.checker.set(*set)?;
                self.checker.work = Work::default();
                let space = &self.checker.symbolic.space;
                let bad = space.diff(&self.checker.universe, &set)?;
                let universe = &self.checker.universe;
                let way = if bad == *space.none() {
                    None
                } else {
                    self.checker.shortest(self.initial, &bad, universe)?
                };
                let trace = match &way {
                    Some(states) => {
                        let path = crate::path::Path { states: states.clone(), back_to: None };
                        self.checker.trace_along(&path, self.own as usize)
                    }
                    None => Trace::at(own_part(self.first, self.own)),
                };
                let evidence = match (self.certify, way.is_some()) {
                    (false, _) => None,
                    (true, true) => Some(path(&trace)),
                    // Without the states that cannot be reached, whatever counts beside them.
                    (true, false) => {
                        let reached = self.checker.reached(self.initial)?;
                        let inductive = Fix::Greatest(levels(&self.checker.symbolic.space, &reached)?);
                        Some(Evidence::Sets(Proof(vec![inductive])))
                    }
                };
                Ok(Verdict { evidence, ..self.verdict(way.is_none(), &set, trace)? })
            }
            Ready::Distance { longest, from, to } => {
                let (from, to) = (self.checker.set(*from)?, self.checker.set(*to)?);
                let fair = self.checker.fair.clone().unwrap_or_else(|| self.checker.universe.clone());
                self.checker.work = Work::default();
                let distance = match longest {
                    true => self.checker.most(&from, &to, &fair)?,
                    false => self.checker.fewest(&from, &to, &fair)?,
                };
                let (work, trace) = (self.checker.work, Trace::at(own_part(self.first, self.own)));
                let mut verdict = self.verdict(true, &from, trace)?;
                (verdict.distance, verdict.work) = (Some(distance), work);
                verdict.evidence = self.certify.then_some(Evidence::None);
                Ok(verdict)
            }
        }
    }

    fn verdict(&mut self, holds: bool, satisfying: &F, trace: Trace) -> Result<Verdict, SymbolicError> {
        self.set = Some(satisfying.clone());
        Ok(Verdict {
            holds,
            satisfying: self.checker.count(satisfying)?,
            trace,
            work: Work::default(),
            fixed_points: vec![],
            alternation: 0,
            spelled_out: false,
            distance: None,
            over_fair_paths: false,
            evidence: None,
            seconds: 0.0,
        })
    }

    fn branching(
        &mut self,
        core: &Core,
        negation: &Core,
        promises: &mut Option<&mut Promises<'_>>,
    ) -> Result<Verdict, SymbolicError> {
        let checker = &mut *self.checker;
        let space = &checker.symbolic.space;
        let set = checker.evaluate(core)?;
        let (work, fixed_points) = (checker.work, checker.fixed_points.clone());
        let spelled_out = match (checker.strategy(core), promises) {
            (Some(strategy), Some(promises)) => {
                strategy.spell_out(space, promises)?;
                true
            }
            _ => false,
        };
        let failing = space.diff(self.counting, &set)?;
        let trace = match space.pick(&failing)? {
            // Where no initial state counts, none has a path that could show anything.
            None if self.counting == space.none() => Trace::at(self.first.clone()),
            None => checker.trace(core, self.first)?,
            Some(state) => {
                checker.evaluate(negation)?;
                checker.trace(negation, &state)?
            }
        };
        let trace = trace.own_part(self.own as usize);
        let holds = failing == *space.none();
        let evidence = match self.certify {
            true => Some(Evidence::Sets(self.checker.proof(if holds { core } else { negation })?)),
            false => None,
        };
        let verdict = self.verdict(holds, &set, trace)?;
        let alternation = core.alternation();
        Ok(Verdict { work, fixed_points, alternation, spelled_out, evidence, ..verdict })
    }
}

/// The values of the system's own variables.
pub(crate) fn own_part(state: &State, own: u32) -> State {
    State(state.0[..own as usize].into())
}
