use super::*;
use crate::StoredFault;
use crate::he::{ComparisonKey, StoredEncryption};

const STORED: StoredEncryption = StoredEncryption {
    parameters: TOY,
    ciphertexts: CiphertextCount { encrypted: 3, replies: 2 },
    compared_bits: [5, 4],
};

/// The bytes that both parties store for a run.
fn stored() -> [Vec<u8>; 2] {
    let prepared = async |mut channel: Channel, party: Party| {
        let mut own = prg(40 + party.index() as u128);
        let key = HeKey::meet(&mut channel, party, TOY, &mut own).await.unwrap();
        let material = key.prepare(STORED.ciphertexts, &mut own).unwrap();
        let key = ComparisonKey::meet(&mut channel, party, TOY).await.unwrap();
        material.with_comparisons(key.prepare(STORED.compared_bits).unwrap()).into_bytes().unwrap().to_vec()
    };
    let (first, second) = between(
        async |channel| prepared(channel, Party::First).await,
        async |channel| prepared(channel, Party::Second).await,
    );
    [first, second]
}

#[test]
fn what_was_stored_is_read_back_and_what_follows_is_left() {
    for (party, mut bytes) in [Party::First, Party::Second].into_iter().zip(stored()) {
        assert!(bytes.len() as u64 <= STORED.most_bytes(), "{} bytes", bytes.len());
        let before = bytes.clone();
        bytes.extend([7; 9]);
        let (material, rest) = STORED.read(party, &bytes).unwrap();
        assert_eq!(rest, [7; 9]);
        assert!(material.into_bytes().unwrap()[..] == before[..], "{party:?}");
    }
}

#[test]
fn what_is_cut_or_no_key_or_no_randomness_is_refused() {
    for (party, bytes) in [Party::First, Party::Second].into_iter().zip(stored()) {
        for length in [0, 1, 127, 128, bytes.len() / 2, bytes.len() - 1] {
            let error = STORED.read(party, &bytes[..length]).err().unwrap();
            assert!(matches!(error, ShareError::Stored(StoredFault::Short { .. })), "{length}: {error}");
        }
        let changed = |range: std::ops::Range<usize>| {
            let mut bytes = bytes.clone();
            bytes[range].fill(0xff);
            STORED.read(party, &bytes).err().unwrap()
        };
        let key = TOY.key_bytes() as usize;
        assert!(matches!(changed(0..key), ShareError::He(_)));
        let beyond = changed(key..key + TOY.ciphertext_bytes() as usize);
        assert!(matches!(beyond, ShareError::He(HeError::Range { .. })), "{beyond}");
        let last = changed(bytes.len() - TOY.ciphertext_bytes() as usize / 2..bytes.len());
        assert!(matches!(last, ShareError::He(HeError::Range { .. })), "{last}");
    }
}
