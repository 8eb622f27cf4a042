//! Lowers templates to bodies.

mod assemble;
mod convert;
pub(crate) mod long;
pub(crate) mod matrix;
mod parts;
pub(crate) mod region;
mod word_step;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use foldhash::HashMap;
use tacit_circuit::{Circuit, CircuitBuilder, Executable, Objective, Target};
use tacit_ir::{
    Domain, Index, Op, Operation, Program, Template, TemplateId, Type, ValueId, ValueType, Words,
};

use crate::ceiling::{Ceiling, Rounds, and_layers};
use crate::cost;
use crate::domains::{Domains, word_domain};
use crate::error::LowerError;
use crate::inline::Context;
use crate::inner_products;
use crate::library::Library;
use crate::options::Options;
use crate::partition::{Form, Partition, Source, Unit, Widened};
use crate::tiles::{self, NO_PARTS, Parts};
use tacit_schedule::{Action, Body, Bundle, BundleId, Operand, Schedule, Step, rules};

/// From this many instances on, a circuit's layers need not be wide.
pub(crate) const MANY_LANES: u64 = 8;
/// The most ANDs a program may run.
const MAX_ANDS: u64 = 1 << 62;

/// Lowers a program: cuts every template into circuits and moves of data.
///
/// Equal programs and options give equal schedules. Operations that lead to no output are left out, inputs
/// included. `open` is ignored: the value that it reveals matters only if it reaches an output.
///
/// Errors: [`LowerError`]; an operation on a field, a circuit beyond [`Options::max_gates`], an invalid program.
pub fn lower(program: &Program, options: &Options) -> Result<Schedule, LowerError> {
    lower_with(program, options, &mut Library::default(), &mut |_| {})
}

/// As [`lower`], with circuits of a library; `watch` is called now and then with the number of finished steps
/// of [`Options::effort`].
///
/// Errors: as [`lower`].
pub fn lower_with(
    program: &Program,
    options: &Options,
    library: &mut Library,
    watch: &mut dyn FnMut(u64),
) -> Result<Schedule, LowerError> {
    lower_within(program, options, Ceiling::default(), library, watch)
}

/// As [`lower_with`], but ends as soon as the schedule exceeds `ceiling`.
///
/// Errors: as [`lower`], and [`LowerError::BeyondCeiling`].
pub fn lower_within(
    program: &Program,
    options: &Options,
    ceiling: Ceiling,
    library: &mut Library,
    watch: &mut dyn FnMut(u64),
) -> Result<Schedule, LowerError> {
    let types = program.all_value_types()?;
    match tiles::tiled(program, &types, options) {
        Some((tiled, parts)) => {
            let types = tiled.all_value_types()?;
            lower_in_tiles((&tiled, &types, &parts), (options, ceiling), library, watch)
        }
        None => lower_in_tiles((program, &types, &NO_PARTS), (options, ceiling), library, watch),
    }
}

/// As [`lower_within`], for a program that is already cut into tiles where this pays off.
fn lower_in_tiles(
    (program, types, parts): (&Program, &[Vec<ValueType>], &Parts),
    (options, ceiling): (&Options, Ceiling),
    library: &mut Library,
    watch: &mut dyn FnMut(u64),
) -> Result<Schedule, LowerError> {
    let profiles = cost::profiles(program, types);
    let context = Context { program, types, profiles: &profiles, limit: options.max_gates, parts };
    let mut lowering = Lowering {
        context,
        options,
        ceiling,
        effort: options.effort,
        library,
        watch,
        circuits: Vec::new(),
        and_layers: Vec::new(),
        bodies: Vec::new(),
        of_template: BTreeMap::new(),
        adders: BTreeMap::new(),
        pieces: HashMap::default(),
        domain: options.home(),
    };
    let main = lowering.body(program.main, false)? as usize;
    let mut schedule = Schedule { circuits: lowering.circuits, bodies: lowering.bodies, main };
    if options.inner_products {
        schedule.bodies.iter_mut().for_each(inner_products::join);
    }
    schedule.bound();
    if schedule.has_shares() {
        schedule.sort_by_layer();
    }
    Ok(schedule)
}

