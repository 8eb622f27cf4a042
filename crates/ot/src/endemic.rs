//! Endemic OT: base OTs from Diffie–Hellman on ristretto255.
//!
//! n random OTs in two flows that may cross: the sender ends with two random blocks per OT, the receiver with the one
//! of its choice.
//!
//! Source: Masny and Rindal, *Endemic Oblivious Transfer* (CCS'19), the protocol from Diffie–Hellman key agreement.
//! Differs: one message of the sender serves all OTs of a call; every hash includes session, index and branch, and
//! hashes for keys include both messages. All group elements are doubled, so that encodings can share one inversion.
//!
//! Security: malicious, in the sense that a party may bias its own outputs, under gap Diffie–Hellman in the random
//! oracle model. Choices are handled in constant time.
//! Cost: 64 bytes per OT from the receiver, 32 bytes in all from the sender.

use crate::error::OtError;
use curve25519_dalek::constants::RISTRETTO_BASEPOINT_TABLE;
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoBasepointTable, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::IsIdentity;
use subtle::{Choice, ConditionallySelectable};
use tacit_crypto::{Oracle, Prg};
use tacit_math::{Bits, Block};
use tacit_net::Channel;
use zeroize::{Zeroize, Zeroizing};

/// Bytes of an encoded point.
pub(crate) const POINT: usize = 32;
/// Bytes of the receiver's message for one OT.
const PAIR: usize = 2 * POINT;
/// OTs that the receiver sends together, so that the sender computes on them while the receiver makes more.
const PIECE: usize = 16;

/// The sender's end of `count` random OTs: two blocks each.
///
/// `session` is unique to this run of the protocol and the same at both parties; `prg` must be secret and fresh.
/// Cost: receives 64 bytes per OT, sends 32 bytes; two variable-base multiplications per OT.
///
/// # Errors
/// [`OtError::Malformed`] if the receiver sends anything but canonical encodings of points other than the identity;
/// failures of the channel.
pub async fn send(
    channel: &mut Channel,
    session: &[u8; 32],
    count: usize,
    prg: &mut Prg,
) -> Result<Vec<[Block; 2]>, OtError> {
    let (state, message) = SenderState::new(session, prg);
    channel.send(&message).await?;
    channel.flush().await?;
    let mut outputs = Zeroizing::new(Vec::with_capacity(count));
    let mut pairs = [[0; PAIR]; PIECE];
    while outputs.len() < count {
        let pairs = &mut pairs[..PIECE.min(count - outputs.len())];
        channel.receive_into(pairs.as_flattened_mut()).await?;
        state.append(pairs, &mut outputs)?;
    }
    Ok(std::mem::take(&mut *outputs))
}

/// The receiver's end of one random OT per bit of `choices`: the block of its choice.
///
/// `choices` are secret, `session` and `prg` as in [`send`].
/// Cost: sends 64 bytes per OT, receives 32 bytes; two fixed-base multiplications per OT.
///
/// # Errors
/// [`OtError::Malformed`] if the sender sends anything but the canonical encoding of a point other than the identity;
/// failures of the channel.
pub async fn receive(
    channel: &mut Channel,
    session: &[u8; 32],
    choices: &Bits,
    prg: &mut Prg,
) -> Result<Vec<Block>, OtError> {
    let mut state = ReceiverState::new(session, choices, prg);
    while let Some(pairs) = state.next_pairs(prg) {
        channel.send(pairs.as_flattened()).await?;
        channel.flush().await?;
    }
    let mut message = [0; POINT];
    channel.receive_into(&mut message).await?;
    state.outputs(&message)
}

/// The sender's state between its two steps.
struct SenderState {
    oracle: Oracles,
    secret: Scalar,
    message: [u8; POINT],
}

impl SenderState {
    /// Step 1: the message B = 2bG.
    fn new(session: &[u8; 32], prg: &mut Prg) -> (SenderState, [u8; POINT]) {
        let secret = random_scalar(prg);
        let message = (&(secret + secret) * RISTRETTO_BASEPOINT_TABLE).compress().to_bytes();
        (SenderState { oracle: Oracles::new(session), secret, message }, message)
    }

    /// Step 2 for the next OTs: from the pairs (R0, R1) the keys of 2b·Mj with Mj = Rj + Hj(R(1-j)). `outputs` has those of the
    /// OTs before, and room for these.
    fn append(&self, pairs: &[[u8; PAIR]], outputs: &mut Vec<[Block; 2]>) -> Result<(), OtError> {
        let first = outputs.len();
        let mut shared = Vec::with_capacity(2 * pairs.len());
        for (index, pair) in (first..).zip(pairs) {
            let points = [decode(&pair[..POINT])?, decode(&pair[POINT..])?];
            for (branch, point) in points.iter().enumerate() {
                let masked = point + self.oracle.point(index, branch as u8, half(pair, 1 - branch));
                shared.push(masked * self.secret);
            }
        }
        let encoded = RistrettoPoint::double_and_compress_batch(&shared);
        let key = |at: usize, branch: usize| {
            let shared = &encoded[2 * at + branch];
            self.oracle.key(first + at, branch as u8, &pairs[at], &self.message, shared)
        };
        outputs.extend((0..pairs.len()).map(|at| [key(at, 0), key(at, 1)]));
        shared.zeroize();
        Ok(())
    }
}

