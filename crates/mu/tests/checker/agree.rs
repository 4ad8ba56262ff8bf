//! The symbolic evaluator against the explicit one: random systems, random formulas, alternation included.

use proptest::prelude::*;
use winset_formula::{Formula, Kripke, Path, Span, parse};
use winset_model::{ExprId, Exprs, Relation, State, System, VarId, Variable};
use winset_mu::{Checker, Scope, Trace, Universe, check, default_order};
use winset_symbolic::{Bcdd, Bdd, Diagram, Encoding, Options, Partition, Symbolic};

const SIZES: [u16; 3] = [3, 2, 3];

fn options() -> Options {
    Options { memory: 64 << 20, ..Options::default() }
}

/// One random edge of a relation that writes some variables.
type Edge = (u16, u16);

fn state(index: u16) -> [u16; 3] {
    [index / 6 % 3, index / 3 % 2, index % 3]
}

fn system(edges: &[Edge], rare: &[Edge], stop: u16, p: u32, q: u32) -> System {
    let names = ["a", "b", "c"];
    let variables: Vec<Variable> = names
        .iter()
        .zip(SIZES)
        .map(|(name, size)| Variable {
            name: (*name).into(),
            values: (0..size).map(|i| format!("v{i}")).collect(),
        })
        .collect();
    let mut exprs = Exprs::new();
    let var = |i: usize| VarId(i as u32);
    let mut relation = |name: &str, edges: &[Edge], writes: &[usize], unless: Vec<usize>| {
        let steps: Vec<ExprId> = edges
            .iter()
            .map(|&(from, to)| {
                let (from, to) = (state(from), state(to));
                let mut parts: Vec<ExprId> = (0..3).map(|i| exprs.is(var(i), from[i])).collect();
                parts.extend(writes.iter().map(|&i| exprs.next(var(i), to[i])));
                exprs.and(parts)
            })
            .collect();
        let formula = exprs.or(steps);
        let writes = writes.iter().map(|&i| var(i)).collect();
        Relation { name: name.into(), formula, writes, unless }
    };
    let relations = vec![
        relation("all", edges, &[0, 1, 2], vec![]),
        relation("one", rare, &[1], vec![]),
        relation("pass", rare, &[0, 2], vec![0, 1]),
    ];
    let mut members = |mask: u32| {
        let list: Vec<ExprId> = (0..18u16)
            .filter(|i| mask >> i & 1 == 1)
            .map(|i| {
                let parts = [0, 1, 2].map(|v| exprs.is(var(v), state(i)[v]));
                exprs.and(parts)
            })
            .collect();
        exprs.or(list)
    };
    let (p, q, initial, stop) =
        (members(p), members(q), members(1 << (stop % 18)), members(1 << (stop / 18 % 18)));
    let sets = vec![("p".to_owned(), p), ("q".to_owned(), q)];
    System { variables, exprs, initial, relations, stops: vec![stop], sets, hidden: vec![] }
}

/// A formula from bytes; bound variables occur only with the sign of their binder.
struct Bytes<'b> {
    bytes: std::slice::Iter<'b, u8>,
    sets: [ExprId; 2],
    scope: Vec<(String, bool)>,
}

impl Bytes<'_> {
    fn formula(&mut self, depth: usize, positive: bool) -> Formula {
        let byte = self.bytes.next().copied().unwrap_or(0);
        let path = if byte & 128 == 0 { Path::Some } else { Path::All };
        let choice = if depth == 0 { byte % 3 } else { byte % 16 };
        let usable: Vec<String> =
            self.scope.iter().filter(|(_, sign)| *sign == positive).map(|(name, _)| name.clone()).collect();
        let deeper = depth.saturating_sub(1);
        match choice {
            0 => Formula::Set(self.sets[0]),
            1 => Formula::Set(self.sets[1]),
            2 | 3 => match usable.get(byte as usize / 16 % usable.len().max(1)) {
                Some(name) => Formula::Variable(name.clone(), Span::default()),
                None => Formula::Set(self.sets[0]),
            },
            4 => Formula::Not(self.formula(deeper, !positive).into()),
            5 | 6 => {
                Formula::And(self.formula(deeper, positive).into(), self.formula(deeper, positive).into())
            }
            7 | 8 => {
                Formula::Or(self.formula(deeper, positive).into(), self.formula(deeper, positive).into())
            }
            9 => Formula::Implies(
                self.formula(deeper, !positive).into(),
                self.formula(deeper, positive).into(),
            ),
            10 => Formula::Until(
                path,
                self.formula(deeper, positive).into(),
                self.formula(deeper, positive).into(),
            ),
            11 => Formula::Globally(path, self.formula(deeper, positive).into()),
            12 | 13 => Formula::Next(path, self.formula(deeper, positive).into()),
            _ => {
                let variable = format!("X{}", self.scope.len());
                self.scope.push((variable.clone(), positive));
                let body = self.formula(deeper, positive).into();
                self.scope.pop();
                Formula::Fix { least: byte & 64 == 0, variable, span: Span::default(), body }
            }
        }
    }
}

