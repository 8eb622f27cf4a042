//! Encryption in batches by the key's owner: modulo each prime, with exponents below its v.

use crypto_bigint::BoxedUint;
use tacit_crypto::Prg;
use tacit_math::powers::FixedPowers;
use zeroize::{Zeroize, Zeroizing};

use super::{Half, PublicKey, SecretKey};
use crate::modular::{Eights, Residue};
use crate::{HeError, Natural, Threads, parallel};

/// A message, if there is one, and exponents of h modulo p and modulo q.
type Drawn = (Option<Natural>, [Natural; 2]);

impl SecretKey {
    /// `g^m · h^r` for each m, or `h^r` where there is no m, with a fresh r. Results are the same on every machine and with any number of threads.
    ///
    /// # Errors
    /// [`HeError::Range`], [`HeError::Fault`].
    pub(super) fn powers(
        &self,
        plains: &[Option<&Natural>],
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<Vec<Residue>, HeError> {
        let draw = |plain: &Option<&Natural>, prg: &mut Prg| -> Result<Drawn, HeError> {
            let plain = plain.map(|plain| self.public.plain(plain)).transpose()?;
            Ok((
                plain.map(|plain| Natural::new((*plain).clone())),
                [&self.p, &self.q].map(|half| Natural::new((*half.exponent(prg)).clone())),
            ))
        };
        let drawn = parallel::map_seeded(plains, Threads::ONE, prg, draw)?;
        let halves = [&self.p, &self.q].map(|half| half.eight_bases(&self.public));
        let [Some(of_p), Some(of_q)] = halves.map(|bases| bases.filter(|_| plains.len() > 1)) else {
            return parallel::map(&drawn, threads, |_, drawn| self.power(drawn));
        };
        parallel::map_groups(&drawn, Eights::LANES, threads, |_, group| {
            let (p, q) = (self.p.eight_powers(of_p, group, 0), self.q.eight_powers(of_q, group, 1));
            p.iter().zip(&q).map(|(p, q)| self.combined(p, q)).collect()
        })
    }

    fn power(&self, (plain, exponents): &Drawn) -> Result<Residue, HeError> {
        let [p, q] = [(&self.p, &exponents[0]), (&self.q, &exponents[1])].map(|(half, exponent)| {
            let tables = half.tables(&self.public);
            let mut power = match plain {
                Some(plain) => tables.encrypt(plain.uint(), exponent.uint()),
                None => tables.h.power(exponent.uint()),
            };
            let number = Zeroizing::new(power.retrieve());
            power.zeroize();
            number
        });
        self.combined(&p, &q)
    }

    fn combined(&self, p: &BoxedUint, q: &BoxedUint) -> Result<Residue, HeError> {
        Ok(self.public.modulus.residue_below(self.crt.combine(p, q)?))
    }
}

impl Half {
    /// Arithmetic modulo this prime for batches, where the processor has instructions for it.
    pub(super) fn eights(&self) -> Option<&Eights> {
        self.eights.get_or_init(|| Eights::new(&self.prime)).as_ref()
    }

    /// [`Half::eights`] with tables of g and h.
    fn eight_bases(&self, public: &PublicKey) -> Option<(&Eights, &[FixedPowers; 2])> {
        let eights = self.eights()?;
        let make = || {
            let bits = [public.parameters.plain_bits(), public.parameters.subgroup_bits];
            let bases = [&public.g, &public.h].map(|base| self.prime.reduce(&base.retrieve()));
            Some([0, 1].map(|i| eights.fixed(&bases[i], bits[i])))
        };
        Some((eights, self.bases.get_or_init(make).as_ref()?))
    }

    /// `g^m · h^r` modulo this prime for up to eight, all of which have a message or none; r is the exponent at `place`.
    fn eight_powers(
        &self,
        (eights, [g, h]): (&Eights, &[FixedPowers; 2]),
        drawn: &[Drawn],
        place: usize,
    ) -> Vec<Zeroizing<BoxedUint>> {
        let exponents: Vec<Natural> = drawn.iter().map(|(_, exponents)| exponents[place].clone()).collect();
        let blindings = eights.fixed_powers(h, &exponents);
        let plains: Option<Vec<Natural>> = drawn.iter().map(|(plain, _)| plain.clone()).collect();
        let Some(plains) = plains else { return blindings };
        let messages = eights.fixed_powers(g, &plains);
        messages.iter().zip(&blindings).map(|(message, blinding)| self.product(message, blinding)).collect()
    }

    /// The product of two secret numbers below this prime.
    fn product(&self, a: &BoxedUint, b: &BoxedUint) -> Zeroizing<BoxedUint> {
        let [mut a, mut b] = [a, b].map(|number| self.prime.residue_below(number.clone()));
        let mut product = a.mul(&b);
        let number = Zeroizing::new(product.retrieve());
        a.zeroize();
        b.zeroize();
        product.zeroize();
        number
    }
}
