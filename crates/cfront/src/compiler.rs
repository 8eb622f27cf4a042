//! The C compiler, run in the same way on every machine.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::CError;

/// The C compiler: clang from LLVM 15 on, as a program and its first arguments, such as `zig clang`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    /// The program and its first arguments.
    pub command: Vec<OsString>,
}

/// Environment variables that would change the compiler's behaviour.
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

    /// The first line of the compiler's version output, which parties compare.
    ///
    /// # Errors
    /// [`CError::NoCompiler`] if it cannot be run.
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
