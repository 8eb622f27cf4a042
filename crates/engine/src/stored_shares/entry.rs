//! One party's share of a value, sealed and bound to the value's identity.

use std::fmt;

use aes_gcm_siv::aead::{AeadInOut, KeyInit};
use aes_gcm_siv::{Aes256GcmSiv, Nonce, Tag};
use serde::{Deserialize, Serialize};
use tacit_crypto::Prg;
use tacit_ir::{Domain, Shape, Words};
use tacit_math::Bits;
use tacit_plan::ShareForm;
use tacit_schedule::{Combined, rules};
use zeroize::Zeroizing;

use crate::sharing;

/// Version of entries, sealed into each.
const FORMAT: &str = "tacit kept share 2";

pub(super) type SealingKey = Zeroizing<[u8; 32]>;

/// The two parties, from the view of one of them.
#[derive(Clone, Debug)]
pub(crate) struct PartyPair {
    pub key: [u8; 32],
    pub peer_key: [u8; 32],
    /// The peer's name.
    pub peer: String,
}

/// Identifies one of the values that were kept under a name: the same at both parties, and unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    /// Incremented with each run that keeps something under the name.
    pub version: u64,
    pub id: [u8; 16],
}

impl Stamp {
    const BYTES: usize = 24;

    fn to_bytes(self) -> [u8; Stamp::BYTES] {
        let mut bytes = [0; Stamp::BYTES];
        bytes[..8].copy_from_slice(&self.version.to_le_bytes());
        bytes[8..].copy_from_slice(&self.id);
        bytes
    }

    fn from_bytes(bytes: &[u8; Stamp::BYTES]) -> Stamp {
        let [v0, v1, v2, v3, v4, v5, v6, v7, id @ ..] = *bytes;
        Stamp { version: u64::from_le_bytes([v0, v1, v2, v3, v4, v5, v6, v7]), id }
    }
}

/// A party's stamps under a name: of the value that both are known to have, and of the value that it wrote last without
/// knowing whether the other did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamps {
    pub current: Option<Stamp>,
    pub pending: Option<Stamp>,
}

impl Stamps {
    pub const BYTES: usize = 2 * Stamp::BYTES;

    /// Encodes the stamps; zeros, which are not a version, mean that there is none.
    pub fn to_bytes(self) -> [u8; Stamps::BYTES] {
        let mut bytes = [0; Stamps::BYTES];
        let halves = bytes.chunks_exact_mut(Stamp::BYTES).zip([self.current, self.pending]);
        halves.for_each(|(half, stamp)| {
            half.copy_from_slice(&stamp.map_or([0; Stamp::BYTES], Stamp::to_bytes))
        });
        bytes
    }

    pub fn from_bytes(bytes: &[u8; Stamps::BYTES]) -> Stamps {
        let half = |start: usize| {
            let half = bytes[start..start + Stamp::BYTES].try_into().ok()?;
            Some(Stamp::from_bytes(half)).filter(|stamp| stamp.version > 0)
        };
        Stamps { current: half(0), pending: half(Stamp::BYTES) }
    }

    pub fn all(self) -> impl Iterator<Item = Stamp> {
        self.pending.into_iter().chain(self.current)
    }

    /// The latest version; 0 if there is none.
    pub fn latest(self) -> u64 {
        self.all().map(|stamp| stamp.version).max().unwrap_or(0)
    }
}

/// The type of a value, and how it is shared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShareKind {
    pub shape: Shape,
    /// How the shares of each column combine.
    pub combined: Vec<Combined>,
}

impl ShareKind {
    pub fn new(shape: &Shape, forms: &[ShareForm]) -> ShareKind {
        ShareKind { shape: shape.clone(), combined: forms.iter().map(|form| form.combined).collect() }
    }

    pub fn forms(&self) -> Vec<ShareForm> {
        let columns = self.shape.columns().into_iter().zip(&self.combined);
        columns
            .map(|(column, combined)| ShareForm {
                bits: column.bits,
                lanes: column.lanes,
                combined: *combined,
                signed: false,
            })
            .collect()
    }
}

impl fmt::Display for ShareKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |combined: &Combined| {
            let fits = Domain::ALL.iter().filter(|domain| rules(**domain).combined == *combined);
            fits.map(|domain| domain.name()).collect::<Vec<_>>().join(" or ")
        };
        let mut domains: Vec<String> = self.combined.iter().map(names).collect();
        domains.dedup();
        ShapeText(&self.shape).fmt(f)?;
        write!(f, " in {}", domains.join(" and "))
    }
}

/// A shape as text.
struct ShapeText<'a>(&'a Shape);

impl fmt::Display for ShapeText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Shape::Integer { bits, signed } => write!(f, "{}{bits}", if *signed { 'i' } else { 'u' }),
            Shape::Float { bits } => write!(f, "f{bits}"),
            Shape::Array { length, element } => write!(f, "{}[{length}]", ShapeText(element)),
            Shape::Struct(members) => {
                let members: Vec<String> =
                    members.iter().map(|(name, shape)| format!("{name}: {}", ShapeText(shape))).collect();
                write!(f, "{{{}}}", members.join(", "))
            }
        }
    }
}

/// A stored share.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ShareEntry {
    pub stamp: Stamp,
    pub kind: ShareKind,
    nonce: [u8; 12],
    sealed: Vec<u8>,
    tag: [u8; 16],
}

/// The data to which the seal of an entry is bound.
#[derive(Serialize)]
struct Bound<'a> {
    format: &'a str,
    key: &'a [u8; 32],
    peer_key: &'a [u8; 32],
    name: &'a str,
    kind: &'a ShareKind,
    stamp: Stamp,
}

