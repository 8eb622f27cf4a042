//! The operations of a store on its files, their order, and what a power cut leaves at each moment.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use aes_gcm_siv::aead::{AeadInOut, KeyInit};
use aes_gcm_siv::{Aes256GcmSiv, Tag};
use tacit_net::keys::{SecretKey, generate};

use crate::files::recorded::{self, Disk, FileRecord, What};
use crate::segment::{self, HEAD_BYTES, KEY_BYTES, Key, SegmentName, TAG_BYTES};
use crate::{Binding, INDEX, PoolId, Sealed, Store, files};

const ENTRIES: u64 = 6;
const ENTRY_BYTES: usize = 100;
const RECORD_BYTES: u64 = ENTRY_BYTES as u64 + TAG_BYTES;
const BATCH: [u8; 16] = [7; 16];
const SEGMENT: &str = "00000000.segment";
const KEY: &str = "00000000.key";

/// A folder that is removed with the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("tacit-store-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).expect("a folder");
        Folder(folder)
    }

    /// A folder with these files.
    fn with<'a>(files: impl Iterator<Item = (&'a str, &'a [u8])>) -> Folder {
        let folder = Folder::new();
        files.for_each(|(name, content)| fs::write(folder.0.join(name), content).expect("a file"));
        folder
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn binding() -> Binding {
    Binding { pool: PoolId([3; 32]), kind: "test".into(), description: "{}".into() }
}

fn entry(number: u64) -> [u8; ENTRY_BYTES] {
    [number as u8 + 1; ENTRY_BYTES]
}

/// Reserves, fills and seals a segment of entries with the next numbers; `of` gives their bytes.
fn fill(store: &mut Store, of: impl Fn(u64) -> [u8; ENTRY_BYTES]) -> Sealed {
    let first = store.next_number(&binding());
    let mut filling = store.reserve(&binding(), (first, ENTRIES), BATCH).expect("reserved");
    for number in first..first + ENTRIES {
        store.append(&mut filling, &mut of(number)).expect("appended");
    }
    store.seal(filling).expect("sealed")
}

/// The key of a segment of [`binding`].
fn key_of(store: &Store, id: u64) -> Key {
    let name = SegmentName { id, pool: binding().pool, batch: BATCH };
    segment::load_key(&store.folder, name, store.key().expect("a key")).expect("a key of a segment")
}

/// All file operations in the life of the first segment of a new store, from its reservation until its
/// entries are spent.
struct Life {
    folder: Folder,
    owner: SecretKey,
    /// The key of the segment.
    key: Key,
    records: Vec<FileRecord>,
}

impl Life {
    fn new() -> Life {
        let (folder, (owner, _)) = (Folder::new(), generate().expect("randomness"));
        drop(recorded::take());
        let mut store = Store::open(&folder.0, &owner).expect("a store");
        let sealed = fill(&mut store, entry);
        recorded::mark("sealed");
        let key = key_of(&store, sealed.id);
        store.commit(sealed).expect("ready");
        recorded::mark("ready");
        for number in 0..ENTRIES {
            let claim = store.claim(&binding(), 0).expect("read").expect("an entry");
            assert_eq!((claim.number, &claim.material[..]), (number, &entry(number)[..]));
        }
        recorded::mark("erased");
        store.release().expect("released");
        drop(store);
        Life { folder, owner, key, records: recorded::take() }
    }

    /// The disk before each operation, with the operation.
    fn each(&self, mut look: impl FnMut(&Disk, &FileRecord)) {
        let mut disk = Disk::default();
        for record in &self.records {
            look(&disk, record);
            disk.follow(record);
        }
    }

    /// The disk at each operation of this kind on a file; there must be at least one.
    fn when(&self, name: &str, kind: impl Fn(&What) -> bool, look: impl Fn(&Disk)) {
        let mut seen = 0;
        self.each(|disk, record| {
            if record.name == name && kind(&record.what) {
                seen += 1;
                look(disk);
            }
        });
        assert_eq!(seen, 1, "{name}");
    }
}

fn after_cut<'a>(disk: &'a Disk, name: &str) -> Option<&'a [u8]> {
    disk.after_cut().find(|(other, _)| *other == name).map(|(_, content)| content)
}

/// The entry that is about to be read, if any.
fn read_entry(record: &FileRecord) -> Option<u64> {
    match record.what {
        What::Read { at } if record.name == SEGMENT => {
            Some(at.checked_sub(HEAD_BYTES as u64)? / RECORD_BYTES)
        }
        _ => None,
    }
}

#[test]
fn every_change_of_a_file_is_recorded() {
    let life = Life::new();
    let mut disk = Disk::default();
    life.records.iter().for_each(|record| disk.follow(record));
    let there = fs::read_dir(&life.folder.0).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut found: Vec<_> = there
        .filter(|path| !path.ends_with(crate::LOCK))
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, fs::read(&path).expect("a file"))
        })
        .collect();
    found.sort();
    let recorded: Vec<_> = disk.now().map(|(name, content)| (name.to_owned(), content.to_vec())).collect();
    assert!(found == recorded, "{:?}", found.iter().map(|(name, _)| name).collect::<Vec<_>>());
}

