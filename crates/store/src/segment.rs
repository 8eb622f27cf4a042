//! Segment files: consecutive entries, each sealed under the segment's own key, which is in a separate file.
//!
//! | file | content |
//! |---|---|
//! | `ID.segment` | magic, number of the segment, pool (48 bytes); then entries, each as long as the others |
//! | `ID.key` | magic (8 bytes), nonce (12), the segment's key sealed under the store's (48) |
//!
//! An entry is sealed with AES-256-GCM-SIV; its number is the nonce, and pool, batch and number are
//! associated data. So no entry can be moved, and deleting 68 bytes erases all of them.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use aes_gcm_siv::aead::{AeadInOut, KeyInit};
use aes_gcm_siv::{Aes256GcmSiv, Nonce, Tag};
use tacit_crypto::Prg;
use zeroize::Zeroizing;

use crate::files::{self, File, sync_folder};
use crate::{Corruption, PoolId, StoreError, index};

const MAGIC: &[u8; 8] = b"tacitseg";
const KEY_MAGIC: &[u8; 8] = b"tacitkey";
pub(crate) const HEAD_BYTES: usize = 48;
pub(crate) const KEY_BYTES: usize = 8 + 12 + 32 + 16;
/// Bytes that sealing adds to an entry.
pub(crate) const TAG_BYTES: u64 = 16;

pub(crate) type Key = Zeroizing<[u8; 32]>;

/// The identity of a segment, for files and seals.
#[derive(Clone, Copy)]
pub(crate) struct SegmentName {
    pub id: u64,
    pub pool: PoolId,
    pub batch: [u8; 16],
}

impl SegmentName {
    pub fn of(id: u64, segment: &index::Segment) -> SegmentName {
        SegmentName { id, pool: segment.pool, batch: segment.batch }
    }

    pub fn file(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{:08}.segment", self.id))
    }

    pub fn key_file(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{:08}.key", self.id))
    }

    fn head(&self) -> [u8; HEAD_BYTES] {
        let mut head = [0; HEAD_BYTES];
        head[..8].copy_from_slice(MAGIC);
        head[8..16].copy_from_slice(&self.id.to_le_bytes());
        head[16..].copy_from_slice(&self.pool.0);
        head
    }

    /// The associated data of an entry's seal.
    fn associated(&self, number: u64) -> [u8; 56] {
        let mut data = [0; 56];
        data[..32].copy_from_slice(&self.pool.0);
        data[32..48].copy_from_slice(&self.batch);
        data[48..].copy_from_slice(&number.to_le_bytes());
        data
    }
}

/// The nonce of an entry, under the key of its segment.
fn nonce(number: u64) -> Nonce {
    let mut nonce = [0; 12];
    nonce[4..].copy_from_slice(&number.to_le_bytes());
    nonce.into()
}

fn cipher(key: &Key) -> Aes256GcmSiv {
    Aes256GcmSiv::new((&**key).into())
}

/// Makes a key for a segment and writes it, sealed, to its file.
pub(crate) fn create_key(folder: &Path, name: SegmentName, store: &Key) -> Result<Key, StoreError> {
    let mut random = Prg::from_os()?;
    let mut key = Zeroizing::new([0; 32]);
    random.fill_bytes(&mut *key);
    let mut content = [0; KEY_BYTES];
    content[..8].copy_from_slice(KEY_MAGIC);
    random.fill_bytes(&mut content[8..20]);
    let (head, sealed) = content.split_at_mut(20);
    let (sealed, tag) = sealed.split_at_mut(32);
    sealed.copy_from_slice(&*key);
    let path = name.key_file(folder);
    let nonce = Nonce::try_from(&head[8..20]).map_err(|_| StoreError::corrupt(&path, Corruption::Head))?;
    let made = cipher(store)
        .encrypt_inout_detached(&nonce, &name.associated(name.id), sealed.into())
        .map_err(|_| StoreError::Exhausted)?;
    tag.copy_from_slice(&made);
    let write = || {
        let mut file = File::create(&path)?;
        file.write_all(&content)?;
        file.sync()
    };
    write().map_err(|error| StoreError::io(&path, error))?;
    Ok(key)
}

/// Reads the key of a segment.
pub(crate) fn load_key(folder: &Path, name: SegmentName, store: &Key) -> Result<Key, StoreError> {
    let path = name.key_file(folder);
    let damaged = || StoreError::corrupt(&path, Corruption::Key);
    let mut content = Vec::new();
    fs::File::open(&path)
        .and_then(|file| file.take(KEY_BYTES as u64 + 1).read_to_end(&mut content))
        .map_err(|error| missing(&path, error))?;
    if content.len() != KEY_BYTES || content[..8] != *KEY_MAGIC {
        return Err(damaged());
    }
    let mut key = Zeroizing::new([0; 32]);
    key.copy_from_slice(&content[20..52]);
    let nonce = Nonce::try_from(&content[8..20]).map_err(|_| damaged())?;
    let tag = Tag::try_from(&content[52..]).map_err(|_| damaged())?;
    cipher(store)
        .decrypt_inout_detached(&nonce, &name.associated(name.id), (&mut key[..]).into(), &tag)
        .map_err(|_| damaged())?;
    Ok(key)
}

fn missing(path: &Path, error: io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof => {
            StoreError::corrupt(path, Corruption::Missing)
        }
        _ => StoreError::io(path, error),
    }
}

