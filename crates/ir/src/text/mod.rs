//! The text form: for people to read, and to write in tests.

mod lexer;
mod operation;
mod parser;
mod print;
#[cfg(test)]
mod tests;

use crate::Program;

/// Why a text is not a program, and the position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {reason}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The problem.
    pub reason: String,
}

impl Program {
    /// The text form; [`Program::parse_text`] returns an equal program.
    ///
    /// ```text
    /// tacit 1 "millionaires"
    /// role "A"
    /// role "B"
    /// input "mil" of "A" : u32
    /// input "mil" of "B" : u32
    /// output "richer" to "A", "B" : u1
    ///
    /// main @0 "main" () -> () {
    ///   %0 = input 0.0 : w32x1
    ///   %1 = input 1.0 : w32x1
    ///   %2 = lt_u %0, %1 : w1x1 ; line 7
    ///   output 0.0, %2
    ///   return
    /// }
    /// ```
    ///
    /// Ports are numbered in the order of their declarations, `0.1` is column 1 of port 0; `%3` is a value,
    /// `@3` a template, `w8x4` four words of 8 bits, `f0x4` four elements of field 0, `u8` and `i8` integers
    /// of users, `[4] u8` an array, `{"x": u8}` a struct. `#` begins a comment.
    pub fn to_text(&self) -> String {
        print::program(self)
    }

    /// A valid program from its text form.
    ///
    /// Cost: memory is bounded by a multiple of the length of `text`, whatever its content.
    /// Errors: the first position at which the text is not a program.
    pub fn parse_text(text: &str) -> Result<Self, ParseError> {
        parser::program(text)
    }
}
