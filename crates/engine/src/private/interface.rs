//! The public part of a private function: the protocol that evaluates it, the role that gives its data, their types, the types of its results,
//! and its size.
//!
//! Its form is JSON, both in files and on the wire:
//!
//! ```json
//! {
//!   "tacit_private_function": 2,
//!   "protocol": "half-elgamal",
//!   "owner": "APPLICANT",
//!   "gates": 3000,
//!   "holder_bits": 0,
//!   "inputs": [{"name": "income", "type": "u32"}, {"name": "debts", "type": {"length": 4, "of": "u16"}}],
//!   "outputs": [{"name": "granted", "type": "u8"}]
//! }
//! ```
//!
//! A type is `u8`, `i32`, `f64` and the like, a list of members, or an array.

use serde_json::{Map, Value, json};
use tacit_ir::{MAX_SHAPE_DEPTH, Program, RoleId, Shape, Words, data};
use tacit_pfe::{MAX_WIRES, Protocol, Size};

use super::constants::{INTERFACE_VERSION, MAX_INTERFACE_BYTES};
use super::error::InterfaceError;

/// The key that identifies interfaces, and has the version of their form.
const VERSION_KEY: &str = "tacit_private_function";

/// What both parties know of a private function before either sends anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    protocol: Protocol,
    owner: String,
    inputs: Shape,
    outputs: Shape,
    size: Size,
}

impl Interface {
    /// The interface of a program whose role `owner` gives the data; `size` is that of its private function.
    ///
    /// # Errors
    /// [`InterfaceError::Shape`], [`InterfaceError::Size`], [`InterfaceError::Length`].
    pub fn of(
        program: &Program,
        owner: RoleId,
        (protocol, size): (Protocol, Size),
    ) -> Result<Interface, InterfaceError> {
        let inputs = program.inputs.iter().filter(|port| port.role == owner);
        let inputs = Shape::Struct(inputs.map(|port| (port.name.clone(), port.shape.clone())).collect());
        let outputs = program.outputs.iter().map(|port| (port.name.clone(), port.shape.clone()));
        let interface = Interface {
            protocol,
            owner: program.roles[owner.index()].clone(),
            inputs,
            outputs: Shape::Struct(outputs.collect()),
            size,
        };
        interface.checked()
    }

    /// A hash of the whole interface.
    pub fn hash(&self) -> [u8; 32] {
        blake3::derive_key(
            "tacit 2026 interface of a private function, version 1",
            self.to_json().to_string().as_bytes(),
        )
    }

    /// Parses an interface from its JSON.
    ///
    /// # Errors
    /// [`InterfaceError`].
    pub fn parse(text: &str) -> Result<Interface, InterfaceError> {
        if text.len() > MAX_INTERFACE_BYTES {
            return Err(InterfaceError::Length { given: text.len() });
        }
        let value: Value =
            serde_json::from_str(text).map_err(|error| InterfaceError::Form(error.to_string()))?;
        let fields = value.as_object().ok_or_else(|| InterfaceError::Form("it is not an object".into()))?;
        let version = number(fields, VERSION_KEY)?;
        let known = u64::from(INTERFACE_VERSION);
        if version != known {
            return Err(InterfaceError::Version { found: version, known });
        }
        let shape = |what: &'static str| read_members(what, field(fields, what)?, MAX_SHAPE_DEPTH);
        let (inputs, outputs) = (shape("inputs")?, shape("outputs")?);
        let owner = field(fields, "owner")?.as_str();
        let owner = owner.ok_or_else(|| InterfaceError::Form("owner is not text".into()))?.to_owned();
        let count = |name| number(fields, name).map(|count| usize::try_from(count).unwrap_or(usize::MAX));
        let bits = |what, shape| bits_of(what, shape);
        let (given, received) = (bits("inputs", &inputs)?, bits("outputs", &outputs)?);
        let size = Size::new(count("holder_bits")?, given, count("gates")?, received)?;
        let protocol = read_protocol(field(fields, "protocol")?)?;
        Interface { protocol, owner, inputs, outputs, size }.checked()
    }

    /// The interface as JSON.
    pub fn to_json(&self) -> Value {
        json!({
            VERSION_KEY: INTERFACE_VERSION,
            "protocol": self.protocol.name(),
            "owner": self.owner,
            "gates": self.size.gates(),
            "holder_bits": self.size.holder_inputs(),
            "inputs": written(&self.inputs),
            "outputs": written(&self.outputs),
        })
    }

    /// The protocol that evaluates the function.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The size of the function.
    pub fn size(&self) -> &Size {
        &self.size
    }

    /// The role that gives the data and receives the result.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// The input bits from an object of variables and their values. `value` is secret.
    ///
    /// # Errors
    /// [`data::DataError`], with the path to the value that is missing, unknown or does not fit.
    pub fn encode(&self, value: &Value) -> Result<Vec<bool>, data::DataError> {
        let columns = data::decode(&self.inputs, value)?;
        Ok(columns.iter().flat_map(bits_of_words).collect())
    }

