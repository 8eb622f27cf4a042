//! The bidder's file for a bid: the halves that open it, and both servers' signed receipts.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tacit_net::keys::PublicKey;
use zeroize::Zeroizing;

use crate::AuctionError;
use crate::config::Role;
use crate::constants::BLINDING_BYTES;
use crate::name::{Name, from_hex};
use crate::receipt::{Blinding, SignedReceipt, commit};

/// The bidder's file for a bid. Whoever has it knows the bid.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// The auction.
    pub auction: String,
    /// The bid's name, public.
    pub name: Name,
    /// A half for each server, in hexadecimal digits: secret.
    pub(crate) halves: [Zeroed; 2],
    /// The blindings of the commitments to the halves, in hexadecimal digits: secret.
    pub(crate) blindings: [Zeroed; 2],
    /// The keys of A and B, as they were when the bid was sealed.
    pub(crate) keys: [String; 2],
    /// The receipts of A and B, once they have accepted the bid.
    #[serde(default)]
    pub signed: Option<[SignedReceipt; 2]>,
}

/// Text that is overwritten when it is dropped.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Zeroed(pub(crate) String);

impl Drop for Zeroed {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.0);
    }
}

impl Receipt {
    /// Writes it to a new file that only its owner can read.
    ///
    /// # Errors
    /// [`AuctionError::File`], also if the file exists.
    pub fn save(&self, file: &Path) -> Result<(), AuctionError> {
        use std::io::Write as _;
        use std::os::unix::fs::OpenOptionsExt;
        let text = Zeroizing::new(serde_json::to_string(self).unwrap_or_default());
        let write = || {
            let mut open = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)?;
            open.write_all(text.as_bytes())?;
            open.sync_all()
        };
        write().map_err(|source| AuctionError::File { file: file.into(), source })
    }

    /// Adds the servers' receipts from the answer of [`Service::submit`](crate::client::Service::submit), and rewrites the file that [`Receipt::save`] wrote.
    ///
    /// # Errors
    /// [`AuctionError::File`]; then the file is unchanged.
    pub fn keep(&mut self, said: &Value, file: &Path) -> Result<(), AuctionError> {
        self.signed = serde_json::from_value(said["receipts"].clone()).ok();
        let mut draft = file.as_os_str().to_owned();
        draft.push(".new");
        let draft = PathBuf::from(draft);
        // A draft may be left from an interrupted call.
        let _ = fs::remove_file(&draft);
        self.save(&draft)?;
        fs::rename(&draft, file).map_err(|source| AuctionError::File { file: file.into(), source })
    }

    /// A server's receipt, if it is for this half and signed with the key that the server had when the bid was sealed.
    pub(crate) fn checked(&self, server: usize, given: Value) -> Option<SignedReceipt> {
        let signed: SignedReceipt = serde_json::from_value(given).ok()?;
        let key: PublicKey = self.keys[server].parse().ok()?;
        let role = [Role::A, Role::B][server];
        let (half, blinding) = self.opening(server)?;
        let right = signed.commitment == commit(&blinding, &half);
        (right && signed.is_of(&key, role, &self.auction, &self.name)).then_some(signed)
    }

    /// The half for a server, and the blinding of its commitment.
    pub(crate) fn opening(&self, server: usize) -> Option<(Zeroizing<Vec<u8>>, Blinding)> {
        let half = Zeroizing::new(from_hex(&self.halves[server].0)?);
        let bytes = Zeroizing::new(from_hex(&self.blindings[server].0)?);
        let mut blinding = Zeroizing::new([0; BLINDING_BYTES]);
        if bytes.len() != BLINDING_BYTES {
            return None;
        }
        blinding.copy_from_slice(&bytes);
        Some((half, blinding))
    }

    /// Reads a file that [`Receipt::save`] wrote.
    ///
    /// # Errors
    /// [`AuctionError::File`], [`AuctionError::Config`].
    pub fn load(file: &Path) -> Result<Receipt, AuctionError> {
        let text =
            fs::read_to_string(file).map_err(|source| AuctionError::File { file: file.into(), source })?;
        serde_json::from_str(&Zeroizing::new(text)).map_err(|error| AuctionError::Config {
            file: file.display().to_string(),
            reason: format!("this file is not the receipt of a bid: {error}"),
        })
    }

    /// The blindings of the commitments, in hexadecimal digits.
    #[doc(hidden)]
    pub fn blindings(&self) -> [&str; 2] {
        [&self.blindings[0].0, &self.blindings[1].0]
    }

    /// The halves, in hexadecimal digits.
    #[doc(hidden)]
    pub fn halves(&self) -> [&str; 2] {
        [&self.halves[0].0, &self.halves[1].0]
    }
}