/// The others are told that the entries exist as soon as they are sealed, so they must survive anything that
/// happens to this machine.
#[test]
fn a_sealed_segment_and_its_key_are_durable() {
    Life::new().when(
        "sealed",
        |what| matches!(what, What::Mark),
        |disk| {
            let lengths = [SEGMENT, KEY].map(|name| after_cut(disk, name).map(<[u8]>::len));
            let entries = HEAD_BYTES + (ENTRIES * RECORD_BYTES) as usize;
            assert_eq!(lengths, [Some(entries), Some(KEY_BYTES)], "a power cut loses what was sealed");
            assert!(disk.is_durable(SEGMENT) && disk.is_durable(KEY), "a power cut loses what was sealed");
        },
    );
}

/// A file's name can be removed while its content stays on the disk: the content must be zeros by then, and
/// must not come back.
#[test]
fn a_key_is_durably_zeros_before_it_is_removed() {
    let life = Life::new();
    let removed = |what: &What| matches!(what, What::Removed);
    life.when(KEY, removed, |disk| {
        assert_eq!(after_cut(disk, KEY), Some(&[0; KEY_BYTES][..]), "the disk still holds the key");
        assert!(disk.is_durable(KEY));
    });
    life.when(SEGMENT, removed, |disk| {
        assert!(after_cut(disk, KEY).is_none(), "a power cut brings the key back");
    });
}

/// Removing a row frees its number, which names files, for the next segment.
#[test]
fn files_are_durably_gone_before_their_row() {
    Life::new().when(
        "erased",
        |what| matches!(what, What::Mark),
        |disk| {
            let left: Vec<&str> = disk.after_cut().map(|(name, _)| name).collect();
            assert_eq!(left, [INDEX], "a power cut brings files back that no row knows of");
        },
    );
}

/// Entries that were read may be told to others, so no power cut may let them be read again.
#[test]
fn entries_are_read_when_they_are_durably_spent() {
    let life = Life::new();
    let mut read = Vec::new();
    life.each(|disk, record| {
        let Some(number) = read_entry(record) else { return };
        let left = Folder::with(disk.after_cut());
        let store = Store::inspect(&left.0).expect("a store");
        assert!(store.mark(&binding()) > number, "after a power cut entry {number} would be used again");
        read.push(number);
    });
    assert_eq!(read, Vec::from_iter(0..ENTRIES));
}

#[test]
fn a_key_is_in_its_own_file_alone() {
    let life = Life::new();
    let mut sealed = None;
    for FileRecord { name, what } in &life.records {
        let What::Written { bytes, .. } = what else { continue };
        let holds =
            |secret: &[u8]| bytes.windows(16).any(|window| secret.chunks(16).any(|half| half == window));
        assert!(!holds(&life.key[..]), "{name} holds the key in the clear");
        if name == KEY {
            sealed.get_or_insert_with(|| bytes[20..52].to_vec());
        } else if let Some(sealed) = &sealed {
            assert!(!holds(sealed), "{name} holds a copy of the sealed key, which is never overwritten");
        }
    }
    assert!(sealed.is_some());
}

/// The power is cut at any moment: once with everything written, once without anything that is not synced.
#[test]
fn a_power_cut_loses_nothing_ready_and_repeats_nothing() {
    let life = Life::new();
    let (mut ready, mut read, mut cuts, mut synced) = (false, 0, 0, false);
    life.each(|disk, record| {
        ready |= record.name == "ready";
        read = read.max(read_entry(record).map_or(0, |number| number + 1));
        // Between two syncs a disk can only hold less, or what the next check finds.
        let look = synced || read_entry(record).is_some();
        synced = matches!(record.what, What::Synced | What::NamesSynced);
        if !look {
            return;
        }
        cuts += 1;
        for left in [Folder::with(disk.now()), Folder::with(disk.after_cut())] {
            let mut store = Store::open(&left.0, &life.owner).expect("a store that opens");
            drop(recorded::take());
            assert!(store.verify().expect("a sound index").is_empty(), "an entry is damaged");
            // Entries marked ahead are lost: never more than were used, plus the one that is about to be
            // used.
            let spent = store.mark(&binding());
            assert!(spent >= read, "an entry would be read again");
            assert!(!ready || spent <= 2 * read + 1, "{spent} spent of which {read} were read");
            if ready && spent < ENTRIES {
                let claim = store.claim(&binding(), 0).expect("sound").expect("what was ready");
                assert_eq!((claim.number, &claim.material[..]), (spent, &entry(spent)[..]));
            }
            let next = store.next_number(&binding());
            drop(store.reserve(&binding(), (next, 1), BATCH).expect("no file in the way"));
        }
    });
    assert!(ready && read == ENTRIES && cuts > 20, "{cuts} cuts");
}

