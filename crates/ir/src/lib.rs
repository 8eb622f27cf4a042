//! The program: a dataflow of typed word operations, independent of its source language.
//!
//! A [`Program`] is a set of [`Template`]s, each a list of operations in topological order; a run starts in
//! `main`. A value is a vector of `lanes` elements of one [`Type`]. Front ends write programs with a
//! [`Builder`], which enforces the width rules; [`Program::validate`] checks a program from elsewhere.
//! [`interpret`] runs a program in the clear and is the reference that every back end is tested against.
//!
//! Two millionaires learn which of them is richer:
//!
//! ```
//! use tacit_ir::{Builder, Shape, Words, interpret};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut program = Builder::new("millionaires");
//! let (alice, bob) = (program.role("A"), program.role("B"));
//! let money = Shape::Integer { bits: 32, signed: false };
//! let alices = program.input("mil", alice, money.clone())?;
//! let bobs = program.input("mil", bob, money)?;
//! let richer = program.output("bob_is_richer", vec![alice, bob], Shape::Integer { bits: 1, signed: false })?;
//!
//! let mut main = program.template("main", vec![]);
//! let a = main.input(&program, alices)?[0];
//! let b = main.input(&program, bobs)?[0];
//! let less = main.lt_u(a, b)?;
//! main.output(&program, richer, &[less])?;
//! let program = program.finish(main)?;
//!
//! let inputs = [vec![Words::scalar(32, 5)], vec![Words::scalar(32, 7)]];
//! assert_eq!(interpret(&program, &inputs, || 0)?, [[Words::scalar(1, 1)]]);
//! # Ok(())
//! # }
//! ```

mod binary;
mod builder;
pub mod data;
mod domain;
mod field;
mod index;
mod interpret;
mod op;
mod operands;
mod program;
mod shape;
mod tally;
mod text;
mod types;
mod typing;
mod validate;
mod words;
mod work;

pub use binary::DecodeError;
pub use builder::{BuildError, Builder, TemplateBuilder};
pub use domain::Domain;
pub use index::{index_bits, lookup_position};
pub use interpret::{InterpretError, Interpreter, interpret};
pub use op::{BinaryOp, CompareOp, Index, Op, Operation, ScanOp, ShiftOp, UnaryOp};
pub use program::{Body, InputPort, Netlist, NetlistGate, OutputPort, Program, STORED_ROLE, Template};
pub use shape::{Column, MAX_SHAPE_DEPTH, Shape};
pub use tally::OperationCount;
pub use text::ParseError;
pub use types::{
    Field, FieldId, MAX_LANES, MAX_VALUE_BITS, MAX_WIDTH, PortId, RoleId, TemplateId, Type, ValueId,
    ValueType,
};
pub use validate::{MAX_NAME, MAX_TEMPLATE_DEPTH, ValidateError};
pub use words::Words;
pub use work::MAX_WORK;
