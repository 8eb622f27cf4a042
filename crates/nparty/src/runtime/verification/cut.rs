//! The subject of a verification: products and inputs, by their places in the program.

use crate::runtime::identity::TaskId;
use crate::runtime::wire::MAX_POSITION;

/// Selects some of a task's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum What {
    Products = 1,
    Inputs = 2,
}

impl What {
    pub(crate) fn of(byte: u8) -> Option<What> {
        [What::Products, What::Inputs].into_iter().find(|what| *what as u8 == byte)
    }
}

/// The place of an operation in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) what: What,
    pub(crate) task: TaskId,
    /// Position of its first element.
    pub(crate) first: u64,
}

/// Maximum ranges of a cut.
pub(crate) const MOST_RANGES: usize = 1000;

/// Bytes of a range.
pub(crate) const RANGE_BYTES: usize = 25;

/// Consecutive places of one kind and task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) place: Place,
    pub(crate) end: u64,
}

/// Ranges in the order of their places, without overlaps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cut(pub(crate) Vec<Range>);

impl Cut {
    /// The cut of places with their lengths, in order; without the last ones, if there are too many.
    pub(crate) fn of(places: impl Iterator<Item = (Place, usize)>) -> Cut {
        let mut ranges: Vec<Range> = Vec::new();
        for (place, length) in places {
            let end = place.first + length as u64;
            let follows = |last: &Range| {
                (last.place.what, last.place.task, last.end) == (place.what, place.task, place.first)
            };
            let full = ranges.len() == MOST_RANGES;
            match ranges.last_mut().filter(|last| follows(last)) {
                Some(last) => last.end = end,
                None if full => break,
                None => ranges.push(Range { place, end }),
            }
        }
        Cut(ranges)
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.0.len() * RANGE_BYTES);
        for Range { place, end } in &self.0 {
            bytes.push(place.what as u8);
            [place.task.0, place.first, *end].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        }
        bytes
    }

    /// Decodes what [`Cut::encode`] wrote; `None` for invalid bytes.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Cut> {
        let (ranges, []) = bytes.as_chunks::<RANGE_BYTES>() else { return None };
        if !(1..=MOST_RANGES).contains(&ranges.len()) {
            return None;
        }
        let decoded = ranges.iter().map(|range| {
            let number = |at: usize| {
                let mut word = [0; 8];
                word.copy_from_slice(&range[at..at + 8]);
                u64::from_le_bytes(word)
            };
            let place = Place { what: What::of(range[0])?, task: TaskId(number(1)), first: number(9) };
            let end = number(17);
            (place.first < end && end <= MAX_POSITION).then_some(Range { place, end })
        });
        let ranges: Vec<_> = decoded.collect::<Option<_>>()?;
        let apart = |pair: &[Range]| {
            let [before, after] = [pair[0], pair[1]];
            let same = (before.place.what, before.place.task) == (after.place.what, after.place.task);
            before.place < after.place && (!same || before.end <= after.place.first)
        };
        ranges.windows(2).all(apart).then_some(Cut(ranges))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn place(what: What, task: u64, first: u64) -> Place {
        Place { what, task: TaskId(task), first }
    }

    #[test]
    fn cuts_come_out_as_they_went_in_and_others_are_refused() {
        let places = [
            (place(What::Products, 1, 0), 5),
            (place(What::Products, 1, 5), 2),
            (place(What::Products, 1, 9), 1),
            (place(What::Inputs, 1, 10), 1),
        ];
        let cut = Cut::of(places.into_iter());
        assert_eq!(cut.0.len(), 3);
        assert_eq!(Cut::decode(&cut.encode()), Some(cut.clone()));
        let mut turned = cut.clone();
        turned.0.swap(0, 1);
        let mut overlapping = cut.clone();
        overlapping.0[0].end = 10;
        let mut empty = cut.clone();
        empty.0[0].end = 0;
        for wrong in [turned, overlapping, empty, Cut::default()] {
            assert_eq!(Cut::decode(&wrong.encode()), None);
        }
        assert_eq!(Cut::decode(&cut.encode()[1..]), None);
        let many = (0..5000).map(|i| (place(What::Products, 1, 2 * i), 1));
        assert_eq!(Cut::of(many).0.len(), MOST_RANGES);
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_cut_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Some(cut) = Cut::decode(&bytes) {
                prop_assert_eq!(cut.encode(), bytes);
            }
        }
    }
}
