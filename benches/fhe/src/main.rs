//! Times the crate `fhe` on the rings of `tacit-he`'s own bench: prints rows as JSON objects.

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use fhe::bfv::{BfvParametersBuilder, Ciphertext, Encoding, Plaintext, SecretKey};
use fhe_traits::{FheDecoder, FheDecrypter, FheEncoder, FheEncrypter};

/// How long each row is measured.
const DURATION: Duration = Duration::from_millis(600);

/// The seconds of the fastest call.
fn fastest(mut call: impl FnMut()) -> f64 {
    let (start, mut best) = (Instant::now(), f64::MAX);
    while start.elapsed() < DURATION {
        let call_start = Instant::now();
        call();
        best = best.min(call_start.elapsed().as_secs_f64());
    }
    best
}

fn row(degree: usize, what: &str, seconds: f64) {
    println!("{{\"name\":\"fhe, n = {degree}, {what}\",\"value\":{seconds},\"unit\":\"s\"}}");
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut rng = rand::rng();
    for (degree, primes) in [(4096, 2), (8192, 3)] {
        let parameters = BfvParametersBuilder::new()
            .set_degree(degree)
            .set_plaintext_modulus(1 << 16)
            .set_moduli_sizes(&vec![50; primes])
            .build_arc()?;
        let key = SecretKey::random(&parameters, &mut rng);
        let numbers: Vec<u64> = (0..degree as u64).map(|i| i * i % 65_536).collect();
        let plain = Plaintext::try_encode(&numbers, Encoding::poly(), &parameters)?;
        let mut ciphertext: Ciphertext = key.try_encrypt(&plain, &mut rng)?;
        let back = Vec::<u64>::try_decode(&key.try_decrypt(&ciphertext)?, Encoding::poly())?;
        if back != numbers {
            return Err("a wrong decryption".into());
        }
        let encrypt =
            fastest(|| drop(black_box(FheEncrypter::<_, Ciphertext>::try_encrypt(&key, &plain, &mut rng))));
        row(degree, "encrypt", encrypt);
        row(degree, "decrypt", fastest(|| drop(black_box(key.try_decrypt(&ciphertext)))));
        row(degree, "multiply by plain", fastest(|| ciphertext *= black_box(&plain)));
    }
    Ok(())
}
