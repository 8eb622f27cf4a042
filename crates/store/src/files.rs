//! The files of a store. Everything that changes a file, makes it durable or reads entries goes through here,
//! so that tests can record it in order and see what a power cut would leave at each moment. Stored shares in
//! the engine also use it.

#[cfg(test)]
pub(crate) mod recorded;

use std::cell::Cell;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use redb::backends::FileBackend;
use redb::{Database, DatabaseError, StorageBackend};

use crate::StoreError;

/// The suffix of the name of a database while it is being made.
pub(crate) const NEW: &str = "new";

/// An operation on a file or folder.
#[derive(Clone, Copy)]
pub enum Event<'a> {
    /// A folder has a name, which is not durable yet.
    FolderMade,
    /// A file has a name, which is not durable yet.
    Created,
    /// Bytes were written at an offset; they are not durable yet.
    Written {
        /// The offset.
        at: u64,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// The length changed; that is not durable yet.
    Resized {
        /// The new length.
        bytes: u64,
    },
    /// What was written to the file is durable.
    Synced,
    /// Bytes are about to be read from an offset.
    Read {
        /// The offset.
        at: u64,
    },
    /// The file has another name; that is not durable yet.
    Renamed {
        /// Its new name.
        to: &'a Path,
    },
    /// The name is gone; that is not durable yet.
    Removed,
    /// Names in the folder are durable.
    NamesSynced,
}

/// Called with every operation on a file.
type Watcher = fn(&Path, Event<'_>);

thread_local! {
    static WATCHER: Cell<Option<Watcher>> = const { Cell::new(None) };
}

/// Calls `watcher` for every operation on files by this thread from now on. For tests.
pub fn watch(watcher: Watcher) {
    WATCHER.set(Some(watcher));
}

fn note(path: &Path, event: Event<'_>) {
    if let Some(watcher) = WATCHER.get() {
        watcher(path, event);
    }
}

/// An open file, which is written from its beginning.
pub(crate) struct File {
    path: PathBuf,
    file: fs::File,
    /// The offset of the next write.
    at: u64,
}

impl File {
    /// A new file that only its owner may read.
    pub fn create(path: &Path) -> io::Result<File> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)?;
        note(path, Event::Created);
        Ok(File { path: path.to_owned(), file, at: 0 })
    }

    /// Opens an existing file for reading.
    pub fn open(path: &Path) -> io::Result<File> {
        Ok(File { path: path.to_owned(), file: fs::File::open(path)?, at: 0 })
    }

    /// Opens an existing file to overwrite it in place.
    pub fn overwrite(path: &Path) -> io::Result<File> {
        let file = OpenOptions::new().write(true).open(path)?;
        Ok(File { path: path.to_owned(), file, at: 0 })
    }

    /// Makes what was written durable.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_all()?;
        note(&self.path, Event::Synced);
        Ok(())
    }

    /// Its length in bytes.
    pub fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Fills `bytes` from offset `at`.
    pub fn read_exact_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        note(&self.path, Event::Read { at });
        self.file.read_exact_at(bytes, at)
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        note(&self.path, Event::Written { at: self.at, bytes: &bytes[..written] });
        self.at += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Removes a name.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path)?;
    note(path, Event::Removed);
    Ok(())
}

/// Renames a file; an existing file of the new name is replaced.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    note(from, Event::Renamed { to });
    Ok(())
}

/// Makes names in a folder durable.
fn sync_names(folder: &Path) -> io::Result<()> {
    fs::File::open(folder).and_then(|folder| folder.sync_all())?;
    note(folder, Event::NamesSynced);
    Ok(())
}

/// As [`sync_names`], with the folder in the error.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    sync_names(folder).map_err(|error| StoreError::io(folder, error))
}

/// The folder that contains a path.
fn above(path: &Path) -> &Path {
    // A path without a folder is in the current folder.
    path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes a folder that only its owner may enter, and missing parent folders. All their names are durable.
///
/// # Errors
/// Those of the system.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        // Another process may have ended right after it made the folder, so its name may not be durable yet.
        // A process that may not read the parent did not make this folder, and need not sync its name.
        let _ = sync_names(above(folder));
        return Ok(());
    }
    if above(folder) != folder {
        make_folder(above(folder))?;
    }
    // Another process may have made it in the meantime.
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    note(folder, Event::FolderMade);
    sync_names(above(folder))
}

/// Makes a database with the content that `fill` writes, under another name until all of it is durable: so a
/// complete database exists or none, and its name is durable, too.
///
/// # Errors
/// Those of `fill`, the database and the system.
pub fn create_database(
    path: &Path,
    fill: impl FnOnce(&Database) -> Result<(), redb::Error>,
) -> Result<(), redb::Error> {
    let new = path.with_extension(NEW);
    // Left over if a process ended here.
    if let Err(error) = remove(&new)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error.into());
    }
    let database = Database::builder().create_with_backend(Pages::create(&new)?)?;
    fill(&database)?;
    drop(database);
    rename(&new, path)?;
    Ok(sync_names(above(path))?)
}

/// Opens an existing database.
///
/// # Errors
/// Those of the database and of the system, and an empty file.
pub fn open_database(path: &Path) -> Result<Database, DatabaseError> {
    Database::builder().create_with_backend(Pages::open(path)?)
}

/// The file of a database.
#[derive(Debug)]
pub(crate) struct Pages {
    path: PathBuf,
    file: FileBackend,
}

impl Pages {
    /// A new file that only its owner may read.
    pub fn create(path: &Path) -> Result<Pages, DatabaseError> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)?;
        note(path, Event::Created);
        Ok(Pages { path: path.to_owned(), file: FileBackend::new(file)? })
    }

    /// An existing file, which must not be empty: otherwise the database would start a new one in it.
    pub fn open(path: &Path) -> Result<Pages, DatabaseError> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        if file.metadata()?.len() == 0 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it is empty").into());
        }
        Ok(Pages { path: path.to_owned(), file: FileBackend::new(file)? })
    }
}

impl StorageBackend for Pages {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)?;
        note(&self.path, Event::Resized { bytes: len });
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.file.sync_data()?;
        note(&self.path, Event::Synced);
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.file.write(offset, data)?;
        note(&self.path, Event::Written { at: offset, bytes: data });
        Ok(())
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }
}
