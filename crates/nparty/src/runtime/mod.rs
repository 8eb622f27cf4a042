//! The runtime: the operations of any number of tasks run as their operands arrive.

mod agree;
mod agreements;
mod awaited_bytes;

pub(crate) mod cause;
mod dealings;
mod dealt_blocks;
pub(crate) mod epochs;
mod exchange;
pub(crate) mod forecast;
mod handed;
mod history;
pub(crate) mod identity;
mod inbox;
mod incoming_message;
mod inputs;
pub(crate) mod keys;
pub(crate) mod mesh;
#[cfg(test)]
pub(crate) mod opening_recorder;
mod openings;
pub(crate) mod operation;
mod pending_exchange;
mod pieces;
mod reactor;
pub(crate) mod reactors;
mod receive;
#[cfg(test)]
mod reuse;
pub(crate) mod security;
pub(crate) mod shared;
#[cfg(test)]
pub(crate) mod simulation;
mod spare;
mod synchronise;
mod tasks;
pub(crate) mod traffic;
mod used_messages;
pub(crate) mod value;
pub(crate) mod verification;
mod verify;
pub(crate) mod wire;

pub use forecast::Prediction;
pub use identity::{CallSite, TaskId};
pub use security::LEAST_STATISTICAL_BITS;
pub use traffic::PeerTraffic;
