//! Every mask is used once.
//!
//! Operations run on shares that are zero at both parties, so that a party's messages are only its masks. All words must
//! differ, and the bits of a message must not resemble the same bits at an offset. A triple shared by two gates of a layer,
//! two lanes or two calls would show there, since anyone who saw both messages would know the sum of the operands.

use super::harness::*;
use crate::tap::Edit;
use crate::with_side;
use std::collections::{BTreeMap, HashSet};
use tacit_circuit::{CircuitBuilder, Executable, Target};
use tacit_crypto::Prg;
use tacit_math::{Bits, Block};
use tacit_ot::rot;
use tacit_ot::softspoken::Params;
use tacit_twoparty::arith::{Comparison, ComparisonOperand, Relation, Resize, Resized};
use tacit_twoparty::correlations::{MatrixShape, Ots, Pool, Requirement};
use tacit_twoparty::yao::streamed::{Evaluator, Garbler};
use tacit_twoparty::yao::{Region, Side};
use tacit_twoparty::{End, Party, ShareError, arith, convert, gmw};

const LANES: usize = 1000;
/// Each operation is called this often, on the same operands.
const CALLS: usize = 3;

type Pending<'a> = std::pin::Pin<Box<dyn Future<Output = Result<(), ShareError>> + 'a>>;
type Operation = fn(&mut End) -> Pending<'_>;

/// What each party sends while an operation is called [`CALLS`] times, with randomness of the operating system. More material is
/// made than used, so that it is handed out in parts.
async fn messages(requirement: &Requirement, operation: Operation) -> [Vec<u8>; 2] {
    let run = async |start: Start| {
        let (party, mut channel) = (start.party, start.link.channel);
        let os = || Prg::from_os().unwrap();
        let mut ots = Ots::setup(&mut channel, party, Params::K4, &SESSION, os()).await.unwrap();
        let pool = Pool::make(&mut ots, &mut channel, requirement).await.unwrap();
        let mut end = End::start(channel, party, pool, os()).await.unwrap();
        let before = end.channel().bytes_sent() as usize;
        for _ in 0..CALLS {
            operation(&mut end).await.unwrap();
        }
        (before, end.channel().bytes_sent() as usize)
    };
    let (marks, trace) = both([Edit::None; 2], LIMIT, run).await;
    let mut seen = trace.into_iter();
    marks.map(|(before, after)| seen.next().expect("two parties").content[before..after].to_vec())
}

/// Fails if 64 bits are repeated anywhere, or bits equal those a few places further on more often than by chance.
fn assert_unlike_itself(bits: &Bits, what: &str) {
    let mut seen = HashSet::new();
    let mut window = 0u64;
    for (place, bit) in bits.iter().enumerate() {
        window = window << 1 | u64::from(bit);
        assert!(place < 63 || seen.insert(window), "{what}: the 64 bits before bit {place} were sent before");
    }
    for lag in 1..256 {
        let count = bits.len() - lag;
        let mut differences = bits.slice(lag..bits.len());
        differences ^= &bits.slice(0..count);
        let deviation = (differences.count_ones() as f64 - count as f64 / 2.0).abs();
        // Eight standard deviations: once in some 10^14 places.
        assert!(deviation < 4.0 * (count as f64).sqrt(), "{what}: bits are like those {lag} further on");
    }
}

fn zeros(wires: usize) -> Bits {
    Bits::zeros(wires * LANES)
}

/// Two inputs of `bits` wires, whose wires are joined pairwise and then all with one.
fn circuit(bits: u32) -> Executable {
    let mut builder = CircuitBuilder::new();
    let (x, y) = (builder.input(bits), builder.input(bits));
    let pairs: Vec<_> = x.iter().zip(&y).map(|(&x, &y)| builder.and(x, y)).collect();
    let twice: Vec<_> = pairs.iter().zip(&y).map(|(&pair, &y)| builder.xor(pair, y)).collect();
    let joined: Vec<_> = twice.iter().map(|&wire| builder.and(wire, x[0])).collect();
    Executable::new(&builder.finish(vec![pairs, joined]).unwrap(), Target::Lanes)
}

