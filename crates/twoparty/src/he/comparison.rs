//! Comparisons of encrypted words whose results are encrypted.
//!
//! | | holder | key's owner |
//! |---|---|---|
//! | 1 | computes [d] = [x - y], draws r, packs and sends [d + r] | decrypts z = d + r |
//! | 2 | | encrypts the bits of z under its DGK key and sends them |
//! | 3 | compares them with the bits of r, blinds, permutes, sends; keeps a random bit | tests for zero, and gets a bit for each |
//! | 4 | | encrypts its bit of each result, sends |
//! | 5 | adds its own bit modulo two | |
//!
//! With d = z - r modulo 2^bits, x < y is the topmost bit of d: the exclusive or of the topmost bits of z and r and of the borrow from the
//! bits below, which is 1 if those of z are less than those of r. Words are equal if neither z nor r is less.
//!
//! Source: Damgard, Geisler and Kroigaard, "Efficient and secure comparison for on-line auctions" (ACISP 2007), for private numbers and with
//! its correction (IJACT 1, 2009); Veugen, "Improving the DGK comparison protocol" (WIFS 2012), for encrypted operands and results.
//! Differs: masks are longer than numbers by the statistical parameter instead of uniform modulo n, so that z never wraps; all comparisons
//! of a layer are sent together.
//! Security: semi-honest. The owner sees masked words, and zeros at places that a uniform bit and a permutation hide; the holder sees
//! ciphertexts, and those of bits are under another key.

use std::sync::Arc;

use tacit_compare::{Cost, LESS_WINDOW};
use tacit_he::paillier::{Ciphertext, PublicKey, SecretKey};
use tacit_he::{Natural, PublicKey as _, SecretKey as _};
use tacit_schedule::Relation;
use zeroize::Zeroizing;

use super::key::HeMaterial;
use super::lane::{Lane, add, multiply, negate_all};
use super::masked::{low, masked};
use super::parameters::HeParameters;
use crate::error::{expect, found};
use crate::{Dialogue, End, Party, ShareError, mask};

/// Comparisons of encrypted words, lane by lane.
#[derive(Clone, Copy)]
pub(crate) struct Comparison<'a> {
    pub left: &'a [Lane],
    pub right: &'a [Lane],
    /// The relation to test: [`Relation::LessWithin`] or [`Relation::Equal`].
    pub relation: Relation,
    /// Width of the words.
    pub bits: u32,
    /// The power of two by which differences are lifted.
    pub lift: u32,
    /// Bits of the encrypted differences.
    pub value_bits: u32,
}

/// One party's words whose sums or differences are the differences of a [`Comparison`], modulo 2^bits.
pub(super) struct Differences {
    relation: Relation,
    bits: u32,
    words: Zeroizing<Vec<u128>>,
}

tacit_math::redacted!(Comparison<'_>, Differences);

/// Comparisons of bits that share a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Questions {
    /// Bits of the longest number.
    pub bits: u32,
    pub count: u64,
}

impl Questions {
    /// Adds those of `lanes` comparisons of words of `bits` bits.
    pub fn add(&mut self, relation: Relation, bits: u32, lanes: u64) {
        self.bits = self.bits.max(question_bits(relation, bits));
        self.count = self.count.saturating_add(lanes.saturating_mul(questions_each(relation)));
    }

    /// The cost of `count` of these.
    fn cost(self, parameters: &HeParameters, count: u64) -> Result<Cost, ShareError> {
        let parameters = parameters.comparisons()?.with_bits(self.bits)?;
        Ok(Cost::less(&parameters, count as usize))
    }

    /// Number of ciphertexts of the second and of the first party.
    ///
    /// # Errors
    /// [`ShareError::Compare`] if numbers are too long.
    pub fn randomness(self, parameters: &HeParameters) -> Result<[u64; 2], ShareError> {
        if self.count == 0 {
            return Ok([0; 2]);
        }
        let one = self.cost(parameters, 1)?;
        Ok([one.server_randomness, one.assistant_randomness]
            .map(|each| (each as u64).saturating_mul(self.count)))
    }

