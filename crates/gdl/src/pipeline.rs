//! The way from a file to a game, stage by stage.

use crate::convert::compile::Compiler;
use crate::convert::game::{Checks, Conversion};
use crate::diagnostic::{Code, Diagnostic, Findings, Severity, Span};
use crate::ground::constants::{Order, constants};
use crate::ground::core::{CoreRule, Pattern};
use crate::ground::evaluate::evaluate;
use crate::ground::explore::{Effort, Exploration, Violation, explore};
use crate::ground::instances::Ground;
use crate::ground::simulate::Bits;
use crate::ground::summary::Summary;
use crate::ground::terms::{TermId, Terms};
use crate::ground::{condense, lower};
use crate::limits::{Limits, Meter};
use crate::prove::clocks::{Timing, timing};
use crate::prove::formula::{FALSE, FormulaId};
use crate::prove::induct::Inductor;
use crate::syntax::nnf::{NnfRule, normalize};
use crate::syntax::symbols::{Symbols, keyword};
use crate::syntax::{parse, read};
use thiserror::Error;
use winset_model::{ExprId, Forbidden, Game, GameBuilder, MOST_PLAYERS};

/// From here on, facts that should exclude each other, and cannot be shown to, make a state much wider than it is.
const MANY_UNPROVED: usize = 32;
/// Bytes of states that are looked at to see whether they do.
const MOST_SEEN: usize = 64 << 20;

/// How to read a file.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How much work and memory it may take.
    pub limits: Limits,
    /// Read unsafe rules that have an evident meaning: a free player in `legal` or `goal` is any role.
    pub lenient: bool,
}

/// A game from a file.
#[derive(Clone, Debug)]
pub struct GdlGame {
    /// The game itself.
    pub game: Game,
    /// What remains to be checked on the reachable states.
    pub checks: Checks,
    /// How large it became on the way.
    pub summary: Summary,
    /// What is odd about the file and does not prevent a solution.
    pub warnings: Vec<Diagnostic>,
}

