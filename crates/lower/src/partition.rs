//! Groups the operations of a template into circuits.
//!
//! Every operation gets a place: its own step, or a circuit over some number of lanes (its class; 1 for
//! flattened operations). Stages are then counted along the dataflow and rise wherever the place changes.
//! Operations of one class and stage form a region; over several lanes, only connected ones do. An edge
//! between two regions always rises by a stage, so regions are convex and their graph has no cycle.

pub(crate) mod place;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use tacit_ir::{Domain, Op, Operation, TemplateId, Type, ValueId, ValueType};

use crate::domains::Domains;
use crate::inline::Context;
use crate::options::Options;
use crate::sums;
use crate::tiles::{NO_PARTS, Parts};
pub(crate) use place::Place;
use tacit_schedule::rules;

/// The origin of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Parameter,
    /// A constant, by its operation.
    Constant(usize),
    /// Copies of a value of one lane, which itself is not a copy.
    Copies(ValueId),
    /// A result of an operation.
    Operation(usize),
}

/// One unit of a body, in execution order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// An operation as its own step.
    Step(usize),
    /// Operations that become one circuit over `lanes` lanes, in order.
    Region { lanes: u64, operations: Vec<usize> },
}

/// How a value is shared: by bits, or by sum modulo 2^bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Form {
    pub(crate) domain: Domain,
    pub(crate) bits: u32,
}

/// A template's operations, grouped into units.
pub(crate) struct Partition<'a> {
    pub(crate) operations: &'a [Operation],
    pub(crate) types: &'a [ValueType],
    pub(crate) units: Vec<Unit>,
    /// First value that each operation defines.
    pub(crate) first_result: Vec<u32>,
    /// The value that each value is another name of; often itself.
    root: Vec<ValueId>,
    source: Vec<Source>,
    /// Whether a value is read outside the unit that defines it.
    pub(crate) escapes: Vec<bool>,
    /// Whether a value is used by only one addition.
    deferrable: Vec<bool>,
    /// The unit of each operation, identified by its first operation; none for operations that are not run.
    unit: Vec<Option<usize>>,
    /// Whether there are so many flattened operations that they are cut into several circuits.
    pub(crate) is_cut: bool,
    /// How values are shared, and where operations work.
    pub(crate) domains: Domains,
    /// Inputs and outputs that are taken and given in parts.
    pub(crate) parts: &'a Parts,
}

/// A value as an extension of another one, or of itself.
pub(crate) struct Widened {
    /// The value that is extended; a root.
    pub(crate) value: ValueId,
    /// The widths to which it is extended in turn, and whether with the sign.
    pub(crate) steps: Vec<(u32, bool)>,
}

impl<'a> Partition<'a> {
    pub(crate) fn new(
        context: Context<'a>,
        options: &Options,
        template: TemplateId,
        operations: &'a [Operation],
        results: &[ValueId],
    ) -> Self {
        let types = &context.types[template.index()];
        let parameters = context.template(template).parameters.len();
        let mut partition = Partition {
            operations,
            types,
            units: Vec::new(),
            first_result: Vec::with_capacity(operations.len()),
            root: Vec::with_capacity(types.len()),
            source: Vec::with_capacity(types.len()),
            escapes: vec![false; types.len()],
            deferrable: Vec::new(),
            unit: Vec::new(),
            is_cut: false,
            domains: Domains::new(context, options, (parameters, types), operations, results),
            parts: if template == context.program.main { context.parts } else { &NO_PARTS },
        };
        partition.name_values(context, parameters);
        partition.deferrable =
            sums::deferrable(operations, &partition.first_result, results, partition.types.len());
        let live = partition.live(results);
        let places = place::places(context, options, &partition, &live, results);
        let mut cuts = Cuts::new(context, options, &partition, &places);
        partition.is_cut = cuts.cuts;
        partition.unit = partition.units(&places, &mut cuts);
        partition.find_escapes(&places, results);
        partition.units = partition.ordered(&places);
        partition
    }

    /// The value that this is another name of, or the value itself.
    pub(crate) fn root(&self, value: ValueId) -> ValueId {
        self.root[value.index()]
    }

    pub(crate) fn source(&self, value: ValueId) -> Source {
        self.source[value.index()]
    }

    pub(crate) fn lanes(&self, value: ValueId) -> u64 {
        self.types[value.index()].lanes
    }

    /// Whether a value may stay a sum until the single addition that uses it.
    pub(crate) fn deferrable(&self, value: ValueId) -> bool {
        self.deferrable[value.index()] && !self.escapes[value.index()]
    }

