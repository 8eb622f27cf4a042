//! Elements on their way in one of the fields of a computation: its own, or GF(2^8) beside it.

use tacit_math::field::{Field, Gf256};

use super::CompiledError;
use crate::error::RunError;
use crate::program::{Task, Value};

/// What a domain has its values in.
pub enum Elements<F: Field> {
    /// Elements of the computation's own field.
    Own(Value<F>),
    /// Elements of GF(2^8).
    Bytes(Value<Gf256>),
}

impl<F: Field> std::fmt::Debug for Elements<F> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Values show their lengths alone.
        match self {
            Elements::Own(value) => write!(formatter, "Own({value:?})"),
            Elements::Bytes(value) => write!(formatter, "Bytes({value:?})"),
        }
    }
}

/// A computation on the elements of several values that needs no message, whatever their field.
pub(super) trait Move: Send + 'static {
    /// The elements that it gives.
    fn moved<E: Copy + Default>(self, given: &[&[E]]) -> Vec<E>;
}

impl<F: Field> Elements<F> {
    /// How many there are.
    #[expect(clippy::len_without_is_empty, reason = "as values are")]
    pub fn len(&self) -> usize {
        match self {
            Elements::Own(value) => value.len(),
            Elements::Bytes(value) => value.len(),
        }
    }

    /// Bytes of one in memory.
    pub(super) fn width(&self) -> usize {
        match self {
            Elements::Own(_) => size_of::<F::Element>(),
            Elements::Bytes(_) => 1,
        }
    }

    /// Those in the computation's own field.
    ///
    /// Errors: they are in another one.
    pub(super) fn own(&self) -> Result<&Value<F>, CompiledError> {
        match self {
            Elements::Own(value) => Ok(value),
            Elements::Bytes(_) => Err(CompiledError::OtherSchedule),
        }
    }

    /// Those in GF(2^8).
    ///
    /// Errors: they are in another field.
    pub(super) fn bytes(&self) -> Result<&Value<Gf256>, CompiledError> {
        match self {
            Elements::Bytes(value) => Ok(value),
            Elements::Own(_) => Err(CompiledError::OtherSchedule),
        }
    }

    /// So many elements that are made of others, all in one field.
    ///
    /// Errors: they are in several fields, or the computation has ended.
    pub(super) fn moved(
        task: &Task<F>,
        (length, hash): (usize, u64),
        of: &[&Elements<F>],
        by: impl Move,
    ) -> Result<Elements<F>, CompiledError> {
        match of.first() {
            Some(Elements::Own(_)) => {
                let values = of.iter().map(|one| one.own()).collect::<Result<Vec<_>, _>>()?;
                Ok(Elements::Own(moved(task, (length, hash), &values, by)?))
            }
            _ => {
                let values = of.iter().map(|one| one.bytes()).collect::<Result<Vec<_>, _>>()?;
                Ok(Elements::Bytes(moved(task.bytes()?, (length, hash), &values, by)?))
            }
        }
    }

    /// A public element that is known when these are.
    ///
    /// Errors: the computation has ended.
    pub(super) fn marker(&self, task: &Task<F>) -> Result<Elements<F>, RunError> {
        let hash = 0x6d61;
        // What is public of it is only that it is there.
        Ok(match self {
            Elements::Own(value) => {
                Elements::Own(task.local(1, true, hash, &[value], |_, _| vec![F::Element::default()])?)
            }
            Elements::Bytes(value) => {
                Elements::Bytes(task.bytes()?.local(1, true, hash, &[value], |_, _| vec![0])?)
            }
        })
    }
}

fn moved<G: Field>(
    task: &Task<G>,
    (length, hash): (usize, u64),
    values: &[&Value<G>],
    by: impl Move,
) -> Result<Value<G>, RunError> {
    let public = values.iter().all(|value| value.is_public());
    task.local(length, public, hash, values, move |_, given| by.moved(given))
}

impl<F: Field> Task<F> {
    /// Blocks until public elements of this task are known; not for the thread that runs the computation.
    ///
    /// Errors: they are not public, or the computation has ended.
    pub(super) fn wait_for(&self, elements: &Elements<F>) -> Result<(), RunError> {
        match elements {
            Elements::Own(value) => self.wait(value).map(drop),
            Elements::Bytes(value) => self.bytes()?.wait(value).map(drop),
        }
    }
}
