//! What is measured across crates; each bench is an example that prints its rows as JSON, one a line.
