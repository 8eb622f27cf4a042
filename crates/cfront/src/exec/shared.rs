use std::rc::Rc;

/// Elements in a chunk.
const CHUNK: usize = 32;

/// A vector that is cheap to clone: clones share their chunks until one is written to.
#[derive(Clone, Debug)]
pub(super) struct Shared<T> {
    chunks: Vec<Rc<Vec<T>>>,
    length: usize,
}

impl<T: Clone + Default> Shared<T> {
    pub(super) fn new(length: usize) -> Self {
        let chunk = Rc::new(vec![T::default(); CHUNK]);
        Shared { chunks: vec![chunk; length.div_ceil(CHUNK)], length }
    }

    pub(super) fn len(&self) -> usize {
        self.length
    }

    pub(super) fn get(&self, index: usize) -> &T {
        &self.chunks[index / CHUNK][index % CHUNK]
    }

    pub(super) fn get_mut(&mut self, index: usize) -> &mut T {
        &mut Rc::make_mut(&mut self.chunks[index / CHUNK])[index % CHUNK]
    }

    pub(super) fn set(&mut self, index: usize, value: T) {
        *self.get_mut(index) = value;
    }

    /// Makes room for `length` elements.
    pub(super) fn grow(&mut self, length: usize) {
        if length > self.length {
            let chunk = Rc::new(vec![T::default(); CHUNK]);
            self.chunks.resize(length.div_ceil(CHUNK), chunk);
            self.length = length;
        }
    }

    /// The indices at which the two may differ.
    pub(super) fn differing(&self, other: &Self) -> Vec<usize> {
        let pairs = self.chunks.iter().zip(&other.chunks).enumerate();
        let chunks = pairs.filter(|(_, (a, b))| !Rc::ptr_eq(a, b)).map(|(index, _)| index);
        let common = self.length.min(other.length);
        chunks.flat_map(|chunk| chunk * CHUNK..((chunk + 1) * CHUNK).min(common)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_are_independent_and_differ_where_written() {
        let mut a: Shared<u32> = Shared::new(100);
        let mut b = a.clone();
        b.set(70, 5);
        assert_eq!((*a.get(70), *b.get(70)), (0, 5));
        assert_eq!(a.differing(&b), (64..96).collect::<Vec<_>>());
        a.grow(130);
        a.set(129, 1);
        assert_eq!((a.len(), *a.get(129)), (130, 1));
    }
}
