//! Conversions between labels and shares of bits.

use super::to_labels::{ToLabels, to_labels};
use crate::{Party, ShareError, yao};
use tacit_math::{Bits, Block};

/// Shares of the bits of labels: the labels' colours, since the colours of a wire's two labels differ.
///
/// Source: ABY (NDSS'15), §IV-A. Cost: nothing is sent.
pub fn y2b(labels: &[Block]) -> Bits {
    labels.iter().map(|label| label.lsb()).collect()
}

/// Labels of shared bits.
///
/// Source: ABY (NDSS'15), §IV-B. Differs: the first party's share costs nothing, since it flips the labels by delta if
/// its share is one.
/// Security: that of an input of the evaluator.
/// Cost: that of an input of the evaluator with as many bits.
///
/// # Errors
/// [`ShareError::Shape`] if there are not as many labels as bits; those of [`to_labels`].
pub async fn b2y(
    side: &mut impl yao::Adds,
    party: Party,
    shares: &Bits,
    labels: &mut [Block],
) -> Result<(), ShareError> {
    to_labels(side, party, vec![ToLabels::Bits { shares, labels }]).await
}
