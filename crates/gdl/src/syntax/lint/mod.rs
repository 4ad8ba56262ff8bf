//! Mistakes that leave a valid file: a name that nothing else knows makes a condition that never holds, or a fact that
//! nobody asks for. Each is a warning with the name that may be meant.
//!
//! What is told is true of the file; it is told only where it is hardly ever meant. All of it works on the text, in
//! time that is bounded.

mod domains;
mod nearest;
mod unknown;
mod unread;

use crate::diagnostic::{Diagnostic, Findings, Span};
use crate::syntax::nnf::NnfRule;
use crate::syntax::symbols::{Symbol, Symbols};
use crate::syntax::tree::{Atom, Term};
use domains::Domains;
use rustc_hash::FxHashSet;

/// A file with what is known about its names.
struct Lint<'a> {
    rules: &'a [NnfRule],
    symbols: &'a Symbols,
    /// Every atom of a body, with the number of its rule.
    body: Vec<(usize, &'a Atom)>,
    findings: &'a mut Findings,
    /// Places in the file that have been spoken of.
    told: FxHashSet<Span>,
    /// Comparisons of names that may still be made.
    budget: usize,
}

/// A file of people has few names; one with very many is not looked through pair by pair.
const BUDGET: usize = 5_000_000;

/// Looks for mistakes that leave a valid file.
pub(crate) fn lint(rules: &[NnfRule], symbols: &Symbols, findings: &mut Findings) {
    let mut body = vec![];
    for (number, rule) in rules.iter().enumerate() {
        for condition in &rule.body {
            condition.atoms(&mut |atom, _| body.push((number, atom)));
        }
    }
    let mut lint = Lint { rules, symbols, body, findings, told: FxHashSet::default(), budget: BUDGET };
    lint.keywords_in_terms();
    lint.undefined();
    if let Some(mut domains) = Domains::of(rules) {
        lint.unknown(&domains);
        lint.apart(&mut domains);
    }
    lint.unread();
    lint.lonely_names();
    lint.lonely_variables();
}

impl Lint<'_> {
    /// Reports something, once for each place.
    fn warn(&mut self, diagnostic: Diagnostic) {
        if self.told.insert(diagnostic.span) {
            self.findings.push(diagnostic);
        }
    }

    /// That many `comparisons` can still be made, and nobody has stopped listening.
    fn afford(&mut self, comparisons: usize) -> bool {
        let (left, enough) = self.budget.overflowing_sub(comparisons);
        self.budget = if enough { 0 } else { left };
        !enough && !self.findings.is_full()
    }

    fn name(&self, symbol: Symbol) -> &str {
        self.symbols.name(symbol)
    }
}

/// A name with its number of arguments, as people say it.
fn with_arguments(name: &str, arity: usize) -> String {
    match arity {
        0 => format!("`{name}`"),
        1 => format!("`{name}` with 1 argument"),
        n => format!("`{name}` with {n} arguments"),
    }
}

/// The place of a term's own name, without its arguments.
fn name_span(term: &Term, symbols: &Symbols) -> Span {
    match term {
        Term::Function(name, args, span) if !args.is_empty() => {
            // The parenthesis, then the name, mostly.
            let end = span.start + 1 + symbols.name(*name).len();
            Span::new(span.start, end.min(span.end))
        }
        other => other.span(),
    }
}
