//! Runs a program between two threads in an open session over TCP on this machine, without TLS, and prints the costs of a
//! run.
//!
//!     cargo run --release -p tacit-engine --example measure -- NAME FILE DOMAIN TRANSFERS RUNS [MBIT_PER_S LATENCY_MS]
//!
//! FILE holds the program as `tacit compile` writes it, DOMAIN is the domain of unpinned values, TRANSFERS is how oblivious transfers are extended. A link may be shaped; its latency is
//! one-way. Prints JSON rows: seconds of setup and online at the slower party, as the median of all runs except the first, which sets up base OTs; and bytes of both parties and rounds. Inputs
//! are random, and every result is compared with the program in the clear.

use std::env;
use std::error::Error;
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tacit_arbitrary as arbitrary;
use tacit_engine::{BlockingSession, CancelFlag, Report, RunTask, SessionTerms, plan};
use tacit_ir::{PortId, Program, Words, interpret};
use tacit_net::Phase;
use tacit_net::session::{Config, Party, Transport};
use tacit_net::shape::Shape;
use tacit_net::socket::Address;
use tacit_plan::{Link, Named, PlanOptions, SecurityParams, Side};

type Failure = Box<dyn Error + Send + Sync>;

/// Time limit for a silent party: the other may compute for a long time.
const TIMEOUT: Duration = Duration::from_secs(120);

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (name, file, domain, transfers, runs, link) = match arguments[..] {
        [name, file, domain, transfers, runs] => (name, file, domain, transfers, runs, None),
        [name, file, domain, transfers, runs, rate, latency] => {
            (name, file, domain, transfers, runs, Some((rate, latency)))
        }
        _ => return Err("NAME FILE DOMAIN TRANSFERS RUNS [MBIT_PER_S LATENCY_MS]".into()),
    };
    let shape = match link {
        Some((rate, latency)) => Some(Shape {
            bandwidth_bits_per_s: rate.parse::<u64>()? * 1_000_000,
            latency: Duration::from_millis(latency.parse()?),
        }),
        None => None,
    };
    let program = Arc::new(Program::from_bytes(&std::fs::read(file)?)?);
    let options = PlanOptions {
        domain: Named::named(domain).ok_or_else(|| format!("there is no domain {domain}"))?,
        transfers: Named::named(transfers).ok_or_else(|| format!("there are no {transfers} transfers"))?,
        link: shape.map_or(Link::LOOPBACK, |shape| Link::one_way(shape.bandwidth_bits_per_s, shape.latency)),
        ..PlanOptions::default()
    };
    let plan = Arc::new(plan(&program, &options)?);
    let task = RunTask { program, plan, compiler: "a measurement".to_owned(), progress: None };
    let reports = measure(&task, runs.parse()?, shape)?;
    let row = |what: &str, value: f64, unit: &str| {
        println!("{{\"name\":\"{name}, {what}\",\"value\":{value},\"unit\":\"{unit}\"}}");
    };
    let spent = |report: &Report, phase| report.phase(phase).map_or(0.0, |phase| phase.seconds);
    let median = |of: &dyn Fn(&Report) -> f64| {
        let mut seconds: Vec<f64> = reports.iter().map(|[a, b]| of(a).max(of(b))).collect();
        seconds.sort_by(f64::total_cmp);
        seconds[seconds.len() / 2]
    };
    let both = median(&|report| spent(report, Phase::Setup) + spent(report, Phase::Online));
    row("setup and online", both, "s");
    let last = &reports[reports.len() - 1];
    let sent = |report: &Report, phase| report.phase(phase).and_then(|phase| phase.payload_sent).unwrap_or(0);
    let bytes = |phase| last.iter().map(|report| sent(report, phase)).sum::<u64>();
    row("setup and online bytes", (bytes(Phase::Setup) + bytes(Phase::Online)) as f64, "B");
    for phase in [Phase::Setup, Phase::Online] {
        row(phase.name(), median(&|report| spent(report, phase)), "s");
        row(&format!("{} bytes", phase.name()), bytes(phase) as f64, "B");
        let rounds = last.iter().filter_map(|report| report.phase(phase)).map(|phase| phase.rounds).max();
        row(&format!("{} rounds", phase.name()), rounds.unwrap_or(0) as f64, "round");
    }
    Ok(())
}

/// The reports of both parties of every run but the first.
fn measure(task: &RunTask, runs: u64, shape: Option<Shape>) -> Result<Vec<[Report; 2]>, Failure> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let names = [Side::Garbler, Side::Evaluator].map(|side| task.plan.parties().name(side).to_owned());
    // The party whose name sorts first listens; the other's address is not used.
    let listens = usize::from(names[1] < names[0]);
    let mut addresses = ["127.0.0.1:1", "127.0.0.1:1"].map(str::to_owned);
    addresses[listens] = listener.local_addr()?.to_string();
    let parties = names.iter().zip(addresses);
    let party = |(name, address): (&String, String)| Party {
        name: name.clone(),
        address: Address::Tcp(address),
        key: None,
    };
    let config = Config {
        transport: Transport::Plain,
        timeout: TIMEOUT,
        shape,
        ..Config::new(parties.map(party).collect())
    };
    let mut configs = [config.clone(), config];
    configs[listens].listener = Some(Arc::new(listener));
    let terms = |me: usize| SessionTerms {
        party: names[me].clone(),
        peer: names[1 - me].clone(),
        session: configs[me].clone(),
        key: None,
        security: SecurityParams::default(),
        shares: None,
    };
    thread::scope(|scope| {
        let first = scope.spawn(|| take_part(task, terms(0), runs, Side::Garbler));
        let second = take_part(task, terms(1), runs, Side::Evaluator)?;
        let first = first.join().map_err(|_| "a party panicked")??;
        Ok(first.into_iter().zip(second).map(|(a, b)| [a, b]).skip(1).collect())
    })
}

fn take_part(task: &RunTask, terms: SessionTerms, runs: u64, me: Side) -> Result<Vec<Report>, Failure> {
    let cancel = CancelFlag::new();
    let mut session = BlockingSession::open(terms, &cancel)?;
    let mut reports = Vec::new();
    for run in 0..=runs {
        let inputs = arbitrary::inputs(&task.program, run);
        let mine = |(index, columns): (usize, &Vec<Words>)| {
            let role = task.program.inputs[index].role;
            (task.plan.parties().side(role) == Some(me)).then(|| (PortId(index as u32), columns.clone()))
        };
        let given: Vec<_> = inputs.iter().enumerate().filter_map(mine).collect();
        let outcome = session.run(task, &given, &cancel)?;
        let expected = interpret(&task.program, &inputs, || 0)?;
        for (found, expected) in outcome.outputs.iter().zip(&expected) {
            if !found.is_empty() && found != expected {
                return Err("the result is wrong".into());
            }
        }
        reports.push(outcome.report);
    }
    session.close(None, &cancel)?;
    Ok(reports)
}
