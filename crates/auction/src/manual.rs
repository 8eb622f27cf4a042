//! A manual bidder without a browser: raises a live price.

use serde_json::Value;
use tacit_net::keys::SecretKey;

use crate::AuctionError;
use crate::client::Service;
use crate::raise::{About, Raise};

impl Service {
    /// Signs a raise of a live price with the bidder's key, without giving it to anybody.
    ///
    /// # Errors
    /// [`AuctionError::Answer`] if the servers are not one service, or have no such auction.
    pub async fn sign_raise(
        &self,
        auction: &str,
        price: u64,
        key: &SecretKey,
    ) -> Result<Raise, AuctionError> {
        let (_, servers) = self.meet().await?;
        let deadline = self.auction(auction).await?["deadline"].as_u64().unwrap_or_default();
        Raise::sign(key, About { servers, auction, deadline }, price)
    }

    /// Gives both servers a raise until both have decided, and returns the decision. May be called again with the same raise.
    ///
    /// # Errors
    /// [`AuctionError::Answer`] if a server refuses the raise, or there is no decision in time.
    pub async fn raise(&self, auction: &str, raise: &Raise) -> Result<Value, AuctionError> {
        let (path, body) = (format!("/auctions/{auction}/raises"), serde_json::json!(raise));
        let what = format!("the raise to {}", raise.price);
        let [a, _] = self.settle(&path, &[body.clone(), body], &what).await?;
        Ok(a)
    }
}
