//! The control flow of a function: an execution order in which paths merge before they continue, and live
//! registers.

use std::collections::BTreeSet;

use crate::llvm::{Function, Kind, Operand, Register};

/// The place of pending paths in the order of execution: the lowest goes first.
///
/// Blocks are in weak topological order (Bourdoncle 1993): every loop is a consecutive range of blocks that
/// begins with its head. Paths that return to a head wait behind the last block of the loop until all paths
/// of the iteration have arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Turn {
    position: u32,
    back: bool,
    /// Inner loops come before outer ones that end at the same block.
    outward: u32,
}

/// A loop of the order.
#[derive(Clone, Copy, Debug)]
struct Loop {
    head: u32,
    last: u32,
    depth: u32,
}

/// The properties of a function's control flow that execution needs.
#[derive(Debug)]
pub(super) struct Flow {
    positions: Vec<u32>,
    loops: Vec<Option<Loop>>,
    live: Vec<Vec<Register>>,
    kept: BTreeSet<Register>,
}

impl Flow {
    pub(super) fn of(function: &Function) -> Self {
        let successors: Vec<_> = function.blocks.iter().map(|block| block.terminator.successors()).collect();
        let mut order = Order::new(&successors);
        order.run();
        let mut flow = Flow {
            positions: vec![u32::MAX; successors.len()],
            loops: vec![None; successors.len()],
            live: live(function, &successors),
            kept: kept(function),
        };
        flow.number(&order.nested(), 0, &mut 0);
        flow
    }

    fn number(&mut self, elements: &[Element], depth: u32, next: &mut u32) {
        for element in elements {
            self.positions[element.block as usize] = *next;
            *next += 1;
            if let Some(inner) = &element.inner {
                self.number(inner, depth + 1, next);
                let last = *next - 1;
                self.loops[element.block as usize] = Some(Loop { head: element.block, last, depth });
            }
        }
    }

    /// The turn of a path that goes from one block to another.
    pub(super) fn turn(&self, from: u32, to: u32) -> Turn {
        if self.returns(from, to)
            && let Some(inner) = self.loops[to as usize]
        {
            return Turn { position: inner.last, back: true, outward: u32::MAX - inner.depth };
        }
        self.first_turn(to)
    }

    pub(super) fn first_turn(&self, block: u32) -> Turn {
        Turn { position: self.positions[block as usize], back: false, outward: 0 }
    }

    /// After all blocks.
    pub(super) fn last_turn() -> Turn {
        Turn { position: u32::MAX, back: true, outward: u32::MAX }
    }

    /// Whether the edge leads from within a loop to its head.
    pub(super) fn returns(&self, from: u32, to: u32) -> bool {
        let from = self.positions[from as usize];
        self.loops[to as usize]
            .is_some_and(|inner| (self.positions[inner.head as usize]..=inner.last).contains(&from))
    }

    /// The index, in execution order, of the loop with this head among the function's loops.
    pub(super) fn loop_number(&self, head: u32) -> usize {
        let before = |other: &Loop| self.positions[other.head as usize] < self.positions[head as usize];
        self.loops.iter().flatten().filter(|other| before(other)).count()
    }

    pub(super) fn is_head(&self, block: u32) -> bool {
        self.loops[block as usize].is_some()
    }

    /// Whether a register is used for anything other than accessing memory and computing addresses.
    pub(super) fn is_kept(&self, register: Register) -> bool {
        self.kept.contains(&register)
    }

    /// The registers that are read in a block or after it, as of its entry (after its phis).
    pub(super) fn live(&self, block: u32) -> &[Register] {
        &self.live[block as usize]
    }
}

