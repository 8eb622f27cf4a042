//! Batches on several cores.

use core::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};
use std::thread;

use tacit_crypto::Prg;
use tacit_math::Block;
use zeroize::{Zeroize, Zeroizing};

/// Items per seed. It is the same for any number of threads, so that results never depend on that number.
const SEEDED: usize = 16;

/// How many threads a batch may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads(NonZeroUsize);

impl Threads {
    /// Only the caller's thread.
    pub const ONE: Threads = Threads(NonZeroUsize::MIN);

    /// As many as the machine runs at once.
    pub fn all() -> Threads {
        // Stored, because the standard library reads several files to find out.
        static ALL: LazyLock<NonZeroUsize> =
            LazyLock::new(|| thread::available_parallelism().unwrap_or(NonZeroUsize::MIN));
        Threads(*ALL)
    }

    /// `count`, but no more than the machine runs at once.
    pub fn at_most(count: NonZeroUsize) -> Threads {
        Threads(count.min(Threads::all().0))
    }
}

/// Applies `work` to every item with its index. Results are in order; of several errors, the first in order is returned. It does
/// without threads that the system refuses to start.
pub(crate) fn map<T: Sync, R: Send, E: Send>(
    items: &[T],
    threads: Threads,
    work: impl Fn(usize, &T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let chunks = run(items.len().div_ceil(SEEDED), threads, |chunk| {
        let first = chunk * SEEDED;
        let last = (first + SEEDED).min(items.len());
        (first..last).map(|i| work(i, &items[i])).collect::<Result<Vec<R>, E>>()
    });
    let mut results = Vec::with_capacity(items.len());
    for chunk in chunks {
        results.extend(chunk?);
    }
    Ok(results)
}

/// As [`map`], for work that needs randomness: each group of [`SEEDED`] items gets a seed from `prg`.
pub(crate) fn map_seeded<T: Sync, R: Send, E: Send>(
    items: &[T],
    threads: Threads,
    prg: &mut Prg,
    work: impl Fn(&T, &mut Prg) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let chunks: Vec<&[T]> = items.chunks(SEEDED).collect();
    let mut seeds = Zeroizing::new(vec![Block::ZERO; chunks.len()]);
    prg.fill(&mut seeds);
    let made = run(chunks.len(), threads, |chunk| {
        let mut prg = Prg::new(seeds[chunk]);
        chunks[chunk].iter().map(|item| work(item, &mut prg)).collect::<Result<Vec<R>, E>>()
    });
    let mut results = Vec::with_capacity(items.len());
    for chunk in made {
        results.extend(chunk?);
    }
    Ok(results)
}

/// Applies `work` to groups of `size` items, the last of which may be smaller, with the index of a group's first item. `work` returns
/// any number of results, which are joined in order. `size` is not 0. It does without threads that the system refuses to start.
///
/// # Errors
/// The first error of `work` in order.
pub fn map_groups<T: Sync, R: Send, E: Send>(
    items: &[T],
    size: usize,
    threads: Threads,
    work: impl Fn(usize, &[T]) -> Result<Vec<R>, E> + Sync,
) -> Result<Vec<R>, E> {
    let groups: Vec<&[T]> = items.chunks(size).collect();
    let mut results = Vec::with_capacity(items.len());
    for group in run(groups.len(), threads, |index| work(index * size, groups[index])) {
        results.extend(group?);
    }
    Ok(results)
}

/// [`map_groups`] for secret results: all copies are wiped, also if a group fails.
///
/// # Errors
/// The error of the first group that fails.
pub fn map_secret_groups<T: Sync, R: Copy + Send + Zeroize, E: Send>(
    items: &[T],
    size: usize,
    threads: Threads,
    work: impl Fn(usize, &[T]) -> Result<Zeroizing<Vec<R>>, E> + Sync,
) -> Result<Zeroizing<Vec<R>>, E> {
    let groups: Vec<&[T]> = items.chunks(size).collect();
    let mut done = Vec::with_capacity(groups.len());
    for group in run(groups.len(), threads, |index| work(index * size, groups[index])) {
        done.push(group?);
    }
    // Allocated in full length at once, because a growing vector leaves copies behind.
    let mut results = Zeroizing::new(Vec::with_capacity(done.iter().map(|group| group.len()).sum()));
    done.iter().for_each(|group| results.extend_from_slice(group));
    Ok(results)
}

/// `work(0)` to `work(count - 1)`, on at most `threads` threads.
fn run<R: Send>(count: usize, threads: Threads, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let helpers = threads.0.get().min(count).saturating_sub(1);
    if helpers == 0 {
        return (0..count).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(count));
    let worker = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return;
            }
            let result = work(index);
            done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((index, result));
        }
    };
    thread::scope(|scope| {
        for _ in 0..helpers {
            // If the system starts no more threads, those that run do the work.
            let _ = thread::Builder::new().spawn_scoped(scope, worker);
        }
        worker();
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept_and_the_first_error_wins() {
        let items: Vec<usize> = (0..100).collect();
        let two = Threads(NonZeroUsize::new(2).unwrap());
        assert_eq!(
            map::<_, _, ()>(&items, two, |i, item| Ok(i + item)).unwrap(),
            (0..200).step_by(2).collect::<Vec<_>>()
        );
        let failed = map(&items, two, |i, _| if i >= 37 { Err(i) } else { Ok(()) });
        assert_eq!(failed, Err(37));
    }

    #[test]
    fn groups_keep_the_order_too() {
        let items: Vec<usize> = (0..21).collect();
        let work = |first: usize, group: &[usize]| {
            assert!(group.len() == 8 || first == 16);
            Ok::<_, ()>(group.iter().map(|item| item - first).collect())
        };
        let found = map_groups(&items, 8, Threads(NonZeroUsize::new(2).unwrap()), work).unwrap();
        assert_eq!(found, items.iter().map(|item| item % 8).collect::<Vec<_>>());
    }

    #[test]
    fn secret_groups_are_those_of_others() {
        let items: Vec<usize> = (0..21).collect();
        let two = Threads(NonZeroUsize::new(2).unwrap());
        let work = |first: usize, group: &[usize]| -> Result<Vec<usize>, usize> {
            if first == 16 { Err(first) } else { Ok(group.iter().map(|item| item - first).collect()) }
        };
        let secret = |first: usize, group: &[usize]| work(first, group).map(Zeroizing::new);
        let found = map_secret_groups(&items[..16], 8, two, secret).unwrap();
        assert_eq!(*found, map_groups(&items[..16], 8, two, work).unwrap());
        assert_eq!(map_secret_groups(&items, 8, two, secret), Err(16));
        assert!(map_secret_groups(&[], 8, two, secret).unwrap().is_empty());
    }

    #[test]
    fn randomness_does_not_depend_on_threads() {
        let items = [(); 70];
        let draw = |threads| {
            let mut prg = Prg::new(Block(3));
            map_seeded::<_, _, ()>(&items, threads, &mut prg, |(), prg| Ok(prg.next_u64())).unwrap()
        };
        assert_eq!(draw(Threads::ONE), draw(Threads(NonZeroUsize::new(3).unwrap())));
    }
}
