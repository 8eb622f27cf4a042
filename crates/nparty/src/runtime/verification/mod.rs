//! Verification before anything is opened, where parties may depart from the protocol.
//!
//! Parties compute as they do with passive security, and keep their shares of everything that comes from others: of inputs, and of products with their factors. An opening waits
//! until everything that this party has is verified, so that opened values, and every message that depends on them, are right. Verifications are sequential, and each covers
//! everything that has arrived since the last:
//!
//! | step | message |
//! |---|---|
//! | 0 | a party in which openings wait asks the first party to start |
//! | 1 | the first party tells all what to verify: by places in the program, since parties compute in different
//! orders |
//! | 2 and after | those of [`check`], once a party has its shares of all of that |
//!
//! The first party chooses the order. A wrong choice delays openings, and gains nothing else: all parties compare it.

pub(crate) mod check;
pub(crate) mod coefficients;
pub(crate) mod coins;
pub(crate) mod cut;
pub(crate) mod line;
pub(crate) mod records;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod verifier;
