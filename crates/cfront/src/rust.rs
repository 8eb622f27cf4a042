//! Compiles Rust through the LLVM IR of `rustc`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::CError;
use crate::workspace::{Workspace, file_error};

/// The function that is called where Rust panics.
pub(crate) const PANIC: &str = "tacit_panic";

/// Flags as for release builds: arithmetic wraps, and checks that could only find mistakes in the library are
/// off.
const FLAGS: [&str; 20] = [
    "--edition",
    "2024",
    "--crate-type",
    "lib",
    "--crate-name",
    "program",
    "--target",
    "x86_64-unknown-linux-gnu",
    "--emit=llvm-ir",
    "--cap-lints=allow",
    "-Copt-level=0",
    "-Cdebuginfo=2",
    "-Cpanic=abort",
    "-Coverflow-checks=off",
    "-Cdebug-assertions=off",
    "-Ccodegen-units=1",
    "-Cno-prepopulate-passes",
    "-Cno-vectorize-loops",
    "-Cno-vectorize-slp",
    "-o",
];

fn command() -> Command {
    let mut command = Command::new("rustc");
    command.stdin(Stdio::null()).env_remove("RUSTFLAGS").env("LC_ALL", "C");
    command
}

fn failed(reason: impl Into<String>) -> CError {
    CError::NoCompiler { command: "rustc".into(), reason: reason.into() }
}

/// The version that `rustc` reports.
pub(crate) fn version() -> Result<String, CError> {
    let output = command().arg("--version").output().map_err(|error| failed(error.to_string()))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_string()),
        false => Err(failed(String::from_utf8_lossy(&output.stderr).trim())),
    }
}

/// A source as unoptimised LLVM IR, in the form that C has.
pub(crate) fn translate(workspace: &Workspace, source: &Path) -> Result<String, CError> {
    let source = source.canonicalize().map_err(|error| file_error(source, &error))?;
    let (Some(parent), Some(name)) = (source.parent(), source.file_name()) else {
        let (path, reason) = (source.display().to_string(), "it is not a file".into());
        return Err(CError::File { path, reason });
    };
    let path = workspace.path().join("rust.ll");
    let mut command = command();
    command.current_dir(parent).args(FLAGS).arg(&path);
    // A name that begins with a dash would be read as an option.
    let dash = name.to_string_lossy().starts_with('-');
    command.arg(if dash { Path::new(".").join(name) } else { name.into() });
    let output = command.output().map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(CError::Clang { message: String::from_utf8_lossy(&output.stderr).trim_end().into() });
    }
    let bytes = fs::read(&path).map_err(|error| file_error(&path, &error))?;
    Ok(adapted(&String::from_utf8_lossy(&bytes)))
}

/// The text with panics as calls of [`PANIC`], and with input parameters read from the variables that hold
/// them.
fn adapted(text: &str) -> String {
    let panics = diverging(text);
    let mut result = String::with_capacity(text.len() + 4096);
    let mut function: Option<Parameters> = None;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("declare ")
            && group(rest).is_some_and(|group| panics.contains(group))
            && !rest.contains("@llvm.")
        {
            let head = rest.rsplit_once(" #").map_or(rest, |(head, _)| head);
            result
                .push_str(&format!("define internal {head} {{\n  call void @{PANIC}()\n  unreachable\n}}\n"));
            continue;
        }
        if line.starts_with("define ") {
            let mut parameters = Parameters::of(line);
            result.push_str(&parameters.head(line));
            result.push('\n');
            function = Some(parameters);
            continue;
        }
        if line == "}" {
            function = None;
        }
        match &mut function {
            Some(parameters) => parameters.line(line, &mut result),
            None => result.push_str(line),
        }
        result.push('\n');
    }
    result.push_str(&format!("declare void @{PANIC}()\n"));
    result
}

/// The groups of attributes of functions that never return.
fn diverging(text: &str) -> BTreeSet<&str> {
    let groups = text.lines().filter_map(|line| line.strip_prefix("attributes #"));
    let never = groups.filter(|line| line.split_whitespace().any(|word| word == "noreturn"));
    never.filter_map(|line| line.split_once(' ').map(|(number, _)| number)).collect()
}

/// The group of attributes of a declaration.
fn group(declaration: &str) -> Option<&str> {
    declaration.rsplit_once(" #").map(|(_, number)| number.trim())
}

/// The input parameters that are numbers in registers. rustc keeps copies of them only for debuggers; the
/// function is changed to read these copies.
struct Parameters {
    names: Vec<String>,
    /// For each register that widens a parameter, the parameter.
    widened: Vec<(String, String)>,
    /// Each store: parameter, type, address.
    stored: Vec<(String, String, String)>,
}

/// The suffix of the original names of parameters.
const GIVEN: &str = ".given";

