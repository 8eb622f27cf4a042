//! Protocols over values: each is a program of sums, products and openings, which the runtime schedules with everything else.
//!
//! | module | computes |
//! |---|---|
//! | [`mod@array`] | sums, inner and matrix products, selections and orders of elements |
//! | [`random`] | random elements and bits |
//! | `contributions` | randomness with several contributors |
//! | [`pool`] | randomness that is made before it is needed |
//! | [`keep`] | the same for later sessions |
//! | [`power`] | powers, inverses, square roots |
//! | [`binary`] | rows of bits: sums, comparisons |
//! | [`compare`] | signs, comparisons, equality |
//! | [`bits`] | bits of numbers, remainders modulo powers of two, truncation |
//! | [`dabits`] | bits in two fields, conversions |
//! | `low_bits` | remainders, truncation and bits, on bits 64 to an element |
//! | [`edabits`] | comparisons on bits, 64 to an element |
//! | [`dgk`] | comparisons by two of the parties, under encryption |
//! | [`divide`] | integer division, fixed-point numbers |
//! | `packed` | bits one after the other, several to an element |
//! | `words` | words modulo powers of two, in a prime field |
//! | `replicated_words` | words modulo 2^64 among three parties, to bits and back |
//! | `minimum` | the least of words modulo 2^64 among three parties |
//! | [`toft`] | Toft's comparisons, as baselines |
//! | [`order`] | least and greatest elements, sorting |

pub mod array;
pub mod binary;
pub mod bits;
pub mod compare;
mod contributions;
pub mod dabits;
pub mod dgk;
pub mod divide;
pub mod edabits;
pub(crate) mod end_around;
pub mod keep;
pub(crate) mod low_bits;
pub(crate) mod minimum;
#[cfg(test)]
mod openings;
pub mod order;
pub(crate) mod packed;
pub mod pool;
pub mod power;
pub mod random;
pub(crate) mod replicated_words;
pub(crate) mod stored_shares;
#[cfg(test)]
mod tests;
pub mod toft;
pub(crate) mod words;
