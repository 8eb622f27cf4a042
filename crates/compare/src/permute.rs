//! Random permutations. Neither time nor memory accesses depend on the permutation.

use subtle::{ConditionallySelectable, ConstantTimeEq, ConstantTimeGreater};
use tacit_crypto::Prg;
use zeroize::Zeroizing;

/// Puts each group of pieces of `each` bytes into a random order; the groups' lengths repeat.
pub(crate) fn permute(bytes: &[u8], each: usize, groups: &[usize], prg: &mut Prg) -> Vec<u8> {
    let mut permuted = vec![0; bytes.len()];
    let (mut rest, mut targets) = (bytes, &mut permuted[..]);
    for group in groups.iter().cycle() {
        if rest.is_empty() || group * each == 0 {
            break;
        }
        let length = (group * each).min(rest.len());
        let (now, later) = rest.split_at(length);
        let (target, next) = core::mem::take(&mut targets).split_at_mut(length);
        permute_group(now, each, prg, target);
        (rest, targets) = (later, next);
    }
    permuted
}

/// Sorts by random keys: a piece's place is how many keys are smaller. Cost: all pieces are read for each place.
fn permute_group(bytes: &[u8], each: usize, prg: &mut Prg, target: &mut [u8]) {
    let count = bytes.len() / each;
    let keys = Zeroizing::new((0..count).map(|_| prg.next_u64()).collect::<Vec<_>>());
    for (i, piece) in bytes.chunks_exact(each).enumerate() {
        let smaller = |(j, key): (usize, &u64)| {
            let before = key.ct_eq(&keys[i]) & u64::from(j < i).ct_eq(&1);
            u64::from((keys[i].ct_gt(key) | before).unwrap_u8())
        };
        let place: u64 = keys.iter().enumerate().map(smaller).sum();
        for (j, slot) in target.chunks_exact_mut(each).enumerate() {
            let mask = u8::conditional_select(&0, &u8::MAX, (j as u64).ct_eq(&place));
            slot.iter_mut().zip(piece).for_each(|(slot, byte)| *slot |= byte & mask);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_math::Block;

    #[test]
    fn groups_keep_their_pieces_and_every_order_comes_up() {
        let bytes: Vec<u8> = (0..14).flat_map(|i| [i, i + 100]).collect();
        let mut prg = Prg::new(Block(5));
        let mut places = [[0u32; 3]; 3];
        for _ in 0..3000 {
            let permuted = permute(&bytes, 2, &[3, 4], &mut prg);
            for (range, first) in [(0..6, 0u8), (6..14, 3), (14..20, 7), (20..28, 10)] {
                let mut pieces: Vec<[u8; 2]> =
                    permuted[range].chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
                pieces.sort_unstable();
                assert!(pieces.iter().zip(first..).all(|(pair, i)| *pair == [i, i + 100]));
            }
            for (place, piece) in permuted[..6].chunks_exact(2).enumerate() {
                places[place][usize::from(piece[0])] += 1;
            }
        }
        assert!(places.as_flattened().iter().all(|count| (880..1120).contains(count)), "{places:?}");
    }
}
