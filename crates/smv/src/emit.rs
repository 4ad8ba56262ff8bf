//! A game as an SMV file.

use crate::parse::{SECTIONS, UNSUPPORTED};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;
use thiserror::Error;
use winset_model::{Expr, ExprId, Exprs, Game, Player, Value, VarId, Variable};

/// Why a game cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EmitError {
    /// Definitions by recursion through the state.
    #[error("the rules of {0} use recursive definitions, which SMV does not have")]
    Recursive(String),
}

/// Words besides those that begin a section that mean something else in some dialect.
const RESERVED: [&str; 39] = [
    "NAME", "TRUE", "FALSE", "boolean", "integer", "real", "word", "word1", "signed", "unsigned", "array",
    "of", "process", "next", "init", "self", "case", "esac", "mod", "union", "in", "xor", "xnor", "bool",
    "toint", "count", "abs", "max", "min", "mu", "nu", "EX", "AX", "EF", "AF", "EG", "AG", "clock",
    "running",
];

/// Writes a game: a variable for each of the game's, a disjunct of `TRANS` for each move, and for each
/// player a specification in the mu-calculus that says the player can force a win. Terminal states have no
/// successor.
///
/// ```
/// let game = winset_games::build("tictactoe", None, &Default::default()).unwrap();
/// let text = winset_smv::emit(&game).unwrap();
/// let model = winset_smv::read(&text, &Default::default()).unwrap();
/// assert_eq!(model.system.relations.len(), game.moves().len());
/// ```
pub fn emit(game: &Game) -> Result<String, EmitError> {
    let mut emitter = Emitter::new(game);
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
    emitter.specify();
    Ok(emitter.text)
}

struct Emitter<'g> {
    game: &'g Game,
    text: String,
    variables: Vec<String>,
    values: Vec<Vec<String>>,
    /// Expressions that have a definition of their own.
    defined: FxHashMap<ExprId, String>,
}

