//! Pseudorandom secret sharing: sharings from common keys, without a message.

use tacit_crypto::Secret;
use tacit_crypto::aes::Aes128;
use tacit_math::field::Field;
use tacit_math::{Block, Wiped};
use zeroize::Zeroizing;

use crate::dealing::PairKeys;
use crate::error::SharingError;
use crate::parties::{Parties, PartyIndex};
use crate::prf::{self, DERIVATION, FIELD_KEYS, JOINT_KEYS, VERIFICATION_KEYS, address, apart, lane};
use crate::randomness::Randomness;
use crate::scheme::Scheme;

pub use crate::prf::Purpose;

/// The key of a set, and the weight of its elements in this party's shares.
struct SetKey<F: Field> {
    set: Parties,
    cipher: Aes128,
    /// Draws elements that are the same in every field.
    joint: Aes128,
    /// The polynomial of degree t that is 1 at 0 and 0 at the parties outside the set, at this party's point.
    weight: F::Element,
}

impl<F: Field> SetKey<F> {
    fn cipher(&self, purpose: Purpose) -> &Aes128 {
        if purpose == Purpose::JOINT { &self.joint } else { &self.cipher }
    }

    /// Uniform numbers below 2^`bits`, of at most 128 bits.
    fn numbers(&self, purpose: Purpose, first: u64, bits: u32, count: usize) -> Wiped<u128> {
        let mut blocks = Wiped::blocks(count);
        self.cipher(purpose).encrypt_from(address(lane(purpose, bits), first.into()), &mut blocks);
        // Numbers of 0 bits are zero.
        let most = u128::MAX.checked_shr(128 - bits).unwrap_or(0);
        Wiped::from(blocks.iter().map(|block| block.0 & most).collect::<Vec<_>>())
    }

    /// The blocks that hold the bits at this many positions, 128 to a block.
    fn bit_blocks(&self, purpose: Purpose, first: u64, count: u64) -> Wiped<Block> {
        let (place, last) = (first / 128, (first + count) / 128);
        let mut blocks = Wiped::blocks((last - place) as usize + 1);
        self.cipher(purpose).encrypt_from(address(lane(purpose, 0), place.into()), &mut blocks);
        blocks
    }
}

/// One party's end of pseudorandom secret sharing.
///
/// Source: Cramer, Damgård and Ishai, “Share conversion, pseudorandom secret-sharing and applications to secure computation”
/// (TCC 2005), sections 3 and 4. Differs: values are addressed, as AES of their position, and not drawn in order.
/// Security: as AES-128 as a PRF, against t parties. The keys are secret. A position is used once for a purpose, and keys are fresh in each session.
/// Cost: no message; for each set that holds the party one AES call for every 16 bytes of values.
pub struct Prss<F: Field> {
    scheme: Scheme<F>,
    me: PartyIndex,
    parts: Vec<SetKey<F>>,
    /// Where sharings are dealt: the keys in common with each other party.
    pairs: PairKeys,
}

impl<F: Field> Prss<F> {
    /// The end of party `me`, with a key for each of the [`Scheme::sets`] that it is in, in their order.
    ///
    /// Errors: there are too many sets, or the number of keys is wrong.
    pub fn new(scheme: Scheme<F>, me: PartyIndex, keys: &[Secret<Block>]) -> Result<Self, SharingError> {
        let mine: Vec<_> = scheme.sets()?.iter().copied().filter(|set| set.contains(me)).collect();
        if keys.len() != mine.len() {
            return Err(SharingError::Keys { given: keys.len(), needed: mine.len() });
        }
        let part = |(set, key): (Parties, &Secret<Block>)| {
            let weight = weight_of(&scheme, set, me);
            let cipher = Aes128::new(*key.expose());
            SetKey { set, joint: apart(&cipher, JOINT_KEYS, 0), cipher, weight }
        };
        let dealt = scheme.randomness() == Randomness::Dealt;
        // Where sharings are dealt, this party shares what it draws alone, and only uses its keys with others for shares.
        let parts = mine.into_iter().zip(keys).filter(|(set, _)| !dealt || set.iter().eq([me])).map(part);
        let parts = parts.collect();
        let pairs = if dealt { PairKeys::new(keys) } else { PairKeys::default() };
        Ok(Prss { scheme, me, parts, pairs })
    }

