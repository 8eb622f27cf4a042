//! In which domain every value of a template is shared, and what of it is known.
//!
//! A pinned value is shared as the pin says. An input or random value that only pins of one domain read is shared so
//! from the start. Every other operation goes by its operands: one that shares of sums can compute is computed on them
//! where an operand is shared so; any other works on bits, `bool` where an operand is, otherwise in the domain that the
//! program starts in. Operands in other domains are converted where they are read. Parameters and results of templates
//! are bits. Where sums are compared as they are the results are in `bool`, which draws nothing else there.
//!
//! Values that arithmetic operations connect are shared modulo one power of two, that of the widest of them, so that
//! widening a value whose range is known costs nothing: its shares already sum to the number itself. A square of n bits with a
//! sign has 2n - 1 bits without one. Where the range is not known widening takes bits.

use std::collections::BTreeMap;

use tacit_ir::{
    BinaryOp, CompareOp, Domain, Op, Operation, ScanOp, ShiftOp, Type, UnaryOp, ValueId, ValueType, Words,
};

use crate::inline::Context;
use crate::options::Options;
use tacit_schedule::{MAX_ARITH_BITS, Relation};

/// Numbers that a value is one of: 0 to 2^bits - 1, or with a sign -2^(bits-1) to 2^(bits-1) - 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    bits: u32,
    signed: bool,
}

impl Range {
    /// Bits with a sign.
    fn signed_bits(self) -> u32 {
        self.bits + u32::from(!self.signed)
    }

    /// The sum of up to 2^log values of two ranges.
    fn sum(self, other: Range, log: u32) -> Range {
        match self.signed || other.signed {
            true => Range { bits: self.signed_bits().max(other.signed_bits()) + log, signed: true },
            false => Range { bits: self.bits.max(other.bits) + log, signed: false },
        }
    }

    /// The difference of values of two ranges.
    fn difference(self, other: Range) -> Range {
        match self.signed || other.signed {
            true => Range { bits: self.signed_bits().max(other.signed_bits()) + 1, signed: true },
            false => Range { bits: self.bits.max(other.bits) + 1, signed: true },
        }
    }

    /// The square of a number: never negative.
    fn square(self) -> Range {
        Range { bits: 2 * self.bits - u32::from(self.signed && self.bits > 0), signed: false }
    }

    fn product(self, other: Range) -> Range {
        match self.signed || other.signed {
            true => Range { bits: self.signed_bits() + other.signed_bits(), signed: true },
            false => Range { bits: self.bits + other.bits, signed: false },
        }
    }

    /// The range, if no number of it is beyond a word of `bits` bits.
    fn within(self, bits: u32) -> Option<Range> {
        (self.bits <= bits).then_some(self)
    }
}

/// What is decided of a template's values and operations.
pub(crate) struct Domains {
    /// Of each value; constants have none of their own.
    of_value: Vec<Option<Domain>>,
    /// In which domain each operation works.
    pub(crate) of_operation: Vec<Domain>,
    /// Of each value that is shared by sum, or read so: the width of its shares.
    ring: Vec<u32>,
    /// Whether a value's top bit is a sign where its shares are wider than it is.
    signed: Vec<bool>,
    /// How the words are compared of which a value tells, and in how many bits.
    comparisons: BTreeMap<u32, (Relation, u32)>,
    /// The domain of bits that nothing decides.
    home: Domain,
}

impl Domains {
    pub(crate) fn new(
        context: Context<'_>,
        options: &Options,
        (parameters, types): (usize, &[ValueType]),
        operations: &[Operation],
        results: &[ValueId],
    ) -> Domains {
        let home = options.domain;
        let bits_home = if home == Domain::Bool { Domain::Bool } else { Domain::Yao };
        let mut rules = Rules {
            context,
            types,
            home,
            bits_home,
            wanted: wanted(context, types, parameters, operations, results),
            signed: signs(types, parameters, operations, context),
            of_value: vec![Some(bits_home); parameters],
            ranges: vec![None; parameters],
            rings: (0..types.len()).collect(),
            least: vec![0; types.len()],
            passing: vec![false; parameters],
            direct: options.direct_comparisons,
            shifts: options.direct_shifts,
        };
        let mut comparisons = BTreeMap::new();
        let mut of_operation = Vec::with_capacity(operations.len());
        for operation in operations {
            let first = rules.of_value.len();
            if let Some(comparison) = rules.comparison(&operation.op) {
                let (_, bits) = comparison;
                operation.op.for_each_operand(|value| {
                    let least = &mut rules.least[value.index()];
                    *least = bits.max(*least);
                });
                comparisons.insert(first as u32, comparison);
                of_operation.push(Domain::Arith);
                rules.of_value.push(Some(Domain::Bool));
                rules.ranges.push(None);
                rules.passing.push(true);
                continue;
            }
            let passing = rules.passes(&operation.op);
            let (domain, range) = rules.operation(&operation.op, first);
            // What any domain will do for is done where bits are.
            of_operation.push(domain.unwrap_or(bits_home));
            let count = context.result_count(&operation.op) as usize;
            rules.of_value.extend(std::iter::repeat_n(domain, count));
            rules.ranges.extend(std::iter::repeat_n(range, count));
            rules.passing.extend(std::iter::repeat_n(passing, count));
            if domain == Some(Domain::Arith) && !is_right_shift(&operation.op) {
                rules.connect(&operation.op, first);
            }
        }
        let ring = rules.ring_bits();
        let (of_value, signed) = (rules.of_value, rules.signed);
        Domains { of_value, of_operation, ring, signed, comparisons, home: bits_home }
    }

