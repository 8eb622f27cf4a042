//! The material from setup: relations, bytes, and exhaustion.

use super::harness::*;
use crate::tap::Edit;
use std::collections::BTreeMap;
use tacit_math::Bits;
use tacit_ot::softspoken::Params;
use tacit_twoparty::correlations::{
    BitTriples, BitWordTriples, DaBits, EdaBits, LookupTables, MatrixShape, MatrixTriples, NaryTriples, Ots,
    Pool, Requirement, SquarePairs, WordTriples,
};
use tacit_twoparty::{ShareError, mask};

fn requirement(bits: u32, count: u64) -> Requirement {
    let one = |count| BTreeMap::from([(bits, count)]);
    let shapes = [(2, 3, 4), (5, 2, 1), (1, 6, 1)].map(|(rows, inner, columns)| MatrixShape {
        bits,
        rows,
        inner,
        columns,
    });
    // A width may be one of the other sizes.
    let mut sizes = BTreeMap::from([(1, count * 3 + 1), (2, count + 3), (128, 3)]);
    *sizes.entry(bits).or_default() += count;
    Requirement {
        bit_triples: sizes,
        word_triples: one(count),
        square_pairs: one(count),
        matrix_triples: shapes.iter().map(|shape| (*shape, 1 + count % 2)).collect(),
        eda_bits: one(count),
        nary_triples: [3, 4].map(|operands| (operands, count + 1)).into(),
        lookup_tables: [((), count + 2)].into(),
        da_bits: one(count),
        bit_word_triples: one(count),
    }
}

/// Makes a pool at both parties; returns the pools, and the bytes that each party sent for them.
async fn made(requirement: &Requirement) -> [(Pool, u64); 2] {
    let make = async |start: Start| -> Result<(Pool, u64), ShareError> {
        let mut channel = start.link.channel;
        let mut ots =
            Ots::setup(&mut channel, start.party, Params::K4, &SESSION, prg(start.party, 5)).await?;
        let before = channel.bytes_sent();
        let pool = Pool::make(&mut ots, &mut channel, requirement).await?;
        let sent = channel.bytes_sent() - before;
        as_counted(&channel, start.party, Params::K4, requirement);
        channel.finish().await?;
        Ok((pool, sent))
    };
    both([Edit::None; 2], LIMIT, make).await.0.map(Result::unwrap)
}

#[tokio::test]
async fn what_is_kept_has_one_length() {
    for (bits, count) in [(1, 0), (7, 5), (128, 3)] {
        let requirement = requirement(bits, count);
        for (pool, _) in made(&requirement).await {
            let bytes = pool.to_bytes();
            assert_eq!(Some(bytes.len() as u64), requirement.packed_bytes());
            assert_eq!(Pool::from_bytes(&requirement, &bytes).unwrap().to_bytes(), bytes);
            for length in [0, 1, bytes.len() - 1, bytes.len() + 1] {
                let mut other = bytes.to_vec();
                other.resize(length, 0);
                let Err(error) = Pool::from_bytes(&requirement, &other) else { panic!("{length} bytes") };
                let counts = format!("it has {length} bytes, but the run needs {}", bytes.len());
                assert!(error.to_string().contains(&counts), "{error}");
            }
        }
    }
    let many = Requirement {
        bit_triples: [(1, u64::MAX)].into(),
        word_triples: [(64, u64::MAX)].into(),
        ..Requirement::default()
    };
    assert!(many.packed_bytes().is_none() && Pool::from_bytes(&many, &[]).is_err());
}

