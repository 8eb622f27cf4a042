use std::fmt;

use num_bigint::BigUint;
use serde_json::{Map, Number, Value};

use super::{DataError, float};
use crate::{Shape, Words};

/// The most characters of a wrong number that an error repeats.
const SHOWN: usize = 40;

/// The columns of a value of this shape, from JSON.
///
/// `value` is secret: apart from the error, which only its owner sees, only the result depends on it.
/// Errors: a value of another form than the shape, or an integer beyond the range of its type, with the path
/// to it.
pub fn decode(shape: &Shape, value: &Value) -> Result<Vec<Words>, DataError> {
    decode_at(&Path::Variable(""), shape, value)
}

pub(super) fn decode_at(path: &Path<'_>, shape: &Shape, value: &Value) -> Result<Vec<Words>, DataError> {
    let columns = shape.columns();
    let mut columns: Vec<_> =
        columns.into_iter().map(|column| Words::zero(column.bits, column.lanes)).collect();
    fill(path, shape, value, &mut columns, 0)?;
    Ok(columns)
}

/// The path of a value; formatted only in errors.
pub(super) enum Path<'a> {
    Variable(&'a str),
    Member(&'a Path<'a>, &'a str),
    Element(&'a Path<'a>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Variable(name) => write!(f, "{name}"),
            Path::Member(Path::Variable(""), name) => write!(f, "{name}"),
            Path::Member(parent, name) => write!(f, "{parent}.{name}"),
            Path::Element(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

/// Writes `value` to lane `lane` of the shape's columns, which come first in `columns`; lanes count elements
/// of this shape. Returns the number of the shape's columns.
fn fill(
    path: &Path<'_>,
    shape: &Shape,
    value: &Value,
    columns: &mut [Words],
    lane: u64,
) -> Result<usize, DataError> {
    match shape {
        Shape::Integer { signed, .. } => {
            let column = &mut columns[0];
            let integer = integer(path, value, column.bits(), *signed)?;
            let digits = integer.iter_u64_digits();
            column.lane_mut(lane).iter_mut().zip(digits).for_each(|(limb, digit)| *limb = digit);
            Ok(1)
        }
        Shape::Float { bits } => {
            columns[0].lane_mut(lane)[0] = float::decode(path, value, *bits)?;
            Ok(1)
        }
        Shape::Array { length, element } => {
            let Value::Array(list) = value else { return Err(kind(path, value, "a list")) };
            if list.len() != *length as usize {
                return Err(DataError::Length { path: path.to_string(), given: list.len(), wanted: *length });
            }
            list.iter().enumerate().try_fold(0, |_, (index, value)| {
                let lane = lane * u64::from(*length) + index as u64;
                fill(&Path::Element(path, index), element, value, columns, lane)
            })
        }
        Shape::Struct(members) => {
            let object = object(path, value)?;
            check_names(path, object, members.iter().map(|(name, _)| name.as_str()))?;
            members.iter().try_fold(0, |first, (name, member)| {
                let path = Path::Member(path, name);
                let missing = || DataError::Missing { path: path.to_string() };
                let value = object.get(name).ok_or_else(missing)?;
                Ok(first + fill(&path, member, value, &mut columns[first..], lane)?)
            })
        }
    }
}

pub(super) fn object<'v>(path: &Path<'_>, value: &'v Value) -> Result<&'v Map<String, Value>, DataError> {
    value.as_object().ok_or_else(|| kind(path, value, "an object"))
}

/// Refuses keys other than `names`.
pub(super) fn check_names<'a>(
    path: &Path<'_>,
    object: &Map<String, Value>,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), DataError> {
    if names.clone().filter(|name| object.contains_key(*name)).count() == object.len() {
        return Ok(());
    }
    let unknown = object.keys().find(|key| !names.clone().any(|name| name == key.as_str()));
    unknown.map_or(Ok(()), |key| {
        let path = Path::Member(path, key).to_string();
        Err(DataError::Unknown { path, expected: names.map(str::to_owned).collect() })
    })
}

/// An integer as the word that holds it, two's complement.
fn integer(path: &Path<'_>, value: &Value, bits: u32, signed: bool) -> Result<BigUint, DataError> {
    match value {
        Value::Number(number) => {
            let (negative, digits) = sign_and_digits(path, number)?;
            let word = word(negative, digits, bits, signed);
            let value = || shortened(number.as_str());
            word.ok_or_else(|| DataError::Range { path: path.to_string(), value: value(), bits, signed })
        }
        Value::Bool(value) if bits == 1 && !signed => Ok(BigUint::from(u8::from(*value))),
        _ => Err(kind(path, value, &format!("an integer of {bits} bits"))),
    }
}

fn sign_and_digits<'n>(path: &Path<'_>, number: &'n Number) -> Result<(bool, &'n str), DataError> {
    let text = number.as_str();
    let digits = text.strip_prefix('-').unwrap_or(text);
    match digits.bytes().all(|digit| digit.is_ascii_digit()) {
        true => Ok((digits.len() < text.len(), digits)),
        false => Err(DataError::Kind {
            path: path.to_string(),
            found: shortened(text),
            wanted: "an integer without fraction or exponent".into(),
        }),
    }
}

/// The word of `bits` bits that holds an integer, if one does.
fn word(negative: bool, digits: &str, bits: u32, signed: bool) -> Option<BigUint> {
    // Three bits are less than a digit, so a longer number cannot fit and need not be converted.
    if digits.len() > bits as usize / 3 + 1 {
        return None;
    }
    let magnitude = BigUint::parse_bytes(digits.as_bytes(), 10)?;
    let limit = BigUint::from(1u8) << if signed { bits - 1 } else { bits };
    match negative && magnitude != BigUint::ZERO {
        true if signed && magnitude <= limit => Some((BigUint::from(1u8) << bits) - magnitude),
        false if magnitude < limit => Some(magnitude),
        _ => None,
    }
}

pub(super) fn kind(path: &Path<'_>, value: &Value, wanted: &str) -> DataError {
    let found = match value {
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => shortened(number.as_str()),
        Value::String(text) => format!("the text {:?}", shortened(text)),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
    };
    DataError::Kind { path: path.to_string(), found, wanted: wanted.into() }
}

pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}