impl Drop for SenderState {
    fn drop(&mut self) {
        self.secret.zeroize();
    }
}

/// The receiver's state: choices, scalars a with M = 2aG, and the pairs that were sent.
struct ReceiverState {
    oracle: Oracles,
    choices: Vec<Choice>,
    secrets: Vec<Scalar>,
    pairs: Vec<[u8; PAIR]>,
}

impl ReceiverState {
    fn new(session: &[u8; 32], choices: &Bits, prg: &mut Prg) -> ReceiverState {
        let choices: Vec<Choice> = choices.iter().map(|bit| Choice::from(u8::from(bit))).collect();
        let secrets: Vec<Scalar> = choices.iter().map(|_| random_scalar(prg)).collect();
        let pairs = Vec::with_capacity(choices.len());
        ReceiverState { oracle: Oracles::new(session), choices, secrets, pairs }
    }

    /// Step 1 for the next OTs, if there are more: for choice c a uniform R(1-c), and Rc = M - Hc(R(1-c)).
    fn next_pairs(&mut self, prg: &mut Prg) -> Option<&[[u8; PAIR]]> {
        let first = self.pairs.len();
        let choices = self.choices[first..].chunks(PIECE).next()?;
        let uniform: Vec<RistrettoPoint> = choices.iter().map(|_| random_point(prg)).collect();
        let others = RistrettoPoint::double_and_compress_batch(&uniform);
        let halves: Vec<RistrettoPoint> = self.secrets[first..]
            .iter()
            .zip(choices)
            .zip(&others)
            .enumerate()
            .map(|(at, ((secret, choice), other))| {
                secret * RISTRETTO_BASEPOINT_TABLE
                    - self.oracle.half_point(first + at, choice.unwrap_u8(), other.as_bytes())
            })
            .collect();
        let own = RistrettoPoint::double_and_compress_batch(&halves);
        let pairs = own.iter().zip(&others).zip(choices).map(|((own, other), &c)| ordered(own, other, c));
        self.pairs.extend(pairs);
        Some(&self.pairs[first..])
    }

    /// Step 2: the keys of 2aB.
    fn outputs(&self, message: &[u8; POINT]) -> Result<Vec<Block>, OtError> {
        let table = RistrettoBasepointTable::create(&decode(message)?);
        let mut shared: Vec<RistrettoPoint> = self.secrets.iter().map(|secret| secret * &table).collect();
        let encoded = RistrettoPoint::double_and_compress_batch(&shared);
        let keys = encoded
            .iter()
            .enumerate()
            .map(|(i, point)| self.oracle.key(i, self.choices[i].unwrap_u8(), &self.pairs[i], message, point))
            .collect();
        shared.zeroize();
        Ok(keys)
    }
}

impl Drop for ReceiverState {
    fn drop(&mut self) {
        self.secrets.zeroize();
    }
}

/// The random oracles of one session.
struct Oracles {
    points: Oracle,
    keys: Oracle,
}

impl Oracles {
    fn new(session: &[u8; 32]) -> Oracles {
        Oracles {
            points: Oracle::new("tacit endemic ot v1: point").absorb(session),
            keys: Oracle::new("tacit endemic ot v1: key").absorb(session),
        }
    }

    /// Half of the protocol's hash onto the group. `branch` may be secret.
    fn half_point(&self, index: usize, branch: u8, other: &[u8]) -> RistrettoPoint {
        let mut bytes = [0; 64];
        self.points.clone().absorb(&place(index, branch)).absorb(other).stream().fill(&mut bytes);
        RistrettoPoint::from_uniform_bytes(&bytes)
    }

    /// The protocol's hash onto the group.
    fn point(&self, index: usize, branch: u8, other: &[u8]) -> RistrettoPoint {
        let half = self.half_point(index, branch, other);
        half + half
    }

    /// The output of one branch of one OT. `branch` may be secret.
    fn key(
        &self,
        index: usize,
        branch: u8,
        pair: &[u8; PAIR],
        message: &[u8; POINT],
        shared: &CompressedRistretto,
    ) -> Block {
        let oracle = self.keys.clone().absorb(&place(index, branch));
        oracle.absorb(pair).absorb(message).absorb(shared.as_bytes()).block()
    }
}

