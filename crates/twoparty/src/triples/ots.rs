//! The provider that makes all material from random OTs, in both directions.

use super::{
    DoublyShared, Lookups, Matrices, MatrixShape, Products, Provider, Scalings, Squares, SummedBits, Vectors,
    check_width,
};
use super::{bit_and_word, boolean, doubly_shared, gilboa, lookups, matrix};
use crate::transfers::Transfers;
use crate::{Party, ShareError};
use std::collections::BTreeMap;
use tacit_crypto::Prg;
use tacit_net::Channel;
use tacit_ot::cot::Extension;
use tacit_ot::{rot, softspoken};

/// OTs offered at a time: some ten thousand bytes, which stay within a channel's credit.
pub(crate) const AHEAD: usize = 1 << 20;

/// Random OTs between the two parties in both directions, and this party's own randomness.
///
/// Security: semi-honest; that of [`tacit_ot::rot`].
pub struct Ots {
    pub(super) party: Party,
    pub(super) sender: rot::Sender,
    pub(super) receiver: rot::Receiver,
    pub(super) own: Prg,
}

impl Ots {
    /// Sets up OTs in both directions from one set of base OTs: see [`Transfers::both`]. `session` is agreed and new for every
    /// session, `prg` secret and fresh.
    ///
    /// Cost: [`crate::transfers::Tally::set_up`] in each direction.
    ///
    /// # Errors
    /// Those of [`Transfers::both`].
    pub async fn setup(
        channel: &mut Channel,
        party: Party,
        extension: impl Into<Extension>,
        session: &[u8; 32],
        mut prg: Prg,
    ) -> Result<Ots, ShareError> {
        let extension = extension.into();
        let params = match extension {
            Extension::SoftSpoken(params) => params,
            Extension::Ferret(_) => softspoken::Params::default(),
        };
        let mut transfers = Transfers::new(*session, params);
        let (sender, receiver) = transfers.both(channel, party, extension, &mut prg).await?;
        channel.flush().await?;
        Ok(Ots::new(party, sender, receiver, prg))
    }

    /// From sessions of random OT that are set up: this party's as sender and as receiver.
    pub fn new(party: Party, sender: rot::Sender, receiver: rot::Receiver, own: Prg) -> Ots {
        Ots { party, sender, receiver, own }
    }

    /// The sessions, for other uses: this party's as sender and as receiver.
    pub fn into_sessions(self) -> (rot::Sender, rot::Receiver) {
        (self.sender, self.receiver)
    }

    /// Makes sure that the next `count` OTs in each direction take no message, so that both parties may first be receivers
    /// of some and then senders. If they would take one, what the next `most` take is sent at once; with SoftSpokenOT, where
    /// only receivers send, nothing is.
    ///
    /// Cost: with silent OT what the OTs themselves would send, and half a round.
    ///
    /// # Errors
    /// Those of [`rot::Sender::offer`].
    pub(super) async fn supply(
        &mut self,
        channel: &mut Channel,
        count: usize,
        most: usize,
    ) -> Result<(), ShareError> {
        let most = most.min(AHEAD);
        self.sender.offer(channel, count, most).await?;
        channel.flush().await?;
        Ok(self.receiver.accept(channel, count, most).await?)
    }

    /// Which party this is.
    pub fn party(&self) -> Party {
        self.party
    }
}

impl Provider for Ots {
    async fn vectors(
        &mut self,
        channel: &mut Channel,
        counts: &BTreeMap<u32, u64>,
    ) -> Result<BTreeMap<u32, Vectors>, ShareError> {
        counts.keys().try_for_each(|size| check_width(*size))?;
        boolean::vectors(self, channel, counts).await
    }

    async fn products(
        &mut self,
        channel: &mut Channel,
        bits: u32,
        count: usize,
    ) -> Result<Products, ShareError> {
        check_width(bits)?;
        gilboa::products(self, channel, bits, count).await
    }

    async fn squares(
        &mut self,
        channel: &mut Channel,
        bits: u32,
        count: usize,
    ) -> Result<Squares, ShareError> {
        check_width(bits)?;
        gilboa::squares(self, channel, bits, count).await
    }

    async fn matrices(
        &mut self,
        channel: &mut Channel,
        shape: MatrixShape,
        count: usize,
    ) -> Result<Matrices, ShareError> {
        check_width(shape.bits)?;
        matrix::matrices(self, channel, shape, count).await
    }

    async fn doubly_shared(
        &mut self,
        channel: &mut Channel,
        bits: u32,
        count: usize,
    ) -> Result<DoublyShared, ShareError> {
        check_width(bits)?;
        doubly_shared::make(self, channel, bits, count).await
    }

    async fn lookups(&mut self, channel: &mut Channel, count: usize) -> Result<Lookups, ShareError> {
        lookups::make(self, channel, count).await
    }

    async fn summed_bits(
        &mut self,
        channel: &mut Channel,
        bits: u32,
        count: usize,
    ) -> Result<SummedBits, ShareError> {
        check_width(bits)?;
        bit_and_word::summed_bits(self, channel, bits, count).await
    }

    async fn scalings(
        &mut self,
        channel: &mut Channel,
        bits: u32,
        count: usize,
    ) -> Result<Scalings, ShareError> {
        check_width(bits)?;
        bit_and_word::scalings(self, channel, bits, count).await
    }
}
