//! Walks in the clear: one bit stands for a wire.

use std::cell::Cell;
use std::rc::Rc;

use tacit_arbitrary::{self as arbitrary, Size};
use tacit_ir::{Index, Program, Words, interpret};
use tacit_lower::{Options, lower};
use tacit_schedule::walk::{CircuitOperand, CircuitTask, Memory, Pool, Task, WalkError, Walker, Wires};
use tacit_schedule::{Bundle, Computing, Layout, Schedule, Tally, Unit, label_work};

/// Observations of a walk in the clear.
struct Seen {
    outputs: Vec<Vec<Words>>,
    /// First numbers and counts of the ANDs of the circuits, in order.
    ids: Vec<(u64, u64)>,
    /// Most elements that were live.
    peak: u64,
    /// What the circuits take on labels.
    work: Computing,
}

fn walk(program: &Program, schedule: &Schedule, layout: &Layout, inputs: &[Vec<Words>]) -> Seen {
    let mut walker = Walker::<Pool<Wires<bool>>>::new(schedule, layout);
    let mut random = 1u64;
    let mut seen = Seen {
        outputs: vec![Vec::new(); program.outputs.len()],
        ids: Vec::new(),
        peak: 0,
        work: Computing::default(),
    };
    while let Some(task) = walker.next().unwrap() {
        seen.peak = seen.peak.max(walker.live());
        let written = match task {
            Task::Input { port, column, start, bundle, target, .. } => {
                let words = inputs[port as usize][column as usize].range(start, bundle.lanes);
                vec![fill(target, wires(&words, 1))]
            }
            Task::Constant { words, copies, target, .. } => {
                vec![fill(target, wires(words, copies))]
            }
            Task::Random { target, .. } => vec![fill(
                target,
                std::iter::repeat_with(|| {
                    random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    random >> 63 == 1
                }),
            )],
            Task::Output { port, column, source, .. } => {
                let shape = program.outputs[port as usize].shape.columns()[column as usize];
                let columns = &mut seen.outputs[port as usize];
                let missing = (column as usize + 1).saturating_sub(columns.len());
                columns.extend(std::iter::repeat_n(Words::zero(1, 1), missing));
                columns[column as usize] = words(&source, shape.bits, shape.lanes);
                vec![]
            }
            Task::Circuit(task) => {
                seen.ids.push((task.first_id, task.instances * task.circuit.and_count));
                seen.work.add(&label_work(task.circuit, task.instances), 1);
                run(task)
            }
            task => panic!("{task:?} in a run of labels alone"),
        };
        walker.supply(written).unwrap();
    }
    seen
}

/// The bits of words, wire-major, in each of several instances.
fn wires(words: &Words, copies: u64) -> impl Iterator<Item = bool> {
    let lanes = move |bit| (0..copies * words.lanes()).map(move |lane| words.bit(lane % words.lanes(), bit));
    (0..words.bits()).flat_map(lanes)
}

/// The words whose bits these are.
fn words(wires: &[bool], bits: u32, lanes: u64) -> Words {
    let mut words = Words::zero(bits, lanes);
    for (index, bit) in (0..).zip(wires) {
        words.set_bit(index % lanes, (index / lanes) as u32, *bit);
    }
    words
}

fn fill(mut target: Wires<bool>, values: impl Iterator<Item = bool>) -> Wires<bool> {
    target.elements_mut().iter_mut().zip(values).for_each(|(element, value)| *element = value);
    target
}

