//! Measures comparisons with offline clients: prints rows as JSON objects, times in seconds. Both servers run in this process on
//! the given threads, over a channel in memory, so the online time is that of both, one after the other.
//!
//! `bench_compare MILLISECONDS` measures each row for that long, and no batches; the default is 800 with batches.
//!
//! Every timed result is compared with the one in the clear, so that no row stands for a wrong decision.

use std::error::Error;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use tacit_compare::{
    Assistant, Cost, Form, Half, Inputs, Parameters, Relation, Results, Server, fischlin, seal,
};
use tacit_crypto::Prg;
use tacit_he::Threads;
use tacit_he::dgk::ModulusSize;
use tacit_net::{Channel, Connection, Options, StreamId, memory};

/// How long each row is measured by default.
const DURATION: Duration = Duration::from_millis(800);

/// Bids against one new price.
const BIDS: usize = 1000;

/// Bits of the key, and t: the paper's below 2048 bits, and from there what the key's size needs.
const SUBGROUPS: [(u32, u32); 6] =
    [(512, 160), (768, 160), (1024, 160), (1536, 160), (2048, 224), (3072, 256)];

type Outcome<T> = Result<T, Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let said = std::env::args().nth(1).map(|milliseconds| milliseconds.parse()).transpose()?;
    let duration = said.map_or(DURATION, Duration::from_millis);
    for (size, subgroup_bits) in SUBGROUPS {
        for bits in [16, 32] {
            dgk(size, subgroup_bits, bits, duration).await?;
        }
    }
    for (size, _) in &SUBGROUPS[..5] {
        for (bits, entries) in [(16, 86), (32, 87)] {
            fischlin(*size, bits, entries, duration).await?;
        }
    }
    if said.is_some() { Ok(()) } else { batch().await }
}

fn row(name: &str, what: &str, value: f64, unit: &str) {
    println!("{{\"name\":\"{name}, {what}\",\"value\":{value},\"unit\":\"{unit}\"}}");
}

fn channels() -> Outcome<([Channel; 2], [Connection; 2])> {
    let (a, b) = memory::pair(Options::default());
    Ok(([a.open(StreamId(1))?, b.open(StreamId(1))?], [a, b]))
}

/// Both servers with a key, and the connection between them.
struct Pair {
    server: Server,
    assistant: Assistant,
    channels: [Channel; 2],
    _connections: [Connection; 2],
}

impl Pair {
    async fn new(parameters: Parameters, threads: Threads) -> Outcome<Pair> {
        let (mut channels, _connections) = channels()?;
        let server = Server::generate(parameters, threads)?;
        let [a, b] = &mut channels;
        let (sent, assistant) = tokio::join!(server.introduce(a), Assistant::meet(parameters, threads, b));
        sent?;
        let mut pair = Pair { server, assistant: assistant?, channels, _connections };
        // The first call makes tables.
        pair.prepare(parameters, 1)?;
        Ok(pair)
    }

    /// The preparation time of each server.
    fn prepare(&mut self, parameters: Parameters, count: usize) -> Outcome<[f64; 2]> {
        let cost = Cost::compare(&parameters, Form::Prices, Relation::Greater, Results::Revealed, count);
        let start = Instant::now();
        self.server.prepare(cost.server_randomness)?;
        let server = start.elapsed().as_secs_f64();
        self.assistant.prepare(cost.assistant_randomness);
        Ok([server, start.elapsed().as_secs_f64() - server])
    }

    async fn compare(&mut self, halves: &[Vec<Half>; 2], prices: &[u64]) -> Outcome<(f64, Vec<bool>)> {
        let [a, b] = [0, 1].map(|i| Inputs::Prices { bids: &halves[i], prices });
        let [to_b, to_a] = &mut self.channels;
        let start = Instant::now();
        let (found, done) = tokio::join!(
            self.server.reveal(to_b, Relation::Greater, a),
            self.assistant.reveal(to_a, Relation::Greater, b)
        );
        done?;
        Ok((start.elapsed().as_secs_f64(), found?))
    }
}

fn sealed(parameters: &Parameters, numbers: &[u64], prg: &mut Prg) -> Outcome<[Vec<Half>; 2]> {
    let mut halves = [Vec::new(), Vec::new()];
    for number in numbers {
        let [one, other] = seal(parameters, *number, prg)?;
        halves[0].push(one);
        halves[1].push(other);
    }
    Ok(halves)
}

fn ensure(holds: bool) -> Outcome<()> {
    if holds { Ok(()) } else { Err("the decision is wrong".into()) }
}

