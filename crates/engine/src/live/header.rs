//! The garbler's headers: before a batch, the steps of each path that run next; and the announcement of a
//! run.

use serde::{Deserialize, Serialize};
use tacit_net::Channel;

use super::value::PathId;
use crate::Failure;
use crate::peer_fault::{LiveFault, PeerFault};

/// Maximum steps that run together.
pub(super) const MAX_STEPS: usize = 1 << 14;

/// Maximum length of a header: the largest batch, with each step in a range and a path of its own.
const MAX_BYTES: usize = MAX_STEPS * 64 + 1024;

/// The first 16 bytes of the hash of a step's history.
pub(super) type Tag = [u8; 16];

/// What follows on the stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Header {
    /// Steps that run together.
    Batch(BatchHeader),
    /// Nothing; the program has ended.
    Close {
        /// Hash of everything that it appended.
        hash: [u8; 32],
    },
    /// Nothing; this step is a run, which begins once the evaluator says so.
    Run {
        /// Its path.
        path: PathId,
        /// Its number there.
        number: u64,
        /// A hash of everything that its path appended up to it.
        tag: Tag,
        /// Whether the garbler has something to run.
        ready: bool,
    },
}

/// Steps that run together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BatchHeader {
    /// The paths, and the numbers of their steps as ranges with first number and count, in the order in which
    /// they run.
    pub paths: Vec<(PathId, Vec<(u64, u32)>)>,
    /// For each step, a hash of everything that its path appended up to it.
    pub tags: Vec<Tag>,
    /// For each result of an operation, whether it stays live.
    pub live: Vec<bool>,
    /// Hash of the segment: its program and what it is lowered to; zeros if there is no segment.
    pub program: [u8; 32],
}

impl BatchHeader {
    /// The steps, each with its path and tag.
    pub fn steps(&self) -> impl Iterator<Item = (PathId, u64, Tag)> + '_ {
        let numbers = self.paths.iter().flat_map(|(path, ranges)| {
            let number = |(first, count): &(u64, u32)| *first..first.saturating_add(u64::from(*count));
            ranges.iter().flat_map(number).map(|number| (*path, number))
        });
        numbers.zip(&self.tags).map(|((path, number), tag)| (path, number, *tag))
    }

    /// Appends a step.
    pub fn push(&mut self, path: PathId, number: u64, tag: Tag) {
        if self.paths.last().is_none_or(|(last, _)| *last != path) {
            self.paths.push((path, Vec::new()));
        }
        if let Some((_, ranges)) = self.paths.last_mut() {
            match ranges.last_mut().filter(|(first, count)| first + u64::from(*count) == number) {
                Some((_, count)) => *count += 1,
                None => ranges.push((number, 1)),
            }
        }
        self.tags.push(tag);
    }

    /// Whether it has as many tags as steps, within the limits, and no step number overflows.
    fn sound(&self) -> bool {
        let ranges = || self.paths.iter().flat_map(|(_, ranges)| ranges);
        let counts = ranges().map(|(_, count)| u64::from(*count));
        let total = counts.fold(0, u64::saturating_add);
        let numbered = ranges().all(|(first, count)| first.checked_add(u64::from(*count)).is_some());
        numbered && total == self.tags.len() as u64 && (1..=MAX_STEPS as u64).contains(&total)
    }
}

impl Header {
    /// Sends it, and returns its length.
    pub async fn send(&self, channel: &mut Channel) -> Result<(), Failure> {
        let bytes =
            postcard::to_allocvec(self).expect("it holds only what has a form, and all lengths are known");
        channel.send(&(bytes.len() as u32).to_le_bytes()).await?;
        Ok(channel.send(&bytes).await?)
    }

