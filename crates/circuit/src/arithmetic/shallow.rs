//! The same functions in few layers of ANDs, for [`Objective::Depth`](crate::Objective::Depth).

mod carry;
mod choose;
mod columns;
pub(crate) mod divide;
pub(crate) mod minimum;
mod prefix;

pub(super) use carry::{add_with_carry, carry_out};
pub(super) use choose::{decode, lookup, shift_right};
pub(super) use columns::{layers, sum_columns};
pub(super) use divide::divide_trimmed;
pub(super) use prefix::prefixes;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// Whether all bits are 1, combining bits of the fewest layers first, so that late bits delay nothing.
pub(super) fn all(builder: &mut CircuitBuilder, bits: &[Lit]) -> Lit {
    let mut open: BinaryHeap<_> = bits.iter().map(|lit| Reverse((builder.depth(*lit), *lit))).collect();
    loop {
        match (open.pop(), open.pop()) {
            (None, _) => return Lit::TRUE,
            (Some(Reverse((_, last))), None) => return last,
            (Some(Reverse((_, a))), Some(Reverse((_, b)))) => {
                let both = builder.and(a, b);
                open.push(Reverse((builder.depth(both), both)));
            }
        }
    }
}
