//! Floating-point instructions and functions.

use super::Executor;
use super::state::State;
use super::value::Value;
use crate::CError;
use crate::float::{Direction, FloatOp, Floats, Format, Relation, convert};
use crate::graph::Word;
use crate::llvm::{Cast, Type};

impl Executor<'_> {
    /// An operation of two numbers; `None` where a check ends the path.
    pub(super) fn float_binary(
        &mut self,
        state: &mut State,
        op: FloatOp,
        a: Value,
        b: Value,
    ) -> Result<Option<Value>, CError> {
        self.float_words(state, a, b, |floats, a, b| floats.binary(op, a, b))
    }

    pub(super) fn float_compare(
        &mut self,
        state: &mut State,
        relation: Relation,
        a: Value,
        b: Value,
    ) -> Result<Option<Value>, CError> {
        self.float_words(state, a, b, |floats, a, b| floats.compare(relation, a, b))
    }

    fn float_words(
        &mut self,
        state: &mut State,
        a: Value,
        b: Value,
        compute: impl FnOnce(&mut Floats<'_>, Word, Word) -> Word,
    ) -> Result<Option<Value>, CError> {
        let (Some(a), Some(b)) = (self.settled(state, a), self.settled(state, b)) else { return Ok(None) };
        let (Value::Word(a), Value::Word(b)) = (a, b) else { return Ok(Some(Value::Undefined)) };
        match Format::of_bits(self.graph.bits(a)) {
            Some(format) => Ok(Some(Value::Word(compute(&mut Floats::new(&mut self.graph, format), a, b)))),
            None => self.unsupported("floating-point arithmetic of this width"),
        }
    }

    /// A conversion from or to a number.
    pub(super) fn float_cast(&mut self, cast: Cast, ty: &Type, word: Word) -> Result<Value, CError> {
        let graph = &mut self.graph;
        let from = Format::of_bits(graph.bits(word));
        let result = match (cast, ty) {
            (Cast::FloatToFloat, Type::Float(bits)) => match (from, Format::of_bits(*bits)) {
                (Some(from), Some(to)) => Some(convert(graph, word, from, to)),
                _ => None,
            },
            (Cast::FloatToInt, Type::Int(bits)) => {
                from.map(|format| Floats::new(graph, format).integer_of(word, *bits))
            }
            (Cast::SignedToFloat | Cast::UnsignedToFloat, Type::Float(bits)) => Format::of_bits(*bits)
                .filter(|_| graph.bits(word) <= 128)
                .map(|format| Floats::new(graph, format).number_of(word, cast == Cast::SignedToFloat)),
            _ => None,
        };
        match result {
            Some(word) => Ok(Value::Word(word)),
            None => self.unsupported(format!("this conversion to {}", ty.describe())),
        }
    }

    /// A function of numbers of one format, by LLVM's name; `None` if unknown.
    pub(super) fn float_function(&mut self, name: &str, words: &[Word]) -> Option<Word> {
        let format = Format::of_bits(self.graph.bits(*words.first()?))?;
        if let ("is.fpclass", [a, mask]) = (name, words) {
            let mask = self.graph.value(*mask)?.to_u64()? as u32;
            return Some(Floats::new(&mut self.graph, format).is_class(*a, mask));
        }
        let mut floats = Floats::new(&mut self.graph, format);
        Some(match (name, words) {
            ("fabs", [a]) => floats.absolute(*a),
            ("sqrt", [a]) => floats.square_root(*a),
            ("floor", [a]) => floats.integral(*a, Direction::Down),
            ("ceil", [a]) => floats.integral(*a, Direction::Up),
            ("trunc", [a]) => floats.integral(*a, Direction::ToZero),
            ("rint" | "nearbyint" | "roundeven", [a]) => floats.integral(*a, Direction::Nearest),
            ("round", [a]) => floats.integral(*a, Direction::NearestAway),
            ("fma", [a, b, c]) => floats.fused(*a, *b, *c),
            ("copysign", [a, b]) => floats.binary(FloatOp::CopySign, *a, *b),
            ("minnum" | "minimumnum", [a, b]) => floats.binary(FloatOp::Minimum, *a, *b),
            ("maxnum" | "maximumnum", [a, b]) => floats.binary(FloatOp::Maximum, *a, *b),
            _ => return None,
        })
    }

    /// A function of `math.h`; `None` if unknown.
    pub(super) fn math(&mut self, name: &str, arguments: &[(Type, Value)]) -> Option<Value> {
        let single = matches!(arguments.first(), Some((Type::Float(32), _)));
        let name = if single { name.strip_suffix('f')? } else { name };
        let intrinsic = match name {
            "fmin" => "minnum",
            "fmax" => "maxnum",
            "sqrt" | "fabs" | "floor" | "ceil" | "trunc" | "rint" | "nearbyint" | "round" | "copysign"
            | "fma" => name,
            _ => return None,
        };
        let mut words = Vec::new();
        for (_, value) in arguments {
            match value {
                Value::Word(word) => words.push(*word),
                _ => return Some(Value::Undefined),
            }
        }
        self.float_function(intrinsic, &words).map(Value::Word)
    }
}
