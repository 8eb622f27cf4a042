//! Two millionaires compare their wealth within a larger program: `millionaires FUNCTION SESSION PARTY KEY
//! NUMBER` runs the function that `tacit compile examples/millionaires.c --emit netlist -o FUNCTION` writes,
//! twice over one connection with the other party.

use std::path::Path;

use tacit_embed::{Connection, Function, Inputs, Party};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [function, session, party, key, number] = &arguments[..] else {
        return Err("usage: millionaires FUNCTION SESSION PARTY KEY NUMBER".into());
    };
    let function = Function::load(Path::new(function))?;
    let party = Party::load(Path::new(session), party, Path::new(key))?;
    let mut connection = Connection::open(&party)?;
    for factor in [1, 2] {
        let number: u64 = factor * number.parse::<u64>()?;
        let outputs = connection.run(&function, &Inputs::new().with("mil", number)?)?;
        println!("with {number}: {}", outputs.into_json());
    }
    connection.close()?;
    Ok(())
}
