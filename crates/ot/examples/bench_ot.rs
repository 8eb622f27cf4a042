//! Measures oblivious transfer between two processes over TCP on this machine.
//!
//!     bench_ot            # starts the other process itself; prints rows as JSON objects
//!
//! Every row is checked in the same run: OTs are counted from the calls and by the session's counter, bytes
//! by the connection's meter, and the receiver sends back its choices and blocks so that the sender can compare.

use std::error::Error;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tacit_crypto::Prg;
use tacit_math::{Bits, Block};
use tacit_net::{Channel, Connection, Options, StreamId};
use tacit_ot::cot::{self, Extension};
use tacit_ot::{endemic, ferret, rot};
use tokio::net::{TcpListener, TcpStream};

/// OTs of one call.
const BATCH: usize = 1 << 18;
/// How long each rate is measured.
const DURATION: Duration = Duration::from_millis(1500);
/// Repetitions of the base OTs.
const BASE_RUNS: usize = 5;
/// Number of silent correlated OTs timed from the start.
const FROM_START: usize = 10_000_000;
const STARTS: usize = 5;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("--receiver") => {
            runtime.block_on(receiver(arguments.next().ok_or("the sender's address is missing")?.parse()?))
        }
        Some(other) => Err(format!("unknown argument {other}").into()),
        None => runtime.block_on(sender()),
    }
}

fn row(name: &str, value: f64, unit: &str) {
    println!("{{\"name\":\"{name}\",\"value\":{value},\"unit\":\"{unit}\"}}");
}

/// The processor time of this thread so far, a better measure than the clock on a shared machine; zero
/// where the system does not report it.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

fn connect(stream: TcpStream) -> Outcome<Connection> {
    stream.set_nodelay(true)?;
    Ok(Connection::over(stream, Options::default()))
}

/// Randomness and a session name for the n-th measurement.
fn fresh(n: u32) -> Outcome<(Prg, [u8; 32])> {
    Ok((Prg::from_os()?, [n as u8; 32]))
}

async fn sender() -> Outcome<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?.to_string();
    let mut other =
        std::process::Command::new(std::env::current_exe()?).args(["--receiver", &address]).spawn()?;
    let connection = connect(listener.accept().await?.0)?;
    let mut stream = 0;
    base_sender(&connection, &mut stream).await?;
    for extension in Extension::all() {
        for random in [false, true] {
            stream += 1;
            rate_sender(&connection, stream, extension, random).await?;
        }
    }
    start_sender(&connection, stream).await?;
    connection.close().await?;
    let status = other.wait()?;
    if status.success() { Ok(()) } else { Err("the receiver failed".into()) }
}

async fn receiver(address: SocketAddr) -> Outcome<()> {
    let connection = connect(TcpStream::connect(address).await?)?;
    let mut stream = 0;
    base_receiver(&connection, &mut stream).await?;
    for extension in Extension::all() {
        for random in [false, true] {
            stream += 1;
            rate_receiver(&connection, stream, extension, random).await?;
        }
    }
    start_receiver(&connection, stream).await?;
    connection.close().await?;
    Ok(())
}

async fn base_sender(connection: &Connection, stream: &mut u32) -> Outcome<()> {
    let (mut best, mut best_busy) = (Duration::MAX, f64::MAX);
    for _ in 0..BASE_RUNS {
        *stream += 1;
        let mut channel = connection.open(StreamId(*stream))?;
        let (mut prg, session) = fresh(*stream)?;
        channel.receive(1).await?;
        let (start, busy) = (Instant::now(), cpu_seconds());
        let sent = endemic::send(&mut channel, &session, 128, &mut prg).await?;
        let theirs = f64::from_le_bytes(channel.receive(8).await?.try_into()?);
        best = best.min(start.elapsed());
        best_busy = best_busy.min(cpu_seconds() - busy + theirs);
        let (choices, received) = receive_back(&mut channel, 128).await?;
        for (i, choice) in choices.iter().enumerate() {
            ensure(sent[i][usize::from(choice)] == received[i])?;
        }
        channel.finish().await?;
    }
    row("128 base OTs", best.as_secs_f64(), "s");
    row("128 base OTs, processor time of both parties", best_busy, "s");
    Ok(())
}

async fn base_receiver(connection: &Connection, stream: &mut u32) -> Outcome<()> {
    for _ in 0..BASE_RUNS {
        *stream += 1;
        let mut channel = connection.open(StreamId(*stream))?;
        let (mut prg, session) = fresh(*stream)?;
        let choices = prg.next_bits(128);
        channel.send(&[1]).await?;
        let busy = cpu_seconds();
        let received = endemic::receive(&mut channel, &session, &choices, &mut prg).await?;
        channel.send(&(cpu_seconds() - busy).to_le_bytes()).await?;
        channel.flush().await?;
        send_back(&mut channel, &choices, &received).await?;
        channel.finish().await?;
    }
    Ok(())
}

