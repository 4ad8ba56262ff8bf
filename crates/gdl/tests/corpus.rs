//! Small games written for what they use of the language, in `corpus/`: every state of the compiled game against every
//! state of the interpreter, which shares no code with the crate, with their values.
//!
//! A file's head gives what the interpreter found, or a part of the refusal: `; states: N` and `; worth: N` (what the
//! first player can force, less what the other then has; endless play is worth nothing; of more than two players what each
//! gets), or `; refused: WHY`.

mod interpreter;
mod slow;

use interpreter::many;
use interpreter::reading::Term;
use slow::playouts;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;
use winset_model::{Explicit, Game};

/// A state by its facts.
type Facts = BTreeSet<String>;

/// A game as a plain graph: of each state who chooses and what follows, or the rewards at the end.
#[derive(Debug, Default, PartialEq, Eq)]
struct Graph {
    nodes: BTreeMap<Facts, Node>,
    players: usize,
}

#[derive(Debug, PartialEq, Eq)]
enum Node {
    Ended(Vec<u8>),
    /// Who chooses, if there is a choice, and what can follow.
    Open(Option<usize>, BTreeSet<Facts>),
}

fn corpus() -> Vec<(String, String)> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let files = std::fs::read_dir(directory).expect("the corpus is in the repository");
    let mut list: Vec<(String, String)> = files
        .map(|file| {
            let path = file.expect("a file of the corpus").path();
            let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
            (name, std::fs::read_to_string(path).expect("a file of the corpus"))
        })
        .collect();
    list.sort();
    assert!(list.len() >= 14, "only {} files", list.len());
    list
}

/// What the head of a file says.
fn said<'a>(text: &'a str, what: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix("; ")?.strip_prefix(what)?.strip_prefix(": "))
}

/// All states by the interpreter.
fn interpreted(source: &str) -> Graph {
    let interpreter = slow::Interpreter::new(source.as_bytes(), None).expect("there is no deadline");
    let facts = |state: &slow::State| state.iter().map(ToString::to_string).collect::<Facts>();
    let mut graph = Graph { players: interpreter.roles.len(), ..Graph::default() };
    let mut open = vec![interpreter.start()];
    while let Some(state) = open.pop() {
        if graph.nodes.contains_key(&facts(&state)) {
            continue;
        }
        let view = interpreter.view(&state).expect("there is no deadline");
        let node = if view.terminal {
            let best = |goals: &BTreeSet<Term>| goals.iter().filter_map(|g| g.to_string().parse().ok()).max();
            Node::Ended(view.goals.iter().map(|goals| best(goals).expect("a goal at the end")).collect())
        } else {
            let chooser = view.legal.iter().position(|moves| moves.len() != 1);
            let mut after = BTreeSet::new();
            for own in &view.legal[chooser.unwrap_or(0)] {
                let does = |(role, moves): (usize, &BTreeSet<Term>)| {
                    let does = if role == chooser.unwrap_or(0) { Some(own) } else { moves.first() };
                    does.expect("a move").clone()
                };
                let joint: Vec<Term> = view.legal.iter().enumerate().map(does).collect();
                let next = interpreter.next(&state, &joint).expect("there is no deadline");
                after.insert(facts(&next));
                open.push(next);
            }
            Node::Open(chooser, after)
        };
        graph.nodes.insert(facts(&state), node);
    }
    graph
}

/// The facts of a printed state.
fn facts(text: &str) -> Facts {
    playouts::facts(text)
}

/// All states by the compiled game.
fn compiled(game: &Game) -> Graph {
    let mut graph = Graph { players: game.players().len(), ..Graph::default() };
    let mut explicit = Explicit::new(game);
    let mut open = vec![game.initial().clone()];
    while let Some(state) = open.pop() {
        let name = facts(&game.print(&state));
        if graph.nodes.contains_key(&name) {
            continue;
        }
        let at = explicit.at(&state);
        let node = if at.is_terminal() {
            Node::Ended(at.rewards().expect("rewards at the end").to_vec())
        } else {
            let moves: Vec<_> = at.moves().collect();
            let after: Vec<_> = moves.iter().map(|m| at.apply(*m)).collect();
            let chooser = if moves.len() > 1 { at.turn().map(|player| player.index()) } else { None };
            let names = after.iter().map(|state| facts(&game.print(state))).collect();
            open.extend(after);
            Node::Open(chooser, names)
        };
        graph.nodes.insert(name, node);
    }
    graph
}

impl Graph {
    /// By how much a reward is better for the first player than for the other, or the reward of a player alone.
    fn worth(&self, rewards: &[u8]) -> i32 {
        i32::from(rewards[0]) - rewards.get(1).copied().map_or(0, i32::from)
    }

    /// What every state is worth to the first player: the largest number that this player can force, where endless
    /// play is worth 0. A set of states is forced by going round until nothing changes any more.
    fn values(&self) -> BTreeMap<&Facts, i32> {
        let ends = self.nodes.values().filter_map(|node| match node {
            Node::Ended(rewards) => Some(self.worth(rewards)),
            Node::Open(..) => None,
        });
        let all: BTreeSet<i32> = ends.chain([0]).collect();
        let mut values = BTreeMap::new();
        for &least in &all {
            // Endless play is good enough: whoever is not driven out. Else: who is driven in.
            let mut forced: BTreeSet<&Facts> =
                if least <= 0 { self.nodes.keys().collect() } else { BTreeSet::new() };
            loop {
                let holds = |node: &Node| match node {
                    Node::Ended(rewards) => self.worth(rewards) >= least,
                    Node::Open(Some(1), after) => after.iter().all(|name| forced.contains(name)),
                    Node::Open(_, after) => after.iter().any(|name| forced.contains(name)),
                };
                let next: BTreeSet<&Facts> =
                    self.nodes.iter().filter(|(_, node)| holds(node)).map(|(name, _)| name).collect();
                if next == forced {
                    break;
                }
                forced = next;
            }
            values.extend(forced.into_iter().map(|name| (name, least)));
        }
        values
    }
}

