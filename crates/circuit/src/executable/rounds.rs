//! Decides which gates run together if every layer is a round.
//!
//! Every AND runs as early as possible, except ANDs that share no operand with others in their layer: they
//! wait for the first layer in which another AND shares an operand, as long as this delays no other gate. So
//! both products of a carry step, one of which is ready a layer earlier, run together. XORs wait for the
//! first layer that needs them.

use super::counts::Counts;
use super::gates::Gates;
use super::groups::Grouping;
use crate::lit::Lit;

/// By node: the layer in which each AND runs; for other gates, the first layer in which they can.
pub(super) struct Rounds {
    layer: Vec<u32>,
    /// ANDs on the longest path.
    depth: u32,
}

impl Rounds {
    /// Linear time.
    pub(super) fn new(circuit: &impl Gates) -> Rounds {
        let mut rounds = Rounds { layer: vec![0; circuit.node_count()], depth: 0 };
        for gate in circuit.gates() {
            rounds.layer[gate] = rounds.earliest(circuit, gate);
            rounds.depth = rounds.depth.max(rounds.after(circuit, gate));
        }
        rounds.delay_lone(circuit);
        rounds
    }

    /// The first layer after a gate.
    fn after(&self, circuit: &impl Gates, gate: usize) -> u32 {
        self.layer[gate] + u32::from(circuit.is_and(gate))
    }

    fn earliest(&self, circuit: &impl Gates, gate: usize) -> u32 {
        let operands = circuit.operands(gate).iter();
        operands.map(|lit| self.after(circuit, lit.node() as usize)).max().unwrap_or(0)
    }

    /// Moves ANDs that share no operand within their layer to the next layer where they do, if no gate needs
    /// them by then. This never increases the number of [groups](super::Layer::groups).
    fn delay_lone(&mut self, circuit: &impl Gates) {
        let mut uses = Uses::new(circuit, &self.layer);
        // The first layer whose ANDs need each gate: known for all users before the gate itself.
        let mut needed = vec![self.depth; circuit.node_count()];
        for gate in circuit.gates().rev() {
            if let Some(nodes) = pair(circuit, gate) {
                self.delay(gate, nodes, needed[gate], &mut uses);
            }
            let by = if circuit.is_and(gate) { self.layer[gate] } else { needed[gate] };
            for lit in circuit.operands(gate) {
                let needed = &mut needed[lit.node() as usize];
                *needed = by.min(*needed);
            }
        }
    }

    fn delay(&mut self, gate: usize, nodes: [u32; 2], needed: u32, uses: &mut Uses) {
        let now = self.layer[gate];
        if now + 1 >= needed || nodes.iter().any(|node| uses.at(*node, now) > 1) {
            return;
        }
        let next = |node: &u32| uses.next(*node, now).filter(|layer| *layer < needed);
        let Some(layer) = nodes.iter().filter_map(next).min() else { return };
        self.layer[gate] = layer;
        nodes.iter().for_each(|node| uses.move_one(*node, now, layer));
    }

    /// The counts of the layers, without assigning gates to them.
    pub(super) fn counts(&self, circuit: &impl Gates) -> Counts {
        let mut layers: Vec<Vec<(u32, [Lit; 2])>> = vec![Vec::new(); self.depth as usize];
        let mut counts = Counts::default();
        let mut has_ands = vec![false; self.depth as usize];
        for gate in circuit.gates().filter(|gate| circuit.is_and(*gate)) {
            has_ands[self.layer[gate] as usize] = true;
            match circuit.operands(gate) {
                &[a, b] => layers[self.layer[gate] as usize].push((gate as u32, [a, b])),
                operands => counts.conjunctions(operands.len() as u32, 1),
            }
        }
        let mut grouping = Grouping::new(circuit.node_count());
        for ands in &mut layers {
            grouping.sizes(ands, |size| counts.groups(size, 1));
        }
        counts.layers = has_ands.iter().filter(|has| **has).count() as u64;
        counts
    }

