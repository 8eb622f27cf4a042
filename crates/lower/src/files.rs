//! Circuits as programs, and programs as circuits.

use tacit_circuit::{Circuit, CircuitBuilder, Lit, Node};
use tacit_ir::{BuildError, Builder, Netlist, NetlistGate, PortId, Program, Shape, ValueType};

use crate::cost;
use crate::error::LowerError;
use crate::inline::Context;
use crate::wires::Wires;

/// A circuit as a program between two roles: input group `i` is the input `in<i>` of role A where `i` is even and of
/// B where it is odd; output group `i` is the output `out<i>` of both. All are unsigned integers of their group's
/// width. Groups without bits are left out.
///
/// Errors: [`BuildError`] where a group or the circuit is beyond the bounds of programs.
pub fn program_from_circuit(circuit: &Circuit, name: &str) -> Result<Program, BuildError> {
    let mut builder = Builder::new(name);
    let roles = [builder.role("A"), builder.role("B")];
    let integer = |bits: u32| Shape::Integer { bits, signed: false };
    let mut ports = Vec::new();
    let mut types = Vec::new();
    for (group, width) in circuit.inputs().iter().enumerate().filter(|(_, width)| **width > 0) {
        ports.push(builder.input(&format!("in{group}"), roles[group % 2], integer(*width))?);
        types.push(ValueType::word(*width, 1));
    }
    let groups = circuit.outputs().iter().enumerate().filter(|(_, group)| !group.is_empty());
    let mut outputs: Vec<PortId> = Vec::new();
    let mut results = Vec::new();
    for (group, lits) in groups {
        let width = lits.len() as u32;
        outputs.push(builder.output(&format!("out{group}"), roles.to_vec(), integer(width))?);
        results.push(ValueType::word(width, 1));
    }
    let template = builder.add_netlist("circuit", types, results, netlist(circuit))?;
    let mut main = builder.template("main", Vec::new());
    let mut arguments = Vec::new();
    for port in ports {
        arguments.extend(main.input(&builder, port)?);
    }
    let values = main.call(&builder, template, &arguments)?;
    for (port, value) in outputs.into_iter().zip(values) {
        main.output(&builder, port, &[value])?;
    }
    builder.finish(main)
}

/// The gates of a circuit, complements written out once each.
fn netlist(circuit: &Circuit) -> Netlist {
    let inputs = circuit.input_bits() as u32;
    let mut wires = Wired {
        gates: Vec::new(),
        inputs,
        wire: (0..=inputs).map(|node| node.wrapping_sub(1)).collect(),
        complement: Vec::new(),
    };
    wires.wire.resize(circuit.node_count(), NONE);
    wires.complement.resize(circuit.node_count(), NONE);
    wires.wire[0] = NONE;
    for (node, gate) in circuit.gates() {
        let gate = match gate {
            Node::And(a, b) => NetlistGate::And(wires.read(a), wires.read(b)),
            Node::Xor(a, b) => NetlistGate::Xor(wires.read(a), wires.read(b)),
            Node::Constant | Node::Input => continue,
        };
        wires.wire[node as usize] = wires.push(gate);
    }
    let mut read = |group: &Vec<Lit>| group.iter().map(|lit| wires.read(*lit)).collect();
    let outputs = circuit.outputs().iter().filter(|group| !group.is_empty()).map(&mut read).collect();
    Netlist { gates: wires.gates, outputs }
}

const NONE: u32 = u32::MAX;

struct Wired {
    gates: Vec<NetlistGate>,
    inputs: u32,
    /// Wire of each node and of its complement.
    wire: Vec<u32>,
    complement: Vec<u32>,
}

impl Wired {
    fn push(&mut self, gate: NetlistGate) -> u32 {
        self.gates.push(gate);
        self.inputs + self.gates.len() as u32 - 1
    }

    fn read(&mut self, lit: Lit) -> u32 {
        let node = lit.node() as usize;
        if let Some(bit) = lit.as_constant() {
            let place = if bit { &self.complement } else { &self.wire };
            if place[0] == NONE {
                let wire = self.push(NetlistGate::Constant(bit));
                if bit { self.complement[0] = wire } else { self.wire[0] = wire }
            }
        } else if lit.is_inverted() && self.complement[node] == NONE {
            self.complement[node] = self.push(NetlistGate::Not(self.wire[node]));
        }
        if lit.is_inverted() { self.complement[node] } else { self.wire[node] }
    }
}

/// A whole program as one circuit of at most `limit` nodes. Each input and output port is a group: its columns one
/// after the other, each lane by lane, least significant bit first.
///
/// Errors: [`LowerError`]; what is random has no circuit.
pub fn flatten(program: &Program, limit: usize) -> Result<Circuit, LowerError> {
    let types = program.all_value_types()?;
    let profiles = cost::profiles(program, &types);
    let context = Context { program, types: &types, profiles: &profiles, limit };
    let mut builder = CircuitBuilder::with_limit(limit);
    let mut inputs = Vec::with_capacity(program.inputs.len());
    for port in &program.inputs {
        inputs.push(input(context, &mut builder, &port.shape)?);
    }
    let outputs = context.main(&mut builder, &inputs)?;
    let groups = outputs.into_iter().map(|columns| columns.into_iter().flat_map(Wires::into_lits).collect());
    let groups = groups.collect();
    builder.finish(groups).map_err(|_| main_too_large(context))
}

fn main_too_large(context: Context<'_>) -> LowerError {
    let main = &context.program.templates[context.program.main.index()];
    LowerError::TooLarge { template: main.name.clone(), line: 0, operation: "input", limit: context.limit }
}

/// The columns of an input port, which are one group.
fn input(
    context: Context<'_>,
    builder: &mut CircuitBuilder,
    shape: &Shape,
) -> Result<Vec<Wires>, LowerError> {
    let columns = shape.columns();
    let size = |lanes: u64, bits: u32| lanes.saturating_mul(bits.into());
    let total = columns.iter().fold(0u64, |sum, column| sum.saturating_add(size(column.lanes, column.bits)));
    if total > context.limit as u64 {
        return Err(main_too_large(context));
    }
    let mut lits = builder.input(total as u32).into_iter();
    if builder.is_full() {
        return Err(main_too_large(context));
    }
    let column = |column: &tacit_ir::Column| {
        Wires::new(
            column.bits as usize,
            lits.by_ref().take(size(column.lanes, column.bits) as usize).collect(),
        )
    };
    Ok(columns.iter().map(column).collect())
}
