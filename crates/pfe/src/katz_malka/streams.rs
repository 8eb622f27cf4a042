//! Random streams for the groups of a batch, so that threads do not share a generator and results do not depend on
//! the number of threads.

use tacit_crypto::{Oracle, OracleStream, Prg};
use tacit_math::Block;
use zeroize::Zeroizing;

/// A pseudorandom function from numbers of groups to streams, under one key of 256 bits.
pub(super) struct Streams(Oracle);

impl Streams {
    /// The streams of a fresh key.
    pub fn new(prg: &mut Prg) -> Streams {
        let mut key = Zeroizing::new([0; 32]);
        prg.fill_bytes(&mut *key);
        Streams(Oracle::new("tacit private functions v1: group").absorb(&*key))
    }

    /// The stream of one group.
    pub fn of_group(&self, group: usize) -> OracleStream {
        self.0.clone().absorb(&(group as u64).to_le_bytes()).stream()
    }

    /// A generator of one group.
    pub fn prg_of_group(&self, group: usize) -> Prg {
        let mut seed = Zeroizing::new([0; 16]);
        self.of_group(group).fill(&mut *seed);
        Prg::new(Block::from_bytes(*seed))
    }
}
