//! Parties that are killed at every step of preparing and spending: no entry is ever used twice, and both can
//! continue.

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::loopback::pair::{Folder, expected, inputs, task_with};
use crate::loopback::program;
use tacit_engine::{BlockingSession, CancelFlag, SessionTerms, Store};
use tacit_ir::Domain;
use tacit_net::keys::{PublicKey, SecretKey, generate};
use tacit_net::session::{Config, Party};
use tacit_net::socket::Address;
use tacit_plan::{DomainChoice, ModeChoice, PlanOptions, SecurityParams};

/// Names the folder of both parties, the party, and the step at which it is to be killed; 0 is never.
const VARIABLE: &str = "TACIT_TEST_STORE_PARTY";
/// The file in the folder of both parties that means that values are shared by bits.
const BITS: &str = "bits";
/// How long a surviving party waits for one that was killed.
const LIMIT: Duration = Duration::from_secs(20);

#[test]
fn no_step_is_a_bad_one_to_be_killed_at() {
    thread::scope(|scope| {
        scope.spawn(|| kill_at_every_step(0, DomainChoice::In(Domain::Yao)));
        scope.spawn(|| kill_at_every_step(1, DomainChoice::In(Domain::Bool)));
        kill_at_every_step(1, DomainChoice::In(Domain::Yao));
    });
}

/// Kills the first or the second party at its first step, its second and so on, always with the same stores. Values are shared
/// by labels or by bits.
fn kill_at_every_step(victim: usize, domain: DomainChoice) {
    let folder = Folder::new();
    if domain == DomainChoice::In(Domain::Bool) {
        fs::write(folder.0.join(BITS), "").unwrap();
    }
    for name in ["A", "B"] {
        let (secret, public) = generate().unwrap();
        secret.save(&folder.0.join(format!("{name}.key"))).unwrap();
        public.save(&folder.0.join(format!("{name}.pub"))).unwrap();
    }
    fs::write(folder.0.join("unused-port"), free_port()).unwrap();
    let steps = run(&folder, [0, 0]);
    assert!(steps.iter().all(|steps| *steps > 25), "{steps:?}");
    for step in 1..=steps[victim] {
        let mut kill = [0, 0];
        kill[victim] = step;
        run(&folder, kill);
        // Whatever happened, both can continue.
        run(&folder, [0, 0]);
    }
    for name in ["A", "B"] {
        let uses = fs::read_to_string(folder.0.join(format!("{name}.uses"))).unwrap();
        let mut seen = HashSet::new();
        assert!(uses.lines().all(|number| seen.insert(number)), "{name} used an entry twice:\n{uses}");
        assert!(seen.len() as u64 > steps[0], "{}", seen.len());
    }
}

/// A port that nobody listens on, below those that the system assigns to connections of other tests.
fn free_port() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = u64::from(std::process::id()) * 131 + NEXT.fetch_add(1, Ordering::SeqCst) * 7;
        let port = (10_000 + number % 20_000) as u16;
        if std::net::TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port.to_string();
        }
    }
}

/// Runs both parties as processes, each to be killed at a step unless that is 0. Returns the number of steps
/// of each.
fn run(folder: &Folder, kill: [u64; 2]) -> [u64; 2] {
    fs::write(folder.0.join("port"), free_port()).unwrap();
    let children = [0, 1].map(|index| spawn(&folder.0, index, kill[index]));
    let killed = |index: usize| kill[index] != 0;
    let mut steps = [0, 0];
    for (index, child) in children.into_iter().enumerate() {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        if kill == [0, 0] {
            assert!(output.status.success(), "{kill:?}, party {index}: {text}");
        } else {
            assert!(output.status.success() || killed(index) || killed(1 - index), "{kill:?}: {text}");
        }
        if let Ok(count) = fs::read_to_string(folder.0.join(["A.steps", "B.steps"][index])) {
            steps[index] = count.parse().unwrap();
        }
    }
    steps
}

fn spawn(folder: &Path, index: usize, kill: u64) -> Child {
    let name = ["A", "B"][index];
    Command::new(std::env::current_exe().unwrap())
        .args(["store_kill::party", "--exact", "--nocapture"])
        .env(VARIABLE, format!("{name} {kill} {}", folder.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// One party, in a process of its own.
#[test]
fn party() {
    let Ok(text) = std::env::var(VARIABLE) else { return };
    let mut parts = text.splitn(3, ' ');
    let mut next = || parts.next().unwrap();
    let (name, kill, folder) = (next(), next().parse().unwrap(), PathBuf::from(next()));
    Participant { index: usize::from(name == "B"), folder, kill }.work();
}

struct Participant {
    index: usize,
    folder: PathBuf,
    kill: u64,
}

impl Participant {
    fn name(&self) -> &'static str {
        ["A", "B"][self.index]
    }

    /// Prepares and spends enough that segments are begun, used up and erased.
    fn work(&self) {
        let bits = self.folder.join(BITS).exists();
        let domain = if bits { DomainChoice::In(Domain::Bool) } else { DomainChoice::In(Domain::Yao) };
        let options = PlanOptions { mode: ModeChoice::Precomputed, domain, ..PlanOptions::default() };
        let (cancel, task) = (CancelFlag::new(), task_with(&program(), &options));
        let key = SecretKey::load(&self.folder.join(format!("{}.key", self.name()))).unwrap();
        let mut store = Store::open(&self.folder.join(format!("store-{}", self.name())), &key).unwrap();
        let (steps, kill, count) =
            (AtomicU64::new(0), self.kill, self.folder.join(format!("{}.steps", self.name())));
        let uses = self.folder.join(format!("{}.uses", self.name()));
        store.observe(move |step| {
            if let Some(number) = step.entry {
                note(&uses, number)?;
            }
            let step = 1 + steps.fetch_add(1, Ordering::SeqCst);
            if step == kill {
                kill_self();
            }
            if kill == 0 {
                fs::write(&count, step.to_string())?;
            }
            Ok(())
        });
        let mut session = BlockingSession::open(self.terms(key), &cancel).unwrap();
        for _ in 0..2 {
            session.prepare(&task, &mut store, 2, &cancel).unwrap();
            for value in [3, 4] {
                let mine = inputs(self.index, value);
                let outcome = session.run_prepared(&task, &mine, &mut store, &cancel).unwrap();
                assert_eq!(outcome.outputs, expected(value, value));
            }
        }
        session.close(Some(&mut store), &cancel).unwrap();
    }

    fn terms(&self, key: SecretKey) -> SessionTerms {
        let port = |file: &str| fs::read_to_string(self.folder.join(file)).unwrap();
        let party = |name: &str, port: String| Party {
            name: name.to_owned(),
            address: Address::Tcp(format!("127.0.0.1:{port}")),
            key: Some(PublicKey::load(&self.folder.join(format!("{name}.pub"))).unwrap()),
        };
        let parties = vec![party("A", port("port")), party("B", port("unused-port"))];
        SessionTerms {
            party: self.name().to_owned(),
            peer: ["B", "A"][self.index].to_owned(),
            session: Config { timeout: LIMIT, ..Config::new(parties) },
            key: Some(key),
            security: SecurityParams::default(),
            shares: None,
        }
    }
}

/// Records that an entry is about to be used.
fn note(path: &Path, number: u64) -> std::io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    writeln!(file, "{number}")?;
    file.sync_all()
}

/// Kills this process as `kill -9` does.
fn kill_self() {
    let status = Command::new("kill").args(["-9", &std::process::id().to_string()]).status();
    assert!(status.is_ok_and(|status| status.success()));
    thread::sleep(LIMIT);
}
