//! Shares of bits: the protocol of Goldreich, Micali and Wigderson, the domain `bool`.
//!
//! A bit is the exclusive or of one bit at each party. Many are held packed, 64 to a word, wire after wire: bit b of
//! lane l of a bundle stands at `b * lanes + l`. XOR is local, NOT is a flip at the first party, and an AND takes a
//! triple of [`crate::triples`] and two bits each way. ANDs that do not depend on each other share one message, all
//! lanes of all circuits that run side by side.
//!
//! [`run`] takes whole circuits, [`and`] single ANDs; [`all`] and [`conjunction`] join up to four operands at once,
//! which saves rounds where many wires are joined; [`select`] chooses between words by one triple for each 128 bits.
//!
//! Source: Goldreich, Micali and Wigderson, *How to Play any Mental Game* (STOC'87), as in ABY (NDSS'15), §III-B.
//! Security: semi-honest; what a party sees of an AND is masked by bits of a triple that it does not know.

mod circuit;
mod conjunction;
mod layer;
mod opening;

pub use circuit::{Operand, Region, Target, and_layers, message_bits, run, run_beside};
pub use conjunction::{MAX_OPERANDS, all, all_cost, conjunction};
pub(crate) use conjunction::{Tree, level};
pub(crate) use layer::Layer;
pub use opening::{constant, input, open, random};

use crate::end::End;
use crate::error::expect;
use crate::{Party, ShareError, exchange, wires};
use tacit_math::Bits;

/// Shares of the ANDs of shared bits, position by position.
///
/// Cost: an AND triple and two bits each way for a bit, all packed together; one round.
///
/// # Errors
/// [`ShareError::Shape`] if there are not as many of both; [`ShareError::Exhausted`]; failures of the channel.
pub async fn and(end: &mut End, x: &Bits, y: &Bits) -> Result<Bits, ShareError> {
    Ok(and_beside(end, x, y, &Bits::default()).await?.0)
}

/// [`and`], with more bits for the peer in the same message; the shares, and the peer's bits, as many.
async fn and_beside(end: &mut End, x: &Bits, y: &Bits, beside: &Bits) -> Result<(Bits, Bits), ShareError> {
    expect("second operands of ANDs", y.len(), x.len())?;
    let triples = end.stock.ands(x.len())?;
    // 1. Both parties open d = x ^ a and e = y ^ b.
    let (mut d, mut e) = (x.clone(), y.clone());
    d ^= &triples.a;
    e ^= &triples.b;
    let mut message = d.clone();
    message.extend_bits(&e);
    message.extend_bits(beside);
    let theirs = exchange::exchange(&mut end.channel, &message).await?;
    d ^= &theirs.slice(0..x.len());
    e ^= &theirs.slice(x.len()..2 * x.len());
    // 2. x·y = c ^ d·b ^ e·a ^ d·e, the last at one party.
    let mut product = triples.c.clone();
    if end.party == Party::First {
        let mut both = d.clone();
        both &= &e;
        product ^= &both;
    }
    d &= &triples.b;
    e &= &triples.a;
    product ^= &d;
    product ^= &e;
    Ok((product, theirs.slice(2 * x.len()..theirs.len())))
}

/// Shares of words: where the condition of a lane is 1 the word of `x`, else that of `y`; `bits` wires of as many lanes
/// as there are conditions, each.
///
/// Source: ABY (NDSS'15), §III-B2. Words wider than 128 bits take several triples.
/// Cost for 128 bits of a lane or part of them: a selection triple, a bit and the part's bits each way; one round.
///
/// # Errors
/// As [`and`].
pub async fn select(
    end: &mut End,
    condition: &Bits,
    x: &Bits,
    y: &Bits,
    bits: u32,
) -> Result<Bits, ShareError> {
    let lanes = condition.len();
    expect("wires to choose", x.len(), lanes * bits as usize)?;
    expect("wires to choose instead", y.len(), x.len())?;
    let mut difference = x.clone();
    difference ^= y;
    // 1. For each part of the words d = condition ^ a and e = (x ^ y) ^ b are opened.
    let mut message = Bits::default();
    let mut parts = Vec::new();
    for low in (0..bits).step_by(128) {
        let width = 128.min(bits - low);
        let triples = end.stock.selections(width, lanes)?;
        let wires = low as usize * lanes..(low + width) as usize * lanes;
        let (mut d, mut e) = (condition.clone(), difference.slice(wires));
        d ^= &triples.a;
        e ^= &wires::from_words(&triples.b, width);
        message.extend_bits(&d);
        message.extend_bits(&e);
        parts.push((triples, width));
    }
    let mut opened = exchange::exchange(&mut end.channel, &message).await?;
    opened ^= &message;
    // 2. condition·(x ^ y) = c ^ d·b ^ e·a ^ d·e, wire by wire.
    let (mut chosen, mut position) = (Bits::default(), 0);
    for (triples, width) in parts {
        let d = opened.slice(position..position + lanes);
        position += lanes;
        let (b, c) = (wires::from_words(&triples.b, width), wires::from_words(&triples.c, width));
        for wire in (0..width as usize).map(|wire| wire * lanes..(wire + 1) * lanes) {
            let mut e = opened.slice(position + wire.start..position + wire.end);
            let mut factor = triples.a.clone();
            if end.party == Party::First {
                factor ^= &d;
            }
            e &= &factor;
            let mut product = b.slice(wire.clone());
            product &= &d;
            product ^= &e;
            product ^= &c.slice(wire);
            chosen.extend_bits(&product);
        }
        position += width as usize * lanes;
    }
    chosen ^= y;
    Ok(chosen)
}
