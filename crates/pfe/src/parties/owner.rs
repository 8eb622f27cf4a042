//! P2, who has the data.

use tacit_crypto::Prg;
use tacit_net::Channel;
use zeroize::Zeroizing;

use crate::katz_malka::{self, Bfv, Djn, EcElgamal, SchemeName};
use crate::universal::{self, UniversalSize};
use crate::{PfeError, Protocol, Size, half_elgamal};

/// The owner of the data.
pub enum Owner {
    /// Of [`half_elgamal`].
    HalfElGamal(half_elgamal::Owner),
    /// Of [`universal`], which has no setup.
    UniversalCircuit(UniversalSize),
    /// Of [`katz_malka`] by EC ElGamal.
    EcElgamal(katz_malka::Owner<EcElgamal>),
    /// Of [`katz_malka`] by DJN.
    Djn(Box<katz_malka::Owner<Djn>>),
    /// Of [`katz_malka`] by BFV.
    Bfv(katz_malka::Owner<Bfv>),
}

/// P2's state between the setup of one run and its online phase.
pub enum OwnerRun {
    /// Of [`half_elgamal`].
    HalfElGamal(half_elgamal::OwnerRun),
    /// Of [`universal`]: only the size.
    UniversalCircuit(UniversalSize),
    /// Of [`katz_malka`] by EC ElGamal.
    EcElgamal(katz_malka::OwnerRun<EcElgamal>),
    /// Of [`katz_malka`] by DJN.
    Djn(katz_malka::OwnerRun<Djn>),
    /// Of [`katz_malka`] by BFV.
    Bfv(katz_malka::OwnerRun<Bfv>),
}

impl Owner {
    /// The owner for a function of this size. `prg` must be secret and fresh.
    ///
    /// # Errors
    /// [`PfeError::He`]; [`PfeError::Function`] for a size that the protocol does not support.
    pub fn new(protocol: Protocol, size: Size, prg: &mut Prg) -> Result<Owner, PfeError> {
        Ok(match protocol {
            Protocol::HalfElGamal => Owner::HalfElGamal(half_elgamal::Owner::new(size)),
            Protocol::UniversalCircuit => Owner::UniversalCircuit(UniversalSize::new(size)?),
            Protocol::KatzMalka(scheme) => match scheme {
                SchemeName::EcElgamal => Owner::EcElgamal(katz_malka::Owner::new(EcElgamal, size, prg)?),
                SchemeName::Djn => Owner::Djn(katz_malka::Owner::new(Djn::long()?, size, prg)?.into()),
                SchemeName::Bfv => Owner::Bfv(katz_malka::Owner::new(Bfv::new()?, size, prg)?),
            },
        })
    }

    /// The introduction and setup of one run, before inputs are known. `prg` must be secret and fresh.
    ///
    /// # Errors
    /// Those of the protocol.
    pub async fn introduce_and_prepare(
        &mut self,
        channel: &mut Channel,
        prg: &mut Prg,
    ) -> Result<OwnerRun, PfeError> {
        Ok(match self {
            Owner::HalfElGamal(owner) => {
                OwnerRun::HalfElGamal(owner.introduce_and_prepare(channel, prg).await?)
            }
            Owner::UniversalCircuit(size) => OwnerRun::UniversalCircuit(size.clone()),
            Owner::EcElgamal(owner) => OwnerRun::EcElgamal(owner.introduce_and_prepare(channel, prg).await?),
            Owner::Djn(owner) => OwnerRun::Djn(owner.introduce_and_prepare(channel, prg).await?),
            Owner::Bfv(owner) => OwnerRun::Bfv(owner.introduce_and_prepare(channel, prg).await?),
        })
    }

    /// The introduction, which is done once for all runs.
    ///
    /// # Errors
    /// [`PfeError::NoSetup`], else those of the protocol.
    pub async fn introduce(&mut self, channel: &mut Channel) -> Result<(), PfeError> {
        match self {
            Owner::HalfElGamal(owner) => owner.introduce(channel).await,
            Owner::UniversalCircuit(_) => Err(PfeError::NoSetup),
            Owner::EcElgamal(owner) => owner.introduce(channel).await,
            Owner::Djn(owner) => owner.introduce(channel).await,
            Owner::Bfv(owner) => owner.introduce(channel).await,
        }
    }

    /// The setup of a run as bytes, which [`OwnerRun::from_entry`] reads. Secret. `prg` must be secret and fresh.
    ///
    /// # Errors
    /// [`PfeError::NoSetup`], else those of the protocol.
    pub async fn prepare_entry(
        &self,
        channel: &mut Channel,
        prg: &mut Prg,
    ) -> Result<Zeroizing<Vec<u8>>, PfeError> {
        Ok(match self {
            Owner::HalfElGamal(owner) => owner.prepare(channel, prg).await?.to_entry(),
            Owner::UniversalCircuit(_) => return Err(PfeError::NoSetup),
            Owner::EcElgamal(owner) => owner.prepare(channel, prg).await?.to_entry(),
            Owner::Djn(owner) => owner.prepare(channel, prg).await?.to_entry(),
            Owner::Bfv(owner) => owner.prepare(channel, prg).await?.to_entry(),
        })
    }
}

impl OwnerRun {
    /// The run whose bytes came from [`Owner::prepare_entry`], for a function of the same size.
    ///
    /// # Errors
    /// [`PfeError::NoSetup`], [`PfeError::Entry`] for bytes of another size.
    pub fn from_entry(protocol: Protocol, size: Size, entry: &[u8]) -> Result<OwnerRun, PfeError> {
        Ok(match protocol {
            Protocol::HalfElGamal => OwnerRun::HalfElGamal(half_elgamal::OwnerRun::from_entry(size, entry)?),
            Protocol::UniversalCircuit => return Err(PfeError::NoSetup),
            Protocol::KatzMalka(scheme) => match scheme {
                SchemeName::EcElgamal => OwnerRun::EcElgamal(katz_malka::OwnerRun::from_entry(size, entry)?),
                SchemeName::Djn => OwnerRun::Djn(katz_malka::OwnerRun::from_entry(size, entry)?),
                SchemeName::Bfv => OwnerRun::Bfv(katz_malka::OwnerRun::from_entry(size, entry)?),
            },
        })
    }

    /// Takes this party's own input bits in order, and returns the outputs.
    ///
    /// # Errors
    /// Those of the protocol.
    pub async fn evaluate(
        self,
        channel: &mut Channel,
        inputs: &[bool],
        prg: &mut Prg,
    ) -> Result<Vec<bool>, PfeError> {
        match self {
            OwnerRun::HalfElGamal(run) => run.evaluate(channel, inputs, prg).await,
            OwnerRun::UniversalCircuit(size) => universal::evaluate(channel, &size, inputs, prg).await,
            OwnerRun::EcElgamal(run) => run.evaluate(channel, inputs, prg).await,
            OwnerRun::Djn(run) => run.evaluate(channel, inputs, prg).await,
            OwnerRun::Bfv(run) => run.evaluate(channel, inputs, prg).await,
        }
    }
}
