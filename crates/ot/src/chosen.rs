//! Chosen OT from random OT: the receiver corrects its random choices, the sender masks its messages accordingly.
//!
//! Source: Beaver, *Precomputing Oblivious Transfer* (CRYPTO'95).
//! Security: that of the random OTs, each of which is used once.
//! Cost: one round and, for each OT, one bit from receiver to sender and 32 bytes back, beside that of [`crate::rot`].

use crate::error::OtError;
use crate::rot;
use tacit_math::{Bits, Block};
use tacit_net::Channel;
use zeroize::Zeroizing;

/// OTs between two turns from sending to receiving; their messages stay within a channel's credit.
pub const WINDOW: usize = 1 << 15;

/// Sends, for each OT i, `zeros[i]` or `ones[i]` as the receiver chooses. Both are secret; the receiver does not learn the one
/// that it does not choose.
///
/// Cost for each OT: 4.0 bytes received with k = 4, and 32 bytes sent; a round for every [`WINDOW`] OTs.
///
/// # Errors
/// [`OtError::Shape`] if the slices differ in length, [`OtError::Malformed`] for corrections with nonzero padding;
/// those of [`rot::Sender::extend`].
pub async fn send(
    channel: &mut Channel,
    ots: &mut rot::Sender,
    zeros: &[Block],
    ones: &[Block],
) -> Result<(), OtError> {
    if zeros.len() != ones.len() {
        return Err(OtError::Shape { what: "second messages", given: ones.len(), expected: zeros.len() });
    }
    for (zeros, ones) in zeros.chunks(WINDOW).zip(ones.chunks(WINDOW)) {
        let mut masks = Zeroizing::new([vec![Block::ZERO; zeros.len()], vec![Block::ZERO; zeros.len()]]);
        let [first, second] = &mut *masks;
        ots.extend(channel, first, second).await?;
        let corrections = receive_bits(channel, zeros.len()).await?;
        let messages = zeros.iter().zip(ones).zip(masks[0].iter().zip(&masks[1]));
        for (((&zero, &one), (&first, &second)), flip) in messages.zip(corrections.iter()) {
            let swap = (first ^ second) & Block::mask(flip);
            channel.send(Block::as_bytes(&[zero ^ first ^ swap, one ^ second ^ swap])).await?;
        }
        channel.flush().await?;
    }
    Ok(())
}

/// Fills `out` with the messages that `choices` select. Choices and messages are secret.
///
/// Cost: see [`send`].
///
/// # Errors
/// [`OtError::Shape`] if there are not as many choices as messages; those of [`rot::Receiver::extend`].
pub async fn receive(
    channel: &mut Channel,
    ots: &mut rot::Receiver,
    choices: &Bits,
    out: &mut [Block],
) -> Result<(), OtError> {
    if choices.len() != out.len() {
        return Err(OtError::Shape { what: "choices", given: choices.len(), expected: out.len() });
    }
    for (window, out) in out.chunks_mut(WINDOW).enumerate() {
        let choices = choices.slice(window * WINDOW..window * WINDOW + out.len());
        let mut corrections = ots.extend(channel, out).await?;
        corrections ^= &choices;
        channel.send(&corrections.to_bytes()).await?;
        for (mask, choice) in out.iter_mut().zip(choices.iter()) {
            let mut pair = [Block::ZERO; 2];
            channel.receive_into(Block::as_bytes_mut(&mut pair)).await?;
            *mask ^= pair[0] ^ ((pair[0] ^ pair[1]) & Block::mask(choice));
        }
    }
    Ok(())
}

/// Receives `count` bits, packed; bits past the last must be zero.
///
/// # Errors
/// [`OtError::Malformed`] if they are not; failures of the channel.
pub async fn receive_bits(channel: &mut Channel, count: usize) -> Result<Bits, OtError> {
    let mut bytes = vec![0; count.div_ceil(8)];
    channel.receive_into(&mut bytes).await?;
    Bits::from_bytes(&bytes, count).map_err(|_| OtError::Malformed("padding of packed bits"))
}
