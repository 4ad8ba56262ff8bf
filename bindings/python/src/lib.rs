//! The compiled part of the Python package `winset`. What people see is in `python/winset`, which is annotated Python;
//! here are the calls that take time, without the interpreter's lock. Arrays go over as bytes, which NumPy takes as
//! they are.

mod ask;
mod database;
mod errors;
mod games;
mod layer;
mod state;
mod waiting;
mod work;

use pyo3::prelude::*;

#[pymodule]
mod _core {
    #[pymodule_export]
    use super::database::Database;
    #[pymodule_export]
    use super::database::open;
    #[pymodule_export]
    use super::games::games;
    #[pymodule_export]
    use super::state::State;
    #[pymodule_export]
    use super::work::solve;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
