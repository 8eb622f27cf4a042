//! The sizes of circuits of well-known programs: `circuits ZIG [FILTER]` compiles every program of [`rows`] whose name
//! contains FILTER with the clang of that zig, lowers it, runs the circuit on random inputs against the program's
//! interpreter, and prints its AND gates and the seconds that compiling and lowering took.
//!
//! `circuits sources FOLDER` only writes the programs into a folder, and prints the name of each and that of its file.

mod rows;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rows::Row;
use tacit_cfront::{Compiler, compile};
use tacit_ir::{Program, Words, interpret};
use tacit_lower::{Options, lower};
use tacit_schedule::{Schedule, evaluate_clear};

/// Random inputs on which each circuit is compared with the interpreter.
const TRIALS: usize = 4;
/// Steps of making circuits smaller, as for `tacit compile --effort`.
const EFFORT: u64 = 1 << 25;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let zig =
        PathBuf::from(arguments.next().ok_or("usage: circuits ZIG [FILTER] or circuits sources FOLDER")?);
    let filter = arguments.next().unwrap_or_default();
    if zig.as_os_str() == "sources" {
        return write_sources(Path::new(&filter));
    }
    let folder = Folder::new()?;
    let mut random = Random::new(1);
    for row in rows::rows().into_iter().filter(|row| row.name.contains(&filter)) {
        let source = folder.0.join("program.c");
        std::fs::write(&source, row.source()?)?;
        let start = Instant::now();
        let compiled = compile(&[&source], &tacit_cfront::Options::new(Compiler::zig(&zig)))?;
        let schedule = lower(&compiled.program, &Options { effort: EFFORT, ..Options::default() })?;
        let seconds = start.elapsed().as_secs_f64();
        for _ in 0..TRIALS {
            agree(&row, &compiled.program, &schedule, &mut random)?;
        }
        print(&row.name, schedule.and_count() as f64, "ANDs");
        print(&format!("{}, time", row.name), seconds, "s");
    }
    Ok(())
}

/// Writes every program into its own file.
fn write_sources(folder: &Path) -> Result<(), Box<dyn Error>> {
    for (number, row) in rows::rows().into_iter().enumerate() {
        let file = format!("program_{number}.c");
        std::fs::write(folder.join(&file), row.source()?)?;
        println!("{}", serde_json::json!({ "program": row.name, "file": file }));
    }
    Ok(())
}

fn print(name: &str, value: f64, unit: &str) {
    println!("{}", serde_json::json!({ "name": name, "value": value, "unit": unit }));
}

/// Compares the circuit with the interpreter on one set of random inputs.
fn agree(
    row: &Row,
    program: &Program,
    schedule: &Schedule,
    random: &mut Random,
) -> Result<(), Box<dyn Error>> {
    let inputs: Vec<Vec<Words>> = program
        .inputs
        .iter()
        .map(|port| {
            let columns = port.shape.columns();
            columns.iter().map(|column| random.words(column.bits, column.lanes)).collect()
        })
        .collect();
    let expected = interpret(program, &inputs, || 0)?;
    match evaluate_clear(schedule, &inputs, || 0)? == expected {
        true => Ok(()),
        false => Err(format!("{}: the circuit differs from the program on {inputs:?}", row.name).into()),
    }
}

/// A folder for generated sources, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        let path = std::env::temp_dir().join(format!("tacit-circuits-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let removed = std::fs::remove_dir_all(&self.0);
        drop(removed);
    }
}

/// The C file of this name.
fn program_text(name: &str) -> std::io::Result<String> {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("circuits").join(name))
}

/// SplitMix64.
pub struct Random(u64);

impl Random {
    /// Begins at a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn words(&mut self, bits: u32, lanes: u64) -> Words {
        let mut lane = || u128::from(self.number()) << 64 | u128::from(self.number());
        let values: Vec<u128> = (0..lanes).map(|_| lane()).collect();
        Words::from_u128s(bits, &values)
    }
}
