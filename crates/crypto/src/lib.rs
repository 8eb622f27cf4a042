//! tacit-crypto
