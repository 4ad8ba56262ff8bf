//! From groups and joint moves to a game of the model.

use crate::convert::compile::Compiler;
use crate::convert::simplify::Simplified;
use crate::convert::translate::Translator;
use crate::ground::constants::Constants;
use crate::ground::instances::Ground;
use crate::ground::terms::{TermId, Terms};
use crate::limits::{Exceeded, Meter};
use crate::prove::formula::{Assumption, FALSE, Formula, FormulaId, Formulas, Memo, TRUE};
use crate::prove::induct::{Invariants, JointMove};
use crate::prove::refute::{Group, Theory, consequences, refute};
use crate::prove::turn::{Turn, turn, two_of};
use crate::syntax::symbols::Symbols;
use rustc_hash::FxHashMap;
use winset_model::{ExprId, GameBuilder, Move, Player, State, Update, Value, VarId};

/// Conditions that no reachable state may fulfil, for engines to test on the set of reachable states. A
/// condition that is already known to be impossible is [`winset_model::Exprs::FALSE`].
#[derive(Clone, Debug)]
pub struct Checks {
    /// Two roles have a choice; must not hold where the game goes on.
    pub simultaneous: ExprId,
    /// For every role: it has no legal move; must not hold where the game goes on.
    pub stuck: Vec<ExprId>,
    /// For every role: it has no goal value; must not hold where the game has ended.
    pub goal_missing: Vec<ExprId>,
    /// For every role: it has several goal values; must not hold where the game has ended.
    pub goal_ambiguous: Vec<ExprId>,
}

pub(crate) struct Conversion<'a, 'g> {
    pub ground: &'g Ground,
    pub constants: &'a Constants,
    pub terms: &'a Terms,
    pub symbols: &'a Symbols,
    /// Every reachable state has been looked at, so all checks have been made.
    pub complete: bool,
}

/// The variables as groups of fluents, and the place of every fluent in them.
struct Grouping {
    groups: Vec<Group>,
    places: FxHashMap<u32, (VarId, Value)>,
}

/// One move before translation.
struct Draft {
    player: usize,
    actions: Vec<usize>,
    guard: FormulaId,
    updates: Vec<(usize, Vec<(FormulaId, Value)>)>,
}

impl Conversion<'_, '_> {
    fn text(&self, term: TermId) -> String {
        self.terms.text(term, self.symbols)
    }

