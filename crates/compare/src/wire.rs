//! Messages: a tag, then ciphertexts.

use tacit_he::dgk::{Ciphertext, PublicKey};
use tacit_he::{HeError, PublicKey as _};
use tacit_net::Channel;

use crate::CompareError;
use crate::constants::TAG_BYTES;

/// Sends bytes behind a tag.
pub(crate) async fn send(
    channel: &mut Channel,
    tag: [u8; TAG_BYTES],
    bytes: &[u8],
) -> Result<(), CompareError> {
    channel.send(&tag).await?;
    channel.send(bytes).await?;
    Ok(channel.flush().await?)
}

/// As many bytes as expected, behind the tag that is expected.
pub(crate) async fn receive(
    channel: &mut Channel,
    tag: [u8; TAG_BYTES],
    length: usize,
) -> Result<Vec<u8>, CompareError> {
    let mut other = [0; TAG_BYTES];
    channel.receive_into(&mut other).await?;
    if other != tag {
        return Err(CompareError::Disagree { peer: channel.peer() });
    }
    let mut bytes = vec![0; length];
    channel.receive_into(&mut bytes).await?;
    Ok(bytes)
}

/// As many ciphertexts as expected, each checked to lie below n and to be coprime to it.
pub(crate) async fn receive_ciphertexts(
    channel: &mut Channel,
    tag: [u8; TAG_BYTES],
    key: &PublicKey,
    count: usize,
) -> Result<Vec<Ciphertext>, CompareError> {
    let bytes = receive(channel, tag, count * key.ciphertext_bytes()).await?;
    key.decode(count, &bytes).map_err(|source| malformed(channel, "ciphertexts", source))
}

/// What the other server sent cannot be used.
pub(crate) fn malformed(channel: &Channel, what: &'static str, source: HeError) -> CompareError {
    CompareError::Malformed { peer: channel.peer(), what, source }
}
