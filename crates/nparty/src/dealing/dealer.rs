//! How a party deals random sharings, and extracts sharings of values that nobody knows.

use tacit_math::field::Field;
use tacit_math::{Wiped, zeros};

use super::keys::PairKeys;
use crate::error::SharingError;
use crate::parties::PartyIndex;
use crate::prf::{Purpose, lane};
use crate::scheme::Scheme;

/// Bytes of a column that are combined before those of the next column: few enough that the columns of all possible parties
/// stay in the cache.
const TILE: usize = 512;

/// The degree of a dealt sharing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Degree {
    /// t.
    Low,
    /// 2t, with the same value at 0 as one of degree t.
    High,
}

/// The use of random sharings; those for different uses are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DealtSharings {
    /// Random elements, shared with degree t.
    Single,
    /// Random elements, shared with degree t and with degree 2t.
    Double,
}

impl DealtSharings {
    /// Their degrees.
    pub(crate) fn degrees(self) -> &'static [Degree] {
        match self {
            DealtSharings::Single => &[Degree::Low],
            DealtSharings::Double => &[Degree::Low, Degree::High],
        }
    }

    /// The lane in which a dealer's shares are drawn.
    fn lane(self, degree: Degree, dealer: PartyIndex) -> u64 {
        let purpose = match (self, degree) {
            (DealtSharings::Single, _) => Purpose::DEALT,
            (DealtSharings::Double, Degree::Low) => Purpose::DEALT_LOW,
            (DealtSharings::Double, Degree::High) => Purpose::DEALT_HIGH,
        };
        lane(purpose, dealer as u32)
    }
}

/// One party's part in dealing sharings.
///
/// 1. For a sharing of degree t, the dealer draws its own share with a key of its own, and those of the next t parties with the keys that it has in common with each. These
///    determine the polynomial, and it sends the other parties their shares.
/// 2. For a sharing of degree 2t with the same value at 0, it draws the shares of the next 2t parties, and sends the others theirs; there are no others if n = 2t + 1.
/// 3. Each party multiplies its shares of the n dealers' sharings with a Vandermonde matrix of n - t rows.
///
/// Source: Damgård and Nielsen (CRYPTO'07), section 3, protocol Double-Random; ATLAS (Goyal, Li, Ostrovsky, Polychroniadou and Song, CRYPTO'21), section 4.1, for double
/// sharings. Differs: shares that follow from a key of two parties are not sent.
/// Security: against t passive parties, as AES-128 as a PRF. Given what they see, a dealer's sharing is uniform among those with their shares; and the extracted
/// sharings are uniform, since any n - t columns of the matrix are independent.
/// Cost: for each n - t sharings of degree t, n - t - 1 elements from each party, and for double sharings n - 2t - 1 more; one round.
pub(crate) struct Dealer<F: Field> {
    scheme: Scheme<F>,
    me: PartyIndex,
    /// By distance from the dealer, beginning with t + 1: the coefficients of the drawn shares of degree t in a
    /// party's share.
    low: Vec<Vec<F::Element>>,
    /// The coefficients of the drawn shares in the value at 0.
    zero: Vec<F::Element>,
    /// The same for degree 2t: the coefficients of the value at 0 and the drawn shares, first in the dealer's share, then in those of the
    /// parties at distances from 2t + 1 on.
    high: Vec<Vec<F::Element>>,
    /// The matrix, row by row; by dealer.
    matrix: Vec<Vec<F::Element>>,
}

impl<F: Field> Dealer<F> {
    /// The part of a party.
    ///
    /// Errors: the party does not take part.
    pub(crate) fn new(scheme: &Scheme<F>, me: PartyIndex) -> Result<Self, SharingError> {
        let (n, t, field) = (scheme.parties(), scheme.threshold(), scheme.field());
        let after = |distance: usize| scheme.point((me + distance) % n);
        let drawn: Vec<_> = (0..=t).map(after).collect();
        let mut fixed = vec![F::Element::default()];
        fixed.extend((1..=2 * t).map(after));
        let through = |points: &[F::Element], at: F::Element| interpolation(field, points, at);
        let low = (t + 1..n).map(|distance| through(&drawn, after(distance))).collect();
        let zero = through(&drawn, F::Element::default());
        let told = std::iter::once(0).chain(2 * t + 1..n);
        let high = told.map(|distance| through(&fixed, after(distance))).collect();
        let mut matrix = vec![vec![field.one(); n]];
        for row in 1..n - t {
            let powers = (0..n).map(|party| field.mul(matrix[row - 1][party], scheme.point(party)));
            let powers = powers.collect();
            matrix.push(powers);
        }
        Ok(Dealer { scheme: scheme.clone(), me, low, zero, high, matrix })
    }

