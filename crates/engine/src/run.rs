use std::fmt;
use std::sync::Arc;

use tacit_ir::{PortId, Program, Words};
use tacit_net::Meter;
use tacit_net::keys::SecretKey;
use tacit_net::session::{Config, Field};
use tacit_plan::{Plan, PlanError, PlanOptions, SecurityParams, Side};

use crate::inputs::PartyInputs;
use crate::open::{OpenSession, RunTask, SessionTerms};
use crate::progress::{Ticker, Tracker, Watched};
use crate::stored_shares::ShareStore;
use crate::{CancelFlag, Failure, ProgressSink, Report, RunError, YaoPrices};

/// One party's part of a run: everything but the peer. `Debug` shows nothing of the inputs.
pub struct Job {
    /// The program, the same at both parties.
    pub program: Arc<Program>,
    /// The plan that [`plan`] made of it.
    pub plan: Arc<Plan>,
    /// Who made the program of its source, such as a compiler and its version; shown where the parties' programs differ.
    pub compiler: String,
    /// The name of this party.
    pub party: String,
    /// How the parties meet.
    pub session: Config,
    /// This party's key; not needed on a transport that does not authenticate.
    pub key: Option<SecretKey>,
    /// The columns of every input port of this party's roles. Secret.
    pub inputs: Vec<(PortId, Vec<Words>)>,
    /// Who is told how far the run is.
    pub progress: Option<ProgressSink>,
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job")
            .field("program", &self.program.name)
            .field("party", &self.party)
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}

/// What a run gives to one party.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The columns of every output port; none for ports that this party does not learn.
    pub outputs: Vec<Vec<Words>>,
    /// What the run did and cost.
    pub report: Report,
}

/// Plans a run of `program` with the protocols of this engine.
///
/// # Errors
/// As [`tacit_plan::plan`].
pub fn plan(program: &Program, options: &PlanOptions) -> Result<Plan, PlanError> {
    tacit_plan::plan(program, options, &YaoPrices)
}

/// As [`plan`]; `progress` is told the steps of [`tacit_lower::Options::effort`] that are done, in analysis.
///
/// # Errors
/// As there.
pub fn plan_watched(
    program: &Program,
    options: &PlanOptions,
    progress: &ProgressSink,
) -> Result<Plan, PlanError> {
    let total = options.lowering.effort;
    tacit_plan::plan_watched(program, options, &YaoPrices, &mut |steps| progress.optimising(steps, total))
}

/// Meets the peer, compares with it what is to be run, and runs it.
///
/// Nothing of the inputs is used before both parties know that they run the same. When the run fails or is cancelled the
/// peer is told so, and no output is given.
///
/// Security: that of the plan's protocols, with semi-honest parties; `inputs` are secret.
///
/// # Errors
/// [`RunError`], whose class says who or what is at fault. A peer that is absent, gone or silent is noticed within the
/// session's time limit.
pub async fn run(job: &Job, cancel: &CancelFlag) -> Result<Outcome, RunError> {
    run_keeping(job, None, cancel).await
}

/// As [`run`], for programs that read shares that earlier runs have kept in `store`, or keep shares there.
///
/// # Errors
/// As [`run`]; [`crate::Failure::ShareStore`].
pub async fn run_keeping(
    job: &Job,
    store: Option<ShareStore>,
    cancel: &CancelFlag,
) -> Result<Outcome, RunError> {
    let parties = job.plan.parties();
    let me = parties
        .side_of(&job.party)
        .ok_or_else(|| refuse(&job.party, "speaks for no role of the program, so it takes no part"))?;
    let inputs = PartyInputs::check(&job.program, parties, me, &job.inputs)?;
    let terms = SessionTerms {
        party: job.party.clone(),
        peer: parties.name(me.peer()).to_owned(),
        session: job.session.clone(),
        key: job.key.clone(),
        security: *job.plan.security(),
        shares: store,
    };
    let task = RunTask {
        program: job.program.clone(),
        plan: job.plan.clone(),
        compiler: job.compiler.clone(),
        progress: job.progress.clone(),
    };
    let mut session = OpenSession::open_for(terms, &task, cancel).await?;
    match session.run_with(&task, me, inputs, cancel).await {
        Ok(outcome) => session.close(None, cancel).await.map(|()| outcome),
        Err(error) => {
            session.abort().await;
            Err(error)
        }
    }
}

