//! Bodies mapped over many instances, cut by instance so that few of them lie in memory at a time.

use tacit_lower::{Action, Bundle as Form, Schedule};

use super::walk::{Bundle, Walk};
use super::{CompiledError, moves};
use crate::program::mixed;

/// Bytes that bundles and circuits of one instance of each body take at most, those of the bodies it calls included.
pub(super) struct Weights(Vec<usize>);

impl Weights {
    pub(super) fn of(schedule: &Schedule) -> Weights {
        let mut known = vec![None; schedule.bodies.len()];
        Weights((0..schedule.bodies.len()).map(|number| weight(schedule, number, &mut known)).collect())
    }
}

/// The weight of a body. Those that it calls are none that call it.
fn weight(schedule: &Schedule, number: usize, known: &mut [Option<usize>]) -> usize {
    if let Some(weight) = known[number] {
        return weight;
    }
    let body = &schedule.bodies[number];
    let bundles = body.bundles.iter().map(|bundle| product(bundle.bits as usize, bundle.lanes));
    let mut sum = bundles.fold(0, usize::saturating_add);
    for step in &body.steps {
        let more = match &step.action {
            Action::Call { body, .. } | Action::Iterate { body, .. } => {
                weight(schedule, *body as usize, known)
            }
            Action::Map { body, lanes, .. } => product(weight(schedule, *body as usize, known), *lanes),
            Action::Circuit { circuit, lanes, .. } => {
                product(schedule.circuits[*circuit as usize].slots as usize, *lanes)
            }
            _ => 0,
        };
        sum = sum.saturating_add(more);
    }
    known[number] = Some(sum);
    sum
}

fn product(bytes: usize, lanes: u64) -> usize {
    bytes.saturating_mul(lanes as usize)
}

impl Walk<'_> {
    /// A body over so many instances: side by side as many as the window has room for, the others after them.
    pub(super) fn map(
        &mut self,
        number: usize,
        instances: usize,
        arguments: &[Bundle],
    ) -> Result<Vec<Bundle>, CompiledError> {
        let together = (self.pace.part / self.weights.0[number].max(1)).max(1);
        if together >= instances {
            return self.body(number, instances, arguments.to_vec());
        }
        let (schedule, hash) = (self.compiled.schedule.clone(), self.hash);
        let body = &schedule.bodies[number];
        let mut parts: Vec<Vec<Bundle>> = vec![Vec::new(); body.results.len()];
        let mut counts = Vec::new();
        for first in (0..instances).step_by(together) {
            let count = together.min(instances - first);
            self.hash = mixed(hash, first as u64);
            let mut some = Vec::with_capacity(arguments.len());
            for (argument, parameter) in arguments.iter().zip(&body.parameters) {
                let form = body.bundles[parameter.index()];
                some.push(self.instances(argument, form, instances, (first, count))?);
            }
            let results = self.body(number, count, some)?;
            parts.iter_mut().zip(results).for_each(|(parts, result)| parts.push(result));
            counts.push(count);
        }
        self.hash = hash;
        let forms = body.results.iter().map(|result| body.bundles[result.index()]);
        let join = |(parts, form): (Vec<Bundle>, Form)| {
            let (bits, lanes) = (form.bits as usize, form.lanes as usize);
            let length = elements(form, instances)?;
            let each = counts.iter().map(|count| count * lanes).collect();
            self.join(&parts, each, bits, length)
        };
        parts.into_iter().zip(forms).map(join).collect()
    }

    /// Of a bundle of all instances the part of `count` from `first` on.
    fn instances(
        &mut self,
        bundle: &Bundle,
        form: Form,
        instances: usize,
        (first, count): (usize, usize),
    ) -> Result<Bundle, CompiledError> {
        let lanes = form.lanes as usize;
        let (from, first, lanes) = (instances * lanes, first * lanes, count * lanes);
        let slice = move |_: &_, given: &[&[u8]]| moves::slice(given[0], from, first, lanes);
        let length = elements(form, count)?;
        let value = self.task.local(length, bundle.is_public(), self.hash, &[bundle], slice)?;
        self.wrote(value)
    }
}

/// Elements of a bundle in so many instances.
fn elements(form: Form, instances: usize) -> Result<usize, CompiledError> {
    let lanes = (form.lanes as usize).saturating_mul(instances);
    lanes.checked_mul(form.bits as usize).ok_or(CompiledError::Memory { bits: form.bits, lanes })
}
