//! The commands of a program to its runtime.

use std::sync::Arc;

use tacit_math::field::Field;

use super::identity::{CallSite, TaskId};
use super::traffic::TaskTraffic;
use super::value::ValueId;
use crate::error::RunError;
use crate::parties::{Parties, PartyIndex};
use crate::product::matrices::MatrixSizes;
use crate::prss::Prss;

/// A computation of one party on elements, given the randomness of the operation's task.
pub(crate) type Local<F> =
    Box<dyn FnOnce(&Prss<F>, &[&[<F as Field>::Element]]) -> Vec<<F as Field>::Element> + Send>;

/// A computation of one party on elements that returns the factors of products, equally many left and right ones.
pub(crate) type LocalFactors<F> =
    Box<dyn FnOnce(&[&[<F as Field>::Element]]) -> [Vec<<F as Field>::Element>; 2] + Send>;

/// Computes the next bytes for another party; whether there are as many.
pub(crate) type Give<F> = Box<dyn FnMut(&Prss<F>, &[&[<F as Field>::Element]], &mut [u8]) -> bool + Send>;

/// Uses the next bytes of another party; whether they were expected.
pub(crate) type Take<F> = Box<dyn FnMut(&Prss<F>, &[u8]) -> bool + Send>;

/// Bytes that one party computes for another: elements of the field's ground, as they are sent.
pub(crate) struct Handed<F: Field> {
    /// The sender and the receiver.
    pub way: (PartyIndex, PartyIndex),
    pub inputs: Vec<ValueId>,
    pub give: Give<F>,
    pub take: Take<F>,
}

/// An operation on the values of other operations. A value of one element is repeated as often as needed.
pub(crate) enum OperationKind<F: Field> {
    /// Numbers that all parties know.
    Constant(Vec<F::Element>),
    Add(ValueId, ValueId),
    Sub(ValueId, ValueId),
    Scale(ValueId, F::Element),
    Shift(ValueId, F::Element),
    /// A public value that another field of the computation provides, by the field's number and the value
    /// there.
    Carried(usize, ValueId),
    /// Anything that needs no message.
    Local(Vec<ValueId>, Local<F>),
    Product(ValueId, ValueId),
    /// Products of factors that a function returns.
    Factors(Vec<ValueId>, LocalFactors<F>),
    /// The product of two matrices, by rows.
    Matrices(ValueId, ValueId, MatrixSizes),
    /// The products whose shares of degree 2t a function returns.
    Form(Vec<ValueId>, Local<F>),
    /// An input; its elements at its owner.
    Input(PartyIndex, Option<Vec<F::Element>>),
    /// The same for zeros and ones, which is verified where parties may depart from the protocol.
    InputBits(PartyIndex, Option<Vec<F::Element>>),
    /// Elements that a party draws, and shares as an input.
    Contribution(PartyIndex, Local<F>),
    /// Bytes that one party computes for another. The value has no elements.
    Handed(Box<Handed<F>>),
    /// Uniform elements that nobody knows, from dealt sharings.
    Random,
    /// Reveals a value to some parties.
    Open {
        value: ValueId,
        to: Parties,
        epoch: u64,
    },
    /// Sends all others fields that must be the same at all; the agreement has a number in its task.
    Agree {
        number: u64,
        ours: Vec<u8>,
    },
    /// Compares what all have seen in an epoch, in which this many elements were opened to all.
    Synchronise {
        epoch: u64,
        opened: u64,
    },
}

impl<F: Field> OperationKind<F> {
    /// Whether it computes products.
    pub(crate) fn is_product(&self) -> bool {
        use OperationKind::{Factors, Form, Matrices, Product};
        matches!(self, Product(..) | Factors(..) | Matrices(..) | Form(..))
    }

    /// Whether it is verified where parties may depart from the protocol.
    pub(crate) fn is_verified(&self) -> bool {
        use OperationKind::{Contribution, Input, InputBits};
        self.is_product() || matches!(self, Input(..) | InputBits(..) | Contribution(..))
    }

    /// Whether a function of the program computes it, or its operands.
    pub(crate) fn is_by_function(&self) -> bool {
        use OperationKind::{Contribution, Factors, Form, Handed, Local};
        matches!(self, Local(..) | Factors(..) | Form(..) | Contribution(..) | Handed(_))
    }

