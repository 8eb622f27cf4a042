//! Bundles as handles of values that are still being computed, and how their lanes move.

use std::sync::Arc;

use tacit_ir::Index;
use tacit_math::field::Field;
use tacit_math::zeros;
use tacit_schedule::Bundle as Form;
use tacit_schedule::walk;

use super::CompiledError;
use super::elements::{Elements, Move, Piece, Taken};
use super::pace::Pace;
use crate::program::{Task, mixed};

/// A shared bundle, wire-major; or room for a bundle of this many elements, which a step will write.
pub(super) struct Bundle<F: Field> {
    length: usize,
    value: Option<Arc<Elements<F>>>,
    /// If its elements stand for integers, their magnitudes are below two to this power.
    pub(super) size: u32,
}

impl<F: Field> Clone for Bundle<F> {
    fn clone(&self) -> Self {
        Bundle { length: self.length, value: self.value.clone(), size: self.size }
    }
}

impl<F: Field> Bundle<F> {
    /// A bundle that a step has written.
    pub(super) fn written(elements: Elements<F>) -> Bundle<F> {
        Bundle::of(Arc::new(elements))
    }

    /// A bundle of elements that something else has, too.
    pub(super) fn of(elements: Arc<Elements<F>>) -> Bundle<F> {
        Bundle { length: elements.len(), value: Some(elements), size: 0 }
    }

    /// The same, for integers whose magnitudes are below two to this power.
    pub(super) fn sized(self, size: u32) -> Bundle<F> {
        Bundle { size, ..self }
    }

    /// Elements in all instances.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// The elements, which the walk has written before they are read.
    pub(super) fn elements(&self) -> Result<&Elements<F>, CompiledError> {
        self.value.as_deref().ok_or(CompiledError::OtherSchedule)
    }

    /// The same, for something that keeps them.
    pub(super) fn shared(&self) -> Result<Arc<Elements<F>>, CompiledError> {
        self.value.clone().ok_or(CompiledError::OtherSchedule)
    }
}

/// Lanes of several bundles that are moved into one bundle of this many elements.
pub(super) struct Parts<F: Field> {
    length: usize,
    parts: Vec<(Bundle<F>, Lanes)>,
}

/// Which lanes of each copy go where, as for [`walk::copy_lanes`].
#[derive(Clone, Copy)]
struct Lanes {
    from: usize,
    offset: usize,
    to: usize,
    at: usize,
    count: usize,
}

/// Selected lanes, as for [`walk::gather`].
struct Chosen {
    length: usize,
    from: u64,
    positions: Index,
    to: u64,
}

impl Move for Chosen {
    fn moved<E: Copy + Default>(self, given: &[&[E]]) -> Vec<E> {
        let mut gathered = zeros(self.length);
        walk::gather(given[0], self.from, &self.positions, &mut gathered, self.to);
        gathered
    }

