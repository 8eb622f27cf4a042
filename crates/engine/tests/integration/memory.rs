//! Parties as processes of their own: the memory of a run is as predicted, and long vectors are computed in tiles.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use crate::loopback::pair::Folder;
use tacit_engine::{CancelFlag, Job, Outcome, block_on, plan, run};
use tacit_ir::{Builder, Domain, Index, PortId, Program, Shape, Words};
use tacit_net::keys::{PublicKey, SecretKey, generate};
use tacit_net::session::{Config, Party};
use tacit_plan::{DomainChoice, ModeChoice, PlanOptions, Side};

/// Names the folder of both parties, the party, and the case.
const VARIABLE: &str = "TACIT_TEST_MEMORY_PARTY";
/// Maximum memory of a process whose run is computed in tiles.
const MOST: u64 = 300_000_000;
/// How long a party waits for one that is still planning.
const LIMIT: Duration = Duration::from_secs(600);

/// The program to run.
#[derive(Clone, Copy, Debug)]
enum Work {
    /// The sum of the sums of this many pairs of numbers.
    Sum(u64),
    /// To how many of the other party's numbers each number is equal.
    Pairs(u64),
    /// This many sums.
    Sums(u64),
    /// This many products.
    Products(u64),
}

#[derive(Clone, Copy, Debug)]
struct Case {
    work: Work,
    domain: Domain,
    mode: ModeChoice,
    tiled: bool,
}

const fn case(work: Work, domain: Domain, tiled: bool) -> Case {
    Case { work, domain, mode: ModeChoice::Streamed, tiled }
}

const CASES: [Case; 9] = [
    case(Work::Sum(1_000_000), Domain::Yao, true),
    case(Work::Pairs(2000), Domain::Yao, true),
    case(Work::Sum(200_000), Domain::Yao, false),
    case(Work::Pairs(500), Domain::Yao, false),
    case(Work::Sums(500_000), Domain::Yao, true),
    case(Work::Sums(100_000), Domain::Yao, false),
    Case { work: Work::Products(5000), domain: Domain::Yao, mode: ModeChoice::Precomputed, tiled: true },
    case(Work::Sums(1_000_000), Domain::Bool, true),
    case(Work::Products(500_000), Domain::Arith, true),
];

fn integers(bits: u32, lanes: u64) -> Shape {
    Shape::Array { length: lanes as u32, element: Shape::Integer { bits, signed: false }.into() }
}

impl Case {
    fn options(self) -> PlanOptions {
        let mut options =
            PlanOptions { mode: self.mode, domain: DomainChoice::In(self.domain), ..PlanOptions::default() };
        if !self.tiled {
            options.lowering.tile_labels = u64::MAX;
        }
        options
    }

    fn program(self) -> Program {
        let (lanes, bits, results) = match self.work {
            Work::Sum(lanes) => (lanes, 53, 1),
            Work::Pairs(lanes) => (lanes, 12, lanes),
            Work::Sums(lanes) => (lanes, 33, lanes),
            Work::Products(lanes) => (lanes, 32, lanes),
        };
        let mut builder = Builder::new("memory");
        let [a, b] = ["A", "B"].map(|role| builder.role(role));
        let x = builder.input("x", a, integers(32, lanes)).unwrap();
        let y = builder.input("y", b, integers(32, lanes)).unwrap();
        let output = builder.output("z", vec![a, b], integers(bits, results)).unwrap();
        let mut main = builder.template("main", vec![]);
        main.set_line(1);
        let [x, y] = [x, y].map(|port| main.input(&builder, port).unwrap()[0]);
        main.set_line(2);
        let z = match self.work {
            Work::Products(_) => main.mul(x, y).unwrap(),
            Work::Pairs(count) => {
                let x = main.gather(x, Index::Repeat { each: count as u32, tiles: 1 }).unwrap();
                let y = main.gather(y, Index::Repeat { each: 1, tiles: count as u32 }).unwrap();
                let equal = main.eq(x, y).unwrap();
                let wide = main.zero_extend(equal, bits).unwrap();
                main.segment_sum(wide, count).unwrap()
            }
            Work::Sum(_) | Work::Sums(_) => {
                let [x, y] = [x, y].map(|value| main.zero_extend(value, 33).unwrap());
                let sums = main.add(x, y).unwrap();
                match self.work {
                    Work::Sums(_) => sums,
                    _ => {
                        let wide = main.zero_extend(sums, bits).unwrap();
                        main.segment_sum(wide, lanes).unwrap()
                    }
                }
            }
        };
        main.output(&builder, output, &[z]).unwrap();
        builder.finish(main).unwrap()
    }

    /// Numbers of the first or second party.
    fn numbers(self, party: usize) -> Vec<u64> {
        let (Work::Sum(lanes) | Work::Pairs(lanes) | Work::Sums(lanes) | Work::Products(lanes)) = self.work;
        let number = |lane: u64| (lane + 3) * (0x9e37_79b9 + 2 * party as u64) % 1_000_003 * 4001 % (1 << 32);
        (0..lanes).map(number).collect()
    }

    fn is_right(self, result: &Words) -> bool {
        let [x, y] = [0, 1].map(|party| self.numbers(party));
        let each = |of: fn(u64, u64) -> u64| x.iter().zip(&y).map(|(x, y)| of(*x, *y)).collect::<Vec<_>>();
        let expected = match self.work {
            Work::Sum(_) => vec![x.iter().chain(&y).sum()],
            Work::Sums(_) => each(|x, y| x + y),
            Work::Products(_) => each(|x, y| x.wrapping_mul(y) & 0xffff_ffff),
            Work::Pairs(_) => x.iter().map(|x| y.iter().filter(|y| x == *y).count() as u64).collect(),
        };
        let lanes = (0..result.lanes()).map(|lane| result.low_u128(lane) as u64);
        lanes.eq(expected)
    }
}

