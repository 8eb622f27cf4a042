//! Compiling C programs natively and running them on given inputs.

pub mod agree;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tacit_cfront::Compiler;
use tacit_ir::{Column, Program, Shape, Words};

/// The zig executable: `TACIT_ZIG`, or the one in the repository's environment.
fn zig() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("TACIT_ZIG") {
        return Some(path.into());
    }
    let lib = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/lib");
    let mut pythons: Vec<_> = std::fs::read_dir(lib).ok()?.flatten().map(|entry| entry.path()).collect();
    pythons.sort();
    pythons.into_iter().map(|python| python.join("site-packages/ziglang/zig")).find(|path| path.exists())
}

/// The compiler for tests: the one that `TACIT_CLANG` names, or zig's. Tests fail without one.
pub fn compiler() -> Compiler {
    match (std::env::var_os("TACIT_CLANG"), zig()) {
        (Some(clang), _) => Compiler::new(clang),
        (None, Some(zig)) => Compiler::zig(&zig),
        (None, None) => Compiler::new("clang"),
    }
}

/// A program compiled for this machine.
pub struct Native {
    executable: PathBuf,
}

/// The directives of a source, in lines that begin with `//! `.
#[derive(Default)]
pub struct Directives {
    /// Parameters of the main function, as C declares them.
    parameters: Vec<String>,
    /// Local ports, as C declares them.
    locals: String,
    /// The main function.
    pub function: Option<String>,
}

impl Directives {
    pub fn of(source: &str) -> Self {
        let mut directives = Directives::default();
        for line in source.lines().filter_map(|line| line.strip_prefix("//! ")) {
            match line.split_once(": ") {
                Some(("parameters", list)) => {
                    directives.parameters = list.split(", ").map(String::from).collect()
                }
                Some(("locals", list)) => directives.locals = list.into(),
                Some(("function", name)) => directives.function = Some(name.into()),
                _ => panic!("unknown directive: {line}"),
            }
        }
        directives
    }
}

impl Native {
    pub fn compile(source: &Path, program: &Program, directives: &Directives) -> Self {
        let name = source.file_stem().expect("a name").to_string_lossy().into_owned();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("native");
        std::fs::create_dir_all(&folder).expect("a folder");
        let (driver, executable) = (folder.join(format!("{name}.c")), folder.join(&name));
        std::fs::write(&driver, driver_text(source, program, directives)).expect("a driver");
        let mut command = match zig() {
            Some(zig) => {
                let mut command = Command::new(zig);
                command.arg("cc").arg("-fno-sanitize=undefined");
                let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("zig-cache");
                command.env("ZIG_GLOBAL_CACHE_DIR", &cache).env("ZIG_LOCAL_CACHE_DIR", &cache);
                command
            }
            None => Command::new("clang"),
        };
        command.args([
            "-O1",
            "-fwrapv",
            "-fno-strict-aliasing",
            "-ffp-contract=off",
            "-w",
            "-DPORT=extern",
            "-o",
        ]);
        let output = command.arg(&executable).arg(&driver).output().expect("a compiler");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Native { executable }
    }

