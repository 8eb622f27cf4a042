//! Known answers: each line has a name and little-endian bytes in hexadecimal.

use std::collections::BTreeMap;

pub(crate) struct Vectors(BTreeMap<&'static str, Vec<u8>>);

impl Vectors {
    pub fn parse(text: &'static str) -> Vectors {
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        Vectors(lines.map(|(name, hex)| (name, bytes(hex))).collect())
    }

    pub fn get(&self, name: &str) -> &[u8] {
        self.0.get(name).unwrap_or_else(|| panic!("no vector {name}"))
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |i| u8::from_str_radix(&hex[2 * i..][..2], 16).expect("hexadecimal digits");
    (0..hex.len() / 2).map(digit).collect()
}