/// The registers that are used for anything other than addresses of accesses and bases of other addresses.
fn kept(function: &Function) -> BTreeSet<Register> {
    let mut kept = BTreeSet::new();
    let mut keep = |operand: &Operand| {
        if let Operand::Register(register) = operand {
            kept.insert(*register);
        }
    };
    for block in &function.blocks {
        block.phis.iter().flat_map(|phi| &phi.incoming).for_each(|(value, _)| keep(value));
        for instruction in &block.instructions {
            match &instruction.kind {
                Kind::Load(..) => {}
                Kind::Store { value, .. } => keep(value),
                Kind::Address { terms, .. } => terms.iter().for_each(|(term, _)| keep(term)),
                _ => instruction.for_each_operand(&mut keep),
            }
        }
        block.terminator.for_each_operand(&mut keep);
    }
    kept
}

/// An element of the order: a block, or a loop with its head and the elements that follow in it.
struct Element {
    block: u32,
    inner: Option<Vec<Element>>,
}

/// Bourdoncle's recursive algorithm with an explicit stack: loops are found as strongly connected components,
/// then components of the rest without their heads.
struct Order<'a> {
    successors: &'a [Vec<u32>],
    elements: Vec<Element>,
}

impl<'a> Order<'a> {
    fn new(successors: &'a [Vec<u32>]) -> Self {
        Order { successors, elements: Vec::new() }
    }

    fn run(&mut self) {
        let all = vec![true; self.successors.len()];
        self.elements = self.partition(&[0], all);
    }

    fn nested(self) -> Vec<Element> {
        self.elements
    }

    /// Orders the blocks among `within` that can be reached from `roots`.
    fn partition(&self, roots: &[u32], within: Vec<bool>) -> Vec<Element> {
        let components = self.components(roots, &within);
        let mut elements = Vec::with_capacity(components.len());
        // Components are found in reverse order.
        for component in components.into_iter().rev() {
            let head = component[0];
            let cyclic = component.len() > 1 || self.successors[head as usize].contains(&head);
            let inner = cyclic.then(|| {
                let mut inside = vec![false; within.len()];
                component[1..].iter().for_each(|block| inside[*block as usize] = true);
                let next: Vec<u32> = self.successors[head as usize].clone();
                let roots: Vec<u32> = next.into_iter().filter(|block| inside[*block as usize]).collect();
                self.partition(&roots, inside)
            });
            elements.push(Element { block: head, inner });
        }
        elements
    }

    /// Strongly connected components (Tarjan), each beginning with the block that was reached first.
    fn components(&self, roots: &[u32], within: &[bool]) -> Vec<Vec<u32>> {
        let mut search =
            Search { index: vec![0; within.len()], low: vec![0; within.len()], ..Search::default() };
        for root in roots {
            if search.index[*root as usize] == 0 {
                search.visit(*root, self.successors, within);
            }
        }
        search.components
    }
}

#[derive(Default)]
struct Search {
    /// Order of discovery from 1; 0 before; `u32::MAX` once the component is known.
    index: Vec<u32>,
    low: Vec<u32>,
    next: u32,
    stack: Vec<u32>,
    components: Vec<Vec<u32>>,
}

impl Search {
    fn enter(&mut self, block: u32) -> (u32, usize) {
        self.next += 1;
        self.index[block as usize] = self.next;
        self.low[block as usize] = self.next;
        self.stack.push(block);
        (block, 0)
    }

    fn visit(&mut self, root: u32, successors: &[Vec<u32>], within: &[bool]) {
        let mut calls = vec![self.enter(root)];
        while let Some((block, edge)) = calls.last_mut() {
            let block = *block;
            if let Some(next) = successors[block as usize].get(*edge).copied() {
                *edge += 1;
                if !within[next as usize] {
                    continue;
                }
                match self.index[next as usize] {
                    0 => calls.push(self.enter(next)),
                    index => self.low[block as usize] = self.low[block as usize].min(index),
                }
                continue;
            }
            calls.pop();
            let low = self.low[block as usize];
            if let Some((parent, _)) = calls.last() {
                let parent = *parent as usize;
                self.low[parent] = self.low[parent].min(low);
            }
            if low == self.index[block as usize] {
                self.close(block);
            }
        }
    }

