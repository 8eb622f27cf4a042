//! Writing C, checking it, and running it natively.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use tacit_cfront::{Compiler, Options};
use tacit_check::{Finding, Limits, Report, check, test};

/// Time limit of native programs.
const TIME_LIMIT: Duration = Duration::from_secs(60);

fn zig() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("TACIT_ZIG") {
        return Some(path.into());
    }
    let lib = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/lib");
    let mut pythons: Vec<_> = std::fs::read_dir(lib).ok()?.flatten().map(|entry| entry.path()).collect();
    pythons.sort();
    pythons.into_iter().map(|python| python.join("site-packages/ziglang/zig")).find(|path| path.exists())
}

/// The compiler for tests: the one that `TACIT_CLANG` names, or zig's.
pub fn compiler() -> Compiler {
    match (std::env::var_os("TACIT_CLANG"), zig()) {
        (Some(clang), _) => Compiler::new(clang),
        (None, Some(zig)) => Compiler::zig(&zig),
        (None, None) => Compiler::new("clang"),
    }
}

pub fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("check");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

pub fn write(name: &str, text: &str) -> PathBuf {
    let path = folder().join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

/// Checks a program with a bound for loops, if one is given.
pub fn checked(source: &Path, unwind: Option<&str>) -> Report {
    let mut options = Options::new(compiler());
    options.unwind = unwind.map(|text| text.parse().expect("a bound")).unwrap_or_default();
    check(&[source], &options, &Limits::default(), |_, _| {})
        .unwrap_or_else(|error| panic!("{}: {error}", source.display()))
}

/// The verdicts of a report, one line for each property.
pub fn lines(report: &Report) -> String {
    let line = |(property, finding): (&tacit_cfront::Property, &Finding)| {
        format!("{} {}: {}: {}\n", property.location, property.kind, property.description, finding.name())
    };
    report.checked.properties.iter().zip(&report.findings).map(line).collect()
}

pub fn assert_proven(source: &Path, unwind: Option<&str>) {
    let report = checked(source, unwind);
    assert_eq!(report.counts()[1..], [0, 0], "{}:\n{}", source.display(), lines(&report));
}

/// Compiles a test natively, with these options, and runs it.
pub fn run_native(name: &str, text: &str, options: &[&str]) -> ExitStatus {
    let source = write(&format!("{name}.test.c"), text);
    let executable = source.with_extension("");
    let mut command = match zig() {
        Some(zig) => {
            let mut command = Command::new(zig);
            command.arg("cc");
            let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("zig-cache");
            command.env("ZIG_GLOBAL_CACHE_DIR", &cache).env("ZIG_LOCAL_CACHE_DIR", &cache);
            command
        }
        None => Command::new("clang"),
    };
    command.args(["-std=gnu2x", "-w", "-O0", "-o"]).arg(&executable).arg(&source).args(options);
    let output = command.output().expect("a compiler");
    assert!(output.status.success(), "{name}: {}\n{text}", String::from_utf8_lossy(&output.stderr));
    let mut child = Command::new(&executable)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a native program");
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return status;
        }
        if start.elapsed() > TIME_LIMIT {
            child.kill().expect("a child");
            panic!("{name} runs on");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

const TRAPS: [&str; 2] = ["-fsanitize=undefined", "-fsanitize-trap=undefined"];

/// Runs the inputs of a report natively, with traps on undefined behaviour.
pub fn run_found(name: &str, source: &Path, report: &Report, property: usize) -> ExitStatus {
    let text = test(report, property, &[source]).expect("a test").expect("inputs");
    run_native(name, &text, &TRAPS)
}

/// The number of the only violated property; all others must be proven.
pub fn only_violated(name: &str, report: &Report) -> usize {
    assert_eq!(report.counts()[1..], [1, 0], "{name}:\n{}", lines(report));
    let violated = |finding: &Finding| matches!(finding, Finding::Violated(_));
    report.findings.iter().position(violated).expect("a violated property")
}