    /// The operand of a unit whose operation names `value`: extensions made by other units are repeated,
    /// which costs nothing, so that the unit's circuit sees which bits are zero or copies of the sign.
    pub(crate) fn read_by(&self, value: ValueId, operation: usize) -> Widened {
        let mut widened = Widened { value: self.root(value), steps: Vec::new() };
        while let Some((narrow, step)) =
            self.extension(widened.value, |definer| self.unit[definer] == self.unit[operation])
        {
            widened.value = self.root(narrow);
            widened.steps.insert(0, step);
        }
        widened
    }

    /// The value that this one extends, unless `stop` holds for the extending operation.
    fn extension(&self, value: ValueId, stop: impl Fn(usize) -> bool) -> Option<(ValueId, (u32, bool))> {
        match self.source(value) {
            Source::Operation(definer) if !stop(definer) => match self.operations[definer].op {
                Op::Extend { value, bits, signed } => Some((value, (bits, signed))),
                _ => None,
            },
            _ => None,
        }
    }

    /// The value to convert in place of one whose words have so many bits, and whether words beyond its width repeat its sign: bits that only extend
    /// others need no conversion.
    pub(crate) fn narrowest(&self, value: ValueId, bits: u32) -> (ValueId, bool) {
        let (mut value, mut signed) = (self.root(value), self.domains.signed(value));
        // Beyond its width, nothing is read of a value that is as wide.
        let mut counts = bits > self.form(value).bits;
        while let Some((narrow, repeats)) = self.extended_bits(value) {
            // A sign that an extension has made is zero.
            if counts && repeats && !signed {
                break;
            }
            (value, signed, counts) = (narrow, repeats, true);
        }
        (value, signed)
    }

    /// The narrower value of bits that this one extends in the same domain, and whether with the sign.
    fn extended_bits(&self, value: ValueId) -> Option<(ValueId, bool)> {
        let (narrow, (_, signed)) = self.extension(value, |_| false)?;
        let (narrow, own) = (self.root(narrow), self.form(value));
        let form = self.form(narrow);
        let of_bits = form.domain == own.domain && !rules(own.domain).is_of_words();
        (of_bits && form.bits < own.bits).then_some((narrow, signed))
    }

    /// The number of bits of a value that no extension fills in.
    fn narrow_bits(&self, value: ValueId) -> u64 {
        let mut value = self.root(value);
        while let Some((narrow, _)) = self.extension(value, |_| false) {
            value = self.root(narrow);
        }
        crate::cost::size(self.types[value.index()]) / self.lanes(value)
    }

    /// The values an operation defines.
    pub(crate) fn results(&self, operation: usize) -> impl Iterator<Item = ValueId> + use<> {
        let end = self.first_result.get(operation + 1).map_or(self.types.len() as u32, |next| *next);
        (self.first_result[operation]..end).map(ValueId)
    }

    /// The operation that must run before a value can be read.
    fn definer(&self, value: ValueId) -> Option<usize> {
        match self.source(self.root(value)) {
            Source::Parameter | Source::Constant(_) => None,
            Source::Copies(of) => self.definer(of),
            Source::Operation(operation) => Some(operation),
        }
    }

    /// Calls `visit` with every operation that this one reads, and with whether each lane reads all lanes of
    /// it.
    fn for_each_definer(&self, operation: usize, mut visit: impl FnMut(usize, bool)) {
        let op = &self.operations[operation].op;
        let mut first = true;
        op.for_each_operand(|value| {
            let whole = first && matches!(op, Op::Lookup { .. });
            first = false;
            if let Some(definer) = self.definer(value) {
                visit(definer, whole);
            }
        });
    }

    fn name_values(&mut self, context: Context<'_>, parameters: usize) {
        for number in 0..parameters {
            self.root.push(ValueId(number as u32));
            self.source.push(Source::Parameter);
        }
        // The first results of minima: a minimum and its position are often asked for one by one.
        let mut minima = BTreeMap::new();
        for (index, operation) in self.operations.iter().enumerate() {
            let first = self.root.len() as u32;
            self.first_result.push(first);
            let known = self.minimum(index).map_or(first, |one| *minima.entry(one).or_insert(first));
            match &operation.op {
                Op::ArgMin { .. } if known != first => {
                    for number in known..known + context.result_count(&operation.op) {
                        self.root.push(ValueId(number));
                        self.source.push(self.source(ValueId(number)));
                    }
                }
                Op::Open(value) | Op::Pin(_, value) if self.is_name(&operation.op, *value) => {
                    self.root.push(self.root(*value));
                    self.source.push(self.source(*value));
                }
                Op::Gather(value, _) if self.copied(*value).is_some() => {
                    // It exists; the guard has checked this.
                    let of = self.copied(*value).unwrap_or(*value);
                    self.root.push(ValueId(first));
                    self.source.push(Source::Copies(of));
                }
                op => {
                    let source = match op {
                        Op::Constant(_) => Source::Constant(index),
                        _ => Source::Operation(index),
                    };
                    for number in first..first + context.result_count(op) {
                        self.root.push(ValueId(number));
                        self.source.push(source);
                    }
                }
            }
        }
    }

