//! The canonical binary form, by which programs are compared.

use serde::{Serialize, Serializer};

use crate::{
    Body, Field, InputPort, Netlist, Operation, OutputPort, Program, Template, TemplateId, ValidateError,
    ValueId, ValueType,
};

/// The first bytes of every program.
const MAGIC: &[u8; 6] = b"TACITP";

/// The version of the form, after the magic in little-endian order.
const VERSION: u16 = 1;

/// Bytes before the body.
const HEADER_BYTES: usize = MAGIC.len() + 2;

/// Why bytes are not a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// They are not a compiled program.
    #[error("this is not a compiled program")]
    Magic,
    /// They were written by another version of Tacit.
    #[error("the compiled program has format {found}; this version reads format {VERSION}")]
    Version {
        /// The announced format.
        found: u16,
    },
    /// They are damaged.
    #[error("the compiled program is damaged: {0}")]
    Damaged(String),
    /// They describe an invalid program.
    #[error("the compiled program is not valid: {0}")]
    Invalid(#[from] ValidateError),
    /// They are not the only permitted encoding of their program.
    #[error("the compiled program is not in canonical form")]
    NotCanonical,
}

impl Program {
    /// The canonical binary form: programs are equal if and only if their bytes are.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        postcard::to_extend(self, bytes).expect("a program holds nothing that the form cannot write")
    }

    /// A valid program from its canonical binary form.
    ///
    /// Cost: memory is bounded by a multiple of the length of `bytes`, whatever their content.
    /// Errors: anything other than the output of [`Program::to_bytes`] for a valid program.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (magic, rest) = bytes.split_at_checked(MAGIC.len()).ok_or(DecodeError::Magic)?;
        if magic != MAGIC {
            return Err(DecodeError::Magic);
        }
        let version =
            rest.first_chunk().ok_or_else(|| DecodeError::Damaged("it ends in the header".into()))?;
        match u16::from_le_bytes(*version) {
            VERSION => {}
            found => return Err(DecodeError::Version { found }),
        }
        let program: Program = postcard::from_bytes(&bytes[HEADER_BYTES..])
            .map_err(|error| DecodeError::Damaged(error.to_string()))?;
        program.validate()?;
        match program.to_bytes() == bytes {
            true => Ok(program),
            false => Err(DecodeError::NotCanonical),
        }
    }

    /// The BLAKE3 hash of the canonical binary form without the lines of operations, which do not affect what
    /// a program computes.
    pub fn hash(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(MAGIC).update(&VERSION.to_le_bytes());
        postcard::to_io(&Unlined::of(self), &mut hasher).expect("a hasher takes any bytes");
        *hasher.finalize().as_bytes()
    }
}

/// A program as it is hashed: the members of a [`Program`], without lines.
#[derive(Serialize)]
struct Unlined<'a> {
    name: &'a str,
    roles: &'a [String],
    fields: &'a [Field],
    inputs: &'a [InputPort],
    outputs: &'a [OutputPort],
    templates: Vec<UnlinedTemplate<'a>>,
    main: TemplateId,
}

#[derive(Serialize)]
struct UnlinedTemplate<'a> {
    name: &'a str,
    parameters: &'a [ValueType],
    results: &'a [ValueType],
    body: UnlinedBody<'a>,
}

#[derive(Serialize)]
enum UnlinedBody<'a> {
    Operations { operations: Ops<'a>, results: &'a [ValueId] },
    Netlist(&'a Netlist),
}

/// Operations without their lines.
struct Ops<'a>(&'a [Operation]);

impl Serialize for Ops<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|operation| &operation.op))
    }
}

impl<'a> Unlined<'a> {
    fn of(program: &'a Program) -> Unlined<'a> {
        let Program { name, roles, fields, inputs, outputs, templates, main } = program;
        let templates = templates.iter().map(UnlinedTemplate::of).collect();
        Unlined { name, roles, fields, inputs, outputs, templates, main: *main }
    }
}

impl<'a> UnlinedTemplate<'a> {
    fn of(template: &'a Template) -> UnlinedTemplate<'a> {
        let Template { name, parameters, results, body } = template;
        let body = match body {
            Body::Operations { operations, results } => {
                UnlinedBody::Operations { operations: Ops(operations), results }
            }
            Body::Netlist(netlist) => UnlinedBody::Netlist(netlist),
        };
        UnlinedTemplate { name, parameters, results, body }
    }
}

#[cfg(test)]
mod tests;
