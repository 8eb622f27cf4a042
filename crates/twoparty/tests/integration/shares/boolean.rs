//! Shares of bits.

use super::harness::*;
use tacit_circuit::{CircuitBuilder, Executable, Objective, Target as Form, arithmetic};
use tacit_math::Bits;
use tacit_twoparty::correlations::{BitTriples, Ots, Requirement};
use tacit_twoparty::yao::RevealTo;
use tacit_twoparty::{Party, gmw, wires};

#[tokio::test]
async fn inputs_open_to_whom_they_should() {
    for count in [0, 1, 7, 64, 1000] {
        let (x, y) = (bits(1, count), bits(2, count));
        for recipients in [RevealTo::Garbler, RevealTo::Evaluator, RevealTo::Both] {
            let ended = measured(&Requirement::default(), async |end| {
                let own = given(end, Party::First, &x);
                let mut shares = gmw::input(end, own, count)?;
                let own = given(end, Party::Second, &y);
                shares ^= &gmw::input(end, own, count)?;
                shares ^= &gmw::constant(end.party(), &x);
                gmw::open(end, recipients, &shares).await
            })
            .await;
            let learns = [recipients.include_garbler(), recipients.include_evaluator()];
            for (i, (opened, bytes, _)) in ended.into_iter().enumerate() {
                assert_eq!(opened, learns[i].then(|| y.clone()));
                assert_eq!(bytes, if learns[1 - i] { count.div_ceil(8) as u64 } else { 0 });
            }
        }
    }
}

#[tokio::test]
async fn random_bits_are_nobodys() {
    let ended = measured(&Requirement::default(), async |end| Ok(gmw::random(end, 1000))).await;
    let [first, second] = ended.map(|(shares, bytes, _)| (shares, bytes));
    assert_eq!((first.1, second.1), (0, 0));
    let ones = xor([&first.0, &second.0]).count_ones();
    assert!((400..600).contains(&ones) && first.0 != second.0, "{ones} ones");
}

#[tokio::test]
async fn ands() {
    for count in [0, 1, 63, 64, 1000] {
        let (x, y) = (bits(1, count), bits(2, count));
        let ended = measured(
            &Requirement { bit_triples: [(1, count as u64)].into(), ..Requirement::default() },
            async |end| {
                let own = given(end, Party::First, &x);
                let x = gmw::input(end, own, count)?;
                let own = given(end, Party::Second, &y);
                let y = gmw::input(end, own, count)?;
                gmw::and(end, &x, &y).await
            },
        )
        .await;
        let mut expected = x.clone();
        expected &= &y;
        assert_eq!(xor([&ended[0].0, &ended[1].0]), expected);
        for (_, bytes, rounds) in &ended {
            assert_eq!((*bytes, *rounds), ((2 * count as u64).div_ceil(8), u64::from(count > 0)));
        }
    }
}

#[tokio::test]
async fn ands_of_several_operands() {
    for (operands, count) in [(2, 65), (3, 1), (3, 1000), (4, 64), (4, 333)] {
        // Every pattern of operands occurs among the first sixteen positions.
        let values: Vec<Bits> = (0..operands)
            .map(|i| Bits::from_fn(count, |at| if at < 16 { at >> i & 1 == 1 } else { at * (i + 3) % 5 > 1 }))
            .collect();
        let mut cost = gmw::all_cost(operands, count as u64);
        cost.then(&cost.clone());
        let ended = predicted(&cost, async |end| {
            let (mut shares, mut wires) = (Vec::new(), Bits::default());
            for (i, value) in values.iter().enumerate() {
                let own = given(end, [Party::First, Party::Second][i % 2], value);
                shares.push(gmw::input(end, own, count)?);
                wires.extend_bits(&shares[i]);
            }
            let product = gmw::conjunction(end, &shares.iter().collect::<Vec<_>>()).await?;
            Ok([product, gmw::all(end, &wires, count).await?])
        })
        .await;
        let mut expected = values[0].clone();
        values.iter().for_each(|value| expected &= value);
        for (x, y) in ended[0].iter().zip(&ended[1]) {
            assert_eq!(xor([x, y]), expected, "{operands} operands");
        }
        // A bit each way for each operand.
        assert_eq!(cost.bytes(), [2 * (operands * count).div_ceil(8) as u64; 2]);
    }
}

