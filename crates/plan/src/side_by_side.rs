//! The same work for several things, at the same time.

use std::panic::resume_unwind;
use std::sync::mpsc;
use std::thread::{self, ScopedJoinHandle};

/// What `work` gives for each of them, in order; a thread for each where there are several. `watch` is told the most that any of them tells.
pub(crate) fn side_by_side<D: Sync, T: Send>(
    domains: &[D],
    watch: &mut dyn FnMut(u64),
    work: &(impl Fn(&D, &mut dyn FnMut(u64)) -> T + Sync),
) -> Vec<T> {
    if let [domain] = domains {
        return vec![work(domain, watch)];
    }
    let (progress, steps) = mpsc::channel();
    thread::scope(|scope| {
        let spawn = |domain| {
            let progress = progress.clone();
            let mut watch = move |steps| {
                // The other end is there as long as one of these runs.
                let _ = progress.send(steps);
            };
            let work = move || work(domain, &mut watch);
            thread::Builder::new().spawn_scoped(scope, work).map_err(|_| domain)
        };
        let tried: Vec<_> = domains.iter().map(spawn).collect();
        drop(progress);
        let mut most = 0;
        for step in steps {
            most = step.max(most);
            watch(most);
        }
        let end = |one: Result<ScopedJoinHandle<'_, _>, &D>| match one {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // The system has no thread for it.
            Err(domain) => work(domain, watch),
        };
        tried.into_iter().map(end).collect()
    })
}
