//! Bounds on ANDs, to decide what is copied into a circuit, and to refuse circuits that cannot fit before
//! they are written.

use tacit_ir::{BinaryOp, Body, NetlistGate, Op, Program, ScanOp, Type, UnaryOp, ValueId, ValueType};

/// Properties of a template before it is lowered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Profile {
    /// A lower bound on the ANDs of one application; saturates.
    pub(crate) ands: u64,
    /// A lower bound on the bits of the largest value within.
    pub(crate) widest: u64,
    /// The most lanes of a value within.
    pub(crate) lanes: u64,
    /// Whether a circuit can compute it: nothing random or pinned within.
    pub(crate) pure: bool,
    /// Places in the program that apply it.
    pub(crate) uses: u32,
}

/// Profiles of all templates.
pub(crate) fn profiles(program: &Program, types: &[Vec<ValueType>]) -> Vec<Profile> {
    let mut profiles: Vec<Profile> = Vec::with_capacity(program.templates.len());
    for (template, types) in program.templates.iter().zip(types) {
        let mut profile = Profile {
            ands: 0,
            // Zero where there are none.
            widest: types.iter().map(|ty| size(*ty)).max().unwrap_or(0),
            lanes: types.iter().map(|ty| ty.lanes).max().unwrap_or(0),
            pure: true,
            uses: 0,
        };
        match &template.body {
            Body::Netlist(netlist) => {
                let ands = netlist.gates.iter().filter(|gate| matches!(gate, NetlistGate::And(..))).count();
                profile.ands = ands as u64;
                profile.widest = profile.widest.max(netlist.gates.len() as u64);
            }
            Body::Operations { operations, .. } => {
                for operation in operations {
                    profile.ands = profile.ands.saturating_add(ands(&operation.op, types, &profiles, 1));
                    profile.pure &= !matches!(operation.op, Op::Random(_) | Op::Pin(..));
                    if let Some(applied) = operation.op.template() {
                        let applied = &mut profiles[applied.index()];
                        applied.uses += 1;
                        profile.pure &= applied.pure;
                        profile.widest = profile.widest.max(applied.widest);
                        profile.lanes = profile.lanes.max(applied.lanes);
                    }
                }
            }
        }
        profiles.push(profile);
    }
    profiles
}

/// Bits of a value.
pub(crate) fn size(ty: ValueType) -> u64 {
    match ty.ty {
        Type::Word(bits) => ty.lanes.saturating_mul(bits.into()),
        Type::Field(_) => ty.lanes,
    }
}

fn bits(ty: ValueType) -> u64 {
    match ty.ty {
        Type::Word(bits) => bits.into(),
        Type::Field(_) => 1,
    }
}

/// A bound on the ANDs of an operation in each of `shares` instances of a circuit that share its work; saturates.
pub(crate) fn ands(op: &Op, types: &[ValueType], profiles: &[Profile], shares: u64) -> u64 {
    let ty = |value: &ValueId| types[value.index()];
    let sum = |value: &ValueId, per_bit: u64| size(ty(value)).saturating_mul(per_bit) / shares;
    let of = |template: tacit_ir::TemplateId| profiles[template.index()].ands;
    match op {
        Op::Constant(_)
        | Op::Input { .. }
        | Op::Output { .. }
        | Op::Open(_)
        | Op::Pin(..)
        | Op::Random(_) => 0,
        Op::Unary(UnaryOp::Not, _) | Op::Binary(BinaryOp::Xor, ..) => 0,
        Op::ShiftBy(..)
        | Op::Extend { .. }
        | Op::Slice { .. }
        | Op::Concat(_)
        | Op::Gather(..)
        | Op::Join(_) => 0,
        Op::Unary(_, a) | Op::Compare(_, a, _) | Op::SegmentSum { value: a, .. } => sum(a, 1),
        Op::Select(_, a, _) => sum(a, 1),
        Op::Binary(BinaryOp::Mul, a, _) => sum(a, bits(ty(a))),
        Op::Binary(BinaryOp::DivU | BinaryOp::DivS | BinaryOp::RemU | BinaryOp::RemS, a, _) => {
            sum(a, bits(ty(a)).saturating_add(8))
        }
        Op::Binary(_, a, _) => sum(a, 1),
        Op::Shift(_, a, _) => sum(a, levels(bits(ty(a))) + 2),
        Op::Scan { op: ScanOp::Xor, .. } => 0,
        Op::Scan { value, .. } => sum(value, 2),
        Op::MatrixProduct { left, columns, .. } => sum(left, columns.saturating_mul(bits(ty(left)) + 1)),
        Op::ArgMin { value, length, .. } => {
            sum(value, 3).saturating_add(levels(*length) * ty(value).lanes / shares)
        }
        Op::Sort { key, payloads, length, .. } => {
            let moved: u64 = payloads.iter().map(|payload| bits(ty(payload))).sum();
            let level = levels(*length);
            let each = (2 * (bits(ty(key)) + level) + moved).saturating_mul(level * (level + 1));
            (ty(key).lanes / shares).saturating_mul(each) / 4
        }
        Op::Permute { value, order } => {
            let level = levels(ty(value).lanes);
            let each = (2 * bits(ty(order)) + bits(ty(value))).saturating_mul(level * (level + 1));
            ty(value).lanes.saturating_mul(each) / 2
        }
        Op::Lookup { table, index } => size(ty(table)).saturating_mul(ty(index).lanes / shares),
        Op::Update { table, .. } => size(ty(table)).saturating_add(2 * ty(table).lanes),
        Op::Call { template, .. } => of(*template),
        Op::Map { template, lanes, .. } => of(*template).saturating_mul(lanes / shares),
        Op::Iterate { template, count, .. } => of(*template).saturating_mul(*count),
    }
}

/// Bits of an operation's results in each of `shares` instances, where they may exceed those of its operands;
/// saturates. Templates are judged by the operations within.
pub(crate) fn result_size(op: &Op, types: &[ValueType], shares: u64) -> u64 {
    let ty = |value: &ValueId| types[value.index()];
    let all = |values: &[ValueId]| values.iter().fold(0u64, |sum, value| sum.saturating_add(size(ty(value))));
    let total = match op {
        Op::Constant(words) => words.lanes().saturating_mul(words.bits().into()),
        Op::Extend { value, bits, .. } => ty(value).lanes.saturating_mul((*bits).into()),
        Op::Concat(values) | Op::Join(values) => all(values),
        Op::Gather(value, index) => index.lanes(ty(value).lanes).saturating_mul(bits(ty(value))),
        Op::MatrixProduct { left, batch, rows, columns, .. } => {
            batch.saturating_mul(*rows).saturating_mul(*columns).saturating_mul(bits(ty(left)))
        }
        Op::Lookup { table, index } => ty(index).lanes.saturating_mul(bits(ty(table))),
        _ => 0,
    };
    total / shares
}

fn levels(count: u64) -> u64 {
    u64::from(tacit_ir::index_bits(count))
}
