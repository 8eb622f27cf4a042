//! Single operations on floating-point numbers as programs, for front ends that apply them element by element.

use tacit_ir::{BuildError, Program};

use crate::emit::emit_word;
use crate::float::{FloatOp, Floats, Format, Relation, convert};
use crate::graph::{Graph, Word};

/// An integer, or a number with a binary point: the integer divided by `2^fraction`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FixedFormat {
    bits: u32,
    signed: bool,
    fraction: u32,
}

impl FixedFormat {
    /// The maximum width in bits.
    pub const MAX_BITS: u32 = 128;

    /// The format of `bits` bits, of which `fraction` are after the binary point: 1 to [`FixedFormat::MAX_BITS`] bits, and fewer
    /// after the point.
    pub fn new(bits: u32, signed: bool, fraction: u32) -> Option<Self> {
        let is_valid = (1..=Self::MAX_BITS).contains(&bits) && fraction < bits;
        is_valid.then_some(FixedFormat { bits, signed, fraction })
    }
}

/// An operation on floating-point numbers of one format, rounded to nearest even as IEEE 754-2019 defines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatOperation {
    /// `a + b`.
    Add,
    /// `a - b`.
    Subtract,
    /// `a * b`.
    Multiply,
    /// `a / b`.
    Divide,
    /// The smaller number; a NaN if either is one. -0 is less than +0.
    Minimum,
    /// The greater number; a NaN if either is one.
    Maximum,
    /// Whether `a < b`; false if either is a NaN.
    Less,
    /// Whether `a <= b`; false if either is a NaN.
    LessOrEqual,
    /// Whether `a == b`; false if either is a NaN.
    Equal,
    /// The square root; a NaN for negative numbers.
    SquareRoot,
    /// The nearest number of the other format: of 32 bits for operands of 64 bits, and vice versa.
    OtherFormat,
    /// The number nearest to an operand of this format.
    From(FixedFormat),
    /// The operand in this format: the integer part, or with a binary point the nearest number. Values out of
    /// range become the nearest number in range, a NaN becomes 0.
    To(FixedFormat),
}

impl FloatOperation {
    /// The program of the operation, with the inputs `a` and, for operations of two numbers, `b`; its output is `result`.
    ///
    /// # Errors
    /// [`BuildError`] if the program cannot be built; no operation is known for which that happens.
    pub fn program(self, format: Format) -> Result<Program, BuildError> {
        let (mut graph, bits) = (Graph::default(), format.bits());
        let inputs = match self {
            FloatOperation::SquareRoot | FloatOperation::OtherFormat | FloatOperation::To(_) => vec![bits],
            FloatOperation::From(fixed) => vec![fixed.bits],
            _ => vec![bits, bits],
        };
        let words: Vec<Word> =
            (0..).zip(&inputs).map(|(port, bits)| graph.input(port, 0, 0, *bits)).collect();
        let result = self.word(&mut graph, format, words[0], words[words.len() - 1]);
        emit_word("operation", &graph, &inputs, result)
    }

    /// The result on `a` and `b`, the same word for operations of one number.
    fn word(self, graph: &mut Graph, format: Format, a: Word, b: Word) -> Word {
        let floats = &mut Floats::new(graph, format);
        let less = Relation { less: true, ..Relation::default() };
        let equal = Relation { equal: true, ..Relation::default() };
        match self {
            FloatOperation::Add => floats.binary(FloatOp::Add, a, b),
            FloatOperation::Subtract => floats.binary(FloatOp::Subtract, a, b),
            FloatOperation::Multiply => floats.binary(FloatOp::Multiply, a, b),
            FloatOperation::Divide => floats.binary(FloatOp::Divide, a, b),
            FloatOperation::Minimum => floats.strict_extreme(a, b, true),
            FloatOperation::Maximum => floats.strict_extreme(a, b, false),
            FloatOperation::Less => floats.compare(less, a, b),
            FloatOperation::LessOrEqual => floats.compare(Relation { equal: true, ..less }, a, b),
            FloatOperation::Equal => floats.compare(equal, a, b),
            FloatOperation::SquareRoot => floats.square_root(a),
            FloatOperation::OtherFormat => convert(graph, a, format, format.other()),
            FloatOperation::From(fixed) => floats.number_of_fixed(a, fixed.signed, fixed.fraction),
            FloatOperation::To(fixed) => floats.saturated(a, fixed.bits, fixed.signed, fixed.fraction),
        }
    }
}
