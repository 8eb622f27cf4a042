//! Runs without a network: in the clear, and both parties in one process.

use tacit_crypto::Prg;
use tacit_ir::{PortId, Program, Words, interpret};
use tacit_net::{Connection, Options, Phase, memory};
use tacit_plan::{Plan, PlanOptions, Side};

use crate::drive::context::RunContext;
use crate::drive::outputs::RunResults;
use crate::inputs::{PartyInputs, check_shape};
use crate::open::scope::SessionScope;
use crate::open::{EndedRun, SessionRun, SessionWire};
use crate::progress::Tracker;
use crate::report::Clock;
use crate::{CancelFlag, Failure, Operation, Outcome, RunError, block_on, plan, sharing};

/// Runs a program in the clear, for debugging: this protects nothing. Takes the columns of every input port, and returns
/// those of every output port.
///
/// # Errors
/// [`RunError::Interpret`] for inputs that are not of the ports' types; [`RunError::System`] without randomness.
pub fn clear(program: &Program, inputs: &[Vec<Words>]) -> Result<Vec<Vec<Words>>, RunError> {
    let mut prg = Prg::from_os().map_err(std::io::Error::other)?;
    Ok(interpret(program, inputs, || prg.next_u64())?)
}

/// The outcomes of both parties of a run in one process.
#[derive(Clone, Debug)]
pub struct BothOutcomes {
    /// The garbler's outcome.
    pub garbler: Outcome,
    /// The evaluator's outcome.
    pub evaluator: Outcome,
}

impl BothOutcomes {
    /// The columns of every output port, from a party that learns them.
    pub fn outputs(&self) -> Vec<Vec<Words>> {
        let either = |(a, b): (&Vec<Words>, &Vec<Words>)| if a.is_empty() { b.clone() } else { a.clone() };
        self.garbler.outputs.iter().zip(&self.evaluator.outputs).map(either).collect()
    }
}

/// Runs both parties in this process, over memory, with the whole protocol, for tests and experiments. Takes the columns of every input port. Inputs and
/// outputs of outside parties are shared and recombined here. Call it outside of asynchronous runtimes.
///
/// # Errors
/// [`RunError`] of the party that failed first.
pub fn in_process(
    program: &Program,
    inputs: &[Vec<Words>],
    options: &PlanOptions,
) -> Result<BothOutcomes, RunError> {
    let plan = plan(program, options)?;
    block_on(run_both(program, &plan, inputs))
}

async fn run_both(program: &Program, plan: &Plan, inputs: &[Vec<Words>]) -> Result<BothOutcomes, RunError> {
    let mut session = [0; 32];
    let mut prg = Prg::from_os().map_err(std::io::Error::other)?;
    prg.fill_bytes(&mut session);
    let [first_shares, second_shares] = deal(program, plan, inputs, &mut prg)?;
    let name = |side: Side| Options::for_peer(plan.parties().name(side));
    let (first, second) = memory::pair_with(name(Side::Evaluator), name(Side::Garbler));
    let (garbler, evaluator) = tokio::join!(
        run_one(program, plan, (inputs, first_shares), Side::Garbler, (&first, session)),
        run_one(program, plan, (inputs, second_shares), Side::Evaluator, (&second, session)),
    );
    match (garbler, evaluator) {
        (Ok((garbler, first)), Ok((evaluator, second))) => {
            let mut both = BothOutcomes { garbler, evaluator };
            both.recombine(program, plan, [&first, &second]);
            Ok(both)
        }
        (Err(RunError::Failed { source, .. }), Err(cause)) if source.is_echo() => Err(cause),
        (Err(error), _) | (_, Err(error)) => Err(error),
    }
}

/// Shares of a port's columns, by the port's number.
type PortShares = Vec<(u32, Vec<Words>)>;

/// Shares of the inputs of outside parties, for both computing parties.
fn deal(
    program: &Program,
    plan: &Plan,
    inputs: &[Vec<Words>],
    prg: &mut Prg,
) -> Result<[PortShares; 2], RunError> {
    let mut dealt = [Vec::new(), Vec::new()];
    for (index, port) in program.inputs.iter().enumerate() {
        if plan.parties().side(port.role).is_some() {
            continue;
        }
        let columns = inputs.get(index).map_or(&[][..], |columns| columns);
        check_shape(program, port, columns)?;
        let forms = plan.input_forms(program, index as u32);
        let first: Vec<Words> = forms.iter().map(|form| sharing::expand(form, prg)).collect();
        let second = forms.iter().zip(columns).zip(&first);
        let second = second.map(|((form, words), first)| sharing::complement(form, words, first)).collect();
        dealt[0].push((index as u32, first));
        dealt[1].push((index as u32, second));
    }
    Ok(dealt)
}

impl BothOutcomes {
    /// Recombines the outputs of outside parties, for both computing parties.
    fn recombine(&mut self, program: &Program, plan: &Plan, shares: [&[Vec<Words>]; 2]) {
        for port in 0..program.outputs.len() {
            let forms = plan.output_forms(program, port as u32);
            let [first, second] = shares.map(|shares| &shares[port]);
            let values: Vec<Words> = forms
                .iter()
                .zip(first.iter().zip(second))
                .map(|(form, (first, second))| sharing::combine(form, [first, second]))
                .collect();
            for outcome in [&mut self.garbler, &mut self.evaluator] {
                if outcome.outputs[port].is_empty() {
                    outcome.outputs[port].clone_from(&values);
                }
            }
        }
    }
}

async fn run_one(
    program: &Program,
    plan: &Plan,
    (inputs, shares): (&[Vec<Words>], PortShares),
    me: Side,
    (connection, link): (&Connection, [u8; 32]),
) -> Result<(Outcome, Vec<Vec<Words>>), RunError> {
    let mine = |(index, port): (usize, &tacit_ir::InputPort)| {
        let columns = inputs.get(index).filter(|_| plan.parties().side(port.role) == Some(me))?;
        Some((PortId(index as u32), columns.clone()))
    };
    let given: Vec<_> = program.inputs.iter().enumerate().filter_map(mine).collect();
    let mut inputs = PartyInputs::check(program, plan.parties(), me, &given)?;
    shares.into_iter().for_each(|(port, shares)| inputs.add_shares(port, shares));
    let (tracker, cancel) = (Tracker::default(), CancelFlag::new());
    let context = RunContext { program, plan, me, tracker: &tracker, cancel: &cancel };
    let clock = Clock::start();
    let peer = plan.parties().name(me.peer());
    let failed = |phase, operation, source: Failure| RunError::Failed {
        peer: peer.to_owned(),
        phase,
        operation,
        source: source.into(),
    };
    let wire = SessionWire::open(connection, link, plan.security()).and_then(|mut wire| {
        wire.fit(connection, program, plan)?;
        Ok(wire)
    });
    let wire = wire.map_err(|error| failed(Phase::Analysis, Operation::Connecting, error.into()))?;
    let terms = (SessionScope::OneRun, "", *plan.prediction());
    let mut run = SessionRun::new(context, terms, wire, connection.meter(), Some(clock));
    let result = run.compute(&inputs).await;
    let EndedRun { wire, report, phase, operation, .. } = run.end();
    let closed = async {
        let revealed = result?;
        wire.close(peer).await?;
        connection.close().await?;
        Ok::<_, Failure>(revealed)
    };
    match closed.await {
        Ok(revealed) => {
            let RunResults { outputs, shares } = RunResults::new(program, revealed);
            Ok((Outcome { outputs, report }, shares))
        }
        Err(source) => {
            connection.abort().await;
            Err(failed(phase, operation, source))
        }
    }
}
