//! The state space: a manager, the bits of every variable, and sets of states.

mod algebra;

use crate::budget::Capacity;
use crate::count::{Group, Groups};
use crate::diagram::Diagram;
use crate::encode::{self, Code};
use crate::error::SymbolicError;
use crate::options::Options;
use crate::rank::Ranked;
use oxidd::util::AllocResult;
use oxidd::{Manager, ManagerRef};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use winset_model::{State, Value, VarId, Variable};
use winset_work::Work;

/// What an operation costs, in steps, and every node that it makes: its place in the tables is found, and often
/// the same is looked up for nothing.
const STEPS_PER_OPERATION: u64 = 100;
const STEPS_PER_NODE: u64 = 30;

/// A variable's place in the diagrams.
#[derive(Clone, Debug)]
pub struct Place {
    /// The levels of the bits' current copies, ascending; the next copy of each is one below.
    pub levels: Vec<u32>,
    /// The code of every value.
    pub codes: Vec<Code>,
}

/// A manager with the bits of every variable. Bit i of the order has its current copy at level 2i and its
/// next copy at 2i + 1.
pub struct Space<F: Diagram> {
    manager: F::ManagerRef,
    places: Vec<Place>,
    order: Vec<VarId>,
    current: Vec<Vec<F>>,
    next: Vec<Vec<F>>,
    /// For each variable the codes of its values after a transition, without the unused ones.
    after: Vec<F>,
    groups: Groups,
    none: F,
    all: F,
    domain: F,
    /// Variables in which states may differ and still count once.
    hidden: Vec<VarId>,
    memory: u64,
    live: AtomicUsize,
    garbage: usize,
    threads: usize,
    work: Work,
    /// The number of steps after which what is being done may not go on.
    until: AtomicU64,
    /// The nodes that have been counted as work.
    counted: AtomicUsize,
    /// The nodes of the diagram that was made to arrays last.
    flattened: AtomicUsize,
}

impl<F: Diagram> Space<F> {
    /// A space for the variables in the given order, which must be a permutation of them.
    pub fn new(variables: &[Variable], order: Vec<VarId>, options: &Options) -> Result<Self, SymbolicError> {
        Self::with_cache(variables, order, options, usize::MAX)
    }

    /// The same with a cache of n entries at most. All of them are touched at once, which takes longer than many a
    /// small system.
    pub(crate) fn with_cache(
        variables: &[Variable],
        order: Vec<VarId>,
        options: &Options,
        cache: usize,
    ) -> Result<Self, SymbolicError> {
        let states = variables.iter().fold(1u128, |n, v| n.saturating_mul(v.size() as u128));
        let capacity = Capacity::of(options.memory, states)?;
        let capacity = Capacity { cache: capacity.cache.min(cache), ..capacity };
        capacity.ask(options.threads.max(1))?;
        let manager = F::new_manager(capacity.nodes, capacity.cache, options.threads.max(1));
        let mut places: Vec<Option<Place>> = vec![None; variables.len()];
        let mut bit = 0;
        for &var in &order {
            let codes = encode::codes(variables[var.index()].size(), options.encoding);
            let width = codes[0].len() as u32;
            places[var.index()] = Some(Place { levels: (bit..bit + width).map(|b| 2 * b).collect(), codes });
            bit += width;
        }
        let places: Vec<Place> = places.into_iter().flatten().collect();
        assert_eq!(places.len(), variables.len(), "the order is a permutation");
        manager.with_manager_exclusive(|manager| manager.add_vars(2 * bit));
        let (none, all) = manager.with_manager_shared(|manager| (F::f(manager), F::t(manager)));
        let group = |var: &VarId| {
            let place = &places[var.index()];
            Group { levels: place.levels.clone(), words: place.codes.clone() }
        };
        let groups = Groups::new(order.iter().map(group).collect());
        let mut space = Space {
            manager,
            places,
            order,
            current: vec![],
            next: vec![],
            after: vec![],
            groups,
            none: none.clone(),
            all: all.clone(),
            domain: all,
            hidden: vec![],
            memory: options.memory,
            live: AtomicUsize::new(0),
            // A collection clears the whole cache, so it must not come often.
            threads: options.threads.max(1) as usize,
            garbage: (capacity.cache / 2).max(1 << 18),
            work: options.work.clone(),
            until: AtomicU64::new(u64::MAX),
            counted: AtomicUsize::new(0),
            flattened: AtomicUsize::new(0),
        };
        for copy in 0..2 {
            let mut literals = vec![];
            for i in 0..variables.len() {
                let place = &space.places[i];
                let words = place.codes.iter().map(|code| space.word(&place.levels, code, copy));
                literals.push(words.collect::<Result<Vec<F>, _>>()?);
            }
            if copy == 0 { space.current = literals } else { space.next = literals }
        }
        let mut domain = space.all.clone();
        for &var in space.order.iter().rev() {
            let values = space.or_all(space.current[var.index()].clone())?;
            domain = space.and(&domain, &values)?;
        }
        space.domain = domain;
        let after = space.next.iter().map(|values| space.or_all(values.clone()));
        space.after = after.collect::<Result<_, _>>()?;
        Ok(space)
    }

