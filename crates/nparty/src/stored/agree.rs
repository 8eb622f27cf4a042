//! Agreement on stored material: the parties tell each other what they hold, and use what all have.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tacit_net::{Session, StreamId};
use tacit_store::Stretch;

use super::material::Material;
use crate::error::{HoldingsError, RunError, UsageError};
use crate::parties::PartyIndex;

/// The stream on which parties send what they hold.
pub(crate) const STREAM: StreamId = StreamId(20);

/// The maximum length of these messages.
const MAX_BYTES: usize = 1 << 16;

/// Maximum stretches of entries that a party lists.
const MAX_STRETCHES: usize = 1000;

/// Maximum kinds of material that a party lists.
const MAX_KINDS: usize = 64;

/// A party's material of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HeldMaterial {
    pub(super) material: Material,
    /// The first number that was never assigned to an entry.
    pub(super) next: u64,
    /// All entries below are spent.
    pub(super) mark: u64,
    pub(super) ready: Vec<Stretch>,
}

/// A party's material.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Holdings {
    /// Random; identifies what is made in this session.
    pub(super) nonce: [u8; 16],
    pub(super) kinds: Vec<HeldMaterial>,
}

/// The material of one kind that all parties have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CommonMaterial {
    /// The first number that no party has assigned to an entry.
    pub(super) next: u64,
    /// By number.
    pub(super) ready: Vec<Stretch>,
}

impl Holdings {
    /// As much of it as may be sent.
    pub(super) fn told(mut self) -> Holdings {
        self.kinds.truncate(MAX_KINDS);
        let mut left = MAX_STRETCHES;
        for kind in &mut self.kinds {
            kind.ready.sort_by_key(|stretch| stretch.first);
            kind.ready.truncate(left);
            left -= kind.ready.len();
        }
        self
    }

    fn of(&self, material: Material) -> Option<&HeldMaterial> {
        self.kinds.iter().find(|held| held.material == material)
    }
}

/// By kind, the material that all parties have. Each has sent the same to all.
pub(super) fn common(all: &[Holdings]) -> BTreeMap<Material, CommonMaterial> {
    let kinds = all.iter().flat_map(|holdings| &holdings.kinds).map(|held| held.material);
    let shared = |material: Material| {
        let held: Vec<_> = all.iter().map(|holdings| holdings.of(material)).collect();
        // Zero if nobody holds any.
        let most =
            |of: fn(&HeldMaterial) -> u64| held.iter().flatten().map(|held| of(held)).max().unwrap_or(0);
        let mark = most(|held| held.mark);
        let mut ready = held.first().copied().flatten().map_or(Vec::new(), |held| held.ready.clone());
        for held in &held[1..] {
            ready = both(&ready, held.map_or(&[], |held| &held.ready));
        }
        let left = ready.iter().filter_map(|stretch| cut(stretch, mark, u64::MAX));
        (material, CommonMaterial { next: most(|held| held.next), ready: left.collect() })
    };
    kinds.map(shared).collect()
}

/// The part of a stretch between two numbers.
fn cut(stretch: &Stretch, from: u64, to: u64) -> Option<Stretch> {
    let first = stretch.first.max(from);
    let end = stretch.first.saturating_add(stretch.count).min(to);
    (first < end).then(|| Stretch { first, count: end - first, batch: stretch.batch })
}

/// Entries that are in both lists, and were made together. Each list is in order of numbers, and so is the
/// result.
fn both(a: &[Stretch], b: &[Stretch]) -> Vec<Stretch> {
    let (mut a, mut b, mut found) = (a.iter().peekable(), b.iter().peekable(), Vec::new());
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        let (x_end, y_end) = (x.first.saturating_add(x.count), y.first.saturating_add(y.count));
        if x.batch == y.batch {
            found.extend(cut(x, y.first, y_end));
        }
        if x_end <= y_end {
            a.next()
        } else {
            b.next()
        };
    }
    found
}

/// Sends this party's holdings to all others, and returns those of all, in the order of parties.
pub(super) async fn exchange(
    session: &Session,
    names: &[String],
    me: PartyIndex,
    ours: Holdings,
) -> Result<Vec<Holdings>, RunError> {
    let bytes = postcard::to_allocvec(&ours).map_err(RunError::Encoding)?;
    let mut channels = Vec::new();
    for name in names.iter().enumerate().filter(|(peer, _)| *peer != me).map(|(_, name)| name) {
        let missing = || UsageError::NoLink { party: name.clone() };
        let mut channel = session.connection(name).ok_or_else(missing)?.open(STREAM)?;
        channel.send(&(bytes.len() as u32).to_le_bytes()).await?;
        channel.send(&bytes).await?;
        channel.flush().await?;
        channels.push((name, channel));
    }
    let mut all = Vec::new();
    for (name, mut channel) in channels {
        let mut length = [0; 4];
        channel.receive_into(&mut length).await?;
        let length = u32::from_le_bytes(length) as usize;
        if length > MAX_BYTES {
            let error = HoldingsError::Length { length, limit: MAX_BYTES };
            return Err(RunError::Holdings { peer: name.clone(), error });
        }
        let mut bytes = vec![0; length];
        channel.receive_into(&mut bytes).await?;
        channel.finish().await?;
        all.push(decode(&bytes).map_err(|error| RunError::Holdings { peer: name.clone(), error })?);
    }
    all.insert(me, ours);
    Ok(all)
}

