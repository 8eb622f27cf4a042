//! Proofs about programs: planted bugs are found, correct programs are proven.

mod planted;
mod programs;
mod undefined;
mod verified;
