//! Compiled programs among any number of parties.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde_json::{Value, json};
use tacit_ir::{Domain, Program as Ir, RoleId, STORED_ROLE, Words};
use tacit_lower::{Assigned, OpClass, Options};
use tacit_net::Phase;
use tacit_nparty::compiled::{
    Comparison, Compiled, CompiledError, Pins, Plan, Schedules, Sharing, Speaker, Split,
};
use tacit_nparty::dynamic::{AnyTask, FieldChoice, prediction};
use tacit_nparty::outside::SplitRun;
use tacit_nparty::runtime::{PeerTraffic, Prediction};
use tacit_nparty::{PartyIndex, Security, sets};
use tacit_plan::{Link, Profile, SecurityParams, WorkAmong};

use super::errors::failure;
use super::integers;
use super::run_time::{self, Measured, RunCount, Stopwatch};
use crate::errors::{AbortError, InputError, ProgramError, UsageError, run_error};
use crate::links::planned;
use crate::program::Program;
use crate::run::outputs_of;

/// JSON outputs by role.
pub type Outputs = BTreeMap<String, String>;

/// Finished runs of one plan.
pub struct PastRuns {
    compiled: Compiled,
    plan: Plan,
    ir: Arc<Ir>,
    source: Option<String>,
    times: u64,
    /// Their traffic, by party.
    traffic: Vec<PeerTraffic>,
    /// Their time.
    measured: Measured,
}

impl PastRuns {
    /// Merges a run with those of the same plan.
    pub fn add(self, all: &mut Vec<PastRuns>) {
        let Some(known) = all.iter_mut().find(|known| known.plan.hash() == self.plan.hash()) else {
            return all.push(self);
        };
        known.times += self.times;
        known.measured.add(self.measured);
        for (known, more) in known.traffic.iter_mut().zip(self.traffic) {
            known.sent += more.sent;
            known.received += more.received;
        }
    }

    /// The report of these runs at one of the parties, with the times by the model of plans for a link and a
    /// profile.
    ///
    /// Errors: the program is not valid.
    pub fn report(
        &self,
        (me, names): (PartyIndex, &[String]),
        (planned, profile): Planned<'_>,
    ) -> Result<Value, CompiledError> {
        let run = (&self.plan, &*self.ir, self.source.as_deref());
        let mut report = json!(self.compiled.report(run, (me, names), (self.times, &self.traffic))?);
        let time = run_time::predicted(self.plan.prediction(), (planned, profile));
        let deviation = self.measured.deviation(time.repeated(self.times), planned);
        report["predicted"]["time"] = json!({ Phase::Online.name(): time });
        report["planned_link"] = json!(planned);
        report["profile"] = json!(profile.to_string());
        report["measured"] = self.measured.report();
        report["deviations"] = json!(Vec::from_iter(deviation));
        Ok(report)
    }
}

/// A finished run: its plan, the program as it ran, its time, and the columns of every output port of the
/// original program.
type Ran = (Plan, Compiled, Arc<Ir>, Measured, Vec<Vec<Words>>);

/// One party's part of a run of a compiled program.
pub struct CompiledPart {
    ir: Arc<Ir>,
    /// The file that lines of the program refer to.
    source: Option<String>,
    /// The party that speaks for each role.
    speakers: Vec<Speaker>,
    /// This party's roles.
    mine: Vec<RoleId>,
    /// The columns of every input port; empty for those of other parties.
    inputs: Vec<Vec<Words>>,
    options: Options,
    shared: SharedAs,
}

/// What the caller asks of a plan.
#[derive(Clone, Copy, Default)]
pub struct Asked<'a> {
    /// The work for small circuits.
    pub effort: Option<u64>,
    /// How values are shared that the program does not pin: the name of a domain, or `auto`.
    pub domain: Option<&'a str>,
    /// The domains of classes of operations.
    pub classes: Option<&'a str>,
}

/// How values are shared that a program does not pin.
#[derive(Clone, Copy)]
enum SharedAs {
    /// As bits. Where a field has no room for pinned words, or they are not verified, these are bits, too.
    Usual,
    /// In the domains of the options, which were requested: a field without room for their words is refused.
    Asked,
    /// As in the plan that is predicted to be fastest.
    Fastest,
}

