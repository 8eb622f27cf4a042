//! tacit-math