/// Why a file is not a game that can be solved, with everything that was found on the way.
#[derive(Clone, Debug, Error)]
#[error("{}", .diagnostics.iter().find(|d| d.severity == Severity::Error).map_or_else(String::new, ToString::to_string))]
pub struct Rejection {
    /// Errors and warnings, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads and checks a file without grounding it; all findings, also mere warnings.
pub fn check(source: &[u8], options: &Options) -> Vec<Diagnostic> {
    let mut findings = Findings::default();
    front(source, options, &mut findings);
    findings.list
}

/// The rules of a file, checked.
pub(crate) fn front(
    source: &[u8],
    options: &Options,
    findings: &mut Findings,
) -> (Symbols, Vec<NnfRule>, Vec<Span>) {
    if source.len() > options.limits.source_bytes {
        let message =
            format!("the file has {} bytes; {} are allowed", source.len(), options.limits.source_bytes);
        findings
            .push(Diagnostic::error(Code::FileTooLarge, Span::new(0, 1), message).help("raise the limit"));
        return Default::default();
    }
    let reading = read::read(source, options.limits.nesting, findings);
    let program = parse::parse(reading, findings);
    let spans = program.rules.iter().map(|r| r.span).collect();
    let mut rules: Vec<NnfRule> = program.rules.iter().enumerate().map(|(i, r)| normalize(r, i)).collect();
    if !findings.has_errors() {
        crate::syntax::check::check(&mut rules, &program.symbols, options.lenient, findings);
    }
    (program.symbols, rules, spans)
}

/// Compiles a file to a game.
pub fn compile(name: &str, source: &[u8], options: &Options) -> Result<GdlGame, Rejection> {
    let mut findings = Findings::default();
    match try_compile(name, source, options, &mut findings) {
        Some(mut game) if !findings.has_errors() => {
            game.warnings = findings.list;
            Ok(game)
        }
        _ => Err(Rejection { diagnostics: findings.list }),
    }
}

fn try_compile(name: &str, source: &[u8], options: &Options, findings: &mut Findings) -> Option<GdlGame> {
    let mut meter = Meter::new(&options.limits);
    let (symbols, rules, spans) = front(source, options, findings);
    if findings.has_errors() {
        return None;
    }
    meter.set_rules(spans.len());
    meter.stage("ground");
    let mut lowered = lower::lower(&rules, findings);
    if findings.has_errors() {
        return None;
    }
    if let Some(diagnostic) = stated_roles(&lowered, &symbols, &spans) {
        findings.push(diagnostic);
        return None;
    }
    condense::condense(&mut lowered);
    let grounded = evaluate(lowered, &mut meter);
    let (evaluation, mut ground) = grounded.map_err(|e| findings.push(meter.blame(e, &spans))).ok()?;
    let terms = evaluation.terms;
    meter.stage("simplify");
    if let Some(dead) = ground.unused() {
        ground.remove(&dead);
    }
    let mut order = Order::of(&ground);
    if let Some(rule) = order.unstratified(&ground) {
        let span = spans.get(ground.origins[rule as usize] as usize).copied().unwrap_or_default();
        findings.push(
            Diagnostic::error(Code::NotStratified, span, "an atom of this rule depends on its own negation")
                .help("the rules have no unique meaning; break the cycle"),
        );
        return None;
    }
    let values = constants(&ground, &order, &meter);
    let mut values = values.map_err(|e| findings.push(meter.blame(e, &spans))).ok()?;
    let mut times =
        timing(&ground, &order, &values, &meter).map_err(|e| findings.push(meter.blame(e, &spans))).ok()?;
    if let Some(dead) = times.as_ref().and_then(Timing::dead) {
        ground.remove(&dead);
        order = Order::of(&ground);
        let again = constants(&ground, &order, &meter);
        values = again.map_err(|e| findings.push(meter.blame(e, &spans))).ok()?;
        times = timing(&ground, &order, &values, &meter)
            .map_err(|e| findings.push(meter.blame(e, &spans)))
            .ok()?;
    }
    let constants = values;
    let back = Back { symbols: &symbols, spans: &spans, terms: &terms, ground: &ground };
    back.roles(findings)?;
    let compiler = Compiler::new(&ground, &order, &constants, times.as_ref(), &meter);
    let mut compiler = compiler.map_err(|e| findings.push(meter.blame(e, &spans))).ok()?;
    let mut goals = back.goals(&compiler, findings)?;
    back.ends(&compiler, findings)?;
    meter.stage("explore");
    let effort = Effort { states: 20_000, work: options.limits.steps.min(30_000_000), plays: true };
    let explored = explore(&ground, &order, &constants, |a| compiler.depends_on_moves(a), effort, &meter);
    let mut exploration = explored.map_err(|e| findings.push(meter.blame(e, &spans))).ok()?;
    if let Some(violation) = &exploration.violation {
        findings.push(back.violation(violation));
        return None;
    }
    back.settle(&mut goals, &exploration, &mut compiler, findings);
    meter.stage("prove");
    let inductor = Inductor::new(&ground, &mut compiler, &constants, &terms, &exploration);
    let invariants = inductor.invariants(&meter);
    let mut invariants = invariants.map_err(|e| findings.push(meter.blame(e, &spans))).ok()?;
    if !exploration.complete && invariants.unproved >= MANY_UNPROVED {
        // Of a game that is small after all everything can be seen, which is as good as a proof.
        meter.stage("explore");
        let states = (MOST_SEEN / ground.fluents.len().div_ceil(8).max(1)).min(10 * effort.states);
        let longer = Effort { states, work: (10 * effort.work).min(options.limits.steps), plays: false };
        let moved = |a| compiler.depends_on_moves(a);
        let explored = explore(&ground, &order, &constants, moved, longer, &meter);
        let further = explored.map_err(|e| findings.push(meter.blame(e, &spans))).ok()?;
        if let Some(violation) = &further.violation {
            findings.push(back.violation(violation));
            return None;
        }
        meter.stage("prove");
        if further.complete {
            let settled = std::mem::replace(&mut exploration, further).ambiguous;
            exploration.ambiguous.retain(|role, _| !settled.contains_key(role));
            back.settle(&mut goals, &exploration, &mut compiler, findings);
            let inductor = Inductor::new(&ground, &mut compiler, &constants, &terms, &exploration);
            let proved = inductor.invariants(&meter);
            invariants = proved.map_err(|e| findings.push(meter.blame(e, &spans))).ok()?;
        }
    }
    meter.stage("convert");
    let groups = invariants.theory.groups.len();
    let conversion = Conversion {
        ground: &ground,
        constants: &constants,
        terms: &terms,
        symbols: &symbols,
        complete: exploration.complete,
    };
    let converted = conversion.convert(name, &mut compiler, invariants, &goals, &meter);
    let (mut game, checks) = converted.map_err(|e| findings.push(meter.blame(e, &spans))).ok()?;
    checks.forbid(&mut game);
    let game = match game.build() {
        Ok(game) => game,
        Err(error) => {
            let span = spans.first().copied().unwrap_or_default();
            findings.push(Diagnostic::error(
                Code::LimitExceeded,
                span,
                format!("the game does not fit the model: {error}"),
            ));
            return None;
        }
    };
    let summary = summarize(&ground, &game, groups, &exploration, &meter);
    Some(GdlGame { game, checks, summary, warnings: Vec::new() })
}

/// Roles that are stated as facts are looked at before anything is grounded: it may take long for nothing.
fn stated_roles(lowered: &lower::Lowered, symbols: &Symbols, spans: &[Span]) -> Option<Diagnostic> {
    let mut roles: Vec<TermId> = Vec::new();
    let stated = |r: &&CoreRule| lowered.predicates.list[r.head.pred as usize].name == Some(keyword::ROLE);
    let mut span = spans.first().copied().unwrap_or_default();
    for rule in lowered.rules.iter().filter(stated) {
        match &*rule.head.args {
            [Pattern::Const(role)] if rule.is_fact() && !roles.contains(role) => {
                roles.push(*role);
                span = if lowered.terms.text(*role, symbols) == CHANCE { spans[rule.origin] } else { span };
            }
            _ => {}
        }
    }
    wrong_roles(&roles, &lowered.terms, symbols, span).filter(|_| !roles.is_empty())
}

/// The role that GDL-II has moved by chance.
const CHANCE: &str = "random";

/// What is wrong with the roles of a game, if anything is.
fn wrong_roles(roles: &[TermId], terms: &Terms, symbols: &Symbols, span: Span) -> Option<Diagnostic> {
    let names: Vec<String> = roles.iter().map(|r| terms.text(*r, symbols)).collect();
    if names.iter().any(|name| name == CHANCE) {
        // Whoever solved it as a player would call positions lost that are only unlucky.
        let message = format!("the role `{CHANCE}` moves by chance: games of chance cannot be solved");
        return Some(
            Diagnostic::error(Code::Chance, span, message).help("if it is a player, give it another name"),
        );
    }
    let message = format!(
        "the game has {} roles ({}); 1 to {MOST_PLAYERS} can be solved",
        roles.len(),
        names.join(", ")
    );
    let good = (1..=MOST_PLAYERS).contains(&roles.len());
    (!good).then(|| Diagnostic::error(Code::RoleCount, span, message))
}

fn summarize(
    ground: &Ground,
    game: &Game,
    groups: usize,
    exploration: &Exploration,
    meter: &Meter,
) -> Summary {
    Summary {
        fluents: ground.fluents.len(),
        variables: game.variables().len(),
        groups,
        actions: ground.actions.len(),
        moves: game.moves().len(),
        atoms: ground.atoms,
        rules: ground.rules(),
        expressions: game.exprs().len(),
        systems: game.exprs().systems(),
        explored: exploration.states.len(),
        complete: exploration.complete,
        time: meter.elapsed(),
        stages: meter.stages(),
    }
}

/// What is needed to speak of ground things in the file's words.
struct Back<'a> {
    symbols: &'a Symbols,
    spans: &'a [Span],
    terms: &'a Terms,
    ground: &'a Ground,
}