    fn word(&self, levels: &[u32], code: &Code, copy: u32) -> Result<F, SymbolicError> {
        let mut word = self.all.clone();
        for (&level, &bit) in levels.iter().zip(code).rev() {
            let Some(bit) = bit else { continue };
            let literal = self.attempt(|| {
                self.manager.with_manager_shared(|manager| {
                    if bit { F::var(manager, level + copy) } else { F::not_var(manager, level + copy) }
                })
            })?;
            word = self.and(&word, &literal)?;
        }
        Ok(word)
    }

    /// The bit at a level: where it is 1.
    pub(crate) fn bit(&self, level: u32) -> Result<F, SymbolicError> {
        self.attempt(|| self.manager.with_manager_shared(|manager| F::var(manager, level)))
    }

    /// Whether two sets have a state in common.
    pub fn meet(&self, a: &F, b: &F) -> Result<bool, SymbolicError> {
        Ok(self.and(a, b)? != self.none)
    }

    /// Does something that may run out of memory; if it does, collects garbage and tries again.
    pub fn attempt<T>(&self, work: impl Fn() -> AllocResult<T>) -> Result<T, SymbolicError> {
        // Another thread may be collecting already, and then this one's call returns at once.
        for _ in 0..=self.threads {
            if let Ok(result) = work() {
                self.count_work()?;
                return Ok(result);
            }
            self.count_work()?;
            self.collect();
        }
        work().map_err(|_| self.out_of_memory())
    }

    /// Counts an operation, and the nodes that it has made.
    fn count_work(&self) -> Result<(), SymbolicError> {
        let nodes = self.manager.with_manager_shared(|manager| manager.approx_num_inner_nodes());
        let made = nodes.saturating_sub(self.counted.swap(nodes, Ordering::Relaxed));
        self.work.spend(STEPS_PER_OPERATION + STEPS_PER_NODE * made as u64)?;
        if self.work.done() > self.until.load(Ordering::Relaxed) {
            return Err(winset_work::Exhausted.into());
        }
        Ok(())
    }

    /// The steps made so far.
    pub fn steps(&self) -> u64 {
        self.work.done()
    }

    /// Does something that may take n steps and no more; none if it takes more. What is begun is ended first: an
    /// operation on diagrams is not broken off.
    pub fn bounded<T>(
        &self,
        steps: u64,
        work: impl FnOnce() -> Result<T, SymbolicError>,
    ) -> Result<Option<T>, SymbolicError> {
        let until = self.steps().saturating_add(steps);
        self.until.store(until, Ordering::Relaxed);
        let done = work();
        self.until.store(u64::MAX, Ordering::Relaxed);
        match done {
            Err(_) if self.steps() > until => Ok(None),
            done => done.map(Some),
        }
    }

    /// The budget does not do.
    pub(crate) fn out_of_memory(&self) -> SymbolicError {
        SymbolicError::OutOfMemory { budget: self.memory, advice: Capacity::advice(self.memory) }
    }

    /// Collects garbage now.
    pub fn collect(&self) {
        let live = self.manager.with_manager_shared(|manager| {
            manager.gc();
            manager.num_inner_nodes()
        });
        self.live.store(live, Ordering::Relaxed);
    }

    /// Collects garbage if there is likely a lot of it. To be called between the steps of a search.
    pub fn tidy(&self) {
        let nodes = self.manager.with_manager_shared(|manager| manager.approx_num_inner_nodes());
        if nodes > 2 * self.live.load(Ordering::Relaxed) + self.garbage {
            self.collect();
        }
    }

    /// The number of nodes that the manager holds, garbage included.
    pub fn nodes(&self) -> usize {
        self.manager.with_manager_shared(|manager| manager.num_inner_nodes())
    }

    /// The diagrams' manager.
    pub fn manager(&self) -> &F::ManagerRef {
        &self.manager
    }

    /// The variables from the root down.
    pub fn order(&self) -> &[VarId] {
        &self.order
    }

    /// Where a variable's bits are.
    pub fn place(&self, var: VarId) -> &Place {
        &self.places[var.index()]
    }

    /// The number of variables.
    pub fn variables(&self) -> usize {
        self.places.len()
    }

    /// The empty set.
    pub fn none(&self) -> &F {
        &self.none
    }

    /// Everything, unused codes included.
    pub fn all(&self) -> &F {
        &self.all
    }

    /// All states.
    pub fn domain(&self) -> &F {
        &self.domain
    }

    /// The states where the variable has the value.
    pub fn is(&self, var: VarId, value: Value) -> &F {
        &self.current[var.index()][value as usize]
    }

    /// The pairs of states where the variable has the value in the second.
    pub fn next(&self, var: VarId, value: Value) -> &F {
        &self.next[var.index()][value as usize]
    }

