//! The pseudorandom generator: AES-128 in counter mode.

use crate::aes::Aes128;
use crate::{Backend, EntropyError, random_seed};
use core::fmt;
use tacit_math::{Bits, Block};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Blocks made at once for small requests.
const BUFFER: usize = 16;

/// A pseudorandom generator (`prg`) from a 128-bit seed: the byte stream AES(0), AES(1), ... under the seed as key.
///
/// Every request takes the next bytes of this one stream, little-endian, so the output does not depend on the
/// backend or on how requests are split.
///
/// Security: a PRG if AES-128 is a PRF, for up to 2^64 blocks; constant time. The seed and the output may be
/// secret; the state is overwritten on drop and never shown by `Debug`. Not forward secure.
/// Cost: one AES call for 16 bytes.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct Prg {
    cipher: Aes128,
    /// The counter of the next block to make.
    counter: u128,
    buffer: [Block; BUFFER],
    /// Number of bytes of the buffer already handed out.
    used: usize,
}

impl Prg {
    /// The generator of `seed`, on the machine's best backend.
    pub fn new(seed: Block) -> Prg {
        Prg::on(Backend::best(), seed)
    }

    /// The generator of `seed` on the given backend.
    pub fn on(backend: Backend, seed: Block) -> Prg {
        let cipher = Aes128::on(backend, seed);
        Prg { cipher, counter: 0, buffer: [Block::ZERO; BUFFER], used: BUFFER * Block::BYTES }
    }

    /// A generator with a fresh seed from the operating system.
    ///
    /// # Errors
    /// If the operating system's generator fails.
    pub fn from_os() -> Result<Prg, EntropyError> {
        Ok(Prg::new(*random_seed()?.expose()))
    }

    /// Overwrites `bytes` with the next bytes of the stream.
    pub fn fill_bytes(&mut self, bytes: &mut [u8]) {
        let rest = self.fill_from_buffer(bytes);
        let whole = rest.len() / Block::BYTES * Block::BYTES;
        let (blocks, tail) = rest.split_at_mut(whole);
        for chunk in blocks.chunks_mut(BUFFER * Block::BYTES) {
            let mut made = [Block::ZERO; BUFFER];
            let made = &mut made[..chunk.len() / Block::BYTES];
            self.next_blocks(made);
            chunk.copy_from_slice(Block::as_bytes(made));
        }
        if !tail.is_empty() {
            self.refill();
            self.fill_from_buffer(tail);
        }
    }

    /// Overwrites `blocks` with the next blocks of the stream: the fast path for many.
    pub fn fill(&mut self, blocks: &mut [Block]) {
        let bytes = Block::as_bytes_mut(blocks);
        let taken = bytes.len() - self.fill_from_buffer(bytes).len();
        if taken.is_multiple_of(Block::BYTES) {
            self.next_blocks(&mut blocks[taken / Block::BYTES..]);
        } else {
            self.fill_bytes(&mut Block::as_bytes_mut(blocks)[taken..]);
        }
    }

    /// The next 128 bits.
    pub fn next_block(&mut self) -> Block {
        let mut bytes = [0; 16];
        self.fill_bytes(&mut bytes);
        Block::from_bytes(bytes)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        let mut bytes = [0; 8];
        self.fill_bytes(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    /// The next `len` bits, taken from whole 64-bit words.
    pub fn next_bits(&mut self, len: usize) -> Bits {
        Bits::from_words((0..len.div_ceil(64)).map(|_| self.next_u64()).collect(), len)
    }

    /// Copies the rest of the buffer; returns the part of `bytes` that remains to be filled.
    fn fill_from_buffer<'a>(&mut self, bytes: &'a mut [u8]) -> &'a mut [u8] {
        let left = &mut Block::as_bytes_mut(&mut self.buffer)[self.used..];
        let (now, later) = bytes.split_at_mut(left.len().min(bytes.len()));
        now.copy_from_slice(&left[..now.len()]);
        // Bytes that were handed out are erased here.
        left[..now.len()].fill(0);
        self.used += now.len();
        later
    }

    fn refill(&mut self) {
        let mut buffer = self.buffer;
        self.next_blocks(&mut buffer);
        self.buffer = buffer;
        self.used = 0;
        buffer.zeroize();
    }

    /// The next blocks, past the buffer.
    fn next_blocks(&mut self, blocks: &mut [Block]) {
        self.cipher.encrypt_from(Block(self.counter), blocks);
        self.counter = self.counter.wrapping_add(blocks.len() as u128);
    }
}

impl fmt::Debug for Prg {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Prg(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_answer() {
        let seed = Block(0x0f0e_0d0c_0b0a_0908_0706_0504_0302_0100);
        let mut expected = [Block(0), Block(1), Block(2)];
        Aes128::on(Backend::PORTABLE, seed).encrypt_blocks(&mut expected);
        let mut prg = Prg::new(seed);
        assert_eq!([prg.next_block(), prg.next_block(), prg.next_block()], expected);
    }

    proptest! {
        #[test]
        fn requests_continue_one_stream_on_every_backend(seed: u128, sizes in prop::collection::vec((0..700usize, 0..4), 0..12)) {
            let mut whole = vec![0; 20_000];
            Prg::on(Backend::PORTABLE, Block(seed)).fill_bytes(&mut whole);
            for backend in Backend::available() {
                let mut prg = Prg::on(backend, Block(seed));
                let mut at = 0;
                for &(size, kind) in &sizes {
                    let piece = match kind {
                        0 => {
                            let mut bytes = vec![1; size];
                            prg.fill_bytes(&mut bytes);
                            bytes
                        }
                        1 => {
                            let mut blocks = vec![Block::ONES; size / 16];
                            prg.fill(&mut blocks);
                            Block::as_bytes(&blocks).to_vec()
                        }
                        2 => prg.next_u64().to_le_bytes().to_vec(),
                        _ => prg.next_bits(size / 8 * 64).to_bytes(),
                    };
                    prop_assert_eq!(&piece, &whole[at..at + piece.len()]);
                    at += piece.len();
                }
            }
        }
    }
}
