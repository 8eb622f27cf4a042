//! The language: secret arrays that record a program as Python computes with them.
//!
//! [`tracer`] and its extensions are plain Rust: kinds and their widths, shapes and views, and the operations
//! of arrays as operations of the program. `python` is the thin layer that Python sees.

mod apply;
mod arithmetic;
mod bits;
mod body;
mod division;
mod empty;
mod error;
mod field;
mod float;
mod join;
mod kind;
mod literal;
mod live;
mod loops;
mod order;
mod product;
mod python;
mod reduce;
mod room;
mod shape;
mod table;
mod tracer;
mod value;
mod window;

pub use python::register;