impl<'g> Emitter<'g> {
    fn new(game: &'g Game) -> Self {
        let mut taken: FxHashSet<String> = FxHashSet::default();
        let variables: Vec<String> =
            game.variables().iter().map(|v| unique(&identifier(&v.name, "x"), &mut taken)).collect();
        let values = game.variables().iter().map(|v| value_names(v, &taken)).collect();
        Emitter { game, text: String::new(), variables, values, defined: FxHashMap::default() }
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
        for (i, v) in game.variables().iter().enumerate() {
            let list = self.values[i].join(", ");
            let original: Vec<&str> = v.values.iter().map(String::as_str).collect();
            let renamed = self.variables[i] != v.name || self.values[i] != original;
            let line = format!("  {} : {{{list}}};", self.variables[i]);
            let comment = format!("{}: {}", v.name, original.join(" ")).replace(['\n', '\r'], " ");
            self.line(if renamed { format!("{line}  -- {comment}") } else { line });
        }
        self.line("INIT");
        let start: Vec<String> = (0..game.variables().len())
            .map(|i| format!("{} = {}", self.variables[i], self.values[i][game.initial().0[i] as usize]))
            .collect();
        self.line(format!("  {};", start.join(" & ")));
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
        for (player, name) in game.players().iter().enumerate() {
            let turn = self.expression(game.turn()[player]);
            self.line(format!("  turn_{} := {turn};", identifier(name, "p")));
        }
        let terminal: Vec<String> = game.terminal().iter().map(|&t| self.expression(t)).collect();
        let terminal = if terminal.is_empty() { "FALSE".to_owned() } else { terminal.join(" | ") };
        self.line(format!("  terminal := {terminal};"));
        for (player, name) in game.players().iter().enumerate() {
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
                let line =
                    format!("  reward_{}_{reward} := {};", identifier(name, "p"), conditions.join(" | "));
                self.line(line);
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

    fn transitions(&mut self) {
        let game = self.game;
        if game.moves().is_empty() {
            self.line("TRANS FALSE;");
        }
        for (i, m) in game.moves().iter().enumerate() {
            let mut parts = vec![
                format!("turn_{}", identifier(game.player_name(m.player), "p")),
                "!terminal".to_owned(),
                self.expression(m.guard),
            ];
            if m.fallback {
                parts.push(format!("!other_move_{}", m.player));
            }
            for (v, name) in self.variables.iter().enumerate() {
                let update = m.updates.iter().find(|u| u.var == VarId(v as u32));
                let cases = update.map(|u| u.cases.as_slice()).unwrap_or(&[]);
                parts.push(match cases {
                    [] => format!("next({name}) = {name}"),
                    [(Exprs::TRUE, value), ..] => {
                        format!("next({name}) = {}", self.values[v][*value as usize])
                    }
                    _ => {
                        let mut text = format!("next({name}) = case ");
                        let mut default = true;
                        for &(when, value) in cases {
                            let when = self.expression(when);
                            default &= when != "TRUE";
                            let _ = write!(text, "{when} : {}; ", self.values[v][value as usize]);
                        }
                        if default {
                            let _ = write!(text, "TRUE : {name}; ");
                        }
                        text + "esac"
                    }
                });
            }
            let comment =
                format!("  -- {}: {}", game.player_name(m.player), m.name).replace(['\n', '\r'], " ");
            self.line(comment);
            let name = format!("move_{i}");
            self.line(format!("  {name} := {};", parts.join(" & ")));
        }
        if !game.moves().is_empty() {
            let names: Vec<String> = (0..game.moves().len()).map(|i| format!("move_{i}")).collect();
            self.line("TRANS");
            self.line(format!("  {};", names.join(" | ")));
        }
    }

    /// Each player can force a win.
    fn specify(&mut self) {
        let game = self.game;
        if game.players().len() != 2 {
            return;
        }
        for player in 0..2 {
            let (own, other) =
                (identifier(&game.players()[player], "p"), identifier(&game.players()[1 - player], "p"));
            if game.rewards()[player].iter().any(|&(reward, _)| reward == 100) {
                self.line(format!("-- {} can force a win", game.players()[player]));
                self.line(format!(
                    "MUSPEC mu Z. terminal & reward_{own}_100 | !terminal & (turn_{own} & EX Z | turn_{other} & AX Z)"
                ));
            }
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
            &Expr::Is(var, value) => self.equation(var, value, "="),
            &Expr::Not(a) => match self.game.exprs().get(a) {
                &Expr::Is(var, value) => self.equation(var, value, "!="),
                _ => format!("!{}", self.expression(a)),
            },
            Expr::And(list) => join(list, " & "),
            Expr::Or(list) => join(list, " | "),
        }
    }

    fn equation(&self, var: VarId, value: Value, sign: &str) -> String {
        format!("{} {sign} {}", self.variables[var.index()], self.values[var.index()][value as usize])
    }
}

/// The text if it is a name, otherwise what is left of it when everything else is replaced.
fn identifier(text: &str, prefix: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let clean = clean.trim_matches('_');
    let begins_well = clean.starts_with(|c: char| c.is_ascii_alphabetic());
    if begins_well && clean.len() > 1
        || (clean.len() == 1 && clean.starts_with(|c: char| c.is_ascii_lowercase()))
    {
        clean.to_owned()
    } else {
        format!("{prefix}_{clean}")
    }
}

/// A name that is neither reserved, nor used in the file otherwise, nor taken.
fn unique(name: &str, taken: &mut FxHashSet<String>) -> String {
    let own = ["e_", "move_", "turn_", "reward_", "other_move_", "terminal"];
    let mut candidate = name.to_owned();
    while [&SECTIONS[..], &UNSUPPORTED, &RESERVED].concat().contains(&candidate.as_str())
        || own.iter().any(|prefix| candidate.starts_with(prefix))
        || !taken.insert(candidate.clone())
    {
        candidate = format!("v_{candidate}");
    }
    candidate
}

/// Values share their names between variables, but never with a variable.
fn value_names(v: &Variable, variables: &FxHashSet<String>) -> Vec<String> {
    let mut own: FxHashSet<String> = variables.clone();
    v.values
        .iter()
        .enumerate()
        .map(|(i, value)| {
            let plain: String = value.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
            let name = if plain.is_empty() { format!("none_{i}") } else { identifier(value, "c") };
            unique(&name, &mut own)
        })
        .collect()
}
