//! Measures products and comparisons among any number of parties of this process, on loopback with TLS; prints a line of JSON for each figure.

mod meeting;

use std::time::Instant;

use tacit_math::field::Mersenne61;
use tacit_nparty::program::{Task, Value};
use tacit_nparty::{Party, RunError, Security};

use meeting::Result;

/// The maximum number of parties for which verified products are measured.
const MOST_VERIFIED: usize = 9;

/// Bits of compared numbers.
const BITS: usize = 32;

/// Elements of a vector.
const LENGTH: usize = 100_000;

fn input(
    task: &Task<Mersenne61>,
    owner: usize,
    count: usize,
) -> std::result::Result<Value<Mersenne61>, RunError> {
    let given = (task.me() == owner).then(|| (0..count as u64).map(|i| i + owner as u64).collect());
    task.input(owner, count, given)
}

/// Measures vectors of products, and comparisons. Returns for each: seconds, bytes that the party sends, and processor seconds of all
/// parties.
fn measured(party: &Party<Mersenne61>, vectors: usize, compared: usize) -> Result<[f64; 6]> {
    let task = party.root();
    let (a, b) = (input(&task, 0, LENGTH)?, input(&task, 1, LENGTH)?);
    task.wait(&task.open(&task.add(&a, &b)?)?)?;
    task.wait(&task.synchronise()?)?;
    let (start, worked, before) = (Instant::now(), processor(), party.counts().bytes_sent);
    let products = (0..vectors).map(|_| task.mul(&a, &b)).collect::<std::result::Result<Vec<_>, _>>()?;
    // Opening one element of each shows when all products are computed.
    let of_each = products.iter().map(|product| task.gather(product, [5].into()));
    let of_each = of_each.collect::<std::result::Result<Vec<_>, _>>()?;
    let opened = task.wait(&task.open(&task.concat(&of_each.iter().collect::<Vec<_>>())?)?)?;
    if opened != vec![5 * 6; vectors] {
        return Err("a product is wrong".into());
    }
    task.wait(&task.synchronise()?)?;
    let (multiplied, sent) = (start.elapsed().as_secs_f64(), (party.counts().bytes_sent - before) as f64);
    let multiplied_work = processor() - worked;
    drop(products);
    let (x, y) = (input(&task, 0, compared)?, input(&task, 1, compared)?);
    task.wait(&task.synchronise()?)?;
    let (start, worked, before) = (Instant::now(), processor(), party.counts().bytes_sent);
    if compared > 0
        && task.wait(&task.open(&task.less_within(&x, &y, BITS + 1)?)?)?.iter().any(|less| *less != 1)
    {
        return Err("a comparison is wrong".into());
    }
    let (compared, bytes) = (start.elapsed().as_secs_f64(), (party.counts().bytes_sent - before) as f64);
    Ok([multiplied, sent, multiplied_work, compared, bytes, processor() - worked])
}

/// Processor seconds that this process has used, where the system reports them.
fn processor() -> f64 {
    let told = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = told.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// The peak memory of this process in bytes, where the system reports it.
fn peak_memory() -> f64 {
    let told = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kilobytes| kilobytes.parse::<f64>().ok()).unwrap_or(0.0) * 1024.0
}

fn row(name: &str, parties: usize, value: f64, unit: &str) {
    println!("{{\"name\": \"{name} among {parties}\", \"value\": {value}, \"unit\": \"{unit}\"}}");
}

/// Products and comparisons among this many parties, with the largest threshold.
fn rates(parties: usize, vectors: usize, compared: usize) -> Result<()> {
    let size = (parties, (parties - 1) / 2);
    let found =
        meeting::together_of(&Mersenne61, size, None, move |party| measured(party, vectors, compared))?;
    let most = |i: usize| found.iter().map(|found| found[i]).fold(0.0, f64::max);
    let mean = |i: usize| found.iter().map(|found| found[i]).sum::<f64>() / parties as f64;
    let products = (vectors * LENGTH) as f64;
    row("products of vectors", parties, products / most(0), "1/s");
    row("products of vectors in a second of a processor", parties, products / most(2), "1/s");
    row("elements a party sends for a product", parties, mean(1) / products / 8.0, "");
    if compared > 0 {
        row("comparisons of 32 bits", parties, compared as f64 / most(3), "1/s");
        row("comparisons of 32 bits in a second of a processor", parties, compared as f64 / most(5), "1/s");
        row("bytes a party sends for a comparison", parties, mean(4) / compared as f64, "B");
    }
    // With so few parties, sharings come from common keys.
    if parties <= MOST_VERIFIED {
        let program = move |party: &Party<Mersenne61>| measured(party, vectors, 0);
        let verified = meeting::together_against(Security::Active, &Mersenne61, size, None, program)?;
        let seconds = verified.iter().map(|found| found[0]).fold(0.0, f64::max);
        row("products of vectors that are verified", parties, products / seconds, "1/s");
        row("time of products that are verified against others", parties, seconds / most(0), "");
    }
    Ok(())
}

/// A whole session: parties meet, multiply a thousand numbers, and open the products.
fn session(parties: usize) -> Result<()> {
    let start = Instant::now();
    meeting::together_of(&Mersenne61, (parties, (parties - 1) / 2), None, |party| {
        let task = party.root();
        let (a, b) = (input(&task, 0, 1000)?, input(&task, 1, 1000)?);
        let products = task.wait(&task.open(&task.mul(&a, &b)?)?)?;
        match products[999] == 999 * 1000 {
            true => Ok(()),
            false => Err("a product is wrong".into()),
        }
    })?;
    row("meeting, a thousand products and their opening", parties, start.elapsed().as_secs_f64(), "s");
    row("memory of a party", parties, peak_memory() / parties as f64, "B");
    Ok(())
}

/// The arguments are triples of a number of parties, vectors of products, and comparisons, such as `5 80 20000`; with 0 vectors, the parties only run a short
/// session: `64 0 0`.
fn main() -> Result<()> {
    let arguments: Vec<usize> = std::env::args().skip(1).filter_map(|given| given.parse().ok()).collect();
    for given in arguments.chunks(3) {
        match *given {
            [parties, 0, _] => session(parties)?,
            [parties, vectors, compared] => rates(parties, vectors, compared)?,
            _ => return Err("give three numbers for each case: parties, vectors, comparisons".into()),
        }
    }
    Ok(())
}
