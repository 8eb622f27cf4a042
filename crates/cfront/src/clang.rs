//! Translates sources to LLVM IR.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::compiler::Compiler;
use crate::int_width::{WIDE_FLAGS, widen};
use crate::workspace::{Workspace, file_error, write};
use crate::{CError, IntWidth, Language, Location, Options, rust};

/// The purpose of the IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Purpose {
    /// A program: integers wrap.
    Program,
    /// Proofs: checks for undefined behaviour as traps, and marks where variables begin and end. The
    /// optimisation level that writes these marks runs no passes.
    Check,
}

impl Purpose {
    fn flags(self) -> &'static [&'static str] {
        match self {
            Purpose::Program => &["-w", "-fwrapv", "-O0", "-Xclang", "-disable-O0-optnone"],
            Purpose::Check => &[
                // The findings of clang alone, which `-w` would suppress.
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

/// The same flags on every machine, and no transformation that makes circuits larger.
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

impl Workspace {
    /// Translates a source to unoptimised LLVM IR. The compiler runs in the source's folder, so that messages
    /// and programs contain only the file's name.
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
                return Err(unsupported(source, "a proof about a Rust program"));
            }
            (_, IntWidth::Sixteen | IntWidth::SixtyFour, _) => {
                return Err(unsupported(
                    source,
                    "an `int` width other than 32 bits in a language other than C",
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
        let mut command = options.compiler.command(Some(self.path()));
        command.current_dir(parent).args(["-target", options.int_width.target()]).args(FLAGS);
        command.args(purpose.flags()).args(language.flags());
        let include = self.path().join("include");
        let preprocess = |command: &mut Command| {
            command.arg("-include").arg(include.join("tacit.h")).arg("-isystem").arg(&include);
            command.args(&options.flags);
            // A name that begins with a dash would be read as an option.
            let dash = name.to_string_lossy().starts_with('-');
            command.arg(if dash { Path::new(".").join(name) } else { name.into() });
        };
        if options.int_width == IntWidth::SixtyFour {
            let mut before = options.compiler.command(Some(self.path()));
            before.current_dir(parent).args(["-target", options.int_width.target(), "-E", "-w", "-nostdinc"]);
            before.args(WIDE_FLAGS);
            preprocess(&mut before);
            let text = widen(&self.finish(&options.compiler, before)?);
            let path = self.path().join("widened.i");
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
        let path = self.path().join(name);
        write(&path, text)?;
        self.translate(options, &path, purpose)
    }

    /// LLVM IR as the compiler optimises it.
    pub(crate) fn optimise(&self, options: &Options, text: &str, level: &str) -> Result<String, CError> {
        let input = self.path().join("input.ll");
        write(&input, text)?;
        let mut command = options.compiler.command(Some(self.path()));
        command.current_dir(self.path()).args(["-target", options.int_width.target()]).args(FLAGS);
        command.args(["-w", "-fwrapv", level, "-x", "ir", "input.ll"]);
        self.finish(&options.compiler, command)
    }

    fn finish(&self, compiler: &Compiler, mut command: Command) -> Result<String, CError> {
        let path = self.path().join("output.ll");
        let output = compiler.run(command.arg("-o").arg(&path))?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr).trim_end().to_string();
            return Err(CError::Clang { message });
        }
        let bytes = fs::read(&path).map_err(|error| file_error(&path, &error))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn unsupported(source: &Path, construct: &str) -> CError {
    let location = Location { file: source.display().to_string(), line: 0 };
    CError::Unsupported { location, construct: construct.into() }
}
