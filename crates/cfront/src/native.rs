//! C programs compiled for this machine and run on inputs.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tacit_ir::Words;

use crate::clang::Purpose;
use crate::compile::{in_thread, link};
use crate::compiler::Compiler;
use crate::debug::{Layout, Leaf};
use crate::entry::{ENTRY, with_entry};
use crate::int_width::COMPARE;
use crate::ports::{self, Interface};
use crate::rewrite::expose_ports;
use crate::workspace::Workspace;
use crate::{CError, IntWidth, Options, runtime, rust};

/// Seconds of processor time that one run may take.
const RUN_SECONDS: u32 = 10;
/// The number of runs in a batch that may take longer before the rest is left out.
const SLOW_RUNS: u32 = 4;

/// The byte that precedes the outputs of a run that returned.
const RETURNED: u8 = 1;
/// The byte for a run that violated an assumption, and the exit code of its process.
const ASSUMED: u8 = 3;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NativeRun {
    /// The main function returned; the outputs by port and column.
    Returned(Vec<Vec<Words>>),
    /// A `tacit_assume` did not hold.
    Assumption,
    /// It ended by a signal, by `exit`, or after ten seconds of processor time.
    Stopped,
    /// It was left out, because too many runs before it took too long.
    LeftOut,
}

/// A C program compiled for this machine, with variables for inputs and outputs.
pub struct Native {
    workspace: Workspace,
    executable: PathBuf,
    inputs: Vec<Layout>,
    outputs: Vec<Layout>,
}

impl Native {
    /// Compiles C sources with clang's own code generator, optimised, with wrapping integers. The inputs and
    /// outputs are those of the program that [`crate::compile`] makes of the sources.
    ///
    /// # Errors
    /// [`CError`]; [`CError::Unsupported`] on machines other than x86-64, for which C is translated.
    pub fn compile(sources: &[&Path], options: &Options) -> Result<Native, CError> {
        if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
            let construct = "running natively on a machine other than x86-64 Linux".into();
            return Err(CError::Unsupported { location: Default::default(), construct });
        }
        if options.int_width == IntWidth::Sixteen {
            let construct = "running a program natively that was compiled for an `int` of 16 bits".into();
            return Err(CError::Unsupported { location: Default::default(), construct });
        }
        let workspace = Workspace::new()?;
        let translate = |source: &&Path| workspace.translate(options, source, Purpose::Program);
        let mut units = sources.iter().map(translate).collect::<Result<Vec<_>, _>>()?;
        if options.int_width != IntWidth::ThirtyTwo {
            // The system's library has results of type `int`.
            units.extend(runtime::unit(&link(&units)?, &workspace, options, Purpose::Program)?);
        }
        let (driver, exposed, layouts) = in_thread(|| {
            let interface = ports::find(&link(&units)?, options.function.as_deref(), &BTreeSet::new())?;
            let expose = |unit: &String| with_entry(&expose_ports(unit, &interface), &interface.symbol);
            let exposed: Vec<String> = units.iter().map(expose).collect();
            Ok((driver(&interface), exposed, layouts(interface)))
        })?;
        let executable = build(&workspace, &options.compiler, &driver, &exposed)?;
        let (inputs, outputs) = layouts;
        Ok(Native { workspace, executable, inputs, outputs })
    }

    /// How the run on each set of inputs ended. Every run has its own process.
    ///
    /// # Errors
    /// [`CError::File`] if the program cannot be run.
    pub fn run(&self, trials: &[Vec<Vec<Words>>]) -> Result<Vec<NativeRun>, CError> {
        let failed = |error: std::io::Error| CError::File {
            path: self.executable.display().to_string(),
            reason: error.to_string(),
        };
        let mut bytes = Vec::new();
        for trial in trials {
            for (layout, columns) in self.inputs.iter().zip(trial) {
                bytes.extend(to_memory(layout, columns));
            }
        }
        let mut child = Command::new(&self.executable)
            .arg(trials.len().to_string())
            .current_dir(self.workspace.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let stdin = child.stdin.take();
        let output = std::thread::scope(|scope| {
            // If the program ends early, the input that it did not read is irrelevant.
            scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(&bytes)));
            child.wait_with_output()
        });
        let output = output.map_err(failed)?;
        Ok(self.results(&output.stdout, trials.len()))
    }

    fn results(&self, mut bytes: &[u8], trials: usize) -> Vec<NativeRun> {
        let total: usize = self.outputs.iter().map(|layout| layout.bytes as usize).sum();
        let mut results = Vec::with_capacity(trials);
        while results.len() < trials {
            let Some((status, rest)) = bytes.split_first() else { break };
            bytes = rest;
            results.push(match (*status, bytes.split_at_checked(total)) {
                (RETURNED, Some((mut memory, rest))) => {
                    bytes = rest;
                    let of = |layout: &Layout| {
                        let (own, rest) = memory.split_at(layout.bytes as usize);
                        memory = rest;
                        from_memory(layout, own)
                    };
                    NativeRun::Returned(self.outputs.iter().map(of).collect())
                }
                (ASSUMED, _) => NativeRun::Assumption,
                _ => NativeRun::Stopped,
            });
        }
        results.resize(trials, NativeRun::LeftOut);
        results
    }
}

