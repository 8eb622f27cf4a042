//! Conversion of shares to labels.

use crate::error::expect;
use crate::yao::{Sum, sum_width};
use crate::{Party, ShareError, wires, yao};
use tacit_math::{Bits, Block};
use zeroize::Zeroizing;

/// Shares to convert to labels.
pub enum ToLabels<'a> {
    /// Shared bits, and their labels.
    Bits {
        /// The shares.
        shares: &'a Bits,
        /// As many labels, to write.
        labels: &'a mut [Block],
    },
    /// Shared words, and the labels of their bits.
    Sum(Sum<'a>),
}

impl ToLabels<'_> {
    fn check(&self) -> Result<(), ShareError> {
        match self {
            ToLabels::Bits { shares, labels } => expect("labels for shared bits", labels.len(), shares.len()),
            ToLabels::Sum(sum) => Ok(sum.check().map(drop)?),
        }
    }
}

/// Converts shares to labels, all of them in one round.
///
/// Sums that setup has garbled ([`yao::Adds::has_ready`]) are converted by [`yao::Adds::add`]; other sums are garbled now,
/// with the shares as inputs of both parties.
///
/// Source: ABY (NDSS'15), §IV-B and §IV-C. Differs: the first party's share of a bit costs nothing, since it flips the labels
/// by delta if its share is one.
/// Security: that of inputs of both parties, and of [`yao::Adds`].
/// Cost: that of an input of the evaluator for every bit. Words that are not garbled yet also take that of an input of the
/// garbler and of their circuit.
///
/// # Errors
/// [`ShareError::Shape`]; those of [`yao::Side`].
pub async fn to_labels(
    side: &mut impl yao::Adds,
    party: Party,
    shares: Vec<ToLabels<'_>>,
) -> Result<(), ShareError> {
    shares.iter().try_for_each(ToLabels::check)?;
    let (mut bits, mut ready, mut garbled) = (Vec::new(), Vec::new(), Vec::new());
    for share in shares {
        match share {
            ToLabels::Bits { shares, labels } => bits.push((shares, labels)),
            ToLabels::Sum(sum) if side.has_ready(sum.region) => ready.push(sum),
            ToLabels::Sum(sum) => garbled.push(Addends::new(sum)?),
        }
    }
    for Addends { own, first, .. } in &mut garbled {
        match party {
            Party::First => side.own_input(own, first).await?,
            Party::Second => side.peer_input(first).await?,
        }
    }
    evaluator_shares(side, party, &mut bits, &mut garbled).await?;
    if !ready.is_empty() {
        side.add(&mut ready).await?;
    }
    for (shares, labels) in bits {
        flip(side, party, shares, labels)?;
    }
    for addends in garbled {
        addends.add(side).await?;
    }
    Ok(())
}

/// A sum both of whose words are inputs.
struct Addends<'a> {
    sum: Sum<'a>,
    bits: u32,
    /// This party's word.
    own: Zeroizing<Bits>,
    /// Labels of the first party's word and of the second's.
    first: Zeroizing<Vec<Block>>,
    second: Zeroizing<Vec<Block>>,
}

impl<'a> Addends<'a> {
    fn new(sum: Sum<'a>) -> Result<Addends<'a>, ShareError> {
        let bits = sum_width(sum.region)?;
        let own = Zeroizing::new(wires::from_words(sum.shares, bits));
        let labels = || Zeroizing::new(vec![Block::ZERO; sum.labels.len()]);
        let (first, second) = (labels(), labels());
        Ok(Addends { sum, bits, own, first, second })
    }

    async fn add(self, side: &mut impl yao::Side) -> Result<(), ShareError> {
        let operand = |labels| yao::LabelOperand { labels, bits: self.bits, share: 1 };
        let operands = [operand(&self.first[..]), operand(&self.second[..])];
        let mut targets = [yao::LabelTarget { labels: self.sum.labels, bits: self.bits }];
        Ok(side.circuit(self.sum.region, &operands, &mut targets).await?)
    }
}

/// Labels of the second party's shares, in one transfer.
async fn evaluator_shares(
    side: &mut impl yao::Side,
    party: Party,
    bits: &mut [(&Bits, &mut [Block])],
    sums: &mut [Addends<'_>],
) -> Result<(), ShareError> {
    if let ([(shares, labels)], []) = (&mut *bits, &*sums) {
        // The transfer has nothing else, so labels need not be copied.
        return match party {
            Party::First => Ok(side.peer_input(labels).await?),
            Party::Second => Ok(side.own_input(shares, labels).await?),
        };
    }
    let mut own = Zeroizing::new(Bits::default());
    bits.iter().for_each(|(shares, _)| own.extend_bits(shares));
    sums.iter().for_each(|sum| own.extend_bits(&sum.own));
    if own.is_empty() {
        return Ok(());
    }
    let mut labels = Zeroizing::new(vec![Block::ZERO; own.len()]);
    match party {
        Party::First => side.peer_input(&mut labels).await?,
        Party::Second => side.own_input(&own, &mut labels).await?,
    }
    let mut rest = &labels[..];
    let targets = bits.iter_mut().map(|(_, labels)| &mut **labels);
    for target in targets.chain(sums.iter_mut().map(|sum| &mut sum.second[..])) {
        let (labels, later) = rest.split_at(target.len());
        target.copy_from_slice(labels);
        rest = later;
    }
    Ok(())
}

/// Flips the labels of shared bits where the first party's share is one.
fn flip(
    side: &mut impl yao::Side,
    party: Party,
    shares: &Bits,
    labels: &mut [Block],
) -> Result<(), ShareError> {
    if party == Party::Second {
        return Ok(());
    }
    // The garbler's label of a known one is delta, whatever the evaluator has.
    let mut flips = Zeroizing::new([Block::ZERO; 1024]);
    for (start, labels) in (0..).step_by(flips.len()).zip(labels.chunks_mut(flips.len())) {
        let flips = &mut flips[..labels.len()];
        side.constant(&shares.slice(start..start + labels.len()), flips)?;
        labels.iter_mut().zip(&*flips).for_each(|(label, flip)| *label ^= *flip);
    }
    Ok(())
}
