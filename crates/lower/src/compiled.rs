//! Programs as one circuit that keeps the roles of inputs and outputs: wire maps and netlists.

use std::io::Read;

use serde::{Deserialize, Serialize};
use tacit_circuit::Circuit;
use tacit_circuit::formats::WriteError;
use tacit_circuit::formats::bristol_fashion;
use tacit_circuit::formats::netlist::{self, NetlistError};
use tacit_ir::{BuildError, Builder, InputPort, OutputPort, Program, RoleId, Shape};

use crate::cost;
use crate::files::program_of_shapes;
use crate::wire_map::WireMap;

/// A circuit with the inputs and outputs of the program that it computes, one group of wires each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledCircuit {
    interface: Interface,
    circuit: Circuit,
}

/// The roles of inputs and outputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Interface {
    name: String,
    roles: Vec<String>,
    inputs: Vec<InputPort>,
    outputs: Vec<OutputPort>,
}

/// Why bytes are not the circuit of a program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompiledError {
    /// They are not a netlist.
    #[error(transparent)]
    Netlist(#[from] NetlistError),
    /// The description of inputs and outputs is damaged.
    #[error("the netlist's inputs and outputs are damaged: {0}")]
    Interface(String),
    /// The circuit has other inputs and outputs than described.
    #[error("the netlist says that {port} has {named} bits, and its circuit has {found} there")]
    Width {
        /// The input or output.
        port: String,
        /// Bits of its shape.
        named: u64,
        /// Bits of its group of wires.
        found: u64,
    },
    /// They do not form a program.
    #[error(transparent)]
    Build(#[from] BuildError),
}

impl CompiledCircuit {
    /// A circuit of a program, as [`crate::flatten`] makes it.
    ///
    /// # Errors
    /// [`CompiledError::Interface`] or [`CompiledError::Width`] if the circuit belongs to another program.
    pub fn new(program: &Program, circuit: Circuit) -> Result<CompiledCircuit, CompiledError> {
        let Program { name, roles, inputs, outputs, .. } = program.clone();
        CompiledCircuit { interface: Interface { name, roles, inputs, outputs }, circuit }.checked()
    }

    /// The circuit.
    pub fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    /// Writes the circuit in Bristol Fashion, and returns which wires are which variables.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn write_bristol(&self, target: &mut impl std::io::Write) -> Result<WireMap, WriteError> {
        let wires = bristol_fashion::write(&self.circuit, target)?;
        let Interface { name, roles, inputs, outputs } = &self.interface;
        let first_output = wires - self.circuit.output_bits();
        Ok(WireMap::new(name, roles, (inputs, 0), (outputs, first_output as u64)))
    }

    /// Writes the circuit as a [`netlist`].
    ///
    /// # Errors
    /// [`NetlistError`] for a circuit with more inputs than a netlist may have.
    pub fn write_netlist(&self, target: &mut impl std::io::Write) -> Result<(), NetlistError> {
        let interface = postcard::to_stdvec(&self.interface).map_err(std::io::Error::other)?;
        netlist::write(&self.circuit, &interface, target)
    }

    /// Reads what [`CompiledCircuit::write_netlist`] writes, of at most `max_nodes` inputs and gates.
    ///
    /// # Errors
    /// [`CompiledError`] for anything else.
    pub fn read_netlist(source: impl Read, max_nodes: usize) -> Result<CompiledCircuit, CompiledError> {
        let (circuit, interface) = netlist::read(source, max_nodes)?;
        let (interface, rest) = postcard::take_from_bytes(&interface)
            .map_err(|error| CompiledError::Interface(error.to_string()))?;
        match rest {
            [] => CompiledCircuit { interface, circuit }.checked(),
            _ => Err(CompiledError::Interface("they continue after their end".into())),
        }
    }

    /// The circuit as a program of the same inputs and outputs.
    ///
    /// # Errors
    /// [`CompiledError::Build`] if it exceeds the bounds of programs, or a name is not permitted.
    pub fn program(&self) -> Result<Program, CompiledError> {
        let Interface { name, roles, inputs, outputs } = &self.interface;
        let mut builder = Builder::new(name);
        let roles: Vec<RoleId> = roles.iter().map(|role| builder.role(role)).collect();
        let inputs =
            inputs.iter().map(|port| (roles[port.role.index()], port.name.as_str(), port.shape.clone()));
        let receivers = |port: &OutputPort| port.roles.iter().map(|role| roles[role.index()]).collect();
        let outputs = outputs.iter().map(|port| (receivers(port), port.name.as_str(), port.shape.clone()));
        Ok(program_of_shapes(builder, &self.circuit, inputs, outputs)?)
    }

    /// Checks that the roles of ports exist and that ports have as many bits as their groups of wires.
    fn checked(self) -> Result<CompiledCircuit, CompiledError> {
        let Interface { roles, inputs, outputs, .. } = &self.interface;
        let known = |role: RoleId| role.index() < roles.len();
        if !inputs.iter().all(|port| known(port.role))
            || !outputs.iter().all(|port| port.roles.iter().all(|role| known(*role)))
        {
            return Err(CompiledError::Interface("they name a role that does not exist".into()));
        }
        let mut shapes = inputs.iter().map(|port| &port.shape).chain(outputs.iter().map(|port| &port.shape));
        shapes.try_for_each(Shape::check).map_err(CompiledError::Interface)?;
        let (given, received) = (self.circuit.inputs(), self.circuit.outputs());
        if (inputs.len(), outputs.len()) != (given.len(), received.len()) {
            return Err(CompiledError::Interface("their number differs from the circuit's".into()));
        }
        let given = given.iter().map(|width| u64::from(*width));
        let inputs = inputs.iter().map(|port| (&port.name, &port.shape)).zip(given);
        let received = received.iter().map(|group| group.len() as u64);
        let outputs = outputs.iter().map(|port| (&port.name, &port.shape)).zip(received);
        for ((name, shape), found) in inputs.chain(outputs) {
            let named = bits_of(shape);
            if named != found {
                return Err(CompiledError::Width { port: name.clone(), named, found });
            }
        }
        Ok(self)
    }
}

/// Bits of a shape; saturates.
fn bits_of(shape: &Shape) -> u64 {
    let columns = shape.columns().into_iter().map(|column| cost::size(column.value_type()));
    columns.fold(0, u64::saturating_add)
}
