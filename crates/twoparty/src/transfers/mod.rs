//! All OTs between two parties: one set of base OTs for a session, on which all extensions in both directions are
//! based.
//!
//! The first requested extension is set up by base OTs. The one in the other direction takes random OTs of the first as its
//! base OTs, and silent extensions take them from SoftSpokenOT of the other direction; neither needs public-key operations.
//! Extensions are kept until the session ends.

mod tally;

pub use tally::Tally;

use crate::{Party, ShareError};
use tacit_crypto::{Oracle, Prg};
use tacit_net::Channel;
use tacit_ot::cot::Extension;
use tacit_ot::{ferret, rot, softspoken};

/// Random OTs of a session at one party, by extension and direction. Both parties request the same at the same place.
pub struct Transfers {
    session: [u8; 32],
    params: softspoken::Params,
    softspoken: BothWays,
    /// By [`silent_index`].
    silent: [BothWays; ferret::Params::ALL.len()],
    /// Number of extensions set up so far, from which the next one's name is derived.
    made: u64,
}

/// Random OTs of one extension in both directions, as far as they are set up and not in use.
#[derive(Default)]
struct BothWays {
    sender: Option<rot::Sender>,
    receiver: Option<rot::Receiver>,
}

impl Transfers {
    /// Transfers of which nothing is set up. `session` is agreed and unique for every session; `params` are those of
    /// SoftSpokenOT.
    pub fn new(session: [u8; 32], params: softspoken::Params) -> Transfers {
        Transfers { session, params, softspoken: BothWays::default(), silent: Default::default(), made: 0 }
    }

    /// Takes the OTs whose sender is this party, after setting them up if necessary.
    /// [`Transfers::keep_sender`] returns them. `prg` must be secret and fresh, as in all other methods.
    ///
    /// Cost: [`Tally::set_up`].
    ///
    /// # Errors
    /// Those of [`rot::Sender::setup`], as in all other methods.
    pub async fn sender(
        &mut self,
        channel: &mut Channel,
        extension: Extension,
        prg: &mut Prg,
    ) -> Result<rot::Sender, ShareError> {
        let Some(silent) = silent_index(extension) else {
            return self.softspoken_sender(channel, prg).await;
        };
        if let Some(ots) = self.silent[silent].sender.take() {
            return Ok(ots);
        }
        let mut base = self.softspoken_receiver(channel, prg).await?;
        let ots = rot::Sender::derive(channel, extension, &self.name(), &mut base).await?;
        self.softspoken.receiver = Some(base);
        Ok(ots)
    }

    /// Takes the OTs whose receiver is this party: see [`Transfers::sender`].
    ///
    /// # Errors
    /// As there.
    pub async fn receiver(
        &mut self,
        channel: &mut Channel,
        extension: Extension,
        prg: &mut Prg,
    ) -> Result<rot::Receiver, ShareError> {
        let Some(silent) = silent_index(extension) else {
            return self.softspoken_receiver(channel, prg).await;
        };
        if let Some(ots) = self.silent[silent].receiver.take() {
            return Ok(ots);
        }
        let mut base = self.softspoken_sender(channel, prg).await?;
        let ots = rot::Receiver::derive(channel, extension, &self.name(), &mut base, prg).await?;
        self.softspoken.sender = Some(base);
        Ok(ots)
    }

    /// Takes the OTs of both directions, first those whose sender is the first party.
    ///
    /// # Errors
    /// As for [`Transfers::sender`].
    pub async fn both(
        &mut self,
        channel: &mut Channel,
        party: Party,
        extension: Extension,
        prg: &mut Prg,
    ) -> Result<(rot::Sender, rot::Receiver), ShareError> {
        if party == Party::First {
            // Kept meanwhile, since the other direction may be based on it.
            let sender = self.sender(channel, extension, prg).await?;
            self.keep_sender(extension, sender);
            let receiver = self.receiver(channel, extension, prg).await?;
            Ok((self.sender(channel, extension, prg).await?, receiver))
        } else {
            let receiver = self.receiver(channel, extension, prg).await?;
            self.keep_receiver(extension, receiver);
            let sender = self.sender(channel, extension, prg).await?;
            Ok((sender, self.receiver(channel, extension, prg).await?))
        }
    }

    /// Returns OTs that were taken by [`Transfers::sender`].
    pub fn keep_sender(&mut self, extension: Extension, ots: rot::Sender) {
        self.pair(extension).sender = Some(ots);
    }

    /// Returns OTs that were taken by [`Transfers::receiver`].
    pub fn keep_receiver(&mut self, extension: Extension, ots: rot::Receiver) {
        self.pair(extension).receiver = Some(ots);
    }

    /// What is set up, which determines the cost of the next OTs. `me` is this party.
    pub fn tally(&self, me: Party) -> Tally {
        let mut tally = Tally::new(self.params);
        let BothWays { sender, receiver } = &self.softspoken;
        tally.softspoken[me.index()] = sender.as_ref().map(rot::Sender::spare);
        tally.softspoken[me.peer().index()] = receiver.as_ref().map(rot::Receiver::spare);
        for (tally, BothWays { sender, receiver }) in tally.silent.iter_mut().zip(&self.silent) {
            let after = |taken| tally::SilentCount { taken, ahead: 0 };
            tally[me.index()] = sender.as_ref().map(rot::Sender::count).map(after);
            tally[me.peer().index()] = receiver.as_ref().map(rot::Receiver::count).map(after);
        }
        tally
    }

    async fn softspoken_sender(
        &mut self,
        channel: &mut Channel,
        prg: &mut Prg,
    ) -> Result<rot::Sender, ShareError> {
        if let Some(ots) = self.softspoken.sender.take() {
            return Ok(ots);
        }
        let name = self.name();
        Ok(match &mut self.softspoken.receiver {
            Some(base) => rot::Sender::derive(channel, self.params, &name, base).await?,
            None => rot::Sender::setup(channel, self.params, &name, prg).await?,
        })
    }

    async fn softspoken_receiver(
        &mut self,
        channel: &mut Channel,
        prg: &mut Prg,
    ) -> Result<rot::Receiver, ShareError> {
        if let Some(ots) = self.softspoken.receiver.take() {
            return Ok(ots);
        }
        let name = self.name();
        Ok(match &mut self.softspoken.sender {
            Some(base) => rot::Receiver::derive(channel, self.params, &name, base, prg).await?,
            None => rot::Receiver::setup(channel, self.params, &name, prg).await?,
        })
    }

    fn pair(&mut self, extension: Extension) -> &mut BothWays {
        match silent_index(extension) {
            Some(silent) => &mut self.silent[silent],
            None => &mut self.softspoken,
        }
    }

    /// The name of the next extension.
    fn name(&mut self) -> [u8; 32] {
        self.made += 1;
        let name = Oracle::new("tacit ots v2: extension");
        name.absorb(&self.session).absorb(&self.made.to_le_bytes()).digest()
    }
}

/// The index of a silent extension; `None` for SoftSpokenOT.
fn silent_index(extension: Extension) -> Option<usize> {
    match extension {
        Extension::SoftSpoken(_) => None,
        Extension::Ferret(params) => ferret::Params::ALL.iter().position(|other| *other == params),
    }
}
