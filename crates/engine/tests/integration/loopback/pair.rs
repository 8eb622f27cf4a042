//! Two parties of an open session, each on a thread of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use tacit_engine::{BlockingSession, CancelFlag, Outcome, RunError, RunTask, SessionTerms, plan};
use tacit_ir::{PortId, Program, Words};
use tacit_net::session::Transport;
use tacit_plan::{ModeChoice, PlanOptions, SecurityParams};

use super::Site;

pub const LIMIT: Duration = Duration::from_secs(20);

/// A task with a plan of its own.
pub fn task(program: &Program, mode: ModeChoice) -> RunTask {
    task_with(program, &PlanOptions { mode, ..PlanOptions::default() })
}

pub fn task_with(program: &Program, options: &PlanOptions) -> RunTask {
    RunTask {
        program: Arc::new(program.clone()),
        plan: Arc::new(plan(program, options).unwrap()),
        compiler: "a test".to_owned(),
        progress: None,
    }
}

/// The inputs of [`super::program`], for one party.
pub fn inputs(index: usize, value: u128) -> Vec<(PortId, Vec<Words>)> {
    vec![(PortId(index as u32), vec![Words::scalar(32, value)])]
}

/// The results of [`super::program`].
pub fn expected(a: u128, b: u128) -> Vec<Vec<Words>> {
    vec![vec![Words::scalar(1, u128::from(a < b))], vec![Words::scalar(32, a.wrapping_mul(b) & 0xffff_ffff)]]
}

pub fn terms(site: &Site, index: usize) -> SessionTerms {
    SessionTerms {
        party: ["A", "B"][index].to_owned(),
        peer: ["B", "A"][index].to_owned(),
        session: site.configs[index].clone(),
        key: site.keys[index].clone(),
        security: SecurityParams::default(),
        shares: None,
    }
}

pub fn site() -> Site {
    Site::new(Transport::Tls, LIMIT)
}

/// Runs `work` at both parties, with the party's index.
pub fn both<T: Send>(work: impl Fn(usize) -> T + Sync) -> [T; 2] {
    thread::scope(|scope| {
        let first = scope.spawn(|| work(0));
        let second = work(1);
        [first.join().unwrap(), second]
    })
}

/// Opens a session of both parties on `site` and runs `work` in it.
pub fn in_session<T: Send>(site: &Site, work: impl Fn(usize, BlockingSession) -> T + Sync) -> [T; 2] {
    both(|index| work(index, BlockingSession::open(terms(site, index), &CancelFlag::new()).unwrap()))
}

pub fn run(
    session: &mut BlockingSession,
    task: &RunTask,
    index: usize,
    value: u128,
) -> Result<Outcome, RunError> {
    session.run(task, &inputs(index, value), &CancelFlag::new())
}

/// A folder that is removed when this is dropped.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("tacit-store-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn party(&self, index: usize) -> PathBuf {
        self.0.join(["A", "B"][index])
    }
}

/// Copies the files of a folder into another.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Files that remain in the system's folder for temporary files do no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