    /// Receives a header.
    ///
    /// Errors: the bytes are not what [`Header::send`] sends.
    pub async fn receive(channel: &mut Channel) -> Result<Header, Failure> {
        let peer = channel.peer();
        let mut length = [0; 4];
        channel.receive_into(&mut length).await?;
        let length = u32::from_le_bytes(length) as usize;
        if !(1..=MAX_BYTES).contains(&length) {
            let fault = LiveFault::HeaderLength { length, limit: MAX_BYTES };
            return Err(PeerFault::from(fault).by(peer));
        }
        let mut bytes = vec![0; length];
        channel.receive_into(&mut bytes).await?;
        Header::decode(&bytes).map_err(|fault| PeerFault::from(fault).by(peer))
    }

    /// Decodes a header, or describes what is wrong with it.
    fn decode(bytes: &[u8]) -> Result<Header, LiveFault> {
        match postcard::take_from_bytes(bytes) {
            Ok((Header::Batch(batch), [])) if !batch.sound() => Err(LiveFault::HeaderUnsound),
            Ok((header, [])) => Ok(header),
            _ => Err(LiveFault::HeaderMalformed),
        }
    }
}

/// See [`crate::fuzzing::live_header`].
pub(crate) fn fuzz(bytes: &[u8]) {
    let Ok(header) = Header::decode(bytes) else { return };
    let again = postcard::to_allocvec(&header).expect("it was read");
    assert_eq!(Header::decode(&again).as_ref(), Ok(&header));
    let Header::Batch(batch) = header else { return };
    assert_eq!(batch.steps().count(), batch.tags.len());
    let mut written = BatchHeader::default();
    batch.steps().for_each(|(path, number, tag)| written.push(path, number, tag));
    assert!(written.steps().eq(batch.steps()));
}

#[cfg(test)]
mod tests {
    use tacit_net::{Options, StreamId, memory};

    use super::*;

    fn batch() -> BatchHeader {
        let mut header = BatchHeader { live: vec![true, false], ..BatchHeader::default() };
        for (path, number) in [(1, 4), (1, 5), (1, 9), (2, 0)] {
            header.push([path; 16], number, [number as u8; 16]);
        }
        header
    }

    #[test]
    fn steps_are_kept_in_ranges() {
        let header = batch();
        assert_eq!(header.paths, [([1; 16], vec![(4, 2), (9, 1)]), ([2; 16], vec![(0, 1)])]);
        let steps: Vec<_> = header.steps().map(|(path, number, tag)| (path[0], number, tag[0])).collect();
        assert_eq!(steps, [(1, 4, 4), (1, 5, 5), (1, 9, 9), (2, 0, 0)]);
    }

    /// The header that the other end receives from these bytes.
    async fn received(bytes: &[u8]) -> Result<Header, Failure> {
        let (alice, bob) = memory::pair(Options::default());
        let (mut alice, mut bob) = (alice.open(StreamId(1)).unwrap(), bob.open(StreamId(1)).unwrap());
        alice.send(&(bytes.len() as u32).to_le_bytes()).await.unwrap();
        alice.send(bytes).await.unwrap();
        alice.flush().await.unwrap();
        Header::receive(&mut bob).await
    }

    #[tokio::test]
    async fn headers_come_back_and_others_are_refused() {
        let good = postcard::to_allocvec(&Header::Batch(batch())).unwrap();
        assert_eq!(received(&good).await.unwrap(), Header::Batch(batch()));
        let unsound = [
            BatchHeader { tags: vec![[0; 16]; 3], ..batch() },
            BatchHeader { paths: vec![([1; 16], vec![(0, u32::MAX); 4])], ..batch() },
            BatchHeader { paths: vec![([1; 16], vec![(u64::MAX - 1, 4)])], ..batch() },
            BatchHeader::default(),
        ];
        for header in unsound {
            let bytes = postcard::to_allocvec(&Header::Batch(header)).unwrap();
            assert!(received(&bytes).await.unwrap_err().to_string().contains("contradicts itself"));
        }
        for bytes in [&[][..], &[7; 40], &good[..20], &[&good[..], &[0]].concat()] {
            assert!(received(bytes).await.is_err());
        }
    }
}
