//! Products among three parties: each sends one message of one element.

use tacit_math::field::Field;
use tacit_math::{Wiped, zeros};

use crate::error::SharingError;
use crate::parties::{Parties, PartyIndex};
use crate::prss::{self, Prss, Purpose};
use crate::scheme::Scheme;

/// Elements that are masked at a time.
const MASKED_AT_ONCE: usize = 1 << 10;

/// One party's part in products among three with threshold 1.
///
/// 1. The local products of the three parties, each times its Lagrange coefficient, sum to the product.
/// 2. Each party adds its part of a sharing of zero, so that its summand looks random to the other two.
/// 3. It passes the summand to the next party. Now every summand is known to two parties, and unknown to the
///    third.
/// 4. A summand that two parties know is shared without a message, by the polynomial that is 0 at the third.
///
/// Where shared values lie in a [ground](Field::to_ground) below the field, such as bits in GF(4), the parties map their summands there before step 2; their sum is still
/// the product. So the product of two bits costs a bit. Such shares are replicated ones in another basis ([`BitOctets`](tacit_math::field::BitOctets)).
///
/// Source: the multiplication of Araki, Furukawa, Lindell, Nof and Ohara (CCS'16), section 2.2, between Shamir shares by the local conversion
/// of Cramer, Damgård and Ishai (TCC 2005). Differs: operands and results are Shamir shares.
/// Security: against one passive party, which sees one summand of another, masked with a key that it does not know.
/// Cost: one element of the ground from each party, one round.
pub struct Replicated<F: Field> {
    me: PartyIndex,
    /// The coefficient of the local product in the product.
    lagrange: F::Element,
    /// This party's share, for a summand of 1, of a summand that it knows together with the next party, and of one with the
    /// previous party.
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

    /// The party that it sends to.
    pub fn next(&self) -> PartyIndex {
        (self.me + 1) % 3
    }

    /// The party that it receives from.
    pub fn previous(&self) -> PartyIndex {
        (self.me + 2) % 3
    }

    /// Steps 1 and 2: turns local products into the summands to send and to keep. The operations have the positions
    /// `first`, `first` + 1 and so on, each used once.
    pub fn mask(&self, prss: &Prss<F>, first: u64, products: &mut [F::Element]) {
        let field = prss.scheme().field();
        // Few enough at a time that they stay in the cache.
        for (first, products) in (first..).step_by(MASKED_AT_ONCE).zip(products.chunks_mut(MASKED_AT_ONCE)) {
            field.scale_to_ground(products, self.lagrange);
            self.add_masks(prss, first, products);
        }
    }

    /// Step 2 for a few summands.
    fn add_masks(&self, prss: &Prss<F>, first: u64, summands: &mut [F::Element]) {
        let place = (Purpose::PRODUCT, first);
        prss.add_common(pair(self.me, self.next()), place, false, summands);
        prss.add_common(pair(self.me, self.previous()), place, true, summands);
    }

    /// Steps 1 and 2 for products that are not made yet, where there is no ground below the field: writes the summands. A single element is a factor of all
    /// products.
    pub(crate) fn multiply(
        &self,
        prss: &Prss<F>,
        first: u64,
        (a, b): (&[F::Element], &[F::Element]),
        summands: &mut [F::Element],
    ) {
        let field = prss.scheme().field();
        let chunks = summands.chunks_mut(MASKED_AT_ONCE);
        for (at, summands) in (0..).step_by(MASKED_AT_ONCE).zip(chunks) {
            match (a, b) {
                ([one], many) | (many, [one]) => {
                    summands.copy_from_slice(&many[at..][..summands.len()]);
                    field.scale_to_ground(summands, field.mul(*one, self.lagrange));
                }
                (a, b) => {
                    let factors = (&a[at..][..summands.len()], &b[at..][..summands.len()]);
                    field.multiply_to_ground(summands, factors, self.lagrange);
                }
            }
            self.add_masks(prss, first + at as u64, summands);
        }
    }

