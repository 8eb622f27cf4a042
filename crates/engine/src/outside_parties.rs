//! Outside parties: parties with roles that do not compute. They share their inputs between both computing parties, and leave, or wait for shares of
//! outputs.
//!
//! They are the input parties and result parties of ISO/IEC 4922-1, as far as these are not computing parties as
//! well.
//!
//! Source: ABY (NDSS'15) §II-A.
//! Security: semi-honest; inputs and outputs of outside parties are secret unless the two computing parties collude.
//! Cost: as many bits as inputs have, and 16 bytes; twice as many bits as outputs have.

pub(crate) mod constants;

use std::pin::pin;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tacit_crypto::{Prg, Secret};
use tacit_ir::{Program, RoleId, Words};
use tacit_math::{Bits, Block};
use tacit_net::session::{Session, SessionFault};
use tacit_net::{Channel, NetError, Phase};
use tacit_ot::chosen::receive_bits;
use tacit_plan::{Parties, Plan, SecurityParams, ShareForm, Side};
use zeroize::Zeroizing;

use crate::cancel::{unless_cancelled, unless_interrupted};
use crate::greeting::{greeting, session_with};
use crate::inputs::{InputError, PartyInputs, check_shape};
use crate::job::Job;
use crate::peer_fault::PeerFault;
use crate::report::{Clock, PhaseReport, hex};
use crate::{CancelFlag, Failure, Operation, RunError, sharing};
use constants::{KEEP_ALIVE, READY, STREAM, WINDOW};

/// The ports of an outside party in a program.
struct OutsidePorts {
    /// The ports of its inputs, with the forms of their columns.
    gives: Vec<(u32, Vec<ShareForm>)>,
    /// The ports of its outputs.
    takes: Vec<(u32, Vec<ShareForm>)>,
}

impl OutsidePorts {
    fn of(party: &str, program: &Program, plan: &Plan) -> OutsidePorts {
        let is = |role: &RoleId| plan.parties().outside(*role) == Some(party);
        let gives = program.inputs.iter().enumerate().filter(|(_, port)| is(&port.role));
        let takes = program.outputs.iter().enumerate().filter(|(_, port)| port.roles.iter().any(is));
        OutsidePorts {
            gives: gives.map(|(port, _)| (port as u32, plan.input_forms(program, port as u32))).collect(),
            takes: takes.map(|(port, _)| (port as u32, plan.output_forms(program, port as u32))).collect(),
        }
    }
}

async fn say(channel: &mut Channel, word: [u8; 1]) -> Result<(), NetError> {
    channel.send(&word).await?;
    channel.flush().await
}

async fn send_bits(channel: &mut Channel, bits: &Bits) -> Result<(), NetError> {
    for start in (0..bits.len()).step_by(WINDOW) {
        let window = Zeroizing::new(bits.slice(start..bits.len().min(start + WINDOW)).to_bytes());
        channel.send(&window).await?;
    }
    channel.flush().await
}

/// Shares of ports, one port after the other.
async fn receive_shares(
    channel: &mut Channel,
    ports: &[(u32, Vec<ShareForm>)],
) -> Result<Vec<(u32, Vec<Words>)>, Failure> {
    let mut shares = Vec::new();
    for (port, forms) in ports {
        let count = sharing::bits_of(forms) as usize;
        let mut bits = Zeroizing::new(Bits::default());
        for start in (0..count).step_by(WINDOW) {
            let window = Zeroizing::new(receive_bits(channel, WINDOW.min(count - start)).await?);
            bits.extend_bits(&window);
        }
        shares.push((*port, sharing::unpack(forms, &bits)));
    }
    Ok(shares)
}

/// All outside parties of a run, at a computing party.
pub(crate) struct OutsideParties<'a> {
    program: &'a Program,
    all: Vec<(OutsidePorts, Channel)>,
}