/// Runs a circuit over all its instances, by the definition of how instances see lanes.
fn run(mut task: CircuitTask<'_, Wires<bool>>) -> Vec<Wires<bool>> {
    for instance in 0..task.instances {
        let input = |operand: &CircuitOperand<Wires<bool>>| {
            let lanes = operand.wires.len() as u64 / u64::from(operand.bits);
            let span = lanes / (task.instances / operand.share);
            let first = instance / operand.share * span;
            let (wires, bits) = (operand.wires.clone(), u64::from(operand.bits));
            (first..first + span)
                .flat_map(move |lane| (0..bits).map(move |bit| bit * lanes + lane))
                .map(move |index| u64::from(wires[index as usize]))
        };
        let inputs: Vec<u64> = task.operands.iter().flat_map(input).collect();
        let outputs = task.circuit.evaluate_lanes(&inputs).unwrap();
        let mut outputs = outputs.iter().map(|word| word & 1 == 1);
        for target in &mut task.targets {
            let lanes = target.wires.len() as u64 / u64::from(target.bits);
            let span = lanes / task.instances;
            for lane in instance * span..(instance + 1) * span {
                for bit in 0..u64::from(target.bits) {
                    target.wires.elements_mut()[(bit * lanes + lane) as usize] = outputs.next().unwrap();
                }
            }
        }
    }
    task.targets.into_iter().map(|target| target.wires).collect()
}

/// Options under which little is inlined, so that calls, maps and iterations remain.
fn structured() -> Options {
    Options { inline_ands: 0, map_ands: 0, vector_lanes: 2, ..Options::default() }
}

/// A layout in which maps run in chunks of `chunk`.
fn chunked(schedule: &Schedule, chunk: u64) -> Layout {
    let mut layout = Layout::new(schedule);
    layout.bodies.iter_mut().for_each(|body| body.chunk = chunk);
    layout
}

fn check(seed: u64, options: &Options) {
    let program = arbitrary::program(seed, &Size::default());
    let inputs = arbitrary::inputs(&program, seed);
    let expected = interpret(&program, &inputs, || 0).unwrap();
    let schedule = lower(&program, options).unwrap();
    for layout in [Layout::new(&schedule), chunked(&schedule, 1), chunked(&schedule, 3)] {
        let seen = walk(&program, &schedule, &layout, &inputs);
        assert_eq!(seen.outputs, expected, "seed {seed}");
        // Every AND has a unique number, and they are used in order.
        let mut next = 0;
        for (first, count) in seen.ids {
            assert!(first >= next, "seed {seed}: {first} after {next}");
            next = first + count;
        }
        assert!(next <= schedule.bodies[schedule.main].and_count, "seed {seed}");
    }
    let layout = Layout::new(&schedule);
    let bound = layout.bodies[schedule.main].peak_labels;
    let peak = walk(&program, &schedule, &layout, &inputs).peak;
    assert!(peak <= bound, "seed {seed}: {peak} live, {bound} predicted");
}

#[test]
fn walks_agree_with_the_interpreter() {
    (0..150).for_each(|seed| check(seed, &Options::default()));
}

#[test]
fn structured_walks_agree_with_the_interpreter() {
    (0..300).for_each(|seed| check(seed, &structured()));
}

#[test]
fn all_numbers_are_used() {
    for seed in 0..100 {
        let program = arbitrary::program(seed, &Size::default());
        let schedule = lower(&program, &structured()).unwrap();
        let seen = walk(&program, &schedule, &chunked(&schedule, 2), &arbitrary::inputs(&program, seed));
        let used: u64 = seen.ids.iter().map(|(_, count)| count).sum();
        assert_eq!(used, schedule.bodies[schedule.main].and_count, "seed {seed}");
    }
}

#[test]
fn label_work_is_counted_without_a_walk() {
    let mut gathered = 0;
    for seed in 0..150 {
        let program = arbitrary::program(seed, &Size::default());
        let inputs = arbitrary::inputs(&program, seed);
        for options in [Options::default(), structured()] {
            let schedule = lower(&program, &options).unwrap();
            let counted = schedule.label_work();
            gathered += counted.count(Unit::LabelGathered);
            // Maps run all their lanes side by side.
            let seen = walk(&program, &schedule, &chunked(&schedule, u64::MAX), &inputs);
            for unit in [Unit::LabelXor, Unit::LabelGate, Unit::LabelIdle] {
                assert_eq!(counted.count(unit), seen.work.count(unit), "seed {seed}, {unit}");
            }
        }
    }
    assert!(gathered > 0);
}

