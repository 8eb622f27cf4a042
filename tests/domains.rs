//! A domain is known by its name alone outside its own files, the lists of domains, and tests.

use std::path::{Path, PathBuf};

use tacit_ir::Domain;

/// The lists of domains, kernels and conversions, which a new one is added to.
const LISTS: [&str; 6] = [
    "ir/src/domain.rs",
    "schedule/src/domains/mod.rs",
    "schedule/src/kernels.rs",
    "lower/src/domains/mod.rs",
    "twoparty/src/domains/mod.rs",
    "nparty/src/compiled/domains/mod.rs",
];

/// Programs for tests.
const FOR_TESTS: &str = "arbitrary/";

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The code of each file of the crates, by its path, without tests and comments.
fn code() -> Vec<(String, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&crates).expect("crates") {
        sources(&entry.expect("a crate").path().join("src"), &mut files);
    }
    let read = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).expect("a source file in UTF-8");
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let path = file.strip_prefix(&crates).expect("a file of a crate").to_string_lossy().into_owned();
        (path, lines.collect::<Vec<_>>().join("\n"))
    };
    files.iter().map(read).collect()
}

/// What in the code names a domain or its kernels.
fn names(domain: Domain) -> Vec<String> {
    let mut name = domain.name().to_owned();
    name[..1].make_ascii_uppercase();
    vec![format!("Domain::{name}"), format!("Kernel::{name}"), format!("{name}Op")]
}

/// Whether a file is a domain's own: some part of its path bears the domain's name, as those of its conversions do.
fn is_own(path: &str, domain: Domain) -> bool {
    path.split(['/', '.']).any(|part| part.split('_').any(|word| word == domain.name()))
}

#[test]
fn domains_are_named_at_home_alone() {
    let mut found = Vec::new();
    for (path, code) in code() {
        let is_listed = LISTS.contains(&path.as_str()) || path.starts_with(FOR_TESTS);
        // What a crate hands on is named where it is.
        if is_listed || path.ends_with("/lib.rs") || path.contains("/tests") || path.contains("conversions") {
            continue;
        }
        for domain in Domain::ALL.iter().filter(|domain| !is_own(&path, **domain)) {
            let named = names(*domain).into_iter().filter(|name| code.contains(name.as_str()));
            found.extend(named.map(|name| format!("{path}: {name}")));
        }
    }
    // A comparison of sums gives bits; encrypted words come and go as sums, and their operations mean the same.
    found.retain(|one| {
        ![
            "schedule/src/domains/arith/operation.rs: Domain::Bool",
            "lower/src/domains/arith.rs: Domain::Bool",
            "schedule/src/domains/he/mod.rs: Domain::Arith",
            "schedule/src/domains/he/operation.rs: ArithOp",
        ]
        .contains(&one.as_str())
    });
    assert!(found.is_empty(), "domains are named outside their files:\n{}", found.join("\n"));
}

#[test]
fn the_lists_are_there() {
    let all: Vec<String> = code().into_iter().map(|(path, _)| path).collect();
    assert!(LISTS.iter().all(|list| all.iter().any(|path| path == list)));
}
