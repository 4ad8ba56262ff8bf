//! Models with fairness, branching and linear time, against explicit evaluators that share no algorithm with the
//! checker: strongly connected components of the state graph, and of its product with all truth assignments.

mod branching;
mod graph;
mod linear;
mod random;

use random::{Random, model};
use winset_formula::{Fairness, Lasso, Linear, Property};
use winset_model::State;
use winset_mu::{Distance, Paths, Query, Report, Trace, Universe, answer};
use winset_symbolic::{Encoding, Kind, Options};

/// The checker's answers.
fn ask(model: &random::Model, properties: &[Property], random: &mut Random) -> Report {
    let options = Options {
        memory: 48 << 20,
        kind: [Kind::Complement, Kind::Plain][random.below(2)],
        encoding: [Encoding::Standard, Encoding::ShortEmpty, Encoding::Binary][random.below(3)],
        ..Options::default()
    };
    let query = Query {
        system: &model.system,
        properties,
        paths: Paths::Fair(&model.fairness),
        scope: Universe::Reachable.into(),
        order: None,
        options: &options,
        certify: false,
        progress: None,
        whole: None,
    };
    answer(&query).unwrap().unwrap()
}

fn path(model: &random::Model, trace: &Trace) -> Vec<usize> {
    let index = |state: &State| model.index(state);
    let all = std::iter::once(&trace.start).chain(trace.steps.iter().map(|step| &step.state));
    all.map(index).collect()
}

/// Every path begins at an initial state and follows the transitions.
fn follows(model: &random::Model, trace: &Trace) {
    let path = path(model, trace);
    assert!(model.initial[path[0]]);
    assert!(path.windows(2).all(|pair| model.graph.successors[pair[0]].contains(&pair[1])));
    assert!(trace.steps.iter().all(|step| !step.name.is_empty()));
    assert!(trace.back_to.is_none_or(|back| back + 1 < path.len() && path[back] == path[path.len() - 1]));
}

#[test]
fn fair_branching_time_agrees_with_strongly_connected_components() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let model = model(&mut random);
        let formulas: Vec<_> = (0..8).map(|_| random.formula(&model, 3)).collect();
        let properties: Vec<Property> = formulas.iter().cloned().map(Property::Branching).collect();
        let report = ask(&model, &properties, &mut random);
        let reachable = model.graph.reachable(&model.initial);
        let fair = model.graph.fair_inside(&vec![true; model.graph.len()], &model.fair);
        let number =
            |test: &dyn Fn(usize) -> bool| (0..model.graph.len()).filter(|&i| test(i)).count() as u128;
        assert_eq!(report.states, number(&|i| reachable[i]), "seed {seed}");
        assert_eq!(report.unfair, number(&|i| model.initial[i] && !fair[i]), "seed {seed}");
        for (formula, verdict) in formulas.iter().zip(&report.verdicts) {
            let holds = branching::evaluate(&model, formula, &fair);
            let expected = (0..holds.len()).all(|i| !model.initial[i] || !fair[i] || holds[i]);
            assert_eq!(verdict.holds, expected, "seed {seed}: {formula:?}");
            let satisfying = number(&|i| reachable[i] && holds[i]);
            assert_eq!(verdict.satisfying, satisfying, "seed {seed}: {formula:?}");
            follows(&model, &verdict.trace);
        }
    }
}

#[test]
fn linear_time_agrees_with_the_product_of_all_assignments() {
    let (mut right, mut wrong) = (0, 0);
    for seed in 0..300 {
        let mut random = Random::new(1000 + seed);
        let model = model(&mut random);
        let formulas: Vec<Linear> = (0..8).map(|_| random.linear(&model, 4)).collect();
        let properties: Vec<Property> = formulas.iter().cloned().map(Property::Linear).collect();
        let report = ask(&model, &properties, &mut random);
        for (formula, verdict) in formulas.iter().zip(&report.verdicts) {
            let bad = linear::false_somewhere(&model, formula);
            assert_eq!(verdict.holds, !bad.contains(&true), "seed {seed}: {formula:?}");
            let good = (0..bad.len()).filter(|&i| model.initial[i] && !bad[i]).count();
            assert_eq!(verdict.satisfying, good as u128, "seed {seed}: {formula:?}");
            follows(&model, &verdict.trace);
            if verdict.holds {
                right += 1;
                // Whatever fair path is tried, it is true on it.
                for _ in 0..5 {
                    let Some((path, back_to)) = random.lasso(&model) else { continue };
                    let lasso = Lasso { length: path.len(), back_to };
                    let mut truth = |set| path.iter().map(|&i| model.holds(set, i)).collect::<Vec<bool>>();
                    let fair = lasso.is_fair(&model.fairness, &mut truth);
                    assert!(!fair || lasso.satisfies(formula, &mut truth), "seed {seed}: {formula:?}");
                }
            } else {
                wrong += 1;
                let path = path(&model, &verdict.trace);
                let lasso = Lasso { length: path.len() - 1, back_to: verdict.trace.back_to.unwrap() };
                let mut truth =
                    |set| path[..lasso.length].iter().map(|&i| model.holds(set, i)).collect::<Vec<bool>>();
                assert!(lasso.is_fair(&model.fairness, &mut truth), "seed {seed}: {formula:?}");
                assert!(!lasso.satisfies(formula, &mut truth), "seed {seed}: {formula:?}");
            }
        }
    }
    assert!(right > 200 && wrong > 200, "{right} true, {wrong} false");
}

