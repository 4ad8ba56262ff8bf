//! Random models: domains of every size, several initial states, states without successors.

use crate::graph::{Fair, Graph};
use crate::linear::width;
use winset_formula::{Bounds, Fairness, Formula, Linear, Path};
use winset_model::{ExprId, Exprs, Relation, State, System, VarId, Variable};

pub struct Random(u64);

pub struct Model {
    pub system: System,
    pub graph: Graph,
    pub initial: Vec<bool>,
    pub fairness: Fairness,
    pub fair: Fair,
    /// Sets to speak of, and for each whether each state is in it.
    pub sets: Vec<ExprId>,
    members: Vec<Vec<bool>>,
    states: Vec<State>,
}

impl Model {
    pub fn holds(&self, set: ExprId, state: usize) -> bool {
        match set {
            Exprs::TRUE => true,
            Exprs::FALSE => false,
            set => self.members[self.sets.iter().position(|&other| other == set).unwrap()][state],
        }
    }

    pub fn index(&self, state: &State) -> usize {
        self.states.iter().position(|other| other == state).unwrap()
    }
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % n
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn set(&mut self, model: &Model) -> ExprId {
        model.sets[self.below(model.sets.len())]
    }

    pub fn formula(&mut self, model: &Model, depth: usize) -> Formula {
        let path = if self.one_in(2) { Path::Some } else { Path::All };
        if depth == 0 {
            return Formula::Set(self.set(model));
        }
        let choice = self.below(11);
        let mut inner = || self.formula(model, depth - 1).into();
        match choice {
            0 => Formula::Not(inner()),
            1 => Formula::And(inner(), inner()),
            2 => Formula::Or(inner(), inner()),
            3 => Formula::Implies(inner(), inner()),
            4 => Formula::Iff(inner(), inner()),
            5 | 6 => Formula::Next(path, inner()),
            7 => Formula::Finally(path, inner()),
            8 => Formula::Globally(path, inner()),
            _ => Formula::Until(path, inner(), inner()),
        }
    }

    /// A formula that is not too wide for the explicit evaluator.
    pub fn linear(&mut self, model: &Model, depth: usize) -> Linear {
        loop {
            let formula = self.any_linear(model, depth);
            if width(&formula) <= 5 {
                return formula;
            }
        }
    }

    fn any_linear(&mut self, model: &Model, depth: usize) -> Linear {
        if depth == 0 || self.one_in(6) {
            return Linear::Set(self.set(model));
        }
        let from = self.below(3) as u32;
        let bounds =
            Bounds { from, to: if self.one_in(4) { None } else { Some(from + self.below(3) as u32) } };
        let choice = self.below(22);
        let mut inner = || self.any_linear(model, depth - 1).into();
        match choice {
            0 => Linear::Not(inner()),
            1 => Linear::And(inner(), inner()),
            2 => Linear::Or(inner(), inner()),
            3 => Linear::Implies(inner(), inner()),
            4 => Linear::Iff(inner(), inner()),
            5 => Linear::Next(inner()),
            6 | 7 => Linear::Finally(inner()),
            8 | 9 => Linear::Globally(inner()),
            10 => Linear::Until(inner(), inner()),
            11 => Linear::Release(inner(), inner()),
            12 => Linear::FinallyWithin(bounds, inner()),
            13 => Linear::GloballyWithin(bounds, inner()),
            14 => Linear::Yesterday(inner()),
            15 => Linear::WeakYesterday(inner()),
            16 => Linear::Once(inner()),
            17 => Linear::Historically(inner()),
            18 => Linear::Since(inner(), inner()),
            19 => Linear::Triggered(inner(), inner()),
            20 => Linear::OnceWithin(bounds, inner()),
            _ => Linear::HistoricallyWithin(bounds, inner()),
        }
    }

    /// A walk from an initial state that returns to one of its states, and where it returns to.
    pub fn lasso(&mut self, model: &Model) -> Option<(Vec<usize>, usize)> {
        let starts: Vec<usize> = (0..model.graph.len()).filter(|&i| model.initial[i]).collect();
        let mut path = vec![starts[self.below(starts.len())]];
        let longest = 2 + self.below(20);
        loop {
            let list = &model.graph.successors[path[path.len() - 1]];
            if list.is_empty() {
                return None;
            }
            let next = list[self.below(list.len())];
            match path.iter().rposition(|&i| i == next) {
                Some(back) if path.len() >= longest => return Some((path, back)),
                _ => path.push(next),
            }
        }
    }
}

