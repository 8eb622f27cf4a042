pub(crate) mod table;

use crate::circuit::{Circuit, CircuitError, Node, decode};
use crate::lit::Lit;
use crate::objective::Objective;
use table::{Place, Table};

/// Operands that mark an input node; no gate has equal operands.
const INPUT: [Lit; 2] = [Lit::FALSE; 2];

/// Writes a [`Circuit`], merging equal gates and folding constants as it goes.
///
/// At most one AND is written for a pair of nodes: the other three polarities follow from it by XOR. Literals
/// belong to the builder that returned them.
#[derive(Clone, Debug)]
pub struct CircuitBuilder {
    /// One entry for each node; an AND lists the lower node first, an XOR the higher.
    nodes: Vec<[Lit; 2]>,
    table: Table,
    input_nodes: Vec<u32>,
    inputs: Vec<u32>,
    and_count: u64,
    limit: usize,
    full: bool,
    objective: Objective,
    /// ANDs on the longest path to each node, if the objective is depth.
    depths: Vec<u32>,
}

impl Default for CircuitBuilder {
    fn default() -> Self {
        CircuitBuilder::new()
    }
}

impl CircuitBuilder {
    /// The most nodes that any circuit may have.
    pub const MAX_NODES: usize = 1 << 31;

    /// An empty circuit.
    pub fn new() -> Self {
        CircuitBuilder::with_limit(Self::MAX_NODES)
    }

    /// An empty circuit that may grow to `limit` nodes. Further nodes are dropped, and
    /// [`CircuitBuilder::finish`] fails; long computations should check [`CircuitBuilder::is_full`] from time
    /// to time.
    pub fn with_limit(limit: usize) -> Self {
        CircuitBuilder {
            nodes: vec![INPUT],
            table: Table::default(),
            input_nodes: Vec::new(),
            inputs: Vec::new(),
            and_count: 0,
            limit: limit.min(Self::MAX_NODES),
            full: false,
            objective: Objective::Size,
            depths: Vec::new(),
        }
    }

    /// The same builder, still empty, for this objective, which [`crate::arithmetic`] follows.
    #[must_use]
    pub fn with_objective(mut self, objective: Objective) -> Self {
        self.objective = objective;
        self.depths = vec![0; if objective == Objective::Depth { self.nodes.len() } else { 0 }];
        self
    }

    /// The quantity that is minimised.
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// Whether layers count more than ANDs.
    pub(crate) fn is_shallow(&self) -> bool {
        self.objective == Objective::Depth
    }

    /// ANDs on the longest path to a literal; 0 for all literals if the objective is not depth.
    pub(crate) fn depth(&self, lit: Lit) -> u32 {
        self.depths.get(lit.node() as usize).copied().unwrap_or(0)
    }

    /// Whether the limit was reached and a node was dropped.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Number of nodes so far.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Number of AND gates so far, including those that turn out to be unused.
    pub fn and_count(&self) -> u64 {
        self.and_count
    }

    /// Adds a group of `width` input bits, least significant first.
    pub fn input(&mut self, width: u32) -> Vec<Lit> {
        self.inputs.push(width);
        (0..width).map(|_| self.input_bit()).collect()
    }

    fn input_bit(&mut self) -> Lit {
        let lit = self.push(INPUT);
        if !self.full {
            self.input_nodes.push(lit.node());
        }
        lit
    }

    fn push(&mut self, node: [Lit; 2]) -> Lit {
        if self.nodes.len() >= self.limit {
            self.full = true;
            return Lit::FALSE;
        }
        let lit = Lit::new(self.nodes.len() as u32, false);
        if self.is_shallow() {
            let [a, b] = node;
            self.depths.push(self.depth(a).max(self.depth(b)) + u32::from(a < b));
        }
        self.nodes.push(node);
        lit
    }

