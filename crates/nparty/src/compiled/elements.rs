//! Elements that are still being computed, in one of the fields of a computation: its own, or one in which bits are
//! shared.

use tacit_math::field::{BitOctets, Field, GaloisElement, GaloisRing, Gf256};
use tacit_math::zeros;

use super::CompiledError;
use crate::error::RunError;
use crate::program::{Task, Value};
use crate::protocol::packed::{SharedBits, copy_bits, pick_bits};

/// The field in which a domain has its values.
pub enum Elements<F: Field> {
    /// Elements of the computation's own field.
    Own(Value<F>),
    /// Elements of GF(2^8).
    Bytes(Value<Gf256>),
    /// This many bits, eight in an element.
    Octets(Value<BitOctets>, usize),
    /// Words modulo 2^64.
    Words(Value<GaloisRing>),
}

impl<F: Field> std::fmt::Debug for Elements<F> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // `Debug` of values shows only their lengths.
        match self {
            Elements::Own(value) => write!(formatter, "Own({value:?})"),
            Elements::Bytes(value) => write!(formatter, "Bytes({value:?})"),
            Elements::Octets(_, bits) => write!(formatter, "Octets({bits} bits)"),
            Elements::Words(value) => write!(formatter, "Words({value:?})"),
        }
    }
}

/// A field in which bits lie in [`Elements`] of their own.
pub(super) trait BitElements: SharedBits {
    /// This many bits.
    fn wrap<F: Field>(value: Value<Self>, count: usize) -> Elements<F>;

    /// The bits in elements.
    ///
    /// Errors: they are in another field.
    fn bits<F: Field>(elements: &Elements<F>) -> Result<&Value<Self>, CompiledError>;
}

impl BitElements for Gf256 {
    fn wrap<F: Field>(value: Value<Gf256>, _: usize) -> Elements<F> {
        Elements::Bytes(value)
    }

    fn bits<F: Field>(elements: &Elements<F>) -> Result<&Value<Gf256>, CompiledError> {
        match elements {
            Elements::Bytes(value) => Ok(value),
            _ => Err(CompiledError::OtherSchedule),
        }
    }
}

impl BitElements for BitOctets {
    fn wrap<F: Field>(value: Value<BitOctets>, count: usize) -> Elements<F> {
        Elements::Octets(value, count)
    }

    fn bits<F: Field>(elements: &Elements<F>) -> Result<&Value<BitOctets>, CompiledError> {
        match elements {
            Elements::Octets(value, _) => Ok(value),
            _ => Err(CompiledError::OtherSchedule),
        }
    }
}

/// A computation on the elements of several values that needs no message, whatever their field.
pub(super) trait Move: Send + 'static {
    /// The elements of the result.
    fn moved<E: Copy + Default>(self, given: &[&[E]]) -> Vec<E>;

    /// Hands out the result piece by piece, from values of so many elements.
    fn each_piece(&self, counts: &[usize], put: &mut dyn FnMut(Piece<'_>));
}

/// Consecutive elements of what is moved, from the value with the number `part`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    pub(super) part: usize,
    pub(super) from: usize,
    pub(super) at: usize,
    pub(super) taken: Taken<'a>,
}

/// Which elements a piece has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken<'a> {
    /// So many consecutive ones from `from` on.
    Run(usize),
    /// Those at these places after `from`.
    Picked(&'a [u32]),
}

impl<F: Field> Elements<F> {
    /// The number of elements; of bits, the number of bits.
    #[expect(clippy::len_without_is_empty, reason = "as values are")]
    pub fn len(&self) -> usize {
        match self {
            Elements::Own(value) => value.len(),
            Elements::Bytes(value) => value.len(),
            Elements::Octets(_, bits) => *bits,
            Elements::Words(value) => value.len(),
        }
    }

    /// Bytes of memory that the elements take.
    pub(super) fn memory(&self) -> usize {
        match self {
            Elements::Own(value) => value.len().saturating_mul(size_of::<F::Element>()),
            Elements::Bytes(value) => value.len(),
            Elements::Octets(value, _) => 2 * value.len(),
            Elements::Words(value) => value.len().saturating_mul(size_of::<GaloisElement>()),
        }
    }