impl Parameters {
    fn of(head: &str) -> Self {
        let list = head.split_once('(').map_or("", |(_, rest)| rest);
        let names = list.split(", ").filter(|parameter| !parameter.starts_with("ptr "));
        let names = names.filter_map(|parameter| {
            let name = parameter.split_once('%')?.1;
            let name = name.split([')', ' ', ',']).next()?;
            name.starts_with("INPUT_").then(|| name.to_string())
        });
        Parameters { names: names.collect(), widened: Vec::new(), stored: Vec::new() }
    }

    /// The head of the function with its inputs renamed.
    fn head(&mut self, line: &str) -> String {
        let mut line = line.to_string();
        for name in &self.names {
            for end in [",", ")"] {
                line = line.replace(&format!("%{name}{end}"), &format!("%{name}{GIVEN}{end}"));
            }
        }
        line
    }

    fn line(&mut self, line: &str, result: &mut String) {
        let words: Vec<&str> = line.trim().split([' ', ',']).filter(|word| !word.is_empty()).collect();
        match words[..] {
            // %0 = zext i1 %INPUT_A_x to i8
            [register, "=", "zext", "i1", value, "to", "i8", ..] if self.is_input(value) => {
                self.widened.push((register.into(), value.into()));
                result.push_str(&line.replace(value, &format!("{value}{GIVEN}")));
            }
            // store i32 %INPUT_A_x, ptr %INPUT_A_x.dbg.spill, align 4
            ["store", ty, value, "ptr", address, ..] if self.is_input(value) => {
                self.stored.push((value.into(), ty.into(), address.into()));
                result.push_str(&line.replacen(&format!("{value},"), &format!("{value}{GIVEN},"), 1));
            }
            ["store", "i8", value, "ptr", address, ..] if let Some(input) = self.widened_input(value) => {
                self.stored.push((input, "i1".into(), address.into()));
                result.push_str(line);
            }
            _ => {
                result.push_str(line);
                self.read(line, result);
            }
        }
    }

    /// After the declaration of an input's copy, reads it.
    fn read(&mut self, line: &str, result: &mut String) {
        let Some((_, declared)) = line.split_once("#dbg_declare(ptr %") else { return };
        let Some((variable, _)) = declared.split_once(".dbg.spill,") else { return };
        let of = |register: &str| {
            let name = register.trim_start_matches('%');
            name == variable || name.strip_prefix(variable).is_some_and(|part| matches!(part, ".0" | ".1"))
        };
        for (register, ty, address) in self.stored.iter().filter(|(register, ..)| of(register)) {
            match ty.as_str() {
                "i1" => result.push_str(&format!(
                    "\n  {register}.byte = load i8, ptr {address}\n  {register} = trunc i8 {register}.byte to i1"
                )),
                ty => result.push_str(&format!("\n  {register} = load {ty}, ptr {address}")),
            }
        }
        self.stored.retain(|(register, ..)| !of(register));
    }

    fn is_input(&self, register: &str) -> bool {
        register.strip_prefix('%').is_some_and(|name| self.names.iter().any(|input| input == name))
    }

    fn widened_input(&self, register: &str) -> Option<String> {
        let found = self.widened.iter().find(|(widened, _)| widened == register)?;
        Some(found.1.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_read_where_they_are_kept() {
        let text = "define i32 @f(i32 %INPUT_A_x, i1 zeroext %INPUT_B_c, ptr %INPUT_B_l) unnamed_addr #1 {\nstart:\n  \
             store i32 %INPUT_A_x, ptr %INPUT_A_x.dbg.spill, align 4\n    \
             #dbg_declare(ptr %INPUT_A_x.dbg.spill, !1, !DIExpression(), !2)\n  %0 = zext i1 %INPUT_B_c to i8\n  \
             store i8 %0, ptr %INPUT_B_c.dbg.spill, align 1\n    \
             #dbg_declare(ptr %INPUT_B_c.dbg.spill, !3, !DIExpression(), !2)\n  ret i32 %INPUT_A_x\n}\n\
             declare void @fail(i64, ptr) unnamed_addr #4\n\nattributes #1 = { nonlazybind }\n\
             attributes #4 = { cold noreturn \"x\"=\"y\" }\n";
        let adapted = adapted(text);
        for expected in [
            "@f(i32 %INPUT_A_x.given, i1 zeroext %INPUT_B_c.given, ptr %INPUT_B_l) unnamed_addr",
            "store i32 %INPUT_A_x.given, ptr %INPUT_A_x.dbg.spill, align 4\n",
            "!2)\n  %INPUT_A_x = load i32, ptr %INPUT_A_x.dbg.spill\n",
            "%0 = zext i1 %INPUT_B_c.given to i8\n",
            "%INPUT_B_c = trunc i8 %INPUT_B_c.byte to i1\n",
            "ret i32 %INPUT_A_x\n",
            "define internal void @fail(i64, ptr) unnamed_addr {\n  call void @tacit_panic()\n  unreachable\n}\n",
        ] {
            assert!(adapted.contains(expected), "{expected}\n{adapted}");
        }
    }
}
