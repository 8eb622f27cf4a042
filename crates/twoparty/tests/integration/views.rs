//! The view of either party of Yao's protocol, at toy sizes: given the output, it has the same distribution whatever the
//! other's inputs are.

use crate::harness::{LIMIT, SESSION, tap};
use crate::tap::{Edit, End};
use tacit_circuit::{CircuitBuilder, Executable, Target as Form};
use tacit_crypto::Prg;
use tacit_crypto::half_gates::{AndGates, TABLE_BYTES, Tweaks, evaluate};
use tacit_math::{Bits, Block};
use tacit_ot::rot;
use tacit_ot::softspoken::Params;
use tacit_twoparty::yao::{LabelOperand, LabelTarget, Region, RevealTo, Side, prepared, streamed};

/// Instances of the circuit in a run, each with labels of its own.
const LANES: usize = 4000;

/// Two bits of each party to `x0 & y0` and `x1 & y1`, and the or of both.
fn circuit() -> Executable {
    let mut builder = CircuitBuilder::new();
    let (x, y) = (builder.input(2), builder.input(2));
    let pairs: Vec<_> = x.iter().zip(&y).map(|(&x, &y)| builder.and(x, y)).collect();
    let any = builder.or(pairs[0], pairs[1]);
    Executable::new(&builder.finish(vec![vec![any]]).unwrap(), Form::Lanes)
}

/// A value of two bits in every lane, wire by wire.
fn wires(value: usize) -> Bits {
    (0..2 * LANES).map(|place| value >> (place / LANES) & 1 == 1).collect()
}

fn os() -> Prg {
    Prg::from_os().unwrap()
}

/// One end's labels: of the garbler's inputs, of the evaluator's, of the output.
struct Labels([Vec<Block>; 3]);

async fn walk<S: Side>(side: &mut S, garbler: bool, own: &Bits) -> Labels {
    let circuit = circuit();
    let [mut x, mut y] = [0; 2].map(|_| vec![Block::ZERO; 2 * LANES]);
    if garbler {
        side.own_input(own, &mut x).await.unwrap();
        side.peer_input(&mut y).await.unwrap();
    } else {
        side.peer_input(&mut x).await.unwrap();
        side.own_input(own, &mut y).await.unwrap();
    }
    let mut out = vec![Block::ZERO; LANES];
    let operands = [&x, &y].map(|labels| LabelOperand { labels, bits: 2, share: 1 });
    let region = Region { circuit: &circuit, instances: LANES as u64, first_id: 9 };
    side.circuit(region, &operands, &mut [LabelTarget { labels: &mut out, bits: 1 }]).await.unwrap();
    side.flush().await.unwrap();
    side.reveal(RevealTo::Both, &out).await.unwrap();
    Labels([x, y, out])
}

