//! Conversion of shares by sum to labels and to shares by exclusive or: an adder adds both parties' shares.

use super::to_labels::{ToLabels, to_labels};
use crate::correlations::check_width;
use crate::end::End;
use crate::{Party, ShareError, gmw, wires, yao};
use tacit_circuit::Executable;
use tacit_math::{Bits, Block};

/// Labels of shared words: the sum of both parties' shares by `adder`, whose gates have the ids from `first_id` on.
///
/// Source: ABY (NDSS'15), §IV-C.
/// Security and cost: those of [`yao::Adds::add`] if setup has garbled the sum, otherwise those of an input of each party
/// and of `adder` for each lane.
///
/// # Errors
/// [`ShareError::Shape`]; those of [`yao::Side`].
pub async fn a2y(
    side: &mut impl yao::Adds,
    party: Party,
    shares: &[u128],
    (adder, first_id): (&Executable, u64),
    labels: &mut [Block],
) -> Result<(), ShareError> {
    let region = yao::Region { circuit: adder, instances: shares.len() as u64, first_id };
    to_labels(side, party, vec![ToLabels::Sum(yao::Sum { region, shares, labels })]).await
}

/// Shares by exclusive or of the two addends of shared words of `bits` bits, each `bits` wires of as many lanes.
///
/// Cost: nothing is sent, since each addend is known to one party.
///
/// # Errors
/// [`ShareError::Width`].
pub fn a2b_addends(party: Party, shares: &[u128], bits: u32) -> Result<[Bits; 2], ShareError> {
    check_width(bits)?;
    let own = wires::from_words(shares, bits);
    let zeros = Bits::zeros(own.len());
    Ok(match party {
        Party::First => [own, zeros],
        Party::Second => [zeros, own],
    })
}

/// Shares by exclusive or of shared words: [`a2b_addends`] and their sum by `adder`, `bits` wires of as many lanes.
///
/// Source: ABY (NDSS'15), §IV-D, which describes the way through labels and this one.
/// Cost: that of `adder` in [`gmw::run`] for each lane.
///
/// # Errors
/// [`ShareError::Width`]; those of [`gmw::run`].
pub async fn a2b(end: &mut End, shares: &[u128], bits: u32, adder: &Executable) -> Result<Bits, ShareError> {
    let [first, second] = a2b_addends(end.party, shares, bits)?;
    let mut sums = Bits::zeros(first.len());
    let operand = |shares| gmw::BitOperand { shares, bits, share: 1 };
    let region = gmw::BitRegion {
        circuit: adder,
        instances: shares.len() as u64,
        operands: vec![operand(&first), operand(&second)],
        targets: vec![gmw::BitTarget { shares: &mut sums, bits }],
    };
    gmw::run(end, &mut [region]).await?;
    Ok(sums)
}
