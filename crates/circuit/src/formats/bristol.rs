//! Bristol format: two inputs, one output, gates AND, XOR and INV.
//!
//! The second line holds the bits of the two inputs and of the output; an input of zero bits is absent. Input
//! wires come first, output wires last.

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
    let [first, second, output] = lines.numbers_exactly("the bits of inputs and output")?;
    let inputs = [first, second].into_iter().filter(|bits| *bits > 0).collect();
    read_gates(lines, Dialect::Bristol, (gates, wires), inputs, vec![output], max_wires)
}

/// Writes a circuit of at most two inputs and one output; returns the number of wires, the last of which are
/// the output.
///
/// Errors: [`WriteError`].
pub fn write(circuit: &Circuit, target: &mut impl Write) -> Result<usize, WriteError> {
    let (inputs, outputs) = (circuit.inputs().len(), circuit.outputs().len());
    if inputs > 2 || outputs != 1 {
        return Err(WriteError::Groups { inputs, outputs });
    }
    let wiring = Wiring::new(circuit, Dialect::Bristol)?;
    writeln!(target, "{} {}", wiring.gates(), wiring.wires())?;
    let width = |group: usize| circuit.inputs().get(group).copied().unwrap_or(0);
    writeln!(target, "{} {} {}\n", width(0), width(1), circuit.output_bits())?;
    write_gates(&wiring, target)?;
    Ok(wiring.wires())
}
