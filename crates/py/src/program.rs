//! Programs in Python.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use tacit_cfront::{CError, Compiler, Options, Warning};
use tacit_circuit::formats::{self, CircuitFile};
use tacit_circuit::{Circuit, Objective, OptimiserBudget, optimise_for};
use tacit_engine::{Report, RunError};
use tacit_ir::{PortId, Program as Ir, RoleId, Words, data};
use tacit_lower::{CompiledCircuit, LowerError};

use crate::errors::{InputError, ProgramError, UsageError, run_error};
use crate::interruptible::interruptible;

/// The largest program that is written out as one circuit, in gates.
const MAX_FLAT_GATES: usize = 1 << 27;

/// A program: its inputs, its operations, and the recipients of its outputs.
#[pyclass(module = "tacit", frozen)]
pub struct Program {
    pub ir: Arc<Ir>,
    /// The compiler that made it, for errors about two different programs.
    pub compiler: String,
    /// The file that lines of the program refer to, without its folder.
    pub source: Option<String>,
    /// Behaviour that its compiler assumed not to happen.
    warnings: Vec<String>,
}

impl Program {
    /// A program without warnings; `compiler` says what made it.
    pub fn new(ir: Ir, compiler: impl Into<String>) -> Program {
        Program { ir: Arc::new(ir), compiler: compiler.into(), source: None, warnings: Vec::new() }
    }

    /// A role of the program by name.
    pub fn role(&self, name: &str) -> PyResult<RoleId> {
        let position = self.ir.roles.iter().position(|role| role == name);
        let unknown = || UsageError::new_err(format!("the program has no role {name}"));
        position.map(|index| RoleId(index as u32)).ok_or_else(unknown)
    }

    /// The columns of the inputs that these roles give, from a JSON object each. A role without an object
    /// gives an empty one.
    pub fn decode_inputs(
        &self,
        given: &BTreeMap<String, String>,
        roles: impl Iterator<Item = RoleId>,
    ) -> PyResult<Vec<(PortId, Vec<Words>)>> {
        given.keys().try_for_each(|name| self.role(name).map(drop))?;
        let mut columns = Vec::new();
        for role in roles {
            let name = &self.ir.roles[role.index()];
            let failed = |error: &dyn std::fmt::Display| InputError::new_err(format!("role {name}: {error}"));
            let value: Value = match given.get(name) {
                Some(text) => serde_json::from_str(text).map_err(|error| failed(&error))?,
                None => json!({}),
            };
            columns.extend(data::decode_inputs(&self.ir, role, &value).map_err(|error| failed(&error))?);
        }
        Ok(columns)
    }

    /// As [`Program::decode_inputs`], for every input port; empty for those of other roles.
    pub fn columns(
        &self,
        given: &BTreeMap<String, String>,
        roles: impl Iterator<Item = RoleId>,
    ) -> PyResult<Vec<Vec<Words>>> {
        let mut ports = vec![Vec::new(); self.ir.inputs.len()];
        for (port, columns) in self.decode_inputs(given, roles)? {
            ports[port.index()] = columns;
        }
        Ok(ports)
    }

    pub fn all_roles(&self) -> impl Iterator<Item = RoleId> + use<> {
        (0..self.ir.roles.len()).map(|index| RoleId(index as u32))
    }

    /// The program as one circuit, optimised with this effort or the default one.
    pub fn flat(&self, py: Python<'_>, effort: Option<u64>, target: &str) -> PyResult<Circuit> {
        let objective = objective(target)?;
        let ir = self.ir.clone();
        let steps = effort.unwrap_or(tacit_lower::Options::EFFORT);
        let flat = interruptible(py, move || {
            let circuit = tacit_lower::flatten_for(&ir, MAX_FLAT_GATES, objective)?;
            Ok(optimise_for(circuit, objective, OptimiserBudget { steps }, |_| {}).0)
        })?;
        flat.map_err(|error: LowerError| self.error(RunError::Plan(error.into())))
    }

