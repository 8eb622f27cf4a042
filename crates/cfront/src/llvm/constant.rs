//! Reading constants and operands.

use std::rc::Rc;

use super::lexer::Token;
use super::module::{Cast, Constant, Expression, Operand};
use super::parser::{Parsed, Parser};
use super::types::{Machine, Type};
use crate::int::{Int, IntOp};

impl Parser<'_, '_> {
    pub(super) fn constant_of(&mut self, ty: &Type) -> Parsed<Constant> {
        match self.next() {
            Token::Number(digits) => match (ty, digits) {
                (Type::Int(bits), digits) => match Int::parse(*bits, digits) {
                    Some(value) => Ok(Constant::Int(value)),
                    None => self.fail("expected an integer"),
                },
                _ => Ok(Constant::Unsupported(ty.describe())),
            },
            Token::Float(text) => Ok(match float(ty, text) {
                Some(value) => Constant::Int(value),
                None => Constant::Unsupported(ty.describe()),
            }),
            Token::Global(name) => Ok(Constant::Symbol(self.symbol(&name))),
            Token::Text(bytes) => Ok(Constant::Bytes(bytes)),
            Token::Mark(b'[') => self.elements(b']'),
            Token::Mark(b'{') => self.elements(b'}'),
            Token::Mark(b'<') if self.accept_mark(b'{') => {
                let packed = self.elements(b'}')?;
                self.mark(b'>')?;
                Ok(packed)
            }
            Token::Mark(b'<') => {
                self.elements(b'>')?;
                Ok(Constant::Unsupported("a vector".into()))
            }
            Token::Word(word) => self.constant_word(ty, word),
            _ => self.fail("expected a constant"),
        }
    }

    fn elements(&mut self, close: u8) -> Parsed<Constant> {
        let mut elements = Vec::new();
        while !self.accept_mark(close) {
            let element = self.ty()?;
            elements.push(self.constant(&element)?);
            self.accept_mark(b',');
        }
        Ok(Constant::Aggregate(elements))
    }

    fn constant_word(&mut self, ty: &Type, word: &str) -> Parsed<Constant> {
        let op = match word {
            "true" => return Ok(Constant::Int(Int::flag(true))),
            "false" => return Ok(Constant::Int(Int::flag(false))),
            "null" => return Ok(Constant::Null),
            "none" | "zeroinitializer" => return Ok(Constant::Zero(ty.clone())),
            "undef" | "poison" => return Ok(Constant::Undefined),
            "dso_local_equivalent" | "no_cfi" => return self.constant(ty),
            "getelementptr" => return self.address_constant(),
            "add" => IntOp::Add,
            "sub" => IntOp::Sub,
            "mul" => IntOp::Mul,
            "and" => IntOp::And,
            "or" => IntOp::Or,
            "xor" => IntOp::Xor,
            "shl" => IntOp::ShiftLeft,
            "lshr" => IntOp::ShiftRightU,
            "ashr" => IntOp::ShiftRightS,
            _ => match cast_kind(word) {
                Some(kind) => return self.cast_constant(kind),
                None => {
                    self.skip_group();
                    return Ok(Constant::Unsupported(match word {
                        "blockaddress" => "a computed `goto`".into(),
                        _ => format!("the constant `{word}`"),
                    }));
                }
            },
        };
        while let Token::Word("nuw" | "nsw" | "exact" | "disjoint") = self.peek() {
            self.next();
        }
        self.mark(b'(')?;
        let (left, right) = (self.typed_constant()?, self.typed_constant()?);
        self.mark(b')')?;
        Ok(Constant::Expression(Box::new(Expression::Binary(op, left, right))))
    }

    /// A type, a constant of it, and the comma that follows, if there is one.
    fn typed_constant(&mut self) -> Parsed<Constant> {
        let ty = self.ty()?;
        let constant = self.constant(&ty)?;
        self.accept_mark(b',');
        Ok(constant)
    }

    fn cast_constant(&mut self, kind: Cast) -> Parsed<Constant> {
        self.mark(b'(')?;
        let value = self.typed_constant()?;
        if !self.accept_word("to") {
            return self.fail("expected `to`");
        }
        let ty = self.ty()?;
        self.mark(b')')?;
        Ok(Constant::Expression(Box::new(Expression::Cast(kind, ty, value))))
    }

