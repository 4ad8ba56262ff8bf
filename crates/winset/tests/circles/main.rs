//! Games whose moves can go in circles: a position that is said to be won is won by whoever plays as the store
//! says, in no more moves than it says, whatever the other does.

use std::collections::HashMap;
use winset::{Catalogue, Options, Rules, Solved, solve};
use winset_explore::Session;
use winset_explore::play::{Play, Side};
use winset_model::{Explicit, Game, Player, Remoteness, State, Valuation};
use winset_reference::{Random, circles};

/// How many random games are played.
const GAMES: u64 = 250;

fn dodgem() -> Rules {
    Catalogue::default().gdl("dodgem", include_str!("dodgem.kif")).unwrap()
}

fn checkers() -> Rules {
    Catalogue::default().game("checkers", Some("4"), &Default::default()).unwrap()
}

/// A solution for which nobody has asked for distances, in memory.
fn solved(rules: Rules) -> Solved {
    solve(rules, &Options { threads: Some(1), memory: Some(256 << 20), ..Options::default() }).unwrap()
}

/// A solution beside the truth.
struct Trial<'s> {
    game: &'s Game,
    session: Session<'s>,
    truth: HashMap<State, Valuation>,
    /// The longest play from each won position against any defence.
    longest: HashMap<State, u32>,
}

impl<'s> Trial<'s> {
    fn new(solved: &'s Solved) -> Self {
        let truth = circles::values(solved.game()).into_iter().collect();
        Trial { game: solved.game(), session: solved.session(), truth, longest: HashMap::new() }
    }

    /// What the store would play.
    fn advice(&mut self, state: &State) -> State {
        self.session.position(state).unwrap().moves[0].state.clone()
    }

    fn replies(&self, state: &State) -> (Option<Player>, Vec<State>) {
        let mut explicit = Explicit::new(self.game);
        let turn = explicit.at(state).turn();
        (turn, explicit.successors(state).into_iter().map(|(_, next)| next).collect())
    }

    /// Plays a position that somebody wins against every reply there is. Panics if that player does not win, or
    /// if play comes back to where it was.
    fn longest(&mut self, start: &State, winner: Player) -> u32 {
        // Positions under way, each with the replies that are still to be tried and the longest play so far.
        let mut path: Vec<(State, Vec<State>, u32)> = vec![];
        let mut next = Some(start.clone());
        loop {
            let Some(state) = next.take() else {
                let (_, open, longest) = path.last_mut().unwrap();
                if let Some(reply) = open.pop() {
                    next = Some(reply);
                    continue;
                }
                let found = *longest + 1;
                let (state, ..) = path.pop().unwrap();
                self.longest.insert(state, found);
                let Some((_, _, above)) = path.last_mut() else { return found };
                *above = found.max(*above);
                continue;
            };
            let ended = Explicit::new(self.game).at(&state).rewards();
            if let Some(rewards) = ended {
                assert_eq!(rewards[winner], 100, "{}", self.game.print(&state));
                self.longest.insert(state.clone(), 0);
            }
            if let Some(&known) = self.longest.get(&state) {
                let Some((_, _, above)) = path.last_mut() else { return known };
                *above = known.max(*above);
                continue;
            }
            let round = path.iter().any(|(other, ..)| *other == state);
            assert!(!round, "play goes round at {}", self.game.print(&state));
            let (turn, replies) = self.replies(&state);
            let open = if turn == Some(winner) { vec![self.advice(&state)] } else { replies };
            path.push((state, open, 0));
        }
    }

    /// Plays a won position against somebody who chooses at random; gives the number of moves.
    fn against_chance(&mut self, start: &State, winner: Player, random: &mut Random, most: u32) -> u32 {
        let mut state = start.clone();
        for made in 0..=most {
            let (turn, replies) = self.replies(&state);
            if replies.is_empty() {
                assert_eq!(Explicit::new(self.game).at(&state).rewards().unwrap()[winner], 100);
                return made;
            }
            state = if turn == Some(winner) { self.advice(&state) } else { random.pick(&replies) };
        }
        panic!("{} is not won in {most} moves", self.game.print(start));
    }

