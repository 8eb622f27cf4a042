//! Conversions of words modulo 2^64 among three parties to bits and back. Words are shared in [`GaloisRing`], bits in [`BitOctets`]; in both, a share determines two
//! of three summands.
//!
//! Two parties know each summand, so they have shares of anything computed from it, without a message.

use tacit_math::field::{BitOctets, Field, GaloisRing, Octet};
use zeroize::Zeroizing;

use crate::error::RunError;
use crate::parties::{Parties, PartyIndex};
use crate::program::{Task, Value, mixed};
use crate::protocol::binary::{BinaryField, BitRows, rows_of, set_rows};
use crate::protocol::packed::{copy_bits, unpacked};
use crate::prss::{self, Prss, Purpose};

/// Bits of a word that a party sends for each bit that is converted individually.
pub(crate) const INJECTED_BITS: usize = 2 * GaloisRing::BITS as usize;

/// What a party can send while it would wait for one more message: 8 KiB take 66 µs at 1 Gbit/s.
pub(crate) const ROUND_BITS: usize = 8 * 8192;

/// The first party, which knows the two summands of a bit that are not known to both parties of [`APART`].
const FIRST: PartyIndex = 0;

/// The other two.
const APART: [PartyIndex; 2] = [1, 2];

/// The parties that receive the third summand of a word.
const TOLD: [PartyIndex; 2] = [0, 2];

/// The parties that draw the other two summands.
const DRAWN: [[PartyIndex; 2]; 2] = [[0, 1], [1, 2]];

impl<F: Field> Task<F> {
    /// Two addends of the low bits of words, in consecutive bits at `row · lanes + lane`.
    ///
    /// A party knows the bits of two of a word's three summands, and so has a share of the exclusive or of all three, which is the first addend. The second addend is made of their
    /// carries: for any two summands, some party knows their product.
    ///
    /// Source: Mohassel and Rindal, “ABY3” (CCS 2018), section 5.3. Differs: the carries are sums of local products, so they are passed on as in any product.
    /// Security: perfect, except for the masks of products.
    /// Cost: `low` - 1 products of bits, in one round.
    ///
    /// Errors: there are not three parties, or the computation has ended.
    pub(crate) fn replicated_addends(
        &self,
        words: &Value<GaloisRing>,
        low: usize,
    ) -> Result<[Value<BitOctets>; 2], RunError> {
        let (ring, octets, lanes) = (self.ring()?, self.octets()?, words.len());
        let (all, carries) = (low * lanes, low.saturating_sub(1) * lanes);
        let hash = mixed(0x7270, low as u64);
        let first = octets.carry_shares(ring, words, (BitOctets::words(all), hash), move |shares| {
            let parts = shares.iter().map(|share| GaloisRing.parts(*share));
            let joined = parts.map(|[next, previous]| u128::from(next) | u128::from(previous) << 64);
            bit_shares(&Zeroizing::new(joined.collect::<Vec<_>>()), low)
        })?;
        let count = BitOctets::words(carries);
        let products = octets.form_of((count, carries), hash, &[&first], move |_, given| {
            given[0][..count].iter().map(|share| summand(BitOctets.parts(*share))).collect()
        })?;
        let second = octets.local(BitOctets::words(all), false, hash, &[&products], move |_, given| {
            let mut carried = vec![Octet::default(); BitOctets::words(all)];
            copy_bits(&BitOctets, (given[0], 0), (&mut carried, lanes), carries);
            carried
        })?;
        Ok([first, second])
    }

    /// The low bits of words as two addends that are no shares: the sum of both summands that the first of two parties has, and the summand that the second one has in common with
    /// the third party. These two have them as parts of a share, and zeros otherwise; all others have zeros. The second is the party before the first.
    ///
    /// Cost: no message.
    ///
    /// Errors: there are not three parties, or the computation has ended.
    pub(crate) fn apart_addends(
        &self,
        words: &Value<GaloisRing>,
        low: usize,
        [first, second]: [PartyIndex; 2],
    ) -> Result<[Value<BitOctets>; 2], RunError> {
        let (ring, octets, me) = (self.ring()?, self.octets()?, self.me());
        let form = |hash: u64| (BitOctets::words(low * words.len()), mixed(hash, low as u64));
        let own = octets.carry_shares(ring, words, form(0x7276), move |shares| {
            let sum = shares.iter().map(|share| match GaloisRing.parts(*share) {
                [next, previous] if me == first => next.wrapping_add(previous).into(),
                _ => 0,
            });
            bit_shares(&Zeroizing::new(sum.collect::<Vec<_>>()), low)
        })?;
        let common = octets.carry_shares(ring, words, form(0x7277), move |shares| {
            let summand = shares.iter().map(|share| match GaloisRing.parts(*share) {
                [_, previous] if me == second => u128::from(previous) << 64,
                _ => 0,
            });
            bit_shares(&Zeroizing::new(summand.collect::<Vec<_>>()), low)
        })?;
        Ok([own, common])
    }

