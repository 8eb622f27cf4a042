//! P1, who has the function.

use std::sync::Arc;

use tacit_crypto::Prg;
use tacit_net::Channel;
use zeroize::Zeroizing;

use crate::katz_malka::{self, Bfv, Djn, EcElgamal, Scheme, SchemeName};
use crate::universal::{self, UniversalFunction};
use crate::{Function, PfeError, PrivateFunction, half_elgamal};

/// The holder of a private function.
pub enum Holder {
    /// Of [`half_elgamal`].
    HalfElGamal(Box<half_elgamal::Holder>),
    /// Of [`universal`], which has no setup.
    UniversalCircuit(Arc<UniversalFunction>),
    /// Of [`katz_malka`] by EC ElGamal.
    EcElgamal(PrivateFunction, katz_malka::Holder<EcElgamal>),
    /// Of [`katz_malka`] by DJN.
    Djn(PrivateFunction, Box<katz_malka::Holder<Djn>>),
    /// Of [`katz_malka`] by BFV.
    Bfv(PrivateFunction, katz_malka::Holder<Bfv>),
}

/// P1's state between the setup of one run and its online phase.
pub enum HolderRun<'a> {
    /// Of [`half_elgamal`].
    HalfElGamal(half_elgamal::HolderRun<'a>),
    /// Of [`universal`]: only the function.
    UniversalCircuit(&'a Arc<UniversalFunction>),
    /// Of [`katz_malka`] by EC ElGamal.
    EcElgamal(katz_malka::HolderRun<'a, EcElgamal>),
    /// Of [`katz_malka`] by DJN.
    Djn(katz_malka::HolderRun<'a, Djn>),
    /// Of [`katz_malka`] by BFV.
    Bfv(katz_malka::HolderRun<'a, Bfv>),
}

impl Holder {
    /// The holder of a function, for the function's protocol. `prg` must be secret and fresh.
    ///
    /// # Errors
    /// [`PfeError::He`].
    pub fn new(function: Function, prg: &mut Prg) -> Result<Holder, PfeError> {
        fn of<S: Scheme>(scheme: S, function: &PrivateFunction) -> katz_malka::Holder<S> {
            katz_malka::Holder::new(scheme, *function.size())
        }
        Ok(match function {
            Function::HalfElGamal(function) => {
                Holder::HalfElGamal(half_elgamal::Holder::new(function, prg)?.into())
            }
            Function::UniversalCircuit(function) => Holder::UniversalCircuit(function),
            Function::KatzMalka(scheme, function) => match scheme {
                SchemeName::EcElgamal => {
                    let holder = of(EcElgamal, &function);
                    Holder::EcElgamal(function, holder)
                }
                SchemeName::Djn => {
                    let holder = of(Djn::long()?, &function);
                    Holder::Djn(function, holder.into())
                }
                SchemeName::Bfv => {
                    let holder = of(Bfv::new()?, &function);
                    Holder::Bfv(function, holder)
                }
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
    ) -> Result<HolderRun<'_>, PfeError> {
        Ok(match self {
            Holder::HalfElGamal(holder) => {
                HolderRun::HalfElGamal(holder.introduce_and_prepare(channel).await?)
            }
            Holder::UniversalCircuit(function) => HolderRun::UniversalCircuit(function),
            Holder::EcElgamal(function, holder) => {
                HolderRun::EcElgamal(holder.introduce_and_prepare(channel, function, prg).await?)
            }
            Holder::Djn(function, holder) => {
                HolderRun::Djn(holder.introduce_and_prepare(channel, function, prg).await?)
            }
            Holder::Bfv(function, holder) => {
                HolderRun::Bfv(holder.introduce_and_prepare(channel, function, prg).await?)
            }
        })
    }

    /// The introduction, which is done once for all runs.
    ///
    /// # Errors
    /// [`PfeError::NoSetup`], else those of the protocol.
    pub async fn introduce(&mut self, channel: &mut Channel) -> Result<(), PfeError> {
        match self {
            Holder::HalfElGamal(holder) => holder.introduce(channel).await,
            Holder::UniversalCircuit(_) => Err(PfeError::NoSetup),
            Holder::EcElgamal(_, holder) => holder.introduce(channel).await,
            Holder::Djn(_, holder) => holder.introduce(channel).await,
            Holder::Bfv(_, holder) => holder.introduce(channel).await,
        }
    }

    /// The setup of a run as bytes, which [`HolderRun::from_entry`] reads. Secret. `prg` must be secret and fresh.
    ///
    /// # Errors
    /// [`PfeError::NoSetup`], else those of the protocol.
    pub async fn prepare_entry(
        &self,
        channel: &mut Channel,
        prg: &mut Prg,
    ) -> Result<Zeroizing<Vec<u8>>, PfeError> {
        match self {
            Holder::HalfElGamal(holder) => holder.prepare_entry(channel).await,
            Holder::UniversalCircuit(_) => Err(PfeError::NoSetup),
            Holder::EcElgamal(function, holder) => {
                Ok(holder.prepare(channel, function, prg).await?.to_entry())
            }
            Holder::Djn(function, holder) => Ok(holder.prepare(channel, function, prg).await?.to_entry()),
            Holder::Bfv(function, holder) => Ok(holder.prepare(channel, function, prg).await?.to_entry()),
        }
    }
}

impl<'a> HolderRun<'a> {
    /// The run whose bytes came from [`Holder::prepare_entry`], for the same function.
    ///
    /// # Errors
    /// [`PfeError::NoSetup`]; [`PfeError::Entry`] or [`PfeError::Shift`] for invalid bytes.
    pub fn from_entry(function: &'a Function, entry: &[u8]) -> Result<HolderRun<'a>, PfeError> {
        Ok(match function {
            Function::HalfElGamal(function) => {
                HolderRun::HalfElGamal(half_elgamal::HolderRun::from_entry(function, entry)?)
            }
            Function::UniversalCircuit(_) => return Err(PfeError::NoSetup),
            Function::KatzMalka(scheme, function) => match scheme {
                SchemeName::EcElgamal => {
                    HolderRun::EcElgamal(katz_malka::HolderRun::from_entry(function, entry)?)
                }
                SchemeName::Djn => HolderRun::Djn(katz_malka::HolderRun::from_entry(function, entry)?),
                SchemeName::Bfv => HolderRun::Bfv(katz_malka::HolderRun::from_entry(function, entry)?),
            },
        })
    }

    /// Evaluates the function, with this party's own input bits in order. The owner learns the result.
    ///
    /// # Errors
    /// Those of the protocol.
    pub async fn evaluate(
        self,
        channel: &mut Channel,
        inputs: &[bool],
        prg: &mut Prg,
    ) -> Result<(), PfeError> {
        match self {
            HolderRun::HalfElGamal(run) => run.evaluate(channel, inputs, prg).await,
            HolderRun::UniversalCircuit(function) => {
                universal::hold(channel, function.clone(), inputs, prg).await
            }
            HolderRun::EcElgamal(run) => run.evaluate(channel, inputs, prg).await,
            HolderRun::Djn(run) => run.evaluate(channel, inputs, prg).await,
            HolderRun::Bfv(run) => run.evaluate(channel, inputs, prg).await,
        }
    }
}
