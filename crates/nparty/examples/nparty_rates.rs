//! Measures comparisons and compiled programs among three parties on loopback, with TLS; prints a line of JSON for each.

mod meeting;
mod vectors;

use std::time::Instant;

use tacit_ir::Domain;
use tacit_lower::Options;
use tacit_math::field::{Field, Gf256, Mersenne61, Montgomery};
use tacit_nparty::compiled::Compiled;
use tacit_nparty::program::{Task, Value};
use tacit_nparty::{Party, RunError};

use meeting::Result;
use vectors::products;

/// The result of the first of three parties.
fn together<F: Field, T: Send + 'static>(
    field: &F,
    program: impl Fn(&Party<F>) -> Result<T> + Clone + Send + 'static,
) -> Result<T> {
    meeting::together(field, None, program)?.into_iter().next().ok_or_else(|| "no parties".into())
}

/// Numbers of 32 bits, the same in every run.
fn numbers<F: Field>(field: &F, count: usize, seed: u64) -> Vec<F::Element> {
    let number = |i: u64| field.element((i + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32);
    (0..count as u64).map(number).collect()
}

fn input<F: Field>(task: &Task<F>, owner: usize, count: usize) -> std::result::Result<Value<F>, RunError> {
    let given = (task.me() == owner).then(|| numbers(task.field(), count, owner as u64));
    task.input(owner, count, given)
}

/// Waits until a value is computed, and ignores it.
fn settle<F: Field>(task: &Task<F>, value: &Value<F>) -> Result<()> {
    task.wait(&task.open(value)?)?;
    Ok(())
}

type Compare<F> = fn(&Task<F>, &Value<F>, &Value<F>) -> std::result::Result<Value<F>, RunError>;

/// What is compared, how, and what is prepared.
struct Case<F: Field> {
    name: &'static str,
    field: F,
    count: usize,
    prepare: fn(&Task<F>, usize) -> std::result::Result<(), RunError>,
    compare: Compare<F>,
}

/// Vector comparisons and a chain of them.
fn comparisons<F: Field>(case: Case<F>) -> Result<()> {
    let Case { name, field, count, prepare, compare } = case;
    if std::env::args().nth(1).is_some_and(|wanted| !name.starts_with(&wanted)) {
        return Ok(());
    }
    let (seconds, serial, bytes) = together(&field, move |party| {
        let task = party.root();
        let (a, b) = (input(&task, 0, count)?, input(&task, 1, count)?);
        prepare(&task, count + 50)?;
        // More consecutive products than the preparation has, so that it is finished before them.
        let mut product = task.mul(&a, &b)?;
        for _ in 0..5 {
            product = task.mul(&product, &b)?;
        }
        settle(&task, &product)?;
        let before = party.counts().bytes_sent;
        let start = Instant::now();
        settle(&task, &compare(&task, &a, &b)?)?;
        let (seconds, bytes) = (start.elapsed().as_secs_f64(), party.counts().bytes_sent - before);
        let (mut a, b) = (input(&task, 0, 1)?, input(&task, 1, 1)?);
        let steps = 50;
        let start = Instant::now();
        for _ in 0..steps {
            a = compare(&task, &a, &b)?;
        }
        settle(&task, &a)?;
        Ok((seconds, start.elapsed().as_secs_f64() / f64::from(steps), bytes))
    })?;
    println!(
        "{{\"what\": \"{name}\", \"per_second\": {:.0}, \"bytes_each\": {:.0}, \"serial_ms\": {:.3}}}",
        count as f64 / seconds,
        bytes as f64 / count as f64,
        serial * 1e3
    );
    Ok(())
}

/// Seconds of a run of a program of [`products`], including the comparison of plans, and bytes that the first
/// party sends.
fn products_among<F: Field>(field: &F, lanes: u32, compiled: Compiled) -> Result<(f64, u64)> {
    together(field, move |party| {
        let task = party.root();
        let given = |owner: usize| {
            if task.me() == owner { vec![vectors::numbers(lanes, owner)] } else { vec![] }
        };
        let (before, start) = (party.counts().bytes_sent, Instant::now());
        let outputs = compiled.run(&task, &[given(0), given(1)])?;
        let seconds = start.elapsed().as_secs_f64();
        if task.me() < 2 && outputs[0][0].low_u128(0) != vectors::product(lanes, 0) {
            return Err("a product is wrong".into());
        }
        Ok((seconds, party.counts().bytes_sent - before))
    })
}

fn compiled(lanes: u32) -> Result<()> {
    if std::env::args().nth(1).is_some_and(|wanted| !"compiled".starts_with(&wanted)) {
        return Ok(());
    }
    let compiled = Compiled::lowered(&products(lanes)?, &Compiled::bit_options(), &[0, 1])?;
    let ands = compiled.and_count();
    let (seconds, bytes) = products_among(&Gf256, lanes, compiled)?;
    println!(
        "{{\"what\": \"compiled products of 32 bits, {lanes} lanes\", \"ands\": {ands}, \"ands_per_second\": {:.0}, \"bytes_each\": {:.2}, \"seconds\": {seconds:.4}}}",
        ands as f64 / seconds,
        bytes as f64 / ands as f64,
    );
    Ok(())
}

/// The same products in a domain, one by one.
fn in_domain<F: Field>(field: &F, domain: Domain, lanes: u32) -> Result<()> {
    if std::env::args().nth(1).is_some_and(|wanted| !"products".starts_with(&wanted)) {
        return Ok(());
    }
    let options = Options { domain, ..Compiled::bit_options() };
    let compiled = Compiled::lowered(&products(lanes)?, &options, &[0, 1])?;
    let (seconds, bytes) = products_among(field, lanes, compiled)?;
    println!(
        "{{\"what\": \"products of 32 bits in {}, {lanes} lanes\", \"per_second\": {:.0}, \"bytes_each\": {:.2}, \"seconds\": {seconds:.4}}}",
        domain.name(),
        f64::from(lanes) / seconds,
        bytes as f64 / f64::from(lanes),
    );
    Ok(())
}

/// Measures everything without arguments, else the rows whose names begin with the first argument.
fn main() -> Result<()> {
    let wide = Montgomery::<2>::new(&[u64::MAX, u64::MAX >> 1])?;
    let (field, count) = (Mersenne61, 20_000);
    let less: Compare<Mersenne61> = |task, a, b| task.less(a, b);
    comparisons(Case {
        name: "less, modulo 2^61 - 1, including preparation",
        field,
        count,
        prepare: |_, _| Ok(()),
        compare: less,
    })?;
    comparisons(Case {
        name: "less, modulo 2^61 - 1, masks prepared",
        field,
        count,
        prepare: |task, count| task.prepare_comparisons(count),
        compare: less,
    })?;
    comparisons(Case {
        name: "less in the field, modulo 2^61 - 1, including preparation",
        field,
        count,
        prepare: |_, _| Ok(()),
        compare: |task, a, b| task.is_negative_by_tree(&task.sub(a, b)?),
    })?;
    comparisons(Case {
        name: "less by bits, modulo 2^61 - 1, including preparation",
        field,
        count,
        prepare: |_, _| Ok(()),
        compare: |task, a, b| task.is_negative_by_bits(&task.sub(a, b)?),
    })?;
    comparisons(Case {
        name: "Toft in GF(2^8), 32 bits, modulo 2^127 - 1",
        field: wide,
        count: count / 2,
        prepare: |_, _| Ok(()),
        compare: |task, a, b| task.from_bytes(&task.greater_than_equal_in_bytes(a, b, 32)?),
    })?;
    comparisons(Case {
        name: "sign of 33 bits, modulo 2^127 - 1",
        field: wide,
        count: count / 2,
        prepare: |_, _| Ok(()),
        compare: |task, a, b| task.is_negative_within(&task.sub(a, b)?, 33),
    })?;
    comparisons(Case {
        name: "Toft, 32 bits, modulo 2^127 - 1",
        field: wide,
        count: count / 2,
        prepare: |_, _| Ok(()),
        compare: |task, a, b| task.greater_than_equal_toft(a, b, 32),
    })?;
    compiled(1)?;
    compiled(2000)?;
    in_domain(&Gf256, Domain::Bool, 20_000)?;
    in_domain(&wide, Domain::Arith, 20_000)
}