    /// Words from bits at `row · lanes + lane`; only the `low` bits of a word count. Missing bits repeat the sign or are zero.
    ///
    /// Cost: bit by bit, or by whole words, which takes fewer bytes and more rounds: whichever is less if a round counts as [`ROUND_BITS`].
    ///
    /// Errors: there are not three parties, or the computation has ended.
    pub(crate) fn replicated_words(
        &self,
        wires: &Value<BitOctets>,
        (size, signed): ((usize, usize), bool),
        low: usize,
    ) -> Result<Value<GaloisRing>, RunError> {
        match is_injected(size, low) {
            true => self.injected_words(wires, (size, signed)),
            false => self.opened_words(wires, (size, signed), low),
        }
    }

    /// Converts bit by bit. The first party knows the exclusive or of two of the three summands of a bit, the others know the third. As words, the exclusive or of these two bits
    /// is their sum less twice their product.
    ///
    /// Source: bit injection, of Araki, Barak, Furukawa, Keller, Lindell, Ohara and Tsuchida, “Generalizing the SPDZ compiler for other protocols” (CCS 2018), section 5.2.
    /// Differs: the first party's word is shared as the summands of products are.
    /// Cost: two products of words for each bit, in two rounds.
    fn injected_words(
        &self,
        wires: &Value<BitOctets>,
        ((bits, lanes), signed): ((usize, usize), bool),
    ) -> Result<Value<GaloisRing>, RunError> {
        let (ring, octets, count, me) = (self.ring()?, self.octets()?, bits * lanes, self.me());
        let own = ring.carry_shares(octets, wires, (count, 0x7271), move |shares| {
            let share = |[next, previous]: [u8; 2]| {
                // The coefficient of a local product is a third.
                let third = GaloisRing.element(3 * u64::from(next ^ previous));
                if me == FIRST { third } else { Default::default() }
            };
            parts_of_bits(shares, count).map(share).collect()
        })?;
        let own = ring.form(count, 0x7272, &[&own], |_, given| given[0].to_vec())?;
        let others = ring.carry_shares(octets, wires, (count, 0x7273), move |shares| {
            let share = |[next, previous]: [u8; 2]| match me {
                FIRST => Default::default(),
                me if me == APART[0] => GaloisRing.share([next.into(), 0]),
                _ => GaloisRing.share([0, previous.into()]),
            };
            parts_of_bits(shares, count).map(share).collect()
        })?;
        let both = ring.mul(&own, &others)?;
        let hash = mixed(0x7274, 2 * bits as u64 + u64::from(signed));
        ring.local(lanes, false, hash, &[&own, &others, &both], move |_, given| {
            let mut words = vec![Default::default(); lanes];
            for row in 0..bits {
                let weight = 1 << row;
                let is_sign = signed && row + 1 == bits;
                let weight = GaloisRing.element(if is_sign { 0u64.wrapping_sub(weight) } else { weight });
                let rows = row * lanes..(row + 1) * lanes;
                let [own, others, both] = [0, 1, 2].map(|which: usize| &given[which][rows.clone()]);
                GaloisRing.add_scaled(&mut words, own, weight);
                GaloisRing.add_scaled(&mut words, others, weight);
                let twice = GaloisRing.mul(weight, GaloisRing.element(u64::MAX - 1));
                GaloisRing.add_scaled(&mut words, both, twice);
            }
            words
        })
    }

