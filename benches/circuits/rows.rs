//! The programs that are measured.

use std::fmt::Write as _;

use crate::Random;

/// A program: a C file under definitions, or generated.
pub struct Row {
    /// Its name in the table.
    pub name: String,
    source: Source,
}

enum Source {
    /// A file and what is defined before it.
    File(&'static str, Vec<(&'static str, String)>),
    /// This many random operations, a tenth of which are multiplications.
    Random(u64),
}

impl Row {
    fn file(name: impl Into<String>, file: &'static str, definitions: &[(&'static str, &str)]) -> Row {
        let definitions = definitions.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        Row { name: name.into(), source: Source::File(file, definitions) }
    }

    fn sized(name: String, file: &'static str, definition: &'static str, size: u32) -> Row {
        Row::file(name, file, &[(definition, &size.to_string())])
    }

    /// The text of the program.
    pub fn source(&self) -> std::io::Result<String> {
        match &self.source {
            Source::File(file, definitions) => {
                let mut text = String::new();
                for (name, value) in definitions {
                    text += &format!("#define {name} {value}\n");
                }
                Ok(text + &crate::program_text(file)?)
            }
            Source::Random(count) => Ok(random_operations(*count)),
        }
    }
}

/// All programs: those of table 1 of the paper on CBMC-GC, then others.
pub fn rows() -> Vec<Row> {
    let mut rows = table_1();
    rows.extend(arithmetic());
    rows.extend([160, 320, 800, 1600].map(|bits| {
        Row::sized(format!("Hamming distance, loop, {bits} bit"), "hamming_loop.c", "K", bits / 32)
    }));
    rows.extend([
        Row::file("Levenshtein, 20 x 20 bytes", "levenshtein.c", &[("N", "20")]),
        Row::file("biometric, 128 x 4", "biometric.c", &[("N", "128"), ("D", "4")]),
        Row::file("square root, 16 bit", "isqrt_nonrestoring.c", &[]),
        Row::file("square root, 16 bit, restoring", "isqrt.c", &[]),
        Row::file("SHA-256", "sha256.c", &[]),
        Row::file("AES-128, S-box as logic", "aes.c", &[("LOGIC", "1")]),
        Row::file("AES-128, S-box as table", "aes.c", &[]),
    ]);
    rows
}

fn table_1() -> Vec<Row> {
    let operation = |name: &str, operation: &str| {
        let definitions = [("OPERAND", "int"), ("RESULT", "int"), ("OPERATION", operation)];
        Row::file(name, "arithmetic.c", &definitions)
    };
    let mut rows = vec![
        operation("addition", "INPUT_A_a + INPUT_B_b"),
        operation("multiplication", "INPUT_A_a * INPUT_B_b"),
    ];
    rows.extend(
        [100, 1000, 2000, 3000].map(|count| Row {
            name: format!("{count} arithmetic operations"),
            source: Source::Random(count),
        }),
    );
    rows.extend(
        [3, 5, 8].map(|size| Row::sized(format!("{size}x{size} matrix product"), "matrix.c", "S", size)),
    );
    rows.push(operation("comparison", "INPUT_A_a > INPUT_B_b"));
    rows.extend(
        (11..=91)
            .step_by(10)
            .map(|size| Row::sized(format!("median, bubble sort, {size}"), "bubble_median.c", "K", size)),
    );
    rows.extend(
        [11, 21, 31]
            .map(|size| Row::sized(format!("median, merge sort, {size}"), "merge_median.c", "K", size)),
    );
    rows.extend(
        [160, 320, 800, 1600]
            .map(|bits| Row::sized(format!("Hamming distance, {bits} bit"), "hamming.c", "K", bits / 32)),
    );
    rows.extend(
        [1, 2, 5, 10, 15, 50]
            .map(|gates| Row::sized(format!("interpreter, {gates} gates"), "interpreter.c", "GATES", gates)),
    );
    for gates in ["10", "50", "100"] {
        rows.extend([("19", "16"), ("26", "16"), ("35", "32")].map(|(memory, initialised)| {
            let definitions = [("GATES", gates), ("MEMORY", memory), ("INITIALISED", initialised)];
            Row::file(format!("MBI({gates}, {memory}, {initialised})"), "memory_interpreter.c", &definitions)
        }));
    }
    rows
}

fn arithmetic() -> Vec<Row> {
    let product = "(RESULT)INPUT_A_a * INPUT_B_b";
    [
        ("mul 32 to 32", "unsigned", "unsigned", product),
        ("mul 32 to 64", "unsigned", "unsigned long long", product),
        ("mul 64 to 64", "unsigned long long", "unsigned long long", product),
        ("mul 64 to 128", "unsigned long long", "unsigned __int128", product),
        ("mul 128 to 256", "unsigned __int128", "unsigned _BitInt(256)", product),
        ("udiv 32", "unsigned", "unsigned", "INPUT_A_a / INPUT_B_b"),
        ("umod 32", "unsigned", "unsigned", "INPUT_A_a % INPUT_B_b"),
        ("sdiv 32", "int", "int", "INPUT_A_a / INPUT_B_b"),
    ]
    .into_iter()
    .map(|(name, operand, result, operation)| {
        let definitions = [("OPERAND", operand), ("RESULT", result), ("OPERATION", operation)];
        Row::file(name, "arithmetic.c", &definitions)
    })
    .collect()
}

/// Inputs that each party gives to random operations.
const RANDOM_INPUTS: u64 = 10;

/// Random operations, nine additions to a multiplication; what no operation uses is an output.
fn random_operations(count: u64) -> String {
    let mut random = Random::new(count);
    let mut text = format!("int INPUT_A_a[{RANDOM_INPUTS}];\nint INPUT_B_b[{RANDOM_INPUTS}];\n");
    let mut values: Vec<String> = ["A_a", "B_b"]
        .iter()
        .flat_map(|name| (0..RANDOM_INPUTS).map(move |i| format!("INPUT_{name}[{i}]")))
        .collect();
    let mut used = vec![true; values.len()];
    let mut body = String::new();
    for number in 0..count {
        let operator = if number % 10 == 9 { '*' } else { '+' };
        let [a, b] = [(); 2].map(|()| (random.number() % values.len() as u64) as usize);
        (used[a], used[b]) = (true, true);
        let written = writeln!(body, "    int v{number} = {} {operator} {};", values[a], values[b]);
        debug_assert!(written.is_ok(), "a string takes everything");
        values.push(format!("v{number}"));
        used.push(false);
    }
    let unused: Vec<&String> =
        values.iter().zip(&used).filter(|(_, used)| !**used).map(|(value, _)| value).collect();
    text += &format!("int OUTPUT_results[{}];\n\nvoid compute(void) {{\n{body}", unused.len());
    for (place, value) in unused.iter().enumerate() {
        text += &format!("    OUTPUT_results[{place}] = {value};\n");
    }
    text + "}\n"
}
