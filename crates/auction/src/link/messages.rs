//! Messages between the servers: a length, then the message.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tacit_net::{Channel, NetError};

use crate::AuctionError;
use crate::constants::MAX_MESSAGE_BYTES;
use crate::definition::Definition;
use crate::name::Name;

/// The end of a server's log.
#[derive(Serialize, Deserialize)]
pub(super) struct Position {
    pub sequence: u64,
    pub chain: [u8; 32],
}

/// A's questions about decisions.
#[derive(Serialize, Deserialize)]
pub(super) enum Question {
    /// Whether B has the same definition.
    Knows(Box<Definition>),
    /// Which of these halves B has, and promises to keep until A decides.
    Promise { auction: String, bids: Vec<Name> },
    /// Entries of the log, in order, encoded.
    Entries(Vec<Vec<u8>>),
    /// Whether the deadline has passed at B too.
    Passed { auction: String },
    /// Which halves wait at B for so long that the other half will not come.
    Lonely,
}

/// B's answers.
#[derive(Serialize, Deserialize)]
pub(super) enum Answer {
    Yes(bool),
    /// For each half.
    Promised(Vec<Promise>),
    Position(Position),
    Lonely(Vec<(String, Name)>),
}

/// B's answer about a half.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Promise {
    Kept,
    Missing,
    /// The deadline had passed when it arrived.
    Late,
}

/// A computation that A requests. B answers when it is ready.
#[derive(Serialize, Deserialize)]
pub(super) enum Task {
    /// Prepare this many pieces of randomness.
    Prepare { pieces: usize },
    /// Check whether the next bids of an auction decode to bits, once B's log has reached entry `sequence`.
    Check { auction: String, count: usize, sequence: u64 },
    /// Compare the next price of an auction with some of the bids that are in.
    Price { auction: String, index: usize, first: usize, count: usize, sequence: u64 },
}

impl Task {
    /// The entry that the log must have reached for the task.
    pub fn sequence(&self) -> u64 {
        match self {
            Task::Prepare { .. } => u64::MAX,
            Task::Check { sequence, .. } | Task::Price { sequence, .. } => *sequence,
        }
    }
}

/// Whether B takes part.
#[derive(Serialize, Deserialize)]
pub(super) enum Ready {
    Yes,
    /// Why not; A tries again.
    No(String),
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Fault(String);

/// The error for a message that violates the protocol.
pub(super) fn fault(channel: &Channel, what: impl Into<String>) -> AuctionError {
    NetError::message(channel.peer(), Fault(what.into())).into()
}

pub(super) async fn send(channel: &mut Channel, message: &impl Serialize) -> Result<(), AuctionError> {
    let bytes = postcard::to_stdvec(message).unwrap_or_default();
    channel.send(&(bytes.len() as u32).to_le_bytes()).await?;
    channel.send(&bytes).await?;
    Ok(channel.flush().await?)
}

pub(super) async fn receive<T: DeserializeOwned>(channel: &mut Channel) -> Result<T, AuctionError> {
    let mut length = [0; 4];
    channel.receive_into(&mut length).await?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_MESSAGE_BYTES {
        return Err(fault(
            channel,
            format!("a message of {length} bytes; at most {MAX_MESSAGE_BYTES} are expected"),
        ));
    }
    let mut bytes = vec![0; length];
    channel.receive_into(&mut bytes).await?;
    postcard::from_bytes(&bytes).map_err(|_| fault(channel, "a message that cannot be read"))
}

/// Asks and waits for the answer.
pub(super) async fn ask(channel: &mut Channel, question: &Question) -> Result<Answer, AuctionError> {
    send(channel, question).await?;
    receive(channel).await
}
