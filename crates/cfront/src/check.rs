//! Proof obligations: a program whose outputs tell what goes wrong in a run of another.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use tacit_ir::Program;

use crate::clang::{Purpose, Workspace};
use crate::compile::{in_thread, link, version};
use crate::emit::emit_checks;
use crate::exec::execute_checks;
use crate::ports::{self, Place, Port};
use crate::rewrite::expose_ports;
use crate::runtime;
use crate::{CError, Location, Options};

/// What can go wrong in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PropertyKind {
    /// The result of signed arithmetic does not fit its type.
    SignedOverflow,
    /// A division or remainder by zero.
    DivisionByZero,
    /// The least signed number divided by -1, or its remainder.
    DivisionOverflow,
    /// A shift by a negative amount or by the width or more, or of bits into or beyond the sign.
    Shift,
    /// An access beyond the bounds of an object, or an index beyond those of an array.
    Bounds,
    /// An access through the null pointer, or through one that points at nothing.
    Null,
    /// An access to an object after its end, or freeing what is not allocated.
    Lifetime,
    /// A string literal or a `const` object is changed.
    Constant,
    /// Addresses in different objects are subtracted, or compared by other than equality.
    Unrelated,
    /// `memcpy` between stretches that overlap.
    Overlap,
    /// A value that was never set decides a branch, an address, a result of arithmetic or an output.
    Uninitialised,
    /// A floating-point number that the integer type cannot hold is converted to it.
    FloatConversion,
    /// A function is called in a way that its definition leaves undefined, such as counting the zeros of zero.
    Argument,
    /// An array whose length is not positive.
    ArrayLength,
    /// A call through a pointer to no function, or with other parameters or another result than the function has.
    Call,
    /// A point marked as unreachable, or the end of a function that must return a value.
    Unreachable,
    /// `assert`.
    Assertion,
    /// `abort`.
    Abort,
    /// A loop or recursion goes on beyond its bound.
    Unwinding,
}

impl fmt::Display for PropertyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PropertyKind::SignedOverflow => "signed overflow",
            PropertyKind::DivisionByZero => "division by zero",
            PropertyKind::DivisionOverflow => "division overflow",
            PropertyKind::Shift => "bad shift",
            PropertyKind::Bounds => "out of bounds",
            PropertyKind::Null => "null access",
            PropertyKind::Lifetime => "use after end",
            PropertyKind::Constant => "constant changed",
            PropertyKind::Unrelated => "unrelated addresses",
            PropertyKind::Overlap => "overlapping copy",
            PropertyKind::Uninitialised => "uninitialised read",
            PropertyKind::FloatConversion => "float conversion",
            PropertyKind::Argument => "invalid argument",
            PropertyKind::ArrayLength => "array length",
            PropertyKind::Call => "bad call",
            PropertyKind::Unreachable => "unreachable",
            PropertyKind::Assertion => "assertion",
            PropertyKind::Abort => "abort",
            PropertyKind::Unwinding => "unwinding",
        })
    }
}

/// Something that no run may do.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Property {
    /// What kind of thing.
    pub kind: PropertyKind,
    /// Where.
    pub location: Location,
    /// The function that it stands in.
    pub function: String,
    /// What exactly, for people.
    pub description: String,
}

/// A program that tells whether a run of the C program does what it may not.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Its inputs are those of the C program. Its only output, `violated`, is for every role: an array of one bit for
    /// each of `properties`, in their order. Where there are no properties it is one bit that is never set.
    ///
    /// A run ends with what it violates first, so at most one bit is set; none is where an assumption does not hold.
    pub program: Program,
    /// What may not happen, in the order in which execution meets it.
    pub properties: Vec<Property>,
    /// The C variables of the program's inputs, in their order.
    pub inputs: Vec<InputVariable>,
    /// What the C compiler says it is.
    pub compiler_version: String,
}

/// The C variable of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputVariable {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub place: InputPlace,
    /// Where it is declared.
    pub location: Location,
    /// How C names its type, where it has a name.
    pub type_name: Option<String>,
}

/// Where an input variable stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputPlace {
    /// Outside of functions.
    Global,
    /// In a function.
    Local,
    /// This parameter of the main function, counted from 0.
    Parameter(u32),
}

impl InputVariable {
    fn of(port: &Port) -> Self {
        let place = match port.place {
            Place::Global => InputPlace::Global,
            Place::Local { .. } => InputPlace::Local,
            Place::Parameter { position, .. } => InputPlace::Parameter(position.saturating_sub(1)),
        };
        InputVariable {
            name: port.variable.clone(),
            place,
            location: port.location.clone(),
            type_name: port.type_name.clone(),
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

/// Builds the program that tells what goes wrong.
///
/// The C is compiled without optimisation and without wrapping arithmetic, with clang's checks for undefined
/// behaviour as traps; execution adds what clang does not check: accesses to memory, values that were never set,
/// divisions by zero, `assert`, `abort` and the bounds of [`Options::unwind`].
///
/// # Errors
/// See [`CError`]; undefined behaviour is none.
pub fn check(sources: &[&Path], options: &Options) -> Result<Checked, CError> {
    let compiler_version = version(sources, options)?;
    let workspace = Workspace::new()?;
    let translate = |source: &&Path| workspace.translate(options, source, Purpose::Check);
    let mut units = sources.iter().map(translate).collect::<Result<Vec<_>, _>>()?;
    units.extend(runtime::unit(&link(&units)?, &workspace, options, Purpose::Check)?);
    let (program, properties, inputs) = in_thread(|| {
        let interface = ports::find(&link(&units)?, options.function.as_deref(), &BTreeSet::new())?;
        let exposed: Vec<String> = units.iter().map(|unit| expose_ports(unit, &interface)).collect();
        let checks = execute_checks(&link(&exposed)?, &interface, options)?;
        let inputs = interface.inputs.iter().map(InputVariable::of).collect();
        Ok((emit_checks(&interface, &checks)?, checks.properties, inputs))
    })?;
    Ok(Checked { program, properties, inputs, compiler_version })
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
