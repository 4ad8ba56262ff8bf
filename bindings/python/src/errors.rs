//! Errors as Python people expect them. The classes are in `python/winset/_errors.py`.

use pyo3::BoundObject;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::path::{Path, PathBuf};
use winset::{CatalogueError, EngineError, Error};
use winset_explore::ExploreError;
use winset_store::StoreError;
use winset_verify::VerifyError;

/// An argument is wrong.
pub fn value(message: impl Into<String>) -> PyErr {
    PyValueError::new_err(message.into())
}

/// An exception of the package's own.
pub fn own<'py>(py: Python<'py>, class: &str, arguments: impl IntoPyObject<'py, Target = PyTuple>) -> PyErr {
    let make = || -> PyResult<PyErr> {
        let class = py.import("winset._errors")?.getattr(class)?;
        let arguments = arguments.into_pyobject(py).map_err(Into::into)?.into_bound();
        Ok(PyErr::from_value(class.call1(arguments)?))
    };
    make().unwrap_or_else(|error| error)
}

/// Whatever the library may say.
pub fn of(py: Python<'_>, error: Error) -> PyErr {
    if error.is_memory() {
        return own(py, "MemoryLimitError", (error.to_string(),));
    }
    match error {
        Error::Rules(error) => of_rules(py, error),
        Error::Engine(EngineError::WrongUse(message)) => value(message),
        Error::Engine(EngineError::Cannot(cause)) => match stored(cause.as_ref()) {
            Some(error) => of_store(py, error),
            None => own(py, "SolveError", (cause.to_string(),)),
        },
        Error::Engine(error) => own(py, "SolveError", (error.to_string(),)),
        Error::Store(error)
        | Error::Explore(ExploreError::Store(error))
        | Error::Verify(VerifyError::Store(error)) => of_store(py, &error),
        Error::Text(error) | Error::Explore(ExploreError::Text(error)) => value(error.to_string()),
        Error::Explore(error) => own(py, "SolveError", (error.to_string(),)),
        Error::Verify(error) => own(py, "SolveError", (error.to_string(),)),
    }
}

/// The error of a store that is behind another.
fn stored<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e StoreError> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        cause = error.source();
    }
    None
}

fn of_rules(py: Python<'_>, error: CatalogueError) -> PyErr {
    match error {
        CatalogueError::Io(path, source) => {
            let errno = source.raw_os_error().unwrap_or(0);
            own(py, "WinsetError", (errno, format!("cannot be read: {source}"), path))
        }
        CatalogueError::Refused(refusal) => {
            let located = |found: &winset::diagnostic::Diagnostic| {
                let found = found.located(&refusal.source);
                let dict = PyDict::new(py);
                dict.set_item("code", found.code)?;
                dict.set_item("message", found.message)?;
                dict.set_item("help", found.help)?;
                dict.set_item("line", found.line)?;
                dict.set_item("column", found.column)?;
                Ok(dict)
            };
            match refusal.diagnostics.iter().map(located).collect::<PyResult<Vec<_>>>() {
                Ok(found) => own(py, "RulesError", (refusal.to_string(), found)),
                Err(error) => error,
            }
        }
        other => value(other.to_string()),
    }
}

/// Of a store: with the path, as errors of the system have it.
fn of_store(py: Python<'_>, error: &StoreError) -> PyErr {
    const ENOENT: i32 = 2;
    const ENOSPC: i32 = 28;
    let (errno, path): (i32, Option<PathBuf>) = match error {
        StoreError::Io { path, source, .. } => (source.raw_os_error().unwrap_or(0), Some(path.clone())),
        StoreError::NoStore(path) => (ENOENT, Some(path.clone())),
        StoreError::DiskFull(path) => (ENOSPC, Some(path.clone())),
        StoreError::NotEmpty(path) | StoreError::Locked(path) => (0, Some(path.clone())),
        StoreError::Damaged { path, .. }
        | StoreError::Unreadable { path, .. }
        | StoreError::Version { path, .. }
        | StoreError::Mismatch { path, .. }
        | StoreError::Rules { path, .. }
        | StoreError::Game { path, .. } => (0, Some(path.clone())),
        StoreError::NotAState => return value(error.to_string()),
        _ => (0, None),
    };
    let said = error.to_string();
    // The path is given beside it.
    let said = match path.as_deref().and_then(Path::to_str) {
        Some(path) => said
            .strip_prefix(path)
            .map_or(said.as_str(), |rest| rest.trim_start_matches([':', ' ']))
            .to_owned(),
        None => said,
    };
    own(py, "WinsetError", (errno, said, path.map(PathBuf::into_os_string)))
}
