//! Ground rules: every instance of every rule that can matter, without what is already decided.

use crate::ground::core::CoreRule;
use crate::ground::evaluate::Evaluation;
use crate::ground::join::{Window, plan, run};
use crate::ground::terms::{TermId, hash_ids};
use crate::limits::{Exceeded, Meter};
use hashbrown::HashTable;

/// A ground atom.
pub(crate) type AtomId = u32;

/// A literal of a ground rule: the atom's number doubled, plus one if it is negated.
pub(crate) type GroundLiteral = u32;

/// The ground rules of a game.
pub(crate) struct Ground {
    /// How many atoms there are.
    pub atoms: usize,
    heads: Vec<AtomId>,
    starts: Vec<u32>,
    literals: Vec<GroundLiteral>,
    /// For every atom its rules, as ranges into `by_head`.
    head_starts: Vec<u32>,
    by_head: Vec<u32>,
    /// The rule of the file for every ground rule.
    pub origins: Vec<u32>,
    /// The facts that a state can contain: their atoms are numbered from 0 in this order.
    pub fluents: Vec<TermId>,
    /// What holds at the start.
    pub init: Vec<bool>,
    /// Role and move of everything that can be done; the atoms follow those of the fluents.
    pub actions: Vec<(usize, TermId)>,
    pub roles: Vec<TermId>,
    /// For every fluent the atom that says it holds next.
    pub next: Vec<Option<AtomId>>,
    /// For every action the atom that says it is legal.
    pub legal: Vec<AtomId>,
    /// Role, value and atom of every goal.
    pub goals: Vec<(usize, TermId, AtomId)>,
    pub terminal: Option<AtomId>,
    next_base: AtomId,
    next_fluents: Vec<u32>,
}

impl Ground {
    /// The bodies of an atom's rules.
    pub fn bodies(&self, atom: AtomId) -> impl Iterator<Item = &[GroundLiteral]> {
        self.rules_of(atom).iter().map(|r| self.body(*r))
    }

    pub fn rules_of(&self, atom: AtomId) -> &[u32] {
        &self.by_head[self.head_starts[atom as usize] as usize..self.head_starts[atom as usize + 1] as usize]
    }

    pub fn body(&self, rule: u32) -> &[GroundLiteral] {
        &self.literals[self.starts[rule as usize] as usize..self.starts[rule as usize + 1] as usize]
    }

    pub fn head(&self, rule: u32) -> AtomId {
        self.heads[rule as usize]
    }

    pub fn rules(&self) -> usize {
        self.heads.len()
    }

    /// The rules that no move, successor, end or goal depends on; nothing if they are few.
    pub fn unused(&self) -> Option<Vec<bool>> {
        let mut wanted = vec![false; self.atoms];
        let mut open: Vec<AtomId> = self.next.iter().flatten().chain(&self.legal).copied().collect();
        open.extend(self.goals.iter().map(|g| g.2).chain(self.terminal));
        open.retain(|a| !std::mem::replace(&mut wanted[*a as usize], true));
        let mut rules = 0;
        while let Some(atom) = open.pop() {
            for rule in self.rules_of(atom) {
                rules += 1;
                for literal in self.body(*rule) {
                    if !std::mem::replace(&mut wanted[(literal >> 1) as usize], true) {
                        open.push(literal >> 1);
                    }
                }
            }
        }
        (rules < self.rules() / 4 * 3).then(|| self.heads.iter().map(|h| !wanted[*h as usize]).collect())
    }

    /// Takes rules out.
    pub fn remove(&mut self, dead: &[bool]) {
        let (mut literals, mut starts) = (Vec::with_capacity(self.literals.len()), vec![0]);
        for rule in (0..self.rules() as u32).filter(|r| !dead[*r as usize]) {
            literals.extend_from_slice(self.body(rule));
            starts.push(literals.len() as u32);
        }
        let mut at = dead.iter();
        self.heads.retain(|_| at.next().is_some_and(|d| !d));
        let mut at = dead.iter();
        self.origins.retain(|_| at.next().is_some_and(|d| !d));
        (self.literals, self.starts) = (literals, starts);
        (self.head_starts, self.by_head) = sort_by_head(&self.heads, self.atoms);
    }

