//! Comparison by Damgård, Geisler and Krøigaard's protocol among n parties: two of them compare masked numbers under encryption.
//!
//! | | server A | assistant B | all |
//! |---|---|---|---|
//! | 1 | | draws r, longer than numbers by the statistical parameter | get shares of r |
//! | 2 | learns z | | open z = x - y + 2^ℓ + r to A |
//! | 3 | compares the low ℓ bits of z with those of r | the same | |
//! | 4 | | | get shares of a, A's bit of the borrow and z's bit ℓ, and of b, B's bit and r's |
//! | 5 | | | `[x ≥ y] = [a] + [b] - 2·[a]·[b]` |
//!
//! The bit `x ≥ y` is bit ℓ of `z - r`, which is between 1 and 2^(ℓ+1).
//!
//! Source: Damgård, Geisler and Krøigaard (ACISP 2007, IJACT 2009), for private numbers and shared results; Geisler's report, section 2, in the
//! setting of its chapter 3. Differs: there both servers hold the numbers; here all parties hold shares, and masking gives the numbers
//! to compare to the two.
//! Security: semi-honest. A sees z, whose mask is uniform and 40 bits longer than numbers, and zeros that a random bit of B hides; B sees
//! ciphertexts; all others see shares. The views of A and B together determine the difference. So with a threshold of 2 or more, all
//! parties must declare that A and B do not collude ([`DgkTerms::apart`]).
//! Cost: for each comparison three inputs, an opening to one party and a product, and [`tacit_compare::Cost::less`] between A and B.

use tacit_compare::{Assistant, CompareError, Parameters, Results, Server};
use tacit_crypto::Prg;
use tacit_he::Threads;
use tacit_math::field::Field;
use tacit_net::{Channel, StreamId};
use tokio::runtime::Runtime;
use zeroize::Zeroizing;

use crate::error::{RunError, UsageError};
use crate::parties::{Parties, PartyIndex};
use crate::program::{Task, Value, mixed};

/// The stream between the two parties that compare.
pub(crate) const STREAM: StreamId = StreamId(23);

/// The parties that compare, and their parameters; the same at all parties.
#[derive(Clone, Copy, Debug)]
pub struct DgkTerms {
    /// The party that makes a key.
    pub server: PartyIndex,
    /// The assisting party.
    pub assistant: PartyIndex,
    /// The key, and the length of the numbers; for shared results.
    pub parameters: Parameters,
    /// Whether these two never collude, though the threshold allows it. Ignored with a threshold of 1.
    pub apart: bool,
}

/// Two parties that have connected to compare for all, as seen by one of the parties.
#[derive(Debug)]
pub struct DgkPair {
    terms: DgkTerms,
    end: End,
}

#[derive(Debug)]
enum End {
    Server(Box<Server>, Link),
    Assistant(Box<Assistant>, Link),
    /// A party that only has shares.
    Other,
}

/// The stream to the other one, and the event loop for its messages.
#[derive(Debug)]
struct Link {
    channel: Channel,
    runtime: Runtime,
}

/// The error of a failure at one of the two.
fn failed(error: CompareError) -> RunError {
    match error {
        CompareError::Net(error) => error.into(),
        CompareError::Entropy(_) => RunError::Entropy,
        other => RunError::Comparison(std::sync::Arc::new(other)),
    }
}

impl DgkTerms {
    fn check<F: Field>(&self, task: &Task<F>) -> Result<(), RunError> {
        let parties = task.names().len();
        let [server, assistant] = [self.server, self.assistant];
        let threshold = task.scheme().threshold();
        for party in [server, assistant] {
            if party >= parties {
                return Err(UsageError::NoParty { party, parties }.into());
            }
        }
        if server == assistant {
            return Err(UsageError::OneComparer { party: task.names()[server].clone() }.into());
        }
        if threshold > 1 && !self.apart {
            let [server, assistant] = [server, assistant].map(|party| task.names()[party].clone());
            return Err(UsageError::NotApart { server, assistant, threshold }.into());
        }
        let (bits, security) = (self.parameters.bits() as usize, task.statistical_bits());
        match bits + security + 3 <= task.order_bits() && bits + security < 127 {
            true => Ok(()),
            false => Err(UsageError::Comparison { bits, security }.into()),
        }
    }
}

