//! Proofs about C programs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use pyo3::prelude::*;
use serde_json::{Value, json};
use tacit_check::{CheckError, Limits, Report, Stop, Verification, VerifyError};

use crate::errors::{ProgramError, UsageError};
use crate::interruptible::cancellable;
use crate::program::{Program, c_error, c_options};

/// The result of a check.
#[pyclass(module = "tacit", frozen)]
pub struct CheckReport {
    report: Report,
    sources: Vec<PathBuf>,
}

/// The limits of proofs: conflicts of the solver for each question, and seconds for all.
pub fn limits(conflicts: Option<u32>, seconds: Option<f64>) -> PyResult<Limits> {
    let mut limits = Limits::default();
    limits.conflicts = conflicts.unwrap_or(limits.conflicts);
    if let Some(seconds) = seconds {
        let time = Duration::try_from_secs_f64(seconds)
            .map_err(|error| UsageError::new_err(format!("--time-limit {seconds}: {error}")))?;
        limits.stop = Stop::after(time);
    }
    Ok(limits)
}

/// Checks a C program. `progress` is called with the number of decided properties and the number of all.
#[pyfunction]
#[pyo3(signature = (
    sources, clang, *, function = None, unwind = None, int_width = None, conflicts = None, seconds = None,
    progress = None
))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub fn check_c(
    py: Python<'_>,
    sources: Vec<PathBuf>,
    clang: Vec<String>,
    function: Option<String>,
    unwind: Option<&str>,
    int_width: Option<&str>,
    conflicts: Option<u32>,
    seconds: Option<f64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<CheckReport> {
    let options = c_options(clang, function, unwind, int_width)?;
    let limits = limits(conflicts, seconds)?;
    let stop = limits.stop.clone();
    let decided = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let (shared, paths) = (decided.clone(), sources.clone());
    let work = move || {
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        tacit_check::check(&paths, &options, &limits, |done, total| {
            shared[1].store(total, Ordering::Relaxed);
            shared[0].store(done, Ordering::Relaxed);
        })
    };
    let tick = |py: Python<'_>| -> PyResult<()> {
        let [done, total] = [0, 1].map(|part: usize| decided[part].load(Ordering::Relaxed));
        match &progress {
            Some(progress) if total > 0 => progress.call1(py, (done, total)).map(drop),
            _ => Ok(()),
        }
    };
    let report = cancellable(py, work, || stop.stop(), tick)?;
    let report = report.map_err(|error| match &error {
        CheckError::C(error) => c_error(sources.first().map_or(Path::new(""), PathBuf::as_path), error),
        _ => ProgramError::new_err(error.to_string()),
    })?;
    Ok(CheckReport { report, sources })
}

impl CheckReport {
    fn paths(&self) -> Vec<&Path> {
        self.sources.iter().map(PathBuf::as_path).collect()
    }
}

#[pymethods]
impl CheckReport {
    fn to_json(&self) -> String {
        self.report.to_json().to_string()
    }

    fn test(&self, number: usize) -> PyResult<Option<String>> {
        let test = tacit_check::test(&self.report, number, &self.paths());
        test.map_err(|error| ProgramError::new_err(error.to_string()))
    }

    fn model_checker_source(&self) -> PyResult<String> {
        let text = tacit_check::model_checker_source(&self.report, &self.paths());
        text.map_err(|error| ProgramError::new_err(error.to_string()))
    }
}

/// Proves that the circuits of a program compute what the program says, and compares it with the native
/// program of the same sources on random inputs.
#[pyfunction]
#[pyo3(signature = (program, sources, clang, *, function = None, unwind = None, int_width = None, conflicts = None, seconds = None, runs = 256))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub fn verify(
    py: Python<'_>,
    program: &Program,
    sources: Vec<PathBuf>,
    clang: Vec<String>,
    function: Option<String>,
    unwind: Option<&str>,
    int_width: Option<&str>,
    conflicts: Option<u32>,
    seconds: Option<f64>,
    runs: usize,
) -> PyResult<String> {
    let options = c_options(clang, function, unwind, int_width)?;
    let limits = limits(conflicts, seconds)?;
    let (stop, ir) = (limits.stop.clone(), program.ir.clone());
    let work = move || -> Result<Value, VerifyError> {
        let schedule = tacit_lower::lower(&ir, &tacit_lower::Options::default())?;
        let mut result = match tacit_check::verify(&ir, &schedule, &limits)? {
            Verification::Equal => json!({ "verdict": "equal" }),
            Verification::Different(inputs) => {
                json!({ "verdict": "different", "inputs": tacit_check::to_json(&ir, &inputs) })
            }
            Verification::Undecided(bits) => json!({ "verdict": "undecided", "bits": bits }),
        };
        if !sources.is_empty() {
            let paths: Vec<&Path> = sources.iter().map(PathBuf::as_path).collect();
            let native = tacit_check::run_natively(&ir, &paths, &options, runs, &limits.stop)?;
            let different = native.different.map(|inputs| tacit_check::to_json(&ir, &inputs));
            result["native"] = json!({
                "agreed": native.agreed,
                "undefined": native.undefined,
                "left_out": native.left_out,
                "different": different,
            });
        }
        Ok(result)
    };
    let result = cancellable(py, work, || stop.stop(), |_| Ok(()))?;
    result.map(|value| value.to_string()).map_err(|error| ProgramError::new_err(error.to_string()))
}
