use crate::Lit;

/// What a node computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// The constant 0: node 0 alone.
    Constant,
    /// An input bit; input bit `i` is node `i + 1`.
    Input,
    /// The conjunction of two literals of lower nodes.
    And(Lit, Lit),
    /// The exclusive or of two lower nodes; complements are moved to the users of the result.
    Xor(Lit, Lit),
}

/// A finished Boolean circuit: the constant, the input bits, then gates in topological order, all of them
/// used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circuit {
    /// Operands of the gates. An AND lists the lower node first, an XOR the higher.
    pub(crate) gates: Vec<[Lit; 2]>,
    pub(crate) input_bits: usize,
    pub(crate) inputs: Vec<u32>,
    pub(crate) outputs: Vec<Vec<Lit>>,
}

/// A circuit that can't be built or run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CircuitError {
    /// More gates than the builder's limit.
    #[error("the circuit has more than {limit} gates and inputs")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// The number of input bits differs from the circuit's.
    #[error("the circuit has {expected} input bits, {given} were given")]
    InputCount {
        /// Bits the circuit takes.
        expected: usize,
        /// Bits given.
        given: usize,
    },
}

/// The size of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Serialize)]
pub struct Stats {
    /// AND gates.
    pub and_count: u64,
    /// XOR gates.
    pub xor_count: u64,
    /// Nodes whose complement is used by an AND gate or an output.
    pub not_count: u64,
    /// AND gates on the longest path.
    pub and_depth: u64,
    /// Input bits.
    pub inputs: u64,
    /// Output bits.
    pub outputs: u64,
}

/// Reads a gate back from its stored operands.
pub(crate) fn decode([a, b]: [Lit; 2]) -> Node {
    match a < b {
        true => Node::And(a, b),
        false => Node::Xor(a, b),
    }
}

impl Circuit {
    /// Widths of the input groups; bits are numbered through all groups, least significant first.
    pub fn inputs(&self) -> &[u32] {
        &self.inputs
    }

    /// The literals of each output group, least significant first.
    pub fn outputs(&self) -> &[Vec<Lit>] {
        &self.outputs
    }

    /// Number of input bits of all groups.
    pub fn input_bits(&self) -> usize {
        self.input_bits
    }

    /// Number of output bits of all groups.
    pub fn output_bits(&self) -> usize {
        self.outputs.iter().map(Vec::len).sum()
    }

    /// Number of nodes, including the constant and the inputs.
    pub fn node_count(&self) -> usize {
        self.first_gate() + self.gates.len()
    }

    /// What node `index` computes; `index` is below [`Circuit::node_count`].
    pub fn node(&self, index: u32) -> Node {
        match (index as usize).checked_sub(self.first_gate()) {
            Some(gate) => decode(self.gates[gate]),
            None if index == 0 => Node::Constant,
            None => Node::Input,
        }
    }

    /// Whether a node is a gate.
    pub(crate) fn is_gate(&self, index: u32) -> bool {
        index as usize >= self.first_gate()
    }

    /// Number of AND gates.
    pub fn and_count(&self) -> u64 {
        self.gates.iter().filter(|[a, b]| a < b).count() as u64
    }

    /// The gates with their node numbers, in topological order.
    pub fn gates(&self) -> impl Iterator<Item = (u32, Node)> + '_ {
        (self.first_gate() as u32..).zip(self.gates.iter().map(|gate| decode(*gate)))
    }

    /// Number of the first gate's node.
    pub(crate) fn first_gate(&self) -> usize {
        self.input_bits + 1
    }

    /// Counts gates and depth. Linear time.
    pub fn stats(&self) -> Stats {
        let mut stats = Stats {
            inputs: self.input_bits() as u64,
            outputs: self.output_bits() as u64,
            not_count: self.complemented_nodes(),
            ..Stats::default()
        };
        let mut depth = vec![0u32; self.node_count()];
        for (node, gate) in self.gates() {
            let (a, b, cost) = match gate {
                Node::And(a, b) => (a, b, 1),
                Node::Xor(a, b) => (a, b, 0),
                Node::Constant | Node::Input => continue,
            };
            stats.and_count += u64::from(cost);
            stats.xor_count += u64::from(1 - cost);
            depth[node as usize] = depth[a.node() as usize].max(depth[b.node() as usize]) + cost;
        }
        stats.and_depth =
            self.outputs.iter().flatten().map(|lit| u64::from(depth[lit.node() as usize])).max().unwrap_or(0);
        stats
    }

    fn complemented_nodes(&self) -> u64 {
        let mut seen = vec![false; self.node_count()];
        let operands = self.gates.iter().flatten().chain(self.outputs.iter().flatten());
        operands.filter(|lit| lit.is_inverted()).for_each(|lit| seen[lit.node() as usize] = true);
        seen.iter().skip(1).filter(|seen| **seen).count() as u64
    }
}
