//! Comparison of a private word of one party with a private word of the other.
//!
//! Words are divided into digits of four bits. For each digit, one party has a table over all values of the other's
//! digit, whose entry tells whether its own digit is less, and whether both are equal. The other party looks its own
//! digit up, obliviously, and both get shares of the two bits. These are joined in pairs, high and low: less =
//! less_high ^ equal_high·less_low, equal = equal_high·equal_low. Each party has the tables of half of the digits.
//!
//! Source: Rathee et al., *CrypTFlow2* (CCS'20), §3.1, Algorithm 1, with m = 4. Differs: the 1-out-of-16 OTs are those
//! of [`crate::correlations::LookupTables`], from setup; the two ANDs of a pair share a triple's operand
//! ([`crate::correlations::BitTriples`]); ANDs of only equality bits have four operands.
//! Security: semi-honest. An offset is masked by a random index, each entry of a table by a random one; see
//! [`crate::gmw`] for the ANDs.

use crate::correlations::{BitTriples, ENTRIES, INDEX_BITS, LookupTables};
use crate::cost::Cost;
use crate::end::End;
use crate::error::found;
use crate::gmw::{self, Layer};
use crate::{Party, ShareError};
use std::ops::Range;
use tacit_math::Bits;
use zeroize::{Zeroize, Zeroizing};

/// What is tested on the first party's word u and the second's word v.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// u < v.
    Less,
    /// u < v, and u = v.
    Both,
    /// u = v.
    Equal,
}

/// This party's words to compare, lane by lane.
pub(super) struct Question {
    pub own: Zeroizing<Vec<u128>>,
    pub bits: u32,
    pub ask: Ask,
}

/// Shares of the requested answers.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub less: Bits,
    pub equal: Bits,
}

fn digits(bits: u32) -> usize {
    bits.div_ceil(INDEX_BITS) as usize
}

/// Bytes of a table in messages.
fn table_bytes(asks: impl IntoIterator<Item = Ask>) -> usize {
    if asks.into_iter().all(|ask| ask == Ask::Equal) { 2 } else { 4 }
}

/// The digits, of all, whose tables a party has.
fn tables_of(party: Party, total: usize) -> Range<usize> {
    match party {
        Party::First => 0..total.div_ceil(2),
        Party::Second => total.div_ceil(2)..total,
    }
}

/// Answers several questions together.
///
/// Cost: [`cost`].
pub(super) async fn compare(end: &mut End, questions: &[Question]) -> Result<Vec<Answer>, ShareError> {
    // 1. The digits of all words, the highest first, lane after lane.
    let total = questions.iter().map(|question| digits(question.bits) * question.own.len()).sum();
    let mut all = Zeroizing::new(Vec::with_capacity(total));
    for question in questions {
        for digit in (0..digits(question.bits)).rev() {
            let shift = digit as u32 * INDEX_BITS;
            all.extend(question.own.iter().map(|word| (word >> shift) as u8 % ENTRIES as u8));
        }
    }
    let bytes = table_bytes(questions.iter().map(|question| question.ask));
    // 2. Shares of the two bits of each digit.
    let mut leaves = compare_digits(end, &all, bytes).await?;
    let mut position = 0;
    let mut trees: Vec<Tree> =
        questions.iter().map(|question| Tree::new(question, &leaves, &mut position)).collect();
    leaves.zeroize();
    // 3. Level by level, all trees together.
    while trees.iter().any(|tree| !tree.is_done()) {
        let mut layer = Layer::default();
        for tree in &trees {
            tree.gather(&mut layer, end)?;
        }
        let mut products = layer.open(end).await?.into_iter();
        trees.iter_mut().try_for_each(|tree| tree.scatter(&mut products))?;
    }
    Ok(trees.into_iter().zip(questions).map(|(tree, of)| tree.finish(end, of.own.len())).collect())
}

/// The cost of [`compare`] for questions with these bits and lanes.
pub(super) fn cost(questions: &[(Ask, u32, u64)]) -> Cost {
    let total: u64 = questions.iter().map(|(_, bits, lanes)| digits(*bits) as u64 * lanes).sum();
    let [first, second] =
        [Party::First, Party::Second].map(|party| tables_of(party, total as usize).len() as u64);
    let bytes = table_bytes(questions.iter().map(|(ask, ..)| *ask)) as u64;
    let mut cost = Cost::default();
    cost.requirement.require::<LookupTables>((), first);
    cost.exchange([second.div_ceil(2), first.div_ceil(2)]);
    cost.exchange([first * bytes, second * bytes]);
    let mut left: Vec<usize> = questions.iter().map(|(_, bits, _)| digits(*bits)).collect();
    while left.iter().any(|left| *left > 1) {
        let mut bits = 0;
        for (left, (ask, _, lanes)) in left.iter_mut().zip(questions) {
            if *ask == Ask::Equal {
                *left = gmw::level(*left, *lanes, &mut cost, &mut bits);
                continue;
            }
            let single = u64::from(*ask == Ask::Less && left.is_multiple_of(2) && *left > 0) * lanes;
            let pairs = (*left / 2) as u64 * lanes - single;
            cost.requirement.require::<BitTriples>(1, single);
            cost.requirement.require::<BitTriples>(2, pairs);
            bits += 2 * single + 3 * pairs;
            *left = left.div_ceil(2);
        }
        cost.exchange([bits.div_ceil(8); 2]);
    }
    cost
}

