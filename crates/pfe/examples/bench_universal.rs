//! Measures universal circuits between two parties in one process that share the machine's cores: prints rows as JSON objects.
//!
//! `bench_universal EXPONENT` goes up to N = 10^EXPONENT inputs and gates, of which 64 are inputs of the data's owner; the default is 5. The functions are random;
//! copy gates count as gates. Links have the paper's bandwidth and latency. Every result is compared with the one in the clear.

#[allow(dead_code, reason = "other benchmarks use the rest")]
mod measuring;

use std::sync::Arc;
use std::time::Instant;

use tacit_circuit::{Circuit, CircuitBuilder};
use tacit_crypto::Prg;
use tacit_net::StreamId;
use tacit_net::shape::Shape;
use tacit_pfe::InputOwner;
use tacit_pfe::universal::{UniversalFunction, evaluate, hold};

use measuring::{Failure, INPUTS, LINKS, Outcome, link, random_bits};

fn main() -> Outcome<()> {
    let exponent = std::env::args().nth(1).map_or(Ok(5), |argument| argument.parse())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    for n in (2..=exponent).map(|exponent| 10usize.pow(exponent)) {
        let mut prg = Prg::from_os()?;
        let circuit = random_circuit((n - INPUTS) / 2, &mut prg)?;
        let clock = Instant::now();
        let gates = Some(n - INPUTS);
        let function = Arc::new(UniversalFunction::from_circuit(&circuit, &[InputOwner::Owner], gates)?);
        print(n, "construction, time", clock.elapsed().as_secs_f64(), "s");
        for (time, shape) in LINKS {
            runtime.block_on(measure(n, time, shape.parse()?, &circuit, function.clone()))?;
        }
    }
    Ok(())
}

/// Gates with random operands, half of them ANDs. With their copy gates they are fewer than twice as many.
fn random_circuit(gates: usize, prg: &mut Prg) -> Outcome<Circuit> {
    let mut builder = CircuitBuilder::new();
    let mut values = builder.input(INPUTS as u32);
    for gate in 0..gates {
        let [a, b] = [(); 2].map(|()| values[(prg.next_u64() % values.len() as u64) as usize]);
        values.push(if gate % 2 == 0 { builder.and(a, !b) } else { builder.xor(a, b) });
    }
    let outputs = values.split_off(values.len() - INPUTS.min(gates));
    Ok(builder.finish(vec![outputs])?)
}

async fn measure(
    n: usize,
    time: &str,
    shape: Shape,
    circuit: &Circuit,
    function: Arc<UniversalFunction>,
) -> Outcome<()> {
    let mut prg = Prg::from_os()?;
    let bits = random_bits(&mut prg);
    let (expected, size) = (circuit.evaluate(&bits)?, function.size().clone());
    let (a, b) = link(shape);
    let clock = Instant::now();
    let holder = tokio::spawn(async move {
        let (mut channel, mut prg) = (a.open(StreamId(1))?, Prg::from_os()?);
        hold(&mut channel, function, &[], &mut prg).await?;
        let sent = channel.bytes_sent();
        channel.finish().await?;
        Ok::<_, Failure>(sent)
    });
    let owner = tokio::spawn(async move {
        let (mut channel, mut prg) = (b.open(StreamId(1))?, Prg::from_os()?);
        let found = evaluate(&mut channel, &size, &bits, &mut prg).await?;
        let (seconds, sent) = (clock.elapsed().as_secs_f64(), channel.bytes_sent());
        channel.finish().await?;
        Ok::<_, Failure>((found, seconds, sent))
    });
    let (sent, (found, seconds, received)) = (holder.await??, owner.await??);
    if found != expected {
        return Err("the result is wrong".into());
    }
    print(n, &format!("total, {time}"), seconds, "s");
    if time == LINKS[0].0 {
        print(n, "total, bytes", (sent + received) as f64, "B");
    }
    Ok(())
}

fn print(n: usize, what: &str, value: f64, unit: &str) {
    println!("{{\"name\":\"universal circuit, N = {n}, {what}\",\"value\":{value},\"unit\":\"{unit}\"}}");
}