    /// What a minimum is of: equal ones have equal results.
    fn minimum(&self, index: usize) -> Option<(ValueId, u64, bool, Domain)> {
        match self.operations[index].op {
            Op::ArgMin { value, length, signed } => {
                Some((self.root(value), length, signed, self.domains.of_operation[index]))
            }
            _ => None,
        }
    }

    /// Whether an operation gives another name to its operand.
    fn is_name(&self, op: &Op, value: ValueId) -> bool {
        match op {
            Op::Open(_) => true,
            Op::Pin(domain, _) => self.domains.of(value) == Some(*domain),
            _ => false,
        }
    }

    /// The domain and width in which a value is first written.
    pub(crate) fn form(&self, value: ValueId) -> Form {
        let bits = match self.types[value.index()].ty {
            Type::Word(bits) => bits,
            Type::Field(_) => 0,
        };
        match self.domains.of(value) {
            Some(domain) if rules(domain).is_of_words() => Form { domain, bits: self.domains.ring(value) },
            Some(domain) => Form { domain, bits },
            None => Form { domain: self.domains.home(), bits },
        }
    }

    /// The value of one lane that a value equals or repeats.
    fn copied(&self, value: ValueId) -> Option<ValueId> {
        let root = self.root(value);
        match self.source(root) {
            Source::Copies(of) => Some(of),
            _ if self.lanes(root) == 1 => Some(root),
            _ => None,
        }
    }

    /// Whether each operation contributes to a result or an output.
    fn live(&self, results: &[ValueId]) -> Vec<bool> {
        let mut live = vec![false; self.operations.len()];
        results.iter().filter_map(|value| self.definer(*value)).for_each(|definer| live[definer] = true);
        for index in (0..live.len()).rev() {
            live[index] |= matches!(self.operations[index].op, Op::Output { .. });
            if live[index] {
                self.for_each_definer(index, |definer, _| live[definer] = true);
            }
        }
        live
    }

    /// Gives every placed operation the number of its unit, which is that of its first operation.
    fn units(&self, places: &[Option<Place>], cuts: &mut Cuts<'_>) -> Vec<Option<usize>> {
        let mut stage = vec![0u32; places.len()];
        let mut groups = Groups::new(places.len());
        let mut flat: BTreeMap<(u32, Domain), usize> = BTreeMap::new();
        let domains = &self.domains.of_operation;
        for (index, place) in places.iter().enumerate() {
            let Some(place) = place else { continue };
            let mut here = 0;
            self.for_each_definer(index, |definer, whole| {
                let stays = !whole
                    && matches!(place, Place::Lanes(_))
                    && places[definer] == Some(*place)
                    && domains[definer] == domains[index];
                here = here.max(stage[definer] + u32::from(!stays));
            });
            if matches!(place, Place::Lanes(1)) {
                // Cuts only rise in program order, so edges between regions still rise, too.
                here = here.max(cuts.before(self, index));
            }
            stage[index] = here;
            match place {
                Place::Step => {}
                Place::Lanes(1) => groups.join(*flat.entry((here, domains[index])).or_insert(index), index),
                Place::Lanes(_) => self.for_each_definer(index, |definer, _| {
                    if places[definer] == Some(*place)
                        && domains[definer] == domains[index]
                        && stage[definer] == here
                    {
                        groups.join(definer, index);
                    }
                }),
            }
        }
        (0..places.len()).map(|index| places[index].map(|_| groups.first(index))).collect()
    }

    fn find_escapes(&mut self, places: &[Option<Place>], results: &[ValueId]) {
        let mut escapes = vec![false; self.types.len()];
        let mut read = |value: ValueId, by: Option<usize>| {
            if let Source::Operation(definer) = self.source(value) {
                escapes[value.index()] |= by.is_none() || self.unit[definer] != by;
            }
        };
        for (index, place) in places.iter().enumerate() {
            let Some(place) = place else { continue };
            let op = &self.operations[index].op;
            op.for_each_operand(|value| {
                let value = match (place, op) {
                    (Place::Lanes(_), _) => self.stem(value, index),
                    (Place::Step, Op::MatrixProduct { .. })
                        if !rules(self.domains.of_operation[index]).is_of_words() =>
                    {
                        self.copied_or(self.read_by(value, index).value)
                    }
                    (Place::Step, _) => self.copied_or(self.root(value)),
                };
                read(value, self.unit[index]);
                if rules(self.domains.of_operation[index]).is_of_words() {
                    // Its words may be made of the bits that it extends.
                    let extended =
                        std::iter::successors(Some(value), |wide| Some(self.extended_bits(*wide)?.0));
                    extended.skip(1).for_each(|narrow| read(self.copied_or(narrow), self.unit[index]));
                }
            });
        }
        results.iter().for_each(|value| read(self.copied_or(self.root(*value)), None));
        self.escapes = escapes;
    }

