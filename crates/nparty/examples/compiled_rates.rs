//! Measures compiled programs among three parties of this process, on loopback with TLS; prints a line of JSON for each figure.

mod meeting;
mod vectors;

use std::time::Instant;

use tacit_lower::Options;
use tacit_math::field::Gf256;
use tacit_nparty::Party;
use tacit_nparty::compiled::Compiled;

use meeting::Result;
use vectors::{numbers, product, products};

/// Runs of which the middle one counts.
const RUNS: usize = 5;

/// Seconds of each run, inputs and outputs included, and bytes that the party sends in it.
fn measured(party: &Party<Gf256>, lanes: u32, compiled: &Compiled) -> Result<Vec<(f64, u64)>> {
    let task = party.root();
    let given = |owner: usize| if task.me() == owner { vec![numbers(lanes, owner)] } else { vec![] };
    let inputs = [given(0), given(1)];
    compiled.plan(&task)?;
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        task.wait(&task.synchronise()?)?;
        let (before, start) = (party.counts().bytes_sent, Instant::now());
        let outputs = compiled.run(&task, &inputs)?;
        runs.push((start.elapsed().as_secs_f64(), party.counts().bytes_sent - before));
        let last = u64::from(lanes) - 1;
        if outputs[0].first().is_some_and(|column| column.low_u128(last) != product(lanes, last)) {
            return Err("a wrong product".into());
        }
    }
    Ok(runs)
}

fn row(name: &str, value: f64, unit: &str) {
    println!("{{\"name\": \"{name}\", \"value\": {value}, \"unit\": \"{unit}\"}}");
}

/// The argument is how many products are computed at once; 100 000 unless given.
fn main() -> Result<()> {
    let lanes = std::env::args().nth(1).and_then(|given| given.parse().ok()).unwrap_or(100_000);
    let compiled = Compiled::lowered(&products(lanes)?, &Options::default(), &[0, 1])?;
    let ands = compiled.and_count() as f64;
    let found = meeting::together(&Gf256, None, move |party| measured(party, lanes, &compiled))?;
    // Of each run the slowest party.
    let slowest = |run: usize| found.iter().map(|runs| runs[run].0).fold(0.0, f64::max);
    let mut seconds: Vec<_> = (0..RUNS).map(slowest).collect();
    seconds.sort_by(f64::total_cmp);
    let sent = found.iter().flatten().map(|(_, bytes)| *bytes as f64).sum::<f64>() / (3 * RUNS) as f64;
    row("ANDs of compiled programs, vectors, among 3", ands / seconds[RUNS / 2], "1/s");
    row("bits a party sends for an AND, vectors, among 3", 8.0 * sent / ands, "");
    Ok(())
}
