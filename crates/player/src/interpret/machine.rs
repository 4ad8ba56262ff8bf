//! The machine that looks for proofs: resolution, with tables of what was found.
//!
//! Rules ask the same again and again: whether a square is attacked, for every move and every piece. What a question comes to
//! is the same wherever it is asked in a state, so all its answers are found once and kept.

use super::{Clause, DEEPEST, GaveUp, Literal, Rulebook, STEPS, Symbol, Term, Truths};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, PoisonError};
use std::time::Instant;

/// No more answers are kept than this.
const MOST_KEPT: usize = 1 << 20;

/// A question: a relation and its arguments, free variables numbered as they come.
pub(super) type Question = (Symbol, Vec<Term>);

/// All answers to a question.
pub(super) type Answers = Arc<Vec<Vec<Term>>>;

/// The answers to a question, or that they are being looked for.
enum Known {
    Asked,
    Answers(Answers),
}

/// What is still to be shown: literals of one clause, then others.
pub(super) struct Goals<'g> {
    pub rest: &'g [Literal],
    /// Where the variables of the clause are.
    pub base: usize,
    pub next: Option<&'g Goals<'g>>,
}

pub(super) struct Machine<'m> {
    book: &'m Rulebook,
    state: &'m Truths,
    does: &'m [(Term, Term)],
    truth: Option<Symbol>,
    doing: Option<Symbol>,
    /// What each variable stands for: a term, and where that term's variables are.
    pub bindings: Vec<Option<(Term, usize)>>,
    trail: Vec<usize>,
    pub until: Instant,
    steps: u64,
    /// What was asked in this state, and how many answers are kept.
    known: FxHashMap<Question, Known>,
    kept: usize,
}

