//! Links by name or form, of options and of parties, and the times of runs among n parties over them.

use pyo3::prelude::*;
use tacit_net::shape::Shape;
use tacit_plan::{Link, PhaseTime, WorkAmong};

use crate::errors::UsageError;
use crate::options::GivenOptions;

/// The links that a party is given, beside those of the session file.
#[derive(Clone, Copy, Default)]
pub struct Links<'a> {
    /// By which its own is slowed down.
    pub net: Option<&'a str>,
    /// For which times are predicted.
    pub planned: Option<&'a str>,
}

impl Links<'_> {
    /// The same as options of runs.
    pub fn given(self) -> GivenOptions {
        let links = [("net", self.net), ("planned_link", self.planned)];
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

/// Seconds of computing, sending and waiting of a run among three parties or more, over a link as options
/// name it.
#[pyfunction]
#[pyo3(signature = (link, *, parties, products, opened, rounds, most_bytes, has_words))]
pub fn seconds_among(
    link: &str,
    parties: u64,
    products: u64,
    opened: u64,
    rounds: u64,
    most_bytes: u64,
    has_words: bool,
) -> PyResult<(f64, f64, f64)> {
    let Shape { bandwidth_bits_per_s, latency } = shape(link, "--link")?;
    let work = WorkAmong { parties, products, opened, rounds, most_bytes, has_words };
    let PhaseTime { computing_ns, sending_ns, waiting_ns } =
        work.time(Link::one_way(bandwidth_bits_per_s, latency));
    let seconds = |nanoseconds: u64| nanoseconds as f64 * 1e-9;
    Ok((seconds(computing_ns), seconds(sending_ns), seconds(waiting_ns)))
}
