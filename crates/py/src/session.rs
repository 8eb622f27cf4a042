//! Keys, session files and listeners.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::prelude::*;
use tacit_net::keys;
use tacit_net::session::SessionFile;
use tacit_plan::{SecurityLevel, SecurityParams};

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

/// The parties, their addresses and keys, and the terms of a run.
#[pyclass(module = "tacit", frozen)]
pub struct Session(pub SessionFile);

#[pymethods]
impl Session {
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Session> {
        SessionFile::load(&path).map(Session).map_err(usage)
    }

    #[staticmethod]
    fn parse(text: &str, path: PathBuf) -> PyResult<Session> {
        SessionFile::parse(text, Path::new(&path)).map(Session).map_err(usage)
    }

    #[getter]
    fn parties(&self) -> Vec<String> {
        self.0.parties.iter().map(|party| party.name.clone()).collect()
    }

    /// Those of the parties that compute.
    #[getter]
    fn computing(&self) -> Vec<String> {
        self.0.computing.clone()
    }

    /// The same session at another security level.
    fn with_security(&self, level: &str) -> PyResult<Session> {
        let level: SecurityLevel = level.parse().map_err(usage)?;
        let mut file = self.0.clone();
        file.security.level = level.name().to_owned();
        Ok(Session(file))
    }

    fn party_of(&self, role: &str) -> PyResult<String> {
        self.0.party_of_role(role).map(str::to_owned).map_err(usage)
    }
}

/// The security parameters of a session.
pub fn security_of(file: &SessionFile) -> PyResult<SecurityParams> {
    let given = &file.security;
    Ok(SecurityParams {
        level: given.level.parse().map_err(|error| usage(format!("security.level: {error}")))?,
        computational_bits: given.computational_bits,
        statistical_bits: given.statistical_bits,
        softspoken_k: given.softspoken_k,
    })
}

/// A place where a party awaits its peers, already bound.
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
