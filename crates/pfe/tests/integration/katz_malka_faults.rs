//! Peers that violate Katz and Malka's protocol: every party ends with an error.

use std::time::Duration;

use tacit_he::paillier::PublicKey;
use tacit_he::{HeError, Natural, PublicKey as _, Threads};
use tacit_net::Channel;
use tacit_pfe::katz_malka::{Bfv, EcElgamal, Holder, Owner, Scheme};
use tacit_pfe::{PfeError, PrivateFunction, Size};

use crate::katz_malka::toy_djn;
use crate::parties::{block_on, open, pair, prg, private, random_circuit, size};

/// How long a party waits for bytes that do not arrive.
const LIMIT: Duration = Duration::from_millis(500);

const IDENTITY: [u8; 32] = [0; 32];
const NON_CANONICAL: [u8; 32] = [0xff; 32];

/// A function of 30 gates, two inputs of each party and two outputs: 32 wires that gates may read.
fn function() -> PrivateFunction {
    private(&random_circuit(5, [2, 2], 9, 2), Some(30))
}

/// Scheme and size as parties announce them.
fn announced<S: Scheme>(scheme: &S) -> Vec<u8> {
    [scheme.mark(), 2, 2, 30, 2].map(u64::to_le_bytes).concat()
}

/// Key pair, public key and wires of an honest owner.
fn honest_owner<S: Scheme>(scheme: &S) -> (Vec<u8>, Vec<u8>) {
    let mut prg = prg(9);
    let secret = scheme.generate(&mut prg).unwrap();
    let difference = scheme.difference(&mut prg);
    let (_, wires) = scheme.draw(&secret, &difference, 32, Threads::ONE, &mut prg).unwrap();
    (scheme.encode_public(&secret), wires)
}

async fn send(peer: &mut Channel, bytes: &[u8]) {
    peer.send(bytes).await.unwrap();
    peer.flush().await.unwrap();
}

/// Runs the holder against a peer that sends these bytes and then waits.
fn holder_against<S: Scheme>(scheme: &S, bytes: &[u8]) -> PfeError {
    block_on(async {
        let (a, b) = pair(LIMIT);
        let (mut peer, function) = (open(&b), function());
        let holder = async {
            let (mut channel, mut prg) = (open(&a), prg(1));
            let mut holder = Holder::new(scheme.clone(), *function.size());
            let run = holder.introduce_and_prepare(&mut channel, &function, &mut prg).await?;
            run.evaluate(&mut channel, &[true; 2], &mut prg).await
        };
        let (result, ()) = tokio::join!(holder, send(&mut peer, bytes));
        result.unwrap_err()
    })
}

/// Runs the owner against a peer that makes the replies, and what follows, from the public key, and then waits.
fn owner_against<S: Scheme>(scheme: &S, replies: impl Fn(&[u8]) -> Vec<u8>) -> PfeError {
    block_on(async {
        let (a, b) = pair(LIMIT);
        let mut peer = open(&a);
        let owner = async {
            let (mut channel, mut prg) = (open(&b), prg(1));
            let mut owner = Owner::new(scheme.clone(), *function().size(), &mut prg)?;
            let run = owner.introduce_and_prepare(&mut channel, &mut prg).await?;
            run.evaluate(&mut channel, &[true; 2], &mut prg).await
        };
        let holder = async {
            send(&mut peer, &announced(scheme)).await;
            let mut received = vec![0; 40 + scheme.public_bytes()];
            peer.receive_into(&mut received).await.unwrap();
            send(&mut peer, &replies(&received[40..])).await;
        };
        let (result, ()) = tokio::join!(owner, holder);
        result.unwrap_err()
    })
}

/// The errors of a holder and an owner who announce different schemes or sizes.
fn meet<S: Scheme, T: Scheme>(holders: (S, Size), owners: (T, Size)) -> [PfeError; 2] {
    block_on(async {
        let (a, b) = pair(LIMIT);
        let mut holder = Holder::new(holders.0, holders.1);
        let mut owner = Owner::new(owners.0, owners.1, &mut prg(1)).unwrap();
        let (mut here, mut there) = (open(&a), open(&b));
        let (holder, owner) = tokio::join!(holder.introduce(&mut here), owner.introduce(&mut there));
        [holder.unwrap_err(), owner.unwrap_err()]
    })
}

