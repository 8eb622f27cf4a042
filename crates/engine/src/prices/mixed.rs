//! What runs cost whose values are shared in several ways.

use tacit_circuit::Executable;
use tacit_ir::Domain;
use tacit_lower::ArithOp;
use tacit_ot::softspoken::{GRANULE, Params};
use tacit_plan::{Event, Mixed, PlanError, Prediction, Recipients, SecurityParams, Traffic};

use super::{BLOCK, Line, Ots, scheme, windows};
use crate::drive::random_batch;
use crate::party::demand;
use crate::walk::{Task, Walker};

/// Most bytes of triples that a plan keeps until they are used.
const MAX_MATERIAL_BYTES: u64 = 4 << 30;
/// Bytes between two turns when both parties send shares.
const SHARE_WINDOW: u64 = 1 << 17;

/// What a run whose values are shared in several ways sends.
pub(super) fn predict(
    run: Mixed<'_>,
    random_bits: u64,
    security: &SecurityParams,
) -> Result<Prediction, PlanError> {
    let params = Params::from_k(security.softspoken_k).unwrap_or_default();
    let setup = setup(run, params)?;
    let [made, _] = demand(run.material).ots();
    let spare = made.next_multiple_of(GRANULE as u64) - made;
    let mut line = MixedLine { labels: Line::default(), shares: Line::default(), ots: Ots { params, spare } };
    line.walk(run, random_bits);
    Ok(Prediction { setup, online: line.traffic() })
}

/// The setup of a run whose values are shared in several ways. Bytes are exact; rounds are within a few.
fn setup(run: Mixed<'_>, params: Params) -> Result<Traffic, PlanError> {
    let demand = demand(run.material);
    let needed = demand.stored_bytes();
    if needed > MAX_MATERIAL_BYTES {
        return Err(PlanError::Budget { what: "bytes of triples", needed, limit: MAX_MATERIAL_BYTES });
    }
    let ([first, second], messages) = (demand.ots(), demand.message_bytes());
    let (sender, receiver) = params.setup_bytes();
    // A turn for the base OTs in each direction.
    let rounds = 2 + demand.turns();
    Ok(Traffic {
        garbler_bytes: sender + receiver + params.bytes(second) + messages[0],
        evaluator_bytes: sender + receiver + params.bytes(first) + messages[1],
        garbler_rounds: rounds,
        evaluator_rounds: rounds,
    })
}

/// What a run whose values are shared in several ways sends online, by walking it without values. Bytes are exact; rounds
/// are those of shares and of the evaluator's inputs, which may overlap.
struct MixedLine {
    labels: Line,
    shares: Line,
    ots: Ots,
}

impl MixedLine {
    fn walk(&mut self, run: Mixed<'_>, random_bits: u64) {
        self.labels.garbler_sends(BLOCK);
        self.both(BLOCK);
        let mut left = random_bits;
        while left > 0 {
            let batch = random_batch(left);
            self.labels.labels(batch, &mut self.ots, false);
            left -= batch;
        }
        for event in &run.agenda.events {
            match event {
                Event::GarblerInput(column) => self.labels.garbler_sends(BLOCK * column.label_count()),
                Event::EvaluatorInputs(batch) => {
                    let count = batch.iter().map(|column| column.label_count()).sum();
                    self.labels.labels(count, &mut self.ots, true);
                }
                Event::Gates(_) | Event::Reveal(_) => {}
            }
        }
        let mut walker = Walker::<()>::new(run.schedule, run.layout);
        let mut opened = [0u64; 3];
        while let Ok(Some(task)) = walker.next() {
            let written = match task {
                Task::Output { port, bundle, .. } => {
                    let who = Recipients::of_port(run.program, port, run.parties);
                    opened[who as usize] += u64::from(bundle.bits) * bundle.lanes;
                    Vec::new()
                }
                Task::Input { target, .. }
                | Task::Share { target, .. }
                | Task::Random { target, .. }
                | Task::Constant { target, .. } => vec![target],
                Task::Circuit(task) => {
                    match task.domain {
                        Domain::Bool => self.layers(task.circuit, task.instances),
                        _ => self.labels.garbler_sends(scheme(run.garbling).table_bytes(
                            task.circuit.and_count,
                            task.circuit.lane_chunk,
                            task.instances,
                        )),
                    }
                    task.targets.into_iter().map(|target| target.wires).collect()
                }
                Task::Convert { from, to, target, .. } => {
                    match to.domain {
                        Domain::Yao => self.labels.labels(target.len() as u64, &mut self.ots, true),
                        Domain::Arith => self.both_bits(u64::from(to.bits) * target.len() as u64),
                        Domain::Bool => debug_assert_eq!(from.domain, Domain::Yao),
                    }
                    vec![target]
                }
                Task::Addends { to, targets, .. } => {
                    if to.domain == Domain::Yao {
                        self.labels.garbler_sends(BLOCK * targets[0].len() as u64);
                        self.labels.labels(targets[1].len() as u64, &mut self.ots, true);
                    }
                    targets.into()
                }
                Task::Arith { op, bits, operands, target, .. } => {
                    let words: u64 = operands.iter().map(|operand| operand.len() as u64).sum();
                    if matches!(op, ArithOp::Mul | ArithOp::Square | ArithOp::MatrixProduct { .. }) {
                        self.both_bits(u64::from(bits) * words);
                    }
                    vec![target]
                }
            };
            walker.supply(written);
        }
        for who in [Recipients::Evaluator, Recipients::Both, Recipients::Garbler] {
            let bytes = opened[who as usize].div_ceil(8);
            match who {
                _ if bytes == 0 => {}
                Recipients::Both => self.both(bytes),
                Recipients::Evaluator => self.shares.garbler_sends(bytes),
                Recipients::Garbler => self.shares.evaluator_sends(bytes),
            }
        }
    }

    /// The messages of a circuit on shared bits.
    fn layers(&mut self, circuit: &Executable, instances: u64) {
        for layer in circuit.layers().filter(|layer| !layer.and_a.is_empty()) {
            self.both_bits(2 * layer.and_a.len() as u64 * instances);
        }
    }

    fn both_bits(&mut self, bits: u64) {
        self.both(bits.div_ceil(8));
    }

    /// Both parties send, window by window.
    fn both(&mut self, bytes: u64) {
        for window in windows(bytes, SHARE_WINDOW) {
            self.shares.garbler.send(window);
            self.shares.evaluator.send(window);
            self.shares.garbler.receive();
            self.shares.evaluator.receive();
        }
    }

    fn traffic(&self) -> Traffic {
        let (labels, shares) = (self.labels.traffic(), self.shares.traffic());
        Traffic {
            garbler_bytes: labels.garbler_bytes + shares.garbler_bytes,
            evaluator_bytes: labels.evaluator_bytes + shares.evaluator_bytes,
            garbler_rounds: labels.garbler_rounds + shares.garbler_rounds,
            evaluator_rounds: labels.evaluator_rounds + shares.evaluator_rounds,
        }
    }
}
