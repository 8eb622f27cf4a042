//! The bits of columns as bytes, eight bits to a byte: the form in which the masks of outside parties travel.
//!
//! Bits of a column are in the order of bundles of bits; those of consecutive columns follow one another. Bits of zero fill the last byte.

use tacit_ir::Words;
use zeroize::Zeroizing;

/// Bits of columns.
fn bit_count(columns: &[(u32, u64)]) -> usize {
    let bits = |(bits, lanes): &(u32, u64)| (*bits as usize).saturating_mul(*lanes as usize);
    columns.iter().map(bits).fold(0, usize::saturating_add)
}

/// Bytes of this many bits.
pub(crate) fn bytes_of_bits(bits: usize) -> usize {
    bits.div_ceil(8)
}

/// Bytes of the bits of columns.
pub(super) fn column_bytes(columns: &[(u32, u64)]) -> usize {
    bytes_of_bits(bit_count(columns))
}

fn each_bit(bytes: &[u8]) -> impl Iterator<Item = u8> {
    bytes.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1))
}

/// Bits as bytes.
pub(crate) fn together(bits: &[u8]) -> Zeroizing<Vec<u8>> {
    let byte = |bits: &[u8]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | bit);
    Zeroizing::new(bits.chunks(8).map(byte).collect())
}

/// So many bits from bytes; `None` if the bytes hold others. The bytes are public.
pub(crate) fn apart(bytes: &[u8], count: usize) -> Option<Vec<u8>> {
    let mut bits: Vec<u8> = each_bit(bytes).collect();
    let is_filled = bytes.len() == bytes_of_bits(count) && bits[count..].iter().all(|bit| *bit == 0);
    bits.truncate(count);
    is_filled.then_some(bits)
}

/// Columns as bytes.
pub(super) fn bytes_of_words(columns: &[Words]) -> Zeroizing<Vec<u8>> {
    let types: Vec<_> = columns.iter().map(|words| (words.bits(), words.lanes())).collect();
    let mut bits = Zeroizing::new(Vec::with_capacity(bit_count(&types)));
    columns.iter().for_each(|words| bits.extend_from_slice(&Zeroizing::new(words.to_wires())));
    together(&bits)
}

/// The columns from bytes; bits that are missing are zero.
pub(super) fn words_of_bytes(columns: &[(u32, u64)], bytes: &[u8]) -> Vec<Words> {
    let mut rest = each_bit(bytes);
    let column = |column: &(u32, u64)| {
        let bits: Zeroizing<Vec<u8>> = Zeroizing::new(rest.by_ref().take(bit_count(&[*column])).collect());
        Words::from_wires(column.0, column.1, &bits)
    };
    columns.iter().map(column).collect()
}

#[cfg(test)]
mod tests {
    use tacit_arbitrary as arbitrary;

    use super::*;

    #[test]
    fn columns_come_back_from_bytes() {
        for seed in 0..50 {
            let program = arbitrary::program(seed, &arbitrary::Size::default());
            let columns: Vec<_> = arbitrary::inputs(&program, seed).into_iter().flatten().collect();
            let types: Vec<_> = columns.iter().map(|words| (words.bits(), words.lanes())).collect();
            let bytes = bytes_of_words(&columns);
            assert_eq!(bytes.len(), column_bytes(&types));
            assert_eq!(words_of_bytes(&types, &bytes), columns);
        }
    }

    #[test]
    fn only_as_many_bits_as_there_are_columns_for_are_bits() {
        assert_eq!(apart(&[0b101], 3), Some(vec![1, 0, 1]));
        assert_eq!(apart(&[], 0), Some(vec![]));
        assert_eq!(apart(&[0b1001], 3), None);
        assert_eq!(apart(&[1, 0], 3), None);
        assert_eq!(apart(&[1], 9), None);
    }
}
