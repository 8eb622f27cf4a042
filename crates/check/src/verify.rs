//! That what is run is what was meant.

use std::path::Path;

use tacit_cfront::{CError, Checked, Native, NativeRun, Options};
use tacit_ir::{Program, Words, interpret};
use tacit_lower::{LowerError, flatten};
use tacit_schedule::{EvaluateError, Schedule, circuit_of};

use crate::inputs::{self, Inputs};
use crate::patterns::{LANES, Patterns};
use crate::sweep::{CompareError, Verdict, equal};
use crate::{Limits, Stop};

/// The largest program that is verified, in gates.
const MAX_GATES: usize = 1 << 25;

/// Whether a schedule computes what its program says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verification {
    /// On every input.
    Equal,
    /// Not on these inputs.
    Different(Inputs),
    /// The limit was met first: so many output bits are not known to be equal.
    Undecided(usize),
}

/// A program that could not be verified.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// It has no plain circuit.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// Its schedule has none.
    #[error(transparent)]
    Schedule(#[from] EvaluateError),
    /// The C program cannot be compiled or run natively.
    #[error(transparent)]
    C(#[from] CError),
    /// The two do not fit together.
    #[error(transparent)]
    Compare(#[from] CompareError),
}

/// Proves that a schedule, gate by gate as protocols run it, computes the same as the plain translation of its program,
/// on which no optimiser worked.
///
/// Cost: that of [`equal`] on the whole program as one circuit.
///
/// # Errors
/// [`VerifyError`].
pub fn verify(program: &Program, schedule: &Schedule, limits: &Limits) -> Result<Verification, VerifyError> {
    let plain = flatten(program, MAX_GATES)?;
    let run = circuit_of(schedule, program, MAX_GATES)?;
    Ok(match equal(&plain, &run, limits)? {
        Verdict::Equal => Verification::Equal,
        Verdict::Different(bits) => Verification::Different(inputs::from_bits(program, &bits)),
        Verdict::Undecided(bits) => Verification::Undecided(bits),
    })
}

/// How runs of a program compare with those of the natively compiled one.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct NativeRuns {
    /// Runs whose outputs are the same.
    pub agreed: usize,
    /// Runs in which the C program does what it may not, or that it assumes not to happen: nothing is expected of them.
    pub undefined: usize,
    /// Runs that were not made, or not to their end, as natively too many took too long.
    pub left_out: usize,
    /// Inputs on which the two differ though the C program does nothing undefined.
    pub different: Option<Inputs>,
}

impl NativeRuns {
    /// Whether all runs were made and none differs.
    pub fn are_complete(&self) -> bool {
        self.left_out == 0 && self.different.is_none()
    }
}

/// Runs a program and the native one made of the same sources on so many random inputs, corners of ranges among them, at
/// least 64. Where the two differ, [`tacit_cfront::check`] tells whether the C program's behaviour is defined.
///
/// The runs are counted and each is bounded, so they need no limit of time, and none that proofs have used up keeps them
/// from being made: of `stop`, only being told to stop ends them. What was not run stands in [`NativeRuns::left_out`].
///
/// # Errors
/// [`VerifyError`].
pub fn run_natively(
    program: &Program,
    sources: &[&Path],
    options: &Options,
    count: usize,
    stop: &Stop,
) -> Result<NativeRuns, VerifyError> {
    let plain = flatten(program, MAX_GATES)?;
    let native = Native::compile(sources, options)?;
    let mut patterns = Patterns::new(inputs::numbers(program));
    let mut runs = NativeRuns::default();
    let mut checked: Option<Checked> = None;
    let stop = stop.untimed();
    for batch in 0..count.div_ceil(LANES) {
        if stop.is_due() || !runs.are_complete() {
            runs.left_out += (count.div_ceil(LANES) - batch) * LANES;
            break;
        }
        let words = patterns.next();
        let lane =
            |words: &[u64], lane: usize| words.iter().map(|word| word >> lane & 1 == 1).collect::<Vec<_>>();
        let trials: Vec<Inputs> =
            (0..LANES).map(|number| inputs::from_bits(program, &lane(&words, number))).collect();
        let ours = plain.evaluate_lanes(&words).map_err(CompareError::from)?;
        for (number, (trial, theirs)) in trials.iter().zip(native.run(&trials)?).enumerate() {
            match theirs {
                NativeRun::Returned(theirs) if bits(&theirs) == lane(&ours, number) => {
                    runs.agreed += 1;
                    continue;
                }
                NativeRun::Assumption => {
                    runs.undefined += 1;
                    continue;
                }
                NativeRun::LeftOut => {
                    runs.left_out += 1;
                    continue;
                }
                NativeRun::Returned(_) | NativeRun::Stopped => {}
            }
            let checked = match &mut checked {
                Some(checked) => checked,
                none => none.insert(tacit_cfront::check(sources, options)?),
            };
            if violates(checked, trial) {
                runs.undefined += 1;
            } else {
                runs.different.get_or_insert_with(|| trial.clone());
            }
        }
    }
    Ok(runs)
}

/// All columns of all ports, lane by lane.
fn bits(ports: &[Vec<Words>]) -> Vec<bool> {
    let words = |words: &Words| {
        let lane = |lane: u64| (0..words.bits()).map(move |bit| (lane, bit));
        (0..words.lanes()).flat_map(lane).map(|(lane, bit)| words.bit(lane, bit)).collect::<Vec<_>>()
    };
    ports.iter().flatten().flat_map(words).collect()
}

/// Whether a run violates any property.
fn violates(checked: &Checked, inputs: &Inputs) -> bool {
    let outputs = interpret(&checked.program, inputs, || 0).unwrap_or_default();
    outputs.iter().flatten().any(|words| (0..words.lanes()).any(|lane| words.bit(lane, 0)))
}
