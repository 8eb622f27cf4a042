//! Tables with known circuits.

use std::sync::OnceLock;

use super::aes::{inverse_sub_byte, sub_byte};
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// The entry at a secret position of a table that is the S-box of AES or its inverse; `None` for any other table.
///
/// Bits of the index beyond the eighth choose nothing, and missing ones are 0, as in [`crate::arithmetic::lookup`].
/// Cost: 32 ANDs.
pub fn lookup_known(builder: &mut CircuitBuilder, table: &[&[Lit]], index: &[Lit]) -> Option<Vec<Lit>> {
    if table.len() != 256 {
        return None;
    }
    let bytes: Option<Vec<u8>> = table.iter().map(|entry| byte(entry)).collect();
    let bytes = bytes?;
    let index = std::array::from_fn(|bit| index.get(bit).copied().unwrap_or(Lit::FALSE));
    match s_box() {
        s_box if bytes == s_box => Some(sub_byte(builder, index).to_vec()),
        s_box if s_box.iter().enumerate().all(|(x, y)| usize::from(bytes[usize::from(*y)]) == x) => {
            Some(inverse_sub_byte(builder, index).to_vec())
        }
        _ => None,
    }
}

/// A constant of eight bits.
fn byte(entry: &[Lit]) -> Option<u8> {
    let bits: Option<Vec<bool>> = entry.iter().map(|lit| lit.as_constant()).collect();
    let bits = bits.filter(|bits| bits.len() == 8)?;
    Some(bits.iter().enumerate().fold(0, |sum, (place, bit)| sum | u8::from(*bit) << place))
}

/// The S-box as a table, computed by its circuit.
fn s_box() -> &'static [u8] {
    static TABLE: OnceLock<Vec<u8>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let entry = |value: u8| {
            let mut builder = CircuitBuilder::new();
            let input = std::array::from_fn(|bit| Lit::constant(value >> bit & 1 == 1));
            byte(&sub_byte(&mut builder, input)).unwrap_or(0)
        };
        (0..=255).map(entry).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::constant;

    fn check(table: &[u8], ands: u64) {
        let mut builder = CircuitBuilder::new();
        let input = builder.input(8);
        let entries: Vec<Vec<Lit>> = table.iter().map(|entry| constant((*entry).into(), 8)).collect();
        let entries: Vec<&[Lit]> = entries.iter().map(Vec::as_slice).collect();
        let output = lookup_known(&mut builder, &entries, &input).expect("a known table");
        let circuit = builder.finish(vec![output]).expect("a small circuit");
        assert_eq!(circuit.stats().and_count, ands);
        for (x, expected) in table.iter().enumerate() {
            let bits: Vec<bool> = (0..8).map(|bit| x >> bit & 1 == 1).collect();
            let output = circuit.evaluate(&bits).expect("eight bits");
            let found =
                output.iter().enumerate().fold(0u8, |sum, (bit, value)| sum | u8::from(*value) << bit);
            assert_eq!(found, *expected, "{x}");
        }
    }

    #[test]
    fn the_s_box_and_its_inverse_are_known() {
        let table = s_box();
        assert_eq!((table[0], table[1], table[0x53]), (0x63, 0x7c, 0xed));
        check(table, 32);
        let mut inverse = vec![0; 256];
        (0..=255u8).for_each(|x| inverse[usize::from(table[usize::from(x)])] = x);
        check(&inverse, 32);
    }

    #[test]
    fn no_other_table_is() {
        let mut table = s_box().to_vec();
        table.swap(3, 200);
        let entries: Vec<Vec<Lit>> = table.iter().map(|entry| constant((*entry).into(), 8)).collect();
        let entries: Vec<&[Lit]> = entries.iter().map(Vec::as_slice).collect();
        let mut builder = CircuitBuilder::new();
        let input = builder.input(8);
        assert_eq!(lookup_known(&mut builder, &entries, &input), None);
        assert_eq!(lookup_known(&mut builder, &entries[..255], &input), None);
    }
}
