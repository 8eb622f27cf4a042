//! Measures triples of words under encryption: prints rows as JSON objects, with times in seconds. Both parties run in this process on one thread, so times are
//! core-seconds of both.
//!
//! Every timed result is compared with the products, so that no row stands for wrong triples.

use std::error::Error;
use std::time::Instant;

use tacit_crypto::Prg;
use tacit_he::dgk::{self, ModulusSize};
use tacit_he::{PublicKey, SecretKey, Threads};
use tacit_net::{Channel, Connection, Options, StreamId, memory};
use tacit_twoparty::Party;
use tacit_twoparty::correlations::{
    DgkTriples, EncryptedTriples, PaillierTriples, TripleScheme, WordTriples,
};

/// ABY's levels, and t of DGK for each.
const LEVELS: [(&str, ModulusSize, u32); 3] = [
    ("legacy", ModulusSize::BITS_1024, 160),
    ("medium", ModulusSize::MEDIUM, 224),
    ("long", ModulusSize::LONG, 256),
];

/// ABY's widths.
const WIDTHS: [u32; 4] = [8, 16, 32, 64];

/// Triples of a row: enough for every packed ciphertext to be full.
const COUNT: usize = 512;

/// How many times a row's triples are made; the fastest counts.
const REPEATS: usize = 3;

type Outcome<T> = Result<T, Box<dyn Error>>;
type Public<S> = <<S as TripleScheme>::Secret as SecretKey>::Public;
type Keys<S> = [EncryptedTriples<S>; 2];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    for (level, size, subgroup) in LEVELS {
        let modulus = size.bits() as usize / 8;
        let name = format!("triples, Paillier, {level}");
        let (keys, mut pair) = initialised::<PaillierTriples>(&name, &size, 2 * modulus).await?;
        for bits in WIDTHS {
            triples(&format!("{name}, {bits} bits"), &keys, &mut pair, bits).await?;
        }
        for bits in WIDTHS {
            let name = format!("triples, DGK, {level}");
            let Ok(parameters) = dgk::Parameters::insecure(size, subgroup, DgkTriples::plaintexts(bits))
            else {
                continue;
            };
            let own = format!("{name}, {bits} bits");
            let (keys, mut pair) = initialised::<DgkTriples>(&own, &parameters, 3 * modulus).await?;
            triples(&own, &keys, &mut pair, bits).await?;
        }
    }
    Ok(())
}

fn row(name: &str, what: &str, value: f64, unit: &str) {
    println!("{{\"name\":\"{name}: {what}\",\"value\":{value},\"unit\":\"{unit}\"}}");
}

/// Two parties, and the connection between them.
struct Pair {
    channels: [Channel; 2],
    prgs: [Prg; 2],
    _connections: [Connection; 2],
}

impl Pair {
    fn new() -> Outcome<Pair> {
        let (a, b) = memory::pair(Options::default());
        let channels = [a.open(StreamId(1))?, b.open(StreamId(1))?];
        Ok(Pair { channels, prgs: [Prg::from_os()?, Prg::from_os()?], _connections: [a, b] })
    }

    fn sent(&self) -> u64 {
        self.channels.iter().map(Channel::bytes_sent).sum()
    }

    async fn make<S: TripleScheme>(
        &mut self,
        keys: &Keys<S>,
        what: (u32, usize),
    ) -> Outcome<[WordTriples; 2]> {
        let ([a, b], [one, two]) = (&mut self.channels, &mut self.prgs);
        let made = tokio::try_join!(
            keys[0].make(a, what, Threads::ONE, one),
            keys[1].make(b, what, Threads::ONE, two)
        )?;
        Ok(made.into())
    }
}

/// A key at both parties; measures making it, and the start of making triples with an existing key.
async fn initialised<S: TripleScheme>(
    name: &str,
    parameters: &<Public<S> as PublicKey>::Parameters,
    key_bytes: usize,
) -> Outcome<(Keys<S>, Pair)> {
    let mut pair = Pair::new()?;
    let start = Instant::now();
    let ([a, b], [one, two]) = (&mut pair.channels, &mut pair.prgs);
    let keys = tokio::try_join!(
        EncryptedTriples::meet(a, Party::First, parameters, key_bytes, one),
        EncryptedTriples::meet(b, Party::Second, parameters, key_bytes, two),
    )?;
    row(name, "key generation", start.elapsed().as_secs_f64(), "s");
    row(name, "bytes of the key", pair.sent() as f64, "bytes");
    let keys: Keys<S> = keys.into();
    let width =
        WIDTHS.into_iter().find(|bits| S::of(parameters, *bits).is_ok()).ok_or("no width fits this key")?;
    let start = Instant::now();
    // Two triples, since a batch has tables of its own.
    pair.make(&keys, (width, 2)).await?;
    row(name, "tables, two triples included", start.elapsed().as_secs_f64(), "s");
    Ok((keys, pair))
}

async fn triples<S: TripleScheme>(name: &str, keys: &Keys<S>, pair: &mut Pair, bits: u32) -> Outcome<()> {
    let before = pair.sent();
    let mut fastest = f64::INFINITY;
    for _ in 0..REPEATS {
        let start = Instant::now();
        let made = pair.make(keys, (bits, COUNT)).await?;
        fastest = fastest.min(start.elapsed().as_secs_f64());
        check(name, &made, bits)?;
    }
    let made = (COUNT * REPEATS) as f64;
    row(name, "core-seconds a triple", fastest / COUNT as f64, "s");
    row(name, "bytes a triple", (pair.sent() - before) as f64 / made, "bytes");
    Ok(())
}

fn check(name: &str, [ours, theirs]: &[WordTriples; 2], bits: u32) -> Outcome<()> {
    let modulus = u128::MAX >> (128 - bits);
    let sum = |a: u128, b: u128| a.wrapping_add(b) & modulus;
    for i in 0..COUNT {
        let product = sum(ours.a[i], theirs.a[i]).wrapping_mul(sum(ours.b[i], theirs.b[i])) & modulus;
        if product != sum(ours.c[i], theirs.c[i]) {
            return Err(format!("{name}: triple {i} is wrong").into());
        }
    }
    Ok(())
}
