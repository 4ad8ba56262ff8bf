//! What is wrong with a model: the causes, how large it may be, and the list of findings.

use winset_diagnostic::causes;
pub use winset_diagnostic::{Severity, Span};

causes! {
    /// The cause of a diagnostic. The text of [`Code::as_str`] is stable and meant for scripts.
    pub enum Code {
        /// The file is larger than [`Limits::source_bytes`].
        FileTooLarge = "file-too-large",
        /// A character that begins no symbol.
        Character = "character",
        /// Something else was needed here.
        Syntax = "syntax",
        /// Nested deeper than [`Limits::nesting`].
        NestingTooDeep = "nesting-too-deep",
        /// A part of the language outside the subset.
        Unsupported = "unsupported",
        /// There is no module `main`.
        MissingMain = "missing-main",
        /// Two things have one name.
        Duplicate = "duplicate",
        /// Nothing has this name.
        UnknownName = "unknown-name",
        /// There is no such module.
        UnknownModule = "unknown-module",
        /// An instance with too many or too few parameters.
        Parameters = "parameters",
        /// A module that contains itself.
        CyclicInstance = "cyclic-instance",
        /// A definition or assignment that depends on itself.
        CyclicDefinition = "cyclic-definition",
        /// An expression of the wrong type.
        TypeError = "type-error",
        /// A range or array without elements, or bounds that are not constant.
        Bounds = "bounds",
        /// A variable is assigned twice.
        AssignedTwice = "assigned-twice",
        /// Something that cannot be assigned.
        NotAssignable = "not-assignable",
        /// A value that the variable does not have.
        ValueOutOfRange = "value-out-of-range",
        /// An index outside the array.
        IndexOutOfRange = "index-out-of-range",
        /// No branch of a `case` applies.
        CaseNotExhaustive = "case-not-exhaustive",
        /// The divisor can be zero.
        DivisionByZero = "division-by-zero",
        /// `next` where there is no next state.
        MisplacedNext = "misplaced-next",
        /// An input variable where only states count.
        MisplacedInput = "misplaced-input",
        /// A temporal operator outside a specification.
        MisplacedTemporal = "misplaced-temporal",
        /// A fixed point of a formula that is not monotone.
        NotMonotone = "not-monotone",
        /// A comparison of values that are never equal.
        NeverEqual = "never-equal",
        /// No state is initial.
        EmptyInitial = "empty-initial",
        /// No state has a successor.
        NoSuccessor = "no-successor",
        /// More variables, values, instances or expressions than [`Limits`] allow.
        TooLarge = "too-large",
    }
}

/// One thing that is wrong.
pub type Diagnostic = winset_diagnostic::Diagnostic<Code>;

/// How large a model may be, so that every file is answered in reasonable time and space.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of the file.
    pub source_bytes: usize,
    /// Operators inside each other.
    pub nesting: usize,
    /// Variables and instances.
    pub variables: usize,
    /// Values of one variable or expression; no more than a [`winset_model::Value`] can number.
    pub values: usize,
    /// Values of all variables together.
    pub all_values: usize,
    /// Distinct expressions.
    pub expressions: usize,
    /// Combinations of the input variables.
    pub inputs: usize,
    /// Diagnostics after which the rest is left out.
    pub diagnostics: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            source_bytes: 32 << 20,
            nesting: 160,
            variables: 100_000,
            values: winset_model::Value::MAX as usize,
            all_values: 1 << 20,
            expressions: 20_000_000,
            inputs: 4096,
            diagnostics: 100,
        }
    }
}

/// The diagnostics so far.
pub(crate) struct Diagnostics {
    pub list: Vec<Diagnostic>,
    limit: usize,
}

impl Diagnostics {
    pub fn new(limit: usize) -> Self {
        Diagnostics { list: vec![], limit }
    }

    pub fn add(&mut self, mut diagnostic: Diagnostic) {
        if diagnostic.help.is_none() {
            diagnostic.help = usual_help(diagnostic.code).map(str::to_owned);
        }
        if self.list.len() < self.limit && !self.list.contains(&diagnostic) {
            self.list.push(diagnostic);
        }
    }

    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity == Severity::Error)
    }
}

/// A value, or what is wrong.
pub(crate) type Checked<T> = Result<T, Diagnostic>;

/// What is to be done about a cause, whatever the place.
fn usual_help(code: Code) -> Option<&'static str> {
    match code {
        Code::MissingMain => Some("the module in which everything begins is called `main`"),
        Code::Duplicate => Some("give one of them another name"),
        Code::CyclicDefinition => Some("a value of the state before is not a cycle: assign to next(...)"),
        Code::AssignedTwice => Some("join them in one assignment with `case`"),
        Code::ValueOutOfRange => Some("widen the variable's range, or leave these cases out with `case`"),
        Code::CaseNotExhaustive => Some("end it with a branch `TRUE : ...;`"),
        Code::DivisionByZero => Some("leave this case out with `case`"),
        Code::Bounds => Some("a range is written with two constants, the smaller one first"),
        Code::NeverEqual => Some("the comparison is FALSE in every state"),
        _ => None,
    }
}