/// What each of more than two players gets from a state from which every play ends, by recursion: who chooses wants most,
/// then that the best of the others gets least, then all others together, then the next ones in turn.
fn shares(graph: &Graph, state: &Facts) -> Vec<u8> {
    match &graph.nodes[state] {
        Node::Ended(rewards) => rewards.clone(),
        Node::Open(chooser, after) => {
            let own = chooser.unwrap_or(0);
            let all = after.iter().map(|next| shares(graph, next));
            all.max_by_key(|rewards| {
                let others: Vec<i32> =
                    (1..graph.players).map(|k| -i32::from(rewards[(own + k) % graph.players])).collect();
                (rewards[own], others.iter().min().copied(), others.iter().sum::<i32>(), others)
            })
            .expect("a move")
        }
    }
}

#[test]
fn every_state_of_the_corpus_is_as_its_rules_say() {
    let mut wrong = Vec::new();
    for (name, text) in corpus().iter().filter(|(_, text)| said(text, "refused").is_none()) {
        let game = winset_gdl::compile(name, text.as_bytes(), &Default::default());
        let game = game.unwrap_or_else(|rejection| panic!("{name}: {rejection}"));
        assert!(game.warnings.is_empty(), "{name}: {:?}", game.warnings);
        let (expected, found) = (interpreted(text), compiled(&game.game));
        assert_eq!(found.nodes.len(), expected.nodes.len(), "{name}");
        for (state, node) in &expected.nodes {
            assert_eq!(found.nodes.get(state), Some(node), "{name}: {state:?}");
        }
        let start = facts(&game.game.print(game.game.initial()));
        let worth = match expected.players {
            1 | 2 => expected.values()[&start].to_string(),
            _ => shares(&expected, &start).iter().map(u8::to_string).collect::<Vec<_>>().join(":"),
        };
        let head = [said(text, "states"), said(text, "worth")];
        let right = [expected.nodes.len().to_string(), worth];
        if head != right.each_ref().map(|text| Some(text.as_str())) {
            wrong.push(format!("{name} says {head:?}, but it has {right:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Deriving only what is asked for changes how large a game is on the way, and nothing else.
#[test]
fn what_is_asked_for_is_enough() {
    let mut options = winset_gdl::Options::default();
    options.limits.large = 0;
    for (name, text) in corpus().iter().filter(|(_, text)| said(text, "refused").is_none()) {
        let game = winset_gdl::compile(name, text.as_bytes(), &options);
        let game = game.unwrap_or_else(|rejection| panic!("{name}: {rejection}"));
        let (expected, found) = (interpreted(text), compiled(&game.game));
        assert_eq!(found.nodes.len(), expected.nodes.len(), "{name}");
        for (state, node) in &expected.nodes {
            assert_eq!(found.nodes.get(state), Some(node), "{name}: {state:?}");
        }
        let outcome = many::compare(&game, text.as_bytes(), 100, Duration::from_secs(60));
        assert!(outcome.as_ref().is_ok_and(|o| o.plays == 100), "{name}: {outcome:?}");
    }
}

/// Counting with what was seen before as an argument holds for all numbers by itself: 2,415 atoms without asking.
#[test]
fn a_count_that_is_told_what_was_seen_before_is_not_too_large() {
    let text = include_str!("corpus/tally.kif");
    let mut options = winset_gdl::Options::default();
    (options.limits.atoms, options.limits.large) = (1_500, 1_500);
    let game = winset_gdl::compile("tally", text.as_bytes(), &options).expect("asking makes it small");
    assert!(game.summary.atoms < 800, "{}", game.summary.atoms);
    options.limits.atoms = 100;
    let rejection = winset_gdl::compile("tally", text.as_bytes(), &options).expect_err("it is too large");
    assert!(rejection.to_string().contains("too large to ground"), "{rejection}");
}

#[test]
fn the_corpus_plays_as_its_rules_say() {
    for (name, text) in corpus().iter().filter(|(_, text)| said(text, "refused").is_none()) {
        let game = winset_gdl::compile(name, text.as_bytes(), &Default::default()).expect("it compiles");
        let outcome = many::compare(&game, text.as_bytes(), 100, Duration::from_secs(60));
        assert!(outcome.as_ref().is_ok_and(|o| o.plays == 100), "{name}: {outcome:?}");
        let outcome = playouts::compare(&game, text.as_bytes(), 3, Duration::from_secs(60));
        assert!(outcome.as_ref().is_ok_and(|o| o.plays == 3), "{name}: {outcome:?}");
    }
}

#[test]
fn what_cannot_be_solved_is_refused_with_the_reason() {
    let mut refused = 0;
    for (name, text) in corpus() {
        let Some(reason) = said(&text, "refused") else { continue };
        let result = winset_gdl::compile(&name, text.as_bytes(), &Default::default());
        let rejection = result.err().unwrap_or_else(|| panic!("{name} is not refused"));
        assert!(rejection.to_string().contains(reason), "{name}: {rejection}");
        refused += 1;
    }
    assert!(refused >= 4, "only {refused} were refused");
}