/// The labels of the evaluator in a run on `x` and `y`, and all bytes that the garbler sent.
fn evaluator_sees(x: usize, y: usize) -> (Labels, Vec<u8>) {
    let garbler = async |mut end: End| {
        let mut prg = os();
        let ots = rot::Sender::setup(&mut end.channel, Params::K4, &SESSION, &mut prg).await.unwrap();
        let mut side = streamed::Garbler::start(end.channel, ots, prg).await.unwrap();
        walk(&mut side, true, &wires(x)).await
    };
    let evaluator = async |mut end: End| {
        let ots = rot::Receiver::setup(&mut end.channel, Params::K4, &SESSION, &mut os()).await.unwrap();
        walk(&mut streamed::Evaluator::start(end.channel, ots).await.unwrap(), false, &wires(y)).await
    };
    let (_, seen, trace) = block_on(tap::run([Edit::None; 2], LIMIT, garbler, evaluator));
    (seen, trace[0].content.clone())
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// How often each value below `cells` occurs.
fn counts(values: impl Iterator<Item = usize>, cells: usize) -> Vec<f64> {
    let mut counts = vec![0.0; cells];
    values.for_each(|value| counts[value] += 1.0);
    counts
}

/// Fails unless counts look uniform; false alarms occur about once in 10^8 tests for the numbers of cells
/// here.
fn assert_uniform(counts: &[f64], what: &str) {
    let expected = counts.iter().sum::<f64>() / counts.len() as f64;
    let chi_square: f64 = counts.iter().map(|count| (count - expected).powi(2) / expected).sum();
    let freedom = counts.len() as f64 - 1.0;
    assert!(chi_square < freedom + 9.0 * (2.0 * freedom).sqrt() + 10.0, "{what}: {counts:?}");
}

/// For every pair of inputs, and so for any two inputs of the garbler with equal outputs: colours of all labels that the
/// evaluator holds are jointly uniform, and so are the labels themselves.
#[test]
fn the_evaluator_sees_the_same_for_all_inputs_of_the_garbler() {
    for (x, y) in (0..4).flat_map(|x| (0..4).map(move |y| (x, y))) {
        let (Labels([of_x, of_y, out]), _) = evaluator_sees(x, y);
        let label = |wire: usize, lane: usize| match wire {
            0 | 1 => of_x[wire * LANES + lane],
            2 | 3 => of_y[(wire - 2) * LANES + lane],
            _ => out[lane],
        };
        let colours =
            |lane: usize| (0..5).fold(0, |sum, wire| sum << 1 | usize::from(label(wire, lane).lsb()));
        assert_uniform(&counts((0..LANES).map(colours), 32), &format!("colours for {x} and {y}"));
        for wire in 0..5 {
            for shift in (0..128).step_by(4) {
                let nibbles = (0..LANES).map(|lane| (label(wire, lane).0 >> shift & 15) as usize);
                let what = format!("label of wire {wire} from bit {shift}, for {x} and {y}");
                assert_uniform(&counts(nibbles, 16), &what);
            }
        }
    }
}

/// The same gate in every lane: no two tables are alike, and their bits are uniform.
#[test]
fn tables_are_uniform_whatever_the_inputs() {
    for (x, y) in [(0, 0), (3, 3), (1, 2)] {
        let (_, sent) = evaluator_sees(x, y);
        let nibbles = sent.iter().flat_map(|byte| [byte & 15, byte >> 4]).map(usize::from);
        assert_uniform(&counts(nibbles, 16), &format!("what the garbler sends for {x} and {y}"));
    }
}

/// The evaluator does not know the values of labels of random bits, though it knows the choices of its
/// transfers.
#[test]
fn random_bits_do_not_follow_the_evaluators_choices() {
    let garbler = async |mut end: End| {
        let mut prg = os();
        let ots = rot::Sender::setup(&mut end.channel, Params::K4, &SESSION, &mut prg).await.unwrap();
        let mut side = streamed::Garbler::start(end.channel, ots, prg).await.unwrap();
        let mut labels = vec![Block::ZERO; LANES];
        side.random(&mut labels).await.unwrap();
        side.reveal(RevealTo::Garbler, &labels).await.unwrap().unwrap()
    };
    // The evaluator's end of both, written out, since only its transfers know the choices.
    let evaluator = async |mut end: End| {
        let channel = &mut end.channel;
        let mut ots = rot::Receiver::setup(channel, Params::K4, &SESSION, &mut os()).await.unwrap();
        let mut start = [0; 16];
        channel.receive_into(&mut start).await.unwrap();
        let (mut labels, mut offsets) = (vec![Block::ZERO; LANES], vec![Block::ZERO; LANES]);
        let choices = ots.extend(channel, &mut labels).await.unwrap();
        channel.receive_into(Block::as_bytes_mut(&mut offsets)).await.unwrap();
        for ((label, offset), choice) in labels.iter_mut().zip(&offsets).zip(choices.iter()) {
            *label ^= *offset & Block::mask(choice);
        }
        channel.send(&Bits::from_lsbs(&labels).to_bytes()).await.unwrap();
        channel.flush().await.unwrap();
        (choices, end.connection)
    };
    let (values, (choices, _), _) = block_on(tap::run([Edit::None; 2], LIMIT, garbler, evaluator));
    let pairs = values
        .iter()
        .zip(choices.iter())
        .map(|(value, choice)| usize::from(value) << 1 | usize::from(choice));
    assert_uniform(&counts(pairs, 4), "random bits and choices");
}

/// Tables that are sent before the inputs are fixed are useless before the key of their mask is known: with the labels of a
/// row, they don't yield the label of the output.
#[test]
fn prepared_tables_say_nothing_before_their_key() {
    let mut builder = CircuitBuilder::new();
    let (x, y) = (builder.input(1), builder.input(1));
    let both = builder.and(x[0], y[0]);
    let circuit = Executable::new(&builder.finish(vec![vec![both]]).unwrap(), Form::Lanes);
    let region = Region { circuit: &circuit, instances: 1, first_id: 0 };
    let operands =
        |labels: [&'static [Block]; 2]| labels.map(|labels| LabelOperand { labels, bits: 1, share: 1 });
    let constants: &'static [Block] = &[Block::ZERO];
    let garbler = async |mut end: End| {
        let mut prg = os();
        let ots = rot::Sender::setup(&mut end.channel, Params::K4, &SESSION, &mut prg).await.unwrap();
        let mut side = prepared::GarblerSetup::start(end.channel, ots, prg);
        let mut out = vec![Block::ZERO];
        side.circuit(region, &operands([constants; 2]), &mut [LabelTarget { labels: &mut out, bits: 1 }])
            .await
            .unwrap();
        let (prepared, channel, _) = side.finish().await.unwrap();
        (prepared.to_bytes(), out[0], channel)
    };
    let evaluator = async |mut end: End| {
        let ots = rot::Receiver::setup(&mut end.channel, Params::K4, &SESSION, &mut os()).await.unwrap();
        let mut side = prepared::EvaluatorSetup::start(end.channel, ots, 1).unwrap();
        let mut out = vec![Block::ZERO];
        side.circuit(region, &operands([constants; 2]), &mut [LabelTarget { labels: &mut out, bits: 1 }])
            .await
            .unwrap();
        side.finish().1
    };
    let ((secrets, zero, _channel), _other, trace) =
        block_on(tap::run([Edit::None; 2], LIMIT, garbler, evaluator));
    let sent = &trace[0].content;
    let masked = &sent[sent.len() - TABLE_BYTES..];
    // After the kind and four counts: delta, the start of the hash, the key of the mask.
    let secret = |place: usize| Block::from_bytes(secrets[33 + 16 * place..][..16].try_into().unwrap());
    let [delta, start, key] = [0, 1, 2].map(secret);
    let result = |tables: &[u8]| {
        let mut labels = [delta, delta, Block::ZERO];
        let gates = AndGates::new(&[0], &[1], &[2], &[0], 3).unwrap();
        evaluate(&mut labels, 1, gates, Tweaks { start, first_id: 0, lane_stride: 1 }, tables).unwrap();
        labels[2]
    };
    let mut plain = [
        Block::from_bytes(masked[..16].try_into().unwrap()),
        Block::from_bytes(masked[16..].try_into().unwrap()),
    ];
    let mut stream = [Block::ZERO; 2];
    Prg::new(key).fill(&mut stream);
    plain.iter_mut().zip(stream).for_each(|(block, mask)| *block ^= mask);
    assert_eq!(
        result(Block::as_bytes(&plain)),
        zero ^ delta,
        "with the key the labels of one give that of one"
    );
    assert!(![zero, zero ^ delta].contains(&result(masked)), "the tables work without the key");
    for (name, secret) in [("delta", delta), ("start", start), ("key", key)] {
        let bytes = secret.to_bytes();
        assert!(!sent.windows(16).any(|window| window == bytes), "the {name} is sent in setup");
        assert!(bytes.iter().filter(|byte| **byte == 0).count() < 8, "the {name} is {secret:?}");
    }
}
