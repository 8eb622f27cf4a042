//! The options of runs: their names, values, help and effect, and what a party has chosen.
//!
//! [`RUN_OPTIONS`] describes each of them once. [`RunOptions`] starts from the defaults ([`RunOptions::default`]), then takes those of
//! a session file ([`RunOptions::of_session`]), then those of a call or a command ([`RunOptions::with`]). Every way of running uses all
//! of it; one that does not support the value of an option refuses it by name ([`OptionError::Unfit`]).

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use tacit_ir::{Domain, Program};
use tacit_lower::{OpClass, Options as Lowering};
use tacit_net::session::{Config, Scalar, SessionFile, SessionFileError};
use tacit_net::shape::Shape;
use tacit_plan::{
    DomainChoice, GarblerChoice, Garbling, InsecureLevel, Link, MatrixChoice, ModeChoice, Named, Objective,
    Parties, PlanError, PlanOptions, Profile, SecurityLevel, Tariff, TransferChoice,
};

use crate::{ProfileError, ProfileFile};

/// A party's choice of [`RUN_OPTIONS`].
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The options of plans, except the parties, which follow from a program in a session: see [`RunOptions::plan_for`].
    pub plan: PlanOptions,
    /// The link to which this party's own links are slowed down, if any.
    pub net: Option<Shape>,
    /// A warning about the profile.
    warning: Option<String>,
    /// The keyword by which a call has set the level, which no other keyword may contradict.
    level_by: Option<&'static str>,
}

impl Default for RunOptions {
    /// The defaults: domains and the garbler are chosen by predictions.
    fn default() -> RunOptions {
        let (domain, garbler) = (DomainChoice::Auto, GarblerChoice::Auto);
        let plan = PlanOptions { domain, garbler, ..PlanOptions::default() };
        RunOptions { plan, net: None, warning: None, level_by: None }
    }
}

/// An option of runs.
#[derive(Clone, Copy, Debug)]
pub struct RunOption {
    /// The keyword in Python; on the command line, with hyphens.
    pub name: &'static str,
    /// The entry of the session file.
    pub entry: &'static str,
    /// Whether it can only be set in the session file.
    pub file_only: bool,
    /// Its permitted values.
    pub values: Values,
    /// Its effect, for users.
    pub help: &'static str,
    set: fn(&mut RunOptions, &Scalar) -> Option<()>,
}

/// The permitted values of an option.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// One of these names.
    Names(fn() -> Vec<&'static str>),
    /// One of these numbers.
    Numbers(&'static [u64]),
    /// A number from the first to the second.
    Range(u64, u64),
    /// A link, as [`Shape`] reads it.
    Link,
    /// A price, as [`Tariff::price`] reads it.
    Price,
    /// The built-in profile, or the path of one.
    Profile,
    /// `auto`, `first`, or the name of a party or role.
    Party,
    /// Domains of classes of operations, as [`tacit_lower::Assigned`] reads them.
    Classes,
}

/// Why an option cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionError {
    /// There is no option with this name.
    #[error("there is no option {name}; the options are {}", keywords().join(", "))]
    Unknown {
        /// The name.
        name: String,
    },
    /// There is no entry with this name in session files.
    #[error("{name}: there is no such entry; the table has {}", entries_beside(.name).join(", "))]
    UnknownEntry {
        /// The entry.
        name: String,
    },
    /// The value is not permitted.
    #[error("{name}: expected {expected}; found {found}")]
    Value {
        /// The option.
        name: String,
        /// The permitted values.
        expected: String,
        /// The value.
        found: String,
    },
    /// A profile that cannot be read.
    #[error("{name}: {source}")]
    Profile {
        /// The option.
        name: String,
        /// Why it cannot be read.
        source: ProfileError,
    },
    /// Two options in one file or call both set the level.
    #[error(
        "{first} and {second} contradict each other, since both set the security of the run; give one of them"
    )]
    Contradiction {
        /// The option that was given first.
        first: String,
        /// The other option.
        second: String,
    },
    /// This way of running does not support the value.
    #[error("{name} cannot be {value} {place}: {reason}")]
    Unfit {
        /// The option.
        name: &'static str,
        /// The value.
        value: String,
        /// The way of running.
        place: &'static str,
        /// The reason, and what to do.
        reason: &'static str,
    },
}

/// The largest limit that can be set.
const MOST_GIVEN: u64 = 1 << 62;