#[tokio::test]
async fn ands_of_all_wires() {
    for (width, rounds) in [(0, 0), (1, 0), (2, 1), (4, 1), (5, 2), (16, 2), (17, 3), (64, 3), (100, 4)] {
        let lanes = 70;
        // Ones nearly everywhere, with a zero at some wire of most lanes.
        let value =
            Bits::from_fn(width * lanes, |i| i % lanes % 3 == 0 || i / lanes != i % lanes * 7 % width.max(1));
        let cost = gmw::all_cost(width, lanes as u64);
        assert_eq!(cost.rounds(), [rounds; 2], "{width} wires");
        let ended = predicted(&cost, async |end| {
            let own = given(end, Party::First, &value);
            let wires = gmw::input(end, own, value.len())?;
            gmw::all(end, &wires, lanes).await
        })
        .await;
        let expected = Bits::from_fn(lanes, |lane| (0..width).all(|wire| value.get(wire * lanes + lane)));
        assert_eq!(xor([&ended[0], &ended[1]]), expected, "{width} wires");
    }
    let ended = measured(&Requirement::default(), async |end| {
        let bit = Bits::zeros(3);
        Ok([
            gmw::conjunction(end, &[&bit]).await.is_err(),
            gmw::conjunction(end, &[&bit; 5]).await.is_err(),
            gmw::conjunction(end, &[&bit, &bit, &Bits::zeros(2)]).await.is_err(),
            gmw::all(end, &bit, 2).await.is_err(),
        ])
    })
    .await;
    assert!(ended.iter().all(|(errors, ..)| *errors == [true; 4]));
}

#[tokio::test]
async fn selections() {
    for width in WIDTHS.into_iter().chain([129, 300]) {
        for lanes in [1, 3, 64, 130] {
            let (condition, size) = (bits(3, lanes), lanes * width as usize);
            let (x, y) = (bits(1, size), bits(2, size));
            let parts = (0..width).step_by(128).map(|low| 128.min(width - low));
            let mut requirement = Requirement::default();
            parts.clone().for_each(|part| requirement.require::<BitTriples>(part, lanes as u64));
            let ended = measured(&requirement, async |end| {
                let own = given(end, Party::Second, &condition);
                let condition = gmw::input(end, own, lanes)?;
                let own = given(end, Party::First, &x);
                let x = gmw::input(end, own, size)?;
                let own = given(end, Party::Second, &y);
                let y = gmw::input(end, own, size)?;
                gmw::select(end, &condition, &x, &y, width).await
            })
            .await;
            let expected =
                Bits::from_fn(size, |i| if condition.get(i % lanes) { x.get(i) } else { y.get(i) });
            assert_eq!(xor([&ended[0].0, &ended[1].0]), expected, "{width} bits, {lanes} lanes");
            let sent = ((size + parts.count() * lanes) as u64).div_ceil(8);
            assert_eq!(ended.map(|(_, bytes, rounds)| (bytes, rounds)), [(sent, 1); 2]);
        }
    }
}

/// Products of words with themselves plus others, with a complement and a constant among the outputs.
fn circuit(width: u32, form: Form) -> Executable {
    let mut builder = CircuitBuilder::new();
    let (x, y) = (builder.input(width), builder.input(width));
    let product = arithmetic::multiply(&mut builder, &x, &y);
    let less = arithmetic::less_unsigned(&mut builder, &x, &product);
    let outputs =
        vec![arithmetic::add(&mut builder, &product, &y), vec![less, !less, tacit_circuit::Lit::TRUE]];
    Executable::new(&builder.finish(outputs).unwrap(), form)
}

