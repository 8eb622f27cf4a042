//! Verification before anything is opened, where parties may depart from the protocol.
//!
//! Parties compute as they do where all follow the protocol, and keep their shares of what comes from others: of inputs, and of products with what these are of. An opening waits
//! until all that this party has is verified, so that what is opened, and whatever a message then depends on, is right. Verifications follow one another, each of all that has come
//! since the last:
//!
//! | step | message |
//! |---|---|
//! | 0 | a party in which openings wait tells the first party |
//! | 1 | the first party tells all what to verify: places in the program, since parties compute in different orders |
//! | 2 and after | what [`check`] says, once a party has its shares of all of that |
//!
//! The order is the first party's choice. A wrong choice keeps openings waiting, and gains nothing else: all parties compare it.

pub(crate) mod check;
pub(crate) mod coefficients;
pub(crate) mod coins;
pub(crate) mod cut;
pub(crate) mod line;
pub(crate) mod records;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod verifier;
