//! Messages: ranges of consecutive elements, each identified by its task, kind and position.
//!
//! A message is its length in 3 bytes, the number of its field in a byte, and ranges of that length in all. A range is
//!
//! | bytes | content |
//! |---|---|
//! | 1 | [`MessageKind`] |
//! | 8 | task |
//! | 8 | the hash of the program up to the operation of the first element |
//! | 5 | position of the first element |
//! | 3 | number of elements, at most [`MAX_COUNT`] |
//! | 5 | number of the first element's operation among those of its kind in the task |
//! | 3 | how many operations follow that one in the range |
//!
//! then a [`ChainTag`] of 2 bytes for each of those operations, and the elements. Numbers have their least significant byte first.

use tacit_math::field::Field;

use crate::parties::PartyIndex;

use super::identity::TaskId;
use crate::error::MessageError;

/// Maximum elements of a range.
pub(crate) const MAX_COUNT: usize = 1 << 15;

/// Elements of a range that is sent: few enough that arriving elements are read and used in the cache.
pub(crate) const RANGE: usize = 1 << 13;

/// Bytes of a message after which another one is begun; among three parties, whose products run in pieces, two ranges.
const FULL: usize = 256 * 1024;
const FULL_AMONG_THREE: usize = 2 * (8 * RANGE + 1024);

/// Memory of shorter messages is not kept once they are sent.
pub(crate) const LARGE: usize = 64 * 1024;

/// Maximum bytes of messages to all peers that are kept once they are sent.
const KEPT: usize = 4 << 20;

/// Longest message that is accepted: a full one, and a range of the largest elements.
pub(crate) const MAX_MESSAGE: usize = FULL + HEADER + MAX_COUNT * (64 + TAG_BYTES);

/// Bytes before the elements of a range.
pub(crate) const HEADER: usize = 33;

/// Positions, and numbers of operations, are below this.
pub(crate) const MAX_POSITION: u64 = 1 << 40;

/// The part of the program's hash that is sent for an operation that is not the first of its range.
pub(crate) type ChainTag = u16;

/// Bytes of a [`ChainTag`].
pub(crate) const TAG_BYTES: usize = size_of::<ChainTag>();

/// The part of a hash of the program that is sent.
pub(crate) fn tag_of(chain: u64) -> ChainTag {
    (chain >> 48) as ChainTag
}

/// The tags in these bytes.
pub(crate) fn tags(bytes: &[u8]) -> impl Iterator<Item = ChainTag> {
    bytes.chunks_exact(TAG_BYTES).map(|tag| ChainTag::from_le_bytes([tag[0], tag[1]]))
}

/// The kind of the elements in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum MessageKind {
    /// Summands that parties pass on among three.
    Replicated = 1,
    /// Masked products for a king.
    ToKing = 2,
    /// Shares from a king.
    FromKing = 3,
    /// Shares of a value that is opened.
    Open = 4,
    /// Shares of an input.
    Input = 5,
    /// A hash of what was opened; bytes, not elements.
    Sync = 6,
    /// The progress of the sender's program; bytes, not elements.
    Progress = 7,
    /// The sender has given up, because of the party whose number is in `first`.
    Failure = 8,
    /// The sender computes a burst, whose number is in `first`. Alone in its message.
    Busy = 9,
    /// The sender's fields for an agreement; bytes, not elements.
    Agree = 10,
    /// Shares that the sender deals: of degree t; then, for double sharings, of degree t, and of degree 2t with the same values at 0. `first` counts
    /// them in their task.
    Dealt = 11,
    DealtLow = 12,
    DealtHigh = 13,
    /// Shares of a value that a king opens, and the values that it has opened.
    OpenToKing = 14,
    Opened = 15,
    /// A step of a verification; `first` is the step, and the place of the program's hash has the
    /// verification's number. Bytes, not elements.
    Verify = 16,
    /// Elements that the sender has computed for the receiver alone.
    Handed = 17,
}

impl MessageKind {
    fn of(byte: u8) -> Option<MessageKind> {
        use MessageKind::*;
        [
            Replicated, ToKing, FromKing, Open, Input, Sync, Progress, Failure, Busy, Agree, Dealt, DealtLow,
            DealtHigh, OpenToKing, Opened, Verify, Handed,
        ]
        .into_iter()
        .find(|kind| *kind as u8 == byte)
    }

