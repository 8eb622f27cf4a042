//! Memory of large values that were dropped, for later values: the system provides fresh memory page by page, which takes longer than computing in it.

/// Memory of fewer elements is not kept.
const LEAST: usize = 1 << 12;

/// Maximum bytes that are kept.
const KEPT: usize = 16 << 20;

/// Empty vectors whose memory has been overwritten.
#[derive(Default)]
pub(crate) struct SpareMemory<E> {
    vectors: Vec<Vec<E>>,
    bytes: usize,
}

impl<E> SpareMemory<E> {
    /// An empty vector, with room for this many elements and not much more; without any room for few
    /// elements.
    pub(crate) fn take(&mut self, length: usize) -> Vec<E> {
        if length < LEAST {
            return Vec::new();
        }
        let fits = |vector: &Vec<E>| (length..=length + length / 4).contains(&vector.capacity());
        let Some(place) = self.vectors.iter().rposition(fits) else { return Vec::with_capacity(length) };
        let vector = self.vectors.swap_remove(place);
        self.bytes -= vector.capacity() * size_of::<E>();
        vector
    }

    /// Keeps the memory of an empty vector, which has been overwritten.
    pub(crate) fn give(&mut self, vector: Vec<E>) {
        let bytes = vector.capacity() * size_of::<E>();
        if vector.capacity() >= LEAST && self.bytes + bytes <= KEPT {
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
        spare.give(Vec::<u64>::with_capacity(3 * LEAST));
        spare.give(Vec::with_capacity(LEAST - 1));
        assert_eq!((spare.vectors.len(), spare.bytes), (1, 24 * LEAST));
        assert_eq!(spare.take(LEAST - 1).capacity(), 0, "few");
        assert_eq!(spare.take(LEAST).capacity(), LEAST, "it is too large");
        assert_eq!(spare.take(4 * LEAST).capacity(), 4 * LEAST, "it is too small");
        assert_eq!(spare.take(3 * LEAST - LEAST / 2).capacity(), 3 * LEAST);
        assert_eq!((spare.vectors.len(), spare.bytes), (0, 0));
    }

    #[test]
    fn no_more_is_kept_than_the_limit() {
        let mut spare = SpareMemory::default();
        (0..1000).for_each(|_| spare.give(Vec::<u64>::with_capacity(1 << 16)));
        assert_eq!((spare.vectors.len(), spare.bytes), (KEPT >> 19, KEPT));
    }
}
