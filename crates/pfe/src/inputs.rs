//! Keys of inputs: the owner's are sent, the holder's go by oblivious transfer.

use subtle::{Choice, ConditionallySelectable};
use tacit_crypto::{Oracle, Prg};
use tacit_math::{Bits, Block};
use tacit_net::Channel;
use tacit_ot::endemic;
use zeroize::Zeroizing;

use crate::PfeError;
use crate::rows::{KEY, Key, Pair, add};

/// The name of a run's transfers.
fn session(run: &[u8; 32]) -> [u8; 32] {
    Oracle::new("tacit private functions v1: transfers").absorb(run).digest()
}

/// What a transfer's block masks a key with.
fn mask(session: &[u8; 32], index: usize, block: &Block) -> Zeroizing<[u8; KEY]> {
    let oracle = Oracle::new("tacit private functions v1: transferred key").absorb(session);
    let oracle = oracle.absorb(&(index as u64).to_le_bytes()).absorb(&block.to_bytes());
    Zeroizing::new(oracle.digest())
}

/// Sends the keys for this party's own bits, which are secret.
pub(crate) async fn send_own(channel: &mut Channel, pairs: &[Pair], bits: &[bool]) -> Result<(), PfeError> {
    for (pair, bit) in pairs.iter().zip(bits) {
        let choice = Choice::from(u8::from(*bit));
        let key: Key = core::array::from_fn(|i| u8::conditional_select(&pair[0][i], &pair[1][i], choice));
        channel.send(&key).await?;
    }
    channel.flush().await?;
    Ok(())
}

/// Receives `count` keys.
pub(crate) async fn receive_own(channel: &mut Channel, count: usize) -> Result<Vec<Key>, PfeError> {
    let mut keys = vec![[0; KEY]; count];
    channel.receive_into(keys.as_flattened_mut()).await?;
    Ok(keys)
}

/// Transfers one key of each pair, as the peer chooses.
pub(crate) async fn transfer(
    channel: &mut Channel,
    run: &[u8; 32],
    pairs: &[Pair],
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
            add(&mut masked, &mask(&session, index, block));
            channel.send(&masked).await?;
        }
    }
    channel.flush().await?;
    Ok(())
}

/// Receives the keys that secret bits choose.
pub(crate) async fn choose(
    channel: &mut Channel,
    run: &[u8; 32],
    bits: &[bool],
    prg: &mut Prg,
) -> Result<Vec<Key>, PfeError> {
    if bits.is_empty() {
        return Ok(Vec::new());
    }
    let session = session(run);
    let choices = Bits::from_fn(bits.len(), |i| bits[i]);
    let blocks = Zeroizing::new(endemic::receive(channel, &session, &choices, prg).await?);
    let mut keys = Vec::with_capacity(bits.len());
    for (index, (bit, block)) in bits.iter().zip(blocks.iter()).enumerate() {
        let mut pair = [[0; KEY]; 2];
        channel.receive_into(pair.as_flattened_mut()).await?;
        let choice = Choice::from(u8::from(*bit));
        let mut key = core::array::from_fn(|i| u8::conditional_select(&pair[0][i], &pair[1][i], choice));
        add(&mut key, &mask(&session, index, block));
        keys.push(key);
    }
    Ok(keys)
}
