use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex};

use tacit_engine::RunError;

use crate::lock::lock;

/// The result of something in a reactive session, as text if there is any.
pub type Happened = Result<Option<String>, Arc<RunError>>;

/// Events that Python has not yet taken, each with its number. The first one wakes Python's event loop
/// through a socket. A thread that adds an event uses nothing of Python, so it need not end before the
/// interpreter does.
pub struct Inbox<T> {
    events: Mutex<Vec<(u64, T)>>,
    bell: UnixStream,
    /// The end of the socket that Python watches.
    door: UnixStream,
}

impl<T> Inbox<T> {
    pub fn new() -> io::Result<Inbox<T>> {
        let (bell, door) = UnixStream::pair()?;
        bell.set_nonblocking(true)?;
        door.set_nonblocking(true)?;
        Ok(Inbox { events: Mutex::default(), bell, door })
    }

    /// Adds an event.
    pub fn put(&self, number: u64, event: T) {
        let first = {
            let mut events = lock(&self.events);
            events.push((number, event));
            events.len() == 1
        };
        if first {
            // If the socket is full, Python is already being woken.
            let _ = (&self.bell).write(&[1]);
        }
    }

    /// Takes all events, and drains the socket.
    pub fn take(&self) -> Vec<(u64, T)> {
        let mut rings = [0; 64];
        while (&self.door).read(&mut rings).is_ok_and(|count| count > 0) {}
        std::mem::take(&mut *lock(&self.events))
    }
}

/// Readable while there are events.
impl<T> AsRawFd for Inbox<T> {
    fn as_raw_fd(&self) -> RawFd {
        self.door.as_raw_fd()
    }
}
