//! One finding about a text, as data.

use std::fmt;

/// A half-open range of bytes of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// The bytes from `start` up to, not including, `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Span { start, end }
    }

    /// The bytes of a part of a text, which must be a slice of it.
    ///
    /// ```
    /// let text = "a1 b2";
    /// assert_eq!(winset_diagnostic::Span::of(text, &text[3..]), winset_diagnostic::Span::new(3, 5));
    /// ```
    pub fn of(text: &str, part: &str) -> Self {
        let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len());
        Span { start, end: (start + part.len()).min(text.len()) }
    }

    /// From the beginning of this to the end of the other.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end.max(self.start) }
    }
}

/// Whether the text can still be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// It can.
    Warning,
    /// It cannot.
    Error,
}

impl Severity {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// What a reader of texts calls the causes of its diagnostics. [`causes!`](crate::causes) makes one.
pub trait Cause: Copy {
    /// The stable name, meant for scripts.
    fn as_str(self) -> &'static str;
}

impl Cause for &'static str {
    fn as_str(self) -> &'static str {
        self
    }
}

/// An enumeration of causes with their stable names.
#[macro_export]
macro_rules! causes {
    ($(#[$about:meta])* pub enum $Code:ident { $($(#[$doc:meta])* $name:ident = $text:literal),* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $Code { $($(#[$doc])* $name),* }

        impl $Code {
            /// The stable name of the code, meant for scripts.
            pub fn as_str(self) -> &'static str {
                match self { $($Code::$name => $text),* }
            }
        }

        impl $crate::Cause for $Code {
            fn as_str(self) -> &'static str {
                $Code::as_str(self)
            }
        }
    };
}

/// One finding about a text. Each reader has its own causes `C`; where findings of several readers meet, they go by the
/// causes' names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic<C = &'static str> {
    /// The cause, to match on.
    pub code: C,
    /// Whether the text can still be used.
    pub severity: Severity,
    /// The place in the text.
    pub span: Span,
    /// What is wrong, in a sentence.
    pub message: String,
    /// What would be right, where that is known.
    pub help: Option<String>,
}

impl<C> Diagnostic<C> {
    /// The text cannot be used.
    pub fn error(code: C, span: Span, message: impl Into<String>) -> Self {
        Diagnostic { code, severity: Severity::Error, span, message: message.into(), help: None }
    }

    /// The text can be used, but is hardly what was meant.
    pub fn warning(code: C, span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, span, message) }
    }

    /// The same with what would be right.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl<C: Cause> Diagnostic<C> {
    /// The same with the cause's name in place of the cause.
    pub fn named(&self) -> Diagnostic {
        let Diagnostic { code, severity, span, message, help } = self;
        let (message, help) = (message.clone(), help.clone());
        Diagnostic { code: code.as_str(), severity: *severity, span: *span, message, help }
    }
}

/// In one line, without the text: for logs, and for errors that are passed on.
impl<C: Cause> fmt::Display for Diagnostic<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}", self.code.as_str(), self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

impl<C: Cause + fmt::Debug> std::error::Error for Diagnostic<C> {}
