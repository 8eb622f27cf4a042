//! EC ElGamal: keys are points of ristretto255.
//!
//! With the secret scalar a and A = a·P, a wire's ciphertext is `(ρ·P, ρ·A + K)`, and the reply of an operand
//! `2·(ρ·P + ρ′·P, ρ·A + K + ρ′·A + r)` for a fresh ρ′ and a uniform point r: a uniform pair of points that encrypts 2·(K + r), which is uniform.
//!
//! Source: Holz, Kiss, Rathee and Schneider (ESORICS'20), section 4.3. Differs: operands have keys 2·(K + r) and not K + r, and the encodings
//! of doubles are hashed, so that all points that are sent or hashed are encoded in batches with one inversion.
//! Security: decisional Diffie–Hellman in ristretto255 hides keys from P1; the wiring is hidden from P2 as long as ρ′ and r are pseudorandom.
//! Cost: 64 bytes for each wire and each operand. For a wire, P2 does three multiplications with tables; for an operand, P1 does two with tables and P2 one
//! without.

use core::ops::Range;

use curve25519_dalek::scalar::Scalar;
use tacit_crypto::{OracleStream, Prg, Secret};
use tacit_he::{Threads, map_groups, map_secret_groups};
use tacit_math::ristretto::{self, Fixed, Point};
use zeroize::Zeroizing;

use super::GROUP;
use super::scheme::{Pairs, Scheme, Sealed};
use super::streams::Streams;
use crate::PfeError;
use crate::points::{self, UNIFORM, encode_doubles, multiples};
use crate::rows::{KEY, Key, Pair};

/// EC ElGamal on ristretto255.
#[derive(Clone, Copy, Debug, Default)]
pub struct EcElgamal;

/// A's table.
pub struct Public(Fixed);

/// The two points of a ciphertext.
type Points = [Point; 2];

/// A wire's k and ρ: the key is 2k·P, and the ciphertext's first point is 2ρ·P.
fn wire_scalars(stream: &mut OracleStream) -> [Zeroizing<Scalar>; 2] {
    [(); 2].map(|()| Zeroizing::new(points::random_scalar(|bytes| stream.fill(bytes))))
}

/// ρ′ and the bytes of r for this many operands.
fn blinds(
    stream: &mut OracleStream,
    count: usize,
) -> (Zeroizing<Vec<Scalar>>, Zeroizing<Vec<[u8; UNIFORM]>>) {
    let mut scalars = Zeroizing::new(Vec::with_capacity(count));
    let mut uniform = Zeroizing::new(vec![[0; UNIFORM]; count]);
    for bytes in uniform.iter_mut() {
        scalars.push(points::random_scalar(|bytes| stream.fill(bytes)));
        stream.fill(bytes);
    }
    (scalars, uniform)
}

/// The points of ciphertexts of these numbers, checked.
fn decode_points(
    bytes: &[[u8; 2 * KEY]],
    first: usize,
    what: &'static str,
) -> Result<Zeroizing<Vec<Points>>, PfeError> {
    let encodings = bytes.as_flattened().as_chunks::<KEY>().0;
    let points =
        points::decode(encodings).map_err(|place| PfeError::Point { what, index: first + place / 2 })?;
    Ok(Zeroizing::new(points.as_chunks::<2>().0.to_vec()))
}

/// The first or the second points of pairs.
fn half_of(pairs: &[Points], half: usize) -> Zeroizing<Vec<Point>> {
    Zeroizing::new(pairs.iter().map(|pair| pair[half]).collect())
}

/// Bytes, divided into ciphertexts.
fn ciphertexts(bytes: &[u8]) -> &[[u8; 2 * KEY]] {
    bytes.as_chunks().0
}

impl Sealed for EcElgamal {}

impl Scheme for EcElgamal {
    type Key = Key;
    type Number = Point;
    type Secret = Secret<Scalar>;
    type Public = Public;
    type Ciphertext = Points;
    type Mask = Points;

    fn mark(&self) -> u64 {
        1 << 32
    }

    fn public_bytes(&self) -> usize {
        KEY
    }

    fn wires_bytes(&self, wires: usize) -> usize {
        2 * KEY * wires
    }

    fn replies_bytes(&self, operands: usize) -> usize {
        2 * KEY * operands
    }

    fn generate(&self, prg: &mut Prg) -> Result<Secret<Scalar>, PfeError> {
        Ok(Secret::new(points::random_scalar(|bytes| prg.fill_bytes(bytes))))
    }

    fn encode_public(&self, secret: &Secret<Scalar>) -> Vec<u8> {
        points::encode(multiples(ristretto::base(), &[*secret.expose()])[0]).to_vec()
    }

    /// R / 2.
    fn difference(&self, prg: &mut Prg) -> Zeroizing<Point> {
        Zeroizing::new(points::random_point(prg))
    }

