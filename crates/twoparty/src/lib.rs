//! tacit-twoparty
