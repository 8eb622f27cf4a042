//! The owner's view in Katz and Malka's protocol does not depend on the function. The wires' keys and ciphertexts are fixed, and the holder's
//! randomness varies.

use std::collections::HashSet;

use tacit_he::{PublicKey as _, SecretKey as _, Threads};
use tacit_pfe::PrivateFunction;
use tacit_pfe::katz_malka::{self, Bfv, EcElgamal, Holder, Scheme};

use crate::katz_malka::toy_djn;
use crate::parties::{LIMIT, block_on, open, pair, prg, size};

const APART: [[u32; 2]; 4] = [[0, 1], [2, 2], [2, 3], [3, 4]];
const SAME: [[u32; 2]; 4] = [[0, 0]; 4];

/// An owner's key pair, and the keys of wires with their ciphertexts.
struct Peer<S: Scheme> {
    scheme: S,
    secret: S::Secret,
    ciphertexts: Vec<u8>,
}

impl<S: Scheme> Peer<S> {
    fn new(scheme: S) -> Peer<S> {
        let mut prg = prg(99);
        let secret = scheme.generate(&mut prg).unwrap();
        let difference = scheme.difference(&mut prg);
        let (_, ciphertexts) = scheme.draw(&secret, &difference, 5, Threads::ONE, &mut prg).unwrap();
        Peer { scheme, secret, ciphertexts }
    }

    /// The replies of a holder with this function and this randomness.
    async fn replies(&self, wiring: &[[u32; 2]], seed: u128) -> Vec<u8> {
        let size = size(0, 2, wiring.len(), 1);
        let function = PrivateFunction::new(size, wiring.to_vec()).unwrap();
        let (a, b) = pair(LIMIT);
        let (mut channel, mut peer) = (open(&a), open(&b));
        let holder = async {
            let (mut holder, mut prg) = (Holder::new(self.scheme.clone(), size), prg(seed));
            holder.introduce_and_prepare(&mut channel, &function, &mut prg).await.map(|_| ())
        };
        let bytes = katz_malka::bytes(&self.scheme, &size);
        let messages = async {
            let fields = [self.scheme.mark(), 0, 2, size.gates() as u64, 1].map(u64::to_le_bytes);
            peer.send(fields.as_flattened()).await.unwrap();
            peer.send(&self.scheme.encode_public(&self.secret)).await.unwrap();
            peer.send(&[7; 32]).await.unwrap();
            peer.send(&self.ciphertexts).await.unwrap();
            peer.flush().await.unwrap();
            peer.receive(40).await.unwrap();
            let mut replies = vec![0; bytes.setup.holder as usize];
            peer.receive_into(&mut replies).await.unwrap();
            let garbled = bytes.setup.owner as usize - 32 - self.ciphertexts.len();
            peer.send(&vec![0; garbled]).await.unwrap();
            peer.flush().await.unwrap();
            replies
        };
        let (done, replies) = tokio::join!(holder, messages);
        done.unwrap();
        replies
    }

    /// The keys of operands for 0, one after another, as the owner decrypts them.
    fn decrypted(&self, replies: &[u8], operands: usize) -> Vec<u8> {
        let difference = self.scheme.difference(&mut prg(1));
        let pairs =
            self.scheme.decrypt(&self.secret, &difference, 0..operands, replies, Threads::ONE).unwrap();
        pairs.iter().flat_map(|[zero, _]| zero.as_ref().to_vec()).collect()
    }
}

/// Counts, over many runs of each of two functions, how often each bit of `see`'s bytes is set. Returns the largest difference between
/// the functions, in standard deviations.
fn deviation(runs: u128, see: impl Fn(&[[u32; 2]], u128) -> Vec<u8>) -> f64 {
    let counts = |wiring: &[[u32; 2]], from: u128| {
        let mut counts = Vec::new();
        for run in 0..runs {
            let seen = see(wiring, from + run);
            counts.resize(8 * seen.len(), 0i32);
            for (count, bit) in counts.iter_mut().zip(0..) {
                *count += i32::from(seen[bit / 8] >> (bit % 8) & 1);
            }
        }
        counts
    };
    let (first, second) = (counts(&APART, 1 << 20), counts(&SAME, 1 << 40));
    let width = (runs as f64 / 2.0).sqrt();
    first.iter().zip(&second).map(|(a, b)| f64::from((a - b).abs()) / width).fold(0.0, f64::max)
}

// Among a few thousand bits, a deviation beyond 5.5 has a probability of about one in ten thousand. The seeds are fixed.

#[test]
fn ciphertexts_and_operands_of_ec_elgamal_are_distributed_alike_for_two_functions() {
    let peer = Peer::new(EcElgamal);
    let found = deviation(200, |wiring, seed| {
        let replies = block_on(peer.replies(wiring, seed));
        let decrypted = peer.decrypted(&replies, 8);
        [replies, decrypted].concat()
    });
    assert!(found < 5.5, "{found}");
}

#[test]
fn operands_of_bfv_are_distributed_alike_for_two_functions() {
    let peer = Peer::new(Bfv::new().unwrap());
    let found = deviation(30, |wiring, seed| {
        let replies = block_on(peer.replies(wiring, seed));
        peer.decrypted(&replies, 8)
    });
    assert!(found < 5.5, "{found}");
}

#[test]
fn whole_plaintexts_of_djn_are_distributed_alike_for_two_functions() {
    let peer = Peer::new(toy_djn());
    let public = peer.secret.public();
    let found = deviation(200, |wiring, seed| {
        let replies = block_on(peer.replies(wiring, seed));
        let ciphertexts = public.decode(4, &replies).unwrap();
        let plains = peer.secret.decrypt_all(&ciphertexts, Threads::ONE).unwrap();
        plains.iter().flat_map(|plain| plain.to_le_bytes().to_vec()).collect()
    });
    assert!(found < 5.5, "{found}");
}

#[test]
fn operands_of_one_wire_have_keys_of_their_own() {
    let peer = Peer::new(EcElgamal);
    let replies = block_on(peer.replies(&SAME, 5));
    let decrypted = peer.decrypted(&replies, 8);
    let all: HashSet<&[u8]> = replies.chunks(32).chain(decrypted.chunks(32)).collect();
    assert_eq!(all.len(), 24);
}
