//! Random OT: correlated OTs hashed, so that all blocks are independent of delta and of each other.
//!
//! The blocks of OT i of a session are hashed under tweak i: the sender hashes q\[i\] and q\[i\] ^ delta, the receiver the one of these
//! that it holds. Tweaks count through all calls of a session and each session has its own hash key, so no pair of key
//! and tweak ever serves two OTs.
//!
//! Source: Ishai, Kilian, Nissim and Petrank (CRYPTO'03), with the re-keyed hash MITCCRH of Guo, Katz, Wang, Weng and Yu
//! (CRYPTO'20), [`tacit_crypto::mitccrh`].
//!
//! Security: semi-honest, AES as an ideal cipher.
//! Cost: that of the correlated OTs, and for each OT one key expansion, two AES calls at the sender and one at the receiver.

use crate::cot::{self, Extension};
use crate::error::OtError;
use tacit_crypto::Prg;
use tacit_crypto::mitccrh::Mitccrh;
use tacit_math::{Bits, Block};
use tacit_net::Channel;

/// OTs hashed at a time, while they are in the first-level cache.
const CHUNK: usize = 2048;

/// The sender of random OTs.
pub struct Sender {
    cot: cot::Sender,
    hash: Mitccrh,
}

/// The receiver of random OTs.
pub struct Receiver {
    cot: cot::Receiver,
    hash: Mitccrh,
}

impl Sender {
    /// Sets up the correlated OTs: see [`cot::Sender::setup`].
    ///
    /// # Errors
    /// Those of [`cot::Sender::setup`].
    pub async fn setup(
        channel: &mut Channel,
        extension: impl Into<Extension>,
        session: &[u8; 32],
        prg: &mut Prg,
    ) -> Result<Sender, OtError> {
        Ok(Sender::new(cot::Sender::setup(channel, extension.into(), session, prg).await?))
    }

    /// A session from OTs of the other direction: see [`cot::Sender::derive`].
    ///
    /// # Errors
    /// Those of [`cot::Sender::derive`].
    pub async fn derive(
        channel: &mut Channel,
        extension: impl Into<Extension>,
        session: &[u8; 32],
        base: &mut Receiver,
    ) -> Result<Sender, OtError> {
        Ok(Sender::new(cot::Sender::derive(channel, extension.into(), session, base).await?))
    }

    /// Random OTs from a session of correlated ones. The peer does the same at the same place of its session.
    pub fn new(cot: impl Into<cot::Sender>) -> Sender {
        let cot = cot.into();
        Sender { hash: Mitccrh::new(cot.salt()), cot }
    }

    /// Fills `zeros` and `ones` with the two blocks of fresh OTs, uniform and secret. The receiver learns one of each
    /// pair.
    ///
    /// Parties may split the same total into calls differently.
    /// Cost: that of [`cot::Sender::extend`].
    ///
    /// # Errors
    /// [`OtError::Shape`] if the slices differ in length; those of [`cot::Sender::extend`].
    pub async fn extend(
        &mut self,
        channel: &mut Channel,
        zeros: &mut [Block],
        ones: &mut [Block],
    ) -> Result<(), OtError> {
        if zeros.len() != ones.len() {
            return Err(OtError::Shape { what: "second blocks", given: ones.len(), expected: zeros.len() });
        }
        let mut done = 0;
        for count in pieces(self.cot.spare(), zeros.len()) {
            let (zeros, ones) = (&mut zeros[done..done + count], &mut ones[done..done + count]);
            let tweak = self.cot.count();
            self.cot.extend(channel, zeros).await?;
            self.hash.hash_both(tweak, self.cot.delta(), zeros, ones);
            done += count;
        }
        Ok(())
    }

    /// Sends now the messages for the next `count` OTs, so that [`Sender::extend`] sends nothing for them:
    /// see [`crate::ferret::Sender::offer`]. With SoftSpokenOT there is nothing to send. The receiver accepts as many at the
    /// same place of its session.
    ///
    /// # Errors
    /// Those of [`crate::ferret::Sender::offer`].
    pub async fn offer(&mut self, channel: &mut Channel, count: usize, most: usize) -> Result<(), OtError> {
        self.cot.offer(channel, count, most).await
    }

