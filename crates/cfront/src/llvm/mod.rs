//! LLVM IR: the part of the language that clang emits for C, its text parser and its data layout.

mod body;
mod constant;
mod debug_parser;
mod instruction;
mod lexer;
mod metadata;
mod module;
mod parser;
mod scope;
mod type_parser;
mod types;

pub(crate) use metadata::{Field, Metadata, Node};
pub(crate) use module::{
    Block, Cast, Constant, Expression, Function, Global, Instruction, Kind, Module, Operand, Predicate,
    Register, Symbol, SymbolId, Terminator,
};
pub(crate) use parser::parse;
pub(crate) use types::{Machine, Type};
