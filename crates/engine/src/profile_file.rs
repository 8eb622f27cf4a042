//! Profiles as files, which `tacit calibrate` writes and planning uses.
//!
//! A file holds a JSON object: the form's `version`, the release `tacit` and the `machine` that measured it, its `name`, the `picoseconds` of each
//! unit, and a `check` over all of it, which detects a changed or truncated file. The joint profile of two parties also has the `other_machine`, and
//! the `link` between the two.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tacit_plan::Profile;
use tacit_schedule::Unit;

/// Version of the form.
const VERSION: u32 = 3;
/// Maximum bytes of a file.
const MOST_BYTES: u64 = 1 << 16;
/// Maximum characters of a name.
const MOST_NAME: usize = 64;

/// Why a profile cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// The file cannot be read.
    #[error("expected \"built-in\" or a file that `tacit calibrate` has written; found {file}: {reason}")]
    File {
        /// The file.
        file: String,
        /// Why not.
        reason: String,
    },
    /// It is not a profile, or it was changed.
    #[error("profile {file} is damaged: {reason}; write it again with `tacit calibrate`")]
    Damaged {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// It has another form, whose units differ.
    #[error(
        "profile {file} has form {found}, and this release reads {VERSION}; write it again with `tacit calibrate`"
    )]
    Form {
        /// The file.
        file: String,
        /// The version of its form.
        found: u32,
    },
    /// It is of another release, whose units may differ.
    #[error(
        "profile {file} was measured by release {found}, and this is {expected}; write it again with `tacit calibrate`"
    )]
    Release {
        /// The file.
        file: String,
        /// The release that measured it.
        found: String,
        /// This release.
        expected: &'static str,
    },
}

/// The content of a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    version: u32,
    tacit: String,
    machine: String,
    name: String,
    picoseconds: BTreeMap<String, u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    other_machine: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    check: String,
}

/// A profile that was read, and its machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileFile {
    /// The profile.
    pub profile: Profile,
    /// The machine that measured it.
    pub machine: String,
    /// The other machine that it is for, if two parties have measured it.
    pub other_machine: Option<String>,
    /// The link between the two, in the form of options.
    pub link: Option<String>,
}

impl ProfileFile {
    /// A profile that this machine measured.
    pub fn of_here(profile: Profile) -> ProfileFile {
        ProfileFile { profile, machine: machine(), other_machine: None, link: None }
    }

    /// A warning for whoever plans with it, if another machine measured it.
    pub fn warning(&self) -> Option<String> {
        let here = machine();
        let is_of_here = self.machine == here || self.other_machine.as_ref() == Some(&here);
        (!is_of_here).then(|| {
            let name = self.profile.name();
            format!("profile {name} was measured on another machine ({}; this is {here}); plan by that of the slower party", self.machine)
        })
    }

    /// The text of a file.
    pub fn to_text(&self) -> String {
        let picoseconds: BTreeMap<String, u64> =
            Unit::ALL.iter().map(|unit| (unit.name().to_owned(), self.profile.rate(*unit))).collect();
        let mut written = Written {
            version: VERSION,
            tacit: env!("CARGO_PKG_VERSION").to_owned(),
            machine: self.machine.clone(),
            name: self.profile.name().to_owned(),
            picoseconds,
            other_machine: self.other_machine.clone(),
            link: self.link.clone(),
            check: String::new(),
        };
        written.check = check(&written);
        let text = serde_json::to_string_pretty(&written).expect("names and numbers can be written");
        text + "\n"
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`ProfileError`] names the file and what is wrong.
    pub fn load(file: &Path) -> Result<ProfileFile, ProfileError> {
        let name = file.display().to_string();
        let failed =
            |error: std::io::Error| ProfileError::File { file: name.clone(), reason: error.to_string() };
        let mut text = Vec::new();
        let opened = std::fs::File::open(file).map_err(failed)?;
        opened.take(MOST_BYTES + 1).read_to_end(&mut text).map_err(failed)?;
        ProfileFile::parse(&text, &name)
    }

    /// Parses the text of a file; errors call it `file`.
    ///
    /// # Errors
    /// As [`ProfileFile::load`].
    pub fn parse(text: &[u8], file: &str) -> Result<ProfileFile, ProfileError> {
        let damaged = |reason: String| ProfileError::Damaged { file: file.to_owned(), reason };
        if text.len() as u64 > MOST_BYTES {
            return Err(damaged(format!("it is longer than {MOST_BYTES} bytes")));
        }
        let written: Written = serde_json::from_slice(text).map_err(|error| damaged(error.to_string()))?;
        if written.version != VERSION {
            return Err(ProfileError::Form { file: file.to_owned(), found: written.version });
        }
        let expected = env!("CARGO_PKG_VERSION");
        if written.tacit != expected {
            return Err(ProfileError::Release { file: file.to_owned(), found: written.tacit, expected });
        }
        if written.check != check(&written) {
            return Err(damaged("its check does not match its content".to_owned()));
        }
        if written.name.is_empty() || written.name.chars().count() > MOST_NAME {
            return Err(damaged(format!("a name has 1 to {MOST_NAME} characters")));
        }
        let mut profile = Profile::named(written.name);
        for unit in Unit::ALL {
            let rate = written.picoseconds.get(unit.name()).filter(|rate| **rate > 0);
            profile = profile.with(*unit, *rate.ok_or_else(|| damaged(format!("it has no {unit}")))?);
        }
        match written.picoseconds.len() == Unit::ALL.len() {
            true => Ok(ProfileFile {
                profile,
                machine: written.machine,
                other_machine: written.other_machine,
                link: written.link,
            }),
            false => Err(damaged("it has unknown units".to_owned())),
        }
    }
}