/// The keywords that set the level of a run.
const LEVELS: [&str; 2] = ["security", "insecure_bench"];

/// All options of runs, in the order of documentation.
pub const RUN_OPTIONS: &[RunOption] = &[
    RunOption {
        name: "mode",
        entry: "run.mode",
        file_only: false,
        values: Values::Names(names::<ModeChoice>),
        help: "Send garbled tables before inputs are fixed (precomputed) or while the program is evaluated (streamed).",
        set: |options, value| choose(&mut options.plan.mode, value),
    },
    RunOption {
        name: "domain",
        entry: "run.domain",
        file_only: false,
        values: Values::Names(names::<DomainChoice>),
        help: "The domain of values that the program does not pin.",
        set: |options, value| choose(&mut options.plan.domain, value),
    },
    RunOption {
        name: "classes",
        entry: "run.classes",
        file_only: false,
        values: Values::Classes,
        help: "The domains of classes of operations that the program does not pin: e.g. products=arith,comparisons=yao.",
        set: |options, value| {
            let Scalar::Text(text) = value else { return None };
            options.plan.lowering.assigned = text.parse().ok()?;
            Some(())
        },
    },
    RunOption {
        name: "garbler",
        entry: "run.garbler",
        file_only: false,
        values: Values::Party,
        help: "Who garbles: a party or a role, first for that of the program's first role, or auto for whichever is predicted to be better.",
        set: |options, value| {
            let Scalar::Text(name) = value else { return None };
            options.plan.garbler = GarblerChoice::named(name);
            Some(())
        },
    },
    RunOption {
        name: "garbling",
        entry: "security.garbling",
        file_only: false,
        values: Values::Names(names::<Garbling>),
        help: "How AND gates are garbled: three-halves sends 23 % less than half-gates and computes more.",
        set: |options, value| choose(&mut options.plan.garbling, value),
    },
    RunOption {
        name: "transfers",
        entry: "security.transfers",
        file_only: false,
        values: Values::Names(names::<TransferChoice>),
        help: "How oblivious transfers are extended: softspoken computes least, silent sends least.",
        set: |options, value| choose(&mut options.plan.transfers, value),
    },
    RunOption {
        name: "matrices",
        entry: "security.matrices",
        file_only: false,
        values: Values::Names(names::<MatrixChoice>),
        help: "How matrices are multiplied: by triples from ot, which computes least, or from lattice, or online by lattices, which sends least.",
        set: |options, value| choose(&mut options.plan.matrices, value),
    },
    RunOption {
        name: "security",
        entry: "security.level",
        file_only: false,
        values: Values::Names(names::<SecurityLevel>),
        help: "The minimum computational security: medium is 112 bits, long is 128 bits.",
        set: |options, value| choose(&mut options.plan.security.level, value),
    },
    RunOption {
        name: "insecure_bench",
        entry: "security.insecure_bench",
        file_only: false,
        values: Values::Names(names::<InsecureLevel>),
        help: "Insecure key sizes, to repeat published measurements: 1024-bit is 72 bits, ultra-short 80, short 96.",
        set: |options, value| {
            let mut level = InsecureLevel::Short;
            choose(&mut level, value)?;
            options.plan.security.level = level.level();
            Some(())
        },
    },
    RunOption {
        name: "computational_bits",
        entry: "security.computational_bits",
        file_only: true,
        values: Values::Numbers(&[128]),
        help: "Computational security of garbled circuits and oblivious transfer, in bits.",
        set: |options, value| count(&mut options.plan.security.computational_bits, value),
    },
    RunOption {
        name: "statistical_bits",
        entry: "security.statistical_bits",
        file_only: true,
        values: Values::Range(40, 128),
        help: "Statistical security in bits.",
        set: |options, value| count(&mut options.plan.security.statistical_bits, value),
    },
    RunOption {
        name: "softspoken_k",
        entry: "security.softspoken_k",
        file_only: true,
        values: Values::Numbers(&[1, 2, 4, 8]),
        help: "SoftSpokenOT's k: a larger one sends fewer bytes and computes more.",
        set: |options, value| count(&mut options.plan.security.softspoken_k, value),
    },
    RunOption {
        name: "effort",
        entry: "run.effort",
        file_only: false,
        values: Values::Range(0, 1 << 62),
        help: "Steps of work for reducing AND gates; 0 for none.",
        set: |options, value| count(&mut options.plan.lowering.effort, value),
    },
    RunOption {
        name: "objective",
        entry: "run.objective",
        file_only: false,
        values: Values::Names(names::<Objective>),
        help: "What a plan minimises: the time of setup and online (total), the time online, bytes, money, or memory.",
        set: |options, value| choose(&mut options.plan.objective, value),
    },
    RunOption {
        name: "gigabyte_price",
        entry: "run.gigabyte_price",
        file_only: false,
        values: Values::Price,
        help: "The price of a gigabyte that is sent, for the objective money.",
        set: |options, value| price(&mut options.plan.tariff.gigabyte, value),
    },
    RunOption {
        name: "core_hour_price",
        entry: "run.core_hour_price",
        file_only: false,
        values: Values::Price,
        help: "The price of a processor core for an hour, for the objective money.",
        set: |options, value| price(&mut options.plan.tariff.core_hour, value),
    },
    RunOption {
        name: "most_bytes",
        entry: "run.most_bytes",
        file_only: false,
        values: Values::Range(0, MOST_GIVEN),
        help: "Refuse a run that is predicted to send more bytes, of both parties and setup included.",
        set: |options, value| count(options.plan.limits.bytes.insert(0), value),
    },
    RunOption {
        name: "most_ms",
        entry: "run.most_ms",
        file_only: false,
        values: Values::Range(0, MOST_GIVEN),
        help: "Refuse a run that is predicted to take more milliseconds, setup included.",
        set: |options, value| count(options.plan.limits.milliseconds.insert(0), value),
    },
    RunOption {
        name: "most_memory",
        entry: "run.most_memory",
        file_only: false,
        values: Values::Range(0, MOST_GIVEN),
        help: "Refuse a run of which a party is predicted to take more bytes of memory.",
        set: |options, value| count(options.plan.limits.memory.insert(0), value),
    },
    RunOption {
        name: "profile",
        entry: "run.profile",
        file_only: false,
        values: Values::Profile,
        help: "The speed of the machines to plan for: built-in, or a file that `tacit calibrate` wrote.",
        // Profiles are read separately, since their errors need more words.
        set: |_, _| None,
    },
    RunOption {
        name: "planned_link",
        entry: "link.planned",
        file_only: false,
        values: Values::Link,
        help: "The link to plan for: lan, wan, mobile, or e.g. 100mbit,100ms.",
        set: |options, value| {
            let Shape { bandwidth_bits_per_s, latency } = link(value)?;
            options.plan.link = Link::one_way(bandwidth_bits_per_s, latency);
            Some(())
        },
    },
    RunOption {
        name: "net",
        entry: "link.net",
        file_only: false,
        values: Values::Link,
        help: "Slow the link down to this: lan, wan, mobile, or e.g. 100mbit,100ms.",
        set: |options, value| {
            options.net = Some(link(value)?);
            Some(())
        },
    },
];

