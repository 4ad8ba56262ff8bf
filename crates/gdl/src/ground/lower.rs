//! From rules with `or` and equality to the core language.

use crate::diagnostic::{Code, Diagnostic, Findings, Span};
use crate::ground::core::{CoreRule, Literal, Pattern, PredId, Predicates};
use crate::ground::terms::Terms;
use crate::syntax::nnf::{Nnf, NnfRule, bind, variables_of};
use crate::syntax::symbols::{Symbol, keyword};
use crate::syntax::tree::{Atom, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// More alternatives than this are never multiplied out, and longer bodies are refused.
const MOST_ALTERNATIVES: usize = 64;
const MOST_CONDITIONS: usize = 4000;
const MOST_SYMBOLS: usize = 20_000;

/// The core rules of a game.
#[derive(Default)]
pub(crate) struct Lowered {
    pub predicates: Predicates,
    pub terms: Terms,
    pub rules: Vec<CoreRule>,
}

/// The body of one alternative of a rule while it is being taken apart.
#[derive(Clone, Default)]
struct Body {
    positive: Vec<Atom>,
    negative: Vec<Atom>,
    distinct: Vec<(Term, Term)>,
    equal: Vec<(Term, Term)>,
    choices: Vec<Vec<Nnf>>,
}

impl Body {
    fn add(&mut self, condition: &Nnf) {
        match condition {
            Nnf::Positive(atom) => self.positive.push(atom.clone()),
            Nnf::Negative(atom) => self.negative.push(atom.clone()),
            Nnf::Distinct(a, b) => self.distinct.push((a.clone(), b.clone())),
            Nnf::Equal(a, b, _) => self.equal.push((a.clone(), b.clone())),
            Nnf::And(parts) => parts.iter().for_each(|p| self.add(p)),
            Nnf::Or(parts) => self.choices.push(parts.clone()),
        }
    }

    fn is_only_choice(&self) -> bool {
        self.choices.len() == 1
            && self.positive.is_empty()
            && self.negative.is_empty()
            && self.distinct.is_empty()
            && self.equal.is_empty()
    }
}

/// Lowers all rules that matter for play; `base` and `input` never do.
pub(crate) fn lower(rules: &[NnfRule], findings: &mut Findings) -> Lowered {
    let dynamic = dynamic_relations(rules);
    let mut lowering = Lowering { out: Lowered::default(), dynamic, findings };
    for (name, arity) in [
        (keyword::ROLE, 1),
        (keyword::INIT, 1),
        (keyword::TRUE, 1),
        (keyword::DOES, 2),
        (keyword::NEXT, 1),
        (keyword::LEGAL, 2),
        (keyword::GOAL, 2),
        (keyword::TERMINAL, 0),
    ] {
        lowering.out.predicates.id(name, arity);
    }
    for rule in rules {
        if matches!(rule.head.name, keyword::BASE | keyword::INPUT) {
            continue;
        }
        let mut body = Body::default();
        rule.body.iter().for_each(|c| body.add(c));
        let head = lowering.out.predicates.id(rule.head.name, rule.head.args.len());
        lowering.rule(head, &rule.head.args, body, rule.origin, rule.span);
    }
    lowering.out
}

/// The relations that depend on the state or the moves.
fn dynamic_relations(rules: &[NnfRule]) -> FxHashSet<(Symbol, usize)> {
    let mut users: FxHashMap<(Symbol, usize), Vec<(Symbol, usize)>> = FxHashMap::default();
    for rule in rules {
        for condition in &rule.body {
            condition.atoms(&mut |atom, _| {
                users
                    .entry((atom.name, atom.args.len()))
                    .or_default()
                    .push((rule.head.name, rule.head.args.len()));
            });
        }
    }
    let mut dynamic: FxHashSet<(Symbol, usize)> =
        [(keyword::TRUE, 1), (keyword::DOES, 2)].into_iter().collect();
    let mut open: Vec<_> = dynamic.iter().copied().collect();
    while let Some(key) = open.pop() {
        for user in users.get(&key).into_iter().flatten() {
            if dynamic.insert(*user) {
                open.push(*user);
            }
        }
    }
    dynamic
}

struct Lowering<'a> {
    out: Lowered,
    dynamic: FxHashSet<(Symbol, usize)>,
    findings: &'a mut Findings,
}

