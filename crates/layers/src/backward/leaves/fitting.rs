//! For which games values can be kept as leaves.

use crate::backward::leaves::mirror::{Half, LeafMirror, Mirror};
use crate::backward::leaves::places::{Candidates, Places};
use crate::backward::leaves::{ByLeaves, PARTS, kept};
use crate::error::LayersError;
use crate::forward::search::Forward;
use crate::options::{Form, Options};
use crate::sets::layer::Layer;
use crate::shared::LayerRecord;
use crate::solution::Kept;
use std::collections::BTreeMap;
use winset_model::{Code, Game, Player};

/// Leaves are not tried with less memory.
pub const LEAVES_NEED: u64 = 64 << 20;

/// The most outcomes: each has a bit.
const OUTCOMES: usize = 32;

/// The steps of looking for symmetries that a state is worth: so the search takes a tenth of the time that is needed
/// for the values, or less.
const STEPS_PER_STATE: f64 = 0.02;

/// The most mirrors that are tried on the leaf.
const MIRRORS: usize = 8;

/// The most tasks of a layer for the sake of a mirror, and how much memory there must be for each.
const TASKS: u64 = 1 << 18;
const ROOM_FOR_TASK: u64 = 2 << 10;

/// What is left of the work when one of each two mirrored states is left out.
const HALVED: f64 = 0.6;

/// What was seen of a layer.
struct Seen {
    measure: i64,
    movers: Vec<Player>,
    default: Option<Code>,
    unclear: bool,
    all_leave: bool,
    terminal: Vec<(Code, u64)>,
}

/// What the forward pass sees on its way.
pub struct Facts {
    candidates: Candidates,
    layers: Vec<Seen>,
    /// Use only what a later run, which finds the layers of this one, will see too.
    lasting: bool,
}

impl Facts {
    /// Nothing seen yet; blocks with n digits. `lasting` if nothing may be used that is not found again in a layer
    /// which an earlier run has left: then it is as if it were not known.
    pub fn new(digits: &[usize], lasting: bool) -> Self {
        Facts { candidates: Candidates::new(digits), layers: vec![], lasting }
    }

    /// What several processes have seen of layers that all know of: what any of them can find again.
    pub fn shared(candidates: Candidates, records: &[LayerRecord]) -> Self {
        let seen = |record: &LayerRecord| Seen {
            measure: record.measure,
            movers: record.movers.iter().map(|mover| mover.player).collect(),
            default: record.unplaced(),
            unclear: record.default_unclear,
            all_leave: false,
            terminal: record.terminal.iter().copied().filter(|&(_, n)| n > 0).collect(),
        };
        Facts { candidates, layers: records.iter().map(seen).collect(), lasting: true }
    }

    /// Looks at a layer.
    pub fn add(&mut self, layer: &Layer) {
        self.candidates.add(layer);
        self.layers.push(Seen {
            measure: layer.measure,
            movers: layer.parts.iter().map(|part| part.player).collect(),
            default: layer.default,
            unclear: layer.default_unclear,
            all_leave: layer.all_leave && !self.lasting,
            terminal: layer.terminal.iter().copied().filter(|&(_, n)| n > 0).collect(),
        });
    }
}

/// Why a game does not fit, or how it does.
pub enum Fitting {
    /// It does not, because of this.
    Not(&'static str),
    /// It does.
    Fits(Box<ByLeaves>),
}

impl Fitting {
    /// In which form the values of a game with n blocks are kept.
    pub fn kept(&self, blocks: usize) -> Kept {
        match self {
            Fitting::Not(why) => Kept::Ranks(why),
            Fitting::Fits(by) => {
                let (blocks, widest) = (blocks - by.places.level, by.places.widest());
                Kept::Leaves { blocks, widest, halved: by.half.is_some() }
            }
        }
    }