impl<'a> OutsideParties<'a> {
    /// Opens a stream to each of them.
    pub fn meet(
        program: &'a Program,
        plan: &Plan,
        session: &Session,
    ) -> Result<OutsideParties<'a>, NetError> {
        let party = |name: &str| Ok((OutsidePorts::of(name, program, plan), stream(session, name)?));
        let all = plan.parties().outside_parties().into_iter().map(party);
        Ok(OutsideParties { program, all: all.collect::<Result<_, NetError>>()? })
    }

    /// Receives this party's shares of their inputs. Those who only give inputs are then done.
    pub async fn receive(
        &mut self,
        me: Side,
        inputs: &mut PartyInputs,
        operation: &mut Operation,
    ) -> Result<(), Failure> {
        let mut waiting = Vec::new();
        for (ports, mut channel) in std::mem::take(&mut self.all) {
            if let Some((port, _)) = ports.gives.first() {
                *operation = input(self.program, *port);
                let shares = match me {
                    Side::Garbler => {
                        let mut seed = Secret::new([Block::ZERO]);
                        channel.receive_into(Block::as_bytes_mut(seed.expose_mut())).await?;
                        expanded(&ports.gives, &seed)
                    }
                    Side::Evaluator => receive_shares(&mut channel, &ports.gives).await?,
                };
                shares.into_iter().for_each(|(port, words)| inputs.add_shares(port, words));
            }
            match ports.takes.is_empty() {
                true => channel.finish().await?,
                false => waiting.push((ports, channel)),
            }
        }
        self.all = waiting;
        Ok(())
    }

    /// Runs `work`, and meanwhile sends keep-alives to those who wait for outputs; they wait for `limit` without a message.
    /// If one of them is gone, [`OutsideParties::give`] fails.
    pub async fn with_keep_alive<T>(&mut self, limit: Duration, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                () = tokio::time::sleep(limit / 4), if !self.all.is_empty() => {
                    for (_, channel) in &mut self.all {
                        // A failure here occurs again when they are sent their outputs.
                        let _ = say(channel, KEEP_ALIVE).await;
                    }
                }
            }
        }
    }

    /// Sends them this party's shares of their outputs.
    pub async fn give(self, shares: &[Vec<Words>], operation: &mut Operation) -> Result<(), Failure> {
        for (ports, mut channel) in self.all {
            channel.send(&READY).await?;
            for (port, _) in &ports.takes {
                *operation = output(self.program, *port);
                let bits = Zeroizing::new(sharing::pack(&shares[*port as usize]));
                send_bits(&mut channel, &bits).await?;
            }
            channel.finish().await?;
        }
        Ok(())
    }
}

/// The garbler's shares, from their seed.
fn expanded(ports: &[(u32, Vec<ShareForm>)], seed: &Secret<[Block; 1]>) -> Vec<(u32, Vec<Words>)> {
    let mut prg = Prg::new(seed.expose()[0]);
    let port = |(port, forms): &(u32, Vec<ShareForm>)| {
        (*port, forms.iter().map(|form| sharing::expand(form, &mut prg)).collect())
    };
    ports.iter().map(port).collect()
}

fn stream(session: &Session, peer: &str) -> Result<Channel, NetError> {
    let missing = || NetError::Session(SessionFault::NoLink { name: peer.to_owned() });
    session.connection(peer).ok_or_else(missing)?.open(STREAM)
}

fn input(program: &Program, port: u32) -> Operation {
    let port = &program.inputs[port as usize];
    Operation::Input { role: program.roles[port.role.index()].clone(), name: port.name.clone() }
}

fn output(program: &Program, port: u32) -> Operation {
    Operation::Output { name: program.outputs[port as usize].name.clone() }
}

/// The result of a run at an outside party.
#[derive(Clone, Debug)]
pub struct OutsideOutcome {
    /// The columns of every output port; none for ports that this party does not learn.
    pub outputs: Vec<Vec<Words>>,
    /// The report of its part.
    pub report: OutsideReport,
}

/// The costs of a run at an outside party. `docs/report.md` explains the JSON form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutsideReport {
    /// Version of this form: [`crate::REPORT_VERSION`].
    pub version: u32,
    /// Version of Tacit.
    pub tacit: String,
    /// The program's name.
    pub program: String,
    /// BLAKE3 hash of the program, hexadecimal.
    pub program_hash: String,
    /// BLAKE3 hash of the plan, hexadecimal.
    pub plan_hash: String,
    /// This party.
    pub party: String,
    /// The parties that compute.
    pub computing: [String; 2],
    /// Security parameters.
    pub security: SecurityParams,
    /// The phases, in order; an outside party has no setup.
    pub phases: Vec<PhaseReport>,
}

/// Takes part in a run as an outside party: shares its inputs between both computing parties and, if it receives outputs,
/// waits for shares of these and combines them.
///
/// Security: `inputs` are secret, unless the two computing parties collude; see the module.
///
/// # Errors
/// [`RunError`], as for [`crate::run`]; [`RunError::Party`] for a party that computes.
pub async fn take_part(job: &Job, cancel: &CancelFlag) -> Result<OutsideOutcome, RunError> {
    let parties = job.plan.parties();
    if !parties.outside_parties().contains(&&job.party[..]) {
        let reason = "does not speak for a role without computing";
        return Err(RunError::Party { party: job.party.clone(), reason });
    }
    let ports = OutsidePorts::of(&job.party, &job.program, &job.plan);
    let given = checked(job, &ports)?;
    let mut session = session_with(&job.plan, &job.session)?;
    // In an open session, the computing parties may still be at another run.
    session.persistent = true;
    let computing = [Side::Garbler, Side::Evaluator].map(|side| parties.name(side));
    let mut clock = Clock::start();
    let fail = |phase, operation, source| match source {
        Failure::Cancelled => RunError::Cancelled { phase },
        source => {
            RunError::Failed { peer: computing.join(" and "), phase, operation, source: Box::new(source) }
        }
    };
    let greeting = Session::establish(
        &session,
        &job.party,
        job.key.as_ref(),
        greeting(&job.program, &job.plan, &job.compiler),
    );
    let session = unless_cancelled(cancel, greeting).await;
    let session = session.map_err(|source| fail(Phase::Analysis, Operation::Connecting, source))?;
    session.meter().set_phase(Phase::Online);
    clock.begin(Phase::Online);
    let mut operation = Operation::Connecting;
    let work = exchange(&ports, &given, parties, &session, (&job.program, &mut operation));
    match unless_interrupted(cancel, session.connections().cloned().collect(), work).await {
        Ok(outputs) => {
            clock.stop();
            let report = OutsideReport {
                version: crate::REPORT_VERSION,
                tacit: env!("CARGO_PKG_VERSION").to_owned(),
                program: job.program.name.clone(),
                program_hash: hex(job.plan.program_hash()),
                plan_hash: hex(job.plan.hash()),
                party: job.party.clone(),
                computing: computing.map(str::to_owned),
                security: *job.plan.security(),
                phases: clock.phases(session.meter().by_phase()),
            };
            Ok(OutsideOutcome { outputs, report })
        }
        Err(source) => {
            session.abort().await;
            Err(fail(Phase::Online, operation, source))
        }
    }
}