    /// The object of variables and their values, from output bits; as many as the interface has.
    pub fn decode(&self, bits: &[bool]) -> Value {
        data::encode(&self.outputs, &words_of_bits(&self.outputs, bits))
    }

    /// The first difference from another interface: what it is, here and there.
    pub(super) fn difference(&self, other: &Interface) -> Option<(&'static str, String, String)> {
        let told = |interface: &Interface| {
            let size = &interface.size;
            [
                ("protocol", interface.protocol.name().to_owned()),
                ("data owner's role", interface.owner.clone()),
                ("inputs", written(&interface.inputs).to_string()),
                ("outputs", written(&interface.outputs).to_string()),
                ("number of gates", size.gates().to_string()),
                ("number of input bits of its holder", size.holder_inputs().to_string()),
            ]
        };
        let mut pairs = told(self).into_iter().zip(told(other));
        pairs.find(|(ours, theirs)| ours != theirs).map(|(ours, theirs)| (ours.0, ours.1, theirs.1))
    }

    fn checked(self) -> Result<Interface, InterfaceError> {
        self.protocol.check(&self.size)?;
        for (what, shape, bits) in [
            ("inputs", &self.inputs, self.size.owner_inputs()),
            ("outputs", &self.outputs, self.size.outputs()),
        ] {
            let found = bits_of(what, shape)?;
            if found != bits {
                let reason = format!("they have {found} bits, and the function {bits}");
                return Err(InterfaceError::Shape { what, reason });
            }
        }
        let given = self.to_json().to_string().len();
        if given > MAX_INTERFACE_BYTES { Err(InterfaceError::Length { given }) } else { Ok(self) }
    }
}

/// The bits of words in the order of circuits: lane after lane, least significant first.
pub fn bits_of_words(words: &Words) -> impl Iterator<Item = bool> + '_ {
    (0..words.lanes()).flat_map(move |lane| (0..words.bits()).map(move |bit| words.bit(lane, bit)))
}

/// The columns of a shape, from all their bits.
fn words_of_bits(shape: &Shape, bits: &[bool]) -> Vec<Words> {
    let mut bits = bits.iter();
    let mut read = |mut words: Words| {
        for lane in 0..words.lanes() {
            for (bit, value) in (0..words.bits()).zip(bits.by_ref()) {
                words.set_bit(lane, bit, *value);
            }
        }
        words
    };
    shape.columns().into_iter().map(|column| read(Words::zero(column.bits, column.lanes))).collect()
}

fn field<'v>(fields: &'v Map<String, Value>, name: &str) -> Result<&'v Value, InterfaceError> {
    fields.get(name).ok_or_else(|| InterfaceError::Form(format!("{name} is missing")))
}

fn read_protocol(value: &Value) -> Result<Protocol, InterfaceError> {
    let name = value.as_str().ok_or_else(|| InterfaceError::Form("protocol is not text".into()))?;
    Protocol::from_name(name)
        .ok_or_else(|| InterfaceError::Protocol { found: name.chars().take(40).collect() })
}

fn number(fields: &Map<String, Value>, name: &str) -> Result<u64, InterfaceError> {
    let number = field(fields, name)?.as_u64();
    number.ok_or_else(|| InterfaceError::Form(format!("{name} is not a whole number")))
}

/// The number of bits of a shape that may be empty, checked.
fn bits_of(what: &'static str, shape: &Shape) -> Result<usize, InterfaceError> {
    let wrong = |reason| InterfaceError::Shape { what, reason };
    match shape {
        Shape::Struct(members) if members.is_empty() => return Ok(0),
        _ => shape.check().map_err(wrong)?,
    }
    let columns = shape.columns();
    let bits = columns.iter().map(|column| column.lanes.saturating_mul(u64::from(column.bits)));
    let bits = bits.fold(0u64, u64::saturating_add);
    match usize::try_from(bits) {
        Ok(bits) if bits <= MAX_WIRES => Ok(bits),
        _ => Err(wrong(format!("{bits} bits; at most {MAX_WIRES} are possible"))),
    }
}

/// A shape in its JSON form.
fn written(shape: &Shape) -> Value {
    match shape {
        Shape::Integer { bits, signed } => json!(format!("{}{bits}", if *signed { 'i' } else { 'u' })),
        Shape::Float { bits } => json!(format!("f{bits}")),
        Shape::Array { length, element } => json!({ "length": length, "of": written(element) }),
        Shape::Struct(members) => {
            members.iter().map(|(name, shape)| json!({ "name": name, "type": written(shape) })).collect()
        }
    }
}

fn read_members(path: &str, value: &Value, depth: usize) -> Result<Shape, InterfaceError> {
    let members = value.as_array().ok_or_else(|| no_type(path, value))?;
    let member = |member: &Value| {
        let name = member.get("name").and_then(Value::as_str).ok_or_else(|| no_type(path, member))?;
        let inner = member.get("type").ok_or_else(|| no_type(path, member))?;
        Ok((name.to_owned(), read_type(name, inner, depth)?))
    };
    members.iter().map(member).collect::<Result<_, _>>().map(Shape::Struct)
}

