//! Halves at rest: each is encrypted under a key derived from the server's secret key.
//!
//! Security: AES-256-GCM-SIV with a random nonce; the name of the bid and its auction are associated data, so no half can take another's
//! place. Whoever has the database without the key only learns which bids exist.

use aes_gcm_siv::aead::{AeadInOut, KeyInit};
use aes_gcm_siv::{Aes256GcmSiv, Nonce, Tag};
use tacit_compare::{Half, Parameters};
use tacit_math::Wiped;
use tacit_net::keys::SecretKey;

use crate::AuctionError;
use crate::name::Name;

const NONCE_BYTES: usize = 12;
const TAG_BYTES: usize = 16;

/// The key under which halves are encrypted.
pub(crate) struct Vault {
    cipher: Aes256GcmSiv,
}

impl Vault {
    pub fn new(key: &SecretKey) -> Vault {
        let derived = key.derive("tacit 2026 halves of sealed bids at rest, version 1");
        Vault { cipher: Aes256GcmSiv::new((&*derived).into()) }
    }

    /// Encrypts a secret that belongs to `what`.
    pub fn seal(&self, what: &str, secret: &[u8]) -> Result<Vec<u8>, AuctionError> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(|error| AuctionError::Entropy(error.to_string()))?;
        let mut sealed = [&nonce[..], secret].concat();
        let tag = self
            .cipher
            .encrypt_inout_detached(&Nonce::from(nonce), what.as_bytes(), (&mut sealed[NONCE_BYTES..]).into())
            .map_err(|_| AuctionError::Damaged("a secret is too long".into()))?;
        sealed.extend_from_slice(&tag);
        Ok(sealed)
    }

    /// Decrypts a secret that [`Vault::seal`] encrypted for the same `what` under the same key.
    pub fn open(&self, what: &str, sealed: &[u8]) -> Result<Wiped<u8>, AuctionError> {
        let damaged = || AuctionError::Damaged(format!("{what} was not encrypted under this key"));
        let length = sealed.len().checked_sub(NONCE_BYTES + TAG_BYTES).ok_or_else(damaged)?;
        let (nonce, rest) = sealed.split_at(NONCE_BYTES);
        let (secret, tag) = rest.split_at(length);
        let nonce = Nonce::try_from(nonce).map_err(|_| damaged())?;
        let tag = Tag::try_from(tag).map_err(|_| damaged())?;
        let mut secret = Wiped::from(secret.to_vec());
        self.cipher
            .decrypt_inout_detached(&nonce, what.as_bytes(), (&mut secret[..]).into(), &tag)
            .map_err(|_| damaged())?;
        Ok(secret)
    }

    pub fn seal_half(&self, auction: &str, half: &Half) -> Result<Vec<u8>, AuctionError> {
        self.seal(&half_label(auction, Name(half.name())), &half.to_bytes())
    }

    pub fn open_half(
        &self,
        parameters: &Parameters,
        auction: &str,
        name: Name,
        sealed: &[u8],
    ) -> Result<Half, AuctionError> {
        let bytes = self.open(&half_label(auction, name), sealed)?;
        Ok(Half::from_bytes(parameters, &bytes)?)
    }
}

fn half_label(auction: &str, name: Name) -> String {
    format!("the half of bid {name} in {auction}")
}
