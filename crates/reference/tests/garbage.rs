//! Builders full of random garbage: each is refused for something that is wrong with it, or is a game that can be played,
//! written, read and solved.

use std::collections::BTreeSet;
use winset_model::*;
use winset_reference::{Random, Truth, positions};

/// Numbers that are mostly below a bound.
struct Sloppy {
    random: Random,
    /// One in this many numbers is as likely wrong as right.
    slips: usize,
}

impl Sloppy {
    fn below(&mut self, n: usize) -> usize {
        let n = if self.random.one_in(self.slips) { n + 2 } else { n };
        self.random.below(n.max(1))
    }

    fn slip(&mut self) -> bool {
        self.random.one_in(self.slips)
    }

    fn list<T>(&mut self, most: usize, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.random.below(most + 1)).map(|_| one(self)).collect()
    }

    fn var(&mut self, game: &GameBuilder) -> VarId {
        VarId(self.below(game.variables.len()) as u32)
    }

    fn value(&mut self, game: &GameBuilder, var: VarId) -> Value {
        self.below(game.variables.get(var.index()).map_or(3, Variable::size)) as Value
    }

    fn expr(&mut self, game: &GameBuilder) -> ExprId {
        ExprId(self.below(game.exprs.len()) as u32)
    }
}

/// Any expression, and often one that holds, so that something can happen.
fn condition(s: &mut Sloppy, game: &GameBuilder) -> ExprId {
    if s.random.one_in(2) { Exprs::TRUE } else { s.expr(game) }
}

fn expression(s: &mut Sloppy, game: &mut GameBuilder) {
    let var = s.var(game);
    let (value, a, b) = (s.value(game, var), s.expr(game), s.expr(game));
    match s.random.below(9) {
        0..=4 => game.exprs.is(var, value),
        5 => game.exprs.not(a),
        6 => game.exprs.and([a, b]),
        7 => game.exprs.or([a, b]),
        _ if s.slip() => game.exprs.next(var, value),
        _ => {
            let system = game.exprs.declare_system(1);
            let defined = if s.slip() { 1 } else { 0 };
            let member = game.exprs.member(system, defined);
            let body = s.expr(game);
            game.exprs.define(system, 0, body);
            member
        }
    };
}

fn garbage(s: &mut Sloppy) -> GameBuilder {
    let players = if s.slip() { s.random.below(4) } else { 1 + s.random.below(MOST_PLAYERS) };
    let name = |s: &mut Sloppy, i: usize| if s.slip() { "same".to_owned() } else { format!("n{i}") };
    let mut game = GameBuilder::new("garbage", (0..players).map(|i| name(s, i)).collect::<Vec<_>>());
    for i in 0..s.random.below(5) {
        let size = if s.slip() { s.random.below(2) } else { 1 + s.random.below(5) };
        let called = name(s, i);
        game.add_variable(called, (0..size).map(|value| format!("{i}.{value}")));
    }
    if s.random.one_in(3) {
        let used = s.random.below(4);
        game.add_board((1 + s.random.below(2), 2), Origin::Top, ".x", |row, column| row + column < used);
        let board = game.board.as_mut().unwrap();
        let (cells, variables) = (board.cells.len(), game.variables.len());
        if s.slip() {
            board.rows = s.random.below(3);
        }
        if s.slip() {
            board.cells[s.random.below(cells)] = Some(VarId(s.random.below(variables + 2) as u32));
        }
        if s.slip() {
            board.glyphs[s.random.below(2)] = s.random.pick(&['_', '/', ' ', 'x', '.', 'o']);
        }
        if s.slip() {
            board.glyphs.push('o');
        }
    }
    (0..4 + s.random.below(20)).for_each(|_| expression(s, &mut game));
    if game.players.len() == 2 && s.random.below(4) > 0 && !game.variables.is_empty() {
        let turn = s.var(&game);
        game.turn = (0..2).map(|player| game.exprs.is(turn, player)).collect();
    }
    if s.slip() {
        game.turn = s.list(3, |s| s.expr(&game));
    }
    game.moves = s.list(20, |s| {
        let updates = s.list(5, |s| {
            let var = s.var(&game);
            Update { var, cases: s.list(3, |s| (condition(s, &game), s.value(&game, var))) }
        });
        // Mostly each variable once.
        let mut once: Vec<Update> = vec![];
        for update in updates {
            if s.slip() || once.iter().all(|other| other.var != update.var) {
                once.push(update);
            }
        }
        let name = if s.slip() { " ".to_owned() } else { "m".to_owned() };
        let player = Player::new(s.below(game.players.len()));
        Move { name, player, guard: condition(s, &game), updates: once, fallback: s.random.one_in(5) }
    });
    game.terminal = s.list(2, |s| s.expr(&game));
    let lists = if s.slip() { s.random.below(4) } else { game.players.len() };
    game.rewards = (0..lists)
        .map(|_| {
            s.list(2, |s| {
                (if s.slip() { s.random.below(256) } else { 50 * s.random.below(3) } as u8, s.expr(&game))
            })
        })
        .collect();
    game.forbidden =
        s.list(1, |s| Forbidden { when: s.expr(&game), ended: s.random.one_in(2), why: "no".to_owned() });
    if s.slip() {
        game.blocks = s.list(3, |s| s.list(2, |s| s.var(&game)));
    }
    let length = if s.slip() { s.random.below(6) } else { game.variables.len() };
    game.initial = game.state((0..length).map(|i| s.value(&game, VarId(i as u32))).collect::<Vec<_>>());
    game
}

