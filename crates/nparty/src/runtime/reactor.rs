//! One party's state: operations run as their operands arrive, and messages that are ready leave together.
//!
//! The reactor is pure: commands and messages go in, messages and replies come out. Neither the time nor the grouping of these
//! changes any result, because the randomness of an operation and the place of its elements only depend on its identity.

use std::collections::VecDeque;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};
use tacit_crypto::Prg;
use tacit_math::field::Field;
use tacit_math::{Wiped, append, reserve, wipe};

use super::agreements::Agreements;
use super::awaited_bytes;
use super::dealt_blocks::BlockId;
use super::epochs::Synchronisations;
use super::identity::{CallSites, TaskId};
use super::inbox::ElementInbox;
use super::operation::{Command, OperationKind, Reply, TaskOperation, Written};
use super::pending_exchange::{ElementRun, Opening, PendingExchanges};
use super::spare::SpareMemory;
use super::tasks::{TaskState, TaskStates};
use super::value::{ByNumber, LiveValues, ValueElements, ValueId};
use super::verification::records::Factors;
use super::verification::verifier::Verifier;
use super::wire::{self, Outbox};
use crate::dealing::Dealer;
use crate::error::{RunError, SharingError, UsageError};
use crate::parties::{Parties, PartyIndex};
use crate::product::Products;
use crate::product::opening::opens_by_king;
use crate::prss::Prss;
use crate::randomness::Randomness;
use crate::scheme::Scheme;

/// Commands for which a buffer is kept.
const ROOM: usize = 1 << 12;

/// With at least this budget, an operation may run even if it exceeds the budget.
pub(super) const LONG: usize = 1 << 20;

/// By this factor an operation with a function may take longer than it seems, where others are waiting.
const FUNCTION: usize = 16;

/// From this many products on, they are masked and sent before others are made, while they are still in the
/// cache.
const RUN: usize = 1 << 16;

/// Elements that are copied and multiplied at a time, so that they stay in the cache.
pub(super) const AT_ONCE: usize = 1 << 10;

/// An operation that waits for operands.
pub(super) struct WaitingOperation<F: Field> {
    pub(super) operation: TaskOperation<F>,
    missing: usize,
    /// Whether it runs in pieces.
    in_pieces: bool,
}

/// One party's state. How it handles messages is in the module [`exchange`](super::exchange).
pub(crate) struct Reactor<F: Field> {
    pub(super) names: Vec<String>,
    pub(super) me: PartyIndex,
    pub(super) call_sites: Arc<CallSites>,
    pub(super) field: F,
    pub(super) keys: Prss<F>,
    pub(super) prg: Prg,
    pub(super) products: Arc<Products<F>>,
    /// Present where parties may depart from the protocol.
    pub(super) verifier: Option<Verifier<F>>,
    /// Present where random sharings are dealt.
    pub(super) dealer: Option<Dealer<F>>,
    /// Blocks that are to be dealt, or that all have dealt.
    pub(super) dealings: VecDeque<BlockId>,
    /// Shares of the block that was extracted last, whose memory the next block takes.
    pub(super) dealt: Wiped<F::Element>,
    /// Coefficients of the shares of this party and of the t before it, whose sum is the shared value.
    pub(super) opening: Vec<F::Element>,
    /// The coefficient of this party's share in the opening at the next party, if it sends the product, mapped to
    /// the field's ground.
    pub(super) told_share: Option<F::Element>,
    pub(super) tasks: TaskStates<F>,
    pub(super) values: LiveValues<F>,
    /// Memory of summands as they were sent.
    pub(super) spare_summands: SpareMemory<u8>,
    pub(super) pending: ByNumber<u64, WaitingOperation<F>>,
    readers: ByNumber<u64, (Reply<F>, ValueId)>,
    serial: u64,
    ready: VecDeque<TaskOperation<F>>,
    /// Pending operations that run in pieces, of whose operands more have arrived.
    pub(super) in_pieces: VecDeque<u64>,
    /// Products and openings that are ready and not sent yet.
    multiplied: Vec<ElementRun<F>>,
    opened: Vec<ElementRun<F>>,
    pub(super) exchanges: PendingExchanges<F>,
    pub(super) awaited_bytes: awaited_bytes::ByPlace<F>,
    pub(super) inbox: ElementInbox<F>,
    pub(super) synchronisations: Synchronisations,
    pub(super) agreements: Agreements,
    pub(super) outbox: Outbox,
    replies: Vec<(Reply<F>, ValueId)>,
    /// How many times something that was waited for has arrived.
    pub(super) arrivals: u64,
    /// By party, the number of its last message.
    pub(super) received: Vec<u64>,
    /// By party, how many operations it has reported for tasks that are unfinished here.
    pub(super) told: Vec<HashMap<TaskId, u64>>,
}

