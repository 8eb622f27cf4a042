//! The values of a party: shares, and numbers that all parties know, as they become known.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use tacit_math::field::Field;
use tacit_math::{Wiped, wipe};
use zeroize::{DefaultIsZeroes, Zeroize};

use super::spare::SpareMemory;

/// Number of a value at one party. Other parties may number theirs differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ValueId(pub u64);

/// A hasher that spreads consecutive numbers; these keys are nothing else.
#[derive(Default)]
pub(crate) struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }
}

/// A map by [`ValueId`] or another number of this party's own.
pub(crate) type ByNumber<K, V> = HashMap<K, V, BuildHasherDefault<Spread>>;

/// Elements of a value; a single one lies in place. Copies of several share their memory, which is wiped with the last
/// copy.
#[derive(Clone)]
pub(crate) enum ValueElements<E: DefaultIsZeroes> {
    One(E),
    Many(Arc<Wiped<E>>),
}

impl<E: DefaultIsZeroes> ValueElements<E> {
    pub(crate) fn as_slice(&self) -> &[E] {
        match self {
            ValueElements::One(one) => std::slice::from_ref(one),
            ValueElements::Many(many) => many,
        }
    }
}

impl<E: DefaultIsZeroes> From<Vec<E>> for ValueElements<E> {
    fn from(mut many: Vec<E>) -> Self {
        match many[..] {
            [one] => {
                many.zeroize();
                ValueElements::One(one)
            }
            _ => ValueElements::Many(Arc::new(Wiped::from(many))),
        }
    }
}

impl<E: DefaultIsZeroes> ValueElements<E> {
    /// Elements whose memory can serve others; none for a single element, or if a copy still has it.
    fn memory(mut self) -> Wiped<E> {
        match &mut self {
            ValueElements::One(_) => Wiped::default(),
            ValueElements::Many(many) => Arc::get_mut(many).map(std::mem::take).unwrap_or_default(),
        }
    }
}

impl<E: DefaultIsZeroes> Drop for ValueElements<E> {
    fn drop(&mut self) {
        // Several elements are overwritten by their own type.
        if let ValueElements::One(one) = self {
            one.zeroize();
        }
    }
}

/// The state of a value that is not known yet.
struct MissingValue<E: DefaultIsZeroes> {
    length: usize,
    /// Operations that wait for it.
    waiters: Vec<u64>,
    /// Those of them that use elements as they come.
    followers: Vec<u64>,
    /// The task and the end of the exchange in which its elements become known one after the other, if there is one.
    exchange: Option<(u32, u64)>,
    partial: Option<Box<PartialValue<E>>>,
}

/// A value with some known elements.
struct PartialValue<E: DefaultIsZeroes> {
    /// Elements up to the last known one, with capacity for all.
    elements: Vec<E>,
    missing: usize,
}

impl<E: DefaultIsZeroes> PartialValue<E> {
    fn new(length: usize, spare: &mut SpareMemory<E>) -> Box<PartialValue<E>> {
        let mut elements = spare.take(length);
        // Growing later would leave copies behind.
        elements.reserve_exact(length);
        Box::new(PartialValue { elements, missing: length })
    }

    /// Elements mostly come in order; then each is written once.
    fn put(&mut self, offset: usize, part: &[E]) {
        if offset == self.elements.len() {
            self.elements.extend_from_slice(part);
        } else {
            let end = self.elements.len().max(offset + part.len());
            self.elements.resize_with(end, E::default);
            self.elements[offset..][..part.len()].copy_from_slice(part);
        }
        self.missing -= part.len();
    }
}

impl<E: DefaultIsZeroes> Drop for PartialValue<E> {
    fn drop(&mut self) {
        wipe(&mut self.elements);
    }
}

enum ValueState<E: DefaultIsZeroes> {
    Known(ValueElements<E>),
    Missing(MissingValue<E>),
}

struct ValueEntry<E: DefaultIsZeroes> {
    state: ValueState<E>,
    /// Number of operations that have not read it yet.
    uses: u32,
    /// Whether the program may still refer to it.
    held: bool,
}

impl<E: DefaultIsZeroes> ValueEntry<E> {
    fn is_unused(&self) -> bool {
        !self.held && self.uses == 0 && matches!(self.state, ValueState::Known(_))
    }

    /// Makes the value known; returns the operations that waited for it.
    fn complete(&mut self, elements: ValueElements<E>) -> Vec<u64> {
        let waiters = match &mut self.state {
            ValueState::Missing(missing) => std::mem::take(&mut missing.waiters),
            ValueState::Known(_) => Vec::new(),
        };
        self.state = ValueState::Known(elements);
        waiters
    }

