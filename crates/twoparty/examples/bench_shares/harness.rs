//! Runs both parties of a measurement on threads of this machine, and measures what they spend.

use std::net::{TcpListener, TcpStream};
use std::time::Instant;
use tacit_net::{Channel, Connection, Options};
use tacit_twoparty::Party;

/// Runs of each row; the one with the least processor time counts.
const RUNS: usize = 5;

pub type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// The cost of a phase: seconds, and bytes of this party.
#[derive(Clone, Copy)]
pub struct Cost {
    pub seconds: f64,
    /// Processor time of this party's thread, which is more reliable than the clock on a machine with other
    /// users.
    pub busy: f64,
    pub bytes: u64,
}

/// The processor time of this thread so far; zero if the system does not report it.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

/// The beginning of a phase.
#[derive(Clone, Copy)]
pub struct Mark {
    start: Instant,
    busy: f64,
    bytes: u64,
}

pub fn mark(channel: &Channel) -> Mark {
    Mark { start: Instant::now(), busy: cpu_seconds(), bytes: channel.bytes_sent() }
}

/// The beginning of a phase whose bytes are not counted.
pub fn now() -> Mark {
    Mark { start: Instant::now(), busy: cpu_seconds(), bytes: 0 }
}

pub fn since(channel: &Channel, mark: Mark) -> Cost {
    Cost {
        seconds: mark.start.elapsed().as_secs_f64(),
        busy: cpu_seconds() - mark.busy,
        bytes: channel.bytes_sent() - mark.bytes,
    }
}

/// A party's part of a measurement: the costs of each phase.
pub trait Measured<const N: usize>: AsyncFn(Party, Connection) -> Outcome<[Cost; N]> + Sync {}

impl<const N: usize, T: AsyncFn(Party, Connection) -> Outcome<[Cost; N]> + Sync> Measured<N> for T {}

/// Runs both parties several times; returns each phase of the run with the least processor time, with the seconds of the
/// slower party and the bytes of both.
pub fn best<const N: usize>(protocol: impl Measured<N>) -> Outcome<[Cost; N]> {
    let mut best: Option<[Cost; N]> = None;
    for _ in 0..RUNS {
        let costs = run(&protocol)?;
        let busy = |costs: &[Cost; N]| costs.iter().map(|cost| cost.busy).sum::<f64>();
        if best.as_ref().is_none_or(|best| busy(&costs) < busy(best)) {
            best = Some(costs);
        }
    }
    best.ok_or_else(|| "there was no run".into())
}

fn run<const N: usize>(protocol: &impl Measured<N>) -> Outcome<[Cost; N]> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    std::thread::scope(|scope| {
        let second = scope.spawn(|| take_part(Party::Second, TcpStream::connect(address)?, protocol));
        let first = take_part(Party::First, listener.accept()?.0, protocol)?;
        let second = second.join().map_err(|_| "the second party panicked")??;
        Ok(std::array::from_fn(|i| Cost {
            seconds: first[i].seconds.max(second[i].seconds),
            busy: first[i].busy.max(second[i].busy),
            bytes: first[i].bytes + second[i].bytes,
        }))
    })
}

fn take_part<const N: usize>(
    party: Party,
    stream: TcpStream,
    protocol: &impl Measured<N>,
) -> Outcome<[Cost; N]> {
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let stream = tokio::net::TcpStream::from_std(stream)?;
        protocol(party, Connection::over(stream, Options::default())).await
    })
}

/// Prints the rows of setup and online of `count` operations.
pub fn phase_rows(name: &str, count: usize, costs: [Cost; 2]) {
    for (phase, cost) in ["setup", "online"].iter().zip(costs) {
        row(&format!("{name}, {phase}"), cost.seconds, "s");
        row(&format!("{name}, {phase}, by the busier party's processor time"), cost.busy, "s");
        row(&format!("{name}, {phase}, an operation"), cost.bytes as f64 / count as f64, "B");
    }
}

pub fn row(name: &str, value: f64, unit: &str) {
    println!("{{\"name\":\"{name}\",\"value\":{value},\"unit\":\"{unit}\"}}");
}