    /// Their messages.
    ///
    /// # Errors
    /// As [`Questions::randomness`].
    pub fn messages(self, parameters: &HeParameters) -> Result<Dialogue, ShareError> {
        if self.count == 0 {
            return Ok(Dialogue::default());
        }
        let window = LESS_WINDOW as u64;
        let [whole, rest] = [window, self.count % window].map(|count| self.cost(parameters, count));
        let (whole, rest) = (whole?, rest?);
        Ok(Dialogue::default().windows(self.count, window, |count| {
            let Cost { request_bytes, reply_bytes, .. } = if count == window { whole } else { rest };
            Dialogue::default()
                .send(Party::Second, request_bytes as u64)
                .send(Party::First, reply_bytes as u64)
        }))
    }
}

/// Bits of the compared numbers, for words of `bits` bits.
fn question_bits(relation: Relation, bits: u32) -> u32 {
    match relation {
        Relation::Equal => bits,
        _ => bits.saturating_sub(1).max(1),
    }
}

fn questions_each(relation: Relation) -> u64 {
    1 + u64::from(relation == Relation::Equal)
}

impl Comparison<'_> {
    /// Number of ciphertexts that the holder sends in step 1.
    pub(super) fn replies(&self, parameters: &HeParameters) -> Result<usize, ShareError> {
        Ok(self.left.len().div_ceil(parameters.slots(self.value_bits)?.count()))
    }

    /// Step 1: appends the masked differences, as many to a ciphertext as fit.
    pub(super) fn blind(
        &self,
        end: &mut End,
        material: &mut HeMaterial,
        key: &Arc<PublicKey>,
        replies: &mut Vec<Ciphertext>,
    ) -> Result<Differences, ShareError> {
        expect("words to compare with", self.right.len(), self.left.len())?;
        let negative = negate_all(self.right, self.bits, self.lift)?;
        let difference = |(x, y): (&Lane, &Lane)| add(x, y, self.bits);
        let lanes: Vec<Lane> = self.left.iter().zip(&negative).map(difference).collect::<Result<_, _>>()?;
        let slots = material.parameters().slots(self.value_bits)?;
        let mut words = Zeroizing::new(Vec::with_capacity(lanes.len()));
        for (reply, masks) in masked(end, material, key, (&lanes, self.bits), &slots)? {
            replies.push(reply);
            words.extend(masks.iter().map(|one| low(one) & mask(self.bits)));
        }
        Ok(Differences { relation: self.relation, bits: self.bits, words })
    }

    /// Step 1 at the key's owner: unpacks what was decrypted.
    pub(super) fn open(
        &self,
        parameters: &HeParameters,
        plains: &mut impl Iterator<Item = Natural>,
    ) -> Result<Differences, ShareError> {
        let slots = parameters.slots(self.value_bits)?;
        let mut words = Zeroizing::new(Vec::with_capacity(self.left.len()));
        for chunk in self.left.chunks(slots.count()) {
            let plain = found("decrypted differences", plains.next())?;
            words.extend(slots.unpack(&plain, chunk.len())?.iter().map(|one| low(one) & mask(self.bits)));
        }
        Ok(Differences { relation: self.relation, bits: self.bits, words })
    }
}

impl Differences {
    /// This party's numbers to compare; each is less than 2^[`question_bits`].
    fn numbers(&self, into: &mut Vec<u64>) {
        let (bits, words) = (question_bits(self.relation, self.bits), &self.words);
        let number = |word: u128| (word & mask(bits)) as u64;
        match self.relation {
            Relation::Equal => into.extend(words.iter().flat_map(|word| [number(*word), number(!*word)])),
            _ if self.bits == 1 => into.extend(words.iter().map(|_| 0)),
            _ => into.extend(words.iter().map(|word| number(*word))),
        }
    }

    /// This party's bits of the results, from those of the comparisons.
    fn results(
        &self,
        party: Party,
        compared: &mut impl Iterator<Item = bool>,
    ) -> Result<Vec<bool>, ShareError> {
        let mut next = || found("compared bits", compared.next());
        let result = |word: &u128| match self.relation {
            Relation::Equal => Ok((party == Party::Second) ^ next()? ^ next()?),
            _ => Ok((word >> (self.bits - 1) & 1 == 1) ^ next()?),
        };
        self.words.iter().map(result).collect()
    }
}

