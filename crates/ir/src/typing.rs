//! The width rules: from an operation and the types of its operands to the types of its results.
//!
//! The builder, the validator, the interpreter and the parser of the text form all use these rules.

use crate::{
    BinaryOp, CompareOp, Index, MAX_LANES, MAX_VALUE_BITS, MAX_WIDTH, Op, Type, UnaryOp, ValueId, ValueType,
    index_bits,
};

/// The environment of a template's operations: ports by column, and the templates that they may apply.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    /// Number of declared fields.
    pub(crate) fields: u32,
    /// Types of the columns of every input port.
    pub(crate) inputs: Vec<Vec<ValueType>>,
    /// Types of the columns of every output port.
    pub(crate) outputs: Vec<Vec<ValueType>>,
    /// The templates so far.
    pub(crate) templates: Vec<Signature>,
}

/// A template as seen by its callers.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) parameters: Vec<ValueType>,
    pub(crate) results: Vec<ValueType>,
    /// Upper bound on the bit operations of one application.
    pub(crate) work: u64,
    /// Depth of nested templates, including this one.
    pub(crate) depth: u32,
}

/// A scope without ports and templates, in which every field counts as declared.
pub(crate) static NOWHERE: Scope =
    Scope { fields: u32::MAX, inputs: Vec::new(), outputs: Vec::new(), templates: Vec::new() };

/// The types of an operation's results; one in nearly every case.
#[derive(Debug)]
pub(crate) enum Results {
    None,
    One(ValueType),
    Many(Vec<ValueType>),
}

impl Results {
    /// Appends the types and returns their number.
    pub(crate) fn append_to(self, types: &mut Vec<ValueType>) -> usize {
        let before = types.len();
        match self {
            Results::None => {}
            Results::One(ty) => types.push(ty),
            Results::Many(many) => types.extend(many),
        }
        types.len() - before
    }
}

/// Why an operation does not fit its operands.
type Typed<T> = Result<T, String>;

/// The types of the results of `op`, where `types` are those of the values before it.
pub(crate) fn results(op: &Op, types: &[ValueType], scope: &Scope) -> Typed<Results> {
    Rules { types, scope }.results(op)
}

/// Checks that a type is valid in a program: width, lanes and size within bounds, field declared.
pub(crate) fn check_type(ty: ValueType, fields: u32) -> Typed<ValueType> {
    if ty.lanes == 0 || ty.lanes > MAX_LANES {
        return Err(format!("{ty} has {} lanes, not 1 to {MAX_LANES}", ty.lanes));
    }
    match ty.ty {
        Type::Word(bits) if bits == 0 || bits > MAX_WIDTH => {
            Err(format!("{ty} is {bits} bits wide, not 1 to {MAX_WIDTH}"))
        }
        Type::Word(bits) if u64::from(bits) * ty.lanes > MAX_VALUE_BITS => {
            Err(format!("{ty} holds more than {MAX_VALUE_BITS} bits"))
        }
        Type::Field(field) if field.0 >= fields => Err(format!("{ty} names a field that is not declared")),
        _ => Ok(ty),
    }
}

struct Rules<'a> {
    types: &'a [ValueType],
    scope: &'a Scope,
}

