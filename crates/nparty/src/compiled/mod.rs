//! Compiled programs among n parties: a schedule's steps on shares, which each domain writes in its own way.
//!
//! The ANDs of a layer are one operation, as are the products of a step. Independent steps run at the same time, so the number of rounds is that of the
//! longest path, however the program is divided.
//!
//! | file | contents |
//! |---|---|
//! | `walk.rs` | the walk over a schedule: what each step writes |
//! | `domains/` | how each domain shares its values, and writes steps on them; conversions |
//! | `elements.rs` | elements of the computation's own field, or bits |
//! | `column_bits.rs` | columns of words that stay shared between programs |
//! | `compute.rs` | programs that take such columns and leave others |
//! | `memory.rs` | shared bundles, and moves of their lanes |
//! | `schedules.rs` | schedules kept for the next run |
//! | `choice.rs` | which values are words and which bits, by predicted costs |
//! | `split.rs` | programs in which outside parties, who don't compute, have some roles |
//! | `bit_bytes.rs` | the bits of outside parties' inputs and results as bytes |
//! | `forecast.rs` | predictions of what a run sends |
//! | `report.rs` | reports of runs |
//! | `work.rs` | counts of a run's work by domain |
//! | `plan.rs` | the plan, which the parties compare before a run |

pub(crate) mod bit_bytes;
mod choice;
mod column_bits;
mod compute;
pub(crate) mod domains;
mod elements;
mod error;
mod forecast;
mod memory;
pub(crate) mod pace;
mod plan;
mod report;
mod schedules;
pub(crate) mod split;
#[cfg(test)]
mod tests;
mod walk;
mod work;

use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use tacit_ir::{Body, Domain, Op, Program, RoleId, Words};
use tacit_lower::{Assigned, LowerError, OpClass, Options, lower};
use tacit_math::field::{Field, Gf256};
use tacit_schedule::{Action, BundleId, Schedule, rules};

pub use choice::Comparison;
pub use column_bits::ColumnBits;
pub use elements::Elements;
pub use error::CompiledError;
pub use plan::Plan;
pub use report::{OperationReport, PeerBytes, PredictedRun, RunReport, RunWork};
pub use schedules::Schedules;
pub use split::{OutsidePorts, OutsideShares, Sharing, Speaker, Split};
pub use work::DomainWork;

use crate::error::RunError;
use crate::parties::{Parties, PartyIndex};
use crate::program::{Task, Value, mixed};
use crate::security::Security;
use domains::{OpenedElements, SharedDomain, Size};
use plan::Predictions;
use walk::Given;

/// A program that is ready to run among n parties.
#[derive(Clone, Debug)]
pub struct Compiled {
    schedule: Arc<Schedule>,
    predictions: Arc<Predictions>,
    /// Name and hash.
    program: (String, [u8; 32]),
    /// Hash of the program with its circuits.
    circuits: [u8; 32],
    /// The identity of the program and its circuits.
    tag: u64,
    /// How it was lowered, where that was done for this program.
    lowering: Option<(Options, Pins)>,
    /// Each role with its party.
    roles: Vec<(String, PartyIndex)>,
    inputs: Vec<InputPlace>,
    outputs: Vec<OutputPlace>,
    /// Bytes of shares that may be written before the first of them must be computed.
    window: usize,
}

/// The party of each role by name, and the inputs and outputs of a program whose roles are spoken for.
type Places = (Vec<(String, PartyIndex)>, Vec<InputPlace>, Vec<OutputPlace>);

/// Which pins of programs count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pins {
    /// Pins to domains that exist among n parties; all others count as pins to bits.
    Kept,
    /// No pins count: all values are bits.
    Bits,
}

/// Distinguishes programs whose outputs stay shared.
const KEPT_OUTPUTS: u64 = 0x6b65_7074;

/// By default, a program is written at most this many bytes of shares ahead of the computation.
const WINDOW: usize = 1 << 28;

/// Who gives an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Giver {
    /// A party.
    Party(PartyIndex),
    /// No party: all have shares of it before the run.
    Shared,
}

/// An input, and who gives it.
#[derive(Clone, Debug)]
struct InputPlace {
    name: String,
    giver: Giver,
    /// Bits and lanes of each column.
    columns: Vec<(u32, u64)>,
}

