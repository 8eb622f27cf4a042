//! Right shifts, high bits, and extension to wider words.
//!
//! A word x modulo 2^bits is x0 + x1 - 2^bits·w, where w tells whether the sum of the shares wraps. With the carry c of
//! their low s bits, x >> s is (x0 >> s) + (x1 >> s) + c - 2^(bits-s)·w, and in a wider ring x is x0 + x1 - 2^bits·w. So
//! only w and c are needed, as shares by sum, modulo the ring's modulus over their factor. For signed words, 2^(bits-1) is
//! added first, which makes them unsigned, and its image is subtracted at the end.

use super::compare::complemented;
use super::millionaires::{self, Ask, Question};
use crate::convert::{bits_to_arith, bits_to_arith_cost};
use crate::correlations::{BitTriples, check_width};
use crate::cost::Cost;
use crate::end::End;
use crate::error::found;
use crate::gmw::Layer;
use crate::pack::mask;
use crate::{Party, ShareError};
use tacit_math::Bits;
use zeroize::Zeroizing;

/// How words are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resize {
    /// x >> `by`, filled with zeros.
    Logical {
        /// How many bits.
        by: u32,
    },
    /// x >> `by`, filled with the sign: division by 2^by, rounded down.
    Arithmetic {
        /// How many bits.
        by: u32,
    },
    /// Only the high bits of x, without the `by` lowest, as a word of bits-by bits. Cheaper than a shift, since no
    /// wrap matters; `by` is less than the width.
    High {
        /// How many bits are dropped.
        by: u32,
    },
    /// The same unsigned word, `to` bits wide.
    ZeroExtend {
        /// The new width, at least the old one.
        to: u32,
    },
    /// The same word in two's complement, `to` bits wide.
    SignExtend {
        /// The new width, at least the old one.
        to: u32,
    },
}

/// Words to change, lane by lane.
#[derive(Clone, Copy)]
pub struct Resized<'a> {
    /// The change.
    pub how: Resize,
    /// Shares of the words.
    pub x: &'a [u128],
    /// Their width.
    pub bits: u32,
}