    fn close(&mut self, block: u32) {
        let start = self.stack.iter().rposition(|other| *other == block).unwrap_or(0);
        let component = self.stack.split_off(start);
        for member in &component {
            self.index[*member as usize] = u32::MAX;
            self.low[*member as usize] = u32::MAX;
        }
        self.components.push(component);
    }
}

/// Liveness by iteration to the fixed point.
fn live(function: &Function, successors: &[Vec<u32>]) -> Vec<Vec<Register>> {
    let words = (function.registers as usize).div_ceil(64);
    let mut live = vec![vec![0u64; words]; function.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (index, block) in function.blocks.iter().enumerate().rev() {
            let mut set = vec![0u64; words];
            for successor in &successors[index] {
                let next = &function.blocks[*successor as usize];
                let mut entry = live[*successor as usize].clone();
                next.phis.iter().for_each(|phi| clear(&mut entry, phi.result));
                set.iter_mut().zip(&entry).for_each(|(a, b)| *a |= b);
                for phi in &next.phis {
                    let used = phi.incoming.iter().filter(|(_, from)| *from as usize == index);
                    used.for_each(|(value, _)| use_operand(&mut set, value));
                }
            }
            block.terminator.for_each_operand(|operand| use_operand(&mut set, operand));
            for instruction in block.instructions.iter().rev() {
                if let Some(result) = instruction.result {
                    clear(&mut set, result);
                }
                instruction.for_each_operand(|operand| use_operand(&mut set, operand));
            }
            if live[index] != set {
                live[index] = set;
                changed = true;
            }
        }
    }
    let members = |set: Vec<u64>| {
        (0..function.registers).filter(|bit| set[*bit as usize / 64] >> (bit % 64) & 1 == 1).collect()
    };
    live.into_iter().map(members).collect()
}

fn clear(set: &mut [u64], register: Register) {
    set[register as usize / 64] &= !(1 << (register % 64));
}

fn use_operand(set: &mut [u64], operand: &Operand) {
    if let Operand::Register(register) = operand {
        set[*register as usize / 64] |= 1 << (register % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::int::Int;
    use crate::llvm::{Block, Constant, Terminator};

    fn function(edges: &[&[u32]]) -> Function {
        let constant = || Operand::Constant(Constant::Int(Int::flag(true)).into());
        let block = |targets: &&[u32]| {
            let terminator = match **targets {
                [] => Terminator::Return(None),
                [target] => Terminator::Jump(target),
                [yes, no, ..] => Terminator::Branch { condition: constant(), yes, no },
            };
            Block { terminator, ..Block::default() }
        };
        Function { blocks: edges.iter().map(block).collect(), ..Function::default() }
    }

    #[test]
    fn a_loop_comes_before_what_follows_it() {
        // 0 → 1 (head) → 2 → 1 | 3; a `continue` from 2, nested loop 4 ↔ 2.
        let flow = Flow::of(&function(&[&[1], &[2, 3], &[4, 1], &[], &[2, 1]]));
        let at = |block| flow.first_turn(block);
        assert!(at(0) < at(1) && at(1) < at(2) && at(2) < at(4) && at(4) < at(3));
        assert!(flow.is_head(1) && flow.is_head(2) && !flow.is_head(3));
        assert!(flow.returns(4, 2) && flow.returns(4, 1) && flow.returns(2, 1) && !flow.returns(0, 1));
        assert!(at(4) < flow.turn(4, 2) && flow.turn(4, 2) < flow.turn(4, 1) && flow.turn(2, 1) < at(3));
        assert!(at(3) < Flow::last_turn());
    }

    #[test]
    fn a_graph_with_two_entries_to_a_cycle_is_ordered() {
        let flow = Flow::of(&function(&[&[1, 2], &[2, 3], &[1], &[]]));
        assert!(flow.is_head(1) != flow.is_head(2));
        assert!(flow.first_turn(1) < flow.first_turn(3) && flow.first_turn(2) < flow.first_turn(3));
    }
}
