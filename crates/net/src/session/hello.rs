//! The greeting: what each side wants to run, compared before anything else happens.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::fault::SessionFault;
use crate::protocol_fault::ProtocolFault;
use crate::{Channel, NetError};

/// Version of links, frames and greetings. The protocols within a session are compared by release and layouts
/// ([`super::Build`]).
pub const PROTOCOL_VERSION: u32 = 4;

/// The first bytes of every greeting, in every version.
const MAGIC: [u8; 8] = *b"tacit\r\n\0";

/// Bytes before a greeting's body: magic, version and the body's length.
pub(crate) const HEAD_BYTES: usize = 16;

/// The longest accepted greeting, and the most fields and longest texts in it.
const MAX_HELLO_BYTES: usize = 64 * 1024;
const MAX_FIELDS: usize = 64;
const MAX_NAME_BYTES: usize = 64;
const MAX_DESCRIPTION_BYTES: usize = 1024;

/// A property that both sides must share, such as "program" or "security parameters". All of it is public.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Its name, for the error if it differs.
    pub name: String,
    /// Hash of its value; only this decides whether two fields are equal.
    pub hash: [u8; 32],
    /// The value in words, for the error.
    pub description: String,
}

impl fmt::Debug for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.description)
    }
}

impl Field {
    /// A field whose value hashes to `hash`. Texts beyond the greeting's limits (64 and 1024 bytes) are shortened.
    pub fn new(name: impl Into<String>, hash: [u8; 32], description: impl Into<String>) -> Self {
        Field {
            name: shortened(name.into(), MAX_NAME_BYTES),
            hash,
            description: shortened(description.into(), MAX_DESCRIPTION_BYTES),
        }
    }

    /// A field whose value is its description.
    pub fn text(name: impl Into<String>, description: impl Into<String>) -> Self {
        let description = description.into();
        Field::new(name, *blake3::hash(description.as_bytes()).as_bytes(), description)
    }
}

/// Exchanges `fields` on a channel of an established session and compares them like greetings: for properties
/// on which parties agree after their greetings. `me` is this party.
///
/// Cost: one message each way, at most 64 KiB.
///
/// Errors: [`NetError::Mismatch`] names the first field that differs, at both sides; [`NetError::Session`] for fields that exceed the
/// greeting's limits; failures of the channel.
pub async fn compare_fields(channel: &mut Channel, me: &str, fields: Vec<Field>) -> Result<(), NetError> {
    let ours = Hello { from: me.to_owned(), nonce: [0; 32], fields };
    ours.send(channel).await?;
    let theirs = Hello::receive(channel).await?;
    ours.compare(&theirs, &channel.peer())
}

/// Encodes fields, for properties on which parties agree within their own messages: see [`compare_encoded`].
///
/// Errors: [`NetError::Session`] for fields that exceed the greeting's limits.
pub fn encode_fields(fields: Vec<Field>) -> Result<Vec<u8>, NetError> {
    Hello { from: String::new(), nonce: [0; 32], fields }.encode()
}

/// Compares encoded fields with those of a peer, like greetings.
///
/// Errors: [`NetError::Mismatch`] names the first field that differs; [`NetError::Protocol`] if the peer's
/// bytes are not fields.
pub fn compare_encoded(ours: &[u8], theirs: &[u8], peer: &str) -> Result<(), NetError> {
    let decoded = |bytes| Hello::decode(bytes).ok_or_else(|| wrong(peer, ProtocolFault::Greeting));
    decoded(ours)?.compare(&decoded(theirs)?, peer)
}

/// The length of the body after this head of a peer's greeting.
///
/// Errors: as [`Hello::receive`].
pub(crate) fn body_length(head: [u8; HEAD_BYTES], peer: &str) -> Result<usize, NetError> {
    let [magic @ .., v0, v1, v2, v3, l0, l1, l2, l3] = head;
    if magic != MAGIC {
        return Err(wrong(peer, ProtocolFault::NoGreeting));
    }
    let version = u32::from_le_bytes([v0, v1, v2, v3]);
    if version != PROTOCOL_VERSION {
        return Err(NetError::Mismatch {
            peer: peer.to_owned(),
            field: "protocol version".to_owned(),
            ours: PROTOCOL_VERSION.to_string(),
            theirs: version.to_string(),
        });
    }
    match u32::from_le_bytes([l0, l1, l2, l3]) as usize {
        length @ ..=MAX_HELLO_BYTES => Ok(length),
        length => Err(wrong(peer, ProtocolFault::LongGreeting { length, limit: MAX_HELLO_BYTES })),
    }
}

fn wrong(peer: &str, fault: ProtocolFault) -> NetError {
    NetError::Protocol { peer: peer.to_owned(), fault }
}

fn shortened(mut text: String, limit: usize) -> String {
    text.truncate(text.floor_char_boundary(limit));
    text
}

/// The first message of a party.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Hello {
    /// The party that sends it.
    pub(crate) from: String,
    /// Fresh random bytes of the party, the same to every peer.
    pub(crate) nonce: [u8; 32],
    /// The fields that must be equal, in order.
    pub(crate) fields: Vec<Field>,
}

impl Hello {
    /// Sends the greeting.
    ///
    /// Errors: [`NetError::Session`] for a greeting that every peer would refuse.
    pub(crate) async fn send(&self, channel: &mut Channel) -> Result<(), NetError> {
        let body = self.encode()?;
        channel.send(&MAGIC).await?;
        channel.send(&PROTOCOL_VERSION.to_le_bytes()).await?;
        channel.send(&(body.len() as u32).to_le_bytes()).await?;
        channel.send(&body).await?;
        channel.flush().await
    }

