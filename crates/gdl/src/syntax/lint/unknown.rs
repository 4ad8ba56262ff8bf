//! Conditions on something that no rule makes.

use super::domains::{Domains, FACT, MOVE, Name, Place, ROLE, terms};
use super::nearest::did_you_mean;
use super::{Lint, name_span, with_arguments};
use crate::diagnostic::{Code, Diagnostic};
use crate::syntax::nnf::Nnf;
use crate::syntax::symbols::{Symbol, keyword};
use crate::syntax::tree::{Atom, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// What it takes to find the nearest of some names, in comparisons for each.
pub(super) const NEAR: usize = 20;

impl Lint<'_> {
    /// Relations that no fact or rule defines.
    pub fn undefined(&mut self) {
        let mut defined: FxHashSet<Name> =
            self.rules.iter().map(|r| (r.head.name, r.head.args.len())).collect();
        defined.extend([(keyword::TRUE, 1), (keyword::DOES, 2)]);
        let words = [(keyword::DISTINCT, 2), (keyword::NOT, 1), (keyword::OR, 2), (keyword::AND, 2)];
        let mut told = FxHashSet::default();
        for (_, atom) in self.body.clone() {
            let name = (atom.name, atom.args.len());
            if defined.contains(&name) || !told.insert(name) {
                continue;
            }
            if !self.afford(0) {
                return;
            }
            let affordable = self.afford(NEAR * defined.len());
            let what = with_arguments(self.name(name.0), name.1);
            let message = format!("no fact or rule defines {what}");
            let known = defined.iter().copied().filter(|_| affordable).chain(words);
            let near = did_you_mean(self.symbols, name, known);
            let help = near.map_or_else(String::new, |near| format!("; {near}"));
            let warning = Diagnostic::warning(Code::UndefinedRelation, atom.span, message);
            self.warn(warning.help(format!("it never holds{help}")));
        }
    }

    /// Conditions inside of terms: the word before them is not what was meant, and a rule has become a fact.
    pub fn keywords_in_terms(&mut self) {
        let heads = self.rules.iter().map(|rule| &rule.head);
        let atoms: Vec<&Atom> = heads.chain(self.body.iter().map(|(_, atom)| *atom)).collect();
        for atom in atoms {
            let within = self.name(atom.name).to_owned();
            let mut first = None;
            terms(atom, &mut |_, term| match term {
                Term::Function(name, args, _) if !args.is_empty() && name.0 <= keyword::ARROW.0 => {
                    first.get_or_insert((*name, term));
                }
                _ => {}
            });
            if let Some((name, term)) = first {
                let message = format!("`{}` has no meaning inside of `{within}`", self.name(name));
                let help = "it is read as a name; is the word before it misspelt, such as `<=` or `not`?";
                let span = name_span(term, self.symbols);
                self.warn(Diagnostic::warning(Code::KeywordTerm, span, message).help(help));
            }
        }
    }

    /// Facts that no state has, moves that nobody can make, roles that do not exist, and arguments that are never
    /// there.
    pub fn unknown(&mut self, domains: &Domains) {
        let heads = self.rules.iter().map(|rule| &rule.head);
        let speaks_of_role = |atom: &&Atom| matches!(atom.name, keyword::LEGAL | keyword::GOAL);
        for head in heads.filter(speaks_of_role) {
            if let Some(role @ Term::Function(..)) = head.args.first() {
                self.unknown_at(ROLE, role, domains);
            }
        }
        for (_, atom) in self.body.clone() {
            terms(atom, &mut |place, term| self.unknown_at(place, term, domains));
        }
    }

    fn unknown_at(&mut self, place: Place, term: &Term, domains: &Domains) {
        let Term::Function(name, args, _) = term else { return };
        let name = (*name, args.len());
        // Where nothing is known the mistake is elsewhere.
        let Some(domain) = domains.at(place) else { return };
        if domain.contains(name) || domain.names.is_empty() {
            return;
        }
        if !self.afford(0) {
            return;
        }
        let affordable = self.afford(NEAR * domain.names.len());
        let text = with_arguments(self.name(name.0), name.1);
        let (code, message) = match place {
            FACT => (Code::UnknownFact, format!("no `init` or `next` makes the fact {text}")),
            MOVE => (Code::UnknownMove, format!("no `legal` allows the move {text}")),
            ROLE => (Code::UnknownRole, format!("no role is called {text}")),
            Place { of, index, .. } => {
                (Code::UnknownValue, format!("{text} is never argument {} of `{}`", index + 1, self.name(of)))
            }
        };
        let near = did_you_mean(self.symbols, name, domain.names.iter().copied().filter(|_| affordable));
        let help = near.unwrap_or_else(|| match place {
            ROLE => "add (role NAME), or correct the name".to_owned(),
            _ => "the condition never holds".to_owned(),
        });
        self.warn(Diagnostic::warning(code, name_span(term, self.symbols), message).help(help));
    }

    /// Variables that would have to be two things at once.
    pub fn apart(&mut self, domains: &mut Domains) {
        for rule in self.rules {
            let Some(bound) = domains.variables(&rule.body) else { return };
            let mut places: FxHashMap<Symbol, Vec<(Place, &Term)>> = FxHashMap::default();
            for condition in &rule.body {
                if let Nnf::Positive(atom) = condition {
                    terms(atom, &mut |place, term| {
                        if let Term::Variable(name, _) = term {
                            places.entry(*name).or_default().push((place, term));
                        }
                    });
                }
            }
            let mut empty: Vec<Symbol> =
                bound.iter().filter(|(_, d)| !d.any && d.names.is_empty()).map(|(v, _)| *v).collect();
            empty.sort_unstable();
            for variable in empty {
                let list = &places[&variable];
                let known = |place: Place| domains.at(place).is_some_and(|d| d.any || !d.names.is_empty());
                if !list.iter().all(|(place, _)| known(*place)) {
                    continue;
                }
                let (first, last) = (list[0], list[list.len() - 1]);
                let show = |place: Place| match place {
                    FACT => "a fact".to_owned(),
                    MOVE => "a move".to_owned(),
                    ROLE => "a role".to_owned(),
                    Place { of, index, .. } => {
                        format!("argument {} of `{}`", index + 1, self.symbols.name(of))
                    }
                };
                let message = format!(
                    "`{}` cannot be {} and {} at once: no name is both",
                    self.symbols.name(variable),
                    show(first.0),
                    show(last.0)
                );
                let warning = Diagnostic::warning(Code::NeverBoth, last.1.span(), message);
                self.warn(warning.help("the rule never applies; are two arguments exchanged?"));
            }
        }
    }
}
