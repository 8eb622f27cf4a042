//! Measures comparisons of shared numbers by DGK between two of three parties, over links: prints rows as JSON objects. All parties run in this
//! process on all cores, linked by TLS on loopback.
//!
//! Every timed result is compared with the one in the clear, so that no row stands for a wrong bit.

mod meeting;

use std::time::Instant;

use tacit_compare::{Parameters, Results};
use tacit_he::dgk::ModulusSize;
use tacit_math::field::{Field, Montgomery};
use tacit_nparty::program::{Task, Value};
use tacit_nparty::protocol::dgk::DgkTerms;
use tacit_nparty::{Party, RunError};

use meeting::{Result, together};

/// Links by their names in `--net`; the first is not shaped.
const LINKS: [&str; 3] = ["loopback", "lan", "wan"];

/// Bits of the numbers, and the number of comparisons at once.
const SIZES: [(u32, usize); 4] = [(16, 1), (16, 1000), (32, 1), (32, 1000)];

/// The order of the field, 2^127 - 1, which holds numbers of 32 bits under a mask that is 40 bits longer.
const ORDER: [u64; 2] = [u64::MAX, u64::MAX >> 1];

type Field127 = Montgomery<2>;

/// The measurements of one party.
struct Measured {
    setup: f64,
    online: f64,
    bytes: u64,
}

fn main() -> Result<()> {
    for link in LINKS {
        for (bits, count) in SIZES {
            report(link, bits, count)?;
        }
    }
    Ok(())
}

fn report(link: &str, bits: u32, count: usize) -> Result<()> {
    let field: Field127 = Montgomery::new(&ORDER)?;
    let parties = together(&field, link.parse().ok(), move |party| measure(party, bits, count))?;
    let slowest = |time: fn(&Measured) -> f64| parties.iter().map(time).fold(0.0, f64::max);
    let bytes: u64 = parties.iter().map(|party| party.bytes).sum();
    for (what, value, unit) in [
        ("setup", slowest(|party| party.setup), "s"),
        ("online", slowest(|party| party.online), "s"),
        ("bytes", bytes as f64, "B"),
    ] {
        let name = format!("{count} of {bits} bits, {link}, dgk3");
        println!("{{\"name\":\"{name}, {what}\",\"value\":{value},\"unit\":\"{unit}\"}}");
    }
    Ok(())
}

fn measure(party: &Party<Field127>, bits: u32, count: usize) -> Result<Measured> {
    let task = party.root();
    let numbers = [0, 1].map(|owner| numbers(bits, count, owner));
    let x = input(&task, 0, &numbers)?;
    let y = input(&task, 1, &numbers)?;
    let wait = || task.wait(&task.synchronise()?);
    wait()?;
    let (start, sent) = (Instant::now(), party.counts().bytes_sent);
    let parameters = Parameters::new(ModulusSize::MEDIUM, 224, bits, Results::Shared)?;
    let mut pair = task.dgk_pair(DgkTerms { server: 0, assistant: 1, parameters, apart: false })?;
    wait()?;
    let setup = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let found = task.wait(&task.open(&task.at_least_by_dgk(&mut pair, &x, &y)?)?)?;
    let online = start.elapsed().as_secs_f64();
    pair.close()?;
    wait()?;
    let bytes = party.counts().bytes_sent - sent;
    let bit = |x: &u64, y: &u64| task.field().element(u64::from(x >= y));
    let right = numbers[0].iter().zip(&numbers[1]).map(|(x, y)| bit(x, y));
    if !right.eq(found) {
        return Err("the bit is wrong".into());
    }
    Ok(Measured { setup, online, bytes })
}

/// Numbers of one of the two owners, the same in every run.
fn numbers(bits: u32, count: usize, owner: u64) -> Vec<u64> {
    let number = |i: u64| (i + owner).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits);
    (0..count as u64).map(number).collect()
}

fn input(
    task: &Task<Field127>,
    owner: usize,
    numbers: &[Vec<u64>; 2],
) -> std::result::Result<Value<Field127>, RunError> {
    let numbers = &numbers[owner];
    let own = numbers.iter().map(|number| task.field().element(*number)).collect();
    task.input(owner, numbers.len(), (task.me() == owner).then_some(own))
}
