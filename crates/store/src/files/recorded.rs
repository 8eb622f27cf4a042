//! A record of operations on files, and what a disk would hold after a power cut.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use super::{Event, watch};

/// An operation on a file, by its name in the folder.
pub struct FileRecord {
    pub name: String,
    pub what: What,
}

pub enum What {
    FolderMade,
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
    /// The test reached this point.
    Mark,
}

thread_local! {
    static RECORDS: RefCell<Vec<FileRecord>> = const { RefCell::new(Vec::new()) };
}

fn put(name: String, what: What) {
    RECORDS.with_borrow_mut(|records| records.push(FileRecord { name, what }));
}

fn name_of(path: &Path) -> String {
    path.file_name().expect("a name").to_str().expect("a text").to_owned()
}

fn note(path: &Path, event: Event<'_>) {
    let what = match event {
        Event::FolderMade => What::FolderMade,
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

/// Records that the test reached a point.
pub fn mark(name: &str) {
    put(name.to_owned(), What::Mark);
}

/// Takes the records of this thread so far; recording continues. The first call starts it.
pub fn take() -> Vec<FileRecord> {
    watch(note);
    RECORDS.take()
}

#[derive(Default)]
struct Content {
    now: Vec<u8>,
    synced: Vec<u8>,
}

/// The files of one folder as they are, and as a power cut would leave them in the worst case: without
/// anything that is not synced.
#[derive(Default)]
pub struct Disk {
    files: Vec<Content>,
    names: BTreeMap<String, usize>,
    synced_names: BTreeMap<String, usize>,
}

impl Disk {
    pub fn follow(&mut self, FileRecord { name, what }: &FileRecord) {
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
            What::FolderMade | What::Read { .. } | What::Mark => {}
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

    /// Whether a power cut leaves a file exactly as it is.
    pub fn is_durable(&self, name: &str) -> bool {
        let file = self.names.get(name);
        file.is_some_and(|file| self.files[*file].now == self.files[*file].synced)
            && file == self.synced_names.get(name)
    }
}
