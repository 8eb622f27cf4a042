//! Reading instructions.

use super::constant::{cast_kind, scale};
use super::lexer::Token;
use super::module::{Cast, Constant, Kind, Operand, Predicate};
use super::parser::{Parsed, Parser};
use super::types::Type;
use crate::float::{FloatOp, Relation};
use crate::int::{Int, IntOp};

impl Parser<'_, '_> {
    pub(super) fn kind(&mut self, opcode: &str) -> Parsed<Kind> {
        if let Some(op) = binary_op(opcode) {
            return self.binary(op);
        }
        if let Some(op) = float_op(opcode) {
            return self.float_binary(op);
        }
        if let Some(cast) = cast_kind(opcode).or_else(|| float_cast(opcode)) {
            self.skip_attributes();
            let (_, value) = self.typed_operand()?;
            if !self.accept_word("to") {
                return self.fail("expected `to`");
            }
            return Ok(Kind::Cast(cast, self.ty()?, value));
        }
        match opcode {
            "icmp" => self.compare(),
            "fcmp" => self.float_compare(),
            "fneg" => {
                self.skip_attributes();
                match self.typed_operand()? {
                    (Type::Float(bits), value) => {
                        let sign = Int::new(bits, 1 << (bits - 1));
                        Ok(Kind::Binary(IntOp::Xor, value, Operand::Constant(Constant::Int(sign).into())))
                    }
                    (ty, _) => Ok(Kind::Unsupported(format!("arithmetic on {}", ty.describe()))),
                }
            }
            "select" => {
                self.skip_attributes();
                let (_, condition) = self.typed_operand()?;
                self.mark(b',')?;
                let (_, yes) = self.typed_operand()?;
                self.mark(b',')?;
                let (_, no) = self.typed_operand()?;
                Ok(Kind::Select(condition, yes, no))
            }
            "freeze" => {
                let (ty, value) = self.typed_operand()?;
                Ok(Kind::Freeze(ty, value))
            }
            "alloca" => self.alloca(),
            "load" => self.load(),
            "store" => self.store(),
            "getelementptr" => self.address(),
            "tail" | "musttail" | "notail" => {
                self.next();
                self.call()
            }
            "call" => self.call(),
            "extractvalue" => {
                let (_, aggregate) = self.typed_operand()?;
                Ok(Kind::Extract(aggregate, self.path()?))
            }
            "insertvalue" => {
                let (_, aggregate) = self.typed_operand()?;
                self.mark(b',')?;
                let (_, value) = self.typed_operand()?;
                Ok(Kind::Insert { aggregate, value, path: self.path()? })
            }
            "fence" => Ok(Kind::Nothing),
            "dbg_declare" => self.declare(),
            "dbg_value" | "dbg_assign" | "dbg_label" => Ok(Kind::Nothing),
            _ => Ok(Kind::Unsupported(describe_opcode(opcode))),
        }
    }

    fn binary(&mut self, op: IntOp) -> Parsed<Kind> {
        self.skip_attributes();
        let (ty, left) = self.typed_operand()?;
        self.mark(b',')?;
        let right = self.operand(&ty)?;
        match ty {
            Type::Int(_) => Ok(Kind::Binary(op, left, right)),
            _ => Ok(Kind::Unsupported(format!("arithmetic on {}", ty.describe()))),
        }
    }

    fn float_binary(&mut self, op: FloatOp) -> Parsed<Kind> {
        self.skip_attributes();
        let (ty, left) = self.typed_operand()?;
        self.mark(b',')?;
        let right = self.operand(&ty)?;
        match ty {
            Type::Float(_) => Ok(Kind::Float(op, left, right)),
            _ => Ok(Kind::Unsupported(format!("arithmetic on {}", ty.describe()))),
        }
    }

    fn float_compare(&mut self) -> Parsed<Kind> {
        let relation = loop {
            match self.next() {
                Token::Word(word) if let Some(relation) = relation(word) => break relation,
                Token::Word(_) => {}
                _ => return self.fail("expected a comparison"),
            }
        };
        let (ty, left) = self.typed_operand()?;
        self.mark(b',')?;
        let right = self.operand(&ty)?;
        match ty {
            Type::Float(_) => Ok(Kind::FloatCompare(relation, left, right)),
            _ => Ok(Kind::Unsupported(format!("a comparison of {}", ty.describe()))),
        }
    }