fn symbolic_set<F: Diagram>(system: &System, formula: &Formula, options: &Options) -> Vec<bool> {
    let mut exprs = system.exprs.clone();
    let core = formula.core(&mut exprs).unwrap();
    let symbolic = Symbolic::<F>::from_system(system, default_order(system), options).unwrap();
    let mut checker = Checker::new(&symbolic, &exprs, Universe::All).unwrap();
    let set = checker.evaluate(&core).unwrap();
    (0..18).map(|i| symbolic.space.contains(&set, &State(state(i).into()))).collect()
}

fn explicit_set(system: &System, formula: &Formula) -> Vec<bool> {
    let mut system = system.clone();
    let core = formula.core(&mut system.exprs).unwrap();
    Kripke::explore(&system, 100).unwrap().evaluate(&system, &core)
}

prop_compose! {
    fn systems()(
        edges in prop::collection::vec((0..18u16, 0..18u16), 0..40),
        rare in prop::collection::vec((0..18u16, 0..18u16), 0..8),
        stop in 0..324u16,
        p in 0..1u32 << 18,
        q in 0..1u32 << 18,
    ) -> System {
        system(&edges, &rare, stop, p, q)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn symbolic_and_explicit_agree(system in systems(), bytes in prop::collection::vec(any::<u8>(), 4..40)) {
        let sets = [system.sets[0].1, system.sets[1].1];
        let formula = Bytes { bytes: bytes.iter(), sets, scope: vec![] }.formula(6, true);
        let expected = explicit_set(&system, &formula);
        prop_assert_eq!(&symbolic_set::<Bcdd>(&system, &formula, &options()), &expected, "{:?}", formula);
        let standard = Options { encoding: Encoding::Standard, ..options() };
        prop_assert_eq!(&symbolic_set::<Bdd>(&system, &formula, &standard), &expected);
    }

    /// Formulas whose inner fixed points depend on the outer ones, where reuse could go wrong.
    #[test]
    fn alternation_agrees(system in systems(), which in 0..8usize) {
        let text = [
            "nu X. mu Y. (p & EX X) | EX Y",
            "mu X. nu Y. (p | EX X) & EX Y",
            "nu X. mu Y. (p & AX X) | (q & EX Y) | AX Y",
            "mu X. nu Y. mu Z. (p & EX X) | (q & EX Y) | AX Z",
            "nu X. mu Y. nu Z. (p | AX Y) & (EX X | q) & EX Z",
            "nu X. (mu Y. (p & EX X) | EX Y) & (mu Z. (q & EX X) | EX Z)",
            "mu X. (nu Y. EX Y & (q | EX X)) | (p & AX X)",
            "nu X. mu Y. EX (p & X | Y) & EX EX Y | q & X",
        ][which];
        let mut system = system;
        let formula = parse(text, &mut system).unwrap();
        prop_assert_eq!(symbolic_set::<Bcdd>(&system, &formula, &options()), explicit_set(&system, &formula));
    }

    /// Over the reachable states the same states satisfy a formula as over all.
    #[test]
    fn restriction_to_reachable_states_is_harmless(
        system in systems(),
        bytes in prop::collection::vec(any::<u8>(), 4..30),
    ) {
        let sets = [system.sets[0].1, system.sets[1].1];
        let formula = Bytes { bytes: bytes.iter(), sets, scope: vec![] }.formula(5, true);
        let kripke = Kripke::explore(&system, 100).unwrap();
        let all = explicit_set(&system, &formula);
        let reachable = kripke.reachable(&system);
        let expected = (0..18).filter(|&i| all[i] && reachable[i]).count() as u128;
        let formulas = [formula];
        let report = check(&system, &formulas, Universe::Reachable, None, &options()).unwrap().unwrap();
        prop_assert_eq!(report.verdicts[0].satisfying, expected);
        prop_assert_eq!(report.states, reachable.iter().filter(|&&r| r).count() as u128);
        let stuck = (0..18).filter(|&i| reachable[i] && kripke.successors[i].is_empty()).count() as u128;
        prop_assert_eq!(report.deadlocks, stuck);
        let initial = kripke.set(&system, system.initial).iter().position(|&i| i).unwrap();
        prop_assert_eq!(report.verdicts[0].holds, all[initial]);
        follows(&kripke, &report.verdicts[0].trace)?;
    }

    /// A constraint takes states away with all transitions to them, however the relation is cut.
    #[test]
    fn constraints_and_parts_agree(
        system in systems(),
        kept in 0..1u32 << 18,
        bytes in prop::collection::vec(any::<u8>(), 4..30),
        parts in 0..6usize,
        everywhere in any::<bool>(),
    ) {
        let mut system = system;
        let states: Vec<ExprId> = (0..18u16).filter(|i| kept >> i & 1 == 1).map(|i| {
            let values = [0, 1, 2].map(|v| system.exprs.is(VarId(v as u32), state(i)[v]));
            system.exprs.and(values)
        }).collect();
        let constraint = system.exprs.or(states);
        let sets = [system.sets[0].1, system.sets[1].1];
        let formula = Bytes { bytes: bytes.iter(), sets, scope: vec![] }.formula(5, true);
        let whole = Kripke::explore(&system, 100).unwrap();
        let inside = |i: usize| kept >> i & 1 == 1;
        let mut kripke = whole.clone();
        for (i, successors) in kripke.successors.iter_mut().enumerate() {
            successors.retain(|&to| inside(i) && inside(to as usize));
        }
        let mut counted: Vec<bool> = (0..18).map(inside).collect();
        let mut initial = kripke.set(&system, system.initial);
        initial.iter_mut().zip(&counted).for_each(|(initial, &counted)| *initial &= counted);
        if !everywhere {
            counted = initial.clone();
            while let Some(next) = (0..18).filter(|&i| counted[i]).flat_map(|i| kripke.successors[i].clone())
                .find(|&to| !counted[to as usize]) {
                counted[next as usize] = true;
            }
        }
        let core = formula.core(&mut system.exprs).unwrap();
        let holds = kripke.evaluate(&system, &core);
        let number = |test: &dyn Fn(usize) -> bool| (0..18).filter(|&i| counted[i] && test(i)).count() as u128;
        let universe = if everywhere { Universe::All } else { Universe::Reachable };
        let options = Options { partition: Partition::Parts(parts), ..options() };
        let scope = Scope { universe, constraint };
        let report = check(&system, &[formula], scope, None, &options).unwrap().unwrap();
        prop_assert_eq!(report.states, number(&|_| true));
        prop_assert_eq!(report.initial, number(&|i| initial[i]));
        prop_assert_eq!(report.deadlocks, number(&|i| kripke.successors[i].is_empty()));
        let leaves = |i: usize| whole.successors[i].iter().any(|&to| !inside(to as usize));
        prop_assert_eq!(report.leaving, number(&leaves));
        prop_assert!(report.parts <= parts.clamp(1, 3));
        if let [verdict] = &report.verdicts[..] {
            prop_assert_eq!(verdict.satisfying, number(&|i| holds[i]));
            prop_assert_eq!(verdict.holds, (0..18).all(|i| !initial[i] || holds[i]));
            follows(&kripke, &verdict.trace)?;
        } else {
            prop_assert_eq!(report.initial, 0);
        }
    }
}

/// Every step of a path is a transition, and so is its return.
fn follows(kripke: &Kripke, trace: &Trace) -> Result<(), TestCaseError> {
    let index = |state: &State| kripke.states.iter().position(|s| s == state).unwrap();
    let mut states = vec![index(&trace.start)];
    states.extend(trace.steps.iter().map(|step| index(&step.state)));
    for pair in states.windows(2) {
        prop_assert!(kripke.successors[pair[0]].contains(&(pair[1] as u32)));
    }
    prop_assert!(trace.steps.iter().all(|step| !step.name.is_empty()));
    prop_assert!(trace.steps.len() < 200, "a path that returns nowhere");
    if let Some(back) = trace.back_to {
        prop_assert_eq!(states[back], *states.last().unwrap());
    }
    Ok(())
}