fn states(sizes: &[usize]) -> Vec<State> {
    let mut all = vec![vec![]];
    for &size in sizes {
        let more = |state: &Vec<u16>| {
            (0..size as u16).map(|value| [&state[..], &[value]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(more).collect();
    }
    all.into_iter().map(|values| State(values.into())).collect()
}

pub fn model(random: &mut Random) -> Model {
    let sizes: Vec<usize> = match random.below(5) {
        0 => vec![1 + random.below(7)],
        1 => vec![3, 1 + random.below(3)],
        2 => vec![2, 5],
        3 => vec![2, 2, 3],
        _ => vec![1 + random.below(4), 1 + random.below(4)],
    };
    let states = states(&sizes);
    let count = states.len();
    let variables: Vec<Variable> = sizes
        .iter()
        .enumerate()
        .map(|(i, &size)| Variable {
            name: format!("x{i}"),
            values: (0..size).map(|value| value.to_string()).collect(),
        })
        .collect();
    let mut exprs = Exprs::new();
    let edges: Vec<(usize, usize)> =
        (0..count + random.below(2 * count)).map(|_| (random.below(count), random.below(count))).collect();
    let all: Vec<VarId> = (0..sizes.len() as u32).map(VarId).collect();
    // Half of the edges that change the first variable only belong to a relation that writes no other.
    let writes_first = |&(from, to): &(usize, usize)| states[from].0[1..] == states[to].0[1..];
    let mut relation = |name: &str, edges: &[(usize, usize)], writes: &[VarId]| {
        let pairs: Vec<ExprId> = edges
            .iter()
            .map(|&(from, to)| {
                let mut parts: Vec<ExprId> = all.iter().map(|&v| exprs.is(v, states[from][v])).collect();
                parts.extend(writes.iter().map(|&v| exprs.next(v, states[to][v])));
                exprs.and(parts)
            })
            .collect();
        Relation { name: name.into(), formula: exprs.or(pairs), writes: writes.to_vec(), unless: vec![] }
    };
    let (few, many): (Vec<_>, Vec<_>) = edges.iter().partition(|edge| writes_first(edge));
    let relations = vec![relation("few", &few, &all[..1]), relation("many", &many, &all)];
    let mut graph = Graph { successors: vec![vec![]; count] };
    edges.iter().for_each(|&(from, to)| graph.successors[from].push(to));
    graph.successors.iter_mut().for_each(|list| {
        list.sort_unstable();
        list.dedup();
    });
    let mut describe = |members: &[bool]| {
        let list: Vec<ExprId> = (0..count)
            .filter(|&i| members[i])
            .map(|i| {
                let parts: Vec<ExprId> = all.iter().map(|&v| exprs.is(v, states[i][v])).collect();
                exprs.and(parts)
            })
            .collect();
        exprs.or(list)
    };
    let mut some = |odds: usize| -> Vec<bool> { (0..count).map(|_| random.one_in(odds)).collect() };
    let mut initial = some(count);
    let members: Vec<Vec<bool>> = [2, 3, 2, 4, 3].map(&mut some).to_vec();
    initial[random.below(count)] = true;
    let sets: Vec<ExprId> = members.iter().map(|set| describe(set)).collect();
    let initial_set = describe(&initial);
    let mut fairness = Fairness::default();
    for _ in 0..random.below(3) {
        fairness.justice.push(sets[random.below(5)]);
    }
    if random.one_in(3) {
        for _ in 0..1 + random.below(2) {
            fairness.compassion.push((sets[random.below(5)], sets[random.below(5)]));
        }
    }
    let system = System {
        variables,
        exprs,
        initial: initial_set,
        relations,
        stops: vec![],
        sets: vec![],
        hidden: vec![],
    };
    let mut model = Model { system, graph, initial, fairness, fair: Fair::default(), sets, members, states };
    let of = |set: ExprId| (0..count).map(|i| model.holds(set, i)).collect::<Vec<bool>>();
    let justice = model.fairness.justice.iter().map(|&set| of(set)).collect();
    let compassion = model.fairness.compassion.iter().map(|&(a, b)| (of(a), of(b))).collect();
    model.fair = Fair { justice, compassion };
    model
}