    /// Receives the peer's greeting.
    ///
    /// Errors: [`NetError::Mismatch`] for another version of the protocol, [`NetError::Protocol`] for
    /// anything that is not a greeting.
    pub(crate) async fn receive(channel: &mut Channel) -> Result<Self, NetError> {
        let peer = channel.peer();
        let mut head = [0; HEAD_BYTES];
        channel.receive_into(&mut head).await?;
        let mut body = vec![0; body_length(head, &peer)?];
        channel.receive_into(&mut body).await?;
        Hello::decode(&body).ok_or_else(|| wrong(&peer, ProtocolFault::Greeting))
    }

    pub(crate) fn encode(&self) -> Result<Vec<u8>, NetError> {
        match postcard::to_allocvec(self) {
            Ok(body) if self.within_limits() && body.len() <= MAX_HELLO_BYTES => Ok(body),
            _ => Err(SessionFault::Greeting { fields: MAX_FIELDS, bytes: MAX_HELLO_BYTES }.into()),
        }
    }

    /// Decodes a greeting; none if the bytes are not exactly one.
    pub(crate) fn decode(body: &[u8]) -> Option<Self> {
        let (hello, rest) = postcard::take_from_bytes::<Hello>(body).ok()?;
        (rest.is_empty() && hello.within_limits()).then_some(hello)
    }

    fn within_limits(&self) -> bool {
        let plain = |text: &str, limit| text.len() <= limit && !text.contains(|c: char| c.is_control());
        self.fields.len() <= MAX_FIELDS
            && plain(&self.from, MAX_NAME_BYTES)
            && self.fields.iter().all(|field| {
                plain(&field.name, MAX_NAME_BYTES) && plain(&field.description, MAX_DESCRIPTION_BYTES)
            })
    }

    /// The error for the first field that differs, if any.
    pub(crate) fn compare(&self, theirs: &Hello, peer: &str) -> Result<(), NetError> {
        let count = self.fields.len().max(theirs.fields.len());
        for index in 0..count {
            let (ours, theirs) = (self.fields.get(index), theirs.fields.get(index));
            let same = ours.map(Field::key) == theirs.map(Field::key);
            if let (false, Some(named)) = (same, ours.or(theirs)) {
                return Err(NetError::Mismatch {
                    peer: peer.to_owned(),
                    field: named.name.clone(),
                    ours: description(ours, &named.name),
                    theirs: description(theirs, &named.name),
                });
            }
        }
        Ok(())
    }

    /// Adds the greeting to a hash.
    pub(crate) fn absorb(&self, hasher: &mut blake3::Hasher) {
        absorb(hasher, self.from.as_bytes());
        hasher.update(&self.nonce);
        absorb(hasher, &(self.fields.len() as u64).to_le_bytes());
        for field in &self.fields {
            absorb(hasher, field.name.as_bytes());
            hasher.update(&field.hash);
        }
    }
}

impl Field {
    fn key(&self) -> (&str, &[u8; 32]) {
        (&self.name, &self.hash)
    }
}

fn description(field: Option<&Field>, name: &str) -> String {
    match field {
        Some(field) if field.name == name => field.description.clone(),
        Some(field) => format!("none, but {}", field.name),
        None => "none".to_owned(),
    }
}

/// Adds bytes to a hash so that different sequences of byte strings never give the same input.
pub(super) fn absorb(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hello(fields: Vec<Field>) -> Hello {
        Hello { from: "A".into(), nonce: [1; 32], fields }
    }

    #[test]
    fn the_first_difference_is_named() {
        let ours = hello(vec![Field::text("program", "p"), Field::text("plan", "x")]);
        let theirs = hello(vec![Field::text("program", "p"), Field::text("plan", "y")]);
        assert!(ours.compare(&ours, "B").is_ok());
        let error = ours.compare(&theirs, "B").unwrap_err().to_string();
        assert!(error.contains("plan") && error.contains('x') && error.contains('y'), "{error}");
    }

    #[test]
    fn a_missing_field_is_a_difference() {
        let ours = hello(vec![Field::text("program", "p")]);
        let error = ours.compare(&hello(vec![]), "B").unwrap_err().to_string();
        assert!(error.contains("program") && error.contains("none"), "{error}");
        let error = hello(vec![]).compare(&ours, "B").unwrap_err().to_string();
        assert!(error.contains("program") && error.contains("none"), "{error}");
        let other = hello(vec![Field::text("plan", "p")]);
        let error = ours.compare(&other, "B").unwrap_err().to_string();
        assert!(error.contains("differ in program") && error.contains("but plan"), "{error}");
    }

    #[test]
    fn limits_hold() {
        let field = Field::text("n".repeat(99), "ä".repeat(999));
        assert!(field.name.len() == 64 && field.description.len() <= 1024);
        assert!(hello(vec![field.clone(); 64]).encode().is_err());
        assert!(hello(vec![Field::text("a", "b"); 65]).encode().is_err());
        let good = hello(vec![field; 3]);
        assert_eq!(Hello::decode(&good.encode().unwrap()), Some(good));
    }

    proptest! {
        #[test]
        fn any_bytes_decode_or_fail(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            if let Some(hello) = Hello::decode(&bytes) {
                prop_assert!(hello.within_limits());
            }
        }

        #[test]
        fn every_flip_changes_or_fails(position: prop::sample::Index, bit in 0u8..8) {
            let good = hello(vec![Field::text("program", "p"), Field::text("plan", "x")]);
            let mut bytes = good.encode().unwrap();
            *position.get_mut(&mut bytes) ^= 1 << bit;
            prop_assert_ne!(Hello::decode(&bytes), Some(good));
        }
    }
}