/// Counts the elements of bundles that are held, and their maximum.
#[derive(Default)]
struct Held {
    now: Cell<u64>,
    most: Cell<u64>,
}

/// Elements of a bundle.
struct Elements(Rc<Held>, u64);

impl Elements {
    fn of(held: &Rc<Held>, bundle: Bundle, lanes: u64) -> Elements {
        let count = u64::from(bundle.wires()) * lanes;
        held.now.set(held.now.get() + count);
        held.most.set(held.most.get().max(held.now.get()));
        Elements(held.clone(), count)
    }
}

impl Drop for Elements {
    fn drop(&mut self) {
        self.0.now.set(self.0.now.get() - self.1);
    }
}

struct HeldMemory(Rc<Held>);

impl Memory for HeldMemory {
    type Wires = Rc<Elements>;
    type Parts = Elements;
    type Error = WalkError;

    fn allocate(&mut self, bundle: Bundle, lanes: u64) -> Result<Rc<Elements>, WalkError> {
        Ok(Rc::new(Elements::of(&self.0, bundle, lanes)))
    }

    fn release(&mut self, _: Rc<Elements>) {}

    fn gather(
        &mut self,
        _: (&Rc<Elements>, u64),
        _: &Index,
        (bundle, lanes): (Bundle, u64),
    ) -> Result<Rc<Elements>, WalkError> {
        self.allocate(bundle, lanes)
    }

    fn begin(&mut self, bundle: Bundle, lanes: u64) -> Result<Elements, WalkError> {
        Ok(Elements::of(&self.0, bundle, lanes))
    }

    fn put(
        &mut self,
        _: &mut Elements,
        _: (&Rc<Elements>, usize, usize),
        _: (usize, usize),
        _: usize,
    ) -> Result<(), WalkError> {
        Ok(())
    }

    fn finish(&mut self, parts: Elements) -> Result<Rc<Elements>, WalkError> {
        Ok(Rc::new(parts))
    }
}

/// Most elements that a walk holds at once.
fn most_held(schedule: &Schedule, layout: &Layout) -> u64 {
    let held = Rc::new(Held::default());
    let mut walker = Walker::with(schedule, layout, HeldMemory(held.clone()));
    while let Some(task) = walker.next().unwrap() {
        let written = match task {
            Task::Input { target, .. } | Task::Random { target, .. } | Task::Constant { target, .. } => {
                vec![target]
            }
            Task::Output { .. } => Vec::new(),
            Task::Circuit(task) => task.targets.into_iter().map(|target| target.wires).collect(),
            Task::Kernel(task) => task.targets,
        };
        walker.supply(written).unwrap();
    }
    held.most.get()
}

#[test]
fn what_is_live_at_once_is_known_before() {
    let (mut exact, mut all) = (0, 0);
    for seed in 0..150 {
        let program = arbitrary::program(seed, &Size::default());
        for options in [Options::default(), structured(), Options { tile_labels: 60, ..Options::default() }] {
            let schedule = lower(&program, &options).unwrap();
            for layout in [Layout::new(&schedule), chunked(&schedule, 3)] {
                let size = |bundle: Bundle, lanes: u64| u64::from(bundle.wires()) * lanes;
                let (known, most) = (schedule.peak(&layout, &size, &[]).bytes, most_held(&schedule, &layout));
                assert!(most <= known, "seed {seed}, {options:?}: {most} were held, {known} known before");
                assert!(
                    known <= 2 * most,
                    "seed {seed}, {options:?}: {most} were held, {known} known before"
                );
                exact += usize::from(most == known);
                all += 1;
            }
        }
    }
    assert!(exact * 4 > all * 3, "{exact} of {all} are exact");
}
