//! Decides which gates run together.
//!
//! Gates are taken in the order in which they were written, a window at a time, so that live values stay
//! close to those that the writer used. Within a window, ANDs are spread evenly over as few layers as the
//! longest chain allows, the most urgent first; XORs wait for the first layer that needs them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::gates::Gates;

/// The number of ANDs in a layer for which delaying others pays off.
pub(crate) const LAYER_ANDS: usize = 16;
/// Gates of a window for each AND of its bound, if XORs dominate.
pub(crate) const GATES_PER_AND: usize = 16;

/// Calls `emit` with the gates of each layer: XORs first in order, then independent ANDs.
///
/// A window has `window_ands` ANDs.
pub(super) fn layers(circuit: &impl Gates, window_ands: usize, mut emit: impl FnMut(&[u32])) {
    let mut window = Window::default();
    let mut start = circuit.first_gate();
    while start < circuit.node_count() {
        let end = window_end(circuit, start, window_ands);
        window.schedule(circuit, start..end);
        window.layers.iter().filter(|layer| !layer.is_empty()).for_each(|layer| emit(layer));
        start = end;
    }
}

fn window_end(circuit: &impl Gates, start: usize, ands: usize) -> usize {
    let last = circuit.node_count().min(start.saturating_add(ands.saturating_mul(GATES_PER_AND)));
    let mut left = ands;
    for node in start..last {
        left -= usize::from(circuit.is_and(node));
        if left == 0 {
            return node + 1;
        }
    }
    last
}

/// Working memory, kept from window to window. Gates are numbered from the window's start.
#[derive(Default)]
struct Window {
    /// Layer by which an AND must run, or an XOR be ready, in the shortest schedule.
    deadline: Vec<u32>,
    /// The number of operands within the window that are not yet placed.
    pending: Vec<u8>,
    /// Layer of each gate.
    layer: Vec<u32>,
    /// Users of each gate: `users[first_user[g]..first_user[g + 1]]`.
    first_user: Vec<u32>,
    users: Vec<u32>,
    layers: Vec<Vec<u32>>,
}

impl Window {
    fn schedule(&mut self, circuit: &impl Gates, range: Range<usize>) {
        let depth = self.find_deadlines(circuit, &range);
        self.find_users(circuit, &range);
        let last = self.place_ands(circuit, &range, depth);
        self.place_xors(circuit, &range);
        self.collect(circuit, &range, last);
    }

    /// Operands of a gate that lie in the window, numbered from its start.
    fn inner<'g, G: Gates>(
        circuit: &'g G,
        range: &Range<usize>,
        gate: usize,
    ) -> impl Iterator<Item = usize> + use<'g, G> {
        let start = range.start;
        circuit.operands(start + gate).iter().filter_map(move |lit| (lit.node() as usize).checked_sub(start))
    }

    /// Latest layers, counted back from the end of the longest chain; returns its length.
    fn find_deadlines(&mut self, circuit: &impl Gates, range: &Range<usize>) -> u32 {
        // The height of a gate: ANDs on the longest chain from it to the window's end, including itself.
        let height = &mut self.deadline;
        height.clear();
        height.resize(range.len(), 0);
        for gate in (0..range.len()).rev() {
            height[gate] += u32::from(circuit.is_and(range.start + gate));
            let here = height[gate];
            Self::inner(circuit, range, gate).for_each(|operand| height[operand] = height[operand].max(here));
        }
        let depth = height.iter().copied().max().unwrap_or(0);
        height.iter_mut().for_each(|height| *height = depth - *height);
        depth
    }

    fn find_users(&mut self, circuit: &impl Gates, range: &Range<usize>) {
        self.pending.clear();
        self.first_user.clear();
        self.first_user.resize(range.len() + 1, 0);
        for gate in 0..range.len() {
            let mut count = 0;
            Self::inner(circuit, range, gate).for_each(|operand| {
                self.first_user[operand] += 1;
                count += 1;
            });
            self.pending.push(count);
        }
        let mut total = 0;
        for first in &mut self.first_user {
            total += *first;
            *first = total;
        }
        self.users.clear();
        self.users.resize(total as usize, 0);
        for gate in (0..range.len()).rev() {
            Self::inner(circuit, range, gate).for_each(|operand| {
                self.first_user[operand] -= 1;
                self.users[self.first_user[operand] as usize] = gate as u32;
            });
        }
    }

    /// Assigns a layer to every AND, and to every XOR the first layer in which it could run. Returns the
    /// layer count.
    fn place_ands(&mut self, circuit: &impl Gates, range: &Range<usize>, depth: u32) -> u32 {
        let is_and = |gate: usize| circuit.is_and(range.start + gate);
        let mut left = (0..range.len()).filter(|gate| is_and(*gate)).count();
        self.layer.clear();
        self.layer.resize(range.len(), 0);
        let mut ready = BinaryHeap::new();
        let mut done: Vec<usize> = Vec::new();
        for gate in 0..range.len() {
            if self.pending[gate] == 0 {
                match is_and(gate) {
                    true => ready.push(Reverse((self.deadline[gate], gate))),
                    false => done.push(gate),
                }
            }
        }
        let mut now = 0;
        loop {
            while let Some(gate) = done.pop() {
                for index in self.first_user[gate]..self.first_user[gate + 1] {
                    let user = self.users[index as usize] as usize;
                    self.pending[user] -= 1;
                    if self.pending[user] == 0 {
                        match is_and(user) {
                            true => ready.push(Reverse((self.deadline[user], user))),
                            false => {
                                self.layer[user] = now;
                                done.push(user);
                            }
                        }
                    }
                }
            }
            if left == 0 {
                return now + 1;
            }
            let share = left.div_ceil(depth.saturating_sub(now).max(1) as usize).max(LAYER_ANDS);
            for taken in 0.. {
                match ready.peek() {
                    Some(Reverse((deadline, _))) if taken < share || *deadline <= now => {}
                    _ => break,
                }
                if let Some(Reverse((_, gate))) = ready.pop() {
                    self.layer[gate] = now;
                    done.push(gate);
                    left -= 1;
                }
            }
            now += 1;
        }
    }

    /// Moves every XOR to the first layer that uses it; one used only after the window runs as early as
    /// possible.
    fn place_xors(&mut self, circuit: &impl Gates, range: &Range<usize>) {
        for gate in (0..range.len()).rev() {
            if !circuit.is_and(range.start + gate) {
                let users = self.first_user[gate]..self.first_user[gate + 1];
                let first = users.map(|index| self.layer[self.users[index as usize] as usize]).min();
                self.layer[gate] = first.unwrap_or(self.layer[gate]);
            }
        }
    }

    fn collect(&mut self, circuit: &impl Gates, range: &Range<usize>, count: u32) {
        self.layers.iter_mut().for_each(Vec::clear);
        self.layers.resize_with(self.layers.len().max(count as usize), Vec::new);
        for wanted in [false, true] {
            for gate in 0..range.len() {
                if circuit.is_and(range.start + gate) == wanted {
                    self.layers[self.layer[gate] as usize].push((range.start + gate) as u32);
                }
            }
        }
    }
}
