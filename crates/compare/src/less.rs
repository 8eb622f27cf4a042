//! Private numbers of both servers compared into shared bits, any number of them: windows of one message each way, and randomness made where
//! none was prepared.

use tacit_net::Channel;
use zeroize::Zeroizing;

use crate::constants::LESS_WINDOW;
use crate::{Assistant, CompareError, Cost, Form, Inputs, Parameters, Relation, Results, Server};

impl Cost {
    /// One window of `count` comparisons by [`Server::share_less`].
    pub fn less(parameters: &Parameters, count: usize) -> Cost {
        Cost::compare(parameters, Form::Private, Relation::Less, Results::Shared, count)
    }
}

impl Server {
    /// This server's bits of whether its numbers are less than the assistant's.
    ///
    /// Cost: [`Cost::less`] for each [`LESS_WINDOW`] numbers; what was not prepared of the randomness is made. Security: as [`Server::share`].
    ///
    /// # Errors
    /// As [`Server::share`].
    pub async fn share_less(
        &mut self,
        channel: &mut Channel,
        numbers: &[u64],
    ) -> Result<Zeroizing<Vec<bool>>, CompareError> {
        let mut bits = Zeroizing::new(Vec::with_capacity(numbers.len()));
        for numbers in numbers.chunks(LESS_WINDOW) {
            let needed = Cost::less(&self.parameters(), numbers.len()).server_randomness;
            self.prepare(needed.saturating_sub(self.prepared()))?;
            let found = self.share(channel, Relation::Less, Inputs::Private { numbers }).await?;
            bits.extend(found.iter());
        }
        Ok(bits)
    }
}

impl Assistant {
    /// This server's bits of whether the other's numbers are less than its own: see [`Server::share_less`].
    ///
    /// # Errors
    /// As [`Assistant::share`].
    pub async fn share_less(
        &mut self,
        channel: &mut Channel,
        numbers: &[u64],
    ) -> Result<Zeroizing<Vec<bool>>, CompareError> {
        let mut bits = Zeroizing::new(Vec::with_capacity(numbers.len()));
        for numbers in numbers.chunks(LESS_WINDOW) {
            let needed = Cost::less(&self.parameters(), numbers.len()).assistant_randomness;
            self.prepare(needed.saturating_sub(self.prepared()));
            let found = self.share(channel, Relation::Less, Inputs::Private { numbers }).await?;
            bits.extend(found.iter());
        }
        Ok(bits)
    }
}
