use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::lexer::{Token, tokens};
use super::module::{Constant, Function, Global, Module, Parameter, Symbol, SymbolId};
use super::scope::Scope;
use super::types::{Machine, Type};
use crate::CError;

/// Maximum nesting of types, so that reading them cannot exhaust the stack.
pub(super) const MAX_NESTING: u32 = 200;

/// Reads the translation unit `unit` (counted from 1) from LLVM's text form into `module`.
///
/// # Errors
/// [`CError::Parse`] if the text cannot be parsed. Unknown instructions are kept as unsupported ones, so that
/// only a program that executes them fails.
pub(crate) fn parse(module: &mut Module, unit: u32, text: &str) -> Result<(), CError> {
    let metadata_base = module.metadata.next_number();
    let mut parser = Parser {
        tokens: tokens(text),
        position: 0,
        module,
        types: HashMap::new(),
        internal: internal_names(text),
        unit,
        metadata_base,
        nesting: 0,
        scope: Scope::default(),
    };
    parser.named_types()?;
    parser.position = 0;
    parser.module()
}

/// Names of globals and functions that are visible only in their own unit.
fn internal_names(text: &str) -> HashSet<String> {
    let mut names = HashSet::new();
    for line in text.lines().filter(|line| line.starts_with('@') || line.starts_with("define ")) {
        let lexed = tokens(line);
        let internal =
            lexed.iter().take(6).any(|(token, _)| matches!(token, Token::Word("internal" | "private")));
        let name = lexed.iter().find_map(|(token, _)| match token {
            Token::Global(name) => Some(name),
            _ => None,
        });
        if let (true, Some(name)) = (internal, name) {
            names.insert(name.to_string());
        }
    }
    names
}

/// The functions of a list of constructors, with their priorities.
fn constructors(list: &Constant) -> Vec<(u64, SymbolId)> {
    let Constant::Aggregate(entries) = list else { return Vec::new() };
    let entry = |entry: &Constant| match entry {
        Constant::Aggregate(members) => match &members[..] {
            [Constant::Int(priority), Constant::Symbol(function), ..] => {
                Some((priority.to_u64()?, *function))
            }
            _ => None,
        },
        _ => None,
    };
    entries.iter().filter_map(entry).collect()
}

