//! Moves of elements between wire-major bundles.

use std::rc::Rc;

use tacit_ir::Words;

pub(super) fn from_words(words: &Words) -> Vec<bool> {
    let bit = |bit| (0..words.lanes()).map(move |lane| words.bit(lane, bit));
    (0..words.bits()).flat_map(bit).collect()
}

pub(super) fn to_words(elements: &[bool], bits: usize, lanes: usize) -> Words {
    let mut words = Words::zero(bits as u32, lanes as u64);
    for (index, element) in elements.iter().enumerate() {
        words.set_bit((index % lanes) as u64, (index / lanes) as u32, *element);
    }
    words
}

/// Every wire's `lanes` lanes `copies` times over.
pub(super) fn repeat<B: Copy>(elements: &[B], lanes: usize, copies: usize) -> Vec<B> {
    elements.chunks(lanes).flat_map(|wire| wire.repeat(copies)).collect()
}

/// From every `from` lanes in a row, `to` at the positions given.
pub(super) fn gather<B: Copy>(
    elements: &[B],
    from: usize,
    to: usize,
    position: impl Fn(usize) -> usize,
) -> Vec<B> {
    let instance = |lanes: &[B]| (0..to).map(|lane| lanes[position(lane)]).collect::<Vec<_>>();
    elements.chunks(from).flat_map(instance).collect()
}

/// Beside one another, the lanes of several parts, in each of `rows` wires and instances.
pub(super) fn join<B: Copy>(parts: &[(Rc<Vec<B>>, usize)], rows: usize) -> Vec<B> {
    let row = |row: usize| parts.iter().flat_map(move |(part, lanes)| &part[row * lanes..][..*lanes]);
    (0..rows).flat_map(row).copied().collect()
}
