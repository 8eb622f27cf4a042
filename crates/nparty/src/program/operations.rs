//! The operations of tasks: inputs, sums, products, openings.

use std::sync::mpsc::sync_channel;

use tacit_math::field::Field;
use tacit_net::session;
use zeroize::Zeroizing;

use super::{Task, Value, mixed};
use crate::error::{RunError, UsageError};
use crate::parties::{Parties, PartyIndex};
use crate::product::matrices::MatrixSizes;
use crate::runtime::operation::{Command, Handed, Local, OperationKind, Reply};
use crate::runtime::shared::lock;
use crate::runtime::value::ValueId;
use crate::runtime::wire::MAX_COUNT;

impl<F: Field> Task<F> {
    /// Numbers that all parties know.
    ///
    /// Errors: there are too many, or the computation has ended.
    pub fn constant(&self, elements: Vec<F::Element>) -> Result<Value<F>, RunError> {
        let mut bytes = vec![0; self.field().bytes()];
        let hash = elements.iter().fold(1, |hash, element| {
            self.field().encode(*element, &mut bytes);
            bytes.iter().fold(hash, |hash, byte| mixed(hash, u64::from(*byte)))
        });
        let length = elements.len();
        self.push(OperationKind::Constant(elements), (length, true), hash, &[])
    }

    /// An input of a party, which gives its elements; the others only give their number.
    ///
    /// Security: `elements` are secret; any t parties see uniform shares.
    /// Cost: for each element of the input, one element to each other party; one message.
    ///
    /// Errors: there is no such party, this party is the owner and gives no elements or the wrong number, or the computation has
    /// ended.
    pub fn input(
        &self,
        owner: PartyIndex,
        length: usize,
        elements: Option<Vec<F::Element>>,
    ) -> Result<Value<F>, RunError> {
        self.input_of(owner, (length, length), elements)
    }

    /// The same for elements that together hold this many values.
    pub(crate) fn input_of(
        &self,
        owner: PartyIndex,
        (length, values): (usize, usize),
        elements: Option<Vec<F::Element>>,
    ) -> Result<Value<F>, RunError> {
        self.check_input(owner, length, elements.as_ref().map(Vec::len))?;
        let hash = mixed(2, owner as u64);
        self.push_values(OperationKind::Input(owner, elements), (length, false), values, hash, &[])
    }

    /// The same for zeros and ones. Where parties may depart from the protocol, all of them verify that there are no other
    /// values.
    ///
    /// Errors: as [`Task::input`].
    pub(crate) fn input_bits(
        &self,
        owner: PartyIndex,
        (length, values): (usize, usize),
        elements: Option<Vec<F::Element>>,
    ) -> Result<Value<F>, RunError> {
        if !self.scheme().is_active() {
            return self.input_of(owner, (length, values), elements);
        }
        self.check_input(owner, length, elements.as_ref().map(Vec::len))?;
        let hash = mixed(18, owner as u64);
        self.push_values(OperationKind::InputBits(owner, elements), (length, false), values, hash, &[])
    }

    fn check_input(&self, owner: PartyIndex, length: usize, given: Option<usize>) -> Result<(), RunError> {
        if owner >= self.shared.names.len() {
            return Err(UsageError::NoParty { party: owner, parties: self.shared.names.len() }.into());
        }
        let expected = (owner == self.shared.me).then_some(length);
        if given != expected {
            let owner = self.shared.names[owner].clone();
            return Err(UsageError::Input { owner, length, given }.into());
        }
        Ok(())
    }

    /// Elements that a party draws, or computes from what it draws, and shares as an input.
    ///
    /// Cost: as [`Task::input`].
    ///
    /// Errors: the computation has ended.
    pub(crate) fn shared_by(
        &self,
        dealer: PartyIndex,
        (length, hash): (usize, u64),
        f: impl FnOnce(&crate::prss::Prss<F>) -> Vec<F::Element> + Send + 'static,
    ) -> Result<Value<F>, RunError> {
        self.contributed_by(dealer, (length, hash), Box::new(move |prss, _| f(prss)))
    }

    fn contributed_by(
        &self,
        dealer: PartyIndex,
        (length, hash): (usize, u64),
        f: Local<F>,
    ) -> Result<Value<F>, RunError> {
        self.push(OperationKind::Contribution(dealer, f), (length, false), mixed(16, hash), &[])
    }

