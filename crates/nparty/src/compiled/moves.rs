//! Lanes that only move: pure functions over wire-major bundles, whose elements stand at `bit · lanes + lane`.

use tacit_ir::Words;

/// A column's bits as elements.
pub(super) fn from_words(words: &Words) -> Vec<u8> {
    let wire = |bit| (0..words.lanes()).map(move |lane| u8::from(words.bit(lane, bit)));
    (0..words.bits()).flat_map(wire).collect()
}

/// The words whose bits are these elements.
pub(super) fn to_words(wires: &[u8], bits: u32, lanes: u64) -> Words {
    let mut words = Words::zero(bits, lanes);
    for (index, wire) in wires.iter().enumerate() {
        let (bit, lane) = (index as u64 / lanes, index as u64 % lanes);
        words.set_bit(lane, bit as u32, *wire == 1);
    }
    words
}

/// Every wire's lanes `copies` times over.
pub(super) fn repeat(wires: &[u8], lanes: usize, copies: usize) -> Vec<u8> {
    wires.chunks_exact(lanes).flat_map(|wire| wire.repeat(copies)).collect()
}

/// From every `from` lanes in a row, those at the positions given.
pub(super) fn gather(wires: &[u8], from: usize, positions: &[usize]) -> Vec<u8> {
    let row = |lanes: &[u8]| positions.iter().map(|position| lanes[*position]).collect::<Vec<_>>();
    wires.chunks_exact(from).flat_map(row).collect()
}

/// Lanes of a bundle: `count` from lane `offset` of each wire and instance, which has `from`.
#[derive(Clone, Copy)]
pub(super) struct Lanes {
    pub from: usize,
    pub offset: usize,
    pub count: usize,
}

/// Lanes of several bundles beside one another, in each wire and instance until there are `length`.
pub(super) fn join(parts: &[(&[u8], Lanes)], length: usize) -> Vec<u8> {
    let mut joined = Vec::with_capacity(length);
    for row in 0.. {
        if joined.len() >= length {
            break;
        }
        for (part, Lanes { from, offset, count }) in parts {
            joined.extend_from_slice(&part[row * from + offset..][..*count]);
        }
    }
    joined
}
