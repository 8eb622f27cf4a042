//! Comparison of numbers whose difference is masked perfectly: the mask is uniform modulo N, and sums may wrap around.
//!
//! For x and y of ℓ bits the server has `z = x - y + 2^ℓ + r mod N`, from decrypting a masked ciphertext modulo N or from additive
//! shares modulo N, and the assistant has r. Whether `x ≥ y` is bit ℓ of `z - r`, or of `z - (r - N)` if the
//! sum has wrapped around, so the low bits of z are compared with those of r or of `r - N`. The sum has wrapped around exactly if z is less
//! than half of N (the server's secret bit d) and r is not (which the assistant knows).
//!
//! Source: Veugen, “Improving the DGK comparison protocol” (WIFS 2012), his second improvement, with his correction (2018): where
//! a sum has wrapped around, each bit of r is replaced by that of `r - N` in all terms of a position, and no two differing bits may cancel.
//! Differs: Veugen keeps differing bits with a sign and weights them by powers of two, for which u must be above `3·2^ℓ`. Here the
//! server sends `d·β_i` and `(1 - d)·β_i` for each bit `β_i` of z instead of `β_i` alone, from which the differing bits
//! follow exactly, so u need only be above `3ℓ + 2`. The result is shared as XOR, not encrypted again.

use subtle::{ConditionallySelectable, ConstantTimeGreater};
use tacit_he::PublicKey as _;
use tacit_he::dgk::Ciphertext;
use tacit_math::Wiped;
use tacit_net::Channel;
use zeroize::Zeroizing;

use crate::encrypted::combine;
use crate::job::Job;
use crate::positions::Test;
use crate::server::check_results;
use crate::{Assistant, CompareError, Parameters, Results, Server};

const TEST: Test = Test::Masked { swapped: false };

impl Server {
    /// Compares pairs whose masked differences modulo `modulus` are `numbers`; [`Assistant::compare_masked`] has the masks. Both parties get a
    /// bit for each pair, whose XOR says whether `x ≥ y`.
    ///
    /// Cost: [`crate::Cost::masked`]. Security: semi-honest, and the masks hide perfectly.
    ///
    /// # Errors
    /// [`CompareError::Modulus`] if the modulus is not above `4·2^ℓ`, or a number not below it; those of [`Server::share`].
    pub async fn compare_masked(
        &mut self,
        channel: &mut Channel,
        modulus: u128,
        sums: &[u128],
    ) -> Result<Zeroizing<Vec<bool>>, CompareError> {
        check(&self.parameters, modulus, sums)?;
        let job = job(&self.parameters, &self.identity, modulus, sums.len());
        let bits = self.parameters.bits();
        let mut plains = Vec::with_capacity(job.count * job.request);
        for sum in sums {
            let wrapped = 1 - at_least_half(*sum, modulus);
            plains.push(wrapped);
            plains.extend((0..bits).map(|i| bit(*sum, i) & wrapped));
            plains.extend((0..bits).map(|i| bit(*sum, i) & (1 - wrapped)));
        }
        let zeros = self.ask(channel, &job, &Wiped::from(plains)).await?;
        let own = sums.iter().map(|sum| bit(*sum, bits) == 1);
        let share = |(own, zeros): (bool, &[bool])| own ^ zeros[0] ^ !zeros[1];
        Ok(Zeroizing::new(own.zip(zeros.chunks_exact(2)).map(share).collect()))
    }
}