    /// Whether the atom is a fluent or an action, which no rule defines.
    pub fn is_input(&self, atom: AtomId) -> bool {
        (atom as usize) < self.fluents.len() + self.actions.len()
    }

    pub fn action_atom(&self, action: usize) -> AtomId {
        (self.fluents.len() + action) as AtomId
    }

    /// The fluent that an atom of `next` speaks of.
    pub fn fluent_of_next(&self, atom: AtomId) -> Option<u32> {
        let at = atom.checked_sub(self.next_base)? as usize;
        self.next_fluents.get(at).copied()
    }
}

/// Collects the instances of all rules over the relations of the relaxed game.
pub(crate) fn ground(evaluation: &mut Evaluation, meter: &mut Meter) -> Result<Ground, Exceeded> {
    let k = evaluation.keywords;
    let size = |p: u32| evaluation.relations[p as usize].len();
    let mut offsets = vec![u32::MAX; evaluation.relations.len()];
    let mut atoms = 0u32;
    let roots = [k.next, k.legal, k.goal, k.terminal];
    let others = (0..evaluation.relations.len() as u32)
        .filter(|p| *p != k.truth && *p != k.does && (!evaluation.fixed[*p as usize] || roots.contains(p)));
    for p in [k.truth, k.does].into_iter().chain(others) {
        offsets[p as usize] = atoms;
        atoms += size(p) as u32;
    }
    let mut sink = Sink::default();
    for p in roots {
        if evaluation.fixed[p as usize] {
            for i in 0..size(p) {
                sink.add(offsets[p as usize] + i as u32, &[], u32::MAX);
            }
        }
    }
    let rules: Vec<CoreRule> =
        evaluation.rules.iter().filter(|r| !evaluation.fixed[r.head.pred as usize]).cloned().collect();
    for rule in &rules {
        instances(rule, evaluation, &offsets, &mut sink, meter)?;
        meter.check_memory(evaluation.bytes() + sink.bytes())?;
    }
    let relation = |p: u32| &evaluation.relations[p as usize];
    let size = |p: u32| evaluation.relations[p as usize].len();
    let roles: Vec<TermId> = (0..size(k.role)).map(|i| relation(k.role).tuple(i)[0]).collect();
    let role_of = |t: TermId| roles.iter().position(|r| *r == t);
    let fluents: Vec<TermId> = (0..size(k.truth)).map(|i| relation(k.truth).tuple(i)[0]).collect();
    let init = fluents.iter().map(|f| relation(k.init).find(&[*f]).is_some()).collect();
    let next =
        fluents.iter().map(|f| relation(k.next).find(&[*f]).map(|i| offsets[k.next as usize] + i)).collect();
    let mut actions = Vec::new();
    let mut legal = Vec::new();
    for i in 0..size(k.does) {
        let tuple = relation(k.does).tuple(i);
        // Only roles get into `does`, and only what is legal.
        if let (Some(role), Some(at)) = (role_of(tuple[0]), relation(k.legal).find(tuple)) {
            actions.push((role, tuple[1]));
            legal.push(offsets[k.legal as usize] + at);
        }
    }
    let goals = (0..size(k.goal))
        .filter_map(|i| {
            let tuple = relation(k.goal).tuple(i);
            role_of(tuple[0]).map(|role| (role, tuple[1], offsets[k.goal as usize] + i as u32))
        })
        .collect();
    let terminal = (size(k.terminal) > 0).then_some(offsets[k.terminal as usize]);
    let next_fluents = (0..size(k.next))
        .map(|i| relation(k.truth).find(relation(k.next).tuple(i)).unwrap_or(u32::MAX))
        .collect();
    let (head_starts, by_head) = sort_by_head(&sink.heads, atoms as usize);
    Ok(Ground {
        atoms: atoms as usize,
        heads: sink.heads,
        starts: sink.starts,
        literals: sink.literals,
        head_starts,
        by_head,
        origins: sink.origins,
        fluents,
        init,
        actions,
        roles,
        next,
        legal,
        goals,
        terminal,
        next_base: offsets[k.next as usize],
        next_fluents,
    })
}