/// Steps 2 and 3: this party's bit of each result.
async fn compared(
    end: &mut End,
    material: &mut HeMaterial,
    differences: &[Differences],
) -> Result<Zeroizing<Vec<bool>>, ShareError> {
    let mut questions = Questions::default();
    let mut numbers = Zeroizing::new(Vec::new());
    for one in differences {
        questions.add(one.relation, one.bits, one.words.len() as u64);
        one.numbers(&mut numbers);
    }
    let bits = material.comparator(questions.bits)?.less(&mut end.channel, &numbers).await?;
    let mut bits = bits.iter().copied();
    let mut results = Zeroizing::new(Vec::new());
    for one in differences {
        results.extend(one.results(end.party, &mut bits)?);
    }
    Ok(results)
}

/// Steps 3 to 5 at the holder: the results, comparison after comparison.
pub(super) async fn hold(
    end: &mut End,
    material: &mut HeMaterial,
    key: &Arc<PublicKey>,
    differences: &[Differences],
) -> Result<Vec<Vec<Lane>>, ShareError> {
    let own = compared(end, material, differences).await?;
    let mut received = vec![0; own.len() * key.ciphertext_bytes()];
    end.channel.receive_into(&mut received).await?;
    let theirs = key.decode(own.len(), &received)?;
    let mut results = exclusive_or(key, theirs, &own)?.into_iter();
    Ok(differences.iter().map(|one| results.by_ref().take(one.words.len()).collect()).collect())
}

/// Encrypted bits, each plus one of the holder's bits modulo two: `b(1 - c) + (1 - b)c`, in time that does not depend on c.
fn exclusive_or(
    key: &Arc<PublicKey>,
    theirs: Vec<Ciphertext>,
    own: &[bool],
) -> Result<Vec<Lane>, ShareError> {
    let theirs: Vec<Lane> = theirs.into_iter().map(|bit| Lane::sealed(key, bit)).collect();
    let flipped = negate_all(&theirs, 1, 0)?;
    let factor = |own: bool| Lane::held(u128::from(own));
    let factors: Vec<[Lane; 2]> = own.iter().map(|own| [factor(!own), factor(*own)]).collect();
    let bits = theirs.iter().zip(&flipped).zip(&factors);
    let pairs = bits.flat_map(|((bit, flipped), [same, other])| [(bit, same), (flipped, other)]);
    let products = multiply(&pairs.collect::<Vec<_>>(), 1, 0)?;
    products.chunks(2).map(|both| Ok(add(&both[0], &both[1], 1)?)).collect()
}

/// Steps 2 to 4 at the key's owner.
pub(super) async fn own(
    end: &mut End,
    material: &mut HeMaterial,
    key: &SecretKey,
    differences: &[Differences],
) -> Result<(), ShareError> {
    let own = compared(end, material, differences).await?;
    material.reserve(key, own.len(), &mut end.own)?;
    let mut bits = Vec::with_capacity(own.len());
    for bit in own.iter() {
        let randomness = material.randomness(key, &mut end.own)?;
        bits.push(key.public().encrypt_with(&Natural::from(u64::from(*bit)), randomness)?);
    }
    end.channel.send(&key.public().encode(&bits)?).await?;
    Ok(end.channel.flush().await?)
}

/// This party's bits of the results, before they are encrypted.
#[cfg(test)]
pub(super) async fn tests_bits(end: &mut End, one: &Comparison<'_>) -> Vec<bool> {
    let mut material = end.he.take().expect("there is a key");
    let differences = match end.party() {
        Party::First => {
            let (key, mut replies) = (material.holder().expect("the holder's"), Vec::new());
            let found = one.blind(end, &mut material, &key, &mut replies).expect("differences");
            end.channel.send(&key.encode(&replies).expect("ciphertexts")).await.expect("sent");
            end.channel.flush().await.expect("sent");
            found
        }
        Party::Second => {
            let (key, count) = (
                material.owner().expect("the owner's"),
                one.replies(&material.parameters()).expect("a count"),
            );
            let mut received = vec![0; count * key.public().ciphertext_bytes()];
            end.channel.receive_into(&mut received).await.expect("received");
            let replies = key.public().decode(count, &received).expect("ciphertexts");
            let mut plains = replies.iter().map(|reply| key.decrypt(reply).expect("a plaintext"));
            one.open(&material.parameters(), &mut plains).expect("differences")
        }
    };
    compared(end, &mut material, &[differences]).await.expect("bits").to_vec()
}
