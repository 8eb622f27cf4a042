use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::typing::check_type;
use crate::{Type, ValueType};

/// The form in which a user gives or receives a value: nested in JSON, flat columns in a program.
///
/// Every scalar leaf of a shape becomes one [`Column`]; enclosing arrays multiply its lanes, row-major. So
/// `struct { uint8_t x; int16_t y[3]; } q[5]` has two columns: 5 lanes of 8 bits and 15 lanes of 16 bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<Node>", into = "Vec<Node>")]
pub enum Shape {
    /// An integer of `bits` bits, in two's complement if `signed`.
    Integer {
        /// Width in bits, at least 1.
        bits: u32,
        /// Whether users write it with a sign.
        signed: bool,
    },
    /// A number in the IEEE 754 format of `bits` bits. Programs see its bits; only users see a float.
    Float {
        /// Width in bits: 32 or 64.
        bits: u32,
    },
    /// `length` elements of one shape.
    Array {
        /// Number of elements.
        length: u32,
        /// Shape of each element.
        element: Box<Shape>,
    },
    /// Named members, in order of declaration.
    Struct(Vec<(String, Shape)>),
}

/// A shape without its parts, which follow. The flat encoding bounds the nesting while it is read.
#[derive(Serialize, Deserialize)]
enum Node {
    Integer { bits: u32, signed: bool },
    Array { length: u32 },
    Struct(Vec<String>),
    // Variants are numbered in the stored form, so this one must be last.
    Float { bits: u32 },
}

impl From<Shape> for Vec<Node> {
    fn from(shape: Shape) -> Self {
        fn flatten(shape: Shape, nodes: &mut Vec<Node>) {
            match shape {
                Shape::Integer { bits, signed } => nodes.push(Node::Integer { bits, signed }),
                Shape::Float { bits } => nodes.push(Node::Float { bits }),
                Shape::Array { length, element } => {
                    nodes.push(Node::Array { length });
                    flatten(*element, nodes);
                }
                Shape::Struct(members) => {
                    let (names, members): (Vec<_>, Vec<_>) = members.into_iter().unzip();
                    nodes.push(Node::Struct(names));
                    members.into_iter().for_each(|member| flatten(member, nodes));
                }
            }
        }
        let mut nodes = Vec::new();
        flatten(shape, &mut nodes);
        nodes
    }
}

impl TryFrom<Vec<Node>> for Shape {
    type Error = &'static str;

    fn try_from(nodes: Vec<Node>) -> Result<Self, Self::Error> {
        fn build(nodes: &mut impl Iterator<Item = Node>, depth: usize) -> Result<Shape, &'static str> {
            let below = depth.checked_sub(1).ok_or("a shape nests too deeply")?;
            match nodes.next().ok_or("a shape ends early")? {
                Node::Integer { bits, signed } => Ok(Shape::Integer { bits, signed }),
                Node::Float { bits } => Ok(Shape::Float { bits }),
                Node::Array { length } => {
                    Ok(Shape::Array { length, element: Box::new(build(nodes, below)?) })
                }
                Node::Struct(names) => {
                    let member = |name| Ok((name, build(nodes, below)?));
                    names.into_iter().map(member).collect::<Result<_, _>>().map(Shape::Struct)
                }
            }
        }
        let mut nodes = nodes.into_iter();
        let shape = build(&mut nodes, MAX_SHAPE_DEPTH)?;
        nodes.next().map_or(Ok(shape), |_| Err("a shape continues after its end"))
    }
}

/// One flat vector of a [`Shape`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Width in bits of each lane.
    pub bits: u32,
    /// Whether users write it with a sign.
    pub signed: bool,
    /// Whether users write it as a floating-point number.
    pub float: bool,
    /// Number of lanes.
    pub lanes: u64,
}

impl Column {
    /// The type of this column in a program.
    pub fn value_type(self) -> ValueType {
        ValueType { ty: Type::Word(self.bits), lanes: self.lanes }
    }
}

/// Deepest nesting of arrays and structs in a shape.
pub const MAX_SHAPE_DEPTH: usize = 64;

impl Shape {
    /// Checks that a program may use this shape: it holds values, names are distinct, and sizes are within
    /// bounds. The error describes the problem.
    pub fn check(&self) -> Result<(), String> {
        self.check_below(MAX_SHAPE_DEPTH)?;
        self.columns().into_iter().try_for_each(|column| check_type(column.value_type(), 0).map(drop))
    }

    fn check_below(&self, depth: usize) -> Result<(), String> {
        let below = depth.checked_sub(1).ok_or_else(|| format!("nests deeper than {MAX_SHAPE_DEPTH}"))?;
        match self {
            Shape::Integer { .. } | Shape::Float { bits: 32 | 64 } => Ok(()),
            Shape::Float { bits } => Err(format!("there is no float of {bits} bits")),
            Shape::Array { length: 0, .. } => Err("an array has no elements".into()),
            Shape::Array { element, .. } => element.check_below(below),
            Shape::Struct(members) if members.is_empty() => Err("a struct has no members".into()),
            Shape::Struct(members) => {
                let mut names = HashSet::new();
                if let Some((name, _)) =
                    members.iter().find(|(name, _)| name.is_empty() || !names.insert(name))
                {
                    return Err(format!("the member name `{name}` is empty or occurs twice"));
                }
                members.iter().try_for_each(|(_, member)| member.check_below(below))
            }
        }
    }

    /// The columns of this shape, depth first in order of declaration.
    pub fn columns(&self) -> Vec<Column> {
        let mut columns = Vec::new();
        self.collect(1, &mut columns);
        columns
    }

    fn collect(&self, lanes: u64, columns: &mut Vec<Column>) {
        match self {
            Shape::Integer { bits, signed } => {
                columns.push(Column { bits: *bits, signed: *signed, float: false, lanes });
            }
            Shape::Float { bits } => columns.push(Column { bits: *bits, signed: false, float: true, lanes }),
            Shape::Array { length, element } => {
                element.collect(lanes.saturating_mul(u64::from(*length)), columns);
            }
            Shape::Struct(members) => members.iter().for_each(|(_, member)| member.collect(lanes, columns)),
        }
    }
}
