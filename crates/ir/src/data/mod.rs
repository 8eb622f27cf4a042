//! The data of users: JSON for the inputs and outputs of a program.
//!
//! An integer is a JSON number without fraction or exponent, of any size that its type holds; an array is a
//! list; a struct is an object. `true` and `false` are accepted as 1 and 0 for one unsigned bit. Outputs are
//! always numbers, exact at every width.
//!
//! A float is a JSON number, rounded to the nearest float (ties to even), or one of the texts `"Infinity"`,
//! `"-Infinity"`, `"NaN"` and `"-NaN"`. `NaN` is the quiet one without a payload; others include the bits of
//! their fraction, as in `"-NaN(0x1)"`. Outputs have as many digits as needed to distinguish them from every
//! other float, so that reading them gives the same bits.
//!
//! ```
//! use serde_json::json;
//! use tacit_ir::{Shape, data};
//!
//! let byte = Shape::Integer { bits: 8, signed: false };
//! let point = Shape::Struct(vec![("x".into(), byte.clone()), ("y".into(), byte)]);
//! let points = Shape::Array { length: 2, element: Box::new(point) };
//! let columns = data::decode(&points, &json!([{"x": 1, "y": 2}, {"x": 3, "y": 4}])).unwrap();
//! assert_eq!(data::encode(&points, &columns), json!([{"x": 1, "y": 2}, {"x": 3, "y": 4}]));
//! let error = data::decode(&points, &json!([{"x": 1, "y": 2}, {"x": 3, "y": 300}])).unwrap_err();
//! assert_eq!(error.to_string(), "[1].y: 300 does not fit in 8 bits unsigned");
//! ```

mod decode;
mod encode;
mod float;
mod ports;
#[cfg(test)]
mod tests;

pub use decode::decode;
pub use encode::encode;
pub use ports::{decode_inputs, encode_all_outputs, encode_outputs, merge_outputs};

/// Why data does not fit a program. Every `path` is like `db[3].x`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DataError {
    /// A value of another kind than expected.
    #[error("{}{found} where {wanted} is expected", prefix(path))]
    Kind {
        /// Where.
        path: String,
        /// The kind found.
        found: String,
        /// The kind expected.
        wanted: String,
    },
    /// An integer beyond the range of its type.
    #[error("{}{value} does not fit in {bits} bits {}", prefix(path), if *signed { "signed" } else { "unsigned" })]
    Range {
        /// Where.
        path: String,
        /// The integer, shortened if it is long.
        value: String,
        /// Width of the type.
        bits: u32,
        /// Whether the type has a sign.
        signed: bool,
    },
    /// A number too large for a float.
    #[error("{}{value} is beyond the range of a float of {bits} bits", prefix(path))]
    FloatRange {
        /// Where.
        path: String,
        /// The number, shortened if it is long.
        value: String,
        /// Width of the type.
        bits: u32,
    },
    /// A list of another length.
    #[error("{}{given} elements where {wanted} are expected", prefix(path))]
    Length {
        /// Where.
        path: String,
        /// Number of elements found.
        given: usize,
        /// Number of elements expected.
        wanted: u32,
    },
    /// A variable or member that is missing.
    #[error("{path} is missing")]
    Missing {
        /// Its path.
        path: String,
    },
    /// A variable or member that does not exist.
    #[error("{path} is unknown; expected {}", expected.join(", "))]
    Unknown {
        /// Its path.
        path: String,
        /// The names that exist.
        expected: Vec<String>,
    },
    /// Two roles report different values for an output that both receive.
    #[error("the roles disagree on the output {path}")]
    Disagreement {
        /// The output.
        path: String,
    },
}

fn prefix(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("{path}: ") }
}
