//! Bundles as handles of values that are still being computed, and how their lanes move.

use std::sync::Arc;

use tacit_ir::Index;
use tacit_math::field::Field;
use tacit_schedule::Bundle as Form;
use tacit_schedule::walk;

use super::CompiledError;
use super::elements::{Elements, Move};
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
        let mut gathered = vec![E::default(); self.length];
        walk::gather(given[0], self.from, &self.positions, &mut gathered, self.to);
        gathered
    }
}

/// Concatenated lanes.
struct Joined {
    length: usize,
    lanes: Vec<Lanes>,
}

impl Move for Joined {
    fn moved<E: Copy + Default>(self, given: &[&[E]]) -> Vec<E> {
        let mut joined = vec![E::default(); self.length];
        for (part, Lanes { from, offset, to, at, count }) in given.iter().zip(self.lanes) {
            walk::copy_lanes((part, from, offset), (&mut joined[..], to, at), count);
        }
        joined
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
