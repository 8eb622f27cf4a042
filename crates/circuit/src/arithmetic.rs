//! Words of literals, least significant bit first, and the smallest known circuits over them.
//!
//! Every function takes the builder first and returns fresh words. Operands have the same width unless a
//! function says otherwise. Constant bits, leading zeros and copies of the sign are recognised, so that a
//! widened word costs as much as the narrow one. Costs are for [`Objective::Size`](crate::Objective::Size); a
//! builder for [`Objective::Depth`](crate::Objective::Depth) gets the same functions in few layers.

mod add;
mod coefficient;
mod compare;
mod count;
mod divide;
mod heap;
mod inner_product;
pub(crate) mod long_product;
mod minimum;
pub(crate) mod multiply;
mod scan;
mod select;
pub(crate) mod shallow;
mod shift;
mod sort;
mod table;
#[cfg(test)]
mod tests;
pub(crate) mod truth_table;
pub(crate) mod view;

pub use add::{add, add_shallow, add_with_carry, negate, subtract};
pub use compare::{all, any, equal, less_signed, less_unsigned};
pub use count::{population_count, sum};
pub use divide::{divide_signed, divide_unsigned};
pub use heap::Heap;
pub use inner_product::inner_product;
pub use minimum::{argument_of_minimum, first_by_pairs, first_minimum, less, maximum, minimum};
pub use multiply::multiply;
pub use scan::scan;
pub use select::{absolute, exchange, negate_if, select};
pub use shift::{shift_left, shift_right_signed, shift_right_unsigned};
pub use sort::{merge_exchange_passes, permute, sort};
pub use table::{decode, lookup, update};
pub use truth_table::{MAX_FAN_IN, truth_table};

use crate::lit::Lit;

/// The word for the low `width` bits of a constant.
pub fn constant(value: u128, width: u32) -> Vec<Lit> {
    (0..width).map(|bit| Lit::constant(bit < 128 && value >> bit & 1 == 1)).collect()
}

/// The number of bits of a word without its leading zeros.
fn significant(word: &[Lit]) -> usize {
    word.iter().rposition(|lit| *lit != Lit::FALSE).map_or(0, |top| top + 1)
}
