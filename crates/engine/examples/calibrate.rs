//! Measures this machine, and prints the picoseconds of each unit and how well they explain the measurements.
use tacit_engine::calibrate::calibrate;
use tacit_schedule::Unit;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let profile = calibrate("here", None, &mut |_, _| {})?;
    for unit in Unit::ALL {
        println!("{unit} {}", profile.rate(*unit));
    }
    Ok(())
}