    pub fn convert(
        &self,
        name: &str,
        compiler: &mut Compiler,
        invariants: Invariants,
        goals: &[(usize, u8, FormulaId)],
        meter: &Meter,
    ) -> Result<(GameBuilder, Checks), Exceeded> {
        let ground = self.ground;
        let legal: Vec<FormulaId> = ground.legal.iter().map(|a| compiler.formula(*a)).collect();
        let Invariants { theory, moves, mut simplifier, .. } = invariants;
        let turn = turn(ground, &mut compiler.formulas, &theory, &legal);
        let mut game = GameBuilder::new(name, ground.roles.iter().map(|r| self.text(*r)));
        let groups = self.variables(&theory, &mut game);
        let mut places: FxHashMap<u32, (VarId, Value)> = FxHashMap::default();
        for (var, group) in groups.iter().enumerate() {
            for (value, fluent) in group.fluents.iter().enumerate() {
                places.insert(*fluent, (VarId(var as u32), value as Value));
            }
        }
        let grouping = Grouping { groups, places };
        let mut drafts = Vec::new();
        for joint in &moves {
            meter.check_time()?;
            if let (Some(simplified), _) = simplifier.simplify(joint, &theory, compiler) {
                drafts.extend(self.draft(joint, simplified, &theory, &grouping, &turn, compiler));
            }
        }
        let terminal = ground.terminal.map_or(FALSE, |t| compiler.formula(t));
        let parts = disjuncts(&compiler.formulas, terminal);
        let checks = self.checks(&turn, &legal, goals, terminal, &theory, &mut compiler.formulas);
        let alone = |g: &&Group| g.exact && g.fluents.len() == 1;
        let always = theory.groups.iter().filter(alone).map(|g| g.fluents[0]).collect();
        let mut translator = Translator::new(&compiler.formulas, &grouping.places, always);
        let exprs = &mut game.exprs;
        exprs.reserve(compiler.formulas.len());
        game.turn = turn.decides.iter().map(|f| translator.expr(exprs, *f)).collect();
        game.terminal = parts.iter().map(|f| translator.expr(exprs, *f)).collect();
        game.exclusive_rewards = true;
        for (role, value, formula) in goals {
            game.rewards[*role].push((*value, translator.expr(exprs, *formula)));
        }
        let names = self.move_names(&drafts);
        for (draft, name) in drafts.into_iter().zip(names) {
            meter.check_time()?;
            let guard = translator.expr(exprs, draft.guard);
            let update = |(var, cases): (usize, Vec<(FormulaId, Value)>)| Update {
                var: VarId(var as u32),
                cases: cases.into_iter().map(|(f, v)| (translator.expr(exprs, f), v)).collect(),
            };
            let updates = draft.updates.into_iter().map(update).collect();
            game.moves.push(Move {
                name,
                player: Player::new(draft.player),
                guard,
                updates,
                fallback: false,
            });
        }
        let mut expr = |f: &FormulaId| translator.expr(exprs, *f);
        let checks = Checks {
            simultaneous: expr(&checks.0),
            stuck: checks.1.iter().map(&mut expr).collect(),
            goal_missing: checks.2.iter().map(&mut expr).collect(),
            goal_ambiguous: checks.3.iter().map(&mut expr).collect(),
        };
        Ok((game, checks))
    }

    /// Adds the variables: groups, single fluents, and facts that always hold, in the order of the fluents.
    fn variables(&self, theory: &Theory, game: &mut GameBuilder) -> Vec<Group> {
        let mut groups = theory.groups.clone();
        let taken: rustc_hash::FxHashSet<u32> =
            groups.iter().flat_map(|g| g.fluents.iter().copied()).collect();
        for f in 0..self.ground.fluents.len() as u32 {
            let constant = self.constants.value(f);
            if !taken.contains(&f) && constant != Some(false) {
                groups.push(Group { fluents: vec![f], exact: constant == Some(true) });
            }
        }
        groups.sort_by(|a, b| a.fluents.cmp(&b.fluents));
        let mut names: FxHashMap<String, usize> = FxHashMap::default();
        let mut initial = Vec::new();
        for group in &groups {
            let mut values: Vec<String> =
                group.fluents.iter().map(|f| self.text(self.ground.fluents[*f as usize])).collect();
            let mut name = self.group_name(group);
            let again = names.entry(name.clone()).or_default();
            *again += 1;
            if *again > 1 {
                name = format!("{name} #{again}");
            }
            let start = group.fluents.iter().position(|f| self.ground.init[*f as usize]);
            if !group.exact {
                values.push(String::new());
            }
            initial.push(start.unwrap_or(group.fluents.len()) as Value);
            game.add_variable(name, values);
        }
        game.initial = State(initial.into());
        groups
    }

    /// The fluent with `?` where the group's members differ.
    fn group_name(&self, group: &Group) -> String {
        let terms: Vec<TermId> = group.fluents.iter().map(|f| self.ground.fluents[*f as usize]).collect();
        let first = terms[0];
        if terms.len() == 1 {
            return self.text(first);
        }
        let same_relation = terms.iter().all(|t| {
            self.terms.functor(*t) == self.terms.functor(first)
                && self.terms.args(*t).len() == self.terms.args(first).len()
        });
        let head = if same_relation { self.symbols.name(self.terms.functor(first)) } else { "?" };
        let arity = terms.iter().map(|t| self.terms.args(*t).len()).min().unwrap_or(0);
        let mut name = format!("({head}");
        for p in 0..arity {
            let arg = self.terms.args(first)[p];
            let same = terms.iter().all(|t| self.terms.args(*t)[p] == arg);
            name += " ";
            name += &if same { self.text(arg) } else { "?".into() };
        }
        name + ")"
    }

