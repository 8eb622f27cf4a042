use std::collections::HashMap;
use std::fmt::Debug;
use std::ops::Deref;
use std::sync::Arc;

use tacit_ir::{Domain, Index};
use tacit_math::Wiped;

use super::{Memory, WalkError, moves};
use crate::bundle::Bundle;

/// Most elements that the pool keeps for reuse (16 MiB of labels); more are freed.
const KEPT_ELEMENTS: usize = 1 << 20;

/// The elements of a bundle, wire-major. Written by one step, then shared by those that read it: a copy is cheap.
///
/// In each wire, lanes are stored instance after instance if a body runs in several instances side by side; a
/// copy is the lanes of one wire of one instance.
///
/// Security: elements are secret. `Debug` hides them, and a buffer is overwritten when its last owner drops
/// it.
pub trait Buffer: Clone + Debug + Send + Sync + 'static {
    /// `len` elements for a bundle of this domain, with any content; none if memory does not suffice.
    fn allocate(domain: Domain, len: usize) -> Option<Self>;

    /// Whether elements of this domain can be stored here.
    fn suits(&self, domain: Domain) -> bool;

    /// The number of elements.
    fn elements(&self) -> usize;

    /// Whether there is no other reader.
    fn is_alone(&mut self) -> bool;

    /// Copies the lanes at `positions`, `to` of them, from every copy of the source (of `from` lanes).
    ///
    /// # Errors
    /// If the elements of the source are of another domain.
    fn gather(&mut self, source: (&Self, u64), positions: &Index, to: u64) -> Result<(), WalkError>;

    /// Copies `count` lanes from lane `offset` of each copy of the source (of `from` lanes) to lane `at` of
    /// each copy (of `to` lanes).
    ///
    /// # Errors
    /// If the elements of the source are of another domain.
    fn copy_lanes(
        &mut self,
        source_from_offset: (&Self, usize, usize),
        to_at: (usize, usize),
        count: usize,
    ) -> Result<(), WalkError>;
}

/// The value of a wire during a walk.
pub trait Element: Copy + Default + Debug + PartialEq + Send + Sync + 'static {}

impl<T: Copy + Default + Debug + PartialEq + Send + Sync + 'static> Element for T {}

/// A buffer of values of one type.
#[derive(Clone, Debug)]
pub struct Wires<T: Element>(Arc<Wiped<T>>);

impl<T: Element> Wires<T> {
    /// The elements for writing. Copies them first if others share them.
    pub fn elements_mut(&mut self) -> &mut [T] {
        let elements: &mut Wiped<T> = Arc::make_mut(&mut self.0);
        elements
    }
}

impl<T: Element> Deref for Wires<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Element> Buffer for Wires<T> {
    fn allocate(_: Domain, len: usize) -> Option<Self> {
        Wiped::try_zeros(len).ok().map(|elements| Wires(Arc::new(elements)))
    }

    fn suits(&self, _: Domain) -> bool {
        true
    }

    fn elements(&self) -> usize {
        self.0.len()
    }

    fn is_alone(&mut self) -> bool {
        Arc::get_mut(&mut self.0).is_some()
    }

    fn gather(&mut self, (source, from): (&Self, u64), positions: &Index, to: u64) -> Result<(), WalkError> {
        moves::gather(source, from, positions, self.elements_mut(), to);
        Ok(())
    }

    fn copy_lanes(
        &mut self,
        (source, from, offset): (&Self, usize, usize),
        (to, at): (usize, usize),
        count: usize,
    ) -> Result<(), WalkError> {
        moves::copy_lanes((source, from, offset), (self.elements_mut(), to, at), count);
        Ok(())
    }
}

/// Hands out buffers and takes them back, so that a loop allocates nothing after its first iterations. A
/// returned buffer keeps its content until its next use overwrites it, or the pool drops it.
#[derive(Debug)]
pub struct Pool<W: Buffer> {
    free: HashMap<usize, Vec<W>>,
    kept: usize,
}

