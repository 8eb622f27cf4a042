//! Both parties of a protocol that is chosen by name, with one interface for sessions, stores and tests.
//!
//! | | holder | data's owner |
//! |---|---|---|
//! | a run, setup | [`Holder::introduce_and_prepare`] | [`Owner::introduce_and_prepare`] |
//! | a run, online | [`HolderRun::evaluate`] | [`OwnerRun::evaluate`] |
//! | runs for a store | [`Holder::introduce`], then [`Holder::prepare_entry`] for each | [`Owner::introduce`], then [`Owner::prepare_entry`] for each |
//! | one of them, online | [`HolderRun::from_entry`], then [`HolderRun::evaluate`] | [`OwnerRun::from_entry`], then [`OwnerRun::evaluate`] |
//!
//! Security, costs and errors are those of the protocols.

mod holder;
mod owner;

pub use holder::{Holder, HolderRun};
pub use owner::{Owner, OwnerRun};
