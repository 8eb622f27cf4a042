//! The party that holds the function.

use tacit_crypto::Prg;
use tacit_net::Phase;
use tacit_pfe::parties::{Holder, HolderRun};
use tacit_pfe::{Function, PrivateFunction};

use super::announcement;
use super::batches::batches;
use super::constants::{ACCEPTED, DECLINED, NOTHING_PREPARED, OTHER_INTERFACE, TOO_LARGE};
use super::error::{PrivateError, Refusal};
use super::interface::Interface;
use super::meeting::{Meeting, failed};
use super::report::{PrivateReport, PrivateSide, PrivateTask};
use super::sets::{self, SetName, Sets};
use crate::open::SessionTerms;
use crate::store::settle;
use crate::store::{Binding, Store};
use crate::{CancelFlag, Failure, Operation, RunError};

/// A function to hold: its public interface, the function, and the holder's own input bits, which are also
/// secret.
pub struct Held {
    /// The interface that is announced.
    pub interface: Interface,
    /// The function, of the same size and for the same protocol.
    pub function: Function,
    /// The holder's own input bits.
    pub inputs: Vec<bool>,
}

/// Takes part as the function's holder; returns the report.
///
/// # Errors
/// [`RunError::Failed`]: with [`PrivateError::Refused`] if the data's owner does not continue, else as [`crate::run`].
pub async fn hold(terms: SessionTerms, held: Held, cancel: &CancelFlag) -> Result<PrivateReport, RunError> {
    let function = (held.function.protocol(), *held.function.size());
    let mut meeting = announced(terms, PrivateTask::Run, (&held.interface, &[]), cancel).await?;
    meeting.cancellable(cancel, evaluate(held)).await?;
    meeting.close(function, cancel).await
}

fn evaluate(held: Held) -> impl AsyncFnOnce(&mut Meeting) -> Result<(), Failure> {
    async move |meeting: &mut Meeting| {
        let mut prg = Prg::from_os()?;
        meeting.begin(Phase::Setup, Operation::Introducing);
        let mut holder = Holder::new(held.function, &mut prg)?;
        let run = holder.introduce_and_prepare(meeting.channel()?, &mut prg).await?;
        meeting.begin(Phase::Online, Operation::Evaluating);
        Ok(run.evaluate(meeting.channel()?, &held.inputs, &mut prg).await?)
    }
}

/// As [`hold`], for a prepared run in both parties' stores. Runs are only spent on the function for which they
/// were prepared.
///
/// # Errors
/// Before the peer receives anything: [`PrivateError::NoSetup`] for protocols without setup, [`PrivateError::NothingPrepared`]. With
/// [`Refusal::NothingPrepared`] if the data's owner has none of these runs; else as [`hold`].
pub async fn hold_prepared(
    terms: SessionTerms,
    held: Held,
    store: &mut Store,
    cancel: &CancelFlag,
) -> Result<PrivateReport, RunError> {
    let refused = |error| failed(&terms, Phase::Analysis, Operation::Announcing, error);
    let function = preparable(&held.function).map_err(refused)?;
    let sets = Sets::of_holder(&terms, &held.interface, function).map_err(refused)?;
    let names = sets.ready(store).map_err(|error| refused(error.into()))?;
    let bindings: Vec<Binding> = names.iter().map(|name| sets.binding(*name)).collect();
    let mut meeting = announced(terms, PrivateTask::Spend, (&held.interface, &names), cancel).await?;
    let settled = async |meeting: &mut Meeting| {
        let mut chosen = [0];
        meeting.channel()?.receive_into(&mut chosen).await?;
        let index = chosen[0];
        let binding = bindings.get(usize::from(index)).ok_or(PrivateError::Set { index })?;
        meeting.agree_on_entry(store, binding).await
    };
    let settled = meeting.cancellable(cancel, settled).await?;
    let (mut meeting, claim) = meeting.claimed(settled, cancel).await?;
    let work = async |meeting: &mut Meeting| {
        meeting.start_spending(store, &claim)?;
        let run = HolderRun::from_entry(&held.function, &claim.material)?;
        meeting.begin(Phase::Online, Operation::Evaluating);
        run.evaluate(meeting.channel()?, &held.inputs, &mut Prg::from_os()?).await?;
        Ok(store.step("spent")?)
    };
    meeting.cancellable(cancel, work).await?;
    meeting.give_back(store)?;
    meeting.close((held.function.protocol(), *held.function.size()), cancel).await
}

