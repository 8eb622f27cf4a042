//! Universal circuits: a private function as the program of a public circuit, which its holder garbles.
//!
//! | | P1, the holder | P2, the data's owner |
//! |---|---|---|
//! | 1 | sends a name of the run, a start value of the hash, the size and the construction, which P2 compares with its own | |
//! | 2 | sends labels of its own input bits; transfers labels of P2's bits obliviously | |
//! | 3 | garbles switches and gates in the order of the walk, and sends each table when it is made | evaluates them as they arrive |
//! | 4 | sends the colours of the outputs' labels for 0 | reads its outputs |
//!
//! A switch is one AND of its control bit, which P1 knows, and the difference of its wires, which P2 evaluates: half a gate, one block. A universal gate
//! has a row for each pair of colours, each masked by hashes of both operands' labels under the row's own tweaks. The first row is left out.
//!
//! Source: Zahur, Rosulek and Evans, *Two Halves Make a Whole* (EUROCRYPT'15), for the half gate whose garbler knows an operand; Pinkas, Schneider, Smart and Williams
//! (ASIACRYPT'09), for leaving out a row; Kiss and Schneider (EUROCRYPT'16), for evaluating universal circuits by garbling them with
//! the program as P1's input. Differs: the bits that P1 knows have no labels and halve the table.
//!
//! Security: semi-honest. P2 sees one label of each wire, and tables that hide control bits and gates' tables under the hash (MITCCRH, circular
//! correlation robust, with a tweak for each use). P1 only sees P2's messages of the oblivious transfers. The hash's delta and P1's labels are wiped.
//! Cost: [`bytes`]; for each switch two AES calls and two key expansions at P1, one of each at P2; memory for the labels of poles, and one window of tables.

mod evaluator;
mod garbler;
mod holder;
mod owner;
pub(crate) mod size;
mod stream;

pub use holder::hold;
pub use owner::evaluate;
pub use size::{UniversalFunction, UniversalSize};
pub use tacit_universal::Construction;

use crate::bytes::{Bytes, Rounds, Traffic};

/// Bytes of a table of a switch.
pub(crate) const SWITCH: usize = 16;
/// Rows sent for a universal gate.
pub(crate) const ROWS: usize = 3;
/// Tweaks of a universal gate: two for each row.
pub(crate) const GATE_TWEAKS: u64 = 8;

/// Bytes that each party sends. Exact. All of them are sent once inputs are known.
pub fn bytes(size: &UniversalSize) -> Bytes {
    let (count, bits) = (size.circuit().count(), size.size());
    let tables = SWITCH as u64 * (count.exchanges + count.selections + ROWS as u64 * count.gates);
    let (holder, owner) = (bits.holder_inputs() as u64, bits.owner_inputs() as u64);
    let transfers = if owner > 0 { 32 + 64 * owner } else { 0 };
    let outputs = (bits.outputs() as u64).div_ceil(8);
    let sent = size::HEADER as u64 + 16 * holder + transfers + tables + outputs;
    Bytes { online: Traffic { holder: sent, owner: 64 * owner }, ..Bytes::default() }
}

/// Turns from sending to receiving at each party: one for the transfers of the owner's inputs. Exact.
pub fn rounds(size: &UniversalSize) -> Rounds {
    let transfers = u64::from(size.size().owner_inputs() > 0);
    Rounds { online: Traffic { holder: transfers, owner: transfers }, ..Rounds::default() }
}

#[cfg(test)]
mod tests;
