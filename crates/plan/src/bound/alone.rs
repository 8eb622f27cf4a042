//! A single operation as a program that is lowered and counted.

use std::collections::HashMap;

use tacit_ir::{
    BinaryOp, Body, Domain, InputPort, Op, Operation, OutputPort, PortId, Program, RoleId, Shape, Template,
    TemplateId, Type, UnaryOp, ValueId, ValueType, Words,
};
use tacit_lower::{Library, Options, lower_with, with_wide_ands};
use tacit_schedule::{Schedule, rules};

use super::linear::Linear;
use super::values::Values;
use crate::candidate::Candidate;
use crate::planner::Planner;
use crate::{GarblerChoice, Lattices, MatrixChoice, PlanOptions, PricedRun, Prices, TransferExtension};

/// From this many lanes on, values are computed lane by lane, with some to spare.
const LEAST_LANES: u64 = 64;
/// Longest chain of extensions of an operand that is followed.
const DEEPEST: u32 = 8;

/// An operation with what is known of its operands. It is repeated for a number of units (lanes or segments
/// of lanes), each at the same cost.
#[derive(Clone, Debug)]
pub(super) struct Alone {
    /// The values that its operands derive from, in order.
    given: Vec<Given>,
    op: Op,
    results: Vec<GivenResult>,
    units: u64,
    /// For a product of matrices: products of two words that cost no more in a circuit.
    products: Option<Box<Alone>>,
}

/// A value before the operation.
#[derive(Clone, Debug)]
struct Given {
    from: GivenKind,
    /// Lanes for each unit.
    lanes: u64,
}

#[derive(Clone, Debug)]
enum GivenKind {
    /// An input of this width.
    Input(u32),
    /// A constant that is the same in each lane.
    Constant(Words),
    /// Another given value, wider.
    Extended { of: usize, bits: u32, signed: bool },
}

/// A result of the operation.
#[derive(Clone, Copy, Debug)]
struct GivenResult {
    bits: u32,
    lanes: u64,
}

/// Collects the values from which the operands of an operation derive.
struct Operands<'a> {
    values: Values<'a>,
    given: Vec<Given>,
    known: HashMap<ValueId, usize>,
    /// The number of units, or none if every lane is a unit.
    units: Option<u64>,
}

impl Operands<'_> {
    /// The place of a value; none if it cannot be priced.
    fn place(&mut self, value: ValueId, depth: u32) -> Option<usize> {
        if let Some(place) = self.known.get(&value) {
            return Some(*place);
        }
        let ValueType { ty: Type::Word(bits), lanes } = self.values.ty(value) else { return None };
        let lanes = match self.units {
            Some(units) if lanes.is_multiple_of(units) => lanes / units,
            Some(_) => return None,
            None => 1,
        };
        let from = match self.values.giver(value) {
            Some(Op::Constant(words)) => GivenKind::Constant(uniform(words)?),
            Some(Op::Extend { value, bits, signed }) if depth > 0 => {
                GivenKind::Extended { of: self.place(*value, depth - 1)?, bits: *bits, signed: *signed }
            }
            _ => GivenKind::Input(bits),
        };
        self.given.push(Given { from, lanes });
        self.known.insert(value, self.given.len() - 1);
        Some(self.given.len() - 1)
    }
}

/// One lane of a constant that is the same in each.
fn uniform(words: &Words) -> Option<Words> {
    let first = words.lane(0);
    (1..words.lanes()).all(|lane| words.lane(lane) == first).then(|| words.range(0, 1))
}

impl Alone {
    /// The operation, if its kind is priced and some operand is not a constant.
    pub(super) fn of(op: &Op, values: Values<'_>, results: &[ValueType]) -> Option<Alone> {
        let units = units(op, values)?;
        let products = match op {
            Op::MatrixProduct { left, right, batch, rows, inner, columns } => {
                let all = [batch, rows, inner, columns].into_iter();
                let units = all.fold(1u64, |all, more| all.saturating_mul(*more));
                let op = Op::Binary(BinaryOp::Mul, *left, *right);
                let Type::Word(bits) = values.ty(*left).ty else { return None };
                Some(Box::new(Alone::with(&op, values, (None, units), vec![GivenResult { bits, lanes: 1 }])?))
            }
            _ => None,
        };
        let result = |ty: &ValueType| match ty.ty {
            Type::Word(bits) if ty.lanes.is_multiple_of(units) => {
                Some(GivenResult { bits, lanes: ty.lanes / units })
            }
            _ => None,
        };
        let results = results.iter().map(result).collect::<Option<Vec<_>>>()?;
        Some(Alone { products, ..Alone::with(op, values, (Some(units), units), results)? })
    }

