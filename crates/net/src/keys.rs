//! A party's long-term key: generated once; the public key is given to the other parties beforehand.
//!
//! The secret key is an Ed25519 key in a PKCS#8 PEM file that only its owner may read; the public key is one line of text,
//! `tacit-key:ed25519:` and 64 hexadecimal digits.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use rcgen::{KeyPair, PKCS_ED25519, SigningKey as _};
use zeroize::Zeroizing;

/// The prefix of public keys as text.
const PREFIX: &str = "tacit-key:ed25519:";

/// Longest key file that is read.
const MAX_FILE_BYTES: u64 = 16 * 1024;

/// The encoding of an Ed25519 public key in certificates, up to the key itself (RFC 8410, section 4).
const SPKI_PREFIX: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// The public part of a party's key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PublicKey([u8; 32]);

/// A party's secret key. Its text is wiped from memory when it is dropped, and debug output does not show it.
#[derive(Clone)]
pub struct SecretKey {
    pem: Zeroizing<String>,
    public: PublicKey,
}

/// Why a key could not be made, written or read.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The text is not a key.
    #[error(transparent)]
    Text(#[from] KeyFault),
    /// The file holds no key of the kind that was expected.
    #[error("{file}: {fault}")]
    Content {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        fault: KeyFault,
    },
    /// The file could not be read or written.
    #[error("{file}: {source}")]
    File {
        /// The file.
        file: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// A secret key that others may read.
    #[error(
        "{file}: a secret key must be readable only by its owner, but its mode is {mode:03o}; run: chmod 600 {file}"
    )]
    Exposed {
        /// The file.
        file: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// No key could be generated.
    #[error("cannot generate a key: {source}")]
    Generation {
        /// The library's reason.
        source: rcgen::Error,
    },
}

/// Why a text is not the expected key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyFault {
    /// Not a public key.
    #[error("not a public key: expected {PREFIX} and 64 hexadecimal digits")]
    NotPublic,
    /// A secret key where a public key was expected.
    #[error("a secret key, where the public key was expected")]
    Secret,
    /// Not a secret key.
    #[error("not a secret key in PKCS#8 PEM form")]
    NotSecret,
    /// A secret key of another algorithm.
    #[error("a secret key, but not an Ed25519 key")]
    NotEd25519,
}

/// A new key from the operating system's random generator.
///
/// Errors: [`KeyError::Generation`] if the generator fails.
pub fn generate() -> Result<(SecretKey, PublicKey), KeyError> {
    let pair = KeyPair::generate_for(&PKCS_ED25519).map_err(|source| KeyError::Generation { source })?;
    let secret = SecretKey::from_pem(Zeroizing::new(pair.serialize_pem()))?;
    let public = secret.public;
    Ok((secret, public))
}

impl SecretKey {
    /// The public part.
    pub fn public(&self) -> PublicKey {
        self.public
    }

