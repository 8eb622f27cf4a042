//! Keys of inputs: those of the owner's inputs are sent, those of the holder's inputs are transferred obliviously.

use tacit_crypto::{Oracle, Prg};
use tacit_math::{Bits, Block};
use tacit_net::Channel;
use tacit_ot::endemic;
use zeroize::Zeroizing;

use crate::PfeError;
use crate::rows::{KEY, KeyBytes, add, select};

/// The session name of a run's oblivious transfers.
fn session(run: &[u8; 32]) -> [u8; 32] {
    Oracle::new("tacit private functions v1: transfers").absorb(run).digest()
}

/// The mask of a key, derived from a transfer's block.
fn mask(session: &[u8; 32], index: usize, block: &Block) -> Zeroizing<[u8; KEY]> {
    let oracle = Oracle::new("tacit private functions v1: transferred key").absorb(session);
    let oracle = oracle.absorb(&(index as u64).to_le_bytes()).absorb(&block.to_bytes());
    Zeroizing::new(oracle.digest())
}

/// Sends the keys for this party's own bits, which are secret.
pub(crate) async fn send_own<K: KeyBytes>(
    channel: &mut Channel,
    pairs: &[[K; 2]],
    bits: &[bool],
) -> Result<(), PfeError> {
    for (pair, bit) in pairs.iter().zip(bits) {
        channel.send(select(pair, u8::from(*bit)).as_ref()).await?;
    }
    channel.flush().await?;
    Ok(())
}

/// Receives `count` keys.
pub(crate) async fn receive_own<K: KeyBytes>(
    channel: &mut Channel,
    count: usize,
) -> Result<Vec<K>, PfeError> {
    let mut keys = vec![K::ZERO; count];
    channel.receive_into(K::flat_mut(&mut keys)).await?;
    Ok(keys)
}

/// Transfers one key of each pair, as the peer chooses.
pub(crate) async fn transfer<K: KeyBytes>(
    channel: &mut Channel,
    run: &[u8; 32],
    pairs: &[[K; 2]],
    prg: &mut Prg,
) -> Result<(), PfeError> {
    if pairs.is_empty() {
        return Ok(());
    }
    let session = session(run);
    let blocks = Zeroizing::new(endemic::send(channel, &session, pairs.len(), prg).await?);
    for (index, (pair, blocks)) in pairs.iter().zip(blocks.iter()).enumerate() {
        for (key, block) in pair.iter().zip(blocks) {
            let mut masked = *key;
            add(masked.as_mut(), &mask(&session, index, block));
            channel.send(masked.as_ref()).await?;
        }
    }
    channel.flush().await?;
    Ok(())
}

/// Receives the keys that secret bits choose.
pub(crate) async fn choose<K: KeyBytes>(
    channel: &mut Channel,
    run: &[u8; 32],
    bits: &[bool],
    prg: &mut Prg,
) -> Result<Vec<K>, PfeError> {
    if bits.is_empty() {
        return Ok(Vec::new());
    }
    let session = session(run);
    let choices = Bits::from_fn(bits.len(), |i| bits[i]);
    let blocks = Zeroizing::new(endemic::receive(channel, &session, &choices, prg).await?);
    let mut keys = Vec::with_capacity(bits.len());
    for (index, (bit, block)) in bits.iter().zip(blocks.iter()).enumerate() {
        let mut pair = [K::ZERO; 2];
        channel.receive_into(K::flat_mut(&mut pair)).await?;
        let mut key = select(&pair, u8::from(*bit));
        add(key.as_mut(), &mask(&session, index, block));
        keys.push(key);
    }
    Ok(keys)
}
