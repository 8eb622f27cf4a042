use super::super::{PlayersCircuit, Port, Problem};
use crate::arithmetic::{MAX_FAN_IN, truth_table};
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// A circuit being read, whose wires are numbered as in its file.
pub(super) struct Netlist {
    builder: CircuitBuilder,
    wires: Vec<Option<Lit>>,
    limit: usize,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    results: Vec<Vec<Lit>>,
}

impl Netlist {
    /// For wires with numbers below the limit.
    pub(super) fn new(limit: usize) -> Self {
        Netlist {
            builder: CircuitBuilder::new(),
            wires: Vec::new(),
            limit: limit.min(CircuitBuilder::MAX_NODES / 8),
            inputs: Vec::new(),
            outputs: Vec::new(),
            results: Vec::new(),
        }
    }

    /// Adds an input that drives these wires.
    pub(super) fn input(&mut self, port: Port, wires: &[usize]) -> Result<(), Problem> {
        if self.inputs.contains(&port) {
            return Err(Problem::NamedTwice(port.name));
        }
        if wires.is_empty() {
            return Err(Problem::NoBits(port.name));
        }
        self.inputs.push(port);
        let lits = self.builder.input(wires.len() as u32);
        wires.iter().zip(lits).try_for_each(|(wire, lit)| self.drive(*wire, lit))
    }

    /// Adds an output that is read from these wires.
    pub(super) fn output(&mut self, port: Port, wires: &[usize]) -> Result<(), Problem> {
        let lits: Result<Vec<Lit>, Problem> = wires.iter().map(|wire| self.read(*wire)).collect();
        self.output_of(port, lits?)
    }

    /// Adds an output of these bits.
    pub(super) fn output_of(&mut self, port: Port, lits: Vec<Lit>) -> Result<(), Problem> {
        if self.outputs.contains(&port) {
            return Err(Problem::NamedTwice(port.name));
        }
        if lits.is_empty() {
            return Err(Problem::NoBits(port.name));
        }
        self.outputs.push(port);
        self.results.push(lits);
        Ok(())
    }

    /// Adds a gate. Entry `i` of its table is its value when the wire `inputs[k]` carries bit `k` of `i`.
    pub(super) fn gate(&mut self, wire: usize, table: &[bool], inputs: &[usize]) -> Result<(), Problem> {
        if inputs.len() > MAX_FAN_IN {
            return Err(Problem::FanIn { inputs: inputs.len(), limit: MAX_FAN_IN });
        }
        if table.len() != 1 << inputs.len() {
            return Err(Problem::Table { inputs: inputs.len(), found: table.len() });
        }
        let lits: Result<Vec<Lit>, Problem> = inputs.iter().map(|input| self.read(*input)).collect();
        let lit = truth_table(&mut self.builder, table, &lits?);
        self.drive(wire, lit)
    }

    pub(super) fn read(&self, wire: usize) -> Result<Lit, Problem> {
        self.wires.get(wire).copied().flatten().ok_or(Problem::Undriven(wire))
    }

    /// Checks a number of wires against the limit.
    pub(super) fn within(&self, wires: usize) -> Result<usize, Problem> {
        match wires <= self.limit {
            true => Ok(wires),
            false => Err(Problem::TooLarge { wires, limit: self.limit }),
        }
    }

    fn drive(&mut self, wire: usize, lit: Lit) -> Result<(), Problem> {
        if wire >= self.limit {
            return Err(Problem::NoSuchWire(wire));
        }
        if wire >= self.wires.len() {
            self.wires.resize(wire + 1, None);
        }
        match self.wires[wire].replace(lit) {
            None => Ok(()),
            Some(_) => Err(Problem::DrivenTwice(wire)),
        }
    }

    pub(super) fn finish(self) -> Result<PlayersCircuit, Problem> {
        if self.outputs.is_empty() {
            return Err(Problem::Ends("an output"));
        }
        let circuit = self.builder.finish(self.results).map_err(|error| match error {
            crate::CircuitError::TooLarge { limit } => Problem::TooManyGates { limit },
            crate::CircuitError::InputCount { .. } => {
                Problem::TooManyGates { limit: CircuitBuilder::MAX_NODES }
            }
        })?;
        Ok(PlayersCircuit { circuit, inputs: self.inputs, outputs: self.outputs })
    }
}
