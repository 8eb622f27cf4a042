//! Triples of matrices by lattices: relations, bytes, keys, and bad messages.

use super::harness::*;
use crate::tap::Edit;
use tacit_he::HeError;
use tacit_ot::softspoken::Params;
use tacit_schedule::Consumed;
use tacit_twoparty::correlations::{
    LatticeMatrices, LatticeWords, MatrixShape, MatrixTriples, Ots, Pool, Requirement, SquarePairs,
    WordTriples,
};
use tacit_twoparty::lattice_keys::{KeySet, LatticeKeys};
use tacit_twoparty::transfers::Tally;
use tacit_twoparty::{CountedChannel, CountedOts, Dialogue, Party, ShareError, mask};

/// What a step makes at one party, and what was sent until then.
struct Made {
    pool: Pool,
    sent: u64,
    rounds: u64,
    keys: KeySet,
}

/// Makes triples of these shapes at one party, in as many steps of one session.
async fn make(start: Start, steps: &[Vec<(MatrixShape, u64)>]) -> Result<Vec<Made>, ShareError> {
    let mut channel = start.link.channel;
    let mut ots = Ots::setup(&mut channel, start.party, Params::K4, &SESSION, prg(start.party, 5)).await?;
    let mut keys = LatticeKeys::default();
    let mut made = Vec::new();
    for step in steps {
        let mut requirement =
            Requirement { matrix_triples: step.iter().copied().collect(), ..Requirement::default() };
        let lattices = LatticeMatrices::take_from(&mut requirement, |_| true);
        assert!(requirement.is_empty());
        let mut pool = Pool::default();
        lattices.make(&mut ots, &mut keys, &mut channel, &mut pool).await?;
        let (sent, rounds) = (channel.bytes_sent(), channel.rounds());
        made.push(Made { pool, sent, rounds, keys: keys.set() });
    }
    channel.finish().await?;
    Ok(made)
}

/// Fails unless both parties have made what is predicted for each step, and the products are those of the
/// factors.
async fn check(steps: &[Vec<(MatrixShape, u64)>]) {
    let ([first, second], _) = both([Edit::None; 2], 4 * LIMIT, async |start| make(start, steps).await).await;
    let mut counted = CountedChannel::default();
    let mut ots = CountedOts { tally: Tally::new(Params::K4), extension: Params::K4.into() };
    counted.play(&Dialogue::default().set_up(Party::First).set_up(Party::Second), &mut ots);
    for ((step, first), second) in steps.iter().zip(first.unwrap()).zip(second.unwrap()) {
        let mut requirement =
            Requirement { matrix_triples: step.iter().copied().collect(), ..Requirement::default() };
        counted.play(&LatticeMatrices::take_from(&mut requirement, |_| true).price(), &mut ots);
        for (i, made) in [&first, &second].into_iter().enumerate() {
            let predicted = (counted.bytes[i], counted.rounds[i], ots.tally.keys);
            assert_eq!((made.sent, made.rounds, made.keys), predicted, "party {i}, {step:?}");
        }
        let mut pools = [first.pool, second.pool];
        for (shape, count) in step {
            let [x, y] =
                pools.each_mut().map(|pool| pool.take::<MatrixTriples>(*shape, *count as usize).unwrap());
            let sums = |x: &[u128], y: &[u128]| sum([x, y], shape.bits);
            let (a, b, c) = (sums(&x.a, &y.a), sums(&x.b, &y.b), sums(&x.c, &y.c));
            assert!(
                [&x.a, &x.b, &x.c].iter().all(|words| words.iter().all(|word| word >> (shape.bits - 1) <= 1))
            );
            for t in 0..*count as usize {
                let (a, b) =
                    (&a[t * shape.left()..][..shape.left()], &b[t * shape.right()..][..shape.right()]);
                assert_eq!(&c[t * shape.product()..][..shape.product()], plain(*shape, a, b), "{shape:?}");
            }
        }
        assert!(pools.iter().all(Pool::is_spent));
    }
}

fn plain(shape: MatrixShape, a: &[u128], b: &[u128]) -> Vec<u128> {
    let cell = |place: usize| {
        let (row, column) = (place / shape.columns, place % shape.columns);
        let product = |i: usize| a[row * shape.inner + i].wrapping_mul(b[i * shape.columns + column]);
        (0..shape.inner).map(product).fold(0, u128::wrapping_add) & mask(shape.bits)
    };
    (0..shape.product()).map(cell).collect()
}

#[tokio::test]
async fn small_shapes_give_products() {
    let sides = || (1..=3).flat_map(|r| (1..=3).flat_map(move |i| (1..=2).map(move |c| (r, i, c))));
    let shape = |bits, (rows, inner, columns)| MatrixShape { bits, rows, inner, columns };
    let all = sides().map(|sides| (shape(8, sides), 1)).collect();
    let widths = [1, 2, 31, 32, 33, 63, 64].map(|bits| (shape(bits, (3, 5, 2)), 2)).to_vec();
    check(&[all, widths]).await;
}

