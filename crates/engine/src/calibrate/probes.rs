//! The programs that measure rates. Each has many of some units and few of others.

use tacit_ir::{
    BuildError, Builder, Domain, Index, Program, Shape, ShiftOp, TemplateBuilder, Type, ValueId, Words,
};
use tacit_plan::{
    DomainChoice, Garbling, Link, MatrixChoice, ModeChoice, PlanOptions, SecurityParams, TransferChoice,
};
use tacit_schedule::{DomainRules, rules};

/// A program with the options of its run.
pub(super) struct Probe {
    pub program: Program,
    pub options: PlanOptions,
}

/// The computation on the first and the second party's input.
type Computed = fn(&mut TemplateBuilder, ValueId, ValueId) -> Result<ValueId, BuildError>;

/// All of them, in the order in which they run.
pub(super) fn all() -> Result<Vec<Probe>, BuildError> {
    let [labels, bits, words] = [garbled(), layered(), of_words()].map(in_domain);
    let precomputed = PlanOptions { mode: ModeChoice::Precomputed, ..labels.clone() };
    let streamed = PlanOptions { mode: ModeChoice::Streamed, ..labels };
    let three_halves = |mode| PlanOptions { mode, garbling: Garbling::ThreeHalves, ..precomputed.clone() };
    let by = |transfers| PlanOptions { transfers, ..bits.clone() };
    let loud = by(TransferChoice::SoftSpoken);
    let of_k = |softspoken_k| PlanOptions {
        security: SecurityParams { softspoken_k, ..SecurityParams::default() },
        ..loud.clone()
    };
    let far =
        PlanOptions { link: Link { bits_per_second: u64::MAX, round_us: 1_000_000_000 }, ..loud.clone() };
    let matrices = |matrices| PlanOptions { matrices, ..words.clone() };
    let cases: Vec<(PlanOptions, u32, [u32; 2], Computed)> = vec![
        (precomputed.clone(), 32, [1, 1], less),
        (precomputed.clone(), 32, [1000, 1000], product),
        (precomputed.clone(), 32, [1, 1], chain),
        (streamed.clone(), 32, [4000, 4000], product),
        (streamed.clone(), 32, [20_000, 20_000], sum),
        (streamed.clone(), 32, [1, 1], chain),
        (streamed.clone(), 32, [1, 1], remainders),
        (streamed, 32, [128, 128], pairs),
        (three_halves(ModeChoice::Precomputed), 32, [1500, 1500], product),
        (three_halves(ModeChoice::Streamed), 32, [1500, 1500], product),
        (loud.clone(), 32, [2000, 2000], product),
        (loud.clone(), 32, [1, 1], less),
        (loud.clone(), 32, [1, 1], chain),
        (by(TransferChoice::Silent), 32, [1500, 1500], product),
        (by(TransferChoice::Silent), 32, [300, 300], product),
        (of_k(2), 32, [2000, 2000], product),
        (of_k(8), 32, [1000, 1000], product),
        (far, 32, [300, 300], product),
        (words.clone(), 32, [20_000, 20_000], product),
        (words.clone(), 64, [8000, 8000], product),
        (words.clone(), 100, [2000, 2000], product),
        (words.clone(), 32, [30_000, 1], square),
        // As many steps as messages; in products of bits, a step takes many.
        (words.clone(), 32, [1, 1], chain),
        (words.clone(), 32, [300_000, 300_000], sum),
        (words.clone(), 32, [5000, 5000], less),
        (words.clone(), 32, [5000, 1], shifted),
        (words.clone(), 32, [4000, 4000], to_labels),
        (words.clone(), 32, [4000, 4000], through_bits),
        (matrices(MatrixChoice::Ot), 32, [64 * 128, 128 * 64], matrix),
        (matrices(MatrixChoice::Ot), 32, [64 * 128, 128], vector),
        (matrices(MatrixChoice::Lattice), 32, [64 * 128, 128 * 64], matrix),
        (matrices(MatrixChoice::Lattice), 32, [64 * 128, 128], vector),
    ];
    cases
        .into_iter()
        .map(|(options, bits, lanes, computed)| {
            Ok(Probe { program: program(bits, lanes, computed)?, options })
        })
        .collect()
}

/// The domain with these rules.
fn domain(is: fn(DomainRules) -> bool) -> Domain {
    // There is one domain of each kind.
    Domain::UNPINNED.iter().copied().find(|domain| is(rules(*domain))).unwrap_or_default()
}

