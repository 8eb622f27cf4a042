//! Measures homomorphic encryption in one thread: prints rows as JSON objects, times in seconds.
//!
//! Every timed result is decrypted afterwards, so that no row stands for a wrong result.

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use curve25519_dalek::{RistrettoPoint, Scalar};
use tacit_crypto::Prg;
use tacit_he::{HeError, Natural, PublicKey, SecretKey, Threads, bfv, dgk, elgamal, paillier};

/// How long each row is measured.
const DURATION: Duration = Duration::from_millis(600);

/// Ciphertexts of a batch.
const BATCH: usize = 64;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let mut prg = Prg::from_os()?;
    for (size, bits) in [(paillier::ModulusSize::MEDIUM, 2048), (paillier::ModulusSize::LONG, 3072)] {
        paillier(size, &format!("Paillier, {bits} bits"), &mut prg)?;
    }
    for (plaintexts, of) in [(dgk::Plaintexts::Prime(67), "67"), (dgk::Plaintexts::PowerOfTwo(129), "2^129")]
    {
        dgk(plaintexts, &format!("DGK, 2048 bits, t = 224, u = {of}"), &mut prg)?;
    }
    elgamal(&mut prg)?;
    for parameters in [bfv::Parameters::n4096(16)?, bfv::Parameters::n8192(16)?] {
        bfv(&parameters, &mut prg)?;
    }
    Ok(())
}

fn row(name: &str, what: &str, seconds: f64) {
    println!("{{\"name\":\"{name}, {what}\",\"value\":{seconds},\"unit\":\"s\"}}");
}

/// The seconds of the fastest call, and what it returned. The minimum is the best measure on a shared machine.
fn fastest<T>(mut call: impl FnMut() -> Result<T, HeError>) -> Outcome<(f64, T)> {
    let (start, mut best) = (Instant::now(), None);
    loop {
        let call_start = Instant::now();
        let result = black_box(call()?);
        let seconds = call_start.elapsed().as_secs_f64();
        if best.as_ref().is_none_or(|(least, _)| seconds < *least) {
            best = Some((seconds, result));
        }
        if start.elapsed() > DURATION {
            return best.ok_or_else(|| "nothing was measured".into());
        }
    }
}

fn ensure(holds: bool) -> Outcome<()> {
    if holds { Ok(()) } else { Err("a wrong decryption".into()) }
}

fn paillier(size: paillier::ModulusSize, name: &str, prg: &mut Prg) -> Outcome<()> {
    let start = Instant::now();
    let key = paillier::SecretKey::generate(&size, prg)?;
    row(name, "key", start.elapsed().as_secs_f64());
    let public = paillier::PublicKey::from_bytes(&size, &key.public().to_bytes())?;
    let plain = Natural::random(public.plain_bits(), prg);
    let (seconds, ciphertext) = fastest(|| public.encrypt(&plain, prg))?;
    row(name, "encrypt", seconds);
    ensure(key.decrypt(&ciphertext)? == plain)?;
    let (seconds, ciphertext) = fastest(|| key.encrypt(&plain, prg))?;
    row(name, "encrypt, the owner", seconds);
    ensure(key.decrypt(&ciphertext)? == plain)?;
    let mut ahead = key.randomness_all(4 * BATCH, Threads::all(), prg)?;
    let mut best = f64::MAX;
    while let Some(randomness) = ahead.pop() {
        let start = Instant::now();
        let ciphertext = black_box(public.encrypt_with(&plain, randomness)?);
        best = best.min(start.elapsed().as_secs_f64());
        if ahead.is_empty() {
            ensure(key.decrypt(&ciphertext)? == plain)?;
        }
    }
    row(name, "encrypt, with precomputed randomness", best);
    let (seconds, _) = fastest(|| key.decrypt(&ciphertext))?;
    row(name, "decrypt", seconds);
    let plains = vec![plain.clone(); BATCH];
    let (seconds, batch) = fastest(|| public.encrypt_all(&plains, Threads::ONE, prg))?;
    row(name, "encrypt, in a batch of 64", seconds / BATCH as f64);
    let (seconds, back) = fastest(|| key.decrypt_all(&batch, Threads::ONE))?;
    row(name, "decrypt, in a batch of 64", seconds / BATCH as f64);
    ensure(back == plains)?;
    let (seconds, _) = fastest(|| public.add(&ciphertext, &batch[0]))?;
    row(name, "add", seconds);
    Ok(())
}

fn dgk(plaintexts: dgk::Plaintexts, name: &str, prg: &mut Prg) -> Outcome<()> {
    let parameters = dgk::Parameters::new(dgk::ModulusSize::MEDIUM, 224, plaintexts)?;
    let start = Instant::now();
    let key = dgk::SecretKey::generate(&parameters, prg)?;
    row(name, "key", start.elapsed().as_secs_f64());
    let public = dgk::PublicKey::from_bytes(&parameters, &key.public().to_bytes())?;
    let plain = Natural::from(66u64);
    public.encrypt(&plain, prg)?;
    let (seconds, ciphertext) = fastest(|| public.encrypt(&plain, prg))?;
    row(name, "encrypt", seconds);
    let (seconds, own) = fastest(|| key.encrypt(&plain, prg))?;
    row(name, "encrypt, the owner", seconds);
    let difference = public.add(&ciphertext, &public.negate(&own)?)?;
    let (seconds, zero) = fastest(|| key.is_zero(&difference))?;
    row(name, "zero test", seconds);
    ensure(zero && !key.is_zero(&own)?)?;
    let (seconds, back) = fastest(|| key.decrypt(&ciphertext))?;
    row(name, "decrypt", seconds);
    ensure(back.to_u64() == plain.to_u64())?;
    let plains = vec![plain; BATCH];
    let (seconds, batch) = fastest(|| public.encrypt_all(&plains, Threads::ONE, prg))?;
    row(name, "encrypt, in a batch of 64", seconds / BATCH as f64);
    let (seconds, _) = fastest(|| key.are_zero(&batch, Threads::ONE))?;
    row(name, "zero test, in a batch of 64", seconds / BATCH as f64);
    let (seconds, back) = fastest(|| key.decrypt_all(&batch, Threads::ONE))?;
    row(name, "decrypt, in a batch of 64", seconds / BATCH as f64);
    ensure(back.iter().all(|one| one.to_u64() == Some(66)))
}

