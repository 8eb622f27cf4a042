//! Three halves: as half gates ([`super::garbling`]), with a third hash for each gate, halves of labels, and
//! control bits.

use super::garbling::{flips, gate_keys, inputs, start_words, store};
use super::hash::encrypt_some;
use super::walk::{Batch, Work, walk};
use super::{Quad, Wide, xor_quads};
use crate::half_gates::{AndGates, Delta, Tweaks};
use crate::three_halves::controls::{SPREAD, join};
use crate::three_halves::{GATE_BYTES, check};
use tacit_math::Block;

/// The most blocks in a register.
const MOST_BLOCKS: usize = 4;

/// See [`crate::three_halves::garble`]. G is [`Wide::GATES`].
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
pub(crate) unsafe fn garble<V: Wide, const G: usize>(
    labels: &mut [Block],
    width: usize,
    gates: AndGates<'_>,
    delta: &Delta,
    tweaks: Tweaks,
    tables: &mut [u8],
    controls: &mut [u8],
) -> u64 {
    assert_eq!(check(labels, width, gates, tweaks, tables, controls), Ok(()), "the caller checked this");
    // SAFETY: the caller vouches for the processor, and the lengths were checked.
    unsafe {
        let (delta, zero) = (V::splat(delta.expose()), V::splat(Block::ZERO));
        let both = Both::new(tweaks.start);
        let garbling = Garbling {
            labels: labels.as_mut_ptr(),
            tables: tables.as_mut_ptr(),
            controls: controls.as_mut_ptr(),
            delta,
            delta_sigma: delta.sigma(),
            first_delta: both.dice(delta, zero)[0],
            second_delta: both.dice(zero, delta)[1],
            both,
        };
        walk::<V, G>(gates, width, tweaks, &garbling)
    }
}

/// See [`crate::three_halves::evaluate`]. G is [`Wide::GATES`].
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
pub(crate) unsafe fn evaluate<V: Wide, const G: usize>(
    labels: &mut [Block],
    width: usize,
    gates: AndGates<'_>,
    tweaks: Tweaks,
    tables: &[u8],
    controls: &[u8],
) -> u64 {
    assert_eq!(check(labels, width, gates, tweaks, tables, controls), Ok(()), "the caller checked this");
    // SAFETY: the caller vouches for the processor, and the lengths were checked.
    unsafe {
        let evaluation = Evaluation::<V> {
            labels: labels.as_mut_ptr(),
            tables: tables.as_ptr(),
            controls: controls.as_ptr(),
            both: Both::new(tweaks.start),
        };
        walk::<V, G>(gates, width, tweaks, &evaluation)
    }
}

/// The state that garbling and evaluating share.
struct Both<V> {
    /// Starts of the keys of inputs, and of those of their sums.
    start: Quad<V>,
    sum_start: Quad<V>,
    /// All ones in the lower, and in the upper half of each lane.
    lower: V,
    upper: V,
}

impl<V: Wide> Both<V> {
    #[inline(always)]
    unsafe fn new(start: Block) -> Both<V> {
        let (lower, upper) = (Block(u128::from(u64::MAX)), Block(u128::from(u64::MAX) << 64));
        // SAFETY: the caller vouches for the processor.
        unsafe {
            Both {
                start: start_words(start),
                sum_start: start_words(start ^ Block(1 << 64)),
                lower: V::splat(lower),
                upper: V::splat(upper),
            }
        }
    }

    /// The terms that the two dice add to an output, from its gate's two labels.
    #[inline(always)]
    unsafe fn dice(&self, a: V, b: V) -> [V; 2] {
        // SAFETY: the caller vouches for the processor.
        unsafe {
            let across = a.xor(b.swap_halves());
            [across.swap_halves().xor(a.and(self.lower)), across.xor(b.and(self.upper))]
        }
    }

    /// The encryptions of N sets of inputs and of their sums, for both halves of a batch.
    #[inline(always)]
    unsafe fn encrypt<const N: usize>(
        &self,
        ids: V,
        inputs: [Quad<V>; N],
        sums: [[V; 2]; N],
    ) -> ([Quad<V>; N], [[V; 2]; N]) {
        // SAFETY: the caller vouches for the processor.
        unsafe {
            let ciphers = encrypt_some(gate_keys(self.start, ids), inputs, [0, 1, 2, 3]);
            // The keys of the right inputs' tweaks are not used for sums.
            (ciphers, encrypt_some(gate_keys(self.sum_start, ids), sums, [0, 2]))
        }
    }
}

/// The sums of the two inputs of each gate.
#[inline(always)]
unsafe fn sums<V: Wide>([a, b, c, d]: Quad<V>) -> [V; 2] {
    // SAFETY: the caller vouches for the processor.
    unsafe { [a.xor(b), c.xor(d)] }
}