    fn with(
        op: &Op,
        values: Values<'_>,
        (scale, units): (Option<u64>, u64),
        results: Vec<GivenResult>,
    ) -> Option<Alone> {
        let mut operands = Operands { values, given: Vec::new(), known: HashMap::new(), units: scale };
        let (mut op, mut is_known) = (op.clone(), true);
        op.for_each_operand_mut(|value| match operands.place(*value, DEEPEST) {
            Some(place) => *value = ValueId(place as u32),
            None => is_known = false,
        });
        let given = operands.given;
        let is_input = |given: &Given| matches!(given.from, GivenKind::Input(_));
        (is_known && given.iter().any(is_input)).then_some(Alone {
            given,
            op,
            results,
            units,
            products: None,
        })
    }

    /// The number of its units.
    pub(super) fn units(&self) -> u64 {
        self.units
    }

    /// A program that computes this many units; none if it would be too large.
    pub(super) fn program(&self, units: u64) -> Option<Program> {
        let shape = |bits: u32, lanes: u64| {
            let length = u32::try_from(lanes.checked_mul(units)?).ok()?;
            Some(Shape::Array { length, element: Box::new(Shape::Integer { bits, signed: false }) })
        };
        let (mut inputs, mut operations) = (Vec::new(), Vec::new());
        for Given { from, lanes } in &self.given {
            operations.push(match from {
                GivenKind::Input(bits) => {
                    let (name, role) = (inputs.len().to_string(), RoleId(0));
                    inputs.push(InputPort { name, role, shape: shape(*bits, *lanes)? });
                    Op::Input { port: PortId(inputs.len() as u32 - 1), column: 0 }
                }
                GivenKind::Constant(word) => {
                    let count = usize::try_from(lanes.checked_mul(units)?).ok()?;
                    Op::Constant(Words::concat(&vec![word.clone(); count])?)
                }
                GivenKind::Extended { of, bits, signed } => {
                    Op::Extend { value: ValueId(*of as u32), bits: *bits, signed: *signed }
                }
            });
        }
        operations.push(match self.op.clone() {
            Op::MatrixProduct { left, right, rows, inner, columns, .. } => {
                Op::MatrixProduct { left, right, batch: units, rows, inner, columns }
            }
            op => op,
        });
        let mut outputs = Vec::new();
        for (number, GivenResult { bits, lanes }) in self.results.iter().enumerate() {
            let (value, port) = (ValueId((self.given.len() + number) as u32), PortId(number as u32));
            operations.push(Op::Output { port, column: 0, value });
            let (name, roles) = (number.to_string(), vec![RoleId(1)]);
            outputs.push(OutputPort { name, roles, shape: shape(*bits, *lanes)? });
        }
        let operations = operations.into_iter().map(|op| Operation { op, line: 0 }).collect();
        let body = Body::Operations { operations, results: Vec::new() };
        let main = Template { name: "main".to_owned(), parameters: Vec::new(), results: Vec::new(), body };
        let program = Program {
            name: "alone".to_owned(),
            roles: ["a", "b"].map(str::to_owned).to_vec(),
            fields: Vec::new(),
            inputs,
            outputs,
            templates: vec![main],
            main: TemplateId(0),
        };
        program.validate().is_ok().then_some(program)
    }

