//! The link between a program and the reactor of its party: what was written, and how the computation ended.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tacit_math::field::{BitOctets, BitSliced, Field, GaloisRing, Gf256};
use tacit_net::Connection;

use super::identity::{CallSites, TaskId};
use super::operation::{Command, Written};
use super::traffic::{PeerTraffic, TaskTraffic};
use super::value::ValueId;
use crate::error::RunError;
use crate::parties::PartyIndex;
use crate::reception::{Ended, OutsideParties};
use crate::scheme::Scheme;
use crate::stored::StoredPools;

/// Number of commands after which the reactor is woken even if nothing waits.
const CHUNK: usize = 512;

/// The number of fields, the computation's own included.
pub(crate) const FIELDS: usize = 5;

/// The numbers of the auxiliary fields. The computation's own is 0.
pub(crate) const BYTES: usize = 1;
pub(crate) const SLICED: usize = 2;
pub(crate) const OCTETS: usize = 3;
pub(crate) const RING: usize = 4;

/// Wakes a reactor.
type Wake = Arc<dyn Fn() + Send + Sync>;

/// The state that the program and the reactor of a party share.
pub(crate) struct ProgramLink<F: Field> {
    pub(crate) scheme: Scheme<F>,
    /// Statistical security.
    pub(crate) statistical_bits: usize,
    pub(crate) me: PartyIndex,
    pub(crate) names: Vec<String>,
    pub(crate) call_sites: Arc<CallSites>,
    /// The number of this field in the computation; the main one is 0.
    pub(crate) field: usize,
    /// The auxiliary fields.
    pub(crate) auxiliary: Option<AuxiliaryFields>,
    /// The links to all others, by party, if there are any; only in the main field.
    pub(crate) links: OnceLock<Vec<Option<Connection>>>,
    /// This party's store, if it has one; only in the main field.
    pub(crate) stored: OnceLock<StoredPools>,
    /// The outside parties, if there are any; only in the main field.
    pub(crate) outside: OnceLock<Arc<OutsideParties>>,
    written: Mutex<Written<F>>,
    pub(crate) values: AtomicU64,
    /// Elements of all tasks in this field.
    pub(crate) traffic: Arc<TaskTraffic>,
    /// Nanoseconds for which everything that was written waited for others, or for more to be written; only in the main field.
    pub(crate) idle: AtomicU64,
    /// How many times this party went from sending to receiving; only in the main field.
    pub(crate) rounds: AtomicU64,
    /// Whether the program only synchronises once more; only in the main field.
    pub(crate) concluding: AtomicBool,
    /// All tasks that ever existed: 8 bytes each.
    pub(crate) named: Mutex<HashSet<TaskId>>,
    ended: AtomicBool,
    failure: Mutex<Option<RunError>>,
    wake: Wake,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<F: Field> ProgramLink<F> {
    pub(crate) fn new(
        (scheme, statistical_bits): (Scheme<F>, usize),
        me: PartyIndex,
        names: Vec<String>,
        wake: Wake,
    ) -> Self {
        let secured = (scheme, statistical_bits);
        let mut shared = ProgramLink::of_field((secured, 0), me, (names, Arc::default()), wake.clone());
        shared.auxiliary = Some(AuxiliaryFields::new(&shared, &wake));
        shared
    }

    /// The link of the field with this number.
    fn of_field(
        ((scheme, statistical_bits), field): ((Scheme<F>, usize), usize),
        me: PartyIndex,
        (names, call_sites): (Vec<String>, Arc<CallSites>),
        wake: Wake,
    ) -> Self {
        ProgramLink {
            traffic: Arc::new(TaskTraffic::new(names.len(), None)),
            idle: AtomicU64::new(0),
            rounds: AtomicU64::new(0),
            concluding: AtomicBool::new(false),
            scheme,
            statistical_bits,
            me,
            names,
            call_sites,
            field,
            auxiliary: None,
            links: OnceLock::new(),
            stored: OnceLock::new(),
            outside: OnceLock::new(),
            written: Mutex::default(),
            values: AtomicU64::new(0),
            named: Mutex::default(),
            ended: AtomicBool::new(false),
            failure: Mutex::default(),
            wake,
        }
    }

    /// The time for which everything that was written waited for others, or for more to be written.
    pub(crate) fn idle(&self) -> Duration {
        Duration::from_nanos(self.idle.load(Ordering::Relaxed))
    }

    /// Takes what was written since the last time, and leaves the empty `room` for what comes next.
    pub(crate) fn take(&self, room: &mut Written<F>) {
        std::mem::swap(&mut *lock(&self.written), room);
    }

    pub(crate) fn push(&self, command: Command<F>) {
        let mut written = lock(&self.written);
        if self.ended.load(Ordering::Relaxed) {
            drop(written);
            if let Command::Read(_, reply) = command {
                reply.tell(Err(self.failure().unwrap_or(RunError::Over)));
            }
            return;
        }
        written.commands.push(command);
        let full = written.commands.len() == CHUNK;
        drop(written);
        if full {
            (self.wake)();
        }
    }

    pub(crate) fn release(&self, value: ValueId) {
        let mut written = lock(&self.written);
        if self.ended.load(Ordering::Relaxed) {
            return;
        }
        written.released.push(value);
        let full = written.released.len() == CHUNK;
        drop(written);
        if full {
            (self.wake)();
        }
    }

    /// Ends the computation: nothing is accepted any more. Commands that were written before can still be
    /// taken.
    pub(crate) fn end(&self, error: RunError) {
        if let Some(auxiliary) = &self.auxiliary {
            auxiliary.end(&error);
        }
        if let Some(outside) = self.outside.get() {
            outside.end(if matches!(error, RunError::Over) { Ended::Well } else { Ended::Failed });
        }
        lock(&self.failure).get_or_insert(error);
        let written = lock(&self.written);
        self.ended.store(true, Ordering::Release);
        drop(written);
    }

    /// Why the computation has ended, if it has.
    pub(crate) fn failure(&self) -> Option<RunError> {
        lock(&self.failure).clone()
    }

    /// Bytes of elements of all fields, by party.
    pub(crate) fn bytes_by_peer(&self) -> Vec<PeerTraffic> {
        let mut all = self.traffic.bytes_by_peer();
        if let Some(AuxiliaryFields { bytes, sliced, octets, ring }) = &self.auxiliary {
            bytes.iter().for_each(|shared| PeerTraffic::add_all(&mut all, &shared.bytes_by_peer()));
            sliced.iter().for_each(|shared| PeerTraffic::add_all(&mut all, &shared.bytes_by_peer()));
            octets.iter().for_each(|shared| PeerTraffic::add_all(&mut all, &shared.bytes_by_peer()));
            ring.iter().for_each(|shared| PeerTraffic::add_all(&mut all, &shared.bytes_by_peer()));
        }
        all
    }

    /// Runs what was written.
    pub(crate) fn wake(&self) {
        (self.wake)();
    }

    /// Provides the elements of a value from another field.
    pub(crate) fn carry(&self, value: ValueId, elements: Vec<F::Element>) {
        self.push(Command::Carry(value, elements));
        self.wake();
    }

    pub(crate) fn alive(&self) -> Result<(), RunError> {
        match self.ended.load(Ordering::Acquire) {
            false => Ok(()),
            true => Err(self.failure().unwrap_or(RunError::Over)),
        }
    }
}

/// The links to the reactors of the auxiliary fields: GF(2^8), bits 64 at a time, bits eight at a time, and words modulo 2^64.
pub(crate) struct AuxiliaryFields {
    pub(crate) bytes: Option<Arc<ProgramLink<Gf256>>>,
    /// Absent with many parties, and where parties may depart from the protocol; so are those below.
    pub(crate) sliced: Option<Arc<ProgramLink<BitSliced>>>,
    /// Only among three parties.
    pub(crate) octets: Option<Arc<ProgramLink<BitOctets>>>,
    /// Only among three parties.
    pub(crate) ring: Option<Arc<ProgramLink<GaloisRing>>>,
}

impl AuxiliaryFields {
    /// The auxiliary fields of a party of `of`: only bytes, where parties may depart from the protocol.
    fn new<F: Field>(of: &ProgramLink<F>, wake: &Wake) -> AuxiliaryFields {
        let bytes = shared_in(of, wake, Gf256, BYTES);
        if of.scheme.is_active() {
            return AuxiliaryFields { bytes, sliced: None, octets: None, ring: None };
        }
        let sliced =
            BitSliced::for_parties(of.names.len()).and_then(|field| shared_in(of, wake, field, SLICED));
        let size = (of.names.len(), of.scheme.threshold());
        let is_octets = BitOctets::PARTIES == size;
        let octets = is_octets.then(|| shared_in(of, wake, BitOctets, OCTETS)).flatten();
        let is_ring = GaloisRing::PARTIES == size;
        let ring = is_ring.then(|| shared_in(of, wake, GaloisRing, RING)).flatten();
        AuxiliaryFields { bytes, sliced, octets, ring }
    }

    /// Ends the computation in all of them.
    fn end(&self, error: &RunError) {
        self.bytes.iter().for_each(|shared| shared.end(error.clone()));
        self.sliced.iter().for_each(|shared| shared.end(error.clone()));
        self.octets.iter().for_each(|shared| shared.end(error.clone()));
        self.ring.iter().for_each(|shared| shared.end(error.clone()));
    }
}

fn shared_in<F: Field, G: Field>(
    of: &ProgramLink<F>,
    wake: &Wake,
    field: G,
    number: usize,
) -> Option<Arc<ProgramLink<G>>> {
    let scheme = Scheme::new(field, of.names.len(), of.scheme.threshold()).ok()?;
    let scheme = scheme.with_randomness(of.scheme.randomness()).with_security(of.scheme.security());
    let (names, call_sites, secured) =
        (of.names.clone(), of.call_sites.clone(), (scheme, of.statistical_bits));
    Some(Arc::new(ProgramLink::of_field((secured, number), of.me, (names, call_sites), wake.clone())))
}