    fn compare(&mut self) -> Parsed<Kind> {
        self.accept_word("samesign");
        let predicate = match self.next() {
            Token::Word("eq") => Predicate::Equal,
            Token::Word("ne") => Predicate::NotEqual,
            Token::Word("ult") => Predicate::LessUnsigned,
            Token::Word("slt") => Predicate::LessSigned,
            Token::Word("ule") => Predicate::LessEqualUnsigned,
            Token::Word("sle") => Predicate::LessEqualSigned,
            Token::Word("ugt") => Predicate::GreaterUnsigned,
            Token::Word("sgt") => Predicate::GreaterSigned,
            Token::Word("uge") => Predicate::GreaterEqualUnsigned,
            Token::Word("sge") => Predicate::GreaterEqualSigned,
            _ => return self.fail("expected a comparison"),
        };
        let (ty, left) = self.typed_operand()?;
        self.mark(b',')?;
        let right = self.operand(&ty)?;
        Ok(Kind::Compare(predicate, left, right))
    }

    fn alloca(&mut self) -> Parsed<Kind> {
        self.accept_word("inalloca");
        let ty = self.ty()?;
        let mut count = Operand::Constant(Constant::Int(Int::new(64, 1)).into());
        if self.accept_mark(b',') && self.is_type() {
            count = self.typed_operand()?.1;
        }
        Ok(Kind::Alloca { ty, count })
    }

    fn load(&mut self) -> Parsed<Kind> {
        if let Some(kind) = self.special_access() {
            return Ok(kind);
        }
        let ty = self.ty()?;
        self.mark(b',')?;
        let (_, address) = self.typed_operand()?;
        Ok(Kind::Load(ty, address))
    }

    fn store(&mut self) -> Parsed<Kind> {
        if let Some(kind) = self.special_access() {
            return Ok(kind);
        }
        let (ty, value) = self.typed_operand()?;
        self.mark(b',')?;
        let (_, address) = self.typed_operand()?;
        Ok(Kind::Store { ty, value, address })
    }

    fn special_access(&mut self) -> Option<Kind> {
        match self.peek() {
            Token::Word("volatile") => Some(Kind::Unsupported("an access to a `volatile` object".into())),
            Token::Word("atomic") => Some(Kind::Unsupported("an atomic access".into())),
            _ => None,
        }
    }

    fn address(&mut self) -> Parsed<Kind> {
        let inbounds = self.address_flags();
        let source = self.ty()?;
        self.mark(b',')?;
        let (_, base) = self.typed_operand()?;
        let mut indices = Vec::new();
        while self.accept_mark(b',') {
            if !self.is_type() {
                break;
            }
            indices.push(self.typed_operand()?.1);
        }
        match scale(&source, indices, self.module.machine) {
            Some((constant, terms)) => Ok(Kind::Address { base, constant, terms, inbounds }),
            None => Ok(Kind::Unsupported("this address".into())),
        }
    }

    fn path(&mut self) -> Parsed<Vec<u32>> {
        let mut path = Vec::new();
        while self.accept_mark(b',') {
            match self.peek() {
                Token::Number(_) => path.push(self.number()?),
                _ => break,
            }
        }
        Ok(path)
    }

    fn call(&mut self) -> Parsed<Kind> {
        self.skip_attributes();
        let mut result = self.ty()?;
        if let Type::Function(signature) = &result {
            result = signature.result.clone();
        }
        if self.accept_word("asm") {
            return self.assembly(result);
        }
        if let Token::Global(name) = self.peek()
            && name.starts_with("llvm.dbg.")
        {
            return self.debug_call();
        }
        let callee = self.operand(&Type::Pointer)?;
        let arguments = self.arguments()?;
        Ok(Kind::Call { callee, result, arguments })
    }

    /// Inline assembly, after the keyword. An empty one, which hides the origin of a value from the compiler,
    /// gives its operand or nothing.
    fn assembly(&mut self, result: Type) -> Parsed<Kind> {
        let unsupported = Ok(Kind::Unsupported("inline assembly".into()));
        while let Token::Word(_) = self.peek() {
            self.next();
        }
        let Token::Text(template) = self.next() else { return unsupported };
        let (true, Token::Text(constraints)) = (self.accept_mark(b','), self.next()) else {
            return unsupported;
        };
        if !template.is_empty() {
            return unsupported;
        }
        let constraints = String::from_utf8_lossy(&constraints).into_owned();
        let constraints: Vec<&str> = constraints.split(',').collect();
        match (result, &constraints[..]) {
            (Type::Void, _) => Ok(Kind::Nothing),
            (result, [_, "0", ..]) => match &self.arguments()?[..] {
                [(_, operand), ..] => Ok(Kind::Cast(Cast::Bits, result, operand.clone())),
                [] => unsupported,
            },
            _ => unsupported,
        }
    }

    fn arguments(&mut self) -> Parsed<Vec<(Type, Operand)>> {
        self.mark(b'(')?;
        let mut arguments = Vec::new();
        while !self.accept_mark(b')') {
            let ty = self.ty()?;
            if matches!(&ty, Type::Other(name) if name.as_ref() == "metadata") {
                self.skip_metadata_argument();
            } else {
                self.skip_argument_attributes();
                let operand = self.operand(&ty)?;
                arguments.push((ty, operand));
            }
            self.accept_mark(b',');
        }
        Ok(arguments)
    }

