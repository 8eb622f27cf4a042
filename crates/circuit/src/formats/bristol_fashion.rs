//! Bristol Fashion: any number of inputs and outputs, gates AND, XOR, INV, EQ, EQW and MAND.
//!
//! The second line holds the number of inputs and the bits of each, the third the same for outputs. Input wires come
//! first, output wires last; wire 0 of a value is its least significant bit.

use std::io::Write;

use super::reader::{Dialect, Lines, read_gates};
use super::writer::{Wiring, write_gates};
use super::{FormatError, WriteError};
use crate::circuit::Circuit;

/// Reads a file of at most `max_wires` wires.
///
/// Errors: [`FormatError`] with the line.
pub fn read(text: &str, max_wires: usize) -> Result<Circuit, FormatError> {
    let mut lines = Lines::new(text);
    let [gates, wires] = lines.numbers_exactly("the numbers of gates and wires")?;
    let inputs = lines.counted("the inputs")?;
    let outputs = lines.counted("the outputs")?;
    read_gates(lines, Dialect::Fashion, (gates, wires), inputs, outputs, max_wires)
}

/// Writes a circuit; returns the number of wires, the last of which are the outputs.
///
/// Errors: [`WriteError::Io`].
pub fn write(circuit: &Circuit, target: &mut impl Write) -> Result<usize, WriteError> {
    let wiring = Wiring::new(circuit, Dialect::Fashion)?;
    writeln!(target, "{} {}", wiring.gates(), wiring.wires())?;
    write_widths(target, circuit.inputs().iter().map(|width| *width as usize))?;
    write_widths(target, circuit.outputs().iter().map(Vec::len))?;
    writeln!(target)?;
    write_gates(&wiring, target)?;
    Ok(wiring.wires())
}

fn write_widths(
    target: &mut impl Write,
    widths: impl ExactSizeIterator<Item = usize>,
) -> std::io::Result<()> {
    write!(target, "{}", widths.len())?;
    widths.into_iter().try_for_each(|width| write!(target, " {width}"))?;
    writeln!(target)
}
