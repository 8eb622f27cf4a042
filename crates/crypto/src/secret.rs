//! A wrapper for values that must neither be printed nor left in memory.

use core::fmt;
use zeroize::Zeroize;

/// A secret value: `Debug` hides it, and dropping it overwrites it.
///
/// Security: moving a Rust value may leave a copy behind; box large or long-lived secrets. Reading needs a
/// call of [`Secret::expose`], so that a search for that word finds every use.
#[derive(Clone)]
pub struct Secret<T: Zeroize>(T);

impl<T: Zeroize> Secret<T> {
    /// Wraps `value`, which is secret from now on.
    pub const fn new(value: T) -> Secret<T> {
        Secret(value)
    }

    /// The value, for use in code that is constant time in it.
    pub const fn expose(&self) -> &T {
        &self.0
    }

    /// The value, to be changed in place.
    pub const fn expose_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: Zeroize> Drop for Secret<T> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<T: Zeroize> fmt::Debug for Secret<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(..)")
    }
}

impl<T: Zeroize> From<T> for Secret<T> {
    fn from(value: T) -> Secret<T> {
        Secret(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cell::Cell;

    struct Witness<'a>(&'a Cell<bool>);

    impl Zeroize for Witness<'_> {
        fn zeroize(&mut self) {
            self.0.set(true);
        }
    }

    #[test]
    fn dropping_overwrites() {
        let overwritten = Cell::new(false);
        let secret = Secret::new(Witness(&overwritten));
        assert!(!secret.expose().0.get());
        drop(secret);
        assert!(overwritten.get());
    }

    #[test]
    fn debug_shows_nothing() {
        assert_eq!(format!("{:?}", Secret::from(123_456u64)), "Secret(..)");
    }
}
