//! Garbling with half gates: the kernels that garble and evaluate layers of AND gates, and the free XOR.
//!
//! Source: Zahur, Rosulek, Evans, *Two halves make a whole*, EUROCRYPT 2015, figure 2, with the re-keyed hash
//! of Guo et al., CRYPTO 2020, in its circular form: H(k, x) = AES_k(x) ^ sigma(x), where sigma maps each
//! 64-bit half with the words h and l to one with the words h ^ l and h. Gate i hashes its left input under
//! the key S ^ 2i and its right one under S ^ (2i + 1). Differs: sigma is not applied to the input of AES,
//! which is equivalent to using the cipher AES(sigma^-1(x)); complemented inputs are free, since the garbler
//! swaps that wire's two labels.
//!
//! A wire of a circuit owns a slot of `labels`, and circuits run side by side in `width` lanes: the label of
//! slot s in lane l is `labels[s * width + l]`. The garbler holds the label of zero; that of one is its sum
//! with [`Delta`]. The evaluator holds the label of the wire's value. Both number gates in the same way
//! ([`Tweaks`]).
//!
//! Security: in the ideal-cipher model the hash is circular correlation robust: sums of hashes and delta
//! reveal nothing, although the evaluator knows every key. Labels, delta and colours are secret: no
//! branch or address depends on them. Slots, flips and tweaks are public. Under one start S no tweak may be
//! used twice, and delta is fresh for each garbled circuit.
//! Cost: 32 bytes for each AND; 4 AES calls for the garbler, 2 for the evaluator, and 2 key expansions for
//! each party.
//!
//! ```
//! use tacit_crypto::half_gates::{AndGates, Delta, TABLE_BYTES, Tweaks, evaluate, garble};
//! use tacit_math::Block;
//!
//! // Slot 2 is NOT slot 0 AND slot 1.
//! let gates = AndGates::new(&[0], &[1], &[2], &[1], 3)?;
//! let tweaks = Tweaks { start: Block(99), first_id: 0, lane_stride: 1 };
//! let delta = Delta::new(Block(0x1234_5678));
//! let mut zeros = [Block(1 << 64), Block(2 << 64), Block::ZERO];
//! let mut tables = [0; TABLE_BYTES];
//! garble(&mut zeros, 1, gates, &delta, tweaks, &mut tables)?;
//!
//! // The evaluator holds the labels of false and true.
//! let mut active = [zeros[0], delta.one(zeros[1]), Block::ZERO];
//! evaluate(&mut active, 1, gates, tweaks, &tables)?;
//! assert_eq!(active[2], delta.one(zeros[2]));
//! # Ok::<(), tacit_crypto::half_gates::ShapeError>(())
//! ```

mod gates;
#[cfg(test)]
pub(crate) mod layer;
pub(crate) mod portable;
#[cfg(test)]
mod tests;

pub use gates::{AndGates, Delta, ShapeError, TABLE_BYTES, Tweaks, XorGates};

use crate::Backend;
use crate::simd::dispatch;
pub(crate) use gates::{check_ands, check_gates, check_labels, check_tables};
use tacit_math::Block;

/// Garbles a layer: from the zero labels of the inputs to those of the outputs, and to the tables for the
/// evaluator, [`TABLE_BYTES`] each, ordered by gate and then by lane. Returns the number of ANDs that the
/// kernel counted.
///
/// No output of the layer may be one of its inputs; otherwise its label is unspecified.
///
/// # Errors
/// If the length of `labels` or `tables` does not fit slots, gates and `width` lanes, or a tweak is 2^63 or
/// more.
pub fn garble(
    labels: &mut [Block],
    width: usize,
    gates: AndGates<'_>,
    delta: &Delta,
    tweaks: Tweaks,
    tables: &mut [u8],
) -> Result<u64, ShapeError> {
    garble_on(Backend::best(), labels, width, gates, delta, tweaks, tables)
}

/// [`garble`] on the given backend.
///
/// # Errors
/// As [`garble`].
pub fn garble_on(
    backend: Backend,
    labels: &mut [Block],
    width: usize,
    gates: AndGates<'_>,
    delta: &Delta,
    tweaks: Tweaks,
    tables: &mut [u8],
) -> Result<u64, ShapeError> {
    check_ands(labels, width, gates, tweaks, tables)?;
    Ok(dispatch::garble(backend, labels, width, gates, delta, tweaks, tables))
}

/// Evaluates a layer: from the labels of the inputs' values and the garbler's tables to the labels of the
/// outputs' values. Flips concern only the garbler and are ignored here. Returns the number of ANDs that the
/// kernel counted.
///
/// No output of the layer may be one of its inputs; otherwise its label is unspecified.
///
/// # Errors
/// If the length of `labels` or `tables` does not fit slots, gates and `width` lanes, or a tweak is 2^63 or
/// more.
pub fn evaluate(
    labels: &mut [Block],
    width: usize,
    gates: AndGates<'_>,
    tweaks: Tweaks,
    tables: &[u8],
) -> Result<u64, ShapeError> {
    evaluate_on(Backend::best(), labels, width, gates, tweaks, tables)
}

/// [`evaluate`] on the given backend.
///
/// # Errors
/// As [`evaluate`].
pub fn evaluate_on(
    backend: Backend,
    labels: &mut [Block],
    width: usize,
    gates: AndGates<'_>,
    tweaks: Tweaks,
    tables: &[u8],
) -> Result<u64, ShapeError> {
    check_ands(labels, width, gates, tweaks, tables)?;
    Ok(dispatch::evaluate(backend, labels, width, gates, tweaks, tables))
}

/// Runs XOR gates in order, each over all lanes, for garbler and evaluator alike. An output may be an input
/// of the same or a later gate. Returns the number of XORs.
///
/// # Errors
/// If `labels` does not hold the gates' slots in `width` lanes.
pub fn xor(labels: &mut [Block], width: usize, gates: XorGates<'_>) -> Result<u64, ShapeError> {
    xor_on(Backend::best(), labels, width, gates)
}

/// [`xor`] on the given backend.
///
/// # Errors
/// As [`xor`].
pub fn xor_on(
    backend: Backend,
    labels: &mut [Block],
    width: usize,
    gates: XorGates<'_>,
) -> Result<u64, ShapeError> {
    check_labels(labels, width, gates.slots)?;
    Ok(dispatch::xor(backend, labels, width, gates))
}
