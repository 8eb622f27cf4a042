//! Words under encryption: the first party holds ciphertexts under the second party's key.
//!
//! What is encrypted is an integer, and the word is its low bits. `lane` has what the holder does alone, `exchange` brings words to
//! this form and back, `weighted` adds up multiples, `product` multiplies two of them, `comparison` compares them, and `key` and `comparator`
//! are what a session has for all.
//!
//! Source: TASTY (CCS'10), §2 and §4.3; the key, and who holds it, as there: the client's, who evaluates garbled circuits. Differs: what
//! leaves for the owner has fresh randomness that is uniform in the whole subgroup, so that how it was computed stays hidden from
//! whoever knows the factors of the modulus.
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