fn twice<T: Ord>(list: impl IntoIterator<Item = T>) -> bool {
    let mut seen = BTreeSet::new();
    !list.into_iter().all(|one| seen.insert(one))
}

/// Everything that is wrong, by the names of the errors; said plainly, in no order.
fn wrong(game: &GameBuilder) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    let mut say = |wrong: bool, name: &'static str| found.extend(wrong.then_some(name));
    let (players, variables, exprs) = (game.players.len(), &game.variables, &game.exprs);
    let no_var = |var: &VarId| var.index() >= variables.len();
    let no_value =
        |var: VarId, value: Value| variables.get(var.index()).is_some_and(|v| usize::from(value) >= v.size());
    say(players == 0 || players > MOST_PLAYERS, "Players");
    say(twice(&game.players), "PlayerTwice");
    say(game.turn.len() != players, "Turns");
    say(game.rewards.len() != players, "RewardLists");
    say(game.rewards.iter().flatten().any(|(reward, _)| *reward > 100), "Reward");
    say(variables.iter().any(|v| v.values.is_empty()), "Domain");
    say(twice(variables.iter().map(|v| &v.name)), "VariableTwice");
    say(game.initial.0.len() != variables.len(), "InitialLength");
    let initial = game.initial.0.iter().enumerate();
    say(initial.into_iter().any(|(i, &value)| no_value(VarId(i as u32), value)), "InitialValue");
    for m in &game.moves {
        say(m.name.trim().is_empty(), "MoveName");
        say(m.player.index() >= players, "MovePlayer");
        say(m.updates.iter().any(|u| no_var(&u.var)), "UpdateVariable");
        say(m.updates.iter().any(|u| u.cases.iter().any(|c| no_value(u.var, c.1))), "UpdateValue");
        say(twice(m.updates.iter().map(|u| u.var)), "UpdatedTwice");
    }
    say(game.blocks.iter().flatten().any(no_var), "BlockVariable");
    say(twice(game.blocks.iter().flatten()), "BlockedTwice");
    if let Some(board) = &game.board {
        say(board.rows * board.columns != board.cells.len(), "BoardShape");
        let cells = || board.cells.iter().flatten();
        say(cells().any(no_var), "BoardVariable");
        say(twice(cells()), "BoardTwice");
        let sizes =
            cells().filter_map(|var| variables.get(var.index())).any(|v| v.size() != board.glyphs.len());
        say(sizes, "BoardValues");
        say(twice(&board.glyphs) || board.glyphs.iter().any(|c| ['_', '/', ' '].contains(c)), "BoardGlyph");
    }
    let bodies = (0..exprs.systems()).flat_map(|system| exprs.bodies(SystemId(system as u32)).to_vec());
    let cases = game.moves.iter().flat_map(|m| m.updates.iter().flat_map(|u| u.cases.iter().map(|c| c.0)));
    let used = game.turn.iter().copied().chain(game.terminal.iter().copied()).chain(cases).chain(bodies);
    let used = used.chain(game.moves.iter().map(|m| m.guard)).chain(game.forbidden.iter().map(|f| f.when));
    let mut used = used.chain(game.rewards.iter().flatten().map(|reward| reward.1));
    say(used.any(|id| id.index() >= exprs.len()), "NoExpression");
    for id in (0..exprs.len() as u32).map(ExprId) {
        say(exprs.operands(id).iter().any(|operand| *operand >= id), "Operand");
        match *exprs.get(id) {
            Expr::Fix(system, member) => say(!exprs.defines(system, member), "NoDefinition"),
            Expr::Next(..) => say(true, "Next"),
            Expr::Is(var, value) => {
                say(no_var(&var), "IsVariable");
                say(no_value(var, value), "IsValue");
            }
            _ => {}
        }
    }
    found
}

