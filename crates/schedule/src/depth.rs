//! The longest chain of dependent ANDs in a run.

use tacit_circuit::{Executable, Output};

use crate::bundle::Bundle;
use crate::schedule::{Action, Body, BundleId, Operand, Schedule};

/// The number of loop iterations that are followed; their increase then bounds that of the rest.
pub(crate) const FOLLOWED: u64 = 3;
/// The number of gates that are followed; after that, a body adds its own depth to the deepest of its
/// arguments.
pub(crate) const BUDGET: u64 = 1 << 25;

/// The depth of each bit of a bundle, taken from the deepest lane.
type Bits = Vec<u64>;

impl Schedule {
    /// ANDs on the longest path to an output, loops multiplied out; saturates.
    ///
    /// Arithmetic on words shared by sum has no ANDs. The result is exact for one circuit. Paths through
    /// bundles are distinguished by bit but not by lane, and long loops by their first iterations, so the
    /// result may exceed the depth of the whole as one circuit, but is never less.
    ///
    /// Cost: linear in the schedule.
    pub fn and_depth(&self) -> u64 {
        let mut depths = Depths { schedule: self, alone: Vec::with_capacity(self.bodies.len()), budget: 0 };
        for body in &self.bodies {
            let zeros = body.parameters.iter().map(|bundle| zeros(body, *bundle)).collect();
            let results = depths.body(body, zeros).results;
            depths.alone.push(results);
        }
        depths.budget = BUDGET;
        self.bodies.get(self.main).map_or(0, |main| depths.body(main, Vec::new()).outputs)
    }
}

struct Depths<'a> {
    schedule: &'a Schedule,
    /// The results of each earlier body if its parameters all have depth 0.
    alone: Vec<Vec<Bits>>,
    /// Gates that may still be followed.
    budget: u64,
}

/// The depths that a body leads to.
struct Found {
    results: Vec<Bits>,
    /// The deepest output.
    outputs: u64,
}

impl Depths<'_> {
    fn body(&mut self, body: &Body, parameters: Vec<Bits>) -> Found {
        let mut known: Vec<Bits> = vec![Bits::new(); body.bundles.len()];
        body.parameters.iter().zip(parameters).for_each(|(bundle, bits)| known[bundle.index()] = bits);
        let mut outputs = 0;
        for step in &body.steps {
            if let Action::Output { source, .. } = &step.action {
                outputs = outputs.max(deepest(&known[source.index()]));
            }
            let written = self.action(body, &known, &step.action);
            for (target, bits) in step.action.targets().iter().zip(written) {
                known[target.index()] = bits;
            }
        }
        let results = body.results.iter().map(|bundle| known[bundle.index()].clone()).collect();
        Found { results, outputs }
    }

    fn action(&mut self, body: &Body, known: &[Bits], action: &Action) -> Vec<Bits> {
        let all = |bundles: &[BundleId]| bundles.iter().map(|bundle| known[bundle.index()].clone()).collect();
        match action {
            Action::Output { .. } => Vec::new(),
            Action::Input { target, .. } | Action::Random { target } | Action::Constant { target, .. } => {
                vec![zeros(body, *target)]
            }
            Action::Kernel { kernel, inputs, targets } => {
                let inputs: Vec<&Bits> = inputs.iter().map(|input| &known[input.index()]).collect();
                match kernel.rules().circuit() {
                    Some((circuit, _)) => {
                        let depth = inputs.iter().map(|bits| deepest(bits)).max().unwrap_or(0);
                        let circuit = &self.schedule.circuits[circuit as usize];
                        vec![through(circuit, vec![depth; circuit.inputs.len()])]
                    }
                    None => targets.iter().map(|target| deepest_of(body, &inputs, *target)).collect(),
                }
            }
            Action::Gather { source, .. } => vec![known[source.index()].clone()],
            Action::Join { sources, .. } => {
                // A join of nothing has no bits.
                let all: Vec<Bits> = all(sources);
                vec![all.into_iter().reduce(|a, b| either(&a, &b)).unwrap_or_default()]
            }
            Action::Circuit { circuit, lanes, inputs, outputs } => {
                let circuit = &self.schedule.circuits[*circuit as usize];
                self.budget = self.budget.saturating_sub(circuit.and_count + circuit.xor_count());
                let given = inputs.iter().flat_map(|operand| share(body, known, operand, *lanes)).collect();
                let made = through(circuit, given);
                split(&made, outputs.iter().map(|bundle| (body.bundles[bundle.index()], *lanes)))
            }
            Action::Call { body, arguments, .. } | Action::Map { body, arguments, .. } => {
                self.apply(*body as usize, all(arguments))
            }
            Action::Iterate { body, count, carried, invariant, sliced, .. } => {
                let rest: Vec<BundleId> = invariant.iter().chain(sliced).copied().collect();
                self.iterate(*body as usize, *count, all(carried), &all(&rest))
            }
        }
    }

    fn apply(&mut self, body: usize, arguments: Vec<Bits>) -> Vec<Bits> {
        if self.budget > 0 {
            return self.body(&self.schedule.bodies[body], arguments).results;
        }
        // Without sources the depth is zero, here and below.
        let before = arguments.iter().map(|bits| deepest(bits)).max().unwrap_or(0);
        self.alone[body].iter().map(|bits| later(bits, before)).collect()
    }

    fn iterate(&mut self, body: usize, count: u64, mut carried: Vec<Bits>, rest: &[Bits]) -> Vec<Bits> {
        let mut stacks: Vec<Bits> = Vec::new();
        let mut added = 0;
        for _ in 0..count.min(FOLLOWED) {
            let arguments = carried.iter().chain(rest).cloned().collect();
            let mut results = self.apply(body, arguments);
            stacks = results.split_off(carried.len());
            let pairs = carried.iter().zip(&results).flat_map(|(old, new)| old.iter().zip(new));
            added = pairs.map(|(old, new)| new.saturating_sub(*old)).max().unwrap_or(0);
            carried = results;
        }
        // If all arguments of a body are deeper by `d`, its results are deeper by at most `d`.
        let more = count.saturating_sub(FOLLOWED).saturating_mul(added);
        carried.iter().chain(&stacks).map(|bits| later(bits, more)).collect()
    }
}

