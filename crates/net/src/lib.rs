//! tacit-net
