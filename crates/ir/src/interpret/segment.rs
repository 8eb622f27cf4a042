//! Operations that mix lanes.

use std::cmp::Ordering;

use super::lane;
use super::vector::Layout;
use crate::{ScanOp, lookup_position};

/// The lane of a vector.
fn at(limbs: usize, vector: &[u64], lane: usize) -> &[u64] {
    &vector[lane * limbs..][..limbs]
}

pub(super) fn segment_sum(layout: Layout, length: u64, out: &mut [u64], a: &[u64]) {
    for (out, segment) in
        out.chunks_exact_mut(layout.limbs).zip(a.chunks_exact(layout.limbs * length as usize))
    {
        out.fill(0);
        segment.chunks_exact(layout.limbs).for_each(|lane| {
            lane::add_assign(out, lane);
        });
        lane::mask(layout.bits, out);
    }
}

pub(super) fn scan(op: ScanOp, layout: Layout, length: u64, out: &mut [u64], a: &[u64]) {
    out.copy_from_slice(a);
    for segment in out.chunks_exact_mut(layout.limbs * length as usize) {
        for position in (layout.limbs..segment.len()).step_by(layout.limbs) {
            let (before, lane) = segment.split_at_mut(position);
            accumulate(op, layout.bits, &mut lane[..layout.limbs], &before[position - layout.limbs..]);
        }
    }
}

/// One step of a scan: combines the previous result with a lane.
fn accumulate(op: ScanOp, bits: u32, lane: &mut [u64], before: &[u64]) {
    let bitwise = |lane: &mut [u64], f: fn(u64, u64) -> u64| {
        lane.iter_mut().zip(before).for_each(|(lane, before)| *lane = f(*lane, *before));
    };
    let keep = |lane: &mut [u64], signed, order| {
        if lane::compare(bits, signed, before, lane) == order {
            lane.copy_from_slice(before);
        }
    };
    match op {
        ScanOp::Add => {
            lane::add_assign(lane, before);
            lane::mask(bits, lane);
        }
        ScanOp::Xor => bitwise(lane, |a, b| a ^ b),
        ScanOp::And => bitwise(lane, |a, b| a & b),
        ScanOp::Or => bitwise(lane, |a, b| a | b),
        ScanOp::MinU => keep(lane, false, Ordering::Less),
        ScanOp::MinS => keep(lane, true, Ordering::Less),
        ScanOp::MaxU => keep(lane, false, Ordering::Greater),
        ScanOp::MaxS => keep(lane, true, Ordering::Greater),
    }
}

/// `batch` products of a `rows × inner` by an `inner × columns` matrix.
pub(super) fn matrix_product(
    layout: Layout,
    [rows, inner, columns]: [usize; 3],
    out: &mut [u64],
    left: &[u64],
    right: &[u64],
) {
    let limbs = layout.limbs;
    let factors = left.chunks_exact(rows * inner * limbs).zip(right.chunks_exact(inner * columns * limbs));
    for (out, (left, right)) in out.chunks_exact_mut(rows * columns * limbs).zip(factors) {
        for (number, out) in out.chunks_exact_mut(limbs).enumerate() {
            out.fill(0);
            let (row, column) = (number / columns, number % columns);
            for k in 0..inner {
                lane::multiply_add(
                    out,
                    at(limbs, left, row * inner + k),
                    at(limbs, right, k * columns + column),
                );
            }
            lane::mask(layout.bits, out);
        }
    }
}

/// Minima and their positions, which have `position_limbs` limbs each.
pub(super) fn arg_min(
    layout: Layout,
    length: u64,
    signed: bool,
    minima: &mut [u64],
    positions: &mut [u64],
    a: &[u64],
) {
    let limbs = layout.limbs;
    let segments = a.chunks_exact(limbs * length as usize);
    for ((segment, minimum), position) in segments.zip(minima.chunks_exact_mut(limbs)).zip(positions) {
        let mut best = 0;
        for lane in 1..length as usize {
            if lane::compare(layout.bits, signed, at(limbs, segment, lane), at(limbs, segment, best)).is_lt()
            {
                best = lane;
            }
        }
        minimum.copy_from_slice(at(limbs, segment, best));
        *position = best as u64;
    }
}

/// The positions of all lanes, with each segment sorted by key, stable.
pub(super) fn sorted_positions(layout: Layout, length: u64, signed: bool, keys: &[u64]) -> Vec<u32> {
    let mut positions: Vec<u32> = (0..layout.lanes).map(|lane| lane as u32).collect();
    for segment in positions.chunks_exact_mut(length as usize) {
        segment.sort_by(|a, b| {
            let [a, b] = [a, b].map(|position| at(layout.limbs, keys, *position as usize));
            lane::compare(layout.bits, signed, a, b)
        });
    }
    positions
}

/// Lanes of `a` at the given positions.
pub(super) fn pick(layout: Layout, positions: impl Iterator<Item = u64>, out: &mut [u64], a: &[u64]) {
    for (out, position) in out.chunks_exact_mut(layout.limbs).zip(positions) {
        out.copy_from_slice(at(layout.limbs, a, position as usize));
    }
}

/// The table positions that each of the `lanes` lanes of `indices` looks up.
pub(super) fn looked_up(entries: u64, lanes: u64, indices: &[u64]) -> impl Iterator<Item = u64> {
    let limbs = indices.len() / lanes as usize;
    indices.chunks_exact(limbs).map(move |index| lookup_position(entries, index[0]))
}

pub(super) fn update(layout: Layout, out: &mut [u64], table: &[u64], index: &[u64], entry: &[u64]) {
    out.copy_from_slice(table);
    if index[0] < layout.lanes && lane::is_zero(&index[1..]) {
        out[index[0] as usize * layout.limbs..][..layout.limbs].copy_from_slice(entry);
    }
}
