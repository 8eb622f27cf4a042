//! Reads the body of a function: blocks and their terminators.

use super::instruction::describe_opcode;
use super::lexer::Token;
use super::module::{Block, Constant, Function, Instruction, Kind, Phi, Terminator};
use super::parser::{Parsed, Parser};
use super::scope::Scope;
use super::types::Type;
use crate::int::Int;

/// The content of one line of a block.
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
}
