//! What setup makes: relations, bytes, and running out.

use super::harness::*;
use crate::tap::Edit;
use std::collections::BTreeMap;
use tacit_math::Bits;
use tacit_ot::softspoken::Params;
use tacit_twoparty::triples::{Demand, MatrixShape, Ots, Stock};
use tacit_twoparty::{ShareError, mask};

fn demand(bits: u32, count: u64) -> Demand {
    let one = |count| BTreeMap::from([(bits, count)]);
    let shapes = [(2, 3, 4), (5, 2, 1), (1, 6, 1)].map(|(rows, inner, columns)| MatrixShape {
        bits,
        rows,
        inner,
        columns,
    });
    Demand {
        ands: count * 3 + 1,
        vectors: [(2, count + 3), (bits, count), (128, 3)].into(),
        products: one(count),
        squares: one(count),
        matrices: shapes.iter().map(|shape| (*shape, 1 + count % 2)).collect(),
        doubly_shared: one(count),
        conjunctions: [3, 4].map(|operands| (operands, count + 1)).into(),
        lookups: count + 2,
        summed_bits: one(count),
        scalings: one(count),
    }
}

/// Makes a stock at both parties; the stocks, and the bytes each party sent for them.
async fn made(demand: &Demand) -> [(Stock, u64); 2] {
    let make = async |start: Start| -> Result<(Stock, u64), ShareError> {
        let mut channel = start.link.channel;
        let mut ots =
            Ots::setup(&mut channel, start.party, Params::K4, &SESSION, prg(start.party, 5)).await?;
        let before = channel.bytes_sent();
        let stock = Stock::make(&mut ots, &mut channel, demand).await?;
        let sent = channel.bytes_sent() - before;
        channel.finish().await?;
        Ok((stock, sent))
    };
    both([Edit::None; 2], LIMIT, make).await.0.map(Result::unwrap)
}

#[tokio::test]
async fn what_is_kept_has_one_length() {
    for (bits, count) in [(1, 0), (7, 5), (128, 3)] {
        let demand = demand(bits, count);
        for (stock, _) in made(&demand).await {
            let bytes = stock.to_bytes();
            assert_eq!(Some(bytes.len() as u64), demand.packed_bytes());
            assert_eq!(Stock::from_bytes(&demand, &bytes).unwrap().to_bytes(), bytes);
            for length in [0, 1, bytes.len() - 1, bytes.len() + 1] {
                let mut other = bytes.to_vec();
                other.resize(length, 0);
                assert!(Stock::from_bytes(&demand, &other).is_err(), "{length} bytes");
            }
        }
    }
    let many = Demand { ands: u64::MAX, products: [(64, u64::MAX)].into(), ..Demand::default() };
    assert!(many.packed_bytes().is_none() && Stock::from_bytes(&many, &[]).is_err());
}

