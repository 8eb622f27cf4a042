//! The public size of a private circuit.

use crate::UniversalError;

/// Maximum of inputs, gates and outputs together.
pub(crate) const MAX_POLES: usize = 1 << 28;

/// The numbers of inputs, gates and outputs: all that the universal circuit depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    inputs: usize,
    gates: usize,
    outputs: usize,
}

impl Size {
    /// # Errors
    /// [`UniversalError::TooLarge`] when the numbers add up to more than 2^28.
    pub fn new(inputs: usize, gates: usize, outputs: usize) -> Result<Self, UniversalError> {
        let poles = inputs.saturating_add(gates).saturating_add(outputs);
        if poles > MAX_POLES {
            return Err(UniversalError::TooLarge { poles, limit: MAX_POLES });
        }
        Ok(Size { inputs, gates, outputs })
    }

    /// Input bits.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Gates, copy gates and padding included.
    pub fn gates(&self) -> usize {
        self.gates
    }

    /// Output bits.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    pub(crate) fn check_inputs(&self, given: usize) -> Result<(), UniversalError> {
        match given == self.inputs {
            true => Ok(()),
            false => Err(UniversalError::InputCount { expected: self.inputs, given }),
        }
    }
}
