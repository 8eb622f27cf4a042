//! Universal circuits as Boolean circuits that take the program as an input.

use tacit_circuit::{Circuit, CircuitBuilder, CircuitError, Lit};
use zeroize::Zeroizing;

use crate::walk::{Control, Switches};
use crate::{Program, SwitchCount, UniversalCircuit, UniversalError};

/// Control bits of a universal gate: its table.
const TABLE_BITS: usize = 4;

impl SwitchCount {
    /// Control bits of a program: one for each switch, four for each gate.
    pub fn controls(&self) -> u64 {
        self.exchanges + self.selections + TABLE_BITS as u64 * self.gates
    }

    /// AND gates of the Boolean circuit: one for each switch, three for each gate. Fewer where an operand is constant or unused.
    pub fn ands(&self) -> u64 {
        self.exchanges + self.selections + (TABLE_BITS as u64 - 1) * self.gates
    }
}

impl UniversalCircuit {
    /// The Boolean circuit with two inputs, the control bits in the order of [`UniversalCircuit::controls`] and the programmed
    /// circuit's input bits. Any protocol for Boolean circuits thus evaluates private functions.
    ///
    /// # Errors
    /// [`CircuitError::TooLarge`] as soon as the builder's limit is reached.
    pub fn to_circuit(&self) -> Result<Circuit, CircuitError> {
        let mut builder = CircuitBuilder::new();
        let limit = u64::from(u32::MAX);
        let controls = u32::try_from(self.count().controls())
            .map_err(|_| CircuitError::TooLarge { limit: limit as usize })?;
        let controls = builder.input(controls);
        let inputs: Vec<Wire> = builder.input(self.size().inputs() as u32).into_iter().map(Wire).collect();
        let mut gates = Gates { builder, controls: controls.into_iter() };
        let outputs = self.walk(&mut gates, &inputs);
        gates.builder.finish(vec![outputs.into_iter().map(|wire| wire.0).collect()])
    }

    /// A program's control bits, in the order in which the walk over the circuit meets its switches and gates. A gate has four.
    ///
    /// # Errors
    /// [`UniversalError::ProgramSize`].
    pub fn controls(&self, program: &Program) -> Result<Zeroizing<Vec<bool>>, UniversalError> {
        self.check_program(program)?;
        let bits = Zeroizing::new(Vec::with_capacity(self.count().controls() as usize));
        let mut list = List { program, bits };
        self.walk(&mut list, &vec![(); self.size().inputs()]);
        Ok(list.bits)
    }
}

/// A wire of the Boolean circuit, which is public.
#[derive(Clone, Copy)]
struct Wire(Lit);

impl zeroize::DefaultIsZeroes for Wire {}

impl Default for Wire {
    fn default() -> Wire {
        Wire(Lit::constant(false))
    }
}

/// Switches as gates of a circuit, which take their control bits from its inputs in turn.
struct Gates {
    builder: CircuitBuilder,
    controls: std::vec::IntoIter<Lit>,
}

impl Gates {
    fn next_control(&mut self) -> Lit {
        self.controls.next().unwrap_or(Lit::constant(false))
    }
}

impl Switches for Gates {
    type Wire = Wire;

    fn unused(&self) -> Wire {
        Wire(Lit::constant(false))
    }

    fn exchange(&mut self, _: Control, [left, right]: [Wire; 2]) -> [Wire; 2] {
        let (control, difference) = (self.next_control(), self.builder.xor(left.0, right.0));
        let exchanged = self.builder.and(control, difference);
        [left, right].map(|wire| Wire(self.builder.xor(wire.0, exchanged)))
    }

    fn select(&mut self, _: Control, [left, right]: [Wire; 2]) -> Wire {
        let control = self.next_control();
        Wire(self.builder.mux(control, right.0, left.0))
    }

    fn gate(&mut self, _: usize, [x, y]: [Wire; 2]) -> Wire {
        let table = [(); TABLE_BITS].map(|()| self.next_control());
        let [without, with] =
            [[table[0], table[1]], [table[2], table[3]]].map(|[f, t]| self.builder.mux(x.0, t, f));
        Wire(self.builder.mux(y.0, with, without))
    }
}

/// The control bits in the order of the walk.
struct List<'a> {
    program: &'a Program,
    bits: Zeroizing<Vec<bool>>,
}

impl Switches for List<'_> {
    type Wire = ();

    fn unused(&self) {}

    fn exchange(&mut self, control: Control, wires: [(); 2]) -> [(); 2] {
        self.bits.push(self.program.control(control));
        wires
    }

    fn select(&mut self, control: Control, _: [(); 2]) {
        self.bits.push(self.program.control(control));
    }

    fn gate(&mut self, gate: usize, _: [(); 2]) {
        let table = self.program.tables[gate];
        self.bits.extend((0..TABLE_BITS).map(|row| table >> row & 1 == 1));
    }
}
