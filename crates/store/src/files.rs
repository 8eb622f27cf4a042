//! The files of a store. Everything that changes a file, makes it durable or reads entries goes through here, so that tests can record
//! it in order and see what a power cut would leave at each moment.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use redb::backends::FileBackend;
use redb::{DatabaseError, StorageBackend};

use crate::StoreError;
#[cfg(test)]
use recorded::note;

/// What happened to a file or folder.
#[cfg_attr(not(test), expect(dead_code, reason = "tests alone read it"))]
#[derive(Clone, Copy)]
pub(crate) enum Event<'a> {
    /// A file has a name, which is not durable yet.
    Created,
    /// Bytes were written from a place on; they are not durable yet.
    Written { at: u64, bytes: &'a [u8] },
    /// The length changed; that is not durable yet.
    Resized { bytes: u64 },
    /// What was written to the file is durable.
    Synced,
    /// Bytes are about to be read from a place on.
    Read { at: u64 },
    /// The file has another name; that is not durable yet.
    Renamed { to: &'a Path },
    /// The name is gone; that is not durable yet.
    Removed,
    /// Names in the folder are durable.
    NamesSynced,
}

/// Tells tests what happened; does nothing outside them.
#[cfg(not(test))]
#[inline(always)]
fn note(_: &Path, _: Event<'_>) {}

/// An open file, which is written from its start on.
pub(crate) struct File {
    path: PathBuf,
    file: fs::File,
    /// Where the next bytes are written.
    at: u64,
}

impl File {
    /// A new file that only its owner may read.
    pub fn create(path: &Path) -> io::Result<File> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)?;
        note(path, Event::Created);
        Ok(File { path: path.to_owned(), file, at: 0 })
    }

    /// A file that is there, to read it.
    pub fn open(path: &Path) -> io::Result<File> {
        Ok(File { path: path.to_owned(), file: fs::File::open(path)?, at: 0 })
    }

    /// A file that is there, to overwrite it in place.
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

    /// Fills `bytes` from place `at` on.
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

/// Gives a file another name, which may be that of a file that goes.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    note(from, Event::Renamed { to });
    Ok(())
}

/// Makes names in a folder durable.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    let sync = fs::File::open(folder).and_then(|folder| folder.sync_all());
    sync.map_err(|error| StoreError::io(folder, error))?;
    note(folder, Event::NamesSynced);
    Ok(())
}

/// The file of a database.
#[derive(Debug)]
pub(crate) struct Pages {
    path: PathBuf,
    file: FileBackend,
}

impl Pages {
    /// A new file.
    pub fn create(path: &Path) -> Result<Pages, DatabaseError> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        note(path, Event::Created);
        Ok(Pages { path: path.to_owned(), file: FileBackend::new(file)? })
    }

    /// A file that is there, which must not be empty: the database would start anew in it.
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

#[cfg(test)]
pub(crate) mod recorded {
    //! A record of what happens to files, and what a disk would hold after a power cut.

    use std::cell::RefCell;
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::Event;

    /// Something that happened to a file, by its name in the folder.
    pub struct Record {
        pub name: String,
        pub what: What,
    }

    pub enum What {
        Created,
        Written {
            at: u64,
            bytes: Vec<u8>,
        },
        Resized {
            bytes: u64,
        },
        Synced,
        Read {
            at: u64,
        },
        Renamed {
            to: String,
        },
        Removed,
        NamesSynced,
        /// The test came to this place.
        Mark,
    }

    thread_local! {
        static RECORDS: RefCell<Vec<Record>> = const { RefCell::new(Vec::new()) };
    }

    fn put(name: String, what: What) {
        RECORDS.with_borrow_mut(|records| records.push(Record { name, what }));
    }

    fn name_of(path: &Path) -> String {
        path.file_name().expect("a name").to_str().expect("a text").to_owned()
    }

    pub(super) fn note(path: &Path, event: Event<'_>) {
        let what = match event {
            Event::Created => What::Created,
            Event::Written { at, bytes } => What::Written { at, bytes: bytes.to_vec() },
            Event::Resized { bytes } => What::Resized { bytes },
            Event::Synced => What::Synced,
            Event::Read { at } => What::Read { at },
            Event::Renamed { to } => What::Renamed { to: name_of(to) },
            Event::Removed => What::Removed,
            Event::NamesSynced => What::NamesSynced,
        };
        put(name_of(path), what);
    }

    /// Records that the test came to a place.
    pub fn mark(name: &str) {
        put(name.to_owned(), What::Mark);
    }

    /// What this thread recorded so far; its record is empty afterwards.
    pub fn take() -> Vec<Record> {
        RECORDS.take()
    }

    #[derive(Default)]
    struct Content {
        now: Vec<u8>,
        synced: Vec<u8>,
    }

    /// The files of one folder as they are, and as a power cut would leave them at worst: without anything that no sync covers.
    #[derive(Default)]
    pub struct Disk {
        files: Vec<Content>,
        names: BTreeMap<String, usize>,
        synced_names: BTreeMap<String, usize>,
    }

    impl Disk {
        pub fn follow(&mut self, Record { name, what }: &Record) {
            match what {
                What::Created => {
                    self.names.insert(name.clone(), self.files.len());
                    self.files.push(Content::default());
                }
                What::Written { at, bytes } => {
                    let (now, at) = (&mut self.file(name).now, *at as usize);
                    now.resize(now.len().max(at + bytes.len()), 0);
                    now[at..at + bytes.len()].copy_from_slice(bytes);
                }
                What::Resized { bytes } => self.file(name).now.resize(*bytes as usize, 0),
                What::Synced => {
                    let file = self.file(name);
                    file.synced.clone_from(&file.now);
                }
                What::Renamed { to } => {
                    let file = self.names.remove(name).expect("a file that is there");
                    self.names.insert(to.clone(), file);
                }
                What::Removed => drop(self.names.remove(name).expect("a file that is there")),
                What::NamesSynced => self.synced_names.clone_from(&self.names),
                What::Read { .. } | What::Mark => {}
            }
        }

        fn file(&mut self, name: &str) -> &mut Content {
            &mut self.files[*self.names.get(name).expect("a file that is there")]
        }

        /// The files as they are.
        pub fn now(&self) -> impl Iterator<Item = (&str, &[u8])> {
            self.names.iter().map(|(name, file)| (&name[..], &self.files[*file].now[..]))
        }

        /// The files that a power cut leaves.
        pub fn after_cut(&self) -> impl Iterator<Item = (&str, &[u8])> {
            self.synced_names.iter().map(|(name, file)| (&name[..], &self.files[*file].synced[..]))
        }

        /// Whether a power cut leaves a file just as it is.
        pub fn is_durable(&self, name: &str) -> bool {
            let file = self.names.get(name);
            file.is_some_and(|file| self.files[*file].now == self.files[*file].synced)
                && file == self.synced_names.get(name)
        }
    }
}
