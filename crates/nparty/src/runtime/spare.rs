//! Memory of large values that were dropped, for later values: the system provides fresh memory page by page, which takes longer than computing in it.

use tacit_math::Wiped;

/// Memory of fewer elements is not kept.
const LEAST: usize = 1 << 12;

/// Maximum bytes that are kept.
const KEPT: usize = 16 << 20;

/// Vectors with their content, which is overwritten when they are dropped.
#[derive(Default)]
pub(crate) struct SpareMemory<E: Copy + Default> {
    vectors: Vec<Wiped<E>>,
    bytes: usize,
}

impl<E: Copy + Default> SpareMemory<E> {
    /// An empty vector, with room for this many elements and not much more; without any room for few
    /// elements.
    pub(crate) fn take(&mut self, length: usize) -> Vec<E> {
        if length < LEAST {
            return Vec::new();
        }
        match self.find(|elements| (length..=length + length / 4).contains(&elements)) {
            Some(mut vector) => vector.take_memory(),
            None => Vec::with_capacity(length),
        }
    }

    /// This many elements, with unspecified content: every one must be written.
    pub(crate) fn take_all(&mut self, length: usize) -> Vec<E> {
        match self.find(|elements| elements == length) {
            Some(mut vector) => vector.take_elements(),
            None => vec![E::default(); length],
        }
    }

    fn find(&mut self, fits: impl Fn(usize) -> bool) -> Option<Wiped<E>> {
        let place = self.vectors.iter().rposition(|vector| fits(vector.len()))?;
        let vector = self.vectors.swap_remove(place);
        self.bytes -= size_of_val::<[_]>(&vector);
        Some(vector)
    }

    /// Keeps the memory of elements that are not needed any more.
    pub(crate) fn give(&mut self, vector: Wiped<E>) {
        let bytes = size_of_val::<[_]>(&vector);
        if vector.len() >= LEAST && self.bytes + bytes <= KEPT {
            self.bytes += bytes;
            self.vectors.push(vector);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again_where_it_fits() {
        let mut spare = SpareMemory::default();
        spare.give(Wiped::from(vec![7_u64; 3 * LEAST]));
        spare.give(Wiped::from(vec![7; LEAST - 1]));
        assert_eq!((spare.vectors.len(), spare.bytes), (1, 24 * LEAST));
        assert_eq!(spare.take(LEAST - 1).capacity(), 0, "few");
        assert_eq!(spare.take(LEAST).capacity(), LEAST, "it is too large");
        assert_eq!(spare.take(4 * LEAST).capacity(), 4 * LEAST, "it is too small");
        let room = spare.take(3 * LEAST - LEAST / 2);
        assert_eq!((room.len(), room.capacity()), (0, 3 * LEAST));
        assert_eq!((spare.vectors.len(), spare.bytes), (0, 0));
    }

    #[test]
    fn all_elements_are_there_where_all_are_written() {
        let mut spare = SpareMemory::default();
        let given = vec![7_u64; 2 * LEAST];
        let memory = given.as_ptr();
        spare.give(Wiped::from(given));
        assert!(spare.take_all(LEAST).iter().all(|element| *element == 0), "another length");
        let taken = spare.take_all(2 * LEAST);
        assert_eq!((taken.as_ptr(), taken.len(), spare.bytes), (memory, 2 * LEAST, 0));
    }

    #[test]
    fn no_more_is_kept_than_the_limit() {
        let mut spare = SpareMemory::default();
        (0..1000).for_each(|_| spare.give(Wiped::from(vec![7_u64; 1 << 16])));
        assert_eq!((spare.vectors.len(), spare.bytes), (KEPT >> 19, KEPT));
    }
}
