//! Shamir's secret sharing.

use std::sync::{Arc, OnceLock};

use tacit_crypto::Prg;
use tacit_math::field::Field;
use tacit_math::zeros;
use zeroize::{Zeroize, Zeroizing};

use crate::error::SharingError;
use crate::parties::{Parties, PartyIndex};
use crate::randomness::Randomness;
use crate::security::Security;

/// Shamir's scheme for n parties and threshold t over a field.
///
/// Source: Shamir, “How to share a secret” (CACM 22, 1979).
/// Security: perfect against t parties.
#[derive(Clone, Debug)]
pub struct Scheme<F: Field> {
    field: F,
    threshold: usize,
    points: Vec<F::Element>,
    randomness: Randomness,
    security: Security,
    /// Computed on first use.
    sets: OnceLock<Arc<[Parties]>>,
}

impl<F: Field> Scheme<F> {
    /// The scheme of `parties` parties.
    ///
    /// Errors: the threshold is 0 or at least half of the parties, or the field does not have more elements than there are
    /// parties.
    pub fn new(field: F, parties: usize, threshold: usize) -> Result<Self, SharingError> {
        if threshold == 0 || 2 * threshold >= parties {
            return Err(SharingError::Threshold { parties, threshold });
        }
        match field.order()[..] {
            [order] if order <= parties as u64 => Err(SharingError::SmallField { parties, order }),
            _ => {
                let points = (1..=parties as u64).map(|point| field.point(point)).collect();
                let randomness = Randomness::of(parties, threshold);
                let security = Security::Passive;
                Ok(Scheme { field, threshold, points, randomness, security, sets: OnceLock::new() })
            }
        }
    }

    /// The field.
    pub fn field(&self) -> &F {
        &self.field
    }

    /// The number of parties.
    pub fn parties(&self) -> usize {
        self.points.len()
    }

    /// The threshold t.
    pub fn threshold(&self) -> usize {
        self.threshold
    }

    /// The source of random sharings.
    pub fn randomness(&self) -> Randomness {
        self.randomness
    }

    /// The same with another source of random sharings, which must be the same at all parties.
    #[must_use]
    pub fn with_randomness(self, randomness: Randomness) -> Self {
        Scheme { randomness, sets: OnceLock::new(), ..self }
    }

    /// The security of computations with this scheme.
    pub fn security(&self) -> Security {
        self.security
    }

    /// Whether parties may depart from the protocol.
    pub(crate) fn is_active(&self) -> bool {
        self.security == Security::Active
    }

    /// The same with this security. Where parties may depart from the protocol, random sharings come from common keys, which no party can falsify.
    #[must_use]
    pub fn with_security(self, security: Security) -> Self {
        match security {
            Security::Passive => Scheme { security, ..self },
            Security::Active => Scheme { security, ..self.with_randomness(Randomness::CommonKeys) },
        }
    }

    /// The sets of parties that have keys in common, as [`Randomness::key_sets`] lists them. They are computed once for a
    /// scheme and its clones.
    ///
    /// Errors: as there.
    pub fn sets(&self) -> Result<Arc<[Parties]>, SharingError> {
        if let Some(sets) = self.sets.get() {
            return Ok(sets.clone());
        }
        let sets = self.randomness.key_sets(self.parties(), self.threshold)?;
        Ok(self.sets.get_or_init(|| sets.into()).clone())
    }

    /// The point of a party.
    pub fn point(&self, party: PartyIndex) -> F::Element {
        self.points[party]
    }

    /// Shares of degree t of each secret: one vector for each party. The secrets must stay secret.
    pub fn share(&self, secrets: &[F::Element], prg: &mut Prg) -> Vec<Vec<F::Element>> {
        let n = secrets.len();
        let mut shares = vec![secrets.to_vec(); self.parties()];
        let mut bytes = Zeroizing::new(vec![0; n * self.field.uniform_bytes()]);
        let mut coefficients = Zeroizing::new(zeros(n));
        let mut powers = self.points.clone();
        for _ in 0..self.threshold {
            prg.fill_bytes(&mut bytes);
            self.field.uniform_all(&bytes, &mut coefficients);
            for (shares, power) in shares.iter_mut().zip(&powers) {
                self.field.add_scaled(shares, &coefficients, *power);
            }
            self.field.mul_assign(&mut powers, &self.points);
        }
        shares
    }

    /// Coefficients of the shares of `parties`, whose sum is the value of their polynomial at `at`; its degree is below
    /// their number.
    ///
    /// Errors: a party appears twice or does not take part.
    pub fn lagrange(&self, parties: &[PartyIndex], at: F::Element) -> Result<Vec<F::Element>, SharingError> {
        let repeated = (1..parties.len()).any(|i| parties[..i].contains(&parties[i]));
        if repeated || parties.iter().any(|party| *party >= self.parties()) {
            return Err(SharingError::Shares { given: 0, needed: parties.len() });
        }
        Ok(parties.iter().map(|party| self.basis(*party, parties, at)).collect())
    }

    /// The value at `at` of the polynomial that is 1 at `party` and 0 at the other `parties`.
    fn basis(&self, party: PartyIndex, parties: &[PartyIndex], at: F::Element) -> F::Element {
        let field = &self.field;
        let (mut above, mut below) = (field.one(), field.one());
        for other in parties.iter().filter(|other| **other != party) {
            above = field.mul(above, field.sub(at, self.points[*other]));
            below = field.mul(below, field.sub(self.points[party], self.points[*other]));
        }
        field.mul(above, field.inverse(below))
    }

