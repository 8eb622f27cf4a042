use std::collections::HashMap;
use std::rc::Rc;

use super::{Machine, Metadata, Type};
use crate::float::{FloatOp, Relation};
use crate::int::{Int, IntOp};

/// One or several linked translation units: names of external linkage are shared.
#[derive(Debug, Default)]
pub(crate) struct Module {
    symbols: Vec<Symbol>,
    names: HashMap<(u32, Rc<str>), SymbolId>,
    pub machine: Machine,
    /// Functions that run before the main one, with their priorities, in order of appearance.
    pub constructors: Vec<(u64, SymbolId)>,
    pub metadata: Metadata,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SymbolId(pub u32);

/// A name and its definition.
#[derive(Debug)]
pub(crate) enum Symbol {
    /// Declared or used, but defined nowhere.
    External(Rc<str>),
    Global(Global),
    Function(Rc<Function>),
    /// Another name of a symbol.
    Alias(Constant),
}

#[derive(Debug)]
pub(crate) struct Global {
    pub name: Rc<str>,
    pub ty: Type,
    pub initializer: Constant,
    /// Whether it never changes: a string literal, or an object that C declares `const`.
    pub constant: bool,
    /// `!DIGlobalVariableExpression`.
    pub debug: Option<u32>,
}

#[derive(Debug, Default)]
pub(crate) struct Function {
    pub name: Rc<str>,
    pub result: Type,
    pub parameters: Vec<Parameter>,
    pub blocks: Vec<Block>,
    pub registers: u32,
    /// The registers' names.
    pub names: Vec<String>,
    /// `!DISubprogram`.
    pub debug: Option<u32>,
    pub variadic: bool,
}

pub(crate) type Register = u32;

#[derive(Debug)]
pub(crate) struct Parameter {
    pub register: Register,
    pub ty: Type,
    /// The caller passes the address of a copy of this type.
    pub by_value: Option<Type>,
    /// The caller passes the address for the result, of this type.
    pub result: Option<Type>,
}

#[derive(Debug, Default)]
pub(crate) struct Block {
    pub phis: Vec<Phi>,
    pub instructions: Vec<Instruction>,
    pub terminator: Terminator,
    /// `!DILocation` of the terminator.
    pub debug: Option<u32>,
}

#[derive(Debug)]
pub(crate) struct Phi {
    pub result: Register,
    /// Value for each predecessor.
    pub incoming: Vec<(Operand, u32)>,
}

#[derive(Debug, Default)]
pub(crate) enum Terminator {
    #[default]
    Unreachable,
    Return(Option<Operand>),
    Jump(u32),
    Branch {
        condition: Operand,
        yes: u32,
        no: u32,
    },
    Switch {
        value: Operand,
        default: u32,
        cases: Vec<(Int, u32)>,
    },
    Unsupported(String),
}

#[derive(Debug)]
pub(crate) struct Instruction {
    pub result: Option<Register>,
    pub kind: Kind,
    /// `!DILocation`.
    pub debug: Option<u32>,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Binary(IntOp, Operand, Operand),
    Compare(Predicate, Operand, Operand),
    Float(FloatOp, Operand, Operand),
    FloatCompare(Relation, Operand, Operand),
    Cast(Cast, Type, Operand),
    Select(Operand, Operand, Operand),
    Freeze(Type, Operand),
    Alloca {
        ty: Type,
        count: Operand,
    },
    Load(Type, Operand),
    Store {
        ty: Type,
        value: Operand,
        address: Operand,
    },
    /// `base + constant + Σ index · stride`, in bytes; indices are signed.
    Address {
        base: Operand,
        constant: i64,
        terms: Vec<(Operand, i64)>,
        /// Whether the address must lie within the object of the base, or at its end.
        inbounds: bool,
    },
    Call {
        callee: Operand,
        result: Type,
        arguments: Vec<(Type, Operand)>,
    },
    Extract(Operand, Vec<u32>),
    Insert {
        aggregate: Operand,
        value: Operand,
        path: Vec<u32>,
    },
    /// The variable (`!DILocalVariable`) that an address belongs to.
    Declare {
        address: Operand,
        variable: u32,
    },
    /// No effect here.
    Nothing,
    Unsupported(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cast {
    Truncate,
    ZeroExtend,
    SignExtend,
    PointerToInt,
    IntToPointer,
    FloatToFloat,
    FloatToInt,
    SignedToFloat,
    UnsignedToFloat,
    /// Between types of the same size.
    Bits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Predicate {
    Equal,
    NotEqual,
    LessUnsigned,
    LessSigned,
    LessEqualUnsigned,
    LessEqualSigned,
    GreaterUnsigned,
    GreaterSigned,
    GreaterEqualUnsigned,
    GreaterEqualSigned,
}

#[derive(Clone, Debug)]
pub(crate) enum Operand {
    Register(Register),
    Constant(Rc<Constant>),
}

#[derive(Clone, Debug)]
pub(crate) enum Constant {
    Int(Int),
    Null,
    /// `undef` and `poison`.
    Undefined,
    Zero(Type),
    Symbol(SymbolId),
    Aggregate(Vec<Constant>),
    Bytes(Vec<u8>),
    Expression(Box<Expression>),
    Unsupported(String),
}

/// A constant that is computed from others.
#[derive(Clone, Debug)]
pub(crate) enum Expression {
    Address { base: Constant, constant: i64 },
    Cast(Cast, Type, Constant),
    Binary(IntOp, Constant, Constant),
}

impl Module {
    /// The symbol of a name; `scope` is 0 for external linkage, else the number of a translation unit.
    pub(super) fn symbol_id(&mut self, scope: u32, name: &str) -> SymbolId {
        let name: Rc<str> = name.into();
        let next = SymbolId(self.symbols.len() as u32);
        let id = *self.names.entry((scope, name.clone())).or_insert(next);
        if id == next {
            self.symbols.push(Symbol::External(name));
        }
        id
    }

    pub(super) fn define(&mut self, id: SymbolId, symbol: Symbol) {
        self.symbols[id.0 as usize] = symbol;
    }

    pub(crate) fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.0 as usize]
    }

    /// All symbols in order of first appearance.
    pub(crate) fn symbols(&self) -> impl Iterator<Item = (SymbolId, &Symbol)> {
        self.symbols.iter().enumerate().map(|(index, symbol)| (SymbolId(index as u32), symbol))
    }

    /// The functions with a body.
    pub(crate) fn functions(&self) -> impl Iterator<Item = (SymbolId, &Rc<Function>)> {
        self.symbols().filter_map(|(id, symbol)| match symbol {
            Symbol::Function(function) => Some((id, function)),
            _ => None,
        })
    }

    /// The symbol of external linkage with this name.
    pub(crate) fn find(&self, name: &str) -> Option<SymbolId> {
        self.names.get(&(0, name.into())).copied()
    }
}

impl Terminator {
    /// The blocks that may follow.
    pub(crate) fn successors(&self) -> Vec<u32> {
        match self {
            Terminator::Jump(target) => vec![*target],
            Terminator::Branch { yes, no, .. } => vec![*yes, *no],
            Terminator::Switch { default, cases, .. } => {
                cases.iter().map(|(_, target)| *target).chain([*default]).collect()
            }
            Terminator::Unreachable | Terminator::Return(_) | Terminator::Unsupported(_) => Vec::new(),
        }
    }

