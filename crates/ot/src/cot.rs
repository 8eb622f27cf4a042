//! Correlated OT from either extension.

use crate::error::OtError;
use crate::softspoken::BASE_OTS;
use crate::{ferret, rot, softspoken};
use tacit_crypto::Prg;
use tacit_math::{Bits, Block};
use tacit_net::Channel;
use zeroize::Zeroizing;

/// Which extension makes OTs, and with which parameters. [`Extension::cheapest`] chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extension {
    /// SoftSpokenOT: cheap to set up and to compute.
    SoftSpoken(softspoken::Params),
    /// Silent OT: sends very little, with more computation and setup.
    Ferret(ferret::Params),
}

impl Extension {
    /// The parameters of SoftSpokenOT with which a session starts.
    const fn grown(self) -> softspoken::Params {
        match self {
            Extension::SoftSpoken(params) => params,
            Extension::Ferret(_) => ferret::SEEDS,
        }
    }
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

/// Calls the session of either kind.
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

    /// A session whose base OTs are random OTs of the other direction, of which this party is the receiver: delta is the
    /// complement of their choices. `session` must differ from that of every earlier session.
    ///
    /// Security: that of both sessions. Base OTs may be any random OTs (Roy, CRYPTO'22, §3).
    /// Cost: [`BASE_OTS`] of `base`'s OTs, and [`Extension::derived_bytes`]; one round and no public-key operation.
    ///
    /// # Errors
    /// Those of `base` and of the session.
    pub async fn derive(
        channel: &mut Channel,
        extension: Extension,
        session: &[u8; 32],
        base: &mut rot::Receiver,
    ) -> Result<Sender, OtError> {
        let mut blocks = Zeroizing::new([Block::ZERO; BASE_OTS]);
        let choices = Zeroizing::new(base.extend(channel, blocks.as_mut()).await?);
        let delta = Block(!choices.block(0).0);
        let params = extension.grown();
        let ots = softspoken::Sender::grow(channel, params, session, delta, blocks.as_ref()).await?;
        Ok(match extension {
            Extension::SoftSpoken(_) => ots.into(),
            Extension::Ferret(params) => ferret::Sender::bootstrap(channel, params, ots).await?.into(),
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

    /// OTs made but not yet handed out.
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

    /// A session whose base OTs are random OTs of the other direction, of which this party is the sender: see
    /// [`Sender::derive`]. `prg` must be secret and fresh.
    ///
    /// # Errors
    /// Those of `base` and of the session.
    pub async fn derive(
        channel: &mut Channel,
        extension: Extension,
        session: &[u8; 32],
        base: &mut rot::Sender,
        prg: &mut Prg,
    ) -> Result<Receiver, OtError> {
        let mut zeros = Zeroizing::new([Block::ZERO; BASE_OTS]);
        let mut ones = Zeroizing::new([Block::ZERO; BASE_OTS]);
        base.extend(channel, zeros.as_mut(), ones.as_mut()).await?;
        let pairs: Zeroizing<Vec<[Block; 2]>> =
            Zeroizing::new(zeros.iter().zip(ones.iter()).map(|(zero, one)| [*zero, *one]).collect());
        let ots = softspoken::Receiver::grow(channel, extension.grown(), session, &pairs, prg).await?;
        Ok(match extension {
            Extension::SoftSpoken(_) => ots.into(),
            Extension::Ferret(params) => ferret::Receiver::bootstrap(channel, params, ots).await?.into(),
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

    /// OTs made but not yet handed out.
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