    /// The domain of a value; none of a constant.
    pub(crate) fn of(&self, value: ValueId) -> Option<Domain> {
        self.of_value[value.index()]
    }

    /// The domain of bits of what nothing decides: parameters and results of templates.
    pub(crate) fn home(&self) -> Domain {
        self.home
    }

    /// Width of the shares of a value by sum.
    pub(crate) fn ring(&self, value: ValueId) -> u32 {
        self.ring[value.index()]
    }

    /// How the words shared by sum are compared of which a value tells, and in how many bits.
    pub(crate) fn comparison(&self, value: ValueId) -> Option<(Relation, u32)> {
        self.comparisons.get(&value.0).copied()
    }

    /// Whether wider shares of a value have its sign.
    pub(crate) fn signed(&self, value: ValueId) -> bool {
        self.signed[value.index()]
    }
}

fn word(ty: ValueType) -> u32 {
    match ty.ty {
        Type::Word(bits) => bits,
        Type::Field(_) => u32::MAX,
    }
}

/// For each value, the domain that all its readers pin it to, if there is one.
fn wanted(
    context: Context<'_>,
    types: &[ValueType],
    parameters: usize,
    operations: &[Operation],
    results: &[ValueId],
) -> Vec<Option<Domain>> {
    // None while nobody reads; then what is wanted, if anything.
    let mut wanted: Vec<Option<Option<Domain>>> = vec![None; types.len()];
    let mut read = |value: ValueId, domain: Option<Domain>| {
        let slot = &mut wanted[value.index()];
        *slot = match *slot {
            None => Some(domain),
            Some(other) if other == domain => Some(domain),
            Some(_) => Some(None),
        };
    };
    let mut next = parameters as u32;
    for operation in operations {
        let domain = if let Op::Pin(domain, _) = operation.op { Some(domain) } else { None };
        operation.op.for_each_operand(|value| read(value, domain));
        next += context.result_count(&operation.op);
    }
    // Both count the results of the same operations; what does not agree ends in an index out of bounds.
    debug_assert_eq!(next as usize, types.len());
    results.iter().for_each(|value| read(*value, None));
    wanted.into_iter().map(Option::flatten).collect()
}

/// Whether a value's widening, or that of another name of it, fills in its sign: the same for all names, since they are widened
/// as one.
fn signs(
    types: &[ValueType],
    parameters: usize,
    operations: &[Operation],
    context: Context<'_>,
) -> Vec<bool> {
    let mut signed = vec![false; types.len()];
    let mut first = types.len() as u32;
    // Types are those of parameters, then of results.
    debug_assert!(parameters <= types.len());
    for operation in operations.iter().rev() {
        first -= context.result_count(&operation.op);
        match &operation.op {
            Op::Extend { value, signed: true, .. } => signed[value.index()] = true,
            Op::Pin(_, value) | Op::Open(value) | Op::Gather(value, _) => {
                signed[value.index()] |= signed[first as usize];
            }
            Op::Join(values) if signed[first as usize] => {
                values.iter().for_each(|value| signed[value.index()] = true);
            }
            // All others read values as they are.
            _ => {}
        }
    }
    let mut first = parameters;
    for operation in operations {
        if let Op::Pin(_, value) | Op::Open(value) | Op::Gather(value, _) = &operation.op {
            signed[first] = signed[value.index()];
        }
        first += context.result_count(&operation.op) as usize;
    }
    signed
}

struct Rules<'a> {
    context: Context<'a>,
    types: &'a [ValueType],
    home: Domain,
    bits_home: Domain,
    wanted: Vec<Option<Domain>>,
    signed: Vec<bool>,
    of_value: Vec<Option<Domain>>,
    ranges: Vec<Option<Range>>,
    /// Sets of values that share one ring, as a forest.
    rings: Vec<usize>,
    /// The least width of a value's shares.
    least: Vec<u32>,
    /// Whether a value is in `bool` only because a comparison of sums gives it so.
    passing: Vec<bool>,
    /// Whether sums are compared as they are.
    direct: bool,
    /// Whether sums are shifted to the right as they are.
    shifts: bool,
}