/// Deletes a segment: first its key, which is overwritten, so that the rest of it reveals nothing.
pub(crate) fn erase(
    folder: &Path,
    name: SegmentName,
    step: impl Fn(&'static str) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let key = name.key_file(folder);
    let overwrite = || -> io::Result<()> {
        let mut file = File::overwrite(&key)?;
        file.write_all(&[0; KEY_BYTES])?;
        file.sync()?;
        files::remove(&key)
    };
    absent_is_fine(overwrite()).map_err(|error| StoreError::io(&key, error))?;
    sync_folder(folder)?;
    step("key erased")?;
    let path = name.file(folder);
    absent_is_fine(files::remove(&path)).map_err(|error| StoreError::io(&path, error))?;
    // Before the row is removed, which frees the number of these files for the next segment.
    sync_folder(folder)?;
    step("segment removed")
}

fn absent_is_fine(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// A segment that is being filled.
pub(crate) struct SegmentWriter {
    path: PathBuf,
    file: io::BufWriter<File>,
    name: SegmentName,
    cipher: Aes256GcmSiv,
    next: u64,
    /// Bytes of a sealed entry, once there is one.
    pub record_bytes: u64,
}

impl SegmentWriter {
    pub fn create(
        folder: &Path,
        name: SegmentName,
        first: u64,
        key: &Key,
    ) -> Result<SegmentWriter, StoreError> {
        let path = name.file(folder);
        let open = || {
            let mut file = io::BufWriter::with_capacity(1 << 18, File::create(&path)?);
            file.write_all(&name.head())?;
            Ok(file)
        };
        let file = open().map_err(|error| StoreError::io(&path, error))?;
        Ok(SegmentWriter { path, file, name, cipher: cipher(key), next: first, record_bytes: 0 })
    }

    /// The number of the next entry.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Seals and appends the next entry; its bytes are sealed in place.
    pub fn append(&mut self, material: &mut [u8]) -> Result<(), StoreError> {
        let size = material.len() as u64 + TAG_BYTES;
        if self.record_bytes != 0 && self.record_bytes != size {
            return Err(StoreError::corrupt(&self.path, Corruption::EntryLengths));
        }
        self.record_bytes = size;
        let associated = self.name.associated(self.next);
        let tag = self
            .cipher
            .encrypt_inout_detached(&nonce(self.next), &associated, (&mut *material).into())
            .map_err(|_| StoreError::Exhausted)?;
        let mut write = || {
            self.file.write_all(material)?;
            self.file.write_all(&tag)
        };
        write().map_err(|error| StoreError::io(&self.path, error))?;
        self.next += 1;
        Ok(())
    }

    /// Makes the file durable.
    pub fn finish(mut self) -> Result<(), StoreError> {
        let end = || {
            self.file.flush()?;
            self.file.get_ref().sync()
        };
        let mut end = end;
        end().map_err(|error| StoreError::io(&self.path, error))
    }
}

/// A segment that is being used.
pub(crate) struct SegmentReader {
    pub id: u64,
    path: PathBuf,
    file: File,
    name: SegmentName,
    cipher: Aes256GcmSiv,
    first: u64,
    count: u64,
    record_bytes: u64,
}

impl SegmentReader {
    /// Opens a segment and checks everything that needs no reading of entries.
    pub fn open(
        folder: &Path,
        id: u64,
        segment: &index::Segment,
        store: &Key,
    ) -> Result<SegmentReader, StoreError> {
        let name = SegmentName::of(id, segment);
        let path = name.file(folder);
        let file = check(&path, name, segment)?;
        let key = load_key(folder, name, store)?;
        let index::Segment { first, count, record_bytes, .. } = *segment;
        Ok(SegmentReader { id, path, file, name, cipher: cipher(&key), first, count, record_bytes })
    }

    /// The bytes of an entry.
    pub fn read(&self, number: u64) -> Result<Zeroizing<Vec<u8>>, StoreError> {
        let damaged = || StoreError::corrupt(&self.path, Corruption::Entry { number });
        let place = number.checked_sub(self.first).filter(|place| *place < self.count).ok_or_else(damaged)?;
        let size = usize::try_from(self.record_bytes).map_err(|_| damaged())?;
        let mut bytes = Zeroizing::new(vec![0; size]);
        let offset = HEAD_BYTES as u64 + place * self.record_bytes;
        self.file.read_exact_at(&mut bytes, offset).map_err(|error| missing(&self.path, error))?;
        let plain = size.checked_sub(TAG_BYTES as usize).ok_or_else(damaged)?;
        let tag = Tag::try_from(&bytes[plain..]).map_err(|_| damaged())?;
        self.cipher
            .decrypt_inout_detached(
                &nonce(number),
                &self.name.associated(number),
                (&mut bytes[..plain]).into(),
                &tag,
            )
            .map_err(|_| damaged())?;
        bytes.truncate(plain);
        Ok(bytes)
    }
}

/// Opens the file of a segment, and checks that its head and length are those in the index.
pub(crate) fn check(path: &Path, name: SegmentName, segment: &index::Segment) -> Result<File, StoreError> {
    let file = File::open(path).map_err(|error| missing(path, error))?;
    let mut head = [0; HEAD_BYTES];
    file.read_exact_at(&mut head, 0).map_err(|error| missing(path, error))?;
    if head != name.head() {
        return Err(StoreError::corrupt(path, Corruption::OtherSegment));
    }
    let length = file.length().map_err(|error| StoreError::io(path, error))?;
    let entries = segment.count.checked_mul(segment.record_bytes);
    match entries.and_then(|entries| entries.checked_add(HEAD_BYTES as u64)) {
        Some(expected) if expected == length => Ok(file),
        _ => Err(StoreError::corrupt(path, Corruption::Length)),
    }
}