    /// Bytes of an element.
    pub(super) fn width(self, widths: Widths) -> usize {
        match self {
            MessageKind::Sync
            | MessageKind::Progress
            | MessageKind::Failure
            | MessageKind::Busy
            | MessageKind::Agree
            | MessageKind::Verify => 1,
            _ if self.is_of_ground() => widths.ground,
            _ => widths.element,
        }
    }

    /// Whether its elements are in the field's [ground](Field::to_ground), if that is below the field: summands of products, inputs, openings, and elements for one party.
    pub(super) fn is_of_ground(self) -> bool {
        use MessageKind::{Handed, Input, Open, Replicated};
        matches!(self, Replicated | Open | Input | Handed)
    }
}

/// Bytes of elements of a field, and of its ground.
#[derive(Clone, Copy)]
pub(crate) struct Widths {
    element: usize,
    ground: usize,
}

impl Widths {
    pub(crate) fn of<F: Field>(field: &F) -> Widths {
        Widths { element: field.bytes(), ground: field.ground_bytes() }
    }

    /// Whether the ground is below the field.
    pub(crate) fn has_ground(self) -> bool {
        self.ground < self.element
    }

    /// Bytes of an element in messages of a kind.
    pub(crate) fn bytes(self, kind: MessageKind) -> u64 {
        kind.width(self) as u64
    }
}

/// The head of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RangeHead {
    pub kind: MessageKind,
    pub task: TaskId,
    pub chain: u64,
    pub first: u64,
    pub count: usize,
    /// The number of the first element's operation among those of its kind in its task.
    pub number: u64,
}

impl RangeHead {
    /// A range of bytes about a task, without elements.
    pub(crate) fn of_bytes(
        kind: MessageKind,
        task: TaskId,
        chain: u64,
        first: u64,
        count: usize,
    ) -> RangeHead {
        RangeHead { kind, task, chain, first, count, number: 0 }
    }
}

/// A range as it arrives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arrived<'a> {
    pub range: RangeHead,
    /// The tags of the operations after the first, as bytes.
    pub tags: &'a [u8],
    pub elements: &'a [u8],
}

