//! The protocols for private functions, by name, and functions in the form that each of them needs.

use std::sync::Arc;

use tacit_circuit::Circuit;

use crate::bytes::{Bytes, Rounds, Traffic};
use crate::katz_malka::{self, SchemeName};
use crate::universal::{self, UniversalFunction, UniversalSize};
use crate::{FunctionError, InputOwner, PrivateFunction, Size, half_elgamal};

/// A protocol that evaluates private functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// [`half_elgamal`]: gates are NANDs.
    #[default]
    HalfElGamal,
    /// [`universal`]: gates have any table, and some only copy a value.
    UniversalCircuit,
    /// [`crate::katz_malka`], by one of its schemes: gates are NANDs.
    KatzMalka(SchemeName),
}

impl Protocol {
    /// All of them.
    pub const ALL: [Protocol; 5] = [
        Protocol::HalfElGamal,
        Protocol::UniversalCircuit,
        Protocol::KatzMalka(SchemeName::EcElgamal),
        Protocol::KatzMalka(SchemeName::Djn),
        Protocol::KatzMalka(SchemeName::Bfv),
    ];

    /// The protocol's name in messages, files and commands.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::HalfElGamal => "half-elgamal",
            Protocol::UniversalCircuit => "universal-circuit",
            Protocol::KatzMalka(SchemeName::EcElgamal) => "katz-malka-elgamal",
            Protocol::KatzMalka(SchemeName::Djn) => "katz-malka-djn",
            Protocol::KatzMalka(SchemeName::Bfv) => "katz-malka-bfv",
        }
    }

    /// The protocol with this name.
    pub fn from_name(name: &str) -> Option<Protocol> {
        Protocol::ALL.into_iter().find(|protocol| protocol.name() == name)
    }

    /// Refuses sizes that the protocol does not support. Constant time, whatever the size.
    ///
    /// # Errors
    /// [`FunctionError::Universal`] for a size without a universal circuit.
    pub fn check(self, size: &Size) -> Result<(), FunctionError> {
        match self {
            Protocol::HalfElGamal | Protocol::KatzMalka(_) => Ok(()),
            Protocol::UniversalCircuit => universal::size::poles(size).map(drop),
        }
    }

    /// Bytes of the setup of one run in a store, at the function's holder and at the data's owner. Exact. `None` for protocols that
    /// prepare nothing.
    pub fn entry_bytes(self, size: &Size) -> Option<[usize; 2]> {
        match self {
            Protocol::HalfElGamal => Some(half_elgamal::entry_bytes(size)),
            Protocol::UniversalCircuit => None,
            Protocol::KatzMalka(scheme) => Some(scheme.entry_bytes(size)),
        }
    }

    /// Rounds of an introduction and `count` setups that follow it, at each party. Exact.
    pub fn prepared_rounds(self, size: &Size, count: u64) -> Traffic {
        match self {
            Protocol::HalfElGamal => half_elgamal::prepared_rounds(),
            Protocol::UniversalCircuit => Traffic::default(),
            Protocol::KatzMalka(_) => katz_malka::prepared_rounds(size, count),
        }
    }

    /// Bytes and rounds of a run of a function of this size, with its introduction. Exact. Linear
    /// time for universal circuits.
    ///
    /// # Errors
    /// [`FunctionError::Universal`] for a size without a universal circuit.
    pub fn cost(self, size: &Size) -> Result<(Bytes, Rounds), FunctionError> {
        match self {
            Protocol::HalfElGamal => Ok((half_elgamal::bytes(size), half_elgamal::rounds(size))),
            Protocol::UniversalCircuit => {
                let size = UniversalSize::new(*size)?;
                Ok((universal::bytes(&size), universal::rounds(&size)))
            }
            Protocol::KatzMalka(scheme) => Ok(scheme.cost(size)?),
        }
    }
}

/// A private function in the form that its protocol needs.
#[derive(Debug)]
pub enum Function {
    /// For [`half_elgamal`].
    HalfElGamal(PrivateFunction),
    /// For [`universal`].
    UniversalCircuit(Arc<UniversalFunction>),
    /// For [`crate::katz_malka`].
    KatzMalka(SchemeName, PrivateFunction),
}

impl Function {
    /// A circuit whose groups of inputs have these owners, padded to `gates` gates of the protocol's kind if given.
    ///
    /// # Errors
    /// Those of [`PrivateFunction::from_circuit`] and [`UniversalFunction::from_circuit`].
    pub fn from_circuit(
        protocol: Protocol,
        circuit: &Circuit,
        owners: &[InputOwner],
        gates: Option<usize>,
    ) -> Result<Function, FunctionError> {
        Ok(match protocol {
            Protocol::HalfElGamal => {
                Function::HalfElGamal(PrivateFunction::from_circuit(circuit, owners, gates)?)
            }
            Protocol::UniversalCircuit => {
                let function = UniversalFunction::from_circuit(circuit, owners, gates)?;
                Function::UniversalCircuit(Arc::new(function))
            }
            Protocol::KatzMalka(scheme) => {
                Function::KatzMalka(scheme, PrivateFunction::from_circuit(circuit, owners, gates)?)
            }
        })
    }

    /// The protocol that evaluates the function.
    pub fn protocol(&self) -> Protocol {
        match self {
            Function::HalfElGamal(_) => Protocol::HalfElGamal,
            Function::UniversalCircuit(_) => Protocol::UniversalCircuit,
            Function::KatzMalka(scheme, _) => Protocol::KatzMalka(*scheme),
        }
    }

    /// The function as NAND gates, for protocols whose gates are NANDs.
    pub fn nands(&self) -> Option<&PrivateFunction> {
        match self {
            Function::HalfElGamal(function) | Function::KatzMalka(_, function) => Some(function),
            Function::UniversalCircuit(_) => None,
        }
    }

    /// The public size.
    pub fn size(&self) -> &Size {
        match self {
            Function::HalfElGamal(function) | Function::KatzMalka(_, function) => function.size(),
            Function::UniversalCircuit(function) => function.size().size(),
        }
    }
}