    /// The keys that this party has in common with each other party.
    pub(crate) fn pairs(&self) -> &PairKeys {
        &self.pairs
    }

    /// The sharing scheme.
    pub fn scheme(&self) -> &Scheme<F> {
        &self.scheme
    }

    /// This party.
    pub fn me(&self) -> PartyIndex {
        self.me
    }

    /// The number of this party's keys.
    pub(crate) fn keys(&self) -> usize {
        self.parts.len()
    }

    /// Shares of degree t of random elements, at positions `first`, `first` + 1 and so on.
    pub fn random(&self, purpose: Purpose, first: u64, shares: &mut [F::Element]) {
        shares.fill(F::Element::default());
        for part in &self.parts {
            self.add_drawn(part, lane(purpose, 0), first, part.weight, shares);
        }
    }

    /// Shares of degree t of numbers that are sums of one number below 2^`bits` for each of the [`sets`](crate::sets::sets): each of these hides the sum from the parties outside
    /// its set. `bits` is at most 128, and the sums are below the field's characteristic.
    pub fn bounded(&self, purpose: Purpose, first: u64, bits: u32, shares: &mut [F::Element]) {
        let field = self.scheme.field();
        let two_to_64 = field.pow(field.element(1 << 32), &[2]);
        shares.fill(F::Element::default());
        for part in &self.parts {
            #[cfg(test)]
            self.record(part, lane(purpose, bits), false, (first.into(), shares.len()));
            let numbers = part.numbers(purpose, first, bits, shares.len());
            for (share, number) in shares.iter_mut().zip(numbers.iter().copied()) {
                let (low, high) = (field.element(number as u64), field.element((number >> 64) as u64));
                let number = field.add(low, field.mul(high, two_to_64));
                *share = field.add(*share, field.mul(number, part.weight));
            }
        }
    }

    /// Calls `f` with the numbers below 2^`bits` of each set that this party is in, or of one such set, and with the set's weight in its
    /// shares: the numbers that are summed in [`Prss::bounded`].
    pub(crate) fn each_number(
        &self,
        (purpose, bits): (Purpose, u32),
        (first, count): (u64, usize),
        of: Option<Parties>,
        mut f: impl FnMut(F::Element, &[u128]),
    ) {
        for part in self.parts.iter().filter(|part| of.is_none_or(|of| of == part.set)) {
            #[cfg(test)]
            self.record(part, lane(purpose, bits), false, (first.into(), count));
            f(part.weight, &part.numbers(purpose, first, bits, count));
        }
    }

    /// Calls `f` with bits of each set that this party is in, or of one such set, 64 to a word from position `first` on, and with the set's
    /// weight in its shares: the bits of [`Prss::set_bits`].
    pub(crate) fn each_bits(
        &self,
        purpose: Purpose,
        (first, count): (u64, usize),
        of: Option<Parties>,
        mut f: impl FnMut(F::Element, &[u64]),
    ) {
        let words = count.div_ceil(64);
        for part in self.parts.iter().filter(|part| of.is_none_or(|of| of == part.set)) {
            #[cfg(test)]
            self.record(part, lane(purpose, 0), true, (first.into(), count));
            let drawn = part.bit_blocks(purpose, first, 64 * words as u64);
            let bits = |word: usize| {
                let (place, shift) = ((first % 128) as usize + 64 * word, first % 64);
                let half =
                    |half: usize| drawn.get(half / 2).map_or(0, |block| (block.0 >> (half % 2 * 64)) as u64);
                let (low, high) = (half(place / 64), half(place / 64 + 1));
                if shift == 0 { low } else { low >> shift | high << (64 - shift) }
            };
            let bits = Wiped::from((0..words).map(bits).collect::<Vec<_>>());
            f(part.weight, &bits);
        }
    }

    /// Adds shares of degree 2t of zero, at positions `first`, `first` + 1 and so on.
    pub fn add_zero(&self, purpose: Purpose, first: u64, shares: &mut [F::Element]) {
        let field = self.scheme.field();
        let point = self.scheme.point(self.me);
        for part in &self.parts {
            let mut weight = part.weight;
            for power in 1..=self.scheme.threshold() as u32 {
                weight = field.mul(weight, point);
                self.add_drawn(part, lane(purpose, power), first, weight, shares);
            }
        }
    }

