//! `winset count`: how many positions can arise.
use crate::args::CountArgs;
use crate::failure::Failure;
pub fn run(_args: &CountArgs) -> Result<(), Failure> {
    Ok(())
}
