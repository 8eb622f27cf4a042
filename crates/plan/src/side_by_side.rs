//! Runs the same work for several items in parallel.

use std::panic::resume_unwind;
use std::sync::mpsc;
use std::thread::{self, ScopedJoinHandle};

/// The results of `work` for each item, in order; one thread for each if there are several. `watch` is called
/// with the largest progress of any item.
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
                // The receiver exists as long as one of these threads runs.
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
            // The system could not start a thread.
            Err(domain) => work(domain, watch),
        };
        tried.into_iter().map(end).collect()
    })
}
