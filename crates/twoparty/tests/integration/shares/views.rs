//! Each party's view is uniform where the protocols claim so, at toy sizes.
//!
//! A party sees what the peer sends; its shares follow from that and its own randomness. Many runs on fixed inputs at once
//! are counted: shares of results, and values opened under masks, which are uniform whatever the inputs are. Each count is
//! compared with the uniform distribution by a chi-square test, and counts for two different inputs with each other.

use super::harness::*;
use crate::tap::Edit;
use crate::with_side;
use std::collections::BTreeMap;
use tacit_crypto::Prg;
use tacit_math::{Bits, Block};
use tacit_ot::rot;
use tacit_ot::softspoken::Params;
use tacit_twoparty::arith::{Comparison, ComparisonOperand, Relation, Resize, Resized};
use tacit_twoparty::correlations::{Ots, Pool, Requirement};
use tacit_twoparty::yao::streamed::{Evaluator, Garbler};
use tacit_twoparty::yao::{Region, RevealTo, Side};
use tacit_twoparty::{End, Party, ShareError, arith, convert, gmw, wires};

/// Words have this many bits, so that counts fill tables of eight cells.
const BITS: u32 = 3;
const RUNS: usize = 4000;

/// A run with randomness from the operating system, not the fixed one of other tests; returns each party's result, and
/// the bytes that it sent for it.
async fn fresh<T>(
    requirement: &Requirement,
    protocol: impl AsyncFn(&mut End) -> Result<T, ShareError>,
) -> [(T, Vec<u8>); 2] {
    let view = async |start: Start| {
        let (party, mut channel) = (start.party, start.link.channel);
        let os = || Prg::from_os().unwrap();
        let mut ots = Ots::setup(&mut channel, party, Params::K4, &SESSION, os()).await.unwrap();
        let pool = Pool::make(&mut ots, &mut channel, requirement).await.unwrap();
        let mut end = End::start(channel, party, pool, os()).await.unwrap();
        let before = end.channel().bytes_sent() as usize;
        let given = protocol(&mut end).await.unwrap();
        (given, before, end.channel().bytes_sent() as usize)
    };
    let (ended, trace) = both([Edit::None; 2], LIMIT, view).await;
    let mut seen = trace.iter();
    ended.map(|(given, before, after)| {
        let content = seen.next().map(|seen| seen.content[before..after].to_vec());
        (given, content.unwrap_or_default())
    })
}

/// Fails unless values below `cells` look uniform.
fn assert_uniform(values: impl IntoIterator<Item = u128>, cells: usize, what: &str) {
    let mut counts = vec![0f64; cells];
    values.into_iter().for_each(|value| counts[value as usize] += 1.0);
    let expected = counts.iter().sum::<f64>() / cells as f64;
    assert!(expected > 100.0, "{what}: too few values");
    let chi_square: f64 = counts.iter().map(|count| (count - expected).powi(2) / expected).sum();
    // Seven standard deviations beyond the mean: once in some 10^8 tests for the numbers of cells here.
    let freedom = (cells - 1) as f64;
    assert!(chi_square < freedom + 9.0 * (2.0 * freedom).sqrt() + 10.0, "{what}: {counts:?}");
}