#[tokio::test]
async fn all_material_keeps_its_relation() {
    for bits in WIDTHS {
        let demand = demand(bits, 65);
        let [(mut first, _), (mut second, _)] = made(&demand).await.map(|(stock, sent)| {
            // As it is, and as it comes back from bytes.
            (if bits % 2 == 0 { Stock::from_bytes(&demand, &stock.to_bytes()).unwrap() } else { stock }, sent)
        });
        let mut stocks = [&mut first, &mut second];
        // In two parts, so that the second does not start at a whole word.
        for part in [3usize, 62] {
            let [x, y] = stocks.each_mut().map(|stock| stock.ands(part * 3).unwrap());
            let (mut ab, c) = (xor([&x.a, &y.a]), xor([&x.c, &y.c]));
            ab &= &xor([&x.b, &y.b]);
            assert_eq!(ab, c);

            let [x, y] = stocks.each_mut().map(|stock| stock.products(bits, part).unwrap());
            let (a, b) = (sum([&x.a, &y.a], bits), sum([&x.b, &y.b], bits));
            let products: Vec<u128> =
                a.iter().zip(&b).map(|(a, b)| a.wrapping_mul(*b) & mask(bits)).collect();
            assert_eq!(sum([&x.c, &y.c], bits), products, "{bits} bits");

            let [x, y] = stocks.each_mut().map(|stock| stock.squares(bits, part).unwrap());
            let a = sum([&x.a, &y.a], bits);
            let squares: Vec<u128> = a.iter().map(|a| a.wrapping_mul(*a) & mask(bits)).collect();
            assert_eq!(sum([&x.c, &y.c], bits), squares, "{bits} bits");

            let [x, y] = stocks.each_mut().map(|stock| stock.doubly_shared(bits, part).unwrap());
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
        bits_are_in_relation(&mut stocks, bits, 65);
        for size in demand.vectors.keys().copied().filter(|size| *size != 2) {
            vectors_are_in_relation(&mut stocks, size, demand.vectors[&size] as usize);
        }
        for (shape, count) in &demand.matrices {
            let [x, y] = stocks.each_mut().map(|stock| stock.matrices(*shape, *count as usize).unwrap());
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

fn vectors_are_in_relation(stocks: &mut [&mut Stock; 2], size: u32, count: usize) {
    let [x, y] = stocks.each_mut().map(|stock| stock.vectors(size, count).unwrap());
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

/// The material that comparisons and what they need take.
fn bits_are_in_relation(stocks: &mut [&mut Stock; 2], bits: u32, count: usize) {
    vectors_are_in_relation(stocks, 2, count);
    for operands in 3..=4usize {
        let [x, y] = stocks.each_mut().map(|stock| stock.conjunctions(operands as u32, count).unwrap());
        let products: Vec<Bits> = x.products.iter().zip(&y.products).map(|(x, y)| xor([x, y])).collect();
        assert_eq!(products.len(), (1 << operands) - 1);
        for set in 1..1usize << operands {
            let mut all = Bits::from_fn(count, |_| true);
            (0..operands).filter(|i| set >> i & 1 == 1).for_each(|i| all &= &products[(1 << i) - 1]);
            assert_eq!(products[set - 1], all, "{set:b}");
        }
    }
    let [x, y] = stocks.each_mut().map(|stock| stock.lookups(count).unwrap());
    for (tables, looked_up) in [(&x, &y), (&y, &x)] {
        for i in 0..count {
            assert!(looked_up.indices[i] < 16);
            assert_eq!(tables.tables[i] >> looked_up.indices[i] & 0x0001_0001, looked_up.entries[i]);
        }
    }
    let [x, y] = stocks.each_mut().map(|stock| stock.summed_bits(bits, count).unwrap());
    let random: Vec<u128> = xor([&x.bits, &y.bits]).iter().map(u128::from).collect();
    assert_eq!(sum([&x.sums, &y.sums], bits), random, "{bits} bits");
    let [x, y] = stocks.each_mut().map(|stock| stock.scalings(bits, count).unwrap());
    let random: Vec<u128> = xor([&x.r, &y.r]).iter().map(u128::from).collect();
    assert_eq!(sum([&x.sums, &y.sums], bits), random, "{bits} bits");
    let products: Vec<u128> = sum([&x.b, &y.b], bits).iter().zip(&random).map(|(b, r)| b * r).collect();
    assert_eq!(sum([&x.c, &y.c], bits), products, "{bits} bits");
}

#[tokio::test]
async fn bytes_are_as_predicted() {
    for (bits, count) in [(1, 10), (8, 1000), (32, 1), (32, 1025), (32, 3000), (64, 700), (128, 300)] {
        let demand = demand(bits, count);
        let [(_, first), (_, second)] = made(&demand).await;
        let ([ots_first, ots_second], [message_first, message_second]) =
            (demand.ots(), demand.message_bytes());
        assert_eq!(first, Params::K4.bytes(ots_second) + message_first, "{bits} bits, {count}");
        assert_eq!(second, Params::K4.bytes(ots_first) + message_second, "{bits} bits, {count}");
    }
    // The figure of the paper with shorter correlated OTs: l(l + 1)/2 bits in each direction for a triple.
    let products = Demand { products: BTreeMap::from([(32, 1000)]), ..Demand::default() };
    assert_eq!((products.ots(), products.message_bytes()), ([32_000; 2], [66_000; 2]));
    let squares = Demand { squares: BTreeMap::from([(32, 1000)]), ..Demand::default() };
    assert_eq!((squares.ots(), squares.message_bytes()), ([31_000, 0], [62_000, 0]));
}

/// More than is made between two turns.
#[tokio::test]
async fn material_of_several_windows_keeps_its_relation() {
    let demand = Demand {
        ands: 530_000,
        vectors: [(2, 33_000)].into(),
        conjunctions: BTreeMap::from([(3, 33_000), (4, 10)]),
        lookups: 8200,
        summed_bits: BTreeMap::from([(33, 4100)]),
        scalings: BTreeMap::from([(33, 4100)]),
        ..Demand::default()
    };
    let [(mut first, sent_first), (mut second, sent_second)] = made(&demand).await;
    let (ots, messages) = (demand.ots(), demand.message_bytes());
    assert_eq!(sent_first, Params::K4.bytes(ots[1]) + messages[0]);
    assert_eq!(sent_second, Params::K4.bytes(ots[0]) + messages[1]);
    // The last pieces, which the second window made.
    for stock in [&mut first, &mut second] {
        stock.ands(530_000 - 10).unwrap();
        stock.vectors(2, 33_000 - 10).unwrap();
        stock.conjunctions(3, 33_000 - 10).unwrap();
        stock.lookups(8200 - 10).unwrap();
        stock.summed_bits(33, 4100 - 10).unwrap();
        stock.scalings(33, 4100 - 10).unwrap();
    }
    let [x, y] = [&mut first, &mut second].map(|stock| stock.ands(10).unwrap());
    let (mut product, factor) = (xor([&x.a, &y.a]), xor([&x.b, &y.b]));
    product &= &factor;
    assert_eq!(xor([&x.c, &y.c]), product);
    bits_are_in_relation(&mut [&mut first, &mut second], 33, 10);
    assert!(first.is_spent() && second.is_spent());
}

#[tokio::test]
async fn material_runs_out_with_an_error() {
    let [(mut stock, _), _] = made(&demand(32, 2)).await;
    stock.products(32, 1).unwrap();
    let Err(ShareError::Exhausted { what, asked, left }) = stock.products(32, 2) else { panic!("no error") };
    assert_eq!((what, asked, left), ("multiplication triples", 2, 1));
    assert!(matches!(stock.products(31, 1), Err(ShareError::Exhausted { left: 0, .. })));
    assert!(matches!(stock.ands(8), Err(ShareError::Exhausted { left: 7, .. })));
    assert!(matches!(stock.vectors(32, 3), Err(ShareError::Exhausted { left: 2, .. })));
    assert!(matches!(stock.squares(32, 3), Err(ShareError::Exhausted { left: 2, .. })));
    assert!(matches!(stock.doubly_shared(32, 3), Err(ShareError::Exhausted { left: 2, .. })));
    assert!(matches!(stock.vectors(2, 6), Err(ShareError::Exhausted { left: 5, .. })));
    assert!(matches!(stock.conjunctions(3, 4), Err(ShareError::Exhausted { left: 3, .. })));
    assert!(matches!(stock.conjunctions(5, 1), Err(ShareError::Exhausted { left: 0, .. })));
    assert!(matches!(stock.lookups(5), Err(ShareError::Exhausted { left: 4, .. })));
    assert!(matches!(stock.summed_bits(32, 3), Err(ShareError::Exhausted { left: 2, .. })));
    assert!(matches!(stock.scalings(32, 3), Err(ShareError::Exhausted { left: 2, .. })));
    let shape = MatrixShape { bits: 32, rows: 2, inner: 3, columns: 4 };
    assert!(matches!(stock.matrices(shape, 2), Err(ShareError::Exhausted { left: 1, .. })));
}

#[tokio::test]
async fn widths_beyond_128_are_refused() {
    for bits in [0, 129] {
        let demand = Demand { products: BTreeMap::from([(bits, 1)]), ..Demand::default() };
        let make = async |start: Start| start.end(&demand).await.err();
        let (errors, _) = both([Edit::None; 2], LIMIT, make).await;
        assert!(errors.iter().all(|error| matches!(error, Some(ShareError::Width { .. }))), "{errors:?}");
    }
}
