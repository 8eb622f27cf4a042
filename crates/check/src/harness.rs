//! Writes C that runs a program on given inputs, for anyone to compile.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use tacit_cfront::{InputPlace, InputVariable};
use tacit_ir::{Column, Shape, Words};

use crate::check::{Finding, Report, describe};

/// A test that cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HarnessError {
    /// A source cannot be read.
    #[error("{}: {reason}", .path.display())]
    File {
        /// The source.
        path: PathBuf,
        /// The system's error.
        reason: String,
    },
    /// The place where an input would be set cannot be found.
    #[error("{place}: {variable} cannot be set from a test: {reason}")]
    Variable {
        /// Where it is declared.
        place: String,
        /// The variable.
        variable: String,
        /// The reason.
        reason: &'static str,
    },
}

/// The values that a test sets as inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Values<'i> {
    /// These.
    Given(&'i [Vec<Words>]),
    /// Any values: calls of functions `nondet_…` that model checkers understand.
    Any,
}

/// A C file that runs the program of a report on the inputs that violate property `number`; none if there are
/// no such inputs.
///
/// Compiled with a sanitizer for undefined behaviour, it stops at the reported location.
///
/// # Errors
/// [`HarnessError`].
pub fn test(report: &Report, number: usize, sources: &[&Path]) -> Result<Option<String>, HarnessError> {
    let (Some(property), Some(Finding::Violated(inputs))) =
        (report.checked.properties.get(number), report.findings.get(number))
    else {
        return Ok(None);
    };
    let head = format!(
        "// Inputs that break this rule: {}\n\
         // Compile and run, and it stops there:\n\
         //   clang -g -fsanitize=undefined,address -fno-sanitize-recover=all test.c -o test && ./test\n\
         // A value that was never set shows with -fsanitize=memory instead.\n",
        describe(property).replace('\n', " ")
    );
    write(report, Values::Given(inputs), sources).map(|text| Some(head + &text))
}

/// A C file whose inputs are any values, for model checkers such as CBMC: calls of functions `nondet_…` without a body.
///
/// # Errors
/// [`HarnessError`].
pub fn model_checker_source(report: &Report, sources: &[&Path]) -> Result<String, HarnessError> {
    write(report, Values::Any, sources)
}

const PRELUDE: &str = "void _Exit(int);\n\
    #define TACIT_H\n\
    #define __CPROVER_assume tacit_assume\n\
    #define TACIT_ROLE(name) extern char TACIT_ROLE_##name\n\
    static inline void tacit_assume(_Bool holds) { if (!holds) _Exit(77); }\n";

const ASSUME: &str = "#define TACIT_H\n\
    #define TACIT_ROLE(name) extern char TACIT_ROLE_##name\n\
    void __CPROVER_assume(_Bool holds);\n\
    #define tacit_assume __CPROVER_assume\n";

/// C with all sources, whose `main` sets the inputs and calls the main function.
fn write(report: &Report, values: Values<'_>, sources: &[&Path]) -> Result<String, HarnessError> {
    let settings = Settings::new(report, values);
    let mut text = String::new();
    text.push_str(if values == Values::Any { ASSUME } else { PRELUDE });
    let is_main = report.program().name == "main";
    if is_main {
        text.push_str("#define main tacit_main\n");
    }
    for source in sources {
        let body = std::fs::read_to_string(source)
            .map_err(|error| HarnessError::File { path: source.to_path_buf(), reason: error.to_string() })?;
        let name = source.file_name().unwrap_or_default().to_string_lossy();
        writeln!(text, "#line 1 \"{name}\"\n{}", settings.in_locals(&name, body)?).expect("text");
    }
    writeln!(text, "#line 1 \"test\"").expect("text");
    if is_main {
        text.push_str("#undef main\n");
    }
    text.push_str(&settings.declared());
    settings.main(report, &mut text)?;
    Ok(text)
}

/// The assignments to each input variable.
struct Settings<'r> {
    inputs: Vec<(&'r InputVariable, Vec<String>)>,
    /// Functions that return any value, by their declarations.
    any: Vec<String>,
}

impl<'r> Settings<'r> {
    fn new(report: &'r Report, values: Values<'_>) -> Self {
        let mut any = Vec::new();
        let mut inputs = Vec::new();
        for (index, (port, variable)) in
            report.program().inputs.iter().zip(&report.checked.inputs).enumerate()
        {
            let target = match variable.place {
                InputPlace::Parameter(position) => format!("tacit_{position}"),
                _ => variable.name.clone(),
            };
            let mut assignments = Vec::new();
            for (column, (shape, names)) in
                port.shape.columns().iter().zip(columns(vec![target], &port.shape)).enumerate()
            {
                for (lane, name) in names.into_iter().enumerate() {
                    let value = match values {
                        Values::Given(inputs) => literal(&inputs[index][column], lane as u64, shape),
                        Values::Any => nondet(shape, &mut any),
                    };
                    assignments.push(format!("{name} = {value};"));
                }
            }
            inputs.push((variable, assignments));
        }
        Settings { inputs, any }
    }

