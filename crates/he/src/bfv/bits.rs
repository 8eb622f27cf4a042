//! Residues as bytes; each takes as many bits as its prime has.

use tacit_math::ntt::Ntt;

use crate::HeError;

/// Bits of a residue.
fn width(ntt: &Ntt) -> u32 {
    64 - ntt.modulus().leading_zeros()
}

/// Bytes of `each` residues modulo every prime.
pub(super) fn length(ntts: &[Ntt], each: usize) -> usize {
    ntts.iter().map(|ntt| (each * width(ntt) as usize).div_ceil(8)).sum()
}

/// Appends residues. Those of each prime begin at a whole byte.
pub(super) fn push(ntts: &[Ntt], residues: &[u64], each: usize, bytes: &mut Vec<u8>) {
    for (ntt, residues) in ntts.iter().zip(residues.chunks_exact(each.max(1))) {
        let (mut pending, mut filled) = (0u128, 0);
        for residue in residues {
            pending |= u128::from(*residue) << filled;
            filled += width(ntt);
            if filled >= 64 {
                bytes.extend_from_slice(&(pending as u64).to_le_bytes());
                pending >>= 64;
                filled -= 64;
            }
        }
        bytes.extend_from_slice(&pending.to_le_bytes()[..filled.div_ceil(8) as usize]);
    }
}

/// The residues of exactly [`length`] bytes.
///
/// # Errors
/// [`HeError::Range`] for a residue that is not below its prime, and for padding that is not zero.
pub(super) fn take(ntts: &[Ntt], bytes: &[u8], each: usize, what: &'static str) -> Result<Vec<u64>, HeError> {
    let mut residues = Vec::with_capacity(ntts.len() * each);
    let mut rest = bytes;
    for ntt in ntts {
        let (own, others) = rest.split_at((each * width(ntt) as usize).div_ceil(8).min(rest.len()));
        rest = others;
        let (mut pending, mut filled, mut source) = (0u128, 0, own.chunks(8));
        let start = residues.len();
        for _ in 0..each {
            if filled < width(ntt) {
                // The last word may be shorter; it is padded with zeros.
                pending |= u128::from(word(source.next().unwrap_or_default())) << filled;
                filled += 64;
            }
            residues.push(pending as u64 & ((1 << width(ntt)) - 1));
            pending >>= width(ntt);
            filled -= width(ntt);
        }
        if pending != 0 || residues[start..].iter().any(|residue| *residue >= ntt.modulus()) {
            return Err(HeError::Range { what });
        }
    }
    Ok(residues)
}

/// Up to eight bytes as a number.
fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residues_come_back_and_others_are_refused() {
        let ntts: Vec<Ntt> = [12_289, 97].map(|prime| Ntt::new(prime, 16).unwrap()).to_vec();
        for each in [1, 3, 16] {
            let residues: Vec<u64> =
                (0..2 * each as u64).map(|i| if i < each as u64 { 12_288 - i } else { 96 - i }).collect();
            let mut bytes = Vec::new();
            push(&ntts, &residues, each, &mut bytes);
            assert_eq!(bytes.len(), length(&ntts, each));
            assert_eq!(take(&ntts, &bytes, each, "").unwrap(), residues);
            for at in 0..bytes.len() {
                let mut bad = bytes.clone();
                bad[at] = 0xff;
                bad[(at + 1) % bytes.len()] = 0xff;
                let read = take(&ntts, &bad, each, "a coefficient");
                let canonical = read.map(|residues| {
                    let mut again = Vec::new();
                    push(&ntts, &residues, each, &mut again);
                    again == bad
                });
                assert!(matches!(canonical, Ok(true) | Err(HeError::Range { what: "a coefficient" })));
            }
        }
        assert!(take(&ntts[1..], &[97], 1, "").is_err() && take(&ntts[1..], &[96 | 128], 1, "").is_err());
        assert!(take(&ntts[1..], &[96], 1, "").is_ok());
    }
}
