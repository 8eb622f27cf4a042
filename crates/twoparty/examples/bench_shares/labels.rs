//! Conversions to labels, and what a session makes once.

use crate::harness::{Cost, Outcome, best, mark, phase_rows, row, since};
use crate::{BITS, words};
use tacit_circuit::Executable;
use tacit_crypto::Prg;
use tacit_math::Block;
use tacit_net::StreamId;
use tacit_ot::cot::Extension;
use tacit_ot::softspoken::Params;
use tacit_ot::{ferret, rot};
use tacit_twoparty::triples::Ots;
use tacit_twoparty::yao::Side;
use tacit_twoparty::yao::streamed::{Evaluator, Garbler};
use tacit_twoparty::{Party, ShareError, convert, wires};

const SESSION: [u8; 32] = [1; 32];

/// Base OTs and what grows from them, until the first OT can be made in both directions.
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

/// Prints how many calls of a block cipher or a hash both parties make for a word of 32 bits, in setup and online, with
/// SoftSpokenOT and half gates, as Table I counts them.
pub fn computations() {
    let (bits, params) = (u64::from(BITS), Params::K4);
    // Either party expands all leaves of the trees to a bit for each OT; the sender hashes twice, the receiver once.
    let expansion_bits = (params.trees() << params.k()) as u64;
    let ot = 2 * expansion_bits.div_ceil(128) + 3;
    // The garbler calls four times, the evaluator twice; each label of the garbler is drawn by one call.
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

/// What is converted.
#[derive(Clone, Copy)]
enum Source {
    Sums,
    Bits,
}

/// Words to labels. Setup is none: OTs are made and tables travel online.
pub fn conversions(count: usize) -> Outcome<()> {
    let (x, adder) = (words(7, count), convert::adder(BITS));
    for (name, source) in [("A2Y x1000", Source::Sums), ("B2Y x1000", Source::Bits)] {
        let [online] = best(async |party, connection| {
            let (mut channel, mut prg) = (connection.open(StreamId(1))?, Prg::from_os()?);
            let mut labels = vec![Block::ZERO; BITS as usize * count];
            let (mut channel, start) = if party == Party::First {
                let ots = rot::Sender::setup(&mut channel, Params::K4, &SESSION, &mut prg).await?;
                let start = mark(&channel);
                let mut side = Garbler::start(channel, ots, prg).await?;
                convert(&mut side, party, source, (&x, &adder), &mut labels).await?;
                (side.finish().0, start)
            } else {
                let ots = rot::Receiver::setup(&mut channel, Params::K4, &SESSION, &mut prg).await?;
                let start = mark(&channel);
                let mut side = Evaluator::start(channel, ots).await?;
                convert(&mut side, party, source, (&x, &adder), &mut labels).await?;
                (side.finish().0, start)
            };
            let spent = since(&channel, start);
            // The labels' colours are shares of the words.
            let own = wires::to_words(&convert::y2b(&labels), BITS);
            channel.send(words_bytes(&own).as_slice()).await?;
            channel.flush().await?;
            let mut peers = vec![0; 16 * count];
            channel.receive_into(&mut peers).await?;
            let opened = xor(&words_bytes(&own), &peers);
            assert!(opened == words_bytes(&x), "a wrong result");
            channel.finish().await?;
            Ok([spent])
        })?;
        let none = Cost { seconds: 0.0, busy: 0.0, bytes: 0 };
        phase_rows(name, count, [none, online]);
    }
    Ok(())
}

/// The second party's shares are the words, the first's are zero.
async fn convert(
    side: &mut impl Side,
    party: Party,
    source: Source,
    (x, adder): (&[u128], &Executable),
    labels: &mut [Block],
) -> Result<(), ShareError> {
    let zeros = vec![0; x.len()];
    let shares = if party == Party::Second { x } else { &zeros };
    match source {
        Source::Sums => convert::a2y(side, party, (shares, BITS), (adder, 0), labels).await?,
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
