//! How sources are compiled.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::str::FromStr;

use crate::IntWidth;
use crate::compiler::Compiler;

/// Options of compilation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The C compiler.
    pub compiler: Compiler,
    /// The main function; chosen automatically if there is only one candidate.
    pub function: Option<String>,
    /// Further arguments for the C compiler, such as `-DNAME` or `-std=c17`.
    pub flags: Vec<OsString>,
    /// The optimisation by clang before execution.
    pub optimisation: Optimisation,
    /// Bounds on the program.
    pub limits: Limits,
    /// Maximum iterations of loops, and depth of recursion, whose bounds depend on inputs. Runs beyond them
    /// are assumed not to happen; [`crate::check`] makes this a property. Without a bound, it is an error if
    /// execution finds none.
    pub unwind: Unwind,
    /// Bits of `int` in C.
    pub int_width: IntWidth,
}

/// The optimisation by clang before execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Optimisation {
    /// Nothing.
    None,
    /// Its first level.
    One,
    /// Its second level, without vectors.
    Two,
    /// All levels are tried, and the program with the smallest estimated circuit is taken; among equals the
    /// first.
    #[default]
    Smallest,
}

/// Bounds on a program, so that an endless program is an error. They count work, never time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Iterations of one loop whose end is public.
    pub iterations: u64,
    /// Iterations of one loop whose end depends on inputs.
    pub secret_iterations: u64,
    /// Depth of nested calls.
    pub recursion: u32,
    /// Operations of the program before those without use are dropped.
    pub operations: u64,
    /// Bytes of one variable.
    pub object_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            iterations: 1 << 24,
            secret_iterations: 4096,
            recursion: 1000,
            operations: 4_000_000,
            object_bytes: 1 << 26,
        }
    }
}

impl Options {
    /// The default options with this compiler.
    pub fn new(compiler: Compiler) -> Self {
        Options {
            compiler,
            function: None,
            flags: Vec::new(),
            optimisation: Optimisation::default(),
            limits: Limits::default(),
            unwind: Unwind::default(),
            int_width: IntWidth::default(),
        }
    }
}

/// Maximum iterations of loops, and depth of recursion, whose bounds depend on inputs.
///
/// Written `4,f.0=10,g=3`: at most 4 iterations of any loop and 4 nested calls of any function, but 10
/// iterations of the first loop of `f`, and 3 calls of `g` within calls of `g`. Loops of a function are
/// counted from 0 in the order in which they are entered. Loops and recursion whose end is public need no
/// bound and are not cut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unwind {
    /// The bound for loops and functions without their own.
    pub any: Option<u64>,
    /// By the loop's name, `function.number`, or the function's name.
    pub named: BTreeMap<String, u64>,
}

impl Unwind {
    /// The bound of a loop or function.
    pub fn of(&self, name: &str) -> Option<u64> {
        self.named.get(name).copied().or(self.any)
    }
}

impl FromStr for Unwind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut unwind = Unwind::default();
        let number = |text: &str| text.trim().parse().map_err(|_| format!("`{text}` is not a number"));
        for part in text.split(',') {
            match part.split_once('=') {
                Some((name, bound)) => drop(unwind.named.insert(name.trim().into(), number(bound)?)),
                None => unwind.any = Some(number(part)?),
            }
        }
        Ok(unwind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_read() {
        let unwind: Unwind = "4,f.0=10, g=3".parse().expect("bounds");
        assert_eq!((unwind.of("f.0"), unwind.of("f.1"), unwind.of("g")), (Some(10), Some(4), Some(3)));
        assert!("f=x".parse::<Unwind>().is_err());
    }
}
