use super::shallow;
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// The number of ones, in `width` bits and modulo `2^width`. Cost: for `n` bits and a result wide enough, `n` less
/// the number of ones in the binary form of `n`.
pub fn population_count(builder: &mut CircuitBuilder, bits: &[Lit], width: usize) -> Vec<Lit> {
    sum_columns(builder, width, &[], |_, column, bucket| {
        if column == 0 {
            bucket.extend_from_slice(bits);
        }
    })
}

/// The sum of `words` modulo `2^width`; shorter words are unsigned. Cost: at most `width - 1` ANDs for each
/// word after the first, less for three or more words.
pub fn sum(builder: &mut CircuitBuilder, words: &[&[Lit]], width: usize) -> Vec<Lit> {
    sum_columns(builder, width, &[], |_, column, bucket| {
        bucket.extend(words.iter().filter_map(|word| word.get(column)));
    })
}

/// Adds up the bits of columns, each of weight `2^column`, with full adders: one AND for every bit that is
/// removed.
///
/// `fill` puts the bits of a column into an empty bucket; `ones[column]` constant ones are added to it.
/// Columns are filled in order, one at a time.
pub(super) fn sum_columns(
    builder: &mut CircuitBuilder,
    width: usize,
    ones: &[bool],
    mut fill: impl FnMut(&mut CircuitBuilder, usize, &mut Vec<Lit>),
) -> Vec<Lit> {
    if builder.is_shallow() {
        return shallow::sum_columns(builder, width, ones, fill);
    }
    let mut result = Vec::with_capacity(width);
    let (mut bucket, mut carries) = (Vec::new(), Vec::new());
    for column in 0..width {
        bucket.clear();
        fill(builder, column, &mut bucket);
        bucket.append(&mut carries);
        bucket.extend(ones.get(column).copied().filter(|one| *one).map(Lit::constant));
        let last = column + 1 == width;
        result.push(match last {
            true => bucket.iter().fold(Lit::FALSE, |sum, bit| builder.xor(sum, *bit)),
            false => add_column(builder, &mut bucket, &mut carries),
        });
    }
    result
}

/// The parity of a column; its carries go to `carries`.
fn add_column(builder: &mut CircuitBuilder, bucket: &mut Vec<Lit>, carries: &mut Vec<Lit>) -> Lit {
    let one = pair_up(bucket, carries);
    let Some((first, rest)) = bucket.split_first() else { return Lit::constant(one) };
    // A constant one is added last, where it is free: it takes the place of the missing bit if the number of
    // bits is even.
    let mut sum = *first;
    for pair in rest.chunks(2) {
        let (second, third) = (pair[0], pair.get(1).copied().unwrap_or(Lit::constant(one)));
        let carry;
        (sum, carry) = builder.full_adder(sum, second, third);
        carries.push(carry);
    }
    if one && rest.len().is_multiple_of(2) {
        carries.push(sum);
        sum = !sum;
    }
    sum
}

/// Removes bits that need no gate: constants; pairs of equal bits, which become that bit in the next column;
/// and pairs of complements, which are one. Returns whether a constant one remains.
pub(super) fn pair_up(bucket: &mut Vec<Lit>, carries: &mut Vec<Lit>) -> bool {
    let mut sorted = bucket.clone();
    sorted.sort_unstable();
    if sorted.windows(2).all(|pair| pair[0].node() != pair[1].node())
        && sorted.first().is_none_or(|lit| lit.node() != 0)
    {
        return false;
    }
    let mut ones = 0usize;
    bucket.clear();
    for lit in sorted {
        match bucket.last() {
            _ if lit == Lit::FALSE => {}
            _ if lit == Lit::TRUE => ones += 1,
            Some(last) if *last == lit => carries.extend(bucket.pop()),
            Some(last) if *last == !lit => {
                bucket.pop();
                ones += 1;
            }
            _ => bucket.push(lit),
        }
    }
    carries.extend(std::iter::repeat_n(Lit::TRUE, ones / 2));
    ones % 2 == 1
}