/// Who receives an output.
#[derive(Clone, Debug)]
struct OutputPlace {
    name: String,
    parties: Vec<PartyIndex>,
    /// Whether it stays shared, and nobody receives it.
    kept: bool,
    /// Bits and lanes of each column.
    columns: Vec<(u32, u64)>,
}

/// The inputs of a run, at a party.
pub(crate) struct RunInputs<'a, F: Field> {
    /// The columns of every input port that this party gives, and nothing for the others.
    pub(crate) own: &'a [Vec<Words>],
    /// By port, the bits of each column of which all parties have shares before the run.
    pub(crate) shared: &'a [Vec<ColumnBits<F>>],
}

impl<F: Field> Clone for RunInputs<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Field> Copy for RunInputs<'_, F> {}

/// The outputs of a run, which are still being computed.
pub struct Outputs<F: Field> {
    /// All columns of all outputs in the computation's own field, one after the other; zeros for columns that other parties receive.
    own: Option<Value<F>>,
    /// The same for outputs in bytes.
    bytes: Value<Gf256>,
    places: Vec<OutputPlace>,
    /// How each column was shared; `None` where no step gives it.
    domains: Vec<Vec<Option<&'static dyn SharedDomain<F>>>>,
    me: PartyIndex,
}

/// Waits until public elements of a task are known.
pub type Wait<'a, F> = &'a mut dyn FnMut(&Task<F>, &Elements<F>) -> Result<(), RunError>;

impl Compiled {
    /// Options for values that are bits and that no pin and no operand shares otherwise: circuits of few layers, whose ANDs are products. An inner product of words costs as
    /// much as a product.
    pub fn bit_options() -> Options {
        Options { domain: domains::BITS, bits: domains::BITS, inner_products: true, ..Options::default() }
    }

    /// The usual options for programs among so many parties: the same. Where bits are shared eight to an element, an AND takes one bit, so minima take even fewer
    /// layers for more ANDs; and the least of words modulo 2^64 is found without their bits.
    pub fn usual_options(size: (usize, usize), security: Security) -> Options {
        let size = Size::of_parties(size, security);
        let (paired_minima, direct_minima) = (size.has_octets(), size.has_direct_minima());
        Options { paired_minima, direct_minima, ..Compiled::bit_options() }
    }

    /// Lowers a program. Values that are pinned to a domain that exists among n parties are shared in it. All others are shared bit by bit, because the other
    /// domains are for two parties.
    ///
    /// Errors: as [`lower`] and [`Compiled::new`].
    pub fn lowered(
        program: &Program,
        options: &Options,
        roles: &[PartyIndex],
    ) -> Result<Self, CompiledError> {
        Compiled::of(program, schedule_of(program, options, Pins::Kept)?, (options, Pins::Kept), roles)
    }

    /// As [`Compiled::new`], for a schedule that was made with this effort. Parties with another effort run another
    /// schedule.
    fn of(
        program: &Program,
        schedule: Arc<Schedule>,
        (options, pins): (&Options, Pins),
        roles: &[PartyIndex],
    ) -> Result<Self, CompiledError> {
        let mut compiled = Compiled::new(program, schedule, roles)?;
        compiled.tag = mixed(compiled.tag, options.effort);
        compiled.lowering = Some((*options, pins));
        Ok(compiled)
    }

    /// A program with its schedule, which has only bits, and the number of each role's party. One party may have several roles.
    ///
    /// Errors: a role without a party, or the schedule is not one of this program or has values shared by sum.
    pub fn new(
        program: &Program,
        schedule: Arc<Schedule>,
        roles: &[PartyIndex],
    ) -> Result<Self, CompiledError> {
        schedule.validate()?;
        let (roles, inputs, outputs) = places(program, roles)?;
        let program_hash = program.hash();
        let circuits = circuits_hash(program_hash, &schedule)?;
        let mut tag = [0; 8];
        tag.copy_from_slice(&circuits[..8]);
        let compiled = Compiled {
            schedule,
            predictions: Arc::default(),
            program: (program.name.clone(), program_hash),
            circuits,
            tag: u64::from_le_bytes(tag),
            lowering: None,
            roles,
            inputs,
            outputs,
            window: WINDOW,
        };
        compiled.check_ports()?;
        compiled.check_domains()?;
        Ok(compiled)
    }

    /// The same program with other parties for its roles; it is neither checked nor hashed anew.
    ///
    /// Errors: a role without a party.
    fn with_roles(&self, program: &Program, roles: &[PartyIndex]) -> Result<Self, CompiledError> {
        let (roles, inputs, outputs) = places(program, roles)?;
        Ok(Compiled { roles, inputs, outputs, ..self.clone() })
    }

