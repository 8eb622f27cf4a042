//! What a computing party sees of outside parties' inputs: their shares, and what the other computing party sends it. At toy
//! sizes, the joint distribution over two runs of a session is the same for all inputs, except for the party's outputs.

use std::sync::{Arc, Mutex};

use crate::loopback::several::{array, site};
use crate::loopback::tap::Tap;
use crate::open_outside_parties::{LIMIT, NAMES, close, come, run, task, with_others};
use tacit_crypto::Prg;
use tacit_ir::{Builder, Domain, Program, Words, interpret};
use tacit_math::{Bits, Block};
use tacit_net::Phase;
use tacit_plan::ModeChoice;

const LANES: usize = 1 << 16;
/// Combinations of inputs of two runs; lanes have all of them.
const COMBINATIONS: usize = 16;
const RUNS: usize = 2;

/// A program of C and D, for A: their sum, whose shares are sums of shares, and in `bool` their product.
fn program(domain: Domain, bits: u32) -> Program {
    let mut builder = Builder::new("toy");
    let [a, _, c, d] = NAMES.map(|name| builder.role(name));
    let shape = || array(bits, LANES as u32, false);
    let ports = [c, d].map(|role| builder.input("x", role, shape()).unwrap());
    let product = (domain == Domain::Bool).then(|| builder.output("product", vec![a], shape()).unwrap());
    let sum = builder.output("sum", vec![a], shape()).unwrap();
    let mut main = builder.template("main", vec![]);
    let [x, y] = ports.map(|port| main.input(&builder, port).unwrap()[0]);
    let [x, y] = [x, y].map(|value| main.pin(domain, value).unwrap());
    if let Some(product) = product {
        let both = main.and(x, y).unwrap();
        main.output(&builder, product, &[both]).unwrap();
    }
    let all = match domain {
        Domain::Arith => main.add(x, y).unwrap(),
        _ => main.xor(x, y).unwrap(),
    };
    main.output(&builder, sum, &[all]).unwrap();
    builder.finish(main).unwrap()
}

/// Taps on each link of a party, separately.
#[derive(Clone, Default)]
struct Links(Arc<Mutex<Vec<Tap>>>);

impl Links {
    fn wrap(&self) -> tacit_net::session::Wrap {
        let links = self.clone();
        Arc::new(move |inner| {
            let tap = Tap::default();
            links.0.lock().unwrap().push(tap.clone());
            tap.wrap()(inner)
        })
    }

    /// What was sent on each link since the last call, the shorter first.
    fn take(&self) -> Vec<Vec<u8>> {
        let taps = std::mem::take(&mut *self.0.lock().unwrap());
        let mut sent: Vec<Vec<u8>> = taps.iter().map(|tap| tap.sent().concat()).collect();
        sent.retain(|bytes| !bytes.is_empty());
        sent.sort_by_key(Vec::len);
        sent
    }
}

/// The view of one run.
#[derive(Clone, Default)]
struct Ran {
    /// Shares of the inputs of C and D, at A and at B.
    shares: [[Bits; 2]; 2],
    /// What A and B send each other online.
    sent: [Bits; 2],
}

/// Two runs of a session on these inputs of C and D.
fn runs(program: &Program, inputs: [[Words; 2]; RUNS]) -> [Ran; RUNS] {
    let task = task(program, ModeChoice::Auto);
    let (taps, links) = ([Tap::default(), Tap::default()], [Links::default(), Links::default()]);
    let mut places = site(&NAMES, ["A", "B"], LIMIT);
    for (place, tap) in places.iter_mut().zip(&taps) {
        place.0.wrap_frames = Some(tap.wrap());
    }
    for (place, links) in places[2..].iter_mut().zip(&links) {
        place.0.wrap_frames = Some(links.wrap());
    }
    let columns = inputs.each_ref().map(|inputs| inputs.each_ref().map(|words| vec![words.clone()]));
    let ran = Mutex::new([Ran::default(), Ran::default()]);
    with_others(
        &places,
        |index, mut session| {
            for (round, columns) in columns.iter().enumerate() {
                let outcome = run(&mut session, &task, index, columns).unwrap();
                if index == 0 {
                    assert_eq!(outcome.outputs, interpret(program, columns, || 0).unwrap());
                }
                let online = outcome.report.phase(Phase::Online).unwrap().payload_sent.unwrap() as usize;
                let sent = taps[index].sent().pop().unwrap_or_default();
                let bytes = &sent[sent.len() - online..];
                ran.lock().unwrap()[round].sent[index] = Bits::from_bytes(bytes, 8 * online).unwrap();
            }
            close(session);
        },
        |index| {
            for (round, columns) in columns.iter().enumerate() {
                come(&places, index, &task, columns).unwrap();
                let [seed, rest] = &links[index - 2].take()[..] else { panic!("two links") };
                let count = 8 * rest.len();
                let seed = Block::from_bytes(seed[..].try_into().unwrap());
                let shares = [Prg::new(seed).next_bits(count), Bits::from_bytes(rest, count).unwrap()];
                let mut ran = ran.lock().unwrap();
                ran[round].shares.iter_mut().zip(shares).for_each(|(all, own)| all[index - 2] = own);
            }
        },
    );
    ran.into_inner().unwrap()
}