    /// Adds elements, times a factor of this party, whose sum over all of `parties` is zero; this party is one of them. The elements of honest parties are uniform
    /// except for their sum.
    pub(crate) fn add_cancelling(
        &self,
        purpose: Purpose,
        parties: Parties,
        (first, factor): (u64, F::Element),
        elements: &mut [F::Element],
    ) {
        let field = self.scheme.field();
        for part in &self.parts {
            // Each adds an element in common with the member before it, and subtracts one in common with the next.
            let members: Vec<_> = part.set.iter().filter(|party| parties.contains(*party)).collect();
            let Some(place) = members.iter().position(|party| *party == self.me) else { continue };
            if members.len() > 1 {
                let [own, next] =
                    [place, (place + 1) % members.len()].map(|place| lane(purpose, 1 + place as u32));
                self.add_drawn(part, own, first, factor, elements);
                self.add_drawn(part, next, first, field.neg(factor), elements);
            }
        }
    }

    /// Elements of the field's [ground](Field::to_ground) that exactly the parties of `set` know. Returns whether this party is one of them; if not, nothing is
    /// written.
    ///
    /// Cost: an AES call for every 16 bytes of elements; of elements of the ground, if there is one below the
    /// field.
    pub fn common(&self, set: Parties, purpose: Purpose, first: u64, elements: &mut [F::Element]) -> bool {
        if self.parts.iter().any(|part| part.set == set) {
            elements.fill(F::Element::default());
        }
        self.add_common(set, (purpose, first), false, elements)
    }

    /// 16 bytes that exactly the parties of `set` know: a seed, from as many elements as hold it. Only where there is a ground below the field; a party outside the set
    /// gets zeros.
    pub(crate) fn common_seed(&self, set: Parties, purpose: Purpose, first: u64) -> Block {
        let field = self.scheme.field();
        let mut drawn = Wiped::from(vec![F::Element::default(); Block::BYTES / field.ground_bytes()]);
        self.common(set, purpose, first, &mut drawn);
        let mut bytes = Zeroizing::new([0; Block::BYTES]);
        field.encode_ground(&drawn, &mut bytes[..]);
        Block::from_bytes(*bytes)
    }

    /// Adds or subtracts the elements of [`Prss::common`], and returns the same.
    pub(crate) fn add_common(
        &self,
        set: Parties,
        (purpose, first): (Purpose, u64),
        subtracted: bool,
        elements: &mut [F::Element],
    ) -> bool {
        let Some(part) = self.parts.iter().find(|part| part.set == set) else { return false };
        let (field, lane) = (self.scheme.field(), lane(purpose, 0));
        match field.ground_bytes() < field.bytes() {
            true => self.add_ground(part, (lane, first), subtracted, elements),
            false => {
                let weight = if subtracted { field.neg(field.one()) } else { field.one() };
                self.add_drawn(part, lane, first, weight, elements);
            }
        }
        true
    }

    /// Calls `then` with what [`Prss::add_common`] adds for two sets, as bytes, for `count` elements, and returns whether this party is in both; if not, it does nothing. Only where
    /// there is a ground below the field.
    pub(crate) fn with_common(
        &self,
        sets: [Parties; 2],
        (purpose, first): (Purpose, u64),
        count: usize,
        then: impl FnOnce([&[u8]; 2]),
    ) -> bool {
        let (each, lane) = (self.scheme.field().ground_bytes(), lane(purpose, 0));
        let [Some(one), Some(other)] = sets.map(|set| self.parts.iter().find(|part| part.set == set)) else {
            return false;
        };
        #[cfg(test)]
        for part in [one, other] {
            self.record(part, lane, true, (8 * u128::from(first) * each as u128, 8 * each * count));
        }
        prf::of_two([&one.cipher, &other.cipher], (lane, first), (each, count), then);
        true
    }

    /// This party's end with other keys, which are derived from these and a number, for example for a task. Different numbers give
    /// independent keys.
    pub fn derived(&self, number: u64) -> Prss<F> {
        let part = |part: &SetKey<F>| {
            let [cipher, joint] = [&part.cipher, &part.joint].map(|key| apart(key, DERIVATION, number));
            SetKey { set: part.set, cipher, joint, weight: part.weight }
        };
        let (parts, pairs) = (self.parts.iter().map(part).collect(), self.pairs.apart(DERIVATION, number));
        Prss { scheme: self.scheme.clone(), me: self.me, parts, pairs }
    }