    /// Calls `emit` with the gates of each layer: XORs first in order, then independent ANDs.
    pub(super) fn emit(mut self, circuit: &impl Gates, mut emit: impl FnMut(&[u32])) {
        self.place_xors(circuit);
        let mut layers: Vec<Vec<u32>> = vec![Vec::new(); self.depth as usize + 1];
        for wanted in [false, true] {
            for gate in circuit.gates().filter(|gate| circuit.is_and(*gate) == wanted) {
                layers[self.layer[gate] as usize].push(gate as u32);
            }
        }
        layers.iter().filter(|layer| !layer.is_empty()).for_each(|layer| emit(layer));
    }

    /// Moves every XOR to the first layer that uses it; one that no gate uses runs as early as possible.
    fn place_xors(&mut self, circuit: &impl Gates) {
        for gate in circuit.gates().filter(|gate| !circuit.is_and(*gate)) {
            self.layer[gate] = self.earliest(circuit, gate);
        }
        let mut first = vec![u32::MAX; circuit.node_count()];
        for gate in circuit.gates().rev() {
            if !circuit.is_and(gate) && first[gate] != u32::MAX {
                self.layer[gate] = first[gate];
            }
            for lit in circuit.operands(gate) {
                let first = &mut first[lit.node() as usize];
                *first = self.layer[gate].min(*first);
            }
        }
    }
}

/// The operands of an AND of two operands.
fn pair(circuit: &impl Gates, gate: usize) -> Option<[u32; 2]> {
    match circuit.operands(gate) {
        [a, b] if circuit.is_and(gate) => Some([a.node(), b.node()]),
        _ => None,
    }
}

/// For each node: the layers in which it is an operand of ANDs of two operands, in order, and of how many.
struct Uses {
    /// Index of the first layer of each node.
    first: Vec<u32>,
    count: Vec<u32>,
    layers: Vec<[u32; 2]>,
}

impl Uses {
    fn new(circuit: &impl Gates, layer: &[u32]) -> Uses {
        let pairs = || circuit.gates().filter_map(|gate| Some((gate, pair(circuit, gate)?)));
        let mut first = vec![0; circuit.node_count() + 1];
        pairs().for_each(|(_, nodes)| nodes.iter().for_each(|node| first[*node as usize + 1] += 1));
        let mut total = 0;
        for first in &mut first {
            total += *first;
            *first = total;
        }
        let mut uses =
            Uses { first, count: vec![0; circuit.node_count()], layers: vec![[0; 2]; total as usize] };
        for (gate, nodes) in pairs() {
            nodes.iter().for_each(|node| uses.add(*node, layer[gate]));
        }
        uses
    }

    fn of(&self, node: u32) -> &[[u32; 2]] {
        &self.layers[self.first[node as usize] as usize..][..self.count[node as usize] as usize]
    }

    fn place(&self, node: u32, layer: u32) -> Result<usize, usize> {
        self.of(node).binary_search_by_key(&layer, |[layer, _]| *layer)
    }

    /// The number of ANDs in a layer that have this node as an operand.
    fn at(&self, node: u32, layer: u32) -> u32 {
        self.place(node, layer).map_or(0, |place| self.of(node)[place][1])
    }

    /// The first layer after another one in which an AND has this node as an operand.
    fn next(&self, node: u32, layer: u32) -> Option<u32> {
        let after = self.place(node, layer + 1).unwrap_or_else(|place| place);
        self.of(node).get(after).map(|[layer, _]| *layer)
    }

    fn add(&mut self, node: u32, layer: u32) {
        let (start, place) = (self.first[node as usize] as usize, self.place(node, layer));
        match place {
            Ok(place) => self.layers[start + place][1] += 1,
            Err(place) => {
                // There is room for one layer for each AND that has the node.
                let end = self.count[node as usize] as usize;
                self.layers.copy_within(start + place..start + end, start + place + 1);
                self.layers[start + place] = [layer, 1];
                self.count[node as usize] += 1;
            }
        }
    }

    /// Moves the only AND in a layer that has this node to another layer.
    fn move_one(&mut self, node: u32, from: u32, to: u32) {
        if let Ok(place) = self.place(node, from) {
            let start = self.first[node as usize] as usize;
            let end = self.count[node as usize] as usize;
            self.layers.copy_within(start + place + 1..start + end, start + place);
            self.count[node as usize] -= 1;
        }
        self.add(node, to);
    }
}