/// The name of an extension in rows; `of` is correlated or random.
fn name(extension: Extension, of: &str) -> String {
    match extension {
        Extension::SoftSpoken(params) => format!("{of} OT, k = {}", params.k()),
        Extension::Ferret(params) => format!("{of} silent OT, {}", format!("{params:?}").to_lowercase()),
    }
}

enum Sender {
    Correlated(cot::Sender),
    Random(rot::Sender, Vec<Block>),
}

enum Receiver {
    Correlated(cot::Receiver),
    Random(rot::Receiver),
}

/// Measures silent OTs from the start, base OTs included.
async fn start_sender(connection: &Connection, mut stream: u32) -> Outcome<()> {
    let (mut best, mut best_busy, mut traffic) = (f64::MAX, f64::MAX, 0);
    for _ in 0..STARTS {
        stream += 1;
        let mut channel = connection.open(StreamId(stream))?;
        let (mut prg, session) = fresh(stream)?;
        channel.receive(1).await?;
        let before = [channel.bytes_sent(), channel.bytes_received()];
        let (start, busy) = (Instant::now(), cpu_seconds());
        let mut ots = ferret::Sender::setup(&mut channel, ferret::Params::Large, &session, &mut prg).await?;
        let mut blocks = vec![Block::ZERO; BATCH];
        let mut left = FROM_START;
        while left > 0 {
            let count = BATCH.min(left);
            blocks.truncate(count);
            ots.extend(&mut channel, &mut blocks).await?;
            left -= count;
        }
        channel.flush().await?;
        let busy = cpu_seconds() - busy;
        let theirs = f64::from_le_bytes(channel.receive(8).await?.try_into()?);
        best = best.min(start.elapsed().as_secs_f64());
        best_busy = best_busy.min(busy.max(theirs));
        traffic = channel.bytes_sent() + channel.bytes_received() - 8 - before.iter().sum::<u64>();
        ensure(ots.count() == FROM_START as u64)?;
        let (choices, received) = receive_back(&mut channel, blocks.len()).await?;
        for (i, choice) in choices.iter().enumerate() {
            ensure(blocks[i] ^ (ots.delta() & Block::mask(choice)) == received[i])?;
        }
        channel.finish().await?;
    }
    row("10 000 000 correlated silent OTs from the start", best, "s");
    if best_busy > 0.0 {
        row("10 000 000 correlated silent OTs from the start, busier party's processor time", best_busy, "s");
    }
    let bits = traffic as f64 * 8.0 / FROM_START as f64;
    row("traffic of 10 000 000 correlated silent OTs from the start", bits, "bits an OT");
    Ok(())
}

async fn start_receiver(connection: &Connection, mut stream: u32) -> Outcome<()> {
    for _ in 0..STARTS {
        stream += 1;
        let mut channel = connection.open(StreamId(stream))?;
        let (mut prg, session) = fresh(stream)?;
        channel.send(&[1]).await?;
        let busy = cpu_seconds();
        let mut ots =
            ferret::Receiver::setup(&mut channel, ferret::Params::Large, &session, &mut prg).await?;
        let mut blocks = vec![Block::ZERO; BATCH];
        let (mut left, mut choices) = (FROM_START, Bits::default());
        while left > 0 {
            let count = BATCH.min(left);
            blocks.truncate(count);
            choices = ots.extend(&mut channel, &mut blocks).await?;
            left -= count;
        }
        channel.send(&(cpu_seconds() - busy).to_le_bytes()).await?;
        send_back(&mut channel, &choices, &blocks).await?;
        channel.finish().await?;
    }
    Ok(())
}

