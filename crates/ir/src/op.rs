//! The operations.

use serde::{Deserialize, Serialize};

use crate::{Domain, PortId, TemplateId, ValueId, ValueType, Words};

/// Operations with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum UnaryOp {
    /// Additive inverse, modulo `2^bits` or in the field.
    Neg,
    /// Bitwise complement of a word.
    Not,
    /// Multiplicative inverse in a field; zero maps to zero.
    Invert,
}

/// Operations with two operands of the same type. All are total.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BinaryOp {
    /// Sum, modulo `2^bits` or in the field.
    Add,
    /// Difference, modulo `2^bits` or in the field.
    Sub,
    /// Product, modulo `2^bits` or in the field.
    Mul,
    /// Unsigned quotient; all ones if the divisor is zero.
    DivU,
    /// Signed quotient rounded towards zero; -1 if the divisor is zero; the minimum divided by -1 is the
    /// minimum.
    DivS,
    /// Unsigned remainder; the dividend if the divisor is zero.
    RemU,
    /// Signed remainder with the sign of the dividend; the dividend if the divisor is zero.
    RemS,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
}

/// Shifts. An amount of at least the width gives zero, or the sign in every bit for [`ShiftOp::RightS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ShiftOp {
    /// Towards the most significant bit.
    Left,
    /// Towards the least significant bit; zeros enter.
    RightU,
    /// Towards the least significant bit; the sign enters.
    RightS,
}

/// Comparisons; the result is a one-bit word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CompareOp {
    /// Equal.
    Eq,
    /// Less than, unsigned.
    LtU,
    /// Less than, signed.
    LtS,
}

/// Associative operations of a prefix scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ScanOp {
    /// Running sum modulo `2^bits`.
    Add,
    /// Running exclusive or.
    Xor,
    /// Running and.
    And,
    /// Running or.
    Or,
    /// Running minimum, unsigned.
    MinU,
    /// Running minimum, signed.
    MinS,
    /// Running maximum, unsigned.
    MaxU,
    /// Running maximum, signed.
    MaxS,
}

/// Public positions of lanes: lane `i` of the result is lane `position(i)` of the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Index {
    /// Any positions.
    List(Vec<u32>),
    /// `start`, `start + step`, … : `count` positions.
    Range {
        /// First position.
        start: u32,
        /// Distance from one position to the next; may be negative.
        step: i64,
        /// Number of positions.
        count: u64,
    },
    /// Each lane `each` times in a row, and all of that `tiles` times.
    Repeat {
        /// Consecutive copies of each lane.
        each: u32,
        /// Copies of the whole.
        tiles: u32,
    },
}