fn zeros(body: &Body, bundle: BundleId) -> Bits {
    vec![0; body.bundles[bundle.index()].bits as usize]
}

fn deepest(bits: &[u64]) -> u64 {
    bits.iter().copied().max().unwrap_or(0)
}

/// For steps without ANDs: every bit is as deep as its deepest source.
fn deepest_of(body: &Body, sources: &[&Bits], target: BundleId) -> Bits {
    let depth = sources.iter().map(|bits| deepest(bits)).max().unwrap_or(0);
    vec![depth; body.bundles[target.index()].bits as usize]
}

fn either(a: &[u64], b: &[u64]) -> Bits {
    a.iter().zip(b).map(|(a, b)| *a.max(b)).collect()
}

fn later(bits: &[u64], by: u64) -> Bits {
    bits.iter().map(|bit| bit.saturating_add(by)).collect()
}

/// The part of an operand that one lane of a circuit step sees.
fn share<'a>(
    body: &Body,
    known: &'a [Bits],
    operand: &Operand,
    lanes: u64,
) -> impl Iterator<Item = u64> + use<'a> {
    let bundle = body.bundles[operand.bundle.index()];
    let count = if operand.broadcast { bundle.lanes } else { bundle.lanes / lanes };
    let bits = &known[operand.bundle.index()];
    (0..count).flat_map(move |_| bits.iter().copied())
}

/// The depths of a circuit's outputs, from those of its inputs.
fn through(circuit: &Executable, given: Bits) -> Bits {
    let mut slots: Bits = vec![0; circuit.slots as usize];
    circuit.inputs.iter().zip(given).for_each(|(slot, depth)| slots[*slot as usize] = depth);
    let at = |slots: &Bits, a: u32, b: u32| slots[a as usize].max(slots[b as usize]);
    for layer in circuit.layers() {
        for ((a, b), out) in layer.xor_a.iter().zip(layer.xor_b).zip(layer.xor_out) {
            slots[*out as usize] = at(&slots, *a, *b);
        }
        for ((a, b), out) in layer.and_a.iter().zip(layer.and_b).zip(layer.and_out) {
            slots[*out as usize] = at(&slots, *a, *b).saturating_add(1);
        }
        for conjunction in layer.conjunctions {
            let deepest = conjunction.operands().map(|(slot, _)| slots[slot as usize]).max().unwrap_or(0);
            slots[conjunction.out as usize] = deepest.saturating_add(1);
        }
    }
    let depth = |output: &Output| match output {
        Output::Slot { slot, .. } => slots[*slot as usize],
        Output::Constant(_) => 0,
    };
    circuit.outputs.iter().map(depth).collect()
}

/// Splits the outputs of a circuit by bundle.
fn split(made: &[u64], bundles: impl Iterator<Item = (Bundle, u64)>) -> Vec<Bits> {
    let mut start = 0;
    bundles
        .map(|(bundle, lanes)| {
            let (bits, count) = (bundle.bits as usize, (bundle.lanes / lanes) as usize);
            let own = &made[start..start + bits * count];
            start += bits * count;
            own.chunks(bits).fold(vec![0; bits], |depths, lane| either(&depths, lane))
        })
        .collect()
}
