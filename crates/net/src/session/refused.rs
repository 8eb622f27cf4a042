//! The connections that a party turned away while it waited for its peers, counted by cause.

use std::collections::VecDeque;
use std::fmt;
use std::io;

/// The number of latest addresses that are kept for each cause.
const KEPT: usize = 3;

/// Why a connection did not become a link to a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The other end held a key that is not the peer's.
    WrongKey,
    /// The other end refused this party's key.
    KeyRefused,
    /// The other end sent something other than the protocol.
    Foreign,
    /// The other end took too long to prove who it is.
    Late,
    /// The other end ended the connection first.
    Ended,
    /// The connection was ended to make room for newer ones before its other end had proved who it is.
    Evicted,
    /// The other end is a party of another run, or uses an unexpected name.
    NoPart,
    /// The peer was linked already.
    Again,
    /// The operating system could not hand the connection over.
    NotAccepted,
}

impl Cause {
    fn phrase(self) -> &'static str {
        match self {
            Cause::WrongKey => "with a wrong key",
            Cause::KeyRefused => "that refused this party's key",
            Cause::Foreign => "that did not speak this protocol",
            Cause::Late => "that took too long to prove who they are",
            Cause::Ended => "that ended the connection first",
            Cause::Evicted => "that made room for newer ones before they had proved who they are",
            Cause::NoPart => "with no part in this run",
            Cause::Again => "of a peer that was linked already",
            Cause::NotAccepted => "that could not be accepted",
        }
    }
}

/// One connection that did not become a link.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) cause: Cause,
    /// Details in words; may be empty.
    pub(super) detail: String,
}

impl Refusal {
    pub(super) fn new(cause: Cause, detail: impl Into<String>) -> Self {
        Refusal { cause, detail: detail.into() }
    }

    /// Why a TLS handshake failed.
    pub(super) fn of_handshake(error: &io::Error) -> Self {
        use rustls::{CertificateError, Error};
        match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
            Some(Error::InvalidCertificate(CertificateError::Other(reason))) => {
                Refusal::new(Cause::WrongKey, reason.0.to_string())
            }
            Some(Error::InvalidCertificate(error)) => Refusal::new(Cause::WrongKey, format!("{error:?}")),
            Some(Error::AlertReceived(alert)) if is_refusal(*alert) => Refusal::new(Cause::KeyRefused, ""),
            Some(other) => Refusal::new(Cause::Foreign, other.to_string()),
            None if error.kind() == io::ErrorKind::InvalidData => {
                Refusal::new(Cause::Foreign, error.to_string())
            }
            None => Refusal::new(Cause::Ended, ""),
        }
    }
}

/// Whether an alert concerns a certificate, and so the key in it.
pub(crate) fn is_refusal(alert: rustls::AlertDescription) -> bool {
    use rustls::AlertDescription as Alert;
    matches!(
        alert,
        Alert::BadCertificate
            | Alert::UnsupportedCertificate
            | Alert::CertificateUnknown
            | Alert::UnknownCA
            | Alert::AccessDenied
            | Alert::DecryptError
    )
}

/// The connections that were turned away, for the error if a peer never comes. Its size is limited, whatever
/// their number.
#[derive(Clone, Debug, Default)]
pub struct Refusals {
    kinds: Vec<Kind>,
}

/// All refusals of one cause.
#[derive(Clone, Debug)]
struct Kind {
    cause: Cause,
    count: u64,
    /// Details of the last one.
    detail: String,
    /// The addresses of the last ones, oldest first.
    from: VecDeque<String>,
}

impl Refusals {
    /// The number of connections refused for a cause.
    pub fn count(&self, cause: Cause) -> u64 {
        self.kinds.iter().find(|kind| kind.cause == cause).map_or(0, |kind| kind.count)
    }

    /// Whether no connection was refused.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    pub(super) fn add(&mut self, Refusal { cause, detail }: Refusal, from: &str) {
        let known = self.kinds.iter().position(|kind| kind.cause == cause);
        let index = known.unwrap_or_else(|| {
            let kind = Kind { cause, count: 0, detail: String::new(), from: VecDeque::new() };
            self.kinds.push(kind);
            self.kinds.len() - 1
        });
        let kind = &mut self.kinds[index];
        kind.count += 1;
        if !detail.is_empty() {
            kind.detail = detail;
        }
        if kind.from.back().is_none_or(|last| last != from) {
            kind.from.push_back(from.to_owned());
        }
        if kind.from.len() > KEPT {
            kind.from.pop_front();
        }
    }
}

impl fmt::Display for Refusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("nobody");
        }
        for (index, kind) in self.kinds.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { ", " })?;
            kind.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} (", self.count, self.cause.phrase())?;
        if !self.detail.is_empty() {
            write!(f, "last: {}; ", self.detail)?;
        }
        write!(f, "at {})", Vec::from(self.from.clone()).join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_counted_and_only_the_last_addresses_kept() {
        let mut refused = Refusals::default();
        assert_eq!(refused.to_string(), "nobody");
        for port in 0..100_000 {
            refused.add(Refusal::new(Cause::Late, ""), &format!("10.0.0.1:{port}"));
        }
        refused.add(Refusal::new(Cause::WrongKey, "it presented k"), "10.0.0.2:5");
        refused.add(Refusal::new(Cause::WrongKey, "it presented l"), "10.0.0.2:5");
        assert_eq!((refused.count(Cause::Late), refused.count(Cause::WrongKey)), (100_000, 2));
        assert_eq!(refused.count(Cause::Again), 0);
        let text = refused.to_string();
        let late = "100000 that took too long to prove who they are (at 10.0.0.1:99997, 10.0.0.1:99998, 10.0.0.1:99999)";
        assert_eq!(text, format!("{late}, 2 with a wrong key (last: it presented l; at 10.0.0.2:5)"));
    }
}
