//! Measures Katz and Malka's protocol with each scheme between two parties in one process that share the machine's cores: prints rows as JSON
//! objects.
//!
//! `bench_katz_malka EXPONENT [LARGER]` goes up to N = 10^EXPONENT inputs and gates, of which 64 are inputs, with every scheme, and up to
//! 10^LARGER with EC ElGamal only; the default is 4. The functions are random, in levels of 1024 gates. Links have the paper's bandwidth and
//! latency; above 10^4, only its LAN is measured. Every result is compared with the one in the clear. As in the paper, totals exclude the
//! precomputation, which makes and sends the public key.

#[allow(dead_code, reason = "other benchmarks use the rest")]
mod measuring;

use std::time::Instant;

use tacit_crypto::Prg;
use tacit_he::paillier::ModulusSize;
use tacit_net::{Connection, StreamId};
use tacit_pfe::katz_malka::{Bfv, Djn, EcElgamal, Holder, Owner, Scheme, SchemeName};
use tacit_pfe::prediction::Rates;
use tacit_pfe::{PrivateFunction, Protocol, Size};

use measuring::{INPUTS, LINKS, Measured, Outcome, link, predicted, random_bits, random_function};

/// Maximum of inputs and gates that are measured on the slow link.
const MOST_IN_WAN: usize = 10_000;

const PHASES: [&str; 4] = ["precomputation", "setupN", "setupf", "onlinex"];

fn main() -> Outcome<()> {
    let argument = |place| std::env::args().nth(place).map(|argument| argument.parse::<u32>()).transpose();
    let exponent = argument(1)?.unwrap_or(4);
    let larger = argument(2)?.unwrap_or(exponent);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build()?;
    let [medium, long] = [Djn::new(ModulusSize::MEDIUM)?, Djn::new(ModulusSize::LONG)?];
    for n in (2..=larger).map(|exponent| 10usize.pow(exponent)) {
        for (time, shape) in LINKS.into_iter().take(if n > MOST_IN_WAN { 1 } else { 2 }) {
            let on = (n, time, shape);
            runtime.block_on(measure("EC ElGamal", (EcElgamal, Some(SchemeName::EcElgamal)), on))?;
            if n > 10usize.pow(exponent) {
                continue;
            }
            runtime.block_on(measure("DJN, 2048 bits", (medium, None), on))?;
            runtime.block_on(measure("DJN, 3072 bits", (long, Some(SchemeName::Djn)), on))?;
            runtime.block_on(measure("BFV", (Bfv::new()?, Some(SchemeName::Bfv)), on))?;
        }
    }
    Ok(())
}

async fn measure<S: Scheme + 'static>(
    name: &str,
    (scheme, known): (S, Option<SchemeName>),
    (n, time, shape): (usize, &str, &str),
) -> Outcome<()> {
    let mut prg = Prg::from_os()?;
    let gates = n - INPUTS;
    let size = Size::new(0, INPUTS, gates, gates.min(INPUTS))?;
    let function = random_function(size, &mut prg)?;
    let bits = random_bits(&mut prg);
    let expected = function.evaluate(&[], &bits)?;
    let (a, b) = link(shape.parse()?);
    let holder = tokio::spawn(hold(scheme.clone(), function, a));
    let owner = tokio::spawn(own(scheme, size, bits, b));
    let (holder, owner) = (holder.await??, owner.await??);
    if owner.result != expected {
        return Err("the result is wrong".into());
    }
    let name = format!("Katz-Malka by {name}, N = {n}");
    print(&name, time, &holder, &owner);
    if let Some(scheme) = known {
        let rates = Rates::measure().await?;
        let seconds = predicted(Protocol::KatzMalka(scheme), size, rates, &shape.parse()?)?;
        println!("{{\"name\":\"{name}, total predicted, {time}\",\"value\":{seconds},\"unit\":\"s\"}}");
    }
    Ok(())
}

async fn hold<S: Scheme>(scheme: S, function: PrivateFunction, connection: Connection) -> Outcome<Measured> {
    let (mut channel, mut prg) = (connection.open(StreamId(1))?, Prg::from_os()?);
    let (mut clock, mut measured) = (Instant::now(), Measured::default());
    let mut holder = Holder::new(scheme, *function.size());
    holder.introduce(&mut channel).await?;
    measured.mark(0, &mut clock, &channel);
    let wires = holder.setup_size(&mut channel, &mut prg).await?;
    measured.mark(1, &mut clock, &channel);
    let run = wires.setup_function(&mut channel, &function, &mut prg).await?;
    measured.mark(2, &mut clock, &channel);
    run.evaluate(&mut channel, &[], &mut prg).await?;
    measured.mark(3, &mut clock, &channel);
    channel.finish().await?;
    Ok(measured)
}

async fn own<S: Scheme>(scheme: S, size: Size, bits: Vec<bool>, connection: Connection) -> Outcome<Measured> {
    let (mut channel, mut prg) = (connection.open(StreamId(1))?, Prg::from_os()?);
    let (mut clock, mut measured) = (Instant::now(), Measured::default());
    let mut owner = Owner::new(scheme, size, &mut prg)?;
    owner.introduce(&mut channel).await?;
    measured.mark(0, &mut clock, &channel);
    let wires = owner.setup_size(&mut channel, &mut prg).await?;
    measured.mark(1, &mut clock, &channel);
    let run = wires.setup_function(&mut channel, &mut prg).await?;
    measured.mark(2, &mut clock, &channel);
    measured.result = run.evaluate(&mut channel, &bits, &mut prg).await?;
    measured.mark(3, &mut clock, &channel);
    channel.finish().await?;
    Ok(measured)
}

/// Rows of times and bytes.
fn print(name: &str, time: &str, holder: &Measured, owner: &Measured) {
    let row = |what: &str, value: f64, unit: &str| {
        let quantity = if unit == "s" { time } else { "bytes" };
        // Bytes are the same on all links.
        if unit == "B" && time != LINKS[0].0 {
            return;
        }
        println!("{{\"name\":\"{name}, {what}, {quantity}\",\"value\":{value},\"unit\":\"{unit}\"}}");
    };
    // Before inputs are known, the holder is the last to end a phase. Online, the owner's clock runs until it has the result.
    let [key, size, function, _] = holder.seconds;
    let seconds = [key, size, function, owner.seconds[3]];
    let sent: Vec<u64> =
        holder.bytes.iter().zip(&owner.bytes).map(|(holder, owner)| holder + owner).collect();
    let mut before = 0;
    for ((phase, seconds), sent) in PHASES.iter().zip(seconds).zip(&sent) {
        row(phase, seconds, "s");
        row(phase, (sent - before) as f64, "B");
        before = *sent;
    }
    row("total", seconds[1..].iter().sum(), "s");
    row("total", (sent[3] - sent[0]) as f64, "B");
}
