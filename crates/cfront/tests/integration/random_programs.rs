//! Random C programs compute the same as natively compiled ones.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::native::agree::{Random, check};

/// Programs in a run of the tests; `TACIT_RANDOM_PROGRAMS` sets their number, `TACIT_RANDOM_SEED` selects
/// others.
const PROGRAMS: u64 = 6;

const TYPES: [&str; 10] = [
    "int",
    "unsigned",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "long",
    "unsigned long",
    "_Bool",
    "__int128",
];

/// Writes a program statement by statement: every used name is declared, every index is in bounds, every loop
/// ends.
struct Writer {
    random: Random,
    text: String,
    /// Scalars in scope that may be assigned.
    scalars: Vec<String>,
    /// Arrays in scope with their lengths.
    arrays: Vec<(String, u64)>,
    /// Functions to call, with the number of their parameters.
    functions: Vec<(String, u64)>,
    names: u32,
}

impl Writer {
    fn below(&mut self, limit: u64) -> u64 {
        self.random.next() % limit
    }

    fn pick<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.below(list.len() as u64) as usize]
    }

    fn name(&mut self, start: &str) -> String {
        self.names += 1;
        format!("{start}{}", self.names)
    }

    fn scalar(&mut self) -> String {
        let index = self.below(self.scalars.len() as u64) as usize;
        self.scalars[index].clone()
    }

    /// An element at a public or secret position.
    fn element(&mut self, depth: u32) -> String {
        let index = self.below(self.arrays.len() as u64) as usize;
        let (name, length) = self.arrays[index].clone();
        match self.below(3) {
            0 => format!("{name}[{}]", self.below(length)),
            1 => format!("{name}[(unsigned)({}) % {length}]", self.expression(depth.saturating_sub(1))),
            _ => format!(
                "{name}[({}) & {}]",
                self.expression(depth.saturating_sub(1)),
                length.next_power_of_two() / 2 - 1
            ),
        }
    }

    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.below(4) {
                0 => format!("{}", self.below(300) as i64 - 40),
                1 => self.element(0),
                _ => self.scalar(),
            };
        }
        let a = self.expression(depth - 1);
        match self.below(14) {
            0..=4 => {
                let op = self.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({a} {op} {})", self.expression(depth - 1))
            }
            5 | 6 => {
                let op = self.pick(&["<", "<=", ">", ">=", "==", "!=", "&&", "||"]);
                format!("({a} {op} {})", self.expression(depth - 1))
            }
            7 => {
                let op = self.pick(&["<<", ">>"]);
                let amount = self.expression(depth - 1);
                format!("((long)({a}) {op} (({amount}) & 31))")
            }
            8 => {
                let op = self.pick(&["/", "%"]);
                let divisor = self.expression(depth - 1);
                format!("((int)({a}) {op} ((({divisor}) & 15) + 1))")
            }
            9 => {
                let (b, c) = (self.expression(depth - 1), self.expression(depth - 1));
                format!("({a} ? {b} : {c})")
            }
            10 => format!("({})({a})", self.pick(&TYPES)),
            11 => format!("{}({a})", self.pick(&["-", "~", "!"])),
            12 => self.element(depth),
            _ => self.call(depth, a),
        }
    }

    fn call(&mut self, depth: u32, first: String) -> String {
        if self.functions.is_empty() {
            return first;
        }
        let index = self.below(self.functions.len() as u64) as usize;
        let (name, parameters) = self.functions[index].clone();
        let mut arguments = vec![first];
        for _ in 1..parameters {
            arguments.push(self.expression(depth.saturating_sub(2)));
        }
        format!("{name}({})", arguments.join(", "))
    }

    fn line(&mut self, indent: usize, line: &str) {
        writeln!(self.text, "{:indent$}{line}", "", indent = 4 * indent).expect("text");
    }

    fn assignment(&mut self, indent: usize) {
        let target = if self.below(3) == 0 { self.element(1) } else { self.scalar() };
        let op = self.pick(&["=", "=", "=", "+=", "-=", "^=", "|=", "&=", "*="]);
        let value = self.expression(2);
        self.line(indent, &format!("{target} {op} {value};"));
    }

    fn block(&mut self, indent: usize, depth: u32, breakable: bool) {
        let (scalars, arrays) = (self.scalars.len(), self.arrays.len());
        for _ in 0..1 + self.below(3) {
            self.statement(indent, depth, breakable);
        }
        self.scalars.truncate(scalars);
        self.arrays.truncate(arrays);
    }

    fn statement(&mut self, indent: usize, depth: u32, breakable: bool) {
        match if depth == 0 { 0 } else { self.below(12) } {
            6 | 7 => {
                let condition = self.expression(2);
                self.line(indent, &format!("if ({condition}) {{"));
                self.block(indent + 1, depth - 1, breakable);
                if self.below(2) == 0 {
                    self.line(indent, "} else {");
                    self.block(indent + 1, depth - 1, breakable);
                }
                self.line(indent, "}");
            }
            8 => {
                // The counter is not among the scalars, so that nothing else changes it.
                let counter = self.name("i");
                let (count, condition) = (1 + self.below(4), self.expression(1));
                let stop = if self.below(2) == 0 { format!(" && ({condition})") } else { String::new() };
                self.line(
                    indent,
                    &format!("for (int {counter} = 0; {counter} < {count}{stop}; {counter}++) {{"),
                );
                self.block(indent + 1, depth - 1, true);
                self.line(indent, "}");
            }
            9 => {
                let value = self.expression(2);
                self.line(indent, &format!("switch (({value}) & 7) {{"));
                for case in 0..3 {
                    self.line(indent, &format!("case {}: {{", case * 2));
                    self.block(indent + 1, depth - 1, breakable);
                    let end = if self.below(3) > 0 { "} break;" } else { "}" };
                    self.line(indent, end);
                }
                self.line(indent, "default: {");
                self.block(indent + 1, 0, breakable);
                self.line(indent, "}}");
            }
            10 if breakable => {
                let (condition, jump) = (self.expression(1), self.pick(&["break", "continue"]));
                self.line(indent, &format!("if ({condition}) {jump};"));
            }
            11 => {
                let (name, ty, value) = (self.name("v"), self.pick(&TYPES), self.expression(2));
                self.line(indent, &format!("{ty} {name} = {value};"));
                self.scalars.push(name);
            }
            _ => self.assignment(indent),
        }
    }

    fn function(&mut self) {
        let (name, result) = (self.name("f"), self.pick(&TYPES));
        let parameters: Vec<(String, &str)> =
            (0..1 + self.below(3)).map(|_| (self.name("p"), self.pick(&TYPES))).collect();
        let list: Vec<String> = parameters.iter().map(|(name, ty)| format!("{ty} {name}")).collect();
        let header = format!("static {result} {name}({}) {{", list.join(", "));
        self.line(0, &header);
        let outer = self.scalars.len();
        self.scalars.extend(parameters.iter().map(|(name, _)| name.clone()));
        self.block(1, 2, false);
        if self.below(2) == 0 {
            let (condition, value) = (self.expression(1), self.expression(1));
            self.line(1, &format!("if ({condition}) return {value};"));
        }
        self.block(1, 1, false);
        let value = self.expression(2);
        self.line(1, &format!("return {value};\n}}"));
        self.scalars.truncate(outer);
        self.functions.push((name, parameters.len() as u64));
    }

    fn program(mut self) -> String {
        for (kind, count) in [("INPUT_A_", 3), ("INPUT_B_", 3), ("OUTPUT_", 3), ("global", 2)] {
            for number in 0..count {
                let (name, ty) = (format!("{kind}{number}"), self.pick(&TYPES));
                if number == 0 {
                    let length = 2 + self.below(6);
                    self.line(0, &format!("{ty} {name}[{length}];"));
                    self.arrays.push((name, length));
                } else {
                    self.line(0, &format!("{ty} {name};"));
                    self.scalars.push(name);
                }
            }
        }
        for _ in 0..self.below(3) {
            self.function();
        }
        self.line(0, "void program(void) {");
        let outputs = ["OUTPUT_0[0]", "OUTPUT_1", "OUTPUT_2"];
        for output in outputs {
            let value = self.expression(2);
            self.line(1, &format!("{output} = {value};"));
        }
        for _ in 0..5 {
            self.statement(1, 3, false);
        }
        for (at, output) in outputs.into_iter().enumerate() {
            let value = self.scalars[at].clone();
            self.line(1, &format!("{output} ^= {value} + (int){};", self.arrays[at].0.clone() + "[0]"));
        }
        self.line(0, "}");
        self.text
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |value| value.parse().expect("a number"))
}

#[test]
fn random_programs_agree_with_native_ones() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("random");
    std::fs::create_dir_all(&folder).expect("a folder");
    let (seed, count) = (setting("TACIT_RANDOM_SEED", 1), setting("TACIT_RANDOM_PROGRAMS", PROGRAMS));
    for number in seed..seed + count {
        let writer = Writer {
            random: Random(number << 20),
            text: String::new(),
            scalars: Vec::new(),
            arrays: Vec::new(),
            functions: Vec::new(),
            names: 0,
        };
        let path = folder.join(format!("random{number}.c"));
        std::fs::write(&path, writer.program()).expect("a file");
        let result = check(Path::new(&path));
        assert!(result.is_ok(), "{}: {}", path.display(), result.unwrap_err());
    }
}
