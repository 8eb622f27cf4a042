//! Two parties with stores of prepared runs.

use tacit_engine::{BlockingSession, CancelFlag, Failure, Report, RunError, Store, StoreError};
use tacit_net::Phase;

use super::Site;
use super::pair::{Folder, in_session};

/// A party's store.
pub fn store(site: &Site, folder: &Folder, index: usize) -> Store {
    Store::open(&folder.party(index), site.keys[index].as_ref().unwrap()).unwrap()
}

/// Checks that the traffic equals the prediction, in bytes and rounds.
pub fn as_predicted(report: &Report, context: &str) {
    // Nothing was sent in a phase that did not take place.
    for (phase, traffic) in [(Phase::Setup, report.predicted.setup), (Phase::Online, report.predicted.online)]
    {
        let measured = report.phase(phase).unwrap();
        let sent = [measured.payload_sent, measured.payload_received].map(Option::unwrap_or_default);
        let predicted = [report.side, report.side.peer()].map(|side| traffic.bytes_sent(side));
        assert_eq!(sent, predicted, "{context}, {}", phase.name());
        assert_eq!(measured.rounds, traffic.rounds(report.side), "{context}, rounds of {}", phase.name());
    }
}

/// Both parties open a session with their stores, work and close it.
pub fn with_stores<T: Send>(
    site: &Site,
    folders: [&Folder; 2],
    work: impl Fn(usize, &mut BlockingSession, &mut Store) -> T + Sync,
) -> [T; 2] {
    in_session(site, |index, mut session| {
        let mut store = store(site, folders[index], index);
        let result = work(index, &mut session, &mut store);
        session.close(Some(&mut store), &CancelFlag::new()).unwrap();
        result
    })
}

/// The error of the store in an error of a run.
pub fn cause(error: &RunError) -> &StoreError {
    let RunError::Failed { source, .. } = error else { panic!("{error}") };
    let Failure::Store(cause) = &**source else { panic!("{error}") };
    cause
}