    /// Declarations of the functions that return any value.
    fn declared(&self) -> String {
        self.any.iter().map(|declaration| format!("{declaration};\n")).collect()
    }

    /// The text of a source in which locals are set where they are declared.
    fn in_locals(&self, file: &str, text: String) -> Result<String, HarnessError> {
        let mut lines: Vec<String> = text.lines().map(String::from).collect();
        let mut prototypes = String::new();
        for (variable, assignments) in &self.inputs {
            let of_file = Path::new(&variable.location.file).file_name().is_some_and(|name| name == file);
            if variable.place != InputPlace::Local || !of_file {
                continue;
            }
            let failed = |reason| HarnessError::Variable {
                place: variable.location.to_string(),
                variable: variable.name.clone(),
                reason,
            };
            let first = (variable.location.line as usize).checked_sub(1).filter(|line| *line < lines.len());
            let first = first.ok_or_else(|| failed("its declaration is not found"))?;
            let (line, column) = end_of_declaration(&lines, first, &variable.name)
                .ok_or_else(|| failed("the end of its declaration is not found"))?;
            lines[line].insert_str(column, &format!(" {}", assignments.join(" ")));
            prototypes = self.declared().replace('\n', " ");
        }
        if let Some(first) = lines.first_mut() {
            first.insert_str(0, &prototypes);
        }
        Ok(lines.join("\n"))
    }

    /// The main function of the test.
    fn main(&self, report: &Report, text: &mut String) -> Result<(), HarnessError> {
        text.push_str("int main(void) {\n");
        let mut arguments: Vec<(u32, String)> = Vec::new();
        for (variable, assignments) in &self.inputs {
            match variable.place {
                InputPlace::Local => continue,
                InputPlace::Global => {}
                InputPlace::Parameter(position) => {
                    let ty = variable.type_name.as_deref().ok_or_else(|| HarnessError::Variable {
                        place: variable.location.to_string(),
                        variable: variable.name.clone(),
                        reason: "its type has no name",
                    })?;
                    writeln!(text, "    {ty} tacit_{position};").expect("text");
                    arguments.push((position, format!("tacit_{position}")));
                }
            }
            assignments.iter().for_each(|assignment| writeln!(text, "    {assignment}").expect("text"));
        }
        arguments.sort_unstable();
        let arguments: Vec<String> = arguments.into_iter().map(|(_, name)| name).collect();
        let name = match report.program().name.as_str() {
            "main" => "tacit_main",
            name => name,
        };
        writeln!(text, "    {name}({});\n    return 0;\n}}", arguments.join(", ")).expect("text");
        Ok(())
    }
}

/// Line and column after the `;` that ends the declaration of a variable, which begins on line `first`.
fn end_of_declaration(lines: &[String], first: usize, variable: &str) -> Option<(usize, usize)> {
    let start = lines[first].match_indices(variable).map(|(at, _)| at + variable.len()).find(|end| {
        let next = lines[first][*end..].chars().next();
        !next.is_some_and(|next| next.is_alphanumeric() || next == '_')
    })?;
    let mut depth = 0i32;
    for (number, line) in lines.iter().enumerate().skip(first) {
        let from = if number == first { start } else { 0 };
        for (at, byte) in line.bytes().enumerate().skip(from) {
            match byte {
                b'(' | b'{' | b'[' => depth += 1,
                b')' | b'}' | b']' => depth -= 1,
                b';' if depth == 0 => return Some((number, at + 1)),
                _ => {}
            }
            if depth < 0 {
                return None;
            }
        }
    }
    None
}

