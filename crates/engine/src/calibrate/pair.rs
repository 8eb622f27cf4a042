//! Both parties of a run on this machine, over TLS on loopback, each in a thread.

use std::net::TcpListener;
use std::sync::Arc;
use std::thread;

use tacit_ir::{PortId, Words};
use tacit_net::keys::{SecretKey, generate};
use tacit_net::session::{Config, Party};
use tacit_net::socket::Address;
use tacit_plan::{Plan, Side};

use crate::{BlockingSession, CancelFlag, Report, RunError, RunTask, SessionTerms};

/// The reports of both parties of one run, in a session of its own. `inputs` are the columns of every input port.
///
/// # Errors
/// [`RunError`] of the party that failed first.
pub(super) fn run(task: &RunTask, inputs: &[Vec<Words>]) -> Result<[Report; 2], RunError> {
    let [first, second] = terms(&task.plan)?;
    thread::scope(|scope| {
        let garbler = scope.spawn(|| take_part(task, first, inputs, Side::Garbler));
        let evaluator = take_part(task, second, inputs, Side::Evaluator);
        match garbler.join() {
            Ok(garbler) => Ok([garbler?, evaluator?]),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// The terms of both parties, with keys for this session.
fn terms(plan: &Plan) -> Result<[SessionTerms; 2], RunError> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let names = [Side::Garbler, Side::Evaluator].map(|side| plan.parties().name(side).to_owned());
    // The party whose name sorts first listens; the other's address is not used.
    let listens = usize::from(names[1] < names[0]);
    let address = listener.local_addr()?.to_string();
    let keys = [generate(), generate()];
    let mut secrets = Vec::new();
    let mut parties = Vec::new();
    for (name, key) in names.iter().zip(keys) {
        let (secret, public) = key.map_err(std::io::Error::other)?;
        secrets.push(secret);
        parties.push(Party { name: name.clone(), address: Address::Tcp(address.clone()), key: Some(public) });
    }
    let config = Config::new(parties);
    let of = |me: usize, key: SecretKey, listener: Option<Arc<TcpListener>>| SessionTerms {
        party: names[me].clone(),
        peer: names[1 - me].clone(),
        session: Config { listener, ..config.clone() },
        key: Some(key),
        security: *plan.security(),
        shares: None,
    };
    let listener = Arc::new(listener);
    let heard = |me: usize| (me == listens).then(|| listener.clone());
    match (secrets.pop(), secrets.pop()) {
        (Some(second), Some(first)) => Ok([of(0, first, heard(0)), of(1, second, heard(1))]),
        // There are two.
        _ => Err(std::io::Error::other("no keys").into()),
    }
}

fn take_part(
    task: &RunTask,
    terms: SessionTerms,
    inputs: &[Vec<Words>],
    me: Side,
) -> Result<Report, RunError> {
    let cancel = CancelFlag::new();
    let mut session = BlockingSession::open(terms, &cancel)?;
    let mine = |(index, columns): (usize, &Vec<Words>)| {
        let role = task.program.inputs[index].role;
        (task.plan.parties().side(role) == Some(me)).then(|| (PortId(index as u32), columns.clone()))
    };
    let given: Vec<_> = inputs.iter().enumerate().filter_map(mine).collect();
    let report = session.run(task, &given, &cancel)?.report;
    session.close(None, &cancel)?;
    Ok(report)
}
