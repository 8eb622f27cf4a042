//! The folder with definitions of auctions.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

use crate::definition::Definition;
use crate::node::lock;

/// The folder's contents, as last read.
pub(crate) struct Definitions {
    folder: PathBuf,
    bits: u32,
    known: Mutex<BTreeMap<PathBuf, Result<Definition, String>>>,
}

impl Definitions {
    pub fn new(folder: PathBuf, bits: u32) -> Definitions {
        Definitions { folder, bits, known: Mutex::default() }
    }

    /// Reads files that are new or had faults; each fault is printed once. A definition that was read does not change until the server
    /// restarts.
    pub fn read(&self) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut known = lock(&self.known);
        for path in paths.filter(|path| path.extension().is_some_and(|ending| ending == "toml")) {
            if matches!(known.get(&path), Some(Ok(_))) {
                continue;
            }
            let read = Definition::load(&path, self.bits).map_err(|error| error.to_string());
            if let Err(fault) = &read
                && known.get(&path) != Some(&read)
            {
                eprintln!("tacit-auction: {fault}");
            }
            known.insert(path, read);
        }
    }

    /// All definitions.
    pub fn all(&self) -> Vec<Definition> {
        lock(&self.known).values().flatten().cloned().collect()
    }
}
