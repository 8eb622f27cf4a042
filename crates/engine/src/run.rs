use std::io;

use tacit_ir::Program;
use tacit_plan::{Bound, OperationCost, Plan, PlanError, PlanOptions, Prediction, Unbounded};

use crate::greeting::refuse;
use crate::inputs::PartyInputs;
use crate::job::{Job, Outcome};
use crate::open::{OpenSession, RunTask, SessionTerms};
use crate::stored_shares::ShareStore;
use crate::{CancelFlag, ProgressSink, RunError, YaoPrices};

/// Plans a run of `program` with the protocols of this engine.
///
/// # Errors
/// As [`tacit_plan::plan`].
pub fn plan(program: &Program, options: &PlanOptions) -> Result<Plan, PlanError> {
    tacit_plan::plan(program, options, &YaoPrices)
}

/// As [`tacit_plan::bound`].
///
/// # Errors
/// As there.
pub fn bound(program: &Program, options: &PlanOptions, plan: &Plan) -> Result<Bound, Unbounded> {
    tacit_plan::bound(program, options, &YaoPrices, plan)
}

/// As [`tacit_plan::with_other_garbler`].
pub fn with_other_garbler(program: &Program, options: &PlanOptions, plan: &Plan) -> Option<Prediction> {
    tacit_plan::with_other_garbler(program, options, &YaoPrices, plan)
}

/// As [`tacit_plan::operation_costs`].
pub fn operation_costs(program: &Program, options: &PlanOptions) -> Vec<OperationCost> {
    tacit_plan::operation_costs(program, options, &YaoPrices)
}

/// As [`plan`]; `progress` receives the steps of [`tacit_lower::Options::effort`] that are done, in analysis.
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

/// Meets the peer, compares with it what is about to run, and runs it. `store` is for programs that read or keep shares.
///
/// No input is used before both parties know that they run the same. If the run fails or is cancelled, the peer is
/// informed, and there is no output.
///
/// Security: that of the plan's protocols, with semi-honest parties; `inputs` are secret.
///
/// # Errors
/// [`RunError`], whose class says whose fault it is. A peer that is absent, gone or silent is noticed within the
/// session's time limit.
pub async fn run(job: &Job, store: Option<ShareStore>, cancel: &CancelFlag) -> Result<Outcome, RunError> {
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
        Ok(mut outcome) => {
            let (meter, before) = (session.meter(), session.meter().by_phase());
            session.close(None, cancel).await?;
            outcome.report.add_frames(meter.by_phase(), before);
            Ok(outcome)
        }
        Err(error) => {
            session.abort().await;
            Err(error)
        }
    }
}

/// Runs an asynchronous function of this crate, for callers without an asynchronous runtime. Everything runs on the calling thread,
/// which uses one core, except what the system does for the network.
///
/// # Errors
/// Those of `work`; also if the system cannot create a runtime.
pub fn block_on<T, E: From<io::Error>>(work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(work)
}