impl<W: Buffer> Default for Pool<W> {
    fn default() -> Self {
        Pool { free: HashMap::new(), kept: 0 }
    }
}

impl<W: Buffer> Pool<W> {
    /// A buffer for `lanes` lanes of a bundle, with any content.
    pub fn take(&mut self, bundle: Bundle, lanes: u64) -> Result<W, WalkError> {
        let bits = bundle.wires();
        let beyond = || WalkError::Memory { bits, lanes };
        let len = usize::try_from(lanes)
            .ok()
            .and_then(|lanes| lanes.checked_mul(bits as usize))
            .ok_or_else(beyond)?;
        if let Some(free) = self.free.get_mut(&len)
            && let Some(at) = free.iter().rposition(|buffer| buffer.suits(bundle.domain))
        {
            self.kept -= len;
            return Ok(free.swap_remove(at));
        }
        W::allocate(bundle.domain, len).ok_or_else(beyond)
    }

    /// Takes a buffer back, unless others share it.
    pub fn give(&mut self, mut buffer: W) {
        if !buffer.is_alone() {
            return;
        }
        let len = buffer.elements();
        if self.kept + len > KEPT_ELEMENTS {
            return;
        }
        self.kept += len;
        self.free.entry(len).or_default().push(buffer);
    }
}

impl<W: Buffer> Memory for Pool<W> {
    type Wires = W;
    type Parts = W;
    type Error = WalkError;

    fn allocate(&mut self, bundle: Bundle, lanes: u64) -> Result<W, WalkError> {
        self.take(bundle, lanes)
    }

    fn release(&mut self, wires: W) {
        self.give(wires);
    }

    fn gather(
        &mut self,
        source: (&W, u64),
        positions: &Index,
        (bundle, lanes): (Bundle, u64),
    ) -> Result<W, WalkError> {
        let mut gathered = self.take(bundle, lanes)?;
        gathered.gather(source, positions, bundle.lanes)?;
        Ok(gathered)
    }

    fn begin(&mut self, bundle: Bundle, lanes: u64) -> Result<W, WalkError> {
        self.take(bundle, lanes)
    }

    fn put(
        &mut self,
        parts: &mut W,
        source: (&W, usize, usize),
        to_at: (usize, usize),
        count: usize,
    ) -> Result<(), WalkError> {
        parts.copy_lanes(source, to_at, count)
    }

    fn finish(&mut self, parts: W) -> Result<W, WalkError> {
        Ok(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle(bits: u32) -> Bundle {
        Bundle { bits, lanes: 1, domain: Domain::Yao }
    }

    #[test]
    fn a_buffer_comes_back_unless_shared() {
        let mut pool = Pool::<Wires<u64>>::default();
        let first = pool.take(bundle(2), 3).unwrap();
        let address = first.as_ptr();
        pool.give(first);
        let again = pool.take(bundle(3), 2).unwrap();
        assert_eq!((again.as_ptr(), again.len()), (address, 6));
        let shared = again.clone();
        pool.give(again);
        assert_ne!(pool.take(bundle(3), 2).unwrap().as_ptr(), shared.as_ptr());
    }

    #[test]
    fn keeps_a_bounded_amount() {
        let mut pool = Pool::<Wires<u64>>::default();
        let buffers: Vec<_> =
            (0..4).map(|_| pool.take(bundle(1), KEPT_ELEMENTS as u64 / 2).unwrap()).collect();
        buffers.into_iter().for_each(|buffer| pool.give(buffer));
        assert_eq!(pool.kept, KEPT_ELEMENTS);
    }

    #[test]
    fn a_size_beyond_memory_is_an_error() {
        let mut pool = Pool::<Wires<u64>>::default();
        assert!(matches!(pool.take(bundle(64), u64::MAX / 2), Err(WalkError::Memory { .. })));
        assert!(matches!(pool.take(bundle(64), 1 << 50), Err(WalkError::Memory { .. })));
    }
}
