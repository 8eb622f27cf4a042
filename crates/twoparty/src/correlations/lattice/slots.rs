//! Products of words of one party with words of the other, thousands in a ciphertext.
//!
//! Words are signed numbers. The product of two of them, plus a mask that is 40 bits longer, is determined by its residues
//! modulo several primes of 35 bits; for each prime there is a ciphertext with a number in each of its 8192 slots.
//!
//! | step | owner of the key | other party |
//! |---|---|---|
//! | 1 | encrypts its words x, sends a seed and c0 for each prime | |
//! | 2 | | multiplies by its words y, adds masks r, and replies with a ciphertext that hides its computation |
//! | 3 | decrypts x·y + r, its share modulo 2^bits | keeps -r, its share |

use super::residues::{Residues, primes};
use super::tiles::GROUP;
use crate::lattice_keys::{KeyPair, slot_key_residues};
use crate::{Dialogue, ShareError};
use std::ops::Range;
use tacit_crypto::Prg;
use tacit_he::bfv::Ring;
use tacit_he::{PublicKey as _, SecretKey as _};
use tacit_net::Channel;
use tacit_schedule::Unit;
use zeroize::Zeroizing;

/// Products of a party's words with the peer's: the words that it encrypts, and those by which it multiplies the peer's.
/// Secret.
pub(super) struct Words<'a> {
    pub bits: u32,
    pub encrypted: &'a [u128],
    pub plain: &'a [u128],
}

/// Shares of the products of the words that this party encrypts, and of those that the peer encrypts.
pub(super) type Shares = [Zeroizing<Vec<u128>>; 2];

/// Slots of a ciphertext.
pub(super) fn slots() -> usize {
    Ring::SLOTS.degree()
}

/// Columns of ciphertexts that are sent together, for words that need this many primes.
fn group(primes: usize) -> usize {
    (GROUP / (primes * Ring::SLOTS.fresh_bytes())).max(1)
}

/// The ranges of the columns of ciphertexts for this many words.
fn columns(words: usize) -> impl Iterator<Item = Range<usize>> {
    (0..words).step_by(slots()).map(move |start| start..words.min(start + slots()))
}

/// What both parties send and compute if they encrypt these numbers of words, without the key; `None` for unsupported words.
pub(super) fn price(bits: u32, words: [u64; 2]) -> Option<Dialogue> {
    let primes = primes(bits)?;
    let (columns, group) = (words.map(|count| count.div_ceil(slots() as u64)), group(primes) as u64);
    let one = |columns: [u64; 2]| {
        let bytes = |each: usize| columns.map(|columns| columns.saturating_mul((primes * each) as u64));
        let [first, second] = bytes(Ring::slots_reply_bytes());
        Dialogue::default().exchange(bytes(Ring::SLOTS.fresh_bytes())).exchange([second, first])
    };
    // First the columns that both have, then the rest of one party, of at most one column.
    let whole = columns[0].min(columns[1]) / group;
    let rest = columns.map(|columns| columns - whole * group);
    let sent = Dialogue::default().repeat(whole, one([group; 2])).then(one(rest));
    let residues =
        (columns[0].max(columns[1])).saturating_mul(primes as u64).saturating_mul(slot_key_residues());
    // The transforms from words to slots and back take as long as encrypting.
    let steps = [(Unit::LatticeFresh, 2), (Unit::LatticeProduct, 1), (Unit::LatticeReply, 1)];
    Some(steps.into_iter().fold(sent, |sent, (unit, each)| sent.compute(unit, residues.saturating_mul(each))))
}

