//! Comparisons of shared words, with results shared as bits.
//!
//! A word x modulo 2^bits is x0 + x1, less 2^bits if the sum of the shares wraps. Whether it wraps is a comparison of a
//! private word of each party: 2^bits - 1 - x0 < x1 ([`super::millionaires`]). Let d = x - y, with shares x0 - y0 and
//! x1 - y1, whose borrows are known to one party each. Then x < y is the exclusive or of the wraps of x, y and d, and
//! of both borrows. Words are equal if d0 = -d1.

use super::millionaires::{self, Answer, Ask, Question};
use crate::correlations::check_width;
use crate::cost::Cost;
use crate::end::End;
use crate::error::{expect, found};
use crate::pack::mask;
use crate::{Party, ShareError};
use std::borrow::Cow;
use tacit_math::{Bits, append};
pub use tacit_schedule::Relation;
use zeroize::{Zeroize, Zeroizing};

/// Words to compare.
#[derive(Clone, Copy)]
pub enum ComparisonOperand<'a> {
    /// Shares of words.
    Shared(&'a [u128]),
    /// Words that both parties know.
    Public(&'a [u128]),
}

tacit_math::redacted!(ComparisonOperand<'_>);

/// Words to compare, lane by lane.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'a> {
    /// The relation to test.
    pub relation: Relation,
    /// The left words.
    pub x: ComparisonOperand<'a>,
    /// The right words, as many.
    pub y: ComparisonOperand<'a>,
    /// Width of all of them.
    pub bits: u32,
}

/// The public shape of a [`Comparison`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ComparisonShape {
    /// The relation to test.
    pub relation: Relation,
    /// Whether x is shared, and whether y is.
    pub shared: [bool; 2],
    /// Width of both.
    pub bits: u32,
    /// Number of lanes.
    pub lanes: u64,
}

impl<'a> ComparisonOperand<'a> {
    fn words(self) -> &'a [u128] {
        let (ComparisonOperand::Shared(words) | ComparisonOperand::Public(words)) = self;
        words
    }

    fn is_shared(self) -> bool {
        matches!(self, ComparisonOperand::Shared(_))
    }

    /// This party's shares.
    fn shares(self, party: Party, bits: u32) -> Cow<'a, [u128]> {
        match self {
            ComparisonOperand::Shared(shares) => Cow::Borrowed(shares),
            ComparisonOperand::Public(words) => Cow::Owned(super::constant(party, words, bits)),
        }
    }
}

/// Shares of the bits `x < y`, as unsigned words.
///
/// Cost: see [`compare_cost`]; for 32 bits and each lane 12 lookups in each direction, 12 pairs of ANDs and 9 ANDs, 61
/// bytes from each party, 5 rounds.
///
/// # Errors
/// As [`compare_all`].
pub async fn less(end: &mut End, x: &[u128], y: &[u128], bits: u32) -> Result<Bits, ShareError> {
    one(end, Relation::LessUnsigned, ComparisonOperand::Shared(x), ComparisonOperand::Shared(y), bits).await
}

/// Shares of the bits `x = y`.
///
/// Cost: see [`compare_cost`]; for 32 bits and each lane 4 lookups in each direction, 2 ANDs of four operands and 1 of two,
/// 12 bytes from each party, 4 rounds.
///
/// # Errors
/// As [`compare_all`].
pub async fn equal(end: &mut End, x: &[u128], y: &[u128], bits: u32) -> Result<Bits, ShareError> {
    one(end, Relation::Equal, ComparisonOperand::Shared(x), ComparisonOperand::Shared(y), bits).await
}

/// Shares of the most significant bits of `x`, which say whether it is negative.
///
/// Cost: see [`compare_cost`]; that of one wrap of bits-1 bits.
///
/// # Errors
/// As [`compare_all`].
pub async fn most_significant(end: &mut End, x: &[u128], bits: u32) -> Result<Bits, ShareError> {
    let zeros = vec![0; x.len()];
    one(end, Relation::LessWithin, ComparisonOperand::Shared(x), ComparisonOperand::Public(&zeros), bits)
        .await
}

async fn one(
    end: &mut End,
    relation: Relation,
    x: ComparisonOperand<'_>,
    y: ComparisonOperand<'_>,
    bits: u32,
) -> Result<Bits, ShareError> {
    let mut bits = compare_all(end, &[Comparison { relation, x, y, bits }]).await?;
    found("answers of comparisons", bits.pop())
}

