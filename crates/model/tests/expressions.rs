//! Expressions: simplification and bit-parallel evaluation against a naive evaluator.

use proptest::prelude::*;
use winset_model::{Expr, ExprId, Exprs, Facts, GameBuilder, Lanes, State, SystemId, VarId, Variable};

const VARIABLES: usize = 4;
const SIZE: u16 = 3;

fn variables() -> Vec<Variable> {
    let values: Vec<String> = (0..SIZE).map(|v| v.to_string()).collect();
    (0..VARIABLES).map(|i| Variable { name: format!("v{i}"), values: values.clone() }).collect()
}

fn all_states() -> Vec<State> {
    let digit = |code: u16, i: usize| code / SIZE.pow(i as u32) % SIZE;
    (0..SIZE.pow(VARIABLES as u32))
        .map(|code| State((0..VARIABLES).map(|i| digit(code, i)).collect()))
        .collect()
}

/// How to build an expression; operands refer to earlier ones.
#[derive(Clone, Debug)]
enum Recipe {
    Is(u32, u16),
    Not(usize),
    And(Vec<usize>),
    Or(Vec<usize>),
}

fn recipe() -> impl Strategy<Value = Recipe> {
    let operands = prop::collection::vec(any::<usize>(), 0..4);
    prop_oneof![
        (0..VARIABLES as u32, 0..SIZE).prop_map(|(var, value)| Recipe::Is(var, value)),
        any::<usize>().prop_map(Recipe::Not),
        operands.clone().prop_map(Recipe::And),
        operands.prop_map(Recipe::Or),
    ]
}

/// Builds the expressions and, beside them, the truth table of what was asked for.
fn build(recipes: &[Recipe], states: &[State]) -> (Exprs, Vec<(ExprId, Vec<bool>)>) {
    let mut exprs = Exprs::new();
    let mut built = vec![(Exprs::FALSE, vec![false; states.len()]), (Exprs::TRUE, vec![true; states.len()])];
    for recipe in recipes {
        let pick = |i: &usize| built[i % built.len()].clone();
        let fold = |list: &Vec<usize>, start: bool, f: fn(bool, bool) -> bool| {
            let picked: Vec<_> = list.iter().map(pick).collect();
            let table = (0..states.len()).map(|s| picked.iter().fold(start, |x, p| f(x, p.1[s]))).collect();
            (picked.into_iter().map(|p| p.0).collect::<Vec<ExprId>>(), table)
        };
        let next = match recipe {
            &Recipe::Is(var, value) => {
                let table = states.iter().map(|state| state[VarId(var)] == value).collect();
                (exprs.is(VarId(var), value), table)
            }
            Recipe::Not(i) => {
                let (id, table) = pick(i);
                (exprs.not(id), table.into_iter().map(|b| !b).collect())
            }
            Recipe::And(list) => {
                let (ids, table) = fold(list, true, |a, b| a && b);
                (exprs.and(ids), table)
            }
            Recipe::Or(list) => {
                let (ids, table) = fold(list, false, |a, b| a || b);
                (exprs.or(ids), table)
            }
        };
        built.push(next);
    }
    (exprs, built)
}