/// Shares of results, as numbers below 2^BITS.
type Shares = Vec<(&'static str, u32, Vec<u128>)>;

fn of_bits(name: &'static str, bits: &Bits) -> (&'static str, u32, Vec<u128>) {
    (name, 1, bits.iter().map(u128::from).collect())
}

/// Every operation on the words x and y, RUNS times.
async fn operations(end: &mut End, [x, y]: [u128; 2]) -> Result<Shares, ShareError> {
    let own = given(end, Party::First, vec![x; RUNS]);
    let a = arith::input(end, own.as_deref(), BITS, RUNS)?;
    let own = given(end, Party::Second, vec![y; RUNS]);
    let b = arith::input(end, own.as_deref(), BITS, RUNS)?;
    let product = arith::multiply(end, &a, &b, BITS).await?;
    let square = arith::square(end, &product, BITS).await?;
    let wires = convert::a2b(end, &square, BITS, &convert::adder(BITS)).await?;
    let back = convert::b2a(end, &wires, BITS, RUNS).await?;
    let opened = arith::open(end, RevealTo::Both, &back, BITS).await?.unwrap_or_default();
    assert!(opened.iter().all(|word| *word == (x * y).pow(2) % 8));
    let operands = [ComparisonOperand::Shared(&a[..]), ComparisonOperand::Shared(&b[..])];
    let relations = [Relation::LessUnsigned, Relation::LessSigned, Relation::LessWithin, Relation::Equal];
    let comparisons =
        relations.map(|relation| Comparison { relation, x: operands[0], y: operands[1], bits: BITS });
    let compared = arith::compare_all(end, &comparisons).await?;
    let hows = [Resize::Logical { by: 1 }, Resize::Arithmetic { by: 1 }, Resize::SignExtend { to: BITS + 1 }];
    let resized = hows.map(|how| Resized { how, x: &a, bits: BITS });
    let resized = arith::resize_all(end, &resized).await?;
    let selected = arith::select(end, &compared[0], &a, &b, BITS).await?;
    let word = convert::bits_to_arith(end, &[(&compared[3], BITS)]).await?.remove(0);
    let all = gmw::all(end, &wires, RUNS).await?;
    let chosen = gmw::select(end, &compared[1], &wires, &wires, BITS).await?;
    let mut shares = vec![
        ("input", BITS, a),
        ("product", BITS, product),
        ("square", BITS, square),
        ("a2b", BITS, wires::to_words(&wires, BITS)),
        ("b2a", BITS, back),
        ("select", BITS, selected),
        ("bits_to_arith", BITS, word),
        of_bits("all", &all),
        ("choice of wires", BITS, wires::to_words(&chosen, BITS)),
    ];
    shares.extend(
        ["less", "less signed", "less within", "equal"]
            .into_iter()
            .zip(&compared)
            .map(|(name, bits)| of_bits(name, bits)),
    );
    let widths = [BITS, BITS, BITS + 1];
    shares.extend(
        ["shift", "signed shift", "extension"]
            .into_iter()
            .zip(widths)
            .zip(resized)
            .map(|((name, bits), words)| (name, bits, words)),
    );
    Ok(shares)
}

fn requirement() -> Requirement {
    let one = |bits| BTreeMap::from([(bits, 4 * RUNS as u64)]);
    let many = 100 * RUNS as u64;
    Requirement {
        bit_triples: [(1, many), (2, many), (BITS, 4 * RUNS as u64)].into(),
        word_triples: one(BITS),
        square_pairs: one(BITS),
        eda_bits: one(BITS),
        nary_triples: [3, 4].map(|operands| (operands, many)).into(),
        lookup_tables: [((), many)].into(),
        da_bits: (1..=BITS + 1).map(|bits| (bits, 4 * RUNS as u64)).collect(),
        bit_word_triples: one(BITS),
        ..Requirement::default()
    }
}

#[tokio::test]
async fn shares_of_fixed_values_are_uniform() {
    for values in [[5, 3], [0, 0], [7, 1]] {
        let shares = fresh(&requirement(), async |end| operations(end, values).await).await;
        for (party, (shares, _)) in shares.iter().enumerate() {
            for (name, bits, words) in shares {
                let what = format!("{name} of {values:?} at party {party}");
                assert_uniform(words.iter().copied(), 1 << bits, &what);
            }
        }
    }
}

/// The bytes that a party receives while an operation runs that only sends masked messages.
#[tokio::test]
async fn messages_are_uniform() {
    type Run = fn(&mut End) -> std::pin::Pin<Box<dyn Future<Output = Result<(), ShareError>> + '_>>;
    let operations: [(&str, Run); 7] = [
        ("multiply", |end| {
            Box::pin(async move { arith::multiply(end, &[200; RUNS], &[3; RUNS], 8).await.map(|_| ()) })
        }),
        ("less", |end| {
            Box::pin(async move { arith::less(end, &[200; RUNS], &[3; RUNS], 8).await.map(|_| ()) })
        }),
        ("equal", |end| {
            Box::pin(async move { arith::equal(end, &[200; RUNS], &[3; RUNS], 8).await.map(|_| ()) })
        }),
        ("shift", |end| {
            Box::pin(async move {
                arith::resize(end, Resize::Arithmetic { by: 4 }, &[200; RUNS], 8).await.map(|_| ())
            })
        }),
        ("select", |end| {
            Box::pin(async move {
                arith::select(end, &Bits::zeros(RUNS), &[200; RUNS], &[3; RUNS], 7).await.map(|_| ())
            })
        }),
        ("b2a", |end| {
            Box::pin(async move { convert::b2a(end, &Bits::zeros(8 * RUNS), 8, RUNS).await.map(|_| ()) })
        }),
        ("bits_to_arith", |end| {
            Box::pin(
                async move { convert::bits_to_arith(end, &[(&Bits::zeros(2 * RUNS), 8)]).await.map(|_| ()) },
            )
        }),
    ];
    let one = |bits| (bits, RUNS as u64);
    let many = 20 * RUNS as u64;
    let requirement = Requirement {
        bit_triples: [(1, many), (2, many)].into(),
        word_triples: [one(8)].into(),
        eda_bits: [one(8)].into(),
        nary_triples: [one(4)].into(),
        lookup_tables: [((), many)].into(),
        da_bits: [(8, 2 * RUNS as u64), one(4)].into(),
        bit_word_triples: [one(7)].into(),
        ..Requirement::default()
    };
    for (name, operation) in operations {
        let ended = fresh(&requirement, async |end| operation(end).await).await;
        for (party, (_, seen)) in ended.iter().enumerate() {
            let nibbles = seen.iter().flat_map(|byte| [byte & 15, byte >> 4]).map(u128::from);
            assert_uniform(nibbles, 16, &format!("bytes of {name} from party {party}"));
        }
    }
}

/// Anyone who gets the other's shares learns the values.
#[tokio::test]
async fn shares_are_opened_to_recipients_alone() {
    for (recipients, learn) in [
        (RevealTo::Both, [true, true]),
        (RevealTo::Garbler, [true, false]),
        (RevealTo::Evaluator, [false, true]),
        (RevealTo::Nobody, [false, false]),
    ] {
        let ended = fresh(&Requirement::default(), async |end| {
            let words = arith::open(end, recipients, &[3; RUNS], BITS).await?;
            gmw::open(end, recipients, &Bits::zeros(RUNS)).await?;
            Ok(words.is_some())
        })
        .await;
        for (party, (_, sent)) in ended.iter().enumerate() {
            assert_eq!(
                !sent.is_empty(),
                learn[1 - party],
                "{recipients:?}: party {party} sends {} bytes",
                sent.len()
            );
        }
    }
}

/// Setup messages of each kind of material are masked by strings as long as the messages: a bit under a shorter string shows where
/// the difference of two strings wraps around.
#[tokio::test]
async fn messages_of_setup_are_uniform() {
    let one = |bits| BTreeMap::from([(bits, RUNS as u64)]);
    let none = Requirement::default;
    let requirements = [
        ("ANDs", Requirement { bit_triples: [(1, 100 * RUNS as u64)].into(), ..none() }),
        ("products", Requirement { word_triples: one(24), ..none() }),
        ("wide products", Requirement { word_triples: [(100, 200)].into(), ..none() }),
        ("squares", Requirement { square_pairs: one(24), ..none() }),
        ("words shared twice", Requirement { eda_bits: one(24), ..none() }),
        ("bits shared twice", Requirement { da_bits: one(24), ..none() }),
        ("words that bits choose", Requirement { bit_word_triples: one(24), ..none() }),
    ];
    for (name, requirement) in requirements {
        let run = async |start: Start| {
            let (party, mut channel) = (start.party, start.link.channel);
            let mut ots =
                Ots::setup(&mut channel, party, Params::K4, &SESSION, Prg::from_os().unwrap()).await.unwrap();
            let before = channel.bytes_sent() as usize;
            Pool::make(&mut ots, &mut channel, &requirement).await.unwrap();
            (before, channel.bytes_sent() as usize)
        };
        let (marks, trace) = both([Edit::None; 2], LIMIT, run).await;
        for (party, ((before, after), seen)) in marks.into_iter().zip(trace).enumerate() {
            let nibbles = seen.content[before..after].iter().flat_map(|byte| [byte & 15, byte >> 4]);
            assert_uniform(nibbles.map(u128::from), 16, &format!("setup of {name} from party {party}"));
        }
    }
}

/// What conversions to labels and back leave at each party, for one word many times.
#[tokio::test]
async fn labels_and_the_shares_in_them_are_uniform() {
    let adder = convert::adder(BITS);
    let sum = Region { circuit: &adder, instances: RUNS as u64, first_id: 0 };
    for (value, ahead) in [(0, vec![]), (5, vec![sum]), (7, vec![]), (7, vec![sum])] {
        let run = async |start: Start| -> Result<[Vec<Block>; 2], ShareError> {
            let party = start.party;
            let (mut end, connection) = start.end(&Requirement::default()).await?;
            let mut side = yao(party, &connection).await?;
            with_side!(&mut side, side => side.prepare(0, &ahead[..]).await)?;
            let own = given(&end, Party::Second, vec![value; RUNS]);
            let shares = arith::input(&mut end, own.as_deref(), BITS, RUNS)?;
            let mut a2y = vec![Block::ZERO; RUNS * BITS as usize];
            with_side!(&mut side, side => convert::a2y(side, party, &shares, (&adder, 0), &mut a2y).await)?;
            let mut b2y = vec![Block::ZERO; a2y.len()];
            with_side!(&mut side, side => convert::b2y(side, party, &convert::y2b(&a2y), &mut b2y).await)?;
            with_side!(&mut side, side => side.flush().await)?;
            Ok([a2y, b2y])
        };
        let (ended, _) = both([Edit::None; 2], LIMIT, run).await;
        let [garbler, evaluator] = ended.map(Result::unwrap);
        for (name, zeros, active) in
            [("a2y", &garbler[0], &evaluator[0]), ("b2y", &garbler[1], &evaluator[1])]
        {
            for (party, labels) in [("garbler", zeros), ("evaluator", active)] {
                let what = format!("{name} of {value} at the {party}");
                let nibbles = labels.iter().flat_map(|label| (0..32).map(|i| label.0 >> (4 * i) & 15));
                assert_uniform(nibbles, 16, &what);
                let shares = wires::to_words(&convert::y2b(labels), BITS);
                assert_uniform(shares, 1 << BITS, &format!("y2b of {what}"));
            }
            let values = wires::to_words(&xor([&convert::y2b(zeros), &convert::y2b(active)]), BITS);
            assert!(values.iter().all(|found| *found == value), "{name}");
        }
    }
}

/// The evaluator's corrections of its shares of sums that setup has garbled are uniform whatever the shares are, even if all
/// randomness except that of the OTs is fixed.
#[tokio::test]
async fn corrections_of_sums_are_uniform() {
    let adder = convert::adder(BITS);
    let sum = Region { circuit: &adder, instances: 4 * RUNS as u64, first_id: 0 };
    for value in [0, 3, 7] {
        let run = async |start: Start| -> Result<[usize; 2], ShareError> {
            let Start { party, link, .. } = start;
            let (channel, mut prg) = (link.channel, Prg::from_os().unwrap());
            let shares = vec![value; 4 * RUNS];
            let mut labels = vec![Block::ZERO; shares.len() * BITS as usize];
            let mut channel = channel;
            if party == Party::First {
                let ots = rot::Sender::setup(&mut channel, Params::K4, &SESSION, &mut prg).await?;
                let mut side = Garbler::start(channel, ots, prg).await?;
                side.prepare(0, &[sum]).await?;
                convert::a2y(&mut side, party, &shares, (&adder, 0), &mut labels).await?;
                return Ok([0; 2]);
            }
            let ots = rot::Receiver::setup(&mut channel, Params::K4, &SESSION, &mut prg).await?;
            let mut side = Evaluator::start(channel, ots).await?;
            side.prepare(0, &[sum]).await?;
            let before = side.channel().bytes_sent() as usize;
            convert::a2y(&mut side, party, &shares, (&adder, 0), &mut labels).await?;
            Ok([before, side.channel().bytes_sent() as usize])
        };
        let (ended, trace) = both([Edit::None; 2], LIMIT, run).await;
        let [_, evaluator] = ended.map(Result::unwrap);
        let sent = &trace[1].content[evaluator[0]..evaluator[1]];
        assert_eq!(sent.len(), 4 * RUNS * BITS as usize / 8);
        let bits = Bits::from_bytes(sent, 4 * RUNS * BITS as usize).unwrap();
        let words =
            (0..4 * RUNS).map(|word| (0..3).fold(0, |sum, i| sum | u128::from(bits.get(3 * word + i)) << i));
        assert_uniform(words, 1 << BITS, &format!("corrections of {value}"));
    }
}
