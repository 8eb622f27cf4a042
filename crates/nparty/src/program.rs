//! How programs are written: values, and the tasks that compute with them.

mod operations;
pub(crate) mod pool;
mod value;

use pool::Pool;
pub use value::Value;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use tacit_math::Wiped;
use tacit_math::field::{BitOctets, BitSliced, Field, GaloisRing, Gf256};
use tacit_net::Connection;

use crate::error::{RunError, UsageError};
use crate::parties::PartyIndex;
use crate::reception::OutsideParties;
use crate::runtime::identity::{CallSite, TaskId};
use crate::runtime::operation::{Command, OperationKind, TaskOperation};
use crate::runtime::shared::{AuxiliaryFields, FIELDS, ProgramLink, lock};
use crate::runtime::traffic::{PeerTraffic, TaskTraffic};
use crate::runtime::value::ValueId;
use crate::runtime::wire::MAX_POSITION;
use crate::scheme::Scheme;
use crate::stored::StoredPools;

/// Maximum elements of a value.
pub const MAX_LENGTH: usize = 1 << 28;

/// Counts operations of one kind and their elements.
#[derive(Default)]
struct Counter {
    operations: u64,
    elements: u64,
}

impl Counter {
    /// The position of an operation's first element, and the operation's number. An operation without elements has
    /// no position.
    ///
    /// Errors: the position is too large for messages.
    fn next(&mut self, length: usize) -> Result<(u64, u64), RunError> {
        let place = (self.elements, self.operations);
        let end = self.elements + length as u64;
        if end > MAX_POSITION {
            return Err(UsageError::TaskFull { bits: MAX_POSITION.ilog2() }.into());
        }
        self.elements = end;
        self.operations += u64::from(length > 0);
        Ok(place)
    }
}

/// A task's progress: one set of counters for all fields.
#[derive(Default)]
pub(super) struct TaskProgress {
    chain: u64,
    /// By field, since double sharings are dealt in each.
    products: [Counter; FIELDS],
    /// Dealt random sharings, by field.
    randoms: [Counter; FIELDS],
    openings: Counter,
    inputs: Counter,
    handed: Counter,
    drawn: u64,
    /// By field.
    epoch: [u64; FIELDS],
    /// Elements opened to all in this epoch.
    opened: [u64; FIELDS],
    agreements: u64,
    forks: u64,
}

/// Writes one task of a program. Its operations are ordered as they are written. Where several tasks write at once, each has its own
/// order, and their results do not depend on how they take turns. Dropping it ends the task: its operations are still computed, but then
/// the runtime forgets everything about it except its name.
pub struct Task<F: Field> {
    shared: Arc<ProgramLink<F>>,
    number: u32,
    id: TaskId,
    progress: Arc<Mutex<TaskProgress>>,
    traffic: Arc<TaskTraffic>,
    call_site: AtomicU32,
    pool: Pool<F>,
    /// The same task in other fields, once operations were written there.
    bytes: OnceLock<Box<Task<Gf256>>>,
    sliced: OnceLock<Box<Task<BitSliced>>>,
    octets: OnceLock<Box<Task<BitOctets>>>,
    ring: OnceLock<Box<Task<GaloisRing>>>,
}