tacit_math::redacted!(Arrived<'_>);

/// Messages that wait to be sent to one peer.
pub(crate) struct OutgoingMessages {
    messages: Vec<Vec<u8>>,
    /// The message that is being written. What follows the written bytes is of messages that this peer got before.
    current: Vec<u8>,
    written: usize,
    /// Bytes after which another message is begun.
    full: usize,
    /// Memory of messages that were sent, with their content.
    sent: Vec<Vec<u8>>,
    /// The maximum bytes of that.
    kept: usize,
}

impl Default for OutgoingMessages {
    fn default() -> Self {
        let (messages, current, sent) = (Vec::new(), Vec::new(), Vec::new());
        OutgoingMessages { messages, current, written: 0, full: FULL, sent, kept: 0 }
    }
}

impl OutgoingMessages {
    /// A buffer for bytes about a task. Its content is unspecified, so every byte must be written.
    pub(crate) fn bytes(&mut self, range: RangeHead) -> &mut [u8] {
        self.range(range, [].into_iter(), 1)
    }

    /// A buffer for the elements of a range, `width` bytes each, whose operations after the first have these
    /// tags. Its content is unspecified, so every byte must be written.
    pub(crate) fn range(
        &mut self,
        range: RangeHead,
        tags: impl ExactSizeIterator<Item = ChainTag>,
        width: usize,
    ) -> &mut [u8] {
        // A task refuses to write operations beyond these limits.
        debug_assert!(range.count <= MAX_COUNT && range.first + range.count as u64 <= MAX_POSITION);
        let (head, elements) = (HEADER + tags.len() * TAG_BYTES, range.count * width);
        if self.written + head + elements > self.full {
            self.finish();
        }
        let length = if self.written == 0 { 4 } else { 0 };
        self.reserve(length + head + elements);
        self.room(length).fill(0);
        let (begin, others) = self.room(head).split_at_mut(HEADER);
        begin[0] = range.kind as u8;
        begin[1..9].copy_from_slice(&range.task.0.to_le_bytes());
        begin[9..17].copy_from_slice(&range.chain.to_le_bytes());
        begin[17..22].copy_from_slice(&range.first.to_le_bytes()[..5]);
        begin[22..25].copy_from_slice(&(range.count as u32).to_le_bytes()[..3]);
        begin[25..30].copy_from_slice(&range.number.to_le_bytes()[..5]);
        begin[30..].copy_from_slice(&(tags.len() as u32).to_le_bytes()[..3]);
        for (tag, bytes) in tags.zip(others.chunks_exact_mut(TAG_BYTES)) {
            bytes.copy_from_slice(&tag.to_le_bytes());
        }
        self.room(elements)
    }

    /// Makes room for so many more bytes: if the message becomes long, in the memory of one that was sent, if there is any.
    fn reserve(&mut self, more: usize) {
        let needed = self.written + more;
        if needed <= self.current.capacity() {
            return;
        }
        let fits = self.sent.iter().rposition(|sent| needed >= LARGE && sent.len() >= needed);
        match fits.map(|fits| self.sent.remove(fits)) {
            Some(mut room) => {
                room[..self.written].copy_from_slice(&self.current[..self.written]);
                self.current = room;
            }
            None => self.current.reserve(needed - self.current.len()),
        }
    }

    /// The next bytes of the message.
    fn room(&mut self, bytes: usize) -> &mut [u8] {
        let start = self.written;
        self.written += bytes;
        if self.current.len() < self.written {
            self.current.resize(self.written, 0);
        }
        &mut self.current[start..self.written]
    }

    fn finish(&mut self) {
        if self.written == 0 {
            return;
        }
        let mut message = std::mem::take(&mut self.current);
        message.truncate(std::mem::take(&mut self.written));
        let length = (message.len() - 4) as u32;
        message[..4].copy_from_slice(&length.to_le_bytes());
        self.messages.push(message);
    }

    /// The messages, each with its length in front.
    pub(crate) fn take(&mut self) -> Vec<Vec<u8>> {
        self.finish();
        std::mem::take(&mut self.messages)
    }

    /// Keeps the memory of a message that was sent to this peer.
    pub(crate) fn reuse(&mut self, message: Vec<u8>) {
        let kept = self.sent.iter().map(Vec::capacity).sum::<usize>();
        if message.len() >= LARGE && kept + message.capacity() <= self.kept {
            self.sent.push(message);
        }
    }
}

/// Messages that wait to be sent, by peer.
pub(crate) type Outbox = Vec<OutgoingMessages>;

/// An empty outbox for this many parties.
pub(crate) fn outbox(parties: PartyIndex) -> Outbox {
    let full = if parties == 3 { FULL_AMONG_THREE } else { FULL };
    let empty = |_| OutgoingMessages { full, kept: KEPT / parties, ..OutgoingMessages::default() };
    (0..parties).map(empty).collect()
}

/// Messages that report that this party computes the burst with this number.
pub(crate) fn busy_message(burst: u64) -> Vec<Vec<u8>> {
    let mut outgoing = OutgoingMessages::default();
    outgoing
        .bytes(RangeHead::of_bytes(MessageKind::Busy, TaskId(0), 0, burst % (MAX_POSITION - 1), 1))
        .fill(0);
    outgoing.take()
}

/// The burst that the sender computes, if a message without its length reports that.
pub(crate) fn busy(message: &[u8]) -> Option<u64> {
    if message.len() != HEADER + 1 || message[0] != MessageKind::Busy as u8 {
        return None;
    }
    let found = ranges(message, Widths { element: 1, ground: 1 }).next()?.ok()?;
    Some(found.range.first)
}

/// The ranges of a message without its length, with elements of these widths. Ends with an error at the first range that is not well-formed.
pub(crate) fn ranges(
    mut message: &[u8],
    widths: Widths,
) -> impl Iterator<Item = Result<Arrived<'_>, MessageError>> {
    let mut next = move || {
        let short =
            |needed: usize, given: usize| MessageError::Short { missing: needed.saturating_sub(given) };
        let (head, rest) = message.split_first_chunk::<HEADER>().ok_or(short(HEADER, message.len()))?;
        let number = |bytes: &[u8]| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(word)
        };
        let kind = MessageKind::of(head[0]).ok_or(MessageError::Kind { kind: head[0] })?;
        let (first, count) = (number(&head[17..22]), number(&head[22..25]) as usize);
        let operations = number(&head[30..33]) as usize;
        if !(1..=MAX_COUNT).contains(&count) {
            return Err(MessageError::Count { count, limit: MAX_COUNT });
        }
        if operations >= count {
            return Err(MessageError::Operations { operations: operations + 1, count });
        }
        if first + count as u64 > MAX_POSITION {
            return Err(MessageError::Position { end: first + count as u64, limit: MAX_POSITION });
        }
        let (tag_bytes, element_bytes) = (operations * TAG_BYTES, count * kind.width(widths));
        let missing = short(tag_bytes + element_bytes, rest.len());
        let (tags, rest) = rest.split_at_checked(tag_bytes).ok_or(missing)?;
        let (elements, rest) = rest.split_at_checked(element_bytes).ok_or(missing)?;
        message = rest;
        let (task, chain) = (TaskId(number(&head[1..9])), number(&head[9..17]));
        let range = RangeHead { kind, task, chain, first, count, number: number(&head[25..30]) };
        Ok((Arrived { range, tags, elements }, message.is_empty()))
    };
    let mut over = message.is_empty();
    std::iter::from_fn(move || {
        if over {
            return None;
        }
        let found = next();
        over = found.map_or(true, |(.., last)| last);
        Some(found.map(|(arrived, _)| arrived))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ranges_come_out_as_they_went_in() {
        let mut outgoing = OutgoingMessages::default();
        let one = RangeHead {
            kind: MessageKind::Open,
            task: TaskId(u64::MAX - 5),
            chain: 77,
            first: 1 << 39,
            count: 3,
            number: 1 << 38,
        };
        let other = RangeHead::of_bytes(MessageKind::Sync, TaskId(0), 0, 0, 2);
        outgoing.range(one, [0x201, 0x403].into_iter(), 8).copy_from_slice(&[9; 24]);
        outgoing.bytes(other).copy_from_slice(&[4, 5]);
        let messages = outgoing.take();
        assert_eq!(messages.len(), 1);
        assert_eq!(messages[0][..4], ((messages[0].len() - 4) as u32).to_le_bytes());
        let found: Result<Vec<_>, _> = ranges(&messages[0][4..], Widths { element: 8, ground: 8 }).collect();
        let one = Arrived { range: one, tags: &[1, 2, 3, 4], elements: &[9; 24] };
        assert_eq!(found, Ok(vec![one, Arrived { range: other, tags: &[], elements: &[4, 5] }]));
        assert!(outgoing.take().is_empty());
    }

    #[test]
    fn full_messages_are_cut() {
        let mut outgoing = OutgoingMessages::default();
        for first in 0..20 {
            let range = RangeHead::of_bytes(MessageKind::Replicated, TaskId(0), 0, first << 20, MAX_COUNT);
            outgoing.range(range, vec![7; MAX_COUNT - 1].into_iter(), 64);
        }
        let messages = outgoing.take();
        assert!(messages.len() > 1 && messages.iter().all(|message| message.len() - 4 <= MAX_MESSAGE));
        assert_eq!(
            messages
                .iter()
                .map(|message| ranges(&message[4..], Widths { element: 64, ground: 64 }).count())
                .sum::<usize>(),
            20
        );
    }

    #[test]
    fn memory_of_sent_messages_is_used_again_and_bounded() {
        let mut outgoing = outbox(4).remove(0);
        let range = |count: usize| RangeHead::of_bytes(MessageKind::Replicated, TaskId(0), 7, 0, count);
        let written = |counts: &[usize], fill: u8, outgoing: &mut OutgoingMessages| {
            counts.iter().for_each(|count| outgoing.range(range(*count), [5].into_iter(), 8).fill(fill));
            outgoing.take().remove(0)
        };
        let first = written(&[20, MAX_COUNT / 4, 1000], 9, &mut outgoing);
        let memory = first.as_ptr();
        outgoing.reuse(first);
        let small = written(&[3], 1, &mut outgoing);
        assert_eq!(small.len(), 4 + HEADER + TAG_BYTES + 24);
        let again = written(&[5, MAX_COUNT / 4, 7], 1, &mut outgoing);
        assert_eq!(again.as_ptr(), memory);
        let fresh = written(&[5, MAX_COUNT / 4, 7], 1, &mut OutgoingMessages::default());
        assert_eq!(again, fresh, "nothing of what was sent before");
        outgoing.reuse(small);
        assert!(outgoing.sent.is_empty(), "a short message");
        (0..100).for_each(|_| outgoing.reuse(vec![1; LARGE]));
        assert_eq!(outgoing.sent.len(), KEPT / 4 / LARGE);
    }

    proptest! {
        #[test]
        fn any_bytes_are_ranges_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            for found in ranges(&bytes, Widths { element: 8, ground: 2 }).flatten() {
                prop_assert!(found.range.count <= MAX_COUNT);
            }
        }
    }
}