tacit_math::redacted!(Resized<'_>);

/// Where the bits of a word are split, and where they go.
#[derive(Clone, Copy)]
struct Cut {
    bits: u32,
    /// Bits that are dropped.
    by: u32,
    /// Width of the result.
    to: u32,
    signed: bool,
}

impl Resize {
    fn cut(self, bits: u32) -> Result<Cut, ShareError> {
        check_width(bits)?;
        let cut = match self {
            Resize::Logical { by } => Cut { bits, by: by.min(bits), to: bits, signed: false },
            Resize::Arithmetic { by } => Cut { bits, by: by.min(bits - 1), to: bits, signed: true },
            Resize::High { by } => Cut { bits, by, to: bits.saturating_sub(by), signed: false },
            Resize::ZeroExtend { to } => Cut { bits, by: 0, to, signed: false },
            Resize::SignExtend { to } => Cut { bits, by: 0, to, signed: true },
        };
        check_width(cut.to)?;
        if cut.to + cut.by < bits {
            return Err(ShareError::Shape {
                what: "bits to extend to",
                given: cut.to.into(),
                expected: bits.into(),
            });
        }
        Ok(cut)
    }
}

impl Cut {
    /// Bits that are kept.
    fn kept(self) -> u32 {
        self.bits - self.by
    }

    /// Whether the carry of the low bits is needed, as a word of the result's width.
    fn carries(self) -> bool {
        self.by > 0 && self.kept() > 0
    }

    /// The width of the wrap's share, whose factor is 2^kept; zero if the wrap does not matter.
    fn wrap_bits(self) -> u32 {
        if self.kept() == 0 { 0 } else { self.to - self.kept() }
    }

    /// The comparisons: of the low bits for their carry, and of the kept bits for the wrap.
    fn asks(self) -> impl Iterator<Item = (Ask, u32)> {
        let low = self.carries().then_some((Ask::Less, self.by));
        let ask = if self.by > 0 { Ask::Both } else { Ask::Less };
        low.into_iter().chain((self.wrap_bits() > 0).then_some((ask, self.kept())))
    }

    /// The widths of the bits that become words: the carry's and the wrap's.
    fn words(self) -> impl Iterator<Item = u32> {
        let wrap = self.wrap_bits();
        self.carries().then_some(self.to).into_iter().chain((wrap > 0).then_some(wrap))
    }

    /// Whether the wrap follows from a comparison of the kept bits and the carry.
    fn joins(self) -> bool {
        self.carries() && self.wrap_bits() > 0
    }

    /// The bias that is added to the first party's share, modulo 2^bits.
    fn bias(self, party: Party) -> u128 {
        if self.signed && party == Party::First { 1 << (self.bits - 1) } else { 0 }
    }
}

/// Shares of changed words, exactly, in one sequence of messages.
///
/// Source: the faithful truncation and the extension of Rathee et al., *SiRnn* (S&P'21), §3.1 and §3.2, and CrypTFlow2
/// (CCS'20), §4.1. Differs: wraps become shares by sum with [`bits_to_arith`], from daBits of setup.
/// Security: semi-honest; that of the comparison of private words, of an AND and of [`bits_to_arith`]. The result is
/// exact for all words.
/// Cost: [`resize_cost`].
///
/// # Errors
/// [`ShareError::Width`], also of the result; [`ShareError::Shape`] for an extension to fewer bits;
/// [`ShareError::Exhausted`], [`ShareError::Padding`]; failures of the channel.
pub async fn resize_all(end: &mut End, words: &[Resized<'_>]) -> Result<Vec<Vec<u128>>, ShareError> {
    let cuts = words.iter().map(|word| word.how.cut(word.bits)).collect::<Result<Vec<Cut>, _>>()?;
    // 1. Carries of the low bits, and wraps of the kept bits without a carry into them.
    let mut questions = Vec::new();
    let shares: Vec<Zeroizing<Vec<u128>>> =
        words.iter().zip(&cuts).map(|(of, cut)| biased(end.party, of.x, *cut)).collect();
    for (own, cut) in shares.iter().zip(&cuts) {
        for (ask, bits) in cut.asks() {
            let high = ask == Ask::Both || !cut.carries();
            let part = own.iter().map(|word| if high { word >> cut.by } else { word & mask(bits) }).collect();
            let own = complemented(end.party, Zeroizing::new(part), bits);
            questions.push(Question { own, bits, ask });
        }
    }
    let mut answers = millionaires::compare(end, &questions).await?.into_iter();
    // 2. The wrap is less ^ equal·carry.
    let mut layer = Layer::default();
    let mut bits: Vec<Bits> = Vec::new();
    let mut answer = || found("answers of comparisons of private words", answers.next());
    for cut in &cuts {
        if cut.carries() {
            bits.push(answer()?.less);
        }
        if cut.wrap_bits() > 0 {
            let high = answer()?;
            if cut.joins() {
                layer.and(end, &high.equal, found("carries of low bits", bits.last())?)?;
            }
            bits.push(high.less);
        }
    }
    let mut products = layer.open(end).await?.into_iter();
    let mut position = 0;
    for cut in &cuts {
        position += cut.words().count();
        if cut.joins() {
            bits[position - 1] ^= &found("products of carries and wraps", products.next())?;
        }
    }
    // 3. Both as shares by sum.
    let widths = cuts.iter().flat_map(|cut| cut.words());
    let jobs: Vec<(&Bits, u32)> = bits.iter().zip(widths).collect();
    let sums = bits_to_arith(end, &jobs).await?;
    let mut sums = sums.into_iter().map(Zeroizing::new);
    shares.iter().zip(&cuts).map(|(own, cut)| put_together(end.party, own, *cut, &mut sums)).collect()
}

/// [`resize_all`] for one vector.
///
/// # Errors
/// As there.
pub async fn resize(end: &mut End, how: Resize, x: &[u128], bits: u32) -> Result<Vec<u128>, ShareError> {
    let mut made = resize_all(end, &[Resized { how, x, bits }]).await?;
    found("words of another width", made.pop())
}

/// The cost of [`resize_all`] for words with these bits and lanes: the comparisons of private words
/// ([`super::compare_cost`]), an AND if there is both a carry and a wrap, and a round for the conversion of both.
///
/// # Errors
/// [`ShareError::Width`] and [`ShareError::Shape`], as there.
pub fn resize_cost(words: &[(Resize, u32, u64)]) -> Result<Cost, ShareError> {
    let (mut questions, mut joined, mut converted) = (Vec::new(), 0, Vec::new());
    for &(how, bits, lanes) in words {
        let cut = how.cut(bits)?;
        questions.extend(cut.asks().map(|(ask, bits)| (ask, bits, lanes)));
        joined += if cut.joins() { lanes } else { 0 };
        converted.extend(cut.words().map(|width| (width, lanes)));
    }
    let mut cost = millionaires::cost(&questions);
    cost.requirement.require::<BitTriples>(1, joined);
    cost.exchange([(2 * joined).div_ceil(8); 2]);
    cost.then(&bits_to_arith_cost(&converted));
    Ok(cost)
}

/// The unsigned words for signed ones.
fn biased(party: Party, x: &[u128], cut: Cut) -> Zeroizing<Vec<u128>> {
    let bias = cut.bias(party);
    Zeroizing::new(x.iter().map(|x| x.wrapping_add(bias) & mask(cut.bits)).collect())
}

/// Combines the shares of the kept bits, of the carry and of the wrap.
fn put_together(
    party: Party,
    own: &[u128],
    cut: Cut,
    sums: &mut impl Iterator<Item = Zeroizing<Vec<u128>>>,
) -> Result<Vec<u128>, ShareError> {
    if cut.kept() == 0 {
        return Ok(vec![0; own.len()]);
    }
    let mut next = || found("carries and wraps as shares by sum", sums.next());
    let carries = cut.carries().then(&mut next).transpose()?;
    let wraps = (cut.wrap_bits() > 0).then(next).transpose()?;
    // The image of the bias of signed words.
    let image = cut.bias(party) >> cut.by;
    let word = |(i, own): (usize, &u128)| {
        let carry = carries.as_ref().map_or(0, |carries| carries[i]);
        let wrap = wraps.as_ref().map_or(0, |wraps| wraps[i]);
        let sum = (own >> cut.by)
            .wrapping_add(carry)
            .wrapping_sub(wrap.wrapping_shl(cut.kept()))
            .wrapping_sub(image);
        sum & mask(cut.to)
    };
    Ok(own.iter().enumerate().map(word).collect())
}
