use std::io::Write;

use super::WriteError;
use super::reader::Dialect;
use crate::circuit::{Circuit, Node};
use crate::lit::Lit;

const NONE: u32 = u32::MAX;

/// The source of an output bit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The gate that computes it drives the output wire directly.
    Gate,
    /// A copy of another wire.
    Copy(u32),
    /// The complement of another wire.
    Complement(u32),
    Constant(bool),
}

/// Numbers the wires of a circuit: inputs, gates, complements, outputs last.
pub(super) struct Wiring<'a> {
    circuit: &'a Circuit,
    dialect: Dialect,
    /// Wire of each node.
    wire: Vec<u32>,
    /// Wire of each node's complement, if one is needed within the circuit.
    complement: Vec<u32>,
    outputs: Vec<Source>,
    first_output: u32,
    wires: u32,
}

impl<'a> Wiring<'a> {
    pub(super) fn new(circuit: &'a Circuit, dialect: Dialect) -> Result<Self, WriteError> {
        let nodes = circuit.node_count();
        let mut wiring = Wiring {
            circuit,
            dialect,
            wire: vec![NONE; nodes],
            complement: vec![NONE; nodes],
            outputs: Vec::with_capacity(circuit.output_bits()),
            first_output: 0,
            wires: 0,
        };
        wiring.find_outputs();
        wiring.number();
        let constants = wiring.outputs.iter().any(|source| matches!(source, Source::Constant(_)));
        match dialect == Dialect::Bristol && constants && circuit.input_bits() == 0 {
            true => Err(WriteError::Constant),
            false => Ok(wiring),
        }
    }

    /// Lets every gate that is an output drive the wire of the first output that uses it.
    fn find_outputs(&mut self) {
        for (position, lit) in self.circuit.outputs().iter().flatten().enumerate() {
            let node = lit.node();
            let gate = node as usize >= self.circuit.first_gate();
            self.outputs.push(match lit.as_constant() {
                Some(value) => Source::Constant(value),
                None if lit.is_inverted() => Source::Complement(node),
                None if gate && self.wire[node as usize] == NONE => {
                    self.wire[node as usize] = position as u32;
                    Source::Gate
                }
                None => Source::Copy(node),
            });
        }
    }

    fn number(&mut self) {
        let mut next = 0;
        let mut fresh = || {
            next += 1;
            next - 1
        };
        let mut is_output = vec![false; self.circuit.node_count()];
        (0..is_output.len()).for_each(|node| is_output[node] = self.wire[node] != NONE);
        for node in (1..self.wire.len()).filter(|node| !is_output[*node]) {
            self.wire[node] = fresh();
        }
        let complemented = |gate: Node| match gate {
            Node::And(a, b) => [a, b].into_iter().filter(|lit| lit.is_inverted()).collect::<Vec<_>>(),
            _ => Vec::new(),
        };
        for lit in self.circuit.gates().flat_map(|(_, gate)| complemented(gate)) {
            let wire = &mut self.complement[lit.node() as usize];
            if *wire == NONE {
                *wire = fresh();
            }
        }
        if self.dialect == Dialect::Bristol {
            // A copy goes through the complement.
            for source in &self.outputs {
                if let Source::Copy(node) = source
                    && self.complement[*node as usize] == NONE
                {
                    self.complement[*node as usize] = fresh();
                }
            }
            if self.outputs.contains(&Source::Constant(true)) {
                self.wire[0] = fresh();
            }
        }
        self.first_output = next;
        self.wires = next + self.outputs.len() as u32;
        (0..is_output.len()).filter(|node| is_output[*node]).for_each(|node| self.wire[node] += next);
    }

    pub(super) fn wires(&self) -> usize {
        self.wires as usize
    }

    /// The number of gates: one for every wire except the inputs.
    pub(super) fn gates(&self) -> usize {
        self.wires() - self.circuit.input_bits()
    }

    fn read(&self, lit: Lit) -> u32 {
        match lit.is_inverted() {
            true => self.complement[lit.node() as usize],
            false => self.wire[lit.node() as usize],
        }
    }
}

/// Writes all gates in topological order.
pub(super) fn write_gates(wiring: &Wiring<'_>, target: &mut impl Write) -> Result<(), WriteError> {
    let mut target = std::io::BufWriter::new(target);
    for node in 1..wiring.circuit.node_count() as u32 {
        let wire = wiring.wire[node as usize];
        match wiring.circuit.node(node) {
            Node::And(a, b) => writeln!(target, "2 1 {} {} {wire} AND", wiring.read(a), wiring.read(b))?,
            Node::Xor(a, b) => writeln!(target, "2 1 {} {} {wire} XOR", wiring.read(a), wiring.read(b))?,
            Node::Constant | Node::Input => {}
        }
        let complement = wiring.complement[node as usize];
        if complement != NONE {
            writeln!(target, "1 1 {wire} {complement} INV")?;
        }
    }
    if wiring.wire[0] != NONE {
        writeln!(target, "2 1 0 0 {} XOR", wiring.wire[0])?;
    }
    for (out, source) in (wiring.first_output..).zip(&wiring.outputs) {
        write_output(wiring, out, *source, &mut target)?;
    }
    Ok(target.flush()?)
}

fn write_output(
    wiring: &Wiring<'_>,
    out: u32,
    source: Source,
    target: &mut impl Write,
) -> std::io::Result<()> {
    let wire = |node: u32| wiring.wire[node as usize];
    match (source, wiring.dialect) {
        (Source::Gate, _) => Ok(()),
        (Source::Complement(node), _) => writeln!(target, "1 1 {} {out} INV", wire(node)),
        (Source::Copy(node), Dialect::Fashion) => writeln!(target, "1 1 {} {out} EQW", wire(node)),
        (Source::Copy(node), Dialect::Bristol) => {
            writeln!(target, "1 1 {} {out} INV", wiring.complement[node as usize])
        }
        (Source::Constant(bit), Dialect::Fashion) => writeln!(target, "1 1 {} {out} EQ", u8::from(bit)),
        (Source::Constant(false), Dialect::Bristol) => writeln!(target, "2 1 0 0 {out} XOR"),
        (Source::Constant(true), Dialect::Bristol) => writeln!(target, "1 1 {} {out} INV", wire(0)),
    }
}
