//! One party's end of the protocols on shares.

use crate::correlations::{OnlineMatrices, Pool};
use crate::he::HeMaterial;
use crate::{Party, ShareError};
use tacit_crypto::Prg;
use tacit_math::Block;
use tacit_net::Channel;
use zeroize::Zeroizing;

/// One party's end of [`crate::gmw`], [`crate::arith`] and [`crate::convert`]: its channel, the material from setup,
/// and randomness. Both parties call the same functions in the same order on equal numbers of values.
///
/// After an error the end cannot be used any more.
pub struct End {
    pub(crate) party: Party,
    pub(crate) channel: Channel,
    pub(crate) pool: Pool,
    /// Material of encrypted words, if there are any.
    pub(crate) he: Option<HeMaterial>,
    /// Products of matrices without triples.
    pub(crate) matrices: OnlineMatrices,
    /// This party's own randomness.
    pub(crate) own: Prg,
    /// Randomness that only the two parties know.
    pub(crate) common: Prg,
}

impl End {
    /// Starts a run, with fresh common randomness. `prg` must be secret and fresh.
    ///
    /// Cost: 16 bytes each way, one round.
    ///
    /// # Errors
    /// Failures of the channel.
    pub async fn start(
        mut channel: Channel,
        party: Party,
        pool: Pool,
        mut prg: Prg,
    ) -> Result<End, ShareError> {
        let seed = SeedOffer::send(&mut channel, &mut prg).await?.agree(&mut channel).await?;
        Ok(End::resume(channel, party, (pool, seed), prg))
    }

    /// Starts a run with a pool that was made and a seed that was [agreed](SeedOffer) before, which only serve this run. Sends nothing;
    /// `prg` must be secret and fresh.
    pub fn resume(channel: Channel, party: Party, (pool, seed): (Pool, Block), prg: Prg) -> End {
        let (he, matrices) = (None, OnlineMatrices::default());
        End { party, channel, pool, he, matrices, own: prg, common: Prg::new(seed) }
    }

    /// With the material of encrypted words.
    pub fn with_encryption(self, material: HeMaterial) -> End {
        End { he: Some(material), ..self }
    }

    /// With products of matrices that lattices compute online.
    pub fn with_matrices(self, matrices: OnlineMatrices) -> End {
        End { matrices, ..self }
    }

    /// Takes back the argument of [`End::with_matrices`]; afterwards such products take triples.
    pub fn take_matrices(&mut self) -> OnlineMatrices {
        std::mem::take(&mut self.matrices)
    }

    /// Which party this is.
    pub fn party(&self) -> Party {
        self.party
    }

    /// The channel.
    pub fn channel(&self) -> &Channel {
        &self.channel
    }

    /// Begins a phase: see [`Channel::begin_phase`].
    pub fn begin_phase(&mut self) {
        self.channel.begin_phase();
    }

    /// Whether all material from setup is used.
    pub fn is_spent(&self) -> bool {
        self.pool.is_spent()
    }

    /// Ends the run and returns the channel.
    pub fn finish(self) -> Channel {
        self.channel
    }
}

/// This party's part of a seed that only the two parties know, which is made of both parties' randomness.
pub struct SeedOffer(Zeroizing<[Block; 1]>);

impl SeedOffer {
    /// Sends this party's part; `prg` must be secret and fresh. Whatever the parties do next, on this channel's connection, need not wait
    /// for the peer's part.
    ///
    /// Cost: 16 bytes each way, one round.
    ///
    /// # Errors
    /// Failures of the channel.
    pub async fn send(channel: &mut Channel, prg: &mut Prg) -> Result<SeedOffer, ShareError> {
        let own = prg.next_block();
        channel.send(&own.to_bytes()).await?;
        channel.flush().await?;
        Ok(SeedOffer(Zeroizing::new([own])))
    }

    /// The seed: reads the peer's part.
    ///
    /// # Errors
    /// Failures of the channel.
    pub async fn agree(self, channel: &mut Channel) -> Result<Block, ShareError> {
        let mut peer = [0; Block::BYTES];
        channel.receive_into(&mut peer).await?;
        Ok(self.0[0] ^ Block::from_bytes(peer))
    }
}
