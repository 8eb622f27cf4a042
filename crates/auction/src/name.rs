//! The name of a bid: random bytes that its bidder draws, on both halves.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::constants::NAME_BYTES;

/// A bid's name. It is public.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(pub [u8; NAME_BYTES]);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&to_hex(&self.0))
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Name {
    type Err = ();

    fn from_str(text: &str) -> Result<Name, ()> {
        from_hex(text).and_then(|bytes| bytes.try_into().ok()).map(Name).ok_or(())
    }
}

impl Serialize for Name {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serializer.is_human_readable() {
            true => serializer.collect_str(self),
            false => self.0.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
        if !deserializer.is_human_readable() {
            return <[u8; NAME_BYTES]>::deserialize(deserializer).map(Name);
        }
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|()| serde::de::Error::custom("a name has 32 hexadecimal digits"))
    }
}

/// Lower-case hexadecimal digits, in constant time.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| {
        // 39 more for letters, without a branch.
        let letter = 9u8.wrapping_sub(nibble) >> 7;
        (b'0' + nibble + letter * 39) as char
    };
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The bytes of lower-case hexadecimal digits. The time only depends on which characters are not digits.
pub(crate) fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| {
        let (number, letter) = (byte.wrapping_sub(b'0'), byte.wrapping_sub(b'a'));
        let is_number = (9i16 - i16::from(number)) >> 15 == 0;
        let is_letter = (5i16 - i16::from(letter)) >> 15 == 0;
        let value = number & 0u8.wrapping_sub(u8::from(is_number))
            | letter.wrapping_add(10) & 0u8.wrapping_sub(u8::from(is_letter));
        (is_number | is_letter).then_some(value)
    };
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| Some(digit(pair[0])? << 4 | digit(*pair.get(1)?)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_digits_return_and_others_are_refused() {
        let bytes: Vec<u8> = (0..=255).collect();
        let text = to_hex(&bytes);
        assert!(text.starts_with("000102") && text.ends_with("fdfeff"));
        assert_eq!(from_hex(&text).unwrap(), bytes);
        for bad in ["0", "0g", "0G", "AA", "a ", "é", "::", "0/"] {
            assert!(from_hex(bad).is_none(), "{bad}");
        }
        assert!("00".parse::<Name>().is_err());
    }
}
