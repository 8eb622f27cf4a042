use serde::{Deserialize, Serialize};

use crate::{Type, ValueType};

/// The form in which a user gives or receives a value: what JSON nests, a program sees as flat columns.
///
/// Every scalar leaf of a shape becomes one [`Column`]; arrays around it multiply its lanes, row-major. So
/// `struct { uint8_t x; int16_t y[3]; } q[5]` has two columns: 5 lanes of 8 bits and 15 lanes of 16 bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Shape {
    /// An integer of `bits` bits; two's complement where `signed`.
    Integer {
        /// Width in bits, at least 1.
        bits: u32,
        /// Whether users write it with a sign.
        signed: bool,
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

/// One flat vector of a [`Shape`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Width in bits of each lane.
    pub bits: u32,
    /// Whether users write it with a sign.
    pub signed: bool,
    /// Number of lanes.
    pub lanes: u64,
}

impl Column {
    /// The type a program gives this column.
    pub fn value_type(self) -> ValueType {
        ValueType { ty: Type::Word(self.bits), lanes: self.lanes }
    }
}

impl Shape {
    /// The columns of this shape, depth first in order of declaration.
    pub fn columns(&self) -> Vec<Column> {
        let mut columns = Vec::new();
        self.collect(1, &mut columns);
        columns
    }

    fn collect(&self, lanes: u64, columns: &mut Vec<Column>) {
        match self {
            Shape::Integer { bits, signed } => columns.push(Column { bits: *bits, signed: *signed, lanes }),
            Shape::Array { length, element } => element.collect(lanes * u64::from(*length), columns),
            Shape::Struct(members) => members.iter().for_each(|(_, member)| member.collect(lanes, columns)),
        }
    }
}
