//! Measures how long this machine takes for each unit of computing, by small programs between two threads over TLS on loopback;
//! and, [with the peer](calibrate_with_peer), the link between the two.
//!
//! The plan of a program gives its computing in units; the rates are those that explain the times of all programs best (`fit.rs`). So the rates
//! include whatever the engine does between kernels, and predictions and measurements count in the same way.

pub(crate) mod constants;
mod fit;
mod link;
mod machine;
mod pair;
mod peer;
mod probes;

use std::sync::Arc;

use tacit_net::Phase;
use tacit_plan::Profile;
use tacit_schedule::Effort;

pub use link::{LinkChange, MeasuredLink, Spread};
pub use machine::OwnMachine;
pub use peer::{Calibrated, calibrate_with_peer};

use crate::{Report, RunError, RunTask, plan};
pub use fit::Sample;
use probes::Probe;

/// Runs of each program; the fastest counts.
const RUNS: usize = 3;

/// Programs of others to be measured, too: those among three parties or more are not the engine's.
#[derive(Clone, Copy)]
pub struct OtherPrograms {
    /// How many there are.
    pub count: usize,
    /// Measures them; calls back with the number of those that have run.
    pub measure: fn(&mut dyn FnMut(usize)) -> Samples,
}

/// What was measured.
pub type Samples = std::io::Result<Vec<Sample>>;

/// Measures this machine, by the engine's programs and `others`. Other work on it has no effect on the result if the system reports how long a thread had a processor. `watch` gets how many programs of how many
/// have run.
///
/// Cost: about ten seconds on two cores.
///
/// # Errors
/// [`RunError`] if this machine cannot run both parties: no threads, no sockets on loopback.
pub fn calibrate(
    name: &str,
    others: Option<OtherPrograms>,
    watch: &mut dyn FnMut(usize, usize),
) -> Result<Profile, RunError> {
    let probes = probes::all().map_err(std::io::Error::other)?;
    let own = probes.len();
    let all = own + others.map_or(0, |others| others.count);
    let mut samples = Vec::new();
    for (number, probe) in probes.iter().enumerate() {
        watch(number, all);
        samples.extend(measured(probe)?);
    }
    watch(own, all);
    if let Some(others) = others {
        samples.extend((others.measure)(&mut |number| watch(own + number, all))?);
    }
    Ok(fit::fitted(&samples, Profile::named(name)))
}

/// The computing of a program's setup and online, and the minimum of its processor time.
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

/// The time in which the party's thread had a processor, or the elapsed time if the system does not report that.
fn seconds(report: &Report, phase: Phase) -> f64 {
    report.phase(phase).map_or(0.0, |phase| phase.processor_seconds.unwrap_or(phase.seconds))
}