impl<F: Field> Reactor<F> {
    /// The state of the party with `keys`; `names` are those of all parties. `prg` draws what only this party
    /// knows.
    ///
    /// Errors: there are more parties than [`Parties`] can hold.
    pub(crate) fn new(
        names: Vec<String>,
        call_sites: Arc<CallSites>,
        keys: Prss<F>,
        prg: Prg,
    ) -> Result<Self, RunError> {
        let scheme = keys.scheme().clone();
        let (n, t, me) = (scheme.parties(), scheme.threshold(), keys.me());
        if n > Parties::MAX || names.len() != n {
            return Err(UsageError::Names { names: names.len(), parties: n, limit: Parties::MAX }.into());
        }
        let products = Arc::new(Products::new(&scheme, me)?);
        let verifier = scheme.is_active().then(|| Verifier::new(&scheme, &keys)).transpose()?;
        let dealt = scheme.randomness() == Randomness::Dealt;
        if dealt && keys.pairs().len() != n {
            return Err(SharingError::Keys { given: keys.pairs().len(), needed: n }.into());
        }
        let dealer = dealt.then(|| Dealer::new(&scheme, me)).transpose()?;
        let speakers: Vec<_> = (0..=t).map(|back| (me + n - back) % n).collect();
        let mut opening = scheme.lagrange(&speakers, F::Element::default())?;
        let told = told_in_ground(&scheme, me)?;
        if told.is_some() {
            opening[1..].fill(scheme.field().one());
        }
        Ok(Reactor {
            me,
            call_sites,
            field: scheme.field().clone(),
            keys,
            prg,
            products,
            verifier,
            dealer,
            dealings: VecDeque::new(),
            dealt: Wiped::default(),
            opening,
            told_share: told,
            tasks: TaskStates::new(),
            values: LiveValues::new(),
            spare_summands: SpareMemory::default(),
            pending: ByNumber::default(),
            readers: ByNumber::default(),
            serial: 0,
            ready: VecDeque::new(),
            in_pieces: VecDeque::new(),
            multiplied: Vec::new(),
            opened: Vec::new(),
            exchanges: PendingExchanges::new(),
            awaited_bytes: awaited_bytes::ByPlace::new(),
            inbox: ElementInbox::new(n),
            synchronisations: Synchronisations::new(n),
            agreements: Agreements::new(n),
            outbox: wire::outbox(n),
            replies: Vec::new(),
            arrivals: 0,
            received: vec![0; n],
            told: vec![HashMap::new(); n],
            names,
        })
    }

    /// Takes the commands that the program has written, and leaves the buffer for more. Nothing is sent before
    /// [`Reactor::run`].
    pub(crate) fn take(&mut self, written: &mut Written<F>) {
        for command in written.commands.drain(..) {
            self.command(command);
        }
        for value in written.released.drain(..) {
            self.values.release(value);
        }
        written.commands.shrink_to(ROOM);
        written.released.shrink_to(ROOM);
    }

    fn command(&mut self, command: Command<F>) {
        match command {
            Command::Task(id, number, traffic) => {
                self.tasks.begin(id, number, self.keys.derived(id.0), traffic)
            }
            Command::End(number) => {
                let over = self.tasks.end(number);
                self.forget(number, over);
            }
            Command::Operation(operation) => self.submit(operation),
            Command::Carry(value, elements) => self.complete(value, ValueElements::from(elements)),
            Command::Read(value, reply) => self.read(value, reply),
        }
    }