    /// What node `index` computes; `index` is below [`CircuitBuilder::node_count`].
    pub fn node(&self, index: u32) -> Node {
        match self.nodes[index as usize] {
            INPUT if index == 0 => Node::Constant,
            INPUT => Node::Input,
            gate => decode(gate),
        }
    }

    /// The exclusive or.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let inverted = a.is_inverted() ^ b.is_inverted();
        let (a, b) = (a.flip(a.is_inverted()), b.flip(b.is_inverted()));
        let (high, low) = (a.max(b), a.min(b));
        self.xor_nodes(high, low).flip(inverted)
    }

    fn xor_nodes(&mut self, high: Lit, low: Lit) -> Lit {
        if high == low {
            return Lit::FALSE;
        }
        if low == Lit::FALSE {
            return high;
        }
        if let Node::Xor(c, d) = self.node(high.node()) {
            if c == low {
                return d;
            }
            if d == low {
                return c;
            }
            if let Node::Xor(e, f) = self.node(low.node())
                && let Some((x, y)) = cancel((c, d), (e, f))
            {
                return self.xor(x, y);
            }
        }
        self.gate([high, low])
    }

    /// The conjunction.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (high, low) = (a.max(b), a.min(b));
        match low {
            Lit::FALSE => return Lit::FALSE,
            Lit::TRUE => return high,
            _ if low == high => return low,
            _ if low == !high => return Lit::FALSE,
            _ => {}
        }
        match self.node(high.node()) {
            Node::And(c, d) => self.and_with_and(low, high, c, d),
            Node::Xor(c, d) if c.node() == low.node() => self.and_with_xor(low, high, d),
            Node::Xor(c, d) if d.node() == low.node() => self.and_with_xor(low, high, c),
            _ => self.and_gate(low, high),
        }
    }

    /// `x ∧ y` where `y` is `c ∧ d` or its complement.
    fn and_with_and(&mut self, x: Lit, y: Lit, c: Lit, d: Lit) -> Lit {
        let (implied, excluded) = (x == c || x == d, x == !c || x == !d);
        match (implied, excluded, y.is_inverted()) {
            (true, _, false) => y,
            (_, true, false) => Lit::FALSE,
            (true, _, true) => self.xor(x, !y),
            (_, true, true) => x,
            _ => self.and_gate(x, y),
        }
    }

    /// `x ∧ y` where `y` is the exclusive or of `x`'s node and `rest`, or its complement: `x ∧ (x ⊕ r) = x ∧ ¬r`.
    fn and_with_xor(&mut self, x: Lit, y: Lit, rest: Lit) -> Lit {
        let rest = rest.flip(x.is_inverted() ^ y.is_inverted());
        self.and(x, !rest)
    }

    /// The AND of two different nodes; reuses the one that was written for this pair, if any.
    fn and_gate(&mut self, low: Lit, high: Lit) -> Lit {
        let lit = self.gate([low, high]);
        let [x, y] = self.nodes[lit.node() as usize];
        if self.full {
            return Lit::FALSE;
        }
        match (x == low, y == high) {
            (true, true) => lit,
            (true, false) => self.xor(low, lit),
            (false, true) => self.xor(high, lit),
            (false, false) => {
                let either = self.xor(x, y);
                !self.xor(either, lit)
            }
        }
    }

    /// Finds the gate over these nodes, whatever the polarity of its operands, or writes it.
    fn gate(&mut self, operands: [Lit; 2]) -> Lit {
        let (nodes, wanted) = (&self.nodes, key(operands));
        self.table.reserve(|node| place(key(nodes[node as usize])));
        match self.table.find(place(wanted), |node| key(nodes[node as usize]) == wanted) {
            Ok(node) => Lit::new(node, false),
            Err(vacant) => {
                let lit = self.push(operands);
                if lit != Lit::FALSE {
                    self.table.insert(vacant, lit.node());
                    self.and_count += u64::from(operands[0] < operands[1]);
                }
                lit
            }
        }
    }

    /// The disjunction.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// The complement; no gate.
    pub fn not(&self, a: Lit) -> Lit {
        !a
    }

    /// `t` if `condition` is 1, else `f`. One AND.
    pub fn mux(&mut self, condition: Lit, t: Lit, f: Lit) -> Lit {
        let difference = self.xor(t, f);
        let chosen = self.and(condition, difference);
        self.xor(f, chosen)
    }

    /// The majority of three. One AND.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        self.full_adder(a, b, c).1
    }

    /// The sum of three bits: its parity and the carry, which is their majority. One AND and four XORs.
    pub fn full_adder(&mut self, a: Lit, b: Lit, c: Lit) -> (Lit, Lit) {
        let (x, y) = (self.xor(a, c), self.xor(b, c));
        let both = self.and(x, y);
        (self.xor(x, b), self.xor(both, c))
    }

    /// The circuit with these output groups; gates that no output needs are left out, inputs stay.
    ///
    /// Errors: [`CircuitError::TooLarge`] if the limit was reached.
    pub fn finish(self, outputs: Vec<Vec<Lit>>) -> Result<Circuit, CircuitError> {
        if self.full {
            return Err(CircuitError::TooLarge { limit: self.limit });
        }
        let CircuitBuilder { nodes, table, input_nodes, inputs, .. } = self;
        drop(table);
        let used = reachable(&nodes, &outputs);
        Ok(compact(&nodes, &used, &input_nodes, inputs, outputs))
    }
}

