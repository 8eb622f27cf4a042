//! The session's material for comparisons of bits under encryption: a DGK key of the second party, and prepared randomness for each
//! run.

use std::sync::Arc;

use tacit_compare::{Assistant, CompareError, Server};
use tacit_he::Threads;
use tacit_math::Wiped;
use tacit_net::Channel;
use zeroize::Zeroizing;

use super::parameters::{HeParameters, ready};
use crate::{Party, ShareError};

/// A party's half of the session's key for comparisons.
#[derive(Clone)]
pub struct ComparisonKey(Arc<Comparator>);

/// A party's material for the comparisons of a run.
pub struct Comparator(End);

enum End {
    /// At the second party, which has the key.
    Server(Server),
    /// At the first party, which holds ciphertexts.
    Assistant(Assistant),
}

tacit_math::redacted!(ComparisonKey, Comparator);

impl ComparisonKey {
    /// Makes the key at the second party; the first party receives its public half and checks it.
    ///
    /// Cost: [`HeParameters::comparison_key_bytes`] from the second party, and the search for two primes.
    ///
    /// # Errors
    /// Failures of the channel; [`CompareError`] for an invalid key.
    pub async fn meet(
        channel: &mut Channel,
        party: Party,
        parameters: HeParameters,
    ) -> Result<ComparisonKey, ShareError> {
        let parameters = parameters.comparisons()?;
        let end = match party {
            Party::First => End::Assistant(Assistant::meet(parameters, Threads::all(), channel).await?),
            Party::Second => {
                let server = Server::generate(parameters, Threads::all())?;
                server.introduce(channel).await?;
                End::Server(server)
            }
        };
        Ok(ComparisonKey(Arc::new(Comparator(end))))
    }

    /// Prepares randomness for this many ciphertexts of the second and of the first party, up to the limit of
    /// setup.
    ///
    /// # Errors
    /// [`CompareError`] if the machine computes wrongly or provides no randomness.
    pub fn prepare(&self, [server, assistant]: [u64; 2]) -> Result<Comparator, ShareError> {
        Ok(Comparator(match &self.0.0 {
            End::Server(key) => {
                let mut end = key.unprepared()?;
                end.prepare(ready(server))?;
                End::Server(end)
            }
            End::Assistant(key) => {
                let mut end = key.unprepared()?;
                end.prepare(ready(assistant));
                End::Assistant(end)
            }
        }))
    }
}

impl Comparator {
    /// The second party's key.
    pub(super) fn server(server: Server) -> Comparator {
        Comparator(End::Server(server))
    }

    /// The first party's key.
    pub(super) fn assistant(assistant: Assistant) -> Comparator {
        Comparator(End::Assistant(assistant))
    }

    /// The key and the remaining randomness, which is secret.
    ///
    /// # Errors
    /// None for material from setup.
    pub(super) fn into_key_and_randomness(self) -> Result<[Wiped<u8>; 2], ShareError> {
        Ok(match self.0 {
            End::Server(mut end) => [end.key_bytes(), end.take_randomness()?],
            End::Assistant(mut end) => [Wiped::from(end.key_bytes()), end.take_randomness()?],
        })
    }

    pub(super) fn set_bits(&mut self, bits: u32) -> Result<(), CompareError> {
        match &mut self.0 {
            End::Server(server) => server.set_bits(bits),
            End::Assistant(assistant) => assistant.set_bits(bits),
        }
    }

    /// Shares, by exclusive or, of whether the second party's numbers are less than the first party's.
    pub(super) async fn less(
        &mut self,
        channel: &mut Channel,
        numbers: &[u64],
    ) -> Result<Zeroizing<Vec<bool>>, CompareError> {
        match &mut self.0 {
            End::Server(server) => server.share_less(channel, numbers).await,
            End::Assistant(assistant) => assistant.share_less(channel, numbers).await,
        }
    }
}
