//! Which line of the user's file runs while an operation is written.

use std::sync::Mutex;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString};

use crate::lock::lock;

/// Frames that are looked through on the way from an operation to the user's file.
const MAX_FRAMES: usize = 64;

/// Finds the line of one file that the interpreter is at.
pub struct Lines {
    /// As code objects name the file.
    file: Py<PyString>,
    /// `sys._getframe` and its argument.
    innermost: (Py<PyAny>, Py<PyInt>),
    /// The code that ran last, and whether it is of the file: most operations are of the same few functions.
    last: Mutex<Option<(Py<PyAny>, bool)>>,
}

impl Lines {
    pub fn new(file: &Bound<'_, PyString>) -> PyResult<Lines> {
        let py = file.py();
        let innermost = py.import("sys")?.getattr("_getframe")?.unbind();
        let zero = PyInt::new(py, 0).unbind();
        Ok(Lines { file: file.clone().unbind(), innermost: (innermost, zero), last: Mutex::new(None) })
    }

    /// The innermost line of the file; 0 where none of it runs, or the interpreter does not tell.
    pub fn current(&self, py: Python<'_>) -> u32 {
        self.find(py).unwrap_or(0)
    }

    fn find(&self, py: Python<'_>) -> PyResult<u32> {
        let mut frame = self.innermost.0.bind(py).call1((&self.innermost.1,))?;
        for _ in 0..MAX_FRAMES {
            if self.is_of_file(&frame.getattr(intern!(py, "f_code"))?)? {
                return frame.getattr(intern!(py, "f_lineno"))?.extract();
            }
            let outer = frame.getattr(intern!(py, "f_back"))?;
            if outer.is_none() {
                break;
            }
            frame = outer;
        }
        Ok(0)
    }

    fn is_of_file(&self, code: &Bound<'_, PyAny>) -> PyResult<bool> {
        let mut last = lock(&self.last);
        if let Some((known, own)) = &*last
            && known.is(code)
        {
            return Ok(*own);
        }
        let own = code.getattr(intern!(code.py(), "co_filename"))?.eq(&self.file)?;
        *last = Some((code.clone().unbind(), own));
        Ok(own)
    }
}
