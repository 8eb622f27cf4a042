//! Measures how long this machine takes for what compiled programs among three parties and more compute, by small
//! programs whose parties are all on this machine, over TLS on loopback.
//!
//! A prediction counts what a party computes in units; here are times for such counts, of which rates follow.

mod meeting;
mod probes;

use std::time::Duration;

use tacit_ir::{BuildError, Words};
use tacit_math::field::{Field, Gf256, Montgomery};
use tacit_schedule::Computing;

use crate::compiled::{Compiled, CompiledError};
use crate::error::{RunError, UsageError};
use crate::party::Party;
use crate::processor::process_time;
use probes::Probe;

pub use probes::COUNT;

/// Runs of each program; the fastest counts.
const RUNS: usize = 3;

/// The digits of 2^127 - 1, the modulus of words.
const MODULUS: [u64; 2] = [u64::MAX, u64::MAX >> 1];

/// What a party computed in a program's run.
#[derive(Clone, Copy, Debug)]
pub struct Measurement {
    /// In units.
    pub computing: Computing,
    /// The time for which a party had a processor, on average.
    pub processor: Duration,
}

/// Why this machine cannot be measured.
#[derive(Debug, thiserror::Error)]
pub enum CalibrationError {
    /// A program is not valid.
    #[error(transparent)]
    Program(#[from] BuildError),
    /// A program cannot be run.
    #[error(transparent)]
    Run(#[from] CompiledError),
}

/// Measures this machine. Everything that this process computes meanwhile counts; other processes have no effect.
/// `watch` gets the number of finished programs, of [`COUNT`].
///
/// Cost: a few seconds on two cores.
///
/// Errors: this machine cannot run the parties: no threads, no sockets on loopback.
pub fn calibrate(watch: &mut dyn FnMut(usize)) -> Result<Vec<Measurement>, CalibrationError> {
    let mut all = Vec::with_capacity(COUNT);
    for probe in probes::all() {
        let probe = probe?;
        all.push(match probe.in_prime_field {
            true => measured(&prime().map_err(CompiledError::from)?, &probe)?,
            false => measured(&Gf256, &probe)?,
        });
        watch(all.len());
    }
    Ok(all)
}

fn prime() -> Result<Montgomery<2>, RunError> {
    let wrong = |cause| UsageError::Modulus { modulus: (u128::MAX >> 1).into(), cause };
    Ok(Montgomery::new(&MODULUS).map_err(wrong)?)
}

fn measured<F: Field>(field: &F, probe: &Probe) -> Result<Measurement, CompiledError> {
    let compiled = Compiled::lowered(&probe.program, &probe.options, &[0, 1])?;
    let inputs = probe.inputs();
    let parties = probe.parties;
    let found =
        meeting::together(field, (parties, probe.security), move |party| run(party, &compiled, &inputs))?;
    let computing = found.first().map_or_else(Computing::default, |found| found.computing);
    let processor = found.iter().map(|found| found.processor).min().unwrap_or_default();
    Ok(Measurement { computing, processor })
}

/// The fastest of some runs. All parties begin and end each run together.
fn run<F: Field>(
    party: &Party<F>,
    compiled: &Compiled,
    inputs: &[Words; 2],
) -> Result<Measurement, CompiledError> {
    let task = party.root();
    let computing = compiled.plan(&task)?.prediction().computing;
    let given = |owner: usize| if task.me() == owner { vec![inputs[owner].clone()] } else { vec![] };
    let inputs = [given(0), given(1)];
    let mut least = Duration::MAX;
    for _ in 0..RUNS {
        task.wait(&task.synchronise()?)?;
        let before = process_time();
        compiled.run(&task, &inputs)?;
        task.wait(&task.synchronise()?)?;
        least = least.min(process_time().saturating_sub(before) / task.names().len() as u32);
    }
    Ok(Measurement { computing, processor: least })
}

#[cfg(test)]
mod tests {
    use tacit_schedule::Unit;

    use super::*;
    use crate::security::Security;

    #[test]
    fn a_party_computes_what_the_program_has() {
        // Products of 1000 words, as circuits.
        let probe = probes::all().nth(1).expect("some").expect("a program");
        let compiled = Compiled::lowered(&probe.program, &probe.options, &[0, 1]).expect("circuits");
        let of = |security, size| {
            let predicted = compiled.prediction_against(security, size).expect("a prediction");
            move |unit: Unit| predicted.computing.count(unit)
        };
        let (three, four) = (of(Security::Passive, (3, 1)), of(Security::Passive, (4, 1)));
        let ands = compiled.and_count();
        assert_eq!(8 * three(Unit::OctetProduct), ands);
        assert_eq!((four(Unit::ByteProduct), four(Unit::KingByte)), (ands, 4 * ands));
        assert_eq!((three(Unit::KingByte), four(Unit::OctetProduct)), (0, 0));
        assert!(three(Unit::SharedGateByte) * 8 > ands);
        assert_eq!(three(Unit::SharedGateByte), four(Unit::SharedGateByte));
        assert_eq!(three(Unit::VerifiedByte), 0);
        // Products and the bits of inputs.
        assert!(of(Security::Active, (4, 1))(Unit::VerifiedByte) > ands);
    }

    #[test]
    fn every_program_runs_and_takes_time() {
        let mut watched = Vec::new();
        let found = calibrate(&mut |number| watched.push(number)).expect("measured");
        assert_eq!(watched, Vec::from_iter(1..=COUNT));
        for one in found {
            assert!(one.processor > Duration::ZERO && one.computing != Computing::default(), "{one:?}");
        }
    }
}
