//! Triples of matrices from lattice encryption: a megabyte where OTs send tens of them.
//!
//! C = (A0 + A1)·(B0 + B1). Each party computes Ai·Bi locally. For the cross terms A0·B1 and A1·B0, both parties do the same at
//! the same time, each under its own key. E is the encrypted factor and P the other one, of this party (0) and the peer (1):
//!
//! | step | owner of the key | other party |
//! |---|---|---|
//! | 1 | encrypts its E0 in tiles, sends a seed and c0 of each | |
//! | 2 | | sums up P1·E0 over the tiles, adds a uniform mask R1, adds a fresh zero, floods, switches the modulus, sends c1 and the needed coefficients |
//! | 3 | decrypts P1·E0 + R1, its share | keeps -R1, its share |
//!
//! How matrices become polynomials is described in [`tiles`]; the cipher, and why decryption never fails, in
//! [`tacit_he::bfv`].
//!
//! Source: Huang, Lu, Hong, Ding, *Cheetah* (USENIX Security'22), §3.1 for the encoding of coefficients and §3.2 for seeds and the
//! modulus of replies; several columns at once as in Hao et al., *Iron* (NeurIPS'22), §3. Differs: both operands are random, so
//! either may be the encrypted one, and both cross terms are sent together; replies are made independent of P by a fresh zero
//! and a flood, not only by statistics of the noise; noise is bounded in the worst case, so there are no errors of one bit.
//! Security: semi-honest. The key's owner sees P·E + R with uniform R, in a ciphertext that depends on nothing else,
//! except for a distance of 2^-40 for each reply and, for c1, the assumption of ring-LWE; the other party sees
//! encryptions.
//! Cost: [`Tiles::bytes`] each way, and keys once per session.
//!
//! The same steps also multiply shared matrices online: [`OnlineMatrices`]. Lattices also make triples of single words, and
//! squares, thousands in a ciphertext: [`LatticeWords`].

mod coefficients;
mod online;
mod products;
pub(crate) mod residues;
mod slots;
pub(crate) mod tiles;
mod words;

pub use online::OnlineMatrices;
pub use products::{LatticeMatrices, key_size};
#[cfg(doc)]
use tiles::Tiles;
pub use words::LatticeWords;
