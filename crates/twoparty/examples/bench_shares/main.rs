//! Measures protocols on shares between two threads over TCP on this machine; prints rows as JSON objects.
//!
//!     bench_shares [lattices|starts]
//!
//! With `lattices`, only triples by lattices; with `starts`, only the start of a session, and the counts of Table I.
//!
//! The operations of ABY's Figures 2 and 3, on 32 bits, many at once. Setup makes triples, without base OTs; online goes
//! from shares of inputs to shares of results. Bytes are those of both parties for one operation. Every result is opened
//! and compared with plain arithmetic.

mod harness;
mod labels;
mod lattices;

use harness::{Cost, Outcome, mark, row, since};
use tacit_circuit::{CircuitBuilder, Executable, Target as Form, arithmetic, library};
use tacit_crypto::Prg;
use tacit_math::{Bits, Block};
use tacit_net::StreamId;
use tacit_ot::softspoken::Params;
use tacit_twoparty::arith::{Comparison, ComparisonOperand, ComparisonShape, Relation, Resize};
use tacit_twoparty::correlations::{Ots, Pool, Requirement};
use tacit_twoparty::yao::RevealTo;
use tacit_twoparty::{End, Party, ShareError, arith, convert, gmw, mask, wires};

const BITS: u32 = 32;

fn main() -> Outcome<()> {
    let only = std::env::args().nth(1);
    if only.as_deref() == Some("starts") {
        labels::computations();
        return labels::starts();
    }
    lattices::matrices()?;
    if only.as_deref() == Some("lattices") {
        return lattices::words();
    }
    for count in [1000usize, 100_000] {
        let (x, y) = (words(1, count), words(2, count));
        let requirement =
            Requirement { word_triples: [(BITS, count as u64)].into(), ..Requirement::default() };
        measure(&format!("A MUL x{count}"), count, &requirement, async |end| {
            let (x, y) = (arith_input(end, &x)?, arith_input(end, &y)?);
            let start = mark(end.channel());
            let product = arith::multiply(end, &x, &y, BITS).await?;
            let took = since(end.channel(), start);
            let product = arith::open(end, RevealTo::Both, &product, BITS).await?;
            assert_eq!(product, Some(each(&words(1, count), &words(2, count), |x, y| x.wrapping_mul(y))));
            Ok(took)
        })?;
    }
    let count = 1000;
    let (x, y) = (words(1, count), words(2, count));
    let (plain_x, plain_y) = (wires::from_words(&x, BITS), wires::from_words(&y, BITS));
    let bit_triples = [(1, (count * BITS as usize) as u64)].into();
    measure("B AND x1000", count, &Requirement { bit_triples, ..Requirement::default() }, async |end| {
        let (x, y) = (bool_input(end, &plain_x)?, bool_input(end, &plain_y)?);
        let start = mark(end.channel());
        let z = gmw::and(end, &x, &y).await?;
        let took = since(end.channel(), start);
        let mut expected = plain_x.clone();
        expected &= &plain_y;
        assert_eq!(gmw::open(end, RevealTo::Both, &z).await?, Some(expected));
        Ok(took)
    })?;
    let circuit = multiplier()?;
    let requirement = gmw::requirement(&circuit, count as u64);
    measure("B MUL x1000", count, &requirement, async |end| {
        let (x, y) = (bool_input(end, &plain_x)?, bool_input(end, &plain_y)?);
        let start = mark(end.channel());
        let z = run(end, &circuit, count, &[(&x, BITS), (&y, BITS)], BITS).await?;
        let took = since(end.channel(), start);
        let product = each(&words(1, count), &words(2, count), |x, y| x.wrapping_mul(y));
        assert_eq!(gmw::open(end, RevealTo::Both, &z).await?, Some(wires::from_words(&product, BITS)));
        Ok(took)
    })?;
    let requirement = Requirement { eda_bits: [(BITS, count as u64)].into(), ..Requirement::default() };
    measure("B2A x1000", count, &requirement, async |end| {
        let shares = bool_input(end, &plain_x)?;
        let start = mark(end.channel());
        let z = convert::b2a(end, &shares, BITS, count).await?;
        let took = since(end.channel(), start);
        assert_eq!(arith::open(end, RevealTo::Both, &z, BITS).await?.as_deref(), Some(&x[..]));
        Ok(took)
    })?;
    let adder = convert::adder(BITS);
    let requirement = gmw::requirement(&adder, count as u64);
    measure("A2B x1000", count, &requirement, async |end| {
        let shares = arith_input(end, &x)?;
        let start = mark(end.channel());
        let z = convert::a2b(end, &shares, BITS, &adder).await?;
        let took = since(end.channel(), start);
        assert_eq!(gmw::open(end, RevealTo::Both, &z).await?.as_ref(), Some(&plain_x));
        Ok(took)
    })?;
    labels::conversions(count)?;
    labels::starts()?;
    labels::computations();
    labels::comparisons(100_000)?;
    aes(100)?;
    comparisons(100_000)
}