    /// Reads a key written by [`SecretKey::save`].
    ///
    /// Errors: [`KeyError::Exposed`] if others may read the file, [`KeyError::Content`], [`KeyError::File`]; each names the file.
    pub fn load(file: &Path) -> Result<Self, KeyError> {
        let failed = |source| KeyError::File { file: file.into(), source };
        let mut open = File::open(file).map_err(failed)?;
        let mode = open.metadata().map_err(failed)?.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(KeyError::Exposed { file: file.into(), mode });
        }
        let text = Zeroizing::new(read_text(&mut open).map_err(failed)?);
        SecretKey::from_pem(text).map_err(|fault| KeyError::Content { file: file.into(), fault })
    }

    /// Writes the key to a new file that only the owner may read.
    ///
    /// Errors: [`KeyError::File`], also if the file exists: a key is never overwritten.
    pub fn save(&self, file: &Path) -> Result<(), KeyError> {
        create(file, 0o600, self.pem.as_bytes())
    }

    /// Derives a key for `purpose`, which only holders of this key can derive. `purpose` is a fixed text that
    /// names program, use and version.
    ///
    /// Security: BLAKE3 in its key derivation mode; the result is secret and reveals nothing about this key
    /// or about other purposes' keys.
    pub fn derive(&self, purpose: &str) -> Zeroizing<[u8; 32]> {
        let mut hasher = blake3::Hasher::new_derive_key(purpose);
        // Line ends in the file must not matter.
        self.pem.split_whitespace().for_each(|word| {
            hasher.update(word.as_bytes());
        });
        Zeroizing::new(*hasher.finalize().as_bytes())
    }

    /// Signs `message` for `purpose`; [`PublicKey::verify`] accepts the signature. `purpose` is a fixed text
    /// that begins with `tacit` and names use and version, so that a signature for one use, or by TLS, is not
    /// valid for another.
    ///
    /// Security: Ed25519 (RFC 8032) of `purpose`, a zero byte and `message`. Texts signed by TLS begin with
    /// 64 spaces, and certificates with another byte, so neither can be confused with these.
    ///
    /// Errors: [`KeyError::Generation`] if the library fails.
    pub fn sign(&self, purpose: &str, message: &[u8]) -> Result<[u8; 64], KeyError> {
        let failed = |source| KeyError::Generation { source };
        let signed =
            self.pair().and_then(|pair| pair.sign(&signed_text(purpose, message))).map_err(failed)?;
        signed.try_into().map_err(|_| failed(rcgen::Error::RingUnspecified))
    }

    /// The key in the form of the TLS library.
    pub(crate) fn pair(&self) -> Result<KeyPair, rcgen::Error> {
        KeyPair::from_pem(&self.pem)
    }

    fn from_pem(pem: Zeroizing<String>) -> Result<Self, KeyFault> {
        let pair = KeyPair::from_pem(&pem).map_err(|_| KeyFault::NotSecret)?;
        let raw = pair.public_key_raw().try_into();
        match (pair.is_compatible(&PKCS_ED25519), raw) {
            (true, Ok(raw)) => Ok(SecretKey { pem, public: PublicKey(raw) }),
            _ => Err(KeyFault::NotEd25519),
        }
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretKey").field("public", &self.public).finish_non_exhaustive()
    }
}

impl PublicKey {
    /// Reads a file that holds one key's text.
    ///
    /// Errors: [`KeyError::File`], [`KeyError::Content`]; each names the file.
    pub fn load(file: &Path) -> Result<Self, KeyError> {
        let text = File::open(file)
            .and_then(|mut open| read_text(&mut open))
            .map_err(|source| KeyError::File { file: file.into(), source })?;
        text.parse().map_err(|fault| KeyError::Content {
            file: file.into(),
            fault: if text.contains("PRIVATE KEY") { KeyFault::Secret } else { fault },
        })
    }

    /// Writes the key's text to a new file.
    ///
    /// Errors: [`KeyError::File`], also if the file exists.
    pub fn save(&self, file: &Path) -> Result<(), KeyError> {
        create(file, 0o644, format!("{self}\n").as_bytes())
    }

    /// The 32 bytes of the key.
    pub fn to_bytes(self) -> [u8; 32] {
        self.0
    }

    /// The key with these 32 bytes, which may be any.
    pub fn from_bytes(bytes: [u8; 32]) -> PublicKey {
        PublicKey(bytes)
    }

    /// Whether the owner of this key signed `message` for `purpose` ([`SecretKey::sign`]).
    pub fn verify(&self, purpose: &str, message: &[u8], signature: &[u8; 64]) -> bool {
        let key = ring::signature::UnparsedPublicKey::new(&ring::signature::ED25519, self.0);
        key.verify(&signed_text(purpose, message), signature).is_ok()
    }

    /// The key from the SubjectPublicKeyInfo of a certificate, if it is an Ed25519 key.
    pub(crate) fn from_spki(spki: &[u8]) -> Option<Self> {
        spki.strip_prefix(&SPKI_PREFIX)?.try_into().ok().map(PublicKey)
    }
}

