//! Runs a small program at both ends of Yao's protocol, in either mode, and in the clear.

pub(crate) use crate::tap;

use crate::tap::{Edit, End, Trace};
use std::time::Duration;
use tacit_circuit::{Circuit, CircuitBuilder, Executable, Lit, Target as Form};
use tacit_crypto::Prg;
use tacit_math::{Bits, Block};
use tacit_ot::rot;
use tacit_ot::softspoken::Params;
use tacit_twoparty::garbling::GarblingScheme;
use tacit_twoparty::yao::{LabelOperand, LabelTarget, Region, RevealTo, Side, YaoError, prepared, streamed};

pub const LIMIT: Duration = Duration::from_secs(30);
pub const SESSION: [u8; 32] = [9; 32];

/// Bits of one instance's operands: this many each of the garbler's, the evaluator's, constant and random bits.
pub const WIDTH: usize = 6;
/// Outputs of one instance.
pub const OUTPUTS: usize = 12;

/// The role of a party.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Garbler,
    Evaluator,
}

/// The mode of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Streamed,
    Prepared,
}

/// A circuit over instances, run twice: the second time on outputs of the first.
pub struct Job {
    pub scheme: GarblingScheme,
    pub circuit: Circuit,
    pub executable: Executable,
    pub instances: usize,
    /// How many instances share the evaluator's input; divides `instances`.
    pub share: usize,
    pub recipients: RevealTo,
    /// Packed lane-major: bit b of lane l is at `l * WIDTH + b`.
    pub garbler: Bits,
    pub evaluator: Bits,
    pub constant: Bits,
}

impl Job {
    pub fn random(seed: u128, gates: usize, instances: usize, share: usize, recipients: RevealTo) -> Job {
        let mut prg = Prg::new(Block(seed));
        let circuit = random_circuit(&mut prg, gates);
        Job::of(circuit, prg, instances, share, recipients)
    }

    /// A job whose layers, and so whose tables, have only one possible order.
    pub fn simple() -> Job {
        let mut builder = CircuitBuilder::new();
        let [a, b, c] = [0; 3].map(|_| builder.input(WIDTH as u32));
        let ands: Vec<Lit> = a.iter().zip(&b).map(|(&a, &b)| builder.and(a, b)).collect();
        let xors: Vec<Lit> = ands.iter().zip(&c).map(|(&a, &c)| builder.xor(a, c)).collect();
        let circuit = builder.finish(vec![xors, ands]).unwrap();
        Job::of(circuit, Prg::new(Block(6)), 20, 1, RevealTo::Both)
    }

    fn of(circuit: Circuit, mut prg: Prg, instances: usize, share: usize, recipients: RevealTo) -> Job {
        let form = if prg.next_block().lsb() { Form::Flat } else { Form::Lanes };
        let executable = Executable::new(&circuit, form);
        let garbler = prg.next_bits(instances * WIDTH);
        let evaluator = prg.next_bits(instances / share * WIDTH);
        let constant = prg.next_bits(instances * WIDTH);
        let scheme = GarblingScheme::HalfGates;
        Job { scheme, circuit, executable, instances, share, recipients, garbler, evaluator, constant }
    }

    pub fn with(self, scheme: GarblingScheme) -> Job {
        Job { scheme, ..self }
    }

    pub fn ands(&self) -> u64 {
        2 * self.executable.and_count * self.instances as u64
    }

    /// The outputs, wire-major, from the circuit's own evaluator.
    pub fn clear(&self) -> Bits {
        let run = |instance: usize, first: &[bool]| {
            let bits =
                |bits: &Bits, lane: usize| (0..WIDTH).map(|b| bits.get(lane * WIDTH + b)).collect::<Vec<_>>();
            let evaluator = bits(&self.evaluator, instance / self.share);
            let input = [first, &evaluator, &bits(&self.constant, instance)].concat();
            self.circuit.evaluate(&input).unwrap()
        };
        let outputs: Vec<Vec<bool>> = (0..self.instances)
            .map(|instance| {
                let own: Vec<bool> = (0..WIDTH).map(|b| self.garbler.get(instance * WIDTH + b)).collect();
                run(instance, &run(instance, &own)[..WIDTH])
            })
            .collect();
        (0..OUTPUTS).flat_map(|b| outputs.iter().map(move |output| output[b])).collect()
    }

    /// This party's input bits in the order of the walk.
    pub fn inputs(&self, role: Role) -> Bits {
        match role {
            Role::Garbler => wire_major(&self.garbler),
            Role::Evaluator => wire_major(&self.evaluator),
        }
    }

