//! The party that owns the data.

use serde_json::Value;
use tacit_crypto::Prg;
use tacit_net::Phase;
use tacit_pfe::parties::{Owner, OwnerRun};
use tacit_pfe::{Protocol, Size};

use super::announcement::{self, Announcement};
use super::batches::batches;
use super::constants::{DECLINED, NOTHING_PREPARED, OTHER_INTERFACE, TOO_LARGE};
use super::error::PrivateError;
use super::interface::Interface;
use super::meeting::Meeting;
use super::report::{PrivateReport, PrivateSide, PrivateTask};
use super::sets::{self, Sets};
use crate::open::SessionTerms;
use crate::store::settle;
use crate::store::{Binding, Store};
use crate::{CancelFlag, Failure, Operation, RunError};

/// The functions that the data's owner accepts.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// Maximum gates and inputs together.
    pub max_gates: usize,
    /// The interface that the function must have, if it is known.
    pub interface: Option<Interface>,
}

/// A function that the peer has announced to this party, the data's owner, which has sent nothing of its data
/// yet.
///
/// Dropping it looks to the peer like a crash.
#[derive(Debug)]
pub struct Announced {
    meeting: Meeting,
    interface: Interface,
    prepared: Option<Prepared>,
}

/// The source of the setup of an announced function, if it was prepared.
#[derive(Debug)]
struct Prepared {
    store: Store,
    binding: Binding,
    /// The index of the holder's set.
    index: u8,
}

impl Announced {
    /// Meets the holder of a function and receives its announcement.
    ///
    /// # Errors
    /// [`RunError::Failed`], with [`PrivateError::TooLarge`], [`PrivateError::OtherInterface`], [`PrivateError::Announced`], of which
    /// the holder is informed; else as [`crate::run`].
    pub async fn meet(
        terms: SessionTerms,
        accepted: &Accepted,
        cancel: &CancelFlag,
    ) -> Result<Announced, RunError> {
        let (meeting, interface, _) = announced(terms, PrivateTask::Run, accepted, cancel).await?;
        Ok(Announced { meeting, interface, prepared: None })
    }

    /// As [`Announced::meet`], for a prepared run in both parties' stores.
    ///
    /// # Errors
    /// As there, and [`PrivateError::NothingPrepared`], of which the holder is informed.
    pub async fn meet_prepared(
        terms: SessionTerms,
        accepted: &Accepted,
        store: Store,
        cancel: &CancelFlag,
    ) -> Result<Announced, RunError> {
        let of_owner = |interface: &Interface, terms: &SessionTerms| Sets::of_owner(terms, interface);
        let (meeting, interface, announced) = announced(terms, PrivateTask::Spend, accepted, cancel).await?;
        let sets = match of_owner(&interface, meeting.terms()) {
            Ok(sets) => sets,
            Err(error) => return Err(meeting.refuse(DECLINED, error, cancel).await),
        };
        let bindings = announced.sets.iter().map(|name| sets.binding(*name));
        let mut found = (0..).zip(bindings).filter(|(_, binding)| store.ready(binding) > 0);
        match found.next() {
            Some((index, binding)) => {
                Ok(Announced { meeting, interface, prepared: Some(Prepared { store, binding, index }) })
            }
            None => {
                let error = PrivateError::NothingPrepared { functions: 0, builds: 0 };
                Err(meeting.refuse(NOTHING_PREPARED, error, cancel).await)
            }
        }
    }

    /// The public interface of the function.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// Gives this party's data, an object of variables and their values, to the function; returns the result and the report. `inputs` are
    /// secret.
    ///
    /// # Errors
    /// [`PrivateError::Data`] for data that do not fit, of which the holder only learns that this party does not continue; else as
    /// [`crate::run`].
    pub async fn run(self, inputs: &Value, cancel: &CancelFlag) -> Result<(Value, PrivateReport), RunError> {
        let Announced { mut meeting, interface, prepared } = self;
        let bits = match interface.encode(inputs) {
            Ok(bits) => bits,
            Err(error) => return Err(meeting.refuse(DECLINED, PrivateError::from(error), cancel).await),
        };
        let function = (interface.protocol(), *interface.size());
        let (meeting, outputs) = match prepared {
            None => {
                let work = async |meeting: &mut Meeting| {
                    meeting.accept(&[]).await?;
                    own(meeting, function, &bits).await
                };
                let outputs = meeting.cancellable(cancel, work).await?;
                (meeting, outputs)
            }
            Some(prepared) => spend(meeting, prepared, function, &bits, cancel).await?,
        };
        let report = meeting.close(function, cancel).await?;
        Ok((interface.decode(&outputs), report))
    }

    /// Declines to give data to the function, and informs its holder.
    ///
    /// # Errors
    /// [`RunError::Failed`] if the holder is gone.
    pub async fn decline(self, cancel: &CancelFlag) -> Result<(), RunError> {
        match self.meeting.refuse(DECLINED, PrivateError::Declined, cancel).await {
            RunError::Failed { source, .. }
                if matches!(*source, Failure::Private(PrivateError::Declined)) =>
            {
                Ok(())
            }
            error => Err(error),
        }
    }
}

/// The owner's part of a run: returns the bits of the result, which are secret.
async fn own(
    meeting: &mut Meeting,
    (protocol, size): (Protocol, Size),
    inputs: &[bool],
) -> Result<Vec<bool>, Failure> {
    let mut prg = Prg::from_os()?;
    meeting.begin(Phase::Setup, Operation::Introducing);
    let mut owner = Owner::new(protocol, size, &mut prg)?;
    let run = owner.introduce_and_prepare(meeting.channel()?, &mut prg).await?;
    meeting.begin(Phase::Online, Operation::Evaluating);
    Ok(run.evaluate(meeting.channel()?, inputs, &mut prg).await?)
}

