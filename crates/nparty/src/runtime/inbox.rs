//! Elements that have arrived and are not yet used.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};
use tacit_math::field::Field;
use tacit_math::{Wiped, zeros};

use super::identity::TaskId;
use super::wire::{ChainTag, MessageKind, tag_of};
use crate::parties::PartyIndex;

/// A stream of elements: those that one peer sends for one kind of operation of one task.
pub(crate) type ElementStream = (MessageKind, TaskId, PartyIndex);

/// Consecutive elements; several of them may share what arrived together.
struct WaitingElements<F: Field> {
    elements: Arc<Wiped<F::Element>>,
    offset: usize,
    length: usize,
    hashes: Arc<Hashes>,
}

/// The sender's program at each of the operations of a range.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Hashes {
    /// The first operation's number, counted with its kind in its task.
    pub number: u64,
    /// The hash of the program up to it.
    pub chain: u64,
    /// Tags of the operations after it.
    pub tags: Vec<ChainTag>,
}

impl Hashes {
    /// Whether they come from a program in which the operation with this number has this hash.
    pub(crate) fn agree(&self, number: u64, chain: u64) -> bool {
        match number.checked_sub(self.number) {
            Some(0) => chain == self.chain,
            Some(after) => self.tags.get(after as usize - 1) == Some(&tag_of(chain)),
            None => false,
        }
    }
}

/// Bytes of memory that count for a segment besides its elements, including entries of maps: at least what it
/// really takes.
const SEGMENT_BYTES: usize = 1024;

/// Memory of fewer bytes is not kept for others.
const LEAST_KEPT: usize = 1 << 14;

/// Maximum bytes of memory that are kept.
const KEPT: usize = 1 << 20;

/// Elements by stream and position.
pub(crate) struct ElementInbox<F: Field> {
    streams: HashMap<ElementStream, BTreeMap<u64, WaitingElements<F>>>,
    /// Bytes that wait, by sender.
    waiting: Vec<usize>,
    /// Elements that were used, whose memory the next of equal number take.
    used: VecDeque<Wiped<F::Element>>,
    /// Bytes of them.
    kept: usize,
}

impl<F: Field> ElementInbox<F> {
    pub(crate) fn new(parties: usize) -> Self {
        ElementInbox { streams: HashMap::new(), waiting: vec![0; parties], used: VecDeque::new(), kept: 0 }
    }

    /// Room for this many elements, with unspecified content: every one must be written.
    pub(crate) fn room(&mut self, count: usize) -> Wiped<F::Element> {
        let fits = self.used.iter().rposition(|used| used.len() == count);
        let Some(room) = fits.and_then(|place| self.used.remove(place)) else {
            return Wiped::from(zeros(count));
        };
        self.kept -= size_of_val::<[_]>(&room);
        room
    }

    /// Keeps the memory of elements for others, and drops what was kept longest if that is too much.
    fn keep(&mut self, used: Wiped<F::Element>) {
        let bytes = size_of_val::<[_]>(&used);
        if !(LEAST_KEPT..=KEPT).contains(&bytes) {
            return;
        }
        self.kept += bytes;
        self.used.push_back(used);
        while self.kept > KEPT
            && let Some(oldest) = self.used.pop_front()
        {
            self.kept -= size_of_val::<[_]>(&oldest);
        }
    }

    /// The maximum bytes of memory that a peer's waiting elements take.
    pub(crate) fn waiting(&self, peer: PartyIndex) -> usize {
        self.waiting[peer]
    }

    /// Bytes of a segment.
    fn bytes(length: usize) -> usize {
        SEGMENT_BYTES + length * (size_of::<F::Element>() + size_of::<ChainTag>())
    }

    /// Keeps elements at `first` and after; false if some of them arrived before.
    pub(crate) fn put(
        &mut self,
        stream: ElementStream,
        first: u64,
        elements: Wiped<F::Element>,
        hashes: Hashes,
    ) -> bool {
        let length = elements.len();
        let segments = self.streams.entry(stream).or_default();
        let end = first + length as u64;
        let before = segments.range(..end).next_back();
        if before.is_some_and(|(start, segment)| start + segment.length as u64 > first) {
            return false;
        }
        self.waiting[stream.2] += Self::bytes(length);
        let (elements, hashes) = (Arc::new(elements), Arc::new(hashes));
        segments.insert(first, WaitingElements { elements, offset: 0, length, hashes });
        true
    }

    /// How many consecutive elements wait from `first` on, as far as they arrived together.
    pub(crate) fn available(&self, stream: &ElementStream, first: u64) -> usize {
        let found = self.streams.get(stream).and_then(|segments| segments.range(..=first).next_back());
        found.map_or(0, |(start, segment)| (start + segment.length as u64).saturating_sub(first) as usize)
    }

    /// How many of `count` elements from `first` on have arrived.
    pub(crate) fn arrived(&self, stream: &ElementStream, first: u64, count: usize) -> usize {
        let (mut at, end) = (first, first + count as u64);
        let Some(segments) = self.streams.get(stream) else { return 0 };
        let before = segments.range(..first).next_back();
        let mut arrived = 0;
        for (start, segment) in before.into_iter().chain(segments.range(first..end)) {
            let until = (start + segment.length as u64).min(end);
            at = at.max(*start);
            arrived += until.saturating_sub(at) as usize;
            at = at.max(until);
        }
        arrived
    }

    /// Takes elements from `first` on, which have arrived, to fill `room`.
    pub(crate) fn gather(&mut self, stream: &ElementStream, first: u64, mut room: &mut [F::Element]) {
        let mut first = first;
        while !room.is_empty() {
            let count = self.available(stream, first).min(room.len());
            if count == 0 {
                return;
            }
            let (part, rest) = room.split_at_mut(count);
            self.take(stream, first, count, |elements| part.copy_from_slice(elements));
            (room, first) = (rest, first + count as u64);
        }
    }