const OF_BITS: [(&str, Operation); 6] = [
    ("AND", |end| Box::pin(async move { gmw::and(end, &zeros(4), &zeros(4)).await.map(drop) })),
    ("choice", |end| {
        Box::pin(async move { gmw::select(end, &zeros(1), &zeros(5), &zeros(5), 5).await.map(drop) })
    }),
    ("AND of all", |end| Box::pin(async move { gmw::all(end, &zeros(8), LANES).await.map(drop) })),
    ("bits as words", |end| {
        Box::pin(async move { convert::bits_to_arith(end, &[(&zeros(1), 8)]).await.map(drop) })
    }),
    ("circuits side by side", |end| {
        Box::pin(async move {
            let circuit = circuit(3);
            let (x, y) = (zeros(3), zeros(3));
            let [mut first, mut second] = [0; 2].map(|_| [zeros(3), zeros(3)]);
            let operands = [&x, &y].map(|shares| gmw::BitOperand { shares, bits: 3, share: 1 });
            let mut regions = [&mut first, &mut second].map(|outputs| gmw::BitRegion {
                circuit: &circuit,
                instances: LANES as u64,
                operands: operands.to_vec(),
                targets: outputs.iter_mut().map(|shares| gmw::BitTarget { shares, bits: 3 }).collect(),
            });
            gmw::run(end, &mut regions).await
        })
    }),
    ("comparisons", |end| {
        Box::pin(async move {
            let words = vec![0; LANES];
            let words = [ComparisonOperand::Shared(&words[..]); 2];
            let [x, y] = words;
            let relations = [Relation::LessUnsigned, Relation::Equal];
            let all = relations.map(|relation| Comparison { relation, x, y, bits: 8 });
            arith::compare_all(end, &all).await.map(drop)
        })
    }),
];

const OF_WORDS: [(&str, Operation); 6] = [
    ("products", |end| {
        Box::pin(async move { arith::multiply(end, &[0; LANES], &[0; LANES], 64).await.map(drop) })
    }),
    ("squares", |end| Box::pin(async move { arith::square(end, &[0; LANES], 64).await.map(drop) })),
    ("products of matrices", |end| {
        Box::pin(
            async move { arith::matrix_product(end, SHAPE, &[0; 20 * 30], &[0; 30 * 10]).await.map(drop) },
        )
    }),
    ("sums of bits", |end| Box::pin(async move { convert::b2a(end, &zeros(64), 64, LANES).await.map(drop) })),
    ("choices of words", |end| {
        Box::pin(async move { arith::select(end, &zeros(1), &[0; LANES], &[0; LANES], 64).await.map(drop) })
    }),
    ("cuts", |end| {
        Box::pin(async move {
            let words = vec![0; LANES];
            let cut = Resized { how: Resize::Arithmetic { by: 4 }, x: &words, bits: 64 };
            arith::resize_all(end, &[cut]).await.map(drop)
        })
    }),
];

const SHAPE: MatrixShape = MatrixShape { bits: 64, rows: 20, inner: 30, columns: 10 };

fn requirement() -> Requirement {
    let enough = 8 * (CALLS * LANES) as u64;
    let each = |sizes: &[u32]| -> BTreeMap<u32, u64> { sizes.iter().map(|&size| (size, enough)).collect() };
    Requirement {
        bit_triples: [(1, 10 * enough)].into_iter().chain(each(&[2, 3, 4, 5])).collect(),
        nary_triples: each(&[3, 4]),
        lookup_tables: [((), 4 * enough)].into(),
        da_bits: each(&[1, 4, 8]),
        ..Requirement::default()
    }
}

fn requirement_of_words() -> Requirement {
    let enough = (CALLS * LANES + 7) as u64;
    let each = |bits: u32| [(bits, enough)].into();
    Requirement {
        bit_triples: [(1, 200 * enough), (2, 100 * enough), (3, 10 * enough)].into(),
        nary_triples: [(3, 10 * enough), (4, 10 * enough)].into(),
        lookup_tables: [((), 40 * enough)].into(),
        word_triples: each(64),
        square_pairs: each(64),
        eda_bits: each(64),
        bit_word_triples: each(64),
        da_bits: [(4, enough), (60, 2 * enough), (64, 4 * enough)].into(),
        matrix_triples: [(SHAPE, CALLS as u64 + 2)].into(),
    }
}

