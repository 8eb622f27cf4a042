//! Conversions to labels, comparisons of labels, and the start of a session.

use crate::harness::{Mark, Outcome, best, mark, now, phase_rows, row, since};
use crate::{BITS, words};
use tacit_circuit::{CircuitBuilder, Executable, Target as Form, arithmetic};
use tacit_crypto::Prg;
use tacit_math::{Bits, Block};
use tacit_net::StreamId;
use tacit_ot::cot::Extension;
use tacit_ot::softspoken::Params;
use tacit_ot::{ferret, rot};
use tacit_twoparty::correlations::Ots;
use tacit_twoparty::yao::streamed::{Evaluator, Garbler};
use tacit_twoparty::yao::{Adds, LabelOperand, LabelTarget, Region, RevealTo, Side};
use tacit_twoparty::{Party, ShareError, convert, wires};

const SESSION: [u8; 32] = [1; 32];

/// Base OTs and the start of extensions, until the first OT can be made in both directions.
pub fn starts() -> Outcome<()> {
    for (name, extension) in [
        ("base OTs and SoftSpokenOT, both directions", Extension::SoftSpoken(Params::K4)),
        ("base OTs and small silent OT, both directions", ferret::Params::Small.into()),
        ("base OTs and large silent OT, both directions", ferret::Params::Large.into()),
    ] {
        let [cost] = best(async |party, connection| {
            let mut channel = connection.open(StreamId(1))?;
            let start = mark(&channel);
            Ots::setup(&mut channel, party, extension, &SESSION, Prg::from_os()?).await?;
            let spent = since(&channel, start);
            channel.finish().await?;
            Ok([spent])
        })?;
        row(name, cost.seconds, "s");
        row(&format!("{name}, bytes"), cost.bytes as f64, "B");
    }
    Ok(())
}

/// Prints how many times both parties call a block cipher or a hash for a word of 32 bits, in setup and online, with
/// SoftSpokenOT and half gates, as Table I counts them.
pub fn computations() {
    let (bits, params) = (u64::from(BITS), Params::K4);
    // Either party expands all leaves of the trees to a bit for each OT; the sender hashes twice, the receiver once.
    let expansion_bits = (params.trees() << params.k()) as u64;
    let ot = 2 * expansion_bits.div_ceil(128) + 3;
    // The garbler makes four calls, the evaluator two; each label of the garbler takes one call.
    let garbled_and = 6;
    let doubly_shared = (bits - 1) * ot;
    let adder = convert::adder(BITS).and_count;
    for (name, count) in [
        ("Y2B", 0),
        ("share A", 0),
        ("share B", 0),
        ("open A", 0),
        ("open B", 0),
        ("share Y, garbler", bits),
        ("share Y, evaluator", bits * ot),
        ("B2Y", bits * ot),
        ("B2A", doubly_shared),
        ("Y2A", doubly_shared),
        ("A2Y", bits + bits * ot + (bits - 1) * garbled_and),
        ("A2B", adder * 2 * ot),
    ] {
        row(&format!("{name}, symmetric operations"), count as f64, "a word");
    }
}

/// An adder with the fewest ANDs: labels pay for ANDs, not for layers.
fn adder() -> Outcome<Executable> {
    let mut builder = CircuitBuilder::new();
    let (x, y) = (builder.input(BITS), builder.input(BITS));
    let sum = arithmetic::add(&mut builder, &x, &y);
    Ok(Executable::new(&builder.finish(vec![sum])?, Form::Lanes))
}

/// The source of a conversion.
#[derive(Clone, Copy)]
enum Source {
    Sums,
    Bits,
}

/// Words to labels. Setup makes labels of random bits and garbles sums.
pub fn conversions(count: usize) -> Outcome<()> {
    let (x, adder) = (words(7, count), adder()?);
    let sums = [Region { circuit: &adder, instances: count as u64, first_id: 0 }];
    for (name, source) in [("A2Y x1000", Source::Sums), ("B2Y x1000", Source::Bits)] {
        let (ready, sums) = match source {
            Source::Sums => (0, &sums[..]),
            Source::Bits => (BITS as usize * count, &[][..]),
        };
        let costs = best(async |party, connection| {
            let (mut channel, mut prg) = (connection.open(StreamId(1))?, Prg::from_os()?);
            let mut labels = vec![Block::ZERO; BITS as usize * count];
            let (mut channel, setup, start) = if party == Party::First {
                let ots = rot::Sender::setup(&mut channel, Params::K4, &SESSION, &mut prg).await?;
                let start = mark(&channel);
                let mut side = Garbler::start(channel, ots, prg).await?;
                side.prepare(ready, sums).await?;
                let (setup, start) = (since(side.channel(), start), mark(side.channel()));
                convert(&mut side, party, source, (&x, &adder), &mut labels).await?;
                (side.finish().0, setup, start)
            } else {
                let ots = rot::Receiver::setup(&mut channel, Params::K4, &SESSION, &mut prg).await?;
                let start = mark(&channel);
                let mut side = Evaluator::start(channel, ots).await?;
                side.prepare(ready, sums).await?;
                let (setup, start) = (since(side.channel(), start), mark(side.channel()));
                convert(&mut side, party, source, (&x, &adder), &mut labels).await?;
                (side.finish().0, setup, start)
            };
            let online = since(&channel, start);
            // The labels' colours are shares of the words.
            let own = wires::to_words(&convert::y2b(&labels), BITS);
            channel.send(words_bytes(&own).as_slice()).await?;
            channel.flush().await?;
            let mut peers = vec![0; 16 * count];
            channel.receive_into(&mut peers).await?;
            let opened = xor(&words_bytes(&own), &peers);
            assert!(opened == words_bytes(&x), "the result is wrong");
            channel.finish().await?;
            Ok([setup, online])
        })?;
        phase_rows(name, count, costs);
    }
    Ok(())
}

