//! The sizes of a ground game, and the ground game as text.

use crate::pipeline::GdlGame;
use std::fmt;
use std::time::Duration;
use winset_model::{Expr, ExprId, Exprs, Game};

/// The sizes of a ground game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Facts that a state can contain.
    pub fluents: usize,
    /// Finite-domain variables they were put into.
    pub variables: usize,
    /// Groups of fluents that were proved exclusive.
    pub groups: usize,
    /// Actions of single roles.
    pub actions: usize,
    /// Joint moves.
    pub moves: usize,
    /// Ground atoms.
    pub atoms: usize,
    /// Ground rules.
    pub rules: usize,
    /// Shared expressions of the game.
    pub expressions: usize,
    /// Systems of recursive definitions among them.
    pub systems: usize,
    /// States looked at while compiling.
    pub explored: usize,
    /// These were all states.
    pub complete: bool,
    /// Wall-clock time.
    pub time: Duration,
    /// The stages and how long each took.
    pub stages: Vec<(&'static str, Duration)>,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "fluents      {}", self.fluents)?;
        writeln!(f, "variables    {} ({} groups)", self.variables, self.groups)?;
        writeln!(f, "actions      {}", self.actions)?;
        writeln!(f, "moves        {}", self.moves)?;
        writeln!(f, "ground atoms {}", self.atoms)?;
        writeln!(f, "ground rules {}", self.rules)?;
        writeln!(f, "expressions  {} ({} recursive systems)", self.expressions, self.systems)?;
        let all = if self.complete { ", all there are" } else { "" };
        writeln!(f, "states seen  {}{all}", self.explored)?;
        let stage = |(name, time): &(&str, Duration)| format!("{name} {:.3}", time.as_secs_f64());
        let stages: Vec<String> = self.stages.iter().map(stage).collect();
        write!(f, "time         {:.3} s ({})", self.time.as_secs_f64(), stages.join(", "))
    }
}

impl fmt::Display for GdlGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let game = &self.game;
        for (v, variable) in game.variables().iter().enumerate() {
            let values: Vec<&str> =
                variable.values.iter().map(|x| if x.is_empty() { "none" } else { x }).collect();
            writeln!(f, "variable v{v} {}: {}", variable.name, values.join(", "))?;
        }
        writeln!(f, "start {}", game.print(game.initial()))?;
        let roots = game.turn().iter().chain(game.terminal()).copied();
        let roots = roots.chain(game.rewards().iter().flatten().map(|r| r.1));
        let moves = game.moves().iter().flat_map(|m| {
            std::iter::once(m.guard).chain(m.updates.iter().flat_map(|u| u.cases.iter().map(|c| c.0)))
        });
        for id in game.exprs().cone(roots.chain(moves)) {
            if let Some(text) = definition(game, id) {
                writeln!(f, "e{} = {text}", id.0)?;
            }
        }
        for system in 0..game.exprs().systems() {
            for (member, body) in
                game.exprs().bodies(winset_model::SystemId(system as u32)).iter().enumerate()
            {
                writeln!(f, "fix{system}.{member} = {}", name(game, *body))?;
            }
        }
        for (player, turn) in game.players().iter().zip(game.turn()) {
            writeln!(f, "turn {player}: {}", name(game, *turn))?;
        }
        for part in game.terminal() {
            writeln!(f, "terminal {}", name(game, *part))?;
        }
        for (player, rewards) in game.players().iter().zip(game.rewards()) {
            for (value, when) in rewards {
                writeln!(f, "reward {player} {value}: {}", name(game, *when))?;
            }
        }
        for m in game.moves() {
            writeln!(f, "move {} {}: {}", game.player_name(m.player), m.name, name(game, m.guard))?;
            for update in &m.updates {
                let variable = &game.variables()[update.var.index()];
                for (when, value) in &update.cases {
                    let value = &variable.values[*value as usize];
                    let value = if value.is_empty() { "none" } else { value };
                    writeln!(f, "  {} := {value} if {}", variable.name, name(game, *when))?;
                }
            }
        }
        Ok(())
    }
}

/// An expression by its short name, literals in full.
fn name(game: &Game, id: ExprId) -> String {
    match game.exprs().get(id) {
        Expr::False => "false".into(),
        Expr::True => "true".into(),
        Expr::Is(var, value) | Expr::Next(var, value) => {
            let text = &game.variables()[var.index()].values[*value as usize];
            if text.is_empty() {
                format!("(none {})", game.variables()[var.index()].name)
            } else {
                text.clone()
            }
        }
        Expr::Not(a) => format!("(not {})", name(game, *a)),
        Expr::Fix(system, member) => format!("fix{}.{member}", system.0),
        Expr::And(_) | Expr::Or(_) => format!("e{}", id.0),
    }
}

fn definition(game: &Game, id: ExprId) -> Option<String> {
    let list = |word: &str, list: &[ExprId]| {
        let parts: Vec<String> = list.iter().map(|a| name(game, *a)).collect();
        Some(format!("({word} {})", parts.join(" ")))
    };
    match game.exprs().get(id) {
        Expr::And(parts) => list("and", parts),
        Expr::Or(parts) => list("or", parts),
        _ if id == Exprs::TRUE => None,
        _ => None,
    }
}
