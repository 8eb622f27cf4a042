//! Runs both parties in one process, each with its end of an in-memory connection and its own randomness.

use tacit_crypto::Prg;
use tacit_net::{Channel, Options, StreamId, memory};

use crate::parties::{Holder, Owner};
use crate::{Function, PfeError, Protocol, Size};

/// The outputs that the data's owner learns, for the input bits of both parties. The parties exchange the same messages as two
/// processes would.
///
/// # Errors
/// [`PfeError::Inputs`], [`PfeError::Entropy`]. The protocols' other errors do not occur between two honest parties.
pub async fn both(function: Function, holder: &[bool], owner: &[bool]) -> Result<Vec<bool>, PfeError> {
    let (protocol, size) = (function.protocol(), *function.size());
    for (given, announced) in [(holder.len(), size.holder_inputs()), (owner.len(), size.owner_inputs())] {
        if given != announced {
            return Err(PfeError::Inputs { given, announced });
        }
    }
    let (here, there) = memory::pair(Options::default());
    let holds = async { hold(&mut here.open(StreamId(1))?, function, holder).await };
    let owns = async { own(&mut there.open(StreamId(1))?, protocol, size, owner).await };
    let ((), result) = tokio::try_join!(holds, owns)?;
    Ok(result)
}

async fn hold(channel: &mut Channel, function: Function, inputs: &[bool]) -> Result<(), PfeError> {
    let mut prg = Prg::from_os()?;
    let mut holder = Holder::new(function, &mut prg)?;
    let run = holder.introduce_and_prepare(channel, &mut prg).await?;
    run.evaluate(channel, inputs, &mut prg).await
}

async fn own(
    channel: &mut Channel,
    protocol: Protocol,
    size: Size,
    inputs: &[bool],
) -> Result<Vec<bool>, PfeError> {
    let mut prg = Prg::from_os()?;
    let mut owner = Owner::new(protocol, size, &mut prg)?;
    let run = owner.introduce_and_prepare(channel, &mut prg).await?;
    run.evaluate(channel, inputs, &mut prg).await
}

#[cfg(test)]
mod tests {
    use tacit_circuit::{CircuitBuilder, arithmetic};

    use super::*;
    use crate::InputOwner;

    #[tokio::test(flavor = "current_thread")]
    async fn all_protocols_find_the_same() {
        for protocol in Protocol::ALL {
            let mut builder = CircuitBuilder::new();
            let (limit, income) = (builder.input(4), builder.input(4));
            let granted = arithmetic::less_unsigned(&mut builder, &limit, &income);
            let circuit = builder.finish(vec![vec![granted], income]).unwrap();
            let owners = [InputOwner::Holder, InputOwner::Owner];
            let function = Function::from_circuit(protocol, &circuit, &owners, Some(90)).unwrap();
            assert_eq!(Protocol::from_name(protocol.name()), Some(protocol));
            assert_eq!(function.protocol(), protocol);
            let bits = |value: u8| (0..4).map(|i| value >> i & 1 == 1).collect::<Vec<_>>();
            let found = both(function, &bits(7), &bits(9)).await.unwrap();
            assert_eq!(found, [vec![true], bits(9)].concat(), "{protocol:?}");
        }
    }
}
