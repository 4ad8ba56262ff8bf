//! Progress measures.