impl Back<'_> {
    fn text(&self, term: u32) -> String {
        self.terms.text(term, self.symbols)
    }

    /// The place of the first rule for an atom.
    fn span(&self, atom: u32) -> Span {
        let origins = self.ground.rules_of(atom).iter().map(|r| self.ground.origins[*r as usize] as usize);
        origins.filter_map(|o| self.spans.get(o)).next().or(self.spans.first()).copied().unwrap_or_default()
    }

    fn roles(&self, findings: &mut Findings) -> Option<()> {
        let span = self.spans.first().copied().unwrap_or_default();
        let wrong = wrong_roles(&self.ground.roles, self.terms, self.symbols, span);
        wrong.map_or(Some(()), |diagnostic| {
            findings.push(diagnostic);
            None
        })
    }

    /// Role, value and formula of every goal that is possible.
    fn goals(&self, compiler: &Compiler, findings: &mut Findings) -> Option<Vec<(usize, u8, FormulaId)>> {
        let mut goals: Vec<(usize, u8, FormulaId)> = Vec::new();
        let mut good = true;
        for (role, value, atom) in &self.ground.goals {
            let formula = compiler.formula(*atom);
            if formula == FALSE {
                continue;
            }
            let text = self.text(*value);
            match crate::syntax::check::parse_goal(&text) {
                Some(value) => goals.push((*role, value, formula)),
                None => {
                    let message = format!(
                        "the goal value {text} of {} is not a number from 0 to 100",
                        self.text(self.ground.roles[*role])
                    );
                    findings.push(
                        Diagnostic::error(Code::GoalValue, self.span(*atom), message)
                            .help("scale the values to 0..100"),
                    );
                    good = false;
                }
            }
        }
        goals.sort_unstable();
        good.then_some(goals)
    }

    fn ends(&self, compiler: &Compiler, findings: &mut Findings) -> Option<()> {
        match self.ground.terminal {
            Some(atom) if compiler.formula(atom) != FALSE => Some(()),
            atom => {
                let span =
                    atom.map_or_else(|| self.spans.first().copied().unwrap_or_default(), |a| self.span(a));
                findings.push(
                    Diagnostic::error(
                        Code::NeverEnds,
                        span,
                        "the game cannot end: `terminal` holds in no state",
                    )
                    .help("look for the condition of `terminal` that can never hold"),
                );
                None
            }
        }
    }

    fn state(&self, state: &Bits) -> String {
        let holds = |f: &usize| state[*f / 64] >> (*f % 64) & 1 == 1;
        let facts: Vec<String> =
            (0..self.ground.fluents.len()).filter(holds).map(|f| self.text(self.ground.fluents[f])).collect();
        facts.join(" ")
    }

    fn violation(&self, violation: &Violation) -> Diagnostic {
        let role = |r: &usize| self.text(self.ground.roles[*r]);
        let does =
            |a: usize| format!("{} {}", role(&self.ground.actions[a].0), self.text(self.ground.actions[a].1));
        match violation {
            Violation::Simultaneous { state, actions: [a, b, c, d] } => {
                let message = format!(
                    "two roles choose at the same time: {} or {}, and {} or {}, in the state {}",
                    does(*a),
                    does(*b),
                    does(*c),
                    does(*d),
                    self.state(state)
                );
                Diagnostic::error(Code::SimultaneousMoves, self.span(self.ground.legal[*a]), message)
                    .help("only games in which one role decides in every state can be solved")
            }
            Violation::DeadEnd { state, role: r } => {
                let message = format!(
                    "{} has no legal move in a state that is not terminal: {}",
                    role(r),
                    self.state(state)
                );
                let atom = (0..self.ground.legal.len())
                    .find(|a| self.ground.actions[*a].0 == *r)
                    .map(|a| self.ground.legal[a]);
                let span =
                    atom.map_or_else(|| self.spans.first().copied().unwrap_or_default(), |a| self.span(a));
                Diagnostic::error(Code::DeadEnd, span, message)
                    .help("give every role a legal move until the game has ended")
            }
            Violation::GoalMissing { state, role: r } => {
                let message =
                    format!("{} has no goal value in the terminal state {}", role(r), self.state(state));
                Diagnostic::error(Code::GoalMissing, self.goal_span(*r), message)
                    .help("give every role exactly one goal value in every terminal state")
            }
        }
    }

    /// The place of the first goal of a role.
    fn goal_span(&self, role: usize) -> Span {
        let atom = self.ground.goals.iter().find(|g| g.0 == role).map(|g| g.2);
        atom.map_or_else(|| self.spans.first().copied().unwrap_or_default(), |a| self.span(a))
    }

    /// Where a role has several goal values its highest one counts, with a warning.
    fn settle(
        &self,
        goals: &mut [(usize, u8, FormulaId)],
        exploration: &Exploration,
        compiler: &mut Compiler,
        findings: &mut Findings,
    ) {
        for (role, state) in &exploration.ambiguous {
            let message = format!(
                "{} has several goal values in the terminal state {}",
                self.text(self.ground.roles[*role]),
                self.state(state)
            );
            findings.push(
                Diagnostic::warning(Code::GoalAmbiguous, self.goal_span(*role), message)
                    .help("the highest value counts; give every role exactly one in every terminal state"),
            );
            let mut higher = FALSE;
            for (_, _, formula) in goals.iter_mut().filter(|g| g.0 == *role).rev() {
                let above = compiler.formulas.or(vec![higher, *formula]);
                let alone = compiler.formulas.not(higher);
                *formula = compiler.formulas.and(vec![*formula, alone]);
                higher = above;
            }
        }
    }
}

