//! Bundles as handles of values that are still on their way, and how their lanes move.

use std::rc::Rc;

use tacit_ir::Index;
use tacit_math::field::Gf256;
use tacit_schedule::Bundle as Form;
use tacit_schedule::walk;

use super::CompiledError;
use super::pace::Pace;
use crate::program::{Task, Value, mixed};

/// A shared bundle, wire-major; or room for one that a step is to write, of so many elements.
#[derive(Clone, Debug)]
pub(super) struct Bundle {
    length: usize,
    value: Option<Rc<Value<Gf256>>>,
}

impl Bundle {
    pub(super) fn written(value: Value<Gf256>) -> Bundle {
        Bundle { length: value.len(), value: Some(Rc::new(value)) }
    }

    /// Elements in all instances.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// The value, which the walk has written before it is read.
    pub(super) fn value(&self) -> Result<&Value<Gf256>, CompiledError> {
        self.value.as_deref().ok_or(CompiledError::OtherSchedule)
    }
}

/// Lanes of several bundles on their way into one of so many elements.
pub(super) struct Parts {
    length: usize,
    parts: Vec<(Bundle, Lanes)>,
}

/// Which lanes of each copy go where: as [`walk::copy_lanes`] takes them.
#[derive(Clone, Copy)]
struct Lanes {
    from: usize,
    offset: usize,
    to: usize,
    at: usize,
    count: usize,
}

/// The task that is written to, as the memory of a walk.
pub(super) struct Memory<'a> {
    task: &'a Task<Gf256>,
    pub(super) pace: Pace<'a>,
    tag: u64,
    /// Tells the step that is written apart from others.
    pub(super) hash: u64,
}

impl<'a> Memory<'a> {
    pub(super) fn new(task: &'a Task<Gf256>, pace: Pace<'a>, tag: u64) -> Memory<'a> {
        Memory { task, pace, tag, hash: tag }
    }

    /// Takes note of a value that was written.
    pub(super) fn wrote(&mut self, value: Value<Gf256>) -> Result<Bundle, CompiledError> {
        self.pace.wrote(self.task, &value, value.len())?;
        Ok(Bundle::written(value))
    }
}

/// Elements of so many lanes of a bundle.
fn elements(form: Form, lanes: u64) -> Result<usize, CompiledError> {
    let lanes = usize::try_from(lanes).unwrap_or(usize::MAX);
    lanes.checked_mul(form.bits as usize).ok_or(CompiledError::Memory { bits: form.bits, lanes })
}

impl walk::Memory for Memory<'_> {
    type Wires = Bundle;
    type Parts = Parts;
    type Error = CompiledError;

    fn at(&mut self, body: usize, step: usize) {
        self.hash = mixed(mixed(self.tag, body as u64), step as u64);
    }

    fn allocate(&mut self, form: Form, lanes: u64) -> Result<Bundle, CompiledError> {
        Ok(Bundle { length: elements(form, lanes)?, value: None })
    }

    fn release(&mut self, _: Bundle) {}

    fn gather(
        &mut self,
        (source, from): (&Bundle, u64),
        positions: &Index,
        (form, lanes): (Form, u64),
    ) -> Result<Bundle, CompiledError> {
        let (length, source) = (elements(form, lanes)?, source.value()?);
        let (positions, to) = (positions.clone(), form.lanes);
        let gather = move |_: &_, given: &[&[u8]]| {
            let mut gathered = vec![0; length];
            walk::gather(given[0], from, &positions, &mut gathered, to);
            gathered
        };
        let value = self.task.local(length, source.is_public(), self.hash, &[source], gather)?;
        self.wrote(value)
    }

    fn begin(&mut self, form: Form, lanes: u64) -> Result<Parts, CompiledError> {
        Ok(Parts { length: elements(form, lanes)?, parts: Vec::new() })
    }

    fn put(
        &mut self,
        parts: &mut Parts,
        (source, from, offset): (&Bundle, usize, usize),
        (to, at): (usize, usize),
        count: usize,
    ) -> Result<(), CompiledError> {
        parts.parts.push((source.clone(), Lanes { from, offset, to, at, count }));
        Ok(())
    }

    fn finish(&mut self, Parts { length, parts }: Parts) -> Result<Bundle, CompiledError> {
        if let [(only, _)] = &parts[..]
            && only.length == length
        {
            return Ok(only.clone());
        }
        let values = parts.iter().map(|(bundle, _)| bundle.value()).collect::<Result<Vec<_>, _>>()?;
        let public = values.iter().all(|value| value.is_public());
        let lanes: Vec<_> = parts.iter().map(|(_, lanes)| *lanes).collect();
        let value = self.task.local(length, public, self.hash, &values, move |_, given| {
            let mut joined = vec![0; length];
            for (part, Lanes { from, offset, to, at, count }) in given.iter().zip(lanes) {
                walk::copy_lanes((part, from, offset), (&mut joined[..], to, at), count);
            }
            joined
        })?;
        self.wrote(value)
    }
}
