//! Graphs of states, by the book.

use winset_mu::Distance;

/// Which paths are fair, state by state.
#[derive(Clone, Default)]
pub struct Fair {
    pub justice: Vec<Vec<bool>>,
    pub compassion: Vec<(Vec<bool>, Vec<bool>)>,
}

#[derive(Clone)]
pub struct Graph {
    pub successors: Vec<Vec<usize>>,
}

impl Graph {
    pub fn len(&self) -> usize {
        self.successors.len()
    }

    /// The fewest steps to each state.
    pub fn depths(&self, from: &[bool]) -> Vec<Option<usize>> {
        let mut depths: Vec<Option<usize>> = from.iter().map(|&from| from.then_some(0)).collect();
        let mut open: std::collections::VecDeque<usize> = (0..self.len()).filter(|&i| from[i]).collect();
        while let Some(at) = open.pop_front() {
            for &next in &self.successors[at] {
                if depths[next].is_none() {
                    depths[next] = depths[at].map(|d| d + 1);
                    open.push_back(next);
                }
            }
        }
        depths
    }

    pub fn reachable(&self, from: &[bool]) -> Vec<bool> {
        self.depths(from).iter().map(Option::is_some).collect()
    }

    /// The graph without the other states.
    pub fn only(&self, inside: &[bool]) -> Graph {
        let keep = |(i, list): (usize, &Vec<usize>)| {
            list.iter().copied().filter(|&to| inside[i] && inside[to]).collect()
        };
        Graph { successors: self.successors.iter().enumerate().map(keep).collect() }
    }

    fn reversed(&self) -> Graph {
        let mut successors = vec![vec![]; self.len()];
        for (i, list) in self.successors.iter().enumerate() {
            list.iter().for_each(|&to| successors[to].push(i));
        }
        Graph { successors }
    }

    /// The strongly connected components (Kosaraju).
    fn components(&self) -> Vec<Vec<usize>> {
        let (mut seen, mut order) = (vec![false; self.len()], vec![]);
        for root in 0..self.len() {
            let mut stack = vec![(root, 0)];
            if std::mem::replace(&mut seen[root], true) {
                continue;
            }
            while let Some((at, next)) = stack.pop() {
                match self.successors[at].get(next) {
                    Some(&to) => {
                        stack.push((at, next + 1));
                        if !std::mem::replace(&mut seen[to], true) {
                            stack.push((to, 0));
                        }
                    }
                    None => order.push(at),
                }
            }
        }
        let reversed = self.reversed();
        let (mut taken, mut all) = (vec![false; self.len()], vec![]);
        for &root in order.iter().rev() {
            if taken[root] {
                continue;
            }
            let (mut component, mut open) = (vec![], vec![root]);
            taken[root] = true;
            while let Some(at) = open.pop() {
                component.push(at);
                for &to in &reversed.successors[at] {
                    if !std::mem::replace(&mut taken[to], true) {
                        open.push(to);
                    }
                }
            }
            all.push(component);
        }
        all
    }

    /// The states of a set from which a fair path stays in it for ever.
    pub fn fair_inside(&self, inside: &[bool], fair: &Fair) -> Vec<bool> {
        let within = self.only(inside);
        let mut cores = vec![false; self.len()];
        within.mark_fair(inside, fair, &mut cores);
        within.reversed().reachable(&cores)
    }

    /// Marks components that can be gone round in fairly.
    fn mark_fair(&self, inside: &[bool], fair: &Fair, cores: &mut [bool]) {
        let within = self.only(inside);
        for component in within.components() {
            let has = |set: &[bool]| component.iter().any(|&i| set[i]);
            let goes_round = component.len() > 1 || within.successors[component[0]].contains(&component[0]);
            if !goes_round || !fair.justice.iter().all(|set| has(set)) {
                continue;
            }
            let broken: Vec<_> =
                fair.compassion.iter().filter(|(when, then)| has(when) && !has(then)).collect();
            if broken.is_empty() {
                component.iter().for_each(|&i| cores[i] = true);
                continue;
            }
            // A fair path may only go round where it leaves the first of each broken pair out.
            let mut rest = vec![false; self.len()];
            component.iter().for_each(|&i| rest[i] = broken.iter().all(|(when, _)| !when[i]));
            self.mark_fair(&rest, fair, cores);
        }
    }

    /// The most steps from one set until the other is reached, by walking through all of them.
    pub fn longest(&self, from: &[bool], to: &[bool]) -> Distance {
        let mut at: Vec<bool> = (0..self.len()).map(|i| from[i] && !to[i]).collect();
        for steps in 0..=self.len() {
            if !at.contains(&true) {
                return Distance::Steps(steps);
            }
            let mut next = vec![false; self.len()];
            for i in (0..self.len()).filter(|&i| at[i]) {
                self.successors[i].iter().filter(|&&j| !to[j]).for_each(|&j| next[j] = true);
            }
            at = next;
        }
        Distance::Infinite
    }
}
