//! Finds the current line in the user's source.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

use pyo3::intern;
use pyo3::prelude::*;

use crate::lock::lock;

/// The files of the user.
pub enum Files {
    /// One file, as code objects name it.
    One(String),
    /// All files except those in these folders, which belong to the library: errors should not name their
    /// lines.
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

/// A code object by its address, and the offset of an instruction.
type Spot = (usize, i64);

/// A code object, kept alive so that its address stays valid, and the name of its file if it is the user's.
type Code = (Py<PyAny>, Option<String>);

/// Finds the innermost line of the user's files, and caches its name. It is called for every operation.
pub struct Frames<C> {
    innermost: Py<PyAny>,
    files: Files,
    known: Mutex<Known<C>>,
}

/// The cache.
struct Known<C> {
    /// The latest line, to which loops return.
    newest: Option<(Spot, C)>,
    lines: HashMap<Spot, C>,
    /// By the address of the code object.
    codes: HashMap<usize, Code>,
}

impl<C: Clone> Frames<C> {
    pub fn new(py: Python<'_>, files: Files) -> PyResult<Frames<C>> {
        let innermost = py.import("sys")?.getattr("_getframe")?.unbind();
        let known = Known { newest: None, lines: HashMap::new(), codes: HashMap::new() };
        Ok(Frames { innermost, files, known: Mutex::new(known) })
    }

    /// The name of the line, made by `name` from a file's name and a number; none if no file of the user is
    /// running.
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

    /// The name of a code object's file, if it is the user's.
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
