//! EC ElGamal: keys are points of ristretto255.
//!
//! With the secret scalar a and A = a·P, a wire's ciphertext is `(ρ·P, ρ·A + K)`, and the reply of an operand
//! `2·(ρ·P + ρ′·P, ρ·A + K + ρ′·A + r)` for a fresh ρ′ and a uniform point r: a uniform pair of points that encrypts 2·(K + r), which is uniform.
//!
//! Source: Holz, Kiss, Rathee and Schneider (ESORICS'20), section 4.3. Differs: operands have keys 2·(K + r) and not K + r, and hashes
//! cover the encodings of doubles, so that all points that are sent or hashed are encoded in batches with one inversion.
//! Security: decisional Diffie–Hellman in ristretto255 hides keys from P1; the wiring is hidden from P2 as well as ρ′ and r are random.
//! Cost: 64 bytes a wire and an operand. For a wire, P2 multiplies three times by tables; for an operand, P1 twice by tables, P2 once without.

use core::ops::Range;

use curve25519_dalek::ristretto::{RistrettoBasepointTable, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use tacit_crypto::{OracleStream, Prg, Secret};
use tacit_he::{Threads, map_groups, map_secret_groups};
use zeroize::Zeroizing;

use super::GROUP;
use super::scheme::{Pairs, Scheme, Sealed};
use super::streams::Streams;
use crate::PfeError;
use crate::points::{self, encode_doubles};
use crate::rows::{KEY, Key, Pair};

/// EC ElGamal on ristretto255.
#[derive(Clone, Copy, Debug, Default)]
pub struct EcElgamal;

/// A's table.
pub struct Public(RistrettoBasepointTable);

/// The two points of a ciphertext.
type Points = [RistrettoPoint; 2];

/// A wire's k and ρ, of which the key and the ciphertext's first point are doubles of multiples.
fn wire_scalars(stream: &mut OracleStream) -> [Zeroizing<Scalar>; 2] {
    [(); 2].map(|()| Zeroizing::new(points::random_scalar(|bytes| stream.fill(bytes))))
}

/// An operand's ρ′ and r.
fn blind(stream: &mut OracleStream) -> (Zeroizing<Scalar>, RistrettoPoint) {
    let mut bytes = Zeroizing::new([0; 64]);
    let scalar = Zeroizing::new(points::random_scalar(|bytes| stream.fill(bytes)));
    stream.fill(&mut *bytes);
    (scalar, RistrettoPoint::from_uniform_bytes(&bytes))
}

/// The points of ciphertexts of these numbers, checked.
fn decode_points(bytes: &[u8], range: Range<usize>, what: &'static str) -> Result<Vec<Points>, PfeError> {
    let pairs = bytes.as_chunks::<KEY>().0.as_chunks::<2>().0;
    let decode = |(index, [first, second]): (usize, &[Key; 2])| {
        let first = points::decode_from_peer(first, what, index)?;
        Ok([first, points::decode_from_peer(second, what, index)?])
    };
    range.zip(pairs).map(decode).collect()
}

/// Bytes as those of ciphertexts.
fn ciphertexts(bytes: &[u8]) -> &[[u8; 2 * KEY]] {
    bytes.as_chunks().0
}

impl Sealed for EcElgamal {}

impl Scheme for EcElgamal {
    type Key = Key;
    type Number = RistrettoPoint;
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
        RistrettoPoint::mul_base(secret.expose()).compress().to_bytes().to_vec()
    }

    /// R / 2.
    fn difference(&self, prg: &mut Prg) -> Zeroizing<RistrettoPoint> {
        Zeroizing::new(points::random_point(prg))
    }

    fn draw(
        &self,
        secret: &Secret<Scalar>,
        half_r: &RistrettoPoint,
        wires: usize,
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<(Pairs<Key>, Vec<u8>), PfeError> {
        let (streams, items) = (Streams::new(prg), vec![(); wires]);
        // K⁰ = 2k·P and K¹ = K⁰ + R.
        let keys = |first: usize, group: &[()]| -> Result<Zeroizing<Vec<Pair>>, PfeError> {
            let mut stream = streams.of_group(first / GROUP);
            let mut halves = Zeroizing::new(Vec::with_capacity(2 * group.len()));
            for () in group {
                let zero = RistrettoPoint::mul_base(&wire_scalars(&mut stream)[0]);
                halves.extend([zero, zero + half_r]);
            }
            Ok(Zeroizing::new(encode_doubles(&halves).as_chunks::<2>().0.to_vec()))
        };
        // (2ρ·P, 2ρ·A + K⁰), with A = a·P.
        let encrypted = |first: usize, group: &[()]| -> Result<Vec<Key>, PfeError> {
            let mut stream = streams.of_group(first / GROUP);
            let mut halves = Zeroizing::new(Vec::with_capacity(2 * group.len()));
            for () in group {
                let [k, rho] = wire_scalars(&mut stream);
                let second = Zeroizing::new(secret.expose() * *rho + *k);
                halves.extend([RistrettoPoint::mul_base(&rho), RistrettoPoint::mul_base(&second)]);
            }
            Ok(encode_doubles(&halves).to_vec())
        };
        let pairs = map_secret_groups(&items, GROUP, threads, keys)?;
        Ok((pairs, map_groups(&items, GROUP, threads, encrypted)?.into_flattened()))
    }

    fn decrypt(
        &self,
        secret: &Secret<Scalar>,
        half_r: &RistrettoPoint,
        operands: Range<usize>,
        replies: &[u8],
        threads: Threads,
    ) -> Result<Pairs<Key>, PfeError> {
        let r = Zeroizing::new(half_r + half_r);
        let double_r = Zeroizing::new(*r + *r);
        let work = |first: usize, group: &[[u8; 2 * KEY]]| {
            let first = operands.start + first;
            let pairs = decode_points(group.as_flattened(), first..first + group.len(), "operand")?;
            let mut keys = Zeroizing::new(Vec::with_capacity(2 * group.len()));
            for [first, second] in pairs {
                let zero = second - secret.expose() * first;
                keys.extend([zero, zero + *double_r]);
            }
            Ok(Zeroizing::new(encode_doubles(&keys).as_chunks::<2>().0.to_vec()))
        };
        map_secret_groups(ciphertexts(replies), GROUP, threads, work)
    }

    fn decode_public(&self, bytes: &[u8]) -> Result<Public, PfeError> {
        let key = bytes.first_chunk().ok_or(PfeError::Point { what: "public key", index: 0 })?;
        let point = points::decode_from_peer(key, "public key", 0)?;
        Ok(Public(RistrettoBasepointTable::create(&point)))
    }

    fn decode_wires(
        &self,
        _: &Public,
        wires: Range<usize>,
        bytes: &[u8],
        threads: Threads,
    ) -> Result<Vec<Points>, PfeError> {
        let work = |first: usize, group: &[[u8; 2 * KEY]]| {
            let first = wires.start + first;
            decode_points(group.as_flattened(), first..first + group.len(), "wire")
        };
        map_groups(ciphertexts(bytes), GROUP, threads, work)
    }

    fn blind(
        &self,
        public: &Public,
        operands: usize,
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<(Zeroizing<Vec<RistrettoPoint>>, Vec<Points>), PfeError> {
        let (streams, items) = (Streams::new(prg), vec![(); operands]);
        let work = |first: usize, group: &[()]| -> Result<_, PfeError> {
            let mut stream = streams.of_group(first / GROUP);
            let mut all = Zeroizing::new(Vec::with_capacity(group.len()));
            for () in group {
                let (rho, r) = blind(&mut stream);
                all.push([r, RistrettoPoint::mul_base(&rho), &*rho * &public.0 + r]);
            }
            Ok(all)
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
        (_, masks): (&[RistrettoPoint], Vec<Points>),
        threads: Threads,
        _: &mut Prg,
    ) -> Result<Vec<u8>, PfeError> {
        let masks = Zeroizing::new(masks);
        let work = |first: usize, group: &[u32]| -> Result<Vec<Key>, PfeError> {
            let pairs = group.iter().zip(&masks[first..]);
            let sums = pairs.flat_map(|(wire, mask)| {
                let [first, second] = wires[*wire as usize];
                [first + mask[0], second + mask[1]]
            });
            Ok(encode_doubles(&Zeroizing::new(sums.collect::<Vec<_>>())).to_vec())
        };
        Ok(map_groups(operands, GROUP, threads, work)?.into_flattened())
    }

    fn decode_key(key: &Key) -> Option<RistrettoPoint> {
        points::decode(key)
    }

    /// Of which hashes cover the doubles: 2·(X + r).
    fn add(pairs: impl Iterator<Item = [RistrettoPoint; 2]>) -> Zeroizing<Vec<Key>> {
        let sums: Vec<RistrettoPoint> =
            pairs.map(|[wire, blind]| wire + blind).map(|sum| sum + sum).collect();
        encode_doubles(&Zeroizing::new(sums))
    }
}
