//! How a layer of AND gates is cut into batches of independent ones.

use super::MOST_GATES;
use crate::half_gates::{AndGates, Tweaks};

/// Gates that are garbled or evaluated at once. Places are in blocks, those of tables too; only as many entries are
/// used as there are gates in a batch.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) a: [usize; MOST_GATES],
    pub(super) b: [usize; MOST_GATES],
    pub(super) out: [usize; MOST_GATES],
    pub(super) table: [usize; MOST_GATES],
    pub(super) ids: [u64; MOST_GATES],
    pub(super) flip: [u8; MOST_GATES],
}

/// What is done to a batch. Doing a gate twice in different batches must be as good as doing it once.
pub(super) trait Work {
    /// # Safety
    /// The processor must have the instructions, and all places must be in bounds.
    unsafe fn run(&self, batch: &Batch);
}

/// Does all gates in all lanes in batches of G. Returns how many were done, repeated ones counted once.
///
/// # Safety
/// The processor must have the instructions of `work`, and what it works on must hold all places of gates and lanes.
#[inline(always)]
pub(super) unsafe fn walk<const G: usize>(
    gates: AndGates<'_>,
    width: usize,
    tweaks: Tweaks,
    work: &impl Work,
) -> u64 {
    // SAFETY: the caller vouches for processor and places.
    unsafe {
        if width >= G {
            walk_lanes::<G>(gates, width, tweaks, work)
        } else if width == 1 && gates.len() >= G {
            walk_gates::<G>(gates, tweaks, work)
        } else {
            walk_mixed::<G>(gates, width, tweaks, work)
        }
    }
}

/// Batches of neighbouring lanes of one gate, of which there are at least G. The last batch of a gate overlaps the one
/// before it if need be.
#[inline(always)]
unsafe fn walk_lanes<const G: usize>(
    gates: AndGates<'_>,
    width: usize,
    tweaks: Tweaks,
    work: &impl Work,
) -> u64 {
    let mut counted = 0;
    for gate in 0..gates.len() {
        let [a, b, out] = [gates.a[gate], gates.b[gate], gates.out[gate]].map(|slot| slot as usize * width);
        let mut done = 0;
        while done < width {
            let lane = done.min(width - G);
            let mut batch = Batch { flip: [gates.flip[gate]; MOST_GATES], ..Batch::default() };
            for i in 0..G {
                batch.a[i] = a + lane + i;
                batch.b[i] = b + lane + i;
                batch.out[i] = out + lane + i;
                batch.table[i] = 2 * (gate * width + lane + i);
                batch.ids[i] = tweaks.id(gate, lane + i);
            }
            // SAFETY: all lanes are below the width, and the caller vouches for the rest.
            unsafe { work.run(&batch) }
            counted += (lane + G - done) as u64;
            done = lane + G;
        }
    }
    counted
}

/// Batches of neighbouring gates in a single lane; there are at least G gates. The last batch overlaps the one before
/// it if need be.
#[inline(always)]
unsafe fn walk_gates<const G: usize>(gates: AndGates<'_>, tweaks: Tweaks, work: &impl Work) -> u64 {
    let (mut done, mut counted) = (0, 0);
    while done < gates.len() {
        let first = done.min(gates.len() - G);
        let AndGates { a, b, out, flip, .. } = gates.slice(first..first + G);
        let mut batch = Batch::default();
        for i in 0..G {
            batch.a[i] = a[i] as usize;
            batch.b[i] = b[i] as usize;
            batch.out[i] = out[i] as usize;
            batch.table[i] = 2 * (first + i);
            batch.ids[i] = tweaks.id(first + i, 0);
            batch.flip[i] = flip[i];
        }
        // SAFETY: all gates exist, and the caller vouches for the rest.
        unsafe { work.run(&batch) }
        counted += (first + G - done) as u64;
        done = first + G;
    }
    counted
}

/// Batches across gates and lanes; the last one repeats the last gate of the last lane if need be.
#[inline(always)]
unsafe fn walk_mixed<const G: usize>(
    gates: AndGates<'_>,
    width: usize,
    tweaks: Tweaks,
    work: &impl Work,
) -> u64 {
    let (mut gate, mut lane, mut counted) = (0, 0, 0);
    while width != 0 && gate < gates.len() {
        let mut batch = Batch::default();
        let mut cell = (gate, lane);
        for i in 0..G {
            if gate < gates.len() {
                cell = (gate, lane);
                counted += 1;
                lane += 1;
                if lane == width {
                    (gate, lane) = (gate + 1, 0);
                }
            }
            let (gate, lane) = cell;
            batch.a[i] = gates.a[gate] as usize * width + lane;
            batch.b[i] = gates.b[gate] as usize * width + lane;
            batch.out[i] = gates.out[gate] as usize * width + lane;
            batch.table[i] = 2 * (gate * width + lane);
            batch.ids[i] = tweaks.id(gate, lane);
            batch.flip[i] = gates.flip[gate];
        }
        // SAFETY: all gates exist and all lanes are below the width, and the caller vouches for the rest.
        unsafe { work.run(&batch) }
    }
    counted
}
