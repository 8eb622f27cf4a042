use tacit_lower::Body;

use super::WalkError;
use super::moves::copy_lanes;
use super::pool::{Element, Pool, Wires};

/// How often the body of a frame runs, and on what.
pub(super) enum Turns<T: Element> {
    /// Once.
    One,
    /// One iteration after the other.
    Loop(Loop<T>),
    /// A map, one chunk of its instances after the other.
    Chunks(Chunks<T>),
}

impl<T: Element> Turns<T> {
    /// The bundles that are held.
    pub fn into_wires(self) -> impl Iterator<Item = Wires<T>> {
        let held = match self {
            Turns::One => [Vec::new(), Vec::new(), Vec::new()],
            Turns::Loop(turns) => [turns.invariant, turns.sliced, turns.stacks],
            Turns::Chunks(turns) => [turns.arguments, turns.results, Vec::new()],
        };
        held.into_iter().flatten()
    }
}

/// An iteration in progress.
pub(super) struct Loop<T: Element> {
    /// The iteration that runs.
    pub iteration: u64,
    pub count: u64,
    /// Carried bundles come first among parameters and results.
    pub carried: usize,
    pub invariant: Vec<Wires<T>>,
    pub sliced: Vec<Wires<T>>,
    pub stacks: Vec<Wires<T>>,
}

/// A map in progress.
pub(super) struct Chunks<T: Element> {
    /// First instance of the chunk that runs.
    pub start: u64,
    /// All instances.
    pub total: u64,
    pub arguments: Vec<Wires<T>>,
    pub results: Vec<Wires<T>>,
}

/// What follows a turn.
pub(super) enum Next<T> {
    /// Another turn in this many instances; these are its first parameters.
    Turn(u64, Vec<Wires<T>>),
    /// Nothing; these are the results of all turns.
    Done(Vec<Wires<T>>),
}

impl<T: Element> Loop<T> {
    /// The parameters of the iteration after the carried ones.
    pub fn parameters(
        &self,
        body: &Body,
        copies: u64,
        pool: &mut Pool<T>,
    ) -> Result<Vec<Wires<T>>, WalkError> {
        let mut parameters = self.invariant.clone();
        for (id, source) in body.parameters[self.carried + self.invariant.len()..].iter().zip(&self.sliced) {
            let shape = &body.bundles[id.index()];
            let lanes = shape.lanes as usize;
            let mut slice = pool.take(shape.wires(), shape.lanes * copies)?;
            let from = (&source[..], lanes * self.count as usize, lanes * self.iteration as usize);
            copy_lanes(from, (slice.elements_mut(), lanes, 0), lanes);
            parameters.push(slice);
        }
        Ok(parameters)
    }

    pub fn end(
        &mut self,
        body: &Body,
        copies: u64,
        mut results: Vec<Wires<T>>,
        pool: &mut Pool<T>,
    ) -> Next<T> {
        let parts = results.split_off(self.carried);
        for ((id, stack), part) in body.results[self.carried..].iter().zip(&mut self.stacks).zip(parts) {
            let lanes = body.bundles[id.index()].lanes as usize;
            let to = (stack.elements_mut(), lanes * self.count as usize, lanes * self.iteration as usize);
            copy_lanes((&part, lanes, 0), to, lanes);
            pool.give(part);
        }
        self.iteration += 1;
        if self.iteration < self.count {
            return Next::Turn(copies, results);
        }
        results.append(&mut self.stacks);
        Next::Done(results)
    }
}

impl<T: Element> Chunks<T> {
    /// The parameters of the chunk.
    pub fn parameters(
        &self,
        body: &Body,
        copies: u64,
        pool: &mut Pool<T>,
    ) -> Result<Vec<Wires<T>>, WalkError> {
        let mut parameters = Vec::with_capacity(self.arguments.len());
        for (id, source) in body.parameters.iter().zip(&self.arguments) {
            let shape = &body.bundles[id.index()];
            let (lanes, count) = (shape.lanes as usize, (shape.lanes * copies) as usize);
            let mut slice = pool.take(shape.wires(), shape.lanes * copies)?;
            let from = (&source[..], lanes * self.total as usize, lanes * self.start as usize);
            copy_lanes(from, (slice.elements_mut(), count, 0), count);
            parameters.push(slice);
        }
        Ok(parameters)
    }

    pub fn end(&mut self, body: &Body, copies: u64, parts: Vec<Wires<T>>, pool: &mut Pool<T>) -> Next<T> {
        for ((id, whole), part) in body.results.iter().zip(&mut self.results).zip(parts) {
            let lanes = body.bundles[id.index()].lanes as usize;
            let count = lanes * copies as usize;
            let to = (whole.elements_mut(), lanes * self.total as usize, lanes * self.start as usize);
            copy_lanes((&part, count, 0), to, count);
            pool.give(part);
        }
        self.start += copies;
        match self.total - self.start {
            0 => Next::Done(std::mem::take(&mut self.results)),
            left => Next::Turn(copies.min(left), Vec::new()),
        }
    }
}
