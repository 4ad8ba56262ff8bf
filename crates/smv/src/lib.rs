//! SMV files as transition systems with specifications.
//!
//! What NuSMV reads of finite systems: `MODULE` with parameters, instances and processes; `VAR`, `IVAR` and `FROZENVAR`
//! of type boolean, enumeration, range, word and array of these; `DEFINE`, `CONSTANTS`; `ASSIGN` with `init`, `next` and
//! plain assignments, nondeterministic sets included; `INIT`, `TRANS`, `INVAR`; `FAIRNESS`, `JUSTICE`, `COMPASSION`; `SPEC`,
//! `CTLSPEC`, `LTLSPEC`, `INVARSPEC`, `COMPUTE` and `MUSPEC`. Everything else is refused by name. [`read`] gives a [`Model`] or all
//! that is wrong, each with its place; [`emit`] writes a game in the language.
//!
//! Inputs, and which process takes a step, are no part of the states: see [`winset_model::System::hidden`].
//!
//! ```
//! let text = "MODULE main VAR n : 0..3; ASSIGN init(n) := 0; next(n) := (n + 1) mod 4; SPEC AG AF n = 3";
//! let model = winset_smv::read(text, &Default::default()).unwrap();
//! assert_eq!(model.system.variables[0].size(), 4);
//! assert_eq!(model.specs[0].text, "AG AF n = 3");
//! ```

mod arithmetic;
mod assemble;
mod compile;
mod cone;
mod diagnostic;
mod emit;
mod exclusive;
mod inputs;
mod instance;
mod lex;
mod members;
mod parse;
mod parse_expr;
mod resolve;
mod satisfy;
mod specify;
mod sums;
mod syntax;
mod value;
mod word_variable;
mod words;

pub use assemble::{Model, Spec};
pub use cone::{Cone, cone};
pub use diagnostic::{Code, Diagnostic, Limits, Severity, Span};
pub use emit::{EmitError, Style, emit};
pub use word_variable::WordVariable;

/// Reads a model whose comments may be in any encoding.
pub fn read_bytes(bytes: &[u8], limits: &Limits) -> Result<Model, Vec<Diagnostic>> {
    // A byte for a byte, so that places in the text stay what they are.
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| lex::NOT_UTF8));
    }
    read(&text, limits)
}

/// Reads a model, or says everything that is wrong with it. What is only suspicious is in
/// [`Model::warnings`].
pub fn read(text: &str, limits: &Limits) -> Result<Model, Vec<Diagnostic>> {
    let mut found = diagnostic::Diagnostics::new(limits.diagnostics);
    let file = parse::parse(text, limits, &mut found);
    if found.has_errors() {
        return Err(found.list);
    }
    let model = assemble::assemble(text, &file, limits, &mut found);
    match model {
        Some(mut model) if !found.has_errors() => {
            model.warnings = found.list;
            Ok(model)
        }
        _ => Err(found.list),
    }
}