/// One operation of a template. Operands are values of the same template defined before it.
///
/// “Same type” below means the same element type and the same number of lanes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Op {
    /// A public constant.
    Constant(Words),
    /// A column of an input port. Only in `main`, once for each column.
    Input {
        /// The port.
        port: PortId,
        /// The index of the column.
        column: u32,
    },
    /// Gives a value to a column of an output port. Only in `main`, once for each column; no result.
    Output {
        /// The port.
        port: PortId,
        /// The index of the column.
        column: u32,
        /// The value, of the column's type.
        value: ValueId,
    },
    /// Reveals a value to all parties; the result is public.
    Open(ValueId),
    /// An operation on one operand, lane by lane.
    Unary(UnaryOp, ValueId),
    /// An operation on two operands of the same type, lane by lane.
    Binary(BinaryOp, ValueId, ValueId),
    /// A shift by a public amount.
    ShiftBy(ShiftOp, ValueId, u32),
    /// A shift of the first by the second, which has equally many lanes but may have another width.
    Shift(ShiftOp, ValueId, ValueId),
    /// A comparison of two operands of the same type: a one-bit word in each lane.
    Compare(CompareOp, ValueId, ValueId),
    /// The second operand if the one-bit condition is 1, else the third; all three have equally many lanes.
    Select(ValueId, ValueId, ValueId),
    /// Widens to `bits`, with zeros or with the sign.
    Extend {
        /// The narrower value.
        value: ValueId,
        /// The new width, at least the old one.
        bits: u32,
        /// Whether the sign fills the new bits.
        signed: bool,
    },
    /// `bits` bits from bit `low` up.
    Slice {
        /// The wider value.
        value: ValueId,
        /// Lowest bit taken.
        low: u32,
        /// Number of bits taken.
        bits: u32,
    },
    /// Concatenated words, the first the least significant; all have equally many lanes.
    Concat(Vec<ValueId>),
    /// Lanes at public positions.
    Gather(ValueId, Index),
    /// Lanes one after the other; all operands have the same element type.
    Join(Vec<ValueId>),
    /// The sum of each segment of `length` consecutive lanes, modulo `2^bits` or in the field.
    SegmentSum {
        /// The summands.
        value: ValueId,
        /// Lanes in a segment; divides the lanes.
        length: u64,
    },
    /// The inclusive scan of each segment of `length` consecutive lanes.
    Scan {
        /// The operation.
        op: ScanOp,
        /// The values.
        value: ValueId,
        /// Lanes in a segment; divides the lanes.
        length: u64,
    },
    /// `batch` products of a `rows × inner` by an `inner × columns` matrix, row-major, modulo `2^bits` or in the field.
    MatrixProduct {
        /// `batch × rows × inner` lanes.
        left: ValueId,
        /// `batch × inner × columns` lanes.
        right: ValueId,
        /// Number of independent products.
        batch: u64,
        /// Rows of the left matrix.
        rows: u64,
        /// Columns of the left, rows of the right matrix.
        inner: u64,
        /// Columns of the right matrix.
        columns: u64,
    },
    /// In each segment of `length` consecutive lanes, the minimum and the position of its first occurrence
    /// (`ceil(log2(length))` bits, at least 1). Two results.
    ArgMin {
        /// The values.
        value: ValueId,
        /// Lanes in a segment; divides the lanes.
        length: u64,
        /// Whether values are compared with a sign.
        signed: bool,
    },
    /// Sorts each segment of `length` consecutive lanes by key, ascending and stable, and moves payloads
    /// along. Results: the keys, then each payload.
    Sort {
        /// The keys.
        key: ValueId,
        /// Values that move with the keys and have equally many lanes.
        payloads: Vec<ValueId>,
        /// Lanes in a segment; divides the lanes.
        length: u64,
        /// Whether keys are compared with a sign.
        signed: bool,
    },
    /// Lane `i` of the result is lane `order[i]` of the value; `order` holds a secret permutation in words of
    /// `ceil(log2(lanes))` bits, at least 1. If it is not a permutation, the result is unspecified but
    /// reveals nothing.
    Permute {
        /// The values.
        value: ValueId,
        /// The permutation.
        order: ValueId,
    },
    /// For each lane of `index`, the lane of `table` at that secret position, as found by the tree of
    /// multiplexers over the index's bits: see [`crate::lookup_position`] for positions beyond the table.
    Lookup {
        /// The table, with one entry in each lane.
        table: ValueId,
        /// The positions.
        index: ValueId,
    },
    /// The table with the entry at a secret position replaced; unchanged if the position is beyond the table.
    Update {
        /// The table, with one entry in each lane.
        table: ValueId,
        /// The position, one lane.
        index: ValueId,
        /// The new entry, one lane.
        value: ValueId,
    },
    /// Uniformly random elements that no party knows.
    Random(ValueType),
    /// Applies a template once. Results: the template's.
    Call {
        /// The template, which must come before this one.
        template: TemplateId,
        /// Its arguments, of exactly its parameters' types.
        arguments: Vec<ValueId>,
    },
    /// Applies a template `lanes` times side by side: for a parameter of `k` lanes, the argument has `lanes ·
    /// k`, instance after instance; the same holds for results.
    Map {
        /// The template, which must come before this one.
        template: TemplateId,
        /// Number of instances.
        lanes: u64,
        /// Its arguments.
        arguments: Vec<ValueId>,
    },
    /// Applies a template `count` times in sequence. Its parameters are the carried values, the invariant ones,
    /// and one slice of each sliced value (iteration `i` sees lanes `i·k ..(i+1)·k`); its results are the
    /// carried values, then values to stack. Results: the last carried values, then each stack (`count · k` lanes).
    Iterate {
        /// The template, which must come before this one.
        template: TemplateId,
        /// Number of iterations, at least 1.
        count: u64,
        /// Initial values of what is carried from iteration to iteration.
        carried: Vec<ValueId>,
        /// Values that every iteration sees whole.
        invariant: Vec<ValueId>,
        /// Values of which every iteration sees a slice.
        sliced: Vec<ValueId>,
    },
    /// The same value, shared in this way between two computing parties.
    Pin(Domain, ValueId),
}

/// An operation and its source line.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Operation {
    /// The operation.
    pub op: Op,
    /// Line of the source, 0 if unknown.
    pub line: u32,
}
