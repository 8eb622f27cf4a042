//! tacit-plan
