use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use tacit_ir::RoleId;

use super::array::Array;
use super::errors::KindError;
use super::frames::{Files, Frames};
use super::kind::{PyKind, dims_of};
use super::operand::{holds_secrets, literal};
use super::shared_tracer::{SharedTracer, Writer};
use crate::language::tracer::Tracer;
use crate::language::value::Value;
use crate::program::Program;

/// A program while Python traces it.
#[pyclass(module = "tacit", frozen)]
pub struct Graph(pub SharedTracer);

impl Graph {
    fn values(&self, arrays: &[Bound<'_, Array>]) -> PyResult<Vec<Value>> {
        arrays.iter().map(|array| array.get().of(&self.0)).collect()
    }
}

#[pymethods]
impl Graph {
    /// `file` is the one whose lines are recorded, as named in code objects.
    #[new]
    #[pyo3(signature = (name, file = None))]
    fn new(py: Python<'_>, name: &str, file: Option<String>) -> PyResult<Graph> {
        let writer = match file {
            Some(file) => Writer::Function(Frames::new(py, Files::One(file))?),
            None => Writer::Unknown,
        };
        Ok(Graph(SharedTracer::new(Tracer::new(name), writer)))
    }

    fn role(&self, name: &str) -> u32 {
        self.0.lock().role(name).0
    }

    fn input(&self, role: u32, name: &str, kind: &PyKind, shape: &Bound<'_, PyAny>) -> PyResult<Array> {
        let value = self.0.lock().input(RoleId(role), name, kind.0.clone(), dims_of(shape)?)?;
        Ok(self.0.array(value))
    }

    fn output(&self, roles: Vec<u32>, name: &str, array: &Bound<'_, Array>) -> PyResult<()> {
        let roles = roles.into_iter().map(RoleId).collect();
        let value = array.get().of(&self.0)?;
        Ok(self.0.lock().output(roles, name, &value)?)
    }

    /// An array of public numbers, secret ones, or lists of both.
    #[pyo3(signature = (object, kind = None))]
    fn asarray(&self, object: &Bound<'_, PyAny>, kind: Option<&PyKind>) -> PyResult<Array> {
        let value = self.value(object, kind)?;
        Ok(self.0.array(value))
    }

    fn begin_loop<'py>(
        &self,
        py: Python<'py>,
        count: u64,
        carried: Vec<Bound<'py, Array>>,
        sliced: Vec<Bound<'py, Array>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (carried, sliced) = (self.values(&carried)?, self.values(&sliced)?);
        let given = self.0.lock().begin_loop(count, &carried, &sliced)?;
        let list = |values: Vec<Value>| PyList::new(py, values.into_iter().map(|value| self.0.array(value)));
        (self.0.array(given.counter), list(given.carried)?, list(given.slices)?).into_pyobject(py)
    }

    fn end_loop<'py>(
        &self,
        py: Python<'py>,
        carried: Vec<Bound<'py, Array>>,
        kept: Vec<Bound<'py, Array>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (carried, kept) = (self.values(&carried)?, self.values(&kept)?);
        let (carried, kept) = self.0.lock().end_loop(&carried, &kept)?;
        let list = |values: Vec<Value>| PyList::new(py, values.into_iter().map(|value| self.0.array(value)));
        (list(carried)?, list(kept)?).into_pyobject(py)
    }

    fn abandon_loop(&self) {
        self.0.lock().abandon_loop();
    }

    fn apply_circuit(&self, circuit: &Program, arguments: Vec<Bound<'_, Array>>) -> PyResult<Vec<Array>> {
        let values = self.values(&arguments)?;
        let results = self.0.lock().apply_circuit(&circuit.ir, &circuit.ir.name, &values)?;
        Ok(results.into_iter().map(|value| self.0.array(value)).collect())
    }

    fn apply_program(&self, program: &Program, arguments: Vec<Bound<'_, Array>>) -> PyResult<Vec<Array>> {
        let values = self.values(&arguments)?;
        let results = self.0.lock().apply_program(&program.ir, &program.ir.name, &values)?;
        Ok(results.into_iter().map(|value| self.0.array(value)).collect())
    }

    /// The program. `source` is the name of its file in reports and errors.
    #[pyo3(signature = (made_by = "Python", source = None))]
    fn finish(&self, py: Python<'_>, made_by: &str, source: Option<String>) -> PyResult<Program> {
        let shared = self.0.clone();
        let program = py.detach(move || shared.lock_anywhere().finish())?;
        let mut program = Program::new(program, made_by);
        program.source = source;
        Ok(program)
    }
}

impl Graph {
    fn value(&self, object: &Bound<'_, PyAny>, kind: Option<&PyKind>) -> PyResult<Value> {
        if let Ok(array) = object.cast::<Array>() {
            let value = array.get().of(&self.0)?;
            return match kind {
                None => Ok(value),
                Some(kind) => Ok(self.0.lock().astype(&value, &kind.0)?),
            };
        }
        if !holds_secrets(object) {
            let Some(literal) = literal(object)? else {
                let message = format!("{} is not a number or an array of numbers", object.get_type().name()?);
                return Err(KindError::new_err(message));
            };
            let kind = kind.map_or_else(|| literal.own_kind(), |kind| Ok(kind.0.clone()))?;
            return Ok(self.0.lock().literal(&literal, kind)?);
        }
        let parts = object.try_iter()?.map(|item| self.value(&item?, kind)).collect::<PyResult<Vec<_>>>()?;
        Ok(self.0.lock().stack(&parts, 0)?)
    }
}
