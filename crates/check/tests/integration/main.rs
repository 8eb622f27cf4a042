//! Proofs about programs: what was planted is found, what is right is proven.

mod planted;
mod programs;
mod undefined;
mod verified;