/// A party's measurements of its run: memory before, peak memory, and predicted memory; then seconds, bytes
/// and rounds.
#[derive(Debug)]
struct Measured {
    before: u64,
    most: u64,
    predicted: u64,
    rest: String,
}

#[test]
#[ignore = "long"]
fn runs_take_as_much_memory_as_predicted() {
    let only = std::env::var("TACIT_TEST_MEMORY_CASE").ok().and_then(|case| case.parse::<usize>().ok());
    let mut wrong = Vec::new();
    for (number, case) in
        CASES.iter().enumerate().filter(|(number, _)| only.is_none_or(|only| only == *number))
    {
        let folder = Folder::new();
        for name in ["A", "B"] {
            let (secret, public) = generate().unwrap();
            secret.save(&folder.0.join(format!("{name}.key"))).unwrap();
            public.save(&folder.0.join(format!("{name}.pub"))).unwrap();
        }
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        fs::write(folder.0.join("port"), port.to_string()).unwrap();
        let children = [0, 1].map(|index| spawn(&folder.0, index, number));
        for (name, child) in ["garbler", "evaluator"].into_iter().zip(children) {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let file = folder.0.join(if name == "garbler" { "A.measured" } else { "B.measured" });
            let measured = measured(&fs::read_to_string(file).unwrap());
            let grown = measured.most - measured.before;
            let ratio = measured.predicted as f64 / grown as f64;
            println!(
                "{case:?}, {name}: {grown} bytes more than {}, {} predicted ({ratio:.2}); {}",
                measured.before, measured.predicted, measured.rest
            );
            let is_bounded = !case.tiled || case.domain != Domain::Yao || measured.most < MOST;
            if !(0.8..=1.2).contains(&ratio) || !is_bounded {
                wrong.push(format!("{case:?}, {name}: {measured:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn measured(text: &str) -> Measured {
    let (numbers, rest) = text.split_once('|').unwrap();
    let numbers: Vec<u64> = numbers.split_whitespace().map(|number| number.parse().unwrap()).collect();
    Measured { before: numbers[0], most: numbers[1], predicted: numbers[2], rest: rest.to_owned() }
}

fn spawn(folder: &Path, index: usize, case: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["memory::party", "--exact", "--nocapture"])
        .env(VARIABLE, format!("{index} {case} {}", folder.display()))
        // Large freed blocks are returned to the system, since what an allocator keeps cannot be predicted.
        .env("MALLOC_MMAP_THRESHOLD_", "1048576")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// One party of a case, if the variable names one.
#[test]
fn party() {
    let Ok(text) = std::env::var(VARIABLE) else { return };
    let [index, case, folder] = text.splitn(3, ' ').collect::<Vec<_>>()[..] else { panic!("{text}") };
    let (index, case, folder) =
        (index.parse::<usize>().unwrap(), case.parse::<usize>().unwrap(), Path::new(folder));
    let (name, case) = (["A", "B"][index], CASES[case]);
    let program = Arc::new(case.program());
    let words: Vec<u128> = case.numbers(index).into_iter().map(u128::from).collect();
    let plan = Arc::new(plan(&program, &case.options()).unwrap());
    let job = Job {
        plan: plan.clone(),
        compiler: String::new(),
        party: name.to_owned(),
        session: session(folder),
        key: Some(SecretKey::load(&folder.join(format!("{name}.key"))).unwrap()),
        inputs: vec![(PortId(index as u32), vec![Words::from_u128s(32, &words)])],
        progress: None,
        program,
    };
    drop(words);
    // Peak memory is counted from here on.
    fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = status("VmRSS:");
    let Outcome { outputs, report } = block_on(run(&job, None, &CancelFlag::new())).unwrap();
    let most = status("VmHWM:");
    assert!(case.is_right(&outputs[0][0]));
    let side = if index == 0 { Side::Garbler } else { Side::Evaluator };
    let predicted = plan.prediction().memory.of(side);
    let bytes: u64 = report.phases.iter().filter_map(|phase| phase.payload_sent).sum();
    let rounds: u64 = report.phases[1..].iter().map(|phase| phase.rounds).sum();
    let counted = [plan.prediction().setup, plan.prediction().online];
    assert_eq!(bytes, counted.iter().map(|traffic| traffic.bytes_sent(side)).sum::<u64>());
    let rest = format!(
        "line {}, {:.2} s, {bytes} bytes sent and {rounds} rounds as predicted, {} ANDs",
        predicted.line,
        report.seconds(),
        plan.work().and_count,
    );
    let text = format!("{before} {most} {} | {rest}", predicted.bytes);
    fs::write(folder.join(format!("{name}.measured")), text).unwrap();
}

fn session(folder: &Path) -> Config {
    let port = fs::read_to_string(folder.join("port")).unwrap();
    let party = |name: &str| Party {
        name: name.to_owned(),
        address: format!("127.0.0.1:{port}").parse().unwrap(),
        key: Some(PublicKey::load(&folder.join(format!("{name}.pub"))).unwrap()),
    };
    Config { timeout: LIMIT, ..Config::new(vec![party("A"), party("B")]) }
}

/// Bytes of a line of this process's status.
fn status(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap() * 1024
}