/// Adds a number to a hash of a program. The hash distinguishes programs that differ by mistake, not those
/// that differ on purpose.
pub(crate) fn mixed(hash: u64, number: u64) -> u64 {
    let mixed = (hash ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(23)
}

/// The hash of a description.
pub(crate) fn tag(text: &str) -> u64 {
    text.bytes().fold(text.len() as u64, |hash, byte| mixed(hash, byte.into()))
}

impl<F: Field> Drop for Task<F> {
    fn drop(&mut self) {
        self.shared.push(Command::End(self.number));
    }
}

impl<F: Field> Task<F> {
    /// The first task.
    pub(crate) fn root(shared: Arc<ProgramLink<F>>) -> Result<Self, RunError> {
        Task::new(shared, TaskId(0))
    }

    fn new(shared: Arc<ProgramLink<F>>, id: TaskId) -> Result<Self, RunError> {
        let progress = TaskProgress { chain: id.0, ..TaskProgress::default() };
        Task::with(shared, id, Arc::new(Mutex::new(progress)))
    }

    /// A task that continues with the counters of another.
    pub(super) fn with(
        shared: Arc<ProgramLink<F>>,
        id: TaskId,
        progress: Arc<Mutex<TaskProgress>>,
    ) -> Result<Self, RunError> {
        shared.alive()?;
        // Names are never forgotten, because a second task of the same name would repeat random elements and messages.
        let mut named = lock(&shared.named);
        if !named.insert(id) {
            return Err(UsageError::TaskName.into());
        }
        let number = u32::try_from(named.len() - 1);
        let number = number.map_err(|_| UsageError::Tasks)?;
        let traffic = Arc::new(TaskTraffic::new(shared.names.len(), Some(shared.traffic.clone())));
        shared.push(Command::Task(id, number, traffic.clone()));
        drop(named);
        let (call_site, pool) = (AtomicU32::new(0), Pool::default());
        let (bytes, sliced, octets, ring) = Default::default();
        Ok(Task { shared, number, id, progress, traffic, call_site, pool, bytes, sliced, octets, ring })
    }

    /// Refuses an operation without verification, where parties may depart from the protocol.
    ///
    /// Errors: they may depart from it.
    pub(crate) fn passive_only(&self, what: &'static str) -> Result<(), RunError> {
        match self.scheme().is_active() {
            true => Err(UsageError::PassiveOnly { what }.into()),
            false => Ok(()),
        }
    }

    /// This task in GF(2^8), whose values are shared like this one's. In a computation in GF(2^8) it is the task
    /// itself.
    ///
    /// Errors: the computation has ended.
    pub fn bytes(&self) -> Result<&Task<Gf256>, RunError> {
        match (self as &dyn std::any::Any).downcast_ref() {
            Some(same) => Ok(same),
            None => self.in_field(&self.bytes, |auxiliary| auxiliary.bytes.as_ref()),
        }
    }

    /// This task on bits, 64 to an element.
    ///
    /// Errors: there are more than 15 parties, or the computation has ended.
    pub(crate) fn sliced(&self) -> Result<&Task<BitSliced>, RunError> {
        self.in_field(&self.sliced, |auxiliary| auxiliary.sliced.as_ref())
    }

    /// This task on bits, eight to an element.
    ///
    /// Errors: there are more than three parties, or the computation has ended.
    pub(crate) fn octets(&self) -> Result<&Task<BitOctets>, RunError> {
        self.in_field(&self.octets, |auxiliary| auxiliary.octets.as_ref())
    }

    /// This task on words modulo 2^64.
    ///
    /// Errors: there are more than three parties, or the computation has ended.
    pub(crate) fn ring(&self) -> Result<&Task<GaloisRing>, RunError> {
        self.in_field(&self.ring, |auxiliary| auxiliary.ring.as_ref())
    }

    fn in_field<'a, G: Field>(
        &self,
        slot: &'a OnceLock<Box<Task<G>>>,
        of: impl Fn(&AuxiliaryFields) -> Option<&Arc<ProgramLink<G>>>,
    ) -> Result<&'a Task<G>, RunError> {
        if slot.get().is_none() {
            let shared = self.shared.auxiliary.as_ref().and_then(of);
            if shared.is_none() {
                self.passive_only("computing with bits or words beside the program's own field")?;
            }
            let missing = UsageError::NoAuxiliaryField { limit: BitSliced::MAX_PARTIES };
            let shared = shared.ok_or(missing)?.clone();
            let guard = lock(&self.progress);
            if slot.get().is_none() {
                let _ = slot.set(Box::new(Task::with(shared, self.id, self.progress.clone())?));
            }
            drop(guard);
        }
        let task = slot.get().ok_or(RunError::Over)?;
        task.call_site.store(self.call_site.load(Ordering::Relaxed), Ordering::Relaxed);
        Ok(task)
    }

    /// A public value of this task in another field: `f` of its elements.
    pub(crate) fn carry<G: Field>(
        &self,
        from: &Task<G>,
        value: &Value<G>,
        (length, hash): (usize, u64),
        f: impl FnOnce(&[G::Element]) -> Vec<F::Element> + Send + 'static,
    ) -> Result<Value<F>, RunError> {
        let carried = self.carried(value, (length, true), mixed(13, hash))?;
        from.read(value, self.fill(carried.id, f))?;
        Ok(carried)
    }

    /// Turns this party's shares of a value in another field into shares in this field. `f` is a local conversion of shares, which reveals nothing to this party that its
    /// shares did not.
    pub(crate) fn carry_shares<G: Field>(
        &self,
        from: &Task<G>,
        value: &Value<G>,
        (length, hash): (usize, u64),
        f: impl FnOnce(&[G::Element]) -> Vec<F::Element> + Send + 'static,
    ) -> Result<Value<F>, RunError> {
        let carried = self.carried(value, (length, false), mixed(17, hash))?;
        from.read_shares(value, self.fill(carried.id, f))?;
        Ok(carried)
    }

    /// A value computed from one in another field.
    fn carried<G: Field>(
        &self,
        value: &Value<G>,
        form: (usize, bool),
        hash: u64,
    ) -> Result<Value<F>, RunError> {
        let source = OperationKind::Carried(value.shared.field, value.id);
        self.push(source, form, mixed(hash, value.name), &[])
    }

    /// Returns the function that sets such a value's elements, once those of the other value are known.
    fn fill<E: Copy + Default, M: FnOnce(&[E]) -> Vec<F::Element> + Send + 'static>(
        &self,
        id: ValueId,
        f: M,
    ) -> impl FnOnce(Result<Vec<E>, RunError>) + Send + use<F, E, M> {
        let shared = self.shared.clone();
        move |result| {
            // Without a result the computation is over in this field too.
            if let Ok(elements) = result.map(Wiped::from) {
                shared.carry(id, f(&elements));
            }
        }
    }

    /// Another task, identified by this one and the number of tasks that it forked before.
    ///
    /// Errors: the computation has ended.
    pub fn fork(&self) -> Result<Task<F>, RunError> {
        let mut progress = lock(&self.progress);
        progress.forks += 1;
        let id = TaskId(mixed(mixed(self.id.0, 0x666f_726b), progress.forks));
        drop(progress);
        Task::new(self.shared.clone(), id)
    }

    /// Another task, with a unique name that is the same at all parties.
    ///
    /// Errors: the name was used before, or the computation has ended.
    pub fn named(&self, name: &str) -> Result<Task<F>, RunError> {
        Task::new(self.shared.clone(), TaskId(mixed(tag(name), 0x6e61_6d65)))
    }

    /// The field of the computation.
    pub fn field(&self) -> &F {
        self.shared.scheme.field()
    }

    /// The sharing scheme.
    pub fn scheme(&self) -> &Scheme<F> {
        &self.shared.scheme
    }

    /// Statistical security in bits, of everything that is hidden by a mask that does not cover the whole field.
    pub fn statistical_bits(&self) -> usize {
        self.shared.statistical_bits
    }

    /// The link to a party, where this computation has links.
    pub(crate) fn connection(&self, party: PartyIndex) -> Option<&Connection> {
        self.shared.links.get()?.get(party)?.as_ref()
    }

    /// The outside parties, if there are any.
    pub(crate) fn outside(&self) -> Option<&Arc<OutsideParties>> {
        self.shared.outside.get()
    }

    /// Identifies this task, at all parties.
    pub(crate) fn id(&self) -> u64 {
        self.id.0
    }

    /// This party.
    pub fn me(&self) -> PartyIndex {
        self.shared.me
    }

    /// The parties' names.
    pub fn names(&self) -> &[String] {
        &self.shared.names
    }

    /// A name for a call site in the source, for [`Task::at`].
    pub fn call_site(&self, name: impl Into<String>) -> CallSite {
        self.shared.call_sites.add(name.into())
    }

    /// Sets the source location of the next operations.
    pub fn at(&self, call_site: CallSite) {
        self.call_site.store(call_site.0, Ordering::Relaxed);
    }

    /// This task's prepared randomness.
    pub(crate) fn pool(&self) -> &Pool<F> {
        &self.pool
    }

    /// The store from which this task may take material, if it is the first task and this party has a store.
    pub(crate) fn spendable_pools(&self) -> Option<&StoredPools> {
        self.shared.stored.get().filter(|_| self.id == TaskId(0))
    }

    /// This party's store.
    ///
    /// Errors: there is none.
    pub(crate) fn stored_pools(&self) -> Result<&StoredPools, RunError> {
        Ok(self.shared.stored.get().ok_or(UsageError::NoStore)?)
    }

    /// Lets all operations written so far run.
    pub fn flush(&self) {
        self.shared.wake();
    }

    /// What this task has sent and used so far in its own field, by party: everything that was written up to a value, once that value
    /// is known.
    pub fn traffic(&self) -> Vec<PeerTraffic> {
        self.traffic.by_peer()
    }

    /// The same in bytes, in all fields of the task.
    pub fn payload(&self) -> Vec<PeerTraffic> {
        let mut all = self.traffic.bytes_by_peer();
        let auxiliary = [
            self.bytes.get().map(|task| task.traffic.bytes_by_peer()),
            self.sliced.get().map(|task| task.traffic.bytes_by_peer()),
            self.octets.get().map(|task| task.traffic.bytes_by_peer()),
            self.ring.get().map(|task| task.traffic.bytes_by_peer()),
        ];
        auxiliary.iter().flatten().for_each(|more| PeerTraffic::add_all(&mut all, more));
        all
    }

    /// Time since this party joined in which nothing was ready to be computed.
    pub fn idle(&self) -> Duration {
        self.shared.idle()
    }

    /// How many positions of the task's randomness are used.
    pub(crate) fn drawn(&self) -> u64 {
        lock(&self.progress).drawn
    }

    /// Why the computation has ended, if it has.
    pub fn failure(&self) -> Option<RunError> {
        self.shared.failure()
    }

    /// Writes an operation whose result has this length and may be public, with a hash of everything about it except its
    /// inputs.
    fn push(
        &self,
        work: OperationKind<F>,
        (length, public): (usize, bool),
        hash: u64,
        inputs: &[&Value<F>],
    ) -> Result<Value<F>, RunError> {
        self.push_values(work, (length, public), length, hash, inputs)
    }

    /// The same for elements that hold this many values.
    fn push_values(
        &self,
        mut work: OperationKind<F>,
        (length, public): (usize, bool),
        values: usize,
        hash: u64,
        inputs: &[&Value<F>],
    ) -> Result<Value<F>, RunError> {
        self.shared.alive()?;
        if length > MAX_LENGTH {
            return Err(UsageError::Length { length, limit: MAX_LENGTH }.into());
        }
        if inputs.iter().any(|value| !Arc::ptr_eq(&value.shared, &self.shared)) {
            return Err(UsageError::OtherComputation.into());
        }
        let mut progress = lock(&self.progress);
        let sizes = (self.shared.names.len(), self.shared.field);
        let (position, number) = progress.positioned(&mut work, length, sizes)?;
        let hash = mixed(mixed(progress.chain, hash), length as u64);
        let chain = inputs.iter().fold(hash, |hash, value| mixed(hash, value.name));
        progress.chain = chain;
        let shared = self.shared.clone();
        let id = ValueId(shared.values.fetch_add(1, Ordering::Relaxed));
        let call_site = CallSite(self.call_site.load(Ordering::Relaxed));
        // The task stays locked until then, so that its operations reach the reactor in order.
        let task = self.number;
        shared.push(Command::Operation(TaskOperation {
            out: id,
            length,
            values: values as u64,
            task,
            position,
            number,
            chain,
            call_site,
            work,
        }));
        drop(progress);
        Ok(Value { id, length, public, name: chain, shared })
    }
}

