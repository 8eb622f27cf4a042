//! Triples of words by additively homomorphic encryption.
//!
//! The second party has the key. It sends Enc(a₁) and Enc(b₁), and the first party answers with
//!
//! d = Enc(a₁)^b₀ · Enc(b₁)^a₀ · Enc(r)
//!
//! and has the share c₀ = a₀·b₀ - r of the product; the second party has c₁ = a₁·b₁ + Dec(d), all modulo 2^bits.
//!
//! Oblivious transfers make triples ([`super::WordTriples`]) with far less computing, and silent ones also with fewer bytes, so no plan uses these. They are here
//! for measurements, as in ABY's table II, and rest on another assumption.
//!
//! Source: Demmler, Schneider and Zohner, “ABY” (NDSS'15), section III-A4, protocol 1. Differs: replies are freshly randomised.
//! Security: semi-honest; see [`PaillierTriples`] and [`DgkTriples`] for what hides the first party's words.
//! Cost: two ciphertexts for each triple from the second party, and those of [`TripleScheme`] from the first.

pub(crate) mod dgk;
pub(crate) mod paillier;

pub use dgk::DgkTriples;
pub use paillier::PaillierTriples;

use tacit_crypto::Prg;
use tacit_he::{Natural, PublicKey, SecretKey, Threads};
use tacit_net::Channel;
use zeroize::Zeroizing;

use super::gilboa::random_words;
use super::{WordTriples, check_width};
use crate::pack::mask;
use crate::{Party, ShareError};

/// The public half of a scheme's key.
type Public<S> = <<S as TripleScheme>::Secret as SecretKey>::Public;

/// The parameters of a scheme's keys.
type Parameters<S> = <Public<S> as PublicKey>::Parameters;

/// A ciphertext of a scheme.
type Ciphertext<S> = <Public<S> as PublicKey>::Ciphertext;

/// Ciphertexts of masked sums, and the masks modulo 2^bits.
pub type Masked<S> = (Vec<Ciphertext<S>>, Zeroizing<Vec<u128>>);

/// How a scheme masks and returns the sums of products.
pub trait TripleScheme: Sized {
    /// The secret half of a key; plaintexts and factors are numbers.
    type Secret: SecretKey<Public: PublicKey<Plain = Natural, Factor = Natural>>;

    /// The method of replies for words with this many bits.
    ///
    /// # Errors
    /// [`ShareError::Width`], [`ShareError::He`] if the key is too short for them.
    fn of(parameters: &Parameters<Self>, bits: u32) -> Result<Self, ShareError>;

    /// Triples that are processed at a time.
    fn window(&self) -> usize;

    /// Ciphertexts that return `count` masked sums.
    fn replies(&self, count: usize) -> usize;

    /// Ciphertexts of masked sums, and the masks modulo 2^bits.
    ///
    /// # Errors
    /// Those of the scheme.
    fn mask(
        &self,
        key: &Public<Self>,
        sums: Vec<Ciphertext<Self>>,
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<Masked<Self>, ShareError>;

    /// `count` masked sums modulo 2^bits.
    ///
    /// # Errors
    /// Those of the scheme.
    fn open(
        &self,
        key: &Self::Secret,
        replies: &[Ciphertext<Self>],
        count: usize,
        threads: Threads,
    ) -> Result<Zeroizing<Vec<u128>>, ShareError>;
}

/// A party's half of a key, with which triples are made.
pub enum EncryptedTriples<S: TripleScheme> {
    /// The first party's.
    Helper(Box<Public<S>>),
    /// The second party's.
    Owner(Box<S::Secret>),
}

impl<S: TripleScheme> EncryptedTriples<S> {
    /// Makes the key at the second party; the first party receives its public half of `key_bytes` bytes, and
    /// checks it.
    ///
    /// # Errors
    /// Failures of the channel; [`ShareError::He`] for an invalid key.
    pub async fn meet(
        channel: &mut Channel,
        party: Party,
        parameters: &Parameters<S>,
        key_bytes: usize,
        prg: &mut Prg,
    ) -> Result<Self, ShareError> {
        Ok(match party {
            Party::First => {
                let mut bytes = vec![0; key_bytes];
                channel.receive_into(&mut bytes).await?;
                EncryptedTriples::Helper(Box::new(Public::<S>::from_bytes(parameters, &bytes)?))
            }
            Party::Second => {
                let key = S::Secret::generate(parameters, prg)?;
                channel.send(&key.public().to_bytes()).await?;
                channel.flush().await?;
                EncryptedTriples::Owner(Box::new(key))
            }
        })
    }