/// The state for garbling a batch.
struct Garbling<V> {
    labels: *mut Block,
    tables: *mut u8,
    controls: *mut u8,
    both: Both<V>,
    delta: V,
    delta_sigma: V,
    /// The terms that the dice add for delta as left, and as right label.
    first_delta: V,
    second_delta: V,
}

/// One gate in each lane: the labels of a, b and a ^ b with colour zero, their ciphers and those of the
/// other labels, and all ones where the label of zero has colour one.
struct Gates<V> {
    labels: [V; 3],
    ciphers: [V; 3],
    other_ciphers: [V; 3],
    colours: [V; 2],
}

/// The result of garbling, one gate in each lane.
struct Garbled<V> {
    /// The words G0, G2.
    left: V,
    /// The words G2, G1.
    right: V,
    /// Control bits as in [`crate::three_halves::controls::spread`].
    controls: V,
    output: V,
}

impl<V: Wide> Work<V> for Garbling<V> {
    #[inline(always)]
    unsafe fn run<const NEIGHBOURS: bool>(&self, batch: &Batch<V>) {
        // SAFETY: the caller vouches for the processor and the places.
        unsafe {
            let zeros = xor_quads(
                inputs::<V, NEIGHBOURS>(self.labels, batch),
                flips::<V, NEIGHBOURS>(self.delta, batch.flips),
            );
            let (mut plain, mut colours) = (zeros, zeros);
            for i in 0..4 {
                colours[i] = zeros[i].colours();
                plain[i] = zeros[i].xor(colours[i].and(self.delta));
            }
            let plain_sums = sums(plain);
            let others = xor_quads(plain, [self.delta; 4]);
            let other_sums = [plain_sums[0].xor(self.delta), plain_sums[1].xor(self.delta)];
            let ([ciphers, other_ciphers], [sum_ciphers, other_sum_ciphers]) =
                self.both.encrypt(batch.ids, [plain, others], [plain_sums, other_sums]);
            let mut outputs = plain_sums;
            for half in 0..2 {
                let (a, b) = (2 * half, 2 * half + 1);
                let garbled = self.garble(&Gates {
                    labels: [plain[a], plain[b], plain_sums[half]],
                    ciphers: [ciphers[a], ciphers[b], sum_ciphers[half]],
                    other_ciphers: [other_ciphers[a], other_ciphers[b], other_sum_ciphers[half]],
                    colours: [colours[a], colours[b]],
                });
                self.store_tables(&garbled, batch, half);
                outputs[half] = garbled.output;
            }
            store::<V, NEIGHBOURS>(outputs, self.labels, batch);
        }
    }
}

impl<V: Wide> Garbling<V> {
    #[inline(always)]
    unsafe fn garble(&self, gates: &Gates<V>) -> Garbled<V> {
        let [a, b, _] = gates.labels;
        let [p, q] = gates.colours;
        // SAFETY: the caller vouches for the processor.
        unsafe {
            let lowest = V::splat(Block(1 << 64 | 1));
            let either = p.xor(q);
            let (mut hashes, mut gaps) = (gates.labels, gates.labels);
            for i in 0..3 {
                hashes[i] = gates.ciphers[i].xor(gates.labels[i].sigma());
                gaps[i] = gates.ciphers[i].xor(gates.other_ciphers[i]).xor(self.delta_sigma);
            }
            let ([hash_a, hash_b, hash_sum], [gap_a, gap_b, gap_sum]) = (hashes, gaps);
            let spare = gap_sum.high_halves(gap_sum).halve();
            let (x, y) = (spare.half_colours(), spare.halve().half_colours());
            let (x_q, y_p) = (x.xor(q), y.xor(p));
            let [first, second] = self.both.dice(a, b);
            let common = gap_sum.low_halves(gap_sum);
            let left = common
                .xor(gap_a.xor(b).and(self.both.lower))
                .xor(q.and(first).xor(either.and(second)))
                .xor(x_q.and(self.first_delta).xor(y_p.and(self.delta)));
            let right = common
                .xor(V::splat(Block::ZERO).low_halves(gap_b))
                .xor(a.and(self.both.upper))
                .xor(either.and(first).xor(p.and(second)))
                .xor(x_q.and(self.delta).xor(y_p.and(self.second_delta)));
            let constant =
                hash_a.xor(hash_sum).high_halves(hash_b.xor(hash_sum)).xor(x.low_halves(y)).and(lowest);
            let by_a = gap_a.xor(gap_sum).high_halves(gap_sum).xor(q.low_halves(either)).and(lowest);
            let by_b = gap_sum.high_halves(gap_b.xor(gap_sum)).xor(either.low_halves(p)).and(lowest);
            let upper_bits = by_a.xor(by_b.add_numbers(by_b));
            let output = hash_a
                .low_halves(hash_b)
                .xor(hash_sum.low_halves(hash_sum))
                .xor(x.and(first).xor(y.and(second)))
                .xor(p.and(q).and(self.delta));
            Garbled { left, right, controls: constant.xor(upper_bits.add_numbers(upper_bits)), output }
        }
    }

