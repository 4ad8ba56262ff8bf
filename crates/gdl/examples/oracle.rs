//! Solves games of a table state by state and compares with what the table says.
//!
//! `cargo run --release -p winset-gdl --example oracle -- DIRECTORY [MOST_STATES]`, where the directory has
//! `oracle.tsv` and `games/`. Layers are sets of states at exactly that many moves from the start.

use std::collections::HashMap;
use winset_gdl::{Code, GdlGame, Severity};
use winset_model::{Explicit, Player, State};

struct Solved {
    states: usize,
    layers: usize,
    layer_states: usize,
    difference: Vec<u8>,
    own: Vec<u8>,
}

/// How a player compares two pairs of rewards.
fn better(player: usize, a: &[u8], b: &[u8], difference: bool) -> bool {
    let key = |r: &[u8]| {
        let (mine, other) = (i32::from(r[player]), if r.len() == 2 { i32::from(r[1 - player]) } else { 0 });
        if difference { (mine - other, mine) } else { (mine, -other) }
    };
    key(a) > key(b)
}

fn solve(compiled: &GdlGame, most: usize) -> Option<Solved> {
    let game = &compiled.game;
    let mut explicit = Explicit::new(game);
    let mut numbers: HashMap<State, u32> = HashMap::new();
    let mut states: Vec<State> = vec![game.initial().clone()];
    numbers.insert(game.initial().clone(), 0);
    // Player, successors and rewards of every state.
    let mut facts: Vec<(usize, Vec<u32>, Option<Vec<u8>>)> = Vec::new();
    while facts.len() < states.len() {
        let batch: Vec<State> = states[facts.len()..].iter().take(64).cloned().collect();
        explicit.load(batch.clone());
        for lane in 0..batch.len() {
            let at = explicit.lane(lane);
            let mut next = Vec::new();
            for m in at.moves() {
                let state = at.apply(m);
                let fresh = numbers.len() as u32;
                let number = *numbers.entry(state).or_insert_with_key(|s| {
                    states.push(s.clone());
                    fresh
                });
                next.push(number);
            }
            next.sort_unstable();
            next.dedup();
            facts.push((at.turn().unwrap_or(Player(0)).index(), next, at.rewards().map(|r| r.to_vec())));
        }
        if states.len() > most {
            return None;
        }
    }
    let mut layers: Vec<Vec<u32>> = vec![vec![0]];
    let mut mark = vec![u32::MAX; states.len()];
    loop {
        let depth = layers.len() as u32;
        let mut next = Vec::new();
        for s in &layers[layers.len() - 1] {
            for t in &facts[*s as usize].1 {
                if std::mem::replace(&mut mark[*t as usize], depth) != depth {
                    next.push(*t);
                }
            }
        }
        if next.is_empty() || layers.len() > 5000 {
            break;
        }
        layers.push(next);
    }
    let mut outcomes = Vec::new();
    for difference in [true, false] {
        let mut value: Vec<Option<Vec<u8>>> = vec![None; states.len()];
        for layer in layers.iter().rev() {
            for s in layer {
                let (player, next, rewards) = &facts[*s as usize];
                let mut best = rewards.clone();
                for t in next {
                    let Some(other) = &value[*t as usize] else { continue };
                    if best.as_ref().is_none_or(|b| better(*player, other, b, difference)) {
                        best = Some(other.clone());
                    }
                }
                value[*s as usize] = best;
            }
        }
        outcomes.push(value[0].clone().unwrap_or_default());
    }
    let own = outcomes.pop()?;
    let difference = outcomes.pop()?;
    let layer_states = layers.iter().map(Vec::len).sum();
    Some(Solved { states: states.len(), layers: layers.len(), layer_states, difference, own })
}

fn main() {
    let mut args = std::env::args().skip(1);
    let directory = args.next().unwrap_or_else(|| "../shared/gdl".into());
    let most = args.next().and_then(|a| a.parse().ok()).unwrap_or(1_000_000);
    let table = std::fs::read_to_string(format!("{directory}/oracle.tsv")).unwrap_or_default();
    let mut wrong = 0;
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let (file, expect) = (cells[0], cells[1]);
        let Ok(source) = std::fs::read(format!("{directory}/games/{file}")) else { continue };
        let started = std::time::Instant::now();
        let compiled = winset_gdl::compile(file, &source, &Default::default());
        let seconds = started.elapsed().as_secs_f64();
        let verdict = match (&compiled, expect) {
            (Ok(compiled), "solve") => match solve(compiled, most) {
                None => "larger than asked for".to_owned(),
                Some(s) => {
                    let found = [
                        s.states.to_string(),
                        s.layers.to_string(),
                        s.layer_states.to_string(),
                        format!("{:?}", s.difference),
                        format!("{:?}", s.own),
                    ];
                    if found[..] == cells[2..7] {
                        format!("equal {}", found.join(" "))
                    } else {
                        format!("WRONG {found:?} instead of {:?}", &cells[2..7])
                    }
                }
            },
            (Ok(c), _) => format!("compiled, {} checks open", c.checks.open().len()),
            (Err(rejection), _) => {
                let code =
                    rejection.diagnostics.iter().find(|d| d.severity == Severity::Error).map(|d| d.code);
                let good = match expect {
                    "solve" | "larger" => false,
                    "refuse: simultaneous" => code == Some(Code::SimultaneousMoves),
                    "refuse: dead ends" => code == Some(Code::DeadEnd),
                    "refuse: goals missing" => code == Some(Code::GoalMissing),
                    _ => true,
                };
                format!("{}refused: {}", if good { "" } else { "WRONG " }, code.map_or("", Code::as_str))
            }
        };
        wrong += usize::from(verdict.starts_with("WRONG"));
        println!("{file:40} {expect:22} {seconds:7.2} s  {verdict}");
    }
    println!("{wrong} wrong");
    if wrong > 0 {
        std::process::exit(1);
    }
}
