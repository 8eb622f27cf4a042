//! Sums of runs of products as inner products, where these cost as much as a single product.

use tacit_schedule::{Action, Body, Step};

/// Joins every product of words with the sum of its runs, if nothing else reads it.
pub(crate) fn join(body: &mut Body) {
    let reads = reads(body);
    let mut writers = vec![None; body.bundles.len()];
    let mut joined = vec![false; body.steps.len()];
    for number in 0..body.steps.len() {
        if let Some((product, action)) = inner_product(body, (&reads, &writers), number) {
            joined[product] = true;
            body.steps[number].action = action;
        }
        body.steps[number].action.targets().iter().for_each(|target| writers[target.index()] = Some(number));
    }
    let mut joined = joined.into_iter();
    body.steps.retain(|_| joined.next() != Some(true));
}

/// How often each bundle is read.
fn reads(body: &Body) -> Vec<u32> {
    let mut reads = vec![0; body.bundles.len()];
    let mut read = |bundle: tacit_schedule::BundleId| reads[bundle.index()] += 1;
    body.steps.iter().for_each(|step| step.action.for_each_source(&mut read));
    body.results.iter().copied().for_each(read);
    reads
}

/// The step of a product, and the action that gives the sums of its runs, if a step gives these sums and alone reads the product.
fn inner_product(
    body: &Body,
    (reads, writers): (&[u32], &[Option<usize>]),
    number: usize,
) -> Option<(usize, Action)> {
    let Action::Kernel { kernel, inputs, targets } = &body.steps[number].action else { return None };
    let (length, summed) = (kernel.summed_run()?, inputs.first()?.index());
    let product = writers[summed].filter(|_| reads[summed] == 1)?;
    let Step { action: Action::Kernel { kernel, inputs: factors, .. }, .. } = &body.steps[product] else {
        return None;
    };
    let kernel = kernel.summed(length, body.bundles[summed].lanes)?;
    let inputs = vec![*factors.first()?, *factors.last()?];
    Some((product, Action::Kernel { kernel, inputs, targets: targets.clone() }))
}