impl Checks {
    /// States the checks that are left in the game itself, so that every engine makes them.
    fn forbid(&self, game: &mut GameBuilder) {
        for (code, role, when) in self.open() {
            let ended = matches!(code, Code::GoalMissing | Code::GoalAmbiguous);
            let who = role.map_or(String::new(), |role| format!(" ({})", game.players[role]));
            let why = match code {
                Code::SimultaneousMoves => "two roles have a choice at the same time",
                Code::DeadEnd => "a role has no legal move although the game has not ended",
                Code::GoalMissing => "a role has no goal value although the game has ended",
                _ => "a role has several goal values where the game has ended",
            };
            game.forbidden.push(Forbidden { when, ended, why: format!("{why}{who}") });
        }
    }

    /// The checks that are left to make, with the code to report.
    pub fn open(&self) -> Vec<(Code, Option<usize>, ExprId)> {
        let mut list = vec![(Code::SimultaneousMoves, None, self.simultaneous)];
        let each = |code, exprs: &[ExprId]| {
            exprs.iter().enumerate().map(|(r, e)| (code, Some(r), *e)).collect::<Vec<_>>()
        };
        list.extend(each(Code::DeadEnd, &self.stuck));
        list.extend(each(Code::GoalMissing, &self.goal_missing));
        list.extend(each(Code::GoalAmbiguous, &self.goal_ambiguous));
        list.retain(|c| c.2 != winset_model::Exprs::FALSE);
        list
    }
}