/// Comparisons of words that are shared by labels: everything from labels to labels.
pub fn comparisons(count: usize) -> Outcome<()> {
    let (x, y) = (words(8, count), words(9, count));
    let mut builder = CircuitBuilder::new();
    let (a, b) = (builder.input(BITS), builder.input(BITS));
    let less = arithmetic::less_unsigned(&mut builder, &a, &b);
    let circuit = Executable::new(&builder.finish(vec![vec![less]])?, Form::Flat);
    let [spent] = best(async |party, connection| {
        let (mut channel, mut prg) = (connection.open(StreamId(1))?, Prg::from_os()?);
        let mut results = vec![Block::ZERO; count];
        let (mut channel, start) = if party == Party::First {
            let ots = rot::Sender::setup(&mut channel, Params::K4, &SESSION, &mut prg).await?;
            let mut side = Garbler::start(channel, ots, prg).await?;
            let start = compare(&mut side, party, [&x, &y], &circuit, &mut results).await?;
            (side.finish().0, start)
        } else {
            let ots = rot::Receiver::setup(&mut channel, Params::K4, &SESSION, &mut prg).await?;
            let mut side = Evaluator::start(channel, ots).await?;
            let start = compare(&mut side, party, [&x, &y], &circuit, &mut results).await?;
            (side.finish().0, start)
        };
        let spent = since(&channel, start);
        let own = convert::y2b(&results).to_bytes();
        channel.send(&own).await?;
        channel.flush().await?;
        let mut peers = vec![0; own.len()];
        channel.receive_into(&mut peers).await?;
        let expected: Bits = x.iter().zip(&y).map(|(x, y)| x < y).collect();
        assert!(xor(&own, &peers) == expected.to_bytes(), "the result is wrong");
        channel.finish().await?;
        Ok([spent])
    })?;
    let rate = |seconds: f64| count as f64 / seconds;
    row(&format!("Y LT x{count}"), rate(spent.seconds), "/s");
    row(&format!("Y LT x{count}, by the busier party's processor time"), rate(spent.busy), "/s");
    Ok(())
}

/// Shares x of the first party and y of the second, and compares; returns when the comparison began.
async fn compare(
    side: &mut impl Side,
    party: Party,
    [x, y]: [&[u128]; 2],
    circuit: &Executable,
    results: &mut [Block],
) -> Outcome<Mark> {
    let count = results.len();
    let mut labels = [0; 2].map(|_| vec![Block::ZERO; BITS as usize * count]);
    for (giver, (values, labels)) in
        [Party::First, Party::Second].into_iter().zip([x, y].into_iter().zip(&mut labels))
    {
        match giver == party {
            true => side.own_input(&wires::from_words(values, BITS), labels).await?,
            false => side.peer_input(labels).await?,
        }
    }
    // The garbler continues when the evaluator has its labels.
    side.reveal(RevealTo::Garbler, &labels[1][..1]).await?;
    side.flush().await?;
    let start = now();
    let region = Region { circuit, instances: count as u64, first_id: 0 };
    let [x, y] = labels.each_ref().map(|labels| LabelOperand { labels, bits: BITS, share: 1 });
    side.circuit(region, &[x, y], &mut [LabelTarget { labels: results, bits: 1 }]).await?;
    side.flush().await?;
    Ok(start)
}

/// The second party's shares are the words, the first's are zero.
async fn convert(
    side: &mut impl Adds,
    party: Party,
    source: Source,
    (x, adder): (&[u128], &Executable),
    labels: &mut [Block],
) -> Result<(), ShareError> {
    let zeros = vec![0; x.len()];
    let shares = if party == Party::Second { x } else { &zeros };
    match source {
        Source::Sums => convert::a2y(side, party, shares, (adder, 0), labels).await?,
        Source::Bits => convert::b2y(side, party, &wires::from_words(shares, BITS), labels).await?,
    }
    Ok(side.flush().await?)
}

fn words_bytes(words: &[u128]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn xor(x: &[u8], y: &[u8]) -> Vec<u8> {
    x.iter().zip(y).map(|(x, y)| x ^ y).collect()
}