    /// Makes some elements known; returns the operations that waited if the value is complete.
    fn fill(&mut self, offset: usize, part: &[E], spare: &mut SpareMemory<E>) -> Vec<u64> {
        let ValueState::Missing(missing) = &mut self.state else { return Vec::new() };
        if let ([one], 1) = (part, missing.length) {
            return self.complete(ValueElements::One(*one));
        }
        let length = missing.length;
        let partial = missing.partial.get_or_insert_with(|| PartialValue::new(length, spare));
        partial.put(offset, part);
        if partial.missing > 0 {
            return Vec::new();
        }
        let elements = std::mem::take(&mut partial.elements);
        self.complete(ValueElements::Many(Arc::new(Wiped::from(elements))))
    }
}

/// Values of one chunk have consecutive numbers, so values that are computed together lie together.
const CHUNK: u64 = 1024;

struct ValueChunk<E: DefaultIsZeroes> {
    /// Up to the last value that was begun, with capacity for all: growing would leave copies behind.
    entries: Vec<Option<ValueEntry<E>>>,
    live: usize,
}

impl<E: DefaultIsZeroes> ValueChunk<E> {
    fn entry(&self, id: ValueId) -> Option<&ValueEntry<E>> {
        self.entries.get((id.0 % CHUNK) as usize)?.as_ref()
    }
}

/// All values that can still be read.
pub(crate) struct LiveValues<F: Field> {
    chunks: ByNumber<u64, ValueChunk<F::Element>>,
    /// The last chunk, which is kept even if it is empty.
    newest: u64,
    /// Memory of values that were dropped.
    pub(super) spare: SpareMemory<F::Element>,
}

impl<F: Field> LiveValues<F> {
    pub(crate) fn new() -> Self {
        LiveValues { chunks: ByNumber::default(), newest: 0, spare: SpareMemory::default() }
    }

