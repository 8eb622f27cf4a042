//! Labels for bits that only the evaluator knows: random OT and a correction by the garbler's delta.
//!
//! For each wire the random OT yields m0, m1 at the garbler and r, m_r at the evaluator. The garbler sends y = m0 ^ m1 ^
//! delta, and m0 is the zero label of a wire that carries r: the evaluator's active label is m_r ^ r·y = m0 ^ r·delta.
//! To make the wire carry x, the evaluator sends d = x ^ r, and the garbler's zero label becomes m0 ^ d·delta.
//!
//! Security: y is masked by the block that the evaluator does not have, d by the choice that the garbler does not know.
//! Cost: 16 bytes to the evaluator and a bit to the garbler besides the OT.

use super::YaoError;
use super::bundle::expect;
use std::ops::Range;
use tacit_crypto::half_gates::Delta;
use tacit_math::{Bits, Block, Wiped};
use tacit_net::Channel;
use tacit_ot::{chosen, rot};
use zeroize::Zeroizing;

/// Wires between two changes of the direction: data on its way stays within a channel's credit.
pub const WINDOW: usize = 1 << 15;

/// Labels of random bits that setup has made; online they only take a correction.
#[derive(Default)]
pub(super) struct Ready {
    pub(super) labels: Zeroizing<Vec<Block>>,
    /// The bits, which the evaluator knows.
    pub(super) bits: Bits,
    used: usize,
}

impl Ready {
    /// Labels of which the first `used` are reserved for other uses.
    pub(super) fn new(labels: Zeroizing<Vec<Block>>, bits: Bits, used: usize) -> Ready {
        Ready { labels, bits, used }
    }

    /// The labels that are not used yet.
    pub(super) fn unused(&self) -> &[Block] {
        &self.labels[self.used..]
    }

    /// Takes as many labels as are left, at most one for each of `into`; returns their range.
    fn take(&mut self, into: &mut [Block]) -> Range<usize> {
        let taken = self.used..self.labels.len().min(self.used + into.len());
        into.iter_mut().zip(&self.labels[taken.clone()]).for_each(|(into, label)| *into = *label);
        self.used = taken.end;
        taken
    }
}

/// [`send_labels`], as far as there are ready labels.
pub(super) async fn send_ready(
    channel: &mut Channel,
    (ready, ots): (&mut Ready, &mut Option<rot::Sender>),
    delta: &Delta,
    labels: &mut [Block],
    corrected: bool,
) -> Result<(), YaoError> {
    let count = ready.take(labels).len();
    let (zeros, rest) = labels.split_at_mut(count);
    if corrected && !zeros.is_empty() {
        let flips = chosen::receive_bits(channel, zeros.len()).await?;
        zeros.iter_mut().zip(flips.iter()).for_each(|(zero, flip)| *zero = delta.label(*zero, flip));
    }
    match ots {
        _ if rest.is_empty() => Ok(()),
        Some(ots) => send_labels(channel, ots, delta, rest, corrected).await,
        None => Err(no_more(rest)),
    }
}

fn no_more(labels: &[Block]) -> YaoError {
    YaoError::NotPrepared { what: "labels of random bits", asked: labels.len() as u64, left: 0 }
}

/// [`receive_labels`], as far as there are ready labels; returns the bits of the others.
pub(super) async fn receive_ready(
    channel: &mut Channel,
    (ready, ots): (&mut Ready, &mut Option<rot::Receiver>),
    labels: &mut [Block],
    wanted: Option<&Bits>,
) -> Result<Bits, YaoError> {
    let taken = ready.take(labels);
    let count = taken.len();
    if let Some(wanted) = wanted
        && count > 0
    {
        let mut flips = wanted.slice(0..count);
        flips ^= &ready.bits.slice(taken);
        channel.send(&flips.to_bytes()).await?;
        channel.flush().await?;
    }
    let wanted = wanted.map(|wanted| wanted.slice(count..wanted.len()));
    let rest = &mut labels[count..];
    match ots {
        _ if rest.is_empty() => Ok(Bits::default()),
        Some(ots) => receive_labels(channel, ots, rest, wanted.as_ref()).await,
        None => Err(no_more(rest)),
    }
}

