//! Half gates: gathering, key expansion, hashing and writing of tables in one pass, all in registers.

use super::hash::encrypt_quads;
use super::walk::{Batch, Work, walk};
use super::{MOST_GATES, Quad, Wide, four_words, xor_quads};
use crate::half_gates::{AndGates, Delta, Tweaks, XorGates, check_ands, check_labels};
use tacit_math::Block;

/// See [`crate::half_gates::garble`]. G is [`Wide::GATES`].
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
) -> u64 {
    assert_eq!(check_ands(labels, width, gates, tweaks, tables), Ok(()), "the caller checked this");
    let (labels, tables) = (labels.as_mut_ptr(), tables.as_mut_ptr().cast());
    // SAFETY: the caller vouches for the processor, and the lengths were checked.
    unsafe {
        let (delta, start) = (V::splat(delta.expose()), start_words(tweaks.start));
        let garbling = Garbling { labels, tables, delta, delta_sigma: delta.sigma(), start };
        walk::<V, G>(gates, width, tweaks, &garbling)
    }
}

/// See [`crate::half_gates::evaluate`]. G is [`Wide::GATES`].
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
) -> u64 {
    assert_eq!(check_ands(labels, width, gates, tweaks, tables), Ok(()), "the caller checked this");
    let (labels, tables) = (labels.as_mut_ptr(), tables.as_ptr().cast());
    // SAFETY: the caller vouches for the processor, and the lengths were checked.
    unsafe {
        let evaluation = Evaluation::<V> { labels, tables, start: start_words(tweaks.start) };
        walk::<V, G>(gates, width, tweaks, &evaluation)
    }
}

/// The start of the hash by words, including the tweaks' lowest bit: zero for left, one for right inputs.
#[inline(always)]
pub(super) unsafe fn start_words<V: Wide>(start: Block) -> Quad<V> {
    // SAFETY: the caller vouches for the processor.
    unsafe {
        let [a, b, c, d] = [0, 32, 64, 96].map(|shift| four_words((start.0 >> shift) as u32));
        [V::splat(a ^ Block(1 << 32 | 1 << 96)), V::splat(b), V::splat(c), V::splat(d)]
    }
}

/// The keys of gates by words: start ^ 2 id for left inputs and start ^ (2 id + 1) for right ones.
#[inline(always)]
pub(super) unsafe fn gate_keys<V: Wide>(start: Quad<V>, ids: V) -> Quad<V> {
    // SAFETY: the caller vouches for the processor.
    unsafe {
        let [low, high] = ids.add_numbers(ids).twice_words();
        [start[0].xor(low), start[1].xor(high), start[2], start[3]]
    }
}

/// Reads the labels of a batch's two inputs.
#[inline(always)]
pub(super) unsafe fn inputs<V: Wide, const NEIGHBOURS: bool>(
    labels: *const Block,
    batch: &Batch<V>,
) -> Quad<V> {
    let (a, b) = (&batch.a, &batch.b);
    // SAFETY: the caller vouches for the processor and the places.
    unsafe {
        if NEIGHBOURS {
            let (a, b) = (labels.add(a[0]), labels.add(b[0]));
            [V::load(a), V::load(b), V::load(a.add(V::BLOCKS)), V::load(b.add(V::BLOCKS))]
        } else {
            [
                V::gather(labels, a),
                V::gather(labels, b),
                V::gather(labels, &a[V::BLOCKS..]),
                V::gather(labels, &b[V::BLOCKS..]),
            ]
        }
    }
}

/// Delta where an input of a batch is complemented.
#[inline(always)]
pub(super) unsafe fn flips<V: Wide, const NEIGHBOURS: bool>(delta: V, flips: u64) -> Quad<V> {
    // SAFETY: the caller vouches for the processor.
    unsafe {
        if NEIGHBOURS {
            let all = (1 << V::BLOCKS) - 1;
            let (left, right) = ((flips & 1) as usize, (flips >> 1 & 1) as usize);
            let (left, right) = (delta.keep(all * left), delta.keep(all * right));
            [left, right, left, right]
        } else {
            let (left, right) = (lanes(flips, 0), lanes(flips, 1));
            let low = (1 << V::BLOCKS) - 1;
            [
                delta.keep(left & low),
                delta.keep(right & low),
                delta.keep(left >> V::BLOCKS & low),
                delta.keep(right >> V::BLOCKS & low),
            ]
        }
    }
}