    /// Looks whether a game fits of which the forward pass has seen everything. `ends` are the outcomes that occur.
    pub fn new(
        facts: Facts,
        game: &Game,
        forward: &mut Forward,
        ends: &[Code],
        options: &Options,
    ) -> Result<Self, LayersError> {
        let not = |why| Ok(Fitting::Not(why));
        let players = [Player(0), Player(1)];
        let outcomes = &forward.rules.outcomes;
        if forward.rules.turn.len() != 2 || !outcomes.is_opposed(|code| ends.contains(&code)) {
            return not("the players are not two that are opposed");
        }
        let none_stays = forward.roots.iter().all(|root| root.gain > 0);
        if !none_stays && !facts.layers.iter().all(|layer| layer.all_leave || layer.movers.is_empty()) {
            return not("moves can stay inside a layer");
        }
        let order = |player: Player| -> Vec<Code> {
            let codes = outcomes.best_first(player).iter().copied();
            codes.filter(|code| ends.contains(code)).collect()
        };
        let orders = players.map(order);
        if !(2..=OUTCOMES).contains(&orders[0].len()) {
            return not("there are too few or too many outcomes");
        }
        for player in players {
            if !forward.rules.hands_over(player, player.other())? {
                return not("the players do not take turns");
            }
        }
        let Facts { candidates, layers, lasting } = facts;

        let Some(movers) = movers(&layers, forward) else { return not("the players do not take turns") };
        let mut hidden = BTreeMap::new();
        for layer in &layers {
            let Some(mover) = movers.get(&layer.measure) else { continue };
            // What ends the game in the worst way for who moved need not be told from what is absent.
            let default = layer.default.filter(|&code| code != orders[mover.index()][0]);
            let has = default.is_some_and(|code| layer.terminal.iter().any(|&(other, _)| other == code));
            hidden.insert(layer.measure, has);
            if has && layer.unclear {
                return not("it cannot be seen at once how the game ends");
            }
            if has && default != orders[mover.other().index()].first().copied() {
                return not("outcomes between the best and the worst have no place");
            }
        }
        let mut goes_on = [vec![], vec![]];
        let mut stuck = [vec![], vec![]];
        for player in players {
            let i = player.index();
            if movers.iter().any(|(measure, &mover)| mover == player.other() && hidden[measure]) {
                let Some(endings) = winning_endings(&layers, &movers, forward, player, orders[i][0]) else {
                    return not("it cannot be seen at once how the game ends");
                };
                let Some(list) = forward.rules.none_ends_at_once(player, &endings)? else {
                    return not("what moves end is too large a condition");
                };
                goes_on[i] = list;
            }
            let Some(list) = forward.rules.has_no_move(player)? else {
                return not("what allows a move is too large a condition");
            };
            stuck[i] = list;
        }
        let thin = options.form == Form::Leaves;
        let steps = if thin { u64::MAX } else { (candidates.states() * STEPS_PER_STATE) as u64 };
        let mut leaves = candidates.choose(thin);
        if leaves.is_empty() {
            return not("leaves would be thin");
        }
        let digits = &forward.digits;
        let mut half = None;
        if options.symmetry {
            let mirrors = Mirror::find(game, &forward.rules.frame, &forward.layering, steps);
            // What lasts does not depend on how much memory there is.
            let memory = if lasting { Some(LEAVES_NEED) } else { options.memory };
            let tasks = memory.map_or(TASKS, |memory| TASKS.min(memory / ROOM_FOR_TASK));
            half = halved(&leaves, thin, (digits, tasks), mirrors);
        }
        let (chosen, half) = half.map_or((0, None), |(chosen, half)| (chosen, Some(half)));
        let (_, places) = leaves.swap_remove(chosen);
        let (cut, top) = first_digits(digits, &places, half.as_ref().map(|half| &half.mirror));
        let (known, tools) = (BTreeMap::new(), vec![]);
        let frame = kept::frame(&places, half.as_ref(), digits);
        Ok(Fitting::Fits(Box::new(ByLeaves {
            places,
            half,
            frame,
            cut,
            top,
            orders,
            movers,
            goes_on,
            stuck,
            hidden,
            known,
            tools,
            last: (0, 0),
        })))
    }
}

/// The first mirror that fits a leaf, with the number of the leaf, if that makes less work than the best leaf does, or
/// in any case if leaves may be thin. There may be n tasks.
fn halved(
    leaves: &[(f64, Places)],
    thin: bool,
    (digits, tasks): (&[usize], u64),
    mirrors: Vec<Mirror>,
) -> Option<(usize, Half)> {
    let (least, _) = leaves.first()?;
    mirrors.into_iter().take(MIRRORS).find_map(|mirror| {
        let worth = leaves.iter().take_while(|(cost, _)| thin || cost * HALVED < *least);
        let fits = |places: &Places| {
            let (_, top) = first_digits(digits, places, Some(&mirror));
            let most = digits[..top].iter().fold(1u64, |product, &n| product.saturating_mul(n as u64));
            if most > tasks {
                return None;
            }
            LeafMirror::new(&mirror, places)
        };
        let (chosen, leaf) = worth.enumerate().find_map(|(at, (_, places))| Some((at, fits(places)?)))?;
        Some((chosen, Half { mirror, leaf }))
    })
}

/// By how many first digits layers are cut into parts, and how many make a task.
fn first_digits(digits: &[usize], places: &Places, mirror: Option<&Mirror>) -> (usize, usize) {
    let (mut cut, mut parts) = (1, digits[0]);
    while cut < places.level && parts < PARTS {
        parts = parts.saturating_mul(digits[cut]);
        cut += 1;
    }
    let whole = |&level: &usize| mirror.is_none_or(|mirror| mirror.cuts(level));
    (cut, (cut..=places.level).find(whole).unwrap_or(cut))
}

/// Who moves in every layer; in those with terminal states only, who would. None if it is not always the same player,
/// or if a move does not lead to a layer of the other one's.
fn movers(layers: &[Seen], forward: &Forward) -> Option<BTreeMap<i64, Player>> {
    let mut movers: BTreeMap<i64, Player> = BTreeMap::new();
    for layer in layers {
        match layer.movers[..] {
            [] => {}
            [player] => _ = movers.insert(layer.measure, player),
            _ => return None,
        }
    }
    if forward.split_by_turn {
        // Whose turn it is makes the measure even or odd.
        let by_measure = |layer: &Seen| (layer.measure, Player::new(layer.measure.rem_euclid(2) as usize));
        let split: BTreeMap<i64, Player> = layers.iter().map(by_measure).collect();
        return movers.iter().all(|(measure, player)| split[measure] == *player).then_some(split);
    }
    for layer in layers {
        let [player] = layer.movers[..] else { continue };
        for root in forward.roots.iter().filter(|root| root.player == player && root.gain > 0) {
            let measure = layer.measure + root.gain;
            if layers.iter().any(|layer| layer.measure == measure)
                && *movers.entry(measure).or_insert(player.other()) == player
            {
                return None;
            }
        }
    }
    Some(movers)
}

/// The endings with a player's best outcome, after a move of the player. None if it is not clear which states those
/// are: where the outcome of an ending is not known from its condition, or where another may come before it.
fn winning_endings(
    layers: &[Seen],
    movers: &BTreeMap<i64, Player>,
    forward: &Forward,
    player: Player,
    best: Code,
) -> Option<Vec<usize>> {
    let outcomes = &forward.rules.outcomes;
    let after = player.other();
    let occurs = |code: Code| {
        let there = |layer: &Seen| layer.terminal.iter().any(|&(other, _)| other == code);
        layers.iter().any(|layer| movers.get(&layer.measure) == Some(&after) && there(layer))
    };
    let mut winning = vec![];
    let mut others = false;
    for (i, ending) in forward.rules.endings.iter().enumerate() {
        // Where the outcome is not clear, states that ended like this have places.
        let Some(rewards) = ending.rewards.or(ending.by_turn[after.index()]) else {
            others = true;
            continue;
        };
        let code = (0..outcomes.len() as Code).find(|&code| outcomes.rewards(code) == rewards);
        if code == Some(best) {
            if others || ending.ends {
                return None;
            }
            winning.push(i);
        } else {
            others |= code.is_some_and(occurs);
        }
    }
    Some(winning)
}