/// The domains in which the operations of each line and name work when the program is lowered with these
/// options.
///
/// Errors: an invalid program.
pub fn operation_domains(
    program: &Program,
    options: &Options,
) -> Result<BTreeMap<(u32, &'static str), BTreeSet<Domain>>, LowerError> {
    let types = program.all_value_types()?;
    let profiles = cost::profiles(program, &types);
    let context =
        Context { program, types: &types, profiles: &profiles, limit: options.max_gates, parts: &NO_PARTS };
    let mut found: BTreeMap<(u32, &'static str), BTreeSet<Domain>> = BTreeMap::new();
    for (template, types) in program.templates.iter().zip(&types) {
        let tacit_ir::Body::Operations { operations, results } = &template.body else { continue };
        let values = (template.parameters.len(), &types[..]);
        let domains = Domains::new(context, options, values, operations, results);
        for (operation, domain) in operations.iter().zip(&domains.of_operation) {
            found.entry((operation.line, operation.op.name())).or_default().insert(*domain);
        }
    }
    Ok(found)
}

/// The state of lowering.
struct Lowering<'a> {
    context: Context<'a>,
    options: &'a Options,
    ceiling: Ceiling,
    /// Remaining steps of making circuits smaller.
    effort: u64,
    library: &'a mut Library,
    /// Called with the number of finished steps.
    watch: &'a mut dyn FnMut(u64),
    circuits: Vec<Executable>,
    /// The number of layers with ANDs of each circuit, if rounds are counted.
    and_layers: Vec<u64>,
    bodies: Vec<Body>,
    /// Bodies by template and whether they run in many instances.
    of_template: BTreeMap<(TemplateId, bool), u32>,
    /// Circuits that add two words, for conversions, by domain, width, and whether they run in many instances.
    adders: BTreeMap<(Domain, u32, bool), u32>,
    /// Circuits of pieces of many flattened operations.
    pieces: HashMap<region::Shape, Rc<region::Piece>>,
    /// The domain of bundles of bits that are being written.
    domain: Domain,
}

impl<'a> Lowering<'a> {
    /// The body of a template; `many` where it runs in many instances side by side.
    fn body(&mut self, template: TemplateId, many: bool) -> Result<u32, LowerError> {
        if let Some(body) = self.of_template.get(&(template, many)) {
            return Ok(*body);
        }
        let around = std::mem::replace(&mut self.domain, self.options.home());
        let mut draft = Draft::new(self.context.template(template), many, self.domain);
        match &self.context.template(template).body {
            tacit_ir::Body::Netlist(_) => self.netlist(template, &mut draft)?,
            tacit_ir::Body::Operations { operations, results } => {
                self.operations(template, &mut draft, operations, results)?;
            }
        }
        let body = self.push_body(draft)?;
        self.domain = around;
        self.of_template.insert((template, many), body);
        Ok(body)
    }

    fn push_body(&mut self, draft: Draft) -> Result<u32, LowerError> {
        self.bodies.push(draft.body);
        Ok(self.bodies.len() as u32 - 1)
    }

    /// An empty circuit.
    fn builder(&self) -> CircuitBuilder {
        CircuitBuilder::with_limit(self.context.limit).with_objective(self.objective())
    }

    /// On shares by exclusive or, every layer is a round.
    fn objective(&self) -> Objective {
        if rules(self.domain).is_layered() { Objective::Depth } else { self.options.objective }
    }

    /// Adds a circuit, in fewer ANDs as far as effort is left.
    fn push_circuit(&mut self, circuit: Circuit, many: bool) -> u32 {
        let target = match self.domain {
            domain if rules(domain).is_layered() => Target::Rounds,
            _ if many => Target::Lanes,
            _ => Target::Flat,
        };
        let (before, goal) = (self.effort, (self.objective(), target));
        let done = self.options.effort - before;
        let watch = &mut self.watch;
        let (executable, steps) =
            self.library.executable(circuit, goal, before, |progress| watch(done + progress.steps));
        self.effort = before.saturating_sub(steps);
        if self.counts_rounds() {
            self.and_layers.push(and_layers(&executable));
        }
        self.circuits.push(executable);
        self.circuits.len() as u32 - 1
    }

