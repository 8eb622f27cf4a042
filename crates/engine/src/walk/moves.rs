//! Steps that only move elements: pure functions over wire-major bundles.
//!
//! Element `lane` of bit `bit` of a bundle stands at `bit · lanes · copies + lane`, where lanes run instance after
//! instance when a body runs in several copies side by side.

use tacit_ir::Index;

/// Writes, for every bit and every copy, the lanes at `positions` of `source` (`from` lanes a copy) to `target`
/// (`to` lanes a copy).
pub(super) fn gather<T: Copy>(source: &[T], from: u64, positions: &Index, target: &mut [T], to: u64) {
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
            other => {
                for (lane, element) in target.iter_mut().enumerate() {
                    *element = source[other.position(lane as u64, from) as usize];
                }
            }
        }
    }
}

/// Copies `count` lanes from lane `offset` of each copy (`from` lanes) to lane `at` of each copy of `target`
/// (`to` lanes).
pub(super) fn copy_lanes<T: Copy>(
    (source, from, offset): (&[T], usize, usize),
    (target, to, at): (&mut [T], usize, usize),
    count: usize,
) {
    for (source, target) in source.chunks_exact(from).zip(target.chunks_exact_mut(to)) {
        target[at..at + count].copy_from_slice(&source[offset..offset + count]);
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
    fn copies_put_lanes_beside_each_other() {
        let mut target = [0; 6];
        copy_lanes((&[1, 2, 3, 4], 2, 0), (&mut target, 3, 1), 2);
        copy_lanes((&[7, 8, 9, 10], 2, 1), (&mut target, 3, 0), 1);
        assert_eq!(target, [8, 1, 2, 10, 3, 4]);
    }
}
