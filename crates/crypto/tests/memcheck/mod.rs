//! Tracks secrets with valgrind's memcheck: memory that is marked as undefined, so that each branch and
//! address that depends on it is reported (Langley's *ctgrind*).
//!
//! When run alone, a test that marks secrets only computes; [`clean`] runs it again under valgrind.
#![allow(unsafe_code)]

use std::hint::black_box;
use std::process::{Command, Stdio};

/// Requests to memcheck, as its `memcheck.h` numbers them.
const MAKE_UNDEFINED: u64 = 0x4d43_0001;
const MAKE_DEFINED: u64 = 0x4d43_0002;

/// Asks valgrind for something; does nothing elsewhere.
#[cfg(target_arch = "x86_64")]
fn request(code: u64, start: *const u8, bytes: usize) {
    let arguments = [code, start as u64, bytes as u64, 0, 0, 0];
    // SAFETY: the rotations add up to none, and exchanging a register with itself does nothing; valgrind knows the
    // sequence, reads the six arguments and only changes what it thinks of the memory.
    unsafe {
        core::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            inout("rdx") 0u64 => _,
            in("rax") arguments.as_ptr(),
            options(nostack),
        );
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn request(_: u64, _: *const u8, _: usize) {}

/// From here on, everything that depends on these values is secret.
pub(crate) fn secret<T>(values: &mut [T]) {
    request(MAKE_UNDEFINED, values.as_mut_ptr().cast(), size_of_val(values));
    black_box(values);
}

/// The same for the values that a key holds on the heap and lends out, of which the compiler can have no
/// copy, since nothing has read them yet. Tests of leaks below check that this works.
pub(crate) fn secret_of_key<T>(values: &[T]) {
    let values = black_box(values);
    request(MAKE_UNDEFINED, values.as_ptr().cast(), size_of_val(values));
}

/// These values are public, however they were computed.
pub(crate) fn public<T>(values: &mut [T]) {
    request(MAKE_DEFINED, values.as_mut_ptr().cast(), size_of_val(values));
    black_box(values);
}

/// The end of [`secret_of_key`].
pub(crate) fn public_of_key<T>(values: &[T]) {
    let values = black_box(values);
    request(MAKE_DEFINED, values.as_ptr().cast(), size_of_val(values));
}

/// Whether valgrind reports only permitted bits in a test of this program; none if valgrind is not installed.
pub(crate) fn clean(test: &str) -> Option<bool> {
    let run = Command::new("valgrind")
        .args(["--quiet", "--error-exitcode=99"])
        .arg(concat!("--suppressions=", env!("CARGO_MANIFEST_DIR"), "/tests/told.supp"))
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--include-ignored", "--test-threads=1"])
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let ran = String::from_utf8_lossy(&run.stdout).contains("test result: ok. 1 passed");
    assert!(ran && matches!(run.status.code(), Some(0 | 99)), "{test}: {}", run.status);
    Some(run.status.success())
}