    /// As [`Program::flat`], with the roles of inputs and outputs.
    fn compiled(&self, py: Python<'_>, effort: Option<u64>, target: &str) -> PyResult<CompiledCircuit> {
        let circuit = self.flat(py, effort, target)?;
        CompiledCircuit::new(&self.ir, circuit).map_err(|error| ProgramError::new_err(error.to_string()))
    }

    /// The report of a run of this program as JSON.
    pub fn report(&self, report: &Report) -> PyResult<String> {
        let report = Report { source: self.source.clone(), ..report.clone() };
        serde_json::to_string(&report).map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }

    /// The exception for a failed run of this program, with the source location.
    pub fn error(&self, error: RunError) -> PyErr {
        run_error(error, self.source.as_deref())
    }
}

/// Options of C, as given on the command line.
pub fn c_options(
    clang: Vec<String>,
    function: Option<String>,
    unwind: Option<&str>,
    int_width: Option<&str>,
) -> PyResult<Options> {
    let mut options = Options::new(Compiler { command: clang.into_iter().map(Into::into).collect() });
    options.function = function;
    if let Some(text) = unwind {
        let bounds = text.parse();
        options.unwind = bounds.map_err(|error| UsageError::new_err(format!("--unwind {text}: {error}")))?;
    }
    if let Some(text) = int_width {
        let width = text.parse();
        options.int_width =
            width.map_err(|error| UsageError::new_err(format!("--int-width {text}: {error}")))?;
    }
    Ok(options)
}

/// The objective of circuits with this name.
fn objective(name: &str) -> PyResult<Objective> {
    match name {
        "size" => Ok(Objective::Size),
        "depth" => Ok(Objective::Depth),
        _ => Err(UsageError::new_err(format!("there is no target {name}; the targets are size and depth"))),
    }
}

/// Decodes a program: a compiled one, or a netlist.
fn decode(data: &[u8]) -> Result<Ir, String> {
    if !data.starts_with(formats::netlist::MAGIC) {
        return Ir::from_bytes(data).map_err(|error| error.to_string());
    }
    let compiled =
        CompiledCircuit::read_netlist(data, formats::MAX_WIRES).map_err(|error| error.to_string())?;
    compiled.program().map_err(|error| error.to_string())
}

/// The exception for C that did not compile.
pub fn c_error(source: &Path, error: &CError) -> PyErr {
    match error {
        CError::NoCompiler { .. } | CError::File { .. } => UsageError::new_err(error.to_string()),
        CError::MainFunction { .. } => {
            ProgramError::new_err(format!("{}: {error} (--function)", source.display()))
        }
        _ => ProgramError::new_err(error.to_string()),
    }
}

#[pymethods]
impl Program {
    #[staticmethod]
    #[pyo3(signature = (source, clang, function = None, unwind = None, int_width = None))]
    fn compile_c(
        py: Python<'_>,
        source: PathBuf,
        clang: Vec<String>,
        function: Option<String>,
        unwind: Option<&str>,
        int_width: Option<&str>,
    ) -> PyResult<Program> {
        let options = c_options(clang, function, unwind, int_width)?;
        let path = source.clone();
        let compiled = interruptible(py, move || tacit_cfront::compile(&[&path], &options))?;
        let compiled = compiled.map_err(|error| c_error(&source, &error))?;
        let warning = |warning: &Warning| format!("{}: {}", warning.location, warning.reason);
        Ok(Program {
            ir: Arc::new(compiled.program),
            compiler: compiled.compiler_version,
            // Lines of a C program may be in any file that it includes.
            source: None,
            warnings: compiled.warnings.iter().map(warning).collect(),
        })
    }

    #[staticmethod]
    #[pyo3(signature = (data, source = None))]
    fn from_bytes(py: Python<'_>, data: Vec<u8>, source: Option<String>) -> PyResult<Program> {
        let decoded = interruptible(py, move || decode(&data))?;
        let mut program = Program::new(decoded.map_err(ProgramError::new_err)?, String::new());
        program.source = source;
        Ok(program)
    }

