//! Where in the user's source the interpreter is.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

use pyo3::intern;
use pyo3::prelude::*;

use crate::lock::lock;

/// Which files are the user's.
pub enum Files {
    /// One file, as code objects name it.
    One(String),
    /// All but those in these folders, through which programs call: their own lines are nobody's mistake.
    Outside(Vec<String>),
}

impl Files {
    fn hold(&self, path: &str) -> bool {
        match self {
            Files::One(file) => path == file,
            Files::Outside(folders) => !folders.iter().any(|folder| Path::new(path).starts_with(folder)),
        }
    }
}

/// A code object by its address, and an instruction of it.
type Spot = (usize, i64);

/// A code object, which so stays where it is, and its file's name, if that is the user's.
type Code = (Py<PyAny>, Option<String>);

/// Finds the innermost line of the user's files, and remembers what it was called. It is asked for every operation.
pub struct Frames<C> {
    innermost: Py<PyAny>,
    files: Files,
    known: Mutex<Known<C>>,
}

/// What has been seen.
struct Known<C> {
    /// The newest line, which loops come back to.
    newest: Option<(Spot, C)>,
    lines: HashMap<Spot, C>,
    /// By the code's address.
    codes: HashMap<usize, Code>,
}

impl<C: Clone> Frames<C> {
    pub fn new(py: Python<'_>, files: Files) -> PyResult<Frames<C>> {
        let innermost = py.import("sys")?.getattr("_getframe")?.unbind();
        let known = Known { newest: None, lines: HashMap::new(), codes: HashMap::new() };
        Ok(Frames { innermost, files, known: Mutex::new(known) })
    }

    /// What `name` calls the line, of a file's name and a number; nothing where no user's file runs.
    pub fn line(&self, py: Python<'_>, name: impl FnOnce(&str, u32) -> C) -> PyResult<Option<C>> {
        let mut frame = self.innermost.bind(py).call0()?;
        loop {
            let code = frame.getattr(intern!(py, "f_code"))?;
            let instruction = frame.getattr(intern!(py, "f_lasti"))?.extract()?;
            let spot = (code.as_ptr() as usize, instruction);
            if let Some(line) = lock(&self.known).line(spot) {
                return Ok(Some(line));
            }
            if let Some(file) = self.file(&code)? {
                let line = name(&file, frame.getattr(intern!(py, "f_lineno"))?.extract()?);
                lock(&self.known).lines.insert(spot, line.clone());
                return Ok(Some(line));
            }
            frame = frame.getattr(intern!(py, "f_back"))?;
            if frame.is_none() {
                return Ok(None);
            }
        }
    }

    /// The name of a code's file, if that is the user's.
    fn file(&self, code: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        if let Some((_, file)) = lock(&self.known).codes.get(&(code.as_ptr() as usize)) {
            return Ok(file.clone());
        }
        let path: String = code.getattr(intern!(code.py(), "co_filename"))?.extract()?;
        let name = Path::new(&path).file_name().map(|name| name.to_string_lossy().into_owned());
        let file = self.files.hold(&path).then_some(name.unwrap_or(path));
        lock(&self.known).codes.insert(code.as_ptr() as usize, (code.clone().unbind(), file.clone()));
        Ok(file)
    }
}

impl<C: Clone> Known<C> {
    fn line(&mut self, spot: Spot) -> Option<C> {
        if let Some((newest, line)) = &self.newest
            && *newest == spot
        {
            return Some(line.clone());
        }
        let line = self.lines.get(&spot)?.clone();
        self.newest = Some((spot, line.clone()));
        Some(line)
    }
}
