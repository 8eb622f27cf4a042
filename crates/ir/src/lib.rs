//! The program: one dataflow of typed word operations, whatever language it was written in.
//!
//! A [`Program`] is a set of [`Template`]s, each a list of operations in topological order; `main` is where a
//! run starts. A value is a vector of `lanes` elements of one [`Type`]. Front ends write programs with a
//! [`Builder`], where the width rules live, once; [`Program::validate`] checks a program that came from elsewhere.

mod builder;
mod field;
mod index;
mod op;
mod operands;
mod program;
mod shape;
mod template_builder;
mod types;
mod typing;
mod validate;
mod words;
mod work;

pub use builder::{BuildError, Builder};
pub use index::{index_bits, lookup_position};
pub use op::{BinaryOp, CompareOp, Index, Op, Operation, ScanOp, ShiftOp, UnaryOp};
pub use program::{Body, InputPort, Netlist, NetlistGate, OutputPort, Program, Template};
pub use shape::{Column, MAX_SHAPE_DEPTH, Shape};
pub use template_builder::TemplateBuilder;
pub use types::{
    Field, FieldId, MAX_LANES, MAX_VALUE_BITS, MAX_WIDTH, PortId, RoleId, TemplateId, Type, ValueId,
    ValueType,
};
pub use validate::{MAX_NAME, ValidateError};
pub use words::Words;
pub use work::MAX_WORK;
