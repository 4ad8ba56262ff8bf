//! What is wrong with a model, as data: a code to match on, a place, a sentence, and what to do about it.

use winset_formula::Span;

/// Whether the model can still be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It can.
    Warning,
    /// It cannot.
    Error,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal),* $(,)?) => {
        /// The cause of a diagnostic. The text of [`Code::as_str`] is stable and meant for scripts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $($(#[$doc])* $name),* }

        impl Code {
            /// The stable name of the code.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text),* }
            }
        }
    };
}

codes! {
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

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The cause.
    pub code: Code,
    /// Whether the model can still be used.
    pub severity: Severity,
    /// Where.
    pub span: Span,
    /// In a sentence.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

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
            source_bytes: 64 << 20,
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

    pub fn add(&mut self, diagnostic: Diagnostic) {
        if self.list.len() < self.limit && !self.list.contains(&diagnostic) {
            self.list.push(diagnostic);
        }
    }

    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity == Severity::Error)
    }
}

impl Diagnostic {
    pub(crate) fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic { code, severity: Severity::Error, span, message: message.into(), help: None }
    }

    pub(crate) fn warning(code: Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, span, message) }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// A value, or what is wrong.
pub(crate) type Checked<T> = Result<T, Diagnostic>;
