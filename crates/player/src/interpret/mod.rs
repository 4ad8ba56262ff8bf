//! Rules taken at their word: legal moves by resolution, one state at a time, before anything is ground.
//!
//! Grounding makes play fast, and large rules take longer for it than a clock allows. Until it is done, or where it cannot be
//! done at all, a legal move is found here. This is slow and plain on purpose: it knows the state that the match is in, and
//! nothing else. It gives up at a time, and where it goes deeper than any sensible rule.

mod machine;

use crate::message::tokens;
use machine::{Answers, Goals, Machine, Question};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Goals inside of goals beyond this are a circle.
const DEEPEST: usize = 4000;
/// The stack for them: up to sixteen kilobytes for each, of which what is used is taken.
const STACK: usize = DEEPEST << 14;
/// How often the clock is looked at.
const STEPS: u64 = 256;
/// Most rules that are read.
const MOST_TOKENS: usize = 4_000_000;

/// One argument is asked for, and all answers.
const EVERY: (usize, usize) = (1, usize::MAX);

type Symbol = u32;

/// A term: a variable of its clause, or a function of others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Term {
    Variable(usize),
    Apply(Symbol, Arc<[Term]>),
}

#[derive(Clone, Debug)]
enum Literal {
    Holds(Symbol, Arc<[Term]>),
    Not(Box<[Literal]>),
    Distinct(Term, Term),
    Or(Vec<Vec<Literal>>),
}

#[derive(Debug)]
struct Clause {
    head: Arc<[Term]>,
    body: Vec<Literal>,
    variables: usize,
}

/// A state: the facts that are true, by their outermost symbol.
#[derive(Clone, Debug, Default)]
pub(crate) struct Truths(FxHashMap<Symbol, Vec<Term>>);

/// The rules of a game as they are written.
#[derive(Debug)]
pub(crate) struct Rulebook {
    names: Vec<String>,
    symbols: FxHashMap<String, Symbol>,
    clauses: FxHashMap<(Symbol, usize), Vec<Clause>>,
    /// The relations that depend on the state, or on what is done in it.
    changing: FxHashSet<(Symbol, usize)>,
    /// What was found out about those that do not: the same in every state.
    kept: Mutex<FxHashMap<Question, Answers>>,
}

/// There was no time, or the rules go in circles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GaveUp;

