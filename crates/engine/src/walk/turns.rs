use tacit_lower::Body;

use super::WalkError;
use super::pool::{Buffer, Pool};

/// How often the body of a frame runs, and on what.
pub(super) enum Turns<W: Buffer> {
    /// Once.
    One,
    /// One iteration after the other.
    Loop(Loop<W>),
    /// A map, one chunk of its instances after the other.
    Chunks(Chunks<W>),
}

/// An iteration in progress.
pub(super) struct Loop<W: Buffer> {
    /// The iteration that runs.
    pub iteration: u64,
    pub count: u64,
    /// Carried bundles come first among parameters and results.
    pub carried: usize,
    pub invariant: Vec<W>,
    pub sliced: Vec<W>,
    pub stacks: Vec<W>,
}

/// A map in progress.
pub(super) struct Chunks<W: Buffer> {
    /// First instance of the chunk that runs.
    pub start: u64,
    /// All instances.
    pub total: u64,
    pub arguments: Vec<W>,
    pub results: Vec<W>,
}

/// What follows a turn.
pub(super) enum Next<W> {
    /// Another turn in this many instances; these are its first parameters.
    Turn(u64, Vec<W>),
    /// Nothing; these are the results of all turns.
    Done(Vec<W>),
}

impl<W: Buffer> Loop<W> {
    /// The parameters of the iteration after the carried ones.
    pub fn parameters(&self, body: &Body, copies: u64, pool: &mut Pool<W>) -> Result<Vec<W>, WalkError> {
        let mut parameters = self.invariant.clone();
        for (id, source) in body.parameters[self.carried + self.invariant.len()..].iter().zip(&self.sliced) {
            let shape = &body.bundles[id.index()];
            let lanes = shape.lanes as usize;
            let mut slice = pool.take(*shape, shape.lanes * copies)?;
            let from = (source, lanes * self.count as usize, lanes * self.iteration as usize);
            slice.copy_lanes(from, (lanes, 0), lanes)?;
            parameters.push(slice);
        }
        Ok(parameters)
    }

    pub fn end(
        &mut self,
        body: &Body,
        copies: u64,
        mut results: Vec<W>,
        pool: &mut Pool<W>,
    ) -> Result<Next<W>, WalkError> {
        let parts = results.split_off(self.carried);
        for ((id, stack), part) in body.results[self.carried..].iter().zip(&mut self.stacks).zip(parts) {
            let lanes = body.bundles[id.index()].lanes as usize;
            let to = (lanes * self.count as usize, lanes * self.iteration as usize);
            stack.copy_lanes((&part, lanes, 0), to, lanes)?;
            pool.give(part);
        }
        self.iteration += 1;
        if self.iteration < self.count {
            return Ok(Next::Turn(copies, results));
        }
        results.append(&mut self.stacks);
        Ok(Next::Done(results))
    }
}

impl<W: Buffer> Chunks<W> {
    /// The parameters of the chunk.
    pub fn parameters(&self, body: &Body, copies: u64, pool: &mut Pool<W>) -> Result<Vec<W>, WalkError> {
        let mut parameters = Vec::with_capacity(self.arguments.len());
        for (id, source) in body.parameters.iter().zip(&self.arguments) {
            let shape = &body.bundles[id.index()];
            let (lanes, count) = (shape.lanes as usize, (shape.lanes * copies) as usize);
            let mut slice = pool.take(*shape, shape.lanes * copies)?;
            let from = (source, lanes * self.total as usize, lanes * self.start as usize);
            slice.copy_lanes(from, (count, 0), count)?;
            parameters.push(slice);
        }
        Ok(parameters)
    }

    pub fn end(
        &mut self,
        body: &Body,
        copies: u64,
        parts: Vec<W>,
        pool: &mut Pool<W>,
    ) -> Result<Next<W>, WalkError> {
        for ((id, whole), part) in body.results.iter().zip(&mut self.results).zip(parts) {
            let lanes = body.bundles[id.index()].lanes as usize;
            let count = lanes * copies as usize;
            let to = (lanes * self.total as usize, lanes * self.start as usize);
            whole.copy_lanes((&part, count, 0), to, count)?;
            pool.give(part);
        }
        self.start += copies;
        Ok(match self.total - self.start {
            0 => Next::Done(std::mem::take(&mut self.results)),
            left => Next::Turn(copies.min(left), Vec::new()),
        })
    }
}