    fn draw(
        &self,
        secret: &Secret<Scalar>,
        half_r: &Point,
        wires: usize,
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<(Pairs<Key>, Vec<u8>), PfeError> {
        let (streams, items) = (Streams::new(prg), vec![(); wires]);
        // K⁰ = 2k·P and K¹ = K⁰ + R.
        let keys = |first: usize, group: &[()]| -> Result<Zeroizing<Vec<Pair>>, PfeError> {
            let mut stream = streams.of_group(first / GROUP);
            let scalars = group.iter().map(|()| *wire_scalars(&mut stream)[0]).collect::<Vec<_>>();
            let zeros = multiples(ristretto::base(), &Zeroizing::new(scalars));
            Ok(Zeroizing::new(encode_doubles(&points::pairs(&zeros, half_r)).as_chunks::<2>().0.to_vec()))
        };
        // (2ρ·P, 2ρ·A + K⁰), with A = a·P.
        let encrypted = |first: usize, group: &[()]| -> Result<Vec<Key>, PfeError> {
            let mut stream = streams.of_group(first / GROUP);
            let mut scalars = Zeroizing::new(Vec::with_capacity(2 * group.len()));
            for () in group {
                let [k, rho] = wire_scalars(&mut stream);
                scalars.extend([*rho, secret.expose() * *rho + *k]);
            }
            Ok(encode_doubles(&multiples(ristretto::base(), &scalars)).to_vec())
        };
        let pairs = map_secret_groups(&items, GROUP, threads, keys)?;
        Ok((pairs, map_groups(&items, GROUP, threads, encrypted)?.into_flattened()))
    }

    fn decrypt(
        &self,
        secret: &Secret<Scalar>,
        half_r: &Point,
        operands: Range<usize>,
        replies: &[u8],
        threads: Threads,
    ) -> Result<Pairs<Key>, PfeError> {
        let double_r = Zeroizing::new(half_r.double().double());
        let work = |first: usize, group: &[[u8; 2 * KEY]]| {
            let pairs = decode_points(group, operands.start + first, "operand")?;
            let [mut shared, mut zeros] = [0, 1].map(|half| half_of(&pairs, half));
            points::multiply_all(&Zeroizing::new(-secret.expose()), &mut shared);
            ristretto::add(&shared, &mut zeros);
            Ok(Zeroizing::new(encode_doubles(&points::pairs(&zeros, &double_r)).as_chunks::<2>().0.to_vec()))
        };
        map_secret_groups(ciphertexts(replies), GROUP, threads, work)
    }

    fn decode_public(&self, bytes: &[u8]) -> Result<Public, PfeError> {
        let point = points::decode_from_peer(bytes.as_chunks().0, "public key", 0)?;
        let point = point.first().ok_or(PfeError::Point { what: "public key", index: 0 })?;
        Ok(Public(Fixed::new(point)))
    }

    fn decode_wires(
        &self,
        _: &Public,
        wires: Range<usize>,
        bytes: &[u8],
        threads: Threads,
    ) -> Result<Vec<Points>, PfeError> {
        let work = |first: usize, group: &[[u8; 2 * KEY]]| {
            Ok(decode_points(group, wires.start + first, "wire")?.to_vec())
        };
        map_groups(ciphertexts(bytes), GROUP, threads, work)
    }

    fn blind(
        &self,
        public: &Public,
        operands: usize,
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<(Zeroizing<Vec<Point>>, Vec<Points>), PfeError> {
        let (streams, items) = (Streams::new(prg), vec![(); operands]);
        let work = |first: usize, group: &[()]| -> Result<_, PfeError> {
            let (scalars, uniform) = blinds(&mut streams.of_group(first / GROUP), group.len());
            let (blinds, firsts) = (points::hashed(&uniform), multiples(ristretto::base(), &scalars));
            let mut seconds = multiples(&public.0, &scalars);
            ristretto::add(&blinds, &mut seconds);
            let all = blinds.iter().zip(firsts.iter().zip(seconds.iter()));
            Ok(Zeroizing::new(all.map(|(r, (first, second))| [*r, *first, *second]).collect::<Vec<_>>()))
        };
        let all = map_secret_groups(&items, GROUP, threads, work)?;
        let blinds = Zeroizing::new(all.iter().map(|[r, ..]| *r).collect());
        Ok((blinds, all.iter().map(|[_, first, second]| [*first, *second]).collect()))
    }

    fn reply(
        &self,
        _: &Public,
        wires: &[Points],
        operands: &[u32],
        (_, masks): (&[Point], Vec<Points>),
        threads: Threads,
        _: &mut Prg,
    ) -> Result<Vec<u8>, PfeError> {
        let masks = Zeroizing::new(masks);
        let work = |first: usize, group: &[u32]| -> Result<Vec<Key>, PfeError> {
            let read = group.iter().flat_map(|wire| wires[*wire as usize]);
            let mut sums = Zeroizing::new(read.collect::<Vec<Point>>());
            ristretto::add(masks[first..][..group.len()].as_flattened(), &mut sums);
            Ok(encode_doubles(&sums).to_vec())
        };
        Ok(map_groups(operands, GROUP, threads, work)?.into_flattened())
    }

    fn encode_blinds(blinds: &[Point]) -> Zeroizing<Vec<Key>> {
        points::encode_all(blinds)
    }

    fn decode_keys(keys: &[Key]) -> Result<Zeroizing<Vec<Point>>, usize> {
        points::decode(keys)
    }

    /// The halves of keys, whose doubles are hashed: 2·(X + r).
    fn add(wires: Zeroizing<Vec<Point>>, blinds: &[Point]) -> Zeroizing<Vec<Key>> {
        let mut sums = wires;
        ristretto::add(blinds, &mut sums);
        sums.iter_mut().for_each(|sum| *sum = sum.double());
        encode_doubles(&sums)
    }
}