#[test]
fn schemes_and_sizes_that_differ_are_errors_at_both() {
    let ours = *function().size();
    let (elgamal, djn) = (EcElgamal.mark(), toy_djn().mark());
    let [holder, owner] = meet((EcElgamal, ours), (toy_djn(), ours));
    assert!(
        matches!(holder, PfeError::Scheme { ours, theirs } if [ours, theirs] == [elgamal, djn]),
        "{holder}"
    );
    assert!(
        matches!(owner, PfeError::Scheme { ours, theirs } if [ours, theirs] == [djn, elgamal]),
        "{owner}"
    );
    let [holder, owner] = meet((EcElgamal, ours), (EcElgamal, size(2, 2, 31, 2)));
    assert!(matches!(holder, PfeError::Size { what: "gates", ours: 30, theirs: 31 }), "{holder}");
    assert!(matches!(owner, PfeError::Size { what: "gates", ours: 31, theirs: 30 }), "{owner}");
}

#[test]
fn points_of_the_owner_are_checked() {
    let (public, wires) = honest_owner(&EcElgamal);
    for bad in [IDENTITY, NON_CANONICAL] {
        let error = holder_against(&EcElgamal, &[announced(&EcElgamal), bad.to_vec()].concat());
        assert!(matches!(error, PfeError::Point { what: "public key", .. }), "{error}");
        for point in [0, 1, 2, 63] {
            let mut wires = wires.clone();
            wires[32 * point..][..32].copy_from_slice(&bad);
            let bytes = [announced(&EcElgamal), public.clone(), vec![7; 32], wires].concat();
            let error = holder_against(&EcElgamal, &bytes);
            assert!(
                matches!(error, PfeError::Point { what: "wire", index } if index == point / 2),
                "{error}"
            );
        }
    }
}

#[test]
fn points_of_the_holder_are_checked() {
    for bad in [IDENTITY, NON_CANONICAL] {
        for point in [0, 1, 2, 119] {
            let error = owner_against(&EcElgamal, |public| {
                let mut replies = vec![public.to_vec(); 120];
                replies[point] = bad.to_vec();
                replies.concat()
            });
            assert!(
                matches!(error, PfeError::Point { what: "operand", index } if index == point / 2),
                "{error}"
            );
        }
    }
}

/// Bytes in place of a ciphertext of DJN: zero, the modulus, which is not coprime to itself, and more than its square.
fn bad_ciphertexts(public: &[u8]) -> [(Vec<u8>, HeError); 3] {
    let what = "a ciphertext";
    let mut modulus = public[..64].to_vec();
    modulus.resize(128, 0);
    [
        (vec![0; 128], HeError::NotCoprime { what }),
        (modulus, HeError::NotCoprime { what }),
        (vec![0xff; 128], HeError::Range { what }),
    ]
}

#[test]
fn ciphertexts_of_djn_are_checked_by_both() {
    let djn = toy_djn();
    let (public, wires) = honest_owner(&djn);
    for bad in 0..3 {
        let (bytes, expected) = bad_ciphertexts(&public)[bad].clone();
        let mut wires = wires.clone();
        wires[5 * 128..][..128].copy_from_slice(&bytes);
        let bytes = [announced(&djn), public.clone(), vec![7; 32], wires].concat();
        let error = holder_against(&djn, &bytes);
        assert!(matches!(&error, PfeError::He(error) if *error == expected), "{error}");
        let error = owner_against(&djn, |public| {
            let key = PublicKey::from_bytes(&tacit_he::paillier::ModulusSize::TOY, public).unwrap();
            let honest = key.encode(&[key.encrypt(&Natural::from(5u64), &mut prg(1)).unwrap()]).unwrap();
            let mut replies = vec![honest; 30];
            replies[17] = bad_ciphertexts(public)[bad].0.clone();
            replies.concat()
        });
        assert!(matches!(&error, PfeError::He(error) if *error == expected), "{error}");
    }
    let error = holder_against(&djn, &[announced(&djn), vec![0; 128]].concat());
    assert!(matches!(error, PfeError::He(_)), "{error}");
}