    /// Writes the tables and control bits of half a batch, as many as it has gates.
    #[inline(always)]
    unsafe fn store_tables(&self, garbled: &Garbled<V>, batch: &Batch<V>, half: usize) {
        let mut columns = [[Block::ZERO; MOST_BLOCKS]; 3];
        let count = batch.count.saturating_sub(half * V::BLOCKS).min(V::BLOCKS);
        // SAFETY: the caller vouches for the processor and the places; the columns hold any register.
        unsafe {
            let [lefts, rights, controls] = &mut columns;
            garbled.left.store(lefts.as_mut_ptr());
            garbled.right.store(rights.as_mut_ptr());
            garbled.controls.store(controls.as_mut_ptr());
            for lane in 0..count {
                let gate = batch.first + half * V::BLOCKS + lane;
                let table = self.tables.add(GATE_BYTES * gate);
                table.cast::<Block>().write_unaligned(lefts[lane]);
                table.add(8).cast::<Block>().write_unaligned(rights[lane]);
                self.controls.add(gate).write(join(controls[lane]));
            }
        }
    }
}

/// The state for evaluating a batch.
struct Evaluation<V> {
    labels: *mut Block,
    tables: *const u8,
    controls: *const u8,
    both: Both<V>,
}

impl<V: Wide> Work<V> for Evaluation<V> {
    #[inline(always)]
    unsafe fn run<const NEIGHBOURS: bool>(&self, batch: &Batch<V>) {
        // SAFETY: the caller vouches for the processor and the places.
        unsafe {
            let active = inputs::<V, NEIGHBOURS>(self.labels, batch);
            let sums = sums(active);
            let ([ciphers], [sum_ciphers]) = self.both.encrypt(batch.ids, [active], [sums]);
            let mut outputs = sums;
            for half in 0..2 {
                let (a, b) = (2 * half, 2 * half + 1);
                let hashes = [
                    ciphers[a].xor(active[a].sigma()),
                    ciphers[b].xor(active[b].sigma()),
                    sum_ciphers[half].xor(sums[half].sigma()),
                ];
                let sent = self.tables(batch, half);
                outputs[half] = self.combine([active[a], active[b]], hashes, sent);
            }
            store::<V, NEIGHBOURS>(outputs, self.labels, batch);
        }
    }
}

impl<V: Wide> Evaluation<V> {
    /// Reads the words G0, G2, the words G2, G1 and the control bits of half a batch, repeating those of the
    /// last gate for the entries that repeat it.
    #[inline(always)]
    unsafe fn tables(&self, batch: &Batch<V>, half: usize) -> [V; 3] {
        // SAFETY: the caller vouches for the processor and the places; control bits are masked to the table's size.
        unsafe {
            let gates: [usize; MOST_BLOCKS] = core::array::from_fn(|lane| {
                batch.first + (half * V::BLOCKS + lane % V::BLOCKS).min(batch.count - 1)
            });
            let tables = gates.map(|gate| self.tables.add(GATE_BYTES * gate));
            let controls = gates.map(|gate| usize::from(self.controls.add(gate).read() & 0x1f));
            [
                V::collect(&tables.map(|table| table.cast())),
                V::collect(&tables.map(|table| table.add(8).cast())),
                V::gather(SPREAD.as_ptr(), &controls),
            ]
        }
    }

    /// The labels of the outputs' values.
    #[inline(always)]
    unsafe fn combine(&self, [a, b]: [V; 2], hashes: [V; 3], [left, right, spread]: [V; 3]) -> V {
        let [hash_a, hash_b, hash_sum] = hashes;
        // SAFETY: the caller vouches for the processor.
        unsafe {
            let (i, j) = (a.colours(), b.colours());
            let by_a = spread.halve();
            let rolled = spread
                .xor(i.and(by_a))
                .xor(j.and(by_a.halve()))
                .xor(hash_a.xor(hash_sum).high_halves(hash_b.xor(hash_sum)))
                .half_colours();
            let (x, y) = (rolled.low_halves(rolled), rolled.high_halves(rolled));
            let [first, second] = self.both.dice(a, b);
            hash_a
                .low_halves(hash_b)
                .xor(hash_sum.low_halves(hash_sum))
                .xor(i.and(left.xor(b.and(self.both.lower))))
                .xor(j.and(right.xor(a.and(self.both.upper))))
                .xor(x.and(first).xor(y.and(second)))
        }
    }
}