proptest! {
    #[test]
    fn lanes_agree_with_truth_tables(recipes in prop::collection::vec(recipe(), 1..40)) {
        let states = all_states();
        let (exprs, built) = build(&recipes, &states);
        let mut lanes = Lanes::new(&exprs, &variables(), built.iter().map(|b| b.0));
        for (batch, chunk) in states.chunks(64).enumerate() {
            lanes.load(chunk);
            for (id, table) in &built {
                for lane in 0..chunk.len() {
                    prop_assert_eq!(lanes.holds(*id, lane), table[batch * 64 + lane]);
                }
            }
        }
    }

    #[test]
    fn majority_counts(yes in 0u16..3, no in 0u16..3, margin in -2i32..3) {
        let mut exprs = Exprs::new();
        let pairs: Vec<(ExprId, ExprId)> =
            (0..VARIABLES as u32).map(|v| (exprs.is(VarId(v), yes), exprs.is(VarId(v), no))).collect();
        prop_assume!(yes != no);
        let more = exprs.majority(&pairs, margin);
        let mut lanes = Lanes::new(&exprs, &variables(), [more]);
        for state in all_states() {
            let count = |value: u16| state.0.iter().filter(|&&v| v == value).count() as i32;
            lanes.load(std::slice::from_ref(&state));
            prop_assert_eq!(lanes.holds(more, 0), count(yes) - count(no) > margin);
        }
    }

    /// Reachability over random edges that are open or shut by the state, as a recursive system.
    #[test]
    fn recursive_systems_are_least_solutions(edges in prop::collection::vec((0u32..6, 0u32..6, 0u32..4, 0u16..3), 0..15)) {
        let mut exprs = Exprs::new();
        let system: SystemId = exprs.declare_system(6);
        let members: Vec<ExprId> = (0..6).map(|i| exprs.member(system, i)).collect();
        for node in 0..6u32 {
            let mut ways = if node == 0 { vec![Exprs::TRUE] } else { vec![] };
            for &(from, _, var, value) in edges.iter().filter(|edge| edge.1 == node) {
                let open = exprs.is(VarId(var), value);
                ways.push(exprs.and([members[from as usize], open]));
            }
            let body = exprs.or(ways);
            exprs.define(system, node, body);
        }
        let last = exprs.not(members[5]);
        let roots: Vec<ExprId> = members.iter().copied().chain([last]).collect();
        let mut lanes = Lanes::new(&exprs, &variables(), roots);
        for chunk in all_states().chunks(64) {
            lanes.load(chunk);
            for (lane, state) in chunk.iter().enumerate() {
                let mut reached = [true, false, false, false, false, false];
                for _ in 0..6 {
                    for &(from, to, var, value) in &edges {
                        reached[to as usize] |= reached[from as usize] && state[VarId(var)] == value;
                    }
                }
                for node in 0..6 {
                    prop_assert_eq!(lanes.holds(members[node], lane), reached[node]);
                }
                prop_assert_eq!(lanes.holds(last, lane), !reached[5]);
            }
        }
    }
}

#[test]
fn equal_expressions_are_one() {
    let mut exprs = Exprs::new();
    let (a, b) = (exprs.is(VarId(0), 0), exprs.is(VarId(1), 1));
    assert_eq!(exprs.and([a, b]), exprs.and([b, a, Exprs::TRUE, b]));
    let other = exprs.is(VarId(0), 2);
    assert_eq!(exprs.and([a, b, other]), Exprs::FALSE, "one variable cannot have two values");
    let both = exprs.and([a, b]);
    assert_eq!(exprs.support(both), [VarId(0), VarId(1)]);
    assert!(matches!(exprs.get(a), Expr::Is(VarId(0), 0)));
}

/// Of several conditions for the same reward only the first had the reward's name, and conditions that hold at once
/// gave two rewards, although the first one counts.
#[test]
fn a_reward_is_named_wherever_it_is_earned_and_nowhere_else() {
    let mut game = GameBuilder::new("rewards", ["only"]);
    let x = game.add_variable("x", ["0", "1", "2", "3"]);
    let [zero, one, two] = [0, 1, 2].map(|value| game.exprs.is(x, value));
    let low = game.exprs.or([zero, one]);
    game.rewards[0] = vec![(100, zero), (30, low), (100, two)];
    game.terminal.push(Exprs::TRUE);
    game.initial = game.state([0]);
    let game = game.build().unwrap();
    let system = game.system();
    let names: Vec<&str> = system.sets.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["turn:only", "terminal", "reward:only:30", "reward:only:100"]);
    let mut facts = Facts::new(&system.exprs);
    for value in 0..4 {
        facts.assume(&[(x, value)], &[]);
        let holds = |facts: &mut Facts<'_>, set: usize| facts.holds(system.sets[set].1).unwrap();
        assert_eq!([holds(&mut facts, 2), holds(&mut facts, 3)], [value == 1, value == 0 || value == 2]);
    }
}
