//! Code written once, over the traits, runs on every scheme.

use tacit_crypto::Prg;
use tacit_he::{HeError, Natural, PublicKey, SecretKey, Threads, bfv, dgk, elgamal, paillier};
use tacit_math::Block;

/// 3·a + b, computed on ciphertexts by a peer who only knows the bytes of key and ciphertexts, then decrypted.
fn exchange<K: SecretKey>(
    parameters: &<K::Public as PublicKey>::Parameters,
    plains: &[<K::Public as PublicKey>::Plain; 2],
    three: &<K::Public as PublicKey>::Factor,
) -> Result<<K::Public as PublicKey>::Plain, HeError> {
    let mut prg = Prg::new(Block(7));
    let key = K::generate(parameters, &mut prg)?;
    let restored = K::from_bytes(parameters, &key.to_bytes())?;
    let sent = key.public().encode(&key.encrypt_all(plains, Threads::all(), &mut prg)?)?;
    // The peer.
    let public = K::Public::from_bytes(parameters, &key.public().to_bytes())?;
    assert_eq!(sent.len(), 2 * public.ciphertext_bytes());
    let received = public.decode(2, &sent)?;
    let sum = public.add(&public.multiply(&received[0], three)?, &received[1])?;
    let reply = public.encode(&[public.rerandomise(&sum, &mut prg)?])?;
    // The owner, from a stored key.
    restored.decrypt(&restored.public().decode(1, &reply)?[0])
}

#[test]
fn every_scheme_computes_for_a_peer() -> Result<(), HeError> {
    let [a, b, three] = [5u64, 6, 3].map(Natural::from);
    let plains = [a, b];
    let size = paillier::ModulusSize::insecure(256)?;
    assert_eq!(exchange::<paillier::SecretKey>(&size, &plains, &three)?.to_u64(), Some(21));
    let wide = paillier::damgard_jurik::Parameters::new(size, 2)?;
    let wide = exchange::<paillier::damgard_jurik::SecretKey>(&wide, &plains, &three)?;
    assert_eq!(wide.to_u64(), Some(21));
    for plaintexts in [dgk::Plaintexts::Prime(23), dgk::Plaintexts::PowerOfTwo(20)] {
        let size = dgk::ModulusSize::insecure(512)?;
        let parameters = dgk::Parameters::insecure(size, 64, plaintexts)?;
        assert_eq!(exchange::<dgk::SecretKey>(&parameters, &plains, &three)?.to_u64(), Some(21));
    }
    let points = [5, 6].map(elgamal::Message::integer);
    let point = exchange::<elgamal::SecretKey>(&(), &points, &elgamal::Factor::integer(3))?;
    assert!(point == elgamal::Message::integer(21));
    let parameters = bfv::Parameters::n4096(8)?;
    let words = [parameters.plain(&[5, 1])?, parameters.plain(&[6])?];
    let sum = exchange::<bfv::SecretKey>(&parameters, &words, &parameters.factor(&[3], 3)?)?;
    assert_eq!(sum.coefficients()[..3], [21, 3, 0]);
    Ok(())
}
