//! Programs, templates and ports.

use serde::{Deserialize, Serialize};

use crate::{Field, Operation, RoleId, Shape, TemplateId, ValueId, ValueType};

/// A gate of a [`Netlist`]; gate `i` drives wire `inputs + i`. Operands are wires of lower number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NetlistGate {
    /// Exclusive or.
    Xor(u32, u32),
    /// And.
    And(u32, u32),
    /// Complement.
    Not(u32),
    /// A constant.
    Constant(bool),
}

/// A Boolean circuit over the bits of a template's parameters.
///
/// Wires are numbered from 0 through the bits of the parameters (parameter by parameter, lane by lane, least
/// significant bit first), then through the gates in topological order.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Netlist {
    /// The gates.
    pub gates: Vec<NetlistGate>,
    /// The wires of every result's bits, lane by lane, least significant bit first.
    pub outputs: Vec<Vec<u32>>,
}

/// What a template computes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Body {
    /// Word operations and the values that are its results.
    Operations {
        /// The operations in topological order.
        operations: Vec<Operation>,
        /// The template's results.
        results: Vec<ValueId>,
    },
    /// A Boolean circuit.
    Netlist(Netlist),
}

/// A function from values to values without its own inputs and outputs (except `main`).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Template {
    /// A name for people.
    pub name: String,
    /// Types of the parameters.
    pub parameters: Vec<ValueType>,
    /// Types of the results.
    pub results: Vec<ValueType>,
    /// What it computes.
    pub body: Body,
}

/// The role without a party. Its inputs were kept as shares by an earlier run between the same parties, and
/// its outputs are kept as shares for a later run.
pub const STORED_ROLE: &str = "kept";

/// A value that a role gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct InputPort {
    /// The name users write.
    pub name: String,
    /// The role that gives it.
    pub role: RoleId,
    /// Its shape.
    pub shape: Shape,
}

/// A value that roles receive.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct OutputPort {
    /// The name users read.
    pub name: String,
    /// The roles that receive it, ascending; never empty.
    pub roles: Vec<RoleId>,
    /// Its shape.
    pub shape: Shape,
}

impl InputPort {
    /// Whether [`STORED_ROLE`] gives it.
    pub fn is_stored(&self, program: &Program) -> bool {
        program.roles[self.role.index()] == STORED_ROLE
    }
}

impl OutputPort {
    /// Whether [`STORED_ROLE`] receives it.
    pub fn is_stored(&self, program: &Program) -> bool {
        self.roles.iter().any(|role| program.roles[role.index()] == STORED_ROLE)
    }
}

/// A program. Immutable once built; equal programs have equal canonical forms and hashes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Program {
    /// A name for people.
    pub name: String,
    /// The roles by name.
    pub roles: Vec<String>,
    /// The fields that types refer to.
    pub fields: Vec<Field>,
    /// The inputs.
    pub inputs: Vec<InputPort>,
    /// The outputs.
    pub outputs: Vec<OutputPort>,
    /// The templates; each applies only templates before it.
    pub templates: Vec<Template>,
    /// The template in which a run starts: the last one, without parameters and results.
    pub main: TemplateId,
}
