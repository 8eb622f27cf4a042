//! Decoders on nearly valid bytes: they refuse them, or encode the value to the same bytes again.

use std::sync::LazyLock;

use proptest::prelude::*;
use tacit_crypto::Prg;
use tacit_he::{Natural, PublicKey, SecretKey, bfv, dgk, elgamal, paillier};
use tacit_math::Block;

/// A change of bytes at a place.
#[derive(Clone, Debug)]
enum Change {
    Flip(u8),
    Set(u8),
    Remove,
    Insert(u8),
    /// The next 64 bytes.
    Fill(u8),
}

/// Changes, each with its place.
type Changes = Vec<(prop::sample::Index, Change)>;

fn changes() -> impl Strategy<Value = Changes> {
    let change = prop_oneof![
        (0u8..8).prop_map(Change::Flip),
        any::<u8>().prop_map(Change::Set),
        Just(Change::Remove),
        any::<u8>().prop_map(Change::Insert),
        prop_oneof![Just(0u8), Just(0xff)].prop_map(Change::Fill),
    ];
    prop::collection::vec((any::<prop::sample::Index>(), change), 1..4)
}

fn changed(bytes: &[u8], changes: &Changes) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (place, change) in changes {
        let at = place.index(bytes.len());
        match change {
            Change::Flip(bit) => bytes[at] ^= 1 << bit,
            Change::Set(byte) => bytes[at] = *byte,
            Change::Remove => drop(bytes.remove(at)),
            Change::Insert(byte) => bytes.insert(at, *byte),
            Change::Fill(byte) => bytes.iter_mut().skip(at).take(64).for_each(|one| *one = *byte),
        }
    }
    bytes
}

/// A key and two encoded ciphertexts.
struct Sample<K: SecretKey> {
    key: K,
    parameters: <K::Public as PublicKey>::Parameters,
    ciphertexts: Vec<u8>,
}

impl<K: SecretKey> Sample<K> {
    fn new(
        parameters: <K::Public as PublicKey>::Parameters,
        plain: impl Fn(u64) -> <K::Public as PublicKey>::Plain,
    ) -> Self {
        let mut prg = Prg::new(Block(1));
        let key = K::generate(&parameters, &mut prg).expect("a key");
        let made =
            [plain(1), plain(2)].map(|plain| key.public().encrypt(&plain, &mut prg).expect("a ciphertext"));
        let ciphertexts = key.public().encode(&made).expect("bytes");
        Sample { key, parameters, ciphertexts }
    }

    /// Runs each decoder on changed bytes.
    fn check(&self, changes: &Changes) -> Result<(), TestCaseError> {
        let public = self.key.public();
        let bytes = changed(&self.ciphertexts, changes);
        if let Ok(read) = public.decode(2, &bytes) {
            prop_assert_eq!(public.encode(&read).expect("bytes"), bytes);
            // Whatever was read decrypts, or is refused.
            let _ = self.key.decrypt(&read[0]);
        }
        let bytes = changed(&public.to_bytes(), changes);
        if let Ok(read) = K::Public::from_bytes(&self.parameters, &bytes) {
            prop_assert_eq!(read.to_bytes(), bytes);
        }
        let bytes = changed(&self.key.to_bytes(), changes);
        if let Ok(read) = K::from_bytes(&self.parameters, &bytes) {
            prop_assert_eq!(read.to_bytes()[..].to_vec(), bytes);
        }
        Ok(())
    }
}

static PAILLIER: LazyLock<Sample<paillier::SecretKey>> =
    LazyLock::new(|| Sample::new(paillier::ModulusSize::insecure(128).expect("a size"), Natural::from));

static DGK: LazyLock<Sample<dgk::SecretKey>> = LazyLock::new(|| {
    let size = dgk::ModulusSize::insecure(256).expect("a size");
    let parameters = dgk::Parameters::insecure(size, 40, dgk::Plaintexts::PowerOfTwo(8)).expect("parameters");
    Sample::new(parameters, Natural::from)
});

static ELGAMAL: LazyLock<Sample<elgamal::SecretKey>> =
    LazyLock::new(|| Sample::new((), |value| elgamal::Message::integer(value as i64)));

static BFV: LazyLock<Sample<bfv::SecretKey>> = LazyLock::new(|| {
    let parameters = bfv::Parameters::paper();
    let plain = parameters.clone();
    Sample::new(parameters, move |value| plain.plain(&[value & 1]).expect("a plaintext"))
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn paillier_reads_what_it_would_write(changes in changes()) {
        PAILLIER.check(&changes)?;
    }

    #[test]
    fn dgk_reads_what_it_would_write(changes in changes()) {
        DGK.check(&changes)?;
    }

    #[test]
    fn elgamal_reads_what_it_would_write(changes in changes()) {
        ELGAMAL.check(&changes)?;
    }

    #[test]
    fn bfv_reads_what_it_would_write(changes in changes()) {
        BFV.check(&changes)?;
        let public = BFV.key.public();
        let reply = vec![0; public.reply_bytes(3)];
        let bytes = changed(&reply, &changes);
        if let Ok(read) = public.decode_reply(3, &bytes) {
            prop_assert_eq!(public.encode_reply(&read).expect("bytes"), bytes);
        }
        let bytes = changed(&vec![0; public.fresh_bytes()], &changes);
        if let Ok(read) = public.decode_fresh(1, &bytes) {
            prop_assert_eq!(public.encode_fresh(&read).expect("bytes"), bytes);
        }
    }
}
