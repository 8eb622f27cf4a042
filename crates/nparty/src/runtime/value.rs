//! The values of a party: shares, and numbers that all know, as they become known.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use tacit_math::field::Field;
use zeroize::{DefaultIsZeroes, Zeroize};

/// Number of a value at one party. Other parties may number theirs differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ValueId(pub u64);

/// Spreads numbers that follow one another, which is all that these keys are.
#[derive(Default)]
pub(crate) struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }
}

/// A map by [`ValueId`] or another number of this party's own.
pub(crate) type ByNumber<K, V> = HashMap<K, V, BuildHasherDefault<Spread>>;

/// Elements of a value; those of a scalar lie in place.
pub(crate) enum Elements<E: DefaultIsZeroes> {
    One(E),
    Many(Vec<E>),
}

impl<E: DefaultIsZeroes> Elements<E> {
    pub(crate) fn as_slice(&self) -> &[E] {
        match self {
            Elements::One(one) => std::slice::from_ref(one),
            Elements::Many(many) => many,
        }
    }
}

impl<E: DefaultIsZeroes> From<Vec<E>> for Elements<E> {
    fn from(mut many: Vec<E>) -> Self {
        match many[..] {
            [one] => {
                many.zeroize();
                Elements::One(one)
            }
            _ => Elements::Many(many),
        }
    }
}

impl<E: DefaultIsZeroes> Drop for Elements<E> {
    fn drop(&mut self) {
        match self {
            Elements::One(one) => one.zeroize(),
            Elements::Many(many) => many.zeroize(),
        }
    }
}

/// What is not known yet of a value.
struct Missing<E> {
    elements: Vec<E>,
    length: usize,
    count: usize,
    /// Operations that wait for it.
    waiters: Vec<u64>,
}

enum State<E: DefaultIsZeroes> {
    Known(Elements<E>),
    Missing(Missing<E>),
}

struct Entry<E: DefaultIsZeroes> {
    state: State<E>,
    /// Operations that have still to read it.
    uses: u32,
    /// Whether the program may still name it.
    held: bool,
}

/// All values that something can still read.
pub(crate) struct Values<F: Field> {
    entries: ByNumber<ValueId, Entry<F::Element>>,
}

impl<F: Field> Values<F> {
    pub(crate) fn new() -> Self {
        Values { entries: ByNumber::default() }
    }

    /// How many there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Begins a value of which nothing is known. The program holds it.
    pub(crate) fn begin(&mut self, id: ValueId, length: usize) {
        let missing = Missing { elements: Vec::new(), length, count: length, waiters: Vec::new() };
        let state = match length {
            0 => State::Known(Elements::Many(Vec::new())),
            _ => State::Missing(missing),
        };
        self.entries.insert(id, Entry { state, uses: 0, held: true });
    }

    /// Notes that operation `waiter` will read a value; tells whether it has to wait for it.
    pub(crate) fn request(&mut self, id: ValueId, waiter: u64) -> bool {
        let Some(entry) = self.entries.get_mut(&id) else { return false };
        entry.uses += 1;
        match &mut entry.state {
            State::Known(_) => false,
            State::Missing(missing) => {
                missing.waiters.push(waiter);
                true
            }
        }
    }

    /// The elements of a value that is known; none of any other.
    pub(crate) fn get(&self, id: ValueId) -> &[F::Element] {
        match self.entries.get(&id).map(|entry| &entry.state) {
            Some(State::Known(elements)) => elements.as_slice(),
            _ => &[],
        }
    }

    /// Notes that an operation has read a value.
    pub(crate) fn read(&mut self, id: ValueId) {
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.uses = entry.uses.saturating_sub(1);
            self.forget(id);
        }
    }

    /// Notes that the program can name a value no more.
    pub(crate) fn release(&mut self, id: ValueId) {
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.held = false;
            self.forget(id);
        }
    }

    fn forget(&mut self, id: ValueId) {
        let unused = |entry: &Entry<F::Element>| {
            !entry.held && entry.uses == 0 && matches!(entry.state, State::Known(_))
        };
        if self.entries.get(&id).is_some_and(unused) {
            self.entries.remove(&id);
        }
    }

    /// Makes a value known; gives the operations that waited for it.
    pub(crate) fn complete(&mut self, id: ValueId, elements: Elements<F::Element>) -> Vec<u64> {
        let Some(entry) = self.entries.get_mut(&id) else { return Vec::new() };
        let waiters = match &mut entry.state {
            State::Missing(missing) => std::mem::take(&mut missing.waiters),
            State::Known(_) => Vec::new(),
        };
        entry.state = State::Known(elements);
        self.forget(id);
        waiters
    }

    /// Makes some elements of a value known, each once; gives the operations that waited, when the value is complete.
    pub(crate) fn fill(&mut self, id: ValueId, offset: usize, part: &[F::Element]) -> Vec<u64> {
        if let [one] = part
            && offset == 0
            && self.length(id) == 1
        {
            return self.complete(id, Elements::One(*one));
        }
        let Some(Entry { state: State::Missing(missing), .. }) = self.entries.get_mut(&id) else {
            return Vec::new();
        };
        missing.elements.resize(missing.length, F::Element::default());
        missing.elements[offset..offset + part.len()].copy_from_slice(part);
        missing.count -= part.len();
        match missing.count {
            0 => {
                let elements = std::mem::take(&mut missing.elements);
                self.complete(id, Elements::from(elements))
            }
            _ => Vec::new(),
        }
    }

    fn length(&self, id: ValueId) -> usize {
        match self.entries.get(&id).map(|entry| &entry.state) {
            Some(State::Missing(missing)) => missing.length,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use tacit_math::field::Mersenne61;

    use super::*;

    #[test]
    fn a_value_is_kept_as_long_as_something_may_read_it() {
        let mut values = Values::<Mersenne61>::new();
        values.begin(ValueId(1), 3);
        assert!(values.request(ValueId(1), 7));
        values.release(ValueId(1));
        assert_eq!(values.fill(ValueId(1), 1, &[5, 6]), [0u64; 0]);
        assert_eq!(values.fill(ValueId(1), 0, &[4]), [7]);
        assert_eq!(values.get(ValueId(1)), [4, 5, 6]);
        values.read(ValueId(1));
        assert_eq!(values.len(), 0);
    }

    #[test]
    fn what_nobody_reads_is_forgotten_when_it_comes() {
        let mut values = Values::<Mersenne61>::new();
        values.begin(ValueId(1), 1);
        values.release(ValueId(1));
        assert_eq!(values.len(), 1);
        values.complete(ValueId(1), Elements::One(3));
        assert_eq!(values.len(), 0);
    }
}
