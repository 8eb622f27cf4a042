//! A computing party's links to those that don't compute: who has come, what each is to be sent, what each has given. What is sent and why, [`outside`](crate::outside) says.

pub(crate) mod message;
mod parties;
mod serve;

pub(crate) use parties::{Ended, OutsideIndex, OutsideParties};
pub(crate) use serve::{Receiving, receive};