    fn address_constant(&mut self) -> Parsed<Constant> {
        self.address_flags();
        self.mark(b'(')?;
        let source = self.ty()?;
        self.mark(b',')?;
        let base = self.typed_constant()?;
        let mut indices = Vec::new();
        while !self.accept_mark(b')') {
            self.accept_word("inrange");
            indices.push(Operand::Constant(Rc::new(self.typed_constant()?)));
        }
        match scale(&source, indices, self.module.machine) {
            Some((constant, terms)) if terms.is_empty() => {
                Ok(Constant::Expression(Box::new(Expression::Address { base, constant })))
            }
            _ => Ok(Constant::Unsupported("this address".into())),
        }
    }

    /// Whether the flags of an address say that it is within an object.
    pub(super) fn address_flags(&mut self) -> bool {
        let mut inbounds = false;
        while let Token::Word(word @ ("inbounds" | "nuw" | "nusw" | "inrange")) = self.peek() {
            let range = *word == "inrange";
            inbounds |= *word == "inbounds";
            self.next();
            if range && *self.peek() == Token::Mark(b'(') {
                self.skip_group();
            }
        }
        inbounds
    }

    /// An operand of a known type.
    pub(super) fn operand(&mut self, ty: &Type) -> Parsed<Operand> {
        if let Token::Local(name) = self.peek() {
            let name = name.to_string();
            self.next();
            return Ok(Operand::Register(self.register(&name)));
        }
        Ok(Operand::Constant(Rc::new(self.constant(ty)?)))
    }

    pub(super) fn typed_operand(&mut self) -> Parsed<(Type, Operand)> {
        let ty = self.ty()?;
        let operand = self.operand(&ty)?;
        Ok((ty, operand))
    }
}

/// A number in decimal digits, or as the bits of a double.
fn float(ty: &Type, text: &str) -> Option<Int> {
    let double = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => text.parse::<f64>().ok()?.to_bits(),
    };
    match ty {
        Type::Float(64) => Some(Int::new(64, double.into())),
        Type::Float(32) => Some(Int::new(32, single(double).into())),
        _ => None,
    }
}

/// The bits of a float whose value a double holds exactly; a NaN keeps the part of its payload that fits.
fn single(double: u64) -> u32 {
    let value = f64::from_bits(double);
    match value.is_nan() {
        true => (double >> 32) as u32 & 0x8000_0000 | 0x7f80_0000 | (double >> 29) as u32 & 0x007f_ffff,
        false => (value as f32).to_bits(),
    }
}

pub(super) fn cast_kind(word: &str) -> Option<Cast> {
    match word {
        "trunc" => Some(Cast::Truncate),
        "zext" => Some(Cast::ZeroExtend),
        "sext" => Some(Cast::SignExtend),
        "ptrtoint" | "ptrtoaddr" => Some(Cast::PointerToInt),
        "inttoptr" => Some(Cast::IntToPointer),
        "bitcast" | "addrspacecast" => Some(Cast::Bits),
        _ => None,
    }
}

/// A constant number of bytes, and operands with the number of bytes for each of their units.
type Scaled = (i64, Vec<(Operand, i64)>);

/// The number of bytes that the indices of `getelementptr` add; `None` if the types do not fit.
pub(super) fn scale(source: &Type, indices: Vec<Operand>, machine: Machine) -> Option<Scaled> {
    let (mut constant, mut terms, mut current) = (0i64, Vec::new(), None::<&Type>);
    for index in indices {
        let known = match &index {
            Operand::Constant(value) => match value.as_ref() {
                Constant::Int(value) => Some(i64::try_from(value.to_i128()?).ok()?),
                Constant::Zero(_) => Some(0),
                _ => return None,
            },
            Operand::Register(_) => None,
        };
        // The first index steps over whole objects, the others into them.
        let stride = match current {
            None => source.size(machine),
            Some(Type::Array(_, element)) => element.size(machine),
            Some(structure @ Type::Struct(_)) => {
                let (member, offset) = structure.member(u64::try_from(known?).ok()?, machine)?;
                constant = constant.checked_add(i64::try_from(offset).ok()?)?;
                current = Some(member);
                continue;
            }
            Some(_) => return None,
        };
        current = match current {
            None => Some(source),
            Some(Type::Array(_, element)) => Some(element),
            _ => return None,
        };
        let stride = i64::try_from(stride).ok()?;
        match known {
            Some(known) => constant = constant.checked_add(known.checked_mul(stride)?)?,
            None => terms.push((index, stride)),
        }
    }
    Some((constant, terms))
}
