//! A balance that is kept as shares, and two parties that keep it.

use std::time::Duration;

use tacit_engine::ShareStore;
use tacit_ir::{Builder, Domain, Program, STORED_ROLE, Shape, Words};
use tacit_net::keys::generate;
use tacit_net::session::Transport;

use super::Site;
use super::pair::Folder;

pub const LIMIT: Duration = Duration::from_secs(20);

pub fn word(bits: u32) -> Shape {
    Shape::Array { length: 3, element: Shape::Integer { bits, signed: false }.into() }
}

pub fn values(bits: u32, first: u128) -> Words {
    Words::from_u128s(bits, &[first, first.wrapping_mul(77), u128::MAX - first])
}

/// `x` of A is kept as `balance`; modulo 2^bits.
pub fn deposit(bits: u32, domain: Domain) -> Program {
    let mut builder = Builder::new("deposit");
    let [a, _, kept] = ["A", "B", STORED_ROLE].map(|name| builder.role(name));
    let x = builder.input("x", a, word(bits)).unwrap();
    let balance = builder.output("balance", vec![kept], word(bits)).unwrap();
    let mut main = builder.template("main", vec![]);
    let x = main.input(&builder, x).unwrap()[0];
    let x = main.pin(domain, x).unwrap();
    main.output(&builder, balance, &[x]).unwrap();
    builder.finish(main).unwrap()
}

/// Adds `y` of B to `balance`, keeps the sum and, if asked to, reveals it to A. B garbles.
pub fn add(bits: u32, domain: Domain, tell: bool) -> Program {
    let mut builder = Builder::new("add");
    let [b, a, kept] = ["B", "A", STORED_ROLE].map(|name| builder.role(name));
    let y = builder.input("y", b, word(bits)).unwrap();
    let old = builder.input("balance", kept, word(bits)).unwrap();
    let receivers = if tell { vec![a, kept] } else { vec![kept] };
    let new = builder.output("balance", receivers, word(bits)).unwrap();
    let mut main = builder.template("main", vec![]);
    let [old, y] = [old, y].map(|port| main.input(&builder, port).unwrap()[0]);
    let [old, y] = [old, y].map(|value| main.pin(domain, value).unwrap());
    let sum = main.add(old, y).unwrap();
    main.output(&builder, new, &[sum]).unwrap();
    builder.finish(main).unwrap()
}

pub fn sum(bits: u32, terms: &[u128]) -> Vec<Words> {
    let all = terms.iter().map(|first| values(bits, *first));
    let lanes = all.fold([0u128; 3], |sum, words| {
        [0, 1, 2].map(|lane| sum[lane].wrapping_add(words.low_u128(lane as u64)))
    });
    vec![Words::from_u128s(bits, &lanes)]
}

/// A site on which parties meet repeatedly: with new listeners, and the same keys.
pub struct Pair {
    pub keys: [tacit_net::keys::SecretKey; 2],
    pub folder: Folder,
}

impl Pair {
    pub fn new() -> Pair {
        Pair { keys: [(); 2].map(|()| generate().unwrap().0), folder: Folder::new() }
    }

    pub fn site(&self) -> Site {
        let mut site = Site::new(Transport::Tls, LIMIT);
        for config in &mut site.configs {
            for (party, key) in config.parties.iter_mut().zip(&self.keys) {
                party.key = Some(key.public());
            }
        }
        site.keys = self.keys.clone().map(Some);
        site
    }

    pub fn store(&self, index: usize) -> ShareStore {
        ShareStore::open(&self.folder.party(index), &self.keys[index]).unwrap()
    }
}