#[tokio::test]
async fn shapes_of_many_tiles_give_products() {
    let shape = |bits, rows, inner, columns| (MatrixShape { bits, rows, inner, columns }, 1);
    let tall = vec![shape(17, 3, 9000, 2), shape(32, 200, 150, 1), shape(64, 1, 500, 40)];
    check(&[tall, vec![shape(32, 40, 40, 40), shape(12, 1, 70, 300)]]).await;
}

#[tokio::test]
async fn random_shapes_give_products() {
    let numbers = words(8, 64, 24);
    let shape = |numbers: &[u128]| {
        let side = |i: usize| 1 + (numbers[i] >> 8) as usize % [60, 400, 20][i];
        (
            MatrixShape {
                bits: 1 + (numbers[0] % 64) as u32,
                rows: side(0),
                inner: side(1),
                columns: side(2),
            },
            1,
        )
    };
    check(&[numbers.chunks_exact(3).map(shape).collect()]).await;
}

#[tokio::test]
async fn keys_travel_once_a_session() {
    let shape = |bits| (MatrixShape { bits, rows: 2, inner: 3, columns: 1 }, 1);
    let mut ots = CountedOts { tally: Tally::default(), extension: Params::K4.into() };
    let mut price = |shape: (MatrixShape, u64)| {
        let mut requirement = Requirement { matrix_triples: [shape].into(), ..Requirement::default() };
        let mut counted = CountedChannel::default();
        counted.play(&LatticeMatrices::take_from(&mut requirement, |_| true).price(), &mut ots);
        counted.bytes[0]
    };
    let [first, second, other] = [shape(32), shape(32), shape(31)].map(&mut price);
    assert_eq!(first - second, 16 + 3 * 8192 * 50 / 8);
    assert_eq!(other, first);
    check(&[vec![shape(32)], vec![shape(32)], vec![shape(31), shape(32)]]).await;
}

#[tokio::test]
async fn shapes_that_lattices_do_not_make_are_refused() {
    for (bits, inner) in [(65, 2), (128, 2), (32, 0)] {
        let shape = MatrixShape { bits, rows: 2, inner, columns: 2 };
        assert_eq!(LatticeMatrices::price_of(shape, 1), None);
        let steps = [vec![(shape, 1)]];
        let (ended, _) = both([Edit::None; 2], LIMIT, async |start| make(start, &steps).await).await;
        for ended in ended {
            let error = ended.err().unwrap();
            let expected = match bits {
                32 => matches!(error, ShareError::Shape { .. }),
                _ => matches!(error, ShareError::He(HeError::Parameters(_))),
            };
            assert!(expected, "{error}");
        }
    }
}

/// Bad bytes in the key, the encryption and the reply.
#[tokio::test]
async fn bad_messages_end_both_parties() {
    let steps = [vec![(MatrixShape { bits: 32, rows: 2, inner: 2, columns: 1 }, 1)]];
    let honest = both([Edit::None; 2], LIMIT, async |start| make(start, &steps).await).await;
    let size = honest.1[0].bytes;
    for at in [size / 3, size - 60_000, size - 1000] {
        let edits = [Edit::Cut(at), Edit::None];
        let ([_, second], _) = both(edits, LIMIT, async |start| make(start, &steps).await).await;
        assert!(matches!(second, Err(ShareError::Net(_))), "{:?}", second.err());
    }
}

/// Products and squares of words, by width.
#[derive(Clone, Default)]
struct Singles {
    products: Vec<(u32, u64)>,
    squares: Vec<(u32, u64)>,
}

impl Singles {
    fn lattices(&self) -> LatticeWords {
        let mut requirement = Requirement {
            word_triples: self.products.iter().copied().collect(),
            square_pairs: self.squares.iter().copied().collect(),
            ..Requirement::default()
        };
        let lattices = LatticeWords::take_from(&mut requirement, |_| true);
        assert!(requirement.is_empty());
        lattices
    }
}

/// Makes them at one party, in as many steps of one session.
async fn make_singles(start: Start, steps: &[Singles]) -> Result<Vec<Made>, ShareError> {
    let mut channel = start.link.channel;
    let mut ots = Ots::setup(&mut channel, start.party, Params::K4, &SESSION, prg(start.party, 5)).await?;
    let mut keys = LatticeKeys::default();
    let mut made = Vec::new();
    for step in steps {
        let mut pool = Pool::default();
        step.lattices().make(&mut ots, &mut keys, &mut channel, &mut pool).await?;
        let (sent, rounds) = (channel.bytes_sent(), channel.rounds());
        made.push(Made { pool, sent, rounds, keys: keys.set() });
    }
    channel.finish().await?;
    Ok(made)
}

