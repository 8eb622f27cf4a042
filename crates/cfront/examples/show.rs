use tacit_cfront::*;
fn main() {
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap();
    let mut o = Options::new(Compiler::zig(std::env::var("TACIT_ZIG").unwrap().as_ref()));
    o.function = args.next().filter(|f| f != "-");
    if args.next().is_some() { o.optimisation = Optimisation::None; }
    let t = std::time::Instant::now();
    match compile(&[path.as_ref()], &o) {
        Ok(c) => { println!("{}", c.program.to_text()); for w in c.warnings { println!("warning {}: {}", w.location, w.reason); } }
        Err(e) => println!("ERROR {e}"),
    }
    eprintln!("{:?}", t.elapsed());
}