impl<F: Field> Task<F> {
    /// Connects two parties that compare for all. Blocks at these two; all parties must call it, once per
    /// session.
    ///
    /// Errors: the terms do not fit the session, or the parameters are for revealed results; a failure between the two; the computation has
    /// ended.
    pub fn dgk_pair(&self, terms: DgkTerms) -> Result<DgkPair, RunError> {
        self.passive_only("a comparison by two of the parties")?;
        terms.check(self)?;
        if terms.parameters.results() != Results::Shared {
            return Err(failed(CompareError::Revealed));
        }
        let end = match self.me() {
            me if me == terms.server => {
                let mut link = self.link(terms.assistant)?;
                let server = Server::generate(terms.parameters, Threads::all()).map_err(failed)?;
                let Link { channel, runtime } = &mut link;
                runtime.block_on(server.introduce(channel)).map_err(failed)?;
                End::Server(Box::new(server), link)
            }
            me if me == terms.assistant => {
                let mut link = self.link(terms.server)?;
                let Link { channel, runtime } = &mut link;
                let met = Assistant::meet(terms.parameters, Threads::all(), channel);
                End::Assistant(Box::new(runtime.block_on(met).map_err(failed)?), link)
            }
            _ => End::Other,
        };
        Ok(DgkPair { terms, end })
    }

    fn link(&self, peer: PartyIndex) -> Result<Link, RunError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime
            .map_err(|cause| RunError::System { what: "event loop", cause: std::sync::Arc::new(cause) })?;
        let missing = || UsageError::NoLink { party: self.names()[peer].clone() };
        let connection = self.connection(peer).ok_or_else(missing)?;
        let channel = {
            let _within = runtime.enter();
            connection.open(STREAM)?
        };
        Ok(Link { channel, runtime })
    }

    /// Whether each x is at least its y, as a value of bits. Both are unsigned numbers with the bits of the pair's parameters. Blocks at
    /// the pair's two parties.
    ///
    /// Errors: the lengths differ; a failure between the two; the computation has ended.
    pub fn at_least_by_dgk(
        &self,
        pair: &mut DgkPair,
        x: &Value<F>,
        y: &Value<F>,
    ) -> Result<Value<F>, RunError> {
        let DgkTerms { server, assistant, parameters, .. } = pair.terms;
        let bits = parameters.bits();
        let (field, me) = (self.field().clone(), self.me());
        let masks = match me == assistant {
            true => Some(masks(x.len(), bits + self.statistical_bits() as u32 + 1)?),
            false => None,
        };
        let given = masks.as_ref().map(|masks| masks.iter().map(|mask| element(&field, *mask)).collect());
        let mask = self.input(assistant, x.len(), given)?;
        let difference = self.shift(&self.sub(x, y)?, element(&field, 1 << bits))?;
        let terms = mixed(mixed(0x646b, server as u64), mixed(assistant as u64, u64::from(bits)));
        let hidden = self.declared(&self.add(&difference, &mask)?, terms)?;
        let shown = self.open_to(&hidden, Parties::from_iter([server]))?;
        let found = match (&mut pair.end, masks) {
            (End::Server(server, link), _) => {
                let opened = Zeroizing::new(self.wait(&shown)?);
                let sums: Zeroizing<Vec<u128>> =
                    Zeroizing::new(opened.iter().map(|sum| number(&field, *sum)).collect());
                let Link { channel, runtime } = link;
                Some(compared(&sums, bits, |low| runtime.block_on(server.share_less(channel, low)))?)
            }
            (End::Assistant(assistant, link), Some(masks)) => {
                let Link { channel, runtime } = link;
                Some(compared(&masks, bits, |low| runtime.block_on(assistant.share_less(channel, low)))?)
            }
            _ => None,
        };
        let of = |party: PartyIndex| {
            let own = found.as_ref().filter(|_| me == party);
            own.map(|bits| bits.iter().map(|bit| field.element(u64::from(*bit))).collect())
        };
        let a = self.input(server, x.len(), of(server))?;
        let b = self.input(assistant, x.len(), of(assistant))?;
        let both = self.mul(&a, &b)?;
        self.sub(&self.add(&a, &b)?, &self.add(&both, &both)?)
    }
}

