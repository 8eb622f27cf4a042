//! Measures half-ElGamal, and the re-executable protocol beside it, between two parties in one process that share the machine's cores: prints rows as
//! JSON objects.
//!
//! `bench_pfe EXPONENT` goes up to N = 10^EXPONENT inputs and gates, of which 64 are inputs; 5 without it, and the most of the
//! re-executable protocol. The functions are random, in levels of 1024 gates. Links have the bandwidth and latency of the paper's. Every result is compared with that in the clear.

use std::error::Error;
use std::time::{Duration, Instant};

use tacit_crypto::Prg;
use tacit_net::shape::Shape;
use tacit_net::{Connection, Options, StreamId};
use tacit_pfe::{PrivateFunction, Size, half_elgamal, re_executable};

const INPUTS: usize = 64;
const LEVEL: usize = 1024;

/// Inputs and gates up to which the re-executable protocol is measured: it multiplies three times as often.
const MOST_RE_EXECUTABLE: usize = 100_000;

/// The paper's links, and how rows name a time on each.
const LINKS: [(&str, &str); 2] = [("time", "10gbit,0.5ms"), ("time in WAN", "100mbit,50ms")];

/// Bytes on their way in memory before the sender waits.
const CAPACITY: usize = 1 << 20;

type Failure = Box<dyn Error + Send + Sync>;

type Outcome<T> = Result<T, Failure>;

/// Seconds and bytes of each phase, as one party has them.
#[derive(Default)]
struct Measured {
    seconds: [f64; 4],
    bytes: [u64; 4],
    result: Vec<bool>,
}

const PHASES: [&str; 4] = ["setupN", "setupf", "onlinex", "setup of a further run"];

fn main() -> Outcome<()> {
    let exponent = std::env::args().nth(1).map_or(Ok(5), |argument| argument.parse())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build()?;
    for n in (2..=exponent).map(|exponent| 10usize.pow(exponent)) {
        for (time, shape) in LINKS {
            runtime.block_on(by_half_elgamal(n, time, shape.parse()?))?;
        }
        print_memory(n)?;
        for (time, shape) in LINKS.iter().filter(|_| n <= MOST_RE_EXECUTABLE) {
            runtime.block_on(by_re_executable(n, time, shape.parse()?))?;
        }
    }
    Ok(())
}

/// Both ends of a link of this shape.
fn link(shape: Shape) -> (Connection, Connection) {
    let (a, b) = tokio::io::duplex(CAPACITY);
    let end = |stream| {
        let options = Options { timeout: Duration::from_secs(120), ..Options::default() };
        Connection::over(shape.apply(Box::new(stream)), options)
    };
    (end(a), end(b))
}

fn random_function(size: Size, prg: &mut Prg) -> Outcome<PrivateFunction> {
    let mut operand = |end: usize| (prg.next_u64() % end as u64) as u32;
    let mut gate = |gate: usize| {
        let end = size.outgoing().min(INPUTS + gate / LEVEL * LEVEL);
        [operand(end), operand(end)]
    };
    Ok(PrivateFunction::new(size, (0..size.gates()).map(&mut gate).collect())?)
}

/// A function that measures a protocol.
macro_rules! measure {
    ($name:ident, $protocol:ident, $label:expr) => {
        async fn $name(n: usize, time: &str, shape: Shape) -> Outcome<()> {
            let mut prg = Prg::from_os()?;
            let gates = n - INPUTS;
            let size = Size::new(0, INPUTS, gates, gates.min(INPUTS))?;
            let function = random_function(size, &mut prg)?;
            let bits: Vec<bool> = (0..INPUTS).map(|_| prg.next_u64() & 1 == 1).collect();
            let expected = function.evaluate(&[], &bits)?;
            let (a, b) = link(shape);
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
                return Err("a wrong result".into());
            }
            print(($label, n), time, &holder, &owner);
            Ok(())
        }
    };
}

measure!(by_half_elgamal, half_elgamal, "half-ElGamal");
measure!(by_re_executable, re_executable, "re-executable");

impl Measured {
    /// A phase ends: its seconds, and all bytes sent so far.
    fn mark(&mut self, phase: usize, clock: &mut Instant, channel: &tacit_net::Channel) {
        self.seconds[phase] = clock.elapsed().as_secs_f64();
        self.bytes[phase] = channel.bytes_sent();
        *clock = Instant::now();
    }
}

/// The most memory that both parties together have had resident so far; each size takes more than those before.
fn print_memory(n: usize) -> Outcome<()> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    // Where the system does not tell, there is no row.
    let Some(line) = status.lines().find_map(|line| line.strip_prefix("VmHWM:")) else { return Ok(()) };
    let kilobytes: u64 = line.trim_end_matches("kB").trim().parse()?;
    println!(
        "{{\"name\":\"half-ElGamal, N = {n}, both parties, memory\",\"value\":{},\"unit\":\"B\"}}",
        1024 * kilobytes
    );
    Ok(())
}

/// Rows of times, and of bytes on the first link, since they are the same on all.
fn print((label, n): (&str, usize), time: &str, holder: &Measured, owner: &Measured) {
    let row = |what: &str, value: f64, unit: &str| {
        let quantity = if unit == "s" { time } else { "bytes" };
        if unit == "B" && time != LINKS[0].0 {
            return;
        }
        println!(
            "{{\"name\":\"{label}, N = {n}, {what}, {quantity}\",\"value\":{value},\"unit\":\"{unit}\"}}"
        );
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