#[tokio::test]
async fn circuits_over_lanes_share_messages() {
    for (width, wide) in [1, 8, 31].into_iter().flat_map(|width| [(width, false), (width, true)]) {
        let narrow = circuit(width, Form::Rounds);
        let other = if wide { narrow.widened(u64::MAX, 32).unwrap_or(narrow) } else { narrow };
        let circuits = [circuit(width, Form::Flat), other];
        for lanes in LANES {
            let x: Vec<Bits> = (0..3).map(|i| wires::from_words(&words(i, width, lanes), width)).collect();
            let mut requirement = Requirement::default();
            circuits.iter().for_each(|circuit| requirement.add(&gmw::requirement(circuit, lanes as u64), 1));
            let ended = measured(&requirement, async |end| {
                let mut shares = Vec::new();
                for (i, x) in x.iter().enumerate() {
                    let own = given(end, [Party::First, Party::Second][i % 2], x);
                    shares.push(gmw::input(end, own, x.len())?);
                }
                let operand = |i: usize| gmw::BitOperand { shares: &shares[i], bits: width, share: 1 };
                let mut outputs = [
                    Bits::zeros(x[0].len()),
                    Bits::zeros(3 * lanes),
                    Bits::zeros(x[0].len()),
                    Bits::zeros(3 * lanes),
                ];
                let [a, b, c, d] = &mut outputs;
                let target = |shares, bits| gmw::BitTarget { shares, bits };
                let instances = lanes as u64;
                let mut regions = [
                    gmw::BitRegion {
                        circuit: &circuits[0],
                        instances,
                        operands: vec![operand(0), operand(1)],
                        targets: vec![target(a, width), target(b, 3)],
                    },
                    gmw::BitRegion {
                        circuit: &circuits[1],
                        instances,
                        operands: vec![operand(1), operand(2)],
                        targets: vec![target(c, width), target(d, 3)],
                    },
                ];
                gmw::run(end, &mut regions).await?;
                assert!(end.is_spent());
                Ok(outputs)
            })
            .await;
            let clear = |i: usize, j: usize, of: usize| {
                let (x, y) = (wires::to_words(&x[i], width), wires::to_words(&x[j], width));
                let result = |(x, y): (&u128, &u128)| {
                    let product = x.wrapping_mul(*y) & tacit_twoparty::mask(width);
                    let less = u128::from(*x < product);
                    if of == 0 { product.wrapping_add(*y) } else { 4 | (1 - less) << 1 | less }
                };
                let bits = if of == 0 { width } else { 3 };
                wires::from_words(&x.iter().zip(&y).map(result).collect::<Vec<_>>(), bits)
            };
            for (output, expected) in
                [clear(0, 1, 0), clear(0, 1, 1), clear(1, 2, 0), clear(1, 2, 1)].iter().enumerate()
            {
                assert_eq!(
                    &xor([&ended[0].0[output], &ended[1].0[output]]),
                    expected,
                    "{width} bits, {lanes} lanes"
                );
            }
            let layers = circuits.iter().map(Executable::and_layers).max().unwrap();
            let messages = gmw::message_bits(&circuits.each_ref().map(|circuit| (circuit, lanes as u64)));
            for (_, bytes, rounds) in &ended {
                assert_eq!(*rounds, layers);
                assert_eq!(*bytes, messages.iter().map(|bits| bits.div_ceil(8)).sum::<u64>());
            }
        }
    }
}

#[tokio::test]
async fn wide_ands_save_rounds() {
    // A comparison of 32 bits takes six rounds by ANDs of two operands.
    let mut builder = CircuitBuilder::new().with_objective(Objective::Depth);
    let (x, y) = (builder.input(32), builder.input(32));
    let less = arithmetic::less_unsigned(&mut builder, &x, &y);
    let circuit = Executable::new(&builder.finish(vec![vec![less]]).unwrap(), Form::Rounds);
    let circuit = circuit.widened(u64::MAX, 32).unwrap();
    let lanes = 1000;
    let [first, second] = [1, 2].map(|seed| words(seed, 32, lanes));
    let requirement = gmw::requirement(&circuit, lanes as u64);
    let ended = measured(&requirement, async |end| {
        let mut shares = Vec::new();
        for (giver, words) in [(Party::First, &first), (Party::Second, &second)] {
            let wires = wires::from_words(words, 32);
            let own = given(end, giver, &wires);
            shares.push(gmw::input(end, own, wires.len())?);
        }
        let mut less = Bits::zeros(lanes);
        let operands = shares.iter().map(|shares| gmw::BitOperand { shares, bits: 32, share: 1 }).collect();
        let targets = vec![gmw::BitTarget { shares: &mut less, bits: 1 }];
        let instances = lanes as u64;
        gmw::run(end, &mut [gmw::BitRegion { circuit: &circuit, instances, operands, targets }]).await?;
        assert!(end.is_spent());
        Ok(less)
    })
    .await;
    let expected = Bits::from_fn(lanes, |lane| first[lane] < second[lane]);
    assert_eq!(xor([&ended[0].0, &ended[1].0]), expected);
    // 170 bits each way for a comparison.
    for (_, bytes, rounds) in &ended {
        assert_eq!((*bytes, *rounds), (170 * lanes as u64 / 8, 3));
    }
}

