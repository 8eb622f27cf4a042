//! Signs of differences of which two parties know one summand each, for a third party, who learns the signs and nothing else.
//!
//! The sign of the sum of two words is the exclusive or of their top bits and of the carry out of their lower bits. A carry is there if the lower bits of the one exceed
//! the complement of those of the other. To tell whether a number exceeds another one, consider the prefixes of the one that end before a bit that is 1, and
//! those of the other that end before a bit that is 0: there is exactly one such prefix in common if it does, and none otherwise. Both parties send a tag for each
//! place: of the prefix, or of a number that is no prefix. A tag is an image under a random affine map that both know and that is used once. So two
//! tags of one place are equal if what they stand for is, and otherwise a uniform pair of different elements. Both parties turn the places by the same random number, so that the
//! place of the equal tags means nothing, and exchange their roles at random, which masks the carry.
//!
//! Source: Feige, Kilian and Naor, “A minimal model for secure computation” (STOC 1994), section 2, for such messages of two to a third; Lin and Tzeng, “An efficient
//! solution to the millionaires' problem based on homomorphic encryption” (ACNS 2005), section 3.1, for the prefixes.
//! Security: perfect but for the generator, and for a distance of at most 2^-56 for each difference. The third party must not have the generator's seed.
//! Cost: each of the two sends a word of 64 bits for each bit of a difference, and one bit.

use crate::Prg;
use tacit_math::field::{Field, Gf2e64};
use tacit_math::{Block, Wiped};

/// Differences whose tags are made together; they stay in the processor's nearest cache.
const AT_ONCE: usize = 32;

/// Which of the two parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The one.
    First,
    /// The other one.
    Second,
}

impl Side {
    /// What stands for no prefix: prefixes have fewer bits.
    fn no_prefix(self) -> u64 {
        match self {
            Side::First => u64::MAX,
            Side::Second => u64::MAX - 1,
        }
    }
}

/// Words of a message about `count` differences of so many bits: tags, and one bit for each difference.
pub fn message_words(count: usize, bits: u32) -> usize {
    count * bits as usize + count.div_ceil(64)
}

/// The message of a party about its summands of differences, which is made as it is written.
pub struct Message {
    side: Side,
    bits: u32,
    summands: Wiped<u64>,
    prg: Prg,
    /// Summands whose tags have been made.
    made: usize,
    /// Words that were made last, and how many of them have been written.
    words: Wiped<u64>,
    written: usize,
    /// One bit for each summand.
    tops: Wiped<u64>,
    random: Wiped<Block>,
    factors: Wiped<u64>,
}

impl Message {
    /// The message about summands of differences that fit signed words of `bits` bits, 2 to 64; higher bits of summands do not count. Both parties' generators have the same
    /// seed, which is used once.
    ///
    /// Security: the summands are secret; constant time.
    pub fn new(side: Side, summands: Wiped<u64>, bits: u32, prg: Prg) -> Message {
        let (places, count) = (bits as usize, summands.len());
        Message {
            side,
            bits,
            prg,
            made: 0,
            words: Wiped::default(),
            written: 0,
            tops: Wiped::from(vec![0; count.div_ceil(64)]),
            random: Wiped::blocks(AT_ONCE * (places + 1)),
            factors: Wiped::from(vec![0; AT_ONCE * places]),
            summands,
        }
    }

    /// Writes the next words, least significant byte first; returns whether there are so many.
    ///
    /// Cost: for each bit of a difference an AES call and a product in GF(2^64).
    pub fn write(&mut self, mut room: &mut [[u8; 8]]) -> bool {
        while !room.is_empty() {
            if self.written == self.words.len() && !self.make() {
                return false;
            }
            let words = &self.words[self.written..];
            let count = words.len().min(room.len());
            let (now, rest) = room.split_at_mut(count);
            now.iter_mut().zip(words).for_each(|(room, word)| *room = word.to_le_bytes());
            (self.written, room) = (self.written + count, rest);
        }
        true
    }

    /// Makes the next words; returns whether there are more.
    fn make(&mut self) -> bool {
        self.written = 0;
        let (places, left) = (self.bits as usize, self.summands.len() - self.made);
        if left == 0 {
            self.words = std::mem::take(&mut self.tops);
            return !self.words.is_empty();
        }
        let count = left.min(AT_ONCE);
        if self.words.len() != count * places {
            self.words = Wiped::from(vec![0; count * places]);
        }
        self.make_tags(count);
        self.made += count;
        true
    }

