//! Two-party protocols over shared values.
//!
//! | module | domain | a value is |
//! |---|---|---|
//! | [`yao`] | `yao` | a label for each bit: garbled circuits with half gates |
//! | [`gmw`] | `bool` | the exclusive or of one share at each party |
//! | [`arith`] | `arith` | the sum, modulo 2^bits, of one share at each party |
//! | [`he`] | `he` | a ciphertext at the first party, under the second one's key |
//!
//! [`domains`] handles the steps of a schedule in each domain; [`convert`] converts values from one domain to another; [`batch`] puts operations of one layer into one message; [`correlations`] is the material that setup makes; [`transfers`] are
//! all OTs between the parties; and [`End`] is one party's end of everything except garbling. Only the named recipients learn an output. Semi-honest parties, static corruption.
//!
//! ```
//! use tacit_circuit::{CircuitBuilder, Executable, Target as Form, arithmetic};
//! use tacit_crypto::Prg;
//! use tacit_math::{Bits, Block};
//! use tacit_net::{Options, StreamId, memory};
//! use tacit_ot::{rot, softspoken::Params};
//! use tacit_twoparty::yao::{LabelOperand, RevealTo, Region, Side, LabelTarget, YaoError, streamed};
//!
//! /// Adds two bytes of which the two sides hold labels.
//! async fn add(side: &mut impl Side, sum: &Executable, a: &[Block], b: &[Block]) -> Result<Option<Bits>, YaoError> {
//!     let region = Region { circuit: sum, instances: 1, first_id: 0 };
//!     let operand = |labels| LabelOperand { labels, bits: 8, share: 1 };
//!     let mut c = [Block::ZERO; 8];
//!     side.circuit(region, &[operand(a), operand(b)], &mut [LabelTarget { labels: &mut c, bits: 8 }]).await?;
//!     side.reveal(RevealTo::Evaluator, &c).await
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut builder = CircuitBuilder::new();
//! let (a, b) = (builder.input(8), builder.input(8));
//! let sum = arithmetic::add(&mut builder, &a, &b);
//! let sum = Executable::new(&builder.finish(vec![sum])?, Form::Flat);
//! let byte = |value: u8| Bits::from_fn(8, |i| value >> i & 1 == 1);
//!
//! let (alice, bob) = memory::pair(Options::default());
//! let session = [7; 32]; // Agreed, and unique for every session.
//! let garbler = async {
//!     let (mut channel, mut prg) = (alice.open(StreamId(1))?, Prg::from_os()?);
//!     let ots = rot::Sender::setup(&mut channel, Params::K4, &session, &mut prg).await?;
//!     let mut side = streamed::Garbler::start(channel, ots, prg).await?;
//!     let (mut a, mut b) = ([Block::ZERO; 8], [Block::ZERO; 8]);
//!     side.own_input(&byte(200), &mut a).await?;
//!     side.peer_input(&mut b).await?;
//!     assert!(add(&mut side, &sum, &a, &b).await?.is_none());
//!     side.flush().await?;
//!     Ok::<_, Box<dyn std::error::Error>>(())
//! };
//! let evaluator = async {
//!     let (mut channel, mut prg) = (bob.open(StreamId(1))?, Prg::from_os()?);
//!     let ots = rot::Receiver::setup(&mut channel, Params::K4, &session, &mut prg).await?;
//!     let mut side = streamed::Evaluator::start(channel, ots).await?;
//!     let (mut a, mut b) = ([Block::ZERO; 8], [Block::ZERO; 8]);
//!     side.peer_input(&mut a).await?;
//!     side.own_input(&byte(50), &mut b).await?;
//!     let value = add(&mut side, &sum, &a, &b).await?;
//!     assert_eq!(value, Some(byte(250)));
//!     Ok::<_, Box<dyn std::error::Error>>(())
//! };
//! tokio::try_join!(garbler, evaluator)?;
//! # Ok(())
//! # }
//! ```

pub mod arith;
pub mod batch;
pub mod bits;
mod constants;
pub mod convert;
pub mod correlations;
mod cost;
mod counted_channel;
mod dialogue;
pub mod domains;
mod end;
mod error;
mod exchange;
pub mod garbling;
pub mod gmw;
pub mod half_gates;
pub mod he;
pub mod lattice_keys;
mod masked;
mod pack;
mod party;
mod stored;
pub mod transfers;
pub mod wires;
pub mod yao;

pub use constants::LAYOUT;
pub use cost::Cost;
pub use counted_channel::{CountedChannel, CountedOts};
pub use dialogue::Dialogue;
pub use end::{End, SeedOffer};
pub use error::ShareError;
pub use pack::mask;
pub use party::Party;
pub use stored::StoredFault;
