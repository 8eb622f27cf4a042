//! Triples of words.
//!
//! Each party's a is multiplied with the other's b in a product of words ([`super::gilboa`]), in both
//! directions at once.
//!
//! Source: Gilboa (CRYPTO'99) and ABY (NDSS'15), as there.
//! Security: that of random OT.
//! Cost of a triple: `bits` OTs and bits·(bits+1)/2 bits in each direction.

use super::gilboa::{Shape, begin, draw, end, random_words, send};
use super::ots::supplied;
use super::{Columns, CorrelationKind, OtKind, Ots, check_width};
use crate::pack::mask;
use crate::{Dialogue, ShareError};
use tacit_net::Channel;
use tacit_schedule::Consumed;
use zeroize::Zeroizing;

/// Shares of random words a, b and c = a·b modulo 2^bits.
#[derive(Default)]
pub struct WordTriples {
    /// The first factors.
    pub a: Zeroizing<Vec<u128>>,
    /// The second factors.
    pub b: Zeroizing<Vec<u128>>,
    /// The products.
    pub c: Zeroizing<Vec<u128>>,
}

impl CorrelationKind for WordTriples {
    const NAME: &'static str = "multiplication triples";

    /// Bits of a word.
    type Shape = u32;

    fn check(bits: u32) -> Result<(), ShareError> {
        check_width(bits)
    }

    fn consumed(kind: Consumed) -> Option<u32> {
        if let Consumed::Product { bits } = kind { Some(bits) } else { None }
    }

    fn columns(&self, bits: u32, by: &mut impl Columns) -> WordTriples {
        let mut words = |column: &[u128]| by.words(column, 1, bits);
        WordTriples { a: words(&self.a), b: words(&self.b), c: words(&self.c) }
    }
}

impl OtKind for WordTriples {
    fn price(bits: u32, count: u64) -> Dialogue {
        let whole = Shape { bits, count: count as usize, span: 1 };
        supplied(count, (whole.window() as u64, bits.into()), |count| {
            let shape = Shape { count: count as usize, ..whole };
            let (unit, each) = shape.masking();
            let masked = Dialogue::default().transfer([shape.ots() as u64; 2]).compute(unit, 2 * each);
            masked.exchange([shape.message_bytes(); 2])
        })
    }

    async fn make(
        ots: &mut Ots,
        channel: &mut Channel,
        bits: u32,
        count: usize,
    ) -> Result<WordTriples, ShareError> {
        let mut triples = WordTriples {
            a: Zeroizing::new(Vec::with_capacity(count)),
            b: random_words(&mut ots.own, bits, count),
            c: Zeroizing::new(Vec::with_capacity(count)),
        };
        let whole = Shape { bits, count, span: 1 };
        for start in (0..count).step_by(whole.window()) {
            let shape = Shape { count: whole.window().min(count - start), ..whole };
            let WordTriples { a, b, c } = &mut triples;
            c.resize(start + shape.count, 0);
            let (b, c) = (&b[start..], &mut c[start..]);
            // a of one party times b of the other, in both directions at once.
            ots.supply(channel, shape.ots(), (count - start) * bits as usize).await?;
            let pending = begin(channel, &mut ots.receiver, shape).await?;
            let strings = draw(channel, &mut ots.sender, shape).await?;
            let add = |t: usize, _, share: u128| c[t] = c[t].wrapping_add(share);
            send(channel, strings, shape, |t, _| b[t], add).await?;
            let word = |_, word| a.push(word);
            end(channel, pending, shape, word, |t, _, share| c[t] = c[t].wrapping_add(share)).await?;
        }
        let WordTriples { a, b, c } = &mut triples;
        for ((c, a), b) in c.iter_mut().zip(a.iter()).zip(b.iter()) {
            *c = c.wrapping_add(a.wrapping_mul(*b)) & mask(bits);
        }
        Ok(triples)
    }
}
