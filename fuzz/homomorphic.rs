//! Keys and ciphertexts of homomorphic encryption. The first byte says what the others are: ciphertexts, a public key or a
//! secret one; whatever is read is written as what was read.

use std::sync::LazyLock;

use tacit_crypto::Prg;
use tacit_he::{PublicKey, SecretKey, bfv, dgk, elgamal, paillier};
use tacit_math::Block;

/// No list of ciphertexts is longer.
const MAX_CIPHERTEXTS: usize = 8;

/// A key, the same in every run, whose ciphertexts are read.
struct Known<K: SecretKey> {
    key: K,
    parameters: <K::Public as PublicKey>::Parameters,
}

impl<K: SecretKey> Known<K> {
    fn new(parameters: <K::Public as PublicKey>::Parameters) -> Self {
        let key = K::generate(&parameters, &mut Prg::new(Block(1))).expect("a key");
        Known { key, parameters }
    }

    fn read(&self, bytes: &[u8]) {
        match bytes.split_first() {
            Some((0, bytes)) => self.ciphertexts(bytes),
            Some((1, bytes)) => {
                if let Ok(key) = K::Public::from_bytes(&self.parameters, bytes) {
                    assert_eq!(key.to_bytes(), bytes);
                }
            }
            Some((_, bytes)) => {
                if let Ok(key) = K::from_bytes(&self.parameters, bytes) {
                    assert_eq!(&key.to_bytes()[..], bytes);
                }
            }
            None => {}
        }
    }

    fn ciphertexts(&self, bytes: &[u8]) {
        let public = self.key.public();
        let count = (bytes.len() / public.ciphertext_bytes()).min(MAX_CIPHERTEXTS);
        let Ok(read) = public.decode(count, bytes) else { return };
        assert_eq!(public.encode(&read).expect("bytes"), bytes);
        // What was read decrypts, or is refused.
        read.iter().for_each(|one| drop(self.key.decrypt(one)));
    }
}

/// Paillier's cryptosystem.
pub fn paillier(bytes: &[u8]) {
    static KNOWN: LazyLock<Known<paillier::SecretKey>> =
        LazyLock::new(|| Known::new(paillier::ModulusSize::insecure(128).expect("a size")));
    KNOWN.read(bytes);
}

/// DGK.
pub fn dgk(bytes: &[u8]) {
    static KNOWN: LazyLock<Known<dgk::SecretKey>> = LazyLock::new(|| {
        let size = dgk::ModulusSize::insecure(256).expect("a size");
        let plaintexts = dgk::Plaintexts::PowerOfTwo(8);
        Known::new(dgk::Parameters::insecure(size, 40, plaintexts).expect("parameters"))
    });
    KNOWN.read(bytes);
}

/// ElGamal on ristretto255.
pub fn elgamal(bytes: &[u8]) {
    static KNOWN: LazyLock<Known<elgamal::SecretKey>> = LazyLock::new(|| Known::new(()));
    KNOWN.read(bytes);
}

/// BFV; besides what all have, replies (3) and fresh ciphertexts of its owner (4).
pub fn bfv(bytes: &[u8]) {
    static KNOWN: LazyLock<Known<bfv::SecretKey>> = LazyLock::new(|| Known::new(bfv::Parameters::paper()));
    let public = KNOWN.key.public();
    match bytes.split_first() {
        Some((3, bytes)) => {
            if let Ok(read) = public.decode_reply(3, bytes) {
                assert_eq!(public.encode_reply(&read).expect("bytes"), bytes);
            }
        }
        Some((4, bytes)) => {
            if let Ok(read) = public.decode_fresh(1, bytes) {
                assert_eq!(public.encode_fresh(&read).expect("bytes"), bytes);
            }
        }
        _ => KNOWN.read(bytes),
    }
}