/// Shares of whether the first party's digits are less than the second's, and of whether they are equal. The former
/// have no meaning if tables have two bytes, which only hold the latter.
async fn compare_digits(end: &mut End, digits: &[u8], bytes: usize) -> Result<[Bits; 2], ShareError> {
    let (given, looked_up) = (tables_of(end.party, digits.len()), tables_of(end.party.peer(), digits.len()));
    let lookups = end.pool.take::<LookupTables>((), given.len().max(looked_up.len()))?;
    // 1. Offsets from the random indices to the digits.
    let mut offsets = Zeroizing::new(digits[looked_up.clone()].to_vec());
    offsets.iter_mut().zip(lookups.indices.iter()).for_each(|(digit, index)| *digit ^= index);
    let message: Vec<u8> = offsets.chunks(2).map(nibbles).collect();
    let mut theirs = vec![0; given.len().div_ceil(2)];
    end.channel.exchange(&message, &mut theirs).await?;
    if !given.len().is_multiple_of(2) && theirs.last().is_some_and(|last| last >> 4 != 0) {
        return Err(ShareError::Padding { what: "offsets of lookups", count: given.len() as u64 });
    }
    // 2. Tables, under this party's shares and the random tables.
    let shares = [end.own.next_bits(given.len()), end.own.next_bits(given.len())];
    let mut message = Vec::with_capacity(given.len() * bytes);
    for (i, digit) in digits[given.clone()].iter().enumerate() {
        let offset = theirs[i / 2] >> (4 * (i % 2)) & 15;
        let share = [0, 1].map(|s| (shares[s].words()[i / 64] >> (i % 64)) as u32 & 1);
        let plain = truth(end.party, *digit) ^ share[0].wrapping_neg() >> 16 ^ share[1].wrapping_neg() << 16;
        let table = (moved(lookups.tables[i], offset) ^ plain).to_le_bytes();
        message.extend_from_slice(&table[4 - bytes..]);
    }
    let mut theirs = vec![0; looked_up.len() * bytes];
    end.channel.exchange(&message, &mut theirs).await?;
    // 3. The entry at this party's digit.
    let found = find(&theirs, bytes, &digits[looked_up], &lookups);
    let [first, second] = match end.party {
        Party::First => [shares, found],
        Party::Second => [found, shares],
    };
    Ok([0, 1].map(|i| {
        let mut all = first[i].clone();
        all.extend_bits(&second[i]);
        all
    }))
}

/// Two digits in a byte.
fn nibbles(pair: &[u8]) -> u8 {
    // The last of an odd number of digits is paired with zeros.
    pair[0] | pair.get(1).copied().unwrap_or(0) << 4
}

/// For each value of the other's digit, the low half has whether the first party's digit is less, the high half whether
/// both are equal.
fn truth(party: Party, own: u8) -> u32 {
    let equal = 1u32 << own;
    let less = match party {
        Party::First => !(equal | (equal - 1)) & 0xffff,
        Party::Second => equal - 1,
    };
    less | equal << ENTRIES
}

/// The table whose entry v is entry v ^ offset of `table`; the offset is public.
fn moved(table: u32, offset: u8) -> u32 {
    const CLEAR: [u32; INDEX_BITS as usize] = [0x5555_5555, 0x3333_3333, 0x0f0f_0f0f, 0x00ff_00ff];
    (0..INDEX_BITS).fold(table, |table, j| {
        let low = CLEAR[j as usize];
        let swapped = (table & low) << (1 << j) | table >> (1 << j) & low;
        let swap = u32::from(offset >> j & 1).wrapping_neg();
        table ^ ((table ^ swapped) & swap)
    })
}

/// The two bits in each table at this party's digit, without the random bits that mask them. Tables are sent in full, or
/// only their high half.
fn find(tables: &[u8], bytes: usize, digits: &[u8], lookups: &LookupTables) -> [Bits; 2] {
    let mut words = [0, 1].map(|_| Vec::with_capacity(digits.len().div_ceil(64)));
    let chunks = tables.chunks(64 * bytes).zip(digits.chunks(64)).zip(lookups.entries.chunks(64));
    for ((tables, digits), entries) in chunks {
        let mut found = [0u64; 2];
        for (i, ((table, digit), entry)) in tables.chunks_exact(bytes).zip(digits).zip(entries).enumerate() {
            let mut halves = [0; 4];
            halves[4 - bytes..].copy_from_slice(table);
            let bits = u32::from_le_bytes(halves) >> digit ^ entry;
            found[0] |= u64::from(bits & 1) << i;
            found[1] |= u64::from(bits >> ENTRIES & 1) << i;
        }
        words.iter_mut().zip(found).for_each(|(words, found)| words.push(found));
    }
    words.map(|words| Bits::from_words(words, digits.len()))
}