    /// OTs handed out so far, correlated and random: the tweak of the next one.
    pub fn count(&self) -> u64 {
        self.cot.count()
    }

    /// OTs made but not yet handed out; these cost nothing more.
    pub fn spare(&self) -> u64 {
        self.cot.spare() as u64
    }
}

impl Receiver {
    /// Sets up the correlated OTs: see [`cot::Receiver::setup`].
    ///
    /// # Errors
    /// Those of [`cot::Receiver::setup`].
    pub async fn setup(
        channel: &mut Channel,
        extension: impl Into<Extension>,
        session: &[u8; 32],
        prg: &mut Prg,
    ) -> Result<Receiver, OtError> {
        Ok(Receiver::new(cot::Receiver::setup(channel, extension.into(), session, prg).await?))
    }

    /// A session from OTs of the other direction: see [`cot::Receiver::derive`].
    ///
    /// # Errors
    /// Those of [`cot::Receiver::derive`].
    pub async fn derive(
        channel: &mut Channel,
        extension: impl Into<Extension>,
        session: &[u8; 32],
        base: &mut Sender,
        prg: &mut Prg,
    ) -> Result<Receiver, OtError> {
        Ok(Receiver::new(cot::Receiver::derive(channel, extension.into(), session, base, prg).await?))
    }

    /// Random OTs from a session of correlated ones. The peer does the same at the same place of its session.
    pub fn new(cot: impl Into<cot::Receiver>) -> Receiver {
        let cot = cot.into();
        Receiver { hash: Mitccrh::new(cot.salt()), cot }
    }

    /// Fills `out` with one block of each fresh OT and returns the choices: bit i is 1 if `out[i]` is the
    /// sender's second block. Bits and blocks are uniform and secret.
    ///
    /// Parties may split the same total into calls differently.
    /// Cost: that of [`cot::Receiver::extend`].
    ///
    /// # Errors
    /// Those of [`cot::Receiver::extend`].
    pub async fn extend(&mut self, channel: &mut Channel, out: &mut [Block]) -> Result<Bits, OtError> {
        let mut choices = Bits::default();
        for count in pieces(self.cot.spare(), out.len()) {
            let done = choices.len();
            let out = &mut out[done..done + count];
            let tweak = self.cot.count();
            choices.extend_bits(&self.cot.extend(channel, out).await?);
            self.hash.hash(tweak, out);
        }
        Ok(choices)
    }

    /// Receives now the messages for the next `count` OTs: see [`Sender::offer`].
    ///
    /// # Errors
    /// Those of [`crate::ferret::Receiver::accept`].
    pub async fn accept(&mut self, channel: &mut Channel, count: usize, most: usize) -> Result<(), OtError> {
        self.cot.accept(channel, count, most).await
    }

    /// OTs handed out so far, correlated and random: the tweak of the next one.
    pub fn count(&self) -> u64 {
        self.cot.count()
    }

    /// OTs made but not yet handed out; these cost nothing more.
    pub fn spare(&self) -> u64 {
        self.cot.spare() as u64
    }
}

/// The pieces of `count` OTs: first those left over from before, then chunks.
fn pieces(spare: usize, count: usize) -> impl Iterator<Item = usize> {
    let first = (spare % CHUNK).min(count);
    let rest = count - first;
    let chunks = (0..rest).step_by(CHUNK).map(move |start| CHUNK.min(rest - start));
    (first > 0).then_some(first).into_iter().chain(chunks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_add_up_and_align() {
        for (spare, count) in [(0, 0), (5, 3), (5, 5), (5, 6), (0, 2048), (127, 9000)] {
            let sizes: Vec<usize> = pieces(spare, count).collect();
            assert_eq!(sizes.iter().sum::<usize>(), count);
            assert!(sizes.iter().all(|&size| (1..=CHUNK).contains(&size)));
        }
    }
}
