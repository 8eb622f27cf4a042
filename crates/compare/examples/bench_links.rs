//! Measures comparisons of sealed numbers with prices over links: prints rows as JSON objects. Both servers run in this process on all cores, so
//! computing times of both add up.
//!
//! Every timed result is compared with the one in the clear, so that no row stands for a wrong decision.

use std::error::Error;
use std::time::Instant;

use tacit_compare::{Assistant, Cost, Form, Inputs, Parameters, Relation, Results, Server, seal};
use tacit_crypto::Prg;
use tacit_he::Threads;
use tacit_he::dgk::ModulusSize;
use tacit_net::shape::Shape;
use tacit_net::{Connection, Options, StreamId};

/// Links by their names in `--net`; the first is not shaped.
const LINKS: [&str; 3] = ["loopback", "lan", "wan"];

/// Bits of the numbers, and how many are compared at once.
const SIZES: [(u32, usize); 4] = [(16, 1), (16, 1000), (32, 1), (32, 1000)];

/// Bytes that a link holds at a time.
const BUFFER: usize = 1 << 20;

type Outcome<T> = Result<T, Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    for link in LINKS {
        for (bits, count) in SIZES {
            measure(link, bits, count).await?;
        }
    }
    Ok(())
}

/// Both ends of a link, or of memory where it is not shaped.
fn link(name: &str) -> Outcome<[Connection; 2]> {
    let (a, b) = tokio::io::duplex(BUFFER);
    Ok(match name.parse::<Shape>() {
        Ok(shape) => [a, b].map(|end| Connection::over(shape.apply(Box::new(end)), Options::default())),
        Err(_) => [a, b].map(|end| Connection::over(end, Options::default())),
    })
}

async fn measure(name: &str, bits: u32, count: usize) -> Outcome<()> {
    let parameters = Parameters::new(ModulusSize::MEDIUM, 224, bits, Results::Revealed)?;
    let [a, b] = link(name)?;
    let (mut to_b, mut to_a) = (a.open(StreamId(1))?, b.open(StreamId(1))?);
    let mut prg = Prg::from_os()?;
    let bids: Vec<u64> = (0..count).map(|_| prg.next_u64() >> (64 - bits)).collect();
    let mut halves = [Vec::new(), Vec::new()];
    for bid in &bids {
        let [one, other] = seal(&parameters, *bid, &mut prg)?;
        halves[0].push(one);
        halves[1].push(other);
    }
    let prices = vec![prg.next_u64() >> (64 - bits); count];
    let start = Instant::now();
    let mut server = Server::generate(parameters, Threads::all())?;
    let met = Assistant::meet(parameters, Threads::all(), &mut to_a);
    let (sent, assistant) = tokio::join!(server.introduce(&mut to_b), met);
    sent?;
    let mut assistant = assistant?;
    let cost = Cost::compare(&parameters, Form::Prices, Relation::Greater, Results::Revealed, count);
    server.prepare(cost.server_randomness)?;
    assistant.prepare(cost.assistant_randomness);
    let setup = start.elapsed().as_secs_f64();
    let [one, other] = [0, 1].map(|i| Inputs::Prices { bids: &halves[i], prices: &prices });
    let start = Instant::now();
    let (found, done) = tokio::join!(
        server.reveal(&mut to_b, Relation::Greater, one),
        assistant.reveal(&mut to_a, Relation::Greater, other)
    );
    done?;
    let online = start.elapsed().as_secs_f64();
    let right = bids.iter().zip(&prices).map(|(bid, price)| bid > price);
    if !right.eq(found?) {
        return Err("the decision is wrong".into());
    }
    let rows = [
        ("setup", setup, "s"),
        ("online", online, "s"),
        ("bytes", (cost.request_bytes + cost.reply_bytes + Cost::key_bytes(&parameters)) as f64, "B"),
        ("rounds", 1.0, "rounds"),
    ];
    for (what, value, unit) in rows {
        let name = format!("{count} of {bits} bits, {name}, dgk");
        println!("{{\"name\":\"{name}, {what}\",\"value\":{value},\"unit\":\"{unit}\"}}");
    }
    Ok(())
}
