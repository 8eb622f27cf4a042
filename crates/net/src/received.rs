//! Received bytes, where they were read.

use std::ops::Deref;
use std::sync::Arc;

use crate::buffer::Segment;
use crate::connection::shared::Shared;

/// The bytes of a received frame, in the buffer that they were read into. The buffer serves the connection again once this is dropped.
pub struct Received {
    segment: Segment,
    shared: Arc<Shared>,
}

impl Received {
    pub(crate) fn new(segment: Segment, shared: Arc<Shared>) -> Self {
        Received { segment, shared }
    }
}

impl Deref for Received {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.segment.bytes()
    }
}

impl Drop for Received {
    fn drop(&mut self) {
        self.shared.pool().put(std::mem::take(&mut self.segment).buffer);
    }
}

impl std::fmt::Debug for Received {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Received({})", self.len())
    }
}
