//! The evaluator never holds both labels of a wire: it receives no two blocks that differ by delta, at any position, in any
//! message of inputs, conversions, gates or openings. With delta it would know the values of all labels.

use crate::harness::{LIMIT, SESSION, tap};
use crate::tap::{Edit, End, Trace};
use std::collections::HashSet;
use tacit_circuit::{CircuitBuilder, Executable, Target as Form};
use tacit_crypto::Prg;
use tacit_math::{Bits, Block};
use tacit_ot::rot;
use tacit_ot::softspoken::Params;
use tacit_twoparty::yao::{Adds, LabelOperand, LabelTarget, Region, RevealTo, Side, live, streamed};
use tacit_twoparty::{Party, convert};

const BITS: u32 = 8;
const LANES: usize = 20;
const WIRES: usize = BITS as usize * LANES;

fn os() -> Prg {
    Prg::from_os().unwrap()
}

fn ones(count: usize) -> Bits {
    (0..count).map(|_| true).collect()
}

fn labels() -> Vec<Block> {
    vec![Block::ZERO; WIRES]
}

/// Fails if two of all 16 bytes that were sent to the evaluator, or of the labels that it holds, differ by delta.
fn assert_one_label_of_each_wire(sent: &[u8], held: &[Block], delta: Block) {
    let windows =
        sent.windows(16).filter_map(|window| window.first_chunk()).map(|window| u128::from_le_bytes(*window));
    // Zero is what it holds of constants.
    let known: HashSet<u128> = windows.chain(held.iter().map(|label| label.0)).chain([0]).collect();
    assert!(known.len() > 16 * WIRES, "too little was sent");
    let both = known.iter().filter(|block| known.contains(&(**block ^ delta.0))).count();
    assert_eq!(both, 0, "the evaluator gets two labels of one wire, and so delta");
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

fn check(garbler: impl AsyncFn(End) -> Block, evaluator: impl AsyncFn(End) -> Vec<Block>) {
    let work = tap::run([Edit::None; 2], LIMIT, |end| garbler(end), |end| evaluator(end));
    let (delta, held, trace): (Block, Vec<Block>, Trace) = block_on(work);
    assert!(delta.lsb());
    assert_one_label_of_each_wire(&trace[0].content, &held, delta);
}

/// The AND of two words.
fn circuit() -> Executable {
    let mut builder = CircuitBuilder::new();
    let (x, y) = (builder.input(BITS), builder.input(BITS));
    let both = x.iter().zip(&y).map(|(&x, &y)| builder.and(x, y)).collect();
    Executable::new(&builder.finish(vec![both]).unwrap(), Form::Lanes)
}

#[test]
fn of_live_sessions() {
    let circuit = circuit();
    let region = Region { circuit: &circuit, instances: LANES as u64, first_id: 0 };
    let garbler = async |mut end: End| {
        let channel = &mut end.channel;
        let mut ots = rot::Sender::setup(channel, Params::K4, &SESSION, &mut os()).await.unwrap();
        let mut side = live::LiveGarbler::start(channel, os()).await.unwrap();
        let sender = side.input_sender();
        let [mut x, mut y, mut both] = [labels(), labels(), labels()];
        side.input(channel, &ones(WIRES), &mut x).await.unwrap();
        sender.input(channel, &mut ots, &mut y).await.unwrap();
        let operands = [&x, &y].map(|labels| LabelOperand { labels, bits: BITS, share: 1 });
        let mut targets = [LabelTarget { labels: &mut both, bits: BITS }];
        side.circuit(channel, region, &operands, &mut targets).await.unwrap();
        channel.send(&live::colours(&both).to_bytes()).await.unwrap();
        channel.flush().await.unwrap();
        let mut delta = [Block::ZERO];
        side.constant(&ones(1), &mut delta).unwrap();
        (delta[0], end.connection).0
    };
    let evaluator = async |mut end: End| {
        let channel = &mut end.channel;
        let mut ots = rot::Receiver::setup(channel, Params::K4, &SESSION, &mut os()).await.unwrap();
        let mut side = live::LiveEvaluator::start(channel).await.unwrap();
        let [mut x, mut y, mut both] = [labels(), labels(), labels()];
        side.input(channel, &mut x).await.unwrap();
        live::receive_input(channel, &mut ots, &ones(WIRES), &mut y).await.unwrap();
        let operands = [&x, &y].map(|labels| LabelOperand { labels, bits: BITS, share: 1 });
        let mut targets = [LabelTarget { labels: &mut both, bits: BITS }];
        side.circuit(channel, region, &operands, &mut targets).await.unwrap();
        let mut colours = vec![0; WIRES / 8];
        channel.receive_into(&mut colours).await.unwrap();
        let values = Bits::from_bytes(&colours, WIRES).unwrap();
        assert!(values.iter().zip(live::colours(&both).iter()).all(|(theirs, own)| theirs != own));
        [x, y, both].concat()
    };
    check(garbler, evaluator);
}

/// Inputs, conversions of shares to labels (words by a sum that setup has garbled and by one that it has not, and bits), gates, an
/// opening.
async fn walk<S: Adds>(
    side: &mut S,
    party: Party,
    (circuit, adder): (&Executable, &Executable),
) -> Vec<Block> {
    let [mut x, mut y, mut r] = [labels(), labels(), labels()];
    match party {
        Party::First => {
            side.own_input(&ones(WIRES), &mut x).await.unwrap();
            side.peer_input(&mut y).await.unwrap();
        }
        Party::Second => {
            side.peer_input(&mut x).await.unwrap();
            side.own_input(&ones(WIRES), &mut y).await.unwrap();
        }
    }
    side.random(&mut r).await.unwrap();
    let [mut ready, mut now, mut bits, mut both] = [labels(), labels(), labels(), labels()];
    let words = [200; LANES];
    convert::a2y(side, party, &words, (adder, 0), &mut ready).await.unwrap();
    convert::a2y(side, party, &words, (adder, 1 << 20), &mut now).await.unwrap();
    convert::b2y(side, party, &ones(WIRES), &mut bits).await.unwrap();
    let operands = [&x, &y].map(|labels| LabelOperand { labels, bits: BITS, share: 1 });
    let region = Region { circuit, instances: LANES as u64, first_id: 1 << 30 };
    side.circuit(region, &operands, &mut [LabelTarget { labels: &mut both, bits: BITS }]).await.unwrap();
    side.flush().await.unwrap();
    side.reveal(RevealTo::Both, &both).await.unwrap();
    [x, y, r, ready, now, bits, both].concat()
}

#[test]
fn of_runs_with_conversions() {
    let (circuit, adder) = (circuit(), convert::adder(BITS));
    let circuits = (&circuit, &adder);
    let sum = [Region { circuit: &adder, instances: LANES as u64, first_id: 0 }];
    let garbler = async |mut end: End| {
        let ots = rot::Sender::setup(&mut end.channel, Params::K4, &SESSION, &mut os()).await.unwrap();
        let mut side = streamed::Garbler::start(end.channel, ots, os()).await.unwrap();
        side.prepare(WIRES, &sum).await.unwrap();
        walk(&mut side, Party::First, circuits).await;
        let mut delta = [Block::ZERO];
        side.constant(&ones(1), &mut delta).unwrap();
        delta[0]
    };
    let evaluator = async |mut end: End| {
        let ots = rot::Receiver::setup(&mut end.channel, Params::K4, &SESSION, &mut os()).await.unwrap();
        let mut side = streamed::Evaluator::start(end.channel, ots).await.unwrap();
        side.prepare(WIRES, &sum).await.unwrap();
        walk(&mut side, Party::Second, circuits).await
    };
    check(garbler, evaluator);
}
