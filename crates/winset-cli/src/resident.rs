//! What the system says that the process has: the program's own pages, stacks and the gaps between pieces of memory
//! are in no allocator's books. Asked from within the allocator, so nothing here takes memory.

use std::fs::File;
use std::sync::OnceLock;

/// The system's page about this process, kept open: opening it costs more than reading it.
static PAGE: OnceLock<Option<File>> = OnceLock::new();
/// The size of a page of memory, as all systems have it that tell this.
const PAGE_SIZE: u64 = 4096;

/// From now on [`look`] tells something, where the system does.
pub fn open() {
    PAGE.get_or_init(|| File::open("/proc/self/statm").ok());
}

/// What the process has.
#[derive(Clone, Copy, Debug)]
pub struct Resident {
    /// All of it, in bytes.
    pub all: u64,
    /// Of this, what is the contents of files: the program.
    pub files: u64,
}

/// Reads what the process has at this moment.
#[cfg(target_os = "linux")]
pub fn look() -> Option<Resident> {
    use std::os::unix::fs::FileExt;
    let mut text = [0; 128];
    let length = PAGE.get()?.as_ref()?.read_at(&mut text, 0).ok()?;
    let mut numbers = text[..length].split(|&byte| byte == b' ').map(|word| {
        let digit =
            |sum: u64, byte: &u8| sum.wrapping_mul(10).wrapping_add(u64::from(byte.wrapping_sub(b'0')));
        word.iter().fold(0, digit)
    });
    let (_, all, files) = (numbers.next()?, numbers.next()?, numbers.next()?);
    Some(Resident { all: all * PAGE_SIZE, files: files * PAGE_SIZE })
}

/// No other system is known to tell it like that.
#[cfg(not(target_os = "linux"))]
pub fn look() -> Option<Resident> {
    None
}

/// Gives back to the system what was freed and lies between pieces in use.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        #[allow(unsafe_code, reason = "a function of the C library that no crate here wraps")]
        unsafe extern "C" {
            fn malloc_trim(keep: usize) -> i32;
        }
        #[allow(unsafe_code, reason = "as above")]
        // SAFETY: a function of the C library that is linked anyway, with the types that its manual gives; it takes
        // its own locks, and nobody holds them here.
        unsafe {
            malloc_trim(0);
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_system_sees_what_is_written() {
        let _alone = crate::allocation::alone();
        open();
        let before = look().unwrap();
        assert!(before.files > 0 && before.all > before.files, "{before:?}");
        let large = std::hint::black_box(vec![1u8; 64 << 20]);
        let now = look().unwrap();
        // The system counts in pieces of a few pages for each processor.
        assert!(now.all >= before.all + (60 << 20), "{before:?} {now:?}");
        drop(large);
    }
}