impl Assistant {
    /// The assistant's end of [`Server::compare_masked`]: `masks` are its r.
    ///
    /// # Errors
    /// As [`Server::compare_masked`].
    pub async fn compare_masked(
        &mut self,
        channel: &mut Channel,
        modulus: u128,
        masks: &[u128],
    ) -> Result<Zeroizing<Vec<bool>>, CompareError> {
        check(&self.parameters, modulus, masks)?;
        let job = job(&self.parameters, &self.identity, modulus, masks.len());
        let secret = Wiped::from(masks.iter().map(|_| self.prg.next_u64() as u32 & 3).collect::<Vec<_>>());
        let request = self.hear(channel, &job).await?;
        let (residues, bits) = (self.parameters.residues(), self.parameters.bits());
        let mut positions = Vec::with_capacity(job.count * job.reply());
        let mut constants = Vec::with_capacity(job.count * job.reply());
        for ((mask, secret), request) in masks.iter().zip(&secret[..]).zip(request.chunks_exact(job.request))
        {
            let mask = Mask::new(*mask, modulus);
            let (order, high) = (secret & 1, secret >> 1);
            self.order(&mask, request, &mut positions)?;
            TEST.constants(residues, bits, order, &mut constants);
            // κ says whether bit ℓ of r - N differs from that of r; d·κ is hidden by a random bit ρ as ρ + d·κ·(1 - 2ρ).
            let factor = mask.differs(bits) * residues.sign(high);
            positions.extend(self.key.multiply_all_short(&request[..1], &[factor], self.threads)?);
            constants.push(high);
        }
        let positions = self.key.add_all_plain(&positions, &Wiped::from(constants), self.threads)?;
        self.answer(channel, &job, &positions, None).await?;
        let share = |(mask, secret): (&u128, &u32)| bit(*mask, bits) ^ (secret & 1) ^ (secret >> 1) == 1;
        Ok(Zeroizing::new(masks.iter().zip(&secret[..]).map(share).collect()))
    }

    /// The positions that show whether the low bits of z are below those of the mask.
    fn order(
        &self,
        mask: &Mask,
        request: &[Ciphertext],
        into: &mut Vec<Ciphertext>,
    ) -> Result<(), CompareError> {
        let (residues, bits) = (self.parameters.residues(), self.parameters.bits());
        let (wrapped, rest) = request.split_at(1);
        let wrapped = vec![wrapped[0].clone(); bits as usize];
        let (of_wrapped, of_plain) = rest.split_at(bits as usize);
        let list = |of: &dyn Fn(u32) -> u32| Wiped::from((0..bits).map(of).collect::<Vec<_>>());
        let multiply = |ciphertexts: &[Ciphertext], factors: &[u32]| {
            self.key.multiply_all_short(ciphertexts, factors, self.threads)
        };
        // w_i = α_i + d·(α'_i - α_i) + d·β_i·(1 - 2α'_i) + (1 - d)·β_i·(1 - 2α_i), α' the bits of r - N.
        let plain = list(&|i| bit(mask.plain, i));
        let change = list(&|i| residues.sub(bit(mask.wrapped, i), bit(mask.plain, i)));
        let changes = multiply(&wrapped, &change)?;
        let first = multiply(of_wrapped, &list(&|i| residues.sign(bit(mask.wrapped, i))))?;
        let second = multiply(of_plain, &list(&|i| residues.sign(bit(mask.plain, i))))?;
        let unequal =
            self.key.add_all(&self.key.add_all(&first, &second, self.threads)?, &changes, self.threads)?;
        let unequal = self.key.add_all_plain(&unequal, &plain, self.threads)?;
        // β_i - α_i - d·(α'_i - α_i).
        let back = multiply(&wrapped, &list(&|i| residues.sub(0, change[i as usize])))?;
        let both = self.key.add_all(of_wrapped, of_plain, self.threads)?;
        let differences = self.key.add_all(&both, &back, self.threads)?;
        let negated = list(&|i| residues.sub(0, plain[i as usize]));
        let differences = self.key.add_all_plain(&differences, &negated, self.threads)?;
        combine(&self.key, TEST, Some(&differences), &unequal, into)
    }
}

/// r, and its replacement if the sum has wrapped around: `r - N`, where r is large enough for wrapping.
struct Mask {
    plain: u128,
    wrapped: u128,
}

impl Mask {
    fn new(mask: u128, modulus: u128) -> Mask {
        let chosen = (at_least_half(mask, modulus) as u8).into();
        Mask { plain: mask, wrapped: u128::conditional_select(&mask, &mask.wrapping_sub(modulus), chosen) }
    }

    /// Whether both differ in bit i.
    fn differs(&self, i: u32) -> u32 {
        bit(self.plain ^ self.wrapped, i)
    }
}

fn bit(number: u128, i: u32) -> u32 {
    (number >> i & 1) as u32
}

