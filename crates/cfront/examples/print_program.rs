//! Prints the program compiled from a C file: `print_program CLANG FILE [FUNCTION]`, where CLANG is a clang,
//! or a zig whose clang is used.

use std::path::Path;

use tacit_cfront::{CError, Compiler, Options, compile};

fn main() -> Result<(), CError> {
    let mut arguments = std::env::args().skip(1);
    let (Some(clang), Some(file)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: print_program CLANG FILE [FUNCTION]");
        return Ok(());
    };
    let zig = clang.ends_with("zig");
    let mut options = Options::new(if zig { Compiler::zig(clang.as_ref()) } else { Compiler::new(clang) });
    options.function = arguments.next();
    let compiled = compile(&[Path::new(&file)], &options)?;
    print!("{}", compiled.program.to_text());
    compiled.warnings.iter().for_each(|warning| eprintln!("{}: {}", warning.location, warning.reason));
    Ok(())
}
