//! Oblivious transfer: base OTs, their extension to correlated and random OTs, and chosen OTs from random ones.
//!
//! | module | what | from |
//! |---|---|---|
//! | [`endemic`] | a few random OTs by public-key cryptography | nothing |
//! | [`softspoken`] | any number of correlated OTs (`cot`) | 128 base OTs |
//! | [`ferret`] | the same with a fraction of the traffic, for large numbers | tens of thousands of correlated OTs |
//! | [`cot`] | correlated OTs by either extension | |
//! | [`cost`] | the cost of each extension, and the cheapest one | |
//! | [`rot`] | random OTs: independent random blocks | correlated OTs and a hash |
//! | [`chosen`] | chosen OTs: the sender's messages by the receiver's choices | random OTs |
//!
//! Security: semi-honest. Apart from the caller's slices, memory does not grow with the number of OTs.
//!
//! ```
//! use tacit_crypto::Prg;
//! use tacit_math::Block;
//! use tacit_net::{Options, StreamId, memory};
//! use tacit_ot::{rot, softspoken::Params};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (alice, bob) = memory::pair(Options::default());
//! let session = [7; 32]; // Agreed, and new for every session.
//! let sender = async {
//!     let mut channel = alice.open(StreamId(1))?;
//!     let mut ots = rot::Sender::setup(&mut channel, Params::K4, &session, &mut Prg::from_os()?).await?;
//!     let (mut zeros, mut ones) = (vec![Block::ZERO; 1000], vec![Block::ZERO; 1000]);
//!     ots.extend(&mut channel, &mut zeros, &mut ones).await?;
//!     Ok::<_, Box<dyn std::error::Error>>((zeros, ones))
//! };
//! let receiver = async {
//!     let mut channel = bob.open(StreamId(1))?;
//!     let mut ots = rot::Receiver::setup(&mut channel, Params::K4, &session, &mut Prg::from_os()?).await?;
//!     let mut blocks = vec![Block::ZERO; 1000];
//!     let choices = ots.extend(&mut channel, &mut blocks).await?;
//!     channel.flush().await?;
//!     Ok::<_, Box<dyn std::error::Error>>((choices, blocks))
//! };
//! let ((zeros, ones), (choices, blocks)) = tokio::try_join!(sender, receiver)?;
//! assert_eq!(blocks[0], if choices.get(0) { ones[0] } else { zeros[0] });
//! # Ok(())
//! # }
//! ```

pub mod chosen;
mod constants;
pub mod cost;
pub mod cot;
pub mod endemic;
mod error;
pub mod ferret;
pub mod rot;
pub mod softspoken;

pub use constants::LAYOUT;
pub use error::OtError;
