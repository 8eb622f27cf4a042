use super::iterations::{Iterations, Next};
use super::{Memory, WalkError};
use crate::bundle::Bundle;
use crate::layout::BodyLayout;
use crate::schedule::{Body, BundleId, Step};

/// A body that is being run.
pub(super) struct Frame<'s, M: Memory> {
    /// The number of the body in the schedule.
    pub number: usize,
    pub body: &'s Body,
    layout: &'s BodyLayout,
    /// Index of the next step.
    pub step: usize,
    /// Instances of the body side by side.
    pub copies: u64,
    /// Number of the first AND of this run of the body.
    first_id: u64,
    wires: Vec<Option<M::Wires>>,
    iterations: Iterations<M>,
}

impl<'s, M: Memory> Frame<'s, M> {
    pub fn new(
        number: usize,
        (body, layout): (&'s Body, &'s BodyLayout),
        copies: u64,
        first_id: u64,
    ) -> Self {
        let wires = vec![None; body.bundles.len()];
        Frame { number, body, layout, step: 0, copies, first_id, wires, iterations: Iterations::One }
    }

    /// Starts the first run. `first` are the first of the body's parameters; `iterations` knows the others.
    pub fn begin(
        mut self,
        iterations: Iterations<M>,
        first: Vec<M::Wires>,
        memory: &mut M,
    ) -> Result<Self, M::Error> {
        self.iterations = iterations;
        self.enter(first, memory)?;
        Ok(self)
    }

    /// Number of the first AND of the next step; after the last step, that of the following run.
    pub fn step_id(&self) -> u64 {
        self.body
            .steps
            .get(self.step)
            .map_or_else(|| self.id_at(self.body.and_count), |step| self.id_of(step))
    }

    /// Number of the first AND of a step of this run.
    pub fn id_of(&self, step: &Step) -> u64 {
        self.id_at(step.and_base)
    }

    fn id_at(&self, base: u64) -> u64 {
        self.first_id + self.copies * base
    }

    pub fn get(&self, bundle: BundleId) -> Result<M::Wires, WalkError> {
        self.wires[bundle.index()].clone().ok_or(WalkError::Unwritten)
    }

    /// Whether a bundle is written and not yet dropped.
    pub fn holds(&self, bundle: BundleId) -> bool {
        self.wires[bundle.index()].is_some()
    }

    pub fn get_all(&self, bundles: &[BundleId]) -> Result<Vec<M::Wires>, WalkError> {
        bundles.iter().map(|bundle| self.get(*bundle)).collect()
    }

    pub fn set(&mut self, bundle: BundleId, wires: M::Wires) {
        self.wires[bundle.index()] = Some(wires);
    }

    /// Lanes of a bundle in all instances.
    pub fn lanes(&self, bundle: BundleId) -> u64 {
        self.body.bundles[bundle.index()].lanes.saturating_mul(self.copies)
    }

    /// Elements for a bundle in all instances.
    pub fn allocate(&self, bundle: BundleId, memory: &mut M) -> Result<M::Wires, M::Error> {
        memory.allocate(self.bundle(bundle), self.lanes(bundle))
    }

    /// The type of a bundle, with the lanes of one instance.
    pub fn bundle(&self, bundle: BundleId) -> Bundle {
        self.body.bundles[bundle.index()]
    }

    /// Advances to the next step, and drops bundles that are not read from there on.
    pub fn advance(&mut self, memory: &mut M) {
        for bundle in &self.layout.releases[self.step] {
            if let Some(wires) = self.wires[bundle.index()].take() {
                memory.release(wires);
            }
        }
        self.step += 1;
    }

    /// Ends a run after its last step. Returns the results if it was the last run; otherwise the next one has
    /// begun.
    pub fn end(&mut self, memory: &mut M) -> Result<Option<Vec<M::Wires>>, M::Error> {
        let results = self.get_all(&self.body.results)?;
        self.wires.iter_mut().filter_map(Option::take).for_each(|wires| memory.release(wires));
        let next = match &mut self.iterations {
            Iterations::One => Next::Done(results),
            Iterations::Loop(iterations) => iterations.end(self.body, self.copies, results, memory)?,
            Iterations::Chunks(iterations) => iterations.end(self.body, self.copies, results, memory)?,
        };
        match next {
            Next::Done(results) => Ok(Some(results)),
            Next::Run(copies, first) => {
                self.first_id = self.step_id();
                (self.copies, self.step) = (copies, 0);
                self.enter(first, memory)?;
                Ok(None)
            }
        }
    }

    /// Gives the parameters their values.
    fn enter(&mut self, mut parameters: Vec<M::Wires>, memory: &mut M) -> Result<(), M::Error> {
        match &self.iterations {
            Iterations::One => {}
            Iterations::Loop(iterations) => {
                parameters.extend(iterations.parameters(self.body, self.copies, memory)?);
            }
            Iterations::Chunks(iterations) => {
                parameters.extend(iterations.parameters(self.body, self.copies, memory)?);
            }
        }
        for (parameter, wires) in self.body.parameters.iter().zip(parameters) {
            self.wires[parameter.index()] = Some(wires);
        }
        Ok(())
    }

    /// The bundles that the frame holds.
    pub fn live(&self) -> impl Iterator<Item = &M::Wires> {
        self.wires.iter().flatten()
    }
}