/// How many parties there are, the threshold, and the security.
pub type Among = ((usize, usize), Security);

/// The link and the profile by which times are predicted.
type Planned<'a> = (Link, &'a Profile);

impl CompiledPart {
    /// `speakers` are those of the roles, in the program's order; `given` holds JSON inputs of this party's
    /// roles.
    ///
    /// Errors: the program is not for many parties, inputs are given for a role of another party, inputs do
    /// not fit, or a domain does not exist among so many parties.
    pub fn new(
        program: &Program,
        me: PartyIndex,
        speakers: Vec<Speaker>,
        given: &BTreeMap<String, String>,
        (among, asked): (Among, Asked<'_>),
    ) -> PyResult<CompiledPart> {
        let usual = Compiled::usual_options(among.0, among.1);
        let roles = &program.ir.roles;
        if roles.iter().any(|role| role == STORED_ROLE) {
            let message = format!(
                "{} keeps shares between runs, which only sessions of two parties \
                support",
                program.ir.name
            );
            return Err(ProgramError::new_err(message));
        }
        let is_mine = |number: usize| speakers.get(number) == Some(&Speaker::Computing(me));
        let mine: Vec<_> = (0..roles.len()).filter(|number| is_mine(*number)).collect();
        if let Some(other) = given.keys().find(|name| !mine.iter().any(|number| roles[*number] == **name)) {
            return Err(UsageError::new_err(format!(
                "this party does not give the inputs of a role {other}"
            )));
        }
        let mine: Vec<_> = mine.into_iter().map(|number| RoleId(number as u32)).collect();
        let inputs = program.columns(given, mine.iter().copied())?;
        let assigned = asked.classes.map_or(Ok(usual.assigned), |text| assigned_among(text, among))?;
        let (shared, domain) = match asked.domain {
            None if assigned.is_empty() => (SharedAs::Usual, usual.domain),
            None => (SharedAs::Asked, usual.domain),
            Some(AUTO) => (SharedAs::Fastest, usual.domain),
            Some(name) => (SharedAs::Asked, domain_among(name, among)?),
        };
        let effort = asked.effort.unwrap_or(usual.effort);
        let bits = Compiled::bits_beside(domain, assigned);
        let options = Options { effort, domain, bits, assigned, ..usual };
        let (ir, source) = (program.ir.clone(), program.source.clone());
        Ok(CompiledPart { ir, source, speakers, mine, inputs, options, shared })
    }

    /// Runs the program in a task that traces nothing else meanwhile. Blocks; needs no interpreter.
    ///
    /// Errors: the program has no circuits, the session computes in another field, or the computation has
    /// ended.
    pub fn run(
        &self,
        task: &dyn AnyTask,
        (schedules, planned): (&Schedules, Planned<'_>),
        (runs, within): (&RunCount, Duration),
    ) -> PyResult<(Outputs, PastRuns)> {
        let run = catch_unwind(AssertUnwindSafe(|| self.outputs(task, (schedules, planned), (runs, within))));
        let panicked =
            |_| Err(PyRuntimeError::new_err("internal error; its report is printed above; please report it"));
        run.unwrap_or_else(panicked)
    }

    fn outputs(
        &self,
        task: &dyn AnyTask,
        (schedules, planned): (&Schedules, Planned<'_>),
        (runs, within): (&RunCount, Duration),
    ) -> PyResult<(Outputs, PastRuns)> {
        task.at(task.call_site(self.ir.name.clone()));
        let all_compute: Option<Vec<_>> = self.speakers.iter().map(computing).collect();
        let run = || match all_compute {
            Some(parties) => {
                let compiled = self.compiled((&self.ir, &parties), task, (schedules, planned))?;
                let plan = task.plan(&compiled)?;
                let mut watch = Stopwatch::start(runs, task);
                // Others may still be making their plan.
                let outputs = task.run(&compiled, &self.inputs, &mut || watch.restart())?;
                Ok((plan, compiled, self.ir.clone(), watch.stop(), outputs))
            }
            None => self.split(task, (schedules, planned), (runs, within)),
        };
        let (plan, compiled, ir, measured, outputs) = run().map_err(|error| self.error(error))?;
        let (source, traffic) = (self.source.clone(), task.payload());
        let past = PastRuns { compiled, plan, ir, source, times: 1, traffic, measured };
        Ok((outputs_of(&self.ir, &self.mine, &outputs), past))
    }

    /// Runs the program with parties that do not compute but speak for roles; `timeout` bounds the wait for
    /// them.
    fn split(
        &self,
        task: &dyn AnyTask,
        (schedules, planned): (&Schedules, Planned<'_>),
        (runs, within): (&RunCount, Duration),
    ) -> Result<Ran, CompiledError> {
        let size = (task.names().len(), task.threshold());
        let split = Split::new(&self.ir, &self.speakers, size, Sharing::of(task.security()))?;
        let ir = Arc::new(split.program().clone());
        let compiled = self.compiled((&ir, split.parties()), task, (schedules, planned))?;
        let compiled = compiled.with_shared_inputs(&split.shared_inputs());
        let run = SplitRun { program: (&self.ir, &self.speakers), split: &split, compiled: &compiled };
        let plan = task.plan(&compiled)?;
        let watch = Stopwatch::start(runs, task);
        let outputs = task.run_split(&run, &self.inputs, within)?;
        Ok((plan, compiled, ir, watch.stop(), outputs))
    }

    /// The program as it runs in the field of a task.
    fn compiled(
        &self,
        (ir, parties): (&Ir, &[PartyIndex]),
        task: &dyn AnyTask,
        (schedules, planned): (&Schedules, Planned<'_>),
    ) -> Result<Compiled, CompiledError> {
        if let SharedAs::Fastest = self.shared {
            let predicted = |compiled: &Compiled| Ok(task.plan(compiled)?.prediction().clone());
            let size = (task.names().len(), task.threshold());
            let bits = Compiled::bit_domains(size, task.security());
            return self.fastest((ir, parties), (schedules, &bits), &predicted, planned);
        }
        let lowered = |pins| schedules.lowered(ir, (&self.options, pins), parties);
        let compiled = lowered(Pins::Kept)?;
        if matches!(self.shared, SharedAs::Asked) || !compiled.has_words() {
            return Ok(compiled);
        }
        match task.plan(&compiled) {
            Err(CompiledError::Room { .. } | CompiledError::WordsNotVerified) => lowered(Pins::Bits),
            planned => planned.map(|_| compiled),
        }
    }

    /// The program as its run is predicted to be fastest.
    fn fastest(
        &self,
        (ir, parties): (&Ir, &[PartyIndex]),
        (schedules, bits): (&Schedules, &[Domain]),
        predicted: &dyn Fn(&Compiled) -> Result<Prediction, CompiledError>,
        planned: Planned<'_>,
    ) -> Result<Compiled, CompiledError> {
        let cost =
            |compiled: &Compiled| Ok(run_time::predicted(&predicted(compiled)?, planned).nanoseconds());
        let ceiling = |nanoseconds| WorkAmong::ceiling(nanoseconds, planned.0, planned.1);
        let comparison = Comparison { cost: &cost, ceiling: &ceiling, bits };
        schedules.cheapest(ir, &self.options, parties, &comparison)
    }

    /// The exception for a run that failed.
    fn error(&self, error: CompiledError) -> PyErr {
        let message = error.to_string();
        match error {
            CompiledError::Run(error) => failure(&error),
            CompiledError::Lower(error) => {
                run_error(tacit_engine::RunError::Plan(error.into()), self.source.as_deref())
            }
            CompiledError::Role { .. }
            | CompiledError::Party { .. }
            | CompiledError::Room { .. }
            | CompiledError::WordsNotVerified => UsageError::new_err(message),
            CompiledError::Inputs { .. } | CompiledError::Input { .. } => InputError::new_err(message),
            CompiledError::NoBit { .. } => AbortError::new_err(message),
            _ => ProgramError::new_err(message),
        }
    }
}

/// The number of a party that computes.
fn computing(speaker: &Speaker) -> Option<PartyIndex> {
    match speaker {
        Speaker::Computing(party) => Some(*party),
        Speaker::Outside(_) => None,
    }
}

/// The exact traffic of a run among this many parties, of which as many as possible may collude, what a party
/// computes, whether it has words, and how values are shared, as JSON, without running it. The roles are the first parties; `modulus` is the prime for words. With the domain `auto`,
/// values are shared as in the plan that is predicted to be fastest for a link and a profile.
#[pyfunction]
#[pyo3(signature = (program, parties, *, domain, modulus, classes = None, link = "lan", profile = None))]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
pub fn prediction_among(
    py: Python<'_>,
    program: &Program,
    parties: usize,
    domain: &str,
    modulus: &Bound<'_, PyAny>,
    classes: Option<&str>,
    link: &str,
    profile: Option<&str>,
) -> PyResult<String> {
    let threshold =
        sets::largest_threshold(parties).map_err(|error| UsageError::new_err(error.to_string()))?;
    let modulus = integers::integer(modulus)?.to_biguint();
    let field =
        FieldChoice::Prime(modulus.ok_or_else(|| UsageError::new_err("the modulus must be positive"))?);
    let roles: Vec<PartyIndex> = (0..program.ir.roles.len()).collect();
    let speakers = roles.iter().map(|party| Speaker::Computing(*party)).collect();
    let asked = Asked { domain: Some(domain), classes, ..Asked::default() };
    let among = ((parties, threshold), Security::Passive);
    let part = CompiledPart::new(program, parties, speakers, &BTreeMap::new(), (among, asked))?;
    let (link, profile) = planned(link, profile)?;
    let bits = SecurityParams::default().statistical_bits as usize;
    let predicted = py.detach(|| {
        let schedules = Schedules::default();
        let predicted = |compiled: &Compiled| prediction(compiled, &field, (parties, threshold), bits);
        let compiled = match part.shared {
            SharedAs::Fastest => {
                let bits = Compiled::bit_domains((parties, threshold), Security::Passive);
                part.fastest((&part.ir, &roles), (&schedules, &bits), &predicted, (link, &profile))?
            }
            _ => schedules.lowered(&part.ir, (&part.options, Pins::Kept), &roles)?,
        };
        Ok((predicted(&compiled)?, compiled))
    });
    let (predicted, compiled) = predicted.map_err(|error| part.error(error))?;
    let mut told = json!(predicted);
    told["has_words"] = compiled.has_words().into();
    let options = compiled.options().unwrap_or(&part.options);
    told["domain"] = options.domain.name().into();
    told["classes"] = options.assigned.to_string().into();
    let units = predicted.computing.iter().map(|(unit, count)| (unit.name(), count));
    told["computing"] = json!(BTreeMap::from_iter(units));
    Ok(told.to_string())
}

/// The name of the choice by predicted times.
const AUTO: &str = "auto";

/// The domain of this name among these parties.
fn domain_among(name: &str, among: Among) -> PyResult<Domain> {
    let all = Compiled::domains_among(among.0, among.1);
    let found = all.iter().find(|domain| domain.name() == name);
    found.copied().ok_or_else(|| not_here(("domain", name), (all, among), &[AUTO]))
}

/// The domains of classes of operations among these parties.
fn assigned_among(text: &str, among: Among) -> PyResult<Assigned> {
    let assigned: Assigned = text.parse().map_err(|_| {
        UsageError::new_err(format!("--classes {text}: write for example products=arith,comparisons=bool"))
    })?;
    let all = Compiled::domains_among(among.0, among.1);
    let is_here = |class: OpClass| assigned.of(class).is_none_or(|domain| all.contains(&domain));
    match OpClass::ALL.into_iter().all(is_here) {
        true => Ok(assigned),
        false => Err(not_here(("classes", text), (all, among), &[])),
    }
}

/// The error for an option that names a domain which these parties don't have; `others` are names besides those of domains.
fn not_here(
    (option, given): (&str, &str),
    (mut all, ((parties, _), security)): (Vec<Domain>, Among),
    others: &[&str],
) -> PyErr {
    all.sort();
    all.dedup();
    let names: Vec<_> = all.iter().map(|domain| domain.name()).chain(others.iter().copied()).collect();
    let security = if security == Security::Active { " with active security" } else { "" };
    UsageError::new_err(format!(
        "--{option} {given} cannot be used among {parties} parties{security}; use {}",
        names.join(", ")
    ))
}
