//! Agreement on the keys of pseudorandom sharing.

use tacit_crypto::{Secret, random_seed};
use tacit_math::Block;
use tacit_net::{Session, StreamId};

use crate::error::{RunError, UsageError, VerificationError};
use crate::parties::{Parties, PartyIndex};

/// The stream on which keys are sent, and the one on which they are compared.
pub(crate) const KEY_STREAM: StreamId = StreamId(16);
pub(crate) const CONFIRMATION_STREAM: StreamId = StreamId(22);

/// Agrees on keys for all sets that a party is in: the first party of a set chooses the key.
pub(crate) async fn agree(
    session: &Session,
    names: &[String],
    me: PartyIndex,
    sets: &[Parties],
) -> Result<Vec<Secret<Block>>, RunError> {
    let mut keys = Vec::new();
    for set in sets.iter().filter(|set| set.contains(me)) {
        let chosen = if set.least() == Some(me) {
            random_seed().map_err(|_| RunError::Entropy)?
        } else {
            Secret::new(Block::ZERO)
        };
        keys.push((set, chosen));
    }
    let mut channels = Vec::new();
    for (peer, name) in names.iter().enumerate().filter(|(peer, _)| *peer != me) {
        let missing = || UsageError::NoLink { party: name.clone() };
        let mut channel = session.connection(name).ok_or_else(missing)?.open(KEY_STREAM)?;
        for (_, key) in keys.iter().filter(|(set, _)| set.least() == Some(me) && set.contains(peer)) {
            channel.send(&key.expose().0.to_le_bytes()).await?;
        }
        channel.flush().await?;
        channels.push((peer, channel));
    }
    for (peer, mut channel) in channels {
        for (_, key) in keys.iter_mut().filter(|(set, _)| set.least() == Some(peer)) {
            let mut bytes = zeroize::Zeroizing::new([0; Block::BYTES]);
            channel.receive_into(&mut bytes[..]).await?;
            *key = Secret::new(Block(u128::from_le_bytes(*bytes)));
        }
        channel.finish().await?;
    }
    Ok(keys.into_iter().map(|(_, key)| key).collect())
}

/// Compares keys with all others in their sets: the party that chose a key may have sent different ones.
///
/// Security: any two parties exchange a hash of the keys that both have.
///
/// Errors: keys differ, with the name of the other party, though the party that chose a key may have caused it;
/// the link fails.
pub(crate) async fn confirm(
    session: &Session,
    names: &[String],
    me: PartyIndex,
    (sets, keys): (&[Parties], &[Secret<Block>]),
) -> Result<(), RunError> {
    let hash = |peer: PartyIndex| {
        let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 nparty common keys");
        let own = sets.iter().filter(|set| set.contains(me)).zip(keys);
        for (_, key) in own.filter(|(set, _)| set.contains(peer)) {
            hasher.update(&zeroize::Zeroizing::new(key.expose().0.to_le_bytes())[..]);
        }
        *hasher.finalize().as_bytes()
    };
    let mut channels = Vec::new();
    for (peer, name) in names.iter().enumerate().filter(|(peer, _)| *peer != me) {
        let missing = || UsageError::NoLink { party: name.clone() };
        let mut channel = session.connection(name).ok_or_else(missing)?.open(CONFIRMATION_STREAM)?;
        channel.send(&hash(peer)).await?;
        channel.flush().await?;
        channels.push((peer, channel));
    }
    for (peer, mut channel) in channels {
        let mut theirs = [0; 32];
        channel.receive_into(&mut theirs).await?;
        if theirs != hash(peer) {
            let (peer, error) = (Some(names[peer].clone()), VerificationError::Keys);
            return Err(RunError::Verification { peer, error });
        }
        channel.finish().await?;
    }
    Ok(())
}
