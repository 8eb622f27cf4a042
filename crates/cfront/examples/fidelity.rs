//! Runs C programs natively and as compiled programs, and reports where they differ.
//!
//!     fidelity FOLDER [--keep N] [FLAG…] < names     # prints a JSON object for each source
//!
//! Reads names of sources in FOLDER, one on each line. As many as possible of a source's initialised
//! variables and integers become secret inputs; the program is then interpreted on the values from the
//! source, compiled at every level of optimisation, and must return what the native program returns. Programs
//! that print a checksum must print the same one. `abort` ends a run with status 134. FLAGs go to both
//! compilers; those after `--circuit` only to ours. With `--keep N`, the first N programs that agree are
//! written to FOLDER/kept with their inputs and outputs.
//!
//! The compiler is the zig executable that TACIT_ZIG names.

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tacit_cfront::{CError, Compiled, Compiler, Limits, Optimisation, Options, Translation};
use tacit_ir::{Program, RoleId, data, interpret};

/// Time limit of native programs.
const NATIVE_TIME: Duration = Duration::from_secs(5);

/// `abort` in a form whose effect is visible.
const ABORT: &str = "_Noreturn void exit(int status);\nvoid abort(void) { exit(134); }\n";

/// Bounds of one attempt.
const LIMITS: Limits = Limits {
    iterations: 20_000,
    secret_iterations: 40,
    recursion: 200,
    operations: 60_000,
    object_bytes: 1 << 20,
};

/// Attempts to add a single value to the secret ones.
const SINGLE_ATTEMPTS: usize = 8;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

struct Bench {
    zig: PathBuf,
    folder: PathBuf,
    shared_flags: Vec<OsString>,
    circuit_flags: Vec<OsString>,
    keep: usize,
    kept: AtomicUsize,
}

/// The observable result of a native run.
#[derive(Clone, Copy)]
struct Native {
    status: u32,
    checksum: Option<u32>,
}

/// Why a program is not compared.
struct LeftOut(String);

fn main() -> Outcome<()> {
    let bench = arguments()?;
    std::fs::create_dir_all(bench.folder.join("kept"))?;
    std::fs::write(bench.folder.join("abort.c"), ABORT)?;
    let names: Vec<String> = std::io::stdin().lines().collect::<Result<_, _>>()?;
    let (next, output) = (AtomicUsize::new(0), Mutex::new(()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let line = bench.line(name);
                    let _held = output.lock();
                    println!("{line}");
                }
            });
        }
    });
    Ok(())
}

fn arguments() -> Outcome<Bench> {
    let mut bench = Bench {
        zig: std::env::var_os("TACIT_ZIG").ok_or("TACIT_ZIG is not set")?.into(),
        folder: PathBuf::new(),
        shared_flags: Vec::new(),
        circuit_flags: Vec::new(),
        keep: 0,
        kept: AtomicUsize::new(0),
    };
    let mut arguments = std::env::args().skip(1);
    bench.folder = Path::new(&arguments.next().ok_or("no folder is named")?).canonicalize()?;
    let mut circuit = false;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--keep" => bench.keep = arguments.next().ok_or("--keep needs a number")?.parse()?,
            "--circuit" => circuit = true,
            _ if circuit => bench.circuit_flags.push(argument.into()),
            _ => bench.shared_flags.push(argument.into()),
        }
    }
    Ok(bench)
}

impl Bench {
    fn line(&self, name: &str) -> Value {
        let found = std::panic::catch_unwind(|| self.compare(name));
        let mut object = Map::from_iter([("name".to_string(), json!(name))]);
        match found {
            Ok(Ok(fields)) => object.extend(fields),
            Ok(Err(LeftOut(reason))) => {
                object.extend([("status".into(), json!("left out")), ("reason".into(), json!(reason))]);
            }
            Err(_) => object.extend([("status".into(), json!("differs")), ("reason".into(), json!("panic"))]),
        }
        Value::Object(object)
    }

    fn compare(&self, name: &str) -> Result<Map<String, Value>, LeftOut> {
        let native = self.native(name)?;
        let mut options = Options::new(Compiler::zig(&self.zig));
        options.function = Some("main".into());
        options.limits = LIMITS;
        options.flags = self.shared_flags.iter().chain(&self.circuit_flags).cloned().collect();
        let source = self.folder.join(name);
        let abort = self.folder.join("abort.c");
        let refused = |error: CError| LeftOut(error.to_string());
        let translation = Translation::new(&[&source, &abort], &options).map_err(refused)?;
        let fixed = translation.fixed().map_err(refused)?;
        let (secret, plain) = choose(&translation, &fixed).map_err(refused)?;
        if let Some(unset) = plain.warnings.iter().find(|warning| warning.reason.contains("never set")) {
            return Err(LeftOut(format!("{}: {}", unset.location, unset.reason)));
        }
        let mut levels = Vec::new();
        for level in [Optimisation::None, Optimisation::One, Optimisation::Two] {
            let compiled = match level {
                Optimisation::None => Ok(plain.clone()),
                _ => translation.compile(level, &secret),
            };
            match compiled {
                Ok(compiled) => {
                    if let Some(difference) = difference(&compiled, native) {
                        let reason = format!("{level:?}: {difference}");
                        return Ok(Map::from_iter([
                            ("status".into(), json!("differs")),
                            ("reason".into(), json!(reason)),
                            ("secret".into(), json!(secret)),
                        ]));
                    }
                    levels.push(format!("{level:?}"));
                }
                Err(CError::Clang { message }) => return Err(LeftOut(message)),
                // Optimisation may produce constructs that the front end does not support.
                Err(_) => {}
            }
        }
        if !secret.is_empty() && self.kept.fetch_add(1, Ordering::Relaxed) < self.keep {
            self.write(name, &plain).map_err(|error| LeftOut(error.to_string()))?;
        }
        let bits: u64 = plain
            .program
            .inputs
            .iter()
            .flat_map(|port| port.shape.columns())
            .fold(0, |sum, column| sum + u64::from(column.bits) * column.lanes);
        Ok(Map::from_iter([
            ("status".into(), json!("agrees")),
            ("secret_inputs".into(), json!(secret.len())),
            ("secret_bits".into(), json!(bits)),
            ("levels".into(), json!(levels)),
        ]))
    }

