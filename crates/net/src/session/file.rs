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
use std::error::Error;
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use serde::Deserialize;
use toml::Spanned;

use super::config::{Config, Party, Transport};
use super::file_fault::FileFault;
use crate::keys::PublicKey;
use crate::shape::Shape;
use crate::socket::{Address, AddressError};

/// Longest session file that is read.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Most parties in a session, and most of them that compute.
const MAX_PARTIES: usize = 4096;
const MAX_COMPUTING: usize = 64;

/// Longest name of a party or role in bytes.
const MAX_NAME_BYTES: usize = 64;

/// A session file, read and checked.
#[derive(Clone, Debug)]
pub struct SessionFile {
    /// The path from which it was read.
    pub file: PathBuf,
    /// Time limits.
    pub limits: Limits,
    /// The settings of links.
    pub link: LinkSettings,
    /// The options of running programs, table by table. The code that runs programs knows which entries are
    /// permitted and what they mean, and refuses others with [`SessionFile::fault`].
    pub options: Vec<Entry>,
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

/// An option of running programs: an entry of the tables `[run]` and `[security]`, or an entry of `[link]`
/// that is not a setting of links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its table and key, such as `security.level`.
    pub name: String,
    /// Its value.
    pub value: Scalar,
    line: usize,
}

/// A value of an [`Entry`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// A text.
    Text(String),
    /// A whole number.
    Integer(i64),
}

impl From<&str> for Scalar {
    fn from(text: &str) -> Scalar {
        Scalar::Text(text.to_owned())
    }
}

impl From<i64> for Scalar {
    fn from(number: i64) -> Scalar {
        Scalar::Integer(number)
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Text(text) => write!(f, "\"{text}\""),
            Scalar::Integer(number) => write!(f, "{number}"),
        }
    }
}