    fn each_piece(&self, counts: &[usize], put: &mut dyn FnMut(Piece<'_>)) {
        let (from, to) = (self.from as usize, self.to as usize);
        self.each_piece_of_a_copy(&mut |(first, at), taken| {
            for number in 0..counts[0] / from {
                put(Piece { part: 0, from: number * from + first, at: number * to + at, taken });
            }
        });
    }
}

impl Chosen {
    /// Hands out the first copy: from which lane on, to which, and what.
    fn each_piece_of_a_copy(&self, put: &mut dyn FnMut((usize, usize), Taken<'_>)) {
        let lanes = self.from as usize;
        match &self.positions {
            Index::Range { start, step: 1, count } => put((*start as usize, 0), Taken::Run(*count as usize)),
            Index::Repeat { each: 1, tiles } => {
                (0..*tiles as usize).for_each(|tile| put((0, tile * lanes), Taken::Run(lanes)));
            }
            Index::List(places) => match long_runs(places) {
                Some(runs) => runs.iter().for_each(|run| put((run.from, run.at), Taken::Run(run.count))),
                None => put((0, 0), Taken::Picked(places)),
            },
            other => {
                for first in (0..self.to).step_by(BLOCK) {
                    let block = first..self.to.min(first + BLOCK as u64);
                    // A value has fewer elements than 2^32.
                    let places: Vec<_> = block.map(|lane| other.position(lane, self.from) as u32).collect();
                    put((0, first as usize), Taken::Picked(&places));
                }
            }
        }
    }
}

/// Positions that are computed at a time.
const BLOCK: usize = 1 << 12;

/// Consecutive lanes that stay so.
struct Run {
    from: usize,
    at: usize,
    count: usize,
}

/// From this many lanes on, on average, runs of packed bits are copied as they are.
const LONG_RUN: usize = 8;

/// The runs of these positions, unless they are short.
fn long_runs(positions: &[u32]) -> Option<Vec<Run>> {
    let most = positions.len() / LONG_RUN;
    let follows = |one: &u32, next: &u32| one.checked_add(1) == Some(*next);
    let breaks = positions.array_windows().filter(|[one, next]| !follows(one, next)).count();
    if breaks >= most {
        return None;
    }
    let mut runs = Vec::with_capacity(breaks + 1);
    let mut at = 0;
    for run in positions.chunk_by(follows) {
        runs.push(Run { from: run[0] as usize, at, count: run.len() });
        at += run.len();
    }
    Some(runs)
}

/// Concatenated lanes.
struct Joined {
    length: usize,
    lanes: Vec<Lanes>,
}

impl Move for Joined {
    fn moved<E: Copy + Default>(self, given: &[&[E]]) -> Vec<E> {
        let mut joined = zeros(self.length);
        for (part, Lanes { from, offset, to, at, count }) in given.iter().zip(self.lanes) {
            walk::copy_lanes((part, from, offset), (&mut joined[..], to, at), count);
        }
        joined
    }

    fn each_piece(&self, counts: &[usize], put: &mut dyn FnMut(Piece<'_>)) {
        for (part, (Lanes { from, offset, to, at, count }, length)) in
            self.lanes.iter().zip(counts).enumerate()
        {
            for number in 0..length / from {
                let (from, at) = (number * from + offset, number * to + at);
                put(Piece { part, from, at, taken: Taken::Run(*count) });
            }
        }
    }
}

/// The task that is written to, as the memory of a walk.
pub(super) struct Memory<'a, F: Field> {
    task: &'a Task<F>,
    pub(super) pace: Pace<'a, F>,
    tag: u64,
    /// The identity of the step that is written.
    pub(super) hash: u64,
}

impl<'a, F: Field> Memory<'a, F> {
    pub(super) fn new(task: &'a Task<F>, pace: Pace<'a, F>, tag: u64) -> Memory<'a, F> {
        Memory { task, pace, tag, hash: tag }
    }

    /// Registers a bundle that was written.
    pub(super) fn wrote(&mut self, bundle: Bundle<F>) -> Result<Bundle<F>, CompiledError> {
        let elements = bundle.elements()?;
        let bytes = elements.memory();
        self.pace.wrote(self.task, elements, bytes)?;
        Ok(bundle)
    }

    /// A bundle made from others. Its magnitude is the largest of theirs.
    fn moved(&mut self, length: usize, of: &[&Bundle<F>], by: impl Move) -> Result<Bundle<F>, CompiledError> {
        let elements = of.iter().map(|bundle| bundle.elements()).collect::<Result<Vec<_>, _>>()?;
        let moved = Elements::moved(self.task, (length, self.hash), &elements, by)?;
        let largest = of.iter().map(|bundle| bundle.size).max();
        self.wrote(Bundle::written(moved).sized(largest.unwrap_or(0)))
    }
}

/// Elements of this many lanes of a bundle.
fn elements(form: Form, lanes: u64) -> Result<usize, CompiledError> {
    let lanes = usize::try_from(lanes).unwrap_or(usize::MAX);
    lanes.checked_mul(form.wires() as usize).ok_or(CompiledError::Memory { bits: form.bits, lanes })
}

impl<F: Field> walk::Memory for Memory<'_, F> {
    type Wires = Bundle<F>;
    type Parts = Parts<F>;
    type Error = CompiledError;

    fn at(&mut self, body: usize, step: usize) {
        self.hash = mixed(mixed(self.tag, body as u64), step as u64);
    }