/// Fails unless both parties have made what is predicted for each step, and products and squares are those of their
/// factors.
async fn check_singles(steps: &[Singles]) {
    let ([first, second], _) =
        both([Edit::None; 2], 16 * LIMIT, async |start| make_singles(start, steps).await).await;
    let mut counted = CountedChannel::default();
    let mut ots = CountedOts { tally: Tally::new(Params::K4), extension: Params::K4.into() };
    counted.play(&Dialogue::default().set_up(Party::First).set_up(Party::Second), &mut ots);
    for ((step, first), second) in steps.iter().zip(first.unwrap()).zip(second.unwrap()) {
        counted.play(&step.lattices().price(), &mut ots);
        for (i, made) in [&first, &second].into_iter().enumerate() {
            let predicted = (counted.bytes[i], counted.rounds[i], ots.tally.keys);
            assert_eq!((made.sent, made.rounds, made.keys), predicted, "party {i}");
        }
        let mut pools = [first.pool, second.pool];
        for (bits, count) in &step.products {
            let [x, y] =
                pools.each_mut().map(|pool| pool.take::<WordTriples>(*bits, *count as usize).unwrap());
            let [a, b, c] = [(&x.a, &y.a), (&x.b, &y.b), (&x.c, &y.c)].map(|(x, y)| sum([x, y], *bits));
            assert!([&x.a, &x.b, &x.c].iter().all(|words| words.iter().all(|word| word & !mask(*bits) == 0)));
            let products = a.iter().zip(&b).map(|(a, b)| a.wrapping_mul(*b) & mask(*bits));
            assert!(c.len() as u64 == *count && products.eq(c.iter().copied()), "{bits} bits");
        }
        for (bits, count) in &step.squares {
            let [x, y] =
                pools.each_mut().map(|pool| pool.take::<SquarePairs>(*bits, *count as usize).unwrap());
            let [a, c] = [(&x.a, &y.a), (&x.c, &y.c)].map(|(x, y)| sum([x, y], *bits));
            let squares = a.iter().map(|a| a.wrapping_mul(*a) & mask(*bits));
            assert!(c.len() as u64 == *count && squares.eq(c.iter().copied()), "squares of {bits} bits");
        }
        assert!(pools.iter().all(Pool::is_spent));
    }
}

#[tokio::test]
async fn words_of_every_kind_of_width_give_products_and_squares() {
    let widths = [1, 2, 16, 32, 33, 64, 100, 128].map(|bits| (bits, 20)).to_vec();
    let few = Singles { products: widths.clone(), squares: widths };
    check_singles(&[few]).await;
}

/// More than a ciphertext, and than a message, can hold; for squares equally many columns at both parties, and one more at
/// the first.
#[tokio::test]
async fn many_words_give_products_and_squares() {
    let one = |products: &[(u32, u64)], squares: &[(u32, u64)]| Singles {
        products: products.to_vec(),
        squares: squares.to_vec(),
    };
    check_singles(&[
        one(&[(16, 8193), (64, 3 * 8192)], &[(32, 8192)]),
        one(&[(8, 1)], &[(64, 8193), (16, 5 * 8192 + 7)]),
        one(&[], &[(20, 9 * 8192)]),
        one(&[(24, 0)], &[]),
    ])
    .await;
}

#[tokio::test]
async fn the_key_of_products_travels_once_a_session() {
    let mut ots = CountedOts { tally: Tally::default(), extension: Params::K4.into() };
    let mut price = |products: &[(u32, u64)]| {
        let mut counted = CountedChannel::default();
        let singles = Singles { products: products.to_vec(), ..Singles::default() };
        counted.play(&singles.lattices().price(), &mut ots);
        counted.bytes
    };
    let [first, second, wider] = [price(&[(32, 8192)]), price(&[(32, 8192)]), price(&[(64, 8192)])];
    // A seed, and 8192 residues modulo three primes of 50 bits.
    let residues = 8192 * 50 / 8;
    assert_eq!(first.map(|bytes| bytes - second[0]), [16 + 3 * residues; 2]);
    // A message each way for every prime of the plaintexts, and a reply of two residues.
    assert_eq!(second, [3 * (16 + 5 * residues); 2]);
    assert_eq!(wider, [5 * (16 + 5 * residues); 2]);
}

#[tokio::test]
async fn what_lattices_do_not_make_of_words_is_refused() {
    for kind in [Consumed::Product { bits: 0 }, Consumed::Square { bits: 129 }, Consumed::Word { bits: 8 }] {
        assert!(!LatticeWords::serve(kind));
        assert_eq!(LatticeWords::price_of(kind, 1), None);
    }
    for (products, squares) in [(vec![(129, 1)], vec![]), (vec![], vec![(0, 1)])] {
        let steps = [Singles { products, squares }];
        let (ended, _) = both([Edit::None; 2], LIMIT, async |start| make_singles(start, &steps).await).await;
        assert!(ended.into_iter().all(|ended| matches!(ended, Err(ShareError::Width { bits: 0 | 129 }))));
    }
}

/// Bad bytes in the key, the encryptions and the replies.
#[tokio::test]
async fn bad_messages_of_words_end_both_parties() {
    let steps = [Singles { products: vec![(16, 3)], ..Singles::default() }];
    let honest = both([Edit::None; 2], LIMIT, async |start| make_singles(start, &steps).await).await;
    let size = honest.1[0].bytes;
    for at in [size - 800_000, size - 400_000, size - 1000] {
        let edits = [Edit::Cut(at), Edit::None];
        let ([_, second], _) = both(edits, LIMIT, async |start| make_singles(start, &steps).await).await;
        assert!(matches!(second, Err(ShareError::Net(_))), "{:?}", second.err());
    }
}