    /// Converts whole words: two summands are the negatives of numbers that two parties draw each; the third is the sum of these numbers and the word, which two parties
    /// receive.
    ///
    /// Source: as above, section 5.3; Mohassel and Rindal (CCS 2018), section 5.3.
    /// Security: a party that receives a sum lacks one of the numbers in it.
    /// Cost: the sum of three words in bits, and `low` bits to two parties.
    fn opened_words(
        &self,
        wires: &Value<BitOctets>,
        (size, signed): ((usize, usize), bool),
        low: usize,
    ) -> Result<Value<GaloisRing>, RunError> {
        let (ring, octets, lanes) = (self.ring()?, self.octets()?, size.1);
        let rows = BitRows { rows: low, words: BitOctets::words(lanes) };
        let (first, length) = (self.draw(lanes), rows.rows * rows.words);
        let drawn = DRAWN.map(Parties::from_iter);
        let mut addends = vec![octets.as_rows(wires, size, (low, signed))?];
        for set in drawn {
            let hash = set.iter().fold(0x7275, |hash, party| mixed(hash, party as u64));
            let own =
                move |prss: &Prss<BitOctets>, _: &[&[Octet]]| set_rows(prss, set, (first, low, lanes), rows);
            addends.push(octets.local(length, false, hash, &[], own)?);
        }
        let sum = octets.of_rows(&octets.sum_rows(addends, rows)?, (low, lanes))?;
        let told = Parties::from_iter(TOLD);
        let sum = octets.open_of((&sum, low * lanes), told)?;
        let sum = ring.carry(octets, &sum, (lanes, mixed(0x7276, low as u64)), move |opened| {
            let mut words = Zeroizing::new(vec![0; lanes]);
            for (row, bits) in unpacked(&BitOctets, opened, low * lanes).chunks_exact(lanes).enumerate() {
                words.iter_mut().zip(bits).for_each(|(word, bit)| *word |= u64::from(*bit) << row);
            }
            words.iter().map(|word| GaloisRing.element(*word)).collect()
        })?;
        let hash = mixed(0x7277, low as u64);
        ring.local(lanes, false, hash, &[&sum], move |prss, given| {
            let weight = prss::weight(prss.scheme(), told, prss.me());
            let mut shares: Vec<_> = given[0].iter().map(|sum| GaloisRing.mul(*sum, weight)).collect();
            for set in drawn {
                let numbers = ((Purpose::JOINT, low as u32), (first, lanes), Some(set));
                prss.each_number(numbers.0, numbers.1, numbers.2, |weight, numbers| {
                    for (share, number) in shares.iter_mut().zip(numbers) {
                        let number = GaloisRing.mul(GaloisRing.element(*number as u64), weight);
                        *share = GaloisRing.sub(*share, number);
                    }
                });
            }
            shares
        })
    }
}

/// Whether words of `low` bits are made bit by bit from so many bits in so many lanes.
fn is_injected((bits, lanes): (usize, usize), low: usize) -> bool {
    let levels = low.next_power_of_two().trailing_zeros() as usize;
    let injected = INJECTED_BITS.saturating_mul(bits).saturating_mul(lanes);
    let opened = low.saturating_mul(lanes).saturating_mul(levels + 2);
    injected <= opened.saturating_add((levels + 1) * ROUND_BITS)
}

/// This party's summand of the products of a bit's three parts, for eight bits side by side: the sum of all three parties' summands is the carry of the
/// parts.
fn summand([next, previous]: [u8; 2]) -> Octet {
    BitOctets.bits(next & previous)
}

/// Shares of the exclusive ors of the low bits of words. In each word, the low half is the part in common with the next party, and the high half the part in common
/// with the previous one.
fn bit_shares(parts: &[u128], low: usize) -> Vec<Octet> {
    let (lanes, stride) = (parts.len(), parts.len().div_ceil(64).max(1));
    let rows = rows_of(parts, 128, stride);
    let mut shares = vec![Octet::default(); BitOctets::words(low * lanes)];
    let mut wires = Zeroizing::new(vec![Octet::default(); BitOctets::words(lanes)]);
    for row in 0..low {
        let bits = |row: usize, at: usize| (rows[row * stride + at / 8] >> (at % 8 * 8)) as u8;
        for (at, share) in wires.iter_mut().enumerate() {
            *share = BitOctets.share([bits(row, at), bits(64 + row, at)]);
        }
        copy_bits(&BitOctets, (&wires, 0), (&mut shares, row * lanes), lanes);
    }
    shares
}

/// The parts that a party's shares determine, for the first `count` bits, bit by bit.
fn parts_of_bits(shares: &[Octet], count: usize) -> impl Iterator<Item = [u8; 2]> {
    let parts = move |at: usize| BitOctets.parts(shares[at / 8]).map(|part| part >> (at % 8) & 1);
    (0..count).map(parts)
}

#[cfg(test)]
mod tests {
    use tacit_math::field::Gf256;

    use super::*;
    use crate::prss::tests::ends;
    use crate::runtime::opening_recorder;
    use crate::runtime::simulation::{Simulation, cost};

    /// A number whose bits all equal the last bit of another.
    fn all(bit: u64) -> u64 {
        0u64.wrapping_sub(bit & 1)
    }