impl Lowering<'_> {
    fn too_large(&mut self, span: Span, what: &str) {
        self.findings.push(
            Diagnostic::error(Code::LimitExceeded, span, format!("this rule has too many {what}"))
                .help("split it into several relations"),
        );
    }

    fn rule(&mut self, head: PredId, args: &[Term], body: Body, origin: usize, span: Span) {
        let mut open = vec![body];
        let mut made = 0;
        while let Some(mut body) = open.pop() {
            let Some(choice) = body.choices.pop() else {
                made += 1;
                self.finish(head, args, body, origin, span);
                continue;
            };
            let alone = Body { choices: vec![choice.clone()], ..Body::default() };
            let whole = body.choices.is_empty()
                && Body { choices: vec![choice.clone()], ..body.clone() }.is_only_choice();
            let small = made + open.len() + choice.len() <= MOST_ALTERNATIVES;
            let split = whole || (small && alone.choices[0].iter().all(|c| self.is_static(c)));
            if !split && let Some(atom) = self.name_choice(args, &body, &choice, origin, span) {
                body.positive.push(atom);
                open.push(body);
                continue;
            }
            if !split && !small {
                self.too_large(span, "alternatives");
                return;
            }
            for alternative in choice.iter().rev() {
                let mut next = body.clone();
                next.add(alternative);
                open.push(next);
            }
        }
    }

    fn is_static(&self, condition: &Nnf) -> bool {
        let mut fixed = true;
        condition.atoms(&mut |atom, _| fixed &= !self.dynamic.contains(&(atom.name, atom.args.len())));
        fixed
    }

    /// A relation of its own for an `or`, over the variables that it shares with the rest of the rule.
    /// An alternative that does not bind them all borrows conditions of the rule that do, which is sound
    /// because those hold anyway.
    fn name_choice(
        &mut self,
        head: &[Term],
        body: &Body,
        choice: &[Nnf],
        origin: usize,
        span: Span,
    ) -> Option<Atom> {
        let mut outside = FxHashSet::default();
        let mut see = |v: Symbol, _: Span| {
            outside.insert(v);
        };
        head.iter().for_each(|t| t.variables(&mut see));
        body.positive.iter().chain(&body.negative).for_each(|a| a.variables(&mut see));
        for (a, b) in body.distinct.iter().chain(&body.equal) {
            a.variables(&mut see);
            b.variables(&mut see);
        }
        body.choices.iter().flatten().for_each(|c| c.variables(&mut see));
        let mut shared: Vec<Symbol> = Vec::new();
        choice.iter().for_each(|c| {
            c.variables(&mut |v, _| {
                if outside.contains(&v) && !shared.contains(&v) {
                    shared.push(v);
                }
            })
        });
        let mut alternatives = Vec::new();
        for alternative in choice {
            let mut inner = Body::default();
            inner.add(alternative);
            let mut needed: FxHashSet<Symbol> = shared.iter().copied().collect();
            alternative.variables(&mut |v, _| {
                needed.insert(v);
            });
            let mut bound = FxHashSet::default();
            bind(std::slice::from_ref(alternative), &mut bound);
            while let Some(missing) = needed.iter().find(|v| !bound.contains(v)).copied() {
                let lender = body.positive.iter().find(|atom| {
                    let mut has = false;
                    atom.variables(&mut |v, _| has |= v == missing);
                    has
                })?;
                inner.positive.push(lender.clone());
                lender.variables(&mut |v, _| {
                    bound.insert(v);
                });
            }
            alternatives.push(inner);
        }
        let args: Vec<Term> = shared.iter().map(|v| Term::Variable(*v, span)).collect();
        let pred = self.out.predicates.fresh(args.len());
        for inner in alternatives {
            self.rule(pred, &args, inner, origin, span);
        }
        // The name is a mark that `literal` understands; no file can write it, since it has a blank.
        Some(Atom { name: Symbol(u32::MAX - pred), args, span })
    }

    fn finish(&mut self, head: PredId, args: &[Term], body: Body, origin: usize, span: Span) {
        if body.positive.len() + body.negative.len() + body.distinct.len() > MOST_CONDITIONS {
            return self.too_large(span, "conditions");
        }
        let mut unifier = Unifier::default();
        for (a, b) in &body.equal {
            if !unifier.unify(a, b) {
                return;
            }
        }
        let mut numbering = Numbering { unifier: &unifier, numbers: FxHashMap::default(), symbols: 0 };
        let mut literal = |pred: PredId, args: &[Term], out: &mut Lowered| {
            Some(Literal {
                pred,
                args: args.iter().map(|a| numbering.pattern(a, &mut out.terms)).collect::<Option<_>>()?,
            })
        };
        let mut lowered = || {
            let head = literal(head, args, &mut self.out)?;
            let (mut positive, mut negative) = (Vec::new(), Vec::new());
            for (atoms, list) in [(&body.positive, &mut positive), (&body.negative, &mut negative)] {
                for atom in atoms {
                    let pred = predicate_of(&mut self.out.predicates, atom);
                    let made = literal(pred, &atom.args, &mut self.out)?;
                    if !list.contains(&made) {
                        list.push(made);
                    }
                }
            }
            let mut distinct = Vec::new();
            for (a, b) in &body.distinct {
                let pair = literal(0, &[a.clone(), b.clone()], &mut self.out)?;
                let [a, b] = &*pair.args else { return None };
                match (a, b) {
                    // Such a condition never holds, or always does.
                    (a, b) if a == b => return Some(None),
                    (Pattern::Const(_), Pattern::Const(_)) => {}
                    _ => distinct.push((a.clone(), b.clone())),
                }
            }
            Some(Some((head, positive, negative, distinct)))
        };
        match lowered() {
            None => self.too_large(span, "symbols"),
            Some(None) => {}
            Some(Some((head, positive, negative, distinct))) => {
                let variables = numbering.numbers.len() as u32;
                self.out.rules.push(CoreRule { head, positive, negative, distinct, variables, origin });
            }
        }
    }
}

