//! The speed of this machine at the protocols' operations.

use std::hint::black_box;
use std::time::{Duration, Instant};

use curve25519_dalek::scalar::Scalar;
use tacit_circuit::CircuitBuilder;
use tacit_crypto::{EntropyError, Oracle, Prg};
use tacit_math::ntt::{self, Ntt};
use tacit_math::powers::{self, Powers};
use tacit_math::ristretto::{self, Fixed};

use crate::points::{self, UNIFORM};
use crate::universal::{UniversalFunction, UniversalSize};
use crate::{FunctionError, InputOwner, PfeError, local};

/// Gates of the measured universal circuit.
const GATES: usize = 2000;

/// How often each operation is timed. The shortest time counts, because other work on the machine only makes operations slower.
const ROUNDS: usize = 3;

/// Words of the square of a modulus of 3072 bits.
const MODULUS_WORDS: usize = 96;

/// Coefficients of BFV's polynomials.
const DEGREE: usize = 4096;

/// Points of a batch, as many as a group of gates has.
const BATCH: usize = 128;

/// Seconds of one thread for each operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// The base point times a number.
    pub multiply_base: f64,
    /// A point with a table times a number.
    pub multiply_table: f64,
    /// A point times a number.
    pub multiply: f64,
    /// A hash onto the group.
    pub hash_to_group: f64,
    /// A point from its encoding.
    pub decode: f64,
    /// Encoding a point, in a batch.
    pub encode: f64,
    /// A hash of two keys.
    pub hash: f64,
    /// A multiplication modulo the square of a modulus of 3072 bits, when eight are computed at a time.
    pub multiply_modular: f64,
    /// A number-theoretic transform of 4096 numbers.
    pub transform: f64,
    /// A switch of a universal circuit at the slower party: garbled, sent and evaluated.
    pub switch: f64,
}

impl Rates {
    /// Measures this machine for about a tenth of a second.
    ///
    /// # Errors
    /// [`PfeError::Entropy`].
    pub async fn measure() -> Result<Rates, PfeError> {
        let switch = switch().await?;
        Ok(Rates { switch, ..points_and_hashes()? })
    }
}

/// Seconds per call, from the fastest of [`ROUNDS`] rounds of `count` calls.
fn seconds<T>(count: u32, mut call: impl FnMut() -> T) -> f64 {
    let time = |_| {
        let clock = Instant::now();
        (0..count).for_each(|_| drop(black_box(call())));
        clock.elapsed()
    };
    (0..ROUNDS).map(time).min().unwrap_or(Duration::ZERO).as_secs_f64() / f64::from(count)
}

fn points_and_hashes() -> Result<Rates, EntropyError> {
    let mut prg = Prg::from_os()?;
    let scalars: Vec<Scalar> =
        (0..BATCH).map(|_| points::random_scalar(|bytes| prg.fill_bytes(bytes))).collect();
    let table = Fixed::new(&points::random_point(&mut prg));
    let mut points = points::multiples(&table, &scalars);
    let encodings = points::encode_doubles(&points);
    let mut uniform = vec![[0; UNIFORM]; BATCH];
    prg.fill_bytes(uniform.as_flattened_mut());
    let oracle = Oracle::new("tacit private functions v1: row").absorb(&encodings[0]);
    let each = |seconds: f64| seconds / BATCH as f64;
    Ok(Rates {
        multiply_base: each(seconds(1, || points::multiples(ristretto::base(), &scalars))),
        multiply_table: each(seconds(1, || points::multiples(&table, &scalars))),
        multiply: each(seconds(1, || points::multiply_all(&scalars[0], &mut points))),
        hash_to_group: each(seconds(1, || points::hashed(&uniform))),
        decode: each(seconds(1, || points::decode(&encodings))),
        encode: each(seconds(5, || points::encode_doubles(&points))),
        hash: seconds(500, || oracle.clone().absorb(&uniform[0]).digest()),
        multiply_modular: multiply_modular(),
        transform: transform(),
        switch: 0.0,
    })
}

fn multiply_modular() -> f64 {
    let (modulus, times) = (vec![u64::MAX; MODULUS_WORDS], 100);
    let base: Vec<u64> = (1..=MODULUS_WORDS as u64).collect();
    let Some(powers) = Powers::new(&modulus) else { return 0.0 };
    seconds(1, || powers.squared(&[&base[..]; powers::LANES], times))
        / (powers::LANES as f64 * f64::from(times))
}

fn transform() -> f64 {
    let ntt = ntt::primes(ntt::MAX_MODULUS_BITS, DEGREE).next().and_then(|prime| Ntt::new(prime, DEGREE));
    let Some(ntt) = ntt else { return 0.0 };
    let mut values: Vec<u64> = (0..DEGREE as u64).collect();
    seconds(20, || ntt.forward(&mut values))
}

/// Runs both parties of a small universal circuit.
async fn switch() -> Result<f64, PfeError> {
    let function = || -> Result<UniversalFunction, FunctionError> {
        let mut builder = CircuitBuilder::new();
        let input = builder.input(1);
        let circuit = builder.finish(vec![input]).map_err(|_| FunctionError::NoOutputs)?;
        UniversalFunction::from_circuit(&circuit, &[InputOwner::Holder], Some(GATES))
    };
    let mut fastest = f64::INFINITY;
    for _ in 0..ROUNDS {
        let function = crate::Function::UniversalCircuit(function()?.into());
        let clock = Instant::now();
        local::both(function, &[true], &[]).await?;
        fastest = fastest.min(clock.elapsed().as_secs_f64());
    }
    let size = UniversalSize::new(crate::Size::new(1, 0, GATES, 1)?)?;
    Ok(fastest / size.circuit().count().switches() as f64)
}
