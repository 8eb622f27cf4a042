//! Additively homomorphic encryption: whoever has a public key can add ciphertexts and multiply them by numbers of
//! their own, and learns nothing about the plaintexts.
//!
//! | module | plaintexts | good for |
//! |---|---|---|
//! | [`paillier`] | integers below a modulus of thousands of bits | sums and products that are packed or wide |
//! | [`paillier::damgard_jurik`] | integers of two to four times as many bits | packed plaintexts, in at most three quarters of the bytes |
//! | [`dgk`] | integers modulo a small prime or 2^ℓ | zero tests and short products, in short ciphertexts |
//! | [`goldwasser_micali`] | bits | XOR, as a baseline |
//! | [`elgamal`] | points of ristretto255, small integers | masked keys, counts; the smallest ciphertexts |
//! | [`bfv`] | polynomials of thousands of words | products of matrices and vectors, at a fraction of the others' time |
//!
//! All schemes implement [`PublicKey`] and [`SecretKey`]: keys, encryption, sums, products with plain factors, fresh
//! randomness, decryption, canonical bytes, and each of them for many ciphertexts on several cores ([`Threads`]).
//! [`Slots`] packs many numbers into one integer plaintext. This crate does not communicate.
//!
//! Security: indistinguishability under chosen plaintexts (IND-CPA) only. Anyone who can have chosen ciphertexts decrypted learns the key or plaintexts, and
//! every scheme is malleable by design. No branch and no memory access depends on secret exponents, plaintexts or keys, except where an item's documentation
//! says so; whether an operation fails, and its answer, are public. The tests in `tests/integration/constant_time.rs` check this with valgrind for [`paillier`],
//! [`paillier::damgard_jurik`], [`dgk`] and [`elgamal`]. They do not cover making and reading keys, the lengths of moduli, and the vector instructions that
//! batches use, which valgrind does not support. [`goldwasser_micali`] and [`bfv`] are not checked.
//!
//! Secrets that this crate stores are overwritten when dropped. `crypto-bigint` does not overwrite what it stores:
//! intermediate numbers of a call, and the parameters of arithmetic modulo a secret prime.
//!
//! ```
//! use tacit_crypto::Prg;
//! use tacit_he::paillier::{self, ModulusSize};
//! use tacit_he::{Natural, PublicKey, SecretKey};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut prg = Prg::from_os()?;
//! # let size = ModulusSize::insecure(256)?;
//! # #[cfg(any())]
//! let size = ModulusSize::LONG;
//! let key = paillier::SecretKey::generate(&size, &mut prg)?;
//! // Parties send bytes, and the receiver checks them.
//! let public = paillier::PublicKey::from_bytes(&size, &key.public().to_bytes())?;
//! let six = public.encrypt(&Natural::from(6u64), &mut prg)?;
//! let forty = public.multiply(&six, &Natural::from(7u64))?;
//! let sum = public.add(&forty, &six)?;
//! let sent = public.encode(&[public.rerandomise(&sum, &mut prg)?])?;
//! let received = key.public().decode(1, &sent)?;
//! assert_eq!(key.decrypt(&received[0])?.to_u64(), Some(48));
//! # Ok(())
//! # }
//! ```

pub mod bfv;
pub mod dgk;
pub mod elgamal;
mod error;
pub mod goldwasser_micali;
mod modular;
mod natural;
pub mod paillier;
mod parallel;
mod primes;
mod residues;
mod scheme;
mod size;
mod slots;
#[cfg(test)]
mod vectors;

pub use error::{HeError, KeyFault, ParameterFault};
pub use natural::Natural;
pub use parallel::{Threads, map_groups, map_secret_groups};
pub use scheme::{PublicKey, SecretKey};
pub use slots::Slots;