fn predicate_of(predicates: &mut Predicates, atom: &Atom) -> PredId {
    let mark = u32::MAX - atom.name.0;
    if (mark as usize) < predicates.len() && predicates.list[mark as usize].name.is_none() {
        return mark;
    }
    predicates.id(atom.name, atom.args.len())
}

/// Variables to terms, by equality conditions.
#[derive(Default)]
struct Unifier {
    map: FxHashMap<Symbol, Term>,
}

impl Unifier {
    fn resolve<'a>(&'a self, mut term: &'a Term) -> &'a Term {
        while let Term::Variable(v, _) = term {
            match self.map.get(v) {
                Some(next) => term = next,
                None => break,
            }
        }
        term
    }

    fn occurs(&self, v: Symbol, term: &Term, budget: &mut usize) -> bool {
        if *budget == 0 {
            return true;
        }
        *budget -= 1;
        match self.resolve(term) {
            Term::Variable(w, _) => *w == v,
            Term::Function(_, args, _) => args.iter().any(|a| self.occurs(v, a, budget)),
        }
    }

    fn unify(&mut self, a: &Term, b: &Term) -> bool {
        let mut open = vec![(a.clone(), b.clone())];
        let mut steps = 0;
        while let Some((a, b)) = open.pop() {
            steps += 1;
            if steps > MOST_SYMBOLS {
                return false;
            }
            let (a, b) = (self.resolve(&a).clone(), self.resolve(&b).clone());
            match (a, b) {
                (Term::Variable(x, _), Term::Variable(y, _)) if x == y => {}
                (Term::Variable(x, _), other) | (other, Term::Variable(x, _)) => {
                    if !variables_of(&other).is_empty() && self.occurs(x, &other, &mut { MOST_SYMBOLS }) {
                        return false;
                    }
                    self.map.insert(x, other);
                }
                (Term::Function(f, x, _), Term::Function(g, y, _)) => {
                    if f != g || x.len() != y.len() {
                        return false;
                    }
                    open.extend(x.into_iter().zip(y));
                }
            }
        }
        true
    }
}

struct Numbering<'a> {
    unifier: &'a Unifier,
    numbers: FxHashMap<Symbol, u32>,
    symbols: usize,
}

impl Numbering<'_> {
    /// The term with numbered variables; nothing if equalities blew it up.
    fn pattern(&mut self, term: &Term, terms: &mut Terms) -> Option<Pattern> {
        self.symbols += 1;
        if self.symbols > MOST_SYMBOLS {
            return None;
        }
        Some(match self.unifier.resolve(term) {
            Term::Variable(v, _) => {
                let next = self.numbers.len() as u32;
                Pattern::Var(*self.numbers.entry(*v).or_insert(next))
            }
            Term::Function(f, args, _) => {
                let args = args.iter().map(|a| self.pattern(a, terms)).collect::<Option<Vec<_>>>()?;
                let ground: Option<Vec<_>> = args
                    .iter()
                    .map(|a| match a {
                        Pattern::Const(t) => Some(*t),
                        _ => None,
                    })
                    .collect();
                match ground {
                    Some(ground) => Pattern::Const(terms.intern(*f, &ground)),
                    None => Pattern::Function(*f, args.into()),
                }
            }
        })
    }
}
