//! A game as an SMV file.

mod names;
mod variable;

use names::player_names;
use rustc_hash::FxHashMap;
use thiserror::Error;
use variable::{Written, by_bits, by_values, cases};
use winset_model::{Expr, ExprId, Game, Player, VarId};

/// Why a game cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EmitError {
    /// Definitions by recursion through the state.
    #[error("the rules of {0} use recursive definitions, which SMV does not have")]
    Recursive(String),
}

/// How a game is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Boolean variables only: three for each square of a board with up to eight contents (x, y and z), and m for
    /// the turn, as in the checkers paper. Codes that stand for no value are excluded by `INVAR`.
    pub boolean: bool,
    /// "Each player can force a win" as `MUSPEC`, which other model checkers do not know; otherwise it is a comment.
    pub mu: bool,
}

/// Writes a game: a variable for each of the game's, a disjunct of `TRANS` for each move, and for each
/// player specifications that say the player wins some play, and can force a win. A terminal state is its own
/// successor: relations of SMV are total, and NuSMV's answers about CTL are wrong where they are not.
///
/// ```
/// use winset_smv::Style;
/// let game = winset_games::build("tictactoe", None, &Default::default()).unwrap();
/// let text = winset_smv::emit(&game, Style { boolean: true, mu: true }).unwrap();
/// let model = winset_smv::read(&text, &Default::default()).unwrap();
/// assert_eq!(model.system.relations.len(), game.moves().len() + 1);
/// assert_eq!(model.system.variables.len(), 9 * 2 + 1);
/// ```
pub fn emit(game: &Game, style: Style) -> Result<String, EmitError> {
    let mut emitter = Emitter::new(game, style);
    emitter.declare();
    let guards: Vec<ExprId> = game.moves().iter().map(|m| m.guard).collect();
    let conditions = game.moves().iter().flat_map(|m| &m.updates).flat_map(|u| u.cases.iter().map(|c| c.0));
    let rewards = game.rewards().iter().flatten().map(|&(_, when)| when);
    let roots: Vec<ExprId> = guards
        .into_iter()
        .chain(conditions)
        .chain(game.turn().iter().copied())
        .chain(game.terminal().iter().copied())
        .chain(rewards)
        .collect();
    if game
        .exprs()
        .cone(roots.iter().copied())
        .iter()
        .any(|&id| matches!(game.exprs().get(id), Expr::Fix(..)))
    {
        return Err(EmitError::Recursive(game.name().to_owned()));
    }
    emitter.define(&roots);
    emitter.transitions();
    emitter.stay();
    emitter.specify();
    Ok(emitter.text)
}

struct Emitter<'g> {
    game: &'g Game,
    style: Style,
    text: String,
    variables: Vec<Written>,
    /// The players' names as parts of names.
    players: Vec<String>,
    /// Expressions that have a definition of their own.
    defined: FxHashMap<ExprId, String>,
}

impl<'g> Emitter<'g> {
    fn new(game: &'g Game, style: Style) -> Self {
        let variables = if style.boolean { by_bits(game) } else { by_values(game) };
        let players = player_names(game.players());
        Emitter { game, style, text: String::new(), variables, players, defined: FxHashMap::default() }
    }