    fn netlist(&mut self, template: TemplateId, draft: &mut Draft) -> Result<(), LowerError> {
        let circuit = self.context.circuit_of(template)?;
        let circuit = self.push_circuit(circuit, draft.many);
        let inputs = draft.body.parameters.iter().map(|bundle| Operand { bundle: *bundle, broadcast: false });
        let inputs = inputs.collect();
        let types = self.context.template(template).results.iter();
        let outputs: Vec<BundleId> = types.map(|ty| draft.bundle(*ty)).collect();
        draft.body.results.clone_from(&outputs);
        if outputs.is_empty() {
            return Ok(());
        }
        self.push(draft, 0, Action::Circuit { circuit, lanes: 1, inputs, outputs })
    }

    fn operations(
        &mut self,
        template: TemplateId,
        draft: &mut Draft,
        operations: &'a [Operation],
        results: &[ValueId],
    ) -> Result<(), LowerError> {
        self.refuse_fields(template, operations)?;
        let partition = Partition::new(self.context, self.options, template, operations, results);
        for unit in &partition.units {
            match unit {
                Unit::Step(operation) => {
                    self.enter(draft, partition.domains.of_operation[*operation]);
                    self.step(template, draft, &partition, *operation)?;
                }
                Unit::Region { lanes, operations } => {
                    self.enter(draft, partition.domains.of_operation[operations[0]]);
                    region::lower(self, draft, &partition, template, *lanes, operations)?;
                }
            }
        }
        self.domain = self.options.home();
        for value in results {
            let bundle = self.read_bits(draft, &partition, *value, 0)?;
            draft.body.results.push(bundle);
        }
        Ok(())
    }

    /// Refuses fields, which have no circuits, and wide words, which have no shares by sum.
    fn refuse_fields(&self, template: TemplateId, operations: &[Operation]) -> Result<(), LowerError> {
        let types = &self.context.types[template.index()];
        let is_field = |value: ValueId| matches!(types[value.index()].ty, Type::Field(_));
        let mut next = self.context.template(template).parameters.len() as u32;
        for operation in operations {
            if let Op::Pin(domain, value) = operation.op
                && let Some(words) = word_domain(domain)
                && !matches!(types[value.index()].ty, Type::Word(bits) if bits <= rules(domain).max_bits())
            {
                return Err(self.context.unsupported(template, operation, words.limit()));
            }
            let first = ValueId(next);
            next += self.context.result_count(&operation.op);
            let mut field = (first.0..next).any(|value| is_field(ValueId(value)));
            operation.op.for_each_operand(|value| field |= is_field(value));
            if field {
                return Err(self.context.unsupported(
                    template,
                    operation,
                    "on a field has no Boolean circuit",
                ));
            }
        }
        Ok(())
    }

    /// Switches to the domain of an operation.
    fn enter(&mut self, draft: &mut Draft, domain: Domain) {
        self.domain = if rules(domain).is_of_words() { self.options.home() } else { domain };
        draft.domain = self.domain;
    }

    /// The bundle of a value's bits in the current domain.
    fn read_bits(
        &mut self,
        draft: &mut Draft,
        partition: &Partition<'_>,
        value: ValueId,
        line: u32,
    ) -> Result<BundleId, LowerError> {
        let form = Form { domain: self.domain, bits: bits_of(partition.types[value.index()]) };
        self.read(draft, partition, value, form, line)
    }

    /// The bundle of a value in a form; constants, copies and conversions are written when first read.
    fn read(
        &mut self,
        draft: &mut Draft,
        partition: &Partition<'_>,
        value: ValueId,
        form: Form,
        line: u32,
    ) -> Result<BundleId, LowerError> {
        let root = partition.root(value);
        if let Some(bundle) = draft.of_value.get(&(root, form)) {
            return Ok(*bundle);
        }
        let bundle = match partition.source(root) {
            Source::Constant(operation) => match &partition.operations[operation].op {
                Op::Constant(words) => {
                    let words = widened(words, form.bits, partition.domains.signed(root));
                    let target = draft.shared(form, words.lanes());
                    self.push(draft, line, Action::Constant { words, target })?;
                    target
                }
                _ => {
                    return Err(self.context.unsupported(
                        self.context.program.main,
                        &partition.operations[operation],
                        "is not a constant",
                    ));
                }
            },
            Source::Copies(of) => {
                let source = self.read(draft, partition, of, form, line)?;
                let target = draft.shared(form, partition.lanes(root));
                let positions = Index::Range { start: 0, step: 0, count: partition.lanes(root) };
                self.push(draft, line, Action::Gather { source, positions, target })?;
                target
            }
            Source::Parameter | Source::Operation(_) => self.convert(draft, partition, root, form, line)?,
        };
        draft.of_value.insert((root, form), bundle);
        Ok(bundle)
    }

