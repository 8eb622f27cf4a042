//! The terms on which both servers must agree, as text. They are in the log's first entry and in `/service`, where bidders and third parties
//! find the keys that sign receipts and logs.

use tacit_net::keys::PublicKey;

use crate::config::Numbers;
use crate::constants::VERSION;

const A_IS: &str = "; A is ";
const B_IS: &str = "; B is ";

/// The text for these sizes and the keys of A and B.
pub(crate) fn words(numbers: Numbers, keys: [PublicKey; 2]) -> String {
    let Numbers { bits, modulus_bits, .. } = numbers;
    let [a, b] = keys;
    format!("version {VERSION}; {bits} bits; modulus of {modulus_bits} bits{A_IS}{a}{B_IS}{b}")
}

/// The keys of A and B in such a text.
pub(crate) fn keys(words: &str) -> Option<[PublicKey; 2]> {
    let (_, keys) = words.split_once(A_IS)?;
    let (a, b) = keys.split_once(B_IS)?;
    Some([a.parse().ok()?, b.parse().ok()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_return_from_words() {
        let given = [1, 2].map(|byte| PublicKey::from_bytes([byte; 32]));
        let words = words(Numbers::default(), given);
        assert_eq!(keys(&words), Some(given));
        assert_eq!(keys(&words[..words.len() - 1]), None);
        assert_eq!(keys("version 1"), None);
    }
}