/// A folder whose name is not synced is gone after a power cut, with everything in it.
#[test]
fn a_new_folder_and_those_above_it_are_durable_before_anything_is_in_them() {
    let (folder, (owner, _)) = (Folder::new(), generate().expect("randomness"));
    let name = |path: &Path| path.file_name().expect("a name").to_str().expect("a text").to_owned();
    let names = |path: &Path| -> Vec<(String, bool)> {
        drop(recorded::take());
        drop(Store::open(path, &owner).expect("a store"));
        let records = recorded::take();
        let until = records.iter().position(|record| matches!(record.what, What::Created));
        let told = |record: &FileRecord| match record.what {
            What::FolderMade => Some((record.name.clone(), false)),
            What::NamesSynced => Some((record.name.clone(), true)),
            _ => None,
        };
        records[..until.expect("a file")].iter().filter_map(told).collect()
    };
    let (made, synced) = (|name: &str| (name.to_owned(), false), |name: &str| (name.to_owned(), true));
    let [above, own] = [folder.0.parent().expect("a folder"), &folder.0].map(name);
    let expected = [synced(&above), made("outer"), synced(&own), made("inner"), synced("outer")];
    assert_eq!(names(&folder.0.join("outer/inner")), expected);
    // A process may have ended between the two.
    fs::create_dir(folder.0.join("empty")).expect("a folder");
    assert_eq!(names(&folder.0.join("empty")), [synced(&own)]);
}

/// The bytes of a file of a store.
fn file(folder: &Folder, name: &str) -> Vec<u8> {
    fs::read(folder.0.join(name)).expect("a file")
}

/// A party with one secret key may have two stores, whose segments and entries have the same numbers.
#[test]
fn equal_entries_seal_differently() {
    let (owner, _) = generate().expect("randomness");
    let folders = [Folder::new(), Folder::new()];
    let mut stores = folders.each_ref().map(|folder| Store::open(&folder.0, &owner).expect("a store"));
    for store in &mut stores {
        fill(store, |_| [5; ENTRY_BYTES]);
        fill(store, |_| [5; ENTRY_BYTES]);
    }
    let names: [(u64, String); 2] = [0, 1].map(|id| (id, format!("{id:08}")));
    let mut keys = Vec::new();
    let mut nonces = Vec::new();
    let mut entries = Vec::new();
    for (store, folder) in stores.iter().zip(&folders) {
        for (id, name) in &names {
            keys.push(key_of(store, *id).to_vec());
            nonces.push(file(folder, &format!("{name}.key"))[8..20].to_vec());
            let segment = file(folder, &format!("{name}.segment"));
            entries.extend(segment[HEAD_BYTES..].chunks(RECORD_BYTES as usize).map(<[u8]>::to_vec));
        }
    }
    assert_eq!(entries.len() as u64, 4 * ENTRIES);
    let distinct = |mut all: Vec<Vec<u8>>| {
        let count = all.len();
        all.sort();
        all.dedup();
        all.len() == count
    };
    assert!(distinct(keys), "segments share a key");
    assert!(distinct(nonces), "keys are sealed with one nonce under one key");
    assert!(distinct(entries), "equal entries show that they are equal");
}

/// An entry sealed with another entry's nonce would be safe only as long as the rest of its seal differs.
#[test]
fn the_nonce_of_an_entry_is_its_number() {
    let (folder, (owner, _)) = (Folder::new(), generate().expect("randomness"));
    let mut store = Store::open(&folder.0, &owner).expect("a store");
    fill(&mut store, entry);
    let cipher = Aes256GcmSiv::new((&*key_of(&store, 0)).into());
    let segment = file(&folder, SEGMENT);
    for (number, sealed) in (0..).zip(segment[HEAD_BYTES..].chunks(RECORD_BYTES as usize)) {
        let mut bytes = sealed[..ENTRY_BYTES].to_vec();
        let tag = Tag::try_from(&sealed[ENTRY_BYTES..]).expect("a tag");
        let mut nonce = [0; 12];
        nonce[4..].copy_from_slice(&u64::to_le_bytes(number));
        let bound = [&binding().pool.0[..], &BATCH, &number.to_le_bytes()].concat();
        cipher
            .decrypt_inout_detached(&nonce.into(), &bound, bytes.as_mut_slice().into(), &tag)
            .expect("an entry sealed with its number");
        assert_eq!(bytes, entry(number));
    }
}

#[test]
fn an_empty_index_is_refused_not_begun_anew() {
    let folder = Folder::with([(INDEX, &[][..])].into_iter());
    let (owner, _) = generate().expect("randomness");
    let error = Store::open(&folder.0, &owner).expect_err("no index").to_string();
    assert!(error.contains("damaged"), "{error}");
    assert!(file(&folder, INDEX).is_empty());
    assert!(files::Pages::open(&folder.0.join(INDEX)).is_err());
}