    /// The pairs of states whose second gives each of these variables a value and no unused code. A
    /// relation that leaves a variable free, or denies it some values, needs this: see
    /// [`crate::Part::pairs`].
    pub fn after(&self, vars: &[VarId]) -> Result<F, SymbolicError> {
        let mut values: Vec<F> = vars.iter().map(|var| self.after[var.index()].clone()).collect();
        // Neighbours in the order combine to small diagrams.
        values.sort_by_key(F::root_level);
        self.and_all(values)
    }

    /// The set of one state.
    pub fn singleton(&self, state: &State) -> Result<F, SymbolicError> {
        let mut set = self.all.clone();
        for &var in self.order.iter().rev() {
            set = self.and(&set, self.is(var, state[var]))?;
        }
        Ok(set)
    }

    /// Whether the set contains the state.
    pub fn contains(&self, set: &F, state: &State) -> bool {
        let bits = self.places.iter().enumerate().flat_map(|(i, place)| {
            let code = &place.codes[state.0[i] as usize];
            place.levels.iter().zip(code).map(|(&level, &bit)| (level, bit.unwrap_or(false)))
        });
        set.eval(bits)
    }

    /// The number of bits of a state.
    pub fn bits(&self) -> usize {
        self.places.iter().map(|place| place.levels.len()).sum()
    }

    /// Says which variables states may differ in and still count once.
    pub fn hide(&mut self, hidden: &[VarId]) {
        self.hidden = hidden.to_vec();
    }

    /// The exact number of states in the set; those that differ in hidden variables alone count once.
    pub fn count(&self, set: &F) -> Result<u128, SymbolicError> {
        self.count_without(set, &self.hidden)
    }

    /// The same where other variables are hidden.
    pub fn count_without(&self, set: &F, hidden: &[VarId]) -> Result<u128, SymbolicError> {
        let set = self.one_of_each(set, hidden)?;
        set.count_groups(&self.groups).ok_or(SymbolicError::CountOverflow)
    }

    /// About how many states the set has, however many.
    pub fn count_about(&self, set: &F) -> Result<f64, SymbolicError> {
        self.count_about_without(set, &self.hidden)
    }

    /// The same where other variables are hidden.
    pub fn count_about_without(&self, set: &F, hidden: &[VarId]) -> Result<f64, SymbolicError> {
        Ok(self.one_of_each(set, hidden)?.count_groups_about(&self.groups))
    }

    /// One of the states that differ in hidden variables alone.
    fn one_of_each(&self, set: &F, hidden: &[VarId]) -> Result<F, SymbolicError> {
        if hidden.is_empty() {
            return Ok(set.clone());
        }
        let forgotten = self.forget(set, hidden)?;
        let mut first: Vec<F> = hidden.iter().map(|&var| self.is(var, 0).clone()).collect();
        // Neighbours in the order combine to small diagrams.
        first.sort_by_key(F::root_level);
        let first = self.and_all(first)?;
        self.and(&forgotten, &first)
    }

    /// The bits in groups, a group per variable from the root down.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// The set's states numbered from 0, in the order of their code words.
    pub fn ranked(&self, set: &F) -> Result<Ranked, SymbolicError> {
        let mut words = self.and(set, &self.domain)?;
        for place in self.order.iter().rev().map(|var| &self.places[var.index()]) {
            // Of the words of one state the one that is 0 where bits have no meaning.
            for code in place.codes.iter().filter(|code| code.contains(&None)) {
                let canonical: Code = code.iter().map(|bit| Some(bit.unwrap_or(false))).collect();
                let all = self.word(&place.levels, code, 0)?;
                let one = self.word(&place.levels, &canonical, 0)?;
                let others = self.diff(&all, &one)?;
                words = self.diff(&words, &others)?;
            }
        }
        let bits: Vec<u32> =
            self.order.iter().flat_map(|var| self.places[var.index()].levels.iter().copied()).collect();
        Ranked::new(words.flatten(), bits).ok_or(SymbolicError::CountOverflow)
    }

    /// A state of the set, if there is one.
    pub fn pick(&self, set: &F) -> Result<Option<State>, SymbolicError> {
        let states = self.and(set, &self.domain)?;
        let Some(cube) = states.pick_cube(|_, _, _| false) else { return Ok(None) };
        let bit = |level: u32| cube[level as usize] == oxidd::util::OptBool::True;
        let values = self.places.iter().map(|place| {
            let bits: Vec<bool> = place.levels.iter().map(|&level| bit(level)).collect();
            encode::decode(&place.codes, &bits)
        });
        Ok(Some(State(values.map(|value| value.expect("every word of the domain has a value")).collect())))
    }

    /// The conjunction of the bits at these levels, to quantify over.
    pub(crate) fn cube(&self, levels: &mut [u32]) -> Result<F, SymbolicError> {
        levels.sort_unstable();
        let mut cube = self.all.clone();
        for &level in levels.iter().rev() {
            let var = self.attempt(|| self.manager.with_manager_shared(|manager| F::var(manager, level)))?;
            cube = self.and(&var, &cube)?;
        }
        Ok(cube)
    }
}