#[test]
fn plaintexts_of_djn_that_hold_no_keys_are_refused() {
    let error = owner_against(&toy_djn(), |public| {
        let key = PublicKey::from_bytes(&tacit_he::paillier::ModulusSize::TOY, public).unwrap();
        let encrypt = |bytes: &[u8]| {
            key.encode(&[key.encrypt(&Natural::from_le_bytes(bytes), &mut prg(1)).unwrap()]).unwrap()
        };
        let mut replies = vec![encrypt(&[0xff; 50]); 30];
        let mut large = [0; 51];
        large[50] = 1;
        replies[12] = encrypt(&large);
        replies.concat()
    });
    assert!(matches!(error, PfeError::Operand { index: 24 }), "{error}");
}

#[test]
fn values_of_bfv_are_checked_by_both() {
    let bfv = Bfv::new().unwrap();
    let (public, wires) = honest_owner(&bfv);
    let bad = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        bytes[100..200].fill(0xff);
        bytes
    };
    for (public, wires) in [(bad(&public), wires.clone()), (public.clone(), bad(&wires))] {
        let error = holder_against(&bfv, &[announced(&bfv), public, vec![7; 32], wires].concat());
        assert!(matches!(error, PfeError::He(HeError::Range { .. })), "{error}");
    }
    let error = owner_against(&bfv, |_| vec![0xff; bfv.replies_bytes(60)]);
    assert!(matches!(error, PfeError::He(HeError::Range { .. })), "{error}");
}

#[test]
fn garbled_gates_that_decrypt_to_nothing_are_errors() {
    let (public, wires) = honest_owner(&EcElgamal);
    let start = [announced(&EcElgamal), public.clone(), vec![7; 32], wires, vec![3; 130 * 30]].concat();
    // Keys of the owner's inputs, the transfers' message, keys of the holder's inputs under masks that nobody knows.
    let bytes = [start, public.repeat(3), vec![5; 128]].concat();
    let error = holder_against(&EcElgamal, &bytes);
    assert!(matches!(error, PfeError::Point { what: "key of input", .. } | PfeError::Row { .. }), "{error}");
}

#[test]
fn unknown_labels_are_errors() {
    for error in [
        owner_against(&EcElgamal, |public| [public.repeat(120), public.repeat(4), vec![9; 64]].concat()),
        owner_against(&Bfv::new().unwrap(), |_| {
            let point = honest_owner(&EcElgamal).0;
            [vec![0; Bfv::new().unwrap().replies_bytes(60)], point.repeat(4), vec![9; 32]].concat()
        }),
    ] {
        assert!(matches!(error, PfeError::Label { output: 0 }), "{error}");
    }
}

#[test]
fn peers_that_stop_early_are_errors() {
    let (public, wires) = honest_owner(&EcElgamal);
    let bytes = [announced(&EcElgamal), public, vec![7; 32], wires, vec![3; 130 * 30]].concat();
    for cut in [0, 7, 8, 39, 40, 71, 72, 103, 104, 2000, 3000, bytes.len()] {
        let error = holder_against(&EcElgamal, &bytes[..cut]);
        assert!(matches!(error, PfeError::Net(_)), "{error}");
    }
    for cut in [0, 1, 100, 120] {
        let error = owner_against(&EcElgamal, |public| public.repeat(cut));
        assert!(matches!(error, PfeError::Net(_) | PfeError::Ot(_)), "{error}");
    }
}

#[test]
fn introductions_that_failed_may_be_repeated() {
    block_on(async {
        let mut holder = Holder::new(EcElgamal, *function().size());
        let (a, b) = pair(LIMIT);
        let (mut channel, mut peer) = (open(&a), open(&b));
        let bytes = [announced(&EcElgamal), IDENTITY.to_vec()].concat();
        let (failed, ()) = tokio::join!(holder.introduce(&mut channel), send(&mut peer, &bytes));
        assert!(matches!(failed, Err(PfeError::Point { .. })));
        let (a, b) = pair(LIMIT);
        let (mut channel, mut peer) = (open(&a), open(&b));
        let bytes = [announced(&EcElgamal), honest_owner(&EcElgamal).0].concat();
        let (done, ()) = tokio::join!(holder.introduce(&mut channel), send(&mut peer, &bytes));
        done.unwrap();
    });
}
