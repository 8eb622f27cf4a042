//! Random words from a seed.

use tacit_crypto::Prg;
use tacit_math::Wiped;

/// This many random words.
pub(super) fn drawn(prg: &mut Prg, count: usize) -> Wiped<u64> {
    let mut blocks = Wiped::blocks(count.div_ceil(2));
    prg.fill(&mut blocks);
    let words = blocks.iter().flat_map(|block| [block.0 as u64, (block.0 >> 64) as u64]);
    Wiped::from(words.take(count).collect::<Vec<_>>())
}
