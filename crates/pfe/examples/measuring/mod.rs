//! Shared by the benchmarks of all protocols: functions, links, and a party's measurements of each phase.

use std::error::Error;
use std::time::{Duration, Instant};

use tacit_crypto::Prg;
use tacit_net::shape::Shape;
use tacit_net::{Channel, Connection, Options};
use tacit_pfe::prediction::{Link, Machine, Rates, predict};
use tacit_pfe::{PrivateFunction, Protocol, Size};

/// Input bits of the data's owner.
pub const INPUTS: usize = 64;

/// The paper's links, and how rows name a time on each.
pub const LINKS: [(&str, &str); 2] = [("time", "10gbit,0.5ms"), ("time in WAN", "100mbit,50ms")];

/// Gates that do not read one another.
const LEVEL: usize = 1024;

/// Bytes in transit in memory before the sender waits.
const CAPACITY: usize = 1 << 20;

/// Maximum wait for a peer that computes.
const LIMIT: Duration = Duration::from_secs(600);

pub type Failure = Box<dyn Error + Send + Sync>;

pub type Outcome<T> = Result<T, Failure>;

/// Seconds and bytes of each phase, measured by one party.
#[derive(Default)]
pub struct Measured {
    pub seconds: [f64; 4],
    pub bytes: [u64; 4],
    /// Seconds that processors have spent on both parties by the end of the phase.
    pub processors: [f64; 4],
    pub result: Vec<bool>,
}

impl Measured {
    /// Records the end of a phase: its seconds, and all bytes sent so far.
    pub fn mark(&mut self, phase: usize, clock: &mut Instant, channel: &Channel) {
        self.seconds[phase] = clock.elapsed().as_secs_f64();
        self.bytes[phase] = channel.bytes_sent();
        self.processors[phase] = processor_seconds();
        *clock = Instant::now();
    }
}

/// Processor seconds of this process so far, to a hundredth; 0 where the system does not report them.
pub fn processor_seconds() -> f64 {
    let status = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name in parentheses, the 12th and 13th fields are user and system time.
    let fields = status.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Seconds of setup and online that a run of a protocol is predicted to take between two parties on this machine.
pub fn predicted(protocol: Protocol, size: Size, rates: Rates, shape: &Shape) -> Outcome<f64> {
    let threads = std::thread::available_parallelism()?.get();
    let machine = Machine { rates, threads, shared: true };
    let link = Link { bits_per_second: shape.bandwidth_bits_per_s as f64, latency: shape.latency };
    let found = predict(&[(protocol, size)], &machine, &link)?;
    Ok(found.iter().map(tacit_pfe::prediction::Prediction::seconds).sum())
}

/// Both ends of a link of this shape.
pub fn link(shape: Shape) -> (Connection, Connection) {
    let (a, b) = tokio::io::duplex(CAPACITY);
    let end = |stream| {
        let options = Options { timeout: LIMIT, ..Options::default() };
        Connection::over(shape.apply(Box::new(stream)), options)
    };
    (end(a), end(b))
}

/// A function of this size with random wiring, in levels.
pub fn random_function(size: Size, prg: &mut Prg) -> Outcome<PrivateFunction> {
    let mut operand = |end: usize| (prg.next_u64() % end as u64) as u32;
    let mut gate = |gate: usize| {
        let end = size.outgoing().min(INPUTS + gate / LEVEL * LEVEL);
        [operand(end), operand(end)]
    };
    Ok(PrivateFunction::new(size, (0..size.gates()).map(&mut gate).collect())?)
}

/// Random input bits.
pub fn random_bits(prg: &mut Prg) -> Vec<bool> {
    (0..INPUTS).map(|_| prg.next_u64() & 1 == 1).collect()
}
