//! Elements that have arrived and are not used yet.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use tacit_math::field::Field;

use super::TaskId;
use super::wire::Kind;
use crate::PartyIndex;

/// A stream of elements: what one peer sends for one kind of operation of one task.
pub(crate) type Stream = (Kind, TaskId, PartyIndex);

/// Consecutive elements; several of them may share what arrived together.
struct Segment<F: Field> {
    elements: Rc<Vec<F::Element>>,
    offset: usize,
    length: usize,
    /// What the program was at its sender, up to the operation of the first element; only where that is still there.
    chain: Option<u64>,
}

/// Bytes that keeping a segment takes beside its elements, entries of maps included: no less than it really is.
const SEGMENT_BYTES: usize = 1024;

/// Elements by stream and position.
pub(crate) struct Inbox<F: Field> {
    streams: HashMap<Stream, BTreeMap<u64, Segment<F>>>,
    /// Bytes that wait, by the peer they are from.
    waiting: Vec<usize>,
}

impl<F: Field> Inbox<F> {
    pub(crate) fn new(parties: usize) -> Self {
        Inbox { streams: HashMap::new(), waiting: vec![0; parties] }
    }

    /// Bytes of memory that what waits of a peer takes at most.
    pub(crate) fn waiting(&self, peer: PartyIndex) -> usize {
        self.waiting[peer]
    }

    /// Bytes that a segment takes.
    fn bytes(length: usize) -> usize {
        SEGMENT_BYTES + length * size_of::<F::Element>()
    }

    /// Keeps elements at `first` and after; false if there are some already.
    pub(crate) fn put(&mut self, stream: Stream, first: u64, elements: Vec<F::Element>, chain: u64) -> bool {
        let length = elements.len();
        let segments = self.streams.entry(stream).or_default();
        let end = first + length as u64;
        let before = segments.range(..end).next_back();
        if before.is_some_and(|(start, segment)| start + segment.length as u64 > first) {
            return false;
        }
        self.waiting[stream.2] += Self::bytes(length);
        segments
            .insert(first, Segment { elements: Rc::new(elements), offset: 0, length, chain: Some(chain) });
        true
    }

    /// How many consecutive elements wait from `first` on, as far as they arrived together.
    pub(crate) fn available(&self, stream: &Stream, first: u64) -> usize {
        let found = self.streams.get(stream).and_then(|segments| segments.range(..=first).next_back());
        found.map_or(0, |(start, segment)| (start + segment.length as u64).saturating_sub(first) as usize)
    }

    /// What the program was at the sender of the element at `first`, if it said so there.
    pub(crate) fn chain(&self, stream: &Stream, first: u64) -> Option<u64> {
        self.streams.get(stream)?.get(&first)?.chain
    }

    /// Takes `count` elements, which [`Inbox::available`] told of, and hands them to `use_them`.
    pub(crate) fn take(
        &mut self,
        stream: &Stream,
        first: u64,
        count: usize,
        use_them: impl FnOnce(&[F::Element]),
    ) {
        let Some(segments) = self.streams.get_mut(stream) else { return };
        let Some((&start, _)) = segments.range(..=first).next_back() else { return };
        let Some(segment) = segments.remove(&start) else { return };
        let skipped = (first - start) as usize;
        use_them(&segment.elements[segment.offset + skipped..][..count]);
        self.waiting[stream.2] -= Self::bytes(segment.length);
        let (elements, offset) = (segment.elements, segment.offset);
        let rest = segment.length - skipped - count;
        if rest > 0 {
            self.waiting[stream.2] += Self::bytes(rest);
            let offset = offset + skipped + count;
            let after = Segment { elements: elements.clone(), offset, length: rest, chain: None };
            segments.insert(first + count as u64, after);
        }
        if skipped > 0 {
            self.waiting[stream.2] += Self::bytes(skipped);
            segments.insert(start, Segment { elements, offset, length: skipped, chain: segment.chain });
        }
        if segments.is_empty() {
            self.streams.remove(stream);
        }
    }
}

#[cfg(test)]
mod tests {
    use tacit_math::field::Mersenne61;

    use super::*;

    #[test]
    fn elements_are_taken_in_any_order_and_once() {
        let stream = (Kind::Open, TaskId(1), 1);
        let mut inbox = Inbox::<Mersenne61>::new(3);
        assert!(inbox.put(stream, 10, (10..20).collect(), 7));
        assert!(!inbox.put(stream, 19, vec![1], 7));
        assert!(!inbox.put(stream, 9, vec![1, 2], 7));
        assert!(inbox.put(stream, 20, vec![20], 7));
        assert_eq!(inbox.waiting(1), 2 * SEGMENT_BYTES + 11 * 8);
        assert_eq!((inbox.available(&stream, 9), inbox.available(&stream, 12)), (0, 8));
        assert_eq!(inbox.chain(&stream, 10), Some(7));
        let mut taken: Vec<u64> = Vec::new();
        inbox.take(&stream, 12, 3, |elements| taken.extend(elements));
        assert_eq!((inbox.available(&stream, 10), inbox.available(&stream, 12)), (2, 0));
        inbox.take(&stream, 10, 2, |elements| taken.extend(elements));
        inbox.take(&stream, 15, 5, |elements| taken.extend(elements));
        inbox.take(&stream, 20, 1, |elements| taken.extend(elements));
        assert_eq!(taken, [12, 13, 14, 10, 11, 15, 16, 17, 18, 19, 20]);
        assert_eq!((inbox.waiting(1), inbox.streams.len()), (0, 0));
    }
}