fn elgamal(prg: &mut Prg) -> Outcome<()> {
    let name = "EC ElGamal";
    let key = elgamal::SecretKey::generate(&(), prg)?;
    let public = elgamal::PublicKey::from_bytes(&(), &key.public().to_bytes())?;
    let message = elgamal::Message::random(prg);
    let (seconds, ciphertext) = fastest(|| public.encrypt(&message, prg))?;
    row(name, "encrypt", seconds);
    let batch = public.encrypt_all(&vec![message.clone(); 1000], Threads::ONE, prg)?;
    let sums = |count: usize| {
        batch[..count].iter().zip(&batch[1..]).map(|(a, b)| public.add(a, b)).collect::<Result<Vec<_>, _>>()
    };
    let (seconds, _) = fastest(|| sums(999))?;
    row(name, "add", seconds / 999.0);
    let (seconds, back) = fastest(|| key.decrypt(&ciphertext))?;
    row(name, "decrypt", seconds);
    ensure(back == message)?;
    let (point, scalar) = (RistrettoPoint::mul_base(&Scalar::from(3u64)), Scalar::from(7u64).invert());
    let (seconds, _) = fastest(|| Ok(black_box(&point) * black_box(&scalar)))?;
    row("curve25519-dalek", "multiply a point", seconds);
    let points = vec![[point; 2]; 1000];
    let sums =
        || Ok(points.iter().zip(&points[1..]).map(|(a, b)| [a[0] + b[0], a[1] + b[1]]).collect::<Vec<_>>());
    let (seconds, _) = fastest(sums)?;
    row("curve25519-dalek", "add two pairs of points", seconds / 999.0);
    let (seconds, bytes) = fastest(|| public.encode(&batch))?;
    row(name, "serialise in batches, a point", seconds / (2 * batch.len()) as f64);
    let (seconds, received) = fastest(|| public.decode(batch.len(), &bytes))?;
    row(name, "read and check, a point", seconds / (2 * batch.len()) as f64);
    ensure(key.decrypt(&received[999])? == message)?;
    let integers = elgamal::Integers::new(1 << 16)?;
    let integer = public.encrypt(&elgamal::Message::integer(-65_000), prg)?;
    let (seconds, back) = fastest(|| key.decrypt_integer(&integer, &integers))?;
    row(name, "decrypt an integer of 17 bits", seconds);
    ensure(back == -65_000)
}

fn bfv(parameters: &bfv::Parameters, prg: &mut Prg) -> Outcome<()> {
    let name = format!("BFV, n = {}", parameters.degree());
    let key = bfv::SecretKey::generate(parameters, prg)?;
    let public = bfv::PublicKey::from_bytes(parameters, &key.public().to_bytes())?;
    let numbers: Vec<u64> = (0..parameters.degree() as u64).map(|i| i * i % 65_536).collect();
    let plain = parameters.plain(&numbers)?;
    let (seconds, ciphertext) = fastest(|| key.encrypt(&plain, prg))?;
    row(&name, "encrypt", seconds);
    let (seconds, other) = fastest(|| public.encrypt(&plain, prg))?;
    row(&name, "encrypt by the public key", seconds);
    ensure(key.decrypt(&other)?.coefficients() == numbers)?;
    let (seconds, back) = fastest(|| key.decrypt(&ciphertext))?;
    row(&name, "decrypt", seconds);
    ensure(back.coefficients() == numbers)?;
    let factor = parameters.factor(&[2, 0, 0], 3)?;
    let (seconds, product) = fastest(|| public.multiply(&ciphertext, &factor))?;
    row(&name, "multiply by plain", seconds);
    let coefficients: Vec<i64> = numbers.iter().map(|number| *number as i64).collect();
    let (seconds, _) = fastest(|| parameters.factor(&coefficients, 17))?;
    row(&name, "make a plain factor", seconds);
    let (seconds, reply) = fastest(|| public.reply(&product, &[0, 1], prg))?;
    row(&name, "reply", seconds);
    ensure(key.decrypt_reply(&reply, &[0, 1])?[..] == [0, 2])?;
    let keys = key.packing_keys(prg);
    // The smaller ring has no room for the noise of a larger tree.
    let count = if parameters.degree() < 8192 { 16 } else { 128 };
    let places: Vec<usize> = (0..count).collect();
    let sources = [(&product, &places[..])];
    let (seconds, reply) = fastest(|| public.packed_reply(&keys, &sources, prg))?;
    row(&name, &format!("reply, {count} coefficients packed"), seconds);
    let packed = key.decrypt_reply(&reply, &parameters.packed_places(count))?;
    ensure(packed[1] == 2 && packed[2] == 8)
}
