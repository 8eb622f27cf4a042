//! Steps that only move elements: pure functions over wire-major bundles.
//!
//! Element `lane` of bit `bit` of a bundle is at index `bit · lanes · copies + lane`; lanes are ordered by
//! instance if a body runs in several copies side by side.

use std::ops::Range;

use tacit_ir::Index;
use tacit_math::Bits;

/// Writes, for every bit and every copy, the lanes at `positions` of `source` (`from` lanes a copy) to `target`
/// (`to` lanes a copy).
pub fn gather<T: Copy>(source: &[T], from: u64, positions: &Index, target: &mut [T], to: u64) {
    for (source, target) in source.chunks_exact(from as usize).zip(target.chunks_exact_mut(to as usize)) {
        match positions {
            Index::Range { start, step: 1, .. } => {
                target.copy_from_slice(&source[*start as usize..][..to as usize]);
            }
            Index::List(positions) => {
                for (element, position) in target.iter_mut().zip(positions) {
                    *element = source[*position as usize];
                }
            }
            Index::Repeat { each, .. } => repeat(source, *each as usize, target),
            other => {
                for (lane, element) in target.iter_mut().enumerate() {
                    *element = source[other.position(lane as u64, from) as usize];
                }
            }
        }
    }
}

/// Fills the target with the source again and again, each element `each` times.
fn repeat<T: Copy>(source: &[T], each: usize, target: &mut [T]) {
    for tile in target.chunks_exact_mut(source.len() * each) {
        if each == 1 {
            tile.copy_from_slice(source);
        } else {
            tile.chunks_exact_mut(each).zip(source).for_each(|(run, element)| run.fill(*element));
        }
    }
}

/// Copies `count` lanes from lane `offset` of each copy (`from` lanes) to lane `at` of each copy of `target`
/// (`to` lanes).
pub fn copy_lanes<T: Copy>(
    (source, from, offset): (&[T], usize, usize),
    (target, to, at): (&mut [T], usize, usize),
    count: usize,
) {
    for (source, target) in source.chunks_exact(from).zip(target.chunks_exact_mut(to)) {
        target[at..at + count].copy_from_slice(&source[offset..offset + count]);
    }
}

/// Writes, for every bit and every copy, the lanes at `positions` of the source (`from` lanes a copy) to the target (`to` lanes a copy), all
/// packed.
pub fn gather_bits((source, from): (&Bits, u64), positions: &Index, (target, to): (&mut Bits, u64)) {
    let (from, to) = (from as usize, to as usize);
    match positions {
        Index::Range { start, step: 1, .. } => {
            copy_bit_lanes((source, from, *start as usize), (target, to, 0), to);
        }
        Index::Repeat { each, .. } => {
            for (start, at) in copies((source, from), (target, to)) {
                repeat_bits((source, start..start + from), *each as usize, (target, at..at + to));
            }
        }
        other => pick_bits((source, from), other, (target, to)),
    }
}

/// Where each copy of each bit starts, in the source and in the target.
fn copies(
    (source, from): (&Bits, usize),
    (target, to): (&Bits, usize),
) -> impl Iterator<Item = (usize, usize)> + use<> {
    (0..source.len()).step_by(from).zip((0..target.len()).step_by(to))
}

/// Writes the lanes at `positions`, one by one.
fn pick_bits((source, from): (&Bits, usize), positions: &Index, (target, to): (&mut Bits, usize)) {
    for (start, at) in copies((source, from), (target, to)) {
        for first in (0..to).step_by(64) {
            let count = 64.min(to - first);
            let position = |i: usize| positions.position((first + i) as u64, from as u64) as usize;
            let bit = |i: usize| u64::from(source.get(start + position(i)));
            let word = (0..count).fold(0, |word, i| word | bit(i) << i);
            target.copy_from(at + first, count, &[word]);
        }
    }
}

/// Fills a range of the target with one of the source again and again, each bit `each` times.
fn repeat_bits(
    (source, range): (&Bits, Range<usize>),
    each: usize,
    (target, filled): (&mut Bits, Range<usize>),
) {
    for tile in filled.step_by(range.len() * each) {
        if each == 1 {
            target.copy_range(tile, source, range.clone());
            continue;
        }
        for (run, from) in (tile..).step_by(each).zip(range.clone()) {
            // Without a branch: bits may be shares.
            let word = 0u64.wrapping_sub(source.get(from).into());
            for first in (0..each).step_by(64) {
                target.copy_from(run + first, 64.min(each - first), &[word]);
            }
        }
    }
}

