//! Cuts a layer of AND gates into batches of independent gates.

use super::{MOST_GATES, Wide};
use crate::half_gates::{AndGates, Tweaks};

/// Gates that are garbled or evaluated together. Indices are in blocks; only the first [`Wide::GATES`]
/// entries are used.
pub(super) struct Batch<V> {
    pub(super) a: [usize; MOST_GATES],
    pub(super) b: [usize; MOST_GATES],
    pub(super) out: [usize; MOST_GATES],
    /// The gates' flips, a byte each, the first gate's lowest.
    pub(super) flips: u64,
    /// The gates' numbers, as in [`Wide::numbers`].
    pub(super) ids: V,
    /// The first gate's index in the order of the tables; the others follow.
    pub(super) first: usize,
    /// The number of gates, at least one. Further entries repeat the last gate.
    pub(super) count: usize,
}

/// The work on a batch. Processing a gate twice in different batches must have the same effect as once.
pub(super) trait Work<V> {
    /// With `NEIGHBOURS`, the indices of each kind are consecutive, and all flips are equal.
    ///
    /// # Safety
    /// The processor must have the instructions, and all places must be in bounds.
    unsafe fn run<const NEIGHBOURS: bool>(&self, batch: &Batch<V>);
}

/// Processes all gates in all lanes in batches of G = [`Wide::GATES`]. Returns the number of gates, repeated
/// ones counted once.
///
/// # Safety
/// The processor must have the instructions of `V`, and all indices of gates and lanes must be in bounds.
#[inline(always)]
pub(super) unsafe fn walk<V: Wide, const G: usize>(
    gates: AndGates<'_>,
    width: usize,
    tweaks: Tweaks,
    work: &impl Work<V>,
) -> u64 {
    const { assert!(G == V::GATES) }
    // SAFETY: the caller vouches for processor and places.
    unsafe {
        if width >= G {
            walk_lanes::<V, G>(gates, width, tweaks, work)
        } else if width == 1 && gates.len() >= G {
            walk_gates::<V, G>(gates, tweaks, work)
        } else {
            walk_mixed::<V, G>(gates, width, tweaks, work)
        }
    }
}

/// Batches of adjacent lanes of one gate, which has at least G lanes. The last batch of a gate overlaps the
/// previous one if necessary.
#[inline(always)]
unsafe fn walk_lanes<V: Wide, const G: usize>(
    gates: AndGates<'_>,
    width: usize,
    tweaks: Tweaks,
    work: &impl Work<V>,
) -> u64 {
    // SAFETY: the caller vouches for the processor.
    let strides = unsafe { V::numbers(&core::array::from_fn(|i| tweaks.lane_stride.wrapping_mul(i as u64))) };
    let mut counted = 0;
    for gate in 0..gates.len() {
        let [a, b, out] = [gates.a[gate], gates.b[gate], gates.out[gate]].map(|slot| slot as usize * width);
        let flips = u64::from(gates.flip[gate]) * 0x0101_0101_0101_0101;
        let mut done = 0;
        while done < width {
            let lane = done.min(width - G);
            let places = |start: usize| core::array::from_fn(|i| start + lane + i);
            // SAFETY: all lanes are below the width, and the caller vouches for the rest.
            unsafe {
                let ids = strides.add(tweaks.id(gate, lane));
                let (a, b, out, first) = (places(a), places(b), places(out), gate * width + lane);
                work.run::<true>(&Batch { a, b, out, flips, ids, first, count: G });
            }
            counted += (lane + G - done) as u64;
            done = lane + G;
        }
    }
    counted
}

/// Batches of adjacent gates in a single lane, of which there are at least G. The last batch overlaps the
/// previous one if necessary.
#[inline(always)]
unsafe fn walk_gates<V: Wide, const G: usize>(
    gates: AndGates<'_>,
    tweaks: Tweaks,
    work: &impl Work<V>,
) -> u64 {
    // SAFETY: the caller vouches for the processor.
    let strides = unsafe { V::numbers(&core::array::from_fn(|i| i as u64)) };
    let (mut done, mut counted) = (0, 0);
    while done < gates.len() {
        let first = done.min(gates.len() - G);
        let (Some(a), Some(b), Some(out), Some(flip)) = (
            gates.a[first..].first_chunk::<G>(),
            gates.b[first..].first_chunk::<G>(),
            gates.out[first..].first_chunk::<G>(),
            gates.flip[first..].first_chunk::<G>(),
        ) else {
            break;
        };
        // SAFETY: all gates exist, and the caller vouches for the rest.
        unsafe {
            let ids = strides.add(tweaks.id(first, 0));
            let (a, b, out, flips) = (places(a), places(b), places(out), packed(flip));
            work.run::<false>(&Batch { a, b, out, flips, ids, first, count: G });
        }
        counted += (first + G - done) as u64;
        done = first + G;
    }
    counted
}

/// The slots of a batch's gates in a single lane.
#[inline(always)]
fn places<const G: usize>(slots: &[u32; G]) -> [usize; MOST_GATES] {
    let mut places = [0; MOST_GATES];
    for (place, &slot) in places.iter_mut().zip(slots) {
        *place = slot as usize;
    }
    places
}

/// The flips of a batch's gates in one number.
#[inline(always)]
fn packed<const G: usize>(flips: &[u8; G]) -> u64 {
    let mut packed = 0;
    for (i, &flip) in flips.iter().enumerate() {
        packed |= u64::from(flip) << (8 * i);
    }
    packed
}

/// Batches across gates and lanes, if neither alone fills a batch.
#[inline(always)]
unsafe fn walk_mixed<V: Wide, const G: usize>(
    gates: AndGates<'_>,
    width: usize,
    tweaks: Tweaks,
    work: &impl Work<V>,
) -> u64 {
    let total = gates.len() * width;
    let (mut next, mut counted) = ((0, 0), 0);
    while counted < total {
        let (mut a, mut b, mut out) = ([0; MOST_GATES], [0; MOST_GATES], [0; MOST_GATES]);
        let (mut flips, mut ids) = (0, [0; MOST_GATES]);
        let (first, count) = (counted, G.min(total - counted));
        for i in 0..G {
            let (gate, lane) = next;
            a[i] = gates.a[gate] as usize * width + lane;
            b[i] = gates.b[gate] as usize * width + lane;
            out[i] = gates.out[gate] as usize * width + lane;
            flips |= u64::from(gates.flip[gate]) << (8 * i);
            ids[i] = tweaks.id(gate, lane);
            if counted + 1 < total {
                next = if lane + 1 < width { (gate, lane + 1) } else { (gate + 1, 0) };
                counted += 1;
            } else if i + 1 == count {
                counted += 1;
            }
        }
        // SAFETY: all gates exist and all lanes are below the width, and the caller vouches for the rest.
        unsafe { work.run::<false>(&Batch { a, b, out, flips, ids: V::numbers(&ids), first, count }) }
    }
    counted as u64
}
