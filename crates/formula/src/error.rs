//! What can be wrong with a formula.

use thiserror::Error;
use winset_diagnostic::{Diagnostic, Span};

/// Why a text is not a formula, each with its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FormulaError {
    /// A character that begins no symbol.
    #[error("{character:?} has no meaning in a formula")]
    Character {
        /// The character.
        character: char,
        /// Where.
        span: Span,
    },
    /// Something else was needed here.
    #[error("expected {expected}, found {found}")]
    Syntax {
        /// What was needed.
        expected: &'static str,
        /// What is there.
        found: String,
        /// Where.
        span: Span,
    },
    /// Operators nested too deeply.
    #[error("the formula is nested more than {limit} levels deep")]
    TooDeep {
        /// The greatest depth.
        limit: usize,
        /// Where.
        span: Span,
    },
    /// No set, variable or bound variable has this name.
    #[error("nothing is called {name:?}")]
    UnknownName {
        /// The name.
        name: String,
        /// The nearest names there are.
        similar: Vec<String>,
        /// Where.
        span: Span,
    },
    /// The variable does not have this value.
    #[error("variable {variable} has no value {value:?}")]
    UnknownValue {
        /// The variable.
        variable: String,
        /// The value.
        value: String,
        /// The values that it has.
        similar: Vec<String>,
        /// Where.
        span: Span,
    },
    /// A bound variable below an odd number of negations, so that the fixed point need not exist.
    #[error("{variable} occurs below an odd number of negations, so its fixed point need not exist")]
    NotMonotone {
        /// The bound variable.
        variable: String,
        /// The negative occurrence.
        span: Span,
    },
    /// Operators over numbers of steps take a variable for each step.
    #[error("the formula's bounds speak of more than {limit} steps")]
    TooManySteps {
        /// The most steps.
        limit: usize,
        /// Where.
        span: Span,
    },
}

impl FormulaError {
    /// The place in the text.
    pub fn span(&self) -> Span {
        match self {
            FormulaError::Character { span, .. }
            | FormulaError::Syntax { span, .. }
            | FormulaError::TooDeep { span, .. }
            | FormulaError::UnknownName { span, .. }
            | FormulaError::UnknownValue { span, .. }
            | FormulaError::NotMonotone { span, .. }
            | FormulaError::TooManySteps { span, .. } => *span,
        }
    }

    /// The stable name of the cause, meant for scripts.
    pub fn code(&self) -> &'static str {
        match self {
            FormulaError::Character { .. } => "character",
            FormulaError::Syntax { .. } => "syntax",
            FormulaError::TooDeep { .. } => "nesting-too-deep",
            FormulaError::UnknownName { .. } => "unknown-name",
            FormulaError::UnknownValue { .. } => "unknown-value",
            FormulaError::NotMonotone { .. } => "not-monotone",
            FormulaError::TooManySteps { .. } => "too-many-steps",
        }
    }

    /// What to do about it, where something helpful can be said.
    pub fn help(&self) -> Option<String> {
        match self {
            FormulaError::Character { .. } => Some(
                "names with other characters than letters, digits, `_` and `:` stand in quotes".to_owned(),
            ),
            FormulaError::UnknownName { similar, .. } if !similar.is_empty() => {
                Some(format!("there is {}", similar.join(", ")))
            }
            FormulaError::UnknownValue { similar, .. } => {
                Some(format!("its values are {}", similar.join(", ")))
            }
            FormulaError::NotMonotone { variable, .. } => {
                Some(format!("let every occurrence of {variable} stand below an even number of `!`"))
            }
            FormulaError::TooManySteps { .. } => Some("give smaller bounds".to_owned()),
            FormulaError::Syntax { .. } | FormulaError::TooDeep { .. } | FormulaError::UnknownName { .. } => {
                None
            }
        }
    }

    /// All of it, to be shown beside the text.
    pub fn diagnostic(&self) -> Diagnostic {
        let found = Diagnostic::error(self.code(), self.span(), self.to_string());
        Diagnostic { help: self.help(), ..found }
    }
}