/// Copies `count` lanes from lane `offset` of each copy (`from` lanes) to lane `at` of each copy of the target (`to` lanes), all packed.
pub fn copy_bit_lanes(
    (source, from, offset): (&Bits, usize, usize),
    (target, to, at): (&mut Bits, usize, usize),
    count: usize,
) {
    if count == from && count == to {
        return target.copy_range(0, source, 0..source.len());
    }
    for (start, start_at) in copies((source, from), (target, to)) {
        target.copy_range(start_at + at, source, start + offset..start + offset + count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gather_acts_in_every_copy_and_bit() {
        // Two bits, two copies of three lanes.
        let source = [1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16];
        let expected = [3, 1, 6, 4, 13, 11, 16, 14];
        for positions in [Index::List(vec![2, 0]), Index::Range { start: 2, step: -2, count: 2 }] {
            let mut target = [0; 8];
            gather(&source, 3, &positions, &mut target, 2);
            assert_eq!(target, expected);
        }
        let mut target = [0; 8];
        gather(&source, 3, &Index::Range { start: 1, step: 1, count: 2 }, &mut target, 2);
        assert_eq!(target, [2, 3, 5, 6, 12, 13, 15, 16]);
        let mut target = [0; 12];
        gather(&[1, 2], 1, &Index::Repeat { each: 3, tiles: 2 }, &mut target, 6);
        assert_eq!(target, [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2]);
    }

    #[test]
    fn every_index_takes_the_lanes_at_its_positions() {
        let repeats = [(1, 1), (1, 3), (2, 1), (3, 2), (64, 1), (65, 2), (130, 1)];
        let repeats = repeats.into_iter().map(|(each, tiles)| Index::Repeat { each, tiles });
        let ranges = [(0, 1, 5), (4, -1, 5), (1, 2, 2)];
        let ranges = ranges.into_iter().map(|(start, step, count)| Index::Range { start, step, count });
        for positions in repeats.chain(ranges).chain([Index::List(vec![4, 4, 0, 2])]) {
            let (from, to) = (5, positions.lanes(5));
            let source: Vec<u64> = (0..from * 3).collect();
            let mut target = vec![0; 3 * to as usize];
            gather(&source, from, &positions, &mut target, to);
            let at = |copy| (0..to).map(move |lane| (copy, lane));
            let lanes = (0..3).flat_map(at).map(|(copy, lane)| copy * from + positions.position(lane, from));
            assert_eq!(target, lanes.collect::<Vec<_>>(), "{positions:?}");
        }
    }

    #[test]
    fn copies_put_lanes_beside_each_other() {
        let mut target = [0; 6];
        copy_lanes((&[1, 2, 3, 4], 2, 0), (&mut target, 3, 1), 2);
        copy_lanes((&[7, 8, 9, 10], 2, 1), (&mut target, 3, 0), 1);
        assert_eq!(target, [8, 1, 2, 10, 3, 4]);
    }

    #[test]
    fn packed_elements_move_as_others_do() {
        let lists = [Index::List(vec![66, 0, 3, 3]), Index::Range { start: 69, step: -1, count: 70 }];
        let ranges = [(3, 1, 65), (1, 3, 20)];
        let ranges = ranges.into_iter().map(|(start, step, count)| Index::Range { start, step, count });
        let repeats = [(2, 1), (1, 1), (1, 3), (3, 2), (64, 1), (65, 2), (130, 1)];
        let repeats = repeats.into_iter().map(|(each, tiles)| Index::Repeat { each, tiles });
        for positions in lists.into_iter().chain(ranges).chain(repeats) {
            let to = positions.lanes(70);
            let source: Vec<bool> = (0..70 * 6).map(|i| i * i % 7 < 3).collect();
            let mut target = vec![false; 6 * to as usize];
            gather(&source, 70, &positions, &mut target, to);
            let mut packed = Bits::from_fn(target.len(), |i| i % 2 == 0);
            gather_bits((&source.iter().copied().collect(), 70), &positions, (&mut packed, to));
            assert_eq!(packed, target.iter().copied().collect());
        }
        for (from, offset, to, at, count) in [(5, 0, 5, 0, 5), (70, 1, 100, 30, 69), (3, 2, 64, 63, 1)] {
            let source: Vec<bool> = (0..from * 4).map(|i| i * i % 5 < 2).collect();
            let mut target: Vec<bool> = (0..to * 4).map(|i| i % 3 == 0).collect();
            let mut packed: Bits = target.iter().copied().collect();
            copy_lanes((&source, from, offset), (&mut target, to, at), count);
            let source = source.into_iter().collect();
            copy_bit_lanes((&source, from, offset), (&mut packed, to, at), count);
            assert_eq!(packed, target.into_iter().collect());
        }
    }
}
