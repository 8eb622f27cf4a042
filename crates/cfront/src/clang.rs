//! Running the C compiler, in the same way on every machine.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::int_width::{WIDE_FLAGS, widen};
use crate::{CError, IntWidth, Language, Location, Options, rust};

/// The C compiler: clang from LLVM 15 on, as a program and the arguments that come first, such as `zig clang`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    /// The program and its first arguments.
    pub command: Vec<OsString>,
}

/// The library's headers, so that programs do not depend on those of the machine.
const HEADERS: [(&str, &str); 20] = [
    ("assert.h", include_str!("../headers/assert.h")),
    ("float.h", include_str!("../headers/float.h")),
    ("limits.h", include_str!("../headers/limits.h")),
    ("math.h", include_str!("../headers/math.h")),
    ("stdarg.h", include_str!("../headers/stdarg.h")),
    ("stdbool.h", include_str!("../headers/stdbool.h")),
    ("stddef.h", include_str!("../headers/stddef.h")),
    ("stdint.h", include_str!("../headers/stdint.h")),
    ("stdlib.h", include_str!("../headers/stdlib.h")),
    ("string.h", include_str!("../headers/string.h")),
    // Those of C++.
    ("cassert", "#include <assert.h>\n"),
    ("cfloat", "#include <float.h>\n"),
    ("climits", "#include <limits.h>\n"),
    ("cmath", include_str!("../headers/cmath")),
    ("cstddef", include_str!("../headers/cstddef")),
    ("cstdint", include_str!("../headers/cstdint")),
    ("cstdlib", include_str!("../headers/cstdlib")),
    ("cstring", include_str!("../headers/cstring")),
    ("new", include_str!("../headers/new")),
    // Included by every source.
    ("tacit.h", include_str!("../headers/tacit.h")),
];

/// What IR is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Purpose {
    /// A program: integers wrap.
    Program,
    /// Proofs: checks for undefined behaviour as traps, and marks where variables begin and end. The level that writes
    /// the marks runs no pass.
    Check,
}

impl Purpose {
    fn flags(self) -> &'static [&'static str] {
        match self {
            Purpose::Program => &["-w", "-fwrapv", "-O0", "-Xclang", "-disable-O0-optnone"],
            Purpose::Check => &[
                // What clang alone can tell: with `-w` it would not.
                "-Wno-everything",
                "-Werror=unsequenced",
                "-O1",
                "-Xclang",
                "-disable-llvm-passes",
                "-fsanitize=signed-integer-overflow,shift,array-bounds,unreachable,return,vla-bound,builtin,\
                 float-cast-overflow",
                "-fsanitize-trap=all",
            ],
        }
    }
}

/// The same for everyone, and no transformation that makes circuits larger.
const FLAGS: [&str; 12] = [
    "-nostdinc",
    "-fno-builtin",
    "-fno-strict-aliasing",
    "-ffp-contract=off",
    "-fno-jump-tables",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-unroll-loops",
    "-fno-discard-value-names",
    "-g",
    "-S",
    "-emit-llvm",
];

/// Variables of the environment that would change what the compiler does.
const REMOVED: [&str; 5] =
    ["CPATH", "C_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS", "COMPILER_PATH", "GCC_EXEC_PREFIX"];

impl Compiler {
    /// The compiler that the command `program` starts.
    pub fn new(program: impl Into<OsString>) -> Self {
        Compiler { command: vec![program.into()] }
    }

    /// The clang inside the `zig` executable at `path`.
    pub fn zig(path: &Path) -> Self {
        Compiler { command: vec![path.into(), "clang".into()] }
    }