    /// The lowest cost of a unit in a domain, and its ANDs there; none if it cannot be lowered there.
    pub(super) fn price(
        &self,
        domain: Domain,
        options: &PlanOptions,
        prices: &dyn Prices,
    ) -> Option<(Linear, f64)> {
        if let Some(products) = self.products.as_ref().filter(|_| !rules(domain).is_of_words()) {
            let each = products.units as f64 / self.units as f64;
            let (product, ands) = products.price(domain, options, prices)?;
            return Some((Linear::default().and(product, each), ands * each));
        }
        let lanes = self.given.iter().map(|given| given.lanes).max()?;
        let few = LEAST_LANES.div_ceil(lanes.max(1));
        let programs = [self.program(few)?, self.program(2 * few)?];
        // Inputs and outputs are left out, so it does not matter who garbles.
        let (parties, garbler) = (None, GarblerChoice::First);
        let options = PlanOptions { parties, garbler, ..options.clone() };
        let planners = [0, 1].map(|which| Planner::new(&programs[which], &options, prices));
        let [Ok(one), Ok(two)] = planners else { return None };
        let mut library = Library::default();
        let mut found: Option<(Linear, f64)> = None;
        for lowering in self.lowerings(&one.lowering(domain)) {
            let mut lowered = |planner: &Planner<'_>| {
                let narrow = lower_with(planner.program(), &lowering, &mut library, &mut |_| {}).ok()?;
                let wide = with_wide_ands(&narrow, options.link.round_bits(), &mut library);
                Some((narrow, wide))
            };
            let (Some((one_narrow, one_wide)), Some((two_narrow, two_wide))) = (lowered(&one), lowered(&two))
            else {
                continue;
            };
            let pairs = [Some((one_narrow, two_narrow)), one_wide.zip(two_wide)];
            for (first, second) in pairs.into_iter().flatten() {
                let ands = second.and_count().saturating_sub(first.and_count()) as f64 / few as f64;
                let costs = [(&one, first), (&two, second)]
                    .map(|(planner, schedule)| costs(planner, &lowering, schedule).unwrap_or_default());
                let [first, second] = &costs;
                for (first, second) in first.iter().zip(second) {
                    let each = second.since(*first).part(few as f64);
                    let (least, fewest) = found.get_or_insert((each, ands));
                    (*least, *fewest) = (least.smaller(each), fewest.min(ands));
                }
            }
        }
        found
    }

    /// The ways of lowering in a domain.
    fn lowerings(&self, usual: &Options) -> Vec<Options> {
        let chooses = rules(usual.domain).is_of_words()
            && !matches!(self.op, Op::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..));
        let choices: &[bool] = if chooses { &[true, false] } else { &[true] };
        let of = |direct_comparisons: bool| {
            choices.iter().map(move |direct_shifts| (direct_comparisons, *direct_shifts))
        };
        let ways = choices.iter().flat_map(|direct| of(*direct));
        ways.map(|(direct_comparisons, direct_shifts)| Options {
            direct_comparisons,
            direct_shifts,
            ..*usual
        })
        .collect()
    }
}

/// The cost of a schedule apart from the handshake, inputs and outputs, with each extension of transfers and
/// each provider of products, always in the same order.
fn costs(planner: &Planner<'_>, lowering: &Options, schedule: Schedule) -> Option<Vec<Linear>> {
    let candidate = planner.candidate(lowering, schedule).ok()?;
    let mut all = Vec::new();
    for lattices in providers(planner, &candidate) {
        for transfers in
            [TransferExtension::SoftSpoken, TransferExtension::SilentSmall, TransferExtension::SilentLarge]
        {
            let run = PricedRun { transfers, lattices: &lattices, ..planner.priced(&candidate) };
            all.push(linear(planner, run)?);
        }
    }
    Some(all)
}

fn linear(planner: &Planner<'_>, run: PricedRun<'_>) -> Option<Linear> {
    let forecast = planner.prices().within(run).ok()?;
    Some(Linear::of(&forecast, planner.options().goal(), (run.profile, run.link)))
}

/// Ways of making triples of products: transfers, lattices, and lattices online.
fn providers(planner: &Planner<'_>, candidate: &Candidate) -> [Lattices; 3] {
    let options = PlanOptions { matrices: MatrixChoice::Lattice, ..planner.options().clone() };
    let triples = planner.prices().lattices(&candidate.counts.material, &options);
    let lattices = Lattices { triples, ..Lattices::default() };
    let online = lattices.with_matrices_online();
    [Lattices::default(), lattices, online]
}

/// The number of units of an operation, if its kind is priced.
fn units(op: &Op, values: Values<'_>) -> Option<u64> {
    let lanes = |value: &ValueId| values.ty(*value).lanes;
    match op {
        Op::Binary(BinaryOp::Xor, ..) => None,
        Op::Unary(UnaryOp::Neg, value)
        | Op::Binary(_, value, _)
        | Op::Compare(_, value, _)
        | Op::Select(_, value, _)
        | Op::Shift(_, value, _) => Some(lanes(value)),
        Op::SegmentSum { value, length } | Op::ArgMin { value, length, .. } => {
            lanes(value).checked_div(*length)
        }
        Op::Sort { key, length, .. } => lanes(key).checked_div(*length),
        Op::MatrixProduct { batch, .. } => Some(*batch),
        _ => None,
    }
}