/// The digits of one question, which are joined level by level.
enum Tree {
    Less { nodes: Vec<DigitNode>, ask: Ask },
    Equal(gmw::AndTree),
}

/// A sequence of digits: whether less, and whether equal if that still matters.
struct DigitNode {
    less: Bits,
    equal: Option<Bits>,
}

/// What a tree takes: its leaves, and the products of a layer.
const EQUALITIES: &str = "shares of the equality of digits";
const PRODUCTS: &str = "products of a layer of ANDs";

impl Tree {
    /// Takes the question's digits from `position` on.
    fn new(question: &Question, [less, equal]: &[Bits; 2], position: &mut usize) -> Tree {
        let (lanes, count) = (question.own.len(), digits(question.bits));
        let start = *position;
        *position += count * lanes;
        let part = |bits: &Bits, digit: usize| bits.slice(start + digit * lanes..start + (digit + 1) * lanes);
        if question.ask == Ask::Equal {
            return Tree::Equal(gmw::AndTree::new((0..count).map(|digit| part(equal, digit)).collect()));
        }
        // `Less` does not need the equality of the lowest digits.
        let known = |digit| question.ask == Ask::Both || digit + 1 < count;
        let node =
            |digit| DigitNode { less: part(less, digit), equal: known(digit).then(|| part(equal, digit)) };
        Tree::Less { nodes: (0..count).map(node).collect(), ask: question.ask }
    }

    fn is_done(&self) -> bool {
        match self {
            Tree::Less { nodes, .. } => nodes.len() < 2,
            Tree::Equal(tree) => tree.is_done(),
        }
    }

    fn gather(&self, layer: &mut Layer, end: &mut End) -> Result<(), ShareError> {
        let nodes = match self {
            Tree::Less { nodes, .. } => nodes,
            Tree::Equal(tree) => return tree.gather(layer, end),
        };
        for [high, low] in nodes.as_chunks().0 {
            let equal = found(EQUALITIES, high.equal.as_ref())?;
            match &low.equal {
                Some(low_equal) => layer.vector(end, equal, &[&low.less, low_equal])?,
                None => layer.and(end, equal, &low.less)?,
            }
        }
        Ok(())
    }

    fn scatter(&mut self, products: &mut impl Iterator<Item = Bits>) -> Result<(), ShareError> {
        let nodes = match self {
            Tree::Less { nodes, .. } => nodes,
            Tree::Equal(tree) if tree.is_done() => return Ok(()),
            Tree::Equal(tree) => return tree.scatter(products),
        };
        let mut joined = Vec::with_capacity(nodes.len().div_ceil(2));
        let mut rest = std::mem::take(nodes).into_iter();
        while let Some(mut high) = rest.next() {
            if let Some(mut low) = rest.next() {
                high.less ^= &found(PRODUCTS, products.next())?;
                let equal = low.equal.take().map(|_| found(PRODUCTS, products.next()));
                high.equal = equal.transpose()?;
            }
            joined.push(high);
        }
        *nodes = joined;
        Ok(())
    }

    fn finish(self, end: &End, lanes: usize) -> Answer {
        match self {
            Tree::Equal(tree) => Answer { less: Bits::default(), equal: tree.finish(end, lanes) },
            Tree::Less { mut nodes, ask } => {
                let DigitNode { less, equal } = nodes.pop().unwrap_or_else(|| DigitNode {
                    less: Bits::zeros(lanes),
                    equal: (ask == Ask::Both).then(|| gmw::AndTree::new(Vec::new()).finish(end, lanes)),
                });
                // Equality is empty if it was not requested.
                Answer { less, equal: equal.unwrap_or_default() }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise an empty vector would stand in for a product, and the answer would have no shares.
    #[test]
    fn a_missing_product_is_an_error() {
        let question = Question { own: Zeroizing::new(vec![0; 3]), bits: 8, ask: Ask::Both };
        let leaves = [Bits::zeros(6), Bits::zeros(6)];
        for products in 0..2 {
            let mut tree = Tree::new(&question, &leaves, &mut 0);
            let error = tree.scatter(&mut vec![Bits::zeros(3); products].into_iter()).unwrap_err();
            assert!(matches!(error, ShareError::Missing { .. }), "{error}");
        }
        let mut tree = Tree::new(&question, &leaves, &mut 0);
        tree.scatter(&mut vec![Bits::zeros(3); 2].into_iter()).unwrap();
        assert!(tree.is_done());
    }
}
