use std::collections::HashMap;

use crate::typing::{NOWHERE, Scope, results};
use crate::{
    BinaryOp, Body, BuildError, Builder, CompareOp, Index, Op, Operation, PortId, ScanOp, ShiftOp, Template,
    TemplateId, Type, UnaryOp, ValueId, ValueType, Words,
};

/// Writes the operations of one template.
///
/// Every method appends one operation and returns its result; a `Constant` whose value was written before is
/// reused. Methods fail where types do not fit, so a finished template is well typed.
///
/// Cost: time and memory per operation do not depend on how many came before.
#[derive(Debug)]
pub struct TemplateBuilder {
    name: String,
    parameters: Vec<ValueType>,
    types: Vec<ValueType>,
    operations: Vec<Operation>,
    constants: HashMap<Words, ValueId>,
    line: u32,
}

/// The result of an operation.
type Built<T = ValueId> = Result<T, BuildError>;

impl TemplateBuilder {
    pub(crate) fn new(name: &str, parameters: Vec<ValueType>) -> Self {
        TemplateBuilder {
            name: name.to_owned(),
            types: parameters.clone(),
            parameters,
            operations: Vec::new(),
            constants: HashMap::new(),
            line: 0,
        }
    }

    pub(crate) fn into_template(self, results: Vec<ValueId>) -> Built<Template> {
        let undefined =
            |value: &ValueId| BuildError::new("template", format!("result {value} is not defined"));
        let ty = |value: &ValueId| self.types.get(value.index()).copied().ok_or_else(|| undefined(value));
        let types = results.iter().map(ty).collect::<Built<_>>()?;
        let body = Body::Operations { operations: self.operations, results };
        Ok(Template { name: self.name, parameters: self.parameters, results: types, body })
    }

    /// The parameters as values.
    pub fn parameters(&self) -> Vec<ValueId> {
        (0..self.parameters.len() as u32).map(ValueId).collect()
    }

    /// The type of a value of this template.
    ///
    /// # Panics
    /// Where `value` is not of this template.
    pub fn value_type(&self, value: ValueId) -> ValueType {
        self.types[value.index()]
    }

    /// Sets the source line of the operations that follow; 0 where unknown.
    pub fn set_line(&mut self, line: u32) {
        self.line = line;
    }

    /// Number of operations so far.
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Number of parameters and results so far.
    pub(crate) fn value_count(&self) -> usize {
        self.types.len()
    }

    /// Whether there is no operation yet.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// A public constant.
    pub fn constant(&mut self, words: Words) -> Built {
        if let Some(known) = self.constants.get(&words) {
            return Ok(*known);
        }
        let value = self.one(Op::Constant(words.clone()))?;
        self.constants.insert(words, value);
        Ok(value)
    }

    /// A public constant of one lane, reduced modulo `2^bits`.
    pub fn word(&mut self, bits: u32, value: u128) -> Built {
        self.constant(Words::scalar(bits, value))
    }

    /// The columns of an input. Only in `main`, once.
    pub fn input(&mut self, program: &Builder, port: PortId) -> Built<Vec<ValueId>> {
        let columns = program.input_columns(port).len() as u32;
        if columns == 0 {
            return Err(BuildError::new("input", format!("there is no {port}")));
        }
        (0..columns).map(|column| self.one_in(program.scope(), Op::Input { port, column })).collect()
    }

    /// Gives the columns of an output. Only in `main`, once.
    pub fn output(&mut self, program: &Builder, port: PortId, values: &[ValueId]) -> Built<()> {
        let columns = program.output_columns(port).len();
        if columns != values.len() || columns == 0 {
            return Err(BuildError::new(
                "output",
                format!("{} values for the {columns} columns of {port}", values.len()),
            ));
        }
        for (column, value) in values.iter().enumerate() {
            self.append(program.scope(), Op::Output { port, column: column as u32, value: *value })?;
        }
        Ok(())
    }

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

    /// Unsigned quotient; all ones where `b` is zero.
    pub fn div_u(&mut self, a: ValueId, b: ValueId) -> Built {
        self.one(Op::Binary(BinaryOp::DivU, a, b))
    }

    /// Signed quotient rounded towards zero; -1 where `b` is zero.
    pub fn div_s(&mut self, a: ValueId, b: ValueId) -> Built {
        self.one(Op::Binary(BinaryOp::DivS, a, b))
    }

