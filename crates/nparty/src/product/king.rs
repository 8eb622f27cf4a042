//! Products among any number of parties: a king opens masked products.

use tacit_math::field::Field;

use crate::error::SharingError;
use crate::parties::PartyIndex;
use crate::prss::{Prss, Purpose};
use crate::scheme::Scheme;

/// Products at consecutive positions have the same king, so that they are sent together.
pub(crate) const REIGN: u64 = if cfg!(feature = "skewed") { 1 << 11 } else { 1 << 12 };

/// The king of the product at a position: all parties in turn, so that they share the work.
pub fn king_of(position: u64, parties: usize) -> PartyIndex {
    (position / REIGN % parties as u64) as usize
}

/// One party's part in products with one king.
///
/// 1. Each party adds to its local product, a share of degree 2t, its share of degree 2t of a random r, of which it also has a share of
///    degree t.
/// 2. The king and the 2t parties after it send these sums to the king, who opens product + r.
/// 3. The king shares product + r by a polynomial of degree t that is 0 at the t parties after it, and sends the others their shares.
/// 4. Each party subtracts its share of r, which has degree t.
///
/// Source: Damgård and Nielsen (CRYPTO'07), section 3, with the saving in step 3 of Goyal and Song (“Malicious security comes free”, 2020). Double sharings are those of
/// Cramer, Damgård and Ishai, or [dealt](crate::Randomness).
/// Security: against t passive parties; product + r is uniform, so the king learns nothing.
/// Cost: 2t elements to the king and n - t - 1 from it, two rounds.
pub struct King<F: Field> {
    scheme: Scheme<F>,
    king: PartyIndex,
    /// Coefficients of the shares of the king and of the 2t parties after it, whose sum is the value at 0.
    opening: Vec<F::Element>,
    /// By party, its share of 1 in step 3; 0 for parties that get no share.
    shares: Vec<F::Element>,
}

impl<F: Field> King<F> {
    /// The part of all parties in products with this king.
    ///
    /// Errors: the king does not take part.
    pub fn new(scheme: &Scheme<F>, king: PartyIndex) -> Result<Self, SharingError> {
        let (n, t) = (scheme.parties(), scheme.threshold());
        let after = |i: usize| (king + i) % n;
        let speakers: Vec<_> = (0..=2 * t).map(after).collect();
        let opening = scheme.lagrange(&speakers, F::Element::default())?;
        let silent: Vec<_> = (1..=t).map(after).collect();
        let field = scheme.field();
        let share = |party: usize| {
            silent.iter().fold(field.one(), |product, other| {
                let point = scheme.point(*other);
                field.mul(product, field.mul(field.sub(point, scheme.point(party)), field.inverse(point)))
            })
        };
        let shares = (0..n).map(share).collect();
        Ok(King { scheme: scheme.clone(), king, opening, shares })
    }

    /// The king.
    pub fn king(&self) -> PartyIndex {
        self.king
    }

    /// Whether a party sends the king its masked products in step 2. The king sends to itself.
    pub fn speaks(&self, party: PartyIndex) -> bool {
        self.distance(party) <= 2 * self.scheme.threshold()
    }

    /// Whether the king sends a party its shares in step 3.
    pub fn is_told(&self, party: PartyIndex) -> bool {
        party != self.king && self.distance(party) > self.scheme.threshold()
    }

    fn distance(&self, party: PartyIndex) -> usize {
        let n = self.scheme.parties();
        (party + n - self.king) % n
    }

    /// Step 1 with common keys: masks the local products of operations at the positions `first`, `first` + 1 and so on, each used once. `random` becomes the shares of r of
    /// degree t, for step 4.
    pub fn mask(&self, prss: &Prss<F>, first: u64, products: &mut [F::Element], random: &mut [F::Element]) {
        prss.random(Purpose::PRODUCT, first, random);
        self.scheme.field().add_assign(products, random);
        prss.add_zero(Purpose::PRODUCT, first, products);
    }

    /// The end of step 2, for the king: adds the masked products of a party to `opened`.
    pub fn hear(&self, party: PartyIndex, masked: &[F::Element], opened: &mut [F::Element]) {
        let coefficient = self.opening[self.distance(party)];
        self.scheme.field().add_scaled(opened, masked, coefficient);
    }