    fn line(&mut self, line: impl AsRef<str>) {
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    fn declare(&mut self) {
        let game = self.game;
        self.line(format!("-- {} {}", game.name(), game.size()).trim_end());
        self.line("MODULE main");
        self.line("VAR");
        // The turn first, as the paper's order has it.
        let turn =
            |i: &usize| matches!(&self.variables[*i], Written::Bits { names, .. } if names[..] == ["m"]);
        let mut order: Vec<usize> = (0..game.variables().len()).collect();
        order.sort_by_key(|i| !turn(i));
        for i in order {
            let lines = self.variables[i].declarations(&game.variables()[i]);
            lines.iter().for_each(|line| self.line(line));
        }
        self.line("INIT");
        let start = self.variables.iter().zip(&game.initial().0).map(|(v, &value)| v.is(value));
        let start: Vec<String> = start.collect();
        self.line(format!("  {};", start.join(" & ")));
        let domains: Vec<String> = self.variables.iter().filter_map(Written::domain).collect();
        if !domains.is_empty() {
            self.line("INVAR");
            self.line(format!("  {};", domains.join(" & ")));
        }
    }

    /// Definitions for what is used more than once, and for the sets that have names.
    fn define(&mut self, roots: &[ExprId]) {
        let game = self.game;
        let cone = game.exprs().cone(roots.iter().copied());
        let mut uses: FxHashMap<ExprId, usize> = FxHashMap::default();
        for &id in cone.iter() {
            for &operand in game.exprs().operands(id) {
                *uses.entry(operand).or_default() += 1;
            }
        }
        for &root in roots {
            *uses.entry(root).or_default() += 1;
        }
        self.line("DEFINE");
        let mut depth: FxHashMap<ExprId, usize> = FxHashMap::default();
        for id in cone {
            let operands = game.exprs().operands(id);
            let deep = operands.iter().map(|a| depth.get(a).copied().unwrap_or(0)).max().unwrap_or(0) + 1;
            let large = matches!(game.exprs().get(id), Expr::And(_) | Expr::Or(_));
            // Shared, or else so deep that it would be hard to read.
            if large && (uses.get(&id).copied().unwrap_or(0) > 1 || deep > 16) {
                let name = format!("e_{}", id.0);
                let body = self.body(id);
                self.line(format!("  {name} := {body};"));
                self.defined.insert(id, name);
                depth.insert(id, 0);
            } else {
                depth.insert(id, deep);
            }
        }
        for (player, name) in self.players.clone().into_iter().enumerate() {
            let turn = self.expression(game.turn()[player]);
            self.line(format!("  turn_{name} := {turn};"));
        }
        let terminal: Vec<String> = game.terminal().iter().map(|&t| self.expression(t)).collect();
        let terminal = if terminal.is_empty() { "FALSE".to_owned() } else { terminal.join(" | ") };
        self.line(format!("  terminal := {terminal};"));
        for (player, name) in self.players.clone().into_iter().enumerate() {
            let mut by_reward: std::collections::BTreeMap<u8, Vec<String>> = Default::default();
            let list = &game.rewards()[player];
            for (i, &(reward, when)) in list.iter().enumerate() {
                let mut when = self.expression(when);
                // Of the conditions that hold, the first one counts.
                let before = list[..i].iter().filter(|other| other.0 != reward && !game.exclusive_rewards());
                let before: Vec<String> = before.map(|other| self.expression(other.1)).collect();
                if !before.is_empty() {
                    when = format!("({when}) & !({})", before.join(" | "));
                }
                by_reward.entry(reward).or_default().push(when);
            }
            for (reward, conditions) in by_reward {
                self.line(format!("  reward_{name}_{reward} := {};", conditions.join(" | ")));
            }
        }
        for player in 0..game.players().len() {
            if game.moves().iter().any(|m| m.player == Player::new(player) && m.fallback) {
                let others = game.moves().iter().filter(|m| m.player == Player::new(player) && !m.fallback);
                let guards: Vec<String> = others.map(|m| self.expression(m.guard)).collect();
                let any = if guards.is_empty() { "FALSE".to_owned() } else { guards.join(" | ") };
                self.line(format!("  other_move_{player} := {any};"));
            }
        }
    }

    /// A definition for each move.
    fn transitions(&mut self) {
        let game = self.game;
        for (i, m) in game.moves().iter().enumerate() {
            let mut parts = vec![
                format!("turn_{}", self.players[m.player.index()]),
                "!terminal".to_owned(),
                self.expression(m.guard),
            ];
            if m.fallback {
                parts.push(format!("!other_move_{}", m.player));
            }
            for (v, written) in self.variables.iter().enumerate() {
                let update = m.updates.iter().find(|u| u.var == VarId(v as u32));
                parts.extend(match update {
                    Some(update) if !update.cases.is_empty() => {
                        written.becomes(&cases(&update.cases, |when| self.expression(when)))
                    }
                    _ => written.keeps(),
                });
            }
            let comment =
                format!("  -- {}: {}", game.player_name(m.player), m.name).replace(['\n', '\r'], " ");
            self.line(comment);
            self.line(format!("  move_{i} := {};", parts.join(" & ")));
        }
    }

    /// What has ended stays as it is; and all transitions together.
    fn stay(&mut self) {
        let keeps = self.variables.iter().flat_map(Written::keeps);
        let stay: Vec<String> = std::iter::once("terminal".to_owned()).chain(keeps).collect();
        self.line(format!("  stay := {};", stay.join(" & ")));
        let moves = (0..self.game.moves().len()).map(|i| format!("move_{i}"));
        let all: Vec<String> = moves.chain(["stay".to_owned()]).collect();
        self.line("TRANS");
        self.line(format!("  {};", all.join(" | ")));
    }

    /// Each player wins some play, and can force a win.
    fn specify(&mut self) {
        let (game, players) = (self.game, self.players.clone());
        for (player, own) in players.iter().enumerate() {
            if !game.rewards()[player].iter().any(|&(reward, _)| reward == 100) {
                continue;
            }
            let name = game.players()[player].replace(['\n', '\r'], " ");
            self.line(format!("-- {name} wins some play"));
            self.line(format!("CTLSPEC EF (terminal & reward_{own}_100)"));
            let others = players.iter().enumerate().filter(|(other, _)| *other != player);
            let others: String = others.map(|(_, other)| format!(" | turn_{other} & AX Z")).collect();
            self.line(format!("-- {name} can force a win"));
            let sign = if self.style.mu { "" } else { "-- " };
            self.line(format!(
                "{sign}MUSPEC mu Z. terminal & reward_{own}_100 | !terminal & (turn_{own} & EX Z{others})"
            ));
        }
    }

    fn expression(&self, id: ExprId) -> String {
        match self.defined.get(&id) {
            Some(name) => name.clone(),
            None => self.body(id),
        }
    }

    fn body(&self, id: ExprId) -> String {
        let join = |list: &[ExprId], symbol: &str| {
            let parts: Vec<String> = list.iter().map(|&a| self.expression(a)).collect();
            format!("({})", parts.join(symbol))
        };
        match self.game.exprs().get(id) {
            Expr::False | Expr::Fix(..) | Expr::Next(..) => "FALSE".to_owned(),
            Expr::True => "TRUE".to_owned(),
            &Expr::Is(var, value) => self.variables[var.index()].is(value),
            &Expr::Not(a) => match self.game.exprs().get(a) {
                &Expr::Is(var, value) => self.variables[var.index()].is_not(value),
                _ => format!("!{}", self.expression(a)),
            },
            Expr::And(list) => join(list, " & "),
            Expr::Or(list) => join(list, " | "),
        }
    }
}
