use tacit_lower::{Body, Bundle, BundleId, Step};
use tacit_plan::BodyLayout;

use super::WalkError;
use super::pool::{Buffer, Pool};
use super::turns::{Next, Turns};

/// A body that is being run.
pub(super) struct Frame<'s, W: Buffer> {
    pub body: &'s Body,
    layout: &'s BodyLayout,
    /// Index of the step that is due.
    pub step: usize,
    /// Instances of the body side by side.
    pub copies: u64,
    /// Number of the first AND of this turn.
    first_id: u64,
    wires: Vec<Option<W>>,
    turns: Turns<W>,
}

impl<'s, W: Buffer> Frame<'s, W> {
    pub fn new(body: &'s Body, layout: &'s BodyLayout, copies: u64, first_id: u64) -> Self {
        let wires = vec![None; body.bundles.len()];
        Frame { body, layout, step: 0, copies, first_id, wires, turns: Turns::One }
    }

    /// Starts the first turn. `first` are the first of the body's parameters; `turns` knows the others.
    pub fn begin(mut self, turns: Turns<W>, first: Vec<W>, pool: &mut Pool<W>) -> Result<Self, WalkError> {
        self.turns = turns;
        self.enter(first, pool)?;
        Ok(self)
    }

    /// Number of the first AND of the step that is due; after the last step, of the turn that follows.
    pub fn step_id(&self) -> u64 {
        self.body
            .steps
            .get(self.step)
            .map_or_else(|| self.id_at(self.body.and_count), |step| self.id_of(step))
    }

    /// Number of the first AND of a step of this turn.
    pub fn id_of(&self, step: &Step) -> u64 {
        self.id_at(step.and_base)
    }

    fn id_at(&self, base: u64) -> u64 {
        self.first_id + self.copies * base
    }

    pub fn get(&self, bundle: BundleId) -> Result<W, WalkError> {
        self.wires[bundle.index()].clone().ok_or(WalkError::Unwritten)
    }

    /// Whether a bundle is written, and not dropped.
    pub fn holds(&self, bundle: BundleId) -> bool {
        self.wires[bundle.index()].is_some()
    }

    pub fn get_all(&self, bundles: &[BundleId]) -> Result<Vec<W>, WalkError> {
        bundles.iter().map(|bundle| self.get(*bundle)).collect()
    }

    pub fn set(&mut self, bundle: BundleId, wires: W) {
        self.wires[bundle.index()] = Some(wires);
    }

    /// Lanes of a bundle in all instances.
    pub fn lanes(&self, bundle: BundleId) -> u64 {
        self.body.bundles[bundle.index()].lanes.saturating_mul(self.copies)
    }

    /// A buffer for a bundle in all instances.
    pub fn allocate(&self, bundle: BundleId, pool: &mut Pool<W>) -> Result<W, WalkError> {
        pool.take(self.bundle(bundle), self.lanes(bundle))
    }

    /// What a bundle is, its lanes those of one instance.
    pub fn bundle(&self, bundle: BundleId) -> Bundle {
        self.body.bundles[bundle.index()]
    }

    /// Goes on to the next step, and drops what nobody reads from there on.
    pub fn advance(&mut self, pool: &mut Pool<W>) {
        for bundle in &self.layout.releases[self.step] {
            if let Some(wires) = self.wires[bundle.index()].take() {
                pool.give(wires);
            }
        }
        self.step += 1;
    }

    /// Ends a turn after its last step. The results if it was the last turn; otherwise the next has begun.
    pub fn end(&mut self, pool: &mut Pool<W>) -> Result<Option<Vec<W>>, WalkError> {
        let results = self.get_all(&self.body.results)?;
        self.wires.iter_mut().filter_map(Option::take).for_each(|wires| pool.give(wires));
        let next = match &mut self.turns {
            Turns::One => Next::Done(results),
            Turns::Loop(turns) => turns.end(self.body, self.copies, results, pool)?,
            Turns::Chunks(turns) => turns.end(self.body, self.copies, results, pool)?,
        };
        match next {
            Next::Done(results) => Ok(Some(results)),
            Next::Turn(copies, first) => {
                self.first_id = self.step_id();
                (self.copies, self.step) = (copies, 0);
                self.enter(first, pool)?;
                Ok(None)
            }
        }
    }

    /// Gives the parameters their values.
    fn enter(&mut self, mut parameters: Vec<W>, pool: &mut Pool<W>) -> Result<(), WalkError> {
        match &self.turns {
            Turns::One => {}
            Turns::Loop(turns) => parameters.extend(turns.parameters(self.body, self.copies, pool)?),
            Turns::Chunks(turns) => parameters.extend(turns.parameters(self.body, self.copies, pool)?),
        }
        for (parameter, wires) in self.body.parameters.iter().zip(parameters) {
            self.wires[parameter.index()] = Some(wires);
        }
        Ok(())
    }

    #[cfg(test)]
    pub fn live(&self) -> u64 {
        self.wires.iter().flatten().map(|wires| wires.elements() as u64).sum()
    }
}