async fn rate_sender(
    connection: &Connection,
    stream: u32,
    extension: Extension,
    random: bool,
) -> Outcome<()> {
    let mut channel = connection.open(StreamId(stream))?;
    let (mut prg, session) = fresh(stream)?;
    let cot = cot::Sender::setup(&mut channel, extension, &session, &mut prg).await?;
    let delta = cot.delta();
    let mut ots = match random {
        false => Sender::Correlated(cot),
        true => Sender::Random(rot::Sender::new(cot), vec![Block::ZERO; BATCH]),
    };
    let mut zeros = vec![Block::ZERO; BATCH];
    ots.extend(&mut channel, &mut zeros).await?;
    let before = traffic(connection);
    let busy = cpu_seconds();
    let (start, mut batches) = (Instant::now(), 0);
    loop {
        let last = start.elapsed() > DURATION;
        channel.send(&[u8::from(last)]).await?;
        channel.flush().await?;
        ots.extend(&mut channel, &mut zeros).await?;
        batches += 1;
        if last {
            break;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let bytes = traffic(connection) - before - batches as u64;
    let busy = (cpu_seconds() - busy).max(f64::from_le_bytes(channel.receive(8).await?.try_into()?));
    let count = (batches * BATCH) as f64;
    ensure(ots.count() == ((batches + 1) * BATCH) as u64)?;
    let (choices, received) = receive_back(&mut channel, BATCH).await?;
    for (i, choice) in choices.iter().enumerate() {
        ensure(ots.block(&zeros, delta, i, choice) == received[i])?;
    }
    channel.finish().await?;
    let name = name(extension, if random { "random" } else { "correlated" });
    row(&name, count / seconds, "OT/s");
    if busy > 0.0 {
        row(&format!("{name}, by the busier party's processor time"), count / busy, "OT/s");
    }
    row(&format!("traffic of {name}"), bytes as f64 * 8.0 / count, "bits an OT");
    Ok(())
}

async fn rate_receiver(
    connection: &Connection,
    stream: u32,
    extension: Extension,
    random: bool,
) -> Outcome<()> {
    let mut channel = connection.open(StreamId(stream))?;
    let (mut prg, session) = fresh(stream)?;
    let cot = cot::Receiver::setup(&mut channel, extension, &session, &mut prg).await?;
    let mut ots = match random {
        false => Receiver::Correlated(cot),
        true => Receiver::Random(rot::Receiver::new(cot)),
    };
    let mut blocks = vec![Block::ZERO; BATCH];
    ots.extend(&mut channel, &mut blocks).await?;
    let busy = cpu_seconds();
    loop {
        let last = channel.receive(1).await? == [1];
        let choices = ots.extend(&mut channel, &mut blocks).await?;
        channel.flush().await?;
        if last {
            channel.send(&(cpu_seconds() - busy).to_le_bytes()).await?;
            send_back(&mut channel, &choices, &blocks).await?;
            channel.finish().await?;
            return Ok(());
        }
    }
}

impl Sender {
    async fn extend(&mut self, channel: &mut Channel, zeros: &mut [Block]) -> Outcome<()> {
        match self {
            Sender::Correlated(ots) => ots.extend(channel, zeros).await?,
            Sender::Random(ots, ones) => ots.extend(channel, zeros, ones).await?,
        }
        Ok(())
    }

    fn count(&self) -> u64 {
        match self {
            Sender::Correlated(ots) => ots.count(),
            Sender::Random(ots, _) => ots.count(),
        }
    }

    /// The block of the i-th OT for a choice.
    fn block(&self, zeros: &[Block], delta: Block, i: usize, choice: bool) -> Block {
        match self {
            Sender::Correlated(_) => zeros[i] ^ (delta & Block::mask(choice)),
            Sender::Random(_, ones) => [zeros[i], ones[i]][usize::from(choice)],
        }
    }
}

impl Receiver {
    async fn extend(&mut self, channel: &mut Channel, blocks: &mut [Block]) -> Outcome<Bits> {
        Ok(match self {
            Receiver::Correlated(ots) => ots.extend(channel, blocks).await?,
            Receiver::Random(ots) => ots.extend(channel, blocks).await?,
        })
    }
}

/// Payload bytes both ways so far.
fn traffic(connection: &Connection) -> u64 {
    let total = connection.meter().total();
    total.bytes_sent + total.bytes_received
}

/// Sends the receiver's choices and blocks to the sender, for the check.
async fn send_back(channel: &mut Channel, choices: &Bits, blocks: &[Block]) -> Outcome<()> {
    channel.send(&choices.to_bytes()).await?;
    channel.send(Block::as_bytes(blocks)).await?;
    Ok(channel.flush().await?)
}

async fn receive_back(channel: &mut Channel, count: usize) -> Outcome<(Bits, Vec<Block>)> {
    let choices = tacit_ot::chosen::receive_bits(channel, count).await?;
    let mut blocks = vec![Block::ZERO; count];
    channel.receive_into(Block::as_bytes_mut(&mut blocks)).await?;
    Ok((choices, blocks))
}

fn ensure(holds: bool) -> Outcome<()> {
    if holds { Ok(()) } else { Err("the parties' blocks or counts do not agree".into()) }
}
