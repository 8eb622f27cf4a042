//! Every program in `tests/programs` computes the same as the natively compiled one, optimised and
//! unoptimised.

use std::path::{Path, PathBuf};

use crate::native::agree::check;

#[test]
fn programs_agree_with_native_ones() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let only = std::env::var("TACIT_PROGRAM").unwrap_or_default();
    let mut sources: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("programs").flatten().map(|entry| entry.path()).collect();
    sources.retain(|path| {
        path.extension().is_some_and(|end| end == "c") && path.to_string_lossy().contains(&only)
    });
    sources.sort();
    assert!(!sources.is_empty());
    let mut failures = Vec::new();
    for source in &sources {
        if let Err(error) = check(source) {
            failures.push(format!("{}: {error}", source.file_name().expect("a name").to_string_lossy()));
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {} programs fail:\n{}",
        failures.len(),
        sources.len(),
        failures.join("\n")
    );
}
