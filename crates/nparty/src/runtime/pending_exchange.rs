//! Exchanges of messages that operations wait for.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use tacit_math::field::Field;
use tacit_math::{Wiped, append, reserve, wipe};

use super::identity::{CallSite, TaskId};
use super::operation::TaskOperation;
use super::value::ValueId;
use super::wire::{ChainTag, MessageKind, RangeHead, tag_of};
use crate::parties::{Parties, PartyIndex};

/// Where elements of a run belong in results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResultRange {
    pub value: ValueId,
    /// Position of the value's first element.
    pub start: u64,
    pub length: usize,
    /// The operation's number among those of its kind in the task.
    pub number: u64,
    pub chain: u64,
    pub call_site: CallSite,
}

impl ResultRange {
    pub(crate) fn of<F: Field>(operation: &TaskOperation<F>) -> ResultRange {
        let TaskOperation { out, length, position, number, chain, call_site, .. } = operation;
        let (start, length, number) = (*position, *length, *number);
        ResultRange { value: *out, start, length, number, chain: *chain, call_site: *call_site }
    }

    pub(crate) fn end(&self) -> u64 {
        self.start + self.length as u64
    }
}

/// Consecutive elements of operations of one kind and task that are ready together. They are overwritten when dropped.
pub(crate) struct ElementRun<F: Field> {
    pub task: u32,
    pub first: u64,
    pub elements: Vec<F::Element>,
    pub targets: Vec<ResultRange>,
    /// How they are opened, if they are.
    pub how: Opening,
    /// The positions of products that are masked already, in order.
    pub masked: Vec<Range<u64>>,
}

/// Who learns the opened elements, in which epoch, and whether a king opens them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Opening {
    pub to: Parties,
    pub epoch: u64,
    pub by_king: bool,
}

impl<F: Field> ElementRun<F> {
    /// Adds an operation's elements, which `push` appends, to the last run if they follow it, or to a new run.
    pub(crate) fn append(
        runs: &mut Vec<ElementRun<F>>,
        operation: &TaskOperation<F>,
        how: Opening,
        push: impl FnOnce(&mut Vec<F::Element>),
    ) {
        let (task, first) = (operation.task, operation.position);
        let follows = |run: &ElementRun<F>| run.task == task && run.end() == first && run.how == how;
        if !runs.last().is_some_and(follows) {
            let (elements, targets, masked) = (Vec::new(), Vec::new(), Vec::new());
            runs.push(ElementRun { task, first, elements, targets, how, masked });
        }
        if let Some(run) = runs.last_mut() {
            run.targets.push(ResultRange::of(operation));
            push(&mut run.elements);
        }
    }

    /// Runs in the order of their positions, with consecutive ones joined.
    pub(crate) fn merged(mut runs: Vec<ElementRun<F>>) -> Vec<ElementRun<F>> {
        runs.sort_by_key(|run| (run.task, run.first));
        let mut merged: Vec<ElementRun<F>> = Vec::with_capacity(runs.len());
        let lengths: Vec<usize> = runs
            .chunk_by(|last, run| run.follows(last))
            .map(|all| all.iter().map(|run| run.elements.len()).sum())
            .collect();
        for mut run in runs {
            match merged.last_mut() {
                Some(last) if run.follows(last) => {
                    append(&mut last.elements, &run.elements);
                    last.targets.append(&mut run.targets);
                    last.masked.append(&mut run.masked);
                }
                _ => {
                    let more = lengths[merged.len()] - run.elements.len();
                    reserve(&mut run.elements, more);
                    merged.push(run);
                }
            }
        }
        merged
    }

    fn follows(&self, last: &ElementRun<F>) -> bool {
        last.task == self.task && last.end() == self.first && last.how == self.how
    }

    pub(crate) fn end(&self) -> u64 {
        self.first + self.elements.len() as u64
    }

    /// The positions of products that are not masked yet, in order.
    pub(crate) fn unmasked(&self) -> Vec<Range<u64>> {
        let ends = self.masked.iter().map(|masked| masked.start).chain([self.end()]);
        let starts = [self.first].into_iter().chain(self.masked.iter().map(|masked| masked.end));
        starts.zip(ends).map(|(start, end)| start..end).filter(|between| !between.is_empty()).collect()
    }

