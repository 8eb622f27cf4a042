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
/// Wires count from 0 through the bits of the parameters (parameter by parameter, lane by lane, least
/// significant bit first), then the gates in topological order.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Netlist {
    /// The gates.
    pub gates: Vec<NetlistGate>,
    /// For every result, its bits as wires, lane by lane, least significant bit first.
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

/// A function from values to values without inputs or outputs of its own (but for `main`).
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

/// The role that is nobody. What it gives was kept as shares by an earlier run between the same parties, and what it
/// receives is kept as shares for a later one.
pub const STORED_ROLE: &str = "kept";

/// A value that a role gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct InputPort {
    /// The name users write.
    pub name: String,
    /// Who gives it.
    pub role: RoleId,
    /// Its form.
    pub shape: Shape,
}

/// A value that roles receive.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct OutputPort {
    /// The name users read.
    pub name: String,
    /// Who receives it, ascending; never empty.
    pub roles: Vec<RoleId>,
    /// Its form.
    pub shape: Shape,
}

impl InputPort {
    /// Whether it is [`STORED_ROLE`] that gives it.
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
    /// What roles give.
    pub inputs: Vec<InputPort>,
    /// What roles receive.
    pub outputs: Vec<OutputPort>,
    /// The templates; each applies only templates before it.
    pub templates: Vec<Template>,
    /// Where a run starts: a template without parameters and results, the last one.
    pub main: TemplateId,
}
