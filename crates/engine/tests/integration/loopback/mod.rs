//! Two parties on the loopback interface, each on a thread of its own.

pub mod balance;
pub mod pair;
pub mod several;
pub mod stores;
pub mod tap;

use std::net::TcpListener;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tacit_engine::{CancelFlag, Job, Outcome, RunError, block_on, plan, run};
use tacit_ir::{Builder, PortId, Program, Shape, Words};
use tacit_net::keys::{PublicKey, SecretKey, generate};
use tacit_net::session::{Config, Party, Transport};
use tacit_net::socket::Address;
use tacit_plan::{ModeChoice, PlanOptions};

/// Parties `A`, which listens, and `B`.
pub struct Site {
    pub keys: [Option<SecretKey>; 2],
    pub configs: [Config; 2],
}

impl Site {
    pub fn new(transport: Transport, timeout: Duration) -> Site {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = Address::Tcp(listener.local_addr().unwrap().to_string());
        let keys = [generate().unwrap(), generate().unwrap()];
        let party = |name: &str, key: PublicKey, address: &Address| Party {
            name: name.to_owned(),
            address: address.clone(),
            key: Some(key),
        };
        // Nobody dials B.
        let parties = vec![
            party("A", keys[0].1, &address),
            party("B", keys[1].1, &Address::Tcp("127.0.0.1:1".to_owned())),
        ];
        let config = Config { transport, timeout, ..Config::new(parties) };
        let configs = [Config { listener: Some(Arc::new(listener)), ..config.clone() }, config];
        Site { keys: keys.map(|(secret, _)| Some(secret)), configs }
    }
}

/// `less = A.x < B.x` and `product = A.x * B.x`, for both.
pub fn program() -> Program {
    let word = |bits| Shape::Integer { bits, signed: false };
    let mut builder = Builder::new("pair");
    let (a, b) = (builder.role("A"), builder.role("B"));
    let inputs = [a, b].map(|role| builder.input("x", role, word(32)).unwrap());
    let less = builder.output("less", vec![a, b], word(1)).unwrap();
    let product = builder.output("product", vec![a, b], word(32)).unwrap();
    let mut main = builder.template("main", vec![]);
    let [x, y] = inputs.map(|port| main.input(&builder, port).unwrap()[0]);
    let (smaller, times) = (main.lt_u(x, y).unwrap(), main.mul(x, y).unwrap());
    main.output(&builder, less, &[smaller]).unwrap();
    main.output(&builder, product, &[times]).unwrap();
    builder.finish(main).unwrap()
}

pub fn inputs() -> [Vec<Vec<Words>>; 2] {
    [vec![vec![Words::scalar(32, 100_000)]], vec![vec![Words::scalar(32, 1_000_001)]]]
}

pub fn expected() -> Vec<Vec<Words>> {
    let product = 100_000u128 * 1_000_001;
    vec![vec![Words::scalar(1, 1)], vec![Words::scalar(32, product)]]
}

pub fn options(mode: ModeChoice) -> PlanOptions {
    PlanOptions { mode, ..PlanOptions::default() }
}

/// The jobs of both parties of [`program`].
pub fn jobs(site: Site, options: &PlanOptions) -> [Job; 2] {
    jobs_of(&program(), inputs(), site, options)
}

/// The jobs of both parties; `inputs` holds for each the columns of its ports in order.
pub fn jobs_of(
    program: &Program,
    inputs: [Vec<Vec<Words>>; 2],
    site: Site,
    options: &PlanOptions,
) -> [Job; 2] {
    let program = Arc::new(program.clone());
    let plan = Arc::new(plan(&program, options).unwrap());
    let [first, second] = site.configs;
    let [first_key, second_key] = site.keys;
    let [first_inputs, second_inputs] = inputs;
    let job = |party: &str, session, key, columns: Vec<Vec<Words>>| {
        let ports = program.inputs.iter().enumerate();
        let own = ports.filter(|(_, port)| program.roles[port.role.index()] == party);
        let inputs = own.map(|(index, _)| PortId(index as u32)).zip(columns).collect();
        Job {
            program: program.clone(),
            plan: plan.clone(),
            compiler: "a test".to_owned(),
            party: party.to_owned(),
            session,
            key,
            inputs,
            progress: None,
        }
    };
    [job("A", first, first_key, first_inputs), job("B", second, second_key, second_inputs)]
}

/// Runs both parties at once.
pub fn run_pair(jobs: &[Job; 2]) -> [Result<Outcome, RunError>; 2] {
    let cancel = [CancelFlag::new(), CancelFlag::new()];
    thread::scope(|scope| {
        let first = scope.spawn(|| block_on(run(&jobs[0], None, &cancel[0])));
        let second = block_on(run(&jobs[1], None, &cancel[1]));
        [first.join().unwrap(), second]
    })
}