    fn submit(&mut self, operation: TaskOperation<F>) {
        if let Some(task) = self.tasks.written(operation.task, operation.length) {
            task.history.push(operation.chain, operation.call_site);
            task.epochs += u64::from(matches!(operation.work, OperationKind::Synchronise { .. }));
        }
        self.values.begin(operation.out, operation.length);
        self.serial += 1;
        let (serial, mut missing) = (self.serial, 0);
        let in_pieces = self.runs_in_pieces(&operation);
        let values = &mut self.values;
        operation.work.each_input(|value| {
            missing += usize::from(values.request(value, serial));
            if in_pieces {
                values.follow(value, serial);
            }
        });
        missing += self.request_dealt(&operation, serial);
        if missing == 0 && !in_pieces {
            self.ready.push_back(operation);
            return;
        }
        self.pending.insert(serial, WaitingOperation { operation, missing, in_pieces });
        if in_pieces {
            self.in_pieces.push_back(serial);
        }
    }

    /// Notes that this many elements of a task's operations are done, and forgets the task if they were the
    /// last.
    pub(super) fn done(&mut self, task: u32, elements: usize) {
        let over = self.tasks.done(task, elements);
        self.forget(task, over);
    }

    /// Forgets everything about a task that is over: all messages of others for it have arrived.
    fn forget(&mut self, number: u32, over: Option<TaskState<F>>) {
        let Some(task) = over else { return };
        self.told.iter_mut().for_each(|told| {
            told.remove(&task.id);
        });
        self.synchronisations.forget((number, task.epochs));
    }

    fn read(&mut self, value: ValueId, reply: Reply<F>) {
        self.serial += 1;
        match self.values.request(value, self.serial) {
            false => self.replies.push((reply, value)),
            true => {
                self.readers.insert(self.serial, (reply, value));
            }
        }
    }

    /// Whether there are replies that are due.
    pub(crate) fn has_replies(&self) -> bool {
        !self.replies.is_empty()
    }

    /// The replies that are due, for the caller to call.
    pub(crate) fn replies(&mut self) -> Vec<(Reply<F>, Vec<F::Element>)> {
        let answer = |(reply, value): (Reply<F>, ValueId)| {
            let elements = self.values.get(value).to_vec();
            self.values.read(value);
            (reply, elements)
        };
        std::mem::take(&mut self.replies).into_iter().map(answer).collect()
    }

    /// Fails everything that waits to read a value.
    pub(crate) fn fail(&mut self, error: &RunError) {
        let replies = std::mem::take(&mut self.replies).into_iter();
        let readers = std::mem::take(&mut self.readers).into_values();
        replies.chain(readers).for_each(|(reply, _)| reply.tell(Err(error.clone())));
    }

    pub(super) fn wake(&mut self, waiters: Vec<u64>) {
        for waiter in waiters {
            if let Some(reader) = self.readers.remove(&waiter) {
                self.replies.push(reader);
            } else if let Some(pending) = self.pending.get_mut(&waiter) {
                pending.missing -= 1;
                if pending.in_pieces {
                    self.in_pieces.push_back(waiter);
                } else if pending.missing == 0
                    && let Some(pending) = self.pending.remove(&waiter)
                {
                    self.ready.push_back(pending.operation);
                }
            }
        }
    }

    pub(super) fn complete(&mut self, value: ValueId, elements: ValueElements<F::Element>) {
        let waiters = self.values.complete(value, elements);
        self.wake(waiters);
    }