/// The value of one lane, of which a party has `width` bits, one bit of all lanes after the other.
fn lane(bits: &Bits, first: usize, width: usize, lane: usize) -> usize {
    (0..width).fold(0, |word, bit| word | usize::from(bits.get(first + bit * LANES + lane)) << bit)
}

/// Fails unless all values are equally frequent in the lanes of each combination of inputs; false alarms occur about once in 10^8
/// tests.
fn assert_alike(bits: usize, view: impl Fn(usize) -> Vec<usize>, width: usize, what: &str) {
    let expected = (LANES / COMBINATIONS) as f64 / (1 << bits) as f64;
    for combination in 0..COMBINATIONS {
        let mut counts = vec![0.0; 1 << bits];
        for lane in (combination..LANES).step_by(COMBINATIONS) {
            counts[view(lane).into_iter().fold(0, |cell, part| cell << width | part)] += 1.0;
        }
        let chi_square: f64 = counts.iter().map(|count| (count - expected).powi(2) / expected).sum();
        let freedom = counts.len() as f64 - 1.0;
        let most = freedom + 9.0 * (2.0 * freedom).sqrt() + 10.0;
        assert!(chi_square < most, "{what} is not the same for all inputs: {combination:04b}");
    }
}

#[test]
fn shares_of_several_outside_parties_and_masked_bits_say_nothing_together() {
    let bit = |place: usize| {
        Words::from_u128s(1, &(0..LANES).map(|lane| (lane >> place & 1) as u128).collect::<Vec<_>>())
    };
    let inputs = [[bit(0), bit(1)], [bit(2), bit(3)]];
    let runs = runs(&program(Domain::Bool, 1), inputs);
    for (round, Ran { shares, sent }) in runs.iter().enumerate() {
        // Both open two operands; then B sends A its shares of the sum, which is known first, and of the product.
        assert_eq!(sent.each_ref().map(Bits::len), [2 * LANES, 4 * LANES]);
        for at in 0..LANES {
            let [x, y] = [0, 1].map(|outside| {
                let own = [0, 1].map(|party: usize| lane(&shares[party][outside], 0, 1, at));
                assert_eq!(own[0] ^ own[1], at >> (2 * round + outside) & 1, "what the outside party gives");
                own
            });
            assert_eq!(lane(&sent[1], 2 * LANES, 1, at), x[1] ^ y[1], "B's share of the sum");
        }
    }
    for (party, name) in ["A", "B"].into_iter().enumerate() {
        let view = |at: usize| {
            let one = |ran: &Ran| {
                let given = [0, 1].map(|outside| lane(&ran.shares[party][outside], 0, 1, at));
                let opened = [0, 1].map(|operand| lane(&ran.sent[1 - party], operand * LANES, 1, at));
                // B's share of the sum follows from A's share and the sum; its share of the product likewise, for A only.
                let product = (party == 0).then(|| lane(&ran.sent[1], 3 * LANES, 1, at));
                given.into_iter().chain(opened).chain(product)
            };
            runs.iter().flat_map(one).collect::<Vec<_>>()
        };
        assert_alike(if party == 0 { 10 } else { 8 }, view, 1, &format!("what {name} sees"));
    }
}

#[test]
fn sums_shared_to_two_runs_say_nothing_together() {
    let column = |place: usize| {
        Words::from_u128s(2, &(0..LANES).map(|lane| (lane >> place & 3) as u128).collect::<Vec<_>>())
    };
    // The inputs are the same in both runs.
    let runs = runs(&program(Domain::Arith, 2), [[column(0), column(2)], [column(0), column(2)]]);
    for Ran { shares, sent } in &runs {
        assert_eq!(sent.each_ref().map(Bits::len), [0, 2 * LANES]);
        for at in 0..LANES {
            let [x, y] = [0, 1].map(|outside| {
                let own = [0, 1].map(|party: usize| lane(&shares[party][outside], 0, 2, at));
                assert_eq!((own[0] + own[1]) & 3, at >> (2 * outside) & 3, "what the outside party gives");
                own
            });
            // A has the sum, from which B's share follows.
            assert_eq!(lane(&sent[1], 0, 2, at), (x[1] + y[1]) & 3, "B's share of the sum");
        }
    }
    for (party, name) in ["A", "B"].into_iter().enumerate() {
        let view = |at: usize| {
            let shares = runs.iter().flat_map(|ran| &ran.shares[party]);
            shares.map(|shares| lane(shares, 0, 2, at)).collect::<Vec<_>>()
        };
        assert_alike(8, view, 2, &format!("what {name} sees"));
    }
}
