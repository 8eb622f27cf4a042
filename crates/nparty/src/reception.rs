//! A computing party's links to outside parties: who has come, the messages for each, and the inputs of each. [`outside`](crate::outside) decides what is sent.

pub(crate) mod message;
mod parties;
mod serve;

pub(crate) use parties::{Ended, OutsideIndex, OutsideParties};
pub(crate) use serve::{Receiving, receive};
