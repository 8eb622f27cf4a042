//! Each kernel on a backend chosen at run time.

use crate::aes::{Aes128, portable as aes};
use crate::backend::Kind;
use crate::half_gates::{AndGates, Delta, Tweaks, XorGates, portable as half_gates};
use crate::three_halves::portable as three_halves;
use crate::{Backend, fold, half_tree, mitccrh};
use tacit_math::Block;

/// Calls the portable function, or the vector kernel of the same arguments.
macro_rules! on_backend {
    ($backend:expr, $portable:path, $kernel:ident($($argument:expr),* $(,)?)) => {
        match $backend.0 {
            Kind::Portable => $portable($($argument),*),
            // SAFETY: a backend exists only where all its features were found.
            #[cfg(target_arch = "x86_64")]
            Kind::AesNi => unsafe { super::aes_ni::$kernel($($argument),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kind::Vaes256 => unsafe { super::vaes_256::$kernel($($argument),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kind::Vaes512 => unsafe { super::vaes_512::$kernel($($argument),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "aarch64")]
            Kind::ArmV8 => unsafe { super::armv8::$kernel($($argument),*) },
        }
    };
}

/// The round keys of a key.
pub(crate) fn expand(backend: Backend, key: Block) -> [Block; 11] {
    on_backend!(backend, aes::expand_one, expand(key))
}

/// Encrypts blocks in place.
pub(crate) fn encrypt(backend: Backend, rounds: &[Block; 11], blocks: &mut [Block]) {
    on_backend!(backend, aes::encrypt, encrypt(rounds, blocks));
}

/// Encrypts consecutive numbers from `first` on.
pub(crate) fn encrypt_from(backend: Backend, rounds: &[Block; 11], first: Block, blocks: &mut [Block]) {
    // The lower half is what the kernels count in.
    let backend = counting(backend, first.0 as u64, blocks.len());
    on_backend!(backend, aes::encrypt_from, encrypt_from(rounds, first, blocks));
}

/// See [`mitccrh::Mitccrh::hash`].
pub(crate) fn hash(backend: Backend, start: Block, first: u64, blocks: &mut [Block]) {
    let backend = counting(backend, first, blocks.len());
    on_backend!(backend, mitccrh::hash_portable, hash(start, first, blocks));
}

/// See [`mitccrh::Mitccrh::hash_both`].
pub(crate) fn hash_both(
    backend: Backend,
    start: Block,
    first: u64,
    delta: Block,
    zeros: &mut [Block],
    ones: &mut [Block],
) {
    let backend = counting(backend, first, zeros.len());
    on_backend!(backend, mitccrh::hash_both_portable, hash_both(start, first, delta, zeros, ones));
}

/// See [`fold::fold`], which has checked the arguments.
pub(crate) fn fold(
    backend: Backend,
    keys: &[Aes128],
    first: usize,
    position: u64,
    v: &mut [Block],
    u: &mut [Block],
) {
    on_backend!(backend, fold::portable, fold(keys, first, position, v, u));
}

/// See [`half_tree::grow`], which has checked the arguments.
pub(crate) fn grow(permutation: &Aes128, left: &mut [Block], right: &mut [Block]) -> Block {
    on_backend!(permutation.backend(), half_tree::portable, grow(permutation, left, right))
}

/// The vector kernels count in 64 bits; the portable one takes over where they pass that.
fn counting(backend: Backend, first: u64, count: usize) -> Backend {
    if first.checked_add(count as u64).is_some() { backend } else { Backend::PORTABLE }
}

/// See [`crate::half_gates::garble`], which has checked the arguments.
pub(crate) fn garble(
    backend: Backend,
    labels: &mut [Block],
    width: usize,
    gates: AndGates<'_>,
    delta: &Delta,
    tweaks: Tweaks,
    tables: &mut [u8],
) -> u64 {
    on_backend!(backend, half_gates::garble, garble(labels, width, gates, delta, tweaks, tables))
}

/// See [`crate::half_gates::evaluate`], which has checked the arguments.
pub(crate) fn evaluate(
    backend: Backend,
    labels: &mut [Block],
    width: usize,
    gates: AndGates<'_>,
    tweaks: Tweaks,
    tables: &[u8],
) -> u64 {
    on_backend!(backend, half_gates::evaluate, evaluate(labels, width, gates, tweaks, tables))
}

/// See [`crate::three_halves::garble`], which has checked the arguments.
#[expect(clippy::too_many_arguments, reason = "those of garble")]
pub(crate) fn garble_three_halves(
    backend: Backend,
    labels: &mut [Block],
    width: usize,
    gates: AndGates<'_>,
    delta: &Delta,
    tweaks: Tweaks,
    tables: &mut [u8],
    controls: &mut [u8],
) -> u64 {
    on_backend!(
        backend,
        three_halves::garble,
        garble_three_halves(labels, width, gates, delta, tweaks, tables, controls)
    )
}

/// See [`crate::three_halves::evaluate`], which has checked the arguments.
pub(crate) fn evaluate_three_halves(
    backend: Backend,
    labels: &mut [Block],
    width: usize,
    gates: AndGates<'_>,
    tweaks: Tweaks,
    tables: &[u8],
    controls: &[u8],
) -> u64 {
    on_backend!(
        backend,
        three_halves::evaluate,
        evaluate_three_halves(labels, width, gates, tweaks, tables, controls)
    )
}

/// See [`crate::half_gates::xor`], which has checked the arguments.
pub(crate) fn xor(backend: Backend, labels: &mut [Block], width: usize, gates: XorGates<'_>) -> u64 {
    on_backend!(backend, half_gates::xor, xor(labels, width, gates))
}