    /// Makes the tags of so many differences.
    fn make_tags(&mut self, count: usize) {
        let places = self.bits as usize;
        let random = &mut self.random[..count * (places + 1)];
        self.prg.fill(random);
        let (tags, factors) = (&mut self.words[..], &mut self.factors[..count * places]);
        let each = || random.chunks_exact(places + 1);
        let rows = tags.chunks_exact_mut(places).zip(factors.chunks_exact_mut(places));
        for (number, (random, (tags, factors))) in (self.made..).zip(each().zip(rows)) {
            let top = symbols(self.side, (self.summands[number], self.bits), random[0], tags);
            self.tops[number / 64] |= top << (number % 64);
            for (factor, random) in factors.iter_mut().zip(&random[1..]) {
                *factor = not_zero(random.0 as u64);
            }
        }
        Gf2e64.mul_assign(tags, factors);
        for (random, tags) in each().zip(tags.chunks_exact_mut(places)) {
            tags.iter_mut().zip(&random[1..]).for_each(|(tag, random)| *tag ^= (random.0 >> 64) as u64);
        }
    }
}

/// The number, or one instead of zero.
fn not_zero(number: u64) -> u64 {
    number | ((number | number.wrapping_neg()) >> 63 ^ 1)
}

/// Writes what the tags of a difference stand for, at places that are turned, and returns the masked top bit.
fn symbols(side: Side, (summand, bits): (u64, u32), Block(random): Block, symbols: &mut [u64]) -> u64 {
    let (exchanged, mask, turned) = (random as u64 & 1, random as u64 >> 1 & 1, (random >> 64) as u64);
    // Uniform below the number of places, but for a distance of at most 2^-58.
    let turned = ((u128::from(turned) * u128::from(bits)) >> 64) as u64;
    let (top, most) = (summand >> (bits - 1) & 1, (1 << (bits - 1)) - 1);
    let low = summand & most;
    // With one more bit, which differs, so do the numbers.
    let (number, ends, top) = match side {
        Side::First => (low << 1, 1 ^ exchanged, top ^ exchanged ^ mask),
        Side::Second => ((most - low) << 1 | 1, exchanged, top ^ mask),
    };
    let (mut from, mut before_first) = (number >> turned, u64::from(bits) - turned);
    for symbol in symbols {
        let kept = ((from ^ ends ^ 1) & 1).wrapping_neg();
        *symbol = from >> 1 & kept | side.no_prefix() & !kept;
        before_first -= 1;
        let is_first = (before_first.wrapping_sub(1) >> 63).wrapping_neg();
        from = from >> 1 & !is_first | number & is_first;
        before_first |= u64::from(bits) & is_first;
    }
    top
}

