//! Sealed maximum bids as a service: two servers that do not collude hold bids that neither can read.

mod api;
mod cli;
pub mod client;
mod clock;
mod config;
mod constants;
mod definition;
mod definitions;
mod demo;
mod error;
mod ledger;
mod link;
pub mod local;
mod metrics;
mod name;
mod node;
pub mod page;
mod rule;
mod server;
mod steps;
mod store;
mod vault;

pub use cli::execute;
pub use clock::ClockSource;
pub use config::{Config, Role};
pub use definition::Definition;
pub use error::AuctionError;
pub use name::Name;
pub use page::Page;
pub use rule::{Outcome, outcome_in_the_clear};
pub use server::{Environment, Running};
#[doc(hidden)]
pub use steps::{Step, Steps};
