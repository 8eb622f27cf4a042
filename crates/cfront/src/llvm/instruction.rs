//! Reading the body of a function.

use std::collections::HashMap;

use super::constant::{cast_kind, scale};
use super::lexer::Token;
use super::module::{Block, Constant, Function, Instruction, Kind, Operand, Phi, Predicate, Terminator};
use super::parser::{Parsed, Parser};
use super::types::Type;
use crate::int::{Int, IntOp};

/// The names of the function being read.
#[derive(Default)]
pub(super) struct Scope {
    registers: HashMap<String, u32>,
    blocks: HashMap<String, u32>,
}

impl Scope {
    fn number(names: &mut HashMap<String, u32>, name: &str) -> u32 {
        let next = names.len() as u32;
        *names.entry(name.to_string()).or_insert(next)
    }
}

/// What one line of a block holds.
enum Line {
    Phi(Phi),
    Instruction(Instruction),
    End(Terminator, Option<u32>),
}

impl<'a> Parser<'a, '_> {
    pub(super) fn register(&mut self, name: &str) -> u32 {
        Scope::number(&mut self.scope.registers, name)
    }

    fn block(&mut self, name: &str) -> u32 {
        Scope::number(&mut self.scope.blocks, name)
    }

    /// The blocks of a function up to its closing brace; `parameters` are their names.
    pub(super) fn body(&mut self, function: &mut Function, parameters: Vec<String>) -> Parsed<()> {
        self.scope = Scope::default();
        let unnamed = parameters.iter().filter(|name| name.bytes().all(|byte| byte.is_ascii_digit())).count();
        for (parameter, name) in function.parameters.iter_mut().zip(&parameters) {
            parameter.register = self.register(name);
        }
        let mut order = Vec::new();
        while !self.accept_mark(b'}') {
            let label = self.label().unwrap_or_else(|| unnamed.to_string());
            order.push((self.block(&label), self.block_body()?));
        }
        let entry = order.first().map(|(number, _)| *number);
        let mut blocks: Vec<Option<Block>> = Vec::new();
        blocks.resize_with(self.scope.blocks.len(), || None);
        for (number, block) in order {
            blocks[number as usize] = Some(block);
        }
        let known = blocks.iter().all(Option::is_some);
        if entry != Some(0) || !known {
            return self.fail(format!("the blocks of @{} are not understood", function.name));
        }
        function.blocks = blocks.into_iter().flatten().collect();
        function.registers = self.scope.registers.len() as u32;
        function.names = vec![String::new(); self.scope.registers.len()];
        for (name, register) in std::mem::take(&mut self.scope.registers) {
            function.names[register as usize] = name;
        }
        Ok(())
    }

    fn label(&mut self) -> Option<String> {
        let name = match self.peek() {
            Token::Word(word) | Token::Number(word) | Token::Float(word) => word.to_string(),
            Token::Text(text) => String::from_utf8_lossy(text).into_owned(),
            _ => return None,
        };
        if !matches!(self.peek_second(), Token::Mark(b':')) {
            return None;
        }
        self.next();
        self.next();
        Some(name)
    }

    fn block_body(&mut self) -> Parsed<Block> {
        let mut block = Block::default();
        loop {
            match self.instruction_line()? {
                Line::Phi(phi) => block.phis.push(phi),
                Line::Instruction(instruction) => block.instructions.push(instruction),
                Line::End(terminator, debug) => {
                    (block.terminator, block.debug) = (terminator, debug);
                    return Ok(block);
                }
            }
        }
    }

    fn instruction_line(&mut self) -> Parsed<Line> {
        if self.at_end() {
            return self.fail("expected an instruction");
        }
        let start = self.line();
        let result = match (self.peek(), self.peek_second()) {
            (Token::Local(name), Token::Mark(b'=')) => {
                let name = name.to_string();
                self.next();
                self.next();
                Some(self.register(&name))
            }
            _ => None,
        };
        let opcode = match self.next() {
            Token::Word(word) => word,
            Token::Hash(word) => word,
            _ => return self.fail("expected an instruction"),
        };
        if opcode == "phi" {
            return self.phi(start, result.unwrap_or_default());
        }
        if let Some(terminator) = self.terminator(opcode)? {
            let debug = self.trailing_debug(self.last_line());
            return Ok(Line::End(terminator, debug));
        }
        let kind = match self.kind(opcode) {
            Ok(kind) => kind,
            Err(_) => Kind::Unsupported(describe_opcode(opcode)),
        };
        let debug = self.trailing_debug(start);
        Ok(Line::Instruction(Instruction { result, kind, debug }))
    }

    fn phi(&mut self, line: u32, result: u32) -> Parsed<Line> {
        while let Token::Word("nnan" | "ninf" | "nsz" | "arcp" | "contract" | "afn" | "reassoc" | "fast") =
            self.peek()
        {
            self.next();
        }
        let ty = self.ty()?;
        let mut incoming = Vec::new();
        while self.accept_mark(b'[') {
            let value = self.operand(&ty)?;
            self.mark(b',')?;
            let block = self.target_name()?;
            self.mark(b']')?;
            incoming.push((value, block));
            self.accept_mark(b',');
        }
        self.trailing_debug(line);
        Ok(Line::Phi(Phi { result, incoming }))
    }

    fn target_name(&mut self) -> Parsed<u32> {
        match self.next() {
            Token::Local(name) => Ok(self.block(&name)),
            _ => self.fail("expected a block"),
        }
    }

    /// `label %name`
    fn target(&mut self) -> Parsed<u32> {
        if !self.accept_word("label") {
            return self.fail("expected `label`");
        }
        self.target_name()
    }

    fn terminator(&mut self, opcode: &str) -> Parsed<Option<Terminator>> {
        Ok(Some(match opcode {
            "ret" => {
                let ty = self.ty()?;
                Terminator::Return(if ty == Type::Void { None } else { Some(self.operand(&ty)?) })
            }
            "br" if matches!(self.peek(), Token::Word("label")) => Terminator::Jump(self.target()?),
            "br" => {
                let (_, condition) = self.typed_operand()?;
                self.mark(b',')?;
                let yes = self.target()?;
                self.mark(b',')?;
                Terminator::Branch { condition, yes, no: self.target()? }
            }
            "switch" => self.switch()?,
            "unreachable" => Terminator::Unreachable,
            "indirectbr" | "callbr" => Terminator::Unsupported("a computed `goto`".into()),
            "invoke" | "resume" | "cleanupret" | "catchret" | "catchswitch" => {
                let line = self.line();
                if opcode == "invoke" {
                    self.skip_to_line_after(line);
                }
                Terminator::Unsupported("exception handling".into())
            }
            _ => return Ok(None),
        }))
    }

    fn switch(&mut self) -> Parsed<Terminator> {
        let (ty, value) = self.typed_operand()?;
        self.mark(b',')?;
        let default = self.target()?;
        self.mark(b'[')?;
        let mut cases: Vec<(Int, u32)> = Vec::new();
        while !self.accept_mark(b']') {
            let case_type = self.ty()?;
            let Constant::Int(case) = self.constant(&case_type)? else {
                return self.fail("expected an integer");
            };
            self.mark(b',')?;
            cases.push((case, self.target()?));
        }
        match ty {
            Type::Int(_) => Ok(Terminator::Switch { value, default, cases }),
            _ => self.fail("expected an integer to switch on"),
        }
    }

    fn kind(&mut self, opcode: &str) -> Parsed<Kind> {
        if let Some(op) = binary_op(opcode) {
            return self.binary(op);
        }
        if let Some(cast) = cast_kind(opcode) {
            self.skip_attributes();
            let (_, value) = self.typed_operand()?;
            if !self.accept_word("to") {
                return self.fail("expected `to`");
            }
            return Ok(Kind::Cast(cast, self.ty()?, value));
        }
        match opcode {
            "icmp" => self.compare(),
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
        self.skip_address_flags();
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
        match scale(&source, indices) {
            Some((constant, terms)) => Ok(Kind::Address { base, constant, terms }),
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
        if let Token::Word("asm") = self.peek() {
            return Ok(Kind::Unsupported("inline assembly".into()));
        }
        if let Token::Global(name) = self.peek()
            && name.starts_with("llvm.dbg.")
        {
            return self.debug_call();
        }
        let callee = self.operand(&Type::Pointer)?;
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
        Ok(Kind::Call { callee, result, arguments })
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

/// Words that may stand between an argument's type and its value.
fn is_attribute(word: &str) -> bool {
    let value =
        ["true", "false", "null", "undef", "poison", "zeroinitializer", "none", "getelementptr", "asm"];
    !value.contains(&word) && cast_kind(word).is_none() && binary_op(word).is_none()
}

fn describe_opcode(opcode: &str) -> String {
    match opcode {
        "fadd" | "fsub" | "fmul" | "fdiv" | "frem" | "fneg" | "fcmp" | "fptrunc" | "fpext" | "fptoui"
        | "fptosi" | "uitofp" | "sitofp" => "floating-point arithmetic".into(),
        "extractelement" | "insertelement" | "shufflevector" => "a vector operation".into(),
        "cmpxchg" | "atomicrmw" => "an atomic operation".into(),
        "va_arg" => "a variable argument list".into(),
        _ => format!("the instruction `{opcode}`"),
    }
}
