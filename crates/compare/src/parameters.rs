//! The parameters on which both servers and all clients agree.

use tacit_he::dgk::{self, ModulusSize, Plaintexts};

use crate::CompareError;
use crate::constants::{MAX_BITS, SOUNDNESS_BITS};
use crate::residues::Residues;

/// Who may learn results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Results {
    /// The server learns them.
    Revealed,
    /// Results may also stay secret: each server has a bit, and the XOR of both is the result.
    Shared,
}

/// Sizes of the key, of numbers, and of the plaintext space in which sums of shares are exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    key: dgk::Parameters,
    bits: u32,
    results: Results,
    residues: Residues,
}

impl Parameters {
    /// Parameters to compare numbers of `bits` bits, 1 to 64, under a key with subgroups of `subgroup_bits` bits (the paper's t: 224
    /// with [`ModulusSize::MEDIUM`], 256 with [`ModulusSize::LONG`]), with the smallest u that makes all decisions right.
    ///
    /// # Errors
    /// [`CompareError::Bits`]; [`CompareError::He`] for a key that is too small.
    pub fn new(
        size: ModulusSize,
        subgroup_bits: u32,
        bits: u32,
        results: Results,
    ) -> Result<Parameters, CompareError> {
        let plaintexts = Plaintexts::Prime(smallest_plaintexts(bits, results)?);
        Parameters::of(dgk::Parameters::new(size, subgroup_bits, plaintexts)?, bits, results)
    }

    /// As [`Parameters::new`], with subgroups of any size, to repeat published measurements or to test.
    ///
    /// # Errors
    /// As [`Parameters::new`].
    pub fn insecure(
        size: ModulusSize,
        subgroup_bits: u32,
        bits: u32,
        results: Results,
    ) -> Result<Parameters, CompareError> {
        let plaintexts = Plaintexts::Prime(smallest_plaintexts(bits, results)?);
        Parameters::of(dgk::Parameters::insecure(size, subgroup_bits, plaintexts)?, bits, results)
    }

    /// Parameters for a key that also serves other purposes.
    ///
    /// # Errors
    /// [`CompareError::Bits`]; [`CompareError::Plaintexts`] unless the key's plaintexts are the integers modulo a prime u
    /// below 256 that is above `bits + 2`, or `3·bits + 2` for shared results: with fewer, sums could wrap around to zero.
    pub fn of(key: dgk::Parameters, bits: u32, results: Results) -> Result<Parameters, CompareError> {
        let least = least_plaintexts(bits, results)?;
        let plaintexts = match key.plaintexts() {
            Plaintexts::Prime(u) => u,
            Plaintexts::PowerOfTwo(_) => 0,
        };
        if plaintexts <= least || plaintexts > 255 {
            return Err(CompareError::Plaintexts { plaintexts, bits, least });
        }
        Ok(Parameters { key, bits, results, residues: Residues::new(plaintexts) })
    }

    /// The same parameters for numbers of another length.
    ///
    /// # Errors
    /// As [`Parameters::of`].
    pub fn with_bits(self, bits: u32) -> Result<Parameters, CompareError> {
        Parameters::of(self.key, bits, self.results)
    }

    /// The key's parameters.
    pub fn key(&self) -> dgk::Parameters {
        self.key
    }

    /// Bits of the numbers: the paper's ℓ.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Whether results may be shared.
    pub fn results(&self) -> Results {
        self.results
    }

    /// u: the number of plaintexts, and of possible values of a share.
    pub fn plaintexts(&self) -> u32 {
        self.residues.modulus()
    }

    /// Bytes of a ciphertext.
    pub fn ciphertext_bytes(&self) -> usize {
        self.key.size().bits() as usize / 8
    }

    /// How often a submission is tested, so that a wrong one passes with a probability of at most 2^-40.
    pub fn repetitions(&self) -> usize {
        let u = u64::from(self.plaintexts());
        let (mut power, mut count) = (1u64, 0);
        while power < 1 << SOUNDNESS_BITS {
            power *= u;
            count += 1;
        }
        count
    }