fn sort_by_head(heads: &[AtomId], atoms: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; atoms + 1];
    heads.iter().for_each(|h| starts[*h as usize + 1] += 1);
    for i in 0..atoms {
        starts[i + 1] += starts[i];
    }
    let mut at = starts.clone();
    let mut rules = vec![0u32; heads.len()];
    for (rule, head) in heads.iter().enumerate() {
        rules[at[*head as usize] as usize] = rule as u32;
        at[*head as usize] += 1;
    }
    (starts, rules)
}

fn instances(
    rule: &CoreRule,
    evaluation: &mut Evaluation,
    offsets: &[u32],
    sink: &mut Sink,
    meter: &mut Meter,
) -> Result<(), Exceeded> {
    meter.rule = rule.origin;
    let windows: Vec<Window> = rule
        .positive
        .iter()
        .map(|l| Window { from: 0, to: evaluation.relations[l.pred as usize].len() })
        .collect();
    let test: Vec<bool> = rule.negative.iter().map(|l| evaluation.fixed[l.pred as usize]).collect();
    let plan = plan(rule, &windows, None, &test, &mut evaluation.relations, &evaluation.terms);
    let (relations, fixed) = (&evaluation.relations, &evaluation.fixed);
    let (mut tuple, mut body) = (Vec::new(), Vec::new());
    run(rule, &plan, relations, &mut evaluation.terms, meter, &mut |m, terms, meter| {
        body.clear();
        for (literal, at) in rule.positive.iter().zip(m.tuples) {
            if !fixed[literal.pred as usize] {
                body.push((offsets[literal.pred as usize] + at) << 1);
            }
        }
        for literal in rule.negative.iter().filter(|l| !fixed[l.pred as usize]) {
            tuple.clear();
            tuple.extend(literal.args.iter().map(|a| a.instantiate(m.bindings, terms)));
            if let Some(at) = relations[literal.pred as usize].find(&tuple) {
                body.push((offsets[literal.pred as usize] + at) << 1 | 1);
            }
        }
        tuple.clear();
        tuple.extend(rule.head.args.iter().map(|a| a.instantiate(m.bindings, terms)));
        let head = relations[rule.head.pred as usize].find(&tuple);
        body.sort_unstable();
        body.dedup();
        let contradiction = body.windows(2).any(|w| w[0] ^ 1 == w[1]);
        if let Some(at) = head
            && !contradiction
            && sink.add(offsets[rule.head.pred as usize] + at, &body, rule.origin as u32)
        {
            meter.add_instance()?;
            if meter.instances.is_multiple_of(0x10000) {
                meter.check_memory(sink.bytes())?;
            }
        }
        Ok(())
    })
}

/// Ground rules as they come, without duplicates.
#[derive(Default)]
struct Sink {
    heads: Vec<AtomId>,
    starts: Vec<u32>,
    literals: Vec<GroundLiteral>,
    origins: Vec<u32>,
    /// By rule, so that a table that grows need not look at the rules again.
    hashes: Vec<u64>,
    table: HashTable<u32>,
}

impl Sink {
    fn add(&mut self, head: AtomId, body: &[GroundLiteral], origin: u32) -> bool {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        let hash = hash_ids(head, body);
        let (heads, starts, literals) = (&self.heads, &self.starts, &self.literals);
        let of = |i: u32| &literals[starts[i as usize] as usize..starts[i as usize + 1] as usize];
        if self.table.find(hash, |i| heads[*i as usize] == head && of(*i) == body).is_some() {
            return false;
        }
        self.heads.push(head);
        self.origins.push(origin);
        self.literals.extend_from_slice(body);
        self.starts.push(self.literals.len() as u32);
        self.hashes.push(hash);
        let hashes = &self.hashes;
        self.table.insert_unique(hash, hashes.len() as u32 - 1, |i| hashes[*i as usize]);
        true
    }

    fn bytes(&self) -> usize {
        self.heads.len() * 28 + self.literals.len() * 4
    }
}