#[tokio::test]
async fn all_material_keeps_its_relation() {
    for bits in WIDTHS {
        let requirement = requirement(bits, 65);
        let [(mut first, _), (mut second, _)] = made(&requirement).await.map(|(pool, sent)| {
            // As it was made, and as it is read back from bytes.
            (
                if bits % 2 == 0 { Pool::from_bytes(&requirement, &pool.to_bytes()).unwrap() } else { pool },
                sent,
            )
        });
        let mut pools = [&mut first, &mut second];
        // In two parts, so that the second does not start at a whole word.
        for part in [3usize, 62] {
            let [x, y] = pools.each_mut().map(|pool| pool.take::<BitTriples>(1, part * 3).unwrap());
            let (mut ab, c) = (xor([&x.a, &y.a]), xor([&x.c[0], &y.c[0]]));
            ab &= &xor([&x.b[0], &y.b[0]]);
            assert_eq!(ab, c);

            let [x, y] = pools.each_mut().map(|pool| pool.take::<WordTriples>(bits, part).unwrap());
            let (a, b) = (sum([&x.a, &y.a], bits), sum([&x.b, &y.b], bits));
            let products: Vec<u128> =
                a.iter().zip(&b).map(|(a, b)| a.wrapping_mul(*b) & mask(bits)).collect();
            assert_eq!(sum([&x.c, &y.c], bits), products, "{bits} bits");

            let [x, y] = pools.each_mut().map(|pool| pool.take::<SquarePairs>(bits, part).unwrap());
            let a = sum([&x.a, &y.a], bits);
            let squares: Vec<u128> = a.iter().map(|a| a.wrapping_mul(*a) & mask(bits)).collect();
            assert_eq!(sum([&x.c, &y.c], bits), squares, "{bits} bits");

            let [x, y] = pools.each_mut().map(|pool| pool.take::<EdaBits>(bits, part).unwrap());
            let mut position = 0;
            for i in 0..part {
                for bit in 0..bits {
                    let width = bits - bit;
                    let read = |sums: &tacit_math::Bits| sums.block(position).0 & mask(width);
                    let sum = read(&x.sums).wrapping_add(read(&y.sums)) & mask(width);
                    assert_eq!(sum, (x.words[i] ^ y.words[i]) >> bit & 1, "{bits} bits, bit {bit}");
                    position += width as usize;
                }
            }
        }
        bits_are_in_relation(&mut pools, bits, 65);
        for (&size, &count) in requirement.bit_triples.iter().filter(|(size, _)| **size != 2) {
            let taken = if size == 1 { 3 * 65 } else { 0 };
            vectors_are_in_relation(&mut pools, size, count as usize - taken);
        }
        for (shape, count) in &requirement.matrix_triples {
            let [x, y] =
                pools.each_mut().map(|pool| pool.take::<MatrixTriples>(*shape, *count as usize).unwrap());
            let (a, b, c) = (sum([&x.a, &y.a], bits), sum([&x.b, &y.b], bits), sum([&x.c, &y.c], bits));
            for k in 0..*count as usize {
                for (i, j) in (0..shape.rows).flat_map(|i| (0..shape.columns).map(move |j| (i, j))) {
                    let a = &a[k * shape.left() + i * shape.inner..][..shape.inner];
                    let b = b[k * shape.right()..].iter().skip(j).step_by(shape.columns);
                    let product =
                        a.iter().zip(b).fold(0u128, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b)));
                    assert_eq!(
                        c[k * shape.product() + i * shape.columns + j],
                        product & mask(bits),
                        "{shape:?}"
                    );
                }
            }
        }
    }
}

fn vectors_are_in_relation(pools: &mut [&mut Pool; 2], size: u32, count: usize) {
    let [x, y] = pools.each_mut().map(|pool| pool.take::<BitTriples>(size, count).unwrap());
    assert_eq!((x.a.len(), x.b.len(), x.c.len()), (count, size as usize, size as usize));
    let mut seen = Vec::new();
    for i in 0..size as usize {
        let mut product = xor([&x.b[i], &y.b[i]]);
        seen.push(product.clone());
        product &= &xor([&x.a, &y.a]);
        assert_eq!(product, xor([&x.c[i], &y.c[i]]), "{i} of {size}");
    }
    seen.sort_by_key(Bits::to_bytes);
    assert!(
        count < 60 || seen.windows(2).all(|pair| pair[0] != pair[1]),
        "factors of {size} that are the same"
    );
}