    /// How many sharings are extracted from a column.
    pub(crate) fn rows(&self) -> u64 {
        self.matrix.len() as u64
    }

    /// Steps 1 and 2: deals sharings for the columns from `first` on, and passes to `send` the shares of each degree for each party. Returns this party's own shares, by
    /// degree.
    pub(crate) fn deal(
        &self,
        keys: &PairKeys,
        sharings: DealtSharings,
        (first, count): (u64, usize),
        mut send: impl FnMut(Degree, PartyIndex, &[F::Element]),
    ) -> Vec<Wiped<F::Element>> {
        let (field, n, t) = (self.scheme.field(), self.scheme.parties(), self.scheme.threshold());
        let drawn = |degree: Degree, distance: usize| {
            let mut elements = Wiped::from(zeros(count));
            let source = ((self.me + distance) % n, sharings.lane(degree, self.me));
            self.draw_from(keys, source, first, &mut elements);
            elements
        };
        let mut sum = Wiped::from(zeros(count));
        let low: Vec<_> = (0..=t).map(|distance| drawn(Degree::Low, distance)).collect();
        let columns: Vec<&[F::Element]> = low.iter().map(|drawn| &drawn[..]).collect();
        for (distance, factors) in (t + 1..n).zip(&self.low) {
            field.combine(&mut sum, &columns, factors);
            send(Degree::Low, (self.me + distance) % n, &sum);
        }
        if sharings == DealtSharings::Single {
            return low.into_iter().take(1).collect();
        }
        let mut high = vec![Wiped::from(zeros(count))];
        field.combine(&mut high[0], &columns, &self.zero);
        high.extend((1..=2 * t).map(|distance| drawn(Degree::High, distance)));
        let columns: Vec<&[F::Element]> = high.iter().map(|drawn| &drawn[..]).collect();
        for (distance, factors) in (2 * t + 1..n).zip(&self.high[1..]) {
            field.combine(&mut sum, &columns, factors);
            send(Degree::High, (self.me + distance) % n, &sum);
        }
        field.combine(&mut sum, &columns, &self.high[0]);
        low.into_iter().take(1).chain([sum]).collect()
    }

    /// Whether a dealer sends this party its share of this degree. If not, and it is another party, the two draw it.
    pub(crate) fn is_sent(&self, degree: Degree, dealer: PartyIndex) -> bool {
        let (n, t) = (self.scheme.parties(), self.scheme.threshold());
        let distance = (self.me + n - dealer) % n;
        distance > if degree == Degree::Low { t } else { 2 * t }
    }

    /// This party's share of another's sharing, where it is not sent.
    pub(crate) fn draw(
        &self,
        keys: &PairKeys,
        (sharings, degree): (DealtSharings, Degree),
        (dealer, first): (PartyIndex, u64),
        shares: &mut [F::Element],
    ) {
        self.draw_from(keys, (dealer, sharings.lane(degree, dealer)), first, shares);
    }

    fn draw_from(&self, keys: &PairKeys, source: (PartyIndex, u64), first: u64, shares: &mut [F::Element]) {
        keys.draw(self.scheme.field(), source, first, shares);
        #[cfg(test)]
        crate::recorder::record(|| crate::recorder::Draw {
            me: self.me,
            field: format!("{:?}", self.scheme.field()),
            key: keys.name(source.0),
            lane: source.1,
            of_bits: false,
            first: first.into(),
            count: shares.len() as u128,
        });
    }

    /// Step 3: from this party's shares of all dealers' sharings, extracts shares of values that nobody
    /// knows, row by row.
    pub(crate) fn extract(&self, dealt: &[F::Element], shares: &mut [F::Element]) {
        let (count, tile) = (dealt.len() / self.scheme.parties(), (TILE / size_of::<F::Element>()).max(1));
        let mut columns = Vec::with_capacity(self.scheme.parties());
        for first in (0..count).step_by(tile) {
            let length = tile.min(count - first);
            columns.clear();
            columns.extend(dealt.chunks(count).map(|column| &column[first..][..length]));
            for (row, factors) in shares.chunks_mut(count).zip(&self.matrix) {
                self.scheme.field().combine(&mut row[first..][..length], &columns, factors);
            }
        }
    }
}

