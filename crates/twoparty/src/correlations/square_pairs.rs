//! Pairs of words and their squares.
//!
//! (a0 + a1)² = a0² + 2·a0·a1 + a1²: one product of words ([`super::gilboa`]), modulo 2^(bits-1).
//!
//! Source: the triples of ABY (NDSS'15), §III-A, with one of their two products.
//! Security: that of random OT.
//! Cost: `bits - 1` OTs whose sender is the first party, and bits·(bits-1)/2 bits from it to the second.

use super::gilboa::{Shape, begin, draw, end, random_words, send};
use super::{Columns, CorrelationKind, OtKind, Ots, check_width};
use crate::pack::mask;
use crate::{Dialogue, Party, ShareError};
use tacit_net::Channel;
use tacit_schedule::Consumed;
use zeroize::Zeroizing;

/// Shares of random words a and c = a² modulo 2^bits.
#[derive(Default)]
pub struct SquarePairs {
    /// The roots.
    pub a: Zeroizing<Vec<u128>>,
    /// The squares.
    pub c: Zeroizing<Vec<u128>>,
}

impl CorrelationKind for SquarePairs {
    const NAME: &'static str = "square pairs";

    /// Bits of a word.
    type Shape = u32;

    fn check(bits: u32) -> Result<(), ShareError> {
        check_width(bits)
    }

    fn consumed(kind: Consumed) -> Option<u32> {
        if let Consumed::Square { bits } = kind { Some(bits) } else { None }
    }

    fn columns(&self, bits: u32, by: &mut impl Columns) -> SquarePairs {
        SquarePairs { a: by.words(&self.a, 1, bits), c: by.words(&self.c, 1, bits) }
    }
}

impl OtKind for SquarePairs {
    fn price(bits: u32, count: u64) -> Dialogue {
        let whole = Shape { bits: bits - 1, count: count as usize, span: 1 };
        if bits == 1 {
            return Dialogue::default();
        }
        Dialogue::default().windows(count, whole.window() as u64, |count| {
            let shape = Shape { count: count as usize, ..whole };
            let (unit, each) = shape.masking();
            let masked = Dialogue::default().transfer([shape.ots() as u64, 0]).compute(unit, each);
            masked.send(Party::First, shape.message_bytes())
        })
    }

    async fn make(
        ots: &mut Ots,
        channel: &mut Channel,
        bits: u32,
        count: usize,
    ) -> Result<SquarePairs, ShareError> {
        let mut a = random_words(&mut ots.own, bits, count);
        let mut c = Zeroizing::new(vec![0u128; count]);
        let whole = Shape { bits: bits - 1, count, span: 1 };
        for start in (0..if bits > 1 { count } else { 0 }).step_by(whole.window()) {
            let shape = Shape { count: whole.window().min(count - start), ..whole };
            let (a, c) = (&mut a[start..], &mut c[start..]);
            let add = |t: usize, _, share: u128| c[t] = c[t].wrapping_add(share);
            match ots.party {
                Party::First => {
                    let strings = draw(channel, &mut ots.sender, shape).await?;
                    send(channel, strings, shape, |t, _| a[t], add).await?;
                }
                Party::Second => {
                    let pending = begin(channel, &mut ots.receiver, shape).await?;
                    let low = mask(bits - 1);
                    end(channel, pending, shape, |t, word| a[t] = a[t] & !low | word, add).await?;
                }
            }
        }
        for (c, a) in c.iter_mut().zip(a.iter()) {
            *c = a.wrapping_mul(*a).wrapping_add(*c << 1) & mask(bits);
        }
        Ok(SquarePairs { a, c })
    }
}