/// Whether a number is `(N - 1) / 2` or more, as a bit, in constant time.
fn at_least_half(number: u128, modulus: u128) -> u32 {
    u32::from(number.ct_gt(&((modulus - 1) / 2 - 1)).unwrap_u8())
}

fn check(parameters: &Parameters, modulus: u128, numbers: &[u128]) -> Result<(), CompareError> {
    check_results(parameters, Results::Shared)?;
    if modulus <= 4 << parameters.bits() || numbers.iter().any(|number| *number >= modulus) {
        return Err(CompareError::Modulus { modulus, bits: parameters.bits() });
    }
    Ok(())
}

fn job(parameters: &Parameters, key: &[u8; 32], modulus: u128, count: usize) -> Job {
    let bits = parameters.bits() as usize;
    let what = format!("masked modulo {modulus}");
    Job::other(parameters, key, &what, count, 2 * bits + 1, vec![bits + 1, 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    const BITS: u32 = 3;

    /// How a position treats bits of r where a sum may have wrapped around.
    #[derive(Clone, Copy, PartialEq)]
    enum Positions {
        /// Differing bits with a sign, all of one weight; the position's own bit of r as it is.
        Uncorrected,
        /// The position's own bit is replaced, differing bits still cancel.
        OwnBit,
        /// Differing bits are weighted, the position's own bit is as it is.
        Weights,
        /// Both, but the end adds up signed bits too, so that it may be zero when the sum is -1.
        SmallEnd,
        /// Veugen's correction: both, and the factor 3 in the end.
        Corrected,
        /// The positions of this module.
        Exact,
    }

    /// Whether the low bits of z are below those of the mask, from the zeros among positions over the integers.
    fn below(how: Positions, z: u128, r: u128, modulus: u128, order: i64) -> bool {
        let mask = Mask::new(r, modulus);
        let wrapped = i64::from(1 - at_least_half(z, modulus));
        let of = |number: u128, i: u32| i64::from(bit(number, i));
        let (mut higher, mut zero) = (0, false);
        for i in (0..BITS).rev() {
            let (plain, replaced) = (of(mask.plain, i), of(mask.wrapped, i));
            let own = plain + wrapped * (replaced - plain);
            let used = if matches!(how, Positions::Uncorrected | Positions::Weights) { plain } else { own };
            zero |= 1 - 2 * order + of(z, i) - used + 3 * higher == 0;
            higher += match how {
                Positions::Exact => own ^ of(z, i),
                _ => {
                    let signed = (plain ^ of(z, i)) - if plain == replaced { 0 } else { wrapped };
                    let weighted = !matches!(how, Positions::Uncorrected | Positions::OwnBit);
                    signed << if weighted { i } else { 0 }
                }
            };
        }
        let factor = if how == Positions::Corrected { 3 } else { 1 };
        zero |= 1 - order + factor * higher == 0;
        zero ^ (order == 1)
    }

    fn wrong(how: Positions) -> usize {
        let modulus = 53u128;
        let mut wrong = 0;
        for (x, y) in (0..1 << BITS).flat_map(|x| (0..1 << BITS).map(move |y| (x, y))) {
            for (r, order) in (0..modulus).flat_map(|r| [(r, 0), (r, 1)]) {
                let difference = x + (1 << BITS) - y;
                let z = (difference + r) % modulus;
                let carried = if difference + r >= modulus { r.wrapping_sub(modulus) } else { r };
                let borrow = below(how, z, r, modulus, order);
                let high = bit(z, BITS) ^ bit(carried, BITS) ^ u32::from(borrow);
                wrong += usize::from((high == 1) != (x >= y));
            }
        }
        wrong
    }

    #[test]
    fn the_uncorrected_form_gives_wrong_outputs_and_the_corrected_one_does_not() {
        assert_eq!(wrong(Positions::Exact), 0);
        assert_eq!(wrong(Positions::Corrected), 0);
        for how in [Positions::Uncorrected, Positions::OwnBit, Positions::Weights, Positions::SmallEnd] {
            assert!(wrong(how) > 0);
        }
    }
}
