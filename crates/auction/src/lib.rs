//! Auctions with sealed maximum bids: two servers that do not collude hold bids that neither can read.
//!
//! A bidder splits its bid into a half for each server. [`Running`] is a server: it stores halves, and decides with the other server which
//! bids are accepted. After the deadline, or while manual bidders raise a live price, the servers find out price by price which bids are still in, by the
//! comparisons of `tacit-compare`. `docs/auctions.md` describes how to run it, who sees what, and what is not protected.
//!
//! | module | contents |
//! |---|---|
//! | `rule`, `live` | the winner and its price: for a ladder after the deadline, and for a live price |
//! | `raise` | raises that manual bidders sign |
//! | `ledger` | the state that follows from the log of decisions, the same at both servers |
//! | `store`, `vault` | the database, and the encryption of halves in it |
//! | `node` | the state that all parts of a server share |
//! | `link` | the protocol between both servers |
//! | `api` | the bidders' HTTP interface |
//! | [`client`], `manual`, [`page`](mod@page) | bidders: on the command line, sealed or manual, and in a browser |
//! | [`receipt`], `signing`, [`proof`] | the servers' signatures, and proofs made from them |
//! | `terms` | the terms on which both servers must agree |
//! | [`local`] | both servers on one machine |
//!
//! Security: semi-honest servers that do not collude; bidders may do anything. Halves that do not decode to bits pass with a probability of at
//! most 2^-40. A bid is accepted if and only if both servers have its halves on disk, even if either server crashes.
//!
//! ```no_run
//! use tacit_auction::local::{LocalPair, Sizes};
//! use tacit_auction::{Environment, Role, Running};
//!
//! # async fn example() -> Result<(), tacit_auction::AuctionError> {
//! let sizes = Sizes { bits: 32, modulus_bits: 2048, insecure: false, patience_s: 20 };
//! let pair = LocalPair::create("auction".as_ref(), sizes, "https://bid.example.org")?;
//! let a = Running::start(Role::A, pair.config(Role::A)?, Environment::default()).await?;
//! let b = Running::start(Role::B, pair.config(Role::B)?, Environment::default()).await?;
//! // Once both folders define the auction `vase`:
//! let receipt = pair.service()?.seal("vase", 730).await?;
//! println!("{}", pair.service()?.submit(&receipt).await?);
//! # Ok(())
//! # }
//! ```

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
mod kept;
mod ledger;
mod link;
mod live;
pub mod local;
mod manual;
mod metrics;
mod name;
mod node;
pub mod page;
pub mod proof;
mod raise;
pub mod receipt;
mod rule;
mod server;
mod signing;
mod steps;
mod store;
mod terms;
mod vault;

pub use cli::execute;
pub use clock::ClockSource;
pub use config::{Config, Role};
pub use definition::{Definition, Kind};
pub use error::AuctionError;
pub use live::{Event, Leader, live_in_the_clear};
pub use name::Name;
pub use page::Page;
pub use raise::Raise;
pub use rule::{Outcome, outcome_in_the_clear};
pub use server::{Environment, Running};
#[doc(hidden)]
pub use steps::{Step, Steps};
