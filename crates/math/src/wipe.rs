//! Memory that is overwritten before it goes back to the allocator.

use core::fmt;
use core::ops::{Deref, DerefMut};
use std::collections::TryReserveError;

use zeroize::optimization_barrier;

use crate::Block;

/// Overwrites the elements with their default, zero for numbers and blocks; the compiler may not omit this.
///
/// Cost: that of filling memory, about 30 GB/s in the processor's caches.
pub fn wipe<T: Copy + Default>(elements: &mut [T]) {
    elements.fill(T::default());
    optimization_barrier(elements);
}

/// So many elements with their default, zero for numbers and blocks.
///
/// Cost: that of filling memory. Where the type is not a number of Rust's own, `vec![element; len]` writes the elements one by one.
pub fn zeros<T: Copy + Default>(len: usize) -> Vec<T> {
    let mut elements = Vec::with_capacity(len);
    elements.resize_with(len, T::default);
    elements
}

/// Overwrites all of a vector's memory, including unused capacity, and leaves it empty.
pub(crate) fn wipe_all<T: Copy + Default>(elements: &mut Vec<T>) {
    if size_of::<T>() == 0 {
        return elements.clear();
    }
    // Within the capacity, so nothing moves.
    elements.resize_with(elements.capacity(), T::default);
    wipe(elements);
    elements.clear();
}

/// Makes room for `more` elements. If the vector has to move, its old memory is overwritten, which
/// [`Vec::reserve`] does not do.
pub fn reserve<T: Copy + Default>(elements: &mut Vec<T>, more: usize) {
    if elements.capacity() - elements.len() < more {
        let mut moved = Vec::with_capacity((elements.len() + more).max(2 * elements.capacity()));
        moved.extend_from_slice(elements);
        wipe(elements);
        *elements = moved;
    }
}

/// Appends elements to a vector of secrets. If the vector has to move, its old memory is overwritten.
pub fn append<T: Copy + Default>(elements: &mut Vec<T>, more: &[T]) {
    reserve(elements, more.len());
    elements.extend_from_slice(more);
}

/// Secret elements: labels, shares, keys. They are overwritten when dropped, and `Debug` prints only their
/// number.
///
/// The length is fixed, so that growing never leaves a copy behind. A clone is another vector that wipes itself.
#[derive(Default, PartialEq, Eq)]
pub struct Wiped<T: Copy + Default>(Vec<T>);

impl<T: Copy + Default> Wiped<T> {
    /// `len` zeros.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub fn try_zeros(len: usize) -> Result<Wiped<T>, TryReserveError> {
        let mut elements = Vec::new();
        elements.try_reserve_exact(len)?;
        elements.resize_with(len, T::default);
        Ok(Wiped(elements))
    }

    /// Empties it and returns its elements, which are the caller's to overwrite.
    pub fn take_elements(&mut self) -> Vec<T> {
        std::mem::take(&mut self.0)
    }

    /// Empties it and returns its overwritten memory for reuse.
    pub fn take_memory(&mut self) -> Vec<T> {
        wipe_all(&mut self.0);
        std::mem::take(&mut self.0)
    }
}

impl Wiped<Block> {
    /// Blocks of zeros.
    pub fn blocks(len: usize) -> Wiped<Block> {
        Wiped(vec![Block::ZERO; len])
    }
}

impl<T: Copy + Default> From<Vec<T>> for Wiped<T> {
    fn from(elements: Vec<T>) -> Wiped<T> {
        Wiped(elements)
    }
}

impl<T: Copy + Default> Clone for Wiped<T> {
    fn clone(&self) -> Wiped<T> {
        Wiped(self.0.clone())
    }
}

impl<T: Copy + Default> Deref for Wiped<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Copy + Default> DerefMut for Wiped<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: Copy + Default> Drop for Wiped<T> {
    fn drop(&mut self) {
        wipe_all(&mut self.0);
    }
}

impl<T: Copy + Default> fmt::Debug for Wiped<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Wiped({})", self.0.len())
    }
}

/// Gives types that hold secrets a `Debug` that prints only their names.
///
/// ```
/// struct Shares<'a> {
///     words: &'a [u128],
/// }
/// tacit_math::redacted!(Shares<'_>);
/// assert_eq!(format!("{:?}", Shares { words: &[42] }), "Shares(..)");
/// ```
#[macro_export]
macro_rules! redacted {
    ($($name:ident $(<$($parameter:tt),*>)?),+ $(,)?) => {$(
        impl ::core::fmt::Debug for $name $(<$($parameter),*>)? {
            fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                formatter.write_str(concat!(stringify!($name), "(..)"))
            }
        }
    )+};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_the_length_alone() {
        assert_eq!(format!("{:?}", Wiped::from(vec![123_456_u64; 3])), "Wiped(3)");
    }

    #[test]
    fn all_of_the_memory_is_overwritten() {
        let mut elements = vec![7u64; 10];
        elements.truncate(3);
        wipe_all(&mut elements);
        assert!(elements.is_empty() && elements.capacity() >= 10);
        elements.resize(3, 1);
        assert_eq!(elements, [1; 3]);
    }

    #[test]
    fn growing_keeps_the_elements() {
        let mut elements = Vec::new();
        for element in 0..1000u64 {
            reserve(&mut elements, 1);
            elements.push(element);
        }
        assert!(elements.iter().copied().eq(0..1000) && elements.capacity() < 4000);
    }

    #[test]
    fn what_is_too_large_is_an_error() {
        assert!(Wiped::<u64>::try_zeros(usize::MAX / 4).is_err());
    }
}
