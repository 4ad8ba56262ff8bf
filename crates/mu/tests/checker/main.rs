//! Tests of the symbolic checker in one program: each program compiles the diagrams' operations once more.

mod agree;
mod strategy;
