//! The public size of a private function.

use tacit_net::Channel;

use crate::{FunctionError, PfeError};

/// Bytes of an encoded size.
pub(crate) const SIZE_BYTES: usize = 32;

/// Maximum of inputs and gates together.
pub const MAX_WIRES: usize = 1 << 28;

/// The size of a private function: all that the data's owner learns about the function.
///
/// [`Size::wires`] is N in papers on private functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    holder_inputs: usize,
    owner_inputs: usize,
    gates: usize,
    outputs: usize,
}

impl Size {
    /// A function with this many input bits of its holder and of the data's owner, gates and output bits.
    ///
    /// # Errors
    /// [`FunctionError::NoInputs`], [`FunctionError::NoOutputs`], [`FunctionError::FewGates`], [`FunctionError::TooLarge`].
    pub fn new(
        holder_inputs: usize,
        owner_inputs: usize,
        gates: usize,
        outputs: usize,
    ) -> Result<Size, FunctionError> {
        let given = holder_inputs.saturating_add(owner_inputs).saturating_add(gates);
        if given > MAX_WIRES {
            return Err(FunctionError::TooLarge { given, limit: MAX_WIRES });
        }
        if holder_inputs + owner_inputs == 0 {
            return Err(FunctionError::NoInputs);
        }
        if outputs == 0 {
            return Err(FunctionError::NoOutputs);
        }
        if gates < outputs {
            return Err(FunctionError::FewGates { gates, outputs });
        }
        Ok(Size { holder_inputs, owner_inputs, gates, outputs })
    }

    /// Input bits of the function's holder; their wires are the first.
    pub fn holder_inputs(&self) -> usize {
        self.holder_inputs
    }

    /// Input bits of the data's owner; their wires follow.
    pub fn owner_inputs(&self) -> usize {
        self.owner_inputs
    }

    /// Input bits of both.
    pub fn inputs(&self) -> usize {
        self.holder_inputs + self.owner_inputs
    }

    /// Gates; the last [`Size::outputs`] of them are the outputs.
    pub fn gates(&self) -> usize {
        self.gates
    }

    /// Output bits.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Inputs and gates.
    pub fn wires(&self) -> usize {
        self.inputs() + self.gates
    }

    /// Gates that other gates may read.
    pub fn inner_gates(&self) -> usize {
        self.gates - self.outputs
    }

    /// Wires that gates may read: the inputs, then the inner gates.
    pub fn outgoing(&self) -> usize {
        self.inputs() + self.inner_gates()
    }

    fn fields(&self) -> [(&'static str, u64); 4] {
        [
            ("input bits of the function's holder", self.holder_inputs as u64),
            ("input bits of the data's owner", self.owner_inputs as u64),
            ("gates", self.gates as u64),
            ("output bits", self.outputs as u64),
        ]
    }

    /// Checks that another size equals this one; otherwise returns the first field that differs, with this size's number and the other's.
    pub(crate) fn check(&self, other: &Size) -> Result<(), (&'static str, usize, usize)> {
        let mut pairs = self.fields().into_iter().zip(other.fields());
        match pairs.find(|((_, ours), (_, theirs))| ours != theirs) {
            Some(((what, ours), (_, theirs))) => Err((what, ours as usize, theirs as usize)),
            None => Ok(()),
        }
    }

    /// The numbers, as they are sent to a peer.
    pub(crate) fn encode(&self) -> [u8; SIZE_BYTES] {
        let mut bytes = [0; SIZE_BYTES];
        for (bytes, (_, number)) in bytes.as_chunks_mut().0.iter_mut().zip(self.fields()) {
            *bytes = number.to_le_bytes();
        }
        bytes
    }

    /// Refuses a peer's numbers that differ from this size's.
    pub(crate) fn check_told(&self, theirs: &[u8; SIZE_BYTES]) -> Result<(), PfeError> {
        for ((what, ours), bytes) in self.fields().into_iter().zip(theirs.as_chunks().0) {
            let theirs = u64::from_le_bytes(*bytes);
            if ours != theirs {
                return Err(PfeError::Size { what, ours, theirs });
            }
        }
        Ok(())
    }

    /// Sends the peer this size and compares the peer's with it.
    pub(crate) async fn agree(&self, channel: &mut Channel) -> Result<(), PfeError> {
        channel.send(&self.encode()).await?;
        channel.flush().await?;
        self.compare(channel).await
    }

    /// Receives the peer's size and compares it with this one.
    pub(crate) async fn compare(&self, channel: &mut Channel) -> Result<(), PfeError> {
        let mut theirs = [0; SIZE_BYTES];
        channel.receive_into(&mut theirs).await?;
        self.check_told(&theirs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusable_sizes_are_refused() {
        assert_eq!(Size::new(0, 0, 3, 1), Err(FunctionError::NoInputs));
        assert_eq!(Size::new(1, 0, 3, 0), Err(FunctionError::NoOutputs));
        assert_eq!(Size::new(1, 0, 0, 1), Err(FunctionError::FewGates { gates: 0, outputs: 1 }));
        assert!(matches!(Size::new(1, usize::MAX, 3, 1), Err(FunctionError::TooLarge { .. })));
        assert_eq!(Size::new(1, 2, 4, 3).map(|size| (size.wires(), size.outgoing())), Ok((7, 4)));
    }
}
