//! Triples of words by Paillier's cryptosystem and by DGK.

use tacit_crypto::Prg;
use tacit_he::dgk::{self, ModulusSize, Parameters};
use tacit_he::{HeError, PublicKey, SecretKey, Threads};
use tacit_math::Block;
use tacit_net::{Channel, Options, StreamId, memory};
use tacit_twoparty::correlations::{
    DgkTriples, EncryptedTriples, PaillierTriples, TripleScheme, WordTriples, triple_bytes,
};
use tacit_twoparty::{Party, ShareError};

type Public<S> = <<S as TripleScheme>::Secret as SecretKey>::Public;
type Keys<S> = [EncryptedTriples<S>; 2];

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn channels() -> ([Channel; 2], [tacit_net::Connection; 2]) {
    let (a, b) = memory::pair(Options::default());
    ([&a, &b].map(|end| end.open(StreamId(1)).unwrap()), [a, b])
}

/// Both halves of a key, and the bytes of its public half.
fn keys<S: TripleScheme>(parameters: &<Public<S> as PublicKey>::Parameters, bytes: usize) -> Keys<S> {
    let ([mut first, mut second], _ends) = channels();
    let [mut one, mut two] = [1, 2].map(|seed| Prg::new(Block(seed)));
    block_on(async {
        let both = tokio::try_join!(
            EncryptedTriples::meet(&mut first, Party::First, parameters, bytes, &mut one),
            EncryptedTriples::meet(&mut second, Party::Second, parameters, bytes, &mut two),
        );
        both.unwrap().into()
    })
}

/// The triples of both parties, and the bytes that each sent.
fn triples<S: TripleScheme>(
    [helper, owner]: &Keys<S>,
    (bits, count): (u32, usize),
    threads: Threads,
) -> ([WordTriples; 2], [u64; 2]) {
    let ([mut first, mut second], _ends) = channels();
    let [mut one, mut two] = [3, 4].map(|seed| Prg::new(Block(seed)));
    block_on(async {
        let both = tokio::try_join!(
            helper.make(&mut first, (bits, count), threads, &mut one),
            owner.make(&mut second, (bits, count), threads, &mut two),
        );
        (both.unwrap().into(), [first.bytes_sent(), second.bytes_sent()])
    })
}

fn public<S: TripleScheme>([helper, _]: &Keys<S>) -> &Public<S> {
    let EncryptedTriples::Helper(key) = helper else { panic!("the wrong half") };
    key
}

fn check<S: TripleScheme>(keys: &Keys<S>, bits: u32, count: usize) {
    let mask = u128::MAX >> (128 - bits);
    let ([first, second], sent) = triples(keys, (bits, count), Threads::all());
    assert_eq!(sent, triple_bytes::<S>(public(keys), bits, count).unwrap(), "{bits} bits, {count}");
    let sum = |a: &[u128], b: &[u128]| -> Vec<u128> {
        assert_eq!((a.len(), b.len()), (count, count));
        assert!(a.iter().chain(b).all(|word| word & !mask == 0));
        a.iter().zip(b).map(|(a, b)| a.wrapping_add(*b) & mask).collect()
    };
    let [a, b, c] = [sum(&first.a, &second.a), sum(&first.b, &second.b), sum(&first.c, &second.c)];
    for ((a, b), c) in a.iter().zip(&b).zip(&c) {
        assert_eq!(a.wrapping_mul(*b) & mask, *c, "{bits} bits");
    }
}

fn paillier() -> Keys<PaillierTriples> {
    keys(&ModulusSize::TOY, 128)
}

fn dgk(bits: u32, size: ModulusSize) -> Keys<DgkTriples> {
    let parameters = Parameters::insecure(size, 64, DgkTriples::plaintexts(bits)).unwrap();
    keys(&parameters, 3 * size.bits() as usize / 8)
}

#[test]
fn paillier_makes_triples_of_any_width_and_number() {
    let keys = paillier();
    for bits in [1, 7, 8, 9, 31, 32, 63, 64, 65, 127, 128] {
        check(&keys, bits, 40);
    }
    // 7 sums fit into one ciphertext, and 56 are processed at a time.
    for count in [0, 1, 2, 6, 7, 8, 55, 56, 57, 63, 64, 120] {
        check(&keys, 15, count);
    }
}

