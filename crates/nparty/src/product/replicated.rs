//! Three parties: one message of one element each.

use tacit_math::field::Field;
use zeroize::Zeroizing;

use crate::error::SharingError;
use crate::parties::{Parties, PartyIndex};
use crate::prss::{self, Prss, Purpose};
use crate::scheme::Scheme;

/// One party's part in products among three with threshold 1.
///
/// 1. The local products of the three parties, each times its Lagrange coefficient, sum to the product.
/// 2. Each party adds its part of a sharing of zero, so what it holds looks random to the other two,
/// 3. and passes that to the next party. Now every summand is known to two parties, and missing to the third.
/// 4. A summand known to two is shared without a message, by the polynomial that is 0 at the third.
///
/// Source: the multiplication of Araki, Furukawa, Lindell, Nof and Ohara (CCS'16), section 2.2, between Shamir shares by the local conversion
/// of Cramer, Damgård and Ishai (TCC 2005). Differs: in and out are Shamir shares.
/// Security: against one passive party, which sees one summand of another, masked with a key that it does not know.
/// Cost: one element from each party, one round.
pub struct Replicated<F: Field> {
    me: PartyIndex,
    /// What the local product counts in the product.
    lagrange: F::Element,
    /// This party's share of a summand that it knows together with the next, and with the previous party, for a summand of 1.
    weights: [F::Element; 2],
}

impl<F: Field> Replicated<F> {
    /// The part of a party.
    ///
    /// Errors: there are not exactly three parties.
    pub fn new(scheme: &Scheme<F>, me: PartyIndex) -> Result<Self, SharingError> {
        if scheme.parties() != 3 {
            return Err(SharingError::Threshold { parties: scheme.parties(), threshold: scheme.threshold() });
        }
        let lagrange = scheme.lagrange(&[0, 1, 2], F::Element::default())?;
        let lagrange = *lagrange.get(me).ok_or(SharingError::Shares { given: me, needed: 3 })?;
        let weights = [1, 2].map(|step| prss::weight(scheme, pair(me, (me + step) % 3), me));
        Ok(Replicated { me, lagrange, weights })
    }

    /// The party that is sent to.
    pub fn next(&self) -> PartyIndex {
        (self.me + 1) % 3
    }

    /// The party that is received from.
    pub fn previous(&self) -> PartyIndex {
        (self.me + 2) % 3
    }

    /// Steps 1 and 2: local products become the summands to send and to keep. The operations have the positions `first`,
    /// `first` + 1 and so on, each used once.
    pub fn mask(&self, prss: &Prss<F>, first: u64, products: &mut [F::Element]) {
        let field = prss.scheme().field();
        let mut drawn = Zeroizing::new(vec![F::Element::default(); products.len()]);
        for product in products.iter_mut() {
            *product = field.mul(*product, self.lagrange);
        }
        prss.common(pair(self.me, self.next()), Purpose::PRODUCT, first, &mut drawn);
        field.add_assign(products, &drawn);
        prss.common(pair(self.me, self.previous()), Purpose::PRODUCT, first, &mut drawn);
        field.sub_assign(products, &drawn);
    }

    /// Step 4: the summands kept become shares of the products, with those that the previous party sent.
    pub fn finish(&self, field: &F, summands: &mut [F::Element], received: &[F::Element]) {
        let [own, other] = self.weights;
        for (summand, received) in summands.iter_mut().zip(received) {
            *summand = field.add(field.mul(*summand, own), field.mul(*received, other));
        }
    }
}

/// The set of two parties.
fn pair(one: PartyIndex, other: PartyIndex) -> Parties {
    Parties::from_iter([one, other])
}

#[cfg(test)]
mod tests {
    use tacit_crypto::Prg;
    use tacit_math::Block;
    use tacit_math::field::{Gf256, Mersenne61, Montgomery};

    use super::*;
    use crate::prss::tests::{ends, opened};

    fn multiplies<F: Field>(field: &F) {
        let ends = ends(field, 3, 1);
        let scheme = ends[0].scheme();
        let x: Vec<_> = (0..100).map(|i| field.element(i * 7919)).collect();
        let y: Vec<_> = (0..100).map(|i| field.element(i + 250)).collect();
        let mut prg = Prg::new(Block(3));
        let (mut summands, others) = (scheme.share(&x, &mut prg), scheme.share(&y, &mut prg));
        let parts: Vec<_> =
            ends.iter().map(|end| Replicated::new(scheme, end.me()).expect("three parties")).collect();
        for (((replicated, end), a), b) in parts.iter().zip(&ends).zip(&mut summands).zip(&others) {
            field.mul_assign(a, b);
            replicated.mask(end, 40, a);
        }
        let sent = summands.clone();
        for (replicated, summand) in parts.iter().zip(&mut summands) {
            replicated.finish(field, summand, &sent[replicated.previous()]);
        }
        let mut expected = x;
        field.mul_assign(&mut expected, &y);
        assert_eq!(opened(scheme, &summands, 1), expected);
    }

    #[test]
    fn products_are_shares_of_degree_1() {
        multiplies(&Mersenne61);
        multiplies(&Gf256);
        multiplies(&Montgomery::<1>::new(&[65_537]).expect("odd"));
        multiplies(&Montgomery::<8>::new(&[u64::MAX - 58]).expect("odd"));
    }

    #[test]
    fn more_parties_are_refused() {
        assert!(Replicated::new(ends(&Mersenne61, 5, 2)[0].scheme(), 0).is_err());
    }
}