/// The columns of the ports that a party gives, in order, checked.
fn checked<'j>(job: &'j Job, ports: &OutsidePorts) -> Result<Vec<&'j [Words]>, RunError> {
    let mine = |port: u32| ports.gives.iter().any(|(given, _)| *given == port);
    let counted = |port: u32| job.inputs.iter().filter(|(id, _)| id.0 == port).count();
    if let Some((id, _)) = job.inputs.iter().find(|(id, _)| !mine(id.0) || counted(id.0) > 1) {
        return Err(InputError::Unexpected { port: id.0 }.into());
    }
    let given = |(port, _): &(u32, Vec<ShareForm>)| {
        let declared = &job.program.inputs[*port as usize];
        let missing = || InputError::Missing {
            role: job.program.roles[declared.role.index()].clone(),
            name: declared.name.clone(),
        };
        let (_, columns) = job.inputs.iter().find(|(id, _)| id.0 == *port).ok_or_else(missing)?;
        check_shape(&job.program, declared, columns)?;
        Ok(&columns[..])
    };
    ports.gives.iter().map(given).collect()
}

/// Sends shares of inputs, and receives those of outputs. Returns the columns of every output port.
async fn exchange(
    ports: &OutsidePorts,
    given: &[&[Words]],
    parties: &Parties,
    session: &Session,
    (program, operation): (&Program, &mut Operation),
) -> Result<Vec<Vec<Words>>, Failure> {
    let mut channels = Vec::new();
    for side in [Side::Garbler, Side::Evaluator] {
        channels.push(stream(session, parties.name(side))?);
    }
    if let Some((port, _)) = ports.gives.first() {
        *operation = input(program, *port);
        // 1. The garbler's shares are expanded from a seed.
        let seed = Secret::new([Prg::from_os()?.next_block()]);
        channels[0].send(Block::as_bytes(seed.expose())).await?;
        channels[0].flush().await?;
        // 2. The evaluator's shares complete them to the values.
        for ((_, first), ((_, forms), columns)) in
            expanded(&ports.gives, &seed).iter().zip(ports.gives.iter().zip(given))
        {
            let second = forms.iter().zip(*columns).zip(first);
            let second: Vec<Words> =
                second.map(|((form, words), first)| sharing::complement(form, words, first)).collect();
            send_bits(&mut channels[1], &Zeroizing::new(sharing::pack(&second))).await?;
        }
    }
    let mut outputs: Vec<Vec<Words>> = vec![Vec::new(); program.outputs.len()];
    if let Some((port, _)) = ports.takes.first() {
        *operation = output(program, *port);
        let mut shares = Vec::new();
        for channel in &mut channels {
            shares.push(receive_outputs(channel, &ports.takes).await?);
        }
        for (index, (port, forms)) in ports.takes.iter().enumerate() {
            let [first, second] = [0, 1].map(|side| &shares[side][index].1);
            let columns = forms.iter().zip(first.iter().zip(second));
            outputs[*port as usize] =
                columns.map(|(form, (first, second))| sharing::combine(form, [first, second])).collect();
        }
    }
    *operation = Operation::Finishing;
    for channel in channels {
        channel.finish().await?;
    }
    session.close().await?;
    Ok(outputs)
}

/// A computing party's shares of outputs, once it has them.
async fn receive_outputs(
    channel: &mut Channel,
    takes: &[(u32, Vec<ShareForm>)],
) -> Result<Vec<(u32, Vec<Words>)>, Failure> {
    loop {
        let mut said = [0];
        channel.receive_into(&mut said).await?;
        match said {
            KEEP_ALIVE => {}
            READY => break,
            [byte] => return Err(PeerFault::OutputsWord { byte }.by(channel.peer())),
        }
    }
    receive_shares(channel, takes).await
}
