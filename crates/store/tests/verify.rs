//! Opens and checks a store repeatedly.

use std::fs;
use std::path::PathBuf;

use tacit_net::keys::generate;
use tacit_store::{Binding, PoolId, Store};

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_sound_store_stays_sound() {
    let folder = Folder(std::env::temp_dir().join(format!("tacit-store-verify-{}", std::process::id())));
    let (key, _) = generate().expect("randomness");
    let pools: Vec<_> = (0..8)
        .map(|pool| Binding {
            pool: PoolId([pool; 32]),
            kind: "test".into(),
            description: "x".repeat(300 + 100 * usize::from(pool)),
        })
        .collect();
    for round in 0..12 {
        let mut store = Store::open(&folder.0, &key).expect("a store");
        for binding in &pools[..1 + round % 8] {
            let first = store.next_number(binding);
            let mut filling = store.reserve(binding, (first, 2), [1; 16]).expect("reserved");
            for entry in 0..2 {
                store.append(&mut filling, &mut [entry; 100]).expect("appended");
            }
            let sealed = store.seal(filling).expect("sealed");
            store.commit(sealed).expect("ready");
            let claim = store.claim(binding, 0).expect("read").expect("an entry");
            assert_eq!(claim.material.len(), 100);
        }
        store.release().expect("released");
        drop(store);
        for _ in 0..3 {
            assert!(Store::open(&folder.0, &key).expect("a store").verify().expect("sound").is_empty());
        }
    }
}
