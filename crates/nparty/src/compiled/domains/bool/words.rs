//! Words and wire-major bundles, whose elements are at `bit · lanes + lane`.

use tacit_ir::Words;

/// A column's bits as elements.
pub(in crate::compiled) fn from_words(words: &Words) -> Vec<u8> {
    let wire = |bit| (0..words.lanes()).map(move |lane| u8::from(words.bit(lane, bit)));
    (0..words.bits()).flat_map(wire).collect()
}

/// The words whose bits are these elements.
pub(in crate::compiled) fn to_words(wires: &[u8], bits: u32, lanes: u64) -> Words {
    let mut words = Words::zero(bits, lanes);
    for (index, wire) in wires.iter().enumerate() {
        let (bit, lane) = (index as u64 / lanes, index as u64 % lanes);
        words.set_bit(lane, bit as u32, *wire == 1);
    }
    words
}

/// The lanes of every wire, repeated `copies` times.
pub(super) fn repeat(wires: &[u8], lanes: usize, copies: usize) -> Vec<u8> {
    wires.chunks_exact(lanes).flat_map(|wire| wire.repeat(copies)).collect()
}
