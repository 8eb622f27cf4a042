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

/// The carry out of a sum. Layers: `ceil(log2(n + 1))`. Cost: below `3n` ANDs.
pub(in super::super) fn carry_out(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit], carry: Lit) -> Lit {
    let (spans, _) = spans(builder, a, b, carry);
    if spans.is_empty() { carry } else { all_of(builder, &spans).makes }
}

/// All spans as one. Whether a span propagates a carry is known one layer before whether it generates one, so the lower part
/// takes one layer less than all: it has all spans but those above, at most half of what this many layers allow.
fn all_of(builder: &mut CircuitBuilder, spans: &[Span]) -> Span {
    let lower = if spans.len().is_power_of_two() { 0 } else { (1 << spans.len().ilog2()) - 1 };
    let (low, high) = spans.split_at(lower);
    let mut level = high.to_vec();
    while level.len() > 1 {
        let join = |pair: &[Span]| match pair {
            [below, above] => above.above(builder, *below),
            _ => pair[0],
        };
        level = level.chunks(2).map(join).collect();
    }
    if low.is_empty() {
        return level[0];
    }
    let below = all_of(builder, low);
    level[0].above(builder, below)
}