    /// Checks that each number of a list has at most the agreed number of bits.
    pub(crate) fn check_numbers(&self, what: &'static str, numbers: &[u64]) -> Result<(), CompareError> {
        let high = |number: &u64| self.bits < 64 && number >> self.bits != 0;
        match numbers.iter().position(high) {
            Some(index) => Err(CompareError::Range { what, index, bits: self.bits }),
            None => Ok(()),
        }
    }

    pub(crate) fn residues(&self) -> Residues {
        self.residues
    }

    /// The bits of a number, lowest first.
    pub(crate) fn bits_of(&self, number: u64) -> impl Iterator<Item = u32> {
        (0..self.bits).map(move |i| (number >> i & 1) as u32)
    }

    /// The parameters as bytes that both servers compare.
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        let numbers = [self.key.size().bits(), self.key.subgroup_bits(), self.plaintexts(), self.bits];
        let shared = u8::from(self.results == Results::Shared);
        numbers.into_iter().flat_map(u32::to_le_bytes).chain([shared]).collect()
    }
}

/// The bound that u must exceed.
fn least_plaintexts(bits: u32, results: Results) -> Result<u32, CompareError> {
    if !(1..=MAX_BITS).contains(&bits) {
        return Err(CompareError::Bits(bits));
    }
    Ok(match results {
        Results::Revealed => bits + 2,
        Results::Shared => 3 * bits + 2,
    })
}

/// The smallest prime above [`least_plaintexts`].
fn smallest_plaintexts(bits: u32, results: Results) -> Result<u32, CompareError> {
    let least = least_plaintexts(bits, results)?;
    let prime = |number: &u32| (2..*number).all(|factor| !number.is_multiple_of(factor));
    Ok((least + 1..).find(prime).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size() -> ModulusSize {
        ModulusSize::insecure(512).unwrap()
    }

    #[test]
    fn plaintexts_are_the_papers() {
        let u = |bits, results| Parameters::insecure(size(), 64, bits, results).unwrap().plaintexts();
        assert_eq!([u(16, Results::Revealed), u(32, Results::Revealed)], [19, 37]);
        assert_eq!([u(16, Results::Shared), u(64, Results::Shared), u(1, Results::Shared)], [53, 197, 7]);
    }

    #[test]
    fn plaintexts_that_could_wrap_are_refused() {
        let of = |u, bits, results| {
            let key = dgk::Parameters::insecure(size(), 64, Plaintexts::Prime(u)).unwrap();
            Parameters::of(key, bits, results)
        };
        assert!(of(19, 16, Results::Revealed).is_ok());
        let refused = of(17, 16, Results::Revealed);
        assert!(matches!(refused, Err(CompareError::Plaintexts { plaintexts: 17, bits: 16, least: 18 })));
        assert!(matches!(of(47, 16, Results::Shared), Err(CompareError::Plaintexts { least: 50, .. })));
        assert!(matches!(of(257, 16, Results::Shared), Err(CompareError::Plaintexts { .. })));
        let power = dgk::Parameters::insecure(size(), 64, Plaintexts::PowerOfTwo(8)).unwrap();
        assert!(matches!(Parameters::of(power, 4, Results::Revealed), Err(CompareError::Plaintexts { .. })));
    }

    #[test]
    fn lengths_and_short_keys_are_refused() {
        for bits in [0, 65, u32::MAX] {
            let refused = Parameters::insecure(size(), 64, bits, Results::Shared);
            assert!(matches!(refused, Err(CompareError::Bits(given)) if given == bits));
        }
        let short = Parameters::new(ModulusSize::MEDIUM, 160, 16, Results::Revealed);
        assert!(matches!(short, Err(CompareError::He(_))));
    }

    #[test]
    fn repetitions_reach_the_soundness() {
        let repetitions =
            |bits| Parameters::insecure(size(), 64, bits, Results::Revealed).unwrap().repetitions();
        assert_eq!([repetitions(16), repetitions(1)], [10, 18]);
    }
}
