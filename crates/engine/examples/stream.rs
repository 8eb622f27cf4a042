//! Streams many ANDs between two processes: once as a loop, once as a template mapped over lanes.
//!
//!     cargo run --release -p tacit-engine --example stream -- [ands] [tls|tcp|unix]
//!
//! Prints one JSON row for each shape: seconds, ANDs per second, bytes per AND, and the peak memory of each process.
//! Each
//! row's result is compared with the program in the clear.

use std::env;
use std::error::Error;
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use serde_json::{Value, json};
use tacit_engine::{CancelFlag, Job, Outcome, block_on, plan, run};
use tacit_ir::{Builder, PortId, Program, Shape, TemplateId, Type, ValueType, Words};
use tacit_net::Phase;
use tacit_net::keys::{PublicKey, SecretKey};
use tacit_net::session::{Config, Party, Transport};
use tacit_plan::{ModeChoice, PlanOptions};

type Failure = Box<dyn Error>;

/// Rounds of the template, each a multiplication and an addition of 32 bits.
const ROUNDS: u64 = 8;
/// Its ANDs.
const TEMPLATE_ANDS: u64 = ROUNDS * (559 + 31);

const SHAPES: [&str; 2] = ["iterate", "map"];

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["party", name, shape, count, folder, transport] => {
            party(name, shape, count.parse()?, folder, transport)
        }
        rest => {
            let ands: u64 = rest.first().map_or(Ok(100_000_000), |text| text.parse())?;
            let transport = rest.get(1).copied().unwrap_or("tcp");
            SHAPES.iter().try_for_each(|shape| pair(shape, ands, transport))
        }
    }
}