/// The check over everything except itself.
fn check(written: &Written) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 profile file, version 1");
    let mut text = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    };
    [&written.version.to_string(), &written.tacit, &written.machine, &written.name]
        .iter()
        .for_each(|part| text(part));
    for (name, rate) in &written.picoseconds {
        text(name);
        text(&rate.to_string());
    }
    for (name, value) in [("other_machine", &written.other_machine), ("link", &written.link)] {
        if let Some(value) = value {
            text(name);
            text(value);
        }
    }
    hasher.finalize().to_hex().to_string()
}

/// The description of this machine: its processor, and the number of cores.
pub fn machine() -> String {
    let processor = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| model(&text));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {cores} cores", processor.unwrap_or_else(|| std::env::consts::ARCH.to_owned()))
}

fn model(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("model name"))?;
    Some(line.trim_start_matches([' ', '\t', ':']).trim().to_owned()).filter(|name| !name.is_empty())
}

impl fmt::Display for ProfileFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.profile, self.machine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written() -> ProfileFile {
        ProfileFile::of_here(Profile::named("mine").with(Unit::Word, 77))
    }

    #[test]
    fn files_are_read_back() {
        let file = written();
        let read = ProfileFile::parse(file.to_text().as_bytes(), "p").unwrap();
        assert_eq!(read, file);
        assert_eq!((read.profile.rate(Unit::Word), read.warning()), (77, None));
        let other = ProfileFile { machine: "a calculator".to_owned(), ..read };
        assert!(other.warning().unwrap().contains("(a calculator; this is "));
    }

    #[test]
    fn joint_profiles_are_of_both_machines() {
        let link = Some("93.1mbit,4ms".to_owned());
        let other = "a calculator".to_owned();
        let file = ProfileFile { other_machine: Some(other.clone()), link, ..written() };
        let text = file.to_text();
        assert_eq!(ProfileFile::parse(text.as_bytes(), "p").unwrap(), file);
        let swapped =
            ProfileFile { machine: other, other_machine: Some(file.machine.clone()), ..file.clone() };
        let foreign = ProfileFile { other_machine: Some("an abacus".to_owned()), ..swapped.clone() };
        assert_eq!((file.warning(), swapped.warning()), (None, None));
        assert!(foreign.warning().is_some());
        for changed in [text.replace("93.1", "99.1"), text.replace("a calculator", "an abacus")] {
            assert!(ProfileFile::parse(changed.as_bytes(), "p").unwrap_err().to_string().contains("check"));
        }
        let lines: Vec<_> = text.lines().filter(|line| !line.contains("\"link\"")).collect();
        assert!(ProfileFile::parse(lines.join("\n").as_bytes(), "p").is_err());
    }

    #[test]
    fn whatever_is_changed_or_cut_is_refused() {
        let text = written().to_text();
        let refused = |text: &str| ProfileFile::parse(text.as_bytes(), "p.json").unwrap_err().to_string();
        for end in 0..text.trim_end().len() {
            refused(&text[..end]);
        }
        let words = refused(&text.replace(": 77", ": 78"));
        assert_eq!(
            words,
            "profile p.json is damaged: its check does not match its content; write it again with `tacit calibrate`"
        );
        assert!(refused(&text.replace("\"mine\"", "\"yours\"")).contains("check"));
        assert!(refused("[]").contains("is damaged"));
        assert!(refused(&" ".repeat(1 << 17)).contains("longer than"));
        let older = text.replace(&format!("\"{}\"", env!("CARGO_PKG_VERSION")), "\"0.0.0\"");
        assert!(refused(&older).contains("was measured by release 0.0.0, and this is "));
        let other = text.replace(&format!("\"version\": {VERSION}"), "\"version\": 2");
        assert!(refused(&other).contains("has form 2, and this release reads 3"));
        let absent = ProfileFile::load(Path::new("nowhere/p.json")).unwrap_err();
        assert!(matches!(&absent, ProfileError::File { .. }), "{absent}");
    }

    #[test]
    fn units_are_those_that_there_are() {
        let with = |change: fn(&mut Written)| {
            let mut written: Written = serde_json::from_str(&written().to_text()).unwrap();
            change(&mut written);
            written.check = check(&written);
            let text = serde_json::to_string(&written).unwrap();
            ProfileFile::parse(text.as_bytes(), "p").unwrap_err().to_string()
        };
        assert!(
            with(|written| {
                let _ = written.picoseconds.remove("word");
            })
            .contains("it has no word")
        );
        assert!(
            with(|written| {
                let _ = written.picoseconds.insert("word".into(), 0);
            })
            .contains("it has no word")
        );
        assert!(
            with(|written| {
                let _ = written.picoseconds.insert("luck".into(), 1);
            })
            .contains("unknown units")
        );
        assert!(with(|written| written.name.clear()).contains("a name has"));
    }

    #[test]
    fn machines_are_called_by_their_processor() {
        assert_eq!(model("processor\t: 0\nmodel name\t: Fast 9\n").as_deref(), Some("Fast 9"));
        assert_eq!((model("model name\t: \n"), model("")), (None, None));
    }
}
