//! AES as a pseudorandom function of addresses: a lane for each purpose, and places in it.

use std::cell::RefCell;

use tacit_crypto::Secret;
use tacit_crypto::aes::Aes128;
use tacit_math::{Block, Wiped};

/// Bytes that are expanded at a time. They and the elements that are made of them stay in the processor's nearest cache.
pub(crate) const CHUNK_BYTES: usize = 16 * 1024;

/// The purpose of a random value; values for different purposes are independent. Purposes below 2^16 are this
/// crate's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Purpose(pub u32);

impl Purpose {
    /// The mask of a product.
    pub const PRODUCT: Purpose = Purpose(1);
    /// A random element.
    pub const RANDOM: Purpose = Purpose(2);
    /// A random bit.
    pub const BIT: Purpose = Purpose(3);
    /// The mask of an input.
    pub const INPUT: Purpose = Purpose(4);
    /// A sharing of zero.
    pub const ZERO: Purpose = Purpose(5);
    /// A number from a range.
    pub const BOUNDED: Purpose = Purpose(6);
    /// Bits and numbers that are the same in every field of a computation.
    pub const JOINT: Purpose = Purpose(7);
    /// A dealt sharing of degree t.
    pub(crate) const DEALT: Purpose = Purpose(8);
    /// A dealt sharing of degrees t and 2t.
    pub(crate) const DEALT_LOW: Purpose = Purpose(9);
    pub(crate) const DEALT_HIGH: Purpose = Purpose(10);
    /// The seed of a garbled circuit.
    pub(crate) const GARBLED: Purpose = Purpose(12);
    /// A seed for the least of words.
    pub(crate) const LEAST: Purpose = Purpose(13);
    /// Not drawn: reports the use of dealt sharings to tests.
    #[cfg(test)]
    pub(crate) const USED: Purpose = Purpose(11);
}

/// The lane in which keys are derived. It is above all lanes of purposes.
pub(crate) const DERIVATION: u64 = u64::MAX;

/// The lanes in which the keys of other fields, and those common to all fields, are derived.
pub(crate) const FIELD_KEYS: u64 = u64::MAX - 1;
pub(crate) const JOINT_KEYS: u64 = u64::MAX - 2;

/// The lane in which the keys of verification are derived.
pub(crate) const VERIFICATION_KEYS: u64 = u64::MAX - 3;

/// The cipher whose key is derived from another cipher and a number.
pub(crate) fn apart(cipher: &Aes128, lane: u64, number: u64) -> Aes128 {
    let key = Secret::new(cipher.encrypt(address(lane, number.into())));
    Aes128::new(*key.expose())
}

/// The block that is encrypted for a place in a lane.
pub(crate) fn address(lane: u64, place: u128) -> Block {
    Block(u128::from(lane) << 64 | place)
}

/// Independent streams of one purpose.
pub(crate) fn lane(purpose: Purpose, number: u32) -> u64 {
    u64::from(purpose.0) << 32 | u64::from(number)
}

thread_local! {
    /// Room for expanded blocks, which is overwritten when the thread ends: most calls are for few elements.
    static BLOCKS: RefCell<Wiped<Block>> = RefCell::default();
}

/// Calls `then` with groups of elements, at places from `first` on, and the bytes of a lane for them: `each` bytes for each element, one after the other in
/// the lane's blocks.
pub(crate) fn each_chunk<E>(
    cipher: &Aes128,
    (lane, first): (u64, u64),
    each: usize,
    elements: &mut [E],
    mut then: impl FnMut(&mut [E], &[u8]),
) {
    let most = CHUNK_BYTES.min(elements.len() * each).div_ceil(Block::BYTES) + 1;
    let mut blocks = BLOCKS.take();
    if blocks.len() < most {
        blocks = Wiped::blocks(most);
    }
    let at_once = CHUNK_BYTES / each;
    for (first, elements) in (first..).step_by(at_once).zip(elements.chunks_mut(at_once)) {
        let place = (u128::from(first) * each as u128, elements.len() * each);
        then(elements, bytes(cipher, lane, place, &mut blocks));
    }
    BLOCKS.set(blocks);
}

/// Calls `then` with the bytes of a lane from element `first` on under each of two keys, `each` for each of `count` elements.
pub(crate) fn of_two(
    ciphers: [&Aes128; 2],
    (lane, first): (u64, u64),
    (each, count): (usize, usize),
    then: impl FnOnce([&[u8]; 2]),
) {
    let most = (each * count).div_ceil(Block::BYTES) + 1;
    let mut blocks = BLOCKS.take();
    if blocks.len() < 2 * most {
        blocks = Wiped::blocks(2 * most);
    }
    let (one, other) = blocks.split_at_mut(most);
    let place = (u128::from(first) * each as u128, each * count);
    then([bytes(ciphers[0], lane, place, one), bytes(ciphers[1], lane, place, other)]);
    BLOCKS.set(blocks);
}

/// The bytes of a lane from a place on, written to the first of `blocks`.
fn bytes<'b>(
    cipher: &Aes128,
    lane: u64,
    (first, length): (u128, usize),
    blocks: &'b mut [Block],
) -> &'b [u8] {
    let (place, skipped) = (first / Block::BYTES as u128, (first % Block::BYTES as u128) as usize);
    let blocks = &mut blocks[..(skipped + length).div_ceil(Block::BYTES)];
    cipher.encrypt_from(address(lane, place), blocks);
    &Block::as_bytes(blocks)[skipped..][..length]
}
