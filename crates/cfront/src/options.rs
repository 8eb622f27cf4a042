//! How sources are compiled.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::str::FromStr;

use crate::IntWidth;
use crate::compiler::Compiler;

/// How to compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The C compiler.
    pub compiler: Compiler,
    /// The main function; found by itself where there is only one candidate.
    pub function: Option<String>,
    /// Further arguments for the C compiler, such as `-DNAME` or `-std=c17`.
    pub flags: Vec<OsString>,
    /// What clang does before execution.
    pub optimisation: Optimisation,
    /// Bounds on the program.
    pub limits: Limits,
    /// How often loops and recursion that inputs decide go round. Runs that would go on are taken not to happen;
    /// [`crate::check`] makes that a condition. Without a bound it is an error where execution finds none.
    pub unwind: Unwind,
    /// Bits of `int` in C.
    pub int_width: IntWidth,
}

/// What clang does before execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Optimisation {
    /// Nothing.
    None,
    /// Its first level.
    One,
    /// Its second level, without vectors.
    Two,
    /// All are tried, and the program that promises the smallest circuit is taken; of equals the first.
    #[default]
    Smallest,
}

/// Bounds on a program, so that one without end is an error. They count work, never time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Iterations of one loop whose end is public.
    pub iterations: u64,
    /// Iterations of one loop whose end depends on inputs.
    pub secret_iterations: u64,
    /// Calls within calls.
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
    /// The usual way with this compiler.
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

/// How often loops whose end depends on inputs go round, and functions call themselves.
///
/// Written `4,f.0=10,g=3`: at most 4 iterations of any loop and 4 nested calls of any function, but 10 of the first
/// loop of `f`, and 3 calls of `g` within calls of `g`. Loops of a function are counted from 0 in the order in which
/// they are entered. Loops and recursion that end by what is public need no bound and are not cut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unwind {
    /// Where nothing else is said.
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
        let number = |text: &str| text.trim().parse().map_err(|_| format!("`{text}` is no number"));
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