/// Comparisons of shared words, a shift and a selection.
fn comparisons(count: usize) -> Outcome<()> {
    let (x, y) = (words(5, count), words(6, count));
    let relations = [
        ("A LT", Relation::LessUnsigned),
        ("A LT, difference within range", Relation::LessWithin),
        ("A EQ", Relation::Equal),
    ];
    for (name, relation) in relations {
        let shape = ComparisonShape { relation, shared: [true; 2], bits: BITS, lanes: count as u64 };
        let name = format!("{name} x{count}");
        let costs = measure(&name, count, &arith::compare_cost(&[shape]).requirement, async |end| {
            let (a, b) = (arith_input(end, &x)?, arith_input(end, &y)?);
            let start = mark(end.channel());
            let [a, b] = [ComparisonOperand::Shared(&a), ComparisonOperand::Shared(&b)];
            let less = arith::compare_all(end, &[Comparison { relation, x: a, y: b, bits: BITS }]).await?;
            let took = since(end.channel(), start);
            let expected = |(x, y): (&u128, &u128)| match relation {
                Relation::LessWithin => x.wrapping_sub(*y) >> (BITS - 1) & 1 == 1,
                Relation::Equal => x == y,
                _ => x < y,
            };
            let expected: Bits = x.iter().zip(&y).map(expected).collect();
            assert_eq!(gmw::open(end, RevealTo::Both, &less[0]).await?, Some(expected));
            Ok(took)
        })?;
        let rate = |of: fn(&Cost) -> f64| count as f64 / costs.iter().map(of).sum::<f64>();
        row(&format!("{name}, setup and online"), rate(|cost| cost.seconds), "/s");
        row(
            &format!("{name}, setup and online, by the busier party's processor time"),
            rate(|cost| cost.busy),
            "/s",
        );
    }
    let how = Resize::Arithmetic { by: 12 };
    let requirement = arith::resize_cost(&[(how, BITS, count as u64)])?.requirement;
    measure(&format!("A SHR x{count}"), count, &requirement, async |end| {
        let shares = arith_input(end, &x)?;
        let start = mark(end.channel());
        let shifted = arith::resize(end, how, &shares, BITS).await?;
        let took = since(end.channel(), start);
        let expected: Vec<u128> = x.iter().map(|x| (*x as u32 as i32 >> 12) as u32).map(u128::from).collect();
        assert_eq!(arith::open(end, RevealTo::Both, &shifted, BITS).await?, Some(expected));
        Ok(took)
    })?;
    let choices = Prg::new(Block(9)).next_bits(count);
    measure(
        &format!("A MUX x{count}"),
        count,
        &arith::scale_cost(BITS, count as u64).requirement,
        async |end| {
            let (a, b) = (arith_input(end, &x)?, arith_input(end, &y)?);
            let condition = bool_input(end, &choices)?;
            let start = mark(end.channel());
            let chosen = arith::select(end, &condition, &a, &b, BITS).await?;
            let took = since(end.channel(), start);
            let pairs = x.iter().zip(&y).zip(choices.iter());
            let expected = pairs.map(|((x, y), choice)| if choice { *x } else { *y }).collect();
            assert_eq!(arith::open(end, RevealTo::Both, &chosen, BITS).await?, Some(expected));
            Ok(took)
        },
    )?;
    Ok(())
}

