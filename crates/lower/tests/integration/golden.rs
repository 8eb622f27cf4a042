//! Schedules of random programs, pinned by their hashes, so that any change of schedules is deliberate.
//!
//! After a deliberate change, `TACIT_GOLDEN=write cargo test --release -p tacit-lower golden` writes the new
//! hashes. The example `plans` of `tacit-engine` compares whole plans of any programs, predictions included.

use std::fmt::Write as _;

use tacit_arbitrary::{self as arbitrary, Size};
use tacit_ir::Domain;
use tacit_lower::{Library, Options, lower, lower_with, with_wide_ands};
use tacit_schedule::Schedule;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/integration/golden.txt");
/// Number of programs.
const SEEDS: u64 = 8;
/// The worth of a round when circuits are widened.
const ROUND_BITS: u64 = 100_000;

fn every_way() -> impl Iterator<Item = Options> {
    Domain::ALL.iter().flat_map(|domain| {
        [false, true].map(|direct| Options {
            domain: *domain,
            direct_comparisons: direct,
            direct_shifts: direct,
            effort: 1 << 16,
            ..Options::default()
        })
    })
}

fn hash(schedule: &Schedule) -> u64 {
    let bytes = postcard::to_stdvec(schedule).expect("a schedule is written");
    // FNV-1a.
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[test]
fn schedules_are_what_they_were() {
    let mut found = String::new();
    for seed in 0..SEEDS {
        let program = arbitrary::program(seed, &Size { pins: seed % 2 == 1, ..Size::default() });
        // Circuits that other ways have left in the library change nothing.
        let mut library = Library::default();
        for options in every_way() {
            let schedule = lower_with(&program, &options, &mut library, &mut |_| {}).expect("lowers");
            assert_eq!(schedule, lower(&program, &options).expect("lowers"), "seed {seed}, {options:?}");
            let wide = with_wide_ands(&schedule, ROUND_BITS, &mut library);
            assert_eq!(
                wide,
                with_wide_ands(&schedule, ROUND_BITS, &mut Library::default()),
                "seed {seed}, {options:?}"
            );
            let wide = wide.map_or(0, |wide| hash(&wide));
            writeln!(found, "{seed} {} {:016x} {wide:016x}", options.domain.name(), hash(&schedule)).unwrap();
        }
    }
    if std::env::var("TACIT_GOLDEN").is_ok_and(|value| value == "write") {
        std::fs::write(FILE, &found).expect("the hashes are written");
    }
    let expected = std::fs::read_to_string(FILE).expect("hashes");
    let pairs = found.lines().zip(expected.lines());
    let changed: Vec<_> = pairs.filter(|(found, expected)| found != expected).collect();
    assert!(changed.is_empty() && found == expected, "schedules changed: {changed:#?}");
}
