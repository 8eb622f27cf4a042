//! The session file.
//!
//! ```toml
//! [limits]
//! timeout_s = 30
//! [link]
//! net = "100mbit,20ms"
//! [party.A]
//! address = "127.0.0.1:7801"
//! key = "alice.pub"
//! [party.B]
//! address = "127.0.0.1:7802"
//! key = "bob.pub"
//! [role.X]
//! party = "A"
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use toml::Spanned;

use super::{Config, Party, Transport};
use crate::keys::PublicKey;
use crate::shape::Shape;
use crate::socket::Address;

/// Longest session file that is read.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Most parties in a session.
const MAX_PARTIES: usize = 64;

/// Longest name of a party or role in bytes.
const MAX_NAME_BYTES: usize = 64;

/// A session file, read and checked.
#[derive(Clone, Debug)]
pub struct SessionFile {
    /// Where it was read from.
    pub file: PathBuf,
    /// Time limits.
    pub limits: Limits,
    /// Security parameters.
    pub security: Security,
    /// How links are made.
    pub link: LinkSettings,
    /// The parties by name.
    pub parties: Vec<Party>,
    /// Names of the parties that compute: all but those with `computes = false`.
    pub computing: Vec<String>,
    roles: BTreeMap<String, String>,
}

/// The table `[limits]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest wait for a peer without progress: `timeout_s`, 30 unless given.
    pub timeout: Duration,
}

/// The table `[security]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Security {
    /// Name of the security level, `long` unless given. Whoever knows the levels refuses other names.
    pub level: String,
    /// Computational security in bits, 128 unless given.
    pub computational_bits: u32,
    /// Statistical security in bits, 40 unless given.
    pub statistical_bits: u32,
    /// What each oblivious transfer trades: the larger, the fewer bytes and the more computation. 4 unless given.
    pub softspoken_k: u32,
    /// How AND gates are garbled: `half-gates` or `three-halves`, if it is given.
    pub garbling: Option<String>,
    /// How oblivious transfers are extended where values are shared in several ways: `auto`, `softspoken` or `silent`, if it is
    /// given.
    pub transfers: Option<String>,
}

/// The table `[link]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkSettings {
    /// Slower links on purpose: `net` is `lan`, `wan`, or a form like `100mbit,20ms`.
    pub shape: Option<Shape>,
    /// The link that plans are made for, if it is given: `planned`, in the same form.
    pub planned: Option<Shape>,
    /// `transport` is `tls` (the default) or `tcp`, which protects nothing.
    pub transport: Transport,
}

