//! The compact form of a circuit: a few bytes for each gate, written and read as a stream.
//!
//! The project's `docs/program.md` defines the form. Numbers are LEB128; operands are given as distances
//! back, so most take one or two bytes.

mod number;
#[cfg(test)]
mod tests;

use std::io::{self, Read, Write};

use crate::builder::CircuitBuilder;
use crate::circuit::{Circuit, CircuitError, Node};
use crate::lit::Lit;
use number::{Source, put, put_signed};

/// The first bytes of every netlist.
pub const MAGIC: &[u8; 6] = b"TACITN";
/// The version of the form.
const VERSION: u16 = 1;
/// The most input bits: an upper limit, since a few bytes can announce any number.
const MAX_INPUT_BITS: u64 = 1 << 24;
/// The most bytes that describe the roles of inputs and outputs.
const MAX_INTERFACE_BYTES: u64 = 1 << 26;

/// Why bytes are not a netlist, or a circuit cannot become one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetlistError {
    /// They are not a netlist.
    #[error("this is not a netlist")]
    Magic,
    /// They were written by another version.
    #[error("the netlist has format {found}; this version reads format {VERSION}")]
    Version {
        /// The announced format.
        found: u16,
    },
    /// They end too early.
    #[error("the netlist ends where {0} should follow")]
    Ends(&'static str),
    /// A number that does not fit in 64 bits.
    #[error("{0} is not a number of at most 64 bits")]
    Number(&'static str),
    /// A number exceeds a limit.
    #[error("{found} {what} are more than the limit of {limit}")]
    TooLarge {
        /// What is counted.
        what: &'static str,
        /// The number found or announced.
        found: u64,
        /// The limit.
        limit: u64,
    },
    /// An operand of a gate that does not come before it.
    #[error("gate {gate} reads an operand that is not before it")]
    Operand {
        /// The gate, from 0.
        gate: u64,
    },
    /// An output that no gate or input computes.
    #[error("bit {bit} of output {group} is not in the circuit")]
    Output {
        /// The group of outputs.
        group: u64,
        /// The bit.
        bit: u64,
    },
    /// Something after the end.
    #[error("the netlist continues after its end")]
    Trailing,
    /// A failure to read or write.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Writes a circuit, preceded by `interface`, which describes in the caller's own form who gives and receives
/// what.
///
/// # Errors
/// [`NetlistError::TooLarge`] if there are more inputs, or a longer interface, than a reader accepts, and
/// [`NetlistError::Io`].
pub fn write(circuit: &Circuit, interface: &[u8], target: &mut impl Write) -> Result<(), NetlistError> {
    within("input bits", circuit.input_bits() as u64, MAX_INPUT_BITS)?;
    within("bytes of the interface", interface.len() as u64, MAX_INTERFACE_BYTES)?;
    let mut target = io::BufWriter::new(target);
    target.write_all(MAGIC)?;
    target.write_all(&VERSION.to_le_bytes())?;
    put(&mut target, interface.len() as u64)?;
    target.write_all(interface)?;
    put(&mut target, circuit.inputs().len() as u64)?;
    circuit.inputs().iter().try_for_each(|width| put(&mut target, u64::from(*width)))?;
    put(&mut target, (circuit.node_count() - circuit.first_gate()) as u64)?;
    for (node, gate) in circuit.gates() {
        let (kind, low, high) = match gate {
            Node::And(a, b) => (u64::from(a.is_inverted()) << 2 | u64::from(b.is_inverted()) << 1 | 1, a, b),
            Node::Xor(a, b) => (0, b, a),
            Node::Constant | Node::Input => continue,
        };
        let bits = if kind == 0 { 1 } else { 3 };
        put(&mut target, u64::from(node - high.node() - 1) << bits | kind)?;
        put(&mut target, u64::from(high.node() - low.node() - 1))?;
    }
    put(&mut target, circuit.outputs().len() as u64)?;
    let mut last = 0;
    for group in circuit.outputs() {
        put(&mut target, group.len() as u64)?;
        for lit in group {
            put_signed(&mut target, i64::from(lit.node()) - last, lit.is_inverted())?;
            last = i64::from(lit.node());
        }
    }
    Ok(target.flush()?)
}

/// Reads a circuit of at most `max_nodes` inputs and gates, and the interface before it. Reading merges equal
/// gates and folds constants.
///
/// Cost: memory is bounded by a multiple of the bytes read, except for the inputs, of which there are at most
/// 2^24.
///
/// # Errors
/// [`NetlistError`] for anything other than one complete netlist.
pub fn read(source: impl Read, max_nodes: usize) -> Result<(Circuit, Vec<u8>), NetlistError> {
    let mut source = Source::new(source);
    if source.bytes("the magic").map_err(|error| if_short(error, NetlistError::Magic))? != *MAGIC {
        return Err(NetlistError::Magic);
    }
    match u16::from_le_bytes(source.bytes("the version")?) {
        VERSION => {}
        found => return Err(NetlistError::Version { found }),
    }
    let length = source.number("the length of the interface")?;
    within("bytes of the interface", length, MAX_INTERFACE_BYTES)?;
    let interface = source.block(length, "the interface")?;
    let mut reading =
        Reading { source, limit: max_nodes as u64, builder: CircuitBuilder::new(), lits: vec![Lit::FALSE] };
    reading.inputs()?;
    reading.gates()?;
    let outputs = reading.outputs()?;
    reading.source.end()?;
    let limit = CircuitBuilder::MAX_NODES as u64;
    let too_large = |_: CircuitError| NetlistError::TooLarge { what: "gates", found: limit + 1, limit };
    Ok((reading.builder.finish(outputs).map_err(too_large)?, interface))
}

/// An empty source is not a netlist either.
fn if_short(error: NetlistError, instead: NetlistError) -> NetlistError {
    if matches!(error, NetlistError::Ends(_)) { instead } else { error }
}

fn within(what: &'static str, found: u64, limit: u64) -> Result<(), NetlistError> {
    if found <= limit { Ok(()) } else { Err(NetlistError::TooLarge { what, found, limit }) }
}

/// A circuit being read.
struct Reading<R> {
    source: Source<R>,
    limit: u64,
    builder: CircuitBuilder,
    /// The literal of each node of the netlist.
    lits: Vec<Lit>,
}

impl<R: Read> Reading<R> {
    fn inputs(&mut self) -> Result<(), NetlistError> {
        let groups = self.source.number("the number of inputs")?;
        let mut total = 0u64;
        for _ in 0..groups {
            let width = self.source.number("the width of an input")?;
            total = total.saturating_add(width);
            within("input bits", total, MAX_INPUT_BITS.min(self.limit))?;
            self.lits.extend(self.builder.input(width as u32));
        }
        Ok(())
    }

    fn gates(&mut self) -> Result<(), NetlistError> {
        let gates = self.source.number("the number of gates")?;
        within("inputs and gates", gates.saturating_add(self.lits.len() as u64 - 1), self.limit)?;
        for gate in 0..gates {
            let first = self.source.number("a gate")?;
            let second = self.source.number("a gate")?;
            let (back, invert_low, invert_high) = match first & 1 {
                1 => (first >> 3, first & 4 != 0, first & 2 != 0),
                _ => (first >> 1, false, false),
            };
            let high = (self.lits.len() as u64).checked_sub(back.saturating_add(1));
            let low = high.and_then(|high| high.checked_sub(second.saturating_add(1)));
            let (Some(high), Some(low)) = (high, low) else { return Err(NetlistError::Operand { gate }) };
            let (low, high) =
                (self.lits[low as usize].flip(invert_low), self.lits[high as usize].flip(invert_high));
            let lit = if first & 1 == 1 { self.builder.and(low, high) } else { self.builder.xor(low, high) };
            self.lits.push(lit);
        }
        Ok(())
    }

    fn outputs(&mut self) -> Result<Vec<Vec<Lit>>, NetlistError> {
        let count = self.source.number("the number of outputs")?;
        let (mut groups, mut last) = (Vec::new(), 0i64);
        for group in 0..count {
            let width = self.source.number("the width of an output")?;
            let mut lits = Vec::new();
            for bit in 0..width {
                let (difference, inverted) = self.source.signed("an output")?;
                let node = last.checked_add(difference).and_then(|node| usize::try_from(node).ok());
                let lit =
                    node.and_then(|node| self.lits.get(node)).ok_or(NetlistError::Output { group, bit })?;
                lits.push(lit.flip(inverted));
                last += difference;
            }
            groups.push(lits);
        }
        Ok(groups)
    }
}
