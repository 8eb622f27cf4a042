//! What a session has for comparisons of bits under encryption: a DGK key of the second party's, and for each run randomness that was
//! computed ahead.

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

/// What a party has for the comparisons of a run.
pub struct Comparator(End);

enum End {
    /// Of the second party, whose key it is.
    Server(Server),
    /// Of the first party, who holds ciphertexts.
    Assistant(Assistant),
}

tacit_math::redacted!(ComparisonKey, Comparator);

impl ComparisonKey {
    /// Makes the key at the second party; the first one gets its public half, which it checks.
    ///
    /// Cost: [`HeParameters::comparison_key_bytes`] from the second party, and the search for two primes.
    ///
    /// # Errors
    /// Failures of the channel; [`CompareError`] for a key that no honest party makes.
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

    /// Computes randomness for so many ciphertexts of the second and of the first party, as far as setup does that.
    ///
    /// # Errors
    /// [`CompareError`] where the machine computes wrongly or gives no randomness.
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
    /// The second party's.
    pub(super) fn server(server: Server) -> Comparator {
        Comparator(End::Server(server))
    }

    /// The first party's.
    pub(super) fn assistant(assistant: Assistant) -> Comparator {
        Comparator(End::Assistant(assistant))
    }

    /// The key, and the randomness that is left, which is secret.
    ///
    /// # Errors
    /// None for what setup has made.
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

    /// Shares, by exclusive or, of whether the second party's numbers are less than the first one's.
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