    /// This party's end with keys for verification, which are derived from these, in the field of `scheme`: the [extension](Field::extension), among the same parties.
    pub(crate) fn for_verification<G: Field>(&self, scheme: Scheme<G>) -> Prss<G> {
        let part = |part: &SetKey<F>| {
            let [cipher, joint] = [&part.cipher, &part.joint].map(|key| apart(key, VERIFICATION_KEYS, 0));
            SetKey { set: part.set, cipher, joint, weight: weight_of(&scheme, part.set, self.me) }
        };
        let (parts, pairs) = (self.parts.iter().map(part).collect(), self.pairs.apart(VERIFICATION_KEYS, 0));
        Prss { scheme, me: self.me, parts, pairs }
    }

    /// This party's end in another field of the same computation, which has this number. Elements drawn there are independent of those
    /// drawn here, except for the purpose [`Purpose::JOINT`].
    ///
    /// Errors: the scheme is for other parties.
    pub(crate) fn in_field<G: Field>(&self, scheme: Scheme<G>, number: u64) -> Result<Prss<G>, SharingError> {
        let (parties, threshold) = (scheme.parties(), scheme.threshold());
        if (parties, threshold) != (self.scheme.parties(), self.scheme.threshold()) {
            return Err(SharingError::Threshold { parties, threshold });
        }
        let part = |part: &SetKey<F>| {
            let cipher = apart(&part.cipher, FIELD_KEYS, number);
            let weight = weight_of(&scheme, part.set, self.me);
            SetKey { set: part.set, cipher, joint: part.joint.clone(), weight }
        };
        let (parts, pairs) = (self.parts.iter().map(part).collect(), self.pairs.apart(FIELD_KEYS, number));
        Ok(Prss { scheme, me: self.me, parts, pairs })
    }

    /// Shares of degree t of bits, each known to all parties of `set`, one of the [`sets`](crate::sets::sets); no t parties know their sum
    /// modulo 2 over all sets.
    pub fn set_bits(&self, set: Parties, purpose: Purpose, first: u64, shares: &mut [F::Element]) {
        shares.fill(F::Element::default());
        let Some(part) = self.parts.iter().find(|part| part.set == set) else { return };
        #[cfg(test)]
        self.record(part, lane(purpose, 0), true, (first.into(), shares.len()));
        let blocks = part.bit_blocks(purpose, first, shares.len() as u64);
        let skipped = first / 128 * 128;
        for (position, share) in (first..).zip(shares) {
            let i = position - skipped;
            let bit = blocks[(i / 128) as usize].0 >> (i % 128) & 1;
            // The bit selects by multiplication, not by a branch.
            let field = self.scheme.field();
            *share = field.mul(field.element(bit as u64), part.weight);
        }
    }

    /// Removes the keys of some sets, for tests of what remains when their parts are subtracted.
    #[cfg(test)]
    pub(crate) fn forget(&mut self, sets: impl Fn(Parties) -> bool) {
        self.parts.retain(|part| !sets(part.set));
    }

    /// Reports to tests the places that are drawn with the key of a set.
    #[cfg(test)]
    fn record(&self, part: &SetKey<F>, lane: u64, of_bits: bool, (first, count): (u128, usize)) {
        crate::recorder::record(|| {
            let key = part.cipher(Purpose((lane >> 32) as u32)).encrypt(Block(u128::MAX)).0;
            let (me, field) = (self.me, format!("{:?}", self.scheme.field()));
            crate::recorder::Draw { me, field, key, lane, of_bits, first, count: count as u128 }
        });
    }

    /// Adds or subtracts elements of the ground that a set's key determines.
    fn add_ground(
        &self,
        part: &SetKey<F>,
        (lane, first): (u64, u64),
        subtracted: bool,
        elements: &mut [F::Element],
    ) {
        let field = self.scheme.field();
        self.each_drawn(part, (lane, first), field.ground_bytes(), elements, |elements, bytes| {
            field.add_ground(elements, bytes, subtracted);
        });
    }

