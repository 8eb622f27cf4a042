//! Runs that are cancelled.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::loopback::{Site, jobs, options};
use tacit_engine::{CancelFlag, Class, ProgressSink, RunError, block_on, run};
use tacit_net::session::Transport;
use tacit_plan::ModeChoice;

const LIMIT: Duration = Duration::from_secs(30);

#[test]
fn a_party_that_waits_for_its_peer_can_be_cancelled() {
    let jobs = jobs(Site::new(Transport::Tls, LIMIT), &options(ModeChoice::Auto));
    let cancel = CancelFlag::new();
    let start = Instant::now();
    thread::scope(|scope| {
        let run = scope.spawn(|| block_on(run(&jobs[0], None, &cancel)));
        thread::sleep(Duration::from_millis(50));
        cancel.cancel();
        let error = run.join().unwrap().unwrap_err();
        assert!(matches!(error, RunError::Cancelled { .. }), "{error}");
        assert_eq!(error.class(), Class::Abort);
    });
    assert!(start.elapsed() < LIMIT, "took {:?}", start.elapsed());
}

#[test]
fn the_peer_of_a_cancelled_run_is_told() {
    let mut site = Site::new(Transport::Tls, LIMIT);
    // Slow enough that the run is still under way when it is cancelled.
    site.configs.iter_mut().for_each(|config| config.shape = Some("1mbit,20ms".parse().unwrap()));
    let mut jobs = jobs(site, &options(ModeChoice::Streamed));
    let (sender, told) = mpsc::channel();
    jobs[0].progress = Some(ProgressSink::new(move |progress| sender.send(progress).unwrap_or_default()));
    let (cancel, other) = (CancelFlag::new(), CancelFlag::new());
    let start = Instant::now();
    thread::scope(|scope| {
        let first = scope.spawn(|| block_on(run(&jobs[0], None, &cancel)));
        let second = scope.spawn(|| block_on(run(&jobs[1], None, &other)));
        told.recv_timeout(LIMIT).unwrap();
        cancel.cancel();
        let error = first.join().unwrap().unwrap_err();
        assert!(matches!(error, RunError::Cancelled { .. }), "{error}");
        let error = second.join().unwrap().unwrap_err();
        assert!(error.to_string().contains("aborted"), "{error}");
        assert_eq!(error.class(), Class::Abort);
    });
    assert!(start.elapsed() < LIMIT, "took {:?}", start.elapsed());
}