/// Decodes a party's holdings.
///
/// Errors: it can't be decoded, or stretches overlap or are out of order.
fn decode(bytes: &[u8]) -> Result<Holdings, HoldingsError> {
    let format = HoldingsError::Format { length: bytes.len() };
    let (holdings, rest) = postcard::take_from_bytes::<Holdings>(bytes).map_err(|_| format)?;
    if !rest.is_empty() {
        return Err(format);
    }
    for held in &holdings.kinds {
        held.ready.iter().try_fold(0, |least, stretch| {
            let end = stretch.first.checked_add(stretch.count).filter(|_| stretch.first >= least);
            end.ok_or(HoldingsError::Order { first: stretch.first })
        })?;
    }
    Ok(holdings)
}

/// See [`crate::fuzzing::holdings`].
pub(crate) fn fuzz(bytes: &[u8]) {
    let Ok(theirs) = decode(bytes) else { return };
    let again = postcard::to_allocvec(&theirs).expect("it was read");
    assert_eq!(decode(&again).as_ref(), Ok(&theirs));
    let ready = [(2, 5), (9, 40), (200, 1 << 40)];
    let ready = ready.map(|(first, count)| Stretch { first, count, batch: [1; 16] });
    let kinds =
        vec![HeldMaterial { material: Material::Bits, next: 1 << 41, mark: 3, ready: ready.to_vec() }];
    let all = [Holdings { nonce: [0; 16], kinds }, theirs];
    for (material, common) in common(&all) {
        for found in common.ready {
            let has = |held: &HeldMaterial| {
                held.ready.iter().any(|own| cut(&found, own.first, own.first + own.count) == Some(found))
            };
            assert!(all.iter().all(|holdings| holdings.of(material).is_some_and(has)), "{found:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(first: u64, count: u64, batch: u8) -> Stretch {
        Stretch { first, count, batch: [batch; 16] }
    }

    fn holdings(next: u64, mark: u64, ready: &[Stretch]) -> Holdings {
        let kinds = vec![HeldMaterial { material: Material::Bits, next, mark, ready: ready.to_vec() }];
        Holdings { nonce: [0; 16], kinds }
    }

    #[test]
    fn what_all_have_is_used_and_what_one_has_spent_is_not() {
        let a = holdings(30, 3, &[stretch(3, 7, 1), stretch(10, 10, 2), stretch(20, 10, 3)]);
        let b = holdings(20, 0, &[stretch(0, 10, 1), stretch(12, 8, 2)]);
        let c = holdings(40, 5, &[stretch(5, 5, 1), stretch(10, 5, 2), stretch(15, 5, 9)]);
        let found = common(&[a.clone(), b.clone(), c]);
        let expected = CommonMaterial { next: 40, ready: vec![stretch(5, 5, 1), stretch(12, 3, 2)] };
        assert_eq!(found, [(Material::Bits, expected)].into());
        // A party without material.
        let found = common(&[a, b, Holdings::default()]);
        assert_eq!(found, [(Material::Bits, CommonMaterial { next: 30, ready: vec![] })].into());
    }

    #[test]
    fn what_is_malformed_is_refused() {
        let good = holdings(9, 1, &[stretch(1, 2, 1), stretch(3, 2, 1)]);
        let bytes = postcard::to_allocvec(&good).expect("bytes");
        assert_eq!(decode(&bytes), Ok(good));
        let length = bytes.len();
        assert_eq!(decode(&bytes[1..]), Err(HoldingsError::Format { length: length - 1 }));
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(decode(&longer), Err(HoldingsError::Format { length: length + 1 }));
        for (wrong, first) in [
            ([stretch(3, 2, 1), stretch(4, 1, 1)], 4),
            ([stretch(u64::MAX, 2, 1), stretch(0, 1, 1)], u64::MAX),
        ] {
            let bytes = postcard::to_allocvec(&holdings(9, 1, &wrong)).expect("bytes");
            assert_eq!(decode(&bytes), Err(HoldingsError::Order { first }));
        }
    }

    #[test]
    fn no_more_is_told_than_fits() {
        let many: Vec<_> = (0..3000).map(|i| stretch(u64::MAX / 4000 * i, 1 << 50, 1)).collect();
        let told = holdings(u64::MAX, u64::MAX, &many).told();
        assert!(postcard::to_allocvec(&told).expect("bytes").len() < MAX_BYTES);
    }
}