    /// The same with input ports that no party gives: all parties have shares of their bits before the run.
    #[must_use]
    pub fn with_shared_inputs(mut self, ports: &[usize]) -> Self {
        let shared = self.inputs.iter_mut().enumerate().filter(|(port, _)| ports.contains(port));
        shared.for_each(|(_, place)| place.giver = Giver::Shared);
        self
    }

    /// The same with outputs that nobody receives: they stay shared, for [`Compiled::compute`].
    #[must_use]
    pub fn with_shared_outputs(mut self) -> Self {
        for place in &mut self.outputs {
            (place.kept, place.parties) = (true, Vec::new());
        }
        self.tag = mixed(self.tag, KEPT_OUTPUTS);
        self
    }

    /// A random bit that nobody knows for each bit of the shared inputs: by port, those of each column.
    ///
    /// Cost: as [`Task::random_bits`].
    ///
    /// Errors: the computation has ended.
    pub(crate) fn masks<F: Field>(&self, task: &Task<F>) -> Result<Vec<Vec<Value<Gf256>>>, RunError> {
        let bytes = task.bytes()?;
        let column = |column: &(u32, u64)| bytes.random_bits(bits_of(*column));
        let port = |place: &InputPlace| match place.giver {
            Giver::Party(_) => Ok(Vec::new()),
            Giver::Shared => place.columns.iter().map(column).collect(),
        };
        self.inputs.iter().map(port).collect()
    }

    /// The domains in which values may be shared among n parties.
    pub fn domains() -> Vec<Domain> {
        domains::domains()
    }

    /// The domains in which values may be shared among so many parties.
    pub fn domains_among(size: (usize, usize), security: Security) -> Vec<Domain> {
        domains::domains_among(Size::of_parties(size, security))
    }

    /// Those of them whose values are bits: the first computes circuits by products, and the others take its values.
    pub fn bit_domains(size: (usize, usize), security: Security) -> Vec<Domain> {
        let of_bits = |domain: &Domain| rules(*domain).circuits.is_some();
        Compiled::domains_among(size, security).into_iter().filter(of_bits).collect()
    }

    /// The domain of bits beside the domain of unpinned values, where classes of operations have domains: itself, if its values are bits, or the first that a class has.
    pub fn bits_beside(domain: Domain, assigned: Assigned) -> Domain {
        let classes = OpClass::ALL.into_iter().filter_map(|class| assigned.of(class));
        let of_bits = |domain: &Domain| rules(*domain).circuits.is_some();
        [domain].into_iter().chain(classes).find(of_bits).unwrap_or(domains::BITS)
    }

    /// The program as circuits.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// How it was lowered, where that was done for this program.
    pub fn options(&self) -> Option<&Options> {
        self.lowering.as_ref().map(|(options, _)| options)
    }

    /// Whether some of its values are words: in the prime field of the computation, or modulo a power of two.
    pub fn has_words(&self) -> bool {
        let mut bundles = self.schedule.bodies.iter().flat_map(|body| &body.bundles);
        bundles.any(|bundle| bundle.rules().is_of_words())
    }

    /// Products of bits of a run, one for each AND of a circuit.
    pub fn and_count(&self) -> u64 {
        self.schedule.and_count()
    }

    /// Writes the program to a task. `inputs` holds the columns of every input port that this party gives, and nothing for the others.
    ///
    /// A long program is never in memory as a whole: `wait` is called now and then with a value that must be known before more is written.
    ///
    /// Security: as the runtime's; the words are secret.
    /// Cost: among three parties, each AND takes one bit from each party, and each input bit one bit to one party. Among more, each AND takes one product in
    /// GF(2^8), and each input bit one byte to each other party. An output bit takes one opening. There are as many rounds of products as the longest path has
    /// ANDs.
    ///
    /// Errors: the inputs do not fit, the session has fewer parties, or the computation has ended.
    pub fn write<F: Field>(
        &self,
        task: &Task<F>,
        inputs: &[Vec<Words>],
        wait: Wait<'_, F>,
    ) -> Result<Outputs<F>, CompiledError> {
        self.write_with(task, RunInputs { own: inputs, shared: &[] }, wait)
    }

