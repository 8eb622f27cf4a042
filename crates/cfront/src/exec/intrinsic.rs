//! LLVM's intrinsic functions.

use tacit_ir::CompareOp;

use super::Executor;
use super::call::Call;
use super::state::State;
use super::trap::trap;
use super::value::Value;
use crate::CError;
use crate::graph::{Graph, Word};
use crate::int::{Int, IntOp};
use crate::llvm::Type;

impl Executor<'_> {
    /// The result of `llvm.` + `name`; `None` if it does not return.
    pub(super) fn intrinsic(
        &mut self,
        state: &mut State,
        name: &str,
        mut call: Call<'_>,
    ) -> Result<Option<Value>, CError> {
        let argument =
            |index: usize| call.arguments.get(index).map(|(_, value)| value.clone()).unwrap_or_default();
        // The types of an intrinsic's instance follow its name.
        let is_type = |part: &str| {
            part.starts_with(['f', 'i', 'p', 'v']) && part[1..].bytes().all(|byte| byte.is_ascii_digit())
        };
        let base: Vec<&str> = name.split('.').take_while(|part| !is_type(part)).collect();
        match base.join(".").as_str() {
            "memcpy" | "memmove" | "memcpy.inline" => {
                let bytes = self.byte_count(&argument(2))?;
                let moves = base[0] == "memmove";
                if !moves && !self.apart(state, &argument(0), &argument(1), bytes, true) {
                    return Ok(None);
                }
                Ok(self.copy(state, &argument(0), &argument(1), bytes)?.map(|()| Value::Undefined))
            }
            "memset" | "memset.inline" => {
                let bytes = self.byte_count(&argument(2))?;
                Ok(self.fill(state, &argument(0), &argument(1), bytes)?.map(|()| Value::Undefined))
            }
            "lifetime.start" => {
                self.begin(state, &argument(call.arguments.len().saturating_sub(1)));
                Ok(Some(Value::Undefined))
            }
            "lifetime.end" => {
                let always = self.graph.flag(true);
                self.end(state, &argument(call.arguments.len().saturating_sub(1)), always);
                Ok(Some(Value::Undefined))
            }
            "assume"
            | "donothing"
            | "prefetch"
            | "stackrestore"
            | "sideeffect"
            | "experimental.noalias.scope.decl"
            | "pseudoprobe"
            | "var.annotation" => Ok(Some(Value::Undefined)),
            "stacksave" | "invariant.start" => Ok(Some(Value::Undefined)),
            "expect"
            | "expect.with.probability"
            | "launder.invariant.group"
            | "strip.invariant.group"
            | "ssa.copy"
            | "annotation"
            | "ptr.annotation" => Ok(Some(argument(0))),
            "is.constant" => Ok(Some(Value::Word(self.graph.flag(false)))),
            "objectsize" => {
                let Type::Int(bits) = call.result else { return self.unsupported("this size of an object") };
                Ok(Some(Value::Word(self.graph.constant(Int::ones(*bits)))))
            }
            "abs" => self.checked_absolute(state, argument(0)),
            "trap" | "debugtrap" | "ubsantrap" => {
                let (kind, description) = trap(&self.graph, call.arguments.first().map(|(_, value)| value));
                self.impossible(state, kind, description)
            }
            base => {
                for (_, value) in &mut call.arguments {
                    match self.settled(state, std::mem::take(value)) {
                        Some(settled) => *value = settled,
                        None => return Ok(None),
                    }
                }
                self.word_intrinsic(base, &call)
            }
        }
    }

    /// The intrinsics that only compute with words.
    fn word_intrinsic(&mut self, base: &str, call: &Call<'_>) -> Result<Option<Value>, CError> {
        let mut words = Vec::with_capacity(call.arguments.len());
        for (_, value) in &call.arguments {
            match value {
                Value::Word(word) => words.push(*word),
                Value::Undefined => return Ok(Some(Value::Undefined)),
                _ => return self.unsupported(format!("the intrinsic `{base}` on addresses")),
            }
        }
        let value = match (base, &words[..], call.result) {
            (_, [a, b], Type::Struct(_)) => {
                let value = with_overflow(&mut self.graph, base, *a, *b);
                if self.checking() {
                    value.map(|value| self.plain_result(value, base, *a, *b))
                } else {
                    value
                }
            }
            ("is.fpclass", _, _) | (_, _, Type::Float(_)) => {
                self.float_function(base, &words).map(Value::Word)
            }
            (_, _, Type::Int(bits)) => word_function(&mut self.graph, base, &words, *bits).map(Value::Word),
            _ => None,
        };
        match value {
            Some(value) => Ok(Some(value)),
            None => self.unsupported(format!("the intrinsic `{base}`")),
        }
    }
}

impl Executor<'_> {
    /// A result with its overflow. The result is computed separately, so that it profits from what is known
    /// of its operands.
    fn plain_result(&mut self, value: Value, base: &str, a: Word, b: Word) -> Value {
        let Value::Aggregate(members) = &value else { return value };
        let op = match &base[1..4] {
            "add" => IntOp::Add,
            "sub" => IntOp::Sub,
            _ => IntOp::Mul,
        };
        let result = Value::Word(self.graph.binary(op, a, b));
        Value::Aggregate([result, members[1].clone()].into())
    }
}