impl DgkPair {
    /// Closes the stream between the two. Blocks briefly at these two.
    ///
    /// Errors: a failure of their link.
    pub fn close(self) -> Result<(), RunError> {
        match self.end {
            End::Server(_, Link { channel, runtime }) | End::Assistant(_, Link { channel, runtime }) => {
                Ok(runtime.block_on(channel.finish())?)
            }
            End::Other => Ok(()),
        }
    }
}

/// Uniform numbers of this many bits.
fn masks(count: usize, bits: u32) -> Result<Zeroizing<Vec<u128>>, RunError> {
    let mut prg = Prg::from_os().map_err(|_| RunError::Entropy)?;
    let mut bytes = Zeroizing::new([0; 16]);
    let draw = |_| {
        prg.fill_bytes(&mut *bytes);
        u128::from_le_bytes(*bytes) >> (128 - bits)
    };
    Ok(Zeroizing::new((0..count).map(draw).collect()))
}

/// A number that is less than the field's order.
fn element<F: Field>(field: &F, number: u128) -> F::Element {
    let mut bytes = Zeroizing::new(vec![0; field.bytes().max(16)]);
    bytes[..16].copy_from_slice(&number.to_le_bytes());
    field.decode(&bytes[..field.bytes()]).unwrap_or_default()
}

/// The low 128 bits of an element's number.
fn number<F: Field>(field: &F, element: F::Element) -> u128 {
    let mut bytes = Zeroizing::new(vec![0; field.bytes().max(16)]);
    field.encode(element, &mut bytes[..field.bytes()]);
    bytes.iter().take(16).rev().fold(0, |number, byte| number << 8 | u128::from(*byte))
}

/// One party's bits: bit ℓ of its numbers, and its bit of whether A's low bits are less than B's.
fn compared(
    words: &[u128],
    bits: u32,
    less: impl FnOnce(&[u64]) -> Result<Zeroizing<Vec<bool>>, CompareError>,
) -> Result<Zeroizing<Vec<bool>>, RunError> {
    let low =
        Zeroizing::new(words.iter().map(|word| (word & ((1 << bits) - 1)) as u64).collect::<Vec<u64>>());
    let borrows = less(&low).map_err(failed)?;
    let own = words.iter().zip(borrows.iter()).map(|(word, borrow)| (word >> bits & 1 == 1) ^ borrow);
    Ok(Zeroizing::new(own.collect()))
}

#[cfg(test)]
mod tests {
    use tacit_math::field::Mersenne61;

    use super::*;

    /// A's view of a difference of 4 bits has the same distribution for the smallest and the largest
    /// difference.
    #[test]
    fn sums_do_not_tell_differences() {
        const COUNT: usize = 2000;
        for difference in [1u128, 31] {
            let sums: Vec<u128> = masks(COUNT, 45).unwrap().iter().map(|mask| mask + difference).collect();
            for part in 0..4 {
                let count = sums.iter().filter(|sum| (**sum >> 43) % 4 == part).count();
                // Five standard deviations around a quarter.
                assert!(count.abs_diff(COUNT / 4) < 97, "{difference}, {part}: {count}");
            }
        }
    }

    #[test]
    fn numbers_and_elements_are_the_same() {
        for word in [0, 1, (1 << 59) - 1, 1 << 60, (1 << 61) - 2] {
            assert_eq!(number(&Mersenne61, element(&Mersenne61, word)), word);
        }
    }

    /// The bits of both parties, with a borrow that one of them has.
    #[test]
    fn bits_of_both_say_which_is_larger() {
        let bits = 3;
        for (x, y) in (0..8u128).flat_map(|x| (0..8).map(move |y| (x, y))) {
            for mask in 0..64u128 {
                let sum = x + 8 - y + mask;
                let a = compared(&[sum], bits, |low| Ok(Zeroizing::new(vec![low[0] < (mask & 7) as u64])))
                    .unwrap();
                let b = compared(&[mask], bits, |_| Ok(Zeroizing::new(vec![false]))).unwrap();
                assert_eq!(a[0] ^ b[0], x >= y, "{x} {y} {mask}");
            }
        }
    }
}
