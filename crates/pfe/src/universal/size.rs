//! What is public of a function as a universal circuit's program, and the program.

use tacit_circuit::Circuit;
use tacit_universal::{Graph, Program, Size, UniversalCircuit};

use crate::{FunctionError, InputOwner, PfeError};

/// Bytes of the holder's first message: the run's name, the start of the hash, inputs of both, gates and outputs.
pub(crate) const HEADER: usize = 32 + 16 + 4 * 8;

/// What both parties know: the universal circuit, and whose each input bit is.
#[derive(Clone, Debug)]
pub struct UniversalSize {
    circuit: UniversalCircuit,
    owners: Vec<InputOwner>,
}

/// A private function, as the program of a universal circuit.
#[derive(Debug)]
pub struct UniversalFunction {
    pub(super) size: UniversalSize,
    pub(super) program: Program,
}

impl UniversalSize {
    /// A universal circuit for so many gates, copy gates included, and outputs, with input bits of these owners.
    ///
    /// # Errors
    /// [`FunctionError::NoInputs`], [`FunctionError::NoOutputs`], [`FunctionError::Universal`] where there are too many.
    pub fn new(
        owners: Vec<InputOwner>,
        gates: usize,
        outputs: usize,
    ) -> Result<UniversalSize, FunctionError> {
        let size = Size::new(owners.len(), gates, outputs)?;
        UniversalSize::of(size, owners)
    }

    fn of(size: Size, owners: Vec<InputOwner>) -> Result<UniversalSize, FunctionError> {
        if owners.is_empty() {
            return Err(FunctionError::NoInputs);
        }
        if size.outputs() == 0 {
            return Err(FunctionError::NoOutputs);
        }
        Ok(UniversalSize { circuit: UniversalCircuit::new(size), owners })
    }

    /// The universal circuit.
    pub fn circuit(&self) -> &UniversalCircuit {
        &self.circuit
    }

    /// Whose each input bit is.
    pub fn owners(&self) -> &[InputOwner] {
        &self.owners
    }

    /// Input bits of the function's holder.
    pub fn holder_inputs(&self) -> usize {
        self.owners.iter().filter(|owner| **owner == InputOwner::Holder).count()
    }

    /// Input bits of the data's owner.
    pub fn owner_inputs(&self) -> usize {
        self.owners.len() - self.holder_inputs()
    }

    /// The numbers that the parties compare.
    fn numbers(&self) -> [(&'static str, u64); 4] {
        let size = self.circuit.size();
        [
            ("inputs of the function's holder", self.holder_inputs() as u64),
            ("inputs of the data's owner", self.owner_inputs() as u64),
            ("gates", size.gates() as u64),
            ("outputs", size.outputs() as u64),
        ]
    }

    /// The end of the holder's first message.
    pub(super) fn encode(&self) -> Vec<u8> {
        self.numbers().into_iter().flat_map(|(_, number)| number.to_le_bytes()).collect()
    }

    /// Refuses a size that is not this party's.
    pub(super) fn check(&self, bytes: &[u8]) -> Result<(), PfeError> {
        for ((what, ours), theirs) in self.numbers().into_iter().zip(bytes.as_chunks::<8>().0) {
            let theirs = u64::from_le_bytes(*theirs);
            if ours != theirs {
                return Err(PfeError::Size { what, ours, theirs });
            }
        }
        Ok(())
    }
}

impl UniversalFunction {
    /// A circuit whose groups of inputs have these owners, padded to `gates` gates if given. Linear time in the number of switches.
    ///
    /// # Errors
    /// [`FunctionError::Count`] for another number of groups; [`FunctionError::NoInputs`], [`FunctionError::NoOutputs`];
    /// [`FunctionError::Universal`] for more gates than `gates`, copy gates included, or than can be numbered.
    pub fn from_circuit(
        circuit: &Circuit,
        owners: &[InputOwner],
        gates: Option<usize>,
    ) -> Result<UniversalFunction, FunctionError> {
        let groups = circuit.inputs();
        if owners.len() != groups.len() {
            let (given, announced) = (owners.len(), groups.len());
            return Err(FunctionError::Count { what: "owners of input groups", given, announced });
        }
        let of_group = |(width, owner): (&u32, &InputOwner)| std::iter::repeat_n(*owner, *width as usize);
        let owners = groups.iter().zip(owners).flat_map(of_group).collect();
        let graph = Graph::from_circuit(circuit, gates)?;
        Ok(UniversalFunction {
            size: UniversalSize::of(graph.size(), owners)?,
            program: Program::new(&graph),
        })
    }

    /// What is public of it.
    pub fn size(&self) -> &UniversalSize {
        &self.size
    }
}
