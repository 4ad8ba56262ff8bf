//! `winset reproduce`: published tables beside ours.
use crate::args::ReproduceArgs;
use crate::failure::Failure;
pub fn run(_args: &ReproduceArgs) -> Result<(), Failure> {
    Ok(())
}
