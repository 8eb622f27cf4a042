use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

/// How often a lock is tried, and the pause in between.
const ATTEMPTS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(10);

/// Makes and locks a file until it is dropped; `None` if another process has the lock.
///
/// Tries for a fifth of a second. A newly started child process holds all files of its parent until it runs
/// its own program, including those that the parent has closed by then.
///
/// # Errors
/// If the file cannot be made.
pub fn lock_file(path: &Path) -> io::Result<Option<File>> {
    lock_after(path, || sleep(PAUSE))
}

/// As [`lock_file`], with `wait` between two attempts.
fn lock_after(path: &Path, mut wait: impl FnMut()) -> io::Result<Option<File>> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)?;
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            wait();
        }
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_is_given_up_soon_is_waited_for() {
        let path = std::env::temp_dir().join(format!("tacit-lock-{}", std::process::id()));
        let held = lock_file(&path).expect("a file").expect("free");
        assert!(lock_file(&path).expect("a file").is_none(), "another has it");
        let mut held = Some(held);
        let waited = lock_after(&path, || drop(held.take())).expect("a file");
        assert!(waited.is_some(), "given up while it was waited for");
        std::fs::remove_file(&path).expect("removed");
    }
}