/// The material of comparisons and of what they need.
fn bits_are_in_relation(pools: &mut [&mut Pool; 2], bits: u32, count: usize) {
    vectors_are_in_relation(pools, 2, count);
    for operands in 3..=4usize {
        let [x, y] = pools.each_mut().map(|pool| pool.take::<NaryTriples>(operands as u32, count).unwrap());
        let products: Vec<Bits> = x.products.iter().zip(&y.products).map(|(x, y)| xor([x, y])).collect();
        assert_eq!(products.len(), (1 << operands) - 1);
        for set in 1..1usize << operands {
            let mut all = Bits::from_fn(count, |_| true);
            (0..operands).filter(|i| set >> i & 1 == 1).for_each(|i| all &= &products[(1 << i) - 1]);
            assert_eq!(products[set - 1], all, "{set:b}");
        }
    }
    let [x, y] = pools.each_mut().map(|pool| pool.take::<LookupTables>((), count).unwrap());
    for (tables, looked_up) in [(&x, &y), (&y, &x)] {
        for i in 0..count {
            assert!(looked_up.indices[i] < 16);
            assert_eq!(tables.tables[i] >> looked_up.indices[i] & 0x0001_0001, looked_up.entries[i]);
        }
    }
    let [x, y] = pools.each_mut().map(|pool| pool.take::<DaBits>(bits, count).unwrap());
    let random: Vec<u128> = xor([&x.bits, &y.bits]).iter().map(u128::from).collect();
    assert_eq!(sum([&x.sums, &y.sums], bits), random, "{bits} bits");
    let [x, y] = pools.each_mut().map(|pool| pool.take::<BitWordTriples>(bits, count).unwrap());
    let random: Vec<u128> = xor([&x.r, &y.r]).iter().map(u128::from).collect();
    assert_eq!(sum([&x.sums, &y.sums], bits), random, "{bits} bits");
    let products: Vec<u128> = sum([&x.b, &y.b], bits).iter().zip(&random).map(|(b, r)| b * r).collect();
    assert_eq!(sum([&x.c, &y.c], bits), products, "{bits} bits");
}

#[tokio::test]
async fn bytes_are_as_predicted() {
    for (bits, count) in [(1, 10), (8, 1000), (32, 1), (32, 1025), (32, 3000), (64, 700), (128, 300)] {
        let requirement = requirement(bits, count);
        let [(_, first), (_, second)] = made(&requirement).await;
        let ([ots_first, ots_second], [message_first, message_second]) =
            (requirement.price::<Ots>().ots(), requirement.price::<Ots>().bytes());
        assert_eq!(first, Params::K4.bytes(ots_second) + message_first, "{bits} bits, {count}");
        assert_eq!(second, Params::K4.bytes(ots_first) + message_second, "{bits} bits, {count}");
    }
    // The figure of the paper with shorter correlated OTs: l(l + 1)/2 bits in each direction for a triple.
    let products = Requirement { word_triples: BTreeMap::from([(32, 1000)]), ..Requirement::default() };
    assert_eq!((products.price::<Ots>().ots(), products.price::<Ots>().bytes()), ([32_000; 2], [66_000; 2]));
    let squares = Requirement { square_pairs: BTreeMap::from([(32, 1000)]), ..Requirement::default() };
    assert_eq!((squares.price::<Ots>().ots(), squares.price::<Ots>().bytes()), ([31_000, 0], [62_000, 0]));
}