pub(super) struct Parser<'a, 'm> {
    pub(super) tokens: Vec<(Token<'a>, u32)>,
    pub(super) position: usize,
    pub(super) module: &'m mut Module,
    pub(super) types: HashMap<String, Type>,
    internal: HashSet<String>,
    unit: u32,
    metadata_base: u32,
    pub(super) nesting: u32,
    pub(super) scope: Scope,
}

pub(super) type Parsed<T> = Result<T, CError>;

impl<'a> Parser<'a, '_> {
    pub(super) fn peek(&self) -> &Token<'a> {
        &self.tokens[self.position].0
    }

    pub(super) fn peek_second(&self) -> &Token<'a> {
        &self.tokens[(self.position + 1).min(self.tokens.len() - 1)].0
    }

    /// The line of the token just taken.
    pub(super) fn last_line(&self) -> u32 {
        self.tokens[self.position.saturating_sub(1)].1
    }

    pub(super) fn line(&self) -> u32 {
        self.tokens[self.position].1
    }

    pub(super) fn next(&mut self) -> Token<'a> {
        let token = self.peek().clone();
        self.position = (self.position + 1).min(self.tokens.len() - 1);
        token
    }

    pub(super) fn fail<T>(&self, reason: impl Into<String>) -> Parsed<T> {
        let reason = format!("{}; found {:?}", reason.into(), self.peek());
        Err(CError::Parse { line: self.line(), reason })
    }

    pub(super) fn accept(&mut self, token: &Token<'_>) -> bool {
        let found = self.peek() == token;
        if found {
            self.next();
        }
        found
    }

    pub(super) fn accept_mark(&mut self, mark: u8) -> bool {
        self.accept(&Token::Mark(mark))
    }

    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(found) if *found == word);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn mark(&mut self, mark: u8) -> Parsed<()> {
        if self.accept_mark(mark) { Ok(()) } else { self.fail(format!("expected `{}`", char::from(mark))) }
    }

    pub(super) fn number<T: std::str::FromStr>(&mut self) -> Parsed<T> {
        match self.peek() {
            Token::Number(digits) if let Ok(number) = digits.parse() => {
                self.next();
                Ok(number)
            }
            _ => self.fail("expected a number"),
        }
    }

    pub(super) fn at_end(&self) -> bool {
        *self.peek() == Token::End
    }

    pub(super) fn skip_to_line_after(&mut self, line: u32) {
        while self.line() <= line && !self.at_end() {
            self.next();
        }
    }

    /// Skips a balanced group if one begins here.
    pub(super) fn skip_group(&mut self) {
        let mut depth = 0;
        loop {
            match self.peek() {
                Token::Mark(b'(' | b'[' | b'{' | b'<') => depth += 1,
                Token::Mark(b')' | b']' | b'}' | b'>') => depth -= 1,
                Token::End => return,
                _ => {}
            }
            if depth <= 0 && !matches!(self.peek(), Token::Mark(b')' | b']' | b'}' | b'>')) {
                return;
            }
            self.next();
            if depth <= 0 {
                return;
            }
        }
    }

    pub(super) fn symbol(&mut self, name: &str) -> SymbolId {
        let scope = if self.internal.contains(name) { self.unit } else { 0 };
        self.module.symbol_id(scope, name)
    }

    pub(super) fn metadata_number(&self, number: u32) -> u32 {
        self.metadata_base.saturating_add(number)
    }

    fn module(&mut self) -> Parsed<()> {
        while !self.at_end() {
            let line = self.line();
            match self.next() {
                Token::Global(name) => self.global(&name)?,
                Token::Word("define") => {
                    self.define()?;
                    continue;
                }
                Token::Metadata(number) if self.accept_mark(b'=') => {
                    let node = self.node()?;
                    let number = self.metadata_number(number);
                    self.module.metadata.insert(number, node);
                }
                Token::Word("attributes") => self.skip_to_mark(b'}'),
                Token::Word("target") if self.accept_word("triple") && self.accept_mark(b'=') => {
                    if let Token::Text(triple) = self.peek() {
                        self.module.machine = Machine::of_triple(&String::from_utf8_lossy(triple));
                    }
                }
                _ => {}
            }
            self.skip_to_line_after(line);
        }
        Ok(())
    }

    fn skip_to_mark(&mut self, mark: u8) {
        while !self.at_end() && !self.accept_mark(mark) {
            self.next();
        }
    }

    /// A global, at the token after its name.
    fn global(&mut self, name: &str) -> Parsed<()> {
        let line = self.line();
        self.mark(b'=')?;
        let (mut external, mut alias, mut constant) = (false, false, false);
        loop {
            match self.peek() {
                Token::Word("global") => break,
                Token::Word("constant") => {
                    constant = true;
                    break;
                }
                Token::Word("alias" | "ifunc") => {
                    alias = true;
                    break;
                }
                Token::Word("external" | "extern_weak") => external = true,
                Token::Mark(b'(') => {
                    self.skip_group();
                    continue;
                }
                Token::End => return self.fail("expected `global` or `constant`"),
                _ => {}
            }
            self.next();
        }
        self.next();
        let id = self.symbol(name);
        let ty = self.ty()?;
        if alias {
            self.mark(b',')?;
            let ty = self.ty()?;
            let target = self.constant(&ty)?;
            self.module.define(id, Symbol::Alias(target));
            return Ok(());
        }
        if external {
            return Ok(());
        }
        let initializer = self.constant(&ty)?;
        if name == "llvm.global_ctors" {
            self.module.constructors.extend(constructors(&initializer));
            return Ok(());
        }
        let debug = self.trailing_debug(line);
        let common = Global { name: name.into(), ty, initializer, constant, debug };
        self.module.define(id, Symbol::Global(common));
        Ok(())
    }

    /// The number after `!dbg`, anywhere in the rest of a line.
    pub(super) fn trailing_debug(&mut self, line: u32) -> Option<u32> {
        let mut debug = None;
        while self.line() == line && !self.at_end() {
            if let (Token::MetadataName("dbg"), Token::Metadata(number)) = (self.next(), self.peek()) {
                debug = Some(self.metadata_number(*number));
            }
        }
        debug
    }

    /// A function with its body, at the token after `define`.
    fn define(&mut self) -> Parsed<()> {
        self.skip_attributes();
        let result = self.ty()?;
        let Token::Global(name) = self.next() else { return self.fail("expected a function's name") };
        let id = self.symbol(&name);
        let mut function = Function { name: name.as_ref().into(), result, ..Function::default() };
        let mut names = Vec::new();
        self.mark(b'(')?;
        while !self.accept_mark(b')') {
            if self.accept_word("...") {
                function.variadic = true;
            } else {
                let (parameter, name) = self.parameter(names.len() as u32)?;
                function.parameters.push(parameter);
                names.push(name);
            }
            self.accept_mark(b',');
        }
        while *self.peek() != Token::Mark(b'{') {
            match self.next() {
                Token::MetadataName("dbg") if let Token::Metadata(number) = *self.peek() => {
                    function.debug = Some(self.metadata_number(number));
                }
                Token::End => return self.fail("expected a function's body"),
                _ => {}
            }
        }
        self.next();
        self.body(&mut function, names)?;
        self.module.define(id, Symbol::Function(Rc::new(function)));
        Ok(())
    }

    fn parameter(&mut self, register: u32) -> Parsed<(Parameter, String)> {
        let ty = self.ty()?;
        let (mut by_value, mut result) = (None, None);
        loop {
            match self.peek() {
                Token::Word(kind @ ("byval" | "sret")) => {
                    let kind = *kind;
                    self.next();
                    self.mark(b'(')?;
                    let pointee = Some(self.ty()?);
                    self.mark(b')')?;
                    *(if kind == "byval" { &mut by_value } else { &mut result }) = pointee;
                }
                Token::Word(_) | Token::Number(_) | Token::Text(_) => drop(self.next()),
                Token::Mark(b'(') => self.skip_group(),
                _ => break,
            }
        }
        let name = match self.peek() {
            Token::Local(name) => name.to_string(),
            _ => register.to_string(),
        };
        if let Token::Local(_) = self.peek() {
            self.next();
        }
        Ok((Parameter { register, ty, by_value, result }, name))
    }

    /// Skips linkage, calling conventions and attributes before a type.
    pub(super) fn skip_attributes(&mut self) {
        while !self.is_type() {
            match self.peek() {
                Token::Word(_) | Token::Number(_) | Token::Text(_) | Token::Hash(_) => drop(self.next()),
                Token::Mark(b'(') => self.skip_group(),
                _ => return,
            }
        }
    }

    /// The symbol or other constant of type `ty` at this position.
    pub(super) fn constant(&mut self, ty: &Type) -> Parsed<Constant> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return self.fail("constants nest too deeply");
        }
        let constant = self.constant_of(ty);
        self.nesting -= 1;
        constant
    }
}
