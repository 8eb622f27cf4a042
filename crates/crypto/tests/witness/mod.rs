//! An allocator that inspects memory when it is freed, for a separate test binary.
//!
//! Values of secret types (labels, shares, packed bits, field elements) are stored in vectors of 8- or
//! 16-byte elements. A test gives all of them an odd number of lanes, which makes the sizes of their vectors
//! unique, and the witness records each such vector whose memory is not zero when it is freed. Messages are
//! bytes, and public: they are only searched for numbers that the test names.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::Backtrace;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

/// Lanes of every value in a test: a prime that no other size has.
pub const LANES: usize = 1009;

/// Vectors of 16-byte elements that grew by doubling are inspected, too, from this size on.
const LARGE: usize = 4096;

struct Witness;

#[global_allocator]
static WITNESS: Witness = Witness;

static ARMED: AtomicBool = AtomicBool::new(false);
/// Numbers that no freed memory may hold, sorted.
static SECRETS: RwLock<Vec<u64>> = RwLock::new(Vec::new());
/// The findings, with their counts.
static FOUND: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());
/// One test at a time.
static TURN: Mutex<()> = Mutex::new(());

thread_local! {
    /// Set while the witness itself allocates.
    static BUSY: Cell<bool> = const { Cell::new(false) };
}

// SAFETY: everything is delegated to the system's allocator; memory is zeroed when it is handed out, so that
// all of it may be read when it is freed. `realloc` is the provided one, which frees moved memory through
// `dealloc` here.
unsafe impl GlobalAlloc for Witness {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `GlobalAlloc`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if ARMED.load(Ordering::Relaxed) && !BUSY.try_with(|busy| busy.replace(true)).unwrap_or(true) {
            // SAFETY: the block is still the caller's, initialised, and of this size.
            look(unsafe { std::slice::from_raw_parts(memory, layout.size()) }, layout);
            BUSY.with(|busy| busy.set(false));
        }
        // SAFETY: the caller keeps the contract of `GlobalAlloc`.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Whether a block's size is that of a secret vector.
fn is_secret(layout: Layout) -> bool {
    let of_lanes = layout.size().is_multiple_of(8 * LANES);
    let grew = layout.size() >= LARGE && layout.size().is_power_of_two();
    layout.size() > 0 && (layout.align() == 8 && of_lanes || layout.align() == 16 && (of_lanes || grew))
}

fn look(bytes: &[u8], layout: Layout) {
    let known = SECRETS.read().unwrap_or_else(PoisonError::into_inner);
    if is_secret(layout) && bytes.iter().any(|byte| *byte != 0) {
        note("a vector that still holds something", layout, &PUBLIC);
    }
    let is_known = |bytes: &[u8; 8]| known.binary_search(&u64::from_le_bytes(*bytes)).is_ok();
    if let Some(at) = bytes.as_chunks().0.iter().position(is_known).filter(|_| !known.is_empty()) {
        note(&format!("a number of the test at byte {}", 8 * at), layout, &[]);
    }
}

/// Callers that free public data of the size of secrets: programs, and keys, which keep the name of the processor's instructions after they have wiped themselves.
const PUBLIC: [&str; 8] = [
    "tacit_circuit::",
    "tacit_lower::",
    "tacit_schedule::domains::",
    "tacit_schedule::kernels::",
    "tacit_schedule::schedule::",
    "tacit_schedule::layout::",
    "tacit_plan::",
    "softspoken::fold::Folder",
];
/// Tasks of the runtime, which are large but not vectors.
const TASKS: &str = "drop_in_place<core::pin::Pin<alloc::boxed::Box<";
/// Where plans are freed, if directly.
const PLANS: &str = "tacit_engine::local::in_process";

/// Records a finding with the innermost functions of the project, unless one of `public` is among its
/// callers.
fn note(what: &str, layout: Layout, public: &[&str]) {
    let trace = Backtrace::force_capture().to_string();
    if public.iter().any(|public| trace.contains(public)) {
        return;
    }
    let own = |line: &&str| line.contains("tacit_") || line.contains("freed::");
    let callers: Vec<&str> =
        trace.lines().filter(own).filter(|line| !line.contains("itness::")).take(6).map(str::trim).collect();
    let direct = |first: &&str| first.ends_with(PLANS) || first.contains(TASKS);
    if !public.is_empty() && callers.first().is_some_and(direct) {
        return;
    }
    let found = format!("{what}, {} bytes:\n    {}", layout.size(), callers.join("\n    "));
    *FOUND.lock().unwrap_or_else(PoisonError::into_inner).entry(found).or_default() += 1;
}

/// The turn of a test, held as long as the test has secrets: memory freed by other threads is inspected, too.
pub fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` in the turn of a test; fails if any thread meanwhile freed memory that still held a secret
/// vector or one of `secrets`.
pub fn watch<T>(secrets: &[u64], work: impl FnOnce() -> T) -> T {
    let (result, found) = watched(secrets, work);
    let listed: Vec<String> = found.iter().map(|(found, count)| format!("{count} times {found}")).collect();
    assert!(listed.is_empty(), "freed without being wiped:\n{}", listed.join("\n"));
    result
}

/// As [`watch`], but returns the findings with their counts.
pub fn watched<T>(secrets: &[u64], work: impl FnOnce() -> T) -> (T, BTreeMap<String, usize>) {
    // On a separate stack: data that sorting leaves on the stack would end up in whatever is moved over it.
    let sorted = std::thread::scope(|scope| {
        let sort = || {
            let mut sorted = secrets.to_vec();
            sorted.sort_unstable();
            sorted
        };
        scope.spawn(sort).join().expect("no panic")
    });
    *SECRETS.write().unwrap_or_else(PoisonError::into_inner) = sorted;
    ARMED.store(true, Ordering::SeqCst);
    let result = work();
    ARMED.store(false, Ordering::SeqCst);
    (result, std::mem::take(&mut *FOUND.lock().unwrap_or_else(PoisonError::into_inner)))
}
