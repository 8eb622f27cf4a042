//! The extension's sender, who holds delta and sends.

use super::blocks::clear;
use super::line::{End, Line};
use super::{Params, SEEDS, tree};
use crate::error::OtError;
use crate::softspoken;
use tacit_crypto::aes::Aes128;
use tacit_crypto::{Oracle, Prg, Secret};
use tacit_math::{Block, Table};
use tacit_net::Channel;

/// Number of trees after which the channel is flushed, so that the peer computes at the same time.
pub(crate) const FLIGHT: usize = 4;

/// The sender of correlated OTs.
pub struct Sender {
    line: Line<Trees>,
    salt: Block,
    count: u64,
}

/// How the sender makes trees.
struct Trees {
    delta: Secret<[Block; 1]>,
    /// Leaves of trees of which only the corrections are needed.
    scratch: Table,
    /// Trees sent since the last flush.
    in_flight: usize,
}

impl Sender {
    /// Sets up SoftSpokenOT and continues from there: see [`softspoken::Sender::setup`] and [`Sender::bootstrap`].
    ///
    /// Cost: [`Params::setup_bytes`].
    ///
    /// # Errors
    /// Those of [`softspoken::Sender::setup`] and [`Sender::bootstrap`].
    pub async fn setup(
        channel: &mut Channel,
        params: Params,
        session: &[u8; 32],
        prg: &mut Prg,
    ) -> Result<Sender, OtError> {
        let cot = softspoken::Sender::setup(channel, SEEDS, session, prg).await?;
        Sender::bootstrap(channel, params, cot).await
    }

    /// Starts silent OTs from a session of other correlated OTs. Their delta is that of the session, with the least significant bit
    /// set to 1. The peer does the same at the same place of its session.
    ///
    /// Cost: [`Params::bootstrap_bytes`] and one round if `cot` is fresh and has k = 8; the channel is flushed.
    ///
    /// # Errors
    /// Those of [`softspoken::Sender::extend`].
    pub async fn bootstrap(
        channel: &mut Channel,
        params: Params,
        mut cot: softspoken::Sender,
    ) -> Result<Sender, OtError> {
        let mut seeds = Table::new(params.sets()[0].seeds());
        cot.extend(channel, &mut seeds).await?;
        clear(&mut seeds);
        let salt = salt_after(cot.salt());
        let end = Trees {
            delta: Secret::new([cot.delta().with_lsb()]),
            scratch: Table::new(params.set().leaves()),
            in_flight: 0,
        };
        let line = Line::climb(channel, params, salt, seeds, end).await?;
        channel.flush().await?;
        Ok(Sender { line, salt, count: 0 })
    }

    /// Fills `out` with the blocks q\[i\] of fresh OTs, of which the receiver learns q\[i\] ^ c\[i\]·delta for a uniform
    /// c\[i\]. The receiver asks for as many; the parties may split the same total into calls differently.
    ///
    /// Blocks are secret; their least significant bits are 0.
    /// Cost: [`Params::bytes`] to the receiver, less what was offered; no round. The last messages are not flushed.
    ///
    /// # Errors
    /// [`OtError::Exhausted`] past 2^56 OTs; failures of the channel. After an error the session cannot be used.
    pub async fn extend(&mut self, channel: &mut Channel, out: &mut [Block]) -> Result<(), OtError> {
        self.count = softspoken::check_count(self.count, out.len())?;
        self.line.fill(channel, out).await
    }

    /// Sends now the messages for the next `count` OTs, at most [`super::Set::usable`], so that [`Sender::extend`] sends nothing for
    /// them. Does nothing if they were sent before; otherwise sends those for up to `most` OTs at once. The receiver accepts the same
    /// at the same place of its session.
    ///
    /// Cost: the trees' AES calls, which are repeated when the OTs are made; nothing is flushed.
    ///
    /// # Errors
    /// [`OtError::Shape`] if `count` is too large; failures of the channel.
    pub async fn offer(&mut self, channel: &mut Channel, count: usize, most: usize) -> Result<(), OtError> {
        self.line.ahead(channel, count, most).await
    }

    /// The correlation, whose least significant bit is 1. Secret.
    pub fn delta(&self) -> Block {
        self.line.end().delta.expose()[0]
    }

    /// OTs handed out so far: the index of the next one.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// OTs made but not yet handed out: fewer than the leaves of a tree.
    pub(crate) fn spare(&self) -> usize {
        self.line.spare()
    }

    /// A key for hashing this session's blocks, the same at both parties and not secret.
    pub fn salt(&self) -> Block {
        self.salt
    }
}

/// The salt of silent OTs, derived from that of the session from which they start. It differs, because that session may still use its own.
pub(super) fn salt_after(salt: Block) -> Block {
    Oracle::new("tacit ferret v1: hash key").absorb(&salt.to_bytes()).block()
}

impl End for Trees {
    async fn leaves(
        &mut self,
        channel: &mut Channel,
        hash: &Aes128,
        masks: &[Block],
        due: bool,
        leaves: &mut [Block],
    ) -> Result<(), OtError> {
        let mut corrections = [Block::ZERO; MOST_LEVELS];
        let corrections = &mut corrections[..masks.len() - 1];
        tree::full(hash, masks, self.delta.expose()[0], leaves, corrections);
        if due {
            channel.send(Block::as_bytes(corrections)).await?;
            self.in_flight += 1;
            if self.in_flight == FLIGHT {
                self.in_flight = 0;
                channel.flush().await?;
            }
        }
        Ok(())
    }

    async fn ahead(&mut self, channel: &mut Channel, hash: &Aes128, masks: &[Block]) -> Result<(), OtError> {
        let mut corrections = [Block::ZERO; MOST_LEVELS];
        let corrections = &mut corrections[..masks.len() - 1];
        let leaves = &mut self.scratch[..1 << masks.len()];
        tree::full(hash, masks, self.delta.expose()[0], leaves, corrections);
        Ok(channel.send(Block::as_bytes(corrections)).await?)
    }
}

/// Maximum levels of a tree.
const MOST_LEVELS: usize = 32;
