//! Numbers that three parties or more share bit by bit: floating-point numbers, and what comparisons and conversions make of them.
//!
//! Each operation is traced as a program of its own and compiled to a circuit, which the parties compute on their shares as it is called. So such numbers have all
//! operations of the language. Circuits are kept for the next operation of the same form.

use std::cell::RefCell;
use std::sync::Arc;

use num_bigint::BigInt;
use pyo3::prelude::*;
use tacit_ir::Words;
use tacit_nparty::PartyIndex;
use tacit_nparty::compiled::{Compiled, CompiledError};
use tacit_nparty::dynamic::{AnyOperation, AnyPair, AnyValue, Numbers};

use super::array::{Array, Elements, Written};
use super::bit_programs::Speakers;
use super::computation::Core;
use super::errors::{KindError, failure};
use super::numbers::gathered;
use super::ranged::number;
use super::share::Share;
use super::shared_tracer::{SharedTracer, Writer};
use crate::errors::{AbortError, InputError, ProgramError};
use crate::language::error::Traced;
use crate::language::kind::Kind;
use crate::language::literal::Literal;
use crate::language::shape::View;
use crate::language::tracer::Tracer;
use crate::language::value::Value;

/// The one who speaks for a program's inputs and outputs.
const SPEAKER: &str = "parties";

/// A program of one operation, being traced.
struct Operation<'a> {
    core: &'a Arc<Core>,
    graph: SharedTracer,
    /// The shared words of each input port.
    given: RefCell<Vec<AnyValue>>,
}

impl<'a> Operation<'a> {
    fn new(core: &'a Arc<Core>) -> Operation<'a> {
        let graph = SharedTracer::new(Tracer::new("operation"), Writer::Unknown);
        Operation { core, graph, given: RefCell::default() }
    }

    /// Shared numbers, in the program.
    fn operand(&self, py: Python<'_>, share: &Share) -> PyResult<Written> {
        let kind = share.kind.clone().ok_or_else(|| {
            KindError::new_err(
                "elements of the field have no bits to compute with; promise their range with x.within(bits)",
            )
        })?;
        let mut given = self.given.borrow_mut();
        let name = format!("x{}", given.len());
        let value = self.input(&name, kind, share.shape.clone())?;
        // An array without elements is no input.
        if share.value.len() > 0 {
            given.push(share.words(py)?);
        }
        Ok(Written { graph: self.graph.clone(), value })
    }

    /// An operand from Python, in the program.
    fn object<'py>(&self, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match share_of(object) {
            Some(share) => {
                let array = Array::from(self.operand(object.py(), share)?);
                Ok(Bound::new(object.py(), array)?.into_any())
            }
            None => Ok(object.clone()),
        }
    }

    fn input(&self, name: &str, kind: Kind, dims: Vec<u64>) -> PyResult<Value> {
        let mut tracer = self.graph.lock();
        let role = tracer.role(SPEAKER);
        Ok(tracer.input(role, name, kind, dims)?)
    }

    /// The numbers that the operation makes.
    fn made(self, py: Python<'_>, made: &Array) -> PyResult<Share> {
        let made = made.of(&self.graph)?;
        self.computed(py, made, (&Speakers::Nobody, &[]))
    }

    /// What the program makes of its inputs: of shared ones, or of the giver's words.
    fn computed(
        self,
        py: Python<'_>,
        made: Value,
        (speakers, own): (&Speakers, &[Vec<Words>]),
    ) -> PyResult<Share> {
        let (kind, dims) = (made.kind.clone(), made.shape.clone());
        if made.is_empty() {
            let nothing = self.core.value(py, AnyOperation::Constant(Numbers::from(Vec::new())))?;
            return Ok(Share::new(nothing, dims, self.core).of(Some(kind)));
        }
        let compiled = self.compiled(py, &made, speakers)?;
        let given = self.given.into_inner();
        let shared: Vec<_> = given.iter().map(Some).collect();
        let nothing = vec![Vec::new(); shared.len()];
        let (own, shared) =
            if own.is_empty() { (&nothing[..], shared) } else { (own, vec![None; own.len()]) };
        let made = self.core.task(py)?.compute(&compiled, own, &shared).map_err(|error| failed(&error))?;
        let value = made.into_iter().next().ok_or_else(|| ProgramError::new_err("nothing was computed"))?;
        Ok(Share::new(value, dims, self.core).of(Some(kind)))
    }

    /// The program, compiled.
    fn compiled(&self, py: Python<'_>, made: &Value, speakers: &Speakers) -> PyResult<Arc<Compiled>> {
        let ir = {
            let mut tracer = self.graph.lock();
            let roles = match speakers {
                Speakers::Receivers(parties) => {
                    (0..parties.len()).map(|number| tracer.role(&format!("{SPEAKER}{number}"))).collect()
                }
                _ => vec![tracer.role(SPEAKER)],
            };
            tracer.output(roles, "made", made)?;
            tracer.finish()?
        };
        py.detach(|| self.core.programs().compiled(&ir, speakers)).map_err(|error| failed(&error))
    }
}

