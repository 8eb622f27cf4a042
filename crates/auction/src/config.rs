//! A server's configuration file.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use tacit_compare::{Parameters, Results};
use tacit_he::dgk::ModulusSize;
use tacit_net::keys::{PublicKey, SecretKey};

use crate::AuctionError;

/// One of the two servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The server: it has the DGK key, learns how bids compare, and writes the log.
    A,
    /// The assistant.
    B,
}

impl Role {
    /// Its name in sessions, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Role::A => "a",
            Role::B => "b",
        }
    }
}

/// The configuration of a server. Paths are relative to the file's folder.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The link to the other server.
    pub link: LinkConfig,
    /// The bidders' interface.
    pub https: HttpsConfig,
    /// The folder of the database. It is created so that only its owner can use it.
    pub state: PathBuf,
    /// The folder with definitions of auctions, one in each file whose name ends in `.toml`. It is read again every second.
    pub auctions: PathBuf,
    /// Sizes, equal at both servers.
    #[serde(default)]
    pub numbers: Numbers,
    /// Seconds that a half waits for its other half.
    #[serde(default = "patience")]
    pub patience_s: u64,
}

/// The link between both servers, over TLS with pinned keys.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkConfig {
    /// Where server A listens for server B, the same at both servers: `host:port`.
    pub address: String,
    /// File with this server's secret key (`tacit keygen`).
    pub key: PathBuf,
    /// File with the other server's public key.
    pub peer: PathBuf,
}

/// The bidders' interface.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpsConfig {
    /// Where to listen: `host:port`.
    pub listen: String,
    /// File with the certificate chain in PEM form.
    pub certificate: PathBuf,
    /// File with the certificate's key in PEM form.
    pub key: PathBuf,
    /// The origin of the bidders' page, such as `https://bid.example.org`: no other page may use this server.
    pub page_origin: String,
}

/// Sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Numbers {
    /// Bits of bids and prices, 1 to 64.
    pub bits: u32,
    /// Bits of the modulus: 2048 or 3072.
    pub modulus_bits: u32,
    /// For tests: allow any size of the modulus. Bids are not protected.
    #[serde(default)]
    pub insecure: bool,
}

impl Default for Numbers {
    fn default() -> Self {
        Numbers { bits: 32, modulus_bits: 2048, insecure: false }
    }
}

impl Numbers {
    /// The parameters of comparisons.
    ///
    /// # Errors
    /// [`AuctionError::Config`], with the name `file`, for sizes that are not supported.
    pub fn parameters(self, file: &str) -> Result<Parameters, AuctionError> {
        let Numbers { bits, modulus_bits, insecure } = self;
        let made = match (modulus_bits, insecure) {
            (2048, false) => Parameters::new(ModulusSize::MEDIUM, 224, bits, Results::Revealed),
            (3072, false) => Parameters::new(ModulusSize::LONG, 256, bits, Results::Revealed),
            (_, false) => {
                let reason = format!("numbers.modulus_bits: 2048 or 3072 is expected, not {modulus_bits}");
                return Err(AuctionError::Config { file: file.into(), reason });
            }
            (_, true) => ModulusSize::insecure(modulus_bits)
                .map_err(Into::into)
                .and_then(|size| Parameters::insecure(size, 48, bits, Results::Revealed)),
        };
        made.map_err(|error| AuctionError::Config { file: file.into(), reason: format!("numbers: {error}") })
    }
}

fn patience() -> u64 {
    20
}

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    /// [`AuctionError::File`], [`AuctionError::Config`].
    pub fn load(file: &Path) -> Result<Config, AuctionError> {
        let text = std::fs::read_to_string(file)
            .map_err(|source| AuctionError::File { file: file.into(), source })?;
        let fault = |reason: String| AuctionError::Config { file: file.display().to_string(), reason };
        let mut config: Config = toml::from_str(&text).map_err(|error| fault(error.to_string()))?;
        config.numbers.parameters(&file.display().to_string())?;
        if !(1..=3600).contains(&config.patience_s) {
            return Err(fault("patience_s: 1 to 3600 is expected".into()));
        }
        let origin = &config.https.page_origin;
        let host = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
        let plain = |c: char| c.is_ascii_alphanumeric() || "-.:[]".contains(c);
        if !host.is_some_and(|host| !host.is_empty() && host.chars().all(plain)) {
            return Err(fault(
                "https.page_origin: an origin such as https://bid.example.org is expected".into(),
            ));
        }
        let folder = file.parent().unwrap_or(Path::new("."));
        let LinkConfig { key, peer, .. } = &mut config.link;
        let HttpsConfig { certificate, key: https_key, .. } = &mut config.https;
        for path in [key, peer, certificate, https_key, &mut config.state, &mut config.auctions] {
            *path = folder.join(&*path);
        }
        Ok(config)
    }

    /// The keys of the link: this server's secret key, and the other's public key.
    pub(crate) fn keys(&self) -> Result<(SecretKey, PublicKey), AuctionError> {
        Ok((SecretKey::load(&self.link.key)?, PublicKey::load(&self.link.peer)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "state = \"s\"\nauctions = \"a\"\n[link]\naddress = \"h:1\"\nkey = \"a.key\"\npeer = \"b.pub\"\n\
        [https]\nlisten = \"h:2\"\ncertificate = \"c.pem\"\nkey = \"k.pem\"\npage_origin = \"https://bid.example\"\n";

    #[test]
    fn faults_name_the_file_and_the_entry() {
        let file = std::env::temp_dir().join(format!("tacit-auction-config-{}.toml", std::process::id()));
        let load = |text: &str| {
            std::fs::write(&file, text).unwrap();
            Config::load(&file)
        };
        let config = load(GOOD).unwrap();
        assert_eq!(config.state, std::env::temp_dir().join("s"));
        assert_eq!((config.numbers.bits, config.patience_s), (32, 20));
        let sizes = |text: &str| format!("{GOOD}[numbers]\n{text}\n");
        for (text, what) in [
            (GOOD.replace("https://bid.example", "https://bid.example/"), "page_origin"),
            (GOOD.replace("https://bid.example", "*"), "page_origin"),
            (format!("patience_s = 0\n{GOOD}"), "patience_s"),
            (format!("more = 1\n{GOOD}"), "more"),
            (GOOD.replace("peer", "pear"), "pear"),
            (sizes("bits = 16\nmodulus_bits = 1024"), "modulus_bits"),
            (sizes("bits = 65\nmodulus_bits = 2048"), "bits"),
        ] {
            let error = load(&text).unwrap_err().to_string();
            assert!(error.contains(what) && error.contains("tacit-auction-config"), "{error}");
        }
        std::fs::remove_file(&file).unwrap();
    }
}
