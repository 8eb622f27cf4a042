//! Both parties in one process, each with its end of a connection in memory and its own randomness.

use tacit_crypto::Prg;
use tacit_net::{Options, StreamId, memory};

use crate::{PfeError, PrivateFunction, half_elgamal};

/// What the data's owner learns of a function on the input bits of both. The messages are those that two processes exchange.
///
/// # Errors
/// [`PfeError::Inputs`], [`PfeError::Entropy`]; the others of [`half_elgamal`] do not happen between two honest ends.
pub async fn both(function: PrivateFunction, holder: &[bool], owner: &[bool]) -> Result<Vec<bool>, PfeError> {
    let size = *function.size();
    for (given, announced) in [(holder.len(), size.holder_inputs()), (owner.len(), size.owner_inputs())] {
        if given != announced {
            return Err(PfeError::Inputs { given, announced });
        }
    }
    let (here, there) = memory::pair(Options::default());
    let holds = async {
        let (mut channel, mut prg) = (here.open(StreamId(1))?, Prg::from_os()?);
        let mut party = half_elgamal::Holder::new(function, &mut prg)?;
        let run = party.introduce_and_prepare(&mut channel).await?;
        run.evaluate(&mut channel, holder, &mut prg).await
    };
    let owns = async {
        let (mut channel, mut prg) = (there.open(StreamId(1))?, Prg::from_os()?);
        let mut party = half_elgamal::Owner::new(size);
        let run = party.introduce_and_prepare(&mut channel, &mut prg).await?;
        run.evaluate(&mut channel, owner, &mut prg).await
    };
    let ((), result) = tokio::try_join!(holds, owns)?;
    Ok(result)
}
