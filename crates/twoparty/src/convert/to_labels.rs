//! Shares to labels.

use crate::error::expect;
use crate::triples::check_width;
use crate::{Party, ShareError, wires, yao};
use tacit_math::{Bits, Block};
use zeroize::Zeroizing;

/// Shares that become labels.
#[derive(Debug)]
pub enum ToLabels<'a> {
    /// Shared bits, and their labels.
    Bits {
        /// The shares.
        shares: &'a Bits,
        /// As many labels.
        labels: &'a mut [Block],
    },
    /// Shared words of `bits` bits, and the labels of both parties' shares, each `bits` wires of as many lanes.
    Addends {
        /// The shares.
        shares: &'a [u128],
        /// Their width.
        bits: u32,
        /// Labels of the first party's shares and of the second's.
        labels: [&'a mut [Block]; 2],
    },
}

impl ToLabels<'_> {
    fn check(&self) -> Result<(), ShareError> {
        match self {
            ToLabels::Bits { shares, labels } => expect("labels for shared bits", labels.len(), shares.len()),
            ToLabels::Addends { shares, bits, labels: [first, second] } => {
                check_width(*bits)?;
                expect("labels of the first addends", first.len(), shares.len() * *bits as usize)?;
                expect("labels of the second addends", second.len(), first.len())
            }
        }
    }

    /// Flips the labels of shared bits where the first party's share is one.
    fn flip(&mut self, side: &mut impl yao::Side, party: Party) -> Result<(), ShareError> {
        let (ToLabels::Bits { shares, labels }, Party::First) = (self, party) else { return Ok(()) };
        // A label of a known one is delta at the garbler, whatever the evaluator thinks.
        let mut flips = Zeroizing::new([Block::ZERO; 1024]);
        for (start, labels) in (0..).step_by(flips.len()).zip(labels.chunks_mut(flips.len())) {
            let flips = &mut flips[..labels.len()];
            side.constant(&shares.slice(start..start + labels.len()), flips)?;
            labels.iter_mut().zip(&*flips).for_each(|(label, flip)| *label ^= *flip);
        }
        Ok(())
    }

    /// This party's shares, and where the labels of the evaluator's go.
    fn parts(&mut self) -> (Bits, &mut [Block]) {
        match self {
            ToLabels::Bits { shares, labels } => ((*shares).clone(), labels),
            ToLabels::Addends { shares, bits, labels: [_, second] } => {
                (wires::from_words(shares, *bits), second)
            }
        }
    }
}

/// Makes labels of shares, all of them in one transfer.
///
/// Source: ABY (NDSS'15), §IV-B and §IV-C. Differs: of shared bits the first party's share costs nothing, as it flips
/// the labels by delta where its share is one.
/// Security: that of inputs of both parties.
/// Cost: that of an input of the evaluator of every bit, and of an input of the garbler of every bit of words.
///
/// # Errors
/// [`ShareError::Width`], [`ShareError::Shape`]; those of [`yao::Side`].
pub async fn to_labels(
    side: &mut impl yao::Side,
    party: Party,
    shares: &mut [ToLabels<'_>],
) -> Result<(), ShareError> {
    shares.iter().try_for_each(ToLabels::check)?;
    for share in shares.iter_mut() {
        if let ToLabels::Addends { shares, bits, labels: [first, _] } = share {
            match party {
                Party::First => side.own_input(&wires::from_words(shares, *bits), first).await?,
                Party::Second => side.peer_input(first).await?,
            }
        }
    }
    if let [share] = shares {
        // Nothing else is in the transfer, so that labels need not be copied.
        let (own, into) = share.parts();
        let own = Zeroizing::new(own);
        match party {
            Party::First => side.peer_input(into).await?,
            Party::Second => side.own_input(&own, into).await?,
        }
        return share.flip(side, party);
    }
    let mut own = Zeroizing::new(Bits::default());
    shares.iter_mut().for_each(|share| own.extend_bits(&share.parts().0));
    let mut labels = Zeroizing::new(vec![Block::ZERO; own.len()]);
    match party {
        Party::First => side.peer_input(&mut labels).await?,
        Party::Second => side.own_input(&own, &mut labels).await?,
    }
    let mut rest = &labels[..];
    for share in shares {
        let (_, into) = share.parts();
        let (labels, later) = rest.split_at(into.len());
        into.copy_from_slice(labels);
        share.flip(side, party)?;
        rest = later;
    }
    Ok(())
}
