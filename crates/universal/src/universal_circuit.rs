//! The public universal circuit, and its evaluation on clear bits.

use crate::graph::Gate;
use crate::level::{Entry, Exit, Level, Middle};
use crate::program::Program;
use crate::walk::{Control, Switches, walk};
use crate::{Size, UniversalError};

/// A universal circuit: it depends on its size alone. Its switches are not stored; a walk computes them as it goes.
#[derive(Clone)]
pub struct UniversalCircuit {
    size: Size,
    levels: Vec<Level>,
}

impl std::fmt::Debug for UniversalCircuit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UniversalCircuit").field("size", &self.size).finish_non_exhaustive()
    }
}

/// What a universal circuit consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SwitchCount {
    /// X switches: two wires in either order, one AND each.
    pub exchanges: u64,
    /// Y switches: one of two wires, one AND each.
    pub selections: u64,
    /// Universal gates.
    pub gates: u64,
}

impl UniversalCircuit {
    /// The universal circuit of a size.
    pub fn new(size: Size) -> Self {
        UniversalCircuit { size, levels: Level::all(size) }
    }

    /// Its size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Walks over the circuit pole by pole, in which its switches come in topological order, and returns the output wires. Memory is linear in
    /// the number of poles. There must be as many inputs as the size says.
    pub fn walk<S: Switches>(&self, switches: &mut S, inputs: &[S::Wire]) -> Vec<S::Wire> {
        walk(self.size, &self.levels, switches, inputs)
    }

    /// Whether a program is for this circuit.
    pub(crate) fn check_program(&self, program: &Program) -> Result<(), UniversalError> {
        match program.size == self.size {
            true => Ok(()),
            false => Err(UniversalError::ProgramSize),
        }
    }

    /// Counts switches and gates, in time linear in the size.
    pub fn count(&self) -> SwitchCount {
        let mut count = SwitchCount {
            selections: self.size.outputs() as u64,
            gates: self.size.gates() as u64,
            ..SwitchCount::default()
        };
        self.levels.iter().for_each(|level| count.add(level));
        count
    }

    /// Evaluates the programmed circuit on clear bits.
    ///
    /// # Errors
    /// [`UniversalError::InputCount`] and [`UniversalError::ProgramSize`].
    pub fn evaluate(&self, program: &Program, inputs: &[bool]) -> Result<Vec<bool>, UniversalError> {
        self.size.check_inputs(inputs.len())?;
        self.check_program(program)?;
        Ok(self.walk(&mut Clear { program }, inputs))
    }
}

impl SwitchCount {
    /// Switches of both kinds.
    pub fn switches(&self) -> u64 {
        self.exchanges + self.selections
    }

    fn add(&mut self, level: &Level) {
        let graphs = level.graphs as u64;
        for block in 0..level.blocks() {
            match level.entry(block) {
                Entry::Both => self.exchanges += graphs,
                Entry::First | Entry::Second => self.selections += graphs,
                Entry::Closed => {}
            }
            if level.middle(block) == Middle::Either {
                self.selections += graphs;
            }
            if level.exit(block) == Exit::Both {
                self.exchanges += graphs;
            }
        }
    }
}

impl Program {
    /// A switch's control bit.
    pub fn control(&self, control: Control) -> bool {
        match control {
            Control::Block(block, bit) => self.blocks[block] >> bit & 1 == 1,
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
