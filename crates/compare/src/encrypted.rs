//! Positions of comparisons whose right numbers are not public, under encryption.
//!
//! Source: DGK, “Efficient and secure comparison for on-line auctions” (ACISP 2007), for private numbers. For sealed ones the product
//! of shares at different servers is a power: `(a + b)(a' + b')` needs `E(a)^b' · E(a')^b`. Differs from the paper's extension,
//! which multiplies in a separate protocol before: here multiplying takes ciphertexts and no further round.

use tacit_he::dgk::{Ciphertext, PublicKey};
use tacit_he::{PublicKey as _, Threads};
use tacit_math::Wiped;

use crate::positions::{Sign, Test};
use crate::{CompareError, Half, Parameters};

/// The server's ciphertexts, and the differing bits computed from them.
pub(crate) struct Encrypted<'a> {
    parameters: &'a Parameters,
    key: &'a PublicKey,
    threads: Threads,
    /// Encryptions of the server's shares of the left bits; of the right ones, if it has any.
    left: Vec<Ciphertext>,
    right: Option<Vec<Ciphertext>>,
    /// This party's shares of `d_i`.
    own: Wiped<u32>,
    /// Encryptions of `w_i`.
    unequal: Vec<Ciphertext>,
}

impl<'a> Encrypted<'a> {
    /// Private numbers: `w_i = l_i·(1 - 2·r_i) + r_i`.
    pub fn private(
        parameters: &'a Parameters,
        key: &'a PublicKey,
        threads: Threads,
        request: &[Ciphertext],
        numbers: &[u64],
    ) -> Result<Encrypted<'a>, CompareError> {
        let residues = parameters.residues();
        let own: Vec<u32> = numbers.iter().flat_map(|number| parameters.bits_of(*number)).collect();
        let own = Wiped::from(own);
        let signs = Wiped::from(own.iter().map(|bit| residues.sign(*bit)).collect::<Vec<_>>());
        let unequal = key.multiply_all_short(request, &signs, threads)?;
        let unequal = key.add_all_plain(&unequal, &own, threads)?;
        Ok(Encrypted { parameters, key, threads, left: request.to_vec(), right: None, own, unequal })
    }

    /// Sealed numbers: `w_i = (a + a' - 2aa') - 2ab' - 2a'b + (b + b' - 2bb')`, whose first term the server sent.
    pub fn sealed(
        parameters: &'a Parameters,
        key: &'a PublicKey,
        threads: Threads,
        request: &[Ciphertext],
        left: &[Half],
        right: &[Half],
    ) -> Result<Encrypted<'a>, CompareError> {
        let residues = parameters.residues();
        let bits = parameters.bits() as usize;
        let part = |i: usize| -> Vec<Ciphertext> {
            request.chunks_exact(3 * bits).flat_map(|chunk| chunk[i * bits..][..bits].to_vec()).collect()
        };
        let shares = |halves: &[Half]| {
            Wiped::from(
                halves.iter().flat_map(|half| half.shares().collect::<Vec<_>>()).collect::<Vec<u32>>(),
            )
        };
        let (left_own, right_own) = (shares(left), shares(right));
        let minus_two = |shares: &[u32]| {
            let twice = |share: &u32| residues.sub(0, residues.mul(2, *share));
            Wiped::from(shares.iter().map(twice).collect::<Vec<_>>())
        };
        let both = || left_own.iter().zip(&right_own[..]);
        let products =
            both().map(|(l, r)| residues.sub(residues.add(*l, *r), residues.mul(2, residues.mul(*l, *r))));
        let products = Wiped::from(products.collect::<Vec<_>>());
        let own = Wiped::from(both().map(|(l, r)| residues.sub(*r, *l)).collect::<Vec<_>>());
        let (of_left, of_right) = (part(0), part(1));
        let crossed = key.add_all(
            &key.multiply_all_short(&of_left, &minus_two(&right_own), threads)?,
            &key.multiply_all_short(&of_right, &minus_two(&left_own), threads)?,
            threads,
        )?;
        let unequal = key.add_all(&part(2), &crossed, threads)?;
        let unequal = key.add_all_plain(&unequal, &products, threads)?;
        Ok(Encrypted { parameters, key, threads, left: of_left, right: Some(of_right), own, unequal })
    }

    /// The positions of all comparisons and tests, without constants.
    pub fn positions(&self, tests: &[Test]) -> Result<Vec<Ciphertext>, CompareError> {
        let bits = self.parameters.bits() as usize;
        let terms = tests.iter().map(|test| self.terms(*test)).collect::<Result<Vec<_>, _>>()?;
        let mut positions = Vec::new();
        for (i, unequal) in self.unequal.chunks_exact(bits).enumerate() {
            for (test, terms) in tests.iter().zip(&terms) {
                let terms = terms.as_ref().map(|terms| &terms[i * bits..][..bits]);
                combine(self.key, *test, terms, unequal, &mut positions)?;
            }
        }
        Ok(positions)
    }

    /// For each bit, the encryption of `±d_i` or `-w_i`, depending on the test's positions.
    fn terms(&self, test: Test) -> Result<Option<Vec<Ciphertext>>, CompareError> {
        if test == Test::Equality {
            return Ok(None);
        }
        let weights = test.weights();
        if weights.own == Sign::Minus {
            return self.negated(&self.unequal).map(Some);
        }
        let residues = self.parameters.residues();
        let own = self.own.iter().map(|difference| weights.difference.of(residues, *difference));
        let own = Wiped::from(own.collect::<Vec<_>>());
        // The server's part of d_i is a' - a.
        let (minus, plus) = match weights.difference {
            Sign::Plus => (Some(&self.left), self.right.as_ref()),
            Sign::Minus | Sign::None => (self.right.as_ref(), Some(&self.left)),
        };
        let minus = minus.map(|minus| self.negated(minus)).transpose()?;
        let terms = match (minus, plus) {
            (Some(minus), Some(plus)) => self.key.add_all(&minus, plus, self.threads)?,
            (Some(only), None) => only,
            (None, plus) => plus.cloned().unwrap_or_default(),
        };
        Ok(Some(self.key.add_all_plain(&terms, &own, self.threads)?))
    }

    fn negated(&self, ciphertexts: &[Ciphertext]) -> Result<Vec<Ciphertext>, CompareError> {
        let minus_one = vec![self.parameters.plaintexts() - 1; ciphertexts.len()];
        Ok(self.key.multiply_all_short(ciphertexts, &minus_one, self.threads)?)
    }
}

/// [`Test::combine`] on ciphertexts. `terms` come from [`Encrypted::terms`].
pub(crate) fn combine(
    key: &PublicKey,
    test: Test,
    terms: Option<&[Ciphertext]>,
    unequal: &[Ciphertext],
    into: &mut Vec<Ciphertext>,
) -> Result<(), CompareError> {
    let times = test.weights().higher;
    let mut higher: Option<Ciphertext> = None;
    for (i, unequal) in unequal.iter().enumerate().rev() {
        if let Some(terms) = terms {
            let mut position = terms[i].clone();
            for higher in higher.iter().cycle().take(times as usize) {
                position = key.add(&position, higher)?;
            }
            into.push(position);
        }
        higher = Some(match higher {
            Some(higher) => key.add(&higher, unequal)?,
            None => unequal.clone(),
        });
    }
    if test == Test::Equality || test.masked() {
        into.extend(higher);
    }
    Ok(())
}
