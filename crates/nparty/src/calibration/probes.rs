//! The programs that measure rates. Each has many of some units and few of others.

use std::iter::repeat;

use tacit_ir::{self as ir, BuildError, Builder, Domain, Program, Shape, TemplateBuilder, Type, ValueId};
use tacit_lower::Options;
use tacit_schedule::rules;

use crate::compiled::Compiled;
use crate::security::Security;
use Shared::{Bits, Words};

/// A program of two parties among some parties.
pub(super) struct Probe {
    pub(super) program: Program,
    pub(super) options: Options,
    pub(super) parties: usize,
    pub(super) security: Security,
    /// Whether the session computes in a prime field.
    pub(super) in_prime_field: bool,
    bits: u32,
    lanes: [u32; 2],
}

/// The computation on the first and the second party's input.
type Computed = fn(&mut TemplateBuilder, ValueId, ValueId) -> Result<ValueId, BuildError>;

/// The number of programs.
pub const COUNT: usize = CASES.len() + VERIFIED.len();

/// How values are shared.
#[derive(Clone, Copy, PartialEq)]
enum Shared {
    Bits,
    Words,
}

/// Parties, how values are shared, bits and lanes of inputs, and the computation.
type Case = (usize, Shared, u32, [u32; 2], Computed);

/// Those that run without verification, in the order in which they run.
const CASES: [Case; 22] = [
    (3, Bits, 32, [20_000, 20_000], product),
    (3, Bits, 32, [1000, 1000], product),
    (3, Bits, 32, [1, 1], product),
    (3, Bits, 32, [1, 1], chain),
    (3, Bits, 32, [50_000, 50_000], less),
    (3, Words, 64, [50_000, 50_000], powers),
    (3, Words, 32, [1, 1], chain),
    (3, Words, 32, [300_000, 300_000], sum),
    (3, Words, 32, [20_000, 20_000], less),
    (3, Words, 32, [64 * 128, 128 * 64], matrix),
    (4, Bits, 32, [2000, 2000], product),
    (4, Bits, 32, [1, 1], chain),
    (4, Words, 32, [5000, 5000], powers),
    (4, Words, 32, [20_000, 20_000], sum),
    (4, Words, 32, [2000, 2000], less),
    (4, Words, 32, [64 * 128, 128 * 64], matrix),
    (5, Words, 32, [1, 1], chain),
    (5, Bits, 32, [20, 20], less),
    (8, Bits, 32, [1000, 1000], product),
    (8, Words, 32, [2000, 2000], powers),
    (8, Words, 32, [300, 300], less),
    (8, Bits, 32, [1, 1], chain),
];

/// Those that run with it.
const VERIFIED: [Case; 3] = [
    (3, Bits, 32, [2000, 2000], product),
    (3, Bits, 32, [1, 1], chain),
    (4, Bits, 32, [2000, 2000], product),
];

/// All of them.
pub(super) fn all() -> impl Iterator<Item = Result<Probe, BuildError>> {
    let passive = CASES.into_iter().zip(repeat(Security::Passive));
    let active = VERIFIED.into_iter().zip(repeat(Security::Active));
    passive.chain(active).map(|((parties, shared, bits, lanes, computed), security)| {
        Ok(Probe {
            program: program(bits, lanes, computed)?,
            options: Options { domain: domain(shared), ..Compiled::bit_options() },
            parties,
            security,
            in_prime_field: shared == Words,
            bits,
            lanes,
        })
    })
}

/// The domain in which values are shared in a way.
fn domain(shared: Shared) -> Domain {
    // There is one of each kind.
    let is = |domain: &Domain| rules(*domain).is_of_words() == (shared == Words);
    Compiled::domains().into_iter().find(is).unwrap_or_default()
}

impl Probe {
    /// Words for both inputs, all different.
    pub(super) fn inputs(&self) -> [ir::Words; 2] {
        let mask = u128::MAX >> (128 - self.bits);
        let word =
            |lane: u32| u128::from(lane + 1).wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645) & mask;
        self.lanes.map(|lanes| ir::Words::from_u128s(self.bits, &(0..lanes).map(word).collect::<Vec<_>>()))
    }
}

fn program(bits: u32, lanes: [u32; 2], computed: Computed) -> Result<Program, BuildError> {
    let mut builder = Builder::new("probe");
    let roles = ["A", "B"].map(|name| builder.role(name));
    let mut main = builder.template("main", vec![]);
    let mut values = Vec::new();
    for (role, lanes) in roles.into_iter().zip(lanes) {
        let port = builder.input("x", role, array(bits, lanes))?;
        values.extend(main.input(&builder, port)?);
    }
    let result = computed(&mut main, values[0], values[1])?;
    let found = main.value_type(result);
    let Type::Word(bits) = found.ty else { return builder.finish(main) };
    let output = builder.output("z", vec![roles[1]], array(bits, found.lanes as u32))?;
    main.output(&builder, output, &[result])?;
    builder.finish(main)
}

fn array(bits: u32, length: u32) -> Shape {
    Shape::Array { length, element: Shape::Integer { bits, signed: false }.into() }
}

fn less(main: &mut TemplateBuilder, x: ValueId, y: ValueId) -> Result<ValueId, BuildError> {
    main.lt_u(x, y)
}

fn sum(main: &mut TemplateBuilder, x: ValueId, y: ValueId) -> Result<ValueId, BuildError> {
    (0..8).try_fold(x, |z, _| main.add(z, y))
}

fn product(main: &mut TemplateBuilder, x: ValueId, y: ValueId) -> Result<ValueId, BuildError> {
    main.mul(x, y)
}

/// A few products that each depend on the one before.
fn powers(main: &mut TemplateBuilder, x: ValueId, y: ValueId) -> Result<ValueId, BuildError> {
    (0..10).try_fold(x, |z, _| main.mul(z, y))
}

/// Many such products.
fn chain(main: &mut TemplateBuilder, x: ValueId, y: ValueId) -> Result<ValueId, BuildError> {
    (0..50).try_fold(x, |z, _| main.mul(z, y))
}

fn matrix(main: &mut TemplateBuilder, x: ValueId, y: ValueId) -> Result<ValueId, BuildError> {
    main.matrix_product(x, y, 1, 64, 128, 64)
}
