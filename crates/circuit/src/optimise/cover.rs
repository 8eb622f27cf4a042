//! A choice of one cut for each node that is needed, changed as long as that saves ANDs.

use super::budget::Budget;
use super::cut::Cut;
use super::cuts::Cuts;
use super::recipe::{ONE, Recipes};
use crate::builder::CircuitBuilder;
use crate::circuit::{Circuit, CircuitError};
use crate::lit::Lit;

/// The chosen cuts, and how often the chosen cuts read each node.
pub(super) struct Cover<'a> {
    circuit: &'a Circuit,
    cuts: &'a Cuts,
    chosen: Vec<u16>,
    reads: Vec<u32>,
    /// Bounds on the depth of nodes, if depth counts.
    budget: Option<Budget>,
    /// Whether each cut keeps to the budget of its node, once known.
    allowed: Vec<Option<bool>>,
    /// Nodes that gain or lose a reader.
    open: Vec<u32>,
    pub(super) steps: u64,
}

impl<'a> Cover<'a> {
    /// Every gate by its operands.
    pub(super) fn new(circuit: &'a Circuit, cuts: &'a Cuts, budget: Option<Budget>) -> Self {
        let (chosen, reads) = (vec![0; circuit.node_count()], vec![0; circuit.node_count()]);
        let allowed = vec![None; if budget.is_some() { cuts.count() } else { 0 }];
        let mut cover = Cover { circuit, cuts, chosen, reads, budget, allowed, open: Vec::new(), steps: 0 };
        for lit in circuit.outputs().iter().flatten() {
            cover.acquire(lit.node());
        }
        cover
    }

    /// Gives every gate in turn the cut that leaves the fewest ANDs; returns whether any AND is saved.
    ///
    /// The saving of a change is counted exactly: the ANDs of nodes that are no longer read, less those of
    /// nodes that were not read before (exact area in Mishchenko, Chatterjee and Brayton, Improvements to
    /// technology mapping for LUT-based FPGAs, 2007).
    pub(super) fn improve(&mut self, recipes: &mut Recipes) -> bool {
        let mut saved = false;
        for node in 0..self.circuit.node_count() as u32 {
            if !self.circuit.is_gate(node) || self.reads[node as usize] == 0 {
                continue;
            }
            for choice in 0..self.cuts.of_gate(node).len() as u16 {
                saved |= self.try_choice(node, choice, recipes);
            }
        }
        saved
    }

    fn try_choice(&mut self, node: u32, choice: u16, recipes: &mut Recipes) -> bool {
        let before = self.chosen[node as usize];
        if choice == before {
            return false;
        }
        if !self.allows(node, choice, recipes) {
            return false;
        }
        let cuts = self.cuts.of_gate(node);
        let (old, new) = (&cuts[before as usize], &cuts[choice as usize]);
        let added = u64::from(new.ands) + self.acquire_leaves(new);
        let removed = u64::from(old.ands) + self.release_leaves(old);
        if added < removed {
            self.chosen[node as usize] = choice;
            return true;
        }
        self.acquire_leaves(old);
        self.release_leaves(new);
        false
    }

    /// Whether a node keeps to its budget if this cut is chosen.
    fn allows(&mut self, node: u32, choice: u16, recipes: &mut Recipes) -> bool {
        let Some(budget) = &self.budget else { return true };
        let known = &mut self.allowed[self.cuts.first(node) + choice as usize];
        let cut = &self.cuts.of_gate(node)[choice as usize];
        *known.get_or_insert_with(|| budget.allows(node, cut, &recipes.of(cut.table)))
    }

    fn cut(&self, node: u32) -> &'a Cut {
        &self.cuts.of_gate(node)[self.chosen[node as usize] as usize]
    }

    /// Adds a reader to the leaves of a cut; returns the ANDs that this adds.
    fn acquire_leaves(&mut self, cut: &Cut) -> u64 {
        cut.leaves().iter().map(|leaf| self.acquire(*leaf)).sum()
    }

    /// Removes a reader from the leaves of a cut; returns the ANDs that this removes.
    fn release_leaves(&mut self, cut: &Cut) -> u64 {
        cut.leaves().iter().map(|leaf| self.release(*leaf)).sum()
    }

    fn acquire(&mut self, node: u32) -> u64 {
        self.open.push(node);
        let mut ands = 0;
        while let Some(node) = self.open.pop() {
            self.steps += 1;
            self.reads[node as usize] += 1;
            if self.reads[node as usize] == 1 {
                ands += self.open_leaves(node);
            }
        }
        ands
    }

    fn release(&mut self, node: u32) -> u64 {
        self.open.push(node);
        let mut ands = 0;
        while let Some(node) = self.open.pop() {
            self.steps += 1;
            self.reads[node as usize] -= 1;
            if self.reads[node as usize] == 0 {
                ands += self.open_leaves(node);
            }
        }
        ands
    }

    /// Appends the leaves of a node to the list; returns the ANDs of its own function.
    fn open_leaves(&mut self, node: u32) -> u64 {
        if !self.circuit.is_gate(node) {
            return 0;
        }
        let cut = self.cut(node);
        self.open.extend_from_slice(cut.leaves());
        u64::from(cut.ands)
    }

    /// The circuit that the cover describes.
    pub(super) fn circuit(&self, recipes: &mut Recipes) -> Result<Circuit, CircuitError> {
        let mut builder = CircuitBuilder::new();
        let mut lits = vec![Lit::FALSE];
        for width in self.circuit.inputs() {
            lits.extend(builder.input(*width));
        }
        for node in lits.len() as u32..self.circuit.node_count() as u32 {
            let lit = match self.reads[node as usize] {
                0 => Lit::FALSE,
                _ => write(&mut builder, self.cut(node), &lits, recipes),
            };
            lits.push(lit);
        }
        let outputs = self.circuit.outputs().iter();
        let read = |group: &Vec<Lit>| {
            group.iter().map(|lit| lits[lit.node() as usize].flip(lit.is_inverted())).collect()
        };
        builder.finish(outputs.map(read).collect())
    }
}

/// Writes the gates of a cut's function over the literals of its leaves.
fn write(builder: &mut CircuitBuilder, cut: &Cut, lits: &[Lit], recipes: &mut Recipes) -> Lit {
    let recipe = recipes.of(cut.table);
    let mut values: Vec<Lit> = cut.leaves().iter().map(|leaf| lits[*leaf as usize]).collect();
    values.resize(super::function::VARIABLES, Lit::FALSE);
    let read = |builder: &mut CircuitBuilder, values: &[Lit], form: u32| {
        let start = Lit::constant(form & ONE != 0);
        let used = values.iter().enumerate().filter(|(place, _)| form >> place & 1 == 1);
        used.fold(start, |sum, (_, lit)| builder.xor(sum, *lit))
    };
    for [a, b] in recipe.ands() {
        let (a, b) = (read(builder, &values, *a), read(builder, &values, *b));
        values.push(builder.and(a, b));
    }
    read(builder, &values, recipe.output)
}