    /// The model's moves for a joint move: one for each player who may be the one to decide.
    fn draft(
        &self,
        joint: &JointMove,
        simplified: Simplified,
        theory: &Theory,
        Grouping { groups, places }: &Grouping,
        turn: &Turn,
        compiler: &mut Compiler,
    ) -> Vec<Draft> {
        let mut updates = Vec::new();
        let mut touched: Vec<usize> =
            simplified.effects.iter().filter_map(|(f, _)| places.get(f)).map(|p| p.0.index()).collect();
        touched.sort_unstable();
        touched.dedup();
        for var in touched {
            if let Some(cases) = cases(&groups[var], &simplified, &mut compiler.formulas) {
                updates.push((var, cases));
            }
        }
        let guard = tidy(joint.guard, theory, &mut compiler.formulas);
        let decides = |player: &usize| {
            let mut memo = Memo::new(1);
            let decides = compiler.formulas.restrict(turn.decides[*player], &simplified.known, &mut memo);
            // The formula as it was, which the guard may mention as a whole.
            let claims = [(joint.guard, true), (turn.decides[*player], true)];
            match decides {
                TRUE => true,
                FALSE => false,
                _ => consequences(&compiler.formulas, theory, &claims).is_some(),
            }
        };
        let players: Vec<usize> = (0..turn.decides.len()).filter(decides).collect();
        let actions = &joint.actions;
        let draft = |(player, updates)| Draft { player, actions: actions.clone(), guard, updates };
        // Updates are many, and mostly there is one player.
        let copies = std::iter::repeat_n(updates, players.len());
        players.into_iter().zip(copies).map(draft).collect()
    }

    /// A move is called as its player writes it, with the other roles' parts only where that is needed to
    /// tell two apart.
    fn move_names(&self, drafts: &[Draft]) -> Vec<String> {
        let action = |a: usize| self.text(self.ground.actions[a].1);
        let mut count: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        for d in drafts {
            *count.entry((d.player, d.actions[d.player])).or_default() += 1;
        }
        drafts
            .iter()
            .map(|d| {
                let own = d.actions[d.player];
                let others = (0..d.actions.len()).filter(|role| *role != d.player);
                let others = others.filter(|_| count[&(d.player, own)] > 1).map(|role| d.actions[role]);
                std::iter::once(own).chain(others).map(action).collect::<Vec<_>>().join(" | ")
            })
            .collect()
    }

    fn checks(
        &self,
        turn: &Turn,
        legal: &[FormulaId],
        goals: &[(usize, u8, FormulaId)],
        terminal: FormulaId,
        theory: &Theory,
        formulas: &mut Formulas,
    ) -> FormulaChecks {
        let roles = 0..self.ground.roles.len();
        if self.complete {
            let none = vec![FALSE; roles.len()];
            return (FALSE, none.clone(), none.clone(), none);
        }
        // What can be shown to be impossible need not be checked by any engine.
        let open = |formulas: &Formulas, check: FormulaId, ended: bool| {
            let impossible = refute(formulas, theory, &[(check, true)], CHECK_BUDGET)
                || refute(formulas, theory, &[(check, true), (terminal, ended)], CHECK_BUDGET);
            if impossible { FALSE } else { check }
        };
        let mut nothing = |list: Vec<FormulaId>, ended: bool| {
            let some = formulas.or(list);
            let none = formulas.not(some);
            open(formulas, none, ended)
        };
        let own = |r: usize| {
            (0..legal.len()).filter(|a| self.ground.actions[*a].0 == r).map(|a| legal[a]).collect()
        };
        let stuck = roles.clone().map(|r| nothing(own(r), false)).collect();
        let of = |r: usize| goals.iter().filter(move |g| g.0 == r).map(|g| g.2).collect::<Vec<_>>();
        let missing = roles.clone().map(|r| nothing(of(r), true)).collect();
        let mut several = |list: Vec<FormulaId>| {
            let two = two_of(formulas, &list);
            let apart = |i: usize, j: usize| {
                refute(formulas, theory, &[(list[i], true), (list[j], true)], CHECK_BUDGET)
            };
            let few = list.len() <= MOST_GOALS;
            let all = few && (0..list.len()).all(|i| (0..i).all(|j| apart(i, j)));
            if all { FALSE } else { two }
        };
        let ambiguous = roles.map(|r| several(of(r))).collect();
        (turn.simultaneous, stuck, missing, ambiguous)
    }
}

