//! Measures products and comparisons among any number of parties on loopback, with TLS; prints a line of JSON for each number of parties that is given.

mod meeting;

use std::time::Instant;

use tacit_math::field::Mersenne61;
use tacit_nparty::program::{Task, Value};
use tacit_nparty::{Party, RunError};

use meeting::Result;

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

/// Seconds of some vectors of products, of comparisons, and bytes that the first party sends for either.
fn measured(party: &Party<Mersenne61>, vectors: usize, compared: usize) -> Result<[f64; 4]> {
    let task = party.root();
    let (a, b) = (input(&task, 0, LENGTH)?, input(&task, 1, LENGTH)?);
    task.wait(&task.open(&task.add(&a, &b)?)?)?;
    task.wait(&task.synchronise()?)?;
    let (start, before) = (Instant::now(), party.counts().bytes_sent);
    let products = (0..vectors).map(|_| task.mul(&a, &b)).collect::<std::result::Result<Vec<_>, _>>()?;
    // Their sum of a few elements is known after all of them.
    let last = products.last().ok_or("no products")?;
    let first = task.wait(&task.open(last)?)?;
    if first[5] != 5 * 6 {
        return Err("a wrong product".into());
    }
    task.wait(&task.synchronise()?)?;
    let (multiplied, sent) = (start.elapsed().as_secs_f64(), party.counts().bytes_sent - before);
    drop(products);
    let (x, y) = (input(&task, 0, compared)?, input(&task, 1, compared)?);
    task.wait(&task.synchronise()?)?;
    let (start, before) = (Instant::now(), party.counts().bytes_sent);
    if compared > 0 && task.wait(&task.open(&task.less(&x, &y)?)?)?.iter().any(|less| *less != 1) {
        return Err("a wrong comparison".into());
    }
    let (seconds, bytes) = (start.elapsed().as_secs_f64(), party.counts().bytes_sent - before);
    Ok([multiplied, sent as f64, seconds, bytes as f64])
}

/// The arguments are numbers of parties, of vectors of products, and of comparisons: `5 80 20000`.
fn main() -> Result<()> {
    let arguments: Vec<usize> = std::env::args().skip(1).filter_map(|given| given.parse().ok()).collect();
    for given in arguments.chunks(3) {
        let [parties, vectors, compared] = given else { return Err("three numbers for each case".into()) };
        let (vectors, compared) = (*vectors, *compared);
        let start = Instant::now();
        let size = (*parties, (parties - 1) / 2);
        let found =
            meeting::together_of(&Mersenne61, size, None, move |party| measured(party, vectors, compared))?;
        let most = |i: usize| found.iter().map(|found| found[i]).fold(0.0, f64::max);
        let mean = |i: usize| found.iter().map(|found| found[i]).sum::<f64>() / *parties as f64;
        let products = (vectors * LENGTH) as f64;
        println!(
            "{{\"parties\": {parties}, \"products_per_second\": {:.0}, \"bytes_a_product\": {:.2}, \"comparisons_per_second\": {:.0}, \
             \"bytes_a_comparison\": {:.0}, \"seconds_in_all\": {:.2}}}",
            products / most(0),
            mean(1) / products,
            compared as f64 / most(2),
            mean(3) / (compared as f64).max(1.0),
            start.elapsed().as_secs_f64(),
        );
    }
    Ok(())
}
