//! Private decoders for fuzzing. Not part of the interface.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::PathBuf;

use zeroize::Zeroizing;

use crate::Store;
use crate::index::{self, Index};
use crate::segment::{KEY_BYTES, Key, SegmentName, SegmentReader};

/// The number of the segment.
const ID: u64 = 5;
/// A row may announce more entries than there are bytes.
const MOST_ENTRIES: usize = 100;

/// The rows of an index: pools and segments with their keys, as postcard writes them.
pub fn index(bytes: &[u8]) {
    let Ok((pools, segments)) = postcard::from_bytes(bytes) else { return };
    let Ok(index) = Index::of_rows(pools, segments) else { return };
    let lock = File::open("/dev/null").expect("a file");
    let (folder, leases) = (PathBuf::new(), HashMap::new());
    let store = Store { folder, index, key: None, leases, reader: None, observer: None, _lock: lock };
    for pool in store.list() {
        let stretches = store.stretches(&pool.binding);
        assert!(stretches.iter().all(|stretch| stretch.first >= store.mark(&pool.binding)));
        let told = stretches.iter().fold(0, |sum: u64, stretch| sum.saturating_add(stretch.count));
        assert_eq!(told, pool.ready);
    }
}

/// The row of a segment, then the file of its key, then its own.
pub fn segment(bytes: &[u8]) {
    let Ok((row, files)) = postcard::take_from_bytes::<index::Segment>(bytes) else { return };
    let (key, entries) = files.split_at(files.len().min(KEY_BYTES));
    let folder = std::env::temp_dir().join(format!("tacit-segment-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let name = SegmentName::of(ID, &row);
    fs::write(name.key_file(&folder), key).expect("a file");
    fs::write(name.file(&folder), entries).expect("a file");
    if let Ok(reader) = SegmentReader::open(&folder, ID, &row, &store_key()) {
        for number in (row.first..row.end()).take(MOST_ENTRIES) {
            let _ = reader.read(number);
        }
        assert!(reader.read(row.end()).is_err(), "an entry after the last");
    }
    fs::remove_dir_all(&folder).expect("a folder");
}

/// The key that seals the key of the segment.
fn store_key() -> Key {
    Zeroizing::new([7; 32])
}
