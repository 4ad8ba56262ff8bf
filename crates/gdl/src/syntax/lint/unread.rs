//! Facts, moves and relations that nothing asks for, and names that occur once and look like another one.

use super::domains::{FACT, MOVE, Name, Place, ROLE, declares, terms};
use super::nearest::{did_you_mean, one_typo_apart};
use super::unknown::NEAR;
use super::{Lint, name_span, with_arguments};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::nnf::{Nnf, NnfRule};
use crate::syntax::symbols::{Symbol, keyword};
use crate::syntax::tree::Term;
use rustc_hash::{FxHashMap, FxHashSet};

/// What the conditions ask for at a place.
#[derive(Default)]
struct Asked {
    names: FxHashSet<Name>,
    /// A variable takes whatever is there.
    any: bool,
}

impl Lint<'_> {
    /// What is made and never asked for.
    pub fn unread(&mut self) {
        let mut asked: FxHashMap<Place, Asked> = FxHashMap::default();
        let mut used: FxHashSet<Name> = FxHashSet::default();
        for (_, atom) in &self.body {
            used.insert((atom.name, atom.args.len()));
            terms(atom, &mut |place, term| {
                let here = asked.entry(place).or_default();
                match term {
                    Term::Function(name, args, _) => drop(here.names.insert((*name, args.len()))),
                    Term::Variable(..) => here.any = true,
                }
            });
        }
        self.unused_relations(&used);
        for rule in self.rules.iter().filter(|rule| !declares(&rule.head)) {
            if !matches!(rule.head.name, keyword::INIT | keyword::NEXT | keyword::LEGAL) {
                continue;
            }
            terms(&rule.head, &mut |place, term| self.unread_at(place, term, &asked));
        }
    }

    fn unread_at(&mut self, place: Place, term: &Term, asked: &FxHashMap<Place, Asked>) {
        let Term::Function(name, args, _) = term else { return };
        let name = (*name, args.len());
        let none = Asked::default();
        let here = asked.get(&place).unwrap_or(&none);
        if here.any || here.names.contains(&name) {
            return;
        }
        if !self.afford(NEAR * here.names.len()) {
            return;
        }
        let text = with_arguments(self.name(name.0), name.1);
        let near = did_you_mean(self.symbols, name, here.names.iter().copied());
        let strict = here
            .names
            .iter()
            .any(|other| other.0 == name.0 || one_typo_apart(self.name(other.0), self.name(name.0), 3));
        let (code, message) = match place {
            FACT => (Code::UnreadFact, format!("no condition asks for the fact {text}")),
            // Moves that change nothing are normal.
            MOVE if !strict => return,
            MOVE => (Code::UnreadMove, format!("no condition asks for the move {text}")),
            Place { of, index, relation: false, .. } if strict => (
                Code::UnreadFact,
                format!("no condition asks for {text} as argument {} of `{}`", index + 1, self.name(of)),
            ),
            _ => return,
        };
        let help = near.unwrap_or_else(|| "it has no effect".to_owned());
        self.warn(Diagnostic::warning(code, name_span(term, self.symbols), message).help(help));
    }

    /// Relations that nothing uses and that look like another one, or like a keyword.
    fn unused_relations(&mut self, used: &FxHashSet<Name>) {
        let words = [
            keyword::ROLE,
            keyword::INIT,
            keyword::NEXT,
            keyword::LEGAL,
            keyword::GOAL,
            keyword::TERMINAL,
            keyword::BASE,
            keyword::INPUT,
        ];
        let mut told = FxHashSet::default();
        for rule in self.rules {
            let name = (rule.head.name, rule.head.args.len());
            if words.contains(&name.0) || used.contains(&name) || !told.insert(name) {
                continue;
            }
            if !self.afford(used.len()) {
                return;
            }
            let text = self.name(name.0);
            let known = used.iter().map(|other| other.0).chain(words);
            let mut near: Vec<&str> = known.map(|other| self.name(other)).collect();
            // What is made of another relation alone is its inverse or another word for it.
            let made_of = match &rule.body[..] {
                [Nnf::Positive(only)] => self.name(only.name),
                _ => "",
            };
            near.retain(|other| *other != text && *other != made_of && one_typo_apart(text, other, 3));
            near.sort_unstable();
            near.dedup();
            let same = used.iter().filter(|other| other.0 == name.0).map(|other| other.1).min();
            let arrow = !text.is_empty() && text.chars().all(|c| "<>=-:".contains(c));
            let help = match (same, near.first()) {
                _ if arrow => "`<=`".to_owned(),
                (Some(arity), _) => with_arguments(text, arity),
                (None, Some(other)) => format!("`{other}`"),
                (None, None) => continue,
            };
            let message = format!("nothing uses {}", with_arguments(text, name.1));
            let warning = Diagnostic::warning(Code::UnusedRelation, rule.head.span, message);
            self.warn(warning.help(format!("did you mean {help}?")));
        }
    }

    /// Constants and functions that occur once in the file, and look like another one or stand among numbers.
    pub fn lonely_names(&mut self) {
        let mut seen: FxHashMap<Symbol, (usize, Span, Place)> = FxHashMap::default();
        let mut at: FxHashMap<Place, FxHashSet<Symbol>> = FxHashMap::default();
        let atoms = self.rules.iter().map(|rule| &rule.head).chain(self.body.iter().map(|(_, atom)| *atom));
        for atom in atoms {
            terms(atom, &mut |place, term| {
                if let Term::Function(name, _, _) = term {
                    let span = name_span(term, self.symbols);
                    seen.entry(*name).or_insert((0, span, place)).0 += 1;
                    at.entry(place).or_default().insert(*name);
                }
            });
        }
        let mut once: Vec<(Span, Symbol, Place)> =
            seen.iter().filter(|(_, s)| s.0 == 1).map(|(name, s)| (s.1, *name, s.2)).collect();
        once.sort_unstable_by_key(|(span, ..)| *span);
        // Names that occur again, with the letters from which on they are compared: players are spoken of everywhere.
        let players = at.get(&ROLE);
        let again = seen.iter().filter(|(_, s)| s.0 > 1).map(|(name, _)| {
            let player = players.is_some_and(|players| players.contains(name));
            (self.name(*name), if player { 3 } else { 4 })
        });
        let again: Vec<(&str, usize)> = again.collect();
        let mut work = 0;
        let mut found = vec![];
        for (span, name, place) in once {
            let text = self.name(name);
            let others: Vec<Symbol> = at[&place].iter().copied().filter(|other| *other != name).collect();
            work += others.len() + again.len();
            if work > self.budget {
                break;
            }
            let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
            let all =
                |test: &dyn Fn(Symbol) -> bool| !others.is_empty() && others.iter().all(|other| test(*other));
            let known = all(&|other| seen[&other].0 >= 3);
            let known_near = |other: &str| known && one_typo_apart(text, other, 2);
            let here = others.iter().map(|other| self.name(*other)).filter(|other| known_near(other));
            let near =
                again.iter().copied().filter(|(other, shortest)| one_typo_apart(text, other, *shortest));
            let near = near.map(|(other, _)| other).chain(here).filter(|_| !number(text)).min();
            let help = match (near, place) {
                (Some(other), _) => format!("did you mean `{other}`?"),
                (None, ROLE) if all(&|other| seen[&other].0 > 1) => {
                    "no other rule knows this player by name; is it misspelt?".to_owned()
                }
                (None, Place { of: keyword::GOAL, .. } | FACT | MOVE) => continue,
                _ if !number(text)
                    && others.len() >= 2
                    && (known || text.contains(|c: char| c.is_ascii_digit()))
                    && all(&|other| number(self.name(other))) =>
                {
                    "all others here are numbers".to_owned()
                }
                _ => continue,
            };
            let message = format!("`{text}` occurs only here");
            found.push(Diagnostic::warning(Code::LonelyName, span, message).help(help));
        }
        found.into_iter().for_each(|warning| self.warn(warning));
    }

    /// Variables that occur once in their rule and look like another one of it. Short names do so only if no other
    /// rule has them.
    pub fn lonely_variables(&mut self) {
        let mut rules: FxHashMap<Symbol, usize> = FxHashMap::default();
        let lists: Vec<Vec<(Symbol, usize, Span)>> = self.rules.iter().map(variables).collect();
        lists.iter().flatten().for_each(|(name, ..)| *rules.entry(*name).or_default() += 1);
        for list in &lists {
            for (name, _, span) in list.iter().filter(|seen| seen.1 == 1) {
                let text = self.name(*name).trim_start_matches('?');
                let shortest = if rules[name] == 1 { 3 } else { 4 };
                let near = list.iter().filter(|other| other.1 > 1).map(|other| self.name(other.0));
                let near =
                    near.filter(|other| one_typo_apart(text, other.trim_start_matches('?'), shortest)).min();
                if let Some(other) = near {
                    let message = format!("`?{text}` occurs only here in its rule");
                    let warning = Diagnostic::warning(Code::LonelyName, *span, message);
                    self.warn(warning.help(format!("did you mean `{other}`?")));
                }
            }
        }
    }
}

/// The variables of a rule, how often each occurs, and where first.
fn variables(rule: &NnfRule) -> Vec<(Symbol, usize, Span)> {
    let mut places: FxHashMap<Symbol, usize> = FxHashMap::default();
    let mut seen: Vec<(Symbol, usize, Span)> = vec![];
    let mut see = |name: Symbol, span: Span| {
        let at = *places.entry(name).or_insert(seen.len());
        match seen.get_mut(at) {
            Some(known) => known.1 += 1,
            None => seen.push((name, 1, span)),
        }
    };
    rule.head.variables(&mut see);
    rule.body.iter().for_each(|condition| condition.variables(&mut see));
    seen
}
