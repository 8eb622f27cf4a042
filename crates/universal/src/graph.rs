//! Private circuits as directed acyclic graphs of two-input gates, in which each value is used at most twice.

use tacit_circuit::{Circuit, Lit, Node};
use zeroize::Zeroizing;

use crate::UniversalError;
use crate::size::{MAX_POLES, Size};

/// An operand that the gate does not use.
pub(crate) const UNUSED: u32 = u32::MAX;

/// The table that gives the first operand.
const COPY: u8 = 0b1010;
/// The table that gives the complement of the first operand.
const NOT: u8 = 0b0101;
/// The table that gives 0.
const ZERO: u8 = 0b0000;
/// The table that gives 1.
const ONE: u8 = 0b1111;

/// A gate: bit `x + 2y` of the table is its value for operands `x` and `y`.
#[derive(Clone, Copy)]
pub(crate) struct Gate {
    pub(crate) table: u8,
    /// Sources: inputs, then gates, or [`UNUSED`].
    pub(crate) operands: [u32; 2],
}

impl zeroize::DefaultIsZeroes for Gate {}

impl Default for Gate {
    fn default() -> Self {
        Gate { table: ZERO, operands: [0; 2] }
    }
}

impl Gate {
    fn constant(value: bool) -> Self {
        Gate { table: if value { ONE } else { ZERO }, operands: [UNUSED; 2] }
    }

    fn unary(table: u8, operand: u32) -> Self {
        Gate { table, operands: [operand, UNUSED] }
    }

    fn used(&self) -> impl Iterator<Item = u32> + '_ {
        self.operands.iter().copied().filter(|source| *source != UNUSED)
    }

    /// The gate's value for two bits.
    pub(crate) fn value(table: u8, x: bool, y: bool) -> bool {
        table >> (u8::from(x) + 2 * u8::from(y)) & 1 == 1
    }
}

/// A circuit in which each input and each gate's value is used at most twice, padded to a [`Size`]. It is private, and wiped when dropped.
///
/// `f - 2` copy gates spread a value that is used `f > 2` times. Each node with complemented outputs, and each constant
/// output, needs one more gate.
pub struct Graph {
    pub(crate) size: Size,
    pub(crate) gates: Zeroizing<Vec<Gate>>,
    pub(crate) outputs: Zeroizing<Vec<u32>>,
}

impl std::fmt::Debug for Graph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Graph").field("size", &self.size).finish_non_exhaustive()
    }
}

impl Graph {
    /// The graph of a circuit, padded to `gates` gates if given. Linear time.
    ///
    /// # Errors
    /// [`UniversalError::TooManyGates`] if the circuit needs more gates than `gates`, and [`UniversalError::TooLarge`].
    pub fn from_circuit(circuit: &Circuit, gates: Option<usize>) -> Result<Self, UniversalError> {
        let nodes = circuit.node_count() + 2 * circuit.output_bits();
        if nodes > MAX_POLES {
            return Err(UniversalError::TooLarge { poles: nodes, limit: MAX_POLES });
        }
        let unlimited = Unlimited::new(circuit);
        let uses = unlimited.uses();
        let needed = unlimited.gates.len() + uses.iter().map(|uses| copies(*uses)).sum::<usize>();
        let gates = gates.unwrap_or(needed);
        if needed > gates {
            return Err(UniversalError::TooManyGates { needed, gates });
        }
        let size = Size::new(circuit.input_bits(), gates, unlimited.outputs.len())?;
        Ok(Spread::new(size, uses).graph(&unlimited))
    }

    /// The same graph with its inputs in another order: input `i` becomes input `order[i]`.
    ///
    /// # Errors
    /// [`UniversalError::InputOrder`] if `order` does not contain each input once.
    pub fn with_inputs_at(mut self, order: &[u32]) -> Result<Self, UniversalError> {
        self.size.check_inputs(order.len())?;
        let mut named = vec![false; order.len()];
        for (input, place) in order.iter().enumerate() {
            match named.get_mut(*place as usize) {
                Some(named) if !*named => *named = true,
                _ => return Err(UniversalError::InputOrder { input }),
            }
        }
        let operands = self.gates.iter_mut().flat_map(|gate| &mut gate.operands);
        for source in operands.chain(self.outputs.iter_mut()) {
            *source = order.get(*source as usize).copied().unwrap_or(*source);
        }
        Ok(self)
    }

    /// The public size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Evaluates the graph on clear bits.
    ///
    /// # Errors
    /// [`UniversalError::InputCount`] if `inputs` does not have one bit for each input.
    pub fn evaluate(&self, inputs: &[bool]) -> Result<Vec<bool>, UniversalError> {
        self.size.check_inputs(inputs.len())?;
        let mut values = Zeroizing::new(Vec::with_capacity(self.size.inputs() + self.size.gates()));
        values.extend_from_slice(inputs);
        for gate in self.gates.iter() {
            let [x, y] = gate.operands.map(|source| source != UNUSED && values[source as usize]);
            values.push(Gate::value(gate.table, x, y));
        }
        Ok(self.outputs.iter().map(|source| values[*source as usize]).collect())
    }
}

/// Number of copy gates that spread a value that is used `uses` times.
fn copies(uses: u32) -> usize {
    uses.saturating_sub(2) as usize
}

