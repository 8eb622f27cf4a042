//! tacit-lower
