//! One target for libFuzzer: the one after which the binary is named.

#![no_main]

mod targets;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use targets::{TARGETS, Target};

static TARGET: LazyLock<&'static Target> = LazyLock::new(|| {
    let name = env!("CARGO_BIN_NAME");
    TARGETS.iter().find(|(known, _)| *known == name).expect("a target")
});

fuzz_target!(|bytes: &[u8]| (TARGET.1)(bytes));