#[tokio::test]
async fn no_two_bits_of_any_message_have_a_mask_in_common() {
    for (name, operation) in OF_BITS {
        for (party, sent) in messages(&requirement(), operation).await.into_iter().enumerate() {
            let bits = Bits::from_bytes(&sent, 8 * sent.len()).unwrap();
            assert_unlike_itself(&bits, &format!("{name} from party {party}"));
        }
    }
}

#[tokio::test]
async fn no_two_words_of_any_message_have_a_mask_in_common() {
    for (name, operation) in OF_WORDS {
        for (party, sent) in messages(&requirement_of_words(), operation).await.into_iter().enumerate() {
            let mut seen = HashSet::new();
            let repeated = sent.windows(8).filter(|word| !seen.insert(*word)).count();
            assert_eq!(repeated, 0, "{name} from party {party}: words are sent twice");
        }
    }
}

/// Sums that setup garbles, and bits whose labels it makes, on equal shares: returns what each party sends, and where online
/// begins.
async fn to_labels() -> [(Vec<u8>, usize); 2] {
    const BITS: u32 = 32;
    const WORDS: usize = 3;
    const SUMS: usize = 20;
    let adder = convert::adder(BITS);
    let ids = (0..SUMS).map(|sum| (sum * WORDS) as u64 * adder.and_count);
    let sums: Vec<_> =
        ids.map(|first_id| Region { circuit: &adder, instances: WORDS as u64, first_id }).collect();
    let run = async |start: Start| -> Result<usize, ShareError> {
        let (party, mut channel, mut prg) = (start.party, start.link.channel, Prg::from_os().unwrap());
        let mut side = match party {
            Party::First => {
                let ots = rot::Sender::setup(&mut channel, Params::K4, &SESSION, &mut prg).await?;
                YaoSide::Garbler(Box::new(Garbler::start(channel, ots, prg).await?))
            }
            Party::Second => {
                let ots = rot::Receiver::setup(&mut channel, Params::K4, &SESSION, &mut prg).await?;
                YaoSide::Evaluator(Box::new(Evaluator::start(channel, ots).await?))
            }
        };
        with_side!(&mut side, side => side.prepare(CALLS * LANES, &sums).await)?;
        let before = with_side!(&mut side, side => side.channel().bytes_sent()) as usize;
        let mut labels = vec![Block::ZERO; WORDS * BITS as usize];
        for sum in &sums {
            let sum = (&adder, sum.first_id);
            with_side!(&mut side, side => convert::a2y(side, party, &[77; WORDS], sum, &mut labels).await)?;
        }
        let mut labels = vec![Block::ZERO; LANES];
        for _ in 0..CALLS {
            with_side!(&mut side, side => convert::b2y(side, party, &zeros(1), &mut labels).await)?;
        }
        with_side!(&mut side, side => side.flush().await)?;
        Ok(before)
    };
    let (before, trace) = both([Edit::None; 2], LIMIT, run).await;
    let mut seen = trace.into_iter().map(|seen| seen.content);
    before.map(|before| (seen.next().expect("two parties"), before.expect("a run")))
}

/// Keys of masks, labels and tables are drawn for each sum: with those of one sum the evaluator would read another's before
/// its inputs are fixed, or see which bits two words have in common. The evaluator corrects each random bit once: two
/// corrections of one bit show whether two bits of its shares are equal.
#[tokio::test]
async fn nothing_that_becomes_labels_is_hidden_as_something_else_is() {
    let [(garbler, _), (evaluator, online)] = to_labels().await;
    let mut seen = HashSet::new();
    for (place, window) in garbler.windows(16).enumerate() {
        assert!(seen.insert(window), "the garbler sends bytes {place} to {} again", place + 16);
    }
    let corrections = &evaluator[online..];
    let bits = Bits::from_bytes(corrections, 8 * corrections.len()).unwrap();
    assert_unlike_itself(&bits, "corrections of the evaluator's shares");
}
