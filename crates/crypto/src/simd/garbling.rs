//! Half gates: gathering, key expansion, hashing and writing of tables in one pass, all in registers.

use super::hash::encrypt_quads;
use super::walk::{Batch, Work, walk};
use super::{Flips, Quad, Wide, xor_quads};
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
    const { assert!(G == V::GATES) }
    assert_eq!(check_ands(labels, width, gates, tweaks, tables), Ok(()), "the caller checked this");
    // SAFETY: the caller vouches for the processor, and the lengths were checked.
    unsafe {
        let garbling = Garbling::<V> {
            labels: labels.as_mut_ptr(),
            tables: tables.as_mut_ptr().cast(),
            delta: V::splat(delta.expose()),
            flips: Flips::new(delta.expose()),
            start: tweaks.start,
        };
        walk::<G>(gates, width, tweaks, &garbling)
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
    const { assert!(G == V::GATES) }
    assert_eq!(check_ands(labels, width, gates, tweaks, tables), Ok(()), "the caller checked this");
    let (labels, tables) = (labels.as_mut_ptr(), tables.as_ptr().cast());
    let evaluation =
        Evaluation::<V> { labels, tables, start: tweaks.start, register: core::marker::PhantomData };
    // SAFETY: the caller vouches for the processor, and the lengths were checked.
    unsafe { walk::<G>(gates, width, tweaks, &evaluation) }
}

/// What garbling a batch needs.
struct Garbling<V> {
    labels: *mut Block,
    tables: *mut Block,
    delta: V,
    flips: Flips,
    start: Block,
}

impl<V: Wide> Work for Garbling<V> {
    #[inline(always)]
    unsafe fn run(&self, batch: &Batch) {
        // SAFETY: the caller vouches for the processor and the places.
        unsafe {
            let flips = V::gather_flips(&self.flips, &batch.flip);
            let zeros = xor_quads(V::gather(self.labels, &batch.a, &batch.b), flips);
            let ones = xor_quads(zeros, [self.delta; 4]);
            let keys = V::gate_keys(self.start, &batch.ids);
            let [cipher_zeros, cipher_ones] = encrypt_quads(keys, [zeros, ones]);
            let (table, halves) = self.combine(zeros, cipher_zeros, cipher_ones);
            V::store_pairs(table, self.tables, &batch.table);
            V::store_sums(halves, self.labels, &batch.out);
        }
    }
}

impl<V: Wide> Garbling<V> {
    /// Tables and half labels from the zero labels (a, b) and the encryptions of both labels. With the hash H(x) =
    /// AES(x) ^ x the two halves of the table are
    ///   left:  H(a) ^ H(a ^ delta) ^ (delta if b is coloured)     = AES ^ AES ^ (delta unless b is coloured)
    ///   right: H(b) ^ H(b ^ delta) ^ a                            = AES ^ AES ^ delta ^ a
    /// and those of the zero label H(a) ^ (left if a is coloured) and H(b) ^ (right ^ a if b is coloured).
    #[inline(always)]
    unsafe fn combine(
        &self,
        zeros: Quad<V>,
        cipher_zeros: Quad<V>,
        cipher_ones: Quad<V>,
    ) -> (Quad<V>, Quad<V>) {
        // SAFETY: the caller vouches for the processor.
        unsafe {
            let colours = [zeros[0].colours(), zeros[1].colours(), zeros[2].colours(), zeros[3].colours()];
            let (from_b, from_a) = (V::right_to_left(colours), V::left_to_right(zeros));
            let (mut table, mut halves) = (zeros, zeros);
            for i in 0..4 {
                let rows = cipher_zeros[i].xor(cipher_ones[i]).xor(from_b[i].and_not(self.delta));
                table[i] = rows.xor(from_a[i]);
                halves[i] = cipher_zeros[i].xor(zeros[i]).xor(colours[i].and(rows));
            }
            (table, halves)
        }
    }
}

/// What evaluating a batch needs.
struct Evaluation<V> {
    labels: *mut Block,
    tables: *const Block,
    start: Block,
    register: core::marker::PhantomData<V>,
}

impl<V: Wide> Work for Evaluation<V> {
    #[inline(always)]
    unsafe fn run(&self, batch: &Batch) {
        // SAFETY: the caller vouches for the processor and the places.
        unsafe {
            let active = V::gather(self.labels, &batch.a, &batch.b);
            let keys = V::gate_keys(self.start, &batch.ids);
            let [cipher] = encrypt_quads(keys, [active]);
            let rows = xor_quads(V::load_pairs(self.tables, &batch.table), V::left_to_right(active));
            let mut halves = xor_quads(cipher, active);
            for i in 0..4 {
                halves[i] = halves[i].xor(active[i].colours().and(rows[i]));
            }
            V::store_sums(halves, self.labels, &batch.out);
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
    let mut counted = 0;
    for gate in 0..gates.len() {
        let [a, b, out] = [gates.a[gate], gates.b[gate], gates.out[gate]].map(|slot| slot as usize * width);
        // SAFETY: slots and lanes are in bounds. Two slots are the same or apart, so reading a few lanes before
        // writing them is as good as lane by lane.
        unsafe {
            let mut lane = 0;
            while lane + V::BLOCKS <= width {
                V::load(labels.add(a + lane))
                    .xor(V::load(labels.add(b + lane)))
                    .store(labels.add(out + lane));
                lane += V::BLOCKS;
            }
            while lane < width {
                *labels.add(out + lane) = *labels.add(a + lane) ^ *labels.add(b + lane);
                lane += 1;
            }
        }
        counted += width as u64;
    }
    counted
}