/// The index of an OT and a branch, as bytes.
fn place(index: usize, branch: u8) -> [u8; 9] {
    let mut bytes = [branch; 9];
    bytes[..8].copy_from_slice(&(index as u64).to_le_bytes());
    bytes
}

/// The point of an encoding, if canonical and not the identity.
fn decode(bytes: &[u8]) -> Result<RistrettoPoint, OtError> {
    CompressedRistretto::from_slice(bytes)
        .ok()
        .and_then(|encoding| encoding.decompress())
        .filter(|point| !point.is_identity())
        .ok_or(OtError::Malformed("a point of a base OT"))
}

fn half(pair: &[u8; PAIR], branch: usize) -> &[u8] {
    &pair[branch * POINT..][..POINT]
}

/// The pair whose entry `choice` is `own`, without a branch on the choice.
fn ordered(own: &CompressedRistretto, other: &CompressedRistretto, choice: Choice) -> [u8; PAIR] {
    std::array::from_fn(|i| {
        let (own, other) = (own.as_bytes()[i % POINT], other.as_bytes()[i % POINT]);
        let (first, second) =
            (u8::conditional_select(&own, &other, choice), u8::conditional_select(&other, &own, choice));
        if i < POINT { first } else { second }
    })
}

fn random_scalar(prg: &mut Prg) -> Scalar {
    let mut bytes = [0; 64];
    prg.fill_bytes(&mut bytes);
    let scalar = Scalar::from_bytes_mod_order_wide(&bytes);
    bytes.zeroize();
    scalar
}

fn random_point(prg: &mut Prg) -> RistrettoPoint {
    let mut bytes = [0; 64];
    prg.fill_bytes(&mut bytes);
    RistrettoPoint::from_uniform_bytes(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: [u8; 32] = [7; 32];

    fn prg(seed: u128) -> Prg {
        Prg::new(Block(seed))
    }

    /// A receiver that has made all its pairs.
    fn receiver(choices: &Bits, prg: &mut Prg) -> ReceiverState {
        let mut state = ReceiverState::new(&SESSION, choices, prg);
        while state.next_pairs(prg).is_some() {}
        state
    }

    /// The sender's outputs from pairs that arrive in these pieces.
    fn outputs_of(sender: &SenderState, pieces: &[&[[u8; PAIR]]]) -> Result<Vec<[Block; 2]>, OtError> {
        let mut outputs = Vec::new();
        pieces.iter().try_for_each(|pairs| sender.append(pairs, &mut outputs)).map(|()| outputs)
    }

    #[test]
    fn receiver_gets_the_block_of_its_choice() {
        let choices = Bits::from_fn(130, |i| i % 3 == 1);
        let (sender, message) = SenderState::new(&SESSION, &mut prg(1));
        let receiver = receiver(&choices, &mut prg(2));
        let sent = outputs_of(&sender, &[&receiver.pairs]).unwrap();
        let received = receiver.outputs(&message).unwrap();
        assert_eq!((sent.len(), received.len()), (130, 130));
        for (i, (pair, block)) in sent.iter().zip(&received).enumerate() {
            assert_eq!(pair[usize::from(choices.get(i))], *block);
            assert_ne!(pair[usize::from(!choices.get(i))], *block);
        }
        let (first, rest) = receiver.pairs.split_at(37);
        assert_eq!(outputs_of(&sender, &[first, rest]).unwrap(), sent);
    }

    #[test]
    fn sessions_are_separate() {
        let (sender, message) = SenderState::new(&[8; 32], &mut prg(1));
        let receiver = receiver(&Bits::zeros(2), &mut prg(2));
        let sent = outputs_of(&sender, &[&receiver.pairs]).unwrap();
        let received = receiver.outputs(&message).unwrap();
        assert!(sent.iter().zip(&received).all(|(pair, block)| !pair.contains(block)));
    }

    #[test]
    fn identity_and_non_canonical_points_are_refused() {
        let receiver = receiver(&Bits::zeros(1), &mut prg(2));
        let (sender, _) = SenderState::new(&SESSION, &mut prg(1));
        let identity = [0; POINT];
        let non_canonical = [0xff; POINT];
        for bad in [identity, non_canonical] {
            assert!(matches!(receiver.outputs(&bad), Err(OtError::Malformed(_))));
            for at in [0, POINT] {
                let mut tampered = receiver.pairs.clone();
                tampered[0][at..at + POINT].copy_from_slice(&bad);
                assert!(matches!(outputs_of(&sender, &[&tampered]), Err(OtError::Malformed(_))));
            }
        }
        let mut negative = receiver.pairs.clone();
        negative[0][0] |= 1; // A negative representative is not canonical either.
        assert!(matches!(outputs_of(&sender, &[&negative]), Err(OtError::Malformed(_))));
    }
}
