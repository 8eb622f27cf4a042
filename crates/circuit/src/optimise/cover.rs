//! A choice of one cut for each node that is needed, changed while that saves ANDs.

use super::budget::Budget;
use super::cut::Cut;
use super::cuts::Cuts;
use super::recipe::{ONE, Recipes};
use crate::builder::CircuitBuilder;
use crate::circuit::{Circuit, CircuitError};
use crate::lit::Lit;

/// The chosen cuts, and how often each node is read by those chosen.
pub(super) struct Cover<'a> {
    circuit: &'a Circuit,
    cuts: &'a Cuts,
    chosen: Vec<u16>,
    reads: Vec<u32>,
    /// How deep nodes may lie, where that counts.
    budget: Option<Budget>,
    /// Nodes still to be followed; empty between uses.
    open: Vec<u32>,
    pub(super) steps: u64,
}

impl<'a> Cover<'a> {
    /// Every gate by its operands.
    pub(super) fn new(circuit: &'a Circuit, cuts: &'a Cuts, budget: Option<Budget>) -> Self {
        let (chosen, reads) = (vec![0; circuit.node_count()], vec![0; circuit.node_count()]);
        let mut cover = Cover { circuit, cuts, chosen, reads, budget, open: Vec::new(), steps: 0 };
        for lit in circuit.outputs().iter().flatten() {
            cover.acquire(lit.node());
        }
        cover
    }

    /// Gives every gate in turn the cut with which the fewest ANDs are left; whether any is saved.
    ///
    /// What a change saves is counted exactly: the ANDs of nodes that are no longer read, less those of nodes that were not
    /// before (Mishchenko, Chatterjee and Brayton, Improvements to technology mapping for LUT-based FPGAs, 2007, call
    /// that exact area).
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
        let cuts = self.cuts.of_gate(node);
        let (old, new) = (&cuts[before as usize], &cuts[choice as usize]);
        if let Some(budget) = &self.budget
            && !budget.allows(node, new, recipes.of(new.table))
        {
            return false;
        }
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

    fn cut(&self, node: u32) -> &'a Cut {
        &self.cuts.of_gate(node)[self.chosen[node as usize] as usize]
    }

    fn acquire_leaves(&mut self, cut: &Cut) -> u64 {
        cut.leaves().iter().map(|leaf| self.acquire(*leaf)).sum()
    }

    fn release_leaves(&mut self, cut: &Cut) -> u64 {
        cut.leaves().iter().map(|leaf| self.release(*leaf)).sum()
    }

    /// Reads a node once more; the ANDs that this brings in.
    fn acquire(&mut self, node: u32) -> u64 {
        let mut ands = 0;
        self.open.push(node);
        while let Some(node) = self.open.pop() {
            self.steps += 1;
            self.reads[node as usize] += 1;
            if self.reads[node as usize] == 1 && self.circuit.is_gate(node) {
                ands += self.follow(node);
            }
        }
        ands
    }

    /// Reads a node once less; the ANDs that this takes out.
    fn release(&mut self, node: u32) -> u64 {
        let mut ands = 0;
        self.open.push(node);
        while let Some(node) = self.open.pop() {
            self.steps += 1;
            self.reads[node as usize] -= 1;
            if self.reads[node as usize] == 0 && self.circuit.is_gate(node) {
                ands += self.follow(node);
            }
        }
        ands
    }

    /// Goes on at the leaves of a node; the ANDs of its cut.
    fn follow(&mut self, node: u32) -> u64 {
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

/// Writes the gates of a cut's function over what its leaves have become.
fn write(builder: &mut CircuitBuilder, cut: &Cut, lits: &[Lit], recipes: &mut Recipes) -> Lit {
    let recipe = recipes.of(cut.table);
    let mut values: Vec<Lit> = cut.leaves().iter().map(|leaf| lits[*leaf as usize]).collect();
    values.resize(super::function::VARIABLES, Lit::FALSE);
    let read = |builder: &mut CircuitBuilder, values: &[Lit], form: u32| {
        let start = Lit::constant(form & ONE != 0);
        let used = values.iter().enumerate().filter(|(place, _)| form >> place & 1 == 1);
        used.fold(start, |sum, (_, lit)| builder.xor(sum, *lit))
    };
    for [a, b] in &recipe.ands {
        let (a, b) = (read(builder, &values, *a), read(builder, &values, *b));
        values.push(builder.and(a, b));
    }
    read(builder, &values, recipe.output)
}
