//! The program: one dataflow of typed word operations, whatever language it was written in.
//!
//! A [`Program`] is a set of [`Template`]s, each a list of operations in topological order; `main` is where a
//! run starts. A value is a vector of `lanes` elements of one [`Type`]. Front ends write programs with a
//! [`Builder`], where the width rules live, once; [`Program::validate`] checks a program that came from elsewhere.

mod builder;
mod program;
mod shape;
mod words;

pub use builder::{BuildError, Builder, TemplateBuilder};
pub use program::{
    BinaryOp, Body, CompareOp, Field, FieldId, Index, InputPort, Netlist, NetlistGate, Op, Operation, OutputPort,
    PortId, Program, RoleId, ScanOp, ShiftOp, Template, TemplateId, Type, UnaryOp, ValueId, ValueType,
};
pub use shape::{Column, Shape};
pub use words::Words;