/// Runs both parties of one shape as processes and prints the row.
fn pair(shape: &str, ands: u64, transport: &str) -> Result<(), Failure> {
    let count = ands.div_ceil(TEMPLATE_ANDS);
    let folder = env::temp_dir().join(format!("tacit-stream-{}-{shape}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    for name in ["A", "B"] {
        let (secret, public) = tacit_net::keys::generate()?;
        secret.save(&folder.join(format!("{name}.key")))?;
        public.save(&folder.join(format!("{name}.pub")))?;
    }
    // A port that is free now; the parties meet on it at once.
    let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    std::fs::write(folder.join("port"), port.to_string())?;
    let spawn = |name: &str| -> Result<Child, Failure> {
        Ok(Command::new(env::current_exe()?)
            .args(["party", name, shape, &count.to_string()])
            .arg(&folder)
            .arg(transport)
            .stdout(Stdio::piped())
            .spawn()?)
    };
    let children = [spawn("A")?, spawn("B")?];
    let mut rows = Vec::new();
    for child in children {
        let output = child.wait_with_output()?;
        if !output.status.success() {
            return Err("a party failed".into());
        }
        rows.push(serde_json::from_slice::<Value>(&output.stdout)?);
    }
    std::fs::remove_dir_all(&folder)?;
    let (garbler, evaluator) = (&rows[0], &rows[1]);
    let number = |row: &Value, name: &str| row[name].as_f64().unwrap_or_default();
    let seconds = number(garbler, "seconds").max(number(evaluator, "seconds"));
    let and_count = number(garbler, "and_count");
    let row = json!({
        "shape": shape,
        "transport": transport,
        "and_count": garbler["and_count"],
        "seconds": seconds,
        "and_per_second": and_count / seconds,
        "bytes_per_and": number(garbler, "bytes_sent") / and_count,
        "garbler_peak_bytes": garbler["peak_memory_bytes"],
        "evaluator_peak_bytes": evaluator["peak_memory_bytes"],
        "garbler_compute_seconds": garbler["compute_seconds"],
        "evaluator_compute_seconds": evaluator["compute_seconds"],
    });
    println!("{row}");
    Ok(std::io::stdout().flush()?)
}

/// Runs one party and prints its measurements.
fn party(name: &str, shape: &str, count: u64, folder: &str, transport: &str) -> Result<(), Failure> {
    let program = Arc::new(if shape == "map" { mapped(count)? } else { iterated(count)? });
    let options = PlanOptions { mode: ModeChoice::Streamed, ..PlanOptions::default() };
    let inputs = inputs(&program);
    let index = usize::from(name == "B");
    let job = Job {
        plan: Arc::new(plan(&program, &options)?),
        compiler: String::new(),
        party: name.to_owned(),
        session: session(folder, transport)?,
        key: Some(SecretKey::load(format!("{folder}/{name}.key").as_ref())?),
        inputs: vec![(PortId(index as u32), inputs[index].clone())],
        progress: None,
        program,
    };
    let Outcome { outputs, report } = block_on(run(&job, None, &CancelFlag::new()))?;
    if outputs[0] != [expected(&inputs, shape, count)] {
        return Err("the result is wrong".into());
    }
    let online = report.phase(Phase::Online).ok_or("no online phase")?;
    println!(
        "{}",
        json!({
            "and_count": report.work.and_count,
            "seconds": online.seconds,
            "compute_seconds": online.compute_seconds,
            "bytes_sent": online.bytes_sent,
            "peak_memory_bytes": report.peak_memory_bytes,
        })
    );
    Ok(())
}

fn session(folder: &str, transport: &str) -> Result<Config, Failure> {
    let port = std::fs::read_to_string(format!("{folder}/port"))?;
    let party = |name: &str| -> Result<Party, Failure> {
        let address = match transport {
            "unix" => format!("unix:{folder}/{name}.socket"),
            _ => format!("127.0.0.1:{port}"),
        };
        let key = PublicKey::load(format!("{folder}/{name}.pub").as_ref())?;
        Ok(Party { name: name.to_owned(), address: address.parse()?, key: Some(key) })
    };
    let config = Config::new(vec![party("A")?, party("B")?]);
    let protection = if transport == "tls" { Transport::Tls } else { Transport::Plain };
    Ok(Config { transport: protection, ..config })
}

/// `x = x · y + x`, [`ROUNDS`] times.
fn template(builder: &mut Builder) -> Result<TemplateId, Failure> {
    let word = ValueType { ty: Type::Word(32), lanes: 1 };
    let mut body = builder.template("rounds", vec![word, word]);
    let [mut x, y] = body.parameters()[..] else { return Err("there must be two parameters".into()) };
    for _ in 0..ROUNDS {
        let product = body.mul(x, y)?;
        x = body.add(product, x)?;
    }
    Ok(builder.add(body, vec![x])?)
}

fn iterated(count: u64) -> Result<Program, Failure> {
    program(1, |builder, main, x, y| {
        let body = template(builder)?;
        Ok(main.iterate(builder, body, count, &[x], &[y], &[])?[0])
    })
}

fn mapped(count: u64) -> Result<Program, Failure> {
    program(u32::try_from(count)?, |builder, main, x, y| {
        let body = template(builder)?;
        Ok(main.map(builder, body, count, &[x, y])?[0])
    })
}

type Main = tacit_ir::TemplateBuilder;

/// A program of two roles with `lanes` numbers each, whose result both learn.
fn program(
    lanes: u32,
    body: impl FnOnce(
        &mut Builder,
        &mut Main,
        tacit_ir::ValueId,
        tacit_ir::ValueId,
    ) -> Result<tacit_ir::ValueId, Failure>,
) -> Result<Program, Failure> {
    let word = Shape::Integer { bits: 32, signed: false };
    let shape = Shape::Array { length: lanes, element: word.into() };
    let mut builder = Builder::new("stream");
    let (a, b) = (builder.role("A"), builder.role("B"));
    let (x, y) = (builder.input("x", a, shape.clone())?, builder.input("y", b, shape.clone())?);
    let result = builder.output("result", vec![a, b], shape)?;
    let mut main = builder.template("main", vec![]);
    let (x, y) = (main.input(&builder, x)?[0], main.input(&builder, y)?[0]);
    let value = body(&mut builder, &mut main, x, y)?;
    main.output(&builder, result, &[value])?;
    Ok(builder.finish(main)?)
}

fn inputs(program: &Program) -> [Vec<Words>; 2] {
    [0, 1].map(|port: usize| {
        let column = program.inputs[port].shape.columns()[0];
        let value = |lane| (u128::from(lane) + 3) * (0x9e37_79b9 + 2 * port as u128) + 1;
        vec![Words::from_u128s(32, &(0..column.lanes).map(value).collect::<Vec<_>>())]
    })
}

/// The program's result, computed in the clear.
fn expected(inputs: &[Vec<Words>; 2], shape: &str, count: u64) -> Words {
    let rounds = if shape == "map" { ROUNDS } else { ROUNDS * count };
    let value = |lane| {
        let [mut x, y] = [0, 1].map(|port: usize| inputs[port][0].low_u128(lane) as u32);
        for _ in 0..rounds {
            x = x.wrapping_mul(y).wrapping_add(x);
        }
        u128::from(x)
    };
    Words::from_u128s(32, &(0..inputs[0][0].lanes()).map(value).collect::<Vec<_>>())
}
