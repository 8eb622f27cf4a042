//! Words under encryption: the first party holds ciphertexts under the second party's key.
//!
//! An integer is encrypted, and the word is its low bits. `lane` has the holder's local operations, `exchange` converts words to this form
//! and back, `weighted` computes weighted sums, `product` multiplies two encrypted words, `comparison` compares them, and `key` and
//! `comparator` are the session's material.
//!
//! Source: TASTY (CCS'10), §2 and §4.3; as there, the client, which evaluates garbled circuits, has the key. Differs: whatever is sent
//! to the owner has fresh randomness that is uniform in the whole subgroup, so that how it was computed stays hidden even from a party
//! that knows the factors of the modulus.
//! Security: semi-honest. The holder sees ciphertexts; the owner sees sums with masks that are longer by the statistical parameter.

mod comparator;
mod comparison;
mod exchange;
mod key;
mod lane;
mod masked;
mod parameters;
mod product;
mod stored;
mod weighted;

pub use comparator::{Comparator, ComparisonKey};
pub(crate) use comparison::{Comparison, Questions};
pub(crate) use exchange::{Asked, FromHe, IntoHe, exchange};
pub use key::{HeKey, HeMaterial};
pub use lane::Lane;
pub(crate) use lane::{add, multiply, negate_all};
pub use parameters::{CiphertextCount, HeParameters};
pub(crate) use product::Product;
pub use stored::StoredEncryption;
pub use tacit_he::paillier::ModulusSize;
pub(crate) use weighted::weighted;

#[cfg(test)]
mod tests;
