//! Runs a prepared comparison of 32 bits many times over one open session between two processes, every spend durable.
//!
//!     cargo run --release -p tacit-engine --example prepared -- [runs] [tls|tcp]
//!
//! Prints one JSON row: runs per second, and the costs of preparing and of one run. Every result is compared with the
//! program in
//! the clear.

use std::env;
use std::error::Error;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use tacit_engine::{BlockingSession, CancelFlag, RunTask, SessionTerms, Store, plan};
use tacit_ir::{Builder, PortId, Program, Shape, Words};
use tacit_net::Phase;
use tacit_net::keys::{PublicKey, SecretKey};
use tacit_net::session::{Config, Party, Transport};
use tacit_plan::{ModeChoice, PlanOptions, SecurityParams};

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["party", name, runs, folder, transport] => party(name, runs.parse()?, Path::new(folder), transport),
        rest => {
            let runs: u64 = rest.first().map_or(Ok(4000), |text| text.parse())?;
            pair(runs, rest.get(1).copied().unwrap_or("tls"))
        }
    }
}

/// Runs both parties as processes and prints the row.
fn pair(runs: u64, transport: &str) -> Result<(), Failure> {
    let folder = env::temp_dir().join(format!("tacit-prepared-{}", std::process::id()));
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
            .args(["party", name, &runs.to_string()])
            .arg(&folder)
            .arg(transport)
            .stdout(Stdio::piped())
            .spawn()?)
    };
    let children = [spawn("A")?, spawn("B")?];
    let mut rows: Vec<Value> = Vec::new();
    for child in children {
        let output = child.wait_with_output()?;
        if !output.status.success() {
            return Err("a party failed".into());
        }
        rows.push(serde_json::from_slice(&output.stdout)?);
    }
    std::fs::remove_dir_all(&folder)?;
    let [garbler, evaluator] = &rows[..] else { return Err("there must be two parties".into()) };
    let row = json!({
        "bench": "prepared",
        "transport": transport,
        "runs": runs,
        "seconds": garbler["seconds"],
        "runs_per_second": garbler["runs_per_second"],
        "prepare_seconds": garbler["prepare_seconds"],
        "entry_bytes_garbler": garbler["entry_bytes"],
        "entry_bytes_evaluator": evaluator["entry_bytes"],
        "online_payload_bytes": garbler["online_payload_bytes"],
        "analysis_frame_bytes": garbler["analysis_frame_bytes"],
        "setup_frame_bytes": garbler["setup_frame_bytes"],
    });
    println!("{row}");
    Ok(())
}

fn party(name: &str, runs: u64, folder: &Path, transport: &str) -> Result<(), Failure> {
    let cancel = CancelFlag::new();
    let key = SecretKey::load(&folder.join(format!("{name}.key")))?;
    let mut store = Store::open(&folder.join(format!("store-{name}")), &key)?;
    let program = program()?;
    let plan = plan(&program, &PlanOptions { mode: ModeChoice::Precomputed, ..PlanOptions::default() })?;
    let task =
        RunTask { program: Arc::new(program), plan: Arc::new(plan), compiler: String::new(), progress: None };
    let mut session = BlockingSession::open(terms(name, key, folder, transport)?, &cancel)?;

    let start = Instant::now();
    session.prepare(&task, &mut store, runs, &cancel)?;
    let prepare_seconds = start.elapsed().as_secs_f64();
    let entry_bytes = store.list().first().map_or(0, |pool| pool.bytes / runs);

    let (own, mut last) = (u32::from(name == "B"), None);
    let start = Instant::now();
    for run in 0..runs {
        let values = [0x9e37_79b9, 0x85eb_ca6b].map(|step: u64| u128::from((run * step) as u32));
        let inputs = [(PortId(own), vec![Words::scalar(32, values[own as usize])])];
        let outcome = session.run_prepared(&task, &inputs, &mut store, &cancel)?;
        let less = vec![vec![Words::scalar(1, u128::from(values[0] < values[1]))]];
        if outcome.outputs != less {
            return Err(format!("the result of run {run} is wrong").into());
        }
        last = Some(outcome.report);
    }
    let seconds = start.elapsed().as_secs_f64();
    session.close(Some(&mut store), &cancel)?;
    let report = last.ok_or("there was no run")?;
    let phase = |phase| report.phase(phase).ok_or("a phase is missing from the report");
    let (analysis, setup, online) = (phase(Phase::Analysis)?, phase(Phase::Setup)?, phase(Phase::Online)?);
    let row = json!({
        "seconds": seconds,
        "runs_per_second": runs as f64 / seconds,
        "prepare_seconds": prepare_seconds,
        "entry_bytes": entry_bytes,
        "online_payload_bytes": online.payload_sent.unwrap_or(0) + online.payload_received.unwrap_or(0),
        "analysis_frame_bytes": analysis.bytes_sent + analysis.bytes_received,
        "setup_frame_bytes": setup.bytes_sent + setup.bytes_received,
    });
    println!("{row}");
    Ok(())
}

fn terms(name: &str, key: SecretKey, folder: &Path, transport: &str) -> Result<SessionTerms, Failure> {
    let port = std::fs::read_to_string(folder.join("port"))?;
    let party = |name: &str| -> Result<Party, Failure> {
        Ok(Party {
            name: name.to_owned(),
            // Nobody dials B.
            address: format!("127.0.0.1:{port}").parse()?,
            key: Some(PublicKey::load(&folder.join(format!("{name}.pub")))?),
        })
    };
    let protection = if transport == "tls" { Transport::Tls } else { Transport::Plain };
    Ok(SessionTerms {
        party: name.to_owned(),
        peer: if name == "A" { "B" } else { "A" }.to_owned(),
        session: Config { transport: protection, ..Config::new(vec![party("A")?, party("B")?]) },
        key: Some(key),
        security: SecurityParams::default(),
        shares: None,
    })
}

/// Which of two numbers is smaller?
fn program() -> Result<Program, Failure> {
    let word = |bits| Shape::Integer { bits, signed: false };
    let mut program = Builder::new("millionaires");
    let (alice, bob) = (program.role("A"), program.role("B"));
    let (a, b) = (program.input("mil", alice, word(32))?, program.input("mil", bob, word(32))?);
    let less = program.output("less", vec![alice, bob], word(1))?;
    let mut main = program.template("main", vec![]);
    let (x, y) = (main.input(&program, a)?[0], main.input(&program, b)?[0]);
    let result = main.lt_u(x, y)?;
    main.output(&program, less, &[result])?;
    Ok(program.finish(main)?)
}
