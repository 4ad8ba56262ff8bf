//! What there is to solve.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use winset::Catalogue;

/// Every game that has a name, as dictionaries.
#[pyfunction]
pub fn games(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    // Those in GDL come last.
    let built_in = Catalogue::families().count() - Catalogue::library().count();
    Catalogue::families()
        .enumerate()
        .map(|(number, family)| {
            let game = PyDict::new(py);
            // A game in GDL that has sizes has them in its name.
            let in_gdl = number >= built_in;
            let sized = in_gdl && !family.numbers.is_empty();
            let suffix = if sized { format!("-{}", family.default) } else { String::new() };
            game.set_item("name", format!("{}{suffix}", family.name))?;
            game.set_item("size", family.size)?;
            game.set_item("default", family.default)?;
            game.set_item("about", family.about)?;
            let options = PyDict::new(py);
            for choice in family.choices {
                options.set_item(choice.name, choice.values.to_vec())?;
            }
            game.set_item("options", options)?;
            game.set_item("gdl", in_gdl)?;
            Ok(game)
        })
        .collect()
}