/// Plays everything that can arise, and says how many positions that were.
fn played(game: &Game) -> usize {
    let mut explicit = Explicit::new(game);
    let mut seen = BTreeSet::from([game.initial().clone()]);
    let mut open = vec![game.initial().clone()];
    while let Some(state) = open.pop() {
        let text = game.print(&state);
        assert_eq!(game.parse(&text).as_ref(), Ok(&state), "{text}");
        let at = explicit.at(&state);
        let rewards = at.rewards();
        assert_eq!(rewards.is_some(), at.is_terminal());
        assert!(
            rewards.is_none_or(
                |rewards| rewards.len() == game.players().len() && rewards.iter().all(|r| *r <= 100)
            )
        );
        let next: Vec<(MoveId, State)> = at.moves().map(|id| (id, at.apply(id))).collect();
        assert!(next.is_empty() || at.turn().is_some() && !at.is_terminal());
        for (id, after) in next {
            let variables = game.variables().iter().zip(&after.0);
            assert!(
                variables.into_iter().all(|(v, &value)| usize::from(value) < v.size()),
                "{}",
                game.move_at(id).name
            );
            if seen.insert(after.clone()) {
                open.push(after);
            }
        }
    }
    seen.len()
}

#[test]
fn garbage_is_refused_for_what_is_wrong_or_is_a_game() {
    let (mut causes, mut games, mut largest) = (BTreeSet::new(), 0, 0);
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let slips = random.pick(&[20, 100, 1_000_000]);
        let game = garbage(&mut Sloppy { random, slips });
        let wrong = wrong(&game);
        match game.build() {
            Err(error) => {
                let said = format!("{error:?}");
                let cause = said.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
                assert!(wrong.contains(cause), "seed {seed}: {said}; wrong is {wrong:?}");
                assert!(!error.to_string().is_empty());
                causes.insert(cause.to_owned());
            }
            Ok(game) => {
                assert!(wrong.is_empty(), "seed {seed}: {wrong:?} is not noticed");
                games += 1;
                largest = largest.max(played(&game));
                let positions = positions(&game, usize::MAX).expect("there are no more than that");
                Truth::of(&positions, Opponent::Difference);
                game.system();
            }
        }
    }
    assert!(games > 2000 && largest > 20, "{games} games, the largest with {largest} positions");
    assert!(causes.len() >= 20, "only {causes:?}");
}
