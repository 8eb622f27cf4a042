//! How a layer of AND gates is cut into batches of independent ones.

use super::{MOST_GATES, Wide};
use crate::half_gates::{AndGates, Tweaks};

/// Gates that are garbled or evaluated at once. Places are in blocks; only the first [`Wide::GATES`] entries are used.
pub(super) struct Batch<V> {
    pub(super) a: [usize; MOST_GATES],
    pub(super) b: [usize; MOST_GATES],
    pub(super) out: [usize; MOST_GATES],
    /// The gates' flips, a byte each, the first gate's lowest.
    pub(super) flips: u64,
    /// The gates' numbers, as in [`Wide::numbers`].
    pub(super) ids: V,
    /// Which is the first gate in the order of the tables; the others follow.
    pub(super) first: usize,
    /// How many gates there are, at least one. The entries after that repeat the last gate.
    pub(super) count: usize,
}

/// What is done to a batch. Doing a gate twice in different batches must be as good as doing it once.
pub(super) trait Work<V> {
    /// With `NEIGHBOURS` the places of each kind follow one another, and all flips are the same.
    ///
    /// # Safety
    /// The processor must have the instructions, and all places must be in bounds.
    unsafe fn run<const NEIGHBOURS: bool>(&self, batch: &Batch<V>);
}

/// Does all gates in all lanes in batches of G = [`Wide::GATES`]. Returns how many were done, repeated ones counted once.
///
/// # Safety
/// The processor must have the instructions of `V`, and what is worked on must hold all places of gates and lanes.
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

/// Batches of neighbouring lanes of one gate, of which there are at least G. The last batch of a gate overlaps the one
/// before it if need be.
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

/// Batches of neighbouring gates in a single lane; there are at least G gates. The last batch overlaps the one before
/// it if need be.
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

/// Batches across gates and lanes, where neither alone fills one.
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