/// A graph before values are spread: values may be used any number of times.
struct Unlimited {
    inputs: usize,
    gates: Zeroizing<Vec<Gate>>,
    outputs: Zeroizing<Vec<u32>>,
}

impl Unlimited {
    fn new(circuit: &Circuit) -> Self {
        let mut graph = Unlimited {
            inputs: circuit.input_bits(),
            gates: Zeroizing::new(Vec::with_capacity(circuit.node_count() + 2 * circuit.output_bits())),
            outputs: Zeroizing::new(Vec::with_capacity(circuit.output_bits())),
        };
        for (_, node) in circuit.gates() {
            graph.push_node(node);
        }
        let mut complements = Zeroizing::new(vec![UNUSED; circuit.node_count()]);
        for lit in circuit.outputs().iter().flatten() {
            let source = graph.output(*lit, &mut complements);
            graph.outputs.push(source);
        }
        graph
    }

    fn push(&mut self, gate: Gate) -> u32 {
        self.gates.push(gate);
        (self.inputs + self.gates.len() - 1) as u32
    }

    fn push_node(&mut self, node: Node) {
        let (a, b, exclusive) = match node {
            Node::And(a, b) => (a, b, false),
            Node::Xor(a, b) => (a, b, true),
            Node::Constant | Node::Input => return,
        };
        self.push(Gate { table: binary_table(a, b, exclusive), operands: [a, b].map(source) });
    }

    fn output(&mut self, lit: Lit, complements: &mut [u32]) -> u32 {
        if lit.node() == 0 {
            return self.push(Gate::constant(lit.is_inverted()));
        }
        if !lit.is_inverted() {
            return source(lit);
        }
        let complement = &mut complements[lit.node() as usize];
        if *complement == UNUSED {
            *complement = self.push(Gate::unary(NOT, source(lit)));
        }
        *complement
    }

    fn uses(&self) -> Zeroizing<Vec<u32>> {
        let mut uses = Zeroizing::new(vec![0; self.inputs + self.gates.len()]);
        let operands = self.gates.iter().flat_map(Gate::used);
        operands.chain(self.outputs.iter().copied()).for_each(|source| uses[source as usize] += 1);
        uses
    }
}

/// The number of a literal's node among inputs and gates; the constant has none.
fn source(lit: Lit) -> u32 {
    lit.node().checked_sub(1).unwrap_or(UNUSED)
}

/// The table of a gate with the complements of its operands. A constant operand counts as 0 before its complement.
fn binary_table(a: Lit, b: Lit, exclusive: bool) -> u8 {
    (0..4).fold(0, |table, row| {
        let x = (row & 1 == 1 && a.node() != 0) ^ a.is_inverted();
        let y = (row >> 1 == 1 && b.node() != 0) ^ b.is_inverted();
        table | u8::from(if exclusive { x ^ y } else { x & y }) << row
    })
}

/// For each source of an [`Unlimited`] graph, where its next use takes its value.
struct Spread {
    size: Size,
    uses: Zeroizing<Vec<u32>>,
    used: Zeroizing<Vec<u32>>,
    /// The new number of each source.
    number: Zeroizing<Vec<u32>>,
    /// The number of each source's first copy.
    copy: Zeroizing<Vec<u32>>,
    gates: Zeroizing<Vec<Gate>>,
}

impl Spread {
    fn new(size: Size, uses: Zeroizing<Vec<u32>>) -> Self {
        let zeros = Zeroizing::new(vec![0; uses.len()]);
        let gates = Zeroizing::new(Vec::with_capacity(size.gates()));
        Spread { size, used: zeros.clone(), number: zeros.clone(), copy: zeros, uses, gates }
    }

    fn graph(mut self, unlimited: &Unlimited) -> Graph {
        for input in 0..self.size.inputs() {
            self.spread(input, input as u32);
        }
        for (gate, old) in unlimited.gates.iter().enumerate() {
            let operands = old.operands.map(|source| self.next_use(source));
            let number = self.next_number();
            self.gates.push(Gate { table: old.table, operands });
            self.spread(self.size.inputs() + gate, number);
        }
        let outputs = unlimited.outputs.iter().map(|source| self.next_use(*source)).collect();
        self.gates.resize(self.size.gates(), Gate::constant(false));
        Graph { size: self.size, gates: self.gates, outputs: Zeroizing::new(outputs) }
    }

    fn next_number(&self) -> u32 {
        (self.size.inputs() + self.gates.len()) as u32
    }

    /// Numbers a source and writes its copies, each of which copies the one before.
    fn spread(&mut self, source: usize, number: u32) {
        (self.number[source], self.copy[source]) = (number, self.next_number());
        let mut last = number;
        for _ in 0..copies(self.uses[source]) {
            let copy = self.next_number();
            self.gates.push(Gate::unary(COPY, last));
            last = copy;
        }
    }

    /// The first use takes the source, each further one the next copy, and the last one the last copy once more.
    fn next_use(&mut self, source: u32) -> u32 {
        if source == UNUSED {
            return UNUSED;
        }
        let source = source as usize;
        let use_number = self.used[source];
        self.used[source] += 1;
        match (use_number as usize).min(copies(self.uses[source])) {
            0 => self.number[source],
            copy => self.copy[source] + copy as u32 - 1,
        }
    }
}