#[test]
fn dgk_makes_triples_of_any_width_and_number() {
    for bits in [1, 8, 17, 31] {
        let keys = dgk(bits, ModulusSize::TOY);
        for count in [0, 1, 9, 256, 257] {
            check(&keys, bits, count);
        }
    }
    check(&dgk(63, ModulusSize::BITS_1024), 63, 20);
}

#[test]
fn threads_change_nothing() {
    let keys = paillier();
    let [one, all] = [Threads::ONE, Threads::all()].map(|threads| triples(&keys, (15, 60), threads).0);
    for (one, all) in one.iter().zip(&all) {
        assert_eq!((&one.a, &one.b, &one.c), (&all.a, &all.b, &all.c));
    }
}

#[test]
fn what_the_owner_learns_of_a_product_is_uniform_whatever_the_helper_has() {
    let counts = |triples: [WordTriples; 2]| {
        let [helper, owner] = &triples;
        // How many times the masked sum is 1, by the helper's two bits.
        let mut seen = [[0usize; 2]; 4];
        for i in 0..helper.a.len() {
            let masked = owner.c[i] ^ (owner.a[i] & owner.b[i]);
            seen[(2 * helper.a[i] + helper.b[i]) as usize][masked as usize] += 1;
        }
        seen
    };
    let by_paillier = counts(triples(&paillier(), (1, 1600), Threads::all()).0);
    let by_dgk = counts(triples(&dgk(1, ModulusSize::TOY), (1, 1600), Threads::all()).0);
    for [zeros, ones] in by_paillier.into_iter().chain(by_dgk) {
        // About 400 each; six standard deviations are 60.
        assert!(zeros + ones > 300 && zeros.abs_diff(ones) < 120, "{zeros} and {ones}");
    }
}

/// The helper's error for bytes in place of the owner's ciphertexts.
fn helped(ciphertexts: &[u8]) -> ShareError {
    let [helper, _] = &paillier();
    let ([mut first, mut second], _ends) = channels();
    let mut prg = Prg::new(Block(3));
    block_on(async {
        let peer = async {
            second.send(ciphertexts).await.unwrap();
            second.flush().await.unwrap();
        };
        tokio::join!(helper.make(&mut first, (8, 1), Threads::ONE, &mut prg), peer).0.err().unwrap()
    })
}

#[test]
fn ciphertexts_that_are_none_are_refused() {
    let size = 2 * ModulusSize::TOY.bits() as usize / 8;
    for bytes in [vec![0; 2 * size], vec![0xff; 2 * size]] {
        let error = helped(&bytes);
        assert!(matches!(error, ShareError::He(_)), "{error}");
    }
}

#[test]
fn replies_that_are_none_are_refused() {
    let [_, owner] = &paillier();
    let ([mut first, mut second], _ends) = channels();
    let mut prg = Prg::new(Block(3));
    let error = block_on(async {
        let peer = async {
            first.send(&[0; 128]).await.unwrap();
            first.flush().await.unwrap();
        };
        tokio::join!(owner.make(&mut second, (8, 1), Threads::ONE, &mut prg), peer).0.err().unwrap()
    });
    assert!(matches!(error, ShareError::He(_)), "{error}");
}

#[test]
fn widths_that_a_key_cannot_serve_are_refused() {
    let keys = dgk(8, ModulusSize::TOY);
    let refused = triple_bytes::<DgkTriples>(public(&keys), 9, 1);
    assert!(matches!(refused, Err(ShareError::Width { bits: 9 })));
    let small = ModulusSize::insecure(128).unwrap();
    assert!(matches!(PaillierTriples::of(&small, 64), Err(ShareError::He(HeError::Parameters(_)))));
    let none = dgk::Parameters::insecure(ModulusSize::TOY, 64, DgkTriples::plaintexts(64));
    assert!(matches!(none, Err(HeError::Parameters(_))));
}