    /// Runs operations whose operands have arrived, within about the time of `most` elements, and puts their messages into the outbox. Returns whether that was
    /// everything; the rest runs the next time. An operation that alone takes longer than `most` only runs if `most` is at least [`LONG`].
    ///
    /// Errors: messages do not belong to this program.
    pub(crate) fn run(&mut self, most: usize) -> Result<bool, RunError> {
        let mut spent = 0;
        loop {
            match self.run_pieces(most.saturating_sub(spent))? {
                Some(left) => spent = most.saturating_sub(left).max(spent),
                None => return Ok(false),
            }
            while self.multiplied.last().is_none_or(|run| run.elements.len() < RUN)
                && let Some(operation) = self.ready.pop_front()
            {
                // The time of a function is not known. Many that are short do not all take longer than they seem.
                let guess = if most < LONG && operation.work.is_by_function() { FUNCTION } else { 1 };
                let cost = self.cost(&operation);
                if spent + cost * guess > most && (spent > 0 || most < LONG) {
                    self.ready.push_front(operation);
                    return Ok(false);
                }
                spent += cost;
                let kept = match (&mut self.verifier, &operation.work) {
                    (Some(verifier), OperationKind::Open { .. }) => verifier.hold(operation),
                    _ => Some(operation),
                };
                kept.map_or(Ok(()), |operation| self.execute(operation))?;
            }
            self.synchronise()?;
            if let Some(id) = self.dealings.pop_front() {
                let cost = self.dealing_cost(id.2);
                if spent + cost > most && (spent > 0 || most < LONG) {
                    self.dealings.push_front(id);
                    return Ok(false);
                }
                spent += cost;
                self.deal(id);
                continue;
            }
            let nothing_ready = self.ready.is_empty() && self.in_pieces.is_empty();
            if nothing_ready && self.multiplied.is_empty() && self.opened.is_empty() {
                let (released, all) = self.verify(most)?;
                match released.is_empty() {
                    true => return Ok(all),
                    false => released.into_iter().try_for_each(|operation| self.execute(operation))?,
                }
            }
            for run in ElementRun::merged(std::mem::take(&mut self.multiplied)) {
                self.multiply(run)?;
            }
            for run in ElementRun::merged(std::mem::take(&mut self.opened)) {
                self.open(run)?;
            }
        }
    }

    /// The approximate time of an operation, in elements that are copied.
    fn cost(&self, operation: &TaskOperation<F>) -> usize {
        let mut cost = 4 + operation.length;
        if let OperationKind::Local(inputs, _)
        | OperationKind::Form(inputs, _)
        | OperationKind::Factors(inputs, _) = &operation.work
        {
            cost += inputs.iter().map(|input| self.values.get(*input).len()).sum::<usize>();
        }
        if let OperationKind::Matrices(_, _, sizes) = operation.work {
            cost += operation.length * sizes.inner / 2;
        }
        // Their masks come from every key.
        match operation.work.is_product() && self.dealer.is_none() {
            true => cost + operation.length * self.keys.keys() / 2,
            false => cost,
        }
    }

    fn execute(&mut self, mut operation: TaskOperation<F>) -> Result<(), RunError> {
        let (length, task) = (operation.length, operation.task);
        let work = std::mem::replace(&mut operation.work, OperationKind::Constant(Vec::new()));
        // An operation without elements sends nothing, and its result is known.
        let done = length == 0 || work.is_local();
        let mut inputs = OperandIds::default();
        work.each_input(|value| inputs.push(value));
        let known = match work {
            work if length == 0 && !work.is_local() => None,
            OperationKind::Input(owner, elements) => return self.input(&operation, (owner, false), elements),
            OperationKind::InputBits(owner, elements) => {
                return self.input(&operation, (owner, true), elements);
            }
            OperationKind::Contribution(dealer, local) => {
                let elements = (dealer == self.me).then(|| self.local(&operation, &[], local)).transpose()?;
                return self.input(&operation, (dealer, false), elements);
            }
            OperationKind::Agree { number, ours } => return self.agree(&operation, (number, ours)),
            OperationKind::Synchronise { epoch, opened } => {
                let id = self.tasks.get(task).id;
                self.synchronisations.request(id, &operation, (epoch, opened));
                None
            }
            OperationKind::Open { value, to, epoch } => {
                let elements = self.values.get(value);
                let by_king = opens_by_king(self.keys.scheme(), length, to);
                ElementRun::append(&mut self.opened, &operation, Opening { to, epoch, by_king }, |run| {
                    append(run, elements)
                });
                None
            }
            OperationKind::Factors(inputs, local) => {
                let given: Vec<_> = inputs.iter().map(|value| self.values.get(*value)).collect();
                let [a, b] = local(&given);
                self.multiply_elements(&operation, a, b)?;
                None
            }
            OperationKind::Matrices(a, b, sizes) => {
                let products = sizes.product(&self.field, self.values.get(a), self.values.get(b));
                if self.verifier.is_some() {
                    let factors = Factors::Matrices(self.values.shared(a), self.values.shared(b), sizes);
                    self.begin_products(&operation, factors);
                }
                self.push_run(&operation, products);
                None
            }
            OperationKind::Product(a, b) => {
                if self.verifier.is_some() {
                    let factors = Factors::Elements(self.values.shared(a), self.values.shared(b));
                    self.begin_products(&operation, factors);
                }
                self.multiply_values(&operation, a, b);
                None
            }
            OperationKind::Form(inputs, local) => {
                let products = self.local(&operation, &inputs, local)?;
                self.push_run(&operation, products);
                None
            }
            OperationKind::Handed(handed) => {
                self.hand(&operation, *handed)?;
                None
            }
            OperationKind::Carried(..) => None,
            OperationKind::Local(inputs, local) => {
                Some(ValueElements::from(self.local(&operation, &inputs, local)?))
            }
            OperationKind::Random => {
                Some(ValueElements::from(self.take_single(task, operation.position, length)))
            }
            OperationKind::Constant(elements) => Some(ValueElements::from(elements)),
            OperationKind::Add(a, b) => Some(self.linear(length, a, b, F::add, F::add_assign)),
            OperationKind::Sub(a, b) => Some(self.linear(length, a, b, F::sub, F::sub_assign)),
            OperationKind::Scale(a, factor) => Some(self.each(a, |a| self.field.mul(a, factor))),
            OperationKind::Shift(a, shift) => Some(self.each(a, |a| self.field.add(a, shift))),
        };
        for value in inputs.iter() {
            self.values.read(*value);
        }
        if let Some(elements) = known {
            self.complete(operation.out, elements);
        }
        if done {
            self.done(task, length.max(1));
        }
        Ok(())
    }