#[tokio::test]
async fn instances_share_lanes_and_see_several() {
    // Each instance adds three lanes of its own to two that all instances of its group see.
    let mut builder = CircuitBuilder::new();
    let (own, shared) = (builder.input(3 * 8), builder.input(2 * 8));
    let mut sum = vec![tacit_circuit::Lit::FALSE; 8];
    for lane in own.chunks(8).chain(shared.chunks(8)) {
        sum = arithmetic::add(&mut builder, &sum, lane);
    }
    let both = [sum.clone(), own[..8].to_vec()].concat();
    let circuit = Executable::new(&builder.finish(vec![both]).unwrap(), Form::Rounds);
    let (instances, groups) = (70usize, 5);
    let requirement = gmw::requirement(&circuit, instances as u64);
    let (own, shared) = (words(1, 8, 3 * instances), words(2, 8, 2 * groups));
    let ended = measured(&requirement, async |end| {
        let inputs = [(&own, Party::First), (&shared, Party::Second)];
        let mut shares = Vec::new();
        for (words, giver) in inputs {
            let wires = wires::from_words(words, 8);
            let given = given(end, giver, &wires);
            shares.push(gmw::input(end, given, wires.len())?);
        }
        let mut sums = Bits::zeros(2 * 8 * instances);
        let share = (instances / groups) as u64;
        let operands = vec![
            gmw::BitOperand { shares: &shares[0], bits: 8, share: 1 },
            gmw::BitOperand { shares: &shares[1], bits: 8, share },
        ];
        let targets = vec![gmw::BitTarget { shares: &mut sums, bits: 8 }];
        gmw::run(
            end,
            &mut [gmw::BitRegion { circuit: &circuit, instances: instances as u64, operands, targets }],
        )
        .await?;
        Ok(sums)
    })
    .await;
    let found = wires::to_words(&xor([&ended[0].0, &ended[1].0]), 8);
    for i in 0..instances {
        let group = i / (instances / groups);
        let sum: u128 = own[3 * i..3 * i + 3].iter().chain(&shared[2 * group..2 * group + 2]).sum();
        assert_eq!(found[2 * i..2 * i + 2], [sum & 255, own[3 * i]], "instance {i}");
    }
}

/// ANDs that share an operand take one OT and one opened bit for it, whichever of their operands are complemented.
#[tokio::test]
async fn a_shared_operand_is_paid_once() {
    for width in [1u32, 2, 3, 128, 129, 200] {
        let mut builder = CircuitBuilder::new();
        let (condition, x) = (builder.input(1), builder.input(width));
        let mut product = |complement: bool, (i, wire): (usize, &tacit_circuit::Lit)| {
            let condition = if complement { !condition[0] } else { condition[0] };
            builder.and(condition, if i % 3 == 0 { !*wire } else { *wire })
        };
        let chosen: Vec<_> = x.iter().enumerate().map(|wire| product(false, wire)).collect();
        let others: Vec<_> = x.iter().enumerate().map(|wire| product(wire.0 % 2 == 0, wire)).collect();
        let circuit = Executable::new(&builder.finish(vec![chosen, others]).unwrap(), Form::Rounds);
        let lanes = 70;
        let (bit, words) = (bits(5, lanes), bits(6, lanes * width as usize));
        let requirement = gmw::requirement(&circuit, lanes as u64);
        assert_eq!(
            requirement.price::<Ots>().ots()[0],
            circuit.and_count.div_ceil(128) * lanes as u64,
            "{width} wires"
        );
        let size = lanes * width as usize;
        let ended = measured(&requirement, async |end| {
            let own = given(end, Party::First, &bit);
            let condition = gmw::input(end, own, lanes)?;
            let own = given(end, Party::Second, &words);
            let words = gmw::input(end, own, size)?;
            let mut outputs = [Bits::zeros(size), Bits::zeros(size)];
            let operand = |shares, bits| gmw::BitOperand { shares, bits, share: 1 };
            let operands = vec![operand(&condition, 1), operand(&words, width)];
            let targets = outputs.iter_mut().map(|shares| gmw::BitTarget { shares, bits: width }).collect();
            let instances = lanes as u64;
            gmw::run(end, &mut [gmw::BitRegion { circuit: &circuit, instances, operands, targets }]).await?;
            assert!(end.is_spent());
            Ok(outputs)
        })
        .await;
        let value = |complement: bool, i: usize| {
            let wire = words.get(i) ^ (i / lanes).is_multiple_of(3);
            wire && bit.get(i % lanes) ^ complement
        };
        let expected = [
            Bits::from_fn(size, |i| value(false, i)),
            Bits::from_fn(size, |i| value((i / lanes).is_multiple_of(2), i)),
        ];
        for (i, expected) in expected.iter().enumerate() {
            assert_eq!(xor([&ended[0].0[i], &ended[1].0[i]]), *expected, "{width} wires");
        }
        let sent = ((circuit.and_count + circuit.and_count.div_ceil(128)) * lanes as u64).div_ceil(8);
        assert_eq!(ended.map(|(_, bytes, rounds)| (bytes, rounds)), [(sent, 1); 2]);
    }
}