    /// The value that is read when an operation of a circuit names this one.
    pub(crate) fn stem(&self, value: ValueId, operation: usize) -> ValueId {
        let first = self.read_by(value, operation).value;
        match self.source(first) {
            Source::Copies(of) => self.stem(of, operation),
            _ => first,
        }
    }

    /// The value of one lane that a value copies, or the value itself.
    pub(crate) fn copied_or(&self, root: ValueId) -> ValueId {
        match self.source(root) {
            Source::Copies(of) => of,
            _ => root,
        }
    }

    /// The units in topological order; among those ready, the one that begins first in the program.
    fn ordered(&self, places: &[Option<Place>]) -> Vec<Unit> {
        let units = &self.unit;
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut edges = Vec::new();
        for (index, unit) in units.iter().enumerate() {
            let Some(unit) = *unit else { continue };
            members.entry(unit).or_default().push(index);
            self.for_each_definer(index, |definer, _| {
                edges.extend(units[definer].filter(|before| *before != unit).map(|before| (before, unit)));
            });
        }
        edges.sort_unstable();
        edges.dedup();
        let mut waiting: BTreeMap<usize, usize> = BTreeMap::new();
        edges.iter().for_each(|(_, after)| *waiting.entry(*after).or_default() += 1);
        let mut ready: BinaryHeap<Reverse<usize>> =
            members.keys().filter(|unit| !waiting.contains_key(unit)).map(|unit| Reverse(*unit)).collect();
        let mut ordered = Vec::with_capacity(members.len());
        while let Some(Reverse(unit)) = ready.pop() {
            // Units are taken from the members, each once.
            let operations = members.remove(&unit).unwrap_or_default();
            ordered.push(match places[unit] {
                Some(Place::Lanes(lanes)) => Unit::Region { lanes, operations },
                _ => Unit::Step(unit),
            });
            let from = edges.partition_point(|(before, _)| *before < unit);
            for (_, after) in edges[from..].iter().take_while(|(before, _)| *before == unit) {
                if let Some(count) = waiting.get_mut(after) {
                    *count -= 1;
                    if *count == 0 {
                        ready.push(Reverse(*after));
                    }
                }
            }
        }
        ordered
    }
}

/// Flattened operations at the limit for cutting would make this many pieces.
pub(crate) const PIECES: u64 = 128;

/// Where flattened operations are cut.
struct Cuts<'a> {
    context: Context<'a>,
    cuts: bool,
    /// ANDs of a piece, at least.
    piece: u64,
    /// The number of full pieces.
    full: u32,
    /// ANDs of the current piece.
    ands: u64,
}

impl<'a> Cuts<'a> {
    fn new(
        context: Context<'a>,
        options: &Options,
        partition: &Partition<'_>,
        places: &[Option<Place>],
    ) -> Self {
        let is_flat = |(_, place): &(usize, &Option<Place>)| matches!(place, Some(Place::Lanes(1)));
        let flat = places.iter().enumerate().filter(is_flat);
        let ands = flat.map(|(index, _)| ands(context, partition, index)).fold(0, u64::saturating_add);
        let (cuts, piece) = (ands > options.flat_ands, options.flat_ands / PIECES);
        Cuts { context, cuts, piece, full: 0, ands: 0 }
    }

    /// The number of full pieces before an operation.
    fn before(&mut self, partition: &Partition<'_>, index: usize) -> u32 {
        if self.cuts {
            if self.ands > self.piece {
                (self.full, self.ands) = (self.full + 1, 0);
            }
            self.ands = self.ands.saturating_add(ands(self.context, partition, index));
        }
        self.full
    }
}

/// ANDs of a flattened operation.
fn ands(context: Context<'_>, partition: &Partition<'_>, index: usize) -> u64 {
    crate::cost::ands(&partition.operations[index].op, partition.types, context.profiles, 1)
}

/// Disjoint sets of operations, each identified by its first member.
struct Groups(Vec<usize>);

impl Groups {
    fn new(count: usize) -> Self {
        Groups((0..count).collect())
    }

    fn first(&mut self, mut member: usize) -> usize {
        while self.0[member] != member {
            self.0[member] = self.0[self.0[member]];
            member = self.0[member];
        }
        member
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.0[a.max(b)] = a.min(b);
    }
}
