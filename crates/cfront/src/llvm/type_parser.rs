//! Reading types.

use std::rc::Rc;

use super::lexer::Token;
use super::parser::{MAX_NESTING, Parsed, Parser};
use super::types::{FunctionType, StructType, Type};

impl Parser<'_, '_> {
    /// Reads `%name = type …` anywhere, and resolves the names among them.
    pub(super) fn named_types(&mut self) -> Parsed<()> {
        let mut pending = Vec::new();
        for index in 0..self.tokens.len().saturating_sub(3) {
            let head = [0, 1, 2].map(|ahead| &self.tokens[index + ahead].0);
            if let [Token::Local(name), Token::Mark(b'='), Token::Word("type")] = head {
                pending.push((name.to_string(), index + 3));
            }
        }
        // A type may name one that is defined after it; repeat until nothing new can be resolved.
        while !pending.is_empty() {
            let before = pending.len();
            let mut waiting = Vec::new();
            for (name, position) in pending {
                self.position = position;
                match self.ty() {
                    Ok(ty) => drop(self.types.insert(name, ty)),
                    Err(_) => waiting.push((name, position)),
                }
                self.nesting = 0;
            }
            if waiting.len() == before {
                self.position = waiting[0].1;
                return self.fail(format!("type %{} is not understood", waiting[0].0));
            }
            pending = waiting;
        }
        Ok(())
    }

    pub(super) fn is_type(&self) -> bool {
        match self.peek() {
            Token::Word(word) => word_type(word).is_some(),
            Token::Mark(b'[' | b'{' | b'<') => true,
            Token::Local(name) => self.types.contains_key(name.as_ref()),
            _ => false,
        }
    }

    pub(super) fn ty(&mut self) -> Parsed<Type> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return self.fail("types nest too deeply");
        }
        let mut ty = self.base_type()?;
        loop {
            if self.accept_mark(b'*') {
                ty = Type::Pointer;
            } else if self.accept_word("addrspace") {
                self.skip_group();
            } else if *self.peek() == Token::Mark(b'(') {
                let variadic = self.parameter_types()?;
                ty = Type::Function(Rc::new(FunctionType { result: ty, variadic }));
            } else {
                break;
            }
        }
        self.nesting -= 1;
        Ok(ty)
    }

    /// Skips the parameter types of a function type; returns whether they end in `...`.
    fn parameter_types(&mut self) -> Parsed<bool> {
        self.mark(b'(')?;
        let mut variadic = false;
        while !self.accept_mark(b')') {
            variadic |= self.accept_word("...");
            if self.is_type() {
                self.ty()?;
            } else if !self.accept_mark(b',') && *self.peek() != Token::Mark(b')') {
                return self.fail("expected a parameter type");
            }
        }
        Ok(variadic)
    }

    fn base_type(&mut self) -> Parsed<Type> {
        match self.next() {
            Token::Word("opaque") => Ok(Type::Other("an opaque type".into())),
            Token::Word(word) if let Some(ty) = word_type(word) => Ok(ty),
            Token::Local(name) => match self.types.get(name.as_ref()) {
                Some(ty) => Ok(ty.clone()),
                None => self.fail(format!("unknown type %{name}")),
            },
            Token::Mark(b'[') => {
                let length = self.number()?;
                if !self.accept_word("x") {
                    return self.fail("expected `x`");
                }
                let element = self.ty()?;
                self.mark(b']')?;
                Ok(Type::Array(length, Rc::new(element)))
            }
            Token::Mark(b'{') => self.members(false),
            Token::Mark(b'<') if self.accept_mark(b'{') => {
                let packed = self.members(true)?;
                self.mark(b'>')?;
                Ok(packed)
            }
            Token::Mark(b'<') => {
                if let Some(vector) = self.vector_of_floats() {
                    return Ok(vector);
                }
                while !self.accept_mark(b'>') {
                    if self.at_end() {
                        return self.fail("expected `>`");
                    }
                    self.next();
                }
                Ok(Type::Other("a vector type".into()))
            }
            _ => self.fail("expected a type"),
        }
    }

    /// `2 x float>` as an array: structures of them are passed in this form.
    fn vector_of_floats(&mut self) -> Option<Type> {
        let (Token::Number(length), Token::Word("x")) = (self.peek(), self.peek_second()) else {
            return None;
        };
        let length = length.parse().ok()?;
        let element = match &self.tokens.get(self.position + 2)?.0 {
            Token::Word("float") => Type::Float(32),
            Token::Word("double") => Type::Float(64),
            _ => return None,
        };
        (0..3).for_each(|_| drop(self.next()));
        self.accept_mark(b'>').then(|| Type::Array(length, Rc::new(element)))
    }

    fn members(&mut self, packed: bool) -> Parsed<Type> {
        let mut members = Vec::new();
        while !self.accept_mark(b'}') {
            members.push(self.ty()?);
            self.accept_mark(b',');
        }
        Ok(Type::Struct(Rc::new(StructType { members, packed })))
    }
}

fn word_type(word: &str) -> Option<Type> {
    match word {
        "void" => Some(Type::Void),
        "ptr" => Some(Type::Pointer),
        "float" => Some(Type::Float(32)),
        "double" => Some(Type::Float(64)),
        "half" | "bfloat" | "fp128" | "x86_fp80" | "ppc_fp128" => Some(Type::Other(word.into())),
        "metadata" | "label" | "token" | "x86_mmx" | "x86_amx" => Some(Type::Other(word.into())),
        _ => {
            let bits = word.strip_prefix('i')?.parse().ok()?;
            (1..=1 << 23).contains(&bits).then_some(Type::Int(bits))
        }
    }
}