    fn read_all(
        &mut self,
        draft: &mut Draft,
        partition: &Partition<'_>,
        values: &[ValueId],
        line: u32,
    ) -> Result<Vec<BundleId>, LowerError> {
        values.iter().map(|value| self.read_bits(draft, partition, *value, line)).collect()
    }

    /// Lowers an operation that is its own step.
    fn step(
        &mut self,
        template: TemplateId,
        draft: &mut Draft,
        partition: &Partition<'_>,
        index: usize,
    ) -> Result<(), LowerError> {
        let Operation { op, line } = &partition.operations[index];
        if self.part(draft, partition, index)? {
            return Ok(());
        }
        if let Some(done) = self.moved_or_pinned(draft, partition, index)? {
            partition.results(index).for_each(|value| draft.define(value, done));
            return Ok(());
        }
        if let Op::Output { port, column, value } = op {
            return self.output(draft, partition, (port.0, *column, *value), *line);
        }
        if rules(partition.domains.of_operation[index]).is_of_words() {
            return self.word_operation(draft, partition, index);
        }
        if let Some(target) = self.matrix_product(template, draft, partition, index)? {
            partition.results(index).for_each(|value| draft.define(value, target));
            return Ok(());
        }
        let mut operands = Vec::new();
        op.for_each_operand(|value| operands.push(value));
        let sources = self.read_all(draft, partition, &operands, *line)?;
        let origin = (template, &partition.operations[index]);
        if let Some(results) = long::lower(self, draft, origin, (&sources, partition.types))? {
            partition.results(index).zip(results).for_each(|(value, bundle)| draft.define(value, bundle));
            return Ok(());
        }
        let targets: Vec<BundleId> =
            partition.results(index).map(|value| draft.define_new(partition, value)).collect();
        let action = self.action(draft, origin, sources, targets)?;
        self.push(draft, *line, action)?;
        self.give(draft, partition, partition.results(index), *line)
    }

    /// Writes a product of matrices that are shared by bits; none for any other operation.
    fn matrix_product(
        &mut self,
        template: TemplateId,
        draft: &mut Draft,
        partition: &Partition<'_>,
        index: usize,
    ) -> Result<Option<BundleId>, LowerError> {
        let operation = &partition.operations[index];
        let Op::MatrixProduct { left, right, batch, rows, inner, columns } = operation.op else {
            return Ok(None);
        };
        let mut factor = |value: ValueId| -> Result<matrix::Factor, LowerError> {
            let Widened { value, steps } = partition.read_by(value, index);
            let bits = bits_of(partition.types[value.index()]);
            let source = self.read_bits(draft, partition, value, operation.line)?;
            Ok(matrix::Factor { source, bits, steps })
        };
        let form = matrix::Form {
            bits: bits_of(partition.types[left.index()]),
            left: factor(left)?,
            right: factor(right)?,
            batch,
            rows,
            inner,
            columns,
        };
        matrix::lower(self, draft, &form, (template, operation)).map(Some)
    }

    /// The action that reads `sources` and writes `targets`.
    fn action(
        &mut self,
        draft: &Draft,
        (template, operation): (TemplateId, &Operation),
        sources: Vec<BundleId>,
        targets: Vec<BundleId>,
    ) -> Result<Action, LowerError> {
        let many = draft.many;
        Ok(match &operation.op {
            Op::Input { port, column } => {
                let bits = draft.body.bundles[targets[0].index()].bits;
                Action::Input { port: port.0, column: *column, bits, signed: false, target: targets[0] }
            }
            Op::Random(_) => Action::Random { target: targets[0] },
            Op::Join(_) => Action::Join { sources, target: targets[0] },
            Op::Call { template, .. } => {
                Action::Call { body: self.body(*template, many)?, arguments: sources, results: targets }
            }
            Op::Map { template, lanes, .. } => Action::Map {
                body: self.body(*template, many || *lanes >= MANY_LANES)?,
                lanes: *lanes,
                arguments: sources,
                results: targets,
            },
            Op::Iterate { template, count, carried, invariant, .. } => {
                let (carried, rest) = sources.split_at(carried.len());
                let (invariant, sliced) = rest.split_at(invariant.len());
                Action::Iterate {
                    body: self.body(*template, many)?,
                    count: *count,
                    carried: carried.to_vec(),
                    invariant: invariant.to_vec(),
                    sliced: sliced.to_vec(),
                    results: targets,
                }
            }
            _ => return Err(self.context.unsupported(template, operation, "is not a step")),
        })
    }