/// What stands in parentheses, or a word.
enum Word<'t> {
    One(&'t str),
    List(Vec<Word<'t>>),
}

impl Rulebook {
    /// Reads rules; none if they are not lists of words.
    pub fn read(text: &str) -> Option<Self> {
        let mut open: Vec<Vec<Word<'_>>> = vec![vec![]];
        for (_, token) in tokens(text).take(MOST_TOKENS) {
            match token {
                "(" if open.len() > DEEPEST => return None,
                "(" => open.push(vec![]),
                ")" => {
                    let list = open.pop()?;
                    open.last_mut()?.push(Word::List(list));
                }
                word => open.last_mut()?.push(Word::One(word)),
            }
        }
        let (rules, rest) = (open.pop()?, open);
        if !rest.is_empty() {
            return None;
        }
        let mut book = Rulebook {
            names: vec![],
            symbols: FxHashMap::default(),
            clauses: FxHashMap::default(),
            changing: FxHashSet::default(),
            kept: Mutex::default(),
        };
        for rule in &rules {
            let mut variables = FxHashMap::default();
            let (head, body) = match rule {
                Word::List(list) if matches!(list.first(), Some(Word::One("<="))) => {
                    (list.get(1)?, list.get(2..)?)
                }
                fact => (fact, &[][..]),
            };
            let (name, head) = book.atom(head, &mut variables)?;
            let body =
                body.iter().map(|word| book.literal(word, &mut variables)).collect::<Option<Vec<_>>>()?;
            let clause = Clause { body, variables: variables.len(), head };
            book.clauses.entry((name, clause.head.len())).or_default().push(clause);
        }
        book.find_changing();
        Some(book)
    }

    /// Finds the relations that depend on the state: those with a rule that asks for it, or for one of them.
    fn find_changing(&mut self) {
        let given = [("true", 1), ("does", 2)];
        let given = given.iter().filter_map(|(name, arity)| Some((*self.symbols.get(*name)?, *arity)));
        self.changing = given.collect();
        let mut before = usize::MAX;
        while self.changing.len() != before {
            before = self.changing.len();
            for (relation, clauses) in &self.clauses {
                if clauses.iter().any(|clause| asks_for(&clause.body, &self.changing)) {
                    self.changing.insert(*relation);
                }
            }
        }
    }

    /// A relation is the same in every state.
    fn lasting(&self, name: Symbol, arity: usize) -> bool {
        !self.changing.contains(&(name, arity))
    }

    fn symbol(&mut self, word: &str) -> Symbol {
        let word = word.to_lowercase();
        *self.symbols.entry(word).or_insert_with_key(|word| {
            self.names.push(word.clone());
            self.names.len() as Symbol - 1
        })
    }

    fn term(&mut self, word: &Word<'_>, variables: &mut FxHashMap<String, usize>) -> Option<Term> {
        Some(match word {
            Word::One(name) if name.starts_with('?') => {
                let next = variables.len();
                Term::Variable(*variables.entry(name.to_lowercase()).or_insert(next))
            }
            Word::One(name) => Term::Apply(self.symbol(name), Arc::new([])),
            Word::List(_) => {
                let (name, arguments) = self.atom(word, variables)?;
                Term::Apply(name, arguments)
            }
        })
    }

    fn atom(
        &mut self,
        word: &Word<'_>,
        variables: &mut FxHashMap<String, usize>,
    ) -> Option<(Symbol, Arc<[Term]>)> {
        match word {
            Word::One(name) if name.starts_with('?') => None,
            Word::One(name) => Some((self.symbol(name), Arc::new([]))),
            Word::List(list) => {
                let [Word::One(name), arguments @ ..] = list.as_slice() else { return None };
                if name.starts_with('?') {
                    return None;
                }
                let name = self.symbol(name);
                let arguments: Option<Vec<Term>> =
                    arguments.iter().map(|a| self.term(a, variables)).collect();
                Some((name, arguments?.into()))
            }
        }
    }

    fn literal(&mut self, word: &Word<'_>, variables: &mut FxHashMap<String, usize>) -> Option<Literal> {
        if let Word::List(list) = word
            && let [Word::One(name), inside @ ..] = list.as_slice()
        {
            let name = name.to_lowercase();
            let mut all = |words: &[Word<'_>]| -> Option<Vec<Literal>> {
                words.iter().map(|word| self.literal(word, variables)).collect()
            };
            match (name.as_str(), inside) {
                ("not", [_]) => return Some(Literal::Not(all(inside)?.into())),
                ("and", _) => return Some(Literal::Or(vec![all(inside)?])),
                ("or", _) => {
                    let ways = inside.iter().map(|word| all(std::slice::from_ref(word)));
                    return Some(Literal::Or(ways.collect::<Option<_>>()?));
                }
                ("distinct", [a, b]) => {
                    return Some(Literal::Distinct(self.term(a, variables)?, self.term(b, variables)?));
                }
                _ => {}
            }
        }
        let (name, arguments) = self.atom(word, variables)?;
        Some(Literal::Holds(name, arguments))
    }

    /// What holds of a relation, at most n times: as many further arguments as are asked for, where the first are these. Who
    /// does not want all is content with those that are found by the first of two times.
    fn all(
        &self,
        relation: &str,
        first: &[Term],
        (more, most): (usize, usize),
        state: &Truths,
        does: &[(Term, Term)],
        (content, until): (Instant, Instant),
    ) -> Result<Vec<Vec<Term>>, GaveUp> {
        let Some(&name) = self.symbols.get(relation) else { return Ok(vec![]) };
        let asked = first.iter().cloned().chain((0..more).map(Term::Variable));
        let goal = [Literal::Holds(name, asked.collect::<Vec<_>>().into())];
        let look = || {
            let mut machine = Machine::new(self, state, does, until);
            machine.bindings = vec![None; more];
            let mut found: Vec<Vec<Term>> = vec![];
            let goals = Goals { rest: &goal, base: 0, next: None };
            let done = machine.solve(Some(&goals), 0, &mut |machine| {
                let answer: Vec<Term> = (0..more).map(|v| machine.resolved(&Term::Variable(v), 0)).collect();
                found.push(answer);
                if most != usize::MAX {
                    machine.until = content;
                }
                found.len() >= most
            });
            (done, found)
        };
        // Proofs go deep, and how large the stack of the caller is is not known.
        let (done, mut found) = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, look);
            thread.map_err(|_| GaveUp)?.join().map_err(|_| GaveUp)
        })?;
        // Who wants some is content with fewer.
        if done.is_err() && (most == usize::MAX || found.is_empty()) {
            return Err(GaveUp);
        }
        let mut seen = rustc_hash::FxHashSet::default();
        found.retain(|answer| seen.insert(answer.clone()));
        Ok(found)
    }

    /// The roles, in the order of the rules.
    fn roles(&self, until: Instant) -> Result<Vec<Term>, GaveUp> {
        let all = self.all("role", &[], EVERY, &Truths::default(), &[], (until, until))?;
        Ok(all.into_iter().filter_map(|mut answer| answer.pop()).collect())
    }

    /// The state in which a match begins.
    pub fn start(&self, until: Instant) -> Result<Truths, GaveUp> {
        Ok(truths(self.all("init", &[], EVERY, &Truths::default(), &[], (until, until))?))
    }

    /// What a role may do in a state, as it is written: at most so much, less if the first of two times has come and
    /// something is found, and nothing at the second.
    pub fn legal(
        &self,
        role: &str,
        most: usize,
        state: &Truths,
        times: (Instant, Instant),
    ) -> Result<Vec<String>, GaveUp> {
        let Some(&role) = self.symbols.get(&role.to_lowercase()) else { return Ok(vec![]) };
        let role = Term::Apply(role, Arc::new([]));
        let all = self.all("legal", &[role], (1, most), state, &[], times)?;
        Ok(all.iter().filter_map(|answer| self.written(answer.first()?)).collect())
    }

    /// The state after moves, given in the order of the roles; none if they are not as many as the roles.
    pub fn next(&self, state: &Truths, moves: &[String], until: Instant) -> Result<Option<Truths>, GaveUp> {
        let roles = self.roles(until)?;
        let moves: Option<Vec<Term>> = moves.iter().map(|text| self.move_of(text)).collect();
        let Some(moves) = moves.filter(|moves| moves.len() == roles.len()) else { return Ok(None) };
        let does: Vec<(Term, Term)> = roles.into_iter().zip(moves).collect();
        Ok(Some(truths(self.all("next", &[], EVERY, state, &does, (until, until))?)))
    }

    /// A move that somebody wrote, if all its words occur in the rules.
    fn move_of(&self, text: &str) -> Option<Term> {
        let mut open: Vec<Vec<Term>> = vec![vec![]];
        let mut heads: Vec<Option<Symbol>> = vec![None];
        for (_, token) in tokens(text) {
            match token {
                "(" => {
                    open.push(vec![]);
                    heads.push(None);
                }
                ")" => {
                    let (arguments, head) = (open.pop()?, heads.pop()??);
                    open.last_mut()?.push(Term::Apply(head, arguments.into()));
                }
                word => {
                    let symbol = *self.symbols.get(&word.to_lowercase())?;
                    match heads.last_mut()? {
                        head @ None if open.len() > 1 => *head = Some(symbol),
                        _ => open.last_mut()?.push(Term::Apply(symbol, Arc::new([]))),
                    }
                }
            }
        }
        let mut all = open.pop()?;
        if open.is_empty() && all.len() == 1 { all.pop() } else { None }
    }

    /// A term without variables as it is written.
    fn written(&self, term: &Term) -> Option<String> {
        let Term::Apply(name, arguments) = term else { return None };
        let name = &self.names[*name as usize];
        if arguments.is_empty() {
            return Some(name.clone());
        }
        let arguments: Option<Vec<String>> = arguments.iter().map(|a| self.written(a)).collect();
        Some(format!("({name} {})", arguments?.join(" ")))
    }
}

