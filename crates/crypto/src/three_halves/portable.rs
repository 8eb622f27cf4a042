//! The kernels in plain safe Rust; all other kernels must give exactly the same results.

use super::GATE_BYTES;
use super::controls::{SPREAD, join};
use crate::aes::portable::{KEYS, encrypt_four, expand, slice_keys};
use crate::half_gates::portable::{Cell, cells, fill};
use crate::half_gates::{AndGates, Delta, Tweaks};
use crate::orthomorphism::sigma;
use tacit_math::Block;

/// How many ANDs share three key expansions.
const BATCH: usize = KEYS;

/// One block for each gate of a batch.
type Column = [Block; BATCH];

/// Lower and upper half of a block.
const LOWER: Block = Block(u64::MAX as u128);
const UPPER: Block = Block((u64::MAX as u128) << 64);
/// The lowest bit of each half.
const LOWEST: Block = Block(1 << 64 | 1);

/// The lower halves of two blocks.
fn lower(low: Block, high: Block) -> Block {
    (low & LOWER) ^ Block(high.0 << 64)
}

/// The upper halves of two blocks.
fn upper(low: Block, high: Block) -> Block {
    Block(low.0 >> 64) ^ (high & UPPER)
}

fn exchange(block: Block) -> Block {
    Block(block.0.rotate_left(64))
}

/// The terms that x and y add to an output, from its gate's two labels.
pub(super) fn dice(a: Block, b: Block) -> [Block; 2] {
    let across = a ^ exchange(b);
    [exchange(across) ^ (a & LOWER), across ^ (b & UPPER)]
}

/// One gate at the garbler: its labels a, b with colour zero, the colours of the labels of zero,
/// the hashes of a, b and a ^ b, and the sums of both hashes of each.
struct Garbled {
    labels: [Block; 2],
    colours: [bool; 2],
    hashes: [Block; 3],
    gaps: [Block; 3],
}

impl Garbled {
    /// The words G0, G2, the words G2, G1, the spread control bits and the label of zero.
    fn finish(&self, delta: Block) -> [Block; 4] {
        let [a, b] = self.labels;
        let [hash_a, hash_b, hash_sum] = self.hashes;
        let [gap_a, gap_b, gap_sum] = self.gaps;
        let [p, q] = self.colours.map(Block::mask);
        let (either, both) = (p ^ q, p & q);
        let (x, y) = (Block::mask(gap_sum.bit(65)), Block::mask(gap_sum.bit(66)));
        let [first, second] = dice(a, b);
        let ([first_delta, _], [_, second_delta]) = (dice(delta, Block::ZERO), dice(Block::ZERO, delta));
        let common = lower(gap_sum, gap_sum);
        let left = common ^ (q & first) ^ (either & second) ^ (x ^ q) & first_delta ^ (y ^ p) & delta;
        let right = common ^ (either & first) ^ (p & second) ^ (x ^ q) & delta ^ (y ^ p) & second_delta;
        let constant = upper(hash_a ^ hash_sum, hash_b ^ hash_sum) ^ lower(x, y);
        let by_a = upper(gap_a ^ gap_sum, gap_sum) ^ lower(q, either);
        let by_b = upper(gap_sum, gap_b ^ gap_sum) ^ lower(either, p);
        let controls = (constant & LOWEST).0 ^ (by_a & LOWEST).0 << 1 ^ (by_b & LOWEST).0 << 2;
        let output = lower(hash_a, hash_b) ^ lower(hash_sum, hash_sum) ^ (x & first) ^ (y & second);
        [
            left ^ (gap_a ^ b) & LOWER,
            right ^ lower(Block::ZERO, gap_b) ^ (a & UPPER),
            Block(controls),
            output ^ (both & delta),
        ]
    }
}