    fn native(&self, name: &str) -> Result<Native, LeftOut> {
        let executable = self.folder.join(format!("{name}.native"));
        let cache = self.folder.join("zig-cache");
        let mut command = Command::new(&self.zig);
        command.args([
            "cc",
            "-O1",
            "-fwrapv",
            "-fno-strict-aliasing",
            "-ffp-contract=off",
            "-fno-sanitize=all",
            "-fno-builtin",
            "-w",
        ]);
        command.args(&self.shared_flags).arg("-o").arg(&executable).arg(self.folder.join(name));
        command.env("ZIG_GLOBAL_CACHE_DIR", &cache).env("ZIG_LOCAL_CACHE_DIR", &cache).stdin(Stdio::null());
        let failed = |what: &str| LeftOut(format!("natively: {what}"));
        let output = command.output().map_err(|error| failed(&error.to_string()))?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr);
            let error = message.lines().find(|line| line.contains("error:")).unwrap_or("it does not compile");
            return Err(failed(error.split("error:").last().unwrap_or(error).trim()));
        }
        let output = run_for(Command::new(&executable).stdin(Stdio::null()), NATIVE_TIME);
        std::fs::remove_file(&executable).map_err(|error| failed(&error.to_string()))?;
        let output = output.ok_or_else(|| failed("it runs too long"))?;
        let status = output.status.code().ok_or_else(|| failed("a signal ends it"))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let checksum = text.lines().find_map(|line| line.strip_prefix("checksum = "));
        let checksum = checksum.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        Ok(Native { status: status as u32, checksum })
    }

    fn write(&self, name: &str, compiled: &Compiled) -> Outcome<()> {
        let base = self.folder.join("kept").join(name);
        std::fs::write(base.with_extension("program"), compiled.program.to_bytes())?;
        let mut given: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
        for (port, columns) in compiled.program.inputs.iter().zip(&compiled.initial) {
            let role = compiled.program.roles[port.role.index()].as_str();
            given.entry(role).or_default().insert(port.name.clone(), data::encode(&port.shape, columns));
        }
        let outputs = interpret(&compiled.program, &compiled.initial, || 0)?;
        let expected = data::encode_outputs(&compiled.program, RoleId(0), &outputs);
        std::fs::write(
            base.with_extension("json"),
            json!({"inputs": given, "outputs": expected}).to_string(),
        )?;
        Ok(())
    }
}

/// The largest set of values that can be made secret, and the program. Tries everything, then less and less,
/// or values one by one.
fn choose(translation: &Translation, fixed: &[String]) -> Result<(Vec<String>, Compiled), CError> {
    let is_literal = |name: &String| name.starts_with("tacit.literal.");
    let (literals, variables): (Vec<String>, Vec<String>) = fixed.iter().cloned().partition(is_literal);
    let attempt = |secret: &[String]| translation.compile(Optimisation::None, secret);
    for secret in [fixed.to_vec(), variables.clone(), literals] {
        if !secret.is_empty()
            && let Ok(compiled) = attempt(&secret)
        {
            return Ok((secret, compiled));
        }
    }
    let (mut secret, mut best) = (Vec::new(), None);
    let singles = variables.iter().chain(fixed.iter().filter(|name| is_literal(name)));
    for name in singles.take(SINGLE_ATTEMPTS) {
        secret.push(name.clone());
        match attempt(&secret) {
            Ok(compiled) => best = Some(compiled),
            Err(_) => drop(secret.pop()),
        }
    }
    match best {
        Some(compiled) => Ok((secret, compiled)),
        None => Ok((Vec::new(), attempt(&[])?)),
    }
}

/// The difference between a program on its initial values and the native run, if any.
fn difference(compiled: &Compiled, native: Native) -> Option<String> {
    let outputs = match interpret(&compiled.program, &compiled.initial, || 0) {
        Ok(outputs) => outputs,
        Err(error) => return Some(error.to_string()),
    };
    let output = |name: &str| output(&compiled.program, &outputs, name);
    match (output("return").map(|value| value as u32 & 0xff), output("checksum"), native.checksum) {
        (Some(status), _, _) if status != native.status & 0xff => {
            Some(format!("status {status}, natively {}", native.status))
        }
        (_, Some(ours), Some(theirs)) if ours as u32 != theirs => {
            Some(format!("checksum {ours:X}, natively {theirs:X}"))
        }
        (_, None, Some(_)) => Some("no checksum".into()),
        (None, None, _) => Some("no output".into()),
        _ => None,
    }
}

fn output(program: &Program, outputs: &[Vec<tacit_ir::Words>], name: &str) -> Option<u128> {
    let port = program.outputs.iter().position(|port| port.name == name)?;
    Some(outputs[port][0].low_u128(0))
}

/// The output of a command, or nothing if it does not end in time.
fn run_for(command: &mut Command, time: Duration) -> Option<Output> {
    let mut child: Child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let start = Instant::now();
    while start.elapsed() < time {
        if let Ok(Some(_)) = child.try_wait() {
            return child.wait_with_output().ok();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().and_then(|()| child.wait()).ok()?;
    None
}
