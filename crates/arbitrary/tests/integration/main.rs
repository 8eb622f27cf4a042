//! What the program's forms and its validation promise of any program, on random ones.

mod binary;
mod text;
mod validate;
