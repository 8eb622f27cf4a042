//! The C library `libtacit_run`; `include/tacit_run.h` documents its functions.
//!
//! Nothing here computes: pointers become references or errors, panics become errors, and the crate `embed`
//! does the rest. Handles are boxes that C owns from the function that makes them to the function that frees
//! them.
#![allow(unsafe_code)]

mod connection;
mod last_error;

pub use connection::*;

use std::ffi::{CStr, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use tacit_embed::{EmbedError, Function};

use last_error::remember;

/// Success.
pub const TACIT_OK: c_int = 0;
/// An argument that is null, not UTF-8, or not JSON.
pub const TACIT_ARGUMENT: c_int = 1;
/// Any other failure.
pub const TACIT_FAILED: c_int = 2;
/// An output that does not fit in the given space.
pub const TACIT_RANGE: c_int = 3;

/// A compiled function.
#[derive(Debug)]
pub struct TacitFunction(Function);

/// Why a call failed.
struct Fault {
    code: c_int,
    message: String,
}

impl Fault {
    fn argument(message: impl Into<String>) -> Fault {
        Fault { code: TACIT_ARGUMENT, message: message.into() }
    }
}

impl From<EmbedError> for Fault {
    fn from(error: EmbedError) -> Fault {
        Fault { code: TACIT_FAILED, message: error.to_string() }
    }
}

/// The result of a call; a panic becomes an error, too, since it must not cross into C.
fn guarded<T>(call: impl FnOnce() -> Result<T, Fault>) -> Result<T, c_int> {
    let panicked =
        |_| Fault { code: TACIT_FAILED, message: "an error inside Tacit; please report it".to_owned() };
    let result = catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|payload| Err(panicked(payload)));
    result.map_err(|fault| {
        remember(fault.message);
        fault.code
    })
}

fn code(call: impl FnOnce() -> Result<(), Fault>) -> c_int {
    guarded(call).map_or_else(|code| code, |()| TACIT_OK)
}

/// A handle for C, or null.
fn handle<T>(call: impl FnOnce() -> Result<T, Fault>) -> *mut T {
    guarded(call).map_or(std::ptr::null_mut(), |value| Box::into_raw(Box::new(value)))
}

/// A text from the caller.
///
/// # Safety
/// `text` is null or a string that ends in NUL and does not change during `'a`.
unsafe fn text<'a>(text: *const c_char, what: &str) -> Result<&'a str, Fault> {
    if text.is_null() {
        return Err(Fault::argument(format!("{what} is NULL")));
    }
    // SAFETY: not null, and the caller says the rest.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|_| Fault::argument(format!("{what} is not UTF-8")))
}

/// The value behind a handle, or another pointer of the caller.
///
/// # Safety
/// `pointer` is null or points to a `T` that nothing writes to during `'a`.
unsafe fn reference<'a, T>(pointer: *const T, what: &str) -> Result<&'a T, Fault> {
    // SAFETY: the caller says it.
    unsafe { pointer.as_ref() }.ok_or_else(|| Fault::argument(format!("{what} is NULL")))
}

/// As [`reference`], but mutable.
///
/// # Safety
/// `pointer` is null or points to a `T` that nothing else uses during `'a`.
unsafe fn reference_mut<'a, T>(pointer: *mut T, what: &str) -> Result<&'a mut T, Fault> {
    // SAFETY: the caller says it.
    unsafe { pointer.as_mut() }.ok_or_else(|| Fault::argument(format!("{what} is NULL")))
}

/// The message of the last failed call of this thread.
#[unsafe(no_mangle)]
pub extern "C" fn tacit_error_message() -> *const c_char {
    last_error::message()
}

/// Loads a function from a file.
///
/// # Safety
/// `path` is null or a string that ends in NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tacit_function_load(path: *const c_char) -> *mut TacitFunction {
    handle(|| {
        // SAFETY: as this function asks for.
        let path = unsafe { text(path, "the path") }?;
        Ok(TacitFunction(Function::load(Path::new(path))?))
    })
}

/// Frees a function.
///
/// # Safety
/// `function` is null or was returned by [`tacit_function_load`] and is not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tacit_function_free(function: *mut TacitFunction) {
    if !function.is_null() {
        // SAFETY: it was made by `Box::into_raw`, once, and is given up here.
        drop(unsafe { Box::from_raw(function) });
    }
}