    /// The same where there is a ground below the field: writes the summands as they are sent.
    pub(crate) fn multiply_encoded(
        &self,
        prss: &Prss<F>,
        first: u64,
        (a, b): (&[F::Element], &[F::Element]),
        summands: &mut [u8],
    ) {
        let field = prss.scheme().field();
        let each = field.ground_bytes();
        let sets = [self.next(), self.previous()].map(|peer| pair(self.me, peer));
        let (many, others, repeats) = match (a, b) {
            ([one], many) | (many, [one]) => (many, Wiped::from(vec![*one; MASKED_AT_ONCE]), true),
            (a, _) => (a, Wiped::default(), false),
        };
        for (at, summands) in (0..).step_by(MASKED_AT_ONCE).zip(summands.chunks_mut(MASKED_AT_ONCE * each)) {
            let count = summands.len() / each;
            let other = if repeats { &others[..count] } else { &b[at..][..count] };
            let place = (Purpose::PRODUCT, first + at as u64);
            let masked = prss.with_common(sets, place, count, |masks| {
                field.multiply_masked(summands, (&many[at..][..count], other), self.lagrange, masks);
            });
            // Each of three parties is in the set of itself and any other.
            debug_assert!(masked);
        }
    }

    /// An input of this party, of elements of the ground if there is one, at positions `first` and after: returns its shares, and what it sends to the previous party. One summand is drawn in common with the
    /// next party, which needs no message; the previous party gets the other, and the third is zero.
    ///
    /// Security: the input is secret. The next party sees nothing, and the previous one sees the input less a summand
    /// that it does not know.
    pub(crate) fn give(
        &self,
        prss: &Prss<F>,
        first: u64,
        input: Vec<F::Element>,
    ) -> (Vec<F::Element>, Vec<F::Element>) {
        let field = prss.scheme().field();
        let (mut shares, mut rest) = (zeros(input.len()), input);
        let chunks = shares.chunks_mut(MASKED_AT_ONCE).zip(rest.chunks_mut(MASKED_AT_ONCE));
        for (first, (shares, rest)) in (first..).step_by(MASKED_AT_ONCE).zip(chunks) {
            prss.common(pair(self.me, self.next()), Purpose::INPUT, first, shares);
            field.sub_assign(rest, shares);
            field.combine_ground(shares, rest, self.weights);
        }
        (shares, rest)
    }

    /// This party's shares of an input that the previous party gives by [`Replicated::give`].
    pub(crate) fn draw(&self, prss: &Prss<F>, first: u64, length: usize) -> Vec<F::Element> {
        let mut shares = zeros(length);
        for (first, shares) in (first..).step_by(MASKED_AT_ONCE).zip(shares.chunks_mut(MASKED_AT_ONCE)) {
            prss.common(pair(self.me, self.previous()), Purpose::INPUT, first, shares);
            self.share_summands(prss.scheme().field(), shares, 1);
        }
        shares
    }

    /// Turns what the next party has sent of such an input into this party's shares.
    pub(crate) fn take(&self, field: &F, received: &mut [F::Element]) {
        received.chunks_mut(MASKED_AT_ONCE).for_each(|received| self.share_summands(field, received, 0));
    }

    /// Turns a few summands that this party knows together with the next party (0), or with the previous one (1), into its shares of them.
    fn share_summands(&self, field: &F, summands: &mut [F::Element], with: usize) {
        let none = [F::Element::default(); MASKED_AT_ONCE];
        let by = [self.weights[with], F::Element::default()];
        field.combine_ground(summands, &none[..summands.len()], by);
    }

    /// Step 4: turns the kept summands, with those that the previous party sent, into shares of the products.
    pub fn finish(&self, field: &F, summands: &mut [F::Element], received: &[F::Element]) {
        field.combine_ground(summands, received, self.weights);
    }

    /// The same for summands as they were sent.
    ///
    /// Errors: the position of the first that is not in the field.
    pub(crate) fn finish_encoded(
        &self,
        field: &F,
        summands: &mut [F::Element],
        received: &[u8],
    ) -> Result<(), usize> {
        field.combine_encoded(summands, received, self.weights)
    }