impl Rules<'_> {
    fn results(&self, op: &Op) -> Typed<Results> {
        if let Op::Call { .. } | Op::Map { .. } | Op::Iterate { .. } | Op::ArgMin { .. } | Op::Sort { .. } =
            op
        {
            return self.many(op).map(Results::Many);
        }
        if let Op::Output { port, column, value } = op {
            let wanted = column_type(&self.scope.outputs, port.index(), *column)?;
            self.is(*value, wanted)?;
            return Ok(Results::None);
        }
        let ty = self.one(op)?;
        check_type(ty, self.scope.fields).map(Results::One)
    }

    fn one(&self, op: &Op) -> Typed<ValueType> {
        match op {
            Op::Constant(words) if words.is_well_formed() => Ok(words.value_type()),
            Op::Constant(_) => Err("the constant has no width or bits above it".into()),
            Op::Input { port, column } => column_type(&self.scope.inputs, port.index(), *column),
            Op::Open(value) | Op::Pin(_, value) => self.of(*value),
            Op::Unary(op, value) => self.unary(*op, *value),
            Op::Binary(op, a, b) => self.binary(*op, *a, *b),
            Op::ShiftBy(_, value, _) => self.word(*value).map(|(bits, lanes)| ValueType::word(bits, lanes)),
            Op::Shift(_, value, amount) => self.shift(*value, *amount),
            Op::Compare(op, a, b) => self.compare(*op, *a, *b),
            Op::Select(condition, a, b) => self.select(*condition, *a, *b),
            Op::Extend { value, bits, .. } => self.extend(*value, *bits),
            Op::Slice { value, low, bits } => self.slice(*value, *low, *bits),
            Op::Concat(values) => self.concat(values),
            Op::Gather(value, index) => self.gather(*value, index),
            Op::Join(values) => self.join(values),
            Op::SegmentSum { value, length } => {
                let ty = self.of(*value)?;
                Ok(ValueType { lanes: segments(ty, *length)?, ..ty })
            }
            Op::Scan { value, length, .. } => self.scan(*value, *length),
            Op::MatrixProduct { .. } => self.matrix_product(op),
            Op::Permute { value, order } => self.permute(*value, *order),
            Op::Lookup { table, index } => self.lookup(*table, *index),
            Op::Update { table, index, value } => self.update(*table, *index, *value),
            Op::Random(ty) => Ok(*ty),
            Op::Output { .. } => Err("an output has no result".into()),
            Op::ArgMin { .. } | Op::Sort { .. } | Op::Call { .. } | Op::Map { .. } | Op::Iterate { .. } => {
                Err("an operation of several results".into())
            }
        }
    }

    fn many(&self, op: &Op) -> Typed<Vec<ValueType>> {
        match op {
            Op::ArgMin { value, length, .. } => self.arg_min(*value, *length),
            Op::Sort { key, payloads, length, .. } => self.sort(*key, payloads, *length),
            Op::Call { template, arguments } => self.map(template.index(), 1, arguments),
            Op::Map { template, lanes, arguments } => self.map(template.index(), *lanes, arguments),
            _ => self.iterate(op),
        }
    }

    /// The type of an operand.
    fn of(&self, value: ValueId) -> Typed<ValueType> {
        self.types.get(value.index()).copied().ok_or_else(|| format!("{value} is not defined before it"))
    }

    /// Width and lanes of an operand that must be a word.
    fn word(&self, value: ValueId) -> Typed<(u32, u64)> {
        match self.of(value)? {
            ValueType { ty: Type::Word(bits), lanes } => Ok((bits, lanes)),
            ty => Err(format!("{value} is {ty}, not a word")),
        }
    }

    /// An operand that must have one given type.
    fn is(&self, value: ValueId, wanted: ValueType) -> Typed<()> {
        match self.of(value)? {
            ty if ty == wanted => Ok(()),
            ty => Err(format!("{value} is {ty} where {wanted} is expected")),
        }
    }

    /// Two operands of the same type.
    fn same(&self, a: ValueId, b: ValueId) -> Typed<ValueType> {
        match (self.of(a)?, self.of(b)?) {
            (first, second) if first == second => Ok(first),
            (first, second) => Err(format!("{a} is {first} but {b} is {second}")),
        }
    }

    fn unary(&self, op: UnaryOp, value: ValueId) -> Typed<ValueType> {
        let ty = self.of(value)?;
        match (op, ty.ty) {
            (UnaryOp::Not, Type::Field(_)) => Err(format!("{value} is {ty}, not a word")),
            (UnaryOp::Invert, Type::Word(_)) => Err(format!("{value} is {ty}, not of a field")),
            _ => Ok(ty),
        }
    }

    fn binary(&self, op: BinaryOp, a: ValueId, b: ValueId) -> Typed<ValueType> {
        let ty = self.same(a, b)?;
        match (op, ty.ty) {
            (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, _) | (_, Type::Word(_)) => Ok(ty),
            _ => Err(format!("{a} is {ty}, not a word")),
        }
    }

    fn shift(&self, value: ValueId, amount: ValueId) -> Typed<ValueType> {
        let ((bits, lanes), (_, amounts)) = (self.word(value)?, self.word(amount)?);
        match lanes == amounts {
            true => Ok(ValueType::word(bits, lanes)),
            false => Err(format!("{value} has {lanes} lanes but {amount} has {amounts}")),
        }
    }

    fn compare(&self, op: CompareOp, a: ValueId, b: ValueId) -> Typed<ValueType> {
        let ty = self.same(a, b)?;
        match (op, ty.ty) {
            (CompareOp::Eq, _) | (_, Type::Word(_)) => Ok(ValueType::word(1, ty.lanes)),
            _ => Err(format!("{a} is {ty}, not a word")),
        }
    }

    fn select(&self, condition: ValueId, a: ValueId, b: ValueId) -> Typed<ValueType> {
        let ty = self.same(a, b)?;
        self.is(condition, ValueType::word(1, ty.lanes))?;
        Ok(ty)
    }

    fn extend(&self, value: ValueId, bits: u32) -> Typed<ValueType> {
        let (old, lanes) = self.word(value)?;
        match bits >= old {
            true => Ok(ValueType::word(bits, lanes)),
            false => Err(format!("{value} has {old} bits, more than {bits}")),
        }
    }

    fn slice(&self, value: ValueId, low: u32, bits: u32) -> Typed<ValueType> {
        let (old, lanes) = self.word(value)?;
        match low.checked_add(bits) {
            Some(high) if high <= old => Ok(ValueType::word(bits, lanes)),
            _ => Err(format!("{value} has {old} bits, too few for {bits} from bit {low} up")),
        }
    }

    fn concat(&self, values: &[ValueId]) -> Typed<ValueType> {
        let first = values.first().ok_or("no operands")?;
        let (_, lanes) = self.word(*first)?;
        let mut total = 0u32;
        for value in values {
            let (bits, other) = self.word(*value)?;
            if other != lanes {
                return Err(format!("{first} has {lanes} lanes but {value} has {other}"));
            }
            total = total.saturating_add(bits);
        }
        Ok(ValueType::word(total, lanes))
    }

    fn gather(&self, value: ValueId, index: &Index) -> Typed<ValueType> {
        let ty = self.of(value)?;
        let lanes = index.check(ty.lanes).map_err(|reason| format!("{value} is {ty}: {reason}"))?;
        Ok(ValueType { lanes, ..ty })
    }

    fn join(&self, values: &[ValueId]) -> Typed<ValueType> {
        let first = *values.first().ok_or("no operands")?;
        let ty = self.of(first)?;
        let mut lanes = 0u64;
        for value in values {
            let other = self.of(*value)?;
            if other.ty != ty.ty {
                return Err(format!("{first} is {ty} but {value} is {other}"));
            }
            lanes = lanes.saturating_add(other.lanes);
        }
        Ok(ValueType { lanes, ..ty })
    }

    fn scan(&self, value: ValueId, length: u64) -> Typed<ValueType> {
        let (bits, lanes) = self.word(value)?;
        let ty = ValueType::word(bits, lanes);
        segments(ty, length).map(|_| ty)
    }

    fn matrix_product(&self, op: &Op) -> Typed<ValueType> {
        let Op::MatrixProduct { left, right, batch, rows, inner, columns } = op else {
            return Err("not a matrix product".into());
        };
        let (a, b) = (self.of(*left)?, self.of(*right)?);
        if a.ty != b.ty {
            return Err(format!("{left} is {a} but {right} is {b}"));
        }
        for (value, ty, m, n) in [(left, a, rows, inner), (right, b, inner, columns)] {
            if product([*batch, *m, *n]) != Some(ty.lanes) {
                return Err(format!("{value} has {} lanes, not {batch}·{m}·{n}", ty.lanes));
            }
        }
        let lanes = product([*batch, *rows, *columns]).ok_or("the result is too large")?;
        Ok(ValueType { ty: a.ty, lanes })
    }

    fn arg_min(&self, value: ValueId, length: u64) -> Typed<Vec<ValueType>> {
        let (bits, lanes) = self.word(value)?;
        let lanes = segments(ValueType::word(bits, lanes), length)?;
        Ok(vec![ValueType::word(bits, lanes), ValueType::word(index_bits(length), lanes)])
    }

    fn sort(&self, key: ValueId, payloads: &[ValueId], length: u64) -> Typed<Vec<ValueType>> {
        let (bits, lanes) = self.word(key)?;
        let mut types = vec![ValueType::word(bits, lanes)];
        segments(types[0], length)?;
        for payload in payloads {
            let ty = self.of(*payload)?;
            if ty.lanes != lanes {
                return Err(format!("{key} has {lanes} lanes but {payload} has {}", ty.lanes));
            }
            types.push(ty);
        }
        Ok(types)
    }

    fn permute(&self, value: ValueId, order: ValueId) -> Typed<ValueType> {
        let ty = self.of(value)?;
        self.is(order, ValueType::word(index_bits(ty.lanes), ty.lanes))?;
        Ok(ty)
    }

    fn lookup(&self, table: ValueId, index: ValueId) -> Typed<ValueType> {
        let (table, (_, lanes)) = (self.of(table)?, self.word(index)?);
        Ok(ValueType { lanes, ..table })
    }

    fn update(&self, table: ValueId, index: ValueId, value: ValueId) -> Typed<ValueType> {
        let (ty, (_, lanes)) = (self.of(table)?, self.word(index)?);
        if lanes != 1 {
            return Err(format!("{index} has {lanes} lanes, not 1"));
        }
        self.is(value, ValueType { lanes: 1, ..ty })?;
        Ok(ty)
    }

    fn template(&self, template: usize) -> Typed<&Signature> {
        self.scope
            .templates
            .get(template)
            .ok_or_else(|| format!("@{template} is not a template before this one"))
    }

    fn map(&self, template: usize, lanes: u64, arguments: &[ValueId]) -> Typed<Vec<ValueType>> {
        let signature = self.template(template)?;
        at_least_one(lanes, "instances")?;
        if signature.parameters.len() != arguments.len() {
            return Err(format!(
                "{} arguments for {} parameters",
                arguments.len(),
                signature.parameters.len()
            ));
        }
        for (argument, parameter) in arguments.iter().zip(&signature.parameters) {
            self.is(*argument, self.times(*parameter, lanes)?)?;
        }
        signature.results.iter().map(|result| self.times(*result, lanes)).collect()
    }

    fn iterate(&self, op: &Op) -> Typed<Vec<ValueType>> {
        let Op::Iterate { template, count, carried, invariant, sliced } = op else {
            return Err("not an iteration".into());
        };
        let signature = self.template(template.index())?;
        at_least_one(*count, "iterations")?;
        let arguments = carried.len() + invariant.len() + sliced.len();
        if signature.parameters.len() != arguments {
            return Err(format!("{arguments} arguments for {} parameters", signature.parameters.len()));
        }
        if signature.results.len() < carried.len() {
            return Err(format!("{} results for {} carried values", signature.results.len(), carried.len()));
        }
        let (whole, slices) = signature.parameters.split_at(carried.len() + invariant.len());
        for (value, parameter) in carried.iter().chain(invariant).zip(whole) {
            self.is(*value, *parameter)?;
        }
        for (value, parameter) in sliced.iter().zip(slices) {
            self.is(*value, self.times(*parameter, *count)?)?;
        }
        let (last, stacks) = signature.results.split_at(carried.len());
        for (number, (result, parameter)) in last.iter().zip(whole).enumerate() {
            if result != parameter {
                return Err(format!("carried value {number} enters as {parameter} and leaves as {result}"));
            }
        }
        let stacks = stacks.iter().map(|result| self.times(*result, *count));
        last.iter().map(|result| Ok(*result)).chain(stacks).collect()
    }

    /// A type with `count` times as many lanes.
    fn times(&self, ty: ValueType, count: u64) -> Typed<ValueType> {
        check_type(ValueType { lanes: ty.lanes.saturating_mul(count), ..ty }, self.scope.fields)
    }
}

fn column_type(ports: &[Vec<ValueType>], port: usize, column: u32) -> Typed<ValueType> {
    let columns = ports.get(port).ok_or_else(|| format!("there is no port {port}"))?;
    columns.get(column as usize).copied().ok_or_else(|| format!("port {port} has no column {column}"))
}

/// Number of segments of `length` lanes.
fn segments(ty: ValueType, length: u64) -> Typed<u64> {
    match length != 0 && ty.lanes.is_multiple_of(length) {
        true => Ok(ty.lanes / length),
        false => Err(format!("segments of {length} lanes do not divide {ty}")),
    }
}

fn at_least_one(count: u64, what: &str) -> Typed<()> {
    if count == 0 { Err(format!("no {what}")) } else { Ok(()) }
}

fn product(factors: [u64; 3]) -> Option<u64> {
    factors.into_iter().try_fold(1u64, u64::checked_mul).filter(|product| *product > 0)
}