/// Hexadecimal digits.
const DIGITS: [u8; 16] = *b"0123456789abcdef";

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // At once, since a session of a thousand parties names as many keys.
        let digits = |byte: &u8| [byte >> 4, byte & 15].map(|digit| DIGITS[usize::from(digit)]);
        let digits: Vec<u8> = self.0.iter().flat_map(digits).collect();
        f.write_str(PREFIX)?;
        f.write_str(str::from_utf8(&digits).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for PublicKey {
    type Err = KeyFault;

    fn from_str(text: &str) -> Result<Self, KeyFault> {
        let digits = text.trim().strip_prefix(PREFIX).ok_or(KeyFault::NotPublic)?.as_bytes();
        let mut key = [0; 32];
        if digits.len() != 2 * key.len() {
            return Err(KeyFault::NotPublic);
        }
        for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Ok(PublicKey(key))
    }
}

/// A purpose contains no zero byte, so different pairs give different texts.
fn signed_text(purpose: &str, message: &[u8]) -> Vec<u8> {
    debug_assert!(purpose.starts_with("tacit") && !purpose.contains('\0'), "{purpose}");
    [purpose.as_bytes(), &[0], message].concat()
}

fn digit(byte: u8) -> Result<u8, KeyFault> {
    let value = char::from(byte).to_digit(16).ok_or(KeyFault::NotPublic)?;
    Ok(value as u8)
}

fn read_text(file: &mut File) -> io::Result<String> {
    let mut text = String::new();
    file.take(MAX_FILE_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

fn create(file: &Path, mode: u32, content: &[u8]) -> Result<(), KeyError> {
    let write = || {
        let mut open = OpenOptions::new().write(true).create_new(true).mode(mode).open(file)?;
        open.write_all(content)?;
        open.sync_all()
    };
    write().map_err(|source| KeyError::File { file: file.into(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("tacit-keys-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn keys_survive_their_files() {
        let folder = folder("survive");
        let (secret, public) = generate().unwrap();
        secret.save(&folder.join("a.key")).unwrap();
        public.save(&folder.join("a.pub")).unwrap();
        assert_eq!(SecretKey::load(&folder.join("a.key")).unwrap().public(), public);
        assert_eq!(PublicKey::load(&folder.join("a.pub")).unwrap(), public);
        let mode = std::fs::metadata(folder.join("a.key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_key_is_never_overwritten() {
        let folder = folder("overwrite");
        let (secret, _) = generate().unwrap();
        secret.save(&folder.join("a.key")).unwrap();
        let error = secret.save(&folder.join("a.key")).unwrap_err();
        assert!(matches!(error, KeyError::File { .. }) && error.to_string().contains("a.key"));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn an_exposed_secret_is_refused() {
        let folder = folder("exposed");
        let file = folder.join("a.key");
        generate().unwrap().0.save(&file).unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
        let error = SecretKey::load(&file).unwrap_err();
        assert!(matches!(error, KeyError::Exposed { mode: 0o640, .. }));
        assert!(error.to_string().contains("a.key"));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn files_without_a_key_are_named() {
        let folder = folder("content");
        let (secret, _) = generate().unwrap();
        secret.save(&folder.join("a.key")).unwrap();
        let error = PublicKey::load(&folder.join("a.key")).unwrap_err().to_string();
        assert!(error.contains("a.key") && error.contains("secret key, where"), "{error}");
        create(&folder.join("b.key"), 0o600, b"nothing").unwrap();
        let error = SecretKey::load(&folder.join("b.key")).unwrap_err().to_string();
        assert!(error.contains("b.key") && error.contains("PEM"), "{error}");
        let error = PublicKey::load(&folder.join("none.pub")).unwrap_err().to_string();
        assert!(error.contains("none.pub"), "{error}");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn signatures_hold_for_one_key_one_purpose_and_one_message() {
        let ((secret, public), (_, other)) = (generate().unwrap(), generate().unwrap());
        let mut signature = secret.sign("tacit test", b"message").unwrap();
        assert!(public.verify("tacit test", b"message", &signature));
        assert!(!public.verify("tacit test", b"messagf", &signature));
        assert!(!public.verify("tacit tests", b"message", &signature));
        assert!(!other.verify("tacit test", b"message", &signature));
        signature[3] ^= 1;
        assert!(!public.verify("tacit test", b"message", &signature));
    }

    #[test]
    fn text_is_strict() {
        let (secret, public) = generate().unwrap();
        let text = public.to_string();
        assert_eq!(text.parse::<PublicKey>().unwrap(), public);
        for bad in [&text[..text.len() - 1], &text[1..], "", &text.replace(':', " "), &format!("{text}0")] {
            assert!(bad.parse::<PublicKey>().is_err(), "{bad}");
        }
        assert!(!format!("{secret:?}").contains("PRIVATE"));
    }
}