    /// This many elements of the field's ground that one party computes for another, as bytes: the sender calls `give` to fill room for the next ones, and the receiver calls `take`
    /// with the next ones that have arrived, in order. Both say whether that was right. The value has no elements; it is known when all were sent or have arrived.
    ///
    /// Security: only the receiver learns the elements.
    /// Cost: the elements, in one message.
    ///
    /// Errors: parties may depart from the protocol, or the computation has ended.
    pub(crate) fn hand(
        &self,
        way: (PartyIndex, PartyIndex),
        (length, hash): (usize, u64),
        inputs: &[&Value<F>],
        give: impl FnMut(&crate::prss::Prss<F>, &[&[F::Element]], &mut [u8]) -> bool + Send + 'static,
        take: impl FnMut(&crate::prss::Prss<F>, &[u8]) -> bool + Send + 'static,
    ) -> Result<Value<F>, RunError> {
        self.passive_only("this operation")?;
        let hash = mixed(mixed(mixed(19, way.0 as u64), way.1 as u64), hash);
        let handed = Handed { way, inputs: ids(inputs), give: Box::new(give), take: Box::new(take) };
        self.push(OperationKind::Handed(Box::new(handed)), (length, false), hash, inputs)
    }

    /// `a + b`. If one operand has one element, it is added to each element of the other.
    ///
    /// Errors: the lengths do not fit, or the computation has ended.
    pub fn add(&self, a: &Value<F>, b: &Value<F>) -> Result<Value<F>, RunError> {
        self.pair(OperationKind::Add(a.id, b.id), 3, a, b)
    }

    /// `a - b`, as [`Task::add`].
    ///
    /// Errors: as [`Task::add`].
    pub fn sub(&self, a: &Value<F>, b: &Value<F>) -> Result<Value<F>, RunError> {
        self.pair(OperationKind::Sub(a.id, b.id), 4, a, b)
    }

    fn pair(
        &self,
        work: OperationKind<F>,
        hash: u64,
        a: &Value<F>,
        b: &Value<F>,
    ) -> Result<Value<F>, RunError> {
        let (length, public) = (fitting(a, b)?, a.public && b.public);
        self.push(work, (length, public), hash, &[a, b])
    }