    /// Appends a step and counts its ANDs.
    fn push(&self, draft: &mut Draft, line: u32, action: Action) -> Result<(), LowerError> {
        let and_base = draft.body.and_count;
        let ands = Schedule::and_count_of(&self.circuits, &self.bodies, &action);
        let total = ands.and_then(|ands| ands.checked_add(and_base)).filter(|total| *total <= MAX_ANDS);
        draft.body.and_count = total.ok_or(LowerError::TooManyAnds)?;
        // Every body that is written runs at least once.
        let mut is_within = draft.body.and_count <= self.ceiling.ands;
        if self.counts_rounds() {
            is_within &= draft.rounds.push(&draft.body, &action, &self.and_layers) <= self.ceiling.rounds;
        }
        draft.body.steps.push(Step { and_base, line, action });
        if is_within { Ok(()) } else { Err(LowerError::BeyondCeiling) }
    }

    fn counts_rounds(&self) -> bool {
        self.ceiling.rounds < u64::MAX
    }
}

fn bits_of(ty: ValueType) -> u32 {
    match ty.ty {
        Type::Word(bits) => bits,
        Type::Field(_) => 0,
    }
}

/// A body being written.
struct Draft {
    body: Body,
    /// Whether it runs in many instances.
    many: bool,
    /// The domain of new bundles of bits.
    domain: Domain,
    of_value: BTreeMap<(ValueId, Form), BundleId>,
    rounds: Rounds,
}

impl Draft {
    fn new(template: &Template, many: bool, domain: Domain) -> Self {
        let mut draft = Draft::empty(&template.name, many, domain);
        for (number, ty) in template.parameters.iter().enumerate() {
            let bundle = draft.bundle(*ty);
            draft.body.parameters.push(bundle);
            draft.define(ValueId(number as u32), bundle);
        }
        draft
    }

    fn empty(name: &str, many: bool, domain: Domain) -> Self {
        let body = Body {
            name: name.to_owned(),
            bundles: Vec::new(),
            parameters: Vec::new(),
            results: Vec::new(),
            steps: Vec::new(),
            and_count: 0,
        };
        Draft { body, many, domain, of_value: BTreeMap::new(), rounds: Rounds::default() }
    }

    /// A new bundle.
    fn bundle(&mut self, ty: ValueType) -> BundleId {
        self.words(bits_of(ty), ty.lanes)
    }

    fn words(&mut self, bits: u32, lanes: u64) -> BundleId {
        self.shared(Form { domain: self.domain, bits }, lanes)
    }

    fn shared(&mut self, Form { domain, bits }: Form, lanes: u64) -> BundleId {
        self.body.bundles.push(Bundle { bits, lanes, domain });
        BundleId(self.body.bundles.len() as u32 - 1)
    }

    fn define(&mut self, value: ValueId, bundle: BundleId) {
        let Bundle { bits, domain, .. } = self.body.bundles[bundle.index()];
        self.of_value.insert((value, Form { domain, bits }), bundle);
    }

    /// A new bundle for a value, in the current domain.
    fn define_new(&mut self, partition: &Partition<'_>, value: ValueId) -> BundleId {
        let bundle = self.bundle(partition.types[value.index()]);
        self.define(value, bundle);
        bundle
    }
}

/// A constant in words of `bits` bits, which must be at least its own width.
fn widened(words: &Words, bits: u32, signed: bool) -> Words {
    if words.bits() == bits {
        return words.clone();
    }
    let mut wide = Words::zero(bits, words.lanes());
    for lane in 0..words.lanes() {
        for bit in 0..bits {
            let from = if bit < words.bits() { Some(bit) } else { signed.then_some(words.bits() - 1) };
            wide.set_bit(lane, bit, from.is_some_and(|from| words.bit(lane, from)));
        }
    }
    wide
}
