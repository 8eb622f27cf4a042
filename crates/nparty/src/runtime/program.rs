//! How a program is written: values, and the tasks that compute with them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tacit_math::field::{BitSliced, Field, Gf256};
use zeroize::Zeroizing;

use super::beside::{Beside, FIELDS, Wake};
use super::error::RunError;
use super::operation::{Command, Operation, Place, Places, Work};
use super::value::ValueId;
use super::{Parties, TaskId};
use crate::protocol::stock::Stock;
use crate::stored::Depot;
use crate::{PartyIndex, Scheme};

/// Commands after which the reactor is woken though nothing waits.
const CHUNK: usize = 512;

/// Most elements of a value.
pub const MAX_LENGTH: usize = 1 << 28;

/// What a program has written since the last time.
pub(crate) struct Written<F: Field> {
    pub(crate) commands: Vec<Command<F>>,
    /// Values that the program can name no more; all that needs them was written before.
    pub(crate) released: Vec<ValueId>,
}

impl<F: Field> Default for Written<F> {
    fn default() -> Self {
        Written { commands: Vec::new(), released: Vec::new() }
    }
}

/// What the program and the reactor of a party share.
pub(crate) struct Shared<F: Field> {
    pub(crate) scheme: Scheme<F>,
    pub(crate) me: PartyIndex,
    pub(crate) names: Vec<String>,
    pub(crate) places: Arc<Places>,
    /// Which field of the computation this is; the main one is 0.
    pub(crate) field: usize,
    /// The others.
    pub(crate) beside: Option<Beside>,
    /// This party's store, if it has one; in the main field alone.
    pub(crate) depot: OnceLock<Depot>,
    written: Mutex<Written<F>>,
    values: AtomicU64,
    tasks: Mutex<HashMap<TaskId, u32>>,
    ended: AtomicBool,
    failure: Mutex<Option<RunError>>,
    wake: Wake,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<F: Field> Shared<F> {
    pub(crate) fn new(scheme: Scheme<F>, me: PartyIndex, names: Vec<String>, wake: Wake) -> Self {
        let mut shared = Shared::of_field((scheme, 0), me, (names, Arc::default()), wake.clone());
        shared.beside = Some(Beside::new(&shared, &wake));
        shared
    }

    /// What is shared in the field with this number.
    pub(super) fn of_field(
        (scheme, field): (Scheme<F>, usize),
        me: PartyIndex,
        (names, places): (Vec<String>, Arc<Places>),
        wake: Wake,
    ) -> Self {
        Shared {
            scheme,
            me,
            names,
            places,
            field,
            beside: None,
            depot: OnceLock::new(),
            written: Mutex::default(),
            values: AtomicU64::new(0),
            tasks: Mutex::default(),
            ended: AtomicBool::new(false),
            failure: Mutex::default(),
            wake,
        }
    }

    /// What was written since the last time, in the room that is given for what comes next.
    pub(crate) fn take(&self, room: &mut Written<F>) {
        std::mem::swap(&mut *lock(&self.written), room);
    }

    pub(super) fn push(&self, command: Command<F>) {
        let mut written = lock(&self.written);
        if self.ended.load(Ordering::Relaxed) {
            drop(written);
            if let Command::Read(_, reply) = command {
                reply(Err(self.failure().unwrap_or(RunError::Over)));
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

    fn release(&self, value: ValueId) {
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

    /// Ends the computation: nothing is accepted any more. What was written before is still there to be taken.
    pub(crate) fn end(&self, error: RunError) {
        if let Some(beside) = &self.beside {
            beside.end(&error);
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

    /// Has what was written run.
    pub(super) fn wake(&self) {
        (self.wake)();
    }

    fn alive(&self) -> Result<(), RunError> {
        match self.ended.load(Ordering::Acquire) {
            false => Ok(()),
            true => Err(self.failure().unwrap_or(RunError::Over)),
        }
    }
}

/// Elements that are, or will be, shared among the parties or known to all. Dropping it forgets them, once nothing that was asked for needs them.
pub struct Value<F: Field> {
    id: ValueId,
    length: usize,
    public: bool,
    /// What it is in the program, the same at all parties.
    name: u64,
    shared: Arc<Shared<F>>,
}

impl<F: Field> std::fmt::Debug for Value<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = if self.public { "public" } else { "shared" };
        write!(f, "Value({kind}, {} elements)", self.length)
    }
}

impl<F: Field> Value<F> {
    /// How many elements it has.
    #[expect(clippy::len_without_is_empty, reason = "a value is seldom empty, and nobody asks")]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether all parties know it, or will.
    pub fn is_public(&self) -> bool {
        self.public
    }
}

impl<F: Field> Drop for Value<F> {
    fn drop(&mut self) {
        self.shared.release(self.id);
    }
}

/// How far a task's program is: one set of counters, whatever the field.
#[derive(Default)]
pub(super) struct Progress {
    chain: u64,
    products: u64,
    openings: u64,
    inputs: u64,
    drawn: u64,
    /// By field.
    epoch: [u64; FIELDS],
    /// Elements opened to all in the epoch.
    opened: [u64; FIELDS],
    forks: u64,
}

/// What writes one task of a program. Its operations have the order in which they are written; where several tasks write at once, each has
/// an order of its own, and what they compute does not depend on how they take turns.
pub struct Task<F: Field> {
    shared: Arc<Shared<F>>,
    number: u32,
    id: TaskId,
    progress: Arc<Mutex<Progress>>,
    place: AtomicU32,
    stock: Stock<F>,
    /// The same task in other fields, once something was written there.
    bytes: OnceLock<Box<Task<Gf256>>>,
    sliced: OnceLock<Box<Task<BitSliced>>>,
}

/// Adds a number to a hash of a program. It tells programs apart that differ by mistake, not on purpose.
pub(crate) fn mixed(hash: u64, number: u64) -> u64 {
    let mixed = (hash ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(23)
}

/// The hash of a description.
pub(crate) fn tag(text: &str) -> u64 {
    text.bytes().fold(text.len() as u64, |hash, byte| mixed(hash, byte.into()))
}

impl<F: Field> Task<F> {
    /// The first task.
    pub(crate) fn root(shared: Arc<Shared<F>>) -> Result<Self, RunError> {
        Task::new(shared, TaskId(0))
    }

    fn new(shared: Arc<Shared<F>>, id: TaskId) -> Result<Self, RunError> {
        let progress = Progress { chain: id.0, ..Progress::default() };
        Task::with(shared, id, Arc::new(Mutex::new(progress)))
    }

    /// A task that goes on with the counters of another.
    pub(super) fn with(
        shared: Arc<Shared<F>>,
        id: TaskId,
        progress: Arc<Mutex<Progress>>,
    ) -> Result<Self, RunError> {
        shared.alive()?;
        // The numbers are given in the order of the commands.
        let mut tasks = lock(&shared.tasks);
        let number = tasks.len() as u32;
        if tasks.insert(id, number).is_some() {
            return Err(RunError::Usage("two tasks with one name".into()));
        }
        shared.push(Command::Task(id));
        drop(tasks);
        let (place, stock) = (AtomicU32::new(0), Stock::default());
        let (bytes, sliced) = (OnceLock::new(), OnceLock::new());
        Ok(Task { shared, number, id, progress, place, stock, bytes, sliced })
    }

    /// This task in GF(2^8), whose values are shares like this one's: in a computation in GF(2^8) the task itself.
    ///
    /// Errors: the computation has ended.
    pub fn bytes(&self) -> Result<&Task<Gf256>, RunError> {
        match (self as &dyn std::any::Any).downcast_ref() {
            Some(same) => Ok(same),
            None => self.in_field(&self.bytes, |beside| beside.bytes.as_ref()),
        }
    }

    /// This task on bits, 64 to an element.
    ///
    /// Errors: there are more than 7 parties, or the computation has ended.
    pub(crate) fn sliced(&self) -> Result<&Task<BitSliced>, RunError> {
        self.in_field(&self.sliced, |beside| beside.sliced.as_ref())
    }

    fn in_field<'a, G: Field>(
        &self,
        slot: &'a OnceLock<Box<Task<G>>>,
        of: impl Fn(&Beside) -> Option<&Arc<Shared<G>>>,
    ) -> Result<&'a Task<G>, RunError> {
        if slot.get().is_none() {
            let shared = self.shared.beside.as_ref().and_then(of);
            let missing = || RunError::Usage("this computation has no such field beside its own".into());
            let shared = shared.ok_or_else(missing)?.clone();
            let guard = lock(&self.progress);
            if slot.get().is_none() {
                let _ = slot.set(Box::new(Task::with(shared, self.id, self.progress.clone())?));
            }
            drop(guard);
        }
        let task = slot.get().ok_or(RunError::Over)?;
        task.place.store(self.place.load(Ordering::Relaxed), Ordering::Relaxed);
        Ok(task)
    }

    /// A public value of this task in another field, as what `f` makes of its elements.
    pub(crate) fn carry<G: Field>(
        &self,
        from: &Task<G>,
        value: &Value<G>,
        (length, hash): (usize, u64),
        f: impl FnOnce(&[G::Element]) -> Vec<F::Element> + Send + 'static,
    ) -> Result<Value<F>, RunError> {
        let hash = mixed(mixed(13, hash), value.name);
        let carried = self.push(Draft { work: Work::Carried, length, public: true, hash, inputs: &[] })?;
        let (shared, id) = (self.shared.clone(), carried.id);
        from.read(value, move |result| {
            // Without a result the computation is over in this field too.
            if let Ok(elements) = result {
                shared.push(Command::Carry(id, f(&elements)));
                shared.wake();
            }
        })?;
        Ok(carried)
    }

    /// Another task, which is called after this one and how many it has begun before.
    ///
    /// Errors: the computation has ended.
    pub fn fork(&self) -> Result<Task<F>, RunError> {
        let mut progress = lock(&self.progress);
        progress.forks += 1;
        let id = TaskId(mixed(mixed(self.id.0, 0x666f_726b), progress.forks));
        drop(progress);
        Task::new(self.shared.clone(), id)
    }

    /// Another task, with a name that no other has and that is the same at all parties.
    ///
    /// Errors: there was such a task before, or the computation has ended.
    pub fn named(&self, name: &str) -> Result<Task<F>, RunError> {
        Task::new(self.shared.clone(), TaskId(mixed(tag(name), 0x6e61_6d65)))
    }

    /// The field computed in.
    pub fn field(&self) -> &F {
        self.shared.scheme.field()
    }

    /// The scheme shared with.
    pub fn scheme(&self) -> &Scheme<F> {
        &self.shared.scheme
    }

    /// This party.
    pub fn me(&self) -> PartyIndex {
        self.shared.me
    }

    /// The parties' names.
    pub fn names(&self) -> &[String] {
        &self.shared.names
    }

    /// A name for a place in the source, for [`Task::at`].
    pub fn place(&self, name: impl Into<String>) -> Place {
        self.shared.places.add(name.into())
    }

    /// Says where in the source the next operations stand.
    pub fn at(&self, place: Place) {
        self.place.store(place.0, Ordering::Relaxed);
    }

    /// What this task has made ahead.
    pub(crate) fn stock(&self) -> &Stock<F> {
        &self.stock
    }

    /// The store that this task may spend from: it is the first, and this party has one.
    pub(crate) fn store(&self) -> Option<&Depot> {
        self.shared.depot.get().filter(|_| self.id == TaskId(0))
    }

    /// This party's store.
    ///
    /// Errors: there is none.
    pub(crate) fn depot(&self) -> Result<&Depot, RunError> {
        let missing = || RunError::Usage("this party has joined without a store to keep material in".into());
        self.shared.depot.get().ok_or_else(missing)
    }

    /// Lets everything that was written run.
    pub fn flush(&self) {
        (self.shared.wake)();
    }

    /// Why the computation has ended, if it has.
    pub fn failure(&self) -> Option<RunError> {
        self.shared.failure()
    }

    /// Numbers that all parties know.
    ///
    /// Errors: too many, or the computation has ended.
    pub fn constant(&self, elements: Vec<F::Element>) -> Result<Value<F>, RunError> {
        let mut bytes = vec![0; self.field().bytes()];
        let hash = elements.iter().fold(1, |hash, element| {
            self.field().encode(*element, &mut bytes);
            bytes.iter().fold(hash, |hash, byte| mixed(hash, u64::from(*byte)))
        });
        let length = elements.len();
        self.push(Draft { work: Work::Constant(elements), length, public: true, hash, inputs: &[] })
    }

    /// An input of a party, which gives its elements; others say how many.
    ///
    /// Security: `elements` are secret; any t parties see uniform shares.
    /// Cost: one element for each other party and element of the input; one message.
    ///
    /// Errors: there is no such party, this party is the owner and gives nothing or another number, or the computation has ended.
    pub fn input(
        &self,
        owner: PartyIndex,
        length: usize,
        elements: Option<Vec<F::Element>>,
    ) -> Result<Value<F>, RunError> {
        if owner >= self.shared.names.len() {
            return Err(RunError::Usage(format!("there is no party {owner}")));
        }
        let given = elements.as_ref().map(Vec::len);
        let expected = (owner == self.shared.me).then_some(length);
        if given != expected {
            let name = &self.shared.names[owner];
            return Err(RunError::Usage(format!(
                "an input of {length} elements is given by {name}, and by nobody else: here {} are given",
                given.map_or("none".to_owned(), |given| given.to_string())
            )));
        }
        let hash = mixed(2, owner as u64);
        self.push(Draft { work: Work::Input(owner, elements), length, public: false, hash, inputs: &[] })
    }

    /// `a + b`; of a value of one element, its element with each of the other.
    ///
    /// Errors: the lengths do not fit, or the computation has ended.
    pub fn add(&self, a: &Value<F>, b: &Value<F>) -> Result<Value<F>, RunError> {
        self.pair(Work::Add(a.id, b.id), 3, a, b)
    }

    /// `a - b`, as [`Task::add`].
    ///
    /// Errors: as [`Task::add`].
    pub fn sub(&self, a: &Value<F>, b: &Value<F>) -> Result<Value<F>, RunError> {
        self.pair(Work::Sub(a.id, b.id), 4, a, b)
    }

    fn pair(&self, work: Work<F>, hash: u64, a: &Value<F>, b: &Value<F>) -> Result<Value<F>, RunError> {
        let (length, public) = (fitting(a, b)?, a.public && b.public);
        self.push(Draft { work, length, public, hash, inputs: &[a, b] })
    }

    /// `a · b`, as [`Task::add`].
    ///
    /// Cost: nothing if one of them is public; else for each element one element from each of three parties in one round, or of more
    /// parties 3t elements of all together in two.
    ///
    /// Errors: as [`Task::add`].
    pub fn mul(&self, a: &Value<F>, b: &Value<F>) -> Result<Value<F>, RunError> {
        if !a.public && !b.public {
            return self.pair(Work::Product(a.id, b.id), 5, a, b);
        }
        let (field, length) = (self.field().clone(), fitting(a, b)?);
        self.local(length, a.public && b.public, 6, &[a, b], move |_, given| match *given {
            [[a], many] | [many, [a]] => many.iter().map(|b| field.mul(*a, *b)).collect(),
            [a, b] => a.iter().zip(b).map(|(a, b)| field.mul(*a, *b)).collect(),
            _ => Vec::new(),
        })
    }

    /// `a · factor`, for a public factor.
    ///
    /// Errors: the computation has ended.
    pub fn scale(&self, a: &Value<F>, factor: F::Element) -> Result<Value<F>, RunError> {
        let hash = self.constant_hash(7, factor);
        self.push(Draft {
            work: Work::Scale(a.id, factor),
            length: a.length,
            public: a.public,
            hash,
            inputs: &[a],
        })
    }

    /// `a + shift`, for a public number.
    ///
    /// Errors: the computation has ended.
    pub fn shift(&self, a: &Value<F>, shift: F::Element) -> Result<Value<F>, RunError> {
        let hash = self.constant_hash(8, shift);
        self.push(Draft {
            work: Work::Shift(a.id, shift),
            length: a.length,
            public: a.public,
            hash,
            inputs: &[a],
        })
    }

    fn constant_hash(&self, kind: u64, element: F::Element) -> u64 {
        let mut bytes = [0; 64];
        let bytes = &mut bytes[..self.field().bytes()];
        self.field().encode(element, bytes);
        bytes.chunks(8).fold(kind, |hash, chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            mixed(hash, u64::from_le_bytes(word))
        })
    }

    /// What a function makes of values, without a message: any linear map on shares, or any function of public values. `hash`
    /// tells the function apart from others.
    pub(crate) fn local(
        &self,
        length: usize,
        public: bool,
        hash: u64,
        inputs: &[&Value<F>],
        f: impl FnOnce(&crate::prss::Prss<F>, &[&[F::Element]]) -> Vec<F::Element> + Send + 'static,
    ) -> Result<Value<F>, RunError> {
        let work = Work::Local(ids(inputs), Box::new(f));
        self.push(Draft { work, length, public, hash: mixed(9, hash), inputs })
    }

    /// The products that a function makes as shares of degree 2t: any sums of products of two shares.
    pub(crate) fn form(
        &self,
        length: usize,
        hash: u64,
        inputs: &[&Value<F>],
        f: impl FnOnce(&crate::prss::Prss<F>, &[&[F::Element]]) -> Vec<F::Element> + Send + 'static,
    ) -> Result<Value<F>, RunError> {
        let work = Work::Form(ids(inputs), Box::new(f));
        self.push(Draft { work, length, public: false, hash: mixed(10, hash), inputs })
    }

    /// Positions in the task's randomness, never given twice.
    pub(crate) fn draw(&self, count: usize) -> u64 {
        let mut progress = lock(&self.progress);
        let first = progress.drawn;
        progress.drawn += count as u64;
        first
    }

    /// Tells all parties a value.
    ///
    /// Cost: t elements from each party for each element, in one round.
    ///
    /// Errors: the computation has ended.
    pub fn open(&self, value: &Value<F>) -> Result<Value<F>, RunError> {
        self.open_to(value, Parties::first(self.shared.names.len()))
    }

    /// Tells some parties a value. The result has only zeros at others, and counts as public for the parties it was opened to; nothing
    /// but [`Task::read`] should be done with it.
    ///
    /// Errors: the computation has ended.
    pub fn open_to(&self, value: &Value<F>, to: Parties) -> Result<Value<F>, RunError> {
        if value.public {
            return self.scale(value, self.field().one());
        }
        let work = Work::Open { value: value.id, to, epoch: 0 };
        let hash = (0..Parties::MAX).filter(|party| to.contains(*party));
        let hash = hash.fold(11, |hash, party| mixed(hash, party as u64));
        self.push(Draft { work, length: value.length, public: true, hash, inputs: &[value] })
    }

    /// Compares what all parties have seen of the values that this task opened to all since the last time. The result, a zero, is known when
    /// every party has come here and has seen the same; if one has not, the computation ends.
    ///
    /// Cost: one message to each party.
    ///
    /// Errors: the computation has ended.
    pub fn synchronise(&self) -> Result<Value<F>, RunError> {
        let work = Work::Synchronise { epoch: 0, opened: 0 };
        let own = self.push(Draft { work, length: 1, public: true, hash: 12, inputs: &[] })?;
        let own = self.with_synchronised(own, self.bytes.get().map(|task| &**task))?;
        self.with_synchronised(own, self.sliced.get().map(|task| &**task))
    }

    /// Known when a value is, and when the parties have compared what this task opened in another field.
    fn with_synchronised<G: Field>(
        &self,
        own: Value<F>,
        task: Option<&Task<G>>,
    ) -> Result<Value<F>, RunError> {
        match task.filter(|task| task.opened_here() > 0) {
            None => Ok(own),
            Some(task) => {
                let other = task.synchronise()?;
                self.add(&own, &self.carry(task, &other, (1, 0), |_| vec![F::Element::default()])?)
            }
        }
    }

    /// Whether values were opened to all since the task last synchronised.
    pub fn has_opened(&self) -> bool {
        lock(&self.progress).opened.iter().any(|opened| *opened > 0)
    }

    fn opened_here(&self) -> u64 {
        lock(&self.progress).opened[self.shared.field]
    }

    /// Calls back with the elements of a public value when they are known, or with why they never will be. The call comes from the
    /// thread that runs the computation.
    ///
    /// Errors: the value is not public, or the computation has ended.
    pub fn read(
        &self,
        value: &Value<F>,
        reply: impl FnOnce(Result<Vec<F::Element>, RunError>) + Send + 'static,
    ) -> Result<(), RunError> {
        if !value.public {
            return Err(RunError::Usage("a shared value cannot be read; open it first".into()));
        }
        self.shared.alive()?;
        self.shared.push(Command::Read(value.id, Box::new(reply)));
        (self.shared.wake)();
        Ok(())
    }

    /// This party's shares of a value, once they are there. Blocks; not for the thread that runs the computation.
    ///
    /// Security: they are secret, and nobody else is told.
    pub(crate) fn own_shares(&self, value: &Value<F>) -> Result<Zeroizing<Vec<F::Element>>, RunError> {
        self.shared.alive()?;
        let (sender, receiver) = sync_channel(1);
        let reply = move |result: Result<Vec<F::Element>, RunError>| {
            // Whoever waits is there.
            let _ = sender.send(result.map(Zeroizing::new));
        };
        self.shared.push(Command::Read(value.id, Box::new(reply)));
        (self.shared.wake)();
        receiver.recv().unwrap_or_else(|_| Err(self.failure().unwrap_or(RunError::Over)))
    }

    fn push(&self, draft: Draft<'_, F>) -> Result<Value<F>, RunError> {
        let Draft { mut work, length, public, hash, inputs } = draft;
        self.shared.alive()?;
        if length > MAX_LENGTH {
            return Err(RunError::Usage(format!("a value of {length} elements, more than {MAX_LENGTH}")));
        }
        if inputs.iter().any(|value| !Arc::ptr_eq(&value.shared, &self.shared)) {
            return Err(RunError::Usage("a value of another computation".into()));
        }
        let mut progress = lock(&self.progress);
        let hash = mixed(mixed(progress.chain, hash), length as u64);
        let chain = inputs.iter().fold(hash, |hash, value| mixed(hash, value.name));
        progress.chain = chain;
        let position = progress.positioned(&mut work, length, (self.shared.names.len(), self.shared.field));
        let shared = self.shared.clone();
        let id = ValueId(shared.values.fetch_add(1, Ordering::Relaxed));
        let place = Place(self.place.load(Ordering::Relaxed));
        // The task is locked until then: its operations reach the reactor in their order.
        let task = self.number;
        shared.push(Command::Operation(Operation { out: id, length, task, position, chain, place, work }));
        drop(progress);
        Ok(Value { id, length, public, name: chain, shared })
    }
}

/// An operation as it is written.
struct Draft<'a, F: Field> {
    work: Work<F>,
    length: usize,
    public: bool,
    hash: u64,
    inputs: &'a [&'a Value<F>],
}

impl Progress {
    /// The position of an operation among those of its kind.
    fn positioned<F: Field>(
        &mut self,
        work: &mut Work<F>,
        length: usize,
        (parties, field): (usize, usize),
    ) -> u64 {
        let counter = match work {
            Work::Product(..) | Work::Form(..) => &mut self.products,
            Work::Input(..) => &mut self.inputs,
            Work::Open { to, epoch, .. } => {
                if to.all(parties) {
                    self.opened[field] += length as u64;
                }
                *epoch = self.epoch[field];
                &mut self.openings
            }
            Work::Synchronise { epoch, opened } => {
                (*epoch, *opened) = (self.epoch[field], std::mem::take(&mut self.opened[field]));
                self.epoch[field] += 1;
                return 0;
            }
            _ => return 0,
        };
        let position = *counter;
        *counter += length as u64;
        position
    }
}

fn ids<F: Field>(values: &[&Value<F>]) -> Vec<ValueId> {
    values.iter().map(|value| value.id).collect()
}

/// The length of a value computed from two others element by element.
fn fitting<F: Field>(a: &Value<F>, b: &Value<F>) -> Result<usize, RunError> {
    match (a.length, b.length) {
        (a, b) if a == b => Ok(a),
        (1, length) | (length, 1) => Ok(length),
        (a, b) => Err(RunError::Usage(format!("values of {a} and of {b} elements do not fit"))),
    }
}
