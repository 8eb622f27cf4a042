//! Between labels and shares of bits.

use crate::error::expect;
use crate::{Party, ShareError, yao};
use tacit_math::{Bits, Block};
use zeroize::Zeroizing;

/// Shares of the bits that labels carry: their colours, since those of a wire's two labels differ.
///
/// Source: ABY (NDSS'15), §IV-A. Cost: nothing is sent.
pub fn y2b(labels: &[Block]) -> Bits {
    labels.iter().map(|label| label.lsb()).collect()
}

/// Labels of shared bits.
///
/// Source: ABY (NDSS'15), §IV-B. Differs: the first party's share costs nothing, as it flips the labels by delta where
/// its share is one.
/// Security: that of an input of the evaluator.
/// Cost: that of an input of the evaluator with as many bits.
///
/// # Errors
/// [`ShareError::Shape`] if there are not as many labels as bits; those of [`yao::Side::peer_input`].
pub async fn b2y(
    side: &mut impl yao::Side,
    party: Party,
    shares: &Bits,
    labels: &mut [Block],
) -> Result<(), ShareError> {
    expect("labels for shared bits", labels.len(), shares.len())?;
    let mut flips = Zeroizing::new(vec![Block::ZERO; labels.len()]);
    match party {
        Party::First => {
            side.peer_input(labels).await?;
            // A label of a known one is delta at the garbler, whatever the evaluator thinks.
            side.constant(shares, &mut flips)?;
        }
        Party::Second => side.own_input(shares, labels).await?,
    }
    labels.iter_mut().zip(flips.iter()).for_each(|(label, flip)| *label ^= *flip);
    Ok(())
}