/// A number as a C expression.
fn literal(words: &Words, lane: u64, column: &Column) -> String {
    let limbs = words.lane(lane);
    if column.float {
        return float_literal(limbs[0], column.bits);
    }
    let negative = column.signed && words.bit(lane, column.bits - 1);
    if column.bits <= 64 {
        let value = limbs[0];
        let unused = 64 - column.bits;
        return match negative {
            true => match (value << unused) as i64 >> unused {
                i64::MIN => "(-9223372036854775807 - 1)".into(),
                value => value.to_string(),
            },
            false if value > i64::MAX as u64 => format!("{value}u"),
            false => value.to_string(),
        };
    }
    let ty = match column.bits {
        0..=128 => "unsigned __int128".to_string(),
        bits => format!("unsigned _BitInt({bits})"),
    };
    // Bits above the width do not reach the variable, unless it is wider than its number; then they are the
    // sign.
    let fill = if negative && column.bits < 128 { !0u64 << (column.bits % 64) } else { 0 };
    let last = limbs.len() - 1;
    let part = |(index, limb): (usize, &u64)| {
        let limb = if index == last && !column.bits.is_multiple_of(64) { limb | fill } else { *limb };
        format!("({ty})0x{limb:x}u << {}", index * 64)
    };
    limbs.iter().enumerate().map(part).collect::<Vec<_>>().join(" | ")
}

/// A floating-point number as a C expression, bit for bit.
fn float_literal(word: u64, bits: u32) -> String {
    match bits {
        32 => format!("((union {{ unsigned bits; float value; }}){{ {word:#x}u }}).value"),
        _ => format!("((union {{ unsigned long long bits; double value; }}){{ {word:#x}ull }}).value"),
    }
}

/// A call that returns any value of a column's type; its declaration is added to `any`.
fn nondet(column: &Column, any: &mut Vec<String>) -> String {
    let (ty, name) = match (column.bits, column.signed) {
        (32, _) if column.float => ("float".to_string(), "float".to_string()),
        (_, _) if column.float => ("double".into(), "double".into()),
        (1, false) => ("_Bool".into(), "bool".into()),
        (8, true) => ("signed char".into(), "schar".into()),
        (8, false) => ("unsigned char".into(), "uchar".into()),
        (16, true) => ("short".into(), "short".into()),
        (16, false) => ("unsigned short".into(), "ushort".into()),
        (32, true) => ("int".into(), "int".into()),
        (32, false) => ("unsigned int".into(), "uint".into()),
        (64, true) => ("long".into(), "long".into()),
        (64, false) => ("unsigned long".into(), "ulong".into()),
        (128, true) => ("__int128".into(), "int128".into()),
        (128, false) => ("unsigned __int128".into(), "uint128".into()),
        (bits, signed) => {
            let sign = if signed { "" } else { "unsigned " };
            (format!("{sign}_BitInt({bits})"), format!("{}bits{bits}", if signed { "s" } else { "u" }))
        }
    };
    let declaration = format!("{ty} nondet_{name}(void)");
    if !any.contains(&declaration) {
        any.push(declaration);
    }
    format!("nondet_{name}()")
}

/// C expressions for the numbers of variables of a shape: one list for each column.
fn columns(bases: Vec<String>, shape: &Shape) -> Vec<Vec<String>> {
    match shape {
        Shape::Integer { .. } | Shape::Float { .. } => vec![bases],
        Shape::Array { length, element } => {
            let elements =
                bases.iter().flat_map(|base| (0..*length).map(move |index| format!("{base}[{index}]")));
            columns(elements.collect(), element)
        }
        Shape::Struct(members) => {
            let member = |name: &str| bases.iter().map(|base| format!("{base}.{name}")).collect();
            members.iter().flat_map(|(name, shape)| columns(member(name), shape)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_width_are_written() {
        let column = |bits, signed| Column { bits, signed, ..Shape::Integer { bits, signed }.columns()[0] };
        let of = |value: i128, bits, signed| {
            literal(&Words::scalar(bits, value as u128), 0, &column(bits, signed))
        };
        assert_eq!(of(-1, 24, true), "-1");
        assert_eq!(of(i64::MIN.into(), 64, true), "(-9223372036854775807 - 1)");
        assert_eq!(of(u64::MAX.into(), 64, false), "18446744073709551615u");
        assert_eq!(of(1, 1, false), "1");
        assert_eq!(
            of(-2, 128, true),
            "(unsigned __int128)0xfffffffffffffffeu << 0 | (unsigned __int128)0xffffffffffffffffu << 64"
        );
        assert!(of(-2, 100, true).contains("0xffffffffffffffffu << 64"));
    }

    #[test]
    fn declarations_end_at_their_semicolon() {
        let end = |text: &str, variable: &str| {
            let lines: Vec<String> = text.lines().map(String::from).collect();
            end_of_declaration(&lines, 0, variable)
        };
        assert_eq!(end("int x, y[2] = {f(1; 2), 3}; y();", "x"), Some((0, 27)));
        assert_eq!(end("int xx, x\n= 2\n;", "x"), Some((2, 1)));
        assert_eq!(end("f(int x) {", "x"), None);
        assert_eq!(end("int x", "x"), None);
    }
}
