//! Compiles C, C++ and Rust to programs.
//!
//! [`compile`] has clang or rustc translate the sources to LLVM IR, turns input and output variables into
//! globals, has clang optimise the result, and executes it symbolically: public values are computed at once,
//! and computations that depend on inputs become operations of a [`tacit_ir::Program`].
//!
//! # Programs
//! - Inputs are variables named `INPUT_<role>_<name>`, outputs `OUTPUT_<name>` (for every role) or
//!   `OUTPUT_<role>_<name>`: parameters of the main function, globals, or locals. A main function's return
//!   value is the output `return`, for every role. Roles are those named by inputs and those declared by
//!   `TACIT_ROLE(NAME);`, plus A and B while there are fewer than two. If the name after `OUTPUT_` begins
//!   with a capital letter, it must begin with a role.
//! - The main function is the one asked for, else the only function that uses such variables and that no
//!   other function calls.
//! - Loops and recursion must end for every input without further help, within [`Limits`].
//! - An output local that only some paths write starts as zero, which [`check`] reports; one that no path
//!   writes is an error. Other variables that are read before they are set may hold anything; this is an
//!   error if such a value decides a branch or reaches an output on every path.
//! - Undefined behaviour (an access out of bounds, a null pointer, `abort`) is assumed not to happen on paths
//!   that depend on inputs. [`Compiled::warnings`] lists the locations; if it happens in every run, it is an
//!   error.
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

/// Checks that LLVM IR can be read, for fuzzing.
#[doc(hidden)]
pub fn parse_llvm(text: &str) -> Result<(), CError> {
    compile::link(&[text.to_owned()]).map(drop)
}