/// More than is made between two changes of the direction.
#[tokio::test]
async fn material_of_several_windows_keeps_its_relation() {
    let requirement = Requirement {
        bit_triples: [(1, 530_000), (2, 33_000)].into(),
        nary_triples: BTreeMap::from([(3, 33_000), (4, 10)]),
        lookup_tables: [((), 8200)].into(),
        da_bits: BTreeMap::from([(33, 4100)]),
        bit_word_triples: BTreeMap::from([(33, 4100)]),
        ..Requirement::default()
    };
    let [(mut first, sent_first), (mut second, sent_second)] = made(&requirement).await;
    let (ots, messages) = (requirement.price::<Ots>().ots(), requirement.price::<Ots>().bytes());
    assert_eq!(sent_first, Params::K4.bytes(ots[1]) + messages[0]);
    assert_eq!(sent_second, Params::K4.bytes(ots[0]) + messages[1]);
    // The last pieces, which the second window made.
    for pool in [&mut first, &mut second] {
        pool.take::<BitTriples>(1, 530_000 - 10).unwrap();
        pool.take::<BitTriples>(2, 33_000 - 10).unwrap();
        pool.take::<NaryTriples>(3, 33_000 - 10).unwrap();
        pool.take::<LookupTables>((), 8200 - 10).unwrap();
        pool.take::<DaBits>(33, 4100 - 10).unwrap();
        pool.take::<BitWordTriples>(33, 4100 - 10).unwrap();
    }
    let [x, y] = [&mut first, &mut second].map(|pool| pool.take::<BitTriples>(1, 10).unwrap());
    let (mut product, factor) = (xor([&x.a, &y.a]), xor([&x.b[0], &y.b[0]]));
    product &= &factor;
    assert_eq!(xor([&x.c[0], &y.c[0]]), product);
    bits_are_in_relation(&mut [&mut first, &mut second], 33, 10);
    assert!(first.is_spent() && second.is_spent());
}

#[tokio::test]
async fn material_runs_out_with_an_error() {
    let [(mut pool, _), _] = made(&requirement(32, 2)).await;
    pool.take::<WordTriples>(32, 1).unwrap();
    let Err(ShareError::Exhausted { what, asked, left }) = pool.take::<WordTriples>(32, 2) else {
        panic!("no error")
    };
    assert_eq!((what, asked, left), ("multiplication triples", 2, 1));
    assert!(matches!(pool.take::<WordTriples>(31, 1), Err(ShareError::Exhausted { left: 0, .. })));
    assert!(matches!(pool.take::<BitTriples>(1, 8), Err(ShareError::Exhausted { left: 7, .. })));
    assert!(matches!(pool.take::<BitTriples>(32, 3), Err(ShareError::Exhausted { left: 2, .. })));
    assert!(matches!(pool.take::<SquarePairs>(32, 3), Err(ShareError::Exhausted { left: 2, .. })));
    assert!(matches!(pool.take::<EdaBits>(32, 3), Err(ShareError::Exhausted { left: 2, .. })));
    assert!(matches!(pool.take::<BitTriples>(2, 6), Err(ShareError::Exhausted { left: 5, .. })));
    assert!(matches!(pool.take::<NaryTriples>(3, 4), Err(ShareError::Exhausted { left: 3, .. })));
    assert!(matches!(pool.take::<NaryTriples>(5, 1), Err(ShareError::Exhausted { left: 0, .. })));
    assert!(matches!(pool.take::<LookupTables>((), 5), Err(ShareError::Exhausted { left: 4, .. })));
    assert!(matches!(pool.take::<DaBits>(32, 3), Err(ShareError::Exhausted { left: 2, .. })));
    assert!(matches!(pool.take::<BitWordTriples>(32, 3), Err(ShareError::Exhausted { left: 2, .. })));
    let shape = MatrixShape { bits: 32, rows: 2, inner: 3, columns: 4 };
    assert!(matches!(pool.take::<MatrixTriples>(shape, 2), Err(ShareError::Exhausted { left: 1, .. })));
}

#[tokio::test]
async fn widths_beyond_128_are_refused() {
    for bits in [0, 129] {
        let requirement = Requirement { word_triples: BTreeMap::from([(bits, 1)]), ..Requirement::default() };
        let make = async |start: Start| start.end(&requirement).await.err();
        let (errors, _) = both([Edit::None; 2], LIMIT, make).await;
        assert!(errors.iter().all(|error| matches!(error, Some(ShareError::Width { .. }))), "{errors:?}");
    }
}