    /// `a · b`, as [`Task::add`].
    ///
    /// Cost: nothing if one of them is public; else for each element one element from each of three parties in one round, or of more
    /// parties 3t elements of all together in two; where randomness is dealt, a party deals (n - t - 1 + n - 2t - 1) / (n - t) elements before.
    ///
    /// Errors: as [`Task::add`].
    pub fn mul(&self, a: &Value<F>, b: &Value<F>) -> Result<Value<F>, RunError> {
        if !a.public && !b.public {
            return self.pair(OperationKind::Product(a.id, b.id), 5, a, b);
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
        self.push(OperationKind::Scale(a.id, factor), (a.length, a.public), hash, &[a])
    }

    /// `a + shift`, for a public number.
    ///
    /// Errors: the computation has ended.
    pub fn shift(&self, a: &Value<F>, shift: F::Element) -> Result<Value<F>, RunError> {
        let hash = self.constant_hash(8, shift);
        self.push(OperationKind::Shift(a.id, shift), (a.length, a.public), hash, &[a])
    }

    /// The same value, with a statement of the program about it, encoded as a number. Parties whose programs state something else
    /// differ here.
    ///
    /// Errors: the computation has ended.
    pub fn declared(&self, a: &Value<F>, what: u64) -> Result<Value<F>, RunError> {
        self.local(a.length, a.public, mixed(0x6465, what), &[a], |_, given| given[0].to_vec())
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

    /// The result of a function on values, without a message: any linear map on shares, or any function of public values.
    /// `hash` distinguishes the function from others.
    pub(crate) fn local(
        &self,
        length: usize,
        public: bool,
        hash: u64,
        inputs: &[&Value<F>],
        f: impl FnOnce(&crate::prss::Prss<F>, &[&[F::Element]]) -> Vec<F::Element> + Send + 'static,
    ) -> Result<Value<F>, RunError> {
        self.local_of((length, public), hash, inputs, Box::new(f))
    }

    /// The same for functions of all types, so that it is compiled once.
    fn local_of(
        &self,
        form: (usize, bool),
        hash: u64,
        inputs: &[&Value<F>],
        f: Local<F>,
    ) -> Result<Value<F>, RunError> {
        self.push(OperationKind::Local(ids(inputs), f), form, mixed(9, hash), inputs)
    }

    /// The products of factors that a function returns, equally many left and right ones: each a linear function of shares.
    pub(crate) fn factors(
        &self,
        length: usize,
        hash: u64,
        inputs: &[&Value<F>],
        f: impl FnOnce(&[&[F::Element]]) -> [Vec<F::Element>; 2] + Send + 'static,
    ) -> Result<Value<F>, RunError> {
        self.factors_of((length, length), hash, inputs, f)
    }

    /// The same for elements that together hold this many products.
    pub(crate) fn factors_of(
        &self,
        (length, values): (usize, usize),
        hash: u64,
        inputs: &[&Value<F>],
        f: impl FnOnce(&[&[F::Element]]) -> [Vec<F::Element>; 2] + Send + 'static,
    ) -> Result<Value<F>, RunError> {
        self.products_of((length, values), hash, inputs, OperationKind::Factors(ids(inputs), Box::new(f)))
    }

    /// Writes products of values.
    fn products_of(
        &self,
        (length, values): (usize, usize),
        hash: u64,
        inputs: &[&Value<F>],
        work: OperationKind<F>,
    ) -> Result<Value<F>, RunError> {
        self.push_values(work, (length, false), values, mixed(10, hash), inputs)
    }

    /// The product of two matrices of shares, by rows, whose sizes match.
    pub(crate) fn matrices(
        &self,
        hash: u64,
        (a, b): (&Value<F>, &Value<F>),
        sizes: MatrixSizes,
    ) -> Result<Value<F>, RunError> {
        let work = OperationKind::Matrices(a.id, b.id, sizes);
        self.push(work, (sizes.rows * sizes.columns, false), mixed(10, hash), &[a, b])
    }

    /// Products that a function computes as shares of degree 2t: any sums of products of two shares.
    pub(crate) fn form(
        &self,
        length: usize,
        hash: u64,
        inputs: &[&Value<F>],
        f: impl FnOnce(&crate::prss::Prss<F>, &[&[F::Element]]) -> Vec<F::Element> + Send + 'static,
    ) -> Result<Value<F>, RunError> {
        self.form_of((length, length), hash, inputs, f)
    }

    /// The same for elements that together hold this many products.
    pub(crate) fn form_of(
        &self,
        (length, values): (usize, usize),
        hash: u64,
        inputs: &[&Value<F>],
        f: impl FnOnce(&crate::prss::Prss<F>, &[&[F::Element]]) -> Vec<F::Element> + Send + 'static,
    ) -> Result<Value<F>, RunError> {
        self.passive_only("this operation")?;
        self.products_of((length, values), hash, inputs, OperationKind::Form(ids(inputs), Box::new(f)))
    }

    /// Uniform elements that nobody knows, from dealt sharings.
    pub(crate) fn dealt(&self, length: usize) -> Result<Value<F>, RunError> {
        self.push(OperationKind::Random, (length, false), 15, &[])
    }

    /// Positions in the task's randomness; none is returned twice.
    pub(crate) fn draw(&self, count: usize) -> u64 {
        let mut progress = lock(&self.progress);
        let first = progress.drawn;
        progress.drawn += count as u64;
        first
    }

    /// Reveals a value to all parties.
    ///
    /// Cost: t elements from each party for each element, in one round.
    ///
    /// Errors: the computation has ended.
    pub fn open(&self, value: &Value<F>) -> Result<Value<F>, RunError> {
        self.open_to(value, Parties::first(self.shared.names.len()))
    }

    /// Reveals a value to some parties. At the others the result only has zeros; it counts as public at the parties it was opened to.
    /// Only use it with [`Task::read`].
    ///
    /// Errors: the computation has ended.
    pub fn open_to(&self, value: &Value<F>, to: Parties) -> Result<Value<F>, RunError> {
        self.open_of((value, value.length), to)
    }

    /// The same for elements that together hold this many values.
    pub(crate) fn open_of(
        &self,
        (value, values): (&Value<F>, usize),
        to: Parties,
    ) -> Result<Value<F>, RunError> {
        if value.public {
            return self.scale(value, self.field().one());
        }
        let work = OperationKind::Open { value: value.id, to, epoch: 0 };
        let hash = (0..Parties::MAX).filter(|party| to.contains(*party));
        let hash = hash.fold(11, |hash, party| mixed(hash, party as u64));
        self.push_values(work, (value.length, true), values, hash, &[value])
    }

    /// Sends these fields to all others, and compares theirs. The result, a zero, is known when every party has sent the same here. If a party has sent
    /// something else, the computation ends with [`NetError::Mismatch`](tacit_net::NetError::Mismatch), which names the party and the first field that differs.
    ///
    /// Security: the fields are public.
    /// Cost: one message to each party.
    ///
    /// Errors: the fields exceed a greeting's limits or one message, or the computation has ended.
    pub fn agree(&self, fields: Vec<session::Field>) -> Result<Value<F>, RunError> {
        let ours = session::encode_fields(fields)?;
        if ours.len() > MAX_COUNT {
            return Err(UsageError::Length { length: ours.len(), limit: MAX_COUNT }.into());
        }
        // The fields are not part of the program's hash, so that the comparison finds the difference.
        self.push(OperationKind::Agree { number: 0, ours }, (1, true), 14, &[])
    }

    /// Compares what all parties have seen of the values that this task opened to all since it last synchronised. The result, a zero, is
    /// known when every party has reached this point and has seen the same; if one has seen something else, the computation ends.
    ///
    /// Cost: one message to each party.
    ///
    /// Errors: the computation has ended.
    pub fn synchronise(&self) -> Result<Value<F>, RunError> {
        let work = OperationKind::Synchronise { epoch: 0, opened: 0 };
        let own = self.push(work, (1, true), 12, &[])?;
        let own = self.with_synchronised(own, self.bytes.get().map(|task| &**task))?;
        let own = self.with_synchronised(own, self.sliced.get().map(|task| &**task))?;
        let own = self.with_synchronised(own, self.octets.get().map(|task| &**task))?;
        self.with_synchronised(own, self.ring.get().map(|task| &**task))
    }

    /// Known when a value is known and the parties have compared what this task opened in another field.
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

    /// Calls back with the elements of a public value when they are known, or with the reason why they never will be. The thread
    /// that runs the computation makes the call.
    ///
    /// Errors: the value is not public, or the computation has ended.
    pub fn read(
        &self,
        value: &Value<F>,
        reply: impl FnOnce(Result<Vec<F::Element>, RunError>) + Send + 'static,
    ) -> Result<(), RunError> {
        if !value.public {
            return Err(UsageError::NotPublic.into());
        }
        self.read_shares(value, reply)
    }

    /// The same with this party's shares of a value.
    ///
    /// Security: they are secret, and nobody else learns them.
    pub(super) fn read_shares(
        &self,
        value: &Value<F>,
        reply: impl FnOnce(Result<Vec<F::Element>, RunError>) + Send + 'static,
    ) -> Result<(), RunError> {
        self.read_by(value, Reply::new(reply))
    }

    fn read_by(&self, value: &Value<F>, reply: Reply<F>) -> Result<(), RunError> {
        self.shared.alive()?;
        self.shared.push(Command::Read(value.id, reply));
        self.shared.wake();
        Ok(())
    }

    /// This party's shares of a value. Blocks until they are computed; not for the thread that runs the
    /// computation.
    ///
    /// Security: they are secret, and nobody else learns them.
    pub(crate) fn own_shares(&self, value: &Value<F>) -> Result<Zeroizing<Vec<F::Element>>, RunError> {
        let (sender, receiver) = sync_channel(1);
        self.read_shares(value, move |result| {
            // The receiver still exists.
            let _ = sender.send(result.map(Zeroizing::new));
        })?;
        receiver.recv().unwrap_or_else(|_| Err(self.failure().unwrap_or(RunError::Over)))
    }
}

fn ids<F: Field>(values: &[&Value<F>]) -> Vec<ValueId> {
    values.iter().map(|value| value.id).collect()
}

/// The length of the result of an operation on two values, element by element.
fn fitting<F: Field>(a: &Value<F>, b: &Value<F>) -> Result<usize, RunError> {
    match (a.length, b.length) {
        (a, b) if a == b => Ok(a),
        (1, length) | (length, 1) => Ok(length),
        (left, right) => Err(UsageError::Operands { left, right }.into()),
    }
}
