//! The public universal circuit, and its evaluation on clear bits.

use crate::count::SwitchCount;
use crate::graph::Gate;
use crate::level::Level;
use crate::program::Program;
use crate::walk::{Control, Switches, walk};
use crate::{Construction, Size, UniversalError};

/// A universal circuit. It only depends on its size and construction. Its switches are not stored; the walk computes them.
#[derive(Clone)]
pub struct UniversalCircuit {
    size: Size,
    construction: Construction,
    levels: Vec<Level>,
}

impl std::fmt::Debug for UniversalCircuit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UniversalCircuit")
            .field("size", &self.size)
            .field("construction", &self.construction)
            .finish_non_exhaustive()
    }
}

impl UniversalCircuit {
    /// The universal circuit of a size. Linear time.
    pub fn new(size: Size, construction: Construction) -> Self {
        UniversalCircuit { size, construction, levels: Level::all(size, construction) }
    }

    /// Its size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// How its edge-universal graphs are built.
    pub fn construction(&self) -> Construction {
        self.construction
    }

    /// Walks over the circuit pole by pole, so that its switches come in topological order, and returns the output wires. Memory is linear in
    /// the number of poles. There must be as many inputs as the size has.
    pub fn walk<S: Switches>(&self, switches: &mut S, inputs: &[S::Wire]) -> Vec<S::Wire> {
        walk(self.size, &self.levels, switches, inputs)
    }

    /// Checks that a program is for this circuit.
    pub(crate) fn check_program(&self, program: &Program) -> Result<(), UniversalError> {
        if program.size != self.size {
            return Err(UniversalError::ProgramSize);
        }
        if program.construction != self.construction {
            let (program, circuit) = (program.construction, self.construction);
            return Err(UniversalError::ProgramConstruction { program, circuit });
        }
        Ok(())
    }

    /// Counts switches and gates, in logarithmic time.
    pub fn count(&self) -> SwitchCount {
        let mut count = SwitchCount {
            selections: self.size.outputs() as u64,
            gates: self.size.gates() as u64,
            ..SwitchCount::default()
        };
        self.levels.iter().for_each(|level| count += level.count());
        count
    }

    /// Evaluates the programmed circuit on clear bits.
    ///
    /// # Errors
    /// [`UniversalError::InputCount`], [`UniversalError::ProgramSize`] and [`UniversalError::ProgramConstruction`].
    pub fn evaluate(&self, program: &Program, inputs: &[bool]) -> Result<Vec<bool>, UniversalError> {
        self.size.check_inputs(inputs.len())?;
        self.check_program(program)?;
        Ok(self.walk(&mut Clear { program }, inputs))
    }
}

impl Program {
    /// A switch's control bit.
    pub fn control(&self, control: Control) -> bool {
        match control {
            Control::Block(block, bit) => self.blocks.bit(block, bit),
            Control::Output(output) => self.outputs[output],
        }
    }

    /// A universal gate's table: bit `x + 2y` is its value for operands `x` and `y`.
    pub fn table(&self, gate: usize) -> u8 {
        self.tables[gate]
    }
}

/// Switches on clear bits.
struct Clear<'a> {
    program: &'a Program,
}

impl Switches for Clear<'_> {
    type Wire = bool;

    fn unused(&self) -> bool {
        false
    }

    fn exchange(&mut self, control: Control, [left, right]: [bool; 2]) -> [bool; 2] {
        let exchanged = (left ^ right) & self.program.control(control);
        [left ^ exchanged, right ^ exchanged]
    }

    fn select(&mut self, control: Control, [left, right]: [bool; 2]) -> bool {
        left ^ ((left ^ right) & self.program.control(control))
    }

    fn gate(&mut self, gate: usize, [x, y]: [bool; 2]) -> bool {
        Gate::value(self.program.tables[gate], x, y)
    }
}
