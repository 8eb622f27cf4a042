//! The optimiser on the arithmetic circuits of the EPFL benchmarks: `epfl FOLDER` reads `NAME.aig` or `NAME.blif` of each
//! from the folder, or its folder `arithmetic`, makes it smaller, compares both on random patterns, and prints the AND gates
//! and how many times those of the best published circuit they are.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use tacit_circuit::formats::{aiger, blif};
use tacit_circuit::{Circuit, OptimiserBudget, optimise};

/// The circuits with the fewest ANDs that are published for each.
const BEST: [(&str, u64); 9] = [
    ("adder", 128),
    ("multiplier", 5683),
    ("square", 4672),
    ("div", 5291),
    ("sqrt", 5381),
    ("max", 890),
    ("bar", 832),
    ("log2", 10913),
    ("sin", 2603),
];
const EFFORT: OptimiserBudget = OptimiserBudget { steps: 1 << 29 };
/// Nodes of a file.
const LIMIT: usize = 1 << 22;
/// Words of random patterns.
const PATTERNS: usize = 256;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: epfl FOLDER [FILTER]")?;
    let filter = std::env::args().nth(2).unwrap_or_default();
    for (name, best) in BEST.iter().filter(|(name, _)| name.contains(&filter)) {
        let Some(circuit) = read(Path::new(&folder), name)? else {
            println!("EPFL {name}: missing, there is no {name}.aig and no {name}.blif in {folder}");
            continue;
        };
        let start = Instant::now();
        let (smaller, _) = optimise(circuit.clone(), EFFORT, |_| {});
        let seconds = start.elapsed().as_secs_f64();
        agree(name, &circuit, &smaller)?;
        let ands = smaller.stats().and_count;
        print(&format!("EPFL {name}"), ands as f64, "ANDs");
        print(&format!("EPFL {name}, to the best published"), ands as f64 / *best as f64, "x");
        print(&format!("EPFL {name}, time"), seconds, "s");
    }
    Ok(())
}

fn print(name: &str, value: f64, unit: &str) {
    println!("{}", serde_json::json!({ "name": name, "value": value, "unit": unit }));
}

/// The circuit of this name, if its file is there.
fn read(folder: &Path, name: &str) -> Result<Option<Circuit>, Box<dyn Error>> {
    for folder in [folder.to_owned(), folder.join("arithmetic")] {
        let (aig, text) = (folder.join(format!("{name}.aig")), folder.join(format!("{name}.blif")));
        if aig.exists() {
            return Ok(Some(aiger::read(&std::fs::read(aig)?, LIMIT)?));
        }
        if text.exists() {
            return Ok(Some(blif::read(&std::fs::read_to_string(text)?, LIMIT)?));
        }
    }
    Ok(None)
}

fn agree(name: &str, a: &Circuit, b: &Circuit) -> Result<(), Box<dyn Error>> {
    let mut state = 1u64;
    for _ in 0..PATTERNS {
        let mut word = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            state ^ state >> 29
        };
        let inputs: Vec<u64> = (0..a.input_bits()).map(|_| word()).collect();
        if a.evaluate_lanes(&inputs)? != b.evaluate_lanes(&inputs)? {
            return Err(format!("{name}: the smaller circuit computes something else").into());
        }
    }
    Ok(())
}