fn word_function(graph: &mut Graph, base: &str, words: &[Word], bits: u32) -> Option<Word> {
    Some(match (base, words) {
        ("umin", [a, b]) => extreme(graph, CompareOp::LtU, *a, *b),
        ("smin", [a, b]) => extreme(graph, CompareOp::LtS, *a, *b),
        ("umax", [a, b]) => extreme_max(graph, CompareOp::LtU, *a, *b),
        ("smax", [a, b]) => extreme_max(graph, CompareOp::LtS, *a, *b),
        ("ctpop", [a]) => graph.count_ones(*a),
        ("ctlz", [a, _]) => graph.leading_zeros(*a),
        ("cttz", [a, _]) => graph.trailing_zeros(*a),
        ("bswap", [a]) => graph.reverse_bytes(*a),
        ("bitreverse", [a]) => graph.reverse_bits(*a),
        ("fshl", [a, b, n]) => funnel(graph, *a, *b, *n, true),
        ("fshr", [a, b, n]) => funnel(graph, *a, *b, *n, false),
        ("uadd.sat", [a, b]) => {
            let (sum, overflow) = add_unsigned(graph, *a, *b);
            let spread = graph.extend(overflow, bits, true);
            graph.or(sum, spread)
        }
        ("usub.sat", [a, b]) => {
            let difference = graph.sub(*a, *b);
            let under = graph.compare(CompareOp::LtU, *a, *b);
            let keep = graph.not(under);
            let keep = graph.extend(keep, bits, true);
            graph.and(difference, keep)
        }
        ("sadd.sat" | "ssub.sat", [a, b]) => {
            let op = if base == "sadd.sat" { IntOp::Add } else { IntOp::Sub };
            let (result, overflow) = signed_with_overflow(graph, op, *a, *b);
            // The limit on the side of the first operand: its sign, and all other bits the opposite of the
            // sign.
            let sign = graph.bit(*a, bits - 1);
            let spread = graph.extend(sign, bits, true);
            let greatest = graph.constant(Int::ones(bits - 1).extend(bits, false));
            let limit = graph.xor(greatest, spread);
            graph.select(overflow, limit, result)
        }
        ("ucmp" | "scmp", [a, b]) => {
            let op = if base == "ucmp" { CompareOp::LtU } else { CompareOp::LtS };
            let (less, greater) = (graph.compare(op, *a, *b), graph.compare(op, *b, *a));
            let (negative, positive) = (graph.extend(less, bits, true), graph.extend(greater, bits, false));
            graph.or(negative, positive)
        }
        _ => return None,
    })
}

fn extreme(graph: &mut Graph, op: CompareOp, a: Word, b: Word) -> Word {
    let less = graph.compare(op, a, b);
    graph.select(less, a, b)
}

fn extreme_max(graph: &mut Graph, op: CompareOp, a: Word, b: Word) -> Word {
    let less = graph.compare(op, a, b);
    graph.select(less, b, a)
}

/// The high word of `a:b` shifted left, or the low word of it shifted right, by `n` modulo the width.
fn funnel(graph: &mut Graph, a: Word, b: Word, n: Word, left: bool) -> Word {
    let bits = graph.bits(a);
    let width = graph.constant(Int::new(bits, bits.into()));
    let n = graph.binary(IntOp::RemU, n, width);
    let both = graph.concat(&[b, a]);
    let amount = graph.extend(n, 2 * bits, false);
    if left {
        let shifted = graph.binary(IntOp::ShiftLeft, both, amount);
        graph.slice(shifted, bits, bits)
    } else {
        let shifted = graph.binary(IntOp::ShiftRightU, both, amount);
        graph.slice(shifted, 0, bits)
    }
}

fn with_overflow(graph: &mut Graph, base: &str, a: Word, b: Word) -> Option<Value> {
    let (result, overflow) = match base {
        "uadd.with.overflow" => add_unsigned(graph, a, b),
        "usub.with.overflow" => (graph.sub(a, b), graph.compare(CompareOp::LtU, a, b)),
        "sadd.with.overflow" => signed_with_overflow(graph, IntOp::Add, a, b),
        "ssub.with.overflow" => signed_with_overflow(graph, IntOp::Sub, a, b),
        "umul.with.overflow" => wide_product(graph, a, b, false),
        "smul.with.overflow" => wide_product(graph, a, b, true),
        _ => return None,
    };
    Some(Value::Aggregate([Value::Word(result), Value::Word(overflow)].into()))
}

/// The sum and its carry.
fn add_unsigned(graph: &mut Graph, a: Word, b: Word) -> (Word, Word) {
    let bits = graph.bits(a);
    let (a, b) = (graph.extend(a, bits + 1, false), graph.extend(b, bits + 1, false));
    let sum = graph.add_words(a, b);
    (graph.slice(sum, 0, bits), graph.bit(sum, bits))
}

/// Overflow appears as a sign mismatch in one more bit.
fn signed_with_overflow(graph: &mut Graph, op: IntOp, a: Word, b: Word) -> (Word, Word) {
    let bits = graph.bits(a);
    let (a, b) = (graph.extend(a, bits + 1, true), graph.extend(b, bits + 1, true));
    let wide = graph.binary(op, a, b);
    let (sign, carry) = (graph.bit(wide, bits - 1), graph.bit(wide, bits));
    (graph.slice(wide, 0, bits), graph.xor(sign, carry))
}

/// The product, and whether it fits.
fn wide_product(graph: &mut Graph, a: Word, b: Word, signed: bool) -> (Word, Word) {
    let bits = graph.bits(a);
    let (a, b) = (graph.extend(a, 2 * bits, signed), graph.extend(b, 2 * bits, signed));
    let wide = graph.binary(IntOp::Mul, a, b);
    let low = graph.slice(wide, 0, bits);
    let expected = graph.extend(low, 2 * bits, signed);
    let fits = graph.equal(wide, expected);
    (low, graph.not(fits))
}