    fn skip_argument_attributes(&mut self) {
        loop {
            match self.peek() {
                Token::Word("align") => {
                    self.next();
                    self.next();
                }
                Token::Word(word) if is_attribute(word) => {
                    self.next();
                    if *self.peek() == Token::Mark(b'(') {
                        self.skip_group();
                    }
                }
                Token::Text(_) if matches!(self.peek_second(), Token::Mark(b'=')) => {
                    (0..3).for_each(|_| drop(self.next()));
                }
                _ => return,
            }
        }
    }

    fn skip_metadata_argument(&mut self) {
        while !matches!(self.peek(), Token::Mark(b',' | b')') | Token::End) {
            self.next();
            if let Token::Mark(b'(' | b'{') = self.peek() {
                self.skip_group();
            }
        }
    }

    /// `#dbg_declare(ptr %x, !12, !DIExpression(), !13)`
    fn declare(&mut self) -> Parsed<Kind> {
        self.mark(b'(')?;
        self.declared_variable()
    }

    /// `@llvm.dbg.declare(metadata ptr %x, metadata !12, metadata !DIExpression())`
    fn debug_call(&mut self) -> Parsed<Kind> {
        let declare = self.next() == Token::Global("llvm.dbg.declare".into());
        self.mark(b'(')?;
        if declare { self.declared_variable() } else { Ok(Kind::Nothing) }
    }

    fn declared_variable(&mut self) -> Parsed<Kind> {
        self.accept_word("metadata");
        let (_, address) = self.typed_operand()?;
        self.mark(b',')?;
        self.accept_word("metadata");
        match self.next() {
            Token::Metadata(number) => Ok(Kind::Declare { address, variable: self.metadata_number(number) }),
            _ => self.fail("expected a variable"),
        }
    }
}

fn binary_op(opcode: &str) -> Option<IntOp> {
    Some(match opcode {
        "add" => IntOp::Add,
        "sub" => IntOp::Sub,
        "mul" => IntOp::Mul,
        "udiv" => IntOp::DivU,
        "sdiv" => IntOp::DivS,
        "urem" => IntOp::RemU,
        "srem" => IntOp::RemS,
        "and" => IntOp::And,
        "or" => IntOp::Or,
        "xor" => IntOp::Xor,
        "shl" => IntOp::ShiftLeft,
        "lshr" => IntOp::ShiftRightU,
        "ashr" => IntOp::ShiftRightS,
        _ => return None,
    })
}

fn float_op(opcode: &str) -> Option<FloatOp> {
    Some(match opcode {
        "fadd" => FloatOp::Add,
        "fsub" => FloatOp::Subtract,
        "fmul" => FloatOp::Multiply,
        "fdiv" => FloatOp::Divide,
        _ => return None,
    })
}

fn float_cast(opcode: &str) -> Option<Cast> {
    Some(match opcode {
        "fpext" | "fptrunc" => Cast::FloatToFloat,
        "fptosi" | "fptoui" => Cast::FloatToInt,
        "sitofp" => Cast::SignedToFloat,
        "uitofp" => Cast::UnsignedToFloat,
        _ => return None,
    })
}

/// The relations of `oeq`, `une` and so on.
fn relation(word: &str) -> Option<Relation> {
    let (unordered, rest) = match word {
        "ord" => (false, "gel"),
        "uno" => (true, ""),
        _ => (word.strip_prefix('u').is_some(), word.strip_prefix(['o', 'u'])?),
    };
    let (less, equal, greater) = match rest {
        "" => (false, false, false),
        "gel" => (true, true, true),
        "eq" => (false, true, false),
        "ne" => (true, false, true),
        "gt" => (false, false, true),
        "ge" => (false, true, true),
        "lt" => (true, false, false),
        "le" => (true, true, false),
        _ => return None,
    };
    Some(Relation { less, equal, greater, unordered })
}

/// Words that may occur between an argument's type and its value.
fn is_attribute(word: &str) -> bool {
    let value =
        ["true", "false", "null", "undef", "poison", "zeroinitializer", "none", "getelementptr", "asm"];
    !value.contains(&word) && cast_kind(word).is_none() && binary_op(word).is_none()
}

pub(super) fn describe_opcode(opcode: &str) -> String {
    match opcode {
        "fadd" | "fsub" | "fmul" | "fdiv" | "frem" | "fneg" | "fcmp" | "fptrunc" | "fpext" | "fptoui"
        | "fptosi" | "uitofp" | "sitofp" => "floating-point arithmetic".into(),
        "extractelement" | "insertelement" | "shufflevector" => "a vector operation".into(),
        "cmpxchg" | "atomicrmw" => "an atomic operation".into(),
        "va_arg" => "a variable argument list".into(),
        _ => format!("the instruction `{opcode}`"),
    }
}
