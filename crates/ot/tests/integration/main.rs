//! Oblivious transfer between two parties in one thread.

mod extension;
mod faults;
mod ferret;
mod lpn;
mod reuse;
mod sparse;
mod tap;
