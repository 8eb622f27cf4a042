//! Messages between a computing party and an outside party: a length of four bytes, and the message in postcard's
//! encoding.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tacit_net::{Channel, NetError, StreamId};
use zeroize::Zeroizing;

use crate::error::{OutsideError, RunError, UsageError};

/// The stream of these messages, both ways.
pub(crate) const STREAM: StreamId = StreamId(23);

/// The maximum length of a message.
pub(crate) const MAX_BYTES: usize = 1 << 26;

/// The description of an input or a result, the same at all parties.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Description {
    /// Its name.
    pub name: String,
    /// The meaning of its elements, defined by the front end.
    pub kind: String,
    /// Its shape.
    pub shape: Vec<u64>,
    /// The number of elements.
    pub length: usize,
}

/// A run of a program in which an outside party has roles.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RunDescription {
    /// The name of the program, and its hash, which is the same at all parties.
    pub program: (String, [u8; 32]),
    /// The party's roles, in the program's order.
    pub roles: Vec<String>,
}

/// A message of a computing party. `number` identifies the input or result.
#[derive(Serialize, Deserialize)]
pub(crate) enum FromComputing {
    /// The first message: the identity of the computation.
    Computation([u8; 32]),
    /// The first message to a party that comes again.
    Again,
    /// Asks for an input; with this party's shares of the mask.
    Asked { number: u64, what: Description, shares: Zeroizing<Vec<u8>> },
    /// Whether a requested input has been taken.
    Taken { number: u64, taken: bool },
    /// A result plus a mask, and this party's shares of the mask.
    Told { number: u64, what: Description, shares: Zeroizing<Vec<u8>>, masked: Zeroizing<Vec<u8>> },
    /// A program runs in which the outside party has roles: asks for its pieces; or, with this party's shares of masks, for its masked inputs.
    Runs { number: u64, run: RunDescription, shares: Zeroizing<Vec<u8>> },
    /// Masked results of the run.
    Computed { number: u64, masked: Zeroizing<Vec<u8>> },
    /// The computation continues.
    Waiting,
    /// The computation has ended normally.
    Over,
}

/// A message of an outside party.
#[derive(Serialize, Deserialize)]
pub(crate) enum FromOutside {
    /// An input, or pieces of inputs to a run, or all of these under masks.
    Given(Given),
    /// The last message: it has read that the computation is over.
    Over,
}

/// An input less its mask, or pieces of inputs to a run, or all of these under masks.
#[derive(Serialize, Deserialize)]
pub(crate) struct Given {
    pub number: u64,
    pub masked: Zeroizing<Vec<u8>>,
}

/// A message as bytes.
///
/// Errors: it is too long.
pub(crate) fn encode<M: Serialize>(message: &M) -> Result<Zeroizing<Vec<u8>>, RunError> {
    let bytes = postcard::to_stdvec(message).map(Zeroizing::new).map_err(RunError::Encoding)?;
    match bytes.len() {
        ..=MAX_BYTES => Ok(bytes),
        length => Err(UsageError::Length { length, limit: MAX_BYTES }.into()),
    }
}

/// Sends an encoded message, with the next flush.
pub(crate) async fn send(channel: &mut Channel, bytes: &[u8]) -> Result<(), NetError> {
    channel.send(&(bytes.len() as u32).to_le_bytes()).await?;
    channel.send(bytes).await
}

/// The next message, of at most `limit` bytes.
///
/// Errors: the link fails, or the peer sends something else.
pub(crate) async fn receive<M: DeserializeOwned>(channel: &mut Channel, limit: usize) -> Result<M, RunError> {
    let wrong = |channel: &Channel, error| RunError::Outside { peer: channel.peer(), error };
    let mut length = [0; 4];
    channel.receive_into(&mut length).await?;
    let length = u32::from_le_bytes(length) as usize;
    if length > limit {
        return Err(wrong(channel, OutsideError::Long { length, limit }));
    }
    let mut bytes = Zeroizing::new(vec![0; length]);
    channel.receive_into(&mut bytes).await?;
    postcard::from_bytes(&bytes).map_err(|_| wrong(channel, OutsideError::Unreadable))
}