/// Why a session file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SessionFileError {
    /// The file could not be read.
    #[error("{file}: {source}")]
    File {
        /// The file.
        file: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// Something in it is wrong.
    #[error("{file}{}: {detail}", .line.map_or(String::new(), |line| format!(":{line}")))]
    Content {
        /// The file.
        file: PathBuf,
        /// The line, where there is one to name.
        line: Option<usize>,
        /// What is wrong, with the name of the entry.
        detail: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    #[serde(default)]
    limits: RawLimits,
    #[serde(default)]
    security: RawSecurity,
    #[serde(default)]
    link: RawLink,
    party: BTreeMap<Spanned<String>, RawParty>,
    #[serde(default)]
    role: BTreeMap<Spanned<String>, RawRole>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLimits {
    timeout_s: Option<Spanned<f64>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSecurity {
    level: Option<String>,
    computational_bits: Option<Spanned<u32>>,
    statistical_bits: Option<Spanned<u32>>,
    softspoken_k: Option<Spanned<u32>>,
    garbling: Option<Spanned<String>>,
    transfers: Option<Spanned<String>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLink {
    net: Option<Spanned<String>>,
    planned: Option<Spanned<String>>,
    transport: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawParty {
    address: Spanned<String>,
    key: Option<Spanned<String>>,
    #[serde(default = "computes")]
    computes: bool,
}

/// Parties compute unless the file says otherwise.
fn computes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRole {
    party: Spanned<String>,
}

/// What is wrong, and where in the text.
struct Fault(String, Option<Range<usize>>);

impl SessionFile {
    /// Reads a session file and the key files that it names, which lie beside it.
    ///
    /// Errors: [`SessionFileError`], which names the file, the line and the entry.
    pub fn load(file: &Path) -> Result<Self, SessionFileError> {
        let text = read(file).map_err(|source| SessionFileError::File { file: file.into(), source })?;
        SessionFile::parse(&text, file)
    }

    /// Reads the text of a session file; `file` names it in errors, and key files are looked for beside it.
    ///
    /// Errors: as [`SessionFile::load`].
    pub fn parse(text: &str, file: &Path) -> Result<Self, SessionFileError> {
        interpret(text, file).map_err(|Fault(detail, span)| SessionFileError::Content {
            file: file.into(),
            line: span.map(|span| 1 + text[..span.start.min(text.len())].matches('\n').count()),
            detail,
        })
    }

    /// The party that computes for a role: the one that `[role.X]` names, or else the one of the role's own name.
    ///
    /// Errors: [`SessionFileError::Content`] if there is none.
    pub fn party_of_role(&self, role: &str) -> Result<&str, SessionFileError> {
        let name = self.roles.get(role).map_or(role, String::as_str);
        let party = self.parties.iter().find(|party| party.name == name);
        party.map(|party| party.name.as_str()).ok_or_else(|| SessionFileError::Content {
            file: self.file.clone(),
            line: None,
            detail: format!("no [party.{role}], and no [role.{role}] that says which party computes for it"),
        })
    }

    /// Whether there is no party that only gives inputs and takes outputs.
    pub fn all_compute(&self) -> bool {
        self.computing.len() == self.parties.len()
    }

    /// What [`super::Session::establish`] needs.
    pub fn config(&self) -> Config {
        Config {
            transport: self.link.transport,
            timeout: self.limits.timeout,
            shape: self.link.shape,
            computing: if self.all_compute() { Vec::new() } else { self.computing.clone() },
            ..Config::new(self.parties.clone())
        }
    }
}

fn read(file: &Path) -> io::Result<String> {
    use io::Read;
    let mut text = String::new();
    std::fs::File::open(file)?.take(MAX_FILE_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

fn interpret(text: &str, file: &Path) -> Result<SessionFile, Fault> {
    let raw: RawFile = toml::from_str(text).map_err(|error| Fault(named(text, &error), error.span()))?;
    let (limits, security, link) = (raw.limits.read()?, raw.security.read()?, raw.link.read()?);
    if raw.party.len() < 2 || raw.party.len() > MAX_PARTIES {
        let count = raw.party.len();
        return Err(Fault(format!("{count} parties; a session has 2 to {MAX_PARTIES}"), None));
    }
    // A path without a folder is relative to the current one.
    let folder = file.parent().unwrap_or(Path::new(""));
    let parties: Result<Vec<_>, _> =
        raw.party.iter().map(|(name, party)| read_party(name, party, folder, link.transport)).collect();
    let parties = parties?;
    let mut roles = BTreeMap::new();
    for (role, RawRole { party }) in raw.role {
        let named = party.get_ref();
        if parties.iter().all(|party| party.name != *named) {
            let detail = format!("role.{}.party: there is no [party.{named}]", role.get_ref());
            return Err(Fault(detail, Some(party.span())));
        }
        roles.insert(role.into_inner(), party.into_inner());
    }
    let computing: Vec<String> = raw
        .party
        .iter()
        .filter(|(_, party)| party.computes)
        .map(|(name, _)| name.get_ref().clone())
        .collect();
    if computing.len() < 2 {
        let count = computing.len();
        return Err(Fault(
            format!("{count} parties compute; a session needs 2 without computes = false"),
            None,
        ));
    }
    Ok(SessionFile { file: file.into(), limits, security, link, parties, computing, roles })
}

/// What TOML finds wrong, with the entry where it stands, unless the message names it.
fn named(text: &str, error: &toml::de::Error) -> String {
    let message = error.message();
    let start = error.span().map_or(0, |span| span.start.min(text.len()));
    let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
    match text[line..start].split_once('=') {
        Some((key, _)) if message.starts_with("invalid") => format!("{}: {message}", key.trim()),
        _ => message.to_owned(),
    }
}

impl RawLimits {
    fn read(self) -> Result<Limits, Fault> {
        let seconds = within("limits.timeout_s", self.timeout_s, 30.0, 0.001, 86_400.0)?;
        Ok(Limits { timeout: Duration::from_secs_f64(seconds) })
    }
}

/// Garbling schemes by name.
const GARBLING: [&str; 2] = ["half-gates", "three-halves"];
/// Extensions of oblivious transfer by name.
const TRANSFERS: [&str; 3] = ["auto", "softspoken", "silent"];

/// Refuses a name that is none of these.
fn one_of(key: &str, named: Option<&Spanned<String>>, names: &[&str]) -> Result<(), Fault> {
    let Some(named) = named.filter(|named| !names.contains(&named.get_ref().as_str())) else {
        return Ok(());
    };
    let quoted: Vec<_> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let detail = format!("{key}: expected {}, found \"{}\"", quoted.join(" or "), named.get_ref());
    Err(Fault(detail, Some(named.span())))
}

impl RawSecurity {
    fn read(self) -> Result<Security, Fault> {
        one_of("security.garbling", self.garbling.as_ref(), &GARBLING)?;
        one_of("security.transfers", self.transfers.as_ref(), &TRANSFERS)?;
        Ok(Security {
            level: self.level.unwrap_or_else(|| "long".to_owned()),
            computational_bits: within("security.computational_bits", self.computational_bits, 128, 1, 256)?,
            statistical_bits: within("security.statistical_bits", self.statistical_bits, 40, 1, 256)?,
            softspoken_k: within("security.softspoken_k", self.softspoken_k, 4, 1, 8)?,
            garbling: self.garbling.map(Spanned::into_inner),
            transfers: self.transfers.map(Spanned::into_inner),
        })
    }
}

impl RawLink {
    fn read(self) -> Result<LinkSettings, Fault> {
        let shape = shape_of("link.net", self.net)?;
        let planned = shape_of("link.planned", self.planned)?;
        let transport = match self.transport.as_ref().map(|name| (name.get_ref().as_str(), name.span())) {
            None | Some(("tls", _)) => Transport::Tls,
            Some(("tcp", _)) => Transport::Plain,
            Some((other, span)) => {
                let detail = format!("link.transport: expected \"tls\" or \"tcp\", found \"{other}\"");
                return Err(Fault(detail, Some(span)));
            }
        };
        Ok(LinkSettings { shape, planned, transport })
    }
}

/// The properties of a link, if they are given.
fn shape_of(key: &str, given: Option<Spanned<String>>) -> Result<Option<Shape>, Fault> {
    let Some(given) = given else { return Ok(None) };
    let parsed = given.get_ref().parse();
    parsed.map(Some).map_err(|detail| Fault(format!("{key}: {detail}"), Some(given.span())))
}

/// A number of the file or its default, if it lies between two bounds.
fn within<T: PartialOrd + fmt::Display>(
    key: &str,
    given: Option<Spanned<T>>,
    default: T,
    least: T,
    most: T,
) -> Result<T, Fault> {
    let Some(given) = given else { return Ok(default) };
    match *given.get_ref() >= least && *given.get_ref() <= most {
        true => Ok(given.into_inner()),
        false => Err(Fault(format!("{key}: expected {least} to {most}"), Some(given.span()))),
    }
}

fn read_party(
    name: &Spanned<String>,
    raw: &RawParty,
    folder: &Path,
    transport: Transport,
) -> Result<Party, Fault> {
    let text = name.get_ref();
    if text.is_empty() || text.len() > MAX_NAME_BYTES || text.contains(char::is_control) {
        let detail = format!("party.{text:?}: a name has 1 to {MAX_NAME_BYTES} printable bytes");
        return Err(Fault(detail, Some(name.span())));
    }
    let address: Address = raw.address.get_ref().parse().map_err(|detail: String| {
        Fault(format!("party.{text}.address: {detail}"), Some(raw.address.span()))
    })?;
    let address = match address {
        Address::Unix(path) => Address::Unix(folder.join(path)),
        tcp => tcp,
    };
    let key = match &raw.key {
        Some(key) => Some(
            read_key(key.get_ref(), folder)
                .map_err(|error| Fault(format!("party.{text}.key: {error}"), Some(key.span())))?,
        ),
        None if transport == Transport::Tls => {
            return Err(Fault(format!("party.{text}.key is missing"), Some(name.span())));
        }
        None => None,
    };
    Ok(Party { name: text.clone(), address, key })
}

/// A key as text, or the path of a file beside the session file.
fn read_key(text: &str, folder: &Path) -> Result<PublicKey, crate::keys::KeyError> {
    match text.trim_start().starts_with("tacit-key:") {
        true => text.parse(),
        false => PublicKey::load(&folder.join(text)),
    }
}
