//! The report of a session among any number of parties, in the same form as between two.

use std::collections::BTreeMap;

use pyo3::PyResult;
use serde_json::json;
use tacit_engine::{PhaseReport, REPORT_VERSION, peak_bytes};
use tacit_net::Phase;
use tacit_nparty::compiled::PeerBytes;
use tacit_nparty::runtime::PeerTraffic;
use tacit_nparty::{Account, PartyIndex};
use tacit_plan::{Link, Profile, SecurityParams};

use super::among::PastRuns;
use crate::errors::ProgramError;

/// The cost of a session to this party, and the programs that ran in it, as JSON. Their times were planned for
/// a link and a profile.
///
/// Errors: a program that ran is not valid.
pub fn report(
    (me, names): (PartyIndex, &[String]),
    account: &Account,
    (security, planned): (SecurityParams, (Link, &Profile)),
    past: &[PastRuns],
) -> PyResult<String> {
    let peers = names.iter().zip(&account.peers).enumerate().filter(|(peer, _)| *peer != me);
    let bytes = |(_, (name, traffic)): (usize, (&String, &PeerTraffic))| {
        let bytes = PeerBytes { payload_sent: traffic.sent, payload_received: traffic.received };
        (name.clone(), bytes)
    };
    let runs: Result<Vec<_>, _> = past.iter().map(|runs| runs.report((me, names), planned)).collect();
    let runs = runs.map_err(|error| ProgramError::new_err(error.to_string()))?;
    let report = json!({
        "version": REPORT_VERSION,
        "tacit": env!("CARGO_PKG_VERSION"),
        "party": names[me],
        "parties": names,
        "security": security,
        "phases": Phase::ALL.map(|phase| phase_report(phase, account)),
        "peers": peers.map(bytes).collect::<BTreeMap<_, _>>(),
        "runs": runs,
        "peak_memory_bytes": peak_bytes(),
    });
    Ok(report.to_string())
}

fn phase_report(phase: Phase, account: &Account) -> PhaseReport {
    let (counts, number) = (account.counts[phase as usize], phase as usize);
    let (seconds, waiting) = (account.seconds[number], account.waiting_seconds[number]);
    // Elements are shared once setup is over.
    let payload =
        |of: fn(&PeerTraffic) -> u64| (phase == Phase::Online).then(|| account.peers.iter().map(of).sum());
    PhaseReport {
        phase: phase.name().to_owned(),
        seconds,
        network_seconds: waiting,
        compute_seconds: seconds - waiting,
        processor_seconds: None,
        bytes_sent: counts.bytes_sent,
        bytes_received: counts.bytes_received,
        payload_sent: payload(|peer| peer.sent),
        payload_received: payload(|peer| peer.received),
        messages_sent: counts.messages_sent,
        messages_received: counts.messages_received,
        rounds: counts.rounds,
    }
}