    /// The operations of `count` elements from a position on.
    pub(crate) fn operations(&self, first: u64, count: usize) -> &[ResultRange] {
        let end = first + count as u64;
        let targets = &self.targets[self.target(first)..];
        &targets[..targets.partition_point(|target| target.start < end)]
    }

    fn target(&self, position: u64) -> usize {
        self.targets.partition_point(|target| target.end() <= position)
    }

    /// The result ranges of positions in `first..end`.
    pub(crate) fn targets(&self, first: u64, end: u64) -> VecDeque<ResultRange> {
        self.operations(first, (end - first) as usize).iter().copied().collect()
    }
}

impl<F: Field> Drop for ElementRun<F> {
    fn drop(&mut self) {
        wipe(&mut self.elements);
    }
}

/// The messages that an exchange waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AwaitedMessage {
    /// The summands of the previous party; its own are the party's summands.
    Replicated,
    /// Masked products of all for this party, a king; its own are its masked products, weighted for the sum.
    Hear,
    /// A king's message.
    Told,
    /// Shares of others; its own are the party's shares, weighted for the sum.
    Open(Parties, u64),
    /// The same for this party as a king, which sends the opened elements to all others; and those elements.
    HearOpening(u64),
    Opened(u64),
    /// Shares of an input.
    Input,
}

impl AwaitedMessage {
    /// The kind of message.
    pub(crate) fn kind(self) -> MessageKind {
        match self {
            AwaitedMessage::Replicated => MessageKind::Replicated,
            AwaitedMessage::Hear => MessageKind::ToKing,
            AwaitedMessage::Told => MessageKind::FromKing,
            AwaitedMessage::Open(..) => MessageKind::Open,
            AwaitedMessage::HearOpening(_) => MessageKind::OpenToKing,
            AwaitedMessage::Opened(_) => MessageKind::Opened,
            AwaitedMessage::Input => MessageKind::Input,
        }
    }
}

/// A party that is waited for, and the operation that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub peer: PartyIndex,
    pub task: u32,
    pub call_site: CallSite,
}

/// Consecutive operations that wait for the same parties.
pub(crate) struct PendingExchange<F: Field> {
    pub task: u32,
    /// Position of the first element of `own`.
    pub base: u64,
    /// The position of the first element that is waited for.
    pub cursor: u64,
    pub sources: Vec<PartyIndex>,
    pub awaited: AwaitedMessage,
    /// This party's part of each element, which becomes the result.
    pub own: Vec<F::Element>,
    /// Its summands as they were sent, where a product runs in pieces and there is a ground below the field; then `own` only gets the result. Else empty.
    pub summands: Wiped<u8>,
    /// Of how many elements its part is there; fewer than all while a product runs in pieces.
    pub ready: usize,
    /// Masks that are subtracted from products that a king has opened; else empty.
    pub masks: Vec<F::Element>,
    pub targets: VecDeque<ResultRange>,
}

impl<F: Field> PendingExchange<F> {
    /// An exchange in a task, from a position on, in which this party's part of all elements is there.
    pub(crate) fn new(
        (task, base): (u32, u64),
        (awaited, sources): (AwaitedMessage, Vec<PartyIndex>),
        own: Vec<F::Element>,
        targets: VecDeque<ResultRange>,
    ) -> Self {
        let (summands, ready, masks) = (Wiped::default(), own.len(), Vec::new());
        PendingExchange { task, base, cursor: base, sources, awaited, own, summands, ready, masks, targets }
    }

    /// Whether its elements are all those of one value.
    pub(crate) fn is_of_one_value(&self) -> bool {
        match (self.targets.front(), self.targets.len()) {
            (Some(target), 1) => target.start == self.base && target.length == self.own.len(),
            _ => false,
        }
    }

    /// The position after the last.
    pub(crate) fn end(&self) -> u64 {
        self.base + self.own.len() as u64
    }

    /// This party's summands at some places, of so many bytes each, if they are kept as they were sent.
    pub(crate) fn summands_at(&self, Range { start, end }: Range<usize>, each: usize) -> Option<&[u8]> {
        (!self.summands.is_empty()).then(|| &self.summands[start * each..end * each])
    }

    /// How many elements from the cursor on can be completed with those of others.
    pub(crate) fn open(&self) -> usize {
        self.ready - (self.cursor - self.base) as usize
    }

