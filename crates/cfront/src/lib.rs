//! tacit-cfront