#[test]
fn invariants_have_shortest_counterexamples_and_distances_are_right() {
    for seed in 0..300 {
        let mut random = Random::new(2000 + seed);
        let model = model(&mut random);
        let sets: Vec<_> = (0..4).map(|_| model.sets[random.below(model.sets.len())]).collect();
        let [a, b] = [model.sets[random.below(3)], model.sets[random.below(3)]];
        let mut properties: Vec<Property> = sets.iter().map(|&set| Property::Invariant(set)).collect();
        properties.extend([false, true].map(|longest| Property::Distance { longest, from: a, to: b }));
        let report = ask(&model, &properties, &mut random);
        let depth = model.graph.depths(&model.initial);
        for (&set, verdict) in sets.iter().zip(&report.verdicts) {
            let bad = (0..model.graph.len()).filter(|&i| !model.holds(set, i)).filter_map(|i| depth[i]).min();
            assert_eq!(verdict.holds, bad.is_none(), "seed {seed}");
            follows(&model, &verdict.trace);
            if let Some(bad) = bad {
                assert_eq!(verdict.trace.steps.len(), bad, "seed {seed}");
            }
        }
        let fair = model.graph.fair_inside(&vec![true; model.graph.len()], &model.fair);
        let counts: Vec<bool> = (0..fair.len()).map(|i| fair[i] && depth[i].is_some()).collect();
        let among =
            |set| -> Vec<bool> { (0..fair.len()).map(|i| counts[i] && model.holds(set, i)).collect() };
        let (from, to) = (among(a), among(b));
        let fewest = model.graph.only(&counts).depths(&from);
        let fewest = (0..fair.len()).filter(|&i| to[i]).filter_map(|i| fewest[i]).min();
        let expected = fewest.map_or(Distance::Infinite, Distance::Steps);
        assert_eq!(report.verdicts[4].distance, Some(expected), "seed {seed}");
        // Without fair states there is nothing to be gone through, and so no step before the goal: NuSMV says 0.
        let none_fair = !counts.contains(&true);
        let occurs = |set| {
            (0..fair.len()).any(|i| depth[i].is_some() && (fair[i] || none_fair) && model.holds(set, i))
        };
        let most = match (occurs(a) && occurs(b), none_fair) {
            (false, _) => Distance::Undefined,
            (true, true) => Distance::Steps(0),
            (true, false) => model.graph.only(&counts).longest(&from, &to),
        };
        assert_eq!(report.verdicts[5].distance, Some(most), "seed {seed}");
    }
}

#[test]
fn without_fairness_and_deadlocks_all_paths_count() {
    for seed in 0..100 {
        let mut random = Random::new(3000 + seed);
        let mut model = model(&mut random);
        model.fairness = Fairness::default();
        model.fair = Default::default();
        let formulas: Vec<_> = (0..4).map(|_| random.formula(&model, 3)).collect();
        let properties: Vec<Property> = formulas.iter().cloned().map(Property::Branching).collect();
        let report = ask(&model, &properties, &mut random);
        let fair = model.graph.fair_inside(&vec![true; model.graph.len()], &model.fair);
        for (formula, verdict) in formulas.iter().zip(&report.verdicts) {
            let holds = branching::evaluate(&model, formula, &fair);
            let expected = (0..holds.len()).all(|i| !model.initial[i] || !fair[i] || holds[i]);
            assert_eq!(verdict.holds, expected, "seed {seed}: {formula:?}");
        }
    }
}
