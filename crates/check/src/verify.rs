//! Verifies that schedules compute what their programs say.

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
    /// They differ on these inputs.
    Different(Inputs),
    /// The limit was reached first: this many output bits are not known to be equal.
    Undecided(usize),
}

/// A program that could not be verified.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The program has no unoptimised circuit.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// The schedule has no circuit.
    #[error(transparent)]
    Schedule(#[from] EvaluateError),
    /// The C program cannot be compiled or run natively.
    #[error(transparent)]
    C(#[from] CError),
    /// The two circuits do not fit together.
    #[error(transparent)]
    Compare(#[from] CompareError),
}

/// Proves that a schedule, gate by gate as protocols run it, computes the same as the direct translation of
/// its program, which no optimiser has changed.
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

/// Comparison of a program's runs with those of the natively compiled program.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct NativeRuns {
    /// Runs whose outputs are the same.
    pub agreed: usize,
    /// Runs in which the C program has undefined behaviour or violates an assumption; their outputs are not
    /// compared.
    pub undefined: usize,
    /// Runs that were not made or not finished, because too many native runs took too long.
    pub left_out: usize,
    /// Inputs on which the two differ although the C program's behaviour is defined.
    pub different: Option<Inputs>,
}

impl NativeRuns {
    /// Whether all runs were made and none differs.
    pub fn are_complete(&self) -> bool {
        self.left_out == 0 && self.different.is_none()
    }
}

/// Runs a program and the native program of the same sources on this many random inputs, including corners of
/// ranges, but at least 64. If the two differ, [`tacit_cfront::check`] decides whether the C program's
/// behaviour is defined.
///
/// The number of runs is fixed and each is bounded, so no time limit applies to them, even if proofs have
/// used up theirs; only an explicit stop of `stop` ends them. Runs that were not made are counted in
/// [`NativeRuns::left_out`].
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