/// AES-128 of this many blocks, each under its own key.
fn aes(count: usize) -> Outcome<()> {
    let circuit = Executable::new(&library::aes128()?, Form::Rounds);
    let inputs = [3, 4].map(|seed| Prg::new(Block(seed)).next_bits(128 * count));
    let requirement = gmw::requirement(&circuit, count as u64);
    measure("AES-128 x100, B", count, &requirement, async |end| {
        let (key, block) = (bool_input(end, &inputs[0])?, bool_input(end, &inputs[1])?);
        let start = mark(end.channel());
        let z = run(end, &circuit, count, &[(&key, 128), (&block, 128)], 128).await?;
        let took = since(end.channel(), start);
        let opened = gmw::open(end, RevealTo::Both, &z).await?.unwrap_or_default();
        for lane in 0..count.min(64) {
            let bit = |of: &Bits| (0..128).map(|b| u64::from(of.get(b * count + lane))).collect::<Vec<_>>();
            let clear = circuit.evaluate_lanes(&[bit(&inputs[0]), bit(&inputs[1])].concat());
            let clear = clear.map_err(|_| ShareError::Missing { what: "inputs of AES" })?;
            assert!(clear.iter().zip(bit(&opened)).all(|(clear, opened)| clear & 1 == opened));
        }
        Ok(took)
    })?;
    Ok(())
}

/// A 32-bit product.
fn multiplier() -> Outcome<Executable> {
    let mut builder = CircuitBuilder::new();
    let (x, y) = (builder.input(BITS), builder.input(BITS));
    let product = arithmetic::multiply(&mut builder, &x, &y);
    Ok(Executable::new(&builder.finish(vec![product])?, Form::Rounds))
}

/// Runs a circuit over lanes; each operand and the target has its own width.
async fn run(
    end: &mut End,
    circuit: &Executable,
    count: usize,
    operands: &[(&Bits, u32)],
    bits: u32,
) -> Result<Bits, ShareError> {
    let mut target = Bits::zeros(bits as usize * count);
    let region = gmw::BitRegion {
        circuit,
        instances: count as u64,
        operands: operands
            .iter()
            .copied()
            .map(|(shares, bits)| gmw::BitOperand { shares, bits, share: 1 })
            .collect(),
        targets: vec![gmw::BitTarget { shares: &mut target, bits }],
    };
    gmw::run(end, &mut [region]).await?;
    Ok(target)
}

fn words(seed: u128, count: usize) -> Vec<u128> {
    let mut prg = Prg::new(Block(seed));
    (0..count).map(|_| prg.next_block().0 & mask(BITS)).collect()
}

fn each(x: &[u128], y: &[u128], with: fn(u128, u128) -> u128) -> Vec<u128> {
    x.iter().zip(y).map(|(x, y)| with(*x, *y) & mask(BITS)).collect()
}

fn arith_input(end: &mut End, words: &[u128]) -> Result<Vec<u128>, ShareError> {
    let own = (end.party() == Party::First).then_some(words);
    arith::input(end, own, BITS, words.len())
}

fn bool_input(end: &mut End, bits: &Bits) -> Result<Bits, ShareError> {
    let own = (end.party() == Party::Second).then_some(bits);
    gmw::input(end, own, bits.len())
}

/// Runs both parties, and prints setup's and online's rows.
fn measure(
    name: &str,
    count: usize,
    requirement: &Requirement,
    online: impl AsyncFn(&mut End) -> Outcome<Cost> + Sync,
) -> Outcome<[Cost; 2]> {
    let best = harness::best(async |party, connection| {
        let mut channel = connection.open(StreamId(1))?;
        let mut ots = Ots::setup(&mut channel, party, Params::K4, &[1; 32], Prg::from_os()?).await?;
        let start = mark(&channel);
        let pool = Pool::make(&mut ots, &mut channel, requirement).await?;
        let setup = since(&channel, start);
        let mut end = End::start(channel, party, pool, Prg::from_os()?).await?;
        let online = online(&mut end).await?;
        end.finish().finish().await?;
        Ok([setup, online])
    })?;
    harness::phase_rows(name, count, best);
    Ok(best)
}