/// Coefficients of the values of a polynomial at distinct points, whose sum is its value at another point; its degree is below the
/// number of points.
fn interpolation<F: Field>(field: &F, points: &[F::Element], at: F::Element) -> Vec<F::Element> {
    let basis = |own: usize| {
        let (mut above, mut below) = (field.one(), field.one());
        for (_, other) in points.iter().enumerate().filter(|(other, _)| *other != own) {
            above = field.mul(above, field.sub(at, *other));
            below = field.mul(below, field.sub(points[own], *other));
        }
        field.mul(above, field.inverse(below))
    };
    (0..points.len()).map(basis).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use tacit_math::field::{Gf256, Mersenne61, Montgomery};

    use super::*;
    use crate::prss::Prss;
    use crate::prss::tests::{ends_of, opened};
    use crate::randomness::Randomness;

    /// The parties of a scheme that deals, and their keys.
    fn dealers<F: Field>(field: &F, parties: usize, threshold: usize) -> Vec<(Dealer<F>, Prss<F>)> {
        let scheme = Scheme::new(field.clone(), parties, threshold).expect("a scheme");
        let ends = ends_of(&scheme.with_randomness(Randomness::Dealt));
        let dealer = |(me, end): (usize, Prss<F>)| (Dealer::new(end.scheme(), me).expect("a dealer"), end);
        ends.into_iter().enumerate().map(dealer).collect()
    }

    /// Each party's shares of what each has dealt, by degree, party and dealer; and the number of columns sent.
    fn dealt<F: Field>(
        parties: &[(Dealer<F>, Prss<F>)],
        sharings: DealtSharings,
        (first, count): (u64, usize),
    ) -> (Vec<Vec<Vec<F::Element>>>, usize) {
        let n = parties.len();
        let mut held = vec![vec![vec![F::Element::default(); n * count]; n]; sharings.degrees().len()];
        let mut sent = 0;
        for (me, (dealer, end)) in parties.iter().enumerate() {
            let own = dealer.deal(end.pairs(), sharings, (first, count), |degree, peer, shares| {
                assert!(parties[peer].0.is_sent(degree, me), "a sent share is expected");
                held[usize::from(degree == Degree::High)][peer][me * count..][..count]
                    .copy_from_slice(shares);
                sent += 1;
            });
            for (held, own) in held.iter_mut().zip(own) {
                held[me][me * count..][..count].copy_from_slice(&own);
            }
        }
        for (me, (dealer, end)) in parties.iter().enumerate() {
            for (held, degree) in held.iter_mut().zip(sharings.degrees()) {
                for peer in (0..n).filter(|peer| *peer != me && !dealer.is_sent(*degree, *peer)) {
                    let shares = &mut held[me][peer * count..][..count];
                    dealer.draw(end.pairs(), (sharings, *degree), (peer, first), shares);
                }
            }
        }
        (held, sent)
    }

    /// The extracted values, from shares of all degrees, which agree.
    fn extracted<F: Field>(
        parties: &[(Dealer<F>, Prss<F>)],
        sharings: DealtSharings,
        at: (u64, usize),
    ) -> Vec<F::Element> {
        let (held, sent) = dealt(parties, sharings, at);
        let scheme = parties[0].1.scheme();
        let (n, t) = (scheme.parties(), scheme.threshold());
        let high = if sharings == DealtSharings::Double { n - 2 * t - 1 } else { 0 };
        assert_eq!(sent, n * (n - t - 1 + high));
        let made = held.iter().zip([t, 2 * t]).map(|(held, degree)| {
            let extract = |((dealer, _), held): (&(Dealer<F>, _), &Vec<F::Element>)| {
                let mut shares = vec![F::Element::default(); dealer.rows() as usize * at.1];
                dealer.extract(held, &mut shares);
                shares
            };
            let shares: Vec<_> = parties.iter().zip(held).map(extract).collect();
            opened(scheme, &shares, degree)
        });
        let made: Vec<_> = made.collect();
        assert!(made.iter().all(|other| *other == made[0]), "both degrees share the same");
        made.into_iter().next().expect("a degree")
    }

    fn shares_what_nobody_knows<F: Field>(field: &F, parties: usize, threshold: usize) {
        let all = dealers(field, parties, threshold);
        let rows = parties - threshold;
        let double = extracted(&all, DealtSharings::Double, (8, 70));
        let single = extracted(&all, DealtSharings::Single, (8, 70));
        assert_eq!((double.len(), single.len()), (70 * rows, 70 * rows));
        assert_ne!(double, single, "uses are independent");
        let later = extracted(&all, DealtSharings::Double, (40, 3));
        for row in 0..rows {
            assert_eq!(later[3 * row..][..3], double[70 * row + 32..][..3], "columns address sharings");
        }
        let mut all: Vec<_> = double.iter().map(|value| format!("{:?}", encoded(field, *value))).collect();
        all.sort();
        all.dedup();
        assert!(field.bytes() < 8 || all.len() == double.len(), "no value comes twice");
    }

    fn encoded<F: Field>(field: &F, element: F::Element) -> Vec<u8> {
        let mut bytes = vec![0; field.bytes()];
        field.encode(element, &mut bytes);
        bytes
    }

    #[test]
    fn what_is_extracted_is_shared_among_all() {
        for parties in 4..=12 {
            for threshold in 1..=(parties - 1) / 2 {
                shares_what_nobody_knows(&Mersenne61, parties, threshold);
                shares_what_nobody_knows(&Gf256, parties, threshold);
            }
        }
        shares_what_nobody_knows(&Mersenne61, 64, 31);
        shares_what_nobody_knows(&Montgomery::<2>::new(&[u64::MAX, u64::MAX >> 1]).expect("odd"), 7, 3);
    }

    /// Whether a square matrix has an inverse.
    fn is_invertible<F: Field>(field: &F, mut rows: Vec<Vec<F::Element>>) -> bool {
        for column in 0..rows.len() {
            let Some(pivot) = (column..rows.len()).find(|row| rows[*row][column] != F::Element::default())
            else {
                return false;
            };
            rows.swap(column, pivot);
            let (above, below) = rows.split_at_mut(column + 1);
            let pivot = &above[column];
            for row in below {
                let factor = field.mul(row[column], field.inverse(pivot[column]));
                field.add_scaled(row, pivot, field.neg(factor));
            }
        }
        true
    }

    /// The subsets of the parties with this size.
    fn subsets(parties: usize, size: usize) -> impl Iterator<Item = Vec<usize>> {
        let members = move |set: u32| (0..parties).filter(|party| set >> party & 1 == 1).collect::<Vec<_>>();
        (0..1u32 << parties).filter(move |set| set.count_ones() as usize == size).map(members)
    }

    #[test]
    fn whatever_t_parties_know_of_their_dealings_tells_nothing_of_what_comes_out() {
        for (parties, threshold) in [(4, 1), (5, 1), (5, 2), (7, 3), (9, 4), (12, 5)] {
            let (dealer, _) = &dealers(&Mersenne61, parties, threshold)[0];
            assert_eq!(dealer.matrix.len(), parties - threshold, "as many as are not known to t parties");
            for honest in subsets(parties, parties - threshold) {
                let columns = |row: &Vec<u64>| honest.iter().map(|dealer| row[*dealer]).collect::<Vec<_>>();
                let matrix = dealer.matrix.iter().map(columns).collect();
                assert!(
                    is_invertible(&Mersenne61, matrix),
                    "the sharings of {honest:?} among {parties} do not hide all extracted ones"
                );
            }
        }
    }

    /// Checks that all cells are about equally frequent.
    fn even(cells: &[u32], what: &str) {
        let count: f64 = cells.iter().map(|cell| f64::from(*cell)).sum();
        let (expected, freedom) = (count / cells.len() as f64, (cells.len() - 1) as f64);
        let chi: f64 = cells.iter().map(|cell| (f64::from(*cell) - expected).powi(2) / expected).sum();
        assert!(
            chi < freedom + 6.0 * (2.0 * freedom).sqrt() + 8.0,
            "{what}: {chi} with {freedom} degrees of freedom"
        );
    }

    #[test]
    fn t_shares_of_what_another_deals_tell_nothing_of_it() {
        for ((parties, threshold), prime) in [((4, 1), 5), ((5, 2), 7)] {
            let field = Montgomery::<1>::new(&[prime]).expect("odd");
            let all = dealers(&field, parties, threshold);
            let (columns, scheme) = (200_000, all[0].1.scheme());
            let (held, _) = dealt(&all, DealtSharings::Double, (0, columns));
            let shares = |degree: usize, party: usize| &held[degree][party][..columns];
            let given: Vec<_> = (0..=threshold).map(|party| (party, shares(0, party))).collect();
            let secrets = scheme.open(&given, threshold).expect("consistent");
            // The first party's sharing as seen by any t others: their shares of both degrees, and the shared value.
            for coalition in subsets(parties, threshold).filter(|coalition| !coalition.contains(&0)) {
                let seen = coalition.iter().flat_map(|party| [shares(0, *party), shares(1, *party)]);
                let seen: Vec<_> = seen.chain([&secrets[..]]).collect();
                let mut cells = vec![0; (prime as usize).pow(seen.len() as u32)];
                for column in 0..columns {
                    let digit = |of: &&[_]| field.integer(of[column])[0] as usize;
                    cells[seen.iter().map(digit).fold(0, |cell, digit| cell * prime as usize + digit)] += 1;
                }
                even(&cells, &format!("{coalition:?} of {parties} learn about a dealt value"));
            }
        }
    }
}
