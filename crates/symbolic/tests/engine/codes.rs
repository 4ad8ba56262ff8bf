//! Codes that stand for no value are never reached, whatever a relation leaves open.

use winset_model::{Exprs, Relation, System, VarId, Variable};
use winset_symbolic::*;

const ENCODINGS: [Encoding; 3] = [Encoding::Standard, Encoding::ShortEmpty, Encoding::Binary];

/// A variable and a flag; the relation may write both and says nothing more than `formula`.
fn system(size: u16, formula: impl FnOnce(&mut Exprs) -> winset_model::ExprId) -> System {
    let values = |n: u16| (0..n).map(|value| value.to_string()).collect();
    let variable = |name: &str, n| Variable { name: name.to_owned(), values: values(n) };
    let mut exprs = Exprs::new();
    let (initial, formula) = (exprs.is(VarId(0), 0), formula(&mut exprs));
    let all = (0..size).map(|value| exprs.is(VarId(0), value)).collect::<Vec<_>>();
    let some = exprs.or(all);
    let none = exprs.not(some);
    let writes = vec![VarId(0), VarId(1)];
    let relations = vec![Relation { name: "step".into(), formula, writes, unless: vec![] }];
    let sets = vec![("none".to_owned(), none)];
    System {
        variables: vec![variable("x", size), variable("flag", 2)],
        exprs,
        initial,
        relations,
        stops: vec![],
        sets,
        hidden: vec![],
    }
}

fn check<F: Diagram>(system: &System, options: &Options, reached: u128) {
    let vars = [VarId(0), VarId(1)];
    let symbolic = Symbolic::<F>::from_system(system, vars.to_vec(), options).unwrap();
    let space = &symbolic.space;
    let inside = |set: &F| space.diff(set, space.domain()).unwrap() == *space.none();
    let all = space.count(space.domain()).unwrap();
    assert_eq!(all, 2 * system.variables[0].size() as u128, "{options:?}");
    let states = reach(&symbolic, &mut ()).unwrap();
    assert!(inside(&states) && inside(&symbolic.preimage(&states).unwrap()), "{options:?}");
    assert_eq!(space.count(&states), Ok(reached), "{options:?}");
    assert!(*symbolic.set("none").unwrap() == *space.none(), "{options:?}");
    let (pairs, after) = (symbolic.monolithic().unwrap(), space.after(&vars).unwrap());
    assert!(space.diff(&pairs, &after).unwrap() == *space.none(), "{options:?}");
    // Conditions may hold for unused codes: no state is made of them.
    let unused = space.attempt(|| space.domain().not()).unwrap();
    assert_eq!(space.pick(&unused), Ok(None), "{options:?}");
    assert_eq!(space.ranked(&unused).map(|ranked| ranked.len()), Ok(0), "{options:?}");
    assert_eq!(space.ranked(space.all()).map(|ranked| ranked.len()), Ok(all as u64), "{options:?}");
}

#[test]
fn a_free_variable_takes_its_values_only() {
    for size in 1..=17 {
        let free = system(size, |_| Exprs::TRUE);
        let last = size - 1;
        let denied = system(size, |exprs| {
            let next = exprs.next(VarId(0), last);
            exprs.not(next)
        });
        for encoding in ENCODINGS {
            let options = Options { encoding, memory: 48 << 20, ..Options::default() };
            let states = 2 * u128::from(size);
            check::<Bcdd>(&free, &options, states);
            check::<Bdd>(&free, &options, states);
            // Value 0 is initial; the last one is never reached again, and with one value nothing is.
            let reached = if size == 1 { 2 } else { states - 2 };
            check::<Bcdd>(&denied, &options, reached);
            check::<Bdd>(&denied, &options, reached);
        }
    }
}