    /// The rows of words, as an input of the first party.
    fn rows(task: &Task<Gf256>, words: &[u64], bits: usize) -> Value<BitOctets> {
        let octets = task.octets().expect("three parties");
        let bit = |row: usize| words.iter().map(move |word| (word >> row & 1) as u8);
        let wires: Vec<_> = (0..bits).flat_map(bit).collect();
        let packed = crate::protocol::packed::packed(&BitOctets, &wires);
        let (length, given) = (packed.len(), (task.me() == 0).then_some(packed));
        octets.input_of(0, (length, wires.len()), given).expect("an input")
    }

    #[test]
    fn who_is_told_a_sum_sees_nothing_of_the_word_even_with_all_that_it_draws() {
        let (lanes, low) = (2_000, 16);
        for word in [0, 0xffff, 0x8000, 1] {
            let (mut simulation, tasks) = Simulation::new(&Gf256, 3, 1, 5);
            opening_recorder::start();
            for task in &tasks {
                let wires = rows(task, &vec![word; lanes], low);
                task.replicated_words(&wires, ((low, lanes), false), low).expect("alive");
            }
            simulation.run();
            assert!(simulation.error.is_none(), "{:?}", simulation.error);
            let opened = opening_recorder::take();
            let told: Vec<_> = opened.iter().map(|opening| opening.me).collect();
            assert!(!told.contains(&1) && TOLD.iter().all(|me| told.contains(me)), "{told:?}");
            for me in TOLD {
                let bytes: Vec<_> =
                    opened.iter().filter(|one| one.me == me).flat_map(|one| one.numbers.clone()).collect();
                let bit = |at: usize| (bytes[at / 8] >> (at % 8) & 1) as u64;
                let mut seen = vec![0u64; lanes];
                for (lane, seen) in seen.iter_mut().enumerate() {
                    (0..low).for_each(|row| *seen |= bit(row * lanes + lane) << row);
                }
                // It subtracts what it has drawn itself.
                let keys = ends(&Gf256, 3, 1)[me].derived(0);
                for set in DRAWN.map(Parties::from_iter).into_iter().filter(|set| set.contains(me)) {
                    let numbers = ((Purpose::JOINT, low as u32), (0, lanes), Some(set));
                    keys.each_number(numbers.0, numbers.1, numbers.2, |_, numbers| {
                        seen.iter_mut().zip(numbers).for_each(|(s, n)| *s = s.wrapping_sub(*n as u64));
                    });
                }
                for shift in [0, 7, 13] {
                    let mut counts = [0usize; 8];
                    seen.iter().for_each(|seen| counts[(seen >> shift & 7) as usize] += 1);
                    let chi: f64 = counts.iter().map(|n| (*n as f64 - 250.0).powi(2) / 250.0).sum();
                    assert!(chi < 40.0, "party {me} sees {counts:?} of {word:#x} from bit {shift} on");
                }
            }
        }
    }

    #[test]
    fn what_conversions_send_is_what_they_say() {
        let lanes = 64;
        // An input, and a product of bits for each row except the last.
        let addends = |low: usize| {
            cost(&Gf256, (3, 1), |task| {
                let ring = task.ring()?;
                let given = (task.me() == 0).then(|| vec![GaloisRing.element(all(1)); lanes]);
                let [first, second] = task.replicated_addends(&ring.input(0, lanes, given)?, low)?;
                task.bytes()?.carry(task.octets()?, &task.octets()?.open(&first)?, (1, 0), |_| vec![0])?;
                drop(second);
                task.constant(vec![0])
            })
        };
        for low in [1, 2, 32, 64] {
            let bytes = 8 * lanes + 3 * (low - 1) * lanes / 8 + 3 * low * lanes / 8;
            assert_eq!(addends(low).1, bytes, "{low} bits");
        }
        let words = |bits: usize, low: usize, lanes: usize| {
            cost(&Gf256, (3, 1), |task| {
                let wires = rows(task, &vec![5; lanes], bits);
                task.replicated_words(&wires, ((bits, lanes), false), low)?;
                task.constant(vec![0])
            })
        };
        // A single bit takes two products of words.
        assert_eq!(words(1, 64, lanes), (3, lanes / 8 + 2 * 3 * 8 * lanes));
        // A word takes less than that for each of its bits, but one more round for each level of its sum.
        let (rounds, bytes) = words(64, 64, lanes);
        assert!(
            rounds <= 11 && bytes < 8 * lanes + 64 * 2 * 3 * 8 * lanes / 4,
            "{rounds} rounds, {bytes} bytes"
        );
        // A few words take more bytes, but not so many that the rounds are worth them.
        assert_eq!(words(64, 64, 8), (3, 64 + 2 * 3 * 8 * 64 * 8));
    }
}