/// One comparison at a time, with the fastest time of each phase.
async fn dgk(size: u32, subgroup_bits: u32, bits: u32, duration: Duration) -> Outcome<()> {
    let secure = size >= 2048;
    let modulus = ModulusSize::insecure(size)?;
    let parameters = match secure {
        true => Parameters::new(modulus, subgroup_bits, bits, Results::Revealed)?,
        false => Parameters::insecure(modulus, subgroup_bits, bits, Results::Revealed)?,
    };
    let mut prg = Prg::from_os()?;
    let mut pair = Pair::new(parameters, Threads::all()).await?;
    let (start, mut setup, mut online) = (Instant::now(), f64::MAX, f64::MAX);
    while start.elapsed() < duration {
        let (bid, price) = (prg.next_u64() >> (64 - bits), prg.next_u64() >> (64 - bits));
        let halves = sealed(&parameters, &[bid], &mut prg)?;
        setup = setup.min(pair.prepare(parameters, 1)?.iter().sum());
        let (seconds, found) = pair.compare(&halves, &[price]).await?;
        ensure(found == [bid > price])?;
        online = online.min(seconds);
    }
    let insecure = if secure { "" } else { ", insecure size" };
    let name = format!("DGK{bits}, k = {size}, t = {subgroup_bits}{insecure}");
    row(&name, "setup", setup, "s");
    row(&name, "online", online, "s");
    row(&name, "both", setup + online, "s");
    let cost = Cost::compare(&parameters, Form::Prices, Relation::Greater, Results::Revealed, 1);
    row(&name, "bytes", (cost.request_bytes + cost.reply_bytes) as f64, "B");
    Ok(())
}

/// Fischlin's protocol: everything except the client's part is online.
async fn fischlin(size: u32, bits: u32, entries: u32, duration: Duration) -> Outcome<()> {
    let parameters = fischlin::Parameters::new(ModulusSize::insecure(size)?, bits, entries)?;
    let mut prg = Prg::from_os()?;
    let (mut channels, _connections) = channels()?;
    let number = prg.next_u64() >> (64 - bits);
    let client = fischlin::seal(&parameters, number, &mut prg)?;
    let server = fischlin::Server::new(parameters, &client.key)?;
    let assistant = fischlin::Assistant::new(parameters, &client.bits, Threads::all())?;
    let (start, mut best) = (Instant::now(), f64::MAX);
    while start.elapsed() < duration {
        let price = prg.next_u64() >> (64 - bits);
        let [a, b] = &mut channels;
        let begin = Instant::now();
        let (found, done) = tokio::join!(server.reveal(a, price), assistant.reveal(b, price, &mut prg));
        done?;
        ensure(found? == (number > price))?;
        best = best.min(begin.elapsed().as_secs_f64());
    }
    let insecure = if size >= 2048 { "" } else { ", insecure size" };
    let name = format!("F{bits}, k = {size}, λ = {entries}{insecure}");
    row(&name, "both", best, "s");
    row(&name, "bytes", parameters.reply_bytes() as f64, "B");
    Ok(())
}

/// Many bids against a new price, prepared on one core so that seconds are core-seconds, and compared on all.
async fn batch() -> Outcome<()> {
    let (size, bits) = (2048, 16);
    let parameters = Parameters::new(ModulusSize::MEDIUM, 224, bits, Results::Revealed)?;
    let mut prg = Prg::from_os()?;
    let name = format!("{BIDS} bids of {bits} bits, k = {size}");
    let one = Threads::at_most(NonZeroUsize::MIN);
    let mut alone = Pair::new(parameters, one).await?;
    let seconds: f64 = alone.prepare(parameters, BIDS)?.iter().sum();
    row(&name, "preparing, core-seconds", seconds, "s");
    let mut pair = Pair::new(parameters, Threads::all()).await?;
    let bids: Vec<u64> = (0..BIDS).map(|_| prg.next_u64() >> (64 - bits)).collect();
    let halves = sealed(&parameters, &bids, &mut prg)?;
    let mut best = f64::MAX;
    for _ in 0..3 {
        pair.prepare(parameters, BIDS)?;
        let price = prg.next_u64() >> (64 - bits);
        let (seconds, found) = pair.compare(&halves, &vec![price; BIDS]).await?;
        ensure(found.iter().zip(&bids).all(|(found, bid)| *found == (*bid > price)))?;
        best = best.min(seconds);
    }
    row(&name, "online", best, "s");
    let cost = Cost::compare(&parameters, Form::Prices, Relation::Greater, Results::Revealed, BIDS);
    row(&name, "bytes", (cost.request_bytes + cost.reply_bytes) as f64, "B");
    Ok(())
}
