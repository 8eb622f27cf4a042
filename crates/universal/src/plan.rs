//! The operations of a block in its place: its network without the switches whose control bit has no effect.

use crate::block::{Block, MAX_WAYS, Step};

/// The public shape of a block's place in its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Poles; the last block of a graph may have fewer than others.
    pub(crate) poles: usize,
    /// Poles from this one on may receive a value.
    pub(crate) receivers: usize,
    /// Poles below this one may send a value.
    pub(crate) senders: usize,
    /// Whether values enter.
    pub(crate) entered: bool,
    /// Which wires later blocks read.
    pub(crate) left: [bool; MAX_WAYS],
    /// Whether it permutes the wires that enter.
    pub(crate) orders_entry: bool,
    /// Whether it permutes the wires that leave.
    pub(crate) orders_exit: bool,
    /// What joins each wire of this block to the next one.
    pub(crate) joint: Joint,
}

/// Where a wire between two blocks, on which a pole of a graph below lies, takes its value from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joint {
    /// The block before.
    Before,
    /// The graph below.
    Below,
    /// Either, by a switch.
    Either,
}

/// A remaining switch with the number of its control bit, or what it is reduced to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Exchange([usize; 2], u8),
    Select { from: usize, to: usize, bit: u8 },
    Copy { from: usize, to: usize },
}

/// A block's operations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// Before each pole, then after the last one.
    operations: [Vec<Operation>; MAX_WAYS + 1],
    /// Which poles receive a value.
    receives: [bool; MAX_WAYS],
}

impl Plan {
    /// The operations of a block in its place: switches whose two inputs carry a value and of which an output is read.
    pub(crate) fn new(block: &Block, shape: &Shape) -> Self {
        let mut carried = [shape.entered; MAX_WAYS];
        let forward = steps(block, shape).map(|(step, bit)| {
            let before = carried;
            carry(&mut carried, step, shape);
            (step, bit, before)
        });
        let forward: Vec<_> = forward.collect();
        let mut plan = Plan::default();
        let (mut read, mut place) = (shape.left, shape.poles);
        for (step, bit, carried) in forward.into_iter().rev() {
            let operation = match step {
                Step::Exchange(a, b) => exchange([a, b], bit, carried, &mut read),
                Step::Select(from, to) => select([from, to], bit, carried, &mut read),
                Step::Pole(pole) if pole < shape.poles => {
                    plan.receives[pole] = pole >= shape.receivers && carried[pole];
                    (read[pole], place) = (plan.receives[pole], pole);
                    None
                }
                Step::Pole(_) => None,
            };
            plan.operations[place].extend(operation);
        }
        plan.operations.iter_mut().for_each(|operations| operations.reverse());
        plan
    }

    /// The operations before a pole takes its value or, if `pole` is the number of poles, after the last one gave its own.
    pub(crate) fn before(&self, pole: usize) -> &[Operation] {
        &self.operations[pole]
    }

    /// Whether a pole receives a value.
    pub(crate) fn receives(&self, pole: usize) -> bool {
        self.receives[pole]
    }

    /// All operations.
    pub(crate) fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.operations.iter().flatten()
    }
}

/// The steps that a block has in its place, with the numbers of their control bits; a pole has none and shares that of the next switch.
fn steps(block: &Block, shape: &Shape) -> impl Iterator<Item = (Step, u8)> {
    let parts = [(block.entry, shape.orders_entry), (block.poles, true), (block.exit, shape.orders_exit)];
    let all = parts.into_iter().flat_map(|(steps, is_kept)| steps.iter().map(move |step| (*step, is_kept)));
    let numbered = all.scan(0, |next, (step, is_kept)| {
        let bit = *next;
        *next += u8::from(!matches!(step, Step::Pole(_)));
        Some(is_kept.then_some((step, bit)))
    });
    numbered.flatten()
}

/// Which wires carry a value after a step.
fn carry(carried: &mut [bool; MAX_WAYS], step: Step, shape: &Shape) {
    match step {
        Step::Exchange(a, b) => [carried[a], carried[b]] = [carried[a] || carried[b]; 2],
        Step::Select(from, to) => carried[to] |= carried[from],
        Step::Pole(pole) if pole < shape.poles => carried[pole] = pole < shape.senders,
        Step::Pole(_) => {}
    }
}

/// What an X switch is reduced to, and which of its inputs are read.
fn exchange(
    [a, b]: [usize; 2],
    bit: u8,
    carried: [bool; MAX_WAYS],
    read: &mut [bool; MAX_WAYS],
) -> Option<Operation> {
    let wanted = [read[a], read[b]];
    let select = |from, to| Operation::Select { from, to, bit };
    let copy = |from, to| Operation::Copy { from, to };
    let any = wanted[0] || wanted[1];
    [read[a], read[b]] = [any && carried[a], any && carried[b]];
    match ([carried[a], carried[b]], wanted) {
        ([true, true], [true, true]) => Some(Operation::Exchange([a, b], bit)),
        ([true, true], [true, false]) => Some(select(b, a)),
        ([true, true], [false, true]) => Some(select(a, b)),
        ([true, false], [_, true]) => Some(copy(a, b)),
        ([false, true], [true, _]) => Some(copy(b, a)),
        _ => None,
    }
}

/// What a Y switch is reduced to.
fn select(
    [from, to]: [usize; 2],
    bit: u8,
    carried: [bool; MAX_WAYS],
    read: &mut [bool; MAX_WAYS],
) -> Option<Operation> {
    if !read[to] || !carried[from] {
        return None;
    }
    read[from] = true;
    read[to] = carried[to];
    Some(match carried[to] {
        true => Operation::Select { from, to, bit },
        false => Operation::Copy { from, to },
    })
}
