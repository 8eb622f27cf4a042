use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use tacit_net::session::Field;
use tacit_nparty::dynamic::{AnyOperation, AnyTask, AnyValue};
use tacit_nparty::runtime::CallSite;

use super::bit_programs::BitPrograms;
use super::errors::{KindError, ShapeError, failure};
use super::frames::Frames;
use super::running_task::RunningTask;
use crate::language::kind::Kind;
use crate::language::room::Room;
use crate::lock::lock;

/// One of a program's tasks.
#[pyclass(module = "tacit", frozen)]
pub struct PartyTask(pub Arc<dyn AnyTask>, Mutex<HashSet<Kind>>);

impl PartyTask {
    pub fn new(task: Arc<dyn AnyTask>) -> PartyTask {
        PartyTask(task, Mutex::default())
    }

    /// Makes parties with different programs report the kinds that differ. Each kind is reported once;
    /// everything else is compared anyway.
    fn agree(&self, kind: &Kind) -> PyResult<()> {
        if !lock(&self.1).insert(kind.clone()) {
            return Ok(());
        }
        let fields = vec![Field::text("the kind of numbers", kind.to_string())];
        self.0.agree(fields).map_err(|error| failure(&error))
    }
}

#[pymethods]
impl PartyTask {
    /// Whether it has opened values since the last comparison.
    #[getter]
    fn opened(&self) -> bool {
        self.0.has_opened()
    }
}

/// A computation that receives the operations of the running task.
pub struct Core {
    tasks: RunningTask<PartyTask>,
    frames: Frames<CallSite>,
    /// The numbers that fit in the field; none in GF(2^8), where numbers have no range.
    room: Option<Room>,
    programs: BitPrograms,
}

impl Core {
    /// `effort` is that of the session for compiling programs, if it sets one.
    pub fn new(
        tasks: RunningTask<PartyTask>,
        frames: Frames<CallSite>,
        room: Option<Room>,
        effort: Option<u64>,
    ) -> Core {
        Core { tasks, frames, room, programs: BitPrograms::new(effort) }
    }

    /// The compiled operations on numbers that are shared bit by bit.
    pub fn programs(&self) -> &BitPrograms {
        &self.programs
    }

    /// Tells the other parties that the program names numbers of this kind; those that name another are told both.
    pub fn announced(&self, py: Python<'_>, kind: &Kind) -> PyResult<()> {
        self.tasks.find(py)?.get().agree(kind)
    }

    /// The numbers that fit in the field.
    ///
    /// Errors: it is GF(2^8), whose elements are not numbers.
    pub fn room(&self) -> PyResult<&Room> {
        self.room.as_ref().ok_or_else(|| {
            KindError::new_err(
                "elements of GF(2^8) have no kind; numbers with one need a session whose modulus is a prime",
            )
        })
    }

    /// The same value, declared by the program to be of this kind. Parties that declare different kinds are
    /// told both, and nothing derived from the value is used.
    pub fn declared(&self, py: Python<'_>, value: &AnyValue, kind: &Kind) -> PyResult<AnyValue> {
        let task = self.task(py)?;
        self.announced(py, kind)?;
        task.value(AnyOperation::Declared(value, tag(kind))).map_err(|error| failure(&error))
    }

    /// The running task.
    pub fn running(&self, py: Python<'_>) -> PyResult<Arc<dyn AnyTask>> {
        Ok(self.tasks.find(py)?.get().0.clone())
    }

    /// The running task, with its position in the source.
    pub fn task(&self, py: Python<'_>) -> PyResult<Arc<dyn AnyTask>> {
        let task = self.running(py)?;
        let call_site = self.frames.line(py, |file, line| task.call_site(format!("{file}:{line}")))?;
        task.at(call_site.unwrap_or_default());
        Ok(task)
    }

    /// Writes an operation in the running task.
    pub fn apply(&self, py: Python<'_>, operation: AnyOperation<'_>) -> PyResult<Vec<AnyValue>> {
        if let Some(nothing) = of_nothing(&operation)? {
            return Ok(vec![nothing.clone(), nothing]);
        }
        self.task(py)?.apply(operation).map_err(|error| failure(&error))
    }

    /// As [`Core::apply`], for an operation with one result.
    pub fn value(&self, py: Python<'_>, operation: AnyOperation<'_>) -> PyResult<AnyValue> {
        if let Some(nothing) = of_nothing(&operation)? {
            return Ok(nothing);
        }
        self.task(py)?.value(operation).map_err(|error| failure(&error))
    }
}

/// The results of an operation on no elements, which is not computed: one value, or two equal ones.
///
/// Errors: the result would be in another field.
fn of_nothing(operation: &AnyOperation<'_>) -> PyResult<Option<AnyValue>> {
    use AnyOperation::*;
    let operands: [&AnyValue; 2] = match operation {
        Pair(_, a, b) | Matmul(a, b, _) | Divide(a, b, _) | LessWithin(a, b, _) | EqualWithin(a, b, _) => {
            [*a, *b]
        }
        FixedMul(a, b, _) | FixedDivide(a, b, _) | GreaterThanEqualToft(a, b, _) => [*a, *b],
        Scale(a, _) | Shift(a, _) | Negate(a) | Gather(a, _) | SumRuns(a, _) | Pow(a, _) | Inverse(a) => {
            [*a, *a]
        }
        Sqrt(a) | Parity(a) | Bits(a, _) | FromBits(a, _) | Truncate(a, ..) => [*a, *a],
        Remainder(a, ..) | TruncateProbably(a, ..) | Declared(a, _) => [*a, *a],
        ToBytes(a) | FromBytes(a) | GreaterThanEqualInBytes(a, ..) if a.len() == 0 => {
            return Err(ShapeError::new_err(
                "an array without elements cannot be converted to another field",
            ));
        }
        _ => return Ok(None),
    };
    Ok(operands.into_iter().find(|operand| operand.len() == 0).cloned())
}

/// A number that identifies a kind.
fn tag(kind: &Kind) -> u64 {
    let form = match kind {
        Kind::Bool => 0,
        Kind::Uint(_) => 1,
        Kind::Int(_) => 2,
        Kind::Fixed { .. } => 3,
        Kind::Field(_) => 4,
        Kind::Float(_) => 5,
    };
    form << 48 | u64::from(kind.bits()) << 24 | u64::from(kind.fraction())
}