    /// Multiplies a party's shares of two values, and makes the products ready to be sent. Where parties pass products on and these are many, they are masked while
    /// they are in the cache.
    fn multiply_values(&mut self, operation: &TaskOperation<F>, a: ValueId, b: ValueId) {
        let (length, mut room) = (operation.length, self.values.spare.take(operation.length));
        let (field, a, b) = (&self.field, self.values.get(a), self.values.get(b));
        let prss = &self.tasks.get(operation.task).prss;
        let early = match &*self.products {
            Products::Replicated(replicated) if length >= AT_ONCE => Some(replicated),
            _ => None,
        };
        ElementRun::append(&mut self.multiplied, operation, Opening::default(), |run| {
            if run.capacity() == 0 {
                *run = std::mem::take(&mut room);
            }
            push_products(field, (a, b), length, run, |first, products| {
                if let Some(replicated) = early {
                    replicated.mask(prss, operation.position + first as u64, products);
                }
            });
        });
        if let (Some(run), true) = (self.multiplied.last_mut(), early.is_some()) {
            run.masked.push(operation.position..operation.position + length as u64);
        }
        self.values.spare.give(Wiped::from(room));
    }

    /// Multiplies a party's shares of factors pairwise, and makes the products ready to be sent.
    fn multiply_elements(
        &mut self,
        operation: &TaskOperation<F>,
        a: Vec<F::Element>,
        b: Vec<F::Element>,
    ) -> Result<(), RunError> {
        let (a, b) = (ValueElements::from(a), ValueElements::from(b));
        self.check_length(operation, a.as_slice().len().min(b.as_slice().len()))?;
        let mut products = a.as_slice().to_vec();
        self.field.mul_assign(&mut products, b.as_slice());
        if self.verifier.is_some() {
            self.begin_products(operation, Factors::Elements(a, b));
        }
        self.push_run(operation, products);
        Ok(())
    }

    /// Makes local products ready to be sent.
    fn push_run(&mut self, operation: &TaskOperation<F>, mut products: Vec<F::Element>) {
        ElementRun::append(&mut self.multiplied, operation, Opening::default(), |run| match run.is_empty() {
            true => *run = products,
            false => {
                append(run, &products);
                wipe(&mut products);
            }
        });
    }

    /// Whether inputs are given by [`Replicated::give`](crate::product::Replicated::give): one of the two other parties derives its share.
    pub(super) fn derives_inputs(&self) -> bool {
        let passive_or_in_ground = self.verifier.is_none() || self.told_share.is_some();
        passive_or_in_ground && matches!(*self.products, Products::Replicated(_))
    }