    /// The first line that the compiler prints about itself: parties compare it.
    ///
    /// # Errors
    /// [`CError::NoCompiler`] where it cannot be run.
    pub fn version(&self) -> Result<String, CError> {
        let output = self.run(self.command(None).arg("--version"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        match text.lines().next() {
            Some(line) if output.status.success() => Ok(line.trim().to_string()),
            _ => Err(self.fail(format!("it prints no version ({})", output.status))),
        }
    }

    pub(crate) fn command(&self, cache: Option<&Path>) -> Command {
        let mut command = Command::new(self.command.first().cloned().unwrap_or_default());
        command.args(self.command.iter().skip(1)).stdin(Stdio::null());
        for name in REMOVED {
            command.env_remove(name);
        }
        command.env("LC_ALL", "C").env("SOURCE_DATE_EPOCH", "0");
        if let Some(cache) = cache {
            command.env("ZIG_GLOBAL_CACHE_DIR", cache).env("ZIG_LOCAL_CACHE_DIR", cache);
        }
        command
    }

    pub(crate) fn run(&self, command: &mut Command) -> Result<Output, CError> {
        command.output().map_err(|error| self.fail(error.to_string()))
    }

    fn fail(&self, reason: String) -> CError {
        let parts: Vec<_> = self.command.iter().map(|part| part.to_string_lossy()).collect();
        CError::NoCompiler { command: parts.join(" "), reason }
    }
}

/// A directory for the compiler's files, removed at the end.
pub(crate) struct Workspace {
    path: PathBuf,
}

impl Workspace {
    pub(crate) fn new() -> Result<Self, CError> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("tacit-cfront-{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Workspace { path }.with_headers(),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(file_error(&path, &error)),
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn with_headers(self) -> Result<Self, CError> {
        let include = self.path.join("include");
        fs::create_dir(&include).map_err(|error| file_error(&include, &error))?;
        for (name, text) in HEADERS {
            write(&include.join(name), text)?;
        }
        Ok(self)
    }

    /// A source as unoptimised LLVM IR. The compiler runs beside the source, so that its name alone is what
    /// messages and programs can contain.
    pub(crate) fn translate(
        &self,
        options: &Options,
        source: &Path,
        purpose: Purpose,
    ) -> Result<String, CError> {
        let language = Language::of(source);
        match (language, options.int_width, purpose) {
            (Language::C, ..) | (Language::Cpp, IntWidth::ThirtyTwo, _) => {}
            (Language::Rust, IntWidth::ThirtyTwo, Purpose::Program) => return rust::translate(self, source),
            (Language::Rust, IntWidth::ThirtyTwo, Purpose::Check) => {
                return Err(unsupported(source, "proving anything of Rust"));
            }
            (_, IntWidth::Sixteen | IntWidth::SixtyFour, _) => {
                return Err(unsupported(
                    source,
                    "another width of `int` than 32 bits in a language other than C",
                ));
            }
        }
        let source = source.canonicalize().map_err(|error| file_error(source, &error))?;
        let (Some(parent), Some(name)) = (source.parent(), source.file_name()) else {
            return Err(CError::File {
                path: source.display().to_string(),
                reason: "it is not a file".into(),
            });
        };
        let mut command = options.compiler.command(Some(&self.path));
        command.current_dir(parent).args(["-target", options.int_width.target()]).args(FLAGS);
        command.args(purpose.flags()).args(language.flags());
        let include = self.path.join("include");
        let preprocess = |command: &mut Command| {
            command.arg("-include").arg(include.join("tacit.h")).arg("-isystem").arg(&include);
            command.args(&options.flags);
            // A name that begins with a dash would be taken for an option.
            let dash = name.to_string_lossy().starts_with('-');
            command.arg(if dash { Path::new(".").join(name) } else { name.into() });
        };
        if options.int_width == IntWidth::SixtyFour {
            let mut before = options.compiler.command(Some(&self.path));
            before.current_dir(parent).args(["-target", options.int_width.target(), "-E", "-w", "-nostdinc"]);
            before.args(WIDE_FLAGS);
            preprocess(&mut before);
            let text = widen(&self.finish(&options.compiler, before)?);
            let path = self.path.join("widened.i");
            write(&path, &text)?;
            command.args(["-ffreestanding", "-x", "cpp-output"]).arg(path);
            command.args(options.flags.iter().filter(|flag| flag.to_string_lossy().starts_with("-std=")));
        } else {
            preprocess(&mut command);
        }
        self.finish(&options.compiler, command)
    }

    /// A source that is not in a file, as unoptimised LLVM IR.
    pub(crate) fn translate_text(
        &self,
        name: &str,
        text: &str,
        options: &Options,
        purpose: Purpose,
    ) -> Result<String, CError> {
        let path = self.path.join(name);
        write(&path, text)?;
        self.translate(options, &path, purpose)
    }

    /// LLVM IR as the compiler optimises it.
    pub(crate) fn optimise(&self, options: &Options, text: &str, level: &str) -> Result<String, CError> {
        let input = self.path.join("input.ll");
        write(&input, text)?;
        let mut command = options.compiler.command(Some(&self.path));
        command.current_dir(&self.path).args(["-target", options.int_width.target()]).args(FLAGS);
        command.args(["-w", "-fwrapv", level, "-x", "ir", "input.ll"]);
        self.finish(&options.compiler, command)
    }

    fn finish(&self, compiler: &Compiler, mut command: Command) -> Result<String, CError> {
        let path = self.path.join("output.ll");
        let output = compiler.run(command.arg("-o").arg(&path))?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr).trim_end().to_string();
            return Err(CError::Clang { message });
        }
        let bytes = fs::read(&path).map_err(|error| file_error(&path, &error))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        // Nothing can be done where this fails; the system clears its directory for temporary files.
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn write(path: &Path, text: &str) -> Result<(), CError> {
    fs::write(path, text).map_err(|error| file_error(path, &error))
}

fn unsupported(source: &Path, construct: &str) -> CError {
    let location = Location { file: source.display().to_string(), line: 0 };
    CError::Unsupported { location, construct: construct.into() }
}

pub(crate) fn file_error(path: &Path, error: &std::io::Error) -> CError {
    CError::File { path: path.display().to_string(), reason: error.to_string() }
}
