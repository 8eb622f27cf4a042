//! Maps wires of a circuit to variables of its program.

use serde::Serialize;
use tacit_ir::{InputPort, OutputPort, Shape};

/// The wires of each variable, written as JSON beside a circuit file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WireMap {
    /// The version of this form.
    pub version: u32,
    /// The program.
    pub program: String,
    /// Every scalar of every input, in the order of wires.
    pub inputs: Vec<Wired>,
    /// Every scalar of every output, in the order of wires.
    pub outputs: Vec<Wired>,
}

/// A scalar variable, or one within an array or struct, and its wires.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Wired {
    /// Who gives or receives it.
    pub roles: Vec<String>,
    /// The name that users write.
    pub variable: String,
    /// The place within arrays and structs, such as `[3].x`; empty for a scalar.
    pub path: String,
    /// `u8`, `i32`, `f64` and the like.
    #[serde(rename = "type")]
    pub ty: String,
    /// Bits.
    pub width: u32,
    /// The first wire, which is the least significant bit; the others follow.
    pub first_wire: u64,
}

impl WireMap {
    pub(crate) fn new(
        program: &str,
        roles: &[String],
        (inputs, first_input): (&[InputPort], u64),
        (outputs, first_output): (&[OutputPort], u64),
    ) -> WireMap {
        let name = |role: &tacit_ir::RoleId| roles[role.index()].clone();
        let given = inputs.iter().map(|port| (vec![name(&port.role)], port.name.as_str(), &port.shape));
        let received = outputs
            .iter()
            .map(|port| (port.roles.iter().map(name).collect(), port.name.as_str(), &port.shape));
        WireMap {
            version: 1,
            program: program.to_owned(),
            inputs: wired(given, first_input),
            outputs: wired(received, first_output),
        }
    }
}

/// The scalars of consecutive ports.
fn wired<'a>(ports: impl Iterator<Item = (Vec<String>, &'a str, &'a Shape)>, first_wire: u64) -> Vec<Wired> {
    let mut all = Vec::new();
    let mut next = first_wire;
    for (roles, variable, shape) in ports {
        let first_of_port = all.len();
        let mut starts = Vec::new();
        for column in shape.columns() {
            starts.push(next);
            next += column.lanes * u64::from(column.bits);
        }
        let mut leaves = Leaves { starts: &starts, roles: &roles, variable, found: &mut all };
        leaves.walk(shape, &mut String::new(), 0, 0);
        all[first_of_port..].sort_by_key(|leaf| leaf.first_wire);
    }
    all
}

/// The scalars of a port, as found so far.
struct Leaves<'a> {
    /// The first wire of each column.
    starts: &'a [u64],
    roles: &'a [String],
    variable: &'a str,
    found: &'a mut Vec<Wired>,
}

impl Leaves<'_> {
    /// Finds a scalar, which is one column.
    fn scalar(&mut self, kind: char, bits: u32, path: &str, (column, lane): (usize, u64)) -> usize {
        self.found.push(Wired {
            roles: self.roles.to_vec(),
            variable: self.variable.to_owned(),
            path: path.to_owned(),
            ty: format!("{kind}{bits}"),
            width: bits,
            first_wire: self.starts[column] + lane * u64::from(bits),
        });
        1
    }

    /// Finds the scalars of a shape that begins at `column`, for instance `lane`; returns the number of its
    /// columns.
    fn walk(&mut self, shape: &Shape, path: &mut String, column: usize, lane: u64) -> usize {
        let length = path.len();
        match shape {
            Shape::Integer { bits, signed: true } => self.scalar('i', *bits, path, (column, lane)),
            Shape::Integer { bits, signed: false } => self.scalar('u', *bits, path, (column, lane)),
            Shape::Float { bits } => self.scalar('f', *bits, path, (column, lane)),
            Shape::Array { length: elements, element } => {
                let mut columns = 0;
                for index in 0..u64::from(*elements) {
                    path.push_str(&format!("[{index}]"));
                    columns = self.walk(element, path, column, lane * u64::from(*elements) + index);
                    path.truncate(length);
                }
                columns
            }
            Shape::Struct(members) => {
                let mut columns = 0;
                for (name, member) in members {
                    path.push('.');
                    path.push_str(name);
                    columns += self.walk(member, path, column + columns, lane);
                    path.truncate(length);
                }
                columns
            }
        }
    }
}
