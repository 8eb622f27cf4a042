//! Agreeing on the keys of pseudorandom sharing.

use tacit_crypto::{Secret, random_seed};
use tacit_math::Block;
use tacit_net::{Session, StreamId};

use crate::error::{RunError, UsageError};
use crate::parties::{Parties, PartyIndex};

/// The stream on which keys are given.
pub(crate) const KEY_STREAM: StreamId = StreamId(16);

/// Keys for all sets that a party is in: the first party of a set chooses.
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