impl TaskProgress {
    /// The position of an operation among the elements of its kind, and its number among the operations.
    fn positioned<F: Field>(
        &mut self,
        work: &mut OperationKind<F>,
        length: usize,
        (parties, field): (usize, usize),
    ) -> Result<(u64, u64), RunError> {
        match work {
            product if product.is_product() => self.products[field].next(length),
            OperationKind::Random => self.randoms[field].next(length),
            OperationKind::Input(..) | OperationKind::InputBits(..) | OperationKind::Contribution(..) => {
                self.inputs.next(length)
            }
            OperationKind::Handed(_) => self.handed.next(length),
            OperationKind::Open { to, epoch, .. } => {
                let place = self.openings.next(length)?;
                if to.all(parties) {
                    self.opened[field] += length as u64;
                }
                *epoch = self.epoch[field];
                Ok(place)
            }
            OperationKind::Agree { number, .. } => {
                *number = self.agreements;
                self.agreements += 1;
                Ok((0, 0))
            }
            OperationKind::Synchronise { epoch, opened } => {
                (*epoch, *opened) = (self.epoch[field], std::mem::take(&mut self.opened[field]));
                self.epoch[field] += 1;
                Ok((0, 0))
            }
            _ => Ok((0, 0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tacit_math::field::Mersenne61;

    use super::*;
    use crate::prss::tests::ends;
    use crate::runtime::security::LEAST_STATISTICAL_BITS;

    #[test]
    fn positions_that_no_message_can_name_are_refused() {
        let scheme = ends(&Mersenne61, 3, 1)[0].scheme().clone();
        let names = ["p1", "p2", "p3"].map(str::to_owned).to_vec();
        let shared = Arc::new(ProgramLink::new((scheme, LEAST_STATISTICAL_BITS), 0, names, Arc::new(|| {})));
        let task = Task::root(shared).expect("a task");
        let secret = task.input(1, 2, None).expect("an input");
        lock(&task.progress).openings.elements = MAX_POSITION - 2;
        lock(&task.progress).products[0].elements = MAX_POSITION - 1;
        // The last positions are used up; none is truncated to fit a message.
        assert!(task.open(&secret).is_ok());
        for refused in [task.open(&secret), task.mul(&secret, &secret)] {
            let error = refused.expect_err("no such position").to_string();
            assert!(error.contains("2^40 elements") && error.contains("another task"), "{error}");
        }
    }
}