/// The nodes of a gate in stored order, which distinguishes an AND from an XOR.
fn key([a, b]: [Lit; 2]) -> (u32, u32) {
    (a.node(), b.node())
}

fn place((a, b): (u32, u32)) -> Place {
    Place::new(a.max(b), u64::from(a) << 32 | u64::from(b))
}

/// The two remaining operands of `(a ⊕ b) ⊕ (c ⊕ d)` if both pairs share an operand.
fn cancel((a, b): (Lit, Lit), (c, d): (Lit, Lit)) -> Option<(Lit, Lit)> {
    match () {
        _ if a == c => Some((b, d)),
        _ if a == d => Some((b, c)),
        _ if b == c => Some((a, d)),
        _ if b == d => Some((a, c)),
        _ => None,
    }
}

fn reachable(nodes: &[[Lit; 2]], outputs: &[Vec<Lit>]) -> Vec<bool> {
    let mut used = vec![false; nodes.len()];
    outputs.iter().flatten().for_each(|lit| used[lit.node() as usize] = true);
    for (node, operands) in nodes.iter().enumerate().rev() {
        if used[node] {
            operands.iter().for_each(|lit| used[lit.node() as usize] = true);
        }
    }
    used
}

/// Renumbers the used nodes: inputs first, then gates in the order they were written.
fn compact(
    nodes: &[[Lit; 2]],
    used: &[bool],
    input_nodes: &[u32],
    inputs: Vec<u32>,
    mut outputs: Vec<Vec<Lit>>,
) -> Circuit {
    let mut number = vec![0u32; nodes.len()];
    (1..).zip(input_nodes).for_each(|(new, node)| number[*node as usize] = new);
    let renumber = |number: &[u32], lit: Lit| Lit::new(number[lit.node() as usize], lit.is_inverted());
    let mut gates = Vec::new();
    for (node, [a, b]) in nodes.iter().enumerate() {
        if used[node] && [*a, *b] != INPUT {
            number[node] = (1 + input_nodes.len() + gates.len()) as u32;
            let (x, y) = (renumber(&number, *a), renumber(&number, *b));
            gates.push(if (a < b) == (x < y) { [x, y] } else { [y, x] });
        }
    }
    gates.shrink_to_fit();
    outputs.iter_mut().flatten().for_each(|lit| *lit = renumber(&number, *lit));
    Circuit { gates, input_bits: input_nodes.len(), inputs, outputs }
}
