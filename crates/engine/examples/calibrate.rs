//! Measures this machine, and prints the picoseconds of each unit. The example runs itself for each program.
use std::io;
use std::process::Command;

use tacit_engine::calibrate::{PhaseSeconds, Programs, calibrate, run_probe};
use tacit_schedule::Unit;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    if let Some(number) = std::env::args().nth(1) {
        let [setup, online] = run_probe(number.parse()?)?.ok_or("no such program")?;
        println!("{setup} {online}");
        return Ok(());
    }
    let profile = calibrate("here", Programs { run: apart, others: None }, &mut |_, _| {})?;
    for unit in Unit::ALL {
        println!("{unit} {}", profile.rate(*unit));
    }
    Ok(())
}

fn apart(number: usize) -> io::Result<PhaseSeconds> {
    let output = Command::new(std::env::current_exe()?).arg(number.to_string()).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    numbers.try_into().map_err(|_| io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()))
}