/// The table `[link]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkSettings {
    /// Slower links on purpose: `net` is `lan`, `wan`, or a form like `100mbit,20ms`.
    pub shape: Option<Shape>,
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
    /// Its content is wrong.
    #[error("{file}{}: {fault}", .line.map_or(String::new(), |line| format!(":{line}")))]
    Content {
        /// The file.
        file: PathBuf,
        /// The line, if known.
        line: Option<usize>,
        /// The problem, with the name of the entry.
        fault: FileFault,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    #[serde(default)]
    limits: RawLimits,
    #[serde(default)]
    run: RawOptions,
    #[serde(default)]
    security: RawOptions,
    #[serde(default)]
    link: RawOptions,
    party: BTreeMap<Spanned<String>, RawParty>,
    #[serde(default)]
    role: BTreeMap<Spanned<String>, RawRole>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLimits {
    timeout_s: Option<Spanned<f64>>,
}

/// A table with entries that may be unknown here.
type RawOptions = BTreeMap<Spanned<String>, Spanned<toml::Value>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawParty {
    address: Option<Spanned<String>>,
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

/// The problem, and its position in the text.
struct Fault(FileFault, Option<Range<usize>>);

impl SessionFile {
    /// Reads a session file and the key files that it names, which are relative to its folder.
    ///
    /// Errors: [`SessionFileError`], which names the file, the line and the entry.
    pub fn load(file: &Path) -> Result<Self, SessionFileError> {
        let text = read(file).map_err(|source| SessionFileError::File { file: file.into(), source })?;
        SessionFile::parse(&text, file)
    }

    /// Reads the text of a session file; `file` is its path in errors, and key files are relative to its
    /// folder.
    ///
    /// Errors: as [`SessionFile::load`].
    pub fn parse(text: &str, file: &Path) -> Result<Self, SessionFileError> {
        interpret(text, file).map_err(|Fault(fault, span)| SessionFileError::Content {
            file: file.into(),
            line: span.map(|span| line_of(text, &span)),
            fault,
        })
    }

    /// An error about an entry of [`SessionFile::options`], with its position. The fault names the entry.
    pub fn fault(&self, entry: &Entry, fault: impl Error + Send + Sync + 'static) -> SessionFileError {
        let fault = FileFault::Entry(Box::new(fault));
        SessionFileError::Content { file: self.file.clone(), line: Some(entry.line), fault }
    }

    /// The party that computes for a role: the one in `[role.X]`, or else the one with the role's own name.
    ///
    /// Errors: [`SessionFileError::Content`] if there is none.
    pub fn party_of_role(&self, role: &str) -> Result<&str, SessionFileError> {
        let name = self.roles.get(role).map_or(role, String::as_str);
        let party = self.parties.iter().find(|party| party.name == name);
        party.map(|party| party.name.as_str()).ok_or_else(|| SessionFileError::Content {
            file: self.file.clone(),
            line: None,
            fault: FileFault::NoParty { role: role.to_owned() },
        })
    }

    /// Whether every party computes.
    pub fn all_compute(&self) -> bool {
        self.computing.len() == self.parties.len()
    }

    /// The configuration for [`super::Session::establish`].
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
    let mut link_options = raw.link;
    let (limits, link) = (raw.limits.read()?, LinkSettings::read(&mut link_options)?);
    let tables = [("run", raw.run), ("security", raw.security), ("link", link_options)];
    let options = tables.into_iter().map(|(table, entries)| read_options(text, table, entries));
    let options = options.collect::<Result<Vec<_>, _>>()?.concat();
    if raw.party.len() < 2 || raw.party.len() > MAX_PARTIES {
        let count = raw.party.len();
        return Err(Fault(FileFault::PartyCount { count, limit: MAX_PARTIES }, None));
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
            let fault = FileFault::RoleOfNobody { role: role.get_ref().clone(), party: named.clone() };
            return Err(Fault(fault, Some(party.span())));
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
        return Err(Fault(FileFault::ComputingCount { count }, None));
    }
    if computing.len() > MAX_COMPUTING {
        let count = computing.len();
        return Err(Fault(FileFault::ComputingLimit { count, limit: MAX_COMPUTING }, None));
    }
    Ok(SessionFile { file: file.into(), limits, link, options, parties, computing, roles })
}

/// The line of a position in the text, from 1.
fn line_of(text: &str, span: &Range<usize>) -> usize {
    1 + text[..span.start.min(text.len())].matches('\n').count()
}

/// An error of the TOML reader, with the entry that contains it, unless the message names it.
fn named(text: &str, error: &toml::de::Error) -> FileFault {
    let message = error.message().to_owned();
    let start = error.span().map_or(0, |span| span.start.min(text.len()));
    let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
    let entry = text[line..start].split_once('=').filter(|_| message.starts_with("invalid"));
    FileFault::Toml { entry: entry.map(|(key, _)| key.trim().to_owned()), message }
}

impl RawLimits {
    fn read(self) -> Result<Limits, Fault> {
        let seconds = within("limits.timeout_s", self.timeout_s, 30.0, 0.001, 86_400.0)?;
        Ok(Limits { timeout: Duration::from_secs_f64(seconds) })
    }
}

/// The entries of a table with options of running programs.
fn read_options(text: &str, table: &str, entries: RawOptions) -> Result<Vec<Entry>, Fault> {
    let read = |(key, value): (Spanned<String>, Spanned<toml::Value>)| {
        let (name, line) = (format!("{table}.{}", key.get_ref()), line_of(text, &key.span()));
        let value = match value.get_ref() {
            toml::Value::String(text) => Scalar::Text(text.clone()),
            toml::Value::Integer(number) => Scalar::Integer(*number),
            other => {
                let fault = FileFault::Type {
                    entry: name,
                    expected: "a text or a whole number",
                    found: other.type_str(),
                };
                return Err(Fault(fault, Some(value.span())));
            }
        };
        Ok(Entry { name, value, line })
    };
    entries.into_iter().map(read).collect()
}

impl LinkSettings {
    /// Takes the settings of links out of the table.
    fn read(table: &mut RawOptions) -> Result<LinkSettings, Fault> {
        let shape = take(table, "net")?;
        Ok(LinkSettings { shape, transport: take(table, "transport")?.unwrap_or_default() })
    }
}

/// Takes a parsed text out of the table `[link]`, if it is there.
fn take<T: FromStr<Err: Error + Send + Sync + 'static>>(
    table: &mut RawOptions,
    key: &str,
) -> Result<Option<T>, Fault> {
    let found = table.keys().find(|known| known.get_ref() == key).cloned();
    let Some(value) = found.and_then(|key| table.remove(&key)) else { return Ok(None) };
    let span = value.span();
    match value.into_inner() {
        toml::Value::String(text) => {
            text.parse().map(Some).map_err(|error| unfit(format!("link.{key}"), error, span))
        }
        other => {
            let (entry, found) = (format!("link.{key}"), other.type_str());
            Err(Fault(FileFault::Type { entry, expected: "a text", found }, Some(span)))
        }
    }
}

/// A number of the file or its default, checked against two bounds.
fn within(
    entry: &'static str,
    given: Option<Spanned<f64>>,
    default: f64,
    least: f64,
    most: f64,
) -> Result<f64, Fault> {
    let Some(given) = given else { return Ok(default) };
    let found = *given.get_ref();
    match (least..=most).contains(&found) {
        true => Ok(found),
        false => Err(Fault(FileFault::Bounds { entry, least, most, found }, Some(given.span()))),
    }
}

/// A value that its entry cannot have.
fn unfit(entry: String, error: impl Error + Send + Sync + 'static, span: Range<usize>) -> Fault {
    Fault(FileFault::Value { entry, source: Box::new(error) }, Some(span))
}

fn read_party(
    name: &Spanned<String>,
    raw: &RawParty,
    folder: &Path,
    transport: Transport,
) -> Result<Party, Fault> {
    let text = name.get_ref();
    if text.is_empty() || text.len() > MAX_NAME_BYTES || text.contains(char::is_control) {
        let fault = FileFault::Name { name: text.clone(), limit: MAX_NAME_BYTES };
        return Err(Fault(fault, Some(name.span())));
    }
    let address = match &raw.address {
        Some(address) => read_address(address, (text, folder))?,
        None if raw.computes => {
            return Err(Fault(FileFault::NoAddress { party: text.clone() }, Some(name.span())));
        }
        None => Address::Nowhere,
    };
    let key = match &raw.key {
        Some(key) => Some(
            read_key(key.get_ref(), folder)
                .map_err(|source| Fault(FileFault::Key { party: text.clone(), source }, Some(key.span())))?,
        ),
        None if transport == Transport::Tls => {
            return Err(Fault(FileFault::NoKey { party: text.clone() }, Some(name.span())));
        }
        None => None,
    };
    Ok(Party { name: text.clone(), address, key })
}

/// The address of a party; a path is relative to the folder of the session file.
fn read_address(address: &Spanned<String>, (party, folder): (&str, &Path)) -> Result<Address, Fault> {
    let parsed: Result<Address, AddressError> = address.get_ref().parse();
    match parsed.map_err(|error| unfit(format!("party.{party}.address"), error, address.span()))? {
        Address::Unix(path) => Ok(Address::Unix(folder.join(path))),
        other => Ok(other),
    }
}

/// A key as text, or the path of a file relative to the session file's folder.
fn read_key(text: &str, folder: &Path) -> Result<PublicKey, crate::keys::KeyError> {
    match text.trim_start().starts_with("tacit-key:") {
        true => Ok(text.parse()?),
        false => PublicKey::load(&folder.join(text)),
    }
}
