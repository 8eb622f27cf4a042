//! Comparison of any number of private numbers of both servers into shared bits: in windows of one message each way, with randomness made on
//! demand where too little was prepared.

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
    /// This server's shares of the bits that say whether its numbers are less than the assistant's.
    ///
    /// Cost: [`Cost::less`] for each [`LESS_WINDOW`] numbers; randomness that was not prepared is made now. Security: as [`Server::share`].
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
    /// This party's shares of the bits that say whether the server's numbers are less than its own: see [`Server::share_less`].
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
