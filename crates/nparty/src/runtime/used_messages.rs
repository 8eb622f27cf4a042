//! Memory of messages that were used, for later ones of the same peer.

use crate::parties::PartyIndex;

/// Memory of fewer bytes is not kept.
const LEAST: usize = 1 << 15;

/// Maximum bytes that are kept, of all peers together.
const KEPT: usize = 2 << 20;

/// Messages that were used, by peer. Their content is not overwritten, so they only serve the peer who sent them.
#[derive(Default)]
pub(crate) struct UsedMessages {
    by_peer: Vec<Vec<Vec<u8>>>,
    bytes: usize,
}

impl UsedMessages {
    /// None yet, of this many peers.
    pub(crate) fn new(peers: usize) -> UsedMessages {
        UsedMessages { by_peer: vec![Vec::new(); peers], bytes: 0 }
    }

    /// This many bytes for a message of a peer, with unspecified content: every one must be written.
    pub(crate) fn take(&mut self, peer: PartyIndex, length: usize) -> Vec<u8> {
        let all = self.by_peer.get_mut(peer).filter(|_| length >= LEAST);
        let Some(mut message) = all.and_then(Vec::pop) else { return vec![0; length] };
        self.bytes -= message.capacity();
        message.resize(length, 0);
        message
    }

    /// Keeps the memory of a message of a peer.
    pub(crate) fn give(&mut self, peer: PartyIndex, message: Vec<u8>) {
        let bytes = message.capacity();
        if let Some(all) = self.by_peer.get_mut(peer)
            && message.len() >= LEAST
            && self.bytes + bytes <= KEPT
        {
            self.bytes += bytes;
            all.push(message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_serves_the_same_peer_and_is_bounded() {
        let mut used = UsedMessages::new(2);
        let message = vec![7; 2 * LEAST];
        let memory = message.as_ptr();
        used.give(1, message);
        assert!(used.take(0, LEAST).iter().all(|byte| *byte == 0), "of another peer");
        assert_eq!(used.take(1, LEAST - 1).len(), LEAST - 1);
        let message = used.take(1, 2 * LEAST);
        assert_eq!((message.as_ptr(), message.len(), used.bytes), (memory, 2 * LEAST, 0));
        assert_eq!(used.take(1, LEAST).len(), LEAST);
        used.give(0, vec![7; LEAST - 1]);
        assert_eq!(used.bytes, 0, "a short message");
        (0..200).for_each(|i| used.give(i % 3, vec![7; LEAST]));
        assert_eq!((used.by_peer[0].len() + used.by_peer[1].len(), used.bytes), (KEPT / LEAST, KEPT));
    }
}