/// Shares of the answers to several comparisons, a bit for each lane, in one sequence of messages.
///
/// Source: the wraps of shares as in Makri, Rotaru, Vercauteren and Wagh, *Rabbit* (FC'21), §4, which compares sums modulo
/// a power of two by three comparisons of words that parties know; each of these as in CrypTFlow2 (CCS'20), §3.
/// Security: semi-honest; that of the comparison of private words, since everything else is local. Words and results are
/// secret; which operands are public is not.
/// Cost: [`compare_cost`].
///
/// # Errors
/// [`ShareError::Width`], [`ShareError::Shape`] if there are not as many words on both sides, [`ShareError::Exhausted`],
/// [`ShareError::Padding`]; failures of the channel.
pub async fn compare_all(end: &mut End, comparisons: &[Comparison<'_>]) -> Result<Vec<Bits>, ShareError> {
    let mut questions = Vec::new();
    let mut locals = Vec::with_capacity(comparisons.len());
    for comparison in comparisons {
        check_width(comparison.bits)?;
        expect("words to compare with", comparison.y.words().len(), comparison.x.words().len())?;
        let (question, local) = ask(end.party, comparison);
        questions.extend(question);
        locals.push(local);
    }
    let mut answers = millionaires::compare(end, &questions).await?.into_iter();
    let answer = |(local, comparison): (Bits, &Comparison<'_>)| match is_local(comparison) {
        true => Ok(local),
        false => Ok(join(
            local,
            comparison.relation,
            found("answers of comparisons of private words", answers.next())?,
        )),
    };
    locals.into_iter().zip(comparisons).map(answer).collect()
}

/// The cost of [`compare_all`].
///
/// For a `<`, each shared operand and the difference take a comparison of private words of the same width;
/// [`Relation::LessWithin`] takes one of a bit less, and `=` a cheaper one. A comparison of private words of `bits` bits
/// has d = ceil(bits/4) digits. It takes d lookups, half of them in each direction; d offsets of four bits and d tables
/// of 32 bits, or 16 if only equality is tested; and d - 1 ANDs or pairs of ANDs in ceil(log2 d) rounds, after two rounds
/// for offsets and tables.
pub fn compare_cost(shapes: &[ComparisonShape]) -> Cost {
    let questions: Vec<(Ask, u32, u64)> = shapes
        .iter()
        .filter(|shape| shape.shared != [false; 2])
        .map(|shape| match shape.relation {
            Relation::Equal => (Ask::Equal, shape.bits, shape.lanes),
            Relation::LessWithin => (Ask::Less, shape.bits - 1, shape.lanes),
            Relation::LessUnsigned | Relation::LessSigned => {
                let wraps = 1 + shape.shared.iter().filter(|shared| **shared).count() as u64;
                (Ask::Less, shape.bits, wraps * shape.lanes)
            }
        })
        .collect();
    millionaires::cost(&questions)
}

fn is_local(comparison: &Comparison<'_>) -> bool {
    !comparison.x.is_shared() && !comparison.y.is_shared()
}

/// The comparison of private words that is needed, if any, and this party's local part of the answer.
fn ask(party: Party, comparison: &Comparison<'_>) -> (Option<Question>, Bits) {
    let Comparison { relation, x, y, bits } = *comparison;
    let top = 1u128 << (bits - 1);
    let flip = if relation == Relation::LessSigned && party == Party::First { top } else { 0 };
    let shifted = |operand: ComparisonOperand<'_>| -> Zeroizing<Vec<u128>> {
        let shares = operand.shares(party, bits);
        Zeroizing::new(shares.iter().map(|share| share.wrapping_add(flip) & mask(bits)).collect())
    };
    let (own_x, own_y) = (shifted(x), shifted(y));
    let difference = || {
        let of = |(x, y): (&u128, &u128)| x.wrapping_sub(*y) & mask(bits);
        Zeroizing::new(own_x.iter().zip(own_y.iter()).map(of).collect::<Vec<u128>>())
    };
    let borrows = || own_x.iter().zip(own_y.iter()).map(|(x, y)| x.overflowing_sub(*y).1);
    let (own, bits, ask, local) = match relation {
        Relation::Equal => {
            // u = d0 and v = -d1.
            let mut own = difference();
            if party == Party::Second {
                own.iter_mut().for_each(|word| *word = word.wrapping_neg() & mask(bits));
            }
            let local = if is_local(comparison) {
                own.iter().map(|word| *word == 0).collect()
            } else {
                Bits::default()
            };
            let local = if party == Party::First { local } else { Bits::zeros(local.len()) };
            (own, bits, Ask::Equal, local)
        }
        Relation::LessWithin => {
            let mut own = difference();
            let local = own.iter().map(|word| word >> (bits - 1) == 1).collect();
            own.iter_mut().for_each(|word| *word &= top - 1);
            (complemented(party, own, bits - 1), bits - 1, Ask::Less, local)
        }
        Relation::LessUnsigned | Relation::LessSigned => {
            let mut own = difference();
            let operands = [(x, &own_x), (y, &own_y)];
            operands.iter().filter(|(of, _)| of.is_shared()).for_each(|(_, words)| append(&mut own, words));
            (complemented(party, own, bits), bits, Ask::Less, borrows().collect())
        }
    };
    ((!is_local(comparison)).then_some(Question { own, bits, ask }), local)
}

/// The private words whose comparison tells whether shares wrap: u = 2^bits - 1 - x0 and v = x1.
pub(super) fn complemented(party: Party, mut words: Zeroizing<Vec<u128>>, bits: u32) -> Zeroizing<Vec<u128>> {
    if party == Party::First {
        words.iter_mut().for_each(|word| *word = !*word & mask(bits));
    }
    words
}

/// Combines this party's local part with the answer to the comparison of private words.
fn join(mut local: Bits, relation: Relation, mut answer: Answer) -> Bits {
    if relation == Relation::Equal {
        return answer.equal;
    }
    let lanes = local.len();
    for wraps in 0..answer.less.len() / lanes.max(1) {
        local ^= &answer.less.slice(wraps * lanes..(wraps + 1) * lanes);
    }
    answer.less.zeroize();
    local
}