    /// The walk, at either end.
    pub async fn walk<S: Side>(&self, side: &mut S, role: Role) -> Result<Option<Bits>, YaoError> {
        let mut garbler = vec![Block::ZERO; self.garbler.len()];
        let mut evaluator = vec![Block::ZERO; self.evaluator.len()];
        let mut constant = vec![Block::ZERO; self.constant.len()];
        match role {
            Role::Garbler => {
                side.own_input(&self.inputs(role), &mut garbler).await?;
                side.peer_input(&mut evaluator).await?;
            }
            Role::Evaluator => {
                side.peer_input(&mut garbler).await?;
                side.own_input(&self.inputs(role), &mut evaluator).await?;
            }
        }
        side.constant(&wire_major(&self.constant), &mut constant)?;
        let instances = self.instances as u64;
        let first = Region { circuit: &self.executable, instances, first_id: 5 };
        let second = Region { first_id: first.end_id()?, ..first };
        let mut middle = vec![Block::ZERO; OUTPUTS * self.instances];
        let mut output = vec![Block::ZERO; OUTPUTS * self.instances];
        let operand = |labels, share| LabelOperand { labels, bits: WIDTH as u32, share };
        let rest = [operand(&evaluator, self.share as u64), operand(&constant, 1)];
        let (front, back) = middle.split_at_mut(WIDTH * self.instances);
        let targets = &mut [
            LabelTarget { labels: &mut *front, bits: WIDTH as u32 },
            LabelTarget { labels: back, bits: (OUTPUTS - WIDTH) as u32 },
        ];
        side.circuit(first, &[operand(&garbler, 1), rest[0], rest[1]], targets).await?;
        let targets = &mut [LabelTarget { labels: &mut output, bits: OUTPUTS as u32 }];
        side.circuit(second, &[operand(front, 1), rest[0], rest[1]], targets).await?;
        side.reveal(self.recipients, &output).await
    }
}

/// From lane-major to wire-major bits.
fn wire_major(bits: &Bits) -> Bits {
    let lanes = bits.len() / WIDTH;
    (0..WIDTH).flat_map(|b| (0..lanes).map(move |l| bits.get(l * WIDTH + b))).collect()
}

/// A circuit of random gates over three groups of inputs, some of whose outputs are inputs, complements or constants.
fn random_circuit(prg: &mut Prg, gates: usize) -> Circuit {
    let mut builder = CircuitBuilder::new();
    let mut wires: Vec<Lit> = (0..3).flat_map(|_| builder.input(WIDTH as u32)).collect();
    let mut below = |bound: usize| (prg.next_u64() % bound as u64) as usize;
    for _ in 0..gates {
        // Among the latest wires, so that most gates reach an output.
        let mut pick = || wires[wires.len() - 1 - below(wires.len().min(200))];
        let (a, b) = (pick(), pick());
        let wire = match below(5) {
            0 | 1 => builder.and(a, b),
            2 => builder.or(a, b),
            3 => builder.xor(a, b),
            _ => builder.not(a),
        };
        wires.push(wire);
    }
    let mut outputs: Vec<Lit> = (0..OUTPUTS - 2).map(|i| wires[wires.len() - 1 - i % wires.len()]).collect();
    outputs.extend([Lit::TRUE, wires[0]]);
    builder.finish(vec![outputs]).unwrap()
}

pub type Ended = Result<Option<Bits>, YaoError>;

/// Runs the garbler to its end.
pub async fn garble(job: &Job, mode: Mode, seed: u128, mut end: End) -> Ended {
    let mut prg = Prg::new(Block(seed));
    let ots = rot::Sender::setup(&mut end.channel, Params::K4, &SESSION, &mut prg).await?;
    let (outcome, channel) = match mode {
        Mode::Streamed => {
            let mut side = streamed::Garbler::start(end.channel, ots, prg).await?.with_scheme(job.scheme);
            let outcome = job.walk(&mut side, Role::Garbler).await?;
            assert_eq!(side.and_count(), job.ands());
            (outcome, side.finish().0)
        }
        Mode::Prepared => {
            let mut setup = prepared::GarblerSetup::start(end.channel, ots, prg).with_scheme(job.scheme);
            assert!(job.walk(&mut setup, Role::Garbler).await?.is_none());
            assert_eq!(setup.and_count(), job.ands());
            let (prepared, channel, _) = setup.finish().await?;
            let mut side = prepared.start(channel, &job.inputs(Role::Garbler)).await?;
            (job.walk(&mut side, Role::Garbler).await?, side.finish())
        }
    };
    channel.finish().await?;
    Ok(outcome)
}

/// Runs the evaluator to its end.
pub async fn evaluate(job: &Job, mode: Mode, seed: u128, mut end: End) -> Ended {
    let mut prg = Prg::new(Block(seed));
    let ots = rot::Receiver::setup(&mut end.channel, Params::K4, &SESSION, &mut prg).await?;
    let (outcome, channel) = match mode {
        Mode::Streamed => {
            let mut side = streamed::Evaluator::start(end.channel, ots).await?.with_scheme(job.scheme);
            let outcome = job.walk(&mut side, Role::Evaluator).await?;
            assert_eq!(side.and_count(), job.ands());
            (outcome, side.finish().0)
        }
        Mode::Prepared => {
            let mut setup =
                prepared::EvaluatorSetup::start(end.channel, ots, job.ands())?.with_scheme(job.scheme);
            assert!(job.walk(&mut setup, Role::Evaluator).await?.is_none());
            let (prepared, channel, _) = setup.finish();
            let mut side = prepared.start(channel, &job.inputs(Role::Evaluator)).await?;
            let outcome = job.walk(&mut side, Role::Evaluator).await?;
            assert_eq!(side.and_count(), job.ands());
            (outcome, side.finish())
        }
    };
    channel.finish().await?;
    Ok(outcome)
}

/// Runs both parties.
pub async fn run(job: &Job, mode: Mode, edits: [Edit; 2], limit: Duration) -> (Ended, Ended, Trace) {
    tap::run(edits, limit, |end| garble(job, mode, 1, end), |end| evaluate(job, mode, 2, end)).await
}