    /// Step 1 where parties may depart from the protocol: the masks of the parties that send to the king are independent except for their sum. So the king receives independent
    /// elements, even if it has made the shares of an operand inconsistent before. Otherwise as [`King::mask`].
    pub(crate) fn mask_apart(
        &self,
        prss: &Prss<F>,
        first: u64,
        products: &mut [F::Element],
        random: &mut [F::Element],
    ) {
        prss.random(Purpose::PRODUCT, first, random);
        let field = self.scheme.field();
        field.add_assign(products, random);
        let speakers = (0..self.scheme.parties()).filter(|party| self.speaks(*party)).collect();
        if self.speaks(prss.me()) {
            let counted = field.inverse(self.opening[self.distance(prss.me())]);
            prss.add_cancelling(Purpose::PRODUCT, speakers, (first, counted), products);
        }
    }

    /// Step 3, for the king: the shares of a party.
    pub fn shares_of(&self, party: PartyIndex, opened: &[F::Element], shares: &mut [F::Element]) {
        shares.fill(F::Element::default());
        self.scheme.field().add_scaled(shares, opened, self.shares[party]);
    }
}

#[cfg(test)]
mod tests {
    use tacit_crypto::Prg;
    use tacit_math::Block;
    use tacit_math::field::{Gf256, Mersenne61, Montgomery};

    use super::*;
    use crate::prss::tests::{ends, opened};

    fn multiplies<F: Field>(field: &F, parties: usize, threshold: usize, king: usize) {
        let ends = ends(field, parties, threshold);
        let scheme = ends[0].scheme();
        let x: Vec<_> = (0..50).map(|i| field.element(i * 7919)).collect();
        let y: Vec<_> = (0..50).map(|i| field.element(i + 250)).collect();
        let mut prg = Prg::new(Block(3));
        let (mut masked, others) = (scheme.share(&x, &mut prg), scheme.share(&y, &mut prg));
        let parts: Vec<_> = ends.iter().map(|_| King::new(scheme, king).expect("a king")).collect();
        let mut random = vec![vec![F::Element::default(); 50]; parties];
        for (party, end) in ends.iter().enumerate() {
            field.mul_assign(&mut masked[party], &others[party]);
            parts[party].mask(end, 40, &mut masked[party], &mut random[party]);
        }
        let mut sent = 0;
        let mut sum = vec![F::Element::default(); 50];
        for party in (0..parties).filter(|party| parts[king].speaks(*party)) {
            parts[king].hear(party, &masked[party], &mut sum);
            sent += usize::from(party != king);
        }
        let mut shares = vec![vec![F::Element::default(); 50]; parties];
        for party in (0..parties).filter(|party| *party == king || parts[king].is_told(*party)) {
            parts[king].shares_of(party, &sum, &mut shares[party]);
            sent += usize::from(party != king);
        }
        for (shares, random) in shares.iter_mut().zip(&random) {
            field.sub_assign(shares, random);
        }
        let mut expected = x;
        field.mul_assign(&mut expected, &y);
        assert_eq!(opened(scheme, &shares, threshold), expected);
        assert_eq!(sent, 2 * threshold + parties - threshold - 1);
    }

    #[test]
    fn products_are_shares_of_degree_t() {
        for (parties, threshold) in [(3, 1), (4, 1), (5, 1), (5, 2), (7, 2), (7, 3)] {
            for king in 0..parties {
                multiplies(&Mersenne61, parties, threshold, king);
                multiplies(&Gf256, parties, threshold, king);
            }
            multiplies(
                &Montgomery::<2>::new(&[0xffff_ffff_ffff_ff61, u64::MAX]).expect("odd"),
                parties,
                threshold,
                1,
            );
        }
    }

    #[test]
    fn kings_take_turns() {
        assert_eq!(king_of(0, 3), 0);
        assert_eq!(king_of(REIGN - 1, 3), 0);
        assert_eq!(king_of(REIGN, 3), 1);
        assert_eq!(king_of(3 * REIGN, 3), 0);
    }

