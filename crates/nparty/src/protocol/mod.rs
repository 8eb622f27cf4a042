//! Protocols over values: each is a program of sums, products and openings, which the runtime schedules with everything else.
//!
//! | module | computes |
//! |---|---|
//! | [`mod@array`] | sums, inner and matrix products, choices and orders of elements |
//! | [`random`] | random elements and bits |
//! | [`power`] | powers, inverses, square roots |
//! | [`compare`] | signs, comparisons, equality, remainders modulo powers of two, bits |
//! | [`order`] | least and greatest elements, sorting |

pub mod array;
pub mod compare;
pub mod order;
pub mod power;
pub mod random;
