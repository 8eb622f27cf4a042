//! Two parties measure the link between them, and agree on it and on the slower machine.

use std::thread;
use std::time::Duration;

use tacit_engine::calibrate::{Calibrated, OwnMachine, calibrate_with_peer};
use tacit_engine::{CancelFlag, Failure, ProfileFile, RunError, block_on, build};
use tacit_net::NetError;
use tacit_net::session::{Field, Session, Transport};
use tacit_net::shape::Shape;
use tacit_plan::Profile;
use tacit_schedule::Unit;

use crate::loopback::Site;
use crate::loopback::pair::{both, terms};

const LIMIT: Duration = Duration::from_secs(20);

/// A site whose links are slowed down.
fn site(net: Option<&str>) -> Site {
    let mut site = Site::new(Transport::Tls, LIMIT);
    let shape: Option<Shape> = net.map(|net| net.parse().unwrap());
    site.configs.iter_mut().for_each(|config| config.shape = shape);
    site
}

/// A known machine with this time for a word and for a byte.
fn machine(word: u64, byte: u64) -> ProfileFile {
    let profile = Profile::named("known").with(Unit::Word, word).with(Unit::SentByte, byte);
    ProfileFile { machine: format!("machine {word}"), ..ProfileFile::of_here(profile) }
}

fn calibrated(site: &Site, index: usize) -> Result<Calibrated, RunError> {
    let known = [machine(5_000, 700), machine(9_000, 200)][index].clone();
    let (terms, own) = (terms(site, index), OwnMachine::Known(Box::new(known)));
    block_on(calibrate_with_peer(&terms, "joint", own, &CancelFlag::new()))
}

#[test]
fn both_parties_get_the_same_link_and_the_rates_of_the_slower_machine() {
    let site = site(Some("100mbit,20ms"));
    let [a, b] = both(|index| calibrated(&site, index).unwrap());
    assert_eq!(a.profile, b.profile);
    assert_eq!([Unit::Word, Unit::SentByte].map(|unit| a.profile.profile.rate(unit)), [9_000, 700]);
    let machines = (&a.profile.machine[..], a.profile.other_machine.as_deref());
    assert_eq!(machines, ("machine 5000", Some("machine 9000")));
    let shape = a.link.shape();
    assert_eq!(shape, b.link.shape());
    assert_eq!(a.profile.link, Some(shape.form()));
    assert_eq!(shape.form().parse::<Shape>().unwrap(), shape);
    assert_eq!((a.link.sent, a.link.received), (b.link.received, b.link.sent));
    // Loose, for other work on the machine.
    assert!((10_000_000..150_000_000).contains(&shape.bandwidth_bits_per_s), "{}", shape.form());
    assert!((20..100).contains(&shape.latency.as_millis()), "{}", shape.form());
    let read = ProfileFile::parse(a.profile.to_text().as_bytes(), "joint.json").unwrap();
    assert_eq!(read, a.profile);
}

/// How A's calibration ends if B greets it with these fields, and then does nothing for a time.
fn met_by(fields: Vec<Field>, limit: Duration, silent: Duration) -> (RunError, Result<(), NetError>) {
    let site = Site::new(Transport::Tls, limit);
    let meets = || {
        let terms = terms(&site, 1);
        block_on(async {
            let met = Session::establish(&terms.session, "B", terms.key.as_ref(), fields).await;
            tokio::time::sleep(silent).await;
            Ok::<_, std::io::Error>(met.map(drop))
        })
    };
    thread::scope(|scope| {
        let ours = scope.spawn(|| calibrated(&site, 0).map(drop).unwrap_err());
        let theirs = meets().unwrap();
        (ours.join().unwrap(), theirs)
    })
}

fn greeting(kind: &str) -> Vec<Field> {
    build().fields().into_iter().chain([Field::text("kind of session", kind)]).collect()
}

#[test]
fn a_party_that_runs_something_else_is_refused() {
    let (ours, theirs) = met_by(greeting("one run"), LIMIT, Duration::ZERO);
    for error in [ours.to_string(), theirs.unwrap_err().to_string()] {
        assert!(
            error.contains("differ in kind of session") && error.contains("measuring the link"),
            "{error}"
        );
    }
}

#[test]
fn a_party_of_another_release_is_refused() {
    let other = build().with_release("7.1.0").fields();
    let (ours, theirs) = met_by(other, LIMIT, Duration::ZERO);
    for error in [ours.to_string(), theirs.unwrap_err().to_string()] {
        assert!(error.contains("the two sides differ in release: here"), "{error}");
    }
}

#[test]
fn a_party_that_measures_nothing_is_noticed_within_the_limit() {
    let limit = Duration::from_secs(3);
    let (ours, theirs) = met_by(greeting("measuring the link"), limit, 2 * limit);
    theirs.unwrap();
    let RunError::Failed { source, .. } = &ours else { panic!("{ours:?}") };
    let silent = matches!(&**source, Failure::Net(NetError::Timeout { peer, .. }) if peer == "B");
    assert!(silent && ours.to_string().contains("measuring the link"), "{ours}");
}

#[test]
fn a_cancelled_calibration_ends_at_both_parties() {
    let site = site(Some("1mbit,20ms"));
    let cancel = CancelFlag::new();
    let (ours, theirs) = thread::scope(|scope| {
        let ours = scope.spawn(|| {
            let own = OwnMachine::Known(Box::new(machine(1, 1)));
            block_on(calibrate_with_peer(&terms(&site, 0), "joint", own, &cancel)).map(drop).unwrap_err()
        });
        let theirs = scope.spawn(|| calibrated(&site, 1).map(drop).unwrap_err());
        thread::sleep(Duration::from_secs(1));
        cancel.cancel();
        (ours.join().unwrap(), theirs.join().unwrap())
    });
    assert!(matches!(ours, RunError::Cancelled { .. }), "{ours}");
    assert!(theirs.to_string().contains("A: the peer aborted"), "{theirs}");
}
