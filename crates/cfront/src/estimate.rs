//! Estimates the size of the circuit of a program.

use tacit_ir::{BinaryOp, Body, CompareOp, Op, Operation, Program, ValueId};

/// The AND gates of a program's main template, estimated from the sizes of simple circuits for its
/// operations.
pub(crate) fn and_gates(program: &Program) -> u64 {
    let Some(template) = program.templates.get(program.main.index()) else { return 0 };
    let Body::Operations { operations, .. } = &template.body else { return 0 };
    let mut values = Values { program, known: Vec::with_capacity(operations.len()) };
    operations.iter().fold(0, |sum: u64, operation| sum.saturating_add(values.add(operation)))
}

/// Bits, lanes and the set bits of constants, by value.
struct Values<'p> {
    program: &'p Program,
    known: Vec<Value>,
}

#[derive(Clone, Copy, Default)]
struct Value {
    bits: u64,
    lanes: u64,
    ones: Option<u64>,
}

impl Values<'_> {
    fn get(&self, value: ValueId) -> Value {
        self.known.get(value.index()).copied().unwrap_or_default()
    }

    /// The cost of an operation; records its result.
    fn add(&mut self, operation: &Operation) -> u64 {
        let plain = |bits: u64, lanes: u64| Value { bits, lanes, ones: None };
        let (result, cost) = match &operation.op {
            Op::Constant(words) => {
                let ones = words.limbs().iter().map(|limb| u64::from(limb.count_ones())).sum();
                (Value { bits: words.bits().into(), lanes: words.lanes(), ones: Some(ones) }, 0)
            }
            Op::Input { port, column } => {
                let port = self.program.inputs.get(port.index());
                let columns = port.map(|port| port.shape.columns()).unwrap_or_default();
                let column = columns.get(*column as usize);
                (column.map_or(Value::default(), |column| plain(column.bits.into(), column.lanes)), 0)
            }
            Op::Output { .. } => return 0,
            Op::Unary(_, a) => (self.get(*a), 0),
            Op::Binary(op, a, b) => {
                let (a, b) = (self.get(*a), self.get(*b));
                (plain(a.bits, a.lanes), a.lanes * binary(*op, a, b))
            }
            Op::ShiftBy(_, a, _) => (Value { ones: None, ..self.get(*a) }, 0),
            Op::Shift(_, a, n) => {
                let (a, n) = (self.get(*a), self.get(*n));
                (plain(a.bits, a.lanes), a.bits * n.bits * a.lanes)
            }
            Op::Compare(op, a, _) => {
                let a = self.get(*a);
                (plain(1, a.lanes), a.lanes * (a.bits - u64::from(*op == CompareOp::Eq)))
            }
            Op::Select(_, a, b) => {
                let (a, b) = (self.get(*a), self.get(*b));
                let free = a.ones.is_some() && b.ones.is_some();
                (plain(a.bits, a.lanes), if free { 0 } else { a.bits * a.lanes })
            }
            Op::Extend { value, bits, .. } | Op::Slice { value, bits, .. } => {
                (plain((*bits).into(), self.get(*value).lanes), 0)
            }
            Op::Concat(parts) => {
                let bits = parts.iter().map(|part| self.get(*part).bits).sum();
                (plain(bits, parts.first().map_or(1, |part| self.get(*part).lanes)), 0)
            }
            Op::Gather(a, index) => {
                let a = self.get(*a);
                (plain(a.bits, index.lanes(a.lanes)), 0)
            }
            Op::Join(parts) => {
                let lanes = parts.iter().map(|part| self.get(*part).lanes).sum();
                (plain(parts.first().map_or(1, |part| self.get(*part).bits), lanes), 0)
            }
            Op::SegmentSum { value, length } => {
                let a = self.get(*value);
                (plain(a.bits, a.lanes / (*length).max(1)), a.lanes * a.bits / 2)
            }
            Op::Lookup { table, index } => {
                let (table, index) = (self.get(*table), self.get(*index));
                (plain(table.bits, index.lanes), table.lanes.saturating_sub(1) * table.bits * index.lanes)
            }
            Op::Update { table, .. } => {
                let table = self.get(*table);
                (plain(table.bits, table.lanes), table.lanes * (table.bits + 1))
            }
            // Operations that this front end never writes.
            _ => (Value::default(), 0),
        };
        self.known.push(result);
        cost
    }
}

fn binary(op: BinaryOp, a: Value, b: Value) -> u64 {
    let bits = a.bits;
    match (op, a.ones.or(b.ones)) {
        (BinaryOp::Xor, _) | (BinaryOp::And | BinaryOp::Or, Some(_)) => 0,
        (BinaryOp::And | BinaryOp::Or, None) => bits,
        (BinaryOp::Add | BinaryOp::Sub, _) => bits.saturating_sub(1),
        (BinaryOp::Mul, Some(ones)) => ones.saturating_sub(1) * bits * 3 / 4,
        (BinaryOp::Mul, None) => bits * bits,
        (BinaryOp::DivU | BinaryOp::DivS | BinaryOp::RemU | BinaryOp::RemS, _) => bits * bits,
    }
}
