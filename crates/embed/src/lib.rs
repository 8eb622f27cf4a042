//! Compiled functions within a larger program.
//!
//! `tacit compile f.c --emit netlist -o f.netlist` writes a function to a file, which a [`Function`] loads. A
//! [`Party`] is this program's identity and how it meets the others, from a session file and a key. A
//! [`Connection`] runs functions with the peer, one after the other, with inputs and outputs by name.
//!
//! ```no_run
//! use tacit_embed::{Connection, Function, Inputs, Party};
//!
//! # fn main() -> Result<(), tacit_embed::EmbedError> {
//! let function = Function::load("millionaires.netlist".as_ref())?;
//! let alice = Party::load("session.toml".as_ref(), "alice", "alice.key".as_ref())?;
//! let mut connection = Connection::open(&alice)?;
//! let outputs = connection.run(&function, &Inputs::new().with("mil", 42)?)?;
//! let richer: u8 = outputs.get("richer")?;
//! connection.close()?;
//! # Ok(())
//! # }
//! ```
//!
//! The crate `capi` is a C library on top of this one.

mod connection;
mod error;
mod function;
mod party;
mod values;

pub use connection::Connection;
pub use error::EmbedError;
pub use function::Function;
pub use party::Party;
pub use values::{Inputs, Outputs};
