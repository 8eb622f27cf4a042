//! Messages that both parties send at the same time.

use crate::error::ShareError;
use tacit_math::Bits;
use tacit_net::Channel;

/// Sends `own` and receives as many bits from the peer, which does the same.
///
/// Cost: a byte for 8 bits each way; one round.
///
/// # Errors
/// [`ShareError::Padding`] for bits past the end; failures of the channel.
pub(crate) async fn exchange(channel: &mut Channel, own: &Bits) -> Result<Bits, ShareError> {
    exchange_lengths(channel, own, own.len()).await
}

/// Sends `own` and receives `count` bits from the peer.
///
/// Cost and errors: as for [`exchange`].
pub(crate) async fn exchange_lengths(
    channel: &mut Channel,
    own: &Bits,
    count: usize,
) -> Result<Bits, ShareError> {
    let (sent, mut received) = (own.to_bytes(), vec![0; count.div_ceil(8)]);
    channel.exchange(&sent, &mut received).await?;
    unpad(&received, count)
}

/// Sends bits, which the peer receives with [`receive`].
pub(crate) async fn send(channel: &mut Channel, bits: &Bits) -> Result<(), ShareError> {
    channel.send(&bits.to_bytes()).await?;
    Ok(channel.flush().await?)
}

/// Receives `count` bits.
///
/// # Errors
/// [`ShareError::Padding`] for bits past the end; failures of the channel.
pub(crate) async fn receive(channel: &mut Channel, count: usize) -> Result<Bits, ShareError> {
    let mut bytes = vec![0; count.div_ceil(8)];
    channel.receive_into(&mut bytes).await?;
    unpad(&bytes, count)
}

fn unpad(bytes: &[u8], count: usize) -> Result<Bits, ShareError> {
    Bits::from_bytes(bytes, count).map_err(|_| ShareError::Padding { what: "bits", count: count as u64 })
}
