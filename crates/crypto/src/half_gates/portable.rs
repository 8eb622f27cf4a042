//! The kernels in plain safe Rust; all other kernels must give exactly the same results.

use super::gates::{AndGates, Delta, TABLE_BYTES, Tweaks, XorGates};
use crate::aes::portable::{KEYS, encrypt_four, expand, slice_keys};
use crate::orthomorphism::sigma;
use tacit_math::Block;

/// ANDs that share a key expansion: each has two keys.
const BATCH: usize = KEYS / 2;

/// One AND gate in one lane: the indices of its labels and table, its tweak, its flip.
#[derive(Clone, Copy, Default)]
pub(crate) struct Cell {
    pub(crate) a: usize,
    pub(crate) b: usize,
    pub(crate) out: usize,
    pub(crate) id: u64,
    pub(crate) flip: u8,
}

/// All gates in all lanes, in the order of their tables.
pub(crate) fn cells(gates: AndGates<'_>, width: usize, tweaks: Tweaks) -> impl Iterator<Item = Cell> {
    (0..gates.len()).flat_map(move |gate| {
        (0..width).map(move |lane| Cell {
            a: gates.a[gate] as usize * width + lane,
            b: gates.b[gate] as usize * width + lane,
            out: gates.out[gate] as usize * width + lane,
            id: tweaks.id(gate, lane),
            flip: gates.flip[gate],
        })
    })
}

/// Fills a batch from the iterator; returns the number of cells.
pub(crate) fn fill(batch: &mut [Cell], cells: &mut impl Iterator<Item = Cell>) -> usize {
    batch.iter_mut().zip(cells).map(|(place, cell)| *place = cell).count()
}

/// See [`super::garble`].
pub(crate) fn garble(
    labels: &mut [Block],
    width: usize,
    gates: AndGates<'_>,
    delta: &Delta,
    tweaks: Tweaks,
    tables: &mut [u8],
) -> u64 {
    let delta = delta.expose();
    let mut cells = cells(gates, width, tweaks);
    let mut batch = [Cell::default(); BATCH];
    let mut counted = 0;
    for tables in tables.chunks_mut(BATCH * TABLE_BYTES) {
        let count = fill(&mut batch, &mut cells);
        let flip = |label: Block, flip: u8| label ^ (delta & Block::mask(flip & 1 == 1));
        let zeros: [[Block; 2]; BATCH] = core::array::from_fn(|i| {
            let cell = batch[i];
            [flip(labels[cell.a], cell.flip), flip(labels[cell.b], cell.flip >> 1)]
        });
        let ones = zeros.map(|pair| pair.map(|label| label ^ delta));
        let [hashed_zeros, hashed_ones] = hash(tweaks.start, &batch, [zeros, ones]);
        for (i, table) in tables.chunks_exact_mut(TABLE_BYTES).take(count).enumerate() {
            let [a, b] = zeros[i];
            let [left, right] = hashed_zeros[i];
            let [left_one, right_one] = hashed_ones[i];
            let garbler = left ^ left_one ^ (delta & Block::mask(b.lsb()));
            let evaluator = right ^ right_one ^ a;
            labels[batch[i].out] =
                left ^ (garbler & Block::mask(a.lsb())) ^ right ^ ((evaluator ^ a) & Block::mask(b.lsb()));
            table.copy_from_slice(Block::as_bytes(&[garbler, evaluator]));
        }
        counted += count as u64;
    }
    counted
}

/// See [`super::evaluate`].
pub(crate) fn evaluate(
    labels: &mut [Block],
    width: usize,
    gates: AndGates<'_>,
    tweaks: Tweaks,
    tables: &[u8],
) -> u64 {
    let mut cells = cells(gates, width, tweaks);
    let mut batch = [Cell::default(); BATCH];
    let mut counted = 0;
    for tables in tables.chunks(BATCH * TABLE_BYTES) {
        let count = fill(&mut batch, &mut cells);
        let active: [[Block; 2]; BATCH] = core::array::from_fn(|i| [labels[batch[i].a], labels[batch[i].b]]);
        let [hashed] = hash(tweaks.start, &batch, [active]);
        for (i, table) in tables.as_chunks::<16>().0.as_chunks::<2>().0.iter().take(count).enumerate() {
            let [a, b] = active[i];
            let [left, right] = hashed[i];
            let [garbler, evaluator] = table.map(Block::from_bytes);
            labels[batch[i].out] =
                left ^ (garbler & Block::mask(a.lsb())) ^ right ^ ((evaluator ^ a) & Block::mask(b.lsb()));
        }
        counted += count as u64;
    }
    counted
}

/// See [`super::xor`].
pub(crate) fn xor(labels: &mut [Block], width: usize, gates: XorGates<'_>) -> u64 {
    let mut counted = 0;
    for gate in 0..gates.len() {
        let [a, b, out] = [gates.a[gate], gates.b[gate], gates.out[gate]].map(|slot| slot as usize * width);
        for lane in 0..width {
            labels[out + lane] = labels[a + lane] ^ labels[b + lane];
            counted += 1;
        }
    }
    counted
}

/// The hashes of a batch's left and right labels, N labels under each key.
fn hash<const N: usize>(
    start: Block,
    batch: &[Cell; BATCH],
    inputs: [[[Block; 2]; BATCH]; N],
) -> [[[Block; 2]; BATCH]; N] {
    let tweak = |i: usize| Block(u128::from(batch[i / 2].id) << 1 | (i % 2) as u128);
    let rounds = expand(&core::array::from_fn(|i| start ^ tweak(i)));
    let mut hashed = inputs;
    for quad in 0..BATCH / 2 {
        let keys = slice_keys(&rounds, quad);
        for (pairs, inputs) in hashed.iter_mut().zip(&inputs) {
            let [[a, b], [c, d]] = [inputs[2 * quad], inputs[2 * quad + 1]];
            let [e, f, g, h] = encrypt_four(&keys, &[a, b, c, d]);
            pairs[2 * quad] = [sigma(a) ^ e, sigma(b) ^ f];
            pairs[2 * quad + 1] = [sigma(c) ^ g, sigma(d) ^ h];
        }
    }
    hashed
}