type Found<'f, 'm> = dyn FnMut(&mut Machine<'m>) -> bool + 'f;

impl<'m> Machine<'m> {
    pub fn new(book: &'m Rulebook, state: &'m Truths, does: &'m [(Term, Term)], until: Instant) -> Self {
        let [truth, doing] = ["true", "does"].map(|name| book.symbols.get(name).copied());
        Machine {
            book,
            state,
            does,
            truth,
            doing,
            bindings: vec![],
            trail: vec![],
            until,
            steps: 0,
            known: FxHashMap::default(),
            kept: 0,
        }
    }

    /// Calls for every way in which the goals hold, until one is enough; whether one was.
    pub fn solve(
        &mut self,
        goals: Option<&Goals<'_>>,
        depth: usize,
        found: &mut Found<'_, 'm>,
    ) -> Result<bool, GaveUp> {
        let Some(goals) = goals else { return Ok(found(self)) };
        let [first, rest @ ..] = goals.rest else { return self.solve(goals.next, depth, found) };
        self.steps += 1;
        if depth > DEEPEST || (self.steps.is_multiple_of(STEPS) && Instant::now() >= self.until) {
            return Err(GaveUp);
        }
        let after = Goals { rest, base: goals.base, next: goals.next };
        let (after, depth) = (Some(&after), depth + 1);
        let base = goals.base;
        let mark = self.trail.len();
        match first {
            Literal::Holds(name, arguments) if Some(*name) == self.truth && arguments.len() == 1 => {
                let state = self.state;
                let (of, outline) = match self.walk(&arguments[0], base) {
                    (Term::Apply(name, inside), place) => {
                        let of = state.0.get(&name).map_or(&[][..], Vec::as_slice);
                        (vec![of], self.outline(&inside, place))
                    }
                    (Term::Variable(_), _) => (state.0.values().map(Vec::as_slice).collect(), vec![]),
                };
                let fits = |fact: &&Term| matches!(fact, Term::Apply(_, inside) if may_be(&outline, inside));
                for fact in of.into_iter().flatten().filter(fits) {
                    if self.unify(&arguments[0], base, fact, 0) && self.solve(after, depth, found)? {
                        return Ok(true);
                    }
                    self.undo(mark);
                }
            }
            Literal::Holds(name, arguments) if Some(*name) == self.doing && arguments.len() == 2 => {
                for (role, action) in self.does {
                    if self.unify(&arguments[0], base, role, 0)
                        && self.unify(&arguments[1], base, action, 0)
                        && self.solve(after, depth, found)?
                    {
                        return Ok(true);
                    }
                    self.undo(mark);
                }
            }
            Literal::Holds(name, arguments) => {
                let book = self.book;
                let clauses = book.clauses.get(&(*name, arguments.len())).map_or(&[][..], Vec::as_slice);
                // The first goal of all is asked for as many answers as are wanted, and not for all.
                let derived = depth > 1 && clauses.iter().any(|clause| !clause.body.is_empty());
                if let Some(answers) = self.table(*name, arguments, base, clauses, derived, depth)? {
                    for answer in answers.iter() {
                        let mut pairs = arguments.iter().zip(answer);
                        if pairs.all(|(asked, known)| self.unify(asked, base, known, 0))
                            && self.solve(after, depth, found)?
                        {
                            return Ok(true);
                        }
                        self.undo(mark);
                    }
                    return Ok(false);
                }
                return self.resolve(clauses, (arguments, base), after, depth, found);
            }
            Literal::Not(inside) => {
                let goals = Goals { rest: inside, base, next: None };
                let holds = self.solve(Some(&goals), depth, &mut |_| true)?;
                self.undo(mark);
                return if holds { Ok(false) } else { self.solve(after, depth, found) };
            }
            Literal::Distinct(a, b) => {
                return match self.resolved(a, base) == self.resolved(b, base) {
                    true => Ok(false),
                    false => self.solve(after, depth, found),
                };
            }
            Literal::Or(ways) => {
                for way in ways {
                    let goals = Goals { rest: way, base, next: after };
                    if self.solve(Some(&goals), depth, found)? {
                        return Ok(true);
                    }
                    self.undo(mark);
                }
            }
        }
        Ok(false)
    }

    /// Resolves a goal with clauses for its relation.
    fn resolve(
        &mut self,
        clauses: &'m [Clause],
        (arguments, base): (&[Term], usize),
        after: Option<&Goals<'_>>,
        depth: usize,
        found: &mut Found<'_, 'm>,
    ) -> Result<bool, GaveUp> {
        let mark = self.trail.len();
        let outline = self.outline(arguments, base);
        for clause in clauses.iter().filter(|clause| may_be(&outline, &clause.head)) {
            let inner = self.bindings.len();
            self.bindings.resize(inner + clause.variables, None);
            let mut pairs = arguments.iter().zip(&*clause.head);
            if pairs.all(|(asked, head)| self.unify(asked, base, head, inner)) {
                let goals = Goals { rest: &clause.body, base: inner, next: after };
                if self.solve(Some(&goals), depth, found)? {
                    return Ok(true);
                }
            }
            self.undo(mark);
            self.bindings.truncate(inner);
        }
        Ok(false)
    }

    /// All answers to a question, found now if they are not known. None if they are not kept: because the question is part
    /// of itself, because there is no room, or because it is not worth it.
    fn table(
        &mut self,
        name: Symbol,
        arguments: &[Term],
        base: usize,
        clauses: &'m [Clause],
        derived: bool,
        depth: usize,
    ) -> Result<Option<Answers>, GaveUp> {
        if !derived || self.kept >= MOST_KEPT {
            return Ok(None);
        }
        let mut free = vec![];
        let asked: Vec<Term> =
            arguments.iter().map(|term| numbered(&self.resolved(term, base), &mut free)).collect();
        let question = (name, asked);
        match self.known.get(&question) {
            Some(Known::Asked) => return Ok(None),
            Some(Known::Answers(answers)) => return Ok(Some(answers.clone())),
            None => {}
        }
        // What does not depend on the state was perhaps found in another.
        let book = self.book;
        let lasting = book.lasting(name, arguments.len());
        if lasting && let Some(answers) = locked(&book.kept).get(&question) {
            return Ok(Some(answers.clone()));
        }
        self.known.insert(question.clone(), Known::Asked);
        let mark = self.trail.len();
        let mut all: FxHashSet<Vec<Term>> = FxHashSet::default();
        let mut ground = true;
        // One answer is all there is to a question without variables.
        let once = free.is_empty();
        let done = self.resolve(clauses, (arguments, base), None, depth, &mut |machine| {
            let answer: Vec<Term> = arguments.iter().map(|term| machine.resolved(term, base)).collect();
            ground = answer.iter().all(is_ground);
            all.insert(answer);
            once || !ground
        });
        self.undo(mark);
        // Of a question that was given up, or that has no end, nothing is known.
        if done.is_err() || !ground {
            self.known.remove(&question);
            return done.map(|_| None);
        }
        let answers = Arc::new(all.into_iter().collect::<Vec<_>>());
        self.kept += 1 + answers.len();
        if lasting {
            self.known.remove(&question);
            let mut kept = locked(&book.kept);
            if kept.len() < MOST_KEPT {
                kept.insert(question, answers.clone());
            }
        } else {
            self.known.insert(question, Known::Answers(answers.clone()));
        }
        Ok(Some(answers))
    }

    /// The outermost symbol of every term that has one: most of what does not unify differs there.
    fn outline(&self, terms: &[Term], base: usize) -> Vec<Option<Symbol>> {
        let symbol = |term: &Term| match self.walk(term, base).0 {
            Term::Apply(name, _) => Some(name),
            Term::Variable(_) => None,
        };
        terms.iter().map(symbol).collect()
    }

    fn undo(&mut self, mark: usize) {
        for at in self.trail.drain(mark..) {
            // What lies beyond was forgotten already.
            if let Some(binding) = self.bindings.get_mut(at) {
                *binding = None;
            }
        }
    }

    /// What a term stands for, outermost, and where its variables are.
    fn walk(&self, term: &Term, mut base: usize) -> (Term, usize) {
        let mut term = term.clone();
        while let Term::Variable(variable) = term {
            match &self.bindings[base + variable] {
                Some((bound, place)) => (term, base) = (bound.clone(), *place),
                None => break,
            }
        }
        (term, base)
    }

    fn unify(&mut self, a: &Term, base_a: usize, b: &Term, base_b: usize) -> bool {
        let ((a, base_a), (b, base_b)) = (self.walk(a, base_a), self.walk(b, base_b));
        match (&a, &b) {
            (Term::Variable(x), Term::Variable(y)) if base_a + x == base_b + y => true,
            (Term::Variable(x), _) => {
                self.bind(base_a + x, b, base_b);
                true
            }
            (_, Term::Variable(y)) => {
                self.bind(base_b + y, a, base_a);
                true
            }
            (Term::Apply(f, xs), Term::Apply(g, ys)) => {
                f == g
                    && xs.len() == ys.len()
                    && xs.iter().zip(&**ys).all(|(x, y)| self.unify(x, base_a, y, base_b))
            }
        }
    }

    /// The variable that came later stands for the one that came before, so that what is forgotten is not stood for.
    fn bind(&mut self, variable: usize, term: Term, base: usize) {
        if let Term::Variable(other) = term
            && base + other > variable
        {
            self.bindings[base + other] = Some((Term::Variable(0), variable));
            self.trail.push(base + other);
            return;
        }
        self.bindings[variable] = Some((term, base));
        self.trail.push(variable);
    }

    /// A term with everything in its place that is known.
    pub fn resolved(&self, term: &Term, base: usize) -> Term {
        let (term, base) = self.walk(term, base);
        match &term {
            Term::Apply(name, arguments) if !arguments.is_empty() => {
                Term::Apply(*name, arguments.iter().map(|a| self.resolved(a, base)).collect())
            }
            // A variable that is free is itself, wherever it is.
            Term::Variable(variable) => Term::Variable(base + variable),
            Term::Apply(..) => term,
        }
    }
}

/// Nothing outermost keeps these from being equal.
fn may_be(outline: &[Option<Symbol>], terms: &[Term]) -> bool {
    outline.iter().zip(terms).all(|pair| match pair {
        (Some(asked), Term::Apply(name, _)) => asked == name,
        _ => true,
    })
}

fn locked<T>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The term with free variables numbered as they come.
fn numbered(term: &Term, free: &mut Vec<usize>) -> Term {
    match term {
        Term::Variable(variable) => {
            let at = free.iter().position(|known| known == variable).unwrap_or_else(|| {
                free.push(*variable);
                free.len() - 1
            });
            Term::Variable(at)
        }
        Term::Apply(name, arguments) if !arguments.is_empty() => {
            Term::Apply(*name, arguments.iter().map(|term| numbered(term, free)).collect())
        }
        Term::Apply(..) => term.clone(),
    }
}

/// There are no variables in it.
fn is_ground(term: &Term) -> bool {
    match term {
        Term::Variable(_) => false,
        Term::Apply(_, arguments) => arguments.iter().all(is_ground),
    }
}