/// Some literal is of one of these relations.
fn asks_for(literals: &[Literal], relations: &FxHashSet<(Symbol, usize)>) -> bool {
    literals.iter().any(|literal| match literal {
        Literal::Holds(name, arguments) => relations.contains(&(*name, arguments.len())),
        Literal::Not(inside) => asks_for(inside, relations),
        Literal::Distinct(..) => false,
        Literal::Or(ways) => ways.iter().any(|way| asks_for(way, relations)),
    })
}

fn truths(facts: Vec<Vec<Term>>) -> Truths {
    let mut state = Truths::default();
    for fact in facts.into_iter().filter_map(|mut answer| answer.pop()) {
        if let Term::Apply(name, _) = &fact {
            state.0.entry(*name).or_default().push(fact);
        }
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::look;
    use std::time::Duration;
    use winset_gdl::Action;

    /// Some play of a game: everybody's legal moves are those of the ground rules in every state.
    fn compare(name: &str, text: &str) {
        let book = Rulebook::read(text).unwrap();
        let simulation = winset_gdl::simulate(text.as_bytes(), &winset_gdl::Options::default()).unwrap();
        let until = Instant::now() + Duration::from_secs(600);
        let mut lanes = simulation.lanes();
        let (mut facts, mut state) = (simulation.start(), book.start(until).unwrap());
        for ply in 0..8usize {
            lanes.load(&[&facts]);
            let here = look(&simulation, &lanes, 0);
            if here.choices.iter().all(Vec::is_empty) {
                break;
            }
            let mut joint: Vec<Action> = vec![];
            for (role, choices) in simulation.roles().iter().zip(&here.choices) {
                let mut ground: Vec<String> =
                    choices.iter().map(|&action| simulation.text(action as Action).to_owned()).collect();
                let mut plain = book.legal(role, usize::MAX, &state, (until, until)).unwrap();
                ground.sort();
                plain.sort();
                assert_eq!(plain, ground, "{name}, ply {ply}, {role}");
                joint.push(choices[(7 * ply + 3) % choices.len()] as Action);
            }
            let moves: Vec<String> = joint.iter().map(|&action| simulation.text(action).to_owned()).collect();
            state = book.next(&state, &moves, until).unwrap().unwrap();
            lanes.load(&[&facts]);
            lanes.advance(&[joint]);
            facts = lanes.state(0);
        }
    }

    #[test]
    fn moves_are_those_of_the_ground_rules() {
        let mut compared = 0;
        for (name, text) in winset_gdl::games().filter(|(_, text)| text.len() < 20_000) {
            compare(name, text);
            compared += 1;
        }
        assert!(compared > 4, "{compared}");
    }

    #[test]
    fn circles_and_lack_of_time_are_given_up() {
        let soon = Instant::now() + Duration::from_secs(60);
        let book = Rulebook::read("(role a) (<= (legal a ?x) (p ?x)) (<= (p ?x) (p ?x))").unwrap();
        assert_eq!(book.legal("a", usize::MAX, &Truths::default(), (soon, soon)), Err(GaveUp));
        for text in ["(", ")", "(<= )", "((a))", "(p (?x))"] {
            assert!(Rulebook::read(text).is_none(), "{text}");
        }
        let book = Rulebook::read("(role A) (legal a (Go 1)) (init (at 1))").unwrap();
        assert_eq!(
            book.legal("a", usize::MAX, &Truths::default(), (soon, soon)),
            Ok(vec!["(go 1)".to_owned()])
        );
        assert!(book.next(&Truths::default(), &["(fly".to_owned()], soon).unwrap().is_none());
    }
}
