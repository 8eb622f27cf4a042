//! Measures how long this machine takes for each unit of computing, by small programs between two threads over TLS on loopback;
//! and, [with the peer](calibrate_with_peer), the link between the two.
//!
//! A process that has run programs before is faster: its memory is there, and base transfers, for instance, take a fifth less. So a program's
//! run is measured in [a process of its own](Programs), as parties have them.
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

/// Runs of each program, one after all others have run, so that not all are in a moment in which the machine is slow; the fastest counts.
const RUNS: usize = 3;

/// How programs are measured.
#[derive(Clone, Copy)]
pub struct Programs {
    /// Runs one of the engine's programs, by its number, as [`run_probe`] does; in a process that has run none
    /// before, so that the result is that of a party.
    pub run: fn(usize) -> std::io::Result<PhaseSeconds>,
    /// Those of others.
    pub others: Option<OtherPrograms>,
}

/// Seconds of setup and of online.
pub type PhaseSeconds = [f64; 2];

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

/// Measures this machine. Other work on it has no effect on the result if the system reports how long a thread had a processor. `watch` gets how many runs of how many
/// are done.
///
/// Cost: less than half a minute on two cores.
///
/// # Errors
/// [`RunError`] if this machine cannot run both parties: no processes, no threads, no sockets on loopback.
pub fn calibrate(
    name: &str,
    programs: Programs,
    watch: &mut dyn FnMut(usize, usize),
) -> Result<Profile, RunError> {
    let probes = probes::all().map_err(std::io::Error::other)?;
    let (own, Programs { run, others }) = (RUNS * probes.len(), programs);
    let all = own + others.map_or(0, |others| others.count);
    let mut least = vec![[f64::INFINITY; 2]; probes.len()];
    for done in 0..own {
        watch(done, all);
        let number = done % probes.len();
        let seconds = run(number)?;
        least[number] = [0, 1].map(|phase| least[number][phase].min(seconds[phase]));
    }
    let mut samples = Vec::new();
    for (probe, least) in probes.iter().zip(least) {
        samples.extend(sampled(probe, least)?);
    }
    watch(own, all);
    if let Some(others) = others {
        samples.extend((others.measure)(&mut |number| watch(own + number, all))?);
    }
    Ok(fit::fitted(&samples, Profile::named(name)))
}

/// The computing of a program's setup and online, and these times.
fn sampled(probe: &Probe, seconds: PhaseSeconds) -> Result<[Sample; 2], RunError> {
    let forecast = *plan(&probe.program, &probe.options)?.forecast();
    let sample = |effort: Effort, seconds: f64| Sample {
        computing: effort.computing,
        streamed: effort.streamed,
        nanoseconds: seconds * 1e9,
    };
    Ok([sample(forecast.setup, seconds[0]), sample(forecast.online, seconds[1])])
}

/// Runs a program by its number, with both parties in this process; returns the processor time of the slower
/// one's phases. None if there is no such program.
///
/// # Errors
/// [`RunError`] if this machine cannot run both parties.
pub fn run_probe(number: usize) -> Result<Option<PhaseSeconds>, RunError> {
    let probes = probes::all().map_err(std::io::Error::other)?;
    let Some(Probe { program, options }) = probes.into_iter().nth(number) else { return Ok(None) };
    let plan = Arc::new(plan(&program, &options)?);
    let ports = program.inputs.iter().map(|port| port.shape.columns());
    let columns = ports.map(|columns| columns.iter().map(|one| probes::words(one.bits, one.lanes)).collect());
    let inputs: Vec<Vec<_>> = columns.collect();
    let task = RunTask { program: Arc::new(program), plan, compiler: String::new(), progress: None };
    let reports = pair::run(&task, &inputs)?;
    let of = |phase| reports.iter().map(|report| seconds(report, phase)).fold(0.0, f64::max);
    Ok(Some([Phase::Setup, Phase::Online].map(of)))
}

/// The time in which the party's thread had a processor, or the elapsed time if the system does not report that.
fn seconds(report: &Report, phase: Phase) -> f64 {
    report.phase(phase).map_or(0.0, |phase| phase.processor_seconds.unwrap_or(phase.seconds))
}
