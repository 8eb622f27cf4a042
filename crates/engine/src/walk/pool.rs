use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use super::WalkError;

/// Most elements that the pool keeps for later (16 MiB of labels); more go back to the allocator.
const KEPT_ELEMENTS: usize = 1 << 20;

/// What stands for a wire during a walk.
pub trait Element: Copy + Default + PartialEq + Send + Sync + 'static {}

impl<T: Copy + Default + PartialEq + Send + Sync + 'static> Element for T {}

/// The elements of a bundle, wire-major. Written by one step, then shared by those that read it.
#[derive(Clone, Debug)]
pub struct Wires<T>(Arc<Vec<T>>);

impl<T: Element> Wires<T> {
    /// The elements for writing. Copies them first if others share them.
    pub fn elements_mut(&mut self) -> &mut [T] {
        Arc::make_mut(&mut self.0).as_mut_slice()
    }
}

impl<T> Deref for Wires<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

/// Hands out buffers and takes them back, so that a loop allocates nothing after its first turns.
///
/// What it still keeps when it is dropped is overwritten.
#[derive(Debug, Default)]
pub(crate) struct Pool<T: Element> {
    free: HashMap<usize, Vec<Wires<T>>>,
    kept: usize,
}

impl<T: Element> Pool<T> {
    /// A buffer for `bits · lanes` elements, with any content.
    pub fn take(&mut self, bits: u32, lanes: u64) -> Result<Wires<T>, WalkError> {
        let beyond = || WalkError::Memory { bits, lanes };
        let len = usize::try_from(lanes)
            .ok()
            .and_then(|lanes| lanes.checked_mul(bits as usize))
            .ok_or_else(beyond)?;
        if let Some(wires) = self.free.get_mut(&len).and_then(Vec::pop) {
            self.kept -= len;
            return Ok(wires);
        }
        let mut elements = Vec::new();
        elements.try_reserve_exact(len).map_err(|_| beyond())?;
        elements.resize(len, T::default());
        Ok(Wires(Arc::new(elements)))
    }

    /// Takes a buffer back, unless others share it.
    pub fn give(&mut self, mut wires: Wires<T>) {
        if Arc::get_mut(&mut wires.0).is_none() {
            return;
        }
        if self.kept + wires.len() > KEPT_ELEMENTS {
            return wipe(wires);
        }
        self.kept += wires.len();
        self.free.entry(wires.len()).or_default().push(wires);
    }
}

impl<T: Element> Drop for Pool<T> {
    fn drop(&mut self) {
        self.free.drain().flat_map(|(_, buffers)| buffers).for_each(wipe);
    }
}

/// Overwrites a buffer that nobody shares and drops it.
pub(crate) fn wipe<T: Element>(mut wires: Wires<T>) {
    if let Some(elements) = Arc::get_mut(&mut wires.0) {
        elements.fill(T::default());
        // The compiler must assume that the zeros are read.
        std::hint::black_box(&elements);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_comes_back_unless_shared() {
        let mut pool = Pool::<u64>::default();
        let first = pool.take(2, 3).unwrap();
        let address = first.as_ptr();
        pool.give(first);
        let again = pool.take(3, 2).unwrap();
        assert_eq!((again.as_ptr(), again.len()), (address, 6));
        let shared = again.clone();
        pool.give(again);
        assert_ne!(pool.take(3, 2).unwrap().as_ptr(), shared.as_ptr());
    }

    #[test]
    fn keeps_a_bounded_amount() {
        let mut pool = Pool::<u64>::default();
        let buffers: Vec<_> = (0..4).map(|_| pool.take(1, KEPT_ELEMENTS as u64 / 2).unwrap()).collect();
        buffers.into_iter().for_each(|buffer| pool.give(buffer));
        assert_eq!(pool.kept, KEPT_ELEMENTS);
    }

    #[test]
    fn a_size_beyond_memory_is_an_error() {
        let mut pool = Pool::<u64>::default();
        assert!(matches!(pool.take(64, u64::MAX / 2), Err(WalkError::Memory { .. })));
        assert!(matches!(pool.take(64, 1 << 50), Err(WalkError::Memory { .. })));
    }
}