    /// The number of values.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.chunks.values().map(|chunk| chunk.live).sum()
    }

    /// Begins a value without known elements, which the program holds.
    pub(crate) fn begin(&mut self, id: ValueId, length: usize) {
        let state = match length {
            0 => ValueState::Known(ValueElements::Many(Arc::default())),
            _ => ValueState::Missing(MissingValue {
                length,
                waiters: Vec::new(),
                followers: Vec::new(),
                exchange: None,
                partial: None,
            }),
        };
        let number = id.0 / CHUNK;
        if number > self.newest {
            let before = std::mem::replace(&mut self.newest, number);
            if self.chunks.get(&before).is_some_and(|chunk| chunk.live == 0) {
                self.chunks.remove(&before);
            }
        }
        let chunk = self
            .chunks
            .entry(number)
            .or_insert_with(|| ValueChunk { entries: Vec::with_capacity(CHUNK as usize), live: 0 });
        let place = (id.0 % CHUNK) as usize;
        if chunk.entries.len() <= place {
            chunk.entries.resize_with(place + 1, || None);
        }
        chunk.entries[place] = Some(ValueEntry { state, uses: 0, held: true });
        chunk.live += 1;
    }

    /// Changes a value, if it still exists, and forgets it if nothing can read it any more.
    fn change<T>(
        &mut self,
        id: ValueId,
        f: impl FnOnce(&mut ValueEntry<F::Element>, &mut SpareMemory<F::Element>) -> T,
    ) -> Option<T> {
        let number = id.0 / CHUNK;
        let chunk = self.chunks.get_mut(&number)?;
        let slot = chunk.entries.get_mut((id.0 % CHUNK) as usize)?;
        let entry = slot.as_mut()?;
        let result = f(entry, &mut self.spare);
        if entry.is_unused() {
            if let Some(ValueEntry { state: ValueState::Known(elements), .. }) = slot.take() {
                self.spare.give(elements.memory());
            }
            chunk.live -= 1;
            if chunk.live == 0 && number < self.newest {
                self.chunks.remove(&number);
            }
        }
        Some(result)
    }

    /// Notes that operation `waiter` will read a value; returns whether it has to wait for it.
    pub(crate) fn request(&mut self, id: ValueId, waiter: u64) -> bool {
        let wait = |entry: &mut ValueEntry<F::Element>, _: &mut _| {
            entry.uses += 1;
            match &mut entry.state {
                ValueState::Known(_) => false,
                ValueState::Missing(missing) => {
                    missing.waiters.push(waiter);
                    true
                }
            }
        };
        self.change(id, wait).unwrap_or(false)
    }

    /// The elements of a known value; empty for any other.
    pub(crate) fn get(&self, id: ValueId) -> &[F::Element] {
        let chunk = self.chunks.get(&(id.0 / CHUNK));
        match chunk.and_then(|chunk| chunk.entry(id)) {
            Some(ValueEntry { state: ValueState::Known(elements), .. }) => elements.as_slice(),
            _ => &[],
        }
    }

    /// Notes the task and the end of the exchange in which a value's elements become known one after the other.
    pub(crate) fn begin_exchange(&mut self, id: ValueId, exchange: (u32, u64)) {
        self.change(id, |entry, _| {
            if let ValueState::Missing(missing) = &mut entry.state {
                missing.exchange = Some(exchange);
            }
        });
    }

    /// The task and the end of the exchange in which a missing value's elements become known.
    pub(crate) fn exchange(&self, id: ValueId) -> Option<(u32, u64)> {
        self.missing(id)?.exchange
    }

    fn missing(&self, id: ValueId) -> Option<&MissingValue<F::Element>> {
        let chunk = self.chunks.get(&(id.0 / CHUNK))?;
        match &chunk.entry(id)?.state {
            ValueState::Missing(missing) => Some(missing),
            ValueState::Known(_) => None,
        }
    }

    /// The same, but they may be kept longer than the value.
    pub(crate) fn shared(&self, id: ValueId) -> ValueElements<F::Element> {
        let chunk = self.chunks.get(&(id.0 / CHUNK));
        match chunk.and_then(|chunk| chunk.entry(id)) {
            Some(ValueEntry { state: ValueState::Known(elements), .. }) => elements.clone(),
            _ => ValueElements::Many(Arc::default()),
        }
    }

    /// Notes that a waiting operation uses a value's elements as they come.
    pub(crate) fn follow(&mut self, id: ValueId, waiter: u64) {
        self.change(id, |entry, _| {
            if let ValueState::Missing(missing) = &mut entry.state {
                missing.followers.push(waiter);
            }
        });
    }

    /// The operations that use a missing value's elements as they come.
    pub(crate) fn followers(&self, id: ValueId) -> &[u64] {
        self.missing(id).map_or(&[], |missing| &missing.followers)
    }

    /// Notes that something will read a value that is not known yet.
    pub(crate) fn keep(&mut self, id: ValueId) {
        self.change(id, |entry, _| entry.uses += 1);
    }

    /// Notes that an operation has read a value.
    pub(crate) fn read(&mut self, id: ValueId) {
        self.change(id, |entry, _| entry.uses = entry.uses.saturating_sub(1));
    }

    /// Notes that the program can no longer refer to a value.
    pub(crate) fn release(&mut self, id: ValueId) {
        self.change(id, |entry, _| entry.held = false);
    }

    /// Makes a value known; returns the operations that waited for it.
    pub(crate) fn complete(&mut self, id: ValueId, elements: ValueElements<F::Element>) -> Vec<u64> {
        self.change(id, |entry, _| entry.complete(elements)).unwrap_or_default()
    }

    /// Makes some elements of a value known, each once; returns the operations that waited if the value is complete.
    pub(crate) fn fill(&mut self, id: ValueId, offset: usize, part: &[F::Element]) -> Vec<u64> {
        self.change(id, |entry, spare| entry.fill(offset, part, spare)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use tacit_math::field::Mersenne61;

    use super::*;

    #[test]
    fn a_value_is_kept_as_long_as_something_may_read_it() {
        let mut values = LiveValues::<Mersenne61>::new();
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
    fn chunks_in_which_nothing_lives_are_forgotten() {
        let mut values = LiveValues::<Mersenne61>::new();
        for id in (0..10 * CHUNK).map(ValueId) {
            values.begin(id, 1);
            values.complete(id, ValueElements::One(id.0));
            if id.0 != 3 {
                values.release(id);
            }
        }
        assert_eq!((values.len(), values.get(ValueId(3))), (1, &[3][..]));
        assert_eq!(values.chunks.len(), 2, "the first and the newest");
        values.release(ValueId(3));
        assert_eq!((values.len(), values.chunks.len()), (0, 1));
    }

    #[test]
    fn what_nobody_reads_is_forgotten_when_it_comes() {
        let mut values = LiveValues::<Mersenne61>::new();
        values.begin(ValueId(1), 1);
        values.release(ValueId(1));
        assert_eq!(values.len(), 1);
        values.complete(ValueId(1), ValueElements::One(3));
        assert_eq!(values.len(), 0);
    }
}
