//! Correlated OT from whichever extension a session uses.

use crate::error::OtError;
use crate::{ferret, softspoken};
use tacit_crypto::Prg;
use tacit_math::{Bits, Block};
use tacit_net::Channel;

/// Which extension makes OTs, and with which parameters. [`Extension::cheapest`] chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extension {
    /// SoftSpokenOT: cheap to set up and to compute.
    SoftSpoken(softspoken::Params),
    /// Silent OT: next to nothing to send, more to compute and to set up.
    Ferret(ferret::Params),
}

/// The sender of correlated OTs.
pub enum Sender {
    /// By SoftSpokenOT.
    SoftSpoken(softspoken::Sender),
    /// By silent OT.
    Ferret(Box<ferret::Sender>),
}

/// The receiver of correlated OTs.
pub enum Receiver {
    /// By SoftSpokenOT.
    SoftSpoken(softspoken::Receiver),
    /// By silent OT.
    Ferret(Box<ferret::Receiver>),
}

/// Hands on to the session that there is.
macro_rules! either {
    ($end:ident, $session:expr, $ots:ident => $result:expr) => {
        match $session {
            $end::SoftSpoken($ots) => $result,
            $end::Ferret($ots) => $result,
        }
    };
}

impl Sender {
    /// Sets up a session: see [`softspoken::Sender::setup`] and [`ferret::Sender::setup`].
    ///
    /// Cost: [`Extension::setup_bytes`].
    ///
    /// # Errors
    /// Those of the session.
    pub async fn setup(
        channel: &mut Channel,
        extension: Extension,
        session: &[u8; 32],
        prg: &mut Prg,
    ) -> Result<Sender, OtError> {
        Ok(match extension {
            Extension::SoftSpoken(params) => {
                softspoken::Sender::setup(channel, params, session, prg).await?.into()
            }
            Extension::Ferret(params) => ferret::Sender::setup(channel, params, session, prg).await?.into(),
        })
    }

    /// See [`softspoken::Sender::extend`] and [`ferret::Sender::extend`].
    ///
    /// # Errors
    /// Those of the session.
    pub async fn extend(&mut self, channel: &mut Channel, out: &mut [Block]) -> Result<(), OtError> {
        either!(Sender, self, ots => ots.extend(channel, out).await)
    }

    /// See [`ferret::Sender::offer`]; with SoftSpokenOT, whose sender sends nothing, this does nothing.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn offer(&mut self, channel: &mut Channel, count: usize, most: usize) -> Result<(), OtError> {
        match self {
            Sender::SoftSpoken(_) => Ok(()),
            Sender::Ferret(ots) => ots.offer(channel, count, most).await,
        }
    }

    /// The correlation. Secret.
    pub fn delta(&self) -> Block {
        either!(Sender, self, ots => ots.delta())
    }

    /// OTs handed out so far: the index of the next one.
    pub fn count(&self) -> u64 {
        either!(Sender, self, ots => ots.count())
    }

    /// OTs made and not handed out yet.
    pub(crate) fn spare(&self) -> usize {
        either!(Sender, self, ots => ots.spare())
    }

    /// A key for hashing this session's blocks, the same at both parties and not secret.
    pub fn salt(&self) -> Block {
        either!(Sender, self, ots => ots.salt())
    }
}

impl Receiver {
    /// Sets up a session: see [`softspoken::Receiver::setup`] and [`ferret::Receiver::setup`].
    ///
    /// Cost: [`Extension::setup_bytes`].
    ///
    /// # Errors
    /// Those of the session.
    pub async fn setup(
        channel: &mut Channel,
        extension: Extension,
        session: &[u8; 32],
        prg: &mut Prg,
    ) -> Result<Receiver, OtError> {
        Ok(match extension {
            Extension::SoftSpoken(params) => {
                softspoken::Receiver::setup(channel, params, session, prg).await?.into()
            }
            Extension::Ferret(params) => ferret::Receiver::setup(channel, params, session, prg).await?.into(),
        })
    }

    /// See [`softspoken::Receiver::extend`] and [`ferret::Receiver::extend`].
    ///
    /// # Errors
    /// Those of the session.
    pub async fn extend(&mut self, channel: &mut Channel, out: &mut [Block]) -> Result<Bits, OtError> {
        either!(Receiver, self, ots => ots.extend(channel, out).await)
    }

    /// See [`ferret::Receiver::accept`]; with SoftSpokenOT, whose sender sends nothing, this does nothing.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn accept(&mut self, channel: &mut Channel, count: usize, most: usize) -> Result<(), OtError> {
        match self {
            Receiver::SoftSpoken(_) => Ok(()),
            Receiver::Ferret(ots) => ots.accept(channel, count, most).await,
        }
    }

    /// OTs handed out so far: the index of the next one.
    pub fn count(&self) -> u64 {
        either!(Receiver, self, ots => ots.count())
    }

    /// OTs made and not handed out yet.
    pub(crate) fn spare(&self) -> usize {
        either!(Receiver, self, ots => ots.spare())
    }

    /// A key for hashing this session's blocks, the same at both parties and not secret.
    pub fn salt(&self) -> Block {
        either!(Receiver, self, ots => ots.salt())
    }
}

impl From<softspoken::Sender> for Sender {
    fn from(ots: softspoken::Sender) -> Sender {
        Sender::SoftSpoken(ots)
    }
}

impl From<ferret::Sender> for Sender {
    fn from(ots: ferret::Sender) -> Sender {
        Sender::Ferret(Box::new(ots))
    }
}

impl From<softspoken::Receiver> for Receiver {
    fn from(ots: softspoken::Receiver) -> Receiver {
        Receiver::SoftSpoken(ots)
    }
}

impl From<ferret::Receiver> for Receiver {
    fn from(ots: ferret::Receiver) -> Receiver {
        Receiver::Ferret(Box::new(ots))
    }
}
