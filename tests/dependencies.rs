//! The directions of dependencies between the crates, and where `unsafe` may stand.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cargo_metadata::{Metadata, MetadataCommand};

/// What each crate may use directly. What those use is allowed too. Names without `tacit-`.
const MAY_USE: &[(&str, &[&str])] = &[
    ("math", &[]),
    ("crypto", &["math"]),
    ("net", &[]),
    ("store", &["crypto", "net"]),
    ("ir", &[]),
    ("circuit", &[]),
    ("lower", &["ir", "circuit"]),
    ("ot", &["crypto", "net", "math"]),
    ("he", &["math", "crypto"]),
    ("twoparty", &["ot", "he", "circuit"]),
    ("nparty", &["math", "crypto", "net", "store", "lower"]),
    ("compare", &["he", "net"]),
    ("pfe", &["he", "twoparty"]),
    ("cfront", &["ir"]),
    ("check", &["cfront", "lower"]),
    ("plan", &["lower"]),
    (
        "engine",
        &[
            "math", "crypto", "net", "store", "ir", "circuit", "lower", "ot", "he", "twoparty", "nparty",
            "compare", "pfe", "cfront", "check", "plan",
        ],
    ),
    ("py", &["engine", "plan", "check"]),
    ("embed", &["engine"]),
    ("capi", &["embed"]),
    ("tests", &["py"]),
    ("benches", &["engine"]),
];

/// The only crates with `unsafe`: two for SIMD, and the C library, whose callers hand over pointers.
const UNSAFE_HOMES: [&str; 3] = ["math", "crypto", "capi"];

fn metadata() -> Metadata {
    MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo describes the workspace")
}

fn direct(name: &str) -> &'static [&'static str] {
    let row = MAY_USE.iter().find(|(krate, _)| *krate == name);
    row.unwrap_or_else(|| panic!("tacit-{name} is missing from the table of dependencies")).1
}

/// Everything `name` may use, through others too.
fn allowed(name: &str) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    let mut open = direct(name).to_vec();
    while let Some(next) = open.pop() {
        if found.insert(next) {
            open.extend(direct(next));
        }
    }
    found
}

fn own(name: &str) -> Option<&str> {
    name.strip_prefix("tacit-")
}

#[test]
fn dependencies_follow_the_table() {
    let metadata = metadata();
    assert!(!metadata.packages.is_empty());
    let mut wrong = Vec::new();
    for package in &metadata.packages {
        let name = own(&package.name).unwrap_or_else(|| panic!("{} is not named tacit-…", package.name));
        let allowed = allowed(name);
        let used = package.dependencies.iter().filter_map(|dependency| own(&dependency.name));
        wrong.extend(
            used.filter(|used| *used != name && !allowed.contains(used))
                .map(|used| format!("{name} → {used}")),
        );
    }
    assert!(wrong.is_empty(), "not in the table: {}", wrong.join(", "));
}

#[test]
fn the_table_has_no_cycle() {
    for (name, _) in MAY_USE {
        assert!(!allowed(name).contains(name), "{name} reaches itself");
    }
}

#[test]
fn folders_bear_the_names_of_their_crates() {
    for package in &metadata().packages {
        let folder = package.manifest_path.parent().and_then(|folder| folder.file_name());
        assert_eq!(folder, own(&package.name));
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().expect("a folder of the workspace") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn unsafe_stays_at_home() {
    for package in &metadata().packages {
        if own(&package.name).is_some_and(|name| UNSAFE_HOMES.contains(&name)) {
            continue;
        }
        let mut files = Vec::new();
        sources(package.manifest_path.parent().expect("a folder").as_std_path(), &mut files);
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a source file in UTF-8");
            let allows = ["allow", "expect"].map(|level| format!("{level}({})", "unsafe_code"));
            assert!(!allows.iter().any(|allow| text.contains(allow)), "{} allows unsafe", file.display());
        }
    }
}
