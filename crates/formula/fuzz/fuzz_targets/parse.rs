//! Formulas: no input makes the reader panic or hang, and every diagnostic lies inside the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use winset_formula::parse;
use winset_model::{Exprs, System, Variable};

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        let mut system = system();
        if let Err(error) = parse(text, &mut system).and_then(|formula| formula.core(&mut system.exprs)) {
            assert!(text.get(error.span().start..error.span().end).is_some());
        }
    }
});

/// A system with a few names for formulas to use.
fn system() -> System {
    let names = ["a", "b"].map(String::from);
    let variables = vec![Variable { name: "at".into(), values: names.into() }];
    let sets = vec![("p".to_owned(), Exprs::TRUE), ("turn:black".to_owned(), Exprs::FALSE)];
    System { variables, exprs: Exprs::new(), initial: Exprs::TRUE, relations: vec![], stops: vec![], sets, hidden: vec![] }
}
