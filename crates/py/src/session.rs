//! Keys, session files and listeners.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::prelude::*;
use tacit_engine::RunOptions;
use tacit_net::keys;
use tacit_net::session::{SessionFile, SessionFileError};

use crate::errors::UsageError;

fn usage(error: impl std::fmt::Display) -> PyErr {
    UsageError::new_err(error.to_string())
}

/// A party's secret key. Its text never reaches Python.
#[pyclass(module = "tacit", frozen)]
pub struct SecretKey(pub keys::SecretKey);

#[pymethods]
impl SecretKey {
    #[staticmethod]
    fn generate() -> PyResult<SecretKey> {
        let (secret, _) = keys::generate().map_err(usage)?;
        Ok(SecretKey(secret))
    }

    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<SecretKey> {
        keys::SecretKey::load(&path).map(SecretKey).map_err(usage)
    }

    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.0.save(&path).map_err(usage)
    }

    fn save_public(&self, path: PathBuf) -> PyResult<()> {
        self.0.public().save(&path).map_err(usage)
    }

    #[getter]
    fn public(&self) -> String {
        self.0.public().to_string()
    }
}

/// The parties, their addresses and keys, and the options of runs.
#[pyclass(module = "tacit", frozen)]
pub struct Session {
    pub file: SessionFile,
    pub options: RunOptions,
}

impl Session {
    fn new(file: Result<SessionFile, SessionFileError>) -> PyResult<Session> {
        let file = file.map_err(usage)?;
        Ok(Session { options: RunOptions::of_session(&file).map_err(usage)?, file })
    }
}

#[pymethods]
impl Session {
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Session> {
        Session::new(SessionFile::load(&path))
    }

    #[staticmethod]
    fn parse(text: &str, path: PathBuf) -> PyResult<Session> {
        Session::new(SessionFile::parse(text, Path::new(&path)))
    }

    #[getter]
    fn parties(&self) -> Vec<String> {
        self.file.parties.iter().map(|party| party.name.clone()).collect()
    }

    /// The names of the parties that compute.
    #[getter]
    fn computing(&self) -> Vec<String> {
        self.file.computing.clone()
    }

    fn party_of(&self, role: &str) -> PyResult<String> {
        self.file.party_of_role(role).map(str::to_owned).map_err(usage)
    }
}

/// An already bound socket on which a party awaits its peers.
#[pyclass(module = "tacit", frozen)]
pub struct Listener(pub Arc<TcpListener>);

#[pymethods]
impl Listener {
    #[staticmethod]
    fn bind(address: &str) -> PyResult<Listener> {
        let bound = TcpListener::bind(address);
        bound
            .map(|listener| Listener(Arc::new(listener)))
            .map_err(|error| usage(format!("{address}: {error}")))
    }

    #[getter]
    fn address(&self) -> PyResult<String> {
        self.0.local_addr().map(|address| address.to_string()).map_err(usage)
    }
}