    /// Makes `count` triples of words of `bits` bits together with the peer.
    ///
    /// # Errors
    /// [`ShareError::Width`], [`ShareError::He`], failures of the channel.
    pub async fn make(
        &self,
        channel: &mut Channel,
        (bits, count): (u32, usize),
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<WordTriples, ShareError> {
        check_width(bits)?;
        let (a, b) = (random_words(prg, bits, count), random_words(prg, bits, count));
        let mut c = Zeroizing::new(Vec::with_capacity(count));
        let own = Words { bits, a: &a, b: &b };
        match self {
            EncryptedTriples::Helper(key) => help::<S>(key, channel, own, &mut c, threads, prg).await?,
            EncryptedTriples::Owner(key) => own_part::<S>(key, channel, own, &mut c, threads, prg).await?,
        }
        for ((c, a), b) in c.iter_mut().zip(a.iter()).zip(b.iter()) {
            *c = c.wrapping_add(a.wrapping_mul(*b)) & mask(bits);
        }
        Ok(WordTriples { a, b, c })
    }
}

/// Bytes that each party sends for `count` triples, those of the first party first. Exact.
///
/// # Errors
/// As [`TripleScheme::of`].
pub fn triple_bytes<S: TripleScheme>(
    key: &Public<S>,
    bits: u32,
    count: usize,
) -> Result<[u64; 2], ShareError> {
    let scheme = S::of(&key.parameters(), bits)?;
    let replies: usize = windows(&scheme, count).map(|window| scheme.replies(window.len())).sum();
    Ok([replies, 2 * count].map(|ciphertexts| (ciphertexts * key.ciphertext_bytes()) as u64))
}

/// A party's factors. Secret.
#[derive(Clone, Copy)]
struct Words<'a> {
    bits: u32,
    a: &'a [u128],
    b: &'a [u128],
}

impl Words<'_> {
    /// All a of a window, then all b.
    fn naturals(&self, window: &core::ops::Range<usize>) -> [Vec<Natural>; 2] {
        let bytes = self.bits.div_ceil(8) as usize;
        let natural = |word: &u128| Natural::from_le_bytes(&word.to_le_bytes()[..bytes]);
        [self.a, self.b].map(|words| words[window.clone()].iter().map(natural).collect())
    }
}

fn windows<S: TripleScheme>(
    scheme: &S,
    count: usize,
) -> impl Iterator<Item = core::ops::Range<usize>> + use<S> {
    let window = scheme.window();
    (0..count).step_by(window).map(move |first| first..count.min(first + window))
}

/// The second party's part: one window of ciphertexts is always ahead of the reply that is read.
async fn own_part<S: TripleScheme>(
    key: &S::Secret,
    channel: &mut Channel,
    words: Words<'_>,
    sums: &mut Vec<u128>,
    threads: Threads,
    prg: &mut Prg,
) -> Result<(), ShareError> {
    let scheme = S::of(&key.public().parameters(), words.bits)?;
    let mut ahead = windows(&scheme, words.a.len());
    let mut send = async |channel: &mut Channel| -> Result<(), ShareError> {
        if let Some(window) = ahead.next() {
            let plains = words.naturals(&window).into_iter().flatten().collect::<Vec<_>>();
            let encrypted = key.encrypt_all(&plains, threads, prg)?;
            channel.send(&key.public().encode(&encrypted)?).await?;
            channel.flush().await?;
        }
        Ok(())
    };
    send(channel).await?;
    for window in windows(&scheme, words.a.len()) {
        send(channel).await?;
        let count = scheme.replies(window.len());
        let replies = receive(key.public(), channel, count).await?;
        sums.extend_from_slice(&scheme.open(key, &replies, window.len(), threads)?);
    }
    Ok(())
}

/// The first party's part.
async fn help<S: TripleScheme>(
    key: &Public<S>,
    channel: &mut Channel,
    words: Words<'_>,
    shares: &mut Vec<u128>,
    threads: Threads,
    prg: &mut Prg,
) -> Result<(), ShareError> {
    let scheme = S::of(&key.parameters(), words.bits)?;
    for window in windows(&scheme, words.a.len()) {
        let theirs = receive(key, channel, 2 * window.len()).await?;
        let [a, b] = words.naturals(&window);
        let factors: Vec<Natural> = b.into_iter().chain(a).collect();
        let products = key.multiply_all(&theirs, &factors, threads)?;
        let (left, right) = products.split_at(window.len());
        let (replies, masks) = scheme.mask(key, key.add_all(left, right, threads)?, threads, prg)?;
        channel.send(&key.encode(&replies)?).await?;
        channel.flush().await?;
        shares.extend(masks.iter().map(|mask| mask.wrapping_neg()));
    }
    Ok(())
}

/// Receives this many ciphertexts of the peer, checked.
async fn receive<K: PublicKey>(
    key: &K,
    channel: &mut Channel,
    count: usize,
) -> Result<Vec<K::Ciphertext>, ShareError> {
    let mut bytes = vec![0; count * key.ciphertext_bytes()];
    channel.receive_into(&mut bytes).await?;
    Ok(key.decode(count, &bytes)?)
}

/// The lowest bits of a number.
fn low_bits(number: &Natural, bits: u32) -> u128 {
    let bytes = number.to_le_bytes();
    let mut low = Zeroizing::new([0; 16]);
    let length = bytes.len().min(16);
    low[..length].copy_from_slice(&bytes[..length]);
    u128::from_le_bytes(*low) & mask(bits)
}