    pub(crate) fn for_each_operand(&self, mut visit: impl FnMut(&Operand)) {
        match self {
            Terminator::Return(Some(value)) => visit(value),
            Terminator::Branch { condition, .. } => visit(condition),
            Terminator::Switch { value, .. } => visit(value),
            Terminator::Return(None) | Terminator::Jump(_) => {}
            Terminator::Unreachable | Terminator::Unsupported(_) => {}
        }
    }
}

impl Instruction {
    /// Calls `visit` for each operand that the instruction reads.
    pub(crate) fn for_each_operand(&self, mut visit: impl FnMut(&Operand)) {
        match &self.kind {
            Kind::Binary(_, a, b)
            | Kind::Compare(_, a, b)
            | Kind::Float(_, a, b)
            | Kind::FloatCompare(_, a, b) => [a, b].into_iter().for_each(visit),
            Kind::Cast(_, _, value)
            | Kind::Freeze(_, value)
            | Kind::Load(_, value)
            | Kind::Extract(value, _) => {
                visit(value);
            }
            Kind::Alloca { count, .. } => visit(count),
            Kind::Select(a, b, c) => [a, b, c].into_iter().for_each(visit),
            Kind::Store { value, address, .. } => [value, address].into_iter().for_each(visit),
            Kind::Address { base, terms, .. } => {
                visit(base);
                terms.iter().for_each(|(term, _)| visit(term));
            }
            Kind::Call { callee, arguments, .. } => {
                visit(callee);
                arguments.iter().for_each(|(_, argument)| visit(argument));
            }
            Kind::Insert { aggregate, value, .. } => [aggregate, value].into_iter().for_each(visit),
            // A declaration names an address but does not read it.
            Kind::Declare { .. } | Kind::Nothing | Kind::Unsupported(_) => {}
        }
    }
}