    /// The first elements, which are known.
    pub(crate) fn known(&self) -> &[F::Element] {
        &self.own[..(self.cursor - self.base) as usize]
    }

    /// The operations of the next `count` elements.
    pub(crate) fn next_operations(&self, count: usize) -> impl ExactSizeIterator<Item = &ResultRange> {
        let end = self.cursor + count as u64;
        self.targets.range(..self.targets.partition_point(|target| target.start < end))
    }

    /// The head of a king's message about the next elements, and the tags of their operations. There are at most as many as in a reign, which
    /// is less than a range can hold.
    pub(crate) fn told(
        &self,
        (kind, task): (MessageKind, TaskId),
        first: u64,
        count: usize,
    ) -> Option<(RangeHead, Vec<ChainTag>)> {
        let mut operations = self.next_operations(count);
        let ResultRange { number, chain, .. } = *operations.next()?;
        let tags = operations.map(|target| tag_of(target.chain)).collect();
        Some((RangeHead { kind, task, chain, first, count, number }, tags))
    }

    /// The elements from the cursor on that belong to one value: the value, the index of the first of them, and how many there are up to
    /// position `end`.
    pub(crate) fn next_target(&mut self, end: u64) -> Option<(ValueId, usize, usize)> {
        let target = *self.targets.front()?;
        let (offset, until) = ((self.cursor - target.start) as usize, target.end().min(end));
        let count = (until - self.cursor) as usize;
        self.cursor = until;
        if target.end() <= until {
            self.targets.pop_front();
        }
        Some((target.value, offset, count))
    }
}

/// The kind, task and end of an exchange.
pub(crate) type ExchangeKey = (MessageKind, u32, u64);

/// Pending exchanges.
pub(crate) struct PendingExchanges<F: Field>(BTreeMap<ExchangeKey, PendingExchange<F>>);

impl<F: Field> PendingExchanges<F> {
    pub(crate) fn new() -> Self {
        PendingExchanges(BTreeMap::new())
    }

    pub(crate) fn insert(&mut self, exchange: PendingExchange<F>) {
        self.0.insert((exchange.awaited.kind(), exchange.task, exchange.end()), exchange);
    }

    pub(crate) fn get(&self, key: &ExchangeKey) -> Option<&PendingExchange<F>> {
        self.0.get(key)
    }

    pub(crate) fn remove(&mut self, key: &ExchangeKey) -> Option<PendingExchange<F>> {
        self.0.remove(key)
    }

    /// The exchanges that wait for some of the elements in `first..end`.
    pub(crate) fn overlapping(&self, kind: MessageKind, task: u32, first: u64, end: u64) -> Vec<ExchangeKey> {
        let later = self.0.range((kind, task, first + 1)..=(kind, task, u64::MAX));
        later.take_while(|(_, exchange)| exchange.cursor < end).map(|(key, _)| *key).collect()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &PendingExchange<F>> {
        self.0.values()
    }
}

impl<F: Field> Drop for PendingExchange<F> {
    fn drop(&mut self) {
        wipe(&mut self.own);
        wipe(&mut self.masks);
    }
}

#[cfg(test)]
mod tests {
    use tacit_math::field::Mersenne61;

    use super::*;

    #[test]
    fn what_is_not_masked_lies_around_what_is() {
        let run = |first: u64, count: usize, masked: &[(u64, u64)]| ElementRun::<Mersenne61> {
            task: 0,
            first,
            elements: vec![1; count],
            targets: Vec::new(),
            how: Opening::default(),
            masked: masked.iter().map(|(start, end)| *start..*end).collect(),
        };
        let unmasked = |run: &ElementRun<Mersenne61>| {
            run.unmasked().iter().map(|range| (range.start, range.end)).collect::<Vec<_>>()
        };
        assert_eq!(unmasked(&run(7, 3, &[])), [(7, 10)]);
        assert_eq!(unmasked(&run(7, 3, &[(7, 10)])), []);
        assert_eq!(unmasked(&run(7, 9, &[(8, 10), (10, 12)])), [(7, 8), (12, 16)]);
        let merged = ElementRun::merged(vec![run(10, 5, &[(12, 15)]), run(7, 3, &[(7, 9)])]);
        assert_eq!((merged.len(), unmasked(&merged[0])), (1, vec![(9, 12)]));
    }
}