    fn write_with<F: Field>(
        &self,
        task: &Task<F>,
        inputs: RunInputs<'_, F>,
        wait: Wait<'_, F>,
    ) -> Result<Outputs<F>, CompiledError> {
        let given = self.given(task, inputs, wait)?;
        let (mut own, mut bytes) = (Vec::new(), Vec::new());
        for column in given.iter().flatten().flatten() {
            match column {
                Given::Opened(_, Elements::Own(value)) => own.push(value),
                Given::Opened(_, Elements::Bytes(value)) => bytes.push(value),
                // Opened elements are bytes.
                Given::Opened(..) | Given::Kept(_) => return Err(CompiledError::OtherSchedule),
            }
        }
        let own = if own.is_empty() { None } else { Some(task.concat(&own)?) };
        let bytes = task.bytes()?.concat(&bytes)?;
        let domain = |column: &Option<Given<F>>| match column {
            Some(Given::Opened(domain, _)) => Some(*domain),
            _ => None,
        };
        let domains = given.iter().map(|columns| columns.iter().map(domain).collect()).collect();
        Ok(Outputs { own, bytes, places: self.outputs.clone(), domains, me: task.me() })
    }

    /// Checks everything that a program and its inputs must fulfil, and writes the program.
    fn given<F: Field>(
        &self,
        task: &Task<F>,
        inputs: RunInputs<'_, F>,
        wait: Wait<'_, F>,
    ) -> Result<walk::GivenColumns<F>, CompiledError> {
        self.check_parties(task)?;
        self.check_verifiable(task)?;
        self.check_inputs(task.me(), inputs)?;
        walk::write(self, task, inputs, wait)
    }

    /// Runs the program after checking that all parties have the same plan. Returns the columns of every output port, and none for outputs that other parties
    /// receive. Blocks, so do not call it on the thread that runs the computation.
    ///
    /// Cost: as [`Compiled::write`], and before it one message to each other party.
    ///
    /// Errors: as [`Compiled::write`] and [`Compiled::plan`]; another party's plan, program or shares were different.
    pub fn run<F: Field>(
        &self,
        task: &Task<F>,
        inputs: &[Vec<Words>],
    ) -> Result<Vec<Vec<Words>>, CompiledError> {
        self.run_with(task, RunInputs { own: inputs, shared: &[] }, &mut || ())
    }

    /// The same; calls `agreed` as soon as all parties are known to have the same plan, when the run proper begins.
    ///
    /// Errors: as [`Compiled::run`].
    pub fn run_agreed<F: Field>(
        &self,
        task: &Task<F>,
        inputs: &[Vec<Words>],
        agreed: &mut dyn FnMut(),
    ) -> Result<Vec<Vec<Words>>, CompiledError> {
        self.run_with(task, RunInputs { own: inputs, shared: &[] }, agreed)
    }

    /// The same with inputs of which all parties have shares.
    pub(crate) fn run_with<F: Field>(
        &self,
        task: &Task<F>,
        inputs: RunInputs<'_, F>,
        agreed: &mut dyn FnMut(),
    ) -> Result<Vec<Vec<Words>>, CompiledError> {
        self.check_verifiable(task)?;
        self.check_inputs(task.me(), inputs)?;
        let bytes = task.bytes()?;
        bytes.wait(&bytes.agree(self.plan(task)?.fields())?)?;
        agreed();
        let mut wait = |task: &Task<F>, elements: &Elements<F>| task.wait_for(elements);
        let outputs = self.write_with(task, inputs, &mut wait)?;
        let own = outputs.own.as_ref().map_or(Ok(Vec::new()), |own| task.wait(own))?;
        let opened = bytes.wait(&outputs.bytes)?;
        outputs.words(task.field(), &own, &opened)
    }

    fn check_ports(&self) -> Result<(), CompiledError> {
        let main = &self.schedule.bodies[self.schedule.main];
        let known = |columns: Option<&Vec<(u32, u64)>>, column: u32, (bits, bundle): (u32, BundleId)| {
            let lanes = main.bundles[bundle.index()].lanes;
            columns.and_then(|columns| columns.get(column as usize)) == Some(&(bits, lanes))
        };
        let fits = main.steps.iter().all(|step| match &step.action {
            // Words may be stored wider than they are.
            Action::Input { port, column, bits, target, .. } => {
                known(self.inputs.get(*port as usize).map(|place| &place.columns), *column, (*bits, *target))
            }
            Action::Output { port, column, source } => {
                let bits = main.bundles[source.index()].bits;
                known(self.outputs.get(*port as usize).map(|place| &place.columns), *column, (bits, *source))
            }
            _ => true,
        });
        if fits { Ok(()) } else { Err(CompiledError::OtherSchedule) }
    }