fn garbled() -> Domain {
    domain(|rules| rules.is_garbled())
}

fn layered() -> Domain {
    domain(|rules| rules.is_layered())
}

fn of_words() -> Domain {
    domain(|rules| rules.is_of_words())
}

fn in_domain(domain: Domain) -> PlanOptions {
    PlanOptions { domain: DomainChoice::In(domain), link: Link::LOOPBACK, ..PlanOptions::default() }
}

fn program(bits: u32, lanes: [u32; 2], computed: Computed) -> Result<Program, BuildError> {
    let mut builder = Builder::new("probe");
    let roles = ["A", "B"].map(|name| builder.role(name));
    let mut main = builder.template("main", vec![]);
    let mut values = Vec::new();
    for (role, lanes) in roles.into_iter().zip(lanes) {
        let port = builder.input("x", role, array(bits, lanes.into()))?;
        values.extend(main.input(&builder, port)?);
    }
    let result = computed(&mut main, values[0], values[1])?;
    let found = main.value_type(result);
    let Type::Word(bits) = found.ty else { return builder.finish(main) };
    let output = builder.output("z", vec![roles[1]], array(bits, found.lanes))?;
    main.output(&builder, output, &[result])?;
    builder.finish(main)
}

fn array(bits: u32, lanes: u64) -> Shape {
    Shape::Array { length: lanes as u32, element: Shape::Integer { bits, signed: false }.into() }
}

/// Words of an input, all different.
pub(super) fn words(bits: u32, lanes: u64) -> Words {
    let mask = u128::MAX >> (128 - bits);
    let word =
        |lane: u64| u128::from(lane + 1).wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645) & mask;
    Words::from_u128s(bits, &(0..lanes).map(word).collect::<Vec<_>>())
}

fn less(main: &mut TemplateBuilder, x: ValueId, y: ValueId) -> Result<ValueId, BuildError> {
    main.lt_u(x, y)
}

fn sum(main: &mut TemplateBuilder, x: ValueId, y: ValueId) -> Result<ValueId, BuildError> {
    main.add(x, y)
}

fn product(main: &mut TemplateBuilder, x: ValueId, y: ValueId) -> Result<ValueId, BuildError> {
    main.mul(x, y)
}

fn square(main: &mut TemplateBuilder, x: ValueId, _: ValueId) -> Result<ValueId, BuildError> {
    main.mul(x, x)
}

fn shifted(main: &mut TemplateBuilder, x: ValueId, _: ValueId) -> Result<ValueId, BuildError> {
    main.shift_by(ShiftOp::RightU, x, 8)
}

/// Products that each depend on the one before.
fn chain(main: &mut TemplateBuilder, x: ValueId, y: ValueId) -> Result<ValueId, BuildError> {
    (0..100).try_fold(x, |z, _| main.mul(z, y))
}

/// Remainders that each depend on the one before: layers of few gates.
fn remainders(main: &mut TemplateBuilder, x: ValueId, y: ValueId) -> Result<ValueId, BuildError> {
    (0..20).try_fold(x, |z, _| {
        let product = main.mul(z, x)?;
        main.rem_u(product, y)
    })
}

/// Whether two numbers are equal, for all pairs of both inputs.
fn pairs(main: &mut TemplateBuilder, x: ValueId, y: ValueId) -> Result<ValueId, BuildError> {
    let rows = main.gather(x, Index::Repeat { each: 128, tiles: 1 })?;
    let columns = main.gather(y, Index::Repeat { each: 1, tiles: 128 })?;
    main.eq(rows, columns)
}

/// A sum as words, then labels.
fn to_labels(main: &mut TemplateBuilder, x: ValueId, y: ValueId) -> Result<ValueId, BuildError> {
    let sum = main.add(x, y)?;
    main.pin(garbled(), sum)
}

/// A sum as words, as bits, and as words again.
fn through_bits(main: &mut TemplateBuilder, x: ValueId, y: ValueId) -> Result<ValueId, BuildError> {
    let sum = main.add(x, y)?;
    let bits = main.pin(layered(), sum)?;
    main.pin(of_words(), bits)
}

fn matrix(main: &mut TemplateBuilder, x: ValueId, y: ValueId) -> Result<ValueId, BuildError> {
    main.matrix_product(x, y, 1, 64, 128, 64)
}

fn vector(main: &mut TemplateBuilder, x: ValueId, y: ValueId) -> Result<ValueId, BuildError> {
    main.matrix_product(x, y, 1, 64, 128, 1)
}