    /// Every position: its value is true, a won one is won in time, a level one is not lost. Returns how many
    /// were won with circles about, and how many were drawn.
    fn play_all(&mut self, random: &mut Random) -> [usize; 2] {
        let (mut won, mut drawn) = (0, 0);
        for (state, value) in self.truth.clone() {
            let name = self.game.print(&state);
            let found = self.session.value(&state).unwrap().valuation().unwrap();
            assert_eq!(found, value, "{name}");
            match (value.rewards.leader(), value.remoteness) {
                (Some(winner), Remoteness::Plies(plies)) => {
                    won += 1;
                    let longest = self.longest(&state, winner);
                    assert_eq!(longest, plies, "{name}: the longest defence against the shortest win");
                    for _ in 0..3 {
                        assert!(self.against_chance(&state, winner, random, plies) <= plies);
                    }
                }
                (Some(_), endless) => panic!("{name} is won in {endless:?}"),
                (None, length) => {
                    drawn += usize::from(length == Remoteness::Endless);
                    let (turn, replies) = self.replies(&state);
                    let Some(mover) = turn.filter(|_| !replies.is_empty()) else { continue };
                    let kept = self.advice(&state);
                    assert!(self.truth[&kept].rewards[mover] >= 50, "{name}: a level position is given away");
                    let other = |reply: &State| self.truth[reply].rewards[mover.other()];
                    assert!(replies.iter().all(|reply| other(reply) >= 50), "{name}: it was not level");
                }
            }
        }
        [won, drawn]
    }
}

#[test]
fn the_perfect_player_wins_dodgem_and_checkers() {
    for rules in [dodgem(), checkers()] {
        let solved = solved(rules);
        let name = solved.game().name().to_owned();
        let seed = 1;
        let [won, drawn] = Trial::new(&solved).play_all(&mut Random::new(seed));
        assert!(won > 500, "{name}: {won} won, {drawn} drawn");
        assert!(solved.store().manifest().header.remoteness, "{name} needs distances");
        assert!(solved.report().unwrap().distances_needed, "{name}: and says so");
        assert_eq!(solved.verify().unwrap().faults, 0);
    }
}

#[test]
fn the_perfect_player_wins_random_games_with_circles() {
    let (mut won, mut drawn, mut kept) = (0, 0, 0);
    for seed in 0..GAMES {
        let game = circles::random_game(&mut Random::new(seed));
        let solved = solved(Rules::of(game));
        eprintln!("seed {seed}");
        let found = Trial::new(&solved).play_all(&mut Random::new(seed));
        (won, drawn) = (won + found[0], drawn + found[1]);
        kept += usize::from(solved.store().manifest().header.remoteness);
    }
    eprintln!("{won} won positions, {drawn} drawn, {kept} games with distances");
    assert!(won > 1_000 && drawn > 1_000 && kept as u64 > GAMES / 2);
}

/// Whether the game can come to a position, of every combination of values there is.
#[test]
fn random_positions_are_known_to_arise_or_not() {
    let (mut ended, mut never, mut unknown) = (0, 0, 0);
    for seed in 0..GAMES / 2 {
        let game = circles::random_game(&mut Random::new(seed));
        let truth = circles::values(&game);
        let solved = solved(Rules::of(game));
        let (game, mut session) = (solved.game(), solved.session());
        let mut random = Random::new(seed);
        for _ in 0..300 {
            let values = game.variables().iter().map(|v| random.below(v.size()) as u16);
            let state = State(values.collect());
            let (arises, answer) = (session.arises(&state).unwrap(), solved.answer(&state).unwrap());
            assert_eq!(answer.reachable, arises);
            unknown += usize::from(arises.is_none());
            if let Some(arises) = arises {
                assert_eq!(arises, truth.contains_key(&state), "seed {seed}: {}", game.print(&state));
            }
            let value = truth.get(&state).filter(|_| arises == Some(true));
            assert_eq!(answer.rewards, value.map(|v| v.rewards.to_vec()), "seed {seed}");
            ended += usize::from(Explicit::new(game).at(&state).is_terminal());
            never += usize::from(!truth.contains_key(&state));
        }
    }
    eprintln!("{ended} ended, {never} cannot arise, {unknown} not found out");
    assert!(ended > 100 && never > 1_000 && unknown == 0);
}

#[test]
fn the_opponent_at_the_board_wins_dodgem_in_time() {
    let solved = solved(dodgem());
    let value = solved.answer(solved.start()).unwrap();
    let winner = usize::from(value.position_value == Some("loss"));
    let most = value.remoteness.expect("Dodgem 3 x 3 is won");
    let mut sides = [Side::Human; 2];
    sides[winner] = Side::Perfect;
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let mut play = Play::new(Box::new(solved.session()), sides, false).unwrap();
        assert_eq!(play.warning(), None);
        while !play.is_over() {
            let named = play.list(false);
            // Half of the games against the defence that lasts longest, which is listed first.
            let best = play.list(true)[0].split(": ").next().unwrap().to_owned();
            let reply = if seed % 2 == 0 { best } else { random.pick(&named) };
            play.input(&reply).unwrap();
            assert!(play.moves_played().len() as u32 <= most, "{:?}", play.moves_played());
        }
        assert_eq!(play.position().lookup.valuation().unwrap().rewards[Player::new(winner)], 100);
    }
}
