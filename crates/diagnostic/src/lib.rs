//! What is wrong with a text: rules, a model, a formula, a position or moves that somebody typed.
//!
//! Whoever reads a text gives [`Diagnostic`]s, which are data: a code to match on, the bytes that are meant, a sentence,
//! and what would be right. Whoever shows them calls [`render`], for the excerpt with a caret that people read, or
//! [`Diagnostic::located`], for machines. A text may come from anybody and is shown only as [`visible`] shows it.
//!
//! ```
//! use winset_diagnostic::{Diagnostic, Span, render};
//!
//! winset_diagnostic::causes! {
//!     /// What can be wrong with a sum.
//!     pub enum Code {
//!         /// Something that is no number.
//!         NotANumber = "not-a-number",
//!     }
//! }
//!
//! let text = "12 + x";
//! let wrong = Diagnostic::error(Code::NotANumber, Span::new(5, 6), "\"x\" is no number").help("write digits");
//! assert_eq!(wrong.code, Code::NotANumber);
//! let shown = render("sum", text.as_bytes(), &wrong);
//! assert_eq!(shown, "error[not-a-number]: \"x\" is no number\n \
//!                     --> sum:1:6\n  \
//!                      |\n\
//!                    1 | 12 + x\n  \
//!                      |      ^\n  \
//!                      = help: write digits\n");
//! ```

mod diagnostic;
mod render;
mod visible;

pub use diagnostic::{Cause, Diagnostic, Severity, Span};
pub use render::{Located, position, render};
pub use visible::{Notation, Visible, is_visible, visible, visible_lines};
