//! Circuits as programs, and programs as circuits.

use tacit_circuit::formats::{PlayersCircuit, Port};
use tacit_circuit::{Circuit, CircuitBuilder, Lit, Node, Objective};
use tacit_ir::{BuildError, Builder, Netlist, NetlistGate, PortId, Program, RoleId, Shape, ValueType};

use crate::cost;
use crate::error::LowerError;
use crate::inline::Context;
use crate::tiles::NO_PARTS;
use crate::wires::Wires;

/// A circuit as a program between two roles: input group `i` is the input `in<i>`, of role A for even `i` and
/// of B for odd `i`; output group `i` is the output `out<i>` of both. All are unsigned integers of their
/// group's width. Groups without bits are left out.
///
/// Errors: [`BuildError`] if a group or the circuit exceeds the bounds of programs.
pub fn program_from_circuit(circuit: &Circuit, name: &str) -> Result<Program, BuildError> {
    let mut builder = Builder::new(name);
    let roles = [builder.role("A"), builder.role("B")];
    let inputs = (0..circuit.inputs().len()).map(|group| (roles[group % 2], format!("in{group}")));
    let inputs: Vec<_> = inputs.collect();
    let outputs: Vec<_> =
        (0..circuit.outputs().len()).map(|group| (roles.to_vec(), format!("out{group}"))).collect();
    program_of(builder, circuit, &inputs, &outputs)
}

/// A circuit of players as a program between roles of the same names, which give its inputs and receive its
/// outputs under the names in its file. All are unsigned integers of their group's width.
///
/// Errors: [`BuildError`] if a group or the circuit exceeds the bounds of programs.
pub fn program_from_players(file: &PlayersCircuit, name: &str) -> Result<Program, BuildError> {
    let mut builder = Builder::new(name);
    let mut port = |port: &Port| (builder.role(&port.player), port.name.clone());
    let inputs: Vec<_> = file.inputs.iter().map(&mut port).collect();
    let outputs =
        file.outputs.iter().map(&mut port).map(|(role, name)| (vec![role], name)).collect::<Vec<_>>();
    program_of(builder, &file.circuit, &inputs, &outputs)
}

/// A circuit as a program, its groups of inputs and outputs with their roles and names.
fn program_of(
    builder: Builder,
    circuit: &Circuit,
    inputs: &[(RoleId, String)],
    outputs: &[(Vec<RoleId>, String)],
) -> Result<Program, BuildError> {
    let integer = |bits: u32| Shape::Integer { bits, signed: false };
    let inputs = inputs.iter().zip(circuit.inputs()).filter(|(_, width)| **width > 0);
    let inputs = inputs.map(|((role, name), width)| (*role, name.as_str(), integer(*width)));
    let outputs = outputs.iter().zip(circuit.outputs()).filter(|(_, lits)| !lits.is_empty());
    let outputs =
        outputs.map(|((roles, name), lits)| (roles.clone(), name.as_str(), integer(lits.len() as u32)));
    program_of_shapes(builder, circuit, inputs, outputs)
}

/// A circuit as a program with these shapes for its groups of inputs and outputs, except groups without bits.
pub(crate) fn program_of_shapes<'a>(
    mut builder: Builder,
    circuit: &Circuit,
    inputs: impl Iterator<Item = (RoleId, &'a str, Shape)>,
    outputs: impl Iterator<Item = (Vec<RoleId>, &'a str, Shape)>,
) -> Result<Program, BuildError> {
    let types_of =
        |shape: &Shape| shape.columns().into_iter().map(tacit_ir::Column::value_type).collect::<Vec<_>>();
    let mut ports = Vec::new();
    let mut types = Vec::new();
    for (role, name, shape) in inputs {
        types.extend(types_of(&shape));
        ports.push(builder.input(name, role, shape)?);
    }
    let mut received: Vec<(PortId, usize)> = Vec::new();
    let mut results = Vec::new();
    for (roles, name, shape) in outputs {
        let columns = types_of(&shape);
        received.push((builder.output(name, roles, shape)?, columns.len()));
        results.extend(columns);
    }
    let netlist = netlist(circuit, &results);
    let template = builder.add_netlist("circuit", types, results, netlist)?;
    let mut main = builder.template("main", Vec::new());
    let mut arguments = Vec::new();
    for port in ports {
        arguments.extend(main.input(&builder, port)?);
    }
    let values = main.call(&builder, template, &arguments)?;
    let mut values = values.as_slice();
    for (port, columns) in received {
        let (own, rest) = values.split_at(columns.min(values.len()));
        main.output(&builder, port, own)?;
        values = rest;
    }
    builder.finish(main)
}

/// The gates of a circuit, each complement written once; the results are its output bits in order.
fn netlist(circuit: &Circuit, results: &[ValueType]) -> Netlist {
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
    let bits: Vec<u32> = circuit.outputs().iter().flatten().map(|lit| wires.read(*lit)).collect();
    let mut bits = bits.into_iter();
    let outputs = results.iter().map(|ty| bits.by_ref().take(cost::size(*ty) as usize).collect()).collect();
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

/// A whole program as one circuit of at most `limit` nodes. Each input and output port is a group of its
/// columns in order, each lane by lane, least significant bit first.
///
/// Errors: [`LowerError`]; random operations have no circuit.
pub fn flatten(program: &Program, limit: usize) -> Result<Circuit, LowerError> {
    flatten_for(program, limit, Objective::Size)
}

/// As [`flatten`], in few ANDs or in few layers of them. For layers, two circuits are written and the
/// shallower is taken: carries that ripple through many short words in a row overlap, which sometimes takes
/// fewer layers than treating each word separately.
///
/// Errors: as [`flatten`].
pub fn flatten_for(program: &Program, limit: usize, objective: Objective) -> Result<Circuit, LowerError> {
    let small = written_for(program, limit, Objective::Size);
    if objective == Objective::Size {
        return small;
    }
    // The shallow circuit is the larger one, so it alone may exceed the limit.
    let cost = |circuit: &Circuit| (circuit.stats().and_depth, circuit.and_count());
    match (small, written_for(program, limit, objective)) {
        (Ok(small), Ok(shallow)) => Ok(if cost(&small) < cost(&shallow) { small } else { shallow }),
        (small, shallow) => shallow.or(small),
    }
}

fn written_for(program: &Program, limit: usize, objective: Objective) -> Result<Circuit, LowerError> {
    let types = program.all_value_types()?;
    let profiles = cost::profiles(program, &types);
    let context = Context { program, types: &types, profiles: &profiles, limit, parts: &NO_PARTS };
    let mut builder = CircuitBuilder::with_limit(limit).with_objective(objective);
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