fn layouts(interface: Interface) -> (Vec<Layout>, Vec<Layout>) {
    let inputs = interface.inputs.into_iter().map(|port| port.layout).collect();
    let outputs = interface.outputs.into_iter().map(|port| port.layout).chain(interface.result).collect();
    (inputs, outputs)
}

/// Compiles the units and the driver to one executable.
fn build(
    workspace: &Workspace,
    compiler: &Compiler,
    driver: &str,
    units: &[String],
) -> Result<PathBuf, CError> {
    let write = |name: String, text: &str| {
        let path = workspace.path().join(name);
        let failed = |error: std::io::Error| CError::File {
            path: path.display().to_string(),
            reason: error.to_string(),
        };
        fs::write(&path, text).map_err(failed)?;
        Ok(path)
    };
    let mut files = vec![write("driver.c".into(), driver)?];
    for (number, unit) in units.iter().enumerate() {
        let source = write(format!("unit{number}.ll"), unit)?;
        let object = source.with_extension("o");
        let mut command = compiler.command(Some(workspace.path()));
        command
            .args(["-O1", "-ffp-contract=off", "-w", "-c", "-x", "ir"])
            .arg(&source)
            .arg("-o")
            .arg(&object);
        succeed(compiler, command)?;
        files.push(object);
    }
    let executable = workspace.path().join("program");
    let linker = linking(compiler);
    let mut command = linker.command(None);
    command
        .args(["-O1", "-g0", "-w", "-fno-sanitize=all", "-std=gnu11", "-o"])
        .arg(&executable)
        .args(&files)
        .arg("-lm");
    succeed(&linker, command)?;
    Ok(executable)
}

fn succeed(compiler: &Compiler, mut command: Command) -> Result<(), CError> {
    let output = compiler.run(&mut command)?;
    match output.status.success() {
        true => Ok(()),
        false => Err(CError::Clang { message: String::from_utf8_lossy(&output.stderr).trim_end().into() }),
    }
}

/// The compiler for linking: zig's clang finds a C library only as `zig cc`.
fn linking(compiler: &Compiler) -> Compiler {
    let mut command = compiler.command.clone();
    if let [_, second] = &mut command[..]
        && second == OsStr::new("clang")
    {
        *second = "cc".into();
    }
    Compiler { command }
}

/// C that reads inputs, runs the main function in its own process, and writes the outputs.
fn driver(interface: &Interface) -> String {
    let mut text = String::from(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n#include <sys/wait.h>\n#include <sys/resource.h>\n#include <signal.h>\n\
         void tacit_assume(_Bool holds) { if (!holds) _exit(3); }\n\
         void __CPROVER_assume(_Bool holds) { if (!holds) _exit(3); }\n\
         void __tacit_assert_fail(void) { abort(); }\n\
         __attribute__((weak)) void *_Znwm(unsigned long bytes) { return malloc(bytes); }\n\
         __attribute__((weak)) void *_Znam(unsigned long bytes) { return malloc(bytes); }\n\
         __attribute__((weak)) void _ZdlPv(void *memory) { free(memory); }\n\
         __attribute__((weak)) void _ZdaPv(void *memory) { free(memory); }\n\
         __attribute__((weak)) void _ZdlPvm(void *memory, unsigned long bytes) { free(memory); }\n\
         __attribute__((weak)) void _ZdaPvm(void *memory, unsigned long bytes) { free(memory); }\n\
         __attribute__((weak)) void __cxa_pure_virtual(void) { abort(); }\n",
    );
    writeln!(text, "void {}(void) {{ abort(); }}", rust::PANIC).expect("text");
    writeln!(
        text,
        "__attribute__((weak)) long {COMPARE}(const void *a, const void *b, unsigned long bytes) {{ return memcmp(a, b, bytes); }}"
    )
    .expect("text");
    let ports = interface.inputs.iter().chain(&interface.outputs);
    for (number, port) in ports.enumerate() {
        let bytes = port.layout.bytes;
        writeln!(text, "extern unsigned char tacit_v{number}[{bytes}] __asm__(\"{}\");", port.symbol)
            .expect("text");
    }
    let result = interface.result.as_ref().map_or(0, |layout| layout.bytes);
    // Results wider than the variable end in padding.
    writeln!(
        text,
        "extern void {ENTRY}(void *result);\nstatic unsigned char returned[{result} + 64] __attribute__((aligned(16)));"
    )
    .expect("text");
    let inputs: u64 = interface.inputs.iter().map(|port| port.layout.bytes).sum();
    let outputs: u64 = interface.outputs.iter().map(|port| port.layout.bytes).sum::<u64>() + result;
    write!(
        text,
        "static unsigned char given[{} + 1], told[{outputs} + 2];\n\
         static void run(void) {{\n    unsigned char *from = given, *to = told;\n    struct rlimit most = {{{RUN_SECONDS}, {RUN_SECONDS} + 1}};\n    setrlimit(RLIMIT_CPU, &most);\n",
        inputs
    )
    .expect("text");
    for (number, port) in interface.inputs.iter().enumerate() {
        let bytes = port.layout.bytes;
        writeln!(text, "    memcpy(tacit_v{number}, from, {bytes}); from += {bytes};").expect("text");
    }
    writeln!(text, "    {ENTRY}(returned);").expect("text");
    writeln!(text, "    *to++ = {RETURNED};").expect("text");
    for (number, port) in interface.outputs.iter().enumerate() {
        let (number, bytes) = (number + interface.inputs.len(), port.layout.bytes);
        writeln!(text, "    memcpy(to, tacit_v{number}, {bytes}); to += {bytes};").expect("text");
    }
    if result > 0 {
        writeln!(text, "    memcpy(to, returned, {result}); to += {result};").expect("text");
    }
    write!(
        text,
        "    fwrite(told, 1, to - told, stdout);\n    fflush(stdout);\n    _exit(0);\n}}\n\
         int main(int argc, char **argv) {{\n    int slow = 0;\n    for (long trial = atol(argv[1]); trial > 0; trial--) {{\n        \
         if (fread(given, 1, {inputs}, stdin) != {inputs}) return 1;\n        int status = 0, pid = fork();\n        \
         if (pid < 0) return 1;\n        if (pid == 0) run();\n        waitpid(pid, &status, 0);\n        \
         if (status != 0) {{ putchar(WIFEXITED(status) ? WEXITSTATUS(status) == {ASSUMED} ? {ASSUMED} : 0 : 0); fflush(stdout); }}\n        \
         if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU && ++slow == {SLOW_RUNS}) return 0;\n    }}\n    return 0;\n}}\n"
    )
    .expect("text");
    text
}