    fn allocate(&mut self, form: Form, lanes: u64) -> Result<Bundle<F>, CompiledError> {
        Ok(Bundle { length: elements(form, lanes)?, value: None, size: 0 })
    }

    fn release(&mut self, _: Bundle<F>) {}

    fn gather(
        &mut self,
        (source, from): (&Bundle<F>, u64),
        positions: &Index,
        (form, lanes): (Form, u64),
    ) -> Result<Bundle<F>, CompiledError> {
        let length = elements(form, lanes)?;
        let chosen = Chosen { length, from, positions: positions.clone(), to: form.lanes };
        self.moved(length, &[source], chosen)
    }

    fn begin(&mut self, form: Form, lanes: u64) -> Result<Parts<F>, CompiledError> {
        Ok(Parts { length: elements(form, lanes)?, parts: Vec::new() })
    }

    fn put(
        &mut self,
        parts: &mut Parts<F>,
        (source, from, offset): (&Bundle<F>, usize, usize),
        (to, at): (usize, usize),
        count: usize,
    ) -> Result<(), CompiledError> {
        parts.parts.push((source.clone(), Lanes { from, offset, to, at, count }));
        Ok(())
    }

    fn finish(&mut self, Parts { length, parts }: Parts<F>) -> Result<Bundle<F>, CompiledError> {
        if let [(only, _)] = &parts[..]
            && only.length == length
        {
            return Ok(only.clone());
        }
        let lanes = parts.iter().map(|(_, lanes)| *lanes).collect();
        let bundles: Vec<_> = parts.iter().map(|(bundle, _)| bundle).collect();
        self.moved(length, &bundles, Joined { length, lanes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The elements that a move makes of others, and its pieces, which make the same: how many are runs, and how many are not.
    fn moved(by: impl Move, given: &[&[u32]]) -> (Vec<u32>, [usize; 2]) {
        let counts: Vec<_> = given.iter().map(|part| part.len()).collect();
        let (mut copied, mut pieces) = (Vec::new(), [0; 2]);
        by.each_piece(&counts, &mut |Piece { part, from, at, taken }| {
            let source = &given[part][from..];
            let (kind, elements) = match taken {
                Taken::Run(count) => (0, source[..count].to_vec()),
                Taken::Picked(places) => (1, places.iter().map(|place| source[*place as usize]).collect()),
            };
            pieces[kind] += 1;
            copied.resize(copied.len().max(at + elements.len()), 0);
            copied[at..at + elements.len()].copy_from_slice(&elements);
        });
        let moved = by.moved(given);
        assert_eq!(copied, moved);
        (moved, pieces)
    }

    #[test]
    fn long_runs_are_copied_as_they_are() {
        // Two copies of twenty lanes.
        let source: Vec<u32> = (1..=40).collect();
        let chosen = |positions: Index| {
            let to = positions.lanes(20);
            moved(Chosen { length: 2 * to as usize, from: 20, positions, to }, &[&source]).1
        };
        assert_eq!(chosen(Index::Range { start: 3, step: 1, count: 17 }), [2, 0]);
        assert_eq!(chosen(Index::Range { start: 19, step: -1, count: 17 }), [0, 2]);
        assert_eq!(chosen(Index::Repeat { each: 1, tiles: 3 }), [6, 0]);
        assert_eq!(chosen(Index::Repeat { each: 3, tiles: 1 }), [0, 2]);
        assert_eq!(chosen(Index::Repeat { each: 300, tiles: 2 }), [0, 6]);
        let list = |parts: [std::ops::Range<u32>; 3]| Index::List(parts.into_iter().flatten().collect());
        assert_eq!(chosen(list([0..10, 4..20, 0..9])), [6, 0]);
        assert_eq!(chosen(list([0..3, 9..10, 4..7])), [0, 2]);
        let joined = |counts: [usize; 2]| {
            let to = counts[0] + counts[1];
            let part = |at: usize, count: usize| Lanes { from: 20, offset: 20 - count, to, at, count };
            let lanes = vec![part(0, counts[0]), part(counts[0], counts[1])];
            moved(Joined { length: 2 * to, lanes }, &[&source, &source]).1
        };
        assert_eq!((joined([20, 9]), joined([3, 4])), ([4, 0], [4, 0]));
    }
}
