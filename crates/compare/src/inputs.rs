//! Inputs of comparisons: what is compared, and each party's part of it.

use crate::positions::Test;
use crate::{CompareError, Half, Parameters};

/// The numbers of a batch of comparisons, as one party knows them. Both parties give the same variant and as many numbers.
#[derive(Clone, Copy)]
pub enum Inputs<'a> {
    /// Sealed numbers on the left, public ones on the right: bids and prices.
    Prices {
        /// This party's halves.
        bids: &'a [Half],
        /// A public number for each.
        prices: &'a [u64],
    },
    /// Private numbers: the server's on the left, the assistant's on the right.
    Private {
        /// This party's own numbers, which are secret.
        numbers: &'a [u64],
    },
    /// Sealed numbers on both sides.
    Sealed {
        /// This party's halves of the left numbers.
        left: &'a [Half],
        /// This party's halves of the right numbers.
        right: &'a [Half],
    },
}

impl Inputs<'_> {
    /// Number of comparisons.
    pub fn count(&self) -> usize {
        match self {
            Inputs::Prices { bids, .. } => bids.len(),
            Inputs::Private { numbers } => numbers.len(),
            Inputs::Sealed { left, .. } => left.len(),
        }
    }

    pub(crate) fn form(&self) -> Form {
        match self {
            Inputs::Prices { .. } => Form::Prices,
            Inputs::Private { .. } => Form::Private,
            Inputs::Sealed { .. } => Form::Sealed,
        }
    }

    /// Checks that all numbers fit the parameters, and that lists have equal lengths.
    pub(crate) fn check(&self, parameters: &Parameters) -> Result<(), CompareError> {
        match self {
            Inputs::Prices { bids, prices } => {
                CompareError::check_count("prices", prices.len(), bids.len())?;
                parameters.check_numbers("price", prices)?;
                Half::check_all(parameters, bids)
            }
            Inputs::Private { numbers } => parameters.check_numbers("private number", numbers),
            Inputs::Sealed { left, right } => {
                CompareError::check_count("right numbers", right.len(), left.len())?;
                Half::check_all(parameters, left)?;
                Half::check_all(parameters, right)
            }
        }
    }
}

/// The form of the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// [`Inputs::Prices`].
    Prices,
    /// [`Inputs::Private`].
    Private,
    /// [`Inputs::Sealed`].
    Sealed,
}

impl Form {
    /// Ciphertexts that the server sends for a comparison.
    pub(crate) fn request(self, tests: &[Test], bits: u32) -> usize {
        match self {
            Form::Prices => tests.iter().map(|test| test.positions(bits)).sum(),
            Form::Private => bits as usize,
            Form::Sealed => 3 * bits as usize,
        }
    }

    /// Whether the assistant knows the right numbers.
    pub(crate) fn right_is_known(self) -> bool {
        self != Form::Sealed
    }

    pub(crate) fn code(self) -> u8 {
        match self {
            Form::Prices => 0,
            Form::Private => 1,
            Form::Sealed => 2,
        }
    }
}