    /// The outputs for each set of inputs, all as numbers, ordered by port, column and lane.
    pub fn run(&self, trials: &[Vec<Vec<Words>>], program: &Program) -> Vec<Vec<u128>> {
        let mut text = String::new();
        for trial in trials {
            for (port, columns) in program.inputs.iter().zip(trial) {
                for (column, words) in port.shape.columns().iter().zip(columns) {
                    for lane in 0..words.lanes() {
                        writeln!(text, "{:x}", widened(words.low_u128(lane), column)).expect("text");
                    }
                }
            }
        }
        let mut child = Command::new(&self.executable)
            .arg(trials.len().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a native program");
        let mut input = child.stdin.take().expect("a pipe");
        let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
        let output = child.wait_with_output().expect("an end");
        writer.join().expect("a writer").expect("all inputs read");
        assert!(output.status.success(), "{}: {}", self.executable.display(), output.status);
        let text = String::from_utf8(output.stdout).expect("text");
        text.lines()
            .map(|line| {
                line.split_whitespace().map(|word| u128::from_str_radix(word, 16).expect("hex")).collect()
            })
            .collect()
    }
}

/// A value as C would convert it to a wider type.
fn widened(value: u128, column: &Column) -> u128 {
    let unused = 128 - column.bits.min(128);
    if column.signed { ((value << unused) as i128 >> unused) as u128 } else { value }
}

/// C that reads inputs into the variables, calls the program in its own process, and prints its outputs.
fn driver_text(source: &Path, program: &Program, directives: &Directives) -> String {
    let mut text =
        String::from("#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n#include <sys/wait.h>\n");
    writeln!(text, "{}\n#include \"{}\"", directives.locals, source.display()).expect("text");
    text.push_str(
        "static unsigned __int128 tacit_next(void) {\n    unsigned __int128 value = 0;\n    int c = getchar();\n    \
         while (c != '\\n') {\n        if (c == EOF) exit(3);\n        \
         value = value << 4 | (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);\n        c = getchar();\n    }\n    \
         return value;\n}\nstatic void tacit_put(unsigned __int128 value) {\n    \
         printf(\"%llx%016llx \", (unsigned long long)(value >> 64), (unsigned long long)value);\n}\n",
    );
    for parameter in &directives.parameters {
        writeln!(text, "static {parameter};").expect("text");
    }
    text.push_str("int main(int argc, char **argv) {\n    setvbuf(stdout, 0, _IOFBF, 1 << 16);\n");
    text.push_str("    for (int trial = atoi(argv[1]); trial > 0; trial--) {\n");
    for port in &program.inputs {
        let variable = format!("INPUT_{}_{}", program.roles[port.role.index()], port.name);
        for leaf in leaves(&variable, &port.shape) {
            writeln!(text, "        {leaf} = tacit_next();").expect("text");
        }
    }
    text.push_str("        int pid = fork();\n        if (pid == 0) {\n");
    let name = |declaration: &String| declaration.rsplit(' ').next().unwrap_or_default().to_string();
    let arguments: Vec<String> = directives.parameters.iter().map(name).collect();
    let call = format!("{}({})", program.name, arguments.join(", "));
    let returns = program.outputs.iter().any(|port| port.name == "return");
    let result = if returns { format!("__typeof__({call}) tacit_return = ") } else { String::new() };
    writeln!(text, "            {result}{call};").expect("text");
    for port in &program.outputs {
        let variable = match port.name.as_str() {
            "return" => "tacit_return".into(),
            name if port.roles.len() == program.roles.len() => format!("OUTPUT_{name}"),
            name => format!("OUTPUT_{}_{name}", program.roles[port.roles[0].index()]),
        };
        for leaf in leaves(&variable, &port.shape) {
            writeln!(text, "            tacit_put({leaf});").expect("text");
        }
    }
    text.push_str("            puts(\"\");\n            fflush(stdout);\n            _exit(0);\n        }\n");
    text.push_str(
        "        int status = 0;\n        waitpid(pid, &status, 0);\n        if (status != 0) exit(2);\n",
    );
    text.push_str("    }\n    return 0;\n}\n");
    text
}

/// C expressions for the scalars of a variable, in the order of columns and lanes.
fn leaves(expression: &str, shape: &Shape) -> Vec<String> {
    columns(vec![expression.to_string()], shape).into_iter().flatten().collect()
}

/// One list for each column of `shape`, for all of `bases`.
fn columns(bases: Vec<String>, shape: &Shape) -> Vec<Vec<String>> {
    match shape {
        Shape::Integer { .. } => vec![bases],
        Shape::Float { bits } => {
            let ty = if *bits == 32 { "unsigned" } else { "unsigned long" };
            vec![bases.into_iter().map(|base| format!("*({ty} *)&({base})")).collect()]
        }
        Shape::Array { length, element } => {
            let elements =
                bases.iter().flat_map(|base| (0..*length).map(move |index| format!("{base}[{index}]")));
            columns(elements.collect(), element)
        }
        Shape::Struct(members) => members
            .iter()
            .flat_map(|(name, member)| {
                columns(bases.iter().map(|base| format!("{base}.{name}")).collect(), member)
            })
            .collect(),
    }
}