/// Starts telling the progress. A system that has no thread left for it still has a run.
pub(crate) fn ticker(
    progress: &Option<ProgressSink>,
    side: Side,
    tracker: &Arc<Tracker>,
    meter: &Meter,
) -> Option<Ticker> {
    let watched = Watched { tracker: tracker.clone(), meter: meter.clone(), side };
    Ticker::start(watched, progress.clone()?).ok()
}

/// What `work` gives, unless the run is cancelled first.
pub(crate) async fn unless_cancelled<T, E: Into<Failure>>(
    cancel: &CancelFlag,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, Failure> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(Failure::Cancelled),
        result = work => result.map_err(Into::into),
    }
}

/// The session without parties that have no part in the run.
pub(crate) fn session_with(plan: &Plan, session: &Config) -> Result<Config, RunError> {
    let parties = plan.parties();
    let computing = [Side::Garbler, Side::Evaluator].map(|side| parties.name(side));
    let outside_parties = parties.outside_parties();
    let mut session = session.clone();
    session
        .parties
        .retain(|party| computing.contains(&&party.name[..]) || outside_parties.contains(&&party.name[..]));
    session.computing = match outside_parties.is_empty() {
        true => Vec::new(),
        false => computing.map(str::to_owned).to_vec(),
    };
    let absent = |name: &&&str| session.parties.iter().all(|party| party.name != ***name);
    let missing = computing.iter().chain(&outside_parties).find(absent);
    match missing {
        Some(name) => Err(refuse(name, "speaks for a role of the program but is not in the session")),
        None => Ok(session),
    }
}

fn refuse(party: &str, reason: &'static str) -> RunError {
    RunError::Party { party: party.to_owned(), reason }
}

/// What both parties of a session of one run must have the same, most telling first.
pub(crate) fn greeting(program: &Program, plan: &Plan, compiler: &str) -> Vec<Field> {
    let build = crate::build().fields();
    build.into_iter().chain(fields(program, plan, compiler)).collect()
}

/// What both parties must have the same of a run, most telling first.
pub(crate) fn fields(program: &Program, plan: &Plan, compiler: &str) -> Vec<Field> {
    let parties = plan.parties();
    let role = |(index, name): (usize, &String)| {
        let role = tacit_ir::RoleId(index as u32);
        match (parties.party(role), parties.side(role)) {
            (Some(party), Some(_)) => format!("{name} is {party}"),
            (Some(party), None) => format!("{name} is {party}, which does not compute"),
            (None, _) => "shares are kept".to_owned(),
        }
    };
    let roles: Vec<_> = program.roles.iter().enumerate().map(role).collect();
    let made = if compiler.is_empty() { String::new() } else { format!(", made by {compiler}") };
    vec![
        Field::new(
            "program",
            *plan.program_hash(),
            format!("{} {}{made}", program.name, short(plan.program_hash())),
        ),
        Field::text("roles", roles.join(", ")),
        security_field(plan.security()),
        Field::text("mode", plan.mode().to_string()),
        Field::text("garbling", plan.garbling().to_string()),
        Field::text("oblivious transfers", plan.transfers().to_string()),
        Field::text("planned link", plan.link().to_string()),
        Field::text("effort", plan.effort().to_string()),
        Field::new("plan", *plan.hash(), short(plan.hash())),
    ]
}

/// Security parameters, to be compared.
pub(crate) fn security_field(security: &SecurityParams) -> Field {
    Field::text("security parameters", security.to_string())
}

/// The first digits of a hash.
fn short(hash: &[u8; 32]) -> String {
    hash[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// [`run`] for callers without a runtime of their own. Everything runs on the calling thread, which is one core: what
/// the network does meanwhile the system does.
///
/// # Errors
/// As [`run`].
pub fn run_blocking(job: &Job, cancel: &CancelFlag) -> Result<Outcome, RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(run(job, cancel))
}

/// [`run_keeping`] for callers without a runtime of their own.
///
/// # Errors
/// As there.
pub fn run_keeping_blocking(
    job: &Job,
    store: Option<ShareStore>,
    cancel: &CancelFlag,
) -> Result<Outcome, RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(run_keeping(job, store, cancel))
}