    /// Adds the elements that a set's key determines, times a weight.
    fn add_drawn(
        &self,
        part: &SetKey<F>,
        lane: u64,
        first: u64,
        weight: F::Element,
        shares: &mut [F::Element],
    ) {
        let field = self.scheme.field();
        self.each_drawn(part, (lane, first), field.uniform_bytes(), shares, |shares, bytes| {
            field.add_uniform(shares, bytes, weight);
        });
    }

    /// Calls `then` with groups of elements and the bytes that a set's key determines for them, as [`prf::each_chunk`].
    fn each_drawn(
        &self,
        part: &SetKey<F>,
        (lane, first): (u64, u64),
        each: usize,
        elements: &mut [F::Element],
        then: impl Fn(&mut [F::Element], &[u8]),
    ) {
        #[cfg(test)]
        self.record(part, lane, true, (8 * u128::from(first) * each as u128, 8 * each * elements.len()));
        prf::each_chunk(&part.cipher, (lane, first), each, elements, then);
    }
}

/// The weight of a set's number in the shares of `me`: where sharings are dealt 1, since the number is not
/// shared yet.
fn weight_of<F: Field>(scheme: &Scheme<F>, set: Parties, me: PartyIndex) -> F::Element {
    match scheme.randomness() {
        Randomness::CommonKeys => weight(scheme, set, me),
        Randomness::Dealt => scheme.field().one(),
    }
}