fn names<T: Named>() -> Vec<&'static str> {
    T::ALL.iter().map(|one| one.name()).collect()
}

fn choose<T: Named>(place: &mut T, value: &Scalar) -> Option<()> {
    let Scalar::Text(name) = value else { return None };
    *place = T::named(name)?;
    Some(())
}

fn count<T: TryFrom<i64>>(place: &mut T, value: &Scalar) -> Option<()> {
    let Scalar::Integer(number) = value else { return None };
    *place = T::try_from(*number).ok()?;
    Some(())
}

fn price(place: &mut u64, value: &Scalar) -> Option<()> {
    let text = match value {
        Scalar::Text(text) => text.clone(),
        Scalar::Integer(whole) => whole.to_string(),
    };
    *place = Tariff::price(&text)?;
    Some(())
}

fn link(value: &Scalar) -> Option<Shape> {
    let Scalar::Text(text) = value else { return None };
    text.parse().ok()
}

/// The entries of the table of a session file that has this entry.
fn entries_beside(entry: &str) -> Vec<&'static str> {
    let (table, _) = entry.split_once('.').unwrap_or_default();
    let beside = RUN_OPTIONS.iter().filter_map(|option| option.entry.strip_prefix(table)?.strip_prefix('.'));
    beside.collect()
}