/// The online phase of a prepared run: returns the bits of the result, which are secret.
async fn spend(
    mut meeting: Meeting,
    prepared: Prepared,
    (protocol, size): (Protocol, Size),
    inputs: &[bool],
    cancel: &CancelFlag,
) -> Result<(Meeting, Vec<bool>), RunError> {
    let Prepared { mut store, binding, index } = prepared;
    let settled = async |meeting: &mut Meeting| {
        meeting.accept(&[index]).await?;
        meeting.agree_on_entry(&mut store, &binding).await
    };
    let settled = meeting.cancellable(cancel, settled).await?;
    let (mut meeting, claim) = meeting.claimed(settled, cancel).await?;
    let work = async |meeting: &mut Meeting| {
        meeting.start_spending(&store, &claim)?;
        let run = OwnerRun::from_entry(protocol, size, &claim.material)?;
        meeting.begin(Phase::Online, Operation::Evaluating);
        let outputs = run.evaluate(meeting.channel()?, inputs, &mut Prg::from_os()?).await?;
        store.step("spent")?;
        Ok(outputs)
    };
    let outputs = meeting.cancellable(cancel, work).await?;
    meeting.give_back(&mut store)?;
    Ok((meeting, outputs))
}

/// Takes part as the data's owner in preparing `count` runs of a function that the peer introduces; returns its interface and the
/// report.
///
/// # Errors
/// As [`Announced::meet`]; [`PrivateError::NoSetup`] for protocols without setup, [`crate::StoreError`] if nothing can be kept.
pub async fn prepare_for(
    terms: SessionTerms,
    accepted: &Accepted,
    (store, count): (&mut Store, u64),
    cancel: &CancelFlag,
) -> Result<(Interface, PrivateReport), RunError> {
    let task = PrivateTask::Prepare { count };
    let (mut meeting, interface, announced) = announced(terms, task, accepted, cancel).await?;
    let binding = match fillable(&meeting, &interface, &announced) {
        Ok(binding) => binding,
        Err(error) => return Err(meeting.refuse(DECLINED, error, cancel).await),
    };
    let (protocol, size) = (interface.protocol(), *interface.size());
    let fill = &mut *store;
    let work = async |meeting: &mut Meeting| {
        meeting.accept(&[]).await?;
        fill_store(meeting, (protocol, size), (fill, &binding, count)).await
    };
    let filled = meeting.cancellable(cancel, work).await;
    meeting.sweep(store, filled)?;
    Ok((interface, meeting.close((protocol, size), cancel).await?))
}

/// The binding of entries of the announced set.
fn fillable(meeting: &Meeting, interface: &Interface, announced: &Announcement) -> Result<Binding, Failure> {
    let protocol = interface.protocol();
    if protocol.entry_bytes(interface.size()).is_none() {
        return Err(PrivateError::NoSetup { protocol }.into());
    }
    let given = announced.sets.len();
    let [name] = announced.sets[..] else { return Err(PrivateError::Sets { given }.into()) };
    Ok(Sets::of_owner(meeting.terms(), interface)?.binding(name))
}

async fn fill_store(
    meeting: &mut Meeting,
    (protocol, size): (Protocol, Size),
    (store, binding, count): (&mut Store, &Binding, u64),
) -> Result<(), Failure> {
    let mut prg = Prg::from_os()?;
    meeting.begin(Phase::Setup, Operation::Introducing);
    let mut owner = Owner::new(protocol, size, &mut prg)?;
    owner.introduce(meeting.channel()?).await?;
    for batch in batches(protocol, &size, count) {
        let mut filling = store.reserve(binding, batch, sets::batch_id(binding, batch.0))?;
        for _ in 0..batch.1 {
            let mut entry = owner.prepare_entry(meeting.channel()?, &mut prg).await?;
            store.append(&mut filling, &mut entry)?;
        }
        let sealed = store.seal(filling)?;
        settle::commit(meeting.channel()?, store, sealed).await?;
    }
    Ok(())
}

/// Meets the holder of a function, and checks that the function is accepted.
async fn announced(
    terms: SessionTerms,
    task: PrivateTask,
    accepted: &Accepted,
    cancel: &CancelFlag,
) -> Result<(Meeting, Interface, Announcement), RunError> {
    let mut meeting = Meeting::meet(terms, PrivateSide::Owner, task, cancel).await?;
    let hear = async |meeting: &mut Meeting| {
        meeting.operation = Operation::Announcing;
        announcement::receive(meeting.channel()?, task).await
    };
    let announcement = meeting.cancellable(cancel, hear).await?;
    let interface = match announcement.interface() {
        Ok(interface) => interface,
        Err(error) => return Err(meeting.refuse(DECLINED, PrivateError::Announced(error), cancel).await),
    };
    match accepted.refuses(&interface) {
        None => Ok((meeting, interface, announcement)),
        Some((word, error)) => Err(meeting.refuse(word, error, cancel).await),
    }
}

impl Accepted {
    /// Why a function is not accepted, and the byte that informs its holder.
    fn refuses(&self, announced: &Interface) -> Option<(u8, PrivateError)> {
        let wires = announced.size().wires();
        if wires > self.max_gates {
            let error = PrivateError::TooLarge { announced: wires, limit: self.max_gates };
            return Some((TOO_LARGE, error));
        }
        let (what, ours, theirs) = self.interface.as_ref()?.difference(announced)?;
        Some((OTHER_INTERFACE, PrivateError::OtherInterface { what, ours, theirs }))
    }
}
