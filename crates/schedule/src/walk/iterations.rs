use super::Memory;
use crate::schedule::{Body, BundleId};

/// How often the body of a frame runs, and on which bundles.
pub(super) enum Iterations<M: Memory> {
    /// Once.
    One,
    /// One iteration after the other.
    Loop(Loop<M>),
    /// A map, one chunk of its instances after the other.
    Chunks(Chunks<M>),
}

/// An iteration in progress.
pub(super) struct Loop<M: Memory> {
    /// The current iteration.
    pub iteration: u64,
    pub count: u64,
    /// Carried bundles come first among parameters and results.
    pub carried: usize,
    pub invariant: Vec<M::Wires>,
    pub sliced: Vec<M::Wires>,
    pub stacks: Vec<M::Parts>,
}

/// A map in progress.
pub(super) struct Chunks<M: Memory> {
    /// First instance of the current chunk.
    pub start: u64,
    /// All instances.
    pub total: u64,
    pub arguments: Vec<M::Wires>,
    pub results: Vec<M::Parts>,
}

/// What follows a run of the body.
pub(super) enum Next<W> {
    /// Another run, with this number of instances and these first parameters.
    Run(u64, Vec<W>),
    /// No more runs; these are the results of all.
    Done(Vec<W>),
}

impl<M: Memory> Loop<M> {
    /// The parameters of the iteration after the carried ones.
    pub fn parameters(&self, body: &Body, copies: u64, memory: &mut M) -> Result<Vec<M::Wires>, M::Error> {
        let mut parameters = self.invariant.clone();
        let places = &body.parameters[self.carried + self.invariant.len()..];
        for (parameter, source) in places.iter().zip(&self.sliced) {
            let lanes = body.bundles[parameter.index()].lanes as usize;
            let from = (source, lanes * self.count as usize, lanes * self.iteration as usize);
            parameters.push(slice(body, *parameter, copies, (from, lanes), memory)?);
        }
        Ok(parameters)
    }

    pub fn end(
        &mut self,
        body: &Body,
        copies: u64,
        mut results: Vec<M::Wires>,
        memory: &mut M,
    ) -> Result<Next<M::Wires>, M::Error> {
        let parts = results.split_off(self.carried);
        for ((id, stack), part) in body.results[self.carried..].iter().zip(&mut self.stacks).zip(parts) {
            let lanes = body.bundles[id.index()].lanes as usize;
            let to = (lanes * self.count as usize, lanes * self.iteration as usize);
            memory.put(stack, (&part, lanes, 0), to, lanes)?;
            memory.release(part);
        }
        self.iteration += 1;
        if self.iteration < self.count {
            return Ok(Next::Run(copies, results));
        }
        for stack in self.stacks.drain(..) {
            results.push(memory.finish(stack)?);
        }
        Ok(Next::Done(results))
    }
}

impl<M: Memory> Chunks<M> {
    /// The parameters of the chunk.
    pub fn parameters(&self, body: &Body, copies: u64, memory: &mut M) -> Result<Vec<M::Wires>, M::Error> {
        let mut parameters = Vec::with_capacity(self.arguments.len());
        for (parameter, source) in body.parameters.iter().zip(&self.arguments) {
            let shape = &body.bundles[parameter.index()];
            let (lanes, count) = (shape.lanes as usize, (shape.lanes * copies) as usize);
            let from = (source, lanes * self.total as usize, lanes * self.start as usize);
            parameters.push(slice(body, *parameter, copies, (from, count), memory)?);
        }
        Ok(parameters)
    }

    pub fn end(
        &mut self,
        body: &Body,
        copies: u64,
        parts: Vec<M::Wires>,
        memory: &mut M,
    ) -> Result<Next<M::Wires>, M::Error> {
        for ((id, whole), part) in body.results.iter().zip(&mut self.results).zip(parts) {
            let lanes = body.bundles[id.index()].lanes as usize;
            let count = lanes * copies as usize;
            let to = (lanes * self.total as usize, lanes * self.start as usize);
            memory.put(whole, (&part, count, 0), to, count)?;
            memory.release(part);
        }
        self.start += copies;
        match self.total - self.start {
            0 => Ok(Next::Done(
                self.results.drain(..).map(|whole| memory.finish(whole)).collect::<Result<_, _>>()?,
            )),
            left => Ok(Next::Run(copies.min(left), Vec::new())),
        }
    }
}

/// A parameter of one run: `count` lanes of each copy of a bundle that all runs share.
fn slice<M: Memory>(
    body: &Body,
    parameter: BundleId,
    copies: u64,
    (from, count): ((&M::Wires, usize, usize), usize),
    memory: &mut M,
) -> Result<M::Wires, M::Error> {
    let bundle = body.bundles[parameter.index()];
    let mut slice = memory.begin(bundle, bundle.lanes.saturating_mul(copies))?;
    memory.put(&mut slice, from, (count, 0), count)?;
    memory.finish(slice)
}
