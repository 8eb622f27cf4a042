//! Messages between a computing party and one outside: a length of four bytes, and the message in postcard's encoding.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tacit_net::{Channel, NetError, StreamId};
use zeroize::Zeroizing;

use crate::error::{OutsideError, RunError, UsageError};

/// The stream of these messages, both ways.
pub(crate) const STREAM: StreamId = StreamId(23);

/// The longest message.
pub(crate) const MAX_BYTES: usize = 1 << 26;

/// What an input or a result is, the same at all parties.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Description {
    /// Its name.
    pub name: String,
    /// What its elements stand for, as the front end says.
    pub kind: String,
    /// Its shape.
    pub shape: Vec<u64>,
    /// How many elements it has.
    pub length: usize,
}

/// A run of a program in which a party speaks for roles.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RunDescription {
    /// The name of the program, and the hash that it has everywhere.
    pub program: (String, [u8; 32]),
    /// The party's roles, in the program's order.
    pub roles: Vec<String>,
}

/// A message of a computing party. `number` tells inputs and results apart.
#[derive(Serialize, Deserialize)]
pub(crate) enum FromComputing {
    /// The first: in which computation it is.
    Computation([u8; 32]),
    /// The first, to a party that comes again.
    Again,
    /// An input is asked for; with this party's shares of the mask.
    Asked { number: u64, what: Description, shares: Zeroizing<Vec<u8>> },
    /// Whether an input that was asked for has been taken.
    Taken { number: u64, taken: bool },
    /// A result plus a mask, and this party's shares of the mask.
    Told { number: u64, what: Description, shares: Zeroizing<Vec<u8>>, masked: Zeroizing<Vec<u8>> },
    /// A program runs in which the party speaks for roles: it is to give its pieces.
    Runs { number: u64, run: RunDescription },
    /// Results of the run under masks.
    Computed { number: u64, masked: Zeroizing<Vec<u8>> },
    /// The computation goes on.
    Waiting,
    /// The computation has ended well.
    Over,
}

/// A message of an outside party.
#[derive(Serialize, Deserialize)]
pub(crate) enum FromOutside {
    /// An input or pieces of inputs to a run.
    Given(Given),
    /// The last: it has read that the computation is over.
    Over,
}

/// An input less its mask, or pieces of inputs to a run.
#[derive(Serialize, Deserialize)]
pub(crate) struct Given {
    pub number: u64,
    pub masked: Zeroizing<Vec<u8>>,
}

/// A message as bytes.
///
/// Errors: it is longer than any may be.
pub(crate) fn encode<M: Serialize>(message: &M) -> Result<Zeroizing<Vec<u8>>, RunError> {
    let bytes = postcard::to_stdvec(message).map(Zeroizing::new).map_err(RunError::Encoding)?;
    match bytes.len() {
        ..=MAX_BYTES => Ok(bytes),
        length => Err(UsageError::Length { length, limit: MAX_BYTES }.into()),
    }
}

/// Sends an encoded message; it leaves with the next flush.
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
