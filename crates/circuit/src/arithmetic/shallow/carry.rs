use super::prefixes;
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// A range of bits of two words that are added: whether it generates a carry, and whether it propagates one.
/// Never both.
#[derive(Clone, Copy)]
struct Span {
    makes: Lit,
    passes: Lit,
}

impl Span {
    /// This range and the one below it.
    fn above(self, builder: &mut CircuitBuilder, below: Span) -> Span {
        let carried = builder.and(self.passes, below.makes);
        Span { makes: builder.xor(self.makes, carried), passes: builder.and(self.passes, below.passes) }
    }
}

/// The spans of single bits, with the carry in included in the lowest. If two adjacent bits have the same
/// operands, as in the upper part of words widened by their signs, the carry does not change and the second
/// bit has no span; so the number of the span that ends at each bit is returned, too.
fn spans(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit], carry: Lit) -> (Vec<Span>, Vec<usize>) {
    let mut spans: Vec<Span> = Vec::with_capacity(a.len());
    let mut ends = Vec::with_capacity(a.len());
    let mut last = None;
    for (a, b) in a.iter().zip(b) {
        if last != Some((a, b)) {
            spans.push(match spans.is_empty() {
                true => Span { makes: builder.majority(*a, *b, carry), passes: Lit::FALSE },
                false => Span { makes: builder.and(*a, *b), passes: builder.xor(*a, *b) },
            });
        }
        last = Some((a, b));
        ends.push(spans.len() - 1);
    }
    (spans, ends)
}

/// The sum with a carry in; the carry out is an additional top bit. Layers: `ceil(log2 n) + 1`. Cost: about
/// `4n` ANDs.
///
/// Source: Ladner and Fischer, Parallel Prefix Computation (1980), section 4.
pub(in super::super) fn add_with_carry(
    builder: &mut CircuitBuilder,
    a: &[Lit],
    b: &[Lit],
    carry: Lit,
) -> Vec<Lit> {
    let (spans, ends) = spans(builder, a, b, carry);
    let carries = prefixes(&spans, 0, &mut |below, above| above.above(builder, *below));
    let carries = std::iter::once(carry).chain(ends.into_iter().map(|end| carries[end].makes));
    let top = [Lit::FALSE];
    let half: Vec<Lit> = a.iter().zip(b).map(|(a, b)| builder.xor(*a, *b)).collect();
    half.iter().chain(&top).zip(carries).map(|(half, carry)| builder.xor(*half, carry)).collect()
}

/// The carry out of a sum. Layers: `ceil(log2 n) + 1`. Cost: below `3n` ANDs.
pub(in super::super) fn carry_out(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit], carry: Lit) -> Lit {
    let (mut level, _) = spans(builder, a, b, carry);
    while level.len() > 1 {
        let join = |pair: &[Span]| match pair {
            [below, above] => above.above(builder, *below),
            _ => pair[0],
        };
        level = level.chunks(2).map(join).collect();
    }
    level.first().map_or(carry, |span| span.makes)
}
