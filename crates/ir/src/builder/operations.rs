//! The operations of a template, one method each.

use super::TemplateBuilder;
use super::template::Built;
use crate::typing::NOWHERE;
use crate::{BinaryOp, CompareOp, Domain, Index, Op, ScanOp, ShiftOp, Type, UnaryOp, ValueId, ValueType};

impl TemplateBuilder {
    /// Sum modulo `2^bits`, or in the field.
    pub fn add(&mut self, a: ValueId, b: ValueId) -> Built {
        self.one(Op::Binary(BinaryOp::Add, a, b))
    }

    /// Difference modulo `2^bits`, or in the field.
    pub fn sub(&mut self, a: ValueId, b: ValueId) -> Built {
        self.one(Op::Binary(BinaryOp::Sub, a, b))
    }

    /// Product modulo `2^bits`, or in the field.
    pub fn mul(&mut self, a: ValueId, b: ValueId) -> Built {
        self.one(Op::Binary(BinaryOp::Mul, a, b))
    }

    /// Unsigned quotient; all ones if `b` is zero.
    pub fn div_u(&mut self, a: ValueId, b: ValueId) -> Built {
        self.one(Op::Binary(BinaryOp::DivU, a, b))
    }

    /// Signed quotient rounded towards zero; -1 if `b` is zero.
    pub fn div_s(&mut self, a: ValueId, b: ValueId) -> Built {
        self.one(Op::Binary(BinaryOp::DivS, a, b))
    }

    /// Unsigned remainder; `a` if `b` is zero.
    pub fn rem_u(&mut self, a: ValueId, b: ValueId) -> Built {
        self.one(Op::Binary(BinaryOp::RemU, a, b))
    }

    /// Signed remainder with the sign of `a`; `a` if `b` is zero.
    pub fn rem_s(&mut self, a: ValueId, b: ValueId) -> Built {
        self.one(Op::Binary(BinaryOp::RemS, a, b))
    }

    /// Bitwise and.
    pub fn and(&mut self, a: ValueId, b: ValueId) -> Built {
        self.one(Op::Binary(BinaryOp::And, a, b))
    }

    /// Bitwise or.
    pub fn or(&mut self, a: ValueId, b: ValueId) -> Built {
        self.one(Op::Binary(BinaryOp::Or, a, b))
    }

    /// Bitwise exclusive or.
    pub fn xor(&mut self, a: ValueId, b: ValueId) -> Built {
        self.one(Op::Binary(BinaryOp::Xor, a, b))
    }

    /// Additive inverse modulo `2^bits`, or in the field.
    pub fn neg(&mut self, a: ValueId) -> Built {
        self.one(Op::Unary(UnaryOp::Neg, a))
    }

    /// Bitwise complement.
    pub fn not(&mut self, a: ValueId) -> Built {
        self.one(Op::Unary(UnaryOp::Not, a))
    }

    /// Multiplicative inverse in a field; zero maps to zero.
    pub fn invert(&mut self, a: ValueId) -> Built {
        self.one(Op::Unary(UnaryOp::Invert, a))
    }

    /// Whether `a` equals `b`: one bit in each lane.
    pub fn eq(&mut self, a: ValueId, b: ValueId) -> Built {
        self.one(Op::Compare(CompareOp::Eq, a, b))
    }

    /// Whether `a` is less than `b`, unsigned.
    pub fn lt_u(&mut self, a: ValueId, b: ValueId) -> Built {
        self.one(Op::Compare(CompareOp::LtU, a, b))
    }

    /// Whether `a` is less than `b`, signed.
    pub fn lt_s(&mut self, a: ValueId, b: ValueId) -> Built {
        self.one(Op::Compare(CompareOp::LtS, a, b))
    }

    /// Whether `a` differs from `b`.
    pub fn ne(&mut self, a: ValueId, b: ValueId) -> Built {
        let equal = self.eq(a, b)?;
        self.not(equal)
    }

    /// Whether `a` is at most `b`, unsigned.
    pub fn le_u(&mut self, a: ValueId, b: ValueId) -> Built {
        let greater = self.lt_u(b, a)?;
        self.not(greater)
    }

    /// Whether `a` is at most `b`, signed.
    pub fn le_s(&mut self, a: ValueId, b: ValueId) -> Built {
        let greater = self.lt_s(b, a)?;
        self.not(greater)
    }

    /// A shift by a public amount.
    pub fn shift_by(&mut self, op: ShiftOp, a: ValueId, amount: u32) -> Built {
        self.one(Op::ShiftBy(op, a, amount))
    }

    /// A shift of `a` by `b`, which has as many lanes and any width.
    pub fn shift(&mut self, op: ShiftOp, a: ValueId, b: ValueId) -> Built {
        self.one(Op::Shift(op, a, b))
    }