/// The exception for a program that could not be computed.
fn failed(error: &CompiledError) -> PyErr {
    match error {
        CompiledError::Run(error) => failure(error),
        error => ProgramError::new_err(error.to_string()),
    }
}

/// The shared numbers that an object of Python is.
fn share_of<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a Share> {
    match &object.cast::<Array>().ok()?.get().0 {
        Elements::Shared(share) => Some(share),
        Elements::Written(_) => None,
    }
}

/// An operation on shared numbers and other operands: bit by bit, if one of them is a float, or all shared ones are shared in that way; else in the field.
pub fn computed<'py, const N: usize>(
    py: Python<'py>,
    share: &Share,
    others: [&Bound<'py, PyAny>; N],
    written: impl FnOnce(&Written, &[Bound<'py, PyAny>; N]) -> PyResult<Option<Array>>,
    shared: impl FnOnce(&Share, &[Bound<'py, PyAny>; N]) -> PyResult<Array>,
) -> PyResult<Option<Array>> {
    let all = || std::iter::once(share).chain(others.iter().filter_map(|other| share_of(other)));
    let is_float = all().any(Share::is_float);
    if !is_float && !all().any(Share::is_bitwise) {
        return shared(share, &others.map(Clone::clone)).map(Some);
    }
    if !is_float && !all().all(Share::is_bitwise) {
        let mut objects = others.map(Clone::clone);
        for object in &mut objects {
            *object = in_field(object)?;
        }
        return shared(&share.in_field(py)?, &objects).map(Some);
    }
    let operation = Operation::new(&share.core);
    let own = operation.operand(py, share)?;
    let mut objects = others.map(Clone::clone);
    for object in &mut objects {
        *object = operation.object(object)?;
    }
    let made = written(&own, &objects)?;
    made.map(|made| Ok(operation.made(py, &made)?.into())).transpose()
}

/// An operation on numbers that are shared bit by bit.
pub fn of_one(
    py: Python<'_>,
    share: &Share,
    written: impl FnOnce(&Written) -> PyResult<Array>,
) -> PyResult<Array> {
    let operation = Operation::new(&share.core);
    let made = written(&operation.operand(py, share)?)?;
    Ok(operation.made(py, &made)?.into())
}

/// An operation on several arrays, of which one is shared bit by bit.
pub fn of_many(
    py: Python<'_>,
    shares: &[&Share],
    written: impl FnOnce(&mut Tracer, &[Value]) -> Traced<Value>,
) -> PyResult<Share> {
    let Some(first) = shares.first() else { return Err(ProgramError::new_err("give at least one array")) };
    let operation = Operation::new(&first.core);
    let values = shares.iter().map(|share| Ok(operation.operand(py, share)?.value));
    let values = values.collect::<PyResult<Vec<_>>>()?;
    let made = written(&mut operation.graph.lock(), &values)?;
    operation.computed(py, made, (&Speakers::Nobody, &[]))
}

/// An object of Python whose numbers are not shared bit by bit.
fn in_field<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match share_of(object) {
        Some(share) if share.is_bitwise() => {
            let array = Array::from(share.in_field(object.py())?);
            Ok(Bound::new(object.py(), array)?.into_any())
        }
        _ => Ok(object.clone()),
    }
}

/// The floats that a party gives; only that party has them.
pub fn given(
    py: Python<'_>,
    core: &Arc<Core>,
    (owner, name): (PartyIndex, &str),
    (kind, dims): (&Kind, Vec<u64>),
    literal: Option<&Literal>,
) -> PyResult<Share> {
    core.announced(py, kind)?;
    let words = literal.map(|literal| literal.words(kind)).transpose();
    let words = words.map_err(|error| InputError::new_err(format!("{name}: {error}")))?;
    let operation = Operation::new(core);
    let value = operation.input("x0", kind.clone(), dims)?;
    let own = [words.into_iter().collect()];
    operation.computed(py, value, (&Speakers::Giver(owner), &own))
}

/// Public floats.
pub fn constant(py: Python<'_>, core: &Arc<Core>, literal: &Literal, kind: Kind) -> PyResult<Share> {
    let operation = Operation::new(core);
    let value = operation.graph.lock().literal(literal, kind)?;
    operation.computed(py, value, (&Speakers::Nobody, &[]))
}

impl Share {
    /// Whether elements are shared bit by bit.
    pub fn is_bitwise(&self) -> bool {
        self.is_float() || self.value.word_bits().is_some()
    }

    /// Whether elements are floats, which are always shared bit by bit.
    pub fn is_float(&self) -> bool {
        matches!(self.kind, Some(Kind::Float(_)))
    }

    /// Whether a conversion to a kind is computed bit by bit: from and to floats, and of what is shared in that way, unless it keeps its kind.
    pub fn converts_bitwise(&self, to: &Kind) -> bool {
        let stays = self.kind.as_ref() == Some(to) || matches!(to, Kind::Field(_));
        self.is_float() || matches!(to, Kind::Float(_)) || self.is_bitwise() && !stays
    }

    /// The words of the elements, shared bit by bit.
    fn words(&self, py: Python<'_>) -> PyResult<AnyValue> {
        let (Some(kind), None) = (&self.kind, self.value.word_bits()) else { return Ok(self.value.clone()) };
        let bits = match kind {
            Kind::Bool => self.clone(),
            _ => self.all_bits(py, kind)?,
        };
        self.core.value(py, AnyOperation::ColumnOfBits(&bits.value, kind.bits()))
    }

    /// The same numbers as elements of the field.
    ///
    /// Errors: they are floats, or the field has no room for them.
    pub fn in_field(&self, py: Python<'_>) -> PyResult<Share> {
        let (Some(kind), Some(_)) = (&self.kind, self.value.word_bits()) else { return Ok(self.clone()) };
        let number = number(kind, "an element of the field")?;
        self.core.room()?.kind(|| format!("an element of the field made of {kind}"), number)?;
        let bits = self.core.value(py, AnyOperation::BitsOfColumn(&self.value))?;
        if *kind == Kind::Bool {
            return Ok(Share::new(bits, self.shape.clone(), &self.core).of(Some(Kind::Bool)));
        }
        let dims = [&self.shape[..], &[u64::from(number.bits)]].concat();
        let bits = Share::new(bits, dims, &self.core);
        let whole = bits.joined_bits(py)?;
        if !number.signed {
            return Ok(whole.of(Some(kind.clone())));
        }
        let mut sign = View::whole(&bits.shape);
        sign.pick(self.shape.len(), u64::from(number.bits) - 1);
        let above = bits.viewed(py, &sign)?.by_power(py, number.bits)?;
        Ok(whole.pair(py, &above, AnyPair::Sub)?.of(Some(kind.clone())))
    }

    /// The bits of elements that are shared bit by bit, as these parties learn them.
    pub fn opened_bits(&self, py: Python<'_>, to: Vec<PartyIndex>) -> PyResult<AnyValue> {
        let operation = Operation::new(&self.core);
        let own = operation.operand(py, self)?;
        let compiled = operation.compiled(py, &own.value, &Speakers::Receivers(to))?;
        let opened = self.core.task(py)?.opened(&compiled, &self.value);
        opened.map_err(|error| failed(&error))
    }
}

/// Elements that have become known.
pub enum Known {
    Floats(Vec<f64>),
    Numbers(Numbers),
}

/// The elements with these opened bits, wire by wire.
///
/// Errors: one is no bit, so some party has computed something else.
pub fn of_bits(bits: &Numbers, kind: &Kind) -> PyResult<Known> {
    let (width, ones) = (kind.bits() as usize, ones(bits)?);
    let lanes = ones.len() / width;
    let one = |lane: usize, bit: usize| ones[bit * lanes + lane];
    let float = |lane: usize| {
        let word = (0..width).rev().fold(0u64, |word, bit| word << 1 | u64::from(one(lane, bit)));
        if width == 32 { f32::from_bits(word as u32).into() } else { f64::from_bits(word) }
    };
    let number = |lane: usize| {
        let word = (0..width).rev().fold(BigInt::ZERO, |word, bit| (word << 1u8) + u8::from(one(lane, bit)));
        match kind.signed() && one(lane, width - 1) {
            true => word - (BigInt::from(1u8) << width),
            false => word,
        }
    };
    Ok(match kind {
        Kind::Float(_) => Known::Floats((0..lanes).map(float).collect()),
        _ => Known::Numbers(gathered((0..lanes).map(number).collect())),
    })
}

fn ones(bits: &Numbers) -> PyResult<Vec<bool>> {
    let bit = |bit: &BigInt| match bit {
        bit if *bit == BigInt::ZERO => Some(false),
        bit => (*bit == BigInt::from(1u8)).then_some(true),
    };
    let bits: Option<Vec<bool>> = match bits {
        Numbers::Small(bits) => bits.iter().map(|one| bit(&(*one).into())).collect(),
        Numbers::Large(bits) => bits.iter().map(bit).collect(),
    };
    let no_bit =
        || AbortError::new_err(CompiledError::NoBit { output: "an opened number".into() }.to_string());
    bits.ok_or_else(no_bit)
}