    /// Secrets from shares of this degree, given for each party with its shares of all values. Shares beyond those of degree + 1
    /// parties are checked against the others.
    ///
    /// Errors: there are too few shares, a party is repeated, or shares contradict each other.
    pub fn open(
        &self,
        shares: &[(PartyIndex, &[F::Element])],
        degree: usize,
    ) -> Result<Vec<F::Element>, SharingError> {
        let needed = degree + 1;
        let count = shares.first().map_or(0, |(_, first)| first.len());
        if shares.len() < needed || shares.iter().any(|(_, shares)| shares.len() != count) {
            return Err(SharingError::Shares { given: shares.len(), needed });
        }
        let parties: Vec<_> = shares.iter().map(|(party, _)| *party).collect();
        let zero = F::Element::default();
        let values = self.interpolate(&shares[..needed], &self.lagrange(&parties[..needed], zero)?);
        for (party, given) in &shares[needed..] {
            let coefficients = self.lagrange(&parties[..needed], self.points[*party])?;
            let mut expected = self.interpolate(&shares[..needed], &coefficients);
            let wrong = expected.iter().zip(*given).position(|(a, b)| a != b);
            expected.zeroize();
            if let Some(position) = wrong {
                return Err(SharingError::Inconsistent { position, degree });
            }
        }
        Ok(values)
    }

    fn interpolate(
        &self,
        shares: &[(PartyIndex, &[F::Element])],
        coefficients: &[F::Element],
    ) -> Vec<F::Element> {
        let mut values = zeros(shares[0].1.len());
        for ((_, shares), coefficient) in shares.iter().zip(coefficients) {
            self.field.add_scaled(&mut values, shares, *coefficient);
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use tacit_math::Block;
    use tacit_math::field::{Gf256, Mersenne61, Montgomery};

    use super::*;

    fn opens_from_any_shares<F: Field>(field: F) {
        for (parties, threshold) in [(3, 1), (4, 1), (5, 1), (5, 2), (7, 3)] {
            let scheme = Scheme::new(field.clone(), parties, threshold).expect("a scheme");
            let secrets: Vec<_> = (0..20).map(|value| field.element(value * value)).collect();
            let shares = scheme.share(&secrets, &mut Prg::new(Block(parties as u128)));
            for first in 0..parties {
                let chosen: Vec<_> = (0..=threshold).map(|i| (first + i) % parties).collect();
                let given: Vec<_> = chosen.iter().map(|party| (*party, &shares[*party][..])).collect();
                assert_eq!(scheme.open(&given, threshold).as_ref(), Ok(&secrets));
            }
        }
    }

    #[test]
    fn any_t_plus_1_shares_open() {
        opens_from_any_shares(Mersenne61);
        opens_from_any_shares(Gf256);
        opens_from_any_shares(Montgomery::<1>::new(&[11]).expect("odd"));
        opens_from_any_shares(Montgomery::<4>::new(&[u64::MAX - 58, 0, 0, 0]).expect("odd"));
    }

    #[test]
    fn a_wrong_share_is_noticed_and_named() {
        let scheme = Scheme::new(Mersenne61, 3, 1).expect("a scheme");
        let mut shares = scheme.share(&[5, 6, 7], &mut Prg::new(Block(1)));
        shares[2][1] ^= 1;
        let given: Vec<_> = shares.iter().enumerate().map(|(i, shares)| (i, &shares[..])).collect();
        assert_eq!(scheme.open(&given, 1), Err(SharingError::Inconsistent { position: 1, degree: 1 }));
    }

    #[test]
    fn one_share_says_nothing() {
        // In a field of 5 elements, each share of each secret occurs about equally often.
        let field = Montgomery::<1>::new(&[5]).expect("odd");
        let scheme = Scheme::new(field, 3, 1).expect("a scheme");
        for secret in 0..5 {
            let shares = scheme.share(&vec![field.element(secret); 50_000], &mut Prg::new(Block(9)));
            for party in &shares {
                for value in 0..5 {
                    let seen = party.iter().filter(|share| **share == field.element(value)).count();
                    assert!((9_500..10_500).contains(&seen), "share {value} of {secret}: {seen} of 50000");
                }
            }
        }
    }

    #[test]
    fn what_cannot_work_is_refused() {
        assert!(matches!(Scheme::new(Mersenne61, 2, 1), Err(SharingError::Threshold { .. })));
        assert!(matches!(Scheme::new(Mersenne61, 4, 2), Err(SharingError::Threshold { .. })));
        assert!(matches!(Scheme::new(Mersenne61, 3, 0), Err(SharingError::Threshold { .. })));
        let three = Montgomery::<1>::new(&[3]).expect("odd");
        assert!(matches!(Scheme::new(three, 3, 1), Err(SharingError::SmallField { order: 3, .. })));
        let scheme = Scheme::new(Mersenne61, 3, 1).expect("a scheme");
        assert_eq!(scheme.open(&[(0, &[1][..])], 1), Err(SharingError::Shares { given: 1, needed: 2 }));
        assert!(scheme.open(&[(0, &[1][..]), (0, &[1][..])], 1).is_err());
        assert!(scheme.open(&[(0, &[1][..]), (3, &[1][..])], 1).is_err());
    }
}
