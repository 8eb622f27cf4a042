//! Garbling with three halves: kernels that garble and evaluate layers of AND gates at three quarters of the bytes of
//! [`crate::half_gates`] and about one and a half times its computation. XOR stays free.
//!
//! Source: Rosulek, Roy, *Three halves make a whole? Beating the half-gates lower bound for garbled circuits*, CRYPTO
//! 2021 (ePrint 2021/749). Labels are sliced: A is its lower half A_L and its upper half A_R. Let A, B be labels of
//! colours i, j, and h a hash to 64 bits and one more, ĥ. The evaluator finds the halves of the output as
//!
//! ```text
//! C_L = h(A) ^ h(A^B) ^ i (G0 ^ B_L) ^ j G2         ^ x (A_L ^ A_R ^ B_L) ^ y (A_L ^ B_R)
//! C_R = h(B) ^ h(A^B) ^ i G2         ^ j (G1 ^ A_R) ^ x (A_L ^ B_R)       ^ y (A_R ^ B_L ^ B_R)
//! x   = ĥ(A) ^ ĥ(A^B) ^ z0 ^ i z1 ^ j z2            y = ĥ(B) ^ ĥ(A^B) ^ z3 ^ i z2 ^ j z4
//! ```
//!
//! from the gate's table, the 64-bit words G0, G2, G1, and its five control bits z0 to z4. The dice x, y of
//! different combinations of colours differ by functions of the gate's secrets; they are masked by hash
//! bits, so the evaluator sees only those of its own combination. With the colours p, q of the labels of
//! zero, the garbler draws x, y for i = j = 0 and uses x ^ i q ^ j (p ^ q) and y ^ i (p ^ q) ^ j p for the
//! others: uniform for every i, j, whatever p and q are (the paper's section 5; the linear equations are
//! those of sections 3 and 4).
//!
//! Differs: the gate is always an AND, since the garbler exchanges the labels of complemented inputs; so its
//! parity is public, and the public part of the dice is the two terms i B_L and j A_R. The garbler takes x, y
//! from hash bits of the two labels of A ^ B, one of which the evaluator has. h(k, X) is the lower half of
//! AES_k(X) ^ sigma(X) and ĥ its bit 64, under the keys S ^ 2g for A, S ^ (2g + 1) for B and S ^ (2g + 2^64)
//! for A ^ B of gate g, so that every key serves one gate and one of its three inputs.
//!
//! Security: assumes that h, ĥ is circular correlation robust for the linear functions of delta's halves (the paper's
//! definition 2): the hash of a label that the evaluator lacks hides any c delta_L ^ d delta_R. In the ideal-cipher model
//! it does, since sigma(delta)'s lower half stays uniform when such a sum is added: sigma and sigma + 1 are one to one on
//! each half. Labels, delta, colours and dice are secret: no branch or address depends on them. Slots, flips, tweaks,
//! tables and control bits are public. Under one start S no tweak may be used twice, not by half gates either, and delta
//! is fresh for each garbled circuit.
//! Cost: 24 bytes and 5 bits for each AND; 6 AES calls for the garbler, 3 for the evaluator, and 3 key
//! expansions for each party.
//!
//! ```
//! use tacit_crypto::half_gates::{AndGates, Delta, Tweaks};
//! use tacit_crypto::three_halves::{GATE_BYTES, evaluate, garble};
//! use tacit_math::Block;
//!
//! // Slot 2 is NOT slot 0 AND slot 1.
//! let gates = AndGates::new(&[0], &[1], &[2], &[1], 3)?;
//! let tweaks = Tweaks { start: Block(99), first_id: 0, lane_stride: 1 };
//! let delta = Delta::new(Block(0x1234_5678));
//! let mut zeros = [Block(1 << 64), Block(2 << 64), Block::ZERO];
//! let (mut tables, mut controls) = ([0; GATE_BYTES], [0]);
//! garble(&mut zeros, 1, gates, &delta, tweaks, &mut tables, &mut controls)?;
//!
//! // The evaluator holds the labels of false and true.
//! let mut active = [zeros[0], delta.one(zeros[1]), Block::ZERO];
//! evaluate(&mut active, 1, gates, tweaks, &tables, &controls)?;
//! assert_eq!(active[2], delta.one(zeros[2]));
//! # Ok::<(), tacit_crypto::half_gates::ShapeError>(())
//! ```