/// The polynomial of degree t that is 1 at 0 and 0 at the parties outside `set`, at the point of `me`.
pub(crate) fn weight<F: Field>(scheme: &Scheme<F>, set: Parties, me: PartyIndex) -> F::Element {
    let field = scheme.field();
    let outside = (0..scheme.parties()).filter(|party| !set.contains(*party));
    outside.fold(field.one(), |product, party| {
        let point = scheme.point(party);
        let factor = field.mul(field.sub(point, scheme.point(me)), field.inverse(point));
        field.mul(product, factor)
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use tacit_math::field::{BitOctets, Gf256, Mersenne61, Montgomery, Octet};

    use super::*;

    /// All parties' ends, with keys that only depend on the set.
    pub(crate) fn ends<F: Field>(field: &F, parties: usize, threshold: usize) -> Vec<Prss<F>> {
        let scheme = Scheme::new(field.clone(), parties, threshold).expect("a scheme");
        ends_of(&scheme.with_randomness(Randomness::CommonKeys))
    }

    /// The same for a scheme.
    pub(crate) fn ends_of<F: Field>(scheme: &Scheme<F>) -> Vec<Prss<F>> {
        let all = scheme.sets().expect("few sets");
        let key =
            |set: &Parties| Secret::new(Block(set.iter().fold(77, |key, party| key * 31 + party as u128)));
        let end = |me| {
            let keys: Vec<_> = all.iter().filter(|set| set.contains(me)).map(key).collect();
            Prss::new(scheme.clone(), me, &keys).expect("a key for each set")
        };
        (0..scheme.parties()).map(end).collect()
    }

    /// The values of all parties' shares, checked for consistency.
    pub(crate) fn opened<F: Field>(
        scheme: &Scheme<F>,
        shares: &[Vec<F::Element>],
        degree: usize,
    ) -> Vec<F::Element> {
        let shares: Vec<_> = shares.iter().enumerate().map(|(party, shares)| (party, &shares[..])).collect();
        scheme.open(&shares, degree).expect("consistent shares")
    }

    fn sharings_are_of_their_degree<F: Field>(field: &F) {
        for (parties, threshold) in [(3, 1), (4, 1), (5, 2), (6, 2), (7, 3)] {
            let ends = ends(field, parties, threshold);
            let drawn = |purpose, first| {
                let random = |end: &Prss<F>| {
                    let mut shares = vec![F::Element::default(); 50];
                    end.random(purpose, first, &mut shares);
                    shares
                };
                let shares: Vec<_> = ends.iter().map(random).collect();
                opened(ends[0].scheme(), &shares, threshold)
            };
            let values = drawn(Purpose::RANDOM, 0);
            assert_ne!(values, drawn(Purpose::BIT, 0), "purposes are independent");
            assert_eq!(values[7..], drawn(Purpose::RANDOM, 7)[..43], "positions address values");

            let zero = |end: &Prss<F>| {
                let mut shares = vec![F::Element::default(); 50];
                end.add_zero(Purpose::ZERO, 3, &mut shares);
                shares
            };
            let shares: Vec<_> = ends.iter().map(zero).collect();
            assert!(shares.iter().flatten().any(|share| *share != F::Element::default()));
            assert_eq!(opened(ends[0].scheme(), &shares, 2 * threshold), vec![F::Element::default(); 50]);
        }
    }

    #[test]
    fn all_parties_shares_agree() {
        sharings_are_of_their_degree(&Mersenne61);
        sharings_are_of_their_degree(&Gf256);
        sharings_are_of_their_degree(&Montgomery::<1>::new(&[65_537]).expect("odd"));
        sharings_are_of_their_degree(&Montgomery::<2>::new(&[0xffff_ffff_ffff_ff61, u64::MAX]).expect("odd"));
    }

    #[test]
    fn a_value_is_common_to_its_set() {
        let ends = ends(&Mersenne61, 3, 1);
        let mut values = vec![vec![0; 5]; 3];
        let known: Vec<_> = ends
            .iter()
            .zip(&mut values)
            .map(|(end, v)| end.common(Parties::from_iter([0, 2]), Purpose::INPUT, 9, v))
            .collect();
        assert_eq!(known, [true, false, true]);
        assert_eq!(values[0], values[2]);
        assert_eq!(values[1], [0; 5]);
    }

    #[test]
    fn elements_of_a_ground_are_addressed_by_their_place() {
        let ends = ends(&BitOctets, 3, 1);
        let drawn = |me: usize, first, count| {
            let mut drawn = vec![Octet::default(); count];
            assert!(ends[me].common(Parties::from_iter([0, 2]), Purpose::PRODUCT, first, &mut drawn));
            drawn
        };
        // More than one chunk, beginning within a block.
        let all = drawn(0, 5, 4 * prf::CHUNK_BYTES + 9);
        assert_eq!(all, drawn(2, 5, 4 * prf::CHUNK_BYTES + 9));
        for first in [0, 1, 11, 30, prf::CHUNK_BYTES - 1, prf::CHUNK_BYTES, 2 * prf::CHUNK_BYTES - 3] {
            assert_eq!(all[first..][..12], drawn(0, 5 + first as u64, 12), "{first}");
        }
        let mut counts = [0; 256];
        all.iter().for_each(|octet| counts[usize::from(BitOctets.ground(*octet))] += 1);
        assert!(counts.iter().all(|count| (170..350).contains(count)), "{counts:?}");
    }

    #[test]
    fn many_parties_have_small_ends() {
        for (threshold, count) in [(1, 64), (2, 2016)] {
            let scheme = Scheme::new(Mersenne61, Parties::MAX, threshold).expect("a scheme");
            let scheme = scheme.with_randomness(Randomness::CommonKeys);
            let sets = scheme.sets().expect("few sets");
            // The enumeration has a word for each set, and all clones of the scheme share it.
            assert_eq!((sets.len(), size_of_val(&sets[..])), (count, 8 * count));
            assert!(std::sync::Arc::ptr_eq(&sets, &scheme.clone().sets().expect("the same")));
            let mine = count - count * threshold / Parties::MAX;
            let keys: Vec<_> = (0..mine).map(|key| Secret::new(Block(key as u128))).collect();
            let ends = [0, 31, 63].map(|me| Prss::new(scheme.clone(), me, &keys).expect("an end"));
            for end in ends {
                // Two key schedules and a weight for each key, and nothing else that grows with the parties.
                let bytes = size_of::<SetKey<Mersenne61>>() - 2 * size_of::<Aes128>();
                assert!(end.parts.len() == mine && bytes <= 64, "{bytes}");
                assert!(
                    mine * size_of::<SetKey<Mersenne61>>() < 2 << 20,
                    "{}",
                    size_of::<SetKey<Mersenne61>>()
                );
                let task = end.derived(1);
                task.random(Purpose::RANDOM, 0, &mut [0]);
            }
        }
    }

    #[test]
    fn other_numbers_of_keys_are_refused() {
        let scheme = Scheme::new(Mersenne61, 3, 1).expect("a scheme");
        let error = Prss::new(scheme, 0, &[]).err();
        assert_eq!(error, Some(SharingError::Keys { given: 0, needed: 2 }));
    }
}
