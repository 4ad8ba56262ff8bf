//! Parts of games with one thing wrong: each is refused by its own error, and nothing panics.

use proptest::prelude::*;
use winset_model::*;

/// A variable, a condition and a value.
type PlannedUpdate = (usize, usize, u16);

/// What a random game is made of; numbers are taken modulo what there is.
#[derive(Clone, Debug)]
struct Plan {
    players: usize,
    sizes: Vec<u16>,
    board: bool,
    atoms: Vec<(usize, u16)>,
    moves: Vec<(usize, usize, Vec<PlannedUpdate>)>,
    rewards: Vec<(u8, usize)>,
}

fn plan() -> impl Strategy<Value = Plan> {
    let update = (0..20usize, 0..20usize, 0..20u16);
    (
        1..=MOST_PLAYERS,
        prop::collection::vec(1..5u16, 1..6),
        any::<bool>(),
        prop::collection::vec((0..20usize, 0..20u16), 1..8),
        prop::collection::vec((0..2usize, 0..20usize, prop::collection::vec(update, 0..4)), 1..6),
        prop::collection::vec((0..=100u8, 0..20usize), 1..4),
    )
        .prop_map(|(players, sizes, board, atoms, moves, rewards)| Plan {
            players,
            sizes,
            board,
            atoms,
            moves,
            rewards,
        })
}

/// Right parts: variables also with one value, a board or none, expressions of all kinds.
fn parts(plan: &Plan) -> GameBuilder {
    let mut game = GameBuilder::new("random", (0..plan.players).map(|p| format!("p{p}")));
    for (i, &size) in plan.sizes.iter().enumerate() {
        game.add_variable(format!("v{i}"), (0..size).map(|value| format!("{i}.{value}")));
    }
    if plan.board {
        game.add_board((2, 2), Origin::Top, ".xo", |row, column| row + column < 2);
    }
    let size = |game: &GameBuilder, var: usize| game.variables[var].size() as u16;
    let mut exprs = vec![Exprs::TRUE];
    for &(var, value) in &plan.atoms {
        let var = var % game.variables.len();
        let is = game.exprs.is(VarId(var as u32), value % size(&game, var));
        let not = game.exprs.not(is);
        let older = exprs[usize::from(value) % exprs.len()];
        exprs.extend([is, not, game.exprs.or([older, not]), game.exprs.and([older, is])]);
    }
    let system = game.exprs.declare_system(1);
    let member = game.exprs.member(system, 0);
    let body = game.exprs.or([exprs[1], member]);
    game.exprs.define(system, 0, body);
    exprs.push(member);
    let expr = |i: usize| exprs[i % exprs.len()];
    for (i, (player, guard, updates)) in plan.moves.iter().enumerate() {
        let mut list: Vec<Update> = vec![];
        for &(var, when, value) in updates {
            let var = VarId((var % game.variables.len()) as u32);
            if list.iter().all(|update| update.var != var) {
                list.push(Update { var, cases: vec![(expr(when), value % size(&game, var.index()))] });
            }
        }
        game.add_move(format!("m{i}"), Player::new(player % plan.players), expr(*guard), list);
    }
    game.terminal.push(expr(3));
    for &(reward, when) in &plan.rewards {
        game.rewards.iter_mut().for_each(|list| list.push((reward, expr(when))));
    }
    game.forbidden.push(Forbidden { when: expr(2), ended: true, why: "it must not be".to_owned() });
    game.blocks = (0..game.variables.len() as u32).map(|var| vec![VarId(var)]).collect();
    game.initial = State(vec![0; game.variables.len()].into());
    game
}