fn keywords() -> Vec<&'static str> {
    RUN_OPTIONS.iter().filter(|option| !option.file_only).map(|option| option.name).collect()
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed = |all: Vec<String>| match all.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        };
        match self {
            Values::Names(names) => {
                f.write_str(&listed(names().into_iter().map(|name| format!("\"{name}\"")).collect()))
            }
            Values::Numbers(numbers) => f.write_str(&listed(numbers.iter().map(u64::to_string).collect())),
            Values::Range(least, most) => write!(f, "{least} to {most}"),
            Values::Link => f.write_str("lan, wan, mobile or a form like 100mbit,20ms"),
            Values::Price => {
                f.write_str("a price of at most six digits after the point, like \"0.09\", in any currency")
            }
            Values::Profile => f.write_str("\"built-in\" or the path of a profile"),
            Values::Party => f.write_str("\"auto\", \"first\", or the name of a party or a role"),
            Values::Classes => {
                f.write_str("CLASS=DOMAIN, separated by commas, each CLASS once")?;
                OpClass::ALL.iter().try_for_each(|class| {
                    let domains = Domain::UNPINNED.iter().filter(|domain| class.works_in(**domain));
                    let domains = listed(domains.map(|domain| domain.name().to_owned()).collect());
                    write!(f, "; {} in {domains}", class.name())
                })
            }
        }
    }
}

impl Values {
    /// Checks numbers; names and links are checked by the option's own type.
    fn allow(&self, value: &Scalar) -> bool {
        let Scalar::Integer(number) = value else { return true };
        match self {
            Values::Numbers(numbers) => u64::try_from(*number).is_ok_and(|number| numbers.contains(&number)),
            Values::Range(least, most) => {
                u64::try_from(*number).is_ok_and(|number| (*least..=*most).contains(&number))
            }
            Values::Names(_)
            | Values::Link
            | Values::Price
            | Values::Profile
            | Values::Party
            | Values::Classes => true,
        }
    }
}

impl RunOption {
    /// The option with this keyword, as Python or the command line writes it.
    pub fn of_keyword(name: &str) -> Option<&'static RunOption> {
        let keyword = name.trim_start_matches("--").replace('-', "_");
        RUN_OPTIONS.iter().find(|option| !option.file_only && option.name == keyword)
    }

    /// Sets it; `name` is its name in errors.
    fn apply(&self, options: &mut RunOptions, name: &str, value: &Scalar) -> Result<(), OptionError> {
        self.claim_level(options, name)?;
        if let (Values::Profile, Scalar::Text(file)) = (self.values, value) {
            return options.take_profile(name, file);
        }
        match self.values.allow(value).then(|| (self.set)(options, value)).flatten() {
            Some(()) => Ok(()),
            None => {
                let (expected, found) = (self.values.to_string(), value.to_string());
                Err(OptionError::Value { name: name.to_owned(), expected, found })
            }
        }
    }

    /// Refuses to set the level if another option has set it; the error names both in the same style.
    fn claim_level(&self, options: &mut RunOptions, name: &str) -> Result<(), OptionError> {
        if !LEVELS.contains(&self.name) {
            return Ok(());
        }
        match options.level_by.replace(self.name) {
            Some(earlier) if earlier != self.name => {
                Err(OptionError::Contradiction { first: alike(earlier, name), second: name.to_owned() })
            }
            _ => Ok(()),
        }
    }
}

/// The name of an option in the style of `name`: in a file, on the command line, or as a keyword.
fn alike(keyword: &'static str, name: &str) -> String {
    let option = RUN_OPTIONS.iter().find(|option| option.name == keyword);
    match option.filter(|_| name.contains('.')) {
        Some(option) => option.entry.to_owned(),
        None if name.starts_with("--") => format!("--{}", keyword.replace('_', "-")),
        None => keyword.to_owned(),
    }
}

impl RunOptions {
    /// The options of a session file, with defaults for the others.
    ///
    /// # Errors
    /// [`SessionFileError::Content`] names the file, the line and the entry.
    pub fn of_session(file: &SessionFile) -> Result<RunOptions, SessionFileError> {
        let mut options = RunOptions { net: file.link.shape, ..RunOptions::default() };
        for entry in &file.options {
            let Some(option) = RUN_OPTIONS.iter().find(|option| option.entry == entry.name) else {
                return Err(file.fault(entry, OptionError::UnknownEntry { name: entry.name.clone() }));
            };
            let applied = option.apply(&mut options, &entry.name, &entry.value);
            applied.map_err(|error| file.fault(entry, error))?;
        }
        // Options of calls override those of the file.
        Ok(RunOptions { level_by: None, ..options })
    }

