//! Runs without a network: in the clear, and both parties in one process.

use tacit_crypto::Prg;
use tacit_ir::{PortId, Program, Words, interpret};
use tacit_net::{Options, memory};
use tacit_plan::{Plan, PlanOptions, Side};

use crate::drive::Context;
use crate::inputs::Inputs;
use crate::party::{Link, Party};
use crate::progress::Tracker;
use crate::report::Clock;
use crate::{CancelFlag, Failure, Operation, Outcome, Report, RunError, plan};

/// Runs a program in the clear, for debugging: this protects nothing. Takes the columns of every input port, gives those
/// of every output port.
///
/// # Errors
/// [`RunError::Interpret`] for inputs that are not of the ports' types; [`RunError::System`] without randomness.
pub fn clear(program: &Program, inputs: &[Vec<Words>]) -> Result<Vec<Vec<Words>>, RunError> {
    let mut prg = Prg::from_os().map_err(std::io::Error::other)?;
    Ok(interpret(program, inputs, || prg.next_u64())?)
}

/// What both parties of a run in one process got.
#[derive(Clone, Debug)]
pub struct Both {
    /// What the garbler got.
    pub garbler: Outcome,
    /// What the evaluator got.
    pub evaluator: Outcome,
}

impl Both {
    /// The columns of every output port, from a party that learns them.
    pub fn outputs(&self) -> Vec<Vec<Words>> {
        let either = |(a, b): (&Vec<Words>, &Vec<Words>)| if a.is_empty() { b.clone() } else { a.clone() };
        self.garbler.outputs.iter().zip(&self.evaluator.outputs).map(either).collect()
    }
}

/// Runs both parties in this process, over memory, with all of the protocol: for tests and for trying things out. Takes
/// the columns of every input port. To be called where no asynchronous runtime runs.
///
/// # Errors
/// [`RunError`] of the party that failed first.
pub fn in_process(program: &Program, inputs: &[Vec<Words>], options: &PlanOptions) -> Result<Both, RunError> {
    let plan = plan(program, options)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(run_both(program, &plan, inputs))
}

async fn run_both(program: &Program, plan: &Plan, inputs: &[Vec<Words>]) -> Result<Both, RunError> {
    let mut session = [0; 32];
    Prg::from_os().map_err(std::io::Error::other)?.fill_bytes(&mut session);
    let name = |side: Side| Options::for_peer(plan.parties().name(side));
    let (first, second) = memory::pair_with(name(Side::Evaluator), name(Side::Garbler));
    let (garbler, evaluator) = tokio::join!(
        run_one(program, plan, inputs, Side::Garbler, (&first, session)),
        run_one(program, plan, inputs, Side::Evaluator, (&second, session)),
    );
    match (garbler, evaluator) {
        (Ok(garbler), Ok(evaluator)) => Ok(Both { garbler, evaluator }),
        (Err(RunError::Failed { source, .. }), Err(cause)) if source.is_echo() => Err(cause),
        (Err(error), _) | (_, Err(error)) => Err(error),
    }
}

async fn run_one(
    program: &Program,
    plan: &Plan,
    inputs: &[Vec<Words>],
    me: Side,
    (connection, id): (&tacit_net::Connection, [u8; 32]),
) -> Result<Outcome, RunError> {
    let mine = |(index, port): (usize, &tacit_ir::InputPort)| {
        let columns = inputs.get(index).filter(|_| plan.parties().side(port.role) == me)?;
        Some((PortId(index as u32), columns.clone()))
    };
    let given: Vec<_> = program.inputs.iter().enumerate().filter_map(mine).collect();
    let inputs = Inputs::check(program, plan.parties(), me, &given)?;
    let (mut clock, mut operation) = (Clock::start(), Operation::Connecting);
    let (tracker, cancel) = (Tracker::default(), CancelFlag::new());
    let meter = connection.meter();
    let mut party = Party {
        context: Context { program, plan, me, tracker: &tracker, cancel: &cancel },
        link: Link { connection, id, meter },
        inputs: &inputs,
        clock: &mut clock,
        operation: &mut operation,
    };
    let result: Result<_, Failure> = match party.run().await {
        Ok(outputs) => connection.close().await.map(|()| outputs).map_err(Failure::from),
        Err(error) => Err(error),
    };
    match result {
        Ok(outputs) => {
            clock.stop();
            Ok(Outcome { outputs, report: Report::new(plan, &program.name, me, &clock, meter.by_phase()) })
        }
        Err(source) => {
            connection.abort().await;
            let peer = plan.parties().name(me.peer()).to_owned();
            Err(RunError::Failed { peer, phase: clock.phase(), operation, source: source.into() })
        }
    }
}