    /// Step 4 for summands that both are as they were sent, where there is a ground below the field: writes the shares of the products.
    pub(crate) fn finish_all_encoded(&self, field: &F, shares: &mut [F::Element], summands: [&[u8]; 2]) {
        field.combine_all_encoded(shares, summands, self.weights);
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
    use tacit_math::field::{BitOctets, BitSliced, GaloisRing, Gf256, Mersenne61, Montgomery, Octet};

    use super::*;
    use crate::prss::tests::{ends, opened};

    fn multiplies<F: Field>(field: &F) {
        let numbers = |step: u64| (0..100).map(|i| field.element(i * step + 250)).collect();
        multiplied(field, numbers(7919), numbers(1));
    }

    fn multiplied<F: Field>(field: &F, x: Vec<F::Element>, y: Vec<F::Element>) {
        let ends = ends(field, 3, 1);
        let scheme = ends[0].scheme();
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
        let sliced = BitSliced::for_parties(3).expect("few parties");
        let bits = |seed: u64| {
            (0..100u64).map(move |i| (i + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15)).map(|i| i ^ i >> 32)
        };
        multiplied(
            &sliced,
            bits(1).map(|i| sliced.bits(i)).collect(),
            bits(200).map(|i| sliced.bits(i)).collect(),
        );
        let octets = |seed| bits(seed).map(|i| BitOctets.bits(i as u8)).collect();
        multiplied(&BitOctets, octets(1), octets(200));
        multiplies(&GaloisRing);
        let words = |seed| bits(seed).map(|i| GaloisRing.element(i)).collect();
        multiplied(&GaloisRing, words(1), words(200));
    }

    /// Summands that are made as they are sent are those of the steps one by one, and so are the shares that come of them.
    fn alike_when_encoded<F: Field>(field: &F, seed: u64) {
        let ends = ends(field, 3, 1);
        let element = |i: u64| field.element((i + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let count = 2 * MASKED_AT_ONCE + 77;
        let [x, y] = [1, 2].map(|step| (0..count as u64).map(|i| element(i * step)).collect::<Vec<_>>());
        for end in &ends {
            let part = Replicated::new(end.scheme(), end.me()).expect("three parties");
            for factors in [(&x[..], &y[..]), (&x[..1], &y[..]), (&y[..], &x[..1])] {
                let factor = |values: &[F::Element], i: usize| values[i % values.len()];
                let product = |i: usize| field.mul(factor(factors.0, i), factor(factors.1, i));
                let (mut summands, mut expected): (_, Vec<_>) =
                    (vec![0; count * field.ground_bytes()], (0..count).map(product).collect());
                part.multiply_encoded(end, 99, factors, &mut summands);
                part.mask(end, 99, &mut expected);
                let mut encoded = vec![0; summands.len()];
                field.encode_ground(&expected, &mut encoded);
                assert!(summands == encoded, "{field:?}: summands");
                let theirs: Vec<u8> = encoded.iter().map(|byte| byte.wrapping_mul(7)).collect();
                let mut shares = y.clone();
                part.finish_all_encoded(field, &mut shares, [&summands, &theirs]);
                assert_eq!(part.finish_encoded(field, &mut expected, &theirs), Ok(()));
                assert!(shares == expected, "{field:?}: shares");
            }
        }
    }

    #[test]
    fn summands_that_are_made_as_they_are_sent_are_the_same() {
        alike_when_encoded(&GaloisRing, 3);
        alike_when_encoded(&BitOctets, 5);
    }

    #[test]
    fn a_share_of_a_bit_tells_the_two_of_three_bits_that_its_party_has() {
        let scheme = Scheme::new(BitOctets, 3, 1).expect("a scheme");
        for me in 0..3 {
            let [next, previous] = Replicated::new(&scheme, me).expect("three parties").weights;
            assert!(next != previous && [next, previous].iter().all(|weight| *weight != Octet::default()));
            assert_eq!([next, previous], [BitOctets.share([0xff, 0]), BitOctets.share([0, 0xff])]);
            assert_eq!([next, previous].map(|share| BitOctets.parts(share)), [[0xff, 0], [0, 0xff]]);
        }
    }

    #[test]
    fn a_share_of_a_word_tells_the_two_of_three_words_that_its_party_has() {
        let scheme = Scheme::new(GaloisRing, 3, 1).expect("a scheme");
        for me in 0..3 {
            let weights = Replicated::new(&scheme, me).expect("three parties").weights;
            assert_eq!(weights, [GaloisRing.share([1, 0]), GaloisRing.share([0, 1])]);
            assert_eq!(weights.map(|share| GaloisRing.parts(share)), [[1, 0], [0, 1]]);
        }
    }

    #[test]
    fn local_products_count_alike_in_products_of_bits_and_of_words() {
        for me in 0..3 {
            let bits = Scheme::new(BitOctets, 3, 1).expect("a scheme");
            assert_eq!(Replicated::new(&bits, me).expect("three parties").lagrange, BitOctets.one());
            let words = Scheme::new(GaloisRing, 3, 1).expect("a scheme");
            let lagrange = Replicated::new(&words, me).expect("three parties").lagrange;
            assert_eq!(GaloisRing.mul(lagrange, GaloisRing.element(3)), GaloisRing.one());
        }
    }

    /// One lane of a party's shares of two bits, the masks that it draws for their product, the summand that it sends, and the one that it receives.
    type Seen = [Octet; 6];

    /// What each party sees in products of the same bits in all lanes.
    fn seen(bits: (u8, u8), count: usize) -> [Vec<Seen>; 3] {
        let ends = ends(&BitOctets, 3, 1);
        let (scheme, mut prg) = (ends[0].scheme(), Prg::new(Block(8)));
        let shared = [bits.0, bits.1]
            .map(|bit| scheme.share(&vec![BitOctets.bits(bit.wrapping_neg()); count], &mut prg));
        let own = |me: PartyIndex| {
            let part = Replicated::new(scheme, me).expect("three parties");
            let [a, b] = [0, 1].map(|which: usize| shared[which][me].clone());
            let masks = [part.next(), part.previous()].map(|peer| {
                let mut drawn = vec![Octet::default(); count];
                assert!(ends[me].common(pair(me, peer), Purpose::PRODUCT, 40, &mut drawn));
                drawn
            });
            let mut summands = a.clone();
            BitOctets.mul_assign(&mut summands, &b);
            part.mask(&ends[me], 40, &mut summands);
            (a, b, masks, summands)
        };
        let all = [0, 1, 2].map(own);
        [0, 1, 2].map(|me: usize| {
            let (a, b, [next, previous], summands) = &all[me];
            let got = &all[(me + 2) % 3].3;
            (0..count).map(|i| [a[i], b[i], next[i], previous[i], summands[i], got[i]]).collect()
        })
    }

    /// How often each combination occurs of what a party can see in one lane, without what follows from the
    /// rest.
    fn counted(seen: &[Seen]) -> Vec<usize> {
        let mut counts = vec![0; 128];
        for [a, b, next, previous, _, got] in seen {
            for lane in 0..8 {
                let bit =
                    |octet: &Octet| usize::from(BitOctets.ground(BitOctets.lanes(*octet, (lane, 0), 1)));
                // The first coefficient of an element times x is the element's other coefficient.
                let other = |octet: &Octet| bit(&BitOctets.mul(*octet, BitOctets.element(2)));
                let bits = [bit(a), other(a), bit(b), other(b), bit(next), bit(previous), bit(got)];
                counts[bits.iter().fold(0, |cell, bit| cell << 1 | bit)] += 1;
            }
        }
        counts
    }

    #[test]
    fn what_a_party_sees_of_a_product_does_not_depend_on_its_bits() {
        for bits in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            for (me, seen) in seen(bits, 8192).iter().enumerate() {
                let counts = counted(seen);
                let expected = 8.0 * 8192.0 / 128.0;
                let chi: f64 = counts.iter().map(|count| (*count as f64 - expected).powi(2) / expected).sum();
                // 127 degrees of freedom: beyond 220 once in a million.
                assert!(chi < 220.0, "party {me} sees {counts:?} of {bits:?}");
            }
        }
    }

    /// What each party can see in products of two words, by the bit at a place of each: its two summands of either operand, both masks that it draws, and the summand that it
    /// receives.
    fn words_seen((x, y): (u64, u64), count: usize, place: u32) -> [Vec<usize>; 3] {
        let ends = ends(&GaloisRing, 3, 1);
        let (scheme, mut prg) = (ends[0].scheme(), Prg::new(Block(9)));
        let shared = [x, y].map(|word| scheme.share(&vec![GaloisRing.element(word); count], &mut prg));
        let parts = [0, 1, 2].map(|me| Replicated::new(scheme, me).expect("three parties"));
        let sent = [0, 1, 2].map(|me: usize| {
            let mut summands = shared[0][me].clone();
            GaloisRing.mul_assign(&mut summands, &shared[1][me]);
            parts[me].mask(&ends[me], 40, &mut summands);
            summands
        });
        [0, 1, 2].map(|me: usize| {
            let masks = [parts[me].next(), parts[me].previous()].map(|peer| {
                let mut drawn = vec![Default::default(); count];
                assert!(ends[me].common(pair(me, peer), Purpose::PRODUCT, 40, &mut drawn));
                drawn
            });
            let mut counts = vec![0; 128];
            for i in 0..count {
                let [a, b] = [0, 1].map(|which: usize| GaloisRing.parts(shared[which][me][i]));
                let ground = |element| GaloisRing.ground(element);
                let got = ground(sent[parts[me].previous()][i]);
                let seen = [a[0], a[1], b[0], b[1], ground(masks[0][i]), ground(masks[1][i]), got];
                counts[seen.iter().fold(0, |cell, word| cell << 1 | (word >> place & 1) as usize)] += 1;
            }
            counts
        })
    }

    #[test]
    fn what_a_party_sees_of_a_product_does_not_depend_on_its_words() {
        let (top, most) = (1 << 63, u64::MAX);
        for words in [(0, 0), (most, most), (top, 1), (1, top | 1), (0xffff_ffff, 0xffff_ffff)] {
            for place in [0, 31, 32, 63] {
                for (me, counts) in words_seen(words, 16_384, place).iter().enumerate() {
                    let expected = 16_384.0 / 128.0;
                    let chi: f64 = counts.iter().map(|n| (*n as f64 - expected).powi(2) / expected).sum();
                    // 127 degrees of freedom: beyond 220 once in a million.
                    assert!(chi < 220.0, "party {me} sees {counts:?} of {words:?}, bit {place}");
                }
            }
        }
    }

    /// Shares an input from each party; returns what the previous one sees each time.
    fn given<F: Field>(field: &F, input: &[F::Element]) -> [Vec<F::Element>; 3] {
        let ends = ends(field, 3, 1);
        let scheme = ends[0].scheme();
        let part = |me: PartyIndex| Replicated::new(scheme, me).expect("three parties");
        std::array::from_fn(|owner| {
            let (next, previous) = ((owner + 1) % 3, (owner + 2) % 3);
            let (own, sent) = part(owner).give(&ends[owner], 7, input.to_vec());
            // The previous party sees it, and nothing else that is drawn with the key that masks it.
            assert!(!ends[previous].common(pair(owner, next), Purpose::INPUT, 7, &mut []));
            let mut taken = sent.clone();
            part(previous).take(field, &mut taken);
            let mut shares = vec![Vec::new(); 3];
            shares[owner] = own;
            shares[next] = part(next).draw(&ends[next], 7, input.len());
            shares[previous] = taken;
            assert_eq!(opened(scheme, &shares, 1), input, "owner {owner}");
            sent
        })
    }

    #[test]
    fn inputs_are_shares_of_degree_1_and_hidden_from_either_other_party() {
        let input: Vec<_> = (0..4096).map(|i| BitOctets.bits((i % 3) as u8)).collect();
        for sent in given(&BitOctets, &input) {
            let ones: u32 = sent.iter().map(|octet| BitOctets.ground(*octet).count_ones()).sum();
            assert!((16_000..16_800).contains(&ones), "{ones} of 32768 bits");
        }
        for sent in given(&Mersenne61, &vec![5; 4096]) {
            let ones: u32 = sent.iter().map(|element| element.count_ones()).sum();
            assert!((123_400..126_500).contains(&ones), "{ones} of {} bits", 61 * 4096);
        }
        let field = Montgomery::<2>::new(&[0xffff_ffff_ffff_ff61, u64::MAX]).expect("odd");
        given(&field, &(0..100).map(|i| field.element(i)).collect::<Vec<_>>());
    }

    #[test]
    fn more_parties_are_refused() {
        assert!(Replicated::new(ends(&Mersenne61, 5, 2)[0].scheme(), 0).is_err());
    }
}