    /// These options, with those that are given by keyword, as Python or the command line writes them.
    ///
    /// # Errors
    /// [`OptionError::Unknown`] and [`OptionError::Value`] name the option as it was written; [`OptionError::Contradiction`]
    /// if two options of one call, or of successive ones, set the level.
    pub fn with<'a>(
        &self,
        given: impl IntoIterator<Item = (&'a str, &'a Scalar)>,
    ) -> Result<RunOptions, OptionError> {
        let mut options = self.clone();
        for (name, value) in given {
            let unknown = || OptionError::Unknown { name: name.to_owned() };
            RunOption::of_keyword(name).ok_or_else(unknown)?.apply(&mut options, name, value)?;
        }
        Ok(options)
    }

    /// Uses the profile with this name or file.
    fn take_profile(&mut self, name: &str, file: &str) -> Result<(), OptionError> {
        let read = match file {
            Profile::BUILT_IN => None,
            _ => Some(ProfileFile::load(Path::new(file))),
        };
        let failed = |source| OptionError::Profile { name: name.to_owned(), source };
        let read = read.transpose().map_err(failed)?;
        self.warning = read.as_ref().and_then(ProfileFile::warning);
        self.plan.profile = read.map(|read| Arc::new(read.profile)).unwrap_or_default();
        Ok(())
    }

    /// A warning about these options, if any.
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// How the parties of a session file meet.
    pub fn session(&self, file: &SessionFile) -> Config {
        Config { shape: self.net, ..file.config() }
    }

    /// The options for planning a program between the parties of a session file.
    ///
    /// # Errors
    /// [`PlanError::NoParty`], [`PlanError::PartyCount`].
    pub fn plan_for(&self, program: &Program, file: &SessionFile) -> Result<PlanOptions, PlanError> {
        let party_of = |role: &str| file.party_of_role(role).ok().map(str::to_owned);
        let parties = match &file.computing[..] {
            _ if file.all_compute() => Parties::assign(program, party_of)?,
            [first, second] => Parties::among(program, [first, second], party_of)?,
            more => return Err(PlanError::PartyCount { found: more.to_vec() }),
        };
        Ok(PlanOptions { parties: Some(parties), ..self.plan.clone() })
    }

    /// Refuses options that only make sense with a link.
    ///
    /// # Errors
    /// [`OptionError::Unfit`].
    pub fn without_a_link(&self, place: &'static str) -> Result<&PlanOptions, OptionError> {
        match self.net {
            Some(shape) => {
                let reason =
                    "there is no link to slow down; leave it out, or set planned_link to plan for a link";
                Err(OptionError::Unfit { name: "net", value: shape.to_string(), place, reason })
            }
            None => Ok(&self.plan),
        }
    }

    /// Refuses to change, in one run, options that apply to a whole open session; `session` are the session's.
    ///
    /// # Errors
    /// [`OptionError::Unfit`].
    pub fn in_session(&self, session: &RunOptions) -> Result<(), OptionError> {
        let unfit = |name, value: String| {
            let (place, reason) = ("in one run of an open session", "set it when the session opens");
            Err(OptionError::Unfit { name, value, place, reason })
        };
        match (self.net == session.net, self.plan.security == session.plan.security) {
            (true, true) => Ok(()),
            (true, false) => unfit("security", self.plan.security.level.to_string()),
            (false, _) => unfit("net", self.net.map_or_else(String::new, |net| net.to_string())),
        }
    }

    /// These options for making and using prepared runs.
    ///
    /// # Errors
    /// [`OptionError::Unfit`] if tables are to be streamed.
    pub fn prepared(&self) -> Result<RunOptions, OptionError> {
        let mut options = self.clone();
        if options.plan.mode == ModeChoice::Streamed {
            let (value, place) = (ModeChoice::Streamed.name().to_owned(), "for prepared runs");
            let reason = "their tables exist before the run; leave it out or say precomputed";
            return Err(OptionError::Unfit { name: "mode", value, place, reason });
        }
        options.plan.mode = ModeChoice::Precomputed;
        Ok(options)
    }

    /// The limit on the work of lowering in steps, if it is not the default.
    pub fn effort(&self) -> Option<u64> {
        let effort = self.plan.lowering.effort;
        (effort != Lowering::EFFORT).then_some(effort)
    }
}

#[cfg(test)]
mod tests;
