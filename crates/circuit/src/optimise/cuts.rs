//! The cuts of every node of a circuit.

use super::cut::{Cut, union};
use super::reachable::Reachable;
use super::recipe::Recipes;
use crate::circuit::{Circuit, Node};
use crate::lit::Lit;

/// Bounds of the cuts of one node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Maximum leaves of a cut.
    pub(super) leaves: usize,
    /// Maximum cuts that are kept for a node.
    pub(super) cuts: usize,
}

/// The cuts of every node; the first is that of a gate's own operands.
pub(super) struct Cuts {
    cuts: Vec<Cut>,
    ends: Vec<u32>,
}

impl Cuts {
    /// Finds cuts of all nodes; returns also the steps taken: pairs of cuts that were merged.
    ///
    /// With `reachable`, functions may differ on values that the leaves never take.
    pub(super) fn new(
        circuit: &Circuit,
        bounds: Bounds,
        recipes: &mut Recipes,
        reachable: Option<Reachable<'_>>,
    ) -> (Cuts, u64) {
        let mut cuts = Cuts { cuts: Vec::with_capacity(circuit.node_count() * 4), ends: Vec::new() };
        let readers = readers(circuit);
        let flow = Vec::with_capacity(circuit.node_count());
        let mut finder = Finder { bounds, recipes, reachable, flow, found: Vec::new(), steps: 0 };
        for node in 0..circuit.node_count() as u32 {
            let flow = match circuit.node(node) {
                Node::Constant => {
                    cuts.cuts.push(Cut::constant());
                    0
                }
                Node::Input => {
                    cuts.cuts.push(Cut::of_node(node));
                    0
                }
                gate @ (Node::And(a, b) | Node::Xor(a, b)) => {
                    let is_and = matches!(gate, Node::And(..));
                    finder.gate(&cuts, is_and, (a, b));
                    cuts.cuts.extend(finder.found.iter().map(|(_, cut)| *cut));
                    cuts.cuts.push(Cut::of_node(node));
                    let least = finder.found.iter().map(|(cost, _)| *cost).min().unwrap_or(0);
                    least / u64::from(readers[node as usize].max(1))
                }
            };
            finder.flow.push(flow);
            cuts.ends.push(cuts.cuts.len() as u32);
        }
        let steps = finder.steps + finder.reachable.map_or(0, |reachable| reachable.steps);
        (cuts, steps)
    }

    /// All cuts of a node; for a gate, the cut of the node itself is last.
    fn of(&self, node: u32) -> &[Cut] {
        &self.cuts[self.first(node)..self.ends[node as usize] as usize]
    }

    /// The number of cuts of all nodes.
    pub(super) fn count(&self) -> usize {
        self.cuts.len()
    }

    /// The index of a node's first cut among those of all nodes.
    pub(super) fn first(&self, node: u32) -> usize {
        (node as usize).checked_sub(1).map_or(0, |before| self.ends[before] as usize)
    }

    /// The cuts by which a gate can be computed; the first is that of its operands.
    pub(super) fn of_gate(&self, node: u32) -> &[Cut] {
        let all = self.of(node);
        &all[..all.len().saturating_sub(1)]
    }
}

/// The state of finding cuts.
struct Finder<'a> {
    bounds: Bounds,
    recipes: &'a mut Recipes,
    reachable: Option<Reachable<'a>>,
    /// Lowest number of ANDs below each node, each divided among its readers, in units of 1/64.
    flow: Vec<u64>,
    /// The cuts of the current gate with their costs: that of its operands first, then the cheapest.
    found: Vec<(u64, Cut)>,
    steps: u64,
}

impl Finder<'_> {
    /// Finds the cuts of a gate.
    fn gate(&mut self, cuts: &Cuts, is_and: bool, (a, b): (Lit, Lit)) {
        self.found.clear();
        let own = (Cut::of_node(a.node()), Cut::of_node(b.node()));
        self.merge(is_and, (a, &own.0), (b, &own.1));
        for x in cuts.of(a.node()) {
            for y in cuts.of(b.node()) {
                self.steps += 1;
                self.merge(is_and, (a, x), (b, y));
            }
        }
        self.found[1..].sort_by_key(|(cost, cut)| (*cost, cut.count));
        self.found.truncate(self.bounds.cuts);
        if let Some(reachable) = &mut self.reachable {
            for (cost, cut) in &mut self.found {
                let ands = cut.ands;
                *cut = reachable.cheapest(*cut, self.recipes).without_idle_leaves();
                *cost -= 64 * u64::from(ands - cut.ands);
            }
        }
    }

    fn merge(&mut self, is_and: bool, (a, x): (Lit, &Cut), (b, y): (Lit, &Cut)) {
        if x.union_is_above(y, self.bounds.leaves) {
            return;
        }
        let Some((leaves, count)) = union(x.leaves(), y.leaves(), self.bounds.leaves) else { return };
        let over = |lit: Lit, cut: &Cut| {
            cut.over(&leaves[..count]) ^ 0u64.wrapping_sub(u64::from(lit.is_inverted()))
        };
        let (s, t) = (over(a, x), over(b, y));
        let table = if is_and { s & t } else { s ^ t };
        let cut = Cut::new(leaves, count, table).without_idle_leaves();
        if self.found.iter().any(|(_, known)| known.has_leaves_of(&cut)) {
            return;
        }
        let ands = self.recipes.and_count(cut.table);
        let below = cut.leaves().iter().fold(0u64, |sum, leaf| sum.saturating_add(self.flow[*leaf as usize]));
        self.found.push((below.saturating_add(64 * u64::from(ands)), cut.with(cut.table, ands)));
    }
}

/// How often each node is read.
fn readers(circuit: &Circuit) -> Vec<u32> {
    let mut readers = vec![0u32; circuit.node_count()];
    for (_, gate) in circuit.gates() {
        if let Node::And(a, b) | Node::Xor(a, b) = gate {
            readers[a.node() as usize] += 1;
            readers[b.node() as usize] += 1;
        }
    }
    circuit.outputs().iter().flatten().for_each(|lit| readers[lit.node() as usize] += 1);
    readers
}