    /// The result of an operation's own function on its inputs.
    fn local(
        &self,
        operation: &TaskOperation<F>,
        inputs: &[ValueId],
        local: super::operation::Local<F>,
    ) -> Result<Vec<F::Element>, RunError> {
        let given: Vec<_> = inputs.iter().map(|value| self.values.get(*value)).collect();
        let made = local(&self.tasks.get(operation.task).prss, &given);
        self.check_length(operation, made.len())?;
        Ok(made)
    }

    /// Refuses a result whose length was announced differently.
    pub(super) fn check_length(&self, operation: &TaskOperation<F>, made: usize) -> Result<(), RunError> {
        match made == operation.length {
            true => Ok(()),
            false => {
                let call_site = self.call_sites.name(operation.call_site);
                Err(UsageError::Computed { call_site, made, announced: operation.length }.into())
            }
        }
    }

    fn each(&self, a: ValueId, f: impl Fn(F::Element) -> F::Element) -> ValueElements<F::Element> {
        match self.values.get(a) {
            [a] => ValueElements::One(f(*a)),
            many => ValueElements::from(many.iter().map(|a| f(*a)).collect::<Vec<_>>()),
        }
    }

    fn linear(
        &self,
        length: usize,
        a: ValueId,
        b: ValueId,
        one: impl Fn(&F, F::Element, F::Element) -> F::Element,
        many: impl Fn(&F, &mut [F::Element], &[F::Element]),
    ) -> ValueElements<F::Element> {
        match (self.values.get(a), self.values.get(b)) {
            ([a], [b]) if length == 1 => ValueElements::One(one(&self.field, *a, *b)),
            (a, b) => {
                let mut sum = a.to_vec();
                if let [a] = a {
                    sum.resize(length, *a);
                }
                match b {
                    [b] => sum.iter_mut().for_each(|sum| *sum = one(&self.field, *sum, *b)),
                    b => many(&self.field, &mut sum, b),
                }
                ValueElements::from(sum)
            }
        }
    }
}

/// The coefficient of a party's share, such that the weighted shares of this party and the next sum to the shared value, if values lie in a ground below the field.
/// Then only the summands, mapped to the ground, are sent.
///
/// Errors: the scheme is not that of three parties with threshold 1.
fn told_in_ground<F: Field>(scheme: &Scheme<F>, me: PartyIndex) -> Result<Option<F::Element>, SharingError> {
    let (field, parties, threshold) = (scheme.field(), scheme.parties(), scheme.threshold());
    if field.ground_bytes() == field.bytes() {
        return Ok(None);
    }
    if (parties, threshold) != (3, 1) {
        return Err(SharingError::Threshold { parties, threshold });
    }
    Ok(scheme.lagrange(&[me, (me + 1) % parties], F::Element::default())?.first().copied())
}

/// Appends the products of two values; a single element multiplies all elements of the other. Some at a time, `then` gets them, with the index of the first.
fn push_products<F: Field>(
    field: &F,
    (a, b): (&[F::Element], &[F::Element]),
    length: usize,
    to: &mut Vec<F::Element>,
    mut then: impl FnMut(usize, &mut [F::Element]),
) {
    reserve(to, length);
    let start = to.len();
    match (a, b) {
        ([a], [b]) if length == 1 => {
            to.push(field.mul(*a, *b));
            then(0, &mut to[start..]);
        }
        ([one], many) | (many, [one]) => {
            to.extend(many.iter().map(|a| field.mul(*a, *one)));
            then(0, &mut to[start..]);
        }
        (a, b) => {
            for (first, (a, b)) in (0..).step_by(AT_ONCE).zip(a.chunks(AT_ONCE).zip(b.chunks(AT_ONCE))) {
                let start = to.len();
                to.extend_from_slice(a);
                field.mul_assign(&mut to[start..], b);
                then(first, &mut to[start..]);
            }
        }
    }
}

/// Values that an operation reads, usually at most two.
#[derive(Default)]
struct OperandIds {
    few: [Option<ValueId>; 2],
    more: Vec<ValueId>,
}

impl OperandIds {
    fn push(&mut self, value: ValueId) {
        match self.few.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(value),
            None => self.more.push(value),
        }
    }

    fn iter(&self) -> impl Iterator<Item = &ValueId> {
        self.few.iter().flatten().chain(&self.more)
    }
}
