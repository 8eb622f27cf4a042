//! Words and their bits in the clear. Only the low bits of a word count; its higher bits are meaningless.

/// The words of `bits` bits whose wires these are.
pub(super) fn words(wires: &[u128], bits: u32) -> impl Iterator<Item = u128> {
    let lanes = wires.len() / bits as usize;
    (0..lanes).map(move |lane| (0..bits as usize).map(|bit| wires[bit * lanes + lane] << bit).sum())
}

/// The `bits` low bits of words, wire-major.
pub(super) fn low_bits(words: &[u128], bits: u32) -> Vec<u128> {
    (0..bits).flat_map(|bit| words.iter().map(move |word| word >> bit & 1)).collect()
}
