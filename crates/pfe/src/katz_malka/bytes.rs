//! The exact bytes and rounds of runs.

use tacit_net::Channel;

use super::Scheme;
use crate::bytes::{LEAD, WINDOW, online, online_rounds, windows};
use crate::entry::RUN;
use crate::rows::KeyBytes;
use crate::size::SIZE_BYTES;
use crate::{Bytes, PfeError, Rounds, Size, Traffic};

/// Bytes of a scheme's code.
pub(crate) const MARK: usize = 8;

/// Bytes of each phase. Exact. The introduction is the precomputation, which is done once for many runs; setup is
/// setupN and setupf.
pub fn bytes<S: Scheme>(scheme: &S, size: &Size) -> Bytes {
    let hello = (MARK + SIZE_BYTES) as u64;
    let replies: usize = windows(size.gates()).map(|window| scheme.replies_bytes(2 * window.len())).sum();
    let wires: usize = windows(size.outgoing()).map(|window| scheme.wires_bytes(window.len())).sum();
    let gates = size_of::<<S::Key as KeyBytes>::Gate>() * size.gates();
    Bytes {
        introduction: Traffic { holder: hello, owner: hello + scheme.public_bytes() as u64 },
        setup: Traffic { holder: replies as u64, owner: (RUN + wires + gates) as u64 },
        online: online(size, size_of::<S::Key>()),
    }
}

/// Rounds of a run that introduces its key, at each party. Exact, and the same for all schemes.
pub fn rounds(size: &Size) -> Rounds {
    let windows = size.gates().div_ceil(WINDOW);
    Rounds {
        setup: Traffic { holder: 1 + windows.saturating_sub(LEAD).max(1) as u64, owner: windows as u64 + 1 },
        online: online_rounds(size),
    }
}

/// Rounds of an introduction and `count` setups that follow it, at each party. Exact.
pub fn prepared_rounds(size: &Size, count: u64) -> Traffic {
    let windows = size.gates().div_ceil(WINDOW);
    let each = [windows.saturating_sub(LEAD).max(1), windows].map(|turns| turns as u64 * count);
    Traffic { holder: 1 + each[0], owner: 1 + each[1] }
}

/// Bytes of the setup of one run in a store, at the function's holder and at the data's owner. Exact.
pub fn entry_bytes<S: Scheme>(size: &Size) -> [usize; 2] {
    crate::entry::entry_bytes::<S::Key>(size)
}

/// Sends what is buffered, and lets the sending task run before this one goes on computing, because the peer waits
/// for the data.
pub(super) async fn flush(channel: &mut Channel) -> Result<(), PfeError> {
    channel.flush().await?;
    tokio::task::yield_now().await;
    Ok(())
}

/// Compares schemes and sizes with the peer.
pub(super) async fn agree<S: Scheme>(scheme: &S, size: &Size, channel: &mut Channel) -> Result<(), PfeError> {
    let ours = scheme.mark();
    channel.send(&ours.to_le_bytes()).await?;
    channel.send(&size.encode()).await?;
    channel.flush().await?;
    let mut theirs = [0; MARK];
    channel.receive_into(&mut theirs).await?;
    let theirs = u64::from_le_bytes(theirs);
    if ours != theirs {
        return Err(PfeError::Scheme { ours, theirs });
    }
    size.compare(channel).await
}
