//! Seeds from the operating system.

use crate::Secret;
use tacit_math::Block;

/// The operating system gave no randomness.
#[derive(Debug, thiserror::Error)]
#[error("the operating system's random generator failed: {0}")]
pub struct EntropyError(#[from] getrandom::Error);

/// A fresh 128-bit seed from the operating system's generator.
///
/// # Errors
/// If the generator fails, which on common systems it never does after boot.
pub fn random_seed() -> Result<Secret<Block>, EntropyError> {
    let mut seed = Secret::new([Block::ZERO]);
    getrandom::fill(Block::as_bytes_mut(seed.expose_mut()))?;
    let [block] = *seed.expose();
    Ok(Secret::new(block))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_differ() {
        assert_ne!(random_seed().unwrap().expose(), random_seed().unwrap().expose());
    }
}
