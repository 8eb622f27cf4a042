//! Measures compiled programs among three parties of this process, on loopback with TLS; prints a line of JSON for each figure.

mod meeting;
mod vectors;

use std::time::Instant;

use tacit_ir::{Domain, Program};
use tacit_lower::Options;
use tacit_math::field::Gf256;
use tacit_nparty::Party;
use tacit_nparty::compiled::Compiled;

use meeting::Result;
use vectors::{numbers_of, of_two, product, products};

/// Number of runs; the median counts.
const RUNS: usize = 5;

/// Consecutive products in each lane: so many that inputs and outputs hardly count.
const CHAIN: u32 = 200;

/// One measurement.
#[derive(Clone)]
struct Case {
    compiled: Compiled,
    /// Bits and lanes of inputs.
    inputs: (u32, u32),
    /// The result in the last lane.
    last: u128,
}

impl Case {
    fn new(program: &Program, domain: Domain, inputs: (u32, u32), last: u128) -> Result<Case> {
        let compiled = Compiled::lowered(program, &Options { domain, ..Compiled::bit_options() }, &[0, 1])?;
        Ok(Case { compiled, inputs, last })
    }

    /// Seconds of each run, including inputs and outputs, and bytes that the party sends in it.
    fn measured(&self, party: &Party<Gf256>) -> Result<Vec<(f64, u64)>> {
        let (task, (bits, lanes)) = (party.root(), self.inputs);
        let given =
            |owner: usize| if task.me() == owner { vec![numbers_of(bits, lanes, owner)] } else { vec![] };
        let inputs = [given(0), given(1)];
        self.compiled.plan(&task)?;
        let mut runs = Vec::new();
        for _ in 0..RUNS {
            task.wait(&task.synchronise()?)?;
            let (before, start) = (party.counts().bytes_sent, Instant::now());
            let outputs = self.compiled.run(&task, &inputs)?;
            runs.push((start.elapsed().as_secs_f64(), party.counts().bytes_sent - before));
            let last = u64::from(lanes) - 1;
            if outputs[0].first().is_some_and(|column| column.low_u128(last) != self.last) {
                return Err("the result is wrong".into());
            }
        }
        Ok(runs)
    }

    /// Of the median run: seconds of the slowest party, and bytes that a party sends on average.
    fn run(self) -> Result<(f64, f64)> {
        let found = meeting::together(&Gf256, None, move |party| self.measured(party))?;
        let slowest = |run: usize| found.iter().map(|runs| runs[run].0).fold(0.0, f64::max);
        let mut seconds: Vec<_> = (0..RUNS).map(slowest).collect();
        seconds.sort_by(f64::total_cmp);
        let sent = found.iter().flatten().map(|(_, bytes)| *bytes as f64).sum::<f64>();
        Ok((seconds[RUNS / 2], sent / (3 * RUNS) as f64))
    }
}

fn row(name: &str, value: f64, unit: &str) {
    println!("{{\"name\": \"{name}\", \"value\": {value}, \"unit\": \"{unit}\"}}");
}

/// Products of 32 bits, as circuits.
fn bits(lanes: u32) -> Result<()> {
    let last = product(lanes, u64::from(lanes) - 1);
    let case = Case::new(&products(lanes)?, Domain::Bool, (32, lanes), last)?;
    let ands = case.compiled.and_count() as f64;
    let (seconds, sent) = case.run()?;
    row("ANDs of compiled programs, vectors, among 3", ands / seconds, "1/s");
    row("bits a party sends for an AND, vectors, among 3", 8.0 * sent / ands, "");
    Ok(())
}

/// The numbers of both parties in the last lane.
fn last_of((bits, lanes): (u32, u32)) -> [u64; 2] {
    [0, 1].map(|party| numbers_of(bits, lanes, party).low_u128(u64::from(lanes) - 1) as u64)
}

/// Chains of products of 64 bits.
fn words(lanes: u32) -> Result<()> {
    let chain =
        of_two((64, lanes), 64, |main, x, y| (0..CHAIN).try_fold(x, |product, _| main.mul(product, y)))?;
    let [x, y] = last_of((64, lanes));
    let last = (0..CHAIN).fold(x, |product, _| product.wrapping_mul(y));
    let (seconds, sent) = Case::new(&chain, Domain::Arith, (64, lanes), last.into())?.run()?;
    let products = f64::from(CHAIN) * f64::from(lanes);
    row("products modulo 2^64 of compiled programs, among 3", products / seconds, "1/s");
    row("bytes a party sends for a product modulo 2^64, among 3", sent / products, "");
    Ok(())
}

/// Comparisons of words of 32 bits, in a domain.
fn comparisons(lanes: u32, domain: Domain, of: &str) -> Result<()> {
    let program = of_two((32, lanes), 1, |main, x, y| main.lt_u(x, y))?;
    let [x, y] = last_of((32, lanes));
    let (seconds, sent) = Case::new(&program, domain, (32, lanes), (x < y).into())?.run()?;
    row(
        &format!("32-bit comparisons of {of} of compiled programs, among 3"),
        f64::from(lanes) / seconds,
        "1/s",
    );
    row(
        &format!("bytes a party sends for a 32-bit comparison of {of}, among 3"),
        sent / f64::from(lanes),
        "",
    );
    Ok(())
}

/// The first argument is the number of products and comparisons at once (default 100 000); the second selects one measurement (default all).
fn main() -> Result<()> {
    let lanes = std::env::args().nth(1).and_then(|given| given.parse().ok()).unwrap_or(100_000);
    let wanted = |what: &str| std::env::args().nth(2).is_none_or(|wanted| wanted == what);
    if wanted("bits") {
        bits(lanes)?;
    }
    if wanted("words") {
        words(lanes)?;
    }
    if wanted("comparisons") {
        comparisons(lanes, Domain::Arith, "words")?;
        comparisons(lanes, Domain::Bool, "bits")?;
    }
    Ok(())
}