    /// Unsigned remainder; `a` where `b` is zero.
    pub fn rem_u(&mut self, a: ValueId, b: ValueId) -> Built {
        self.one(Op::Binary(BinaryOp::RemU, a, b))
    }

    /// Signed remainder with the sign of `a`; `a` where `b` is zero.
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

    /// `a` where the one-bit `condition` is 1, else `b`.
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
        self.types.get(value.index()).is_some_and(|ty| ty.ty == Type::Word(bits))
    }

    /// Words side by side, the first the least significant.
    pub fn concat(&mut self, values: &[ValueId]) -> Built {
        self.one(Op::Concat(values.to_vec()))
    }

    /// Lanes chosen in public.
    pub fn gather(&mut self, a: ValueId, index: Index) -> Built {
        self.one(Op::Gather(a, index))
    }

    /// Lanes one after the other.
    pub fn join(&mut self, values: &[ValueId]) -> Built {
        self.one(Op::Join(values.to_vec()))
    }

    /// The sum of each `length` lanes in a row.
    pub fn segment_sum(&mut self, value: ValueId, length: u64) -> Built {
        self.one(Op::SegmentSum { value, length })
    }

    /// The inclusive scan of each `length` lanes in a row.
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

    /// In each `length` lanes in a row, the minimum and the position of its first occurrence.
    pub fn arg_min(&mut self, value: ValueId, length: u64, signed: bool) -> Built<(ValueId, ValueId)> {
        let results = self.append(&NOWHERE, Op::ArgMin { value, length, signed })?;
        Ok((results[0], results[1]))
    }

    /// Sorts each `length` lanes in a row by key, stable: the keys, then each payload.
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

    /// Reveals a value to all parties.
    pub fn open(&mut self, value: ValueId) -> Built {
        self.one(Op::Open(value))
    }

    /// Applies a template once; the results are the template's.
    pub fn call(
        &mut self,
        program: &Builder,
        template: TemplateId,
        arguments: &[ValueId],
    ) -> Built<Vec<ValueId>> {
        self.append(program.scope(), Op::Call { template, arguments: arguments.to_vec() })
    }

    /// Applies a template `lanes` times side by side.
    pub fn map(
        &mut self,
        program: &Builder,
        template: TemplateId,
        lanes: u64,
        arguments: &[ValueId],
    ) -> Built<Vec<ValueId>> {
        self.append(program.scope(), Op::Map { template, lanes, arguments: arguments.to_vec() })
    }

    /// Applies a template `count` times in sequence: the last carried values, then what was stacked.
    pub fn iterate(
        &mut self,
        program: &Builder,
        template: TemplateId,
        count: u64,
        carried: &[ValueId],
        invariant: &[ValueId],
        sliced: &[ValueId],
    ) -> Built<Vec<ValueId>> {
        let [carried, invariant, sliced] = [carried, invariant, sliced].map(<[ValueId]>::to_vec);
        self.append(program.scope(), Op::Iterate { template, count, carried, invariant, sliced })
    }

    /// Appends any operation; `program` knows the ports and templates it may name. Returns its results.
    pub fn push(&mut self, program: &Builder, op: Op) -> Built<Vec<ValueId>> {
        self.append(program.scope(), op)
    }

    fn one(&mut self, op: Op) -> Built {
        self.one_in(&NOWHERE, op)
    }

    fn one_in(&mut self, scope: &Scope, op: Op) -> Built {
        let first = self.types.len() as u32;
        self.write(scope, op).map(|_| ValueId(first))
    }

    fn append(&mut self, scope: &Scope, op: Op) -> Built<Vec<ValueId>> {
        let first = self.types.len() as u32;
        let count = self.write(scope, op)? as u32;
        Ok((first..first + count).map(ValueId).collect())
    }

    /// Types an operation, appends it, and returns the number of its results.
    fn write(&mut self, scope: &Scope, op: Op) -> Built<usize> {
        let fail = |reason: String| BuildError::new(op.name(), reason);
        let results = results(&op, &self.types, scope).map_err(fail)?;
        let count = results.append_to(&mut self.types);
        if self.types.len() > u32::MAX as usize {
            return Err(BuildError::new(op.name(), "too many values in one template"));
        }
        self.operations.push(Operation { op, line: self.line });
        Ok(count)
    }
}
