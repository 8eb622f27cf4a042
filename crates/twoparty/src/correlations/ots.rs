//! The provider that makes all kinds from random OTs, in both directions.

use super::{PieceCounts, Pool, Provider, Registered};
use crate::transfers::Transfers;
use crate::{Dialogue, Party, ShareError};
use tacit_crypto::Prg;
use tacit_net::Channel;
use tacit_ot::cot::Extension;
use tacit_ot::{rot, softspoken};

/// OTs that are offered at a time: about ten thousand bytes, which stay within a channel's credit.
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
    /// Sets up OTs in both directions from one set of base OTs: see [`Transfers::both`]. `session` is agreed and unique for
    /// every session, `prg` secret and fresh.
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

    /// From existing sessions of random OT: this party's as sender and as receiver.
    pub fn new(party: Party, sender: rot::Sender, receiver: rot::Receiver, own: Prg) -> Ots {
        Ots { party, sender, receiver, own }
    }

    /// The sessions, for other uses: this party's as sender and as receiver.
    pub fn into_sessions(self) -> (rot::Sender, rot::Receiver) {
        (self.sender, self.receiver)
    }

    /// Makes sure that the next `count` OTs in each direction need no message, so that both parties may first be receivers
    /// of some and then senders. If they would need one, the messages of the next `most` OTs are sent at once. With
    /// SoftSpokenOT, where only receivers send, nothing is sent.
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

/// The cost of `count` pieces, made at most a `window` at a time, with `ots` OTs each in both directions. Before each window,
/// [`Ots::supply`] supplies the window or else all remaining OTs. `one` returns the other costs of this many pieces.
pub(super) fn supplied(count: u64, (window, ots): (u64, u64), one: impl Fn(u64) -> Dialogue) -> Dialogue {
    let of = |pieces: u64, left: u64| {
        let most = left.saturating_mul(ots).min(AHEAD as u64);
        Dialogue::default().supply(pieces * ots, most).then(one(pieces))
    };
    // As long as at least as much is left as is sent ahead, windows are alike.
    let enough = (AHEAD as u64).div_ceil(ots).max(window);
    let alike = if count < enough { 0 } else { (count - enough) / window + 1 };
    let mut all = Dialogue::default().repeat(alike, of(window, enough));
    let mut left = count - alike * window;
    while left > 0 {
        let pieces = left.min(window);
        all = all.then(of(pieces, left));
        left -= pieces;
    }
    all
}

/// A kind of which OTs make each shape separately, one after the other.
pub trait OtKind: Registered {
    /// The cost of making this many pieces.
    fn price(shape: Self::Shape, count: u64) -> Dialogue;

    /// Makes this many pieces.
    ///
    /// # Errors
    /// [`ShareError::Padding`]; failures of OTs and of the channel.
    fn make(
        ots: &mut Ots,
        channel: &mut Channel,
        shape: Self::Shape,
        count: usize,
    ) -> impl Future<Output = Result<Self, ShareError>> + Send;
}

impl<K: OtKind> Provider<K> for Ots {
    fn price(counts: &PieceCounts<K>) -> Dialogue {
        counts.iter().map(|(shape, count)| K::price(*shape, *count)).sum()
    }

    async fn make(
        &mut self,
        channel: &mut Channel,
        counts: &PieceCounts<K>,
        _pool: &mut Pool,
    ) -> Result<Vec<K>, ShareError> {
        let mut made = Vec::with_capacity(counts.len());
        for (&shape, &count) in counts {
            made.push(K::make(self, channel, shape, count as usize).await?);
        }
        Ok(made)
    }
}