/// For each of `count` differences, whether it is negative, a 1 or a 0, from the exclusive or of both parties' messages; `None` if this has another length.
pub fn negative(both: &[u64], count: usize, bits: u32) -> Option<Wiped<u64>> {
    let (tags, tops) = both.split_at_checked(count * bits as usize)?;
    if both.len() != message_words(count, bits) {
        return None;
    }
    let signs = tags.chunks_exact(bits as usize).enumerate().map(|(number, differences)| {
        let differ = differences
            .iter()
            .fold(1, |all, difference| all & (difference | difference.wrapping_neg()) >> 63);
        1 ^ differ ^ tops[number / 64] >> (number % 64) & 1
    });
    Some(Wiped::from(signs.collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A whole message, written in pieces.
    fn message(side: Side, summands: &[u64], bits: u32, prg: Prg) -> Wiped<u64> {
        let mut message = Message::new(side, Wiped::from(summands.to_vec()), bits, prg);
        let mut bytes = vec![[0; 8]; message_words(summands.len(), bits)];
        let third = 1 + bytes.len() / 3;
        assert!(bytes.chunks_mut(third).all(|room| message.write(room)));
        assert!(!message.write(&mut [[0; 8]]), "it has ended");
        Wiped::from(bytes.into_iter().map(u64::from_le_bytes).collect::<Vec<_>>())
    }

    fn xored(one: &[u64], other: &[u64]) -> Vec<u64> {
        one.iter().zip(other).map(|(one, other)| one ^ other).collect()
    }

    /// Splits differences into two summands, and returns both messages.
    fn messages(differences: &[i64], bits: u32, seed: u128) -> [Wiped<u64>; 2] {
        let mut split = Prg::new(Block(seed));
        let first: Vec<u64> = differences.iter().map(|_| split.next_u64()).collect();
        let second: Vec<_> =
            differences.iter().zip(&first).map(|(d, one)| (*d as u64).wrapping_sub(*one)).collect();
        [(Side::First, first), (Side::Second, second)]
            .map(|(side, summands)| message(side, &summands, bits, Prg::new(Block(seed + 1))))
    }

    #[test]
    fn signs_are_those_of_differences() {
        for bits in 2..=64 {
            let most = (u64::MAX >> (65 - bits)) as i64;
            let mut differences = vec![0, 1, -1, most, -most, -most - 1, most / 2, 2 % most.max(2)];
            let mut prg = Prg::new(Block(bits.into()));
            differences.extend((0..200).map(|_| prg.next_u64() as i64 >> (64 - bits)));
            for seed in 0..10 {
                let [one, other] = messages(&differences, bits, seed);
                let signs = negative(&xored(&one, &other), differences.len(), bits).expect("both messages");
                for (difference, sign) in differences.iter().zip(signs.iter()) {
                    assert_eq!(*sign == 1, *difference < 0, "{difference}, {bits} bits, seed {seed}");
                }
            }
        }
    }

    #[test]
    fn messages_of_another_length_are_refused() {
        let [one, other] = messages(&[1, 2, 3], 9, 1);
        let both = xored(&one, &other);
        assert!(negative(&both[1..], 3, 9).is_none() && negative(&both, 4, 9).is_none());
        assert!(negative(&both, 2, 9).is_none() && negative(&both, 3, 9).is_some());
    }

    /// What the third party sees of many equal differences: which place has equal tags, if any, whether carries and top bits are set, and the ones at a few bits
    /// of tags.
    fn seen(difference: i64, bits: u32, first: u64) -> Vec<usize> {
        let count = 40_000;
        let summands = [first, (difference as u64).wrapping_sub(first)].map(|summand| vec![summand; count]);
        let sides = [Side::First, Side::Second];
        let [one, other] = [0, 1].map(|which: usize| {
            message(sides[which], &summands[which], bits, Prg::new(Block(u128::from(first) + 7)))
        });
        let mut counts = vec![0; bits as usize + 1 + 2 + 8];
        for number in 0..count {
            let at = |message: &[u64], place: usize| message[number * bits as usize + place];
            let equal: Vec<_> =
                (0..bits as usize).filter(|place| at(&one, *place) == at(&other, *place)).collect();
            assert!(equal.len() <= 1, "{equal:?}");
            counts[equal.first().copied().unwrap_or(bits as usize)] += 1;
            let top = |message: &[u64]| {
                (message[count * bits as usize + number / 64] >> (number % 64) & 1) as usize
            };
            counts[bits as usize + 1] += top(&one);
            counts[bits as usize + 2] += top(&other);
            for bit in 0..4 {
                let place = number % bits as usize;
                counts[bits as usize + 3 + bit] += (at(&one, place) >> (17 * bit) & 1) as usize;
                counts[bits as usize + 7 + bit] +=
                    ((at(&one, place) ^ at(&other, place)) >> (17 * bit) & 1) as usize;
            }
        }
        counts
    }

    #[test]
    fn what_the_third_party_sees_depends_on_signs_alone() {
        let bits = 5;
        for (difference, first) in [(0, 0), (3, 29), (15, 8), (-1, 0), (-16, 16), (-7, 31), (9, 17)] {
            let counts = seen(difference, bits, first);
            let near = |count: usize, expected: f64| {
                let off = (count as f64 - expected).abs() / expected.sqrt();
                assert!(off < 5.5, "{difference} from {first}: {counts:?}");
            };
            // Tags are equal for one of two, wherever they are.
            counts[..5].iter().for_each(|count| near(*count, 4000.0));
            near(counts[5], 20_000.0);
            counts[6..12].iter().for_each(|count| near(*count, 20_000.0));
            // A tenth of these places have equal tags.
            counts[12..].iter().for_each(|count| near(*count, 18_000.0));
        }
    }
}
