//! Private functions: one party, the holder P1, has a function; the other, the data's owner P2, has data. The owner learns the
//! result and the function's [`Size`]; the holder learns nothing. The holder may have inputs of its own.
//!
//! | module | what |
//! |---|---|
//! | [`PrivateFunction`] | a circuit as NAND gates and a wiring, padded to a public size |
//! | [`half_elgamal`] | the default protocol: 194 bytes per gate, and one function for many inputs |
//! | [`re_executable`] | the protocol of Biçer, Bingöl, Kiraz and Levi, for comparison |
//! | [`katz_malka`] | Katz and Malka's protocol, with ciphertexts of three encryption schemes, in four phases, two of which do not depend on the function
//! |
//! | [`universal`] | the function as the program of a universal circuit, which its holder garbles |
//! | [`parties`] | both parties of any of these protocols, by its name |
//! | [`Protocol`] | each protocol's name and exact cost, and functions in the form that it needs |
//! | [`prediction`] | the predicted time of a run on a link, and the fastest protocol |
//! | [`local`] | both parties in one process |
//!
//! Security: semi-honest. `docs/private-functions.md` has the protocol, what each party sees, and the proof.
//!
//! ```
//! use tacit_circuit::{CircuitBuilder, arithmetic};
//! use tacit_crypto::Prg;
//! use tacit_net::{Options, StreamId, memory};
//! use tacit_pfe::{InputOwner, PrivateFunction, half_elgamal};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut builder = CircuitBuilder::new();
//! let (limit, income) = (builder.input(4), builder.input(4));
//! let granted = arithmetic::less_unsigned(&mut builder, &limit, &income);
//! let circuit = builder.finish(vec![vec![granted]])?;
//! let owners = [InputOwner::Holder, InputOwner::Owner];
//! let function = PrivateFunction::from_circuit(&circuit, &owners, Some(100))?;
//! let size = *function.size();
//!
//! let (alice, bob) = memory::pair(Options::default());
//! let bits = |value: u8| (0..4).map(|i| value >> i & 1 == 1).collect::<Vec<_>>();
//! let holder = async {
//!     let (mut channel, mut prg) = (alice.open(StreamId(1))?, Prg::from_os()?);
//!     let mut holder = half_elgamal::Holder::new(function, &mut prg)?;
//!     let run = holder.introduce_and_prepare(&mut channel).await?;
//!     run.evaluate(&mut channel, &bits(7), &mut prg).await?;
//!     Ok::<_, Box<dyn std::error::Error>>(())
//! };
//! let owner = async {
//!     let (mut channel, mut prg) = (bob.open(StreamId(1))?, Prg::from_os()?);
//!     let mut owner = half_elgamal::Owner::new(size);
//!     let run = owner.introduce_and_prepare(&mut channel, &mut prg).await?;
//!     Ok(run.evaluate(&mut channel, &bits(9), &mut prg).await?)
//! };
//! let ((), result) = tokio::try_join!(holder, owner)?;
//! assert_eq!(result, [true]);
//! # Ok(())
//! # }
//! ```

mod bytes;
mod constants;
mod entry;
mod error;
mod evaluation;
mod function;
pub mod half_elgamal;
mod inputs;
pub mod katz_malka;
pub mod local;
mod multiplexer;
mod nand;
pub mod parties;
mod points;
pub mod prediction;
mod protocol;
pub mod re_executable;
mod reusable;
mod rows;
mod size;
pub mod universal;

pub use bytes::{Bytes, Rounds, Traffic};
pub use constants::LAYOUT;
pub use error::{FunctionError, PfeError};
pub use function::{InputOwner, PrivateFunction};
pub use protocol::{Function, Protocol};
pub use size::{MAX_WIRES, Size};
