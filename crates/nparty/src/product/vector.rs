//! Long vectors of shares that lie in several places, so that they are not copied for verification.

use std::sync::Arc;

use tacit_math::field::Field;
use tacit_math::{Wiped, zeros};
use zeroize::Zeroize;

/// Parts that are shorter are copied together into one place.
const SHORT: usize = 64;

/// Elements of a place for short parts.
const PLACE: usize = 1 << 12;

/// Some elements of a vector.
enum Part<F: Field> {
    Many(Arc<Wiped<F::Element>>),
    /// The same element this many times.
    Equal(F::Element, usize),
}

impl<F: Field> Drop for Part<F> {
    fn drop(&mut self) {
        // Vectors of elements are overwritten by their own type.
        if let Part::Equal(one, _) = self {
            one.zeroize();
        }
    }
}

/// A vector of shares, in parts.
pub(crate) struct Vector<F: Field> {
    /// Each part with the position of its first element.
    parts: Vec<(usize, Part<F>)>,
    /// Elements of short parts that are not yet in a part.
    short: Vec<F::Element>,
    length: usize,
}

impl<F: Field> Vector<F> {
    pub(crate) fn new() -> Self {
        Vector { parts: Vec::new(), short: Vec::new(), length: 0 }
    }

    /// Appends elements without copying them, unless they are few.
    pub(crate) fn append(&mut self, elements: Arc<Wiped<F::Element>>) {
        match elements.len() {
            0..SHORT => self.append_few(&elements),
            _ => self.append_part(elements.len(), Part::Many(elements)),
        }
    }

    /// Appends an element `count` times.
    pub(crate) fn append_equal(&mut self, element: F::Element, count: usize) {
        match count {
            0..SHORT => self.append_few(&Wiped::from(vec![element; count])),
            _ => self.append_part(count, Part::Equal(element, count)),
        }
    }

    fn append_part(&mut self, count: usize, part: Part<F>) {
        self.finish();
        self.parts.push((self.length, part));
        self.length += count;
    }

    fn append_few(&mut self, elements: &[F::Element]) {
        if self.short.len() + elements.len() > PLACE {
            self.finish();
        }
        if self.short.capacity() == 0 {
            self.short.reserve_exact(PLACE);
        }
        self.short.extend_from_slice(elements);
        self.length += elements.len();
    }

    /// Makes a part from the short ones so far.
    pub(crate) fn finish(&mut self) {
        let short = std::mem::take(&mut self.short);
        if !short.is_empty() {
            let start = self.length - short.len();
            self.parts.push((start, Part::Many(Arc::new(Wiped::from(short)))));
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Elements from `first` on, as many as `room` has: where they lie if they are in one place, else copied to `room`. Zeros follow the last
    /// element.
    pub(crate) fn read<'a>(&'a self, first: usize, room: &'a mut [F::Element]) -> &'a [F::Element] {
        let count = room.len();
        let from = self.parts.partition_point(|(start, _)| *start <= first).saturating_sub(1);
        if let Some((start, Part::Many(elements))) = self.parts.get(from)
            && let Some(all) = elements.get(first - start..first - start + count)
        {
            return all;
        }
        room.fill(F::Element::default());
        for (start, part) in &self.parts[from.min(self.parts.len())..] {
            let skipped = first.saturating_sub(*start);
            let Some(to) = room.get_mut(start.saturating_sub(first)..).filter(|to| !to.is_empty()) else {
                break;
            };
            match part {
                Part::Many(elements) => {
                    let elements = elements.get(skipped..).unwrap_or_default();
                    let moved = elements.len().min(to.len());
                    to[..moved].copy_from_slice(&elements[..moved]);
                }
                Part::Equal(one, count) => {
                    let moved = count.saturating_sub(skipped).min(to.len());
                    to[..moved].fill(*one);
                }
            }
        }
        room
    }

    /// All elements, in one place.
    pub(crate) fn to_wiped(&self) -> Wiped<F::Element> {
        let mut all = Wiped::from(zeros(self.length));
        for (start, part) in &self.parts {
            match part {
                Part::Many(elements) => all[*start..][..elements.len()].copy_from_slice(elements),
                Part::Equal(one, count) => all[*start..][..*count].fill(*one),
            }
        }
        all
    }
}

impl<F: Field> From<Vec<F::Element>> for Vector<F> {
    fn from(elements: Vec<F::Element>) -> Self {
        let mut vector = Vector::new();
        let count = elements.len();
        vector.append_part(count, Part::Many(Arc::new(Wiped::from(elements))));
        vector
    }
}

impl<F: Field> Drop for Vector<F> {
    fn drop(&mut self) {
        tacit_math::wipe(&mut self.short);
    }
}

#[cfg(test)]
mod tests {
    use tacit_math::field::Mersenne61;

    use super::*;

    #[test]
    fn parts_read_as_one_vector() {
        let (mut vector, mut expected) = (Vector::<Mersenne61>::new(), Vec::new());
        for (number, count) in [3, 0, 63, 64, 1, 5000, 7, 4090, 60, 90].into_iter().enumerate() {
            let elements: Vec<u64> = (0..count).map(|i| i + 1000 * number as u64).collect();
            expected.extend_from_slice(&elements);
            vector.append(Arc::new(Wiped::from(elements)));
            let equal = if number % 2 == 0 { 9 } else { 700 };
            expected.extend(vec![number as u64; equal]);
            vector.append_equal(number as u64, equal);
        }
        vector.finish();
        assert_eq!((vector.len(), &vector.to_wiped()[..]), (expected.len(), &expected[..]));
        expected.resize(expected.len() + 600, 0);
        for first in (0..=vector.len()).step_by(41) {
            for count in [1, 2, 100, 512] {
                let mut room = vec![77; count];
                assert_eq!(vector.read(first, &mut room), &expected[first..][..count], "{first} {count}");
            }
        }
        assert_eq!(Vector::<Mersenne61>::new().read(0, &mut [5, 5]), [0, 0]);
    }
}