    #[staticmethod]
    #[pyo3(signature = (text, name, names = None))]
    fn from_circuit(py: Python<'_>, text: String, name: String, names: Option<String>) -> PyResult<Program> {
        let read = interruptible(py, move || -> Result<Ir, String> {
            let file = formats::read_file(&text, names.as_deref(), formats::MAX_WIRES);
            let program = match file.map_err(|error| error.to_string())? {
                CircuitFile::Plain(circuit) => tacit_lower::program_from_circuit(&circuit, &name),
                CircuitFile::Players(circuit) => tacit_lower::program_from_players(&circuit, &name),
            };
            program.map_err(|error| error.to_string())
        })?;
        Ok(Program::new(read.map_err(ProgramError::new_err)?, "a circuit file"))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.ir.to_bytes())
    }

    #[pyo3(signature = (effort = None, target = "size"))]
    fn to_bristol<'py>(
        &self,
        py: Python<'py>,
        effort: Option<u64>,
        target: &str,
    ) -> PyResult<(Bound<'py, PyBytes>, String)> {
        let compiled = self.compiled(py, effort, target)?;
        let mut text = Vec::new();
        let map =
            compiled.write_bristol(&mut text).map_err(|error| ProgramError::new_err(error.to_string()))?;
        let map =
            serde_json::to_string_pretty(&map).map_err(|error| ProgramError::new_err(error.to_string()))?;
        Ok((PyBytes::new(py, &text), map))
    }

    #[pyo3(signature = (effort = None, target = "size"))]
    fn to_netlist<'py>(
        &self,
        py: Python<'py>,
        effort: Option<u64>,
        target: &str,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let compiled = self.compiled(py, effort, target)?;
        let mut bytes = Vec::new();
        compiled.write_netlist(&mut bytes).map_err(|error| ProgramError::new_err(error.to_string()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    #[pyo3(signature = (effort = None, target = "size"))]
    fn stats(&self, py: Python<'_>, effort: Option<u64>, target: &str) -> PyResult<String> {
        let stats = self.flat(py, effort, target)?.stats();
        let object = json!({
            "and_count": stats.and_count,
            "xor_count": stats.xor_count,
            "not_count": stats.not_count,
            "and_depth": stats.and_depth,
            "inputs": stats.inputs,
            "outputs": stats.outputs,
        });
        Ok(object.to_string())
    }

    fn clear(&self, py: Python<'_>, inputs: BTreeMap<String, String>) -> PyResult<String> {
        let (ports, ir) = (self.columns(&inputs, self.all_roles())?, self.ir.clone());
        let outputs = interruptible(py, move || tacit_engine::clear(&ir, &ports))?;
        let outputs = outputs.map_err(|error| self.error(error))?;
        Ok(data::encode_all_outputs(&self.ir, &outputs).to_string())
    }

    /// Refuses inputs of these roles that do not fit.
    fn check_inputs(&self, inputs: BTreeMap<String, String>, roles: Vec<String>) -> PyResult<()> {
        let roles = roles.iter().map(|role| self.role(role)).collect::<PyResult<Vec<_>>>()?;
        self.decode_inputs(&inputs, roles.into_iter()).map(drop)
    }

    fn merge_outputs(&self, outputs: BTreeMap<String, String>) -> PyResult<String> {
        let failed = |error: &dyn std::fmt::Display| crate::errors::AbortError::new_err(error.to_string());
        let object = |(role, text): (String, String)| {
            Ok((self.role(&role)?, serde_json::from_str(&text).map_err(|error| failed(&error))?))
        };
        let objects = outputs.into_iter().map(object).collect::<PyResult<Vec<(RoleId, Value)>>>()?;
        let merged = data::merge_outputs(&self.ir, &objects).map_err(|error| failed(&error))?;
        Ok(merged.to_string())
    }

    #[getter]
    fn name(&self) -> &str {
        &self.ir.name
    }

    #[getter]
    fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    #[getter]
    fn roles(&self) -> Vec<String> {
        self.ir.roles.clone()
    }

    #[getter]
    fn hash(&self) -> String {
        self.ir.hash().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
