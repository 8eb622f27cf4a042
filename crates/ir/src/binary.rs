//! The canonical binary form, which is what programs are compared by.

use crate::{Program, ValidateError};

/// What every program begins with.
const MAGIC: &[u8; 6] = b"TACITP";

/// The version of the form, after the magic in little-endian order.
const VERSION: u16 = 1;

/// Bytes before the body.
const HEADER_BYTES: usize = MAGIC.len() + 2;

/// Why bytes are no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// They are something else.
    #[error("this is not a compiled program")]
    Magic,
    /// They were written by another version of Tacit.
    #[error("the compiled program has format {found}; this version reads format {VERSION}")]
    Version {
        /// The format they claim.
        found: u16,
    },
    /// They are damaged.
    #[error("the compiled program is damaged: {0}")]
    Damaged(String),
    /// They say something that is no program.
    #[error("the compiled program is not valid: {0}")]
    Invalid(#[from] ValidateError),
    /// They are another way of writing what has one way of writing.
    #[error("the compiled program is not in canonical form")]
    NotCanonical,
}

impl Program {
    /// The canonical binary form: equal programs, and only they, have equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        postcard::to_extend(self, bytes).expect("a program holds nothing that the form cannot write")
    }

    /// A valid program from its canonical binary form.
    ///
    /// Cost: memory is bounded by a multiple of the length of `bytes`, whatever they say.
    /// Errors: anything but what [`Program::to_bytes`] writes for a valid program.
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

    /// The BLAKE3 hash of the canonical binary form.
    pub fn hash(&self) -> [u8; 32] {
        *blake3::hash(&self.to_bytes()).as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Shape};

    fn small() -> Program {
        let mut program = Builder::new("small");
        let role = program.role("A");
        let shape = Shape::Array { length: 3, element: Box::new(Shape::Integer { bits: 9, signed: true }) };
        let port = program.input("x", role, shape.clone()).unwrap();
        let result = program.output("y", vec![role], shape).unwrap();
        let mut main = program.template("main", vec![]);
        let x = main.input(&program, port).unwrap()[0];
        let sum = main.add(x, x).unwrap();
        main.output(&program, result, &[sum]).unwrap();
        program.finish(main).unwrap()
    }

    #[test]
    fn programs_come_back() {
        let program = small();
        assert_eq!(Program::from_bytes(&program.to_bytes()), Ok(program));
    }

    /// A change of format must be deliberate: it changes this hash and the version.
    #[test]
    fn the_form_is_pinned() {
        let hash: String = small().hash().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hash, "805c7822bd18839d55884dd940a5601ecb371edc835163e2db93547a26466918");
    }

    #[test]
    fn headers_are_told_apart() {
        let bytes = small().to_bytes();
        assert_eq!(Program::from_bytes(b"TACI"), Err(DecodeError::Magic));
        assert_eq!(Program::from_bytes(b"something else"), Err(DecodeError::Magic));
        assert!(matches!(Program::from_bytes(&bytes[..7]), Err(DecodeError::Damaged(_))));
        let mut newer = bytes.clone();
        newer[6] = 2;
        assert_eq!(Program::from_bytes(&newer), Err(DecodeError::Version { found: 2 }));
        assert!(matches!(Program::from_bytes(&bytes[..8]), Err(DecodeError::Damaged(_))));
    }

    #[test]
    fn another_way_of_writing_is_refused() {
        let mut bytes = small().to_bytes();
        assert_eq!(bytes[8], 5, "the length of the name");
        bytes.splice(8..9, [0x85, 0]);
        assert_eq!(Program::from_bytes(&bytes), Err(DecodeError::NotCanonical));
        let mut longer = small().to_bytes();
        longer.push(0);
        assert_eq!(Program::from_bytes(&longer), Err(DecodeError::NotCanonical));
    }

    #[test]
    fn deep_shapes_are_refused_before_they_are_built() {
        let mut program = small();
        let deep = |depth| {
            (0..depth).fold(Shape::Integer { bits: 1, signed: false }, |element, _| Shape::Array {
                length: 1,
                element: Box::new(element),
            })
        };
        program.inputs[0].shape = deep(100);
        assert!(matches!(Program::from_bytes(&program.to_bytes()), Err(DecodeError::Damaged(_))));
        assert!(program.validate().is_err());
    }
}