pub(crate) mod controls;
pub(crate) mod portable;
#[cfg(test)]
mod tests;

pub use controls::{CONTROL_BITS, pack_controls, unpack_controls};

use crate::Backend;
use crate::half_gates::{AndGates, Delta, ShapeError, Tweaks, check_gates, check_tables};
use crate::simd::dispatch;
use tacit_math::Block;

/// The size of an AND gate's table in bytes, without its control bits: G0, G2, G1, each least significant byte first.
pub const GATE_BYTES: usize = 24;

/// Bytes of the tables and packed control bits of `count` gates that are sent together.
pub const fn table_bytes(count: usize) -> usize {
    count * GATE_BYTES + (count * CONTROL_BITS).div_ceil(8)
}

/// Garbles a layer: from the zero labels of the inputs to those of the outputs and, ordered by gate and then
/// by lane, to [`GATE_BYTES`] of `tables` and one byte of `controls` for the evaluator, of which
/// [`pack_controls`] keeps the [`CONTROL_BITS`] in use. Returns the number of ANDs that the kernel counted.
///
/// No output of the layer may be one of its inputs; otherwise its label is unspecified.
///
/// # Errors
/// If the length of `labels`, `tables` or `controls` does not fit slots, gates and `width` lanes, or a tweak
/// is 2^63 or more.
pub fn garble(
    labels: &mut [Block],
    width: usize,
    gates: AndGates<'_>,
    delta: &Delta,
    tweaks: Tweaks,
    tables: &mut [u8],
    controls: &mut [u8],
) -> Result<u64, ShapeError> {
    garble_on(Backend::best(), labels, width, gates, delta, tweaks, tables, controls)
}

/// [`garble`] on the given backend.
///
/// # Errors
/// As [`garble`].
#[expect(clippy::too_many_arguments, reason = "those of garble")]
pub fn garble_on(
    backend: Backend,
    labels: &mut [Block],
    width: usize,
    gates: AndGates<'_>,
    delta: &Delta,
    tweaks: Tweaks,
    tables: &mut [u8],
    controls: &mut [u8],
) -> Result<u64, ShapeError> {
    check(labels, width, gates, tweaks, tables, controls)?;
    Ok(dispatch::garble_three_halves(backend, labels, width, gates, delta, tweaks, tables, controls))
}

/// Evaluates a layer: from the labels of the inputs' values and the garbler's `tables` and `controls` to the
/// labels of the outputs' values. Flips concern only the garbler and are ignored here. Returns the number of
/// ANDs that the kernel counted.
///
/// No output of the layer may be one of its inputs; otherwise its label is unspecified.
///
/// # Errors
/// If the length of `labels`, `tables` or `controls` does not fit slots, gates and `width` lanes, or a tweak
/// is 2^63 or more.
pub fn evaluate(
    labels: &mut [Block],
    width: usize,
    gates: AndGates<'_>,
    tweaks: Tweaks,
    tables: &[u8],
    controls: &[u8],
) -> Result<u64, ShapeError> {
    evaluate_on(Backend::best(), labels, width, gates, tweaks, tables, controls)
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
    controls: &[u8],
) -> Result<u64, ShapeError> {
    check(labels, width, gates, tweaks, tables, controls)?;
    Ok(dispatch::evaluate_three_halves(backend, labels, width, gates, tweaks, tables, controls))
}

/// Checks everything that a kernel relies on.
pub(crate) fn check(
    labels: &[Block],
    width: usize,
    gates: AndGates<'_>,
    tweaks: Tweaks,
    tables: &[u8],
    controls: &[u8],
) -> Result<(), ShapeError> {
    check_gates(labels, width, gates, tweaks)?;
    check_tables(gates, width, GATE_BYTES, tables.len())?;
    check_tables(gates, width, 1, controls.len())
}
