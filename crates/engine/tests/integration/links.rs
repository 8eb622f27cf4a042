//! Two parties over every kind of link.

use std::time::Duration;

use crate::loopback::{Site, expected, jobs, options, run_pair};
use tacit_net::Phase;
use tacit_net::session::{Config, Transport};
use tacit_net::socket::Address;
use tacit_plan::ModeChoice;

const LIMIT: Duration = Duration::from_secs(20);
const MODES: [ModeChoice; 2] = [ModeChoice::Streamed, ModeChoice::Precomputed];

fn check(site: Site, mode: ModeChoice) {
    let jobs = jobs(site, &options(mode));
    let predicted = *jobs[0].plan.prediction();
    for outcome in run_pair(&jobs) {
        let outcome = outcome.unwrap();
        assert_eq!(outcome.outputs, expected());
        for (phase, traffic) in [(Phase::Setup, predicted.setup), (Phase::Online, predicted.online)] {
            let report = outcome.report.phase(phase).unwrap();
            assert_eq!(report.payload_sent, Some(traffic.bytes_sent(outcome.report.side)));
            assert_eq!(report.payload_received, Some(traffic.bytes_sent(outcome.report.side.peer())));
            assert_eq!(report.rounds, traffic.rounds(outcome.report.side));
            assert!(report.bytes_sent >= report.payload_sent.unwrap());
        }
        let json = serde_json::to_value(&outcome.report).unwrap();
        assert_eq!(json["phases"][0]["phase"], "analysis");
        assert_eq!(serde_json::from_value::<tacit_engine::Report>(json).unwrap(), outcome.report);
    }
}

#[test]
fn over_tls() {
    MODES.into_iter().for_each(|mode| check(Site::new(Transport::Tls, LIMIT), mode));
}

#[test]
fn over_plain_tcp() {
    MODES.into_iter().for_each(|mode| check(Site::new(Transport::Plain, LIMIT), mode));
}

#[test]
fn over_unix_sockets() {
    for (index, mode) in MODES.into_iter().enumerate() {
        let path = std::env::temp_dir().join(format!("tacit-engine-{}-{index}", std::process::id()));
        let mut site = Site::new(Transport::Plain, LIMIT);
        for config in &mut site.configs {
            *config = Config { listener: None, ..config.clone() };
            config.parties[0].address = Address::Unix(path.clone());
        }
        check(site, mode);
    }
}

#[test]
fn over_a_slow_link() {
    let mut site = Site::new(Transport::Tls, LIMIT);
    site.configs.iter_mut().for_each(|config| config.shape = Some("100mbit,5ms".parse().unwrap()));
    check(site, ModeChoice::Streamed);
}