/// Writes the labels of a batch's outputs: the sums of their halves and of sigma of the inputs.
#[inline(always)]
unsafe fn store_outputs<V: Wide, const NEIGHBOURS: bool>(
    [a, b, c, d]: Quad<V>,
    inputs: Quad<V>,
    labels: *mut Block,
    batch: &Batch<V>,
) {
    // SAFETY: the caller vouches for the processor and the places.
    unsafe {
        let early = a.xor(b).xor(inputs[0].xor(inputs[1]).sigma());
        let late = c.xor(d).xor(inputs[2].xor(inputs[3]).sigma());
        store::<V, NEIGHBOURS>([early, late], labels, batch);
    }
}

/// Writes the labels of a batch's outputs, both halves of the batch.
#[inline(always)]
pub(super) unsafe fn store<V: Wide, const NEIGHBOURS: bool>(
    [early, late]: [V; 2],
    labels: *mut Block,
    batch: &Batch<V>,
) {
    // SAFETY: the caller vouches for the processor and the places.
    unsafe {
        if NEIGHBOURS {
            early.store(labels.add(batch.out[0]));
            late.store(labels.add(batch.out[0] + V::BLOCKS));
        } else {
            early.scatter(labels, &batch.out);
            late.scatter(labels, &batch.out[V::BLOCKS..]);
        }
    }
}

/// The state for garbling a batch.
struct Garbling<V> {
    labels: *mut Block,
    tables: *mut Block,
    delta: V,
    delta_sigma: V,
    start: Quad<V>,
}

impl<V: Wide> Work<V> for Garbling<V> {
    #[inline(always)]
    unsafe fn run<const NEIGHBOURS: bool>(&self, batch: &Batch<V>) {
        // SAFETY: the caller vouches for the processor and the places.
        unsafe {
            let inputs = inputs::<V, NEIGHBOURS>(self.labels, batch);
            let zeros = xor_quads(inputs, flips::<V, NEIGHBOURS>(self.delta, batch.flips));
            let ones = xor_quads(zeros, [self.delta; 4]);
            let [zero_ciphers, one_ciphers] = encrypt_quads(gate_keys(self.start, batch.ids), [zeros, ones]);
            let (tables, halves) = self.combine(zeros, zero_ciphers, one_ciphers);
            self.store_tables(tables, batch);
            store_outputs::<V, NEIGHBOURS>(halves, zeros, self.labels, batch);
        }
    }
}

impl<V: Wide> Garbling<V> {
    /// Tables and half labels of outputs, from the zero labels a, b and the encryptions of both labels. With the hash
    /// H(x) = AES(x) ^ sigma(x) the two halves of a table are
    ///   left   H(a) ^ H(a ^ delta) ^ (delta if b is coloured)  =  AES(a) ^ AES(a ^ delta) ^ sigma(delta) ^ (..)
    ///   right  H(b) ^ H(b ^ delta) ^ a
    /// and those of the output's zero label H(a) ^ (left if a is coloured) and H(b) ^ (right ^ a if b is coloured). Both
    /// sigmas of the hashes are left to [`store_outputs`].
    #[inline(always)]
    unsafe fn combine(
        &self,
        zeros: Quad<V>,
        zero_ciphers: Quad<V>,
        one_ciphers: Quad<V>,
    ) -> (Quad<V>, Quad<V>) {
        let (mut tables, mut halves) = (zeros, zeros);
        for (a, b) in [(0, 1), (2, 3)] {
            // SAFETY: the caller vouches for the processor.
            unsafe {
                let (a_colours, b_colours) = (zeros[a].colours(), zeros[b].colours());
                let left =
                    zero_ciphers[a].xor(one_ciphers[a]).xor(self.delta_sigma).xor(b_colours.and(self.delta));
                let right = zero_ciphers[b].xor(one_ciphers[b]).xor(self.delta_sigma);
                tables[a] = left;
                tables[b] = right.xor(zeros[a]);
                halves[a] = zero_ciphers[a].xor(a_colours.and(left));
                halves[b] = zero_ciphers[b].xor(b_colours.and(right));
            }
        }
        (tables, halves)
    }

    /// Writes as many tables as the batch has gates.
    #[inline(always)]
    unsafe fn store_tables(&self, tables: Quad<V>, batch: &Batch<V>) {
        let [left, right, later_left, later_right] = tables;
        // SAFETY: the caller vouches for the processor and the places; the buffer holds the tables of any batch.
        unsafe {
            let place = self.tables.add(2 * batch.first);
            let mut buffer = [Block::ZERO; 2 * MOST_GATES];
            let short = batch.count < V::GATES;
            let to = if short { buffer.as_mut_ptr() } else { place };
            V::store_pairs(left, right, to);
            V::store_pairs(later_left, later_right, to.add(V::GATES));
            if short {
                let bytes = 2 * batch.count * Block::BYTES;
                core::ptr::copy_nonoverlapping(to.cast::<u8>(), place.cast::<u8>(), bytes);
            }
        }
    }
}