    /// Some domains and kernels, and ANDs of many operands, are for two parties.
    fn check_domains(&self) -> Result<(), CompiledError> {
        if self.schedule.circuits.iter().any(|circuit| !circuit.conjunctions().is_empty()) {
            return Err(CompiledError::WideAnds);
        }
        let bodies = &self.schedule.bodies;
        let is_for_two = |action: &Action| match action {
            Action::Kernel { kernel, .. } => !domains::is_run(kernel),
            _ => false,
        };
        let summed = |body: &tacit_schedule::Body| {
            body.bundles.iter().any(|bundle| !domains::is_shared(bundle.domain))
                || body.steps.iter().any(|step| is_for_two(&step.action))
        };
        match bodies.iter().find(|body| summed(body)) {
            Some(body) => Err(CompiledError::Summed { body: body.name.clone() }),
            None => Ok(()),
        }
    }

    fn check_parties<F: Field>(&self, task: &Task<F>) -> Result<(), CompiledError> {
        let parties = task.names().len();
        let named = self.inputs.iter().filter_map(|place| place.giver.party());
        let named = named.chain(self.outputs.iter().flat_map(|place| place.parties.iter().copied()));
        match named.max() {
            Some(party) if party >= parties => Err(CompiledError::Party { party, parties }),
            _ => Ok(()),
        }
    }

    /// Where parties may depart from the protocol, only bits are verified.
    fn check_verifiable<F: Field>(&self, task: &Task<F>) -> Result<(), CompiledError> {
        match task.scheme().is_active() && self.has_words() {
            true => Err(CompiledError::WordsNotVerified),
            false => Ok(()),
        }
    }

    fn check_inputs<F: Field>(&self, me: PartyIndex, inputs: RunInputs<'_, F>) -> Result<(), CompiledError> {
        if inputs.own.len() != self.inputs.len() {
            return Err(CompiledError::Inputs { given: inputs.own.len(), expected: self.inputs.len() });
        }
        for (port, (place, words)) in self.inputs.iter().zip(inputs.own).enumerate() {
            let types: Vec<_> = words.iter().map(|words| (words.bits(), words.lanes())).collect();
            let mine = place.giver == Giver::Party(me);
            let expected = if mine { &place.columns[..] } else { &[] };
            if types != expected {
                return Err(CompiledError::Input { input: place.name.clone(), mine });
            }
            if place.giver == Giver::Shared && !place.fits(inputs.shared.get(port)) {
                return Err(CompiledError::Input { input: place.name.clone(), mine: true });
            }
        }
        Ok(())
    }
}

/// The parties of a program's roles, and its inputs and outputs, given the number of each role's party.
fn places(program: &Program, roles: &[PartyIndex]) -> Result<Places, CompiledError> {
    let party = |role: RoleId| {
        let name = || program.roles.get(role.index()).cloned().unwrap_or_default();
        roles.get(role.index()).copied().ok_or_else(|| CompiledError::Role { role: name() })
    };
    let columns = |shape: &tacit_ir::Shape| {
        shape.columns().iter().map(|column| (column.bits, column.lanes)).collect::<Vec<_>>()
    };
    let input = |port: &tacit_ir::InputPort| {
        Ok(InputPlace {
            name: port.name.clone(),
            giver: Giver::Party(party(port.role)?),
            columns: columns(&port.shape),
        })
    };
    let output = |port: &tacit_ir::OutputPort| {
        let parties = port.roles.iter().map(|role| party(*role)).collect::<Result<_, _>>()?;
        Ok(OutputPlace { name: port.name.clone(), parties, kept: false, columns: columns(&port.shape) })
    };
    let spoken = |(role, name): (u32, &String)| Ok((name.clone(), party(RoleId(role))?));
    Ok((
        (0u32..).zip(&program.roles).map(spoken).collect::<Result<_, CompiledError>>()?,
        program.inputs.iter().map(input).collect::<Result<_, CompiledError>>()?,
        program.outputs.iter().map(output).collect::<Result<_, CompiledError>>()?,
    ))
}