    /// `a` if the one-bit `condition` is 1, else `b`.
    pub fn select(&mut self, condition: ValueId, a: ValueId, b: ValueId) -> Built {
        self.one(Op::Select(condition, a, b))
    }

    /// Widens to `bits` with zeros; a value of that width is returned as it is.
    pub fn zero_extend(&mut self, a: ValueId, bits: u32) -> Built {
        self.extend(a, bits, false)
    }

    /// Widens to `bits` with the sign; a value of that width is returned as it is.
    pub fn sign_extend(&mut self, a: ValueId, bits: u32) -> Built {
        self.extend(a, bits, true)
    }

    fn extend(&mut self, value: ValueId, bits: u32, signed: bool) -> Built {
        match self.has_width(value, bits) {
            true => Ok(value),
            false => self.one(Op::Extend { value, bits, signed }),
        }
    }

    /// The low `bits` bits; a value of that width is returned as it is.
    pub fn truncate(&mut self, a: ValueId, bits: u32) -> Built {
        self.slice(a, 0, bits)
    }

    /// `bits` bits from bit `low` up; a value of that width is returned as it is.
    pub fn slice(&mut self, a: ValueId, low: u32, bits: u32) -> Built {
        match low == 0 && self.has_width(a, bits) {
            true => Ok(a),
            false => self.one(Op::Slice { value: a, low, bits }),
        }
    }

    fn has_width(&self, value: ValueId, bits: u32) -> bool {
        self.type_of(value).is_some_and(|ty| ty.ty == Type::Word(bits))
    }

    /// Concatenates words; the first is the least significant.
    pub fn concat(&mut self, values: &[ValueId]) -> Built {
        self.one(Op::Concat(values.to_vec()))
    }

    /// Lanes at public positions.
    pub fn gather(&mut self, a: ValueId, index: Index) -> Built {
        self.one(Op::Gather(a, index))
    }

    /// Lanes one after the other.
    pub fn join(&mut self, values: &[ValueId]) -> Built {
        self.one(Op::Join(values.to_vec()))
    }

    /// The sum of each segment of `length` consecutive lanes.
    pub fn segment_sum(&mut self, value: ValueId, length: u64) -> Built {
        self.one(Op::SegmentSum { value, length })
    }

    /// The inclusive scan of each segment of `length` consecutive lanes.
    pub fn scan(&mut self, op: ScanOp, value: ValueId, length: u64) -> Built {
        self.one(Op::Scan { op, value, length })
    }

    /// `batch` products of a `rows × inner` by an `inner × columns` matrix, row-major: see [`Op::MatrixProduct`].
    pub fn matrix_product(
        &mut self,
        left: ValueId,
        right: ValueId,
        batch: u64,
        rows: u64,
        inner: u64,
        columns: u64,
    ) -> Built {
        self.one(Op::MatrixProduct { left, right, batch, rows, inner, columns })
    }

    /// In each segment of `length` consecutive lanes, the minimum and the position of its first occurrence.
    pub fn arg_min(&mut self, value: ValueId, length: u64, signed: bool) -> Built<(ValueId, ValueId)> {
        let results = self.append(&NOWHERE, Op::ArgMin { value, length, signed })?;
        Ok((results[0], results[1]))
    }

    /// Sorts each segment of `length` consecutive lanes by key, stable. Results: the keys, then each payload.
    pub fn sort(
        &mut self,
        key: ValueId,
        payloads: &[ValueId],
        length: u64,
        signed: bool,
    ) -> Built<Vec<ValueId>> {
        self.append(&NOWHERE, Op::Sort { key, payloads: payloads.to_vec(), length, signed })
    }

    /// Lane `order[i]` of `value` at lane `i`, for a secret permutation `order`.
    pub fn permute(&mut self, value: ValueId, order: ValueId) -> Built {
        self.one(Op::Permute { value, order })
    }

    /// For each lane of `index`, the lane of `table` at that secret position.
    pub fn lookup(&mut self, table: ValueId, index: ValueId) -> Built {
        self.one(Op::Lookup { table, index })
    }

    /// `table` with the entry at the secret position `index` replaced by `value`.
    pub fn update(&mut self, table: ValueId, index: ValueId, value: ValueId) -> Built {
        self.one(Op::Update { table, index, value })
    }

    /// Uniformly random elements that no party knows.
    pub fn random(&mut self, ty: ValueType) -> Built {
        self.one(Op::Random(ty))
    }

    /// The same value, shared in this way.
    pub fn pin(&mut self, domain: Domain, value: ValueId) -> Built {
        self.one(Op::Pin(domain, value))
    }

    /// Reveals a value to all parties.
    pub fn open(&mut self, value: ValueId) -> Built {
        self.one(Op::Open(value))
    }
}
