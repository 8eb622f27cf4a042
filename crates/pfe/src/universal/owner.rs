//! The owner's end: it evaluates the garbled circuit on its data.

use tacit_crypto::Prg;
use tacit_math::Block;
use tacit_net::Channel;
use tacit_ot::chosen::receive_bits;
use tokio::sync::mpsc;
use zeroize::Zeroizing;

use super::evaluator::Evaluator;
use super::size::{HEADER, UniversalSize};
use super::stream::{PIECE, TableSource, pieces};
use super::{ROWS, SWITCH};
use crate::evaluation::check_inputs;
use crate::rows::Key;
use crate::{PfeError, inputs};

/// Evaluates the peer's private function of this size on this party's input bits, in order. Returns the outputs, which only this party learns.
///
/// `bits` are secret, `prg` must be secret and fresh. Takes one of the runtime's threads for blocking work.
///
/// # Errors
/// [`PfeError::Inputs`]; [`PfeError::Size`], before anything is sent, if the peer has another size; failures of the channel and of the oblivious transfers.
pub async fn evaluate(
    channel: &mut Channel,
    size: &UniversalSize,
    bits: &[bool],
    prg: &mut Prg,
) -> Result<Vec<bool>, PfeError> {
    check_inputs(bits, size.size().owner_inputs())?;
    let mut header = [0; HEADER];
    channel.receive_into(&mut header).await?;
    let (run, rest) = header.split_first_chunk::<32>().ok_or(PfeError::Stopped)?;
    let (start, numbers) = rest.split_first_chunk::<SWITCH>().ok_or(PfeError::Stopped)?;
    let (construction, numbers) = numbers.split_last().ok_or(PfeError::Stopped)?;
    size.check(numbers.first_chunk().ok_or(PfeError::Stopped)?, *construction)?;
    let labels = take_labels(channel, size, run, bits, prg).await?;
    let (to, from) = pieces();
    let (start, circuit) = (Block::from(*start), size.circuit().clone());
    let evaluated = tokio::task::spawn_blocking(move || {
        let mut evaluator = Evaluator::new(start, TableSource::new(from));
        let outputs = Zeroizing::new(circuit.walk(&mut evaluator, &labels));
        outputs.iter().map(|label| label.lsb()).collect::<Vec<bool>>()
    });
    receive_tables(channel, size, to).await?;
    let own = Zeroizing::new(evaluated.await.map_err(|_| PfeError::Stopped)?);
    let colours = receive_bits(channel, own.len()).await?;
    Ok(own.iter().enumerate().map(|(output, own)| own ^ colours.get(output)).collect())
}

/// The labels of all input bits: the holder sends those of its bits, and this party chooses its own.
async fn take_labels(
    channel: &mut Channel,
    size: &UniversalSize,
    run: &[u8; 32],
    bits: &[bool],
    prg: &mut Prg,
) -> Result<Zeroizing<Vec<Block>>, PfeError> {
    let mut labels = Zeroizing::new(vec![Block::ZERO; size.size().inputs()]);
    let (theirs, ours) = labels.split_at_mut(size.size().holder_inputs());
    channel.receive_into(Block::as_bytes_mut(theirs)).await?;
    let own = Zeroizing::new(inputs::choose::<Key>(channel, run, bits, prg).await?);
    for (label, key) in ours.iter_mut().zip(own.iter()) {
        *label = key.first_chunk::<SWITCH>().map_or(Block::ZERO, |key| Block::from(*key));
    }
    Ok(labels)
}

/// Passes all tables on as they arrive.
async fn receive_tables(
    channel: &mut Channel,
    size: &UniversalSize,
    to: mpsc::Sender<Vec<u8>>,
) -> Result<(), PfeError> {
    let count = size.circuit().count();
    let blocks = count.exchanges + count.selections + ROWS as u64 * count.gates;
    let mut left = SWITCH as u64 * blocks;
    while left > 0 {
        let mut piece = vec![0; left.min(PIECE as u64) as usize];
        channel.receive_into(&mut piece).await?;
        left -= piece.len() as u64;
        to.send(piece).await.map_err(|_| PfeError::Stopped)?;
    }
    Ok(())
}
