//! The holder's end: it garbles its program.

use std::sync::Arc;

use tacit_crypto::{Prg, Secret};
use tacit_math::{Bits, Block};
use tacit_net::Channel;
use zeroize::Zeroizing;

use super::garbler::Garbler;
use super::size::UniversalFunction;
use super::stream::{TableSink, pieces};
use crate::evaluation::check_inputs;
use crate::rows::{KEY, Key, Pair};
use crate::{PfeError, inputs};

/// Evaluates a private function on its holder's bits and on the peer's data. Only the peer learns the result: see [`super`].
///
/// `bits` are those of the holder's inputs, in order; `prg` must be secret and fresh. Takes one of the runtime's threads for blocking work.
///
/// # Errors
/// [`PfeError::Inputs`]; failures of the channel and of the oblivious transfers.
pub async fn hold(
    channel: &mut Channel,
    function: Arc<UniversalFunction>,
    bits: &[bool],
    prg: &mut Prg,
) -> Result<(), PfeError> {
    let size = *function.size.size();
    check_inputs(bits, size.holder_inputs())?;
    let mut run = [0; 32];
    prg.fill_bytes(&mut run);
    let (start, delta) = (prg.next_block(), Secret::new(prg.next_block().with_lsb()));
    channel.send(&run).await?;
    channel.send(&start.to_bytes()).await?;
    channel.send(&function.size.encode()).await?;
    let mut labels = Zeroizing::new(vec![Block::ZERO; size.inputs()]);
    prg.fill(&mut labels);
    give_labels(channel, &run, (&labels, *delta.expose()), bits, prg).await?;
    let (to, mut tables) = pieces();
    let garbled = tokio::task::spawn_blocking(move || {
        let mut garbler = Garbler::new(&function.program, start, *delta.expose(), TableSink::new(to));
        let outputs = Zeroizing::new(function.size.circuit().walk(&mut garbler, &labels));
        garbler.finish();
        outputs.iter().map(|label| label.lsb()).collect::<Bits>()
    });
    while let Some(piece) = tables.recv().await {
        channel.send(&piece).await?;
    }
    let colours = garbled.await.map_err(|_| PfeError::Stopped)?;
    channel.send(&colours.to_bytes()).await?;
    Ok(channel.flush().await?)
}

/// Sends the labels of the holder's bits, then transfers those that the owner chooses.
async fn give_labels(
    channel: &mut Channel,
    run: &[u8; 32],
    (labels, delta): (&[Block], Block),
    bits: &[bool],
    prg: &mut Prg,
) -> Result<(), PfeError> {
    let (own, theirs) = labels.split_at(bits.len());
    for (label, bit) in own.iter().zip(bits) {
        channel.send(&(*label ^ (Block::mask(*bit) & delta)).to_bytes()).await?;
    }
    let pair = |label: &Block| [*label, *label ^ delta].map(widened);
    let pairs = Zeroizing::new(theirs.iter().map(pair).collect::<Vec<Pair>>());
    inputs::transfer(channel, run, &pairs, prg).await
}

/// A label, padded with zeros to the length of transferred messages.
fn widened(label: Block) -> Key {
    let mut key = [0; KEY];
    key[..Block::BYTES].copy_from_slice(&label.to_bytes());
    key
}
