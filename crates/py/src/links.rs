//! Links by name or form, of options and of parties, and the times of runs among n parties over them.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use tacit_net::shape::Shape;
use tacit_plan::{Link, PhaseTime, Profile, WorkAmong};
use tacit_schedule::{Computing, Unit};

use crate::errors::UsageError;
use crate::options::GivenOptions;
use crate::profile::profile_of;

/// The links that a party is given, and the profile, beside those of the session file.
#[derive(Clone, Copy, Default)]
pub struct Links<'a> {
    /// By which its own is slowed down.
    pub net: Option<&'a str>,
    /// For which times are predicted.
    pub planned: Option<&'a str>,
    /// How fast the parties compute, for that.
    pub profile: Option<&'a str>,
}

impl Links<'_> {
    /// The same as options of runs.
    pub fn given(self) -> GivenOptions {
        let links = [("net", self.net), ("planned_link", self.planned), ("profile", self.profile)];
        links.into_iter().filter_map(|(name, link)| Some((name.to_owned(), link?.into()))).collect()
    }
}

/// Bits a second, and seconds in one direction, of a link as options name it; `option` is its name in errors.
#[pyfunction]
pub fn link(text: &str, option: &str) -> PyResult<(u64, f64)> {
    let Shape { bandwidth_bits_per_s, latency } = shape(text, option)?;
    Ok((bandwidth_bits_per_s, latency.as_secs_f64()))
}

fn shape(text: &str, option: &str) -> PyResult<Shape> {
    text.parse().map_err(|error| UsageError::new_err(format!("{option}: {error}")))
}

/// A link as options name it, and the profile of a name or file, or the built-in one.
pub fn planned(link: &str, profile: Option<&str>) -> PyResult<(Link, Profile)> {
    let Shape { bandwidth_bits_per_s, latency } = shape(link, "--link")?;
    let profile = profile_of(profile.unwrap_or(Profile::BUILT_IN))?.profile;
    Ok((Link::one_way(bandwidth_bits_per_s, latency), profile))
}

/// Seconds of computing, sending and waiting of a run among three parties or more, over a link as options
/// name it. `computing` has how often a party computes each unit.
///
/// Raises `UsageError` for a link or a profile that there is not, and for an unknown unit.
#[pyfunction]
#[pyo3(signature = (link, *, computing, rounds, most_bytes, profile = None))]
pub fn seconds_among(
    link: &str,
    computing: BTreeMap<String, u64>,
    rounds: u64,
    most_bytes: u64,
    profile: Option<&str>,
) -> PyResult<(f64, f64, f64)> {
    let (link, profile) = planned(link, profile)?;
    let mut counts = Computing::default();
    for (name, count) in computing {
        let unit = Unit::named(&name).ok_or_else(|| UsageError::new_err(format!("no unit {name}")))?;
        counts.add_of(unit, count);
    }
    let work = WorkAmong { computing: counts, rounds, most_bytes };
    let PhaseTime { computing_ns, sending_ns, waiting_ns } = work.time(link, &profile);
    let seconds = |nanoseconds: u64| nanoseconds as f64 * 1e-9;
    Ok((seconds(computing_ns), seconds(sending_ns), seconds(waiting_ns)))
}
