//! Both parties in one process, each with its end of a connection in memory and its own randomness.

use tacit_crypto::Prg;
use tacit_net::{Channel, Options, StreamId, memory};

use crate::universal::{self, UniversalSize};
use crate::{Function, PfeError, Protocol, Size, half_elgamal};

/// What the data's owner learns of a function on the input bits of both. The messages are those that two processes exchange.
///
/// # Errors
/// [`PfeError::Inputs`], [`PfeError::Entropy`]; the others of the protocols do not happen between two honest ends.
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
    match function {
        Function::HalfElGamal(function) => {
            let mut party = half_elgamal::Holder::new(function, &mut prg)?;
            let run = party.introduce_and_prepare(channel).await?;
            run.evaluate(channel, inputs, &mut prg).await
        }
        Function::UniversalCircuit(function) => universal::hold(channel, function, inputs, &mut prg).await,
    }
}

async fn own(
    channel: &mut Channel,
    protocol: Protocol,
    size: Size,
    inputs: &[bool],
) -> Result<Vec<bool>, PfeError> {
    let mut prg = Prg::from_os()?;
    match protocol {
        Protocol::HalfElGamal => {
            let mut party = half_elgamal::Owner::new(size);
            let run = party.introduce_and_prepare(channel, &mut prg).await?;
            run.evaluate(channel, inputs, &mut prg).await
        }
        Protocol::UniversalCircuit => {
            universal::evaluate(channel, &UniversalSize::new(size)?, inputs, &mut prg).await
        }
    }
}
