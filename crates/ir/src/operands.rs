use crate::{BinaryOp, CompareOp, Op, ScanOp, ShiftOp, Template, TemplateId, UnaryOp, ValueId};

impl Op {
    /// The operation's name, as the text form writes it.
    pub fn name(&self) -> &'static str {
        match self {
            Op::Constant(_) => "constant",
            Op::Input { .. } => "input",
            Op::Output { .. } => "output",
            Op::Open(_) => "open",
            Op::Pin(domain, _) => domain.name(),
            Op::Unary(op, _) => op.name(),
            Op::Binary(op, ..) => op.name(),
            Op::ShiftBy(ShiftOp::Left, ..) => "shift_left_by",
            Op::ShiftBy(ShiftOp::RightU, ..) => "shift_right_u_by",
            Op::ShiftBy(ShiftOp::RightS, ..) => "shift_right_s_by",
            Op::Shift(ShiftOp::Left, ..) => "shift_left",
            Op::Shift(ShiftOp::RightU, ..) => "shift_right_u",
            Op::Shift(ShiftOp::RightS, ..) => "shift_right_s",
            Op::Compare(op, ..) => op.name(),
            Op::Select(..) => "select",
            Op::Extend { signed: false, .. } => "zero_extend",
            Op::Extend { signed: true, .. } => "sign_extend",
            Op::Slice { .. } => "slice",
            Op::Concat(_) => "concat",
            Op::Gather(..) => "gather",
            Op::Join(_) => "join",
            Op::SegmentSum { .. } => "segment_sum",
            Op::Scan { op, .. } => op.name(),
            Op::MatrixProduct { .. } => "matrix_product",
            Op::ArgMin { signed: false, .. } => "arg_min_u",
            Op::ArgMin { signed: true, .. } => "arg_min_s",
            Op::Sort { signed: false, .. } => "sort_u",
            Op::Sort { signed: true, .. } => "sort_s",
            Op::Permute { .. } => "permute",
            Op::Lookup { .. } => "lookup",
            Op::Update { .. } => "update",
            Op::Random(_) => "random",
            Op::Call { .. } => "call",
            Op::Map { .. } => "map",
            Op::Iterate { .. } => "iterate",
        }
    }

    /// Calls `visit` with every operand, in order.
    pub fn for_each_operand(&self, mut visit: impl FnMut(ValueId)) {
        match self {
            Op::Constant(_) | Op::Input { .. } | Op::Random(_) => {}
            Op::Output { value, .. }
            | Op::Open(value)
            | Op::Pin(_, value)
            | Op::Unary(_, value)
            | Op::ShiftBy(_, value, _)
            | Op::Extend { value, .. }
            | Op::Slice { value, .. }
            | Op::Gather(value, _)
            | Op::SegmentSum { value, .. }
            | Op::Scan { value, .. }
            | Op::ArgMin { value, .. } => visit(*value),
            Op::Binary(_, a, b)
            | Op::Shift(_, a, b)
            | Op::Compare(_, a, b)
            | Op::MatrixProduct { left: a, right: b, .. }
            | Op::Permute { value: a, order: b }
            | Op::Lookup { table: a, index: b } => [*a, *b].into_iter().for_each(visit),
            Op::Select(a, b, c) | Op::Update { table: a, index: b, value: c } => {
                [*a, *b, *c].into_iter().for_each(visit);
            }
            Op::Concat(values)
            | Op::Join(values)
            | Op::Call { arguments: values, .. }
            | Op::Map { arguments: values, .. } => values.iter().copied().for_each(visit),
            Op::Sort { key, payloads, .. } => {
                visit(*key);
                payloads.iter().copied().for_each(visit);
            }
            Op::Iterate { carried, invariant, sliced, .. } => {
                carried.iter().chain(invariant).chain(sliced).copied().for_each(visit);
            }
        }
    }

    /// Calls `visit` with every operand, in order, which may replace it.
    pub fn for_each_operand_mut(&mut self, mut visit: impl FnMut(&mut ValueId)) {
        match self {
            Op::Constant(_) | Op::Input { .. } | Op::Random(_) => {}
            Op::Output { value, .. }
            | Op::Open(value)
            | Op::Pin(_, value)
            | Op::Unary(_, value)
            | Op::ShiftBy(_, value, _)
            | Op::Extend { value, .. }
            | Op::Slice { value, .. }
            | Op::Gather(value, _)
            | Op::SegmentSum { value, .. }
            | Op::Scan { value, .. }
            | Op::ArgMin { value, .. } => visit(value),
            Op::Binary(_, a, b)
            | Op::Shift(_, a, b)
            | Op::Compare(_, a, b)
            | Op::MatrixProduct { left: a, right: b, .. }
            | Op::Permute { value: a, order: b }
            | Op::Lookup { table: a, index: b } => [a, b].into_iter().for_each(visit),
            Op::Select(a, b, c) | Op::Update { table: a, index: b, value: c } => {
                [a, b, c].into_iter().for_each(visit);
            }
            Op::Concat(values)
            | Op::Join(values)
            | Op::Call { arguments: values, .. }
            | Op::Map { arguments: values, .. } => values.iter_mut().for_each(visit),
            Op::Sort { key, payloads, .. } => {
                visit(key);
                payloads.iter_mut().for_each(visit);
            }
            Op::Iterate { carried, invariant, sliced, .. } => {
                carried.iter_mut().chain(invariant).chain(sliced).for_each(visit);
            }
        }
    }

    /// The number of results of the operation in a program with these templates; zero for a template that
    /// does not exist.
    pub fn result_count(&self, templates: &[Template]) -> usize {
        match self {
            Op::Output { .. } => 0,
            Op::ArgMin { .. } => 2,
            Op::Sort { payloads, .. } => 1 + payloads.len(),
            op => op.template().map_or(1, |id| templates.get(id.index()).map_or(0, |one| one.results.len())),
        }
    }

    /// Whether the operation computes nothing: it moves bits, says how they are shared, or is a constant.
    pub fn only_moves(&self) -> bool {
        matches!(
            self,
            Op::Constant(_)
                | Op::Extend { .. }
                | Op::Slice { .. }
                | Op::Concat(_)
                | Op::Gather(..)
                | Op::Join(_)
                | Op::Pin(..)
                | Op::ShiftBy(..)
        )
    }

    /// The template that the operation applies, if any.
    pub fn template(&self) -> Option<TemplateId> {
        match self {
            Op::Call { template, .. } | Op::Map { template, .. } | Op::Iterate { template, .. } => {
                Some(*template)
            }
            _ => None,
        }
    }
}

macro_rules! names {
    ($type:ident { $($variant:ident = $name:literal),* $(,)? }) => {
        impl $type {
            /// All operations of this kind.
            pub const ALL: &'static [Self] = &[$($type::$variant),*];

            /// The operation's name, as the text form writes it.
            pub fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name,)*
                }
            }
        }
    };
}

names!(UnaryOp { Neg = "neg", Not = "not", Invert = "invert" });
names!(BinaryOp {
    Add = "add",
    Sub = "sub",
    Mul = "mul",
    DivU = "div_u",
    DivS = "div_s",
    RemU = "rem_u",
    RemS = "rem_s",
    And = "and",
    Or = "or",
    Xor = "xor",
});
names!(ShiftOp { Left = "shift_left", RightU = "shift_right_u", RightS = "shift_right_s" });
names!(CompareOp { Eq = "eq", LtU = "lt_u", LtS = "lt_s" });
names!(ScanOp {
    Add = "scan_add",
    Xor = "scan_xor",
    And = "scan_and",
    Or = "scan_or",
    MinU = "scan_min_u",
    MinS = "scan_min_s",
    MaxU = "scan_max_u",
    MaxS = "scan_max_s",
});
