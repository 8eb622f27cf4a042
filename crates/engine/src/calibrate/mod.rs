//! How long this machine takes for each unit of computing, measured by running small programs between two threads over TLS on loopback.
//!
//! What a program computes is known from its plan, unit by unit; its rates are those under which all programs take the times that were measured
//! (`fit.rs`). So whatever the engine does between kernels is in the rates, and one fold says what is predicted and what is measured.

mod fit;
mod pair;
mod probes;

use std::sync::Arc;

use tacit_net::Phase;
use tacit_plan::Profile;
use tacit_schedule::Effort;

use crate::{Report, RunError, RunTask, plan};
use fit::Sample;
use probes::Probe;

/// Runs of each program, of which the fastest counts.
const RUNS: usize = 3;

/// Measures this machine. Other work beside it makes it no slower where the system tells how long a thread had a processor; `watch` is told how many of all programs have run.
///
/// Cost: some ten seconds on two cores.
///
/// # Errors
/// [`RunError`] where this machine cannot run both parties: no threads, no sockets on loopback.
pub fn calibrate(name: &str, watch: &mut dyn FnMut(usize, usize)) -> Result<Profile, RunError> {
    let probes = probes::all().map_err(std::io::Error::other)?;
    let mut samples = Vec::new();
    for (number, probe) in probes.iter().enumerate() {
        watch(number, probes.len());
        samples.extend(measured(probe)?);
    }
    watch(probes.len(), probes.len());
    Ok(fit::fitted(&samples, Profile::named(name)))
}

/// What setup and online of a program compute, and the least time of a processor that they took.
fn measured(probe: &Probe) -> Result<Vec<Sample>, RunError> {
    let plan = Arc::new(plan(&probe.program, &probe.options)?);
    let forecast = *plan.forecast();
    let program = Arc::new(probe.program.clone());
    let ports = program.inputs.iter().map(|port| port.shape.columns());
    let columns = ports.map(|columns| columns.iter().map(|one| probes::words(one.bits, one.lanes)).collect());
    let inputs: Vec<Vec<_>> = columns.collect();
    let task = RunTask { program, plan, compiler: String::new(), progress: None };
    let mut least = [f64::INFINITY; 2];
    for _ in 0..RUNS {
        let reports = pair::run(&task, &inputs)?;
        for (least, phase) in least.iter_mut().zip([Phase::Setup, Phase::Online]) {
            *least = least.min(reports.iter().map(|report| seconds(report, phase)).fold(0.0, f64::max));
        }
    }
    let sample = |(effort, seconds): (Effort, f64)| Sample {
        computing: effort.computing,
        streamed: effort.streamed,
        nanoseconds: seconds * 1e9,
    };
    Ok([forecast.setup, forecast.online].into_iter().zip(least).map(sample).collect())
}

/// The time in which the party's thread had a processor, or where the system does not tell, the time that passed.
fn seconds(report: &Report, phase: Phase) -> f64 {
    report.phase(phase).map_or(0.0, |phase| phase.processor_seconds.unwrap_or(phase.seconds))
}
