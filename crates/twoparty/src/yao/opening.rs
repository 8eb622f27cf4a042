//! Opening wires: the colour of the active label, xored with that of the zero label, is the value.
//!
//! Since delta is odd, the least significant bits of a wire's two labels differ. Each party sends these bits of its
//! labels to the recipients of the value.

use super::{RevealTo, YaoError};
use tacit_math::{Bits, Block};
use tacit_net::Channel;
use tacit_ot::chosen::receive_bits;

/// Wires between two changes of the direction if both send: data on its way stays within a channel's credit.
pub const WINDOW: usize = 1 << 20;

/// The colours of labels.
pub(super) fn colours(labels: &[Block]) -> Bits {
    labels.iter().map(|label| label.lsb()).collect()
}

/// Opens wires whose labels here have these colours; returns the values if this party is a recipient, and the colours if
/// nobody is.
pub(super) async fn open(
    channel: &mut Channel,
    colours: &Bits,
    to_peer: bool,
    to_me: bool,
) -> Result<Option<Bits>, YaoError> {
    if !to_peer && !to_me {
        return Ok(Some(colours.clone()));
    }
    let mut values = Bits::default();
    for start in (0..colours.len()).step_by(WINDOW) {
        let own = colours.slice(start..colours.len().min(start + WINDOW));
        if to_peer {
            channel.send(&own.to_bytes()).await?;
            channel.flush().await?;
        }
        if to_me {
            let mut window = receive_bits(channel, own.len()).await?;
            window ^= &own;
            values.extend_bits(&window);
        }
    }
    Ok(to_me.then_some(values))
}

/// [`open`] at the garbler.
pub(super) async fn at_garbler(
    channel: &mut Channel,
    recipients: RevealTo,
    colours: &Bits,
) -> Result<Option<Bits>, YaoError> {
    open(channel, colours, recipients.include_evaluator(), recipients.include_garbler()).await
}

/// [`open`] at the evaluator.
pub(super) async fn at_evaluator(
    channel: &mut Channel,
    recipients: RevealTo,
    colours: &Bits,
) -> Result<Option<Bits>, YaoError> {
    open(channel, colours, recipients.include_garbler(), recipients.include_evaluator()).await
}
