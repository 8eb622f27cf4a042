//! The public size of a function that is a universal circuit's program, and the program.

use tacit_circuit::Circuit;
use tacit_universal::{Construction, Graph, Program, UniversalCircuit, UniversalError};

use crate::function::{places, widths};
use crate::size::SIZE_BYTES;
use crate::{FunctionError, InputOwner, PfeError, Size};

/// Bytes of the holder's first message: the run's name, the hash's start value, the size, the construction.
pub(crate) const HEADER: usize = 32 + 16 + SIZE_BYTES + 1;

/// What both parties know: the size, and the universal circuit that follows from it.
#[derive(Clone, Debug)]
pub struct UniversalSize {
    size: Size,
    circuit: UniversalCircuit,
}

/// A private function, as the program of a universal circuit.
#[derive(Debug)]
pub struct UniversalFunction {
    pub(super) size: UniversalSize,
    pub(super) program: Program,
}

impl UniversalSize {
    /// The universal circuit for functions of a size, whose gates have any table and include copy gates.
    ///
    /// # Errors
    /// [`FunctionError::Universal`] where there are too many inputs, gates and outputs.
    pub fn new(size: Size) -> Result<UniversalSize, FunctionError> {
        UniversalSize::with_construction(size, Construction::default())
    }

    /// [`UniversalSize::new`] by another construction of universal circuits.
    ///
    /// # Errors
    /// Those of [`UniversalSize::new`].
    pub fn with_construction(size: Size, construction: Construction) -> Result<UniversalSize, FunctionError> {
        Ok(UniversalSize { size, circuit: UniversalCircuit::new(poles(&size)?, construction) })
    }

    /// The size.
    pub fn size(&self) -> &Size {
        &self.size
    }

    /// The universal circuit. Its inputs are those of the function's holder, then those of the data's owner.
    pub fn circuit(&self) -> &UniversalCircuit {
        &self.circuit
    }

    /// The last part of the holder's first message.
    pub(super) fn encode(&self) -> [u8; SIZE_BYTES + 1] {
        let mut bytes = [self.circuit.construction() as u8; SIZE_BYTES + 1];
        bytes[..SIZE_BYTES].copy_from_slice(&self.size.encode());
        bytes
    }

    /// Refuses a size or a construction that is not this party's.
    pub(super) fn check(&self, size: &[u8; SIZE_BYTES], construction: u8) -> Result<(), PfeError> {
        self.size.check_told(size)?;
        let (ours, theirs) = (self.circuit.construction() as u64, construction.into());
        let what = "the number of the construction";
        if ours == theirs { Ok(()) } else { Err(PfeError::Size { what, ours, theirs }) }
    }
}

impl UniversalFunction {
    /// A circuit whose groups of inputs have these owners, padded to `gates` gates if given. Inputs of each party keep their order. Without `gates`
    /// the size is the function's own, with at least one gate for each output. Linear time in the number of switches.
    ///
    /// # Errors
    /// [`FunctionError::Gates`] for more gates than `gates`, copy gates included; [`FunctionError::Count`] for another number of groups;
    /// [`FunctionError::Universal`] for more gates than can be numbered; those of [`Size::new`].
    pub fn from_circuit(
        circuit: &Circuit,
        owners: &[InputOwner],
        gates: Option<usize>,
    ) -> Result<UniversalFunction, FunctionError> {
        UniversalFunction::with_construction(circuit, owners, gates, Construction::default())
    }

    /// [`UniversalFunction::from_circuit`] by another construction of universal circuits.
    ///
    /// # Errors
    /// Those of [`UniversalFunction::from_circuit`].
    pub fn with_construction(
        circuit: &Circuit,
        owners: &[InputOwner],
        gates: Option<usize>,
        construction: Construction,
    ) -> Result<UniversalFunction, FunctionError> {
        let (holder, owner) = widths(circuit, owners)?;
        let outputs = circuit.output_bits();
        Size::new(holder, owner, gates.unwrap_or(outputs), outputs)?;
        let gates = match gates {
            Some(gates) => gates,
            None => Graph::from_circuit(circuit, None)?.size().gates().max(outputs),
        };
        let graph = Graph::from_circuit(circuit, Some(gates)).map_err(too_many_gates)?;
        let graph = graph.with_inputs_at(&places(circuit.inputs(), owners, holder))?;
        let size = Size::new(holder, owner, gates, outputs)?;
        let size = UniversalSize::with_construction(size, construction)?;
        Ok(UniversalFunction { size, program: Program::new(&graph, construction) })
    }

    /// The public size.
    pub fn size(&self) -> &UniversalSize {
        &self.size
    }
}

/// The inputs, gates and outputs of the universal circuit for a size.
///
/// # Errors
/// [`FunctionError::Universal`] where there are too many.
pub(crate) fn poles(size: &Size) -> Result<tacit_universal::Size, FunctionError> {
    Ok(tacit_universal::Size::new(size.inputs(), size.gates(), size.outputs())?)
}

fn too_many_gates(error: UniversalError) -> FunctionError {
    match error {
        UniversalError::TooManyGates { needed, gates } => {
            FunctionError::Gates { given: needed, announced: gates }
        }
        other => FunctionError::Universal(other),
    }
}