    /// The elements in the computation's own field.
    ///
    /// Errors: they are in another one.
    pub(super) fn own(&self) -> Result<&Value<F>, CompiledError> {
        match self {
            Elements::Own(value) => Ok(value),
            _ => Err(CompiledError::OtherSchedule),
        }
    }

    /// The elements, if they are words modulo 2^64.
    ///
    /// Errors: they are not such words.
    pub(super) fn words(&self) -> Result<&Value<GaloisRing>, CompiledError> {
        match self {
            Elements::Words(value) => Ok(value),
            _ => Err(CompiledError::OtherSchedule),
        }
    }

    /// This many elements, made from the elements of others that are all in one field.
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
                Ok(Elements::Own(moved_alone(task, (length, hash), &values, by)?))
            }
            Some(Elements::Words(_)) => {
                let values = of.iter().map(|one| one.words()).collect::<Result<Vec<_>, _>>()?;
                Ok(Elements::Words(moved_alone(task.ring()?, (length, hash), &values, by)?))
            }
            Some(Elements::Octets(..)) => moved::<F, BitOctets>(task, (length, hash), of, by),
            _ => moved::<F, Gf256>(task, (length, hash), of, by),
        }
    }

    /// A public element that is known when these are.
    ///
    /// Errors: the computation has ended.
    pub(super) fn marker(&self, task: &Task<F>) -> Result<Elements<F>, RunError> {
        Ok(match self {
            Elements::Own(value) => Elements::Own(marker(task, value)?),
            Elements::Bytes(value) => Elements::Bytes(marker(task.bytes()?, value)?),
            Elements::Octets(value, _) => Elements::Octets(marker(task.octets()?, value)?, 1),
            Elements::Words(value) => Elements::Words(marker(task.ring()?, value)?),
        })
    }
}

/// This many elements, each in a value of its own.
fn moved_alone<G: Field>(
    task: &Task<G>,
    (length, hash): (usize, u64),
    of: &[&Value<G>],
    by: impl Move,
) -> Result<Value<G>, RunError> {
    let public = of.iter().all(|value| value.is_public());
    task.local(length, public, hash, of, move |_, given| by.moved(given))
}

/// Only its existence is public.
fn marker<G: Field>(task: &Task<G>, value: &Value<G>) -> Result<Value<G>, RunError> {
    task.local(1, true, 0x6d61, &[value], |_, _| vec![G::Element::default()])
}

fn moved<F: Field, G: BitElements>(
    task: &Task<F>,
    (length, hash): (usize, u64),
    of: &[&Elements<F>],
    by: impl Move,
) -> Result<Elements<F>, CompiledError> {
    let values = of.iter().map(|one| G::bits(one)).collect::<Result<Vec<_>, _>>()?;
    let public = values.iter().all(|value| value.is_public());
    let counts: Vec<_> = of.iter().map(|one| one.len()).collect();
    let moved = G::of(task)?.local(G::words(length), public, hash, &values, move |prss, given| {
        if G::LANES == 1 {
            return by.moved(given);
        }
        let field = prss.scheme().field();
        let mut moved = zeros(G::words(length));
        by.each_piece(&counts, &mut |Piece { part, from, at, taken }| match taken {
            Taken::Run(count) => copy_bits(field, (given[part], from), (&mut moved, at), count),
            Taken::Picked(places) => pick_bits(field, (given[part], from), places, (&mut moved, at)),
        });
        moved
    })?;
    Ok(G::wrap(moved, length))
}

impl<F: Field> Task<F> {
    /// Blocks until public elements of this task are known; not for the thread that runs the computation.
    ///
    /// Errors: they are not public, or the computation has ended.
    pub(super) fn wait_for(&self, elements: &Elements<F>) -> Result<(), RunError> {
        match elements {
            Elements::Own(value) => self.wait(value).map(drop),
            Elements::Bytes(value) => self.bytes()?.wait(value).map(drop),
            Elements::Octets(value, _) => self.octets()?.wait(value).map(drop),
            Elements::Words(value) => self.ring()?.wait(value).map(drop),
        }
    }
}