/// Bit `side` of each gate's flip, as a number whose bit g belongs to gate g.
#[inline(always)]
fn lanes(flips: u64, side: u32) -> usize {
    let bits = flips >> side & 0x0101_0101_0101_0101;
    // The product moves the bit of byte g to bit 56 + g; the other terms stay below or overflow.
    (bits.wrapping_mul(0x0102_0408_1020_4080) >> 56) as usize
}

/// The state for evaluating a batch.
struct Evaluation<V> {
    labels: *mut Block,
    tables: *const Block,
    start: Quad<V>,
}

impl<V: Wide> Work<V> for Evaluation<V> {
    #[inline(always)]
    unsafe fn run<const NEIGHBOURS: bool>(&self, batch: &Batch<V>) {
        // SAFETY: the caller vouches for the processor and the places.
        unsafe {
            let active = inputs::<V, NEIGHBOURS>(self.labels, batch);
            let [ciphers] = encrypt_quads(gate_keys(self.start, batch.ids), [active]);
            let tables = self.tables(batch);
            let mut halves = ciphers;
            for (a, b) in [(0, 1), (2, 3)] {
                halves[a] = ciphers[a].xor(active[a].colours().and(tables[a]));
                halves[b] = ciphers[b].xor(active[b].colours().and(tables[b].xor(active[a])));
            }
            store_outputs::<V, NEIGHBOURS>(halves, active, self.labels, batch);
        }
    }
}

impl<V: Wide> Evaluation<V> {
    /// Reads as many tables as the batch has gates.
    #[inline(always)]
    unsafe fn tables(&self, batch: &Batch<V>) -> Quad<V> {
        // SAFETY: the caller vouches for the processor and the places; the buffer holds the tables of any batch.
        unsafe {
            let place = self.tables.add(2 * batch.first);
            let mut buffer = [Block::ZERO; 2 * MOST_GATES];
            let from = if batch.count < V::GATES {
                let bytes = 2 * batch.count * Block::BYTES;
                core::ptr::copy_nonoverlapping(place.cast::<u8>(), buffer.as_mut_ptr().cast::<u8>(), bytes);
                // The last gate's table again, for the entries that repeat it.
                let last =
                    buffer[2 * batch.count - 2..2 * batch.count].try_into().unwrap_or([Block::ZERO; 2]);
                buffer.as_chunks_mut().0[batch.count..].fill(last);
                buffer.as_ptr()
            } else {
                place
            };
            let ([left, right], [later_left, later_right]) =
                (V::load_pairs(from), V::load_pairs(from.add(V::GATES)));
            [left, right, later_left, later_right]
        }
    }
}

/// See [`crate::half_gates::xor`].
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
pub(crate) unsafe fn xor<V: Wide>(labels: &mut [Block], width: usize, gates: XorGates<'_>) -> u64 {
    assert_eq!(check_labels(labels, width, gates.slots), Ok(()), "the caller checked this");
    let labels = labels.as_mut_ptr();
    if width == 1 {
        for ((&a, &b), &out) in gates.a.iter().zip(gates.b).zip(gates.out) {
            // SAFETY: the slots are in bounds.
            unsafe { add_at::<V::One>(labels, a as usize, b as usize, out as usize) }
        }
        return gates.len() as u64;
    }
    let mut counted = 0;
    for ((&a, &b), &out) in gates.a.iter().zip(gates.b).zip(gates.out) {
        let (a, b, out) = (a as usize * width, b as usize * width, out as usize * width);
        // SAFETY: slots and lanes are in bounds. Two slots are identical or disjoint, so reading several
        // lanes before writing them is equivalent to working lane by lane.
        unsafe {
            let mut lane = 0;
            while lane + V::BLOCKS <= width {
                add_at::<V>(labels, a + lane, b + lane, out + lane);
                lane += V::BLOCKS;
            }
            while lane < width {
                add_at::<V::One>(labels, a + lane, b + lane, out + lane);
                lane += 1;
            }
        }
        counted += width as u64;
    }
    counted
}

/// Writes the sum of what is at two places to a third.
#[inline(always)]
unsafe fn add_at<V: Wide>(labels: *mut Block, a: usize, b: usize, out: usize) {
    // SAFETY: the caller vouches for the processor and the places.
    unsafe { V::load(labels.add(a)).xor(V::load(labels.add(b))).store(labels.add(out)) }
}