impl Rules<'_> {
    fn bits(&self, value: usize) -> u32 {
        word(self.types[value])
    }

    /// What is known of a value that is converted, or given, as it is.
    fn whole(&self, value: usize) -> Option<Range> {
        Some(Range { bits: self.bits(value), signed: self.signed[value] })
    }

    /// What is known of an operand of arithmetic.
    fn range(&self, value: ValueId) -> Option<Range> {
        match self.of_value[value.index()] {
            Some(Domain::Arith) => self.ranges[value.index()],
            _ => self.whole(value.index()),
        }
    }

    fn is(&self, value: ValueId, domain: Domain) -> bool {
        self.of_value[value.index()] == Some(domain)
    }

    /// Where an operation works, and what is known of its result, `result`.
    fn operation(&self, op: &Op, result: usize) -> (Option<Domain>, Option<Range>) {
        match op {
            Op::Constant(words) => (None, Some(known(words))),
            Op::Output { .. } => (None, None),
            Op::Open(value) | Op::Gather(value, _) => {
                let domain = self.of_value[value.index()];
                let range = if domain == Some(Domain::Arith) { self.ranges[value.index()] } else { None };
                (domain, range)
            }
            Op::Pin(Domain::Arith, value) => (Some(Domain::Arith), self.range(*value)),
            Op::Pin(domain, _) => (Some(*domain), None),
            Op::Input { .. } | Op::Random(_) => self.source(op, result),
            Op::Call { .. } | Op::Map { .. } | Op::Iterate { .. } => (Some(self.bits_home), None),
            op => match self.arithmetic(op, result) {
                Some(range) => (Some(Domain::Arith), range),
                None => (Some(self.on_bits(op)), None),
            },
        }
    }

    fn source(&self, op: &Op, result: usize) -> (Option<Domain>, Option<Range>) {
        // What nobody wants in a domain comes in that of all values.
        let domain = self.wanted[result].unwrap_or(self.home);
        match domain {
            Domain::Arith if self.bits(result) > MAX_ARITH_BITS => (Some(self.bits_home), None),
            // Shares that were kept are sums modulo 2^bits, whatever ring they come into.
            Domain::Arith if self.is_fresh(op) => (Some(domain), self.whole(result)),
            domain => (Some(domain), None),
        }
    }

    /// Whether this is an input that is shared in this run.
    fn is_fresh(&self, op: &Op) -> bool {
        let program = self.context.program;
        matches!(op, Op::Input { port, .. } if !program.inputs[port.index()].is_stored(program))
    }

    /// The domain of an operation on bits.
    fn on_bits(&self, op: &Op) -> Domain {
        let (mut any_bool, mut any_yao) = (false, false);
        op.for_each_operand(|value| {
            any_bool |= self.is(value, Domain::Bool) && !self.passing[value.index()];
            any_yao |= self.is(value, Domain::Yao);
        });
        match (any_bool, any_yao) {
            (true, _) => Domain::Bool,
            (false, true) => Domain::Yao,
            (false, false) => self.bits_home,
        }
    }

    /// Whether the result is in `bool` only because its operand is.
    fn passes(&self, op: &Op) -> bool {
        matches!(op, Op::Open(value) | Op::Gather(value, _) if self.passing[value.index()])
    }

    /// How an operation compares shares of sums as they are, and in how many bits, if it does.
    fn comparison(&self, op: &Op) -> Option<(Relation, u32)> {
        let Op::Compare(compare, a, b) = op else { return None };
        let [first, second] = [a, b].map(|value| self.of_value[value.index()]);
        let is_sum = |domain| matches!(domain, None | Some(Domain::Arith));
        let bits = self.bits(a.index());
        let any = first.or(second).is_some();
        if !self.direct || !any || !is_sum(first) || !is_sum(second) || bits > MAX_ARITH_BITS {
            return None;
        }
        let signed = match compare {
            CompareOp::Eq => return Some((Relation::Equal, bits)),
            CompareOp::LtU => false,
            CompareOp::LtS => true,
        };
        let difference =
            self.number(*a, signed).zip(self.number(*b, signed)).map(|(a, b)| a.difference(b).bits);
        // A constant is not widened.
        let most = if first.and(second).is_some() { MAX_ARITH_BITS } else { bits };
        Some(match difference {
            Some(wide) if wide <= most => (Relation::LessWithin, wide),
            _ if signed => (Relation::LessSigned, bits),
            _ => (Relation::LessUnsigned, bits),
        })
    }

    /// The range of a constant or a sum, if its word means the number itself.
    fn number(&self, value: ValueId, signed: bool) -> Option<Range> {
        let (range, bits) = (self.ranges[value.index()]?, self.bits(value.index()));
        let means = if signed { range.signed_bits() <= bits } else { !range.signed };
        means.then_some(range)
    }

    /// What is known of the result, if the operation works on shares of sums.
    fn arithmetic(&self, op: &Op, result: usize) -> Option<Option<Range>> {
        let mut any = false;
        let mut fits = self.bits(result) <= MAX_ARITH_BITS;
        op.for_each_operand(|value| {
            any |= self.is(value, Domain::Arith);
            fits &= self.bits(value.index()) <= MAX_ARITH_BITS;
        });
        if !any || !fits {
            return None;
        }
        let bits = self.bits(result);
        let of = |a: &ValueId, b: &ValueId| self.range(*a).zip(self.range(*b));
        Some(
            match op {
                Op::Binary(BinaryOp::Add, a, b) => of(a, b).map(|(a, b)| a.sum(b, 1)),
                Op::Binary(BinaryOp::Sub, a, b) => of(a, b).map(|(a, b)| a.difference(b)),
                Op::Binary(BinaryOp::Mul, a, b) if a == b => self.range(*a).map(Range::square),
                Op::Binary(BinaryOp::Mul, a, b) => of(a, b).map(|(a, b)| a.product(b)),
                Op::Unary(UnaryOp::Neg, a) => self.range(*a).map(|a| a.difference(a)),
                Op::SegmentSum { value, length } | Op::Scan { op: ScanOp::Add, value, length } => {
                    self.range(*value).map(|range| range.sum(range, log(*length)))
                }
                Op::MatrixProduct { left, right, inner, .. } => {
                    of(left, right).map(|(a, b)| a.product(b)).map(|range| range.sum(range, log(*inner)))
                }
                Op::ShiftBy(ShiftOp::Left, a, by) => {
                    self.range(*a).map(|a| Range { bits: a.bits.saturating_add(*by), ..a })
                }
                // Shares of the result mean nothing beyond its width.
                Op::ShiftBy(ShiftOp::RightU | ShiftOp::RightS, _, by)
                    if self.shifts && (1..bits).contains(by) =>
                {
                    None
                }
                Op::Slice { value, low: 0, .. } => self.range(*value),
                Op::Extend { value, signed, .. } => return self.extended(*value, *signed).map(Some),
                Op::Join(values) => {
                    let mut ranges = values.iter().map(|value| self.range(*value));
                    if !values.iter().all(|value| self.is(*value, Domain::Arith)) {
                        return None;
                    }
                    ranges.next().flatten().and_then(|first| {
                        ranges.try_fold(first, |all, range| range.map(|range| all.sum(range, 0)))
                    })
                }
                _ => return None,
            }
            .and_then(|range| range.within(bits)),
        )
    }

    /// The range of a value that widening leaves as it is.
    fn extended(&self, value: ValueId, signed: bool) -> Option<Range> {
        let bits = self.bits(value.index());
        // Only shares of sums stay as they are; others widen for nothing as they are.
        let range = self.is(value, Domain::Arith).then(|| self.range(value)).flatten()?;
        let same = match signed {
            true => range.signed || range.bits < bits,
            false => !range.signed,
        };
        same.then_some(range)
    }

    /// Puts result and operands of an arithmetic operation into one ring.
    fn connect(&mut self, op: &Op, result: usize) {
        // Conversions make shares for each reader by itself.
        let mut operands = Vec::new();
        op.for_each_operand(|value| {
            if self.is(value, Domain::Arith) {
                operands.push(value);
            }
        });
        for value in operands {
            let (a, b) = (self.root(value.index()), self.root(result));
            self.rings[a.max(b)] = a.min(b);
        }
    }

    fn root(&self, mut value: usize) -> usize {
        while self.rings[value] != value {
            value = self.rings[value];
        }
        value
    }

    /// The width of the shares of each value: that of the widest in its ring.
    fn ring_bits(&self) -> Vec<u32> {
        let mut widest = vec![0; self.types.len()];
        for value in 0..self.types.len() {
            let root = self.root(value);
            let bits = self.bits(value).max(self.least[value]);
            widest[root] = bits.max(widest[root]);
        }
        (0..self.types.len()).map(|value| widest[self.root(value)]).collect()
    }
}

/// Whether an operation shifts to the right: its operand's ring is not the result's.
fn is_right_shift(op: &Op) -> bool {
    matches!(op, Op::ShiftBy(ShiftOp::RightU | ShiftOp::RightS, ..))
}

/// The range of a constant.
fn known(words: &Words) -> Range {
    let used = |lane: u64| (0..words.bits()).rev().find(|bit| words.bit(lane, *bit)).map_or(0, |bit| bit + 1);
    Range { bits: (0..words.lanes()).map(used).max().unwrap_or(0), signed: false }
}

/// Bits that the sum of so many values has more than they have.
fn log(count: u64) -> u32 {
    count.next_power_of_two().trailing_zeros()
}
