//! Stores on disk: of prepared runs, for Python, and of shares that are kept between runs.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use serde_json::json;
use tacit_engine::store::PoolStatus;
use tacit_engine::{ShareStore, StoreError};

use crate::errors::UsageError;
use crate::interruptible::interruptible;
use crate::lock::lock;
use crate::session::SecretKey;

fn store_error(error: StoreError) -> PyErr {
    UsageError::new_err(error.to_string())
}

/// Prepared runs on disk.
#[pyclass(module = "tacit", frozen)]
pub struct Store(Arc<Mutex<tacit_engine::Store>>);

impl Store {
    fn new(store: tacit_engine::Store) -> Store {
        Store(Arc::new(Mutex::new(store)))
    }

    /// The store, for work on another thread.
    pub fn shared(&self) -> Arc<Mutex<tacit_engine::Store>> {
        self.0.clone()
    }
}

#[pymethods]
impl Store {
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, key: &SecretKey) -> PyResult<Store> {
        let key = key.0.clone();
        let store = interruptible(py, move || tacit_engine::Store::open(&path, &key))?;
        store.map(Store::new).map_err(store_error)
    }

    #[staticmethod]
    fn inspect(py: Python<'_>, path: PathBuf) -> PyResult<Store> {
        let store = interruptible(py, move || tacit_engine::Store::inspect(&path))?;
        store.map(Store::new).map_err(store_error)
    }

    fn list(&self) -> String {
        let pools: Vec<_> = lock(&self.0).list().iter().map(describe).collect();
        json!(pools).to_string()
    }

    fn verify(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let store = self.shared();
        let damage = interruptible(py, move || lock(&store).verify())?.map_err(store_error)?;
        Ok(damage.iter().map(|damage| damage.error.to_string()).collect())
    }

    #[pyo3(signature = (*, everything = false))]
    fn prune(&self, py: Python<'_>, everything: bool) -> PyResult<u64> {
        let store = self.shared();
        interruptible(py, move || lock(&store).prune(everything))?.map_err(store_error)
    }
}

/// The purpose of the entries, and their number.
fn describe(pool: &PoolStatus) -> serde_json::Value {
    let mut row = json!({ "kind": pool.binding.kind });
    let counts = json!({
        "ready": pool.ready,
        "spent": pool.spent,
        "next": pool.next,
        "segments": pool.segments,
        "bytes": pool.bytes,
    });
    // A description by another release that cannot be parsed is left out.
    let description = serde_json::from_str(&pool.binding.description).unwrap_or_default();
    for part in [description, counts] {
        let serde_json::Value::Object(part) = part else { continue };
        part.into_iter().for_each(|(name, value)| row[name] = value);
    }
    row
}

/// A party's store of values kept between runs, if it names a folder for one.
pub fn share_store(folder: Option<PathBuf>, key: &SecretKey) -> PyResult<Option<ShareStore>> {
    let open = |folder: PathBuf| ShareStore::open(&folder, &key.0);
    folder.map(open).transpose().map_err(|error| UsageError::new_err(error.to_string()))
}