/// See [`super::garble`].
pub(crate) fn garble(
    labels: &mut [Block],
    width: usize,
    gates: AndGates<'_>,
    delta: &Delta,
    tweaks: Tweaks,
    tables: &mut [u8],
    controls: &mut [u8],
) -> u64 {
    let delta = delta.expose();
    let mut cells = cells(gates, width, tweaks);
    let mut batch = [Cell::default(); BATCH];
    let mut counted = 0;
    for (tables, controls) in tables.chunks_mut(BATCH * GATE_BYTES).zip(controls.chunks_mut(BATCH)) {
        let count = fill(&mut batch, &mut cells);
        let zero = |place: usize, flip: u8| labels[place] ^ (delta & Block::mask(flip & 1 == 1));
        let zeros =
            [batch.map(|cell| zero(cell.a, cell.flip)), batch.map(|cell| zero(cell.b, cell.flip >> 1))];
        let [a, b] = zeros.map(|column| column.map(|zero| zero ^ (delta & Block::mask(zero.lsb()))));
        let [hash_a, hash_b, hash_sum] = hash_all(tweaks.start, &batch, a, b, delta);
        for (i, (table, control)) in
            tables.as_chunks_mut::<GATE_BYTES>().0.iter_mut().zip(controls).take(count).enumerate()
        {
            let hashes = [hash_a, hash_b, hash_sum].map(|[zeros, ones]| (zeros[i], zeros[i] ^ ones[i]));
            let gate = Garbled {
                labels: [a[i], b[i]],
                colours: zeros.map(|column| column[i].lsb()),
                hashes: hashes.map(|(hash, _)| hash),
                gaps: hashes.map(|(_, gap)| gap),
            };
            let [left, right, spread, output] = gate.finish(delta);
            table[..16].copy_from_slice(&left.to_bytes());
            table[16..].copy_from_slice(&right.to_bytes()[8..]);
            *control = join(spread);
            labels[batch[i].out] = output;
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
    controls: &[u8],
) -> u64 {
    let mut cells = cells(gates, width, tweaks);
    let mut batch = [Cell::default(); BATCH];
    let mut counted = 0;
    for (tables, controls) in tables.chunks(BATCH * GATE_BYTES).zip(controls.chunks(BATCH)) {
        let count = fill(&mut batch, &mut cells);
        let (a, b) = (batch.map(|cell| labels[cell.a]), batch.map(|cell| labels[cell.b]));
        let [[hash_a], [hash_b], [hash_sum]] = [
            hash(tweaks.start, &batch, Input::A, [a]),
            hash(tweaks.start, &batch, Input::B, [b]),
            hash(tweaks.start, &batch, Input::Sum, [sums(&a, &b)]),
        ];
        let tables = tables.as_chunks::<GATE_BYTES>().0;
        for (i, (table, control)) in tables.iter().zip(controls).take(count).enumerate() {
            labels[batch[i].out] =
                combine([a[i], b[i]], [hash_a[i], hash_b[i], hash_sum[i]], table, *control);
        }
        counted += count as u64;
    }
    counted
}

/// The active label of a gate's output, from those of its inputs, their hashes, and the garbler's message.
fn combine([a, b]: [Block; 2], hashes: [Block; 3], table: &[u8; GATE_BYTES], control: u8) -> Block {
    let [hash_a, hash_b, hash_sum] = hashes;
    let word = |at: usize| u128::from_le_bytes(core::array::from_fn(|byte| table[at + byte]));
    let (left, right) = (Block(word(0)), Block(word(8)));
    let (i, j) = (Block::mask(a.lsb()), Block::mask(b.lsb()));
    let spread = SPREAD[usize::from(control & 0x1f)];
    let rolled = spread
        ^ (i & Block(spread.0 >> 1))
        ^ (j & Block(spread.0 >> 2))
        ^ upper(hash_a ^ hash_sum, hash_b ^ hash_sum);
    let (x, y) = (Block::mask(rolled.bit(0)), Block::mask(rolled.bit(64)));
    let [first, second] = dice(a, b);
    lower(hash_a, hash_b)
        ^ lower(hash_sum, hash_sum)
        ^ (i & (left ^ (b & LOWER)))
        ^ (j & (right ^ (a & UPPER)))
        ^ (x & first)
        ^ (y & second)
}

/// The input of a gate that is hashed.
#[derive(Clone, Copy)]
pub(super) enum Input {
    A,
    B,
    Sum,
}

impl Input {
    /// The tweak that is added to the start for this input of gate `id`.
    pub(super) fn tweak(self, id: u64) -> Block {
        let twice = u128::from(id) << 1;
        Block(match self {
            Input::A => twice,
            Input::B => twice | 1,
            Input::Sum => twice | 1 << 64,
        })
    }
}

fn sums(a: &Column, b: &Column) -> Column {
    core::array::from_fn(|i| a[i] ^ b[i])
}

/// The hashes of a, b and a ^ b, each of the given labels and of those plus delta.
fn hash_all(start: Block, batch: &[Cell; BATCH], a: Column, b: Column, delta: Block) -> [[Column; 2]; 3] {
    let both = |column: Column| [column, column.map(|label| label ^ delta)];
    [
        hash(start, batch, Input::A, both(a)),
        hash(start, batch, Input::B, both(b)),
        hash(start, batch, Input::Sum, both(sums(&a, &b))),
    ]
}

/// The hashes of one of the inputs of a batch's gates, N labels under each key.
fn hash<const N: usize>(
    start: Block,
    batch: &[Cell; BATCH],
    input: Input,
    labels: [Column; N],
) -> [Column; N] {
    let rounds = expand(&batch.map(|cell| start ^ input.tweak(cell.id)));
    let mut hashed = labels;
    for quad in 0..BATCH / 4 {
        let keys = slice_keys(&rounds, quad);
        for column in &mut hashed {
            let four: [Block; 4] = core::array::from_fn(|i| column[4 * quad + i]);
            let encrypted = encrypt_four(&keys, &four);
            for (i, cipher) in encrypted.into_iter().enumerate() {
                column[4 * quad + i] = cipher ^ sigma(four[i]);
            }
        }
    }
    hashed
}
