//! Which names can stand where: for every argument of every relation and function, the names that facts and rule
//! heads can ever put there. It is more than what can arise, never less.

use crate::syntax::nnf::{Nnf, NnfRule};
use crate::syntax::symbols::{Symbol, keyword};
use crate::syntax::tree::{Atom, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// A constant, or a function with its number of arguments.
pub(super) type Name = (Symbol, usize);

/// An argument of a relation or of a function. Facts of a state are the argument of `true`, whoever makes or reads
/// them, and moves that of `does`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub of: Symbol,
    pub arity: usize,
    pub index: usize,
    pub relation: bool,
}

/// A fact of a state as a whole.
pub(super) const FACT: Place = Place { of: keyword::TRUE, arity: 1, index: 0, relation: true };
/// A move as a whole.
pub(super) const MOVE: Place = Place { of: keyword::DOES, arity: 2, index: 1, relation: true };
/// Whoever plays.
pub(super) const ROLE: Place = Place { of: keyword::ROLE, arity: 1, index: 0, relation: true };

impl Place {
    /// An argument of an atom.
    pub fn of_atom(atom: &Atom, index: usize) -> Place {
        let arity = atom.args.len();
        match (atom.name, arity, index) {
            (keyword::INIT | keyword::NEXT | keyword::TRUE, 1, 0) => FACT,
            (keyword::LEGAL | keyword::DOES, 2, 1) => MOVE,
            (keyword::LEGAL | keyword::DOES | keyword::GOAL, 2, 0) => ROLE,
            (of, ..) => Place { of, arity, index, relation: true },
        }
    }

    /// An argument of a function.
    pub fn of_function(of: Symbol, arity: usize, index: usize) -> Place {
        Place { of, arity, index, relation: false }
    }
}

/// The names that can be somewhere.
#[derive(Clone, Debug, Default)]
pub(super) struct Domain {
    pub names: FxHashSet<Name>,
    /// Anything can be there, as far as we can tell.
    pub any: bool,
}

impl Domain {
    pub fn contains(&self, name: Name) -> bool {
        self.any || self.names.contains(&name)
    }
}

/// The domains of all places of a file.
#[derive(Default)]
pub(super) struct Domains {
    list: FxHashMap<Place, Domain>,
    work: usize,
}

/// Steps after which the search is given up: it is to find mistakes of people, not to take long.
const MOST_WORK: usize = 20_000_000;

/// What a relation of the specification is told about a game's facts and moves makes none of them.
pub(super) fn declares(head: &Atom) -> bool {
    matches!(head.name, keyword::BASE | keyword::INPUT)
}

impl Domains {
    /// The least domains that the rules allow; none if that would take too long.
    pub fn of(rules: &[NnfRule]) -> Option<Domains> {
        let mut domains = Domains::default();
        let (facts, rest): (Vec<&NnfRule>, Vec<&NnfRule>) =
            rules.iter().filter(|rule| !declares(&rule.head)).partition(|rule| rule.body.is_empty());
        for fact in facts {
            domains.head(&fact.head, &FxHashMap::default());
        }
        loop {
            let mut grown = false;
            for rule in &rest {
                let bound = domains.variables(&rule.body)?;
                // A variable that can be nothing makes a rule that never applies.
                if bound.values().all(|domain| domain.any || !domain.names.is_empty()) {
                    grown |= domains.head(&rule.head, &bound);
                }
            }
            if !grown {
                return Some(domains);
            }
        }
    }

    /// What can be at a place; nothing if no rule puts anything there.
    pub fn at(&self, place: Place) -> Option<&Domain> {
        self.list.get(&place)
    }

    fn head(&mut self, head: &Atom, bound: &FxHashMap<Symbol, Domain>) -> bool {
        let mut grown = false;
        for (index, arg) in head.args.iter().enumerate() {
            // Moves and goals of somebody who does not exist make no role.
            let place = Place::of_atom(head, index);
            if place != ROLE || head.name == keyword::ROLE {
                grown |= self.put(place, arg, bound);
            } else if let Term::Function(name, args, _) = arg {
                grown |= self.arguments(*name, args, bound);
            }
        }
        grown
    }

    fn arguments(&mut self, name: Symbol, args: &[Term], bound: &FxHashMap<Symbol, Domain>) -> bool {
        let each = args.iter().enumerate();
        each.fold(false, |grown, (i, arg)| {
            self.put(Place::of_function(name, args.len(), i), arg, bound) || grown
        })
    }

    fn put(&mut self, place: Place, term: &Term, bound: &FxHashMap<Symbol, Domain>) -> bool {
        match term {
            Term::Function(name, args, _) => {
                self.work += 1;
                let new = self.list.entry(place).or_default().names.insert((*name, args.len()));
                self.arguments(*name, args, bound) || new
            }
            Term::Variable(name, _) => {
                let domain = self.list.entry(place).or_default();
                let (before, was_any) = (domain.names.len(), domain.any);
                match bound.get(name) {
                    Some(values) => {
                        self.work += values.names.len() + 1;
                        domain.any |= values.any;
                        domain.names.extend(&values.names);
                    }
                    None => domain.any = true,
                }
                domain.names.len() > before || domain.any != was_any
            }
        }
    }

    /// What the variables of a body can be: what every condition outside of `or` allows; none if that would take
    /// too long.
    pub fn variables(&mut self, body: &[Nnf]) -> Option<FxHashMap<Symbol, Domain>> {
        let mut bound: FxHashMap<Symbol, Domain> = FxHashMap::default();
        for condition in body {
            if self.work > MOST_WORK {
                return None;
            }
            let mut work = 0;
            if let Nnf::Positive(atom) = condition {
                terms(atom, &mut |place, term| {
                    let Term::Variable(variable, _) = *term else { return };
                    let here = self.list.get(&place).cloned().unwrap_or_default();
                    work += here.names.len() + 1;
                    match bound.get_mut(&variable) {
                        None => drop(bound.insert(variable, here)),
                        Some(so_far) if so_far.any => *so_far = here,
                        Some(_) if here.any => {}
                        Some(so_far) => so_far.names.retain(|name| here.names.contains(name)),
                    }
                });
            }
            self.work += work;
        }
        Some(bound)
    }
}

/// Every term of an atom with its place, outer ones first.
pub(super) fn terms<'a>(atom: &'a Atom, visit: &mut impl FnMut(Place, &'a Term)) {
    fn inner<'a>(place: Place, term: &'a Term, visit: &mut impl FnMut(Place, &'a Term)) {
        visit(place, term);
        if let Term::Function(name, args, _) = term {
            for (i, arg) in args.iter().enumerate() {
                inner(Place::of_function(*name, args.len(), i), arg, visit);
            }
        }
    }
    for (i, arg) in atom.args.iter().enumerate() {
        inner(Place::of_atom(atom, i), arg, visit);
    }
}