/// Makes the products together with the peer. Each party encrypts as many words as the other has plain; the numbers of the
/// parties differ by at most one column.
///
/// # Errors
/// [`ShareError::He`] for invalid ciphertexts; failures of the channel.
pub(super) async fn cross(
    channel: &mut Channel,
    keys: &[KeyPair],
    words: Words<'_>,
    prg: &mut Prg,
) -> Result<Shares, ShareError> {
    let numbers = Residues::new(words.bits)?;
    let ends =
        Ends { keys: keys.get(..numbers.count()).ok_or(ShareError::Missing { what: "keys" })?, numbers };
    let group = group(ends.numbers.count());
    let (own, theirs): (Vec<_>, Vec<_>) =
        (columns(words.encrypted.len()).collect(), columns(words.plain.len()).collect());
    let mut shares =
        [words.encrypted, words.plain].map(|words| Zeroizing::new(Vec::with_capacity(words.len())));
    let (mut own, mut theirs) = (own.chunks(group), theirs.chunks(group));
    loop {
        let (own, theirs) = (own.next().unwrap_or_default(), theirs.next().unwrap_or_default());
        if own.is_empty() && theirs.is_empty() {
            return Ok(shares);
        }
        let mut sent = Vec::new();
        for column in own {
            sent.extend(ends.encrypt(&words.encrypted[column.clone()], prg)?);
        }
        let mut received = vec![0; theirs.len() * ends.fresh_bytes()];
        channel.exchange(&sent, &mut received).await?;
        let mut replies = Vec::new();
        for (column, bytes) in theirs.iter().zip(received.chunks_exact(ends.fresh_bytes())) {
            let (reply, share) = ends.multiply(&words.plain[column.clone()], bytes, prg)?;
            replies.extend(reply);
            shares[1].extend_from_slice(&share);
        }
        let mut received = vec![0; own.len() * ends.reply_bytes()];
        channel.exchange(&replies, &mut received).await?;
        for (column, bytes) in own.iter().zip(received.chunks_exact(ends.reply_bytes())) {
            shares[0].extend_from_slice(&ends.decrypt(column.len(), bytes)?);
        }
    }
}

/// Both ends of a column's products.
struct Ends<'a> {
    /// One for each prime.
    keys: &'a [KeyPair],
    numbers: Residues,
}

