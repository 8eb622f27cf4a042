//! Unsupported security parameters.

use crate::loopback::pair::{site, terms};
use tacit_engine::live::{Script, run_live_blocking, side_of};
use tacit_engine::{BlockingSession, CancelFlag, Class};

/// Earlier, a live session used the default instead, and an open one only refused when a program was to be
/// run.
#[test]
fn a_parameter_that_no_protocol_offers_is_refused_before_the_peer_hears_of_it() {
    let site = site();
    let wrong = || {
        let mut terms = terms(&site, 0);
        terms.security.softspoken_k = 3;
        terms
    };
    let error = BlockingSession::open(wrong(), &CancelFlag::new()).map(drop).unwrap_err();
    assert_eq!(error.class(), Class::Usage);
    assert!(error.to_string().contains("softspoken_k is 3; it can be 1, 2, 4 or 8"), "{error}");
    let terms = wrong();
    let script = Script::new(side_of(&terms.party, &terms.peer));
    let error = run_live_blocking(terms, &script, &CancelFlag::new(), || ()).map(drop).unwrap_err();
    assert_eq!(error.class(), Class::Usage);
    assert!(error.to_string().contains("softspoken_k is 3"), "{error}");
}