/// Steps to show that a check is not needed, and the number of goal values up to which each pair is tried.
const CHECK_BUDGET: usize = 20_000;
const MOST_GOALS: usize = 12;

/// [`Checks`] as formulas.
type FormulaChecks = (FormulaId, Vec<FormulaId>, Vec<FormulaId>, Vec<FormulaId>);

/// How a variable changes; nothing if it keeps its value.
fn cases(group: &Group, simplified: &Simplified, formulas: &mut Formulas) -> Option<Vec<(FormulaId, Value)>> {
    let mut cases = Vec::new();
    let mut leaving = Vec::new();
    let mut all_change = true;
    for (value, fluent) in group.fluents.iter().enumerate() {
        let known = simplified.known.value(*fluent);
        let Some(effect) = simplified.effect(*fluent) else {
            // It stays if it holds: no case is needed, since no other value of the group can come up then.
            all_change &= known == Some(false);
            continue;
        };
        match effect {
            TRUE => return Some(vec![(TRUE, value as Value)]),
            FALSE => {}
            other => cases.push((other, value as Value)),
        }
        match known {
            Some(true) => leaving.push(TRUE),
            Some(false) => {}
            None => leaving.push(formulas.fluent(*fluent)),
        }
    }
    if !group.exact && !leaving.is_empty() {
        let leaves = if all_change { TRUE } else { formulas.or(leaving) };
        cases.push((leaves, group.fluents.len() as Value));
    }
    (!cases.is_empty()).then_some(cases)
}

/// The guard without conditions that others of its own conditions imply.
fn tidy(guard: FormulaId, theory: &Theory, formulas: &mut Formulas) -> FormulaId {
    let mut stack = vec![guard];
    let (mut facts, mut rest) = (Vec::new(), Vec::new());
    let mut steps = 0;
    while let Some(id) = stack.pop() {
        steps += 1;
        match formulas.get(id) {
            Formula::And(list) if steps < 100 => stack.extend(list),
            Formula::Fluent(_) => facts.push(id),
            _ => rest.push(id),
        }
    }
    let claims: Vec<_> = facts.iter().map(|f| (*f, true)).collect();
    let Some(list) = consequences(formulas, theory, &claims) else { return FALSE };
    let mut known = Assumption::default();
    list.into_iter().for_each(|(f, v)| known.set(f, v));
    let mut memo = Memo::new(rest.len());
    let mut parts = facts;
    for id in rest {
        parts.push(formulas.restrict(id, &known, &mut memo));
    }
    formulas.and(parts)
}

/// The parts of a disjunction, through nested ones.
fn disjuncts(formulas: &Formulas, root: FormulaId) -> Vec<FormulaId> {
    const MOST: usize = 1000;
    let mut parts = Vec::new();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        match formulas.get(id) {
            Formula::Or(list) if parts.len() + stack.len() + list.len() < MOST => {
                stack.extend(list.iter().rev())
            }
            Formula::False => {}
            _ => parts.push(id),
        }
    }
    parts.sort_unstable();
    parts.dedup();
    parts
}