/// The program, with pins only to domains that exist among n parties, and the options to lower it with.
fn among(program: &Program, options: &Options, pins: Pins) -> (Program, Options) {
    let here = |domain: Domain| match pins {
        Pins::Kept => domains::domain_among(domain),
        Pins::Bits => domains::BITS,
    };
    let mut pinned = program.clone();
    for template in &mut pinned.templates {
        let Body::Operations { operations, .. } = &mut template.body else { continue };
        for operation in operations {
            if let Op::Pin(domain, _) = &mut operation.op {
                *domain = here(*domain);
            }
        }
    }
    (pinned, Options { domain: here(options.domain), bits: here(options.bits), ..*options })
}

/// A schedule of a program for n parties.
fn schedule_of(program: &Program, options: &Options, pins: Pins) -> Result<Arc<Schedule>, CompiledError> {
    let (program, options) = among(program, options, pins);
    Ok(Arc::new(with_narrow_minima(&options, |options| lower(&program, options))?))
}

/// A schedule whose minima these parties can find: on bits, where some words are too wide.
fn with_narrow_minima(
    options: &Options,
    mut lowered: impl FnMut(&Options) -> Result<Schedule, LowerError>,
) -> Result<Schedule, LowerError> {
    let schedule = lowered(options)?;
    match domains::has_wide_minima(&schedule) {
        true => lowered(&Options { direct_minima: false, ..*options }),
        false => Ok(schedule),
    }
}

/// The identity of a program with its circuits.
fn circuits_hash(program: [u8; 32], schedule: &Schedule) -> Result<[u8; 32], CompiledError> {
    let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 compiled program among parties, version 1");
    hasher.update(&program);
    postcard::to_io(schedule, &mut hasher).map_err(|_| CompiledError::OtherSchedule)?;
    Ok(*hasher.finalize().as_bytes())
}

impl<F: Field> Outputs<F> {
    /// The elements of all outputs: those in the computation's own field, if there are any, and bytes. [`Outputs::words`] makes words of them.
    pub fn opened(&self) -> (Option<&Value<F>>, &Value<Gf256>) {
        (self.own.as_ref(), &self.bytes)
    }

    /// The columns of every output port, and none for outputs that are for others.
    ///
    /// Errors: an opened value is not a bit, so some party computed something else.
    pub fn words(
        &self,
        field: &F,
        own: &[F::Element],
        bytes: &[u8],
    ) -> Result<Vec<Vec<Words>>, CompiledError> {
        let mut opened = OpenedElements { own, bytes };
        let mut ports = Vec::new();
        for (place, domains) in self.places.iter().zip(&self.domains) {
            let mut columns = Vec::new();
            for ((bits, lanes), domain) in place.columns.iter().zip(domains) {
                let words = match domain {
                    Some(domain) => domain.words(field, &mut opened, (*bits, *lanes)),
                    // Columns that no step gives are zero.
                    None => Some(Words::zero(*bits, *lanes)),
                };
                columns.push(words.ok_or_else(|| CompiledError::NoBit { output: place.name.clone() })?);
            }
            ports.push(if place.parties.contains(&self.me) { columns } else { Vec::new() });
        }
        Ok(ports)
    }
}

impl Giver {
    fn party(self) -> Option<PartyIndex> {
        match self {
            Giver::Party(party) => Some(party),
            Giver::Shared => None,
        }
    }
}

/// Bits of a column.
fn bits_of((bits, lanes): (u32, u64)) -> usize {
    (bits as usize).saturating_mul(lanes as usize)
}

impl InputPlace {
    /// Whether these are the shared bits of its columns.
    fn fits<F: Field>(&self, shared: Option<&Vec<ColumnBits<F>>>) -> bool {
        let lengths = shared.into_iter().flatten().map(ColumnBits::len);
        lengths.eq(self.columns.iter().map(|column| bits_of(*column)))
    }
}

impl OutputPlace {
    fn receivers(&self) -> Parties {
        self.parties.iter().copied().collect()
    }
}

impl<F: Field> Task<F> {
    /// The elements of a public value. Blocks until they are known; not for the thread that runs the computation.
    ///
    /// Errors: the value is not public, or the computation has ended.
    pub fn wait(&self, value: &Value<F>) -> Result<Vec<F::Element>, RunError> {
        let (sender, receiver) = sync_channel(1);
        self.read(value, move |result| {
            // The waiting thread still exists: it does nothing else.
            let _ = sender.send(result);
        })?;
        // The runtime always replies, because it has time limits.
        receiver.recv().unwrap_or(Err(RunError::Over))
    }
}
