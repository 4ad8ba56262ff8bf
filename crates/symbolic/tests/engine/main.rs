//! All tests of the engine in one program: each program compiles the diagrams' operations once more.

mod agreement;
mod codes;
mod dddmp;
mod published;
mod rank;
mod rewards;
mod successors;
