//! Shares of outside parties' inputs and outputs.
//!
//! A value is the exclusive or of two shares or their sum, depending on the plan: whichever the program works on,
//! so that neither party converts anything. One share is expanded from a seed.
//!
//! Source: ABY (NDSS'15) §II-A.
//! Security: each share alone is uniform; both together determine the value.

use tacit_crypto::Prg;
use tacit_ir::Words;
use tacit_math::Bits;
use tacit_plan::ShareForm;
use tacit_schedule::Combined;
use tacit_twoparty::mask;
use zeroize::Zeroizing;

use tacit_twoparty::bits;

/// Bits of columns' shares.
pub(crate) fn bits_of(forms: &[ShareForm]) -> u64 {
    forms.iter().map(|form| u64::from(form.bits).saturating_mul(form.lanes)).fold(0, u64::saturating_add)
}

/// The share of a column that is expanded from a seed.
pub(crate) fn expand(form: &ShareForm, prg: &mut Prg) -> Words {
    let bits = Zeroizing::new(prg.next_bits((u64::from(form.bits) * form.lanes) as usize));
    bits::to_words(&bits, 0, form.bits, form.lanes)
}

/// The other share of a column of these words. Secret, as are the arguments.
pub(crate) fn complement(form: &ShareForm, words: &Words, first: &Words) -> Words {
    if form.combined == Combined::Sum {
        let values = Zeroizing::new(bits::resized(words, form.bits, form.signed));
        let rest = values.iter().enumerate();
        let rest =
            rest.map(|(lane, value)| value.wrapping_sub(first.low_u128(lane as u64)) & mask(form.bits));
        return Words::from_u128s(form.bits, &Zeroizing::new(rest.collect::<Vec<_>>()));
    }
    exclusive_or(words, first)
}

/// The value of a column from both shares; an output has the column's width.
pub(crate) fn combine(form: &ShareForm, [first, second]: [&Words; 2]) -> Words {
    if form.combined == Combined::Sum {
        let sum = |lane| first.low_u128(lane).wrapping_add(second.low_u128(lane)) & mask(form.bits);
        return Words::from_u128s(form.bits, &(0..form.lanes).map(sum).collect::<Vec<_>>());
    }
    exclusive_or(first, second)
}

/// Shares of columns as bits, one column after the other.
pub(crate) fn pack(columns: &[Words]) -> Bits {
    let mut all = Bits::default();
    columns.iter().for_each(|words| all.extend_bits(&bits::of_words(words)));
    all
}

/// The columns from the bits of [`pack`], as many as there are forms.
pub(crate) fn unpack(forms: &[ShareForm], packed: &Bits) -> Vec<Words> {
    let mut start = 0;
    let column = |form: &ShareForm| {
        let words = bits::to_words(packed, start, form.bits, form.lanes);
        start += form.bits as usize * form.lanes as usize;
        words
    };
    forms.iter().map(column).collect()
}

fn exclusive_or(a: &Words, b: &Words) -> Words {
    let limbs = a.limbs().iter().zip(b.limbs()).map(|(a, b)| a ^ b).collect();
    Words::from_limbs(a.bits(), a.lanes(), limbs).unwrap_or_else(|| Words::zero(a.bits(), a.lanes()))
}
