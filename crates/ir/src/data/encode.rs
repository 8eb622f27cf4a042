use num_bigint::{BigInt, BigUint};
use serde_json::{Map, Number, Value};

use super::float;
use crate::field::from_limbs;
use crate::{Column, Shape, Words};

/// A value of this shape as JSON, from its columns.
///
/// # Panics
/// If `columns` are not of the shape's types.
pub fn encode(shape: &Shape, columns: &[Words]) -> Value {
    let wanted = shape.columns().into_iter().map(Column::value_type);
    assert!(wanted.eq(columns.iter().map(Words::value_type)), "columns are of the shape's types");
    read(shape, columns, 0).0
}

/// The value in lane `lane` of the shape's columns, and the number of the shape's columns.
fn read(shape: &Shape, columns: &[Words], lane: u64) -> (Value, usize) {
    match shape {
        Shape::Integer { signed, .. } => (integer(&columns[0], lane, *signed), 1),
        Shape::Float { bits } => (float::encode(columns[0].lane(lane)[0], *bits), 1),
        Shape::Array { length, element } => {
            let (mut list, mut count) = (Vec::with_capacity(*length as usize), 0);
            for index in 0..u64::from(*length) {
                let (value, columns) = read(element, columns, lane * u64::from(*length) + index);
                list.push(value);
                count = columns;
            }
            (Value::Array(list), count)
        }
        Shape::Struct(members) => {
            let (mut object, mut first) = (Map::new(), 0);
            for (name, member) in members {
                let (value, count) = read(member, &columns[first..], lane);
                object.insert(name.clone(), value);
                first += count;
            }
            (Value::Object(object), first)
        }
    }
}

fn integer(column: &Words, lane: u64, signed: bool) -> Value {
    let (bits, limbs) = (column.bits(), column.lane(lane));
    let negative = signed && column.bit(lane, bits - 1);
    match (limbs, negative) {
        ([limb], false) => Value::from(*limb),
        (_, false) => big(from_limbs(limbs).to_string()),
        (_, true) => {
            big((BigInt::from(from_limbs(limbs)) - BigInt::from(BigUint::from(1u8) << bits)).to_string())
        }
    }
}

/// A JSON number of any size from its digits.
fn big(digits: String) -> Value {
    Value::Number(digits.parse::<Number>().expect("digits after an optional sign are a JSON number"))
}
