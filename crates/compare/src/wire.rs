//! Messages: a tag that both ends must derive alike, the message's length, then ciphertexts.

use tacit_he::dgk::{Ciphertext, PublicKey};
use tacit_he::{HeError, PublicKey as _};
use tacit_net::Channel;

use crate::CompareError;
use crate::constants::{LENGTH_BYTES, TAG_BYTES};

/// The beginning of a message: its tag, and its length.
type Head = [u8; TAG_BYTES];

/// Bytes of an unexpected message that are discarded at a time.
const DRAINED: usize = 4096;

fn head(tag: [u8; TAG_BYTES], length: usize) -> Result<Head, CompareError> {
    let length = u32::try_from(length).map_err(|_| CompareError::TooLong { bytes: length })?;
    let mut head = tag;
    head[TAG_BYTES - LENGTH_BYTES..].copy_from_slice(&length.to_le_bytes());
    Ok(head)
}

/// Sends a tag, then bytes.
pub(crate) async fn send(
    channel: &mut Channel,
    tag: [u8; TAG_BYTES],
    bytes: &[u8],
) -> Result<(), CompareError> {
    channel.send(&head(tag, bytes.len())?).await?;
    channel.send(bytes).await?;
    Ok(channel.flush().await?)
}

/// Tells the other server, in place of the awaited answer, that its message was not as expected.
pub(crate) async fn refuse(channel: &mut Channel) -> Result<(), CompareError> {
    send(channel, [0; TAG_BYTES], &[]).await
}

/// Receives the expected number of bytes after the expected tag. Any other message is read to its end, so that the channel remains usable.
pub(crate) async fn receive(
    channel: &mut Channel,
    tag: [u8; TAG_BYTES],
    length: usize,
) -> Result<Vec<u8>, CompareError> {
    let expected = head(tag, length)?;
    let mut other: Head = [0; TAG_BYTES];
    channel.receive_into(&mut other).await?;
    if other != expected {
        drain(channel, &other).await?;
        return Err(CompareError::Disagree { peer: channel.peer() });
    }
    let mut bytes = vec![0; length];
    channel.receive_into(&mut bytes).await?;
    Ok(bytes)
}

async fn drain(channel: &mut Channel, head: &Head) -> Result<(), CompareError> {
    let mut length = [0; LENGTH_BYTES];
    length.copy_from_slice(&head[TAG_BYTES - LENGTH_BYTES..]);
    let mut left = u32::from_le_bytes(length) as usize;
    while left > 0 {
        left -= channel.receive(left.min(DRAINED)).await?.len();
    }
    Ok(())
}

/// Receives the expected number of ciphertexts, and checks that each is below n and coprime to it.
pub(crate) async fn receive_ciphertexts(
    channel: &mut Channel,
    tag: [u8; TAG_BYTES],
    key: &PublicKey,
    count: usize,
) -> Result<Vec<Ciphertext>, CompareError> {
    let bytes = receive(channel, tag, count * key.ciphertext_bytes()).await?;
    key.decode(count, &bytes).map_err(|source| malformed(channel, "ciphertexts", source))
}

/// The error for an unusable message of the other server.
pub(crate) fn malformed(channel: &Channel, what: &'static str, source: HeError) -> CompareError {
    CompareError::Malformed { peer: channel.peer(), what, source }
}