    /// The sender's program at the element at `first`, which [`ElementInbox::available`] reported.
    pub(crate) fn hashes(&self, stream: &ElementStream, first: u64) -> Option<&Hashes> {
        let (_, segment) = self.streams.get(stream)?.range(..=first).next_back()?;
        Some(&segment.hashes)
    }

    /// Takes `count` elements, which [`ElementInbox::available`] reported, and passes them to `use_them`.
    pub(crate) fn take(
        &mut self,
        stream: &ElementStream,
        first: u64,
        count: usize,
        use_them: impl FnOnce(&[F::Element]),
    ) {
        let Some(segments) = self.streams.get_mut(stream) else { return };
        let Some((&start, _)) = segments.range(..=first).next_back() else { return };
        let Some(segment) = segments.remove(&start) else { return };
        let skipped = (first - start) as usize;
        use_them(&segment.elements[segment.offset + skipped..][..count]);
        let length = segment.length;
        self.waiting[stream.2] -= Self::bytes(length);
        let WaitingElements { elements, offset, hashes, .. } = segment;
        let rest = length - skipped - count;
        if rest > 0 {
            self.waiting[stream.2] += Self::bytes(rest);
            let offset = offset + skipped + count;
            let after =
                WaitingElements { elements: elements.clone(), offset, length: rest, hashes: hashes.clone() };
            segments.insert(first + count as u64, after);
        }
        if skipped > 0 {
            self.waiting[stream.2] += Self::bytes(skipped);
            segments.insert(
                start,
                WaitingElements { elements: elements.clone(), offset, length: skipped, hashes },
            );
        }
        if segments.is_empty() {
            self.streams.remove(stream);
        }
        // The last to use what arrived together.
        if let Some(used) = Arc::into_inner(elements) {
            self.keep(used);
        }
    }
}

#[cfg(test)]
mod tests {
    use tacit_math::field::Mersenne61;

    use super::*;

    #[test]
    fn elements_are_taken_in_any_order_and_once() {
        let stream = (MessageKind::Open, TaskId(1), 1);
        let hashes = || Hashes { number: 3, chain: 7, tags: vec![1, 2] };
        let mut inbox = ElementInbox::<Mersenne61>::new(3);
        assert!(inbox.put(stream, 10, Wiped::from((10..20).collect::<Vec<_>>()), hashes()));
        assert!(!inbox.put(stream, 19, Wiped::from(vec![1]), hashes()));
        assert!(!inbox.put(stream, 9, Wiped::from(vec![1, 2]), hashes()));
        assert!(inbox.put(stream, 20, Wiped::from(vec![20]), hashes()));
        assert_eq!(inbox.waiting(1), 2 * SEGMENT_BYTES + 11 * 10);
        assert_eq!((inbox.available(&stream, 9), inbox.available(&stream, 12)), (0, 8));
        assert_eq!(inbox.arrived(&stream, 8, 4), 2);
        assert_eq!((inbox.arrived(&stream, 12, 20), inbox.arrived(&stream, 21, 9)), (9, 0));
        assert_eq!(inbox.hashes(&stream, 15), Some(&hashes()));
        let mut taken: Vec<u64> = Vec::new();
        inbox.take(&stream, 12, 3, |elements| taken.extend(elements));
        assert_eq!((inbox.available(&stream, 10), inbox.available(&stream, 12)), (2, 0));
        inbox.take(&stream, 10, 2, |elements| taken.extend(elements));
        inbox.take(&stream, 15, 5, |elements| taken.extend(elements));
        inbox.take(&stream, 20, 1, |elements| taken.extend(elements));
        assert_eq!(taken, [12, 13, 14, 10, 11, 15, 16, 17, 18, 19, 20]);
        assert_eq!((inbox.waiting(1), inbox.streams.len()), (0, 0));
    }

    #[test]
    fn memory_of_used_elements_is_used_again_and_bounded() {
        let stream = (MessageKind::Open, TaskId(1), 1);
        let mut inbox = ElementInbox::<Mersenne61>::new(3);
        let used = |first: u64, count: usize, inbox: &mut ElementInbox<Mersenne61>| {
            let room = inbox.room(count);
            let memory = room.as_ptr();
            assert!(inbox.put(stream, first, room, Hashes::default()));
            inbox.take(&stream, first, count, |_| ());
            memory
        };
        let least = LEAST_KEPT / 8;
        let memory = used(0, least, &mut inbox);
        assert_eq!(used(0, least, &mut inbox), memory);
        used(0, least - 1, &mut inbox);
        assert_eq!((inbox.used.len(), inbox.kept), (1, LEAST_KEPT), "few elements are not kept");
        // Elements of which some still wait keep their memory.
        let room = inbox.room(least);
        assert!(inbox.put(stream, 0, room, Hashes::default()));
        inbox.take(&stream, 7, 9, |_| ());
        assert_eq!((inbox.used.len(), inbox.kept), (0, 0));
        inbox.take(&stream, 0, 7, |_| ());
        inbox.take(&stream, 16, least - 16, |_| ());
        assert_eq!(inbox.used.len(), 1);
        for count in least..least + 1000 {
            used(0, count, &mut inbox);
        }
        let bytes: usize = inbox.used.iter().map(|used| 8 * used.len()).sum();
        assert!((KEPT / 2..=KEPT).contains(&bytes) && bytes == inbox.kept, "{bytes} bytes");
    }
}