    /// What the king receives in products whose operands' shares are always the same, and on no polynomial where `apart` holds, less what it can compute itself with its keys: by product, in the order of
    /// senders. The coalition knows everything of its members, the first of whom is the king.
    fn heard(
        coalition: &[usize],
        (parties, threshold): (usize, usize),
        (count, apart): (usize, bool),
    ) -> Vec<Vec<u64>> {
        let field = Montgomery::<1>::new(&[7]).expect("odd");
        let (ends, king) = (ends(&field, parties, threshold), coalition[0]);
        let part = King::new(ends[0].scheme(), king).expect("a king");
        let mut prg = Prg::new(Block(5));
        let mut operands = [3, 5].map(|operand| ends[0].scheme().share(&[field.element(operand)], &mut prg));
        if apart {
            operands[0]
                .iter_mut()
                .zip(1..)
                .for_each(|(shares, share)| shares[0] = field.element(share * share));
        }
        let mut heard = vec![Vec::new(); count];
        for (party, mut end) in ends.into_iter().enumerate() {
            if coalition.contains(&party) || !part.speaks(party) {
                continue;
            }
            end.forget(|set| coalition.iter().any(|member| set.contains(*member)));
            let product = field.mul(operands[0][party][0], operands[1][party][0]);
            let mut masked = vec![product; count];
            match apart {
                false => part.mask(&end, 0, &mut masked, &mut vec![Default::default(); count]),
                true => part.mask_apart(&end, 0, &mut masked, &mut vec![Default::default(); count]),
            }
            for (heard, masked) in heard.iter_mut().zip(masked) {
                let mut bytes = [0; 1];
                field.encode(masked, &mut bytes);
                heard.push(u64::from(bytes[0]));
            }
        }
        heard
    }

    /// Checks that what the king receives takes all values about equally often.
    fn hears_evenly(size: (usize, usize), coalition: &[usize], apart: bool) {
        let count = 40_000;
        let heard = heard(coalition, size, (count, apart));
        let told = heard[0].len();
        assert!(told > size.1, "{told} send the king more than the result");
        let mut cells = vec![0usize; 7usize.pow(told as u32)];
        heard.iter().for_each(|told| cells[told.iter().fold(0, |cell, one| cell * 7 + *one as usize)] += 1);
        let expected = count as f64 / cells.len() as f64;
        let chi: f64 = cells.iter().map(|n| (*n as f64 - expected).powi(2) / expected).sum();
        let freedom = (cells.len() - 1) as f64;
        assert!(
            chi < freedom + 6.0 * (2.0 * freedom).sqrt() + 8.0,
            "{size:?}: what {coalition:?} receive of masked products is not uniform, so it reveals something about the operands: {chi}"
        );
    }

    #[test]
    fn what_a_king_hears_is_uniform_given_the_result() {
        for (size, coalition) in [((4, 1), &[2][..]), ((5, 2), &[0, 1]), ((5, 2), &[1, 4]), ((6, 2), &[3, 0])]
        {
            hears_evenly(size, coalition, false);
        }
    }

    #[test]
    fn what_a_king_hears_is_uniform_whatever_shares_it_has_dealt_before() {
        // In the last case, one party does not send, and the king receives from more than t + 1 others.
        for (size, coalition) in [((4, 1), &[2][..]), ((5, 1), &[0]), ((5, 2), &[0, 1]), ((6, 2), &[3, 2])] {
            hears_evenly(size, coalition, true);
        }
    }

    fn multiplies_apart(parties: usize, threshold: usize, king: usize) {
        let field = Mersenne61;
        let ends = ends(&field, parties, threshold);
        let scheme = ends[0].scheme();
        let part = King::new(scheme, king).expect("a king");
        let (mut sum, mut random) = (vec![0; 50], vec![vec![0; 50]; parties]);
        let shares = scheme.share(&(0..50).collect::<Vec<_>>(), &mut Prg::new(Block(3)));
        for (party, end) in ends.iter().enumerate() {
            let mut masked = shares[party].clone();
            field.mul_assign(&mut masked, &shares[party]);
            part.mask_apart(end, 40, &mut masked, &mut random[party]);
            if party == king || part.speaks(party) {
                part.hear(party, &masked, &mut sum);
            }
        }
        let masks = opened(scheme, &random, threshold);
        field.sub_assign(&mut sum, &masks);
        assert_eq!(sum, (0..50).map(|i| i * i).collect::<Vec<u64>>());
    }

    #[test]
    fn masks_apart_sum_to_one_that_is_shared() {
        for (parties, threshold) in [(4, 1), (5, 1), (5, 2), (7, 2), (7, 3)] {
            (0..parties).for_each(|king| multiplies_apart(parties, threshold, king));
        }
    }
}
