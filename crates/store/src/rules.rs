//! The digest of a game's rules: two games with the same digest are played alike.

use rustc_hash::FxHashMap;
use winset_model::{Expr, ExprId, Game, SystemId};

/// The digest of everything that gives the game its meaning: players, variables, start, turn, moves,
/// terminal conditions and rewards. Independent of how the expressions lie in their arena.
///
/// ```
/// let build = |size| winset_games::build("connect4", Some(size), &Default::default()).unwrap();
/// let digest = winset_store::rules_digest(&build("4x4"));
/// assert_eq!(digest, winset_store::rules_digest(&build("4x4")));
/// assert_ne!(digest, winset_store::rules_digest(&build("4x5")));
/// ```
pub fn rules_digest(game: &Game) -> String {
    let mut digest = Digest::new(game);
    digest.text("winset rules 1");
    digest.number(game.players().len() as u64);
    for player in game.players() {
        digest.text(player);
    }
    digest.number(game.variables().len() as u64);
    for v in game.variables() {
        digest.text(&v.name);
        digest.number(v.values.len() as u64);
        v.values.iter().for_each(|value| digest.text(value));
    }
    game.initial().0.iter().for_each(|&value| digest.number(value.into()));
    game.turn().iter().for_each(|&turn| digest.expr(turn));
    digest.number(game.moves().len() as u64);
    for m in game.moves() {
        digest.text(&m.name);
        digest.number(u64::from(m.player.0));
        digest.number(m.fallback.into());
        digest.expr(m.guard);
        digest.number(m.updates.len() as u64);
        for update in &m.updates {
            digest.number(update.var.0.into());
            digest.number(update.cases.len() as u64);
            for &(when, value) in &update.cases {
                digest.expr(when);
                digest.number(value.into());
            }
        }
    }
    // The terminal conditions are a disjunction: their order has no meaning.
    let mut terminal: Vec<[u8; 32]> = game.terminal().iter().map(|&t| digest.hash(t)).collect();
    terminal.sort_unstable();
    digest.number(terminal.len() as u64);
    terminal.iter().for_each(|hash| digest.bytes(hash));
    for rewards in game.rewards() {
        digest.number(rewards.len() as u64);
        for &(reward, when) in rewards {
            digest.number(reward.into());
            digest.expr(when);
        }
    }
    digest.finish()
}

/// Hashes expressions by structure. A member of a recursive system is hashed by the system's number in
/// the order of first use; the systems' bodies follow at the end.
struct Digest<'g> {
    game: &'g Game,
    hasher: blake3::Hasher,
    hashes: FxHashMap<ExprId, [u8; 32]>,
    systems: Vec<SystemId>,
}

impl<'g> Digest<'g> {
    fn new(game: &'g Game) -> Self {
        Digest { game, hasher: blake3::Hasher::new(), hashes: FxHashMap::default(), systems: vec![] }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
    }

    fn number(&mut self, number: u64) {
        self.bytes(&number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes(text.as_bytes());
    }

    fn expr(&mut self, id: ExprId) {
        let hash = self.hash(id);
        self.bytes(&hash);
    }

    fn hash(&mut self, root: ExprId) -> [u8; 32] {
        // An explicit stack: expressions from long rules can be nested deeper than the call stack allows.
        let mut stack = vec![(root, false)];
        while let Some((id, operands_done)) = stack.pop() {
            if self.hashes.contains_key(&id) {
                continue;
            }
            let operands = self.game.exprs().operands(id);
            if operands_done || operands.is_empty() {
                let hash = self.node(id);
                self.hashes.insert(id, hash);
            } else {
                stack.push((id, true));
                stack.extend(operands.iter().rev().map(|&operand| (operand, false)));
            }
        }
        self.hashes[&root]
    }

    fn node(&mut self, id: ExprId) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        let mut leaf = |tag: u8, numbers: [u32; 2]| {
            hasher.update(&[tag]);
            numbers.iter().for_each(|n| {
                hasher.update(&n.to_le_bytes());
            });
        };
        match self.game.exprs().get(id) {
            Expr::False => leaf(0, [0, 0]),
            Expr::True => leaf(1, [0, 0]),
            &Expr::Is(var, value) => leaf(2, [var.0, value.into()]),
            &Expr::Next(var, value) => leaf(3, [var.0, value.into()]),
            Expr::Not(_) => leaf(4, [0, 0]),
            Expr::And(list) => leaf(5, [list.len() as u32, 0]),
            Expr::Or(list) => leaf(6, [list.len() as u32, 0]),
            &Expr::Fix(system, member) => {
                let number = self.systems.iter().position(|&s| s == system).unwrap_or_else(|| {
                    self.systems.push(system);
                    self.systems.len() - 1
                });
                leaf(7, [number as u32, member]);
            }
        }
        let mut operands: Vec<[u8; 32]> =
            self.game.exprs().operands(id).iter().map(|a| self.hashes[a]).collect();
        operands.sort_unstable();
        operands.iter().for_each(|hash| {
            hasher.update(hash);
        });
        *hasher.finalize().as_bytes()
    }

    fn finish(mut self) -> String {
        let mut done = 0;
        while let Some(&system) = self.systems.get(done) {
            done += 1;
            let bodies = self.game.exprs().bodies(system);
            self.number(bodies.len() as u64);
            for &body in bodies {
                self.expr(body);
            }
        }
        self.hasher.finalize().to_hex().to_string()
    }
}