/// Introduces a function and does the setups of `count` runs, as one set that both parties' stores keep; returns the report.
///
/// # Errors
/// As [`hold_prepared`]; [`crate::StoreError`] if nothing can be kept.
pub async fn prepare(
    terms: SessionTerms,
    (interface, function): (Interface, Function),
    (store, count): (&mut Store, u64),
    cancel: &CancelFlag,
) -> Result<PrivateReport, RunError> {
    let refused = |error| failed(&terms, Phase::Analysis, Operation::Announcing, error);
    let mut prg = Prg::from_os().map_err(|error| refused(error.into()))?;
    let (protocol, size) = (interface.protocol(), *function.size());
    let name = SetName::draw(&mut prg);
    let wiring = preparable(&function).map_err(refused)?;
    let binding = Sets::of_holder(&terms, &interface, wiring).map_err(refused)?.binding(name);
    let task = PrivateTask::Prepare { count };
    let mut meeting = announced(terms, task, (&interface, &[name]), cancel).await?;
    let fill = &mut *store;
    let work = async |meeting: &mut Meeting| {
        meeting.begin(Phase::Setup, Operation::Introducing);
        let mut holder = Holder::new(function, &mut prg)?;
        holder.introduce(meeting.channel()?).await?;
        for batch in batches(protocol, &size, count) {
            let mut filling = fill.reserve(&binding, batch, sets::batch_id(&binding, batch.0))?;
            for _ in 0..batch.1 {
                let mut entry = holder.prepare_entry(meeting.channel()?, &mut prg).await?;
                fill.append(&mut filling, &mut entry)?;
            }
            let sealed = fill.seal(filling)?;
            settle::commit(meeting.channel()?, fill, sealed).await?;
        }
        Ok(())
    };
    let filled = meeting.cancellable(cancel, work).await;
    meeting.sweep(store, filled)?;
    meeting.close((protocol, size), cancel).await
}

/// The wiring of the function, if its protocol has a setup.
fn preparable(function: &Function) -> Result<&PrivateFunction, Failure> {
    function.nands().ok_or_else(|| PrivateError::NoSetup { protocol: function.protocol() }.into())
}

/// A meeting whose other party accepts the interface.
async fn announced(
    terms: SessionTerms,
    task: PrivateTask,
    (interface, sets): (&Interface, &[SetName]),
    cancel: &CancelFlag,
) -> Result<Meeting, RunError> {
    let mut meeting = Meeting::meet(terms, PrivateSide::Holder, task, cancel).await?;
    let text = interface.to_json().to_string();
    let work = async |meeting: &mut Meeting| {
        meeting.operation = Operation::Announcing;
        announcement::send(meeting.channel()?, &text, sets).await?;
        let mut answer = [0];
        meeting.channel()?.receive_into(&mut answer).await?;
        Ok(answer[0])
    };
    let refusal = match meeting.cancellable(cancel, work).await? {
        ACCEPTED => return Ok(meeting),
        OTHER_INTERFACE => PrivateError::Refused(Refusal::OtherInterface),
        TOO_LARGE => PrivateError::Refused(Refusal::TooLarge),
        DECLINED => PrivateError::Refused(Refusal::Declined),
        NOTHING_PREPARED => PrivateError::Refused(Refusal::NothingPrepared),
        byte => PrivateError::Answer { byte },
    };
    Err(meeting.part(refusal, cancel).await)
}
