//! Shares of bits: the protocol of Goldreich, Micali and Wigderson, the domain `bool`.
//!
//! A bit is the exclusive or of one bit at each party. Many are packed, 64 to a word, wire after wire: bit b of lane l of a
//! bundle is at `b * lanes + l`. XOR is local, NOT is a flip at the first party, and an AND takes a triple of
//! [`crate::correlations`] and two bits each way. ANDs that share an operand take one OT together, and one bit for the shared
//! operand. Independent ANDs share one message: those of all lanes of all circuits that run side by side.
//!
//! [`run`] takes whole circuits, [`and`] single ANDs; [`all`] and [`conjunction`] join up to four operands at once,
//! which saves rounds if many wires are joined; [`select`] selects between words with one triple for each 128 bits.
//!
//! Source: Goldreich, Micali and Wigderson, *How to Play any Mental Game* (STOC'87), as in ABY (NDSS'15), §III-B.
//! Security: semi-honest; what a party sees of an AND is masked by bits of a triple that it does not know.

mod circuit;
pub(crate) mod conjunction;
mod layer;
mod opening;

pub use circuit::{BitOperand, BitRegion, BitTarget, message_bits, requirement, run, run_with};
pub(crate) use conjunction::{AndTree, level};
pub use conjunction::{MAX_OPERANDS, all, all_cost, conjunction};
pub(crate) use layer::Layer;
pub use opening::{constant, input, open, random};

use crate::ShareError;
use crate::end::End;
use crate::error::expect;
use tacit_circuit::MAX_GROUP;
use tacit_math::Bits;

/// Shares of the ANDs of shared bits, position by position.
///
/// Cost: an AND triple and two bits each way for each bit, all packed together; one round.
///
/// # Errors
/// [`ShareError::Shape`] if the lengths differ; [`ShareError::Exhausted`]; failures of the channel.
pub async fn and(end: &mut End, x: &Bits, y: &Bits) -> Result<Bits, ShareError> {
    let mut layer = Layer::default();
    layer.and(end, x, y)?;
    Ok(layer.open(end).await?.swap_remove(0))
}

/// Shares of words: the word of `x` in lanes whose condition is 1, else that of `y`. Both have `bits` wires, with as
/// many lanes as there are conditions.
///
/// Source: ABY (NDSS'15), §III-B2. Words wider than 128 bits take several triples.
/// Cost for 128 bits of a lane or a part of them: a triple with as many products, a bit and the part's bits each way; one
/// round.
///
/// # Errors
/// As [`and`].
pub async fn select(
    end: &mut End,
    condition: &Bits,
    x: &Bits,
    y: &Bits,
    bits: u32,
) -> Result<Bits, ShareError> {
    let lanes = condition.len();
    expect("wires to choose", x.len(), lanes * bits as usize)?;
    expect("wires to choose instead", y.len(), x.len())?;
    let mut difference = x.clone();
    difference ^= y;
    let wires: Vec<Bits> = (0..bits as usize).map(|i| difference.slice(i * lanes..(i + 1) * lanes)).collect();
    let mut layer = Layer::default();
    wires.chunks(MAX_GROUP).try_for_each(|part| layer.vector(end, condition, part))?;
    let mut chosen = Bits::default();
    layer.open(end).await?.iter().for_each(|product| chosen.extend_bits(product));
    chosen ^= y;
    Ok(chosen)
}