impl Ends<'_> {
    fn fresh_bytes(&self) -> usize {
        self.keys.len() * Ring::SLOTS.fresh_bytes()
    }

    fn reply_bytes(&self) -> usize {
        self.keys.len() * Ring::slots_reply_bytes()
    }

    /// Step 1: encryptions of words, for each prime.
    fn encrypt(&self, words: &[u128], prg: &mut Prg) -> Result<Vec<u8>, ShareError> {
        let mut sent = Vec::with_capacity(self.fresh_bytes());
        for (index, KeyPair { own, .. }) in self.keys.iter().enumerate() {
            let numbers = self.numbers.of_words(index, words);
            let plain = own.public().parameters().plain_of_slots(&numbers)?;
            sent.extend(own.public().encode_fresh(&[own.encrypt_fresh(&plain, prg)?])?);
        }
        Ok(sent)
    }

    /// Step 2: replies, and this party's shares.
    fn multiply(
        &self,
        words: &[u128],
        received: &[u8],
        prg: &mut Prg,
    ) -> Result<(Vec<u8>, Zeroizing<Vec<u128>>), ShareError> {
        let masks = self.numbers.masks(words.len(), prg);
        let places: Vec<usize> = (0..slots()).collect();
        let mut replies = Vec::with_capacity(self.reply_bytes());
        let fresh = received.chunks_exact(Ring::SLOTS.fresh_bytes());
        for ((index, KeyPair { theirs, .. }), bytes) in self.keys.iter().enumerate().zip(fresh) {
            let parameters = theirs.parameters();
            let factor = parameters.factor_of_slots(&self.numbers.of_words(index, words))?;
            let mask = parameters.plain_of_slots(&self.numbers.of_masks(index, &masks))?;
            let received = theirs.decode_fresh(1, bytes)?;
            let product = theirs.multiply(&theirs.expand(&received[0])?, &factor)?;
            let masked = theirs.add_plain(&product, &mask)?;
            replies.extend(theirs.encode_reply(&theirs.reply(&masked, &places, prg)?)?);
        }
        Ok((replies, self.numbers.shares(&masks)))
    }

    /// Step 3: this party's shares from the peer's replies.
    fn decrypt(&self, count: usize, received: &[u8]) -> Result<Zeroizing<Vec<u128>>, ShareError> {
        let places: Vec<usize> = (0..slots()).collect();
        let mut residues = Vec::with_capacity(self.keys.len());
        for (KeyPair { own, .. }, bytes) in
            self.keys.iter().zip(received.chunks_exact(Ring::slots_reply_bytes()))
        {
            let reply = own.public().decode_reply(slots(), bytes)?;
            let coefficients = own.decrypt_reply(&reply, &places)?;
            residues
                .push(Zeroizing::new(own.public().parameters().numbers_in_slots(&coefficients)?.to_vec()));
        }
        Ok(self.numbers.to_words(&residues, count))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::gilboa::random_words;
    use super::*;
    use crate::pack::mask;
    use tacit_he::HeError;
    use tacit_he::bfv::{Parameters, PublicKey, SecretKey};
    use tacit_math::Block;

    /// The key's owner and the other party, for words with this many bits.
    fn ends(bits: u32) -> [Ends<'static>; 2] {
        let moduli = primes(bits).unwrap();
        let pairs = |owns: u128, peers: u128| -> &'static [KeyPair] {
            let pair = |index| {
                let parameters = Parameters::slots(index).unwrap();
                let key = |seed| SecretKey::generate(&parameters, &mut Prg::new(Block(seed))).unwrap();
                let theirs = PublicKey::from_bytes(&parameters, &key(peers).public().to_bytes()).unwrap();
                KeyPair { own: key(owns), theirs }
            };
            (0..moduli).map(pair).collect::<Vec<_>>().leak()
        };
        [pairs(1, 2), pairs(2, 1)].map(|keys| Ends { keys, numbers: Residues::new(bits).unwrap() })
    }

    #[test]
    fn products_of_the_largest_words_come_out() {
        for bits in [1, 2, 16, 17, 32, 64, 100, 128] {
            let [owner, other] = ends(bits);
            let top = 1u128 << (bits - 1);
            let x: Vec<u128> = (0..slots()).map(|i| [top, top - 1, top | 1][i % 3] & mask(bits)).collect();
            let y: Vec<u128> = (0..slots()).map(|i| [top, top - 1][i % 2]).collect();
            let mut prg = Prg::new(Block(3));
            let sent = owner.encrypt(&x, &mut prg).unwrap();
            let (reply, shares) = other.multiply(&y, &sent, &mut prg).unwrap();
            assert_eq!((sent.len(), reply.len()), (owner.fresh_bytes(), owner.reply_bytes()));
            let others = owner.decrypt(x.len(), &reply).unwrap();
            for i in 0..x.len() {
                let sum = shares[i].wrapping_add(others[i]) & mask(bits);
                assert_eq!(sum, x[i].wrapping_mul(y[i]) & mask(bits), "{bits} bits");
            }
        }
    }

    #[test]
    fn what_the_owner_of_the_key_decrypts_is_uniform() {
        let [owner, other] = ends(8);
        let mut prg = Prg::new(Block(4));
        // The words are zero, so that a missing or partial mask shows.
        let zeros = vec![0; slots()];
        let sent = owner.encrypt(&zeros, &mut prg).unwrap();
        let (reply, shares) = other.multiply(&zeros, &sent, &mut prg).unwrap();
        let seen = owner.decrypt(slots(), &reply).unwrap();
        let mut counts = [0u32; 256];
        for (seen, share) in seen.iter().zip(shares.iter()) {
            assert_eq!(seen.wrapping_add(*share) & 0xff, 0);
            counts[*seen as usize] += 1;
        }
        // 8192 words, 32 of each on average.
        let squares: f64 = counts.iter().map(|count| (f64::from(*count) - 32.0).powi(2) / 32.0).sum();
        assert!((130.0..420.0).contains(&squares), "chi-squared with 255 degrees of freedom: {squares}");
    }

    #[test]
    fn replies_to_one_message_have_nothing_in_common() {
        let [owner, other] = ends(32);
        let mut prg = Prg::new(Block(5));
        let words = random_words(&mut prg, 32, 100);
        let sent = owner.encrypt(&words, &mut prg).unwrap();
        let again = owner.encrypt(&words, &mut prg).unwrap();
        let zeros = vec![0; 100];
        let mut reply = || other.multiply(&zeros, &sent, &mut prg).unwrap();
        let ((x, own), (y, others)) = (reply(), reply());
        let equal = |x: &[u8], y: &[u8]| x.iter().zip(y).filter(|(x, y)| x == y).count();
        // Without a fresh zero, c1·0 would be zero.
        assert!(equal(&x, &y) < x.len() / 128 && equal(&sent, &again) < sent.len() / 128);
        assert!(x.iter().filter(|byte| **byte == 0).count() < x.len() / 128);
        assert!(own.iter().zip(others.iter()).all(|(x, y)| x != y));
    }

    #[test]
    fn what_no_honest_party_sends_is_refused() {
        let [owner, other] = ends(32);
        let range = |error: Option<ShareError>| matches!(error, Some(ShareError::He(HeError::Range { .. })));
        // A number with all bits set is not a residue of any prime.
        assert!(range(other.multiply(&[1], &vec![0xff; other.fresh_bytes()], &mut Prg::new(Block(6))).err()));
        assert!(range(owner.decrypt(1, &vec![0xff; owner.reply_bytes()]).err()));
    }
}
