//! The directions of dependencies between the crates, and where `unsafe` may stand.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use toml::{Table, Value};

/// What each crate may use directly. What those use is allowed too. Names without `tacit-`.
const MAY_USE: &[(&str, &[&str])] = &[
    ("math", &[]),
    ("crypto", &["math"]),
    ("net", &[]),
    ("store", &["crypto", "net"]),
    ("ir", &[]),
    ("arbitrary", &["ir"]),
    ("circuit", &[]),
    ("schedule", &["math", "ir", "circuit"]),
    ("lower", &["schedule", "arbitrary"]),
    ("ot", &["crypto", "net", "math"]),
    ("he", &["math", "crypto"]),
    ("compare", &["he", "net"]),
    ("twoparty", &["ot", "compare", "schedule"]),
    ("nparty", &["math", "crypto", "net", "store", "lower", "compare"]),
    ("auction", &["compare", "store"]),
    ("pfe", &["he", "twoparty", "universal"]),
    ("universal", &["circuit"]),
    ("cfront", &["ir"]),
    ("check", &["cfront", "lower"]),
    ("plan", &["lower"]),
    (
        "engine",
        &[
            "math",
            "crypto",
            "net",
            "store",
            "ir",
            "arbitrary",
            "circuit",
            "schedule",
            "lower",
            "ot",
            "he",
            "twoparty",
            "nparty",
            "compare",
            "pfe",
            "cfront",
            "check",
            "plan",
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

/// A package of the workspace.
struct Package {
    folder: PathBuf,
    name: String,
    /// The packages that it uses, in its tests too.
    uses: BTreeSet<String>,
}

impl Package {
    fn read(folder: PathBuf) -> Self {
        let manifest = manifest(&folder);
        let name = manifest["package"]["name"].as_str().expect("a package has a name").to_owned();
        let mut uses = uses(&manifest);
        for (_, target) in manifest.get("target").and_then(Value::as_table).into_iter().flatten() {
            uses.extend(self::uses(target.as_table().expect("a target is a table")));
        }
        Package { folder, name, uses }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn manifest(folder: &Path) -> Table {
    let path = folder.join("Cargo.toml");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The dependencies of a package, or of one on a target, by the names of their packages.
fn uses(table: &Table) -> BTreeSet<String> {
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    let tables = kinds.iter().filter_map(|kind| table.get(*kind)?.as_table());
    let package = |(key, dependency): (&String, &Value)| match dependency.get("package") {
        Some(name) => name.as_str().expect("a name").to_owned(),
        None => key.clone(),
    };
    tables.flatten().map(package).collect()
}

/// The packages of the workspace. A member is a folder, or `FOLDER/*`.
fn packages() -> Vec<Package> {
    let manifest = manifest(&root());
    let members = manifest["workspace"]["members"].as_array().expect("a workspace lists its members");
    let mut folders = Vec::new();
    for member in members {
        match member.as_str().expect("a member is a path") {
            member if member.ends_with("/*") => {
                folders.extend(entries(&root().join(&member[..member.len() - 2])))
            }
            member => folders.push(root().join(member)),
        }
    }
    folders.into_iter().map(Package::read).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().expect("a folder of the workspace");
    entries.map(|entry| entry.expect("a readable folder").path()).collect()
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
    let packages = packages();
    assert!(!packages.is_empty());
    let mut wrong = Vec::new();
    for package in &packages {
        let name = own(&package.name).unwrap_or_else(|| panic!("{} is not named tacit-…", package.name));
        let allowed = allowed(name);
        let used = package.uses.iter().filter_map(|used| own(used));
        wrong.extend(
            used.filter(|used| *used != name && !allowed.contains(used))
                .map(|used| format!("{name} → {used}")),
        );
    }
    assert!(wrong.is_empty(), "not in the table: {}", wrong.join(", "));
}

#[test]
fn random_programs_are_for_tests() {
    for package in packages() {
        let manifest = manifest(&package.folder);
        let uses = manifest.get("dependencies").is_some_and(|table| table.get("tacit-arbitrary").is_some());
        assert!(!uses, "{} uses tacit-arbitrary outside its tests", package.name);
    }
}

#[test]
fn the_table_has_no_cycle() {
    for (name, _) in MAY_USE {
        assert!(!allowed(name).contains(name), "{name} reaches itself");
    }
}

#[test]
fn folders_bear_the_names_of_their_crates() {
    for package in packages() {
        assert_eq!(package.folder.file_name().and_then(OsStr::to_str), own(&package.name));
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in entries(folder) {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn unsafe_stays_at_home() {
    for package in packages() {
        if own(&package.name).is_some_and(|name| UNSAFE_HOMES.contains(&name)) {
            continue;
        }
        let mut files = Vec::new();
        sources(&package.folder, &mut files);
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a source file in UTF-8");
            let allows = ["allow", "expect"].map(|level| format!("{level}({})", "unsafe_code"));
            assert!(!allows.iter().any(|allow| text.contains(allow)), "{} allows unsafe", file.display());
        }
    }
}

/// The packages that a build compiles, each with its features, without the workspace's own.
fn features(selection: &[&str]) -> BTreeSet<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root()).args(["tree", "--locked", "--prefix=none", "--format={p} {f}"]).args(selection);
    let output = cargo.output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
    let lines = text.lines().map(|line| line.trim_end_matches(" (*)").trim_end().to_owned());
    lines.filter(|line| !line.is_empty() && !line.starts_with("tacit-")).collect()
}

/// A dependency with other features is compiled anew, and with it everything above. So whatever the Python module or
/// the documentation asks of a dependency, the tests ask of it too, and nothing less; `[workspace.dependencies]` says so once.
#[test]
fn no_build_compiles_a_dependency_with_features_of_its_own() {
    let tests = features(&["--workspace"]);
    for selection in
        [&["--edges=normal,build", "--workspace"][..], &["--edges=normal,build", "--package=tacit-py"]]
    {
        let own: Vec<_> = features(selection).difference(&tests).cloned().collect();
        assert!(own.is_empty(), "{selection:?} builds these, which tests don't: {}", own.join(", "));
    }
}