    /// Calls `f` with each value that is needed.
    pub(crate) fn each_input(&self, mut f: impl FnMut(ValueId)) {
        match self {
            OperationKind::Constant(_)
            | OperationKind::Random
            | OperationKind::Input(..)
            | OperationKind::InputBits(..)
            | OperationKind::Contribution(..)
            | OperationKind::Synchronise { .. }
            | OperationKind::Agree { .. }
            | OperationKind::Carried(..) => {}
            OperationKind::Scale(value, _)
            | OperationKind::Shift(value, _)
            | OperationKind::Open { value, .. } => f(*value),
            OperationKind::Add(a, b)
            | OperationKind::Sub(a, b)
            | OperationKind::Product(a, b)
            | OperationKind::Matrices(a, b, _) => {
                f(*a);
                f(*b);
            }
            OperationKind::Local(inputs, _) | OperationKind::Form(inputs, _) => {
                inputs.iter().for_each(|value| f(*value))
            }
            OperationKind::Factors(inputs, _) => inputs.iter().for_each(|value| f(*value)),
            OperationKind::Handed(handed) => handed.inputs.iter().for_each(|value| f(*value)),
        }
    }

    /// Whether it is done as soon as it has run, without waiting for a message.
    pub(crate) fn is_local(&self) -> bool {
        match self {
            OperationKind::Product(..)
            | OperationKind::Factors(..)
            | OperationKind::Matrices(..)
            | OperationKind::Form(..)
            | OperationKind::Open { .. }
            | OperationKind::Synchronise { .. } => false,
            OperationKind::Input(..)
            | OperationKind::InputBits(..)
            | OperationKind::Contribution(..)
            | OperationKind::Handed(_)
            | OperationKind::Agree { .. } => false,
            OperationKind::Constant(_)
            | OperationKind::Random
            | OperationKind::Add(..)
            | OperationKind::Sub(..)
            | OperationKind::Scale(..)
            | OperationKind::Shift(..) => true,
            OperationKind::Carried(..) | OperationKind::Local(..) => true,
        }
    }
}

/// One operation, with its identity.
pub(crate) struct TaskOperation<F: Field> {
    pub out: ValueId,
    pub length: usize,
    /// The number of values in its elements: as many as there are elements, or more if bits lie side by side.
    pub values: u64,
    /// This party's number of the task.
    pub task: u32,
    /// The position of its first element among those of its kind in the task; products and random elements are counted
    /// separately in each field.
    pub position: u64,
    /// Its number among the operations of its kind in the task.
    pub number: u64,
    /// Hash of the task's program up to here.
    pub chain: u64,
    pub call_site: CallSite,
    pub work: OperationKind<F>,
}

/// The callback for a value that is read.
type ReplyCall<F> = Box<dyn FnOnce(Result<Vec<<F as Field>::Element>, RunError>) + Send>;

/// The reply to a reader. The reader always gets one: dropping it reports that the computation is over.
pub(crate) struct Reply<F: Field>(Option<ReplyCall<F>>);

impl<F: Field> Reply<F> {
    pub(crate) fn new(call: impl FnOnce(Result<Vec<F::Element>, RunError>) + Send + 'static) -> Self {
        Reply(Some(Box::new(call)))
    }

    /// Passes on the value, or the reason why it will never be known.
    pub(crate) fn tell(mut self, result: Result<Vec<F::Element>, RunError>) {
        if let Some(call) = self.0.take() {
            call(result);
        }
    }
}

impl<F: Field> Drop for Reply<F> {
    fn drop(&mut self) {
        if let Some(call) = self.0.take() {
            call(Err(RunError::Over));
        }
    }
}

/// The commands of a program.
pub(crate) enum Command<F: Field> {
    /// A task, with its number at this party, and its traffic counters.
    Task(TaskId, u32, Arc<TaskTraffic>),
    /// Nothing more is written in a task.
    End(u32),
    Operation(TaskOperation<F>),
    /// The elements of a value that another field provides.
    Carry(ValueId, Vec<F::Element>),
    /// Calls back with a public value as soon as it is known.
    Read(ValueId, Reply<F>),
}

/// The commands that a program has written since the last time.
pub(crate) struct Written<F: Field> {
    pub(crate) commands: Vec<Command<F>>,
    /// Values that the program can no longer refer to; all operations that need them were written before.
    pub(crate) released: Vec<ValueId>,
}

impl<F: Field> Default for Written<F> {
    fn default() -> Self {
        Written { commands: Vec::new(), released: Vec::new() }
    }
}

#[cfg(test)]
impl<F: Field> Written<F> {
    pub(super) fn is_empty(&self) -> bool {
        self.commands.is_empty() && self.released.is_empty()
    }

    /// Takes the first `count` commands; with the last command, also the released values.
    pub(super) fn first(&mut self, count: usize) -> Written<F> {
        let commands = self.commands.drain(..count.min(self.commands.len())).collect();
        let released = if self.commands.is_empty() { std::mem::take(&mut self.released) } else { Vec::new() };
        Written { commands, released }
    }
}
