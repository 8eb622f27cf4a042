//! Comparison with offline clients: two servers that do not collude compare sealed numbers, and learn nothing else.
//!
//! A client [`seal`]s its number into two [`Half`]s, sends one to each server and leaves. The [`Server`] has a key of the cryptosystem
//! of Damgård, Geisler and Krøigaard (DGK), and the [`Assistant`] computes on its ciphertexts. A batch of any number of comparisons
//! takes one message in each direction. [`Inputs`] are sealed numbers and public ones, private numbers of both servers, or pairs
//! of sealed numbers. Results are revealed to the server or stay shared ([`Results`]).
//!
//! | module | contents |
//! |---|---|
//! | `positions` | the mathematics: sums of which one is zero at the bit that decides |
//! | `server`, `assistant` | both ends of a comparison |
//! | `encrypted` | positions under encryption, where no number is public |
//! | `less` | comparison of private numbers into shared bits, in windows |
//! | `check` | the check that both halves of a submission decode to bits |
//! | `masked` | comparison of numbers whose difference is masked modulo any number |
//! | [`fischlin`] | Fischlin's protocol, a baseline |
//!
//! Source: Damgård, Geisler and Krøigaard, “Efficient and secure comparison for on-line auctions” (ACISP 2007) with its correction
//! (IJACT 1, 2009), as Geisler's report gives it in section 2.
//!
//! Security: semi-honest servers that do not collude, over channels that authenticate them; clients may do anything, once
//! [`Server::check`] has passed. The server sees ciphertexts whose plaintexts are uniform, except for at most one zero at a uniform place. The assistant
//! only sees ciphertexts, so security against it is that of DGK's cryptosystem. A decision is never wrong: parameters with which a sum could wrap
//! around to zero are refused. Each message begins with a digest of key, parameters, relation and prices, so that servers stop if
//! these differ.
//!
//! Cost: [`Cost`] is exact. Powers of h are made ahead ([`Server::prepare`], [`Assistant::prepare`]). Online, each ciphertext takes a
//! multiplication, a short power and a zero test. These block the calling thread: at 2048 bits for about
//! 0.1 ms for each bit of each comparison.
//!
//! ```
//! use tacit_compare::{Assistant, Cost, Form, Inputs, Parameters, Relation, Results, Server, seal};
//! use tacit_crypto::Prg;
//! use tacit_he::{Threads, dgk::ModulusSize};
//! use tacit_net::{Options, StreamId, memory};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # #[cfg(any())]
//! let parameters = Parameters::new(ModulusSize::LONG, 256, 16, Results::Revealed)?;
//! # let parameters = Parameters::insecure(ModulusSize::insecure(256)?, 48, 16, Results::Revealed)?;
//! let (a, b) = memory::pair(Options::default());
//! let (mut to_assistant, mut to_server) = (a.open(StreamId(1))?, b.open(StreamId(1))?);
//! let mut server = Server::generate(parameters, Threads::all())?;
//! let met = Assistant::meet(parameters, Threads::all(), &mut to_server);
//! let (sent, assistant) = tokio::join!(server.introduce(&mut to_assistant), met);
//! let mut assistant = assistant?;
//! sent?;
//! // A client seals its maximum; the price is 500.
//! let [one, other] = seal(&parameters, 720, &mut Prg::from_os()?)?;
//! let cost = Cost::compare(&parameters, Form::Prices, Relation::Greater, Results::Revealed, 1);
//! server.prepare(cost.server_randomness)?;
//! assistant.prepare(cost.assistant_randomness);
//! let at_server = Inputs::Prices { bids: &[one], prices: &[500] };
//! let at_assistant = Inputs::Prices { bids: &[other], prices: &[500] };
//! let (found, done) = tokio::join!(
//!     server.reveal(&mut to_assistant, Relation::Greater, at_server),
//!     assistant.reveal(&mut to_server, Relation::Greater, at_assistant)
//! );
//! done?;
//! assert_eq!(found?, [true]);
//! # Ok(())
//! # }
//! ```

mod assistant;
mod check;
mod constants;
mod cost;
mod encrypted;
mod error;
pub mod fischlin;
mod halves;
mod inputs;
mod job;
mod less;
mod masked;
mod parameters;
mod permute;
mod pool;
mod positions;
mod residues;
mod server;
mod wire;

pub use assistant::Assistant;
pub use constants::LESS_WINDOW;
pub use cost::Cost;
pub use error::CompareError;
pub use halves::{Half, open, seal};
pub use inputs::{Form, Inputs};
pub use parameters::{Parameters, Results};
pub use positions::Relation;
pub use server::Server;