type Defect = (&'static str, fn(&mut GameBuilder, usize), fn(&ModelError) -> bool);

/// Puts an expression in one of the places that have one.
fn place(game: &mut GameBuilder, id: ExprId, at: usize) {
    let m = at / 7 % game.moves.len();
    let player = at / 7 % game.players.len();
    match at % 7 {
        0 => game.turn[player] = id,
        1 => game.moves[m].guard = id,
        2 => {
            let free = (0..game.variables.len() as u32).map(VarId);
            let free = free.into_iter().find(|var| game.moves[m].updates.iter().all(|u| u.var != *var));
            match free {
                Some(var) => game.moves[m].updates.push(Update { var, cases: vec![(id, 0)] }),
                None => game.moves[m].updates[0].cases.push((id, 0)),
            }
        }
        3 => game.terminal.push(id),
        4 => game.rewards[player].push((7, id)),
        5 => game.forbidden.push(Forbidden { when: id, ended: false, why: String::new() }),
        _ => {
            let system = game.exprs.declare_system(2);
            game.exprs.define(system, 1, id);
        }
    }
}

/// An expression made of a wrong one, or the wrong one itself.
fn around(game: &mut GameBuilder, id: ExprId, how: usize) -> ExprId {
    let some = ExprId((how % game.exprs.len()) as u32);
    match how % 3 {
        0 => id,
        1 => game.exprs.not(id),
        _ => {
            // A conjunction may turn out to be false whatever the wrong part says.
            let both = game.exprs.and([some, id]);
            if game.exprs.cone([both]).contains(&id) { both } else { id }
        }
    }
}

fn var(game: &GameBuilder, seed: usize) -> VarId {
    VarId((seed % game.variables.len()) as u32)
}

fn beyond(game: &GameBuilder, seed: usize) -> VarId {
    VarId((game.variables.len() + seed % 100) as u32)
}

fn too_much(game: &GameBuilder, var: VarId, seed: usize) -> Value {
    (game.variables[var.index()].size() + seed % 100) as Value
}

fn with_board(game: &mut GameBuilder) -> &mut Board {
    if game.board.is_none() {
        game.add_board((2, 2), Origin::Bottom, ".xo", |row, _| row == 0);
        game.initial = State(vec![0; game.variables.len()].into());
    }
    game.board.as_mut().unwrap()
}

const DEFECTS: &[Defect] = &[
    (
        "players",
        |g, seed| {
            let names = if seed % 2 == 0 { 0 } else { MOST_PLAYERS + 1 };
            g.players = (0..names).map(|p| format!("p{p}")).collect();
        },
        |e| matches!(e, ModelError::Players(_)),
    ),
    (
        "one player twice",
        |g, _| {
            g.players = vec!["same".to_owned(); 2];
        },
        |e| matches!(e, ModelError::PlayerTwice(_)),
    ),
    ("turns", |g, _| g.turn.truncate(g.players.len() - 1), |e| matches!(e, ModelError::Turns { .. })),
    (
        "no value",
        |g, seed| {
            let var = var(g, seed);
            g.variables[var.index()].values.clear();
        },
        |e| matches!(e, ModelError::Domain(..)),
    ),
    (
        "too many values",
        |g, seed| {
            let var = var(g, seed);
            g.variables[var.index()].values.resize((1 << 16) + 1, String::new());
        },
        |e| matches!(e, ModelError::Domain(..)),
    ),
    (
        "one variable twice",
        |g, seed| {
            let var = var(g, seed);
            g.variables.push(g.variables[var.index()].clone());
        },
        |e| matches!(e, ModelError::VariableTwice(_)),
    ),
    (
        "initial length",
        |g, seed| g.initial = State(vec![0; g.variables.len() + 1 + seed % 3].into()),
        |e| matches!(e, ModelError::InitialLength { .. }),
    ),
    (
        "initial value",
        |g, seed| {
            let var = var(g, seed);
            g.initial[var] = too_much(g, var, seed);
        },
        |e| matches!(e, ModelError::InitialValue { .. }),
    ),
    ("lists of rewards", |g, _| g.rewards.push(vec![]), |e| matches!(e, ModelError::RewardLists { .. })),
    (
        "reward",
        |g, seed| {
            let player = seed % g.players.len();
            g.rewards[player].push(((101 + seed % 155) as u8, Exprs::TRUE));
        },
        |e| matches!(e, ModelError::Reward { .. }),
    ),
    (
        "no expression",
        |g, seed| {
            let id = [ExprId(g.exprs.len() as u32), ExprId(u32::MAX)][seed % 2];
            place(g, id, seed);
        },
        |e| matches!(e, ModelError::NoExpression { .. }),
    ),
    (
        "no operand",
        |g, seed| {
            let missing = ExprId(u32::MAX - (seed % 9) as u32);
            let id = if seed % 2 == 0 {
                g.exprs.not(missing)
            } else {
                g.exprs.or([Exprs::FALSE, missing, ExprId(2)])
            };
            place(g, id, seed);
        },
        |e| matches!(e, ModelError::Operand { .. }),
    ),
    (
        "an operand that comes later",
        |g, seed| {
            let later = ExprId(g.exprs.len() as u32 + 1);
            let id = g.exprs.and([ExprId(2), later]);
            let both = g.exprs.not(id);
            place(g, both, seed);
        },
        |e| matches!(e, ModelError::Operand { .. }),
    ),
    (
        "no definition",
        |g, seed| {
            let id = [g.exprs.member(SystemId(99), 0), g.exprs.member(SystemId(0), 1)][seed % 2];
            place(g, id, seed);
        },
        |e| matches!(e, ModelError::NoDefinition(_)),
    ),
    (
        "next",
        |g, seed| {
            let next = g.exprs.next(var(g, seed), 0);
            let id = around(g, next, seed / 3);
            place(g, id, seed);
        },
        |e| matches!(e, ModelError::Next { place, .. } if *place != Place::Unused),
    ),
    (
        "next that nothing uses",
        |g, seed| {
            g.exprs.next(beyond(g, seed), 0);
        },
        |e| matches!(e, ModelError::Next { place: Place::Unused, .. }),
    ),
    (
        "variable of an expression",
        |g, seed| {
            let is = g.exprs.is(beyond(g, seed), 0);
            let id = around(g, is, seed / 3);
            place(g, id, seed);
        },
        |e| matches!(e, ModelError::IsVariable { place, .. } if *place != Place::Unused),
    ),
    (
        "value of an expression",
        |g, seed| {
            let var = var(g, seed);
            let is = g.exprs.is(var, too_much(g, var, seed));
            let id = around(g, is, seed / 3);
            place(g, id, seed);
        },
        |e| matches!(e, ModelError::IsValue { place, .. } if *place != Place::Unused),
    ),
    (
        "name of a move",
        |g, seed| {
            let m = seed % g.moves.len();
            g.moves[m].name = [String::new(), " \t".to_owned()][seed % 2].clone();
        },
        |e| matches!(e, ModelError::MoveName(_)),
    ),
    (
        "player of a move",
        |g, seed| {
            let m = seed % g.moves.len();
            g.moves[m].player = Player::new(g.players.len() + seed % 3);
        },
        |e| matches!(e, ModelError::MovePlayer { .. }),
    ),
    (
        "variable of a move",
        |g, seed| {
            let (m, var) = (seed % g.moves.len(), beyond(g, seed));
            g.moves[m].updates.push(Update { var, cases: vec![] });
        },
        |e| matches!(e, ModelError::UpdateVariable { .. }),
    ),
    (
        "value of a move",
        |g, seed| {
            let (m, var) = (seed % g.moves.len(), var(g, seed));
            let value = too_much(g, var, seed);
            g.moves[m].updates = vec![Update { var, cases: vec![(Exprs::TRUE, 0), (Exprs::TRUE, value)] }];
        },
        |e| matches!(e, ModelError::UpdateValue { .. }),
    ),
    (
        "two changes of a variable",
        |g, seed| {
            let (m, var) = (seed % g.moves.len(), var(g, seed));
            g.moves[m].updates.extend([Update::set(var, 0), Update::set(var, 0)]);
        },
        |e| matches!(e, ModelError::UpdatedTwice { .. }),
    ),
    (
        "variable of a block",
        |g, seed| g.blocks.push(vec![beyond(g, seed)]),
        |e| matches!(e, ModelError::BlockVariable { .. }),
    ),
    (
        "a variable in two blocks",
        |g, seed| {
            let (at, var) = (seed / 7 % g.blocks.len(), var(g, seed));
            g.blocks[at].push(var);
        },
        |e| matches!(e, ModelError::BlockedTwice(_)),
    ),
    (
        "shape of the board",
        |g, seed| {
            let board = with_board(g);
            board.rows = if seed % 2 == 0 { 3 } else { usize::MAX };
        },
        |e| matches!(e, ModelError::BoardShape { .. }),
    ),
    (
        "variable of a square",
        |g, seed| {
            let var = VarId((with_board(g), 1000 + seed % 100).1 as u32);
            with_board(g).cells[seed % 4] = Some(var);
        },
        |e| matches!(e, ModelError::BoardVariable { .. }),
    ),
    (
        "two squares of one variable",
        |g, _| {
            let board = with_board(g);
            board.cells[3] = board.cells[0];
        },
        |e| matches!(e, ModelError::BoardTwice(_)),
    ),
    (
        "values of a square",
        |g, seed| match seed % 2 {
            0 => with_board(g).glyphs.push('z'),
            _ => drop(with_board(g).glyphs.pop()),
        },
        |e| matches!(e, ModelError::BoardValues { .. }),
    ),
    (
        "character of a value",
        |g, seed| with_board(g).glyphs[seed % 3] = ['_', '/', ' ', '\u{7}'][seed / 3 % 4],
        |e| matches!(e, ModelError::BoardGlyph(_)),
    ),
    (
        "one character twice",
        |g, seed| with_board(g).glyphs[seed % 2] = 'o',
        |e| matches!(e, ModelError::BoardGlyph('o')),
    ),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn each_defect_is_refused_by_its_own_error(plan in plan(), seed in any::<usize>()) {
        let right = parts(&plan);
        let game = right.clone().build();
        prop_assert!(game.is_ok(), "{:?}", game.err());
        for (name, plant, expected) in DEFECTS {
            let mut wrong = right.clone();
            plant(&mut wrong, seed);
            match wrong.build() {
                Ok(_) => prop_assert!(false, "{name} is not noticed"),
                Err(error) => {
                    prop_assert!(expected(&error), "{name}: {error:?}");
                    prop_assert!(!error.to_string().is_empty());
                }
            }
        }
    }

    /// What is right can be read and played without a panic.
    #[test]
    fn a_game_that_is_built_can_be_played(plan in plan()) {
        let game = parts(&plan).build().unwrap();
        let mut explicit = Explicit::new(&game);
        let mut state = game.initial().clone();
        for _ in 0..10 {
            prop_assert_eq!(game.parse(&game.print(&state)), Ok(state.clone()));
            let at = explicit.at(&state);
            at.rewards();
            let Some(next) = at.moves().next().map(|id| at.apply(id)) else { break };
            state = next;
        }
        game.system();
        prop_assert!(game.clone().with_initial(State::from([9; 99])).is_err());
        prop_assert!(game.clone().into_builder().build().is_ok());
    }
}