fn leaves<'l>(layout: &'l Layout, columns: &'l [Words]) -> impl Iterator<Item = (&'l Leaf, &'l Words, u64)> {
    let lanes = |(leaves, words): (&'l Vec<Leaf>, &'l Words)| {
        (0..).zip(leaves).map(move |(lane, leaf)| (leaf, words, lane))
    };
    layout.columns.iter().zip(columns).flat_map(lanes)
}

/// A variable's bytes; numbers are extended to their storage with zeros or their sign.
fn to_memory(layout: &Layout, columns: &[Words]) -> Vec<u8> {
    let mut memory = vec![0u8; layout.bytes as usize];
    for (leaf, words, lane) in leaves(layout, columns).filter(|(_, words, lane)| *lane < words.lanes()) {
        for bit in 0..leaf.storage_bits {
            let value = match bit < leaf.bits {
                true => words.bit(lane, bit),
                false => leaf.signed && words.bit(lane, leaf.bits - 1),
            };
            let at = leaf.bit_offset + u64::from(bit);
            if let Some(byte) = memory.get_mut(at as usize / 8) {
                *byte |= u8::from(value) << (at % 8);
            }
        }
    }
    memory
}

/// A variable's numbers.
fn from_memory(layout: &Layout, memory: &[u8]) -> Vec<Words> {
    let column = |leaves: &Vec<Leaf>| {
        let mut words = Words::zero(leaves.first().map_or(1, |leaf| leaf.bits), leaves.len() as u64);
        for (lane, leaf) in (0..).zip(leaves) {
            for bit in 0..leaf.bits {
                let at = leaf.bit_offset + u64::from(bit);
                let byte = memory.get(at as usize / 8).copied().unwrap_or(0);
                words.set_bit(lane, bit, byte >> (at % 8) & 1 == 1);
            }
        }
        words
    };
    layout.columns.iter().map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_bits_in_memory() {
        let leaf = |bit_offset, bits, storage_bits, signed| Leaf { bit_offset, bits, storage_bits, signed };
        let columns = vec![vec![leaf(3, 5, 5, true), leaf(32, 5, 5, true)], vec![leaf(64, 37, 64, true)]];
        let shape = tacit_ir::Shape::Integer { bits: 1, signed: false };
        let layout = Layout { shape, columns, bytes: 16 };
        let words = [Words::from_u128s(5, &[17, 3]), Words::scalar(37, 1 << 36)];
        let memory = to_memory(&layout, &words);
        assert_eq!(memory[..8], [17 << 3, 0, 0, 0, 3, 0, 0, 0]);
        assert_eq!(memory[8..], [0, 0, 0, 0, 0xf0, 0xff, 0xff, 0xff]);
        assert_eq!(from_memory(&layout, &memory), words);
    }
}
