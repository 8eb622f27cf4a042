//! Plans programs, and prints the choices and how long planning took.
//!
//!     cargo run --release -p tacit-engine --example plans -- FILE|COUNT…
//!
//! A FILE holds a program as `tacit compile` writes it; a COUNT stands for this many random programs with fixed seeds. Each is planned with
//! every domain for every link of [`LINKS`]. Prints a JSON row for each plan: its hash, the hash of its counts, the predicted bytes and
//! rounds, and the seconds that planning took. Two releases plan alike if these rows only differ in seconds.

use std::env;
use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use tacit_arbitrary::{self as arbitrary, Size};
use tacit_engine::plan;
use tacit_ir::{Domain, Program};
use tacit_plan::{DomainChoice, Link, PlanOptions};

/// The planned links: bits per second, and one-way latency in microseconds.
const LINKS: [(u64, u64); 3] = [(20_000_000_000, 25), (250_000_000, 5_000), (100_000_000, 20_000)];

const DOMAINS: [DomainChoice; 4] = [
    DomainChoice::In(Domain::Yao),
    DomainChoice::In(Domain::Bool),
    DomainChoice::In(Domain::Arith),
    DomainChoice::Auto,
];

fn main() -> Result<(), Box<dyn Error>> {
    for argument in env::args().skip(1) {
        if let Ok(count) = argument.parse() {
            for seed in 0..count {
                let size = Size { pins: seed % 2 == 1, ..Size::default() };
                print_plans(&format!("seed {seed}"), &arbitrary::program(seed, &size));
            }
            continue;
        }
        let name = Path::new(&argument).file_stem().unwrap_or_default().to_string_lossy();
        print_plans(&name, &Program::from_bytes(&std::fs::read(&argument)?)?);
    }
    Ok(())
}

fn print_plans(name: &str, program: &Program) {
    for domain in DOMAINS {
        for (bits_per_second, latency) in LINKS {
            let link = Link::one_way(bits_per_second, Duration::from_micros(latency));
            let row = row(program, &PlanOptions { domain, link, ..PlanOptions::default() });
            println!("{}", json!({ "name": format!("{name}, {domain:?}, {link}"), "value": row }));
        }
    }
}

/// The row of a plan.
fn row(program: &Program, options: &PlanOptions) -> serde_json::Value {
    let start = Instant::now();
    let plan = plan(program, options);
    let seconds = start.elapsed().as_secs_f64();
    match plan {
        Ok(plan) => {
            let counted = (plan.messages(), plan.layout(), plan.material(), plan.work(), plan.domains());
            let counted = postcard::to_stdvec(&counted).expect("counts are written");
            let counted = blake3::hash(&counted).to_hex();
            let hash = blake3::Hash::from_bytes(*plan.hash()).to_hex();
            let prediction = plan.prediction();
            let operations: Vec<_> = plan.operations_in_domains().map(|(_, domains)| domains).collect();
            let operations = blake3::hash(operations.join(";").as_bytes()).to_hex();
            json!({
                "plan": hash.as_str(),
                "counted": counted.as_str(),
                "operations": operations.as_str(),
                "prediction": prediction,
                "seconds": seconds,
            })
        }
        Err(error) => json!({ "error": error.to_string(), "seconds": seconds }),
    }
}
