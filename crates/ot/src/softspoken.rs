//! SoftSpokenOT: any number of correlated OTs from 128 base OTs.
//!
//! The sender holds a secret delta, and for every OT i a block q\[i\]; the receiver holds a random choice bit c\[i\] and
//! t\[i\] = q\[i\] ^ c\[i\]·delta. Delta is divided into 128/k pieces of k bits. For each piece the receiver knows 2^k seeds,
//! the leaves of a tree, and the sender knows all of them except the one whose number is the piece. Expanded and folded
//! ([`tacit_crypto::fold`]), the seeds give u, v at the receiver and w = v ^ piece·u over GF(2^k) at the sender, with a
//! random bit vector u for each piece. The receiver sends corrections from the u of the first piece to those of all others; the first u
//! becomes the choices.
//!
//! Source: Roy, *SoftSpokenOT: Quieter OT Extension from Small-Field Silent VOLE* (CRYPTO'22), the protocol with the
//! repetition code of length 128/k; seeds by the tree of Goldreich, Goldwasser and Micali as in its §4.
//! Differs: semi-honest, so neither the seeds nor the corrections are checked. The checks would be in
//! [`Sender::setup`] after step 3 and in the extension after step 2.
//!
//! Security: semi-honest, 128 bits; AES-128 as a pseudorandom function. If delta leaks, all correlated blocks are revealed;
//! for independent blocks, hash them ([`crate::rot`]).
//! Cost for each OT: 128/k - 1 bits from receiver to sender and nothing back, so 127, 63, 31 or 15 bits; 2^k/k AES calls
//! at the receiver, one part in 2^k fewer at the sender.

mod fold;
mod pprf;
mod receiver;
mod sender;

pub use receiver::Receiver;
pub use sender::Sender;

/// Base OTs of a session: one for each bit of delta.
pub const BASE_OTS: usize = 128;
/// OTs per block of PRG output; OTs are made in multiples of it.
pub const GRANULE: usize = 128;
/// OTs made at a time, so that all matrices stay in the first-level cache.
pub(crate) const CHUNK: usize = 2048;
/// Blocks of one row of a chunk.
const CHUNK_BLOCKS: usize = CHUNK / GRANULE;
/// Maximum OTs of a session: far more than any use needs, and far below where counters wrap.
const MAX_OTS: u64 = 1 << 56;

/// The parameter k: bits of delta for each tree. A larger k sends less and computes more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Params {
    /// 127 bits and 2 AES calls per OT, as in the protocol of Ishai, Kilian, Nissim and Petrank (CRYPTO'03).
    K1,
    /// 63 bits and 2 AES calls per OT.
    K2,
    /// 31 bits and 4 AES calls per OT.
    K4,
    /// 15 bits and 32 AES calls per OT.
    K8,
}

impl Params {
    /// All parameters, in order.
    pub const ALL: [Params; 4] = [Params::K1, Params::K2, Params::K4, Params::K8];

    /// k, the bits of delta for each tree.
    pub const fn k(self) -> usize {
        match self {
            Params::K1 => 1,
            Params::K2 => 2,
            Params::K4 => 4,
            Params::K8 => 8,
        }
    }

    /// The number of trees, 128/k.
    pub const fn trees(self) -> usize {
        128 / self.k()
    }

    /// Bits that the receiver sends for one OT.
    pub const fn bits_per_ot(self) -> usize {
        self.trees() - 1
    }

    /// Bytes that the receiver sends for `count` OTs when none are left over from before.
    pub const fn bytes(self, count: u64) -> u64 {
        count.div_ceil(GRANULE as u64) * (GRANULE / 8 * self.bits_per_ot()) as u64
    }

    /// Bytes of setup: those of the extension's sender and those of its receiver.
    pub const fn setup_bytes(self) -> (u64, u64) {
        (64 * BASE_OTS as u64, 32 + self.grown_bytes())
    }

    /// Bytes of setup besides the base OTs, which the extension's receiver sends.
    pub const fn grown_bytes(self) -> u64 {
        (self.trees() * (self.k() - 1) * 32) as u64 + 16
    }

    /// The parameter with this k.
    pub fn from_k(k: u32) -> Option<Params> {
        Params::ALL.into_iter().find(|params| params.k() == k as usize)
    }
}

impl Default for Params {
    /// k = 4, the best on fast links.
    fn default() -> Params {
        Params::K4
    }
}

/// The number of OTs handed out after `more` further ones, if the session may make that many.
pub(crate) fn check_count(count: u64, more: usize) -> Result<u64, crate::OtError> {
    count.checked_add(more as u64).filter(|&total| total <= MAX_OTS).ok_or(crate::OtError::Exhausted)
}