fn associated(pair: &PartyPair, name: &str, kind: &ShareKind, stamp: Stamp) -> Vec<u8> {
    let PartyPair { key, peer_key, .. } = pair;
    let bound = Bound { format: FORMAT, key, peer_key, name, kind, stamp };
    postcard::to_allocvec(&bound).expect("it holds only what has a form, and all lengths are known")
}

impl ShareEntry {
    /// Seals a share. `columns` are secret.
    pub fn seal(
        store: &SealingKey,
        (pair, name): (&PartyPair, &str),
        (kind, stamp): (ShareKind, Stamp),
        columns: &[Words],
        prg: &mut Prg,
    ) -> Option<ShareEntry> {
        let mut nonce = [0; 12];
        prg.fill_bytes(&mut nonce);
        let mut sealed = Zeroizing::new(sharing::pack(columns)).to_bytes();
        let bound = associated(pair, name, &kind, stamp);
        let cipher = Aes256GcmSiv::new((&**store).into());
        let tag =
            cipher.encrypt_inout_detached(&Nonce::from(nonce), &bound, sealed.as_mut_slice().into()).ok()?;
        Some(ShareEntry { stamp, kind, nonce, sealed, tag: tag.into() })
    }

    /// The columns of the share; `None` if the entry is not what it claims to be.
    pub fn open(&self, store: &SealingKey, pair: &PartyPair, name: &str) -> Option<Vec<Words>> {
        let forms = self.kind.forms();
        let bound = associated(pair, name, &self.kind, self.stamp);
        let mut bytes = Zeroizing::new(self.sealed.clone());
        let cipher = Aes256GcmSiv::new((&**store).into());
        cipher
            .decrypt_inout_detached(
                &Nonce::from(self.nonce),
                &bound,
                bytes.as_mut_slice().into(),
                &Tag::from(self.tag),
            )
            .ok()?;
        let bits = Bits::from_bytes(&bytes, sharing::bits_of(&forms) as usize).ok()?;
        Some(sharing::unpack(&forms, &Zeroizing::new(bits)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> PartyPair {
        PartyPair { key: [1; 32], peer_key: [2; 32], peer: "B".to_owned() }
    }

    #[test]
    fn an_entry_opens_only_as_what_it_was_sealed_as() {
        let shape = Shape::Integer { bits: 70, signed: true };
        let kind = ShareKind { shape, combined: vec![Combined::ExclusiveOr] };
        let stamp = Stamp { version: 3, id: [7; 16] };
        let columns = [Words::scalar(70, 1 << 69 | 5)];
        let key = Zeroizing::new([9; 32]);
        let mut prg = Prg::from_os().unwrap();
        let entry =
            ShareEntry::seal(&key, (&pair(), "x"), (kind.clone(), stamp), &columns, &mut prg).unwrap();
        assert_eq!(entry.open(&key, &pair(), "x").unwrap(), columns);
        let refused = |entry: &ShareEntry, key: &SealingKey, pair: &PartyPair, name: &str| {
            assert!(entry.open(key, pair, name).is_none());
        };
        refused(&entry, &key, &pair(), "y");
        refused(&entry, &Zeroizing::new([8; 32]), &pair(), "x");
        refused(&entry, &key, &PartyPair { peer_key: [3; 32], ..pair() }, "x");
        refused(&entry, &key, &PartyPair { key: [3; 32], ..pair() }, "x");
        refused(&ShareEntry { stamp: Stamp { version: 4, ..stamp }, ..entry.clone() }, &key, &pair(), "x");
        refused(&ShareEntry { stamp: Stamp { id: [8; 16], ..stamp }, ..entry.clone() }, &key, &pair(), "x");
        let arith = ShareKind { combined: vec![Combined::Sum], ..kind.clone() };
        refused(&ShareEntry { kind: arith, ..entry.clone() }, &key, &pair(), "x");
        let unsigned = ShareKind { shape: Shape::Integer { bits: 70, signed: false }, ..kind };
        refused(&ShareEntry { kind: unsigned, ..entry.clone() }, &key, &pair(), "x");
        for byte in 0..entry.sealed.len() {
            let mut damaged = entry.clone();
            damaged.sealed[byte] ^= 1;
            refused(&damaged, &key, &pair(), "x");
        }
        let mut short = entry;
        short.sealed.pop();
        refused(&short, &key, &pair(), "x");
    }

    /// All entries of a store are sealed under one key, so equal shares must be sealed differently.
    #[test]
    fn equal_shares_seal_differently() {
        let shape = Shape::Integer { bits: 64, signed: false };
        let kind = ShareKind { shape, combined: vec![Combined::Sum] };
        let stamp = Stamp { version: 1, id: [7; 16] };
        let (key, columns) = (Zeroizing::new([9; 32]), [Words::scalar(64, 5)]);
        let mut prg = Prg::from_os().unwrap();
        let mut seal =
            || ShareEntry::seal(&key, (&pair(), "x"), (kind.clone(), stamp), &columns, &mut prg).unwrap();
        let (one, other) = (seal(), seal());
        assert_ne!(one.nonce, other.nonce, "one nonce under one key");
        assert_ne!(one.sealed, other.sealed, "equal shares show that they are equal");
        assert_ne!(one.tag, other.tag, "equal shares show that they are equal");
    }

    #[test]
    fn stamps_come_back() {
        let stamp = |version| Some(Stamp { version, id: [version as u8; 16] });
        for stamps in [
            Stamps::default(),
            Stamps { current: stamp(1), pending: None },
            Stamps { current: None, pending: stamp(9) },
            Stamps { current: stamp(u64::MAX - 1), pending: stamp(u64::MAX) },
        ] {
            assert_eq!(Stamps::from_bytes(&stamps.to_bytes()), stamps);
        }
    }
}
