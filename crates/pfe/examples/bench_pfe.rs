//! Measures half-ElGamal, and the re-executable protocol beside it, between two parties in one process that share the machine's cores: prints rows as
//! JSON objects.
//!
//! `bench_pfe EXPONENT` goes up to N = 10^EXPONENT inputs and gates, of which 64 are inputs; the default is 5, which is also the maximum for the
//! re-executable protocol. The functions are random, in levels of 1024 gates. Links have the paper's bandwidth and latency. Every result is
//! compared with the one in the clear.

mod measuring;

use std::time::Instant;

use tacit_crypto::Prg;
use tacit_net::StreamId;
use tacit_net::shape::Shape;
use tacit_pfe::prediction::Rates;
use tacit_pfe::{Protocol, Size, half_elgamal, re_executable};

use measuring::{
    Failure, INPUTS, LINKS, Measured, Outcome, link, predicted, processor_seconds, random_bits,
    random_function,
};

/// Inputs and gates up to which the re-executable protocol is measured: it multiplies three times as often.
const MOST_RE_EXECUTABLE: usize = 100_000;

const PHASES: [&str; 4] = ["setupN", "setupf", "onlinex", "setup of a further run"];

fn main() -> Outcome<()> {
    let exponent = std::env::args().nth(1).map_or(Ok(5), |argument| argument.parse())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build()?;
    for n in (2..=exponent).map(|exponent| 10usize.pow(exponent)) {
        for (time, shape) in LINKS {
            runtime.block_on(by_half_elgamal(n, time, shape.parse()?))?;
            let gates = n - INPUTS;
            let size = Size::new(0, INPUTS, gates, gates.min(INPUTS))?;
            let rates = runtime.block_on(Rates::measure())?;
            let seconds = predicted(Protocol::HalfElGamal, size, rates, &shape.parse()?)?;
            print_row("half-ElGamal", n, &format!("total predicted, {time}"), (seconds, "s"));
        }
        print_memory(n)?;
        for (time, shape) in LINKS.iter().filter(|_| n <= MOST_RE_EXECUTABLE) {
            runtime.block_on(by_re_executable(n, time, shape.parse()?))?;
        }
    }
    Ok(())
}

/// A function that measures a protocol.
macro_rules! measure {
    ($name:ident, $protocol:ident, $label:expr) => {
        async fn $name(n: usize, time: &str, shape: Shape) -> Outcome<()> {
            let mut prg = Prg::from_os()?;
            let gates = n - INPUTS;
            let size = Size::new(0, INPUTS, gates, gates.min(INPUTS))?;
            let function = random_function(size, &mut prg)?;
            let bits = random_bits(&mut prg);
            let expected = function.evaluate(&[], &bits)?;
            let (a, b) = link(shape);
            let before = processor_seconds();
            let holder = tokio::spawn(async move {
                let (mut channel, mut prg) = (a.open(StreamId(1))?, Prg::from_os()?);
                let (mut clock, mut measured) = (Instant::now(), Measured::default());
                let mut holder = $protocol::Holder::new(function, &mut prg)?;
                measured.mark(0, &mut clock, &channel);
                let run = holder.introduce_and_prepare(&mut channel).await?;
                measured.mark(1, &mut clock, &channel);
                run.evaluate(&mut channel, &[], &mut prg).await?;
                measured.mark(2, &mut clock, &channel);
                drop(holder.prepare(&mut channel).await?);
                measured.mark(3, &mut clock, &channel);
                channel.finish().await?;
                Ok::<_, Failure>(measured)
            });
            let owner = tokio::spawn(async move {
                let (mut channel, mut prg) = (b.open(StreamId(1))?, Prg::from_os()?);
                let (mut clock, mut measured) = (Instant::now(), Measured::default());
                let mut owner = $protocol::Owner::new(size);
                let run = owner.introduce_and_prepare(&mut channel, &mut prg).await?;
                measured.mark(1, &mut clock, &channel);
                measured.result = run.evaluate(&mut channel, &bits, &mut prg).await?;
                measured.mark(2, &mut clock, &channel);
                drop(owner.prepare(&mut channel, &mut prg).await?);
                measured.mark(3, &mut clock, &channel);
                channel.finish().await?;
                Ok::<_, Failure>(measured)
            });
            let (holder, owner) = (holder.await??, owner.await??);
            if owner.result != expected {
                return Err("the result is wrong".into());
            }
            print(($label, n), time, &holder, &owner);
            if time == LINKS[0].0 {
                print_processors(($label, n), before, &owner);
            }
            Ok(())
        }
    };
}

measure!(by_half_elgamal, half_elgamal, "half-ElGamal");
measure!(by_re_executable, re_executable, "re-executable");

/// The peak resident memory of both parties so far; each size takes more than those before.
fn print_memory(n: usize) -> Outcome<()> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    // Where the system does not report it, there is no row.
    let Some(line) = status.lines().find_map(|line| line.strip_prefix("VmHWM:")) else { return Ok(()) };
    let kilobytes: u64 = line.trim_end_matches("kB").trim().parse()?;
    print_row("half-ElGamal", n, "both parties, memory", ((1024 * kilobytes) as f64, "B"));
    Ok(())
}

fn print_row(label: &str, n: usize, what: &str, (value, unit): (f64, &str)) {
    println!("{{\"name\":\"{label}, N = {n}, {what}\",\"value\":{value},\"unit\":\"{unit}\"}}");
}

/// Processor time of both parties, which does not depend on the machine's other work: until the garbled gates are received, and after.
fn print_processors((label, n): (&str, usize), before: f64, owner: &Measured) {
    let [_, setup, online, _] = owner.processors;
    for (what, seconds) in [("setup", setup - before), ("onlinex", online - setup)] {
        print_row(label, n, &format!("{what}, processor time of both parties"), (seconds, "s"));
    }
}

/// Rows of times, and of bytes on the first link, since they are the same on all.
fn print((label, n): (&str, usize), time: &str, holder: &Measured, owner: &Measured) {
    let row = |what: &str, value: f64, unit: &str| {
        let quantity = if unit == "s" { time } else { "bytes" };
        if unit == "B" && time != LINKS[0].0 {
            return;
        }
        print_row(label, n, &format!("{what}, {quantity}"), (value, unit));
    };
    // The owner's clock runs until it has the result; that of the holder stops before its last message arrives.
    let seconds = [
        holder.seconds[0],
        (owner.seconds[1] - holder.seconds[0]).max(0.0),
        owner.seconds[2],
        holder.seconds[3],
    ];
    let mut before = 0;
    for (phase, name) in PHASES.iter().enumerate() {
        row(name, seconds[phase], "s");
        let bytes = holder.bytes[phase] + owner.bytes[phase];
        row(name, (bytes - before) as f64, "B");
        before = bytes;
    }
    row("total", seconds[..3].iter().sum(), "s");
    row("total", (holder.bytes[2] + owner.bytes[2]) as f64, "B");
}