fn read_type(path: &str, value: &Value, depth: usize) -> Result<Shape, InterfaceError> {
    let below = depth.checked_sub(1).ok_or_else(|| no_type(path, value))?;
    match value {
        Value::String(text) => read_scalar(text).ok_or_else(|| no_type(path, value)),
        Value::Array(_) => read_members(path, value, below),
        _ => {
            let length = value.get("length").and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
            let (length, of) = length.zip(value.get("of")).ok_or_else(|| no_type(path, value))?;
            Ok(Shape::Array { length, element: Box::new(read_type(path, of, below)?) })
        }
    }
}

/// `u8`, `i32`, `f64`.
fn read_scalar(text: &str) -> Option<Shape> {
    let (kind, bits) = text.split_at_checked(1)?;
    let digits = bits.bytes().all(|byte| byte.is_ascii_digit()) && !bits.starts_with('0');
    let bits = bits.parse().ok().filter(|_| digits)?;
    match kind {
        "u" | "i" => Some(Shape::Integer { bits, signed: kind == "i" }),
        "f" => Some(Shape::Float { bits }),
        _ => None,
    }
}

fn no_type(path: &str, found: &Value) -> InterfaceError {
    let found: String = found.to_string().chars().take(40).collect();
    InterfaceError::Type { path: path.to_owned(), found }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"tacit_private_function": 2, "protocol": "half-elgamal", "owner": "A", "gates": 90, "holder_bits": 3,
        "inputs": [{"name": "z", "type": "u3"}, {"name": "a", "type": {"length": 2, "of": [{"name": "x", "type": "i4"}]}}],
        "outputs": [{"name": "r", "type": "f32"}]}"#;

    #[test]
    fn what_is_written_reads_as_the_same() {
        let interface = Interface::parse(TEXT).unwrap();
        assert_eq!(*interface.size(), Size::new(3, 11, 90, 32).unwrap());
        assert_eq!(Interface::parse(&interface.to_json().to_string()).unwrap(), interface);
        assert_eq!(interface.difference(&interface), None);
    }

    #[test]
    fn data_go_in_the_order_of_variables() {
        let interface = Interface::parse(TEXT).unwrap();
        let bits = interface.encode(&json!({"a": [{"x": -1}, {"x": 2}], "z": 5})).unwrap();
        let expected = [1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 0].map(|bit| bit == 1);
        assert_eq!(bits, expected);
        assert!(interface.encode(&json!({"z": 8, "a": [{"x": 0}, {"x": 0}]})).is_err());
        assert!(interface.encode(&json!({"z": 1})).is_err());
        let one: Vec<bool> = (0..32).map(|bit| 1f32.to_bits() >> bit & 1 == 1).collect();
        assert_eq!(interface.decode(&one), json!({"r": 1.0}));
    }

    #[test]
    fn what_is_no_interface_is_refused() {
        let bent = |from: &str, to: &str| Interface::parse(&TEXT.replace(from, to)).unwrap_err();
        assert!(matches!(bent("\"u3\"", "\"u03\""), InterfaceError::Type { .. }));
        assert!(matches!(bent("\"u3\"", "\"u0\""), InterfaceError::Type { .. }));
        assert!(matches!(bent("\"f32\"", "\"f33\""), InterfaceError::Shape { .. }));
        assert!(matches!(bent("\"u3\"", "\"u4294967295\""), InterfaceError::Shape { .. }));
        assert!(matches!(bent("\"length\": 2", "\"length\": 4294967295"), InterfaceError::Shape { .. }));
        assert!(matches!(bent("\"length\": 2", "\"length\": 0"), InterfaceError::Shape { .. }));
        assert!(matches!(bent("\"gates\": 90", "\"gates\": 31"), InterfaceError::Size(_)));
        assert!(matches!(bent("\"gates\": 90", "\"gates\": 0"), InterfaceError::Size(_)));
        assert!(matches!(bent("\"gates\": 90", "\"gates\": 1e9"), InterfaceError::Form(_)));
        assert!(matches!(bent("\"gates\": 90", "\"gates\": 4294967296"), InterfaceError::Size(_)));
        assert!(matches!(bent("function\": 2", "function\": 1"), InterfaceError::Version { found: 1, .. }));
        assert!(matches!(bent("half-elgamal", "elgamal"), InterfaceError::Protocol { .. }));
        assert!(matches!(bent("\"half-elgamal\"", "1"), InterfaceError::Form(_)));
        assert!(matches!(bent("\"owner\"", "\"other\""), InterfaceError::Form(_)));
        assert!(matches!(bent("\"name\": \"z\"", "\"name\": \"a\""), InterfaceError::Shape { .. }));
        let deep = format!("{}\"u1\"{}", "{\"length\": 1, \"of\": ".repeat(80), "}".repeat(80));
        assert!(matches!(bent("\"u3\"", &deep), InterfaceError::Type { .. }));
        let long = " ".repeat(MAX_INTERFACE_BYTES);
        assert!(matches!(Interface::parse(&long), Ok(_) | Err(InterfaceError::Form(_))));
        assert!(matches!(Interface::parse(&format!("{long} ")), Err(InterfaceError::Length { .. })));
    }
}
