//! The extension's receiver, who learns choices and sends nothing.

use super::blocks::UPPER;
use super::line::{End, Line};
use super::sender::salt_after;
use super::{Params, SEEDS, tree};
use crate::error::OtError;
use crate::softspoken;
use std::collections::VecDeque;
use tacit_crypto::Prg;
use tacit_crypto::aes::Aes128;
use tacit_math::{Bits, Block, Table};
use tacit_net::Channel;

/// The receiver of correlated OTs with random choices.
pub struct Receiver {
    line: Line<Trees>,
    salt: Block,
    count: u64,
}

/// How the receiver makes trees.
#[derive(Default)]
struct Trees {
    /// Corrections of trees to come.
    accepted: VecDeque<Vec<Block>>,
}

impl Receiver {
    /// Sets up SoftSpokenOT and continues from there: see [`softspoken::Receiver::setup`] and [`Receiver::bootstrap`].
    ///
    /// Cost: [`Params::setup_bytes`].
    ///
    /// # Errors
    /// Those of [`softspoken::Receiver::setup`] and [`Receiver::bootstrap`].
    pub async fn setup(
        channel: &mut Channel,
        params: Params,
        session: &[u8; 32],
        prg: &mut Prg,
    ) -> Result<Receiver, OtError> {
        let cot = softspoken::Receiver::setup(channel, SEEDS, session, prg).await?;
        Receiver::bootstrap(channel, params, cot).await
    }

    /// Starts silent OTs from a session of other correlated OTs. The peer does the same at the same place of its session.
    ///
    /// Cost: see [`super::Sender::bootstrap`].
    ///
    /// # Errors
    /// Those of [`softspoken::Receiver::extend`].
    pub async fn bootstrap(
        channel: &mut Channel,
        params: Params,
        mut cot: softspoken::Receiver,
    ) -> Result<Receiver, OtError> {
        let mut seeds = Table::new(params.sets()[0].seeds());
        let choices = cot.extend(channel, &mut seeds).await?;
        for (block, choice) in seeds.iter_mut().zip(choices.iter()) {
            *block = (*block & UPPER) ^ Block(u128::from(choice));
        }
        let salt = salt_after(cot.salt());
        let line = Line::climb(channel, params, salt, seeds, Trees::default()).await?;
        Ok(Receiver { line, salt, count: 0 })
    }

    /// Fills `out` with the blocks t\[i\] of fresh OTs and returns their choices c\[i\], uniform bits: the sender's
    /// blocks are t\[i\] ^ c\[i\]·delta. The sender asks for as many; the parties may split the same total into calls
    /// differently.
    ///
    /// Choices and blocks are secret; a block's least significant bit is its choice.
    /// Cost: receives [`Params::bytes`], less what was accepted; no round.
    ///
    /// # Errors
    /// [`OtError::Exhausted`] past 2^56 OTs; failures of the channel. After an error the session cannot be used.
    pub async fn extend(&mut self, channel: &mut Channel, out: &mut [Block]) -> Result<Bits, OtError> {
        self.count = softspoken::check_count(self.count, out.len())?;
        self.line.fill(channel, out).await?;
        Ok(Bits::from_lsbs(out))
    }

    /// Receives now the messages for the next `count` OTs: see [`super::Sender::offer`].
    ///
    /// # Errors
    /// [`OtError::Shape`] if `count` is too large; failures of the channel.
    pub async fn accept(&mut self, channel: &mut Channel, count: usize, most: usize) -> Result<(), OtError> {
        self.line.ahead(channel, count, most).await
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

/// Receives the corrections of a tree, which has as many levels as OTs.
async fn receive(channel: &mut Channel, masks: &[Block]) -> Result<Vec<Block>, OtError> {
    let mut corrections = vec![Block::ZERO; masks.len() - 1];
    channel.receive_into(Block::as_bytes_mut(&mut corrections)).await?;
    Ok(corrections)
}

impl End for Trees {
    async fn leaves(
        &mut self,
        channel: &mut Channel,
        hash: &Aes128,
        masks: &[Block],
        _due: bool,
        leaves: &mut [Block],
    ) -> Result<(), OtError> {
        let corrections = match self.accepted.pop_front() {
            Some(corrections) => corrections,
            None => receive(channel, masks).await?,
        };
        tree::punctured(hash, masks, &corrections, leaves);
        Ok(())
    }

    async fn ahead(&mut self, channel: &mut Channel, _: &Aes128, masks: &[Block]) -> Result<(), OtError> {
        self.accepted.push_back(receive(channel, masks).await?);
        Ok(())
    }
}