/// The garbler's end: zero labels of random bits, or with `corrected` of the evaluator's inputs.
pub(super) async fn send_labels(
    channel: &mut Channel,
    ots: &mut rot::Sender,
    delta: &Delta,
    labels: &mut [Block],
    corrected: bool,
) -> Result<(), YaoError> {
    let mut ones = Zeroizing::new(vec![Block::ZERO; labels.len().min(WINDOW)]);
    for zeros in labels.chunks_mut(WINDOW) {
        let ones = &mut ones[..zeros.len()];
        ots.extend(channel, zeros, ones).await?;
        let flips = if corrected { Some(chosen::receive_bits(channel, zeros.len()).await?) } else { None };
        ones.iter_mut().zip(&*zeros).for_each(|(one, zero)| *one ^= delta.one(*zero));
        channel.send(Block::as_bytes(ones)).await?;
        channel.flush().await?;
        for (zero, flip) in zeros.iter_mut().zip(flips.iter().flat_map(Bits::iter)) {
            *zero = delta.label(*zero, flip);
        }
    }
    Ok(())
}

/// The evaluator's end: active labels of random bits, which are returned, or of the `wanted` bits.
pub(super) async fn receive_labels(
    channel: &mut Channel,
    ots: &mut rot::Receiver,
    labels: &mut [Block],
    wanted: Option<&Bits>,
) -> Result<Bits, YaoError> {
    let mut drawn = Bits::default();
    let mut offsets = Wiped::blocks(labels.len().min(WINDOW));
    for labels in labels.chunks_mut(WINDOW) {
        let choices = ots.extend(channel, labels).await?;
        if let Some(wanted) = wanted {
            let mut flips = wanted.slice(drawn.len()..drawn.len() + labels.len());
            flips ^= &choices;
            channel.send(&flips.to_bytes()).await?;
        }
        let offsets = &mut offsets[..labels.len()];
        channel.receive_into(Block::as_bytes_mut(offsets)).await?;
        for ((label, offset), choice) in labels.iter_mut().zip(&*offsets).zip(choices.iter()) {
            *label ^= *offset & Block::mask(choice);
        }
        drawn.extend_bits(&choices);
    }
    Ok(drawn)
}

/// Sends the active labels of wires that carry the garbler's `bits`, from their zero labels.
pub(super) async fn send_active(
    channel: &mut Channel,
    delta: &Delta,
    bits: &Bits,
    zeros: &[Block],
) -> Result<(), YaoError> {
    let mut active = Zeroizing::new([Block::ZERO; 1024]);
    for (start, zeros) in (0..).step_by(active.len()).zip(zeros.chunks(active.len())) {
        let active = &mut active[..zeros.len()];
        for (i, (label, zero)) in active.iter_mut().zip(zeros).enumerate() {
            *label = delta.label(*zero, bits.get(start + i));
        }
        channel.send(Block::as_bytes(active)).await?;
    }
    Ok(())
}

/// Labels of public `bits`: the active label is zero, so the zero label is zero or, for a one, `delta`. The evaluator's
/// `delta` is zero.
pub(super) fn constant(delta: Block, bits: &Bits, labels: &mut [Block]) -> Result<(), YaoError> {
    expect("labels for constant bits", labels.len() as u64, bits.len() as u64)?;
    labels.iter_mut().zip(bits.iter()).for_each(|(label, bit)| *label = delta & Block::mask(bit));
    Ok(())
}

/// Receives one block.
pub(super) async fn receive_block(channel: &mut Channel) -> Result<Block, YaoError> {
    let mut bytes = [0; Block::BYTES];
    channel.receive_into(&mut bytes).await?;
    Ok(Block::from_bytes(bytes))
}
