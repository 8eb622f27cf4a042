//! C, C++ and Rust to programs.
//!
//! [`compile`] has clang, or rustc, translate the sources to LLVM IR, makes globals of the input and output variables, has clang
//! optimise the result, and executes it symbolically: what is public is computed at once, what depends on inputs
//! becomes operations of a [`tacit_ir::Program`].
//!
//! # Programs
//! - Inputs are variables named `INPUT_<role>_<name>`, outputs `OUTPUT_<name>` (for every role) or
//!   `OUTPUT_<role>_<name>`: parameters of the main function, globals, or locals. A main function's return value is the
//!   output `return`, for every role. Roles are those that inputs name and those that `TACIT_ROLE(NAME);` declares, and A
//!   and B as long as there are fewer than two. What follows `OUTPUT_` and begins with a capital letter must be a role.
//! - The main function is the one asked for, else the only one with such variables that no other function calls.
//! - Loops and recursion must end by themselves for every input, within [`Limits`].
//! - An output local starts as zero where only some paths write it, which [`check`] finds; one that no path writes is an
//!   error. Other
//!   variables that are read before they are set may hold anything; where that decides a branch or reaches an output on
//!   every path it is an error.
//! - Undefined behaviour is taken not to happen on paths that depend on inputs: an access out of bounds, a null
//!   pointer, `abort`. [`Compiled::warnings`] tells where; where every run meets it, it is an error.
//!
//! ```no_run
//! use tacit_cfront::{Compiler, Options, compile};
//!
//! let options = Options::new(Compiler::new("clang"));
//! let compiled = compile(&["millionaires.c".as_ref()], &options)?;
//! println!("{}", compiled.program.name);
//! # Ok::<(), tacit_cfront::CError>(())
//! ```

mod check;
mod clang;
mod compile;
mod compiler;
mod debug;
mod emit;
mod entry;
mod error;
mod estimate;
mod exec;
mod float;
mod graph;
mod int;
mod int_width;
mod language;
mod llvm;
mod native;
mod operation;
mod options;
mod ports;
mod property;
mod rewrite;
mod runtime;
mod rust;
mod secrets;
mod workspace;

pub use check::{Checked, InputPlace, InputVariable, check};

pub use compile::{Compiled, Translation, compile};
pub use compiler::Compiler;
pub use error::{CError, Location};
pub use float::Format as FloatFormat;
pub use int_width::IntWidth;
pub use language::Language;
pub use native::{Native, NativeRun};
pub use operation::{FixedFormat, FloatOperation};
pub use options::{Limits, Optimisation, Options, Unwind};
pub use property::{Property, PropertyKind, Warning};

/// Whether LLVM IR can be read, for fuzzing.
#[doc(hidden)]
pub fn parse_llvm(text: &str) -> Result<(), CError> {
    compile::link(&[text.to_owned()]).map(drop)
}
