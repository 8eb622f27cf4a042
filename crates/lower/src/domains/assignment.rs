//! The domain in which every value of a template is shared, and what is known about it.
//!
//! A pinned value is shared as its pin says. An input or random value that only pins of one domain read is
//! shared in that domain from the start. Every other operation follows its operands: if an operand is shared
//! by sum and the operation supports it, the operation is computed on sums; otherwise it works on bits, in
//! `bool` if an operand is in `bool`, else in the domain that the program starts in. Operands in other
//! domains are converted where they are read. Parameters and results of templates are bits. Direct
//! comparisons of sums give results in `bool`; this does not move other operations there.
//!
//! Values that are connected by arithmetic operations are shared modulo one power of two, that of the widest
//! of them. So widening a value whose range is known is free: its shares already sum to the number itself.
//! The square of an n-bit number with a sign has 2n - 1 bits without one. If the range is unknown, widening
//! needs bits.

use std::collections::BTreeMap;

use tacit_ir::{Domain, Op, Operation, Type, UnaryOp, ValueId, ValueType};
use tacit_schedule::{Kernel, rules};

use super::range::Range;
use super::word_domain::{Asked, Operand, Placed, WordDomain};
use super::{WORD_DOMAINS, word_domain};
use crate::inline::Context;
use crate::options::Options;
use crate::pinned::{Pinned, follows_pin, pinned};

/// A kernel whose result is in another domain than its operands, or that has several results.
#[derive(Clone, Debug)]
pub(crate) struct Leaving {
    pub(crate) kernel: Kernel,
    /// The domain of the operands.
    pub(crate) domain: Domain,
    /// The width of the operands; at least, if the first result is in their domain.
    pub(crate) width: u32,
}

/// The decisions about a template's values and operations.
pub(crate) struct Domains {
    /// The domain of each value; constants have none.
    of_value: Vec<Option<Domain>>,
    /// In which domain each operation works.
    pub(crate) of_operation: Vec<Domain>,
    /// The width of the shares of each value that is shared or read by sum.
    ring: Vec<u32>,
    /// Whether a value's top bit is a sign where its shares are wider than it is.
    signed: Vec<bool>,
    /// Whether a value's shares, however wide, sum to the number that its bits represent.
    exact: Vec<bool>,
    /// Whether the party that holds encrypted words has a value in the clear.
    held: Vec<bool>,
    /// Operations whose results are elsewhere than their operands, by result, with the width of the operands.
    leaving: BTreeMap<u32, Leaving>,
    /// The domain of bits by default.
    home: Domain,
}

impl Domains {
    pub(crate) fn new(
        context: Context<'_>,
        options: &Options,
        (parameters, types): (usize, &[ValueType]),
        operations: &[Operation],
        results: &[ValueId],
    ) -> Domains {
        let bits_home = options.home();
        let mut rules = Rules {
            context,
            options,
            types,
            bits_home,
            wanted: wanted(context, types, operations, results),
            signed: signs(types, parameters, operations, context),
            extensions: extensions(types, parameters, operations, context),
            of_value: vec![Some(bits_home); parameters],
            ranges: vec![None; parameters],
            rings: (0..types.len()).collect(),
            least: vec![0; types.len()],
            public: vec![false; parameters],
            held: vec![false; parameters],
            passing: vec![false; parameters],
            pinned: pinned(&context.program.templates, parameters, operations),
        };
        let mut leaving = BTreeMap::new();
        let mut of_operation = Vec::with_capacity(operations.len());
        for operation in operations {
            let first = rules.of_value.len();
            let (passing, public) = (rules.passes(&operation.op), rules.is_public(&operation.op));
            let decision = rules.decide(&operation.op, first);
            let count = context.result_count(&operation.op) as usize;
            let held = rules.is_held(&operation.op, &decision);
            let (domain, range, passing) = match decision {
                Decision::In(domain, range) => {
                    // Operations that any domain supports work where bits are.
                    of_operation.push(domain.unwrap_or(bits_home));
                    (domain, range, passing)
                }
                Decision::Leaves(found, to, range) => {
                    operation.op.for_each_operand(|value| {
                        let least = &mut rules.least[value.index()];
                        *least = found.width.max(*least);
                    });
                    of_operation.push(found.domain);
                    leaving.insert(first as u32, found);
                    (Some(to), range, true)
                }
            };
            rules.of_value.extend(std::iter::repeat_n(domain, count));
            let further = |number: usize| range.map(|_| Range { bits: word(types[number]), signed: false });
            rules.ranges.extend(
                (first..first + count).map(|number| if number == first { range } else { further(number) }),
            );
            rules.passing.extend(std::iter::repeat_n(passing, count));
            rules.public.extend(std::iter::repeat_n(public, count));
            rules.held.extend(std::iter::repeat_n(public || held, count));
        }
        let ring = rules.ring_bits();
        let exact = (0..types.len()).map(|value| rules.is_exact(value)).collect();
        let (of_value, signed, held) = (rules.of_value, rules.signed, rules.held);
        Domains { of_value, of_operation, ring, signed, exact, held, leaving, home: bits_home }
    }

    /// The domain of a value; none of a constant.
    pub(crate) fn of(&self, value: ValueId) -> Option<Domain> {
        self.of_value[value.index()]
    }

    /// The domain of bits by default: of parameters and results of templates.
    pub(crate) fn home(&self) -> Domain {
        self.home
    }

    /// Width of the shares of a value by sum.
    pub(crate) fn ring(&self, value: ValueId) -> u32 {
        self.ring[value.index()]
    }

    /// The kernel that gives a value elsewhere than its operands are, if there is one.
    pub(crate) fn leaving(&self, value: ValueId) -> Option<&Leaving> {
        self.leaving.get(&value.0)
    }

    /// Whether the party that holds encrypted words has a value in the clear: an input of its own that is
    /// pinned there, a public constant, or a result of only such values.
    pub(crate) fn is_held(&self, value: ValueId) -> bool {
        self.held[value.index()]
    }

    /// Whether wider shares of a value have its sign.
    pub(crate) fn signed(&self, value: ValueId) -> bool {
        self.signed[value.index()]
    }

    /// Whether a value's shares sum to the number that its bits represent, so that their higher bits are its
    /// widening. Otherwise they may be wider only because those of another value are, and the higher bits
    /// mean nothing.
    pub(crate) fn is_exact(&self, value: ValueId) -> bool {
        self.exact[value.index()]
    }
}

fn word(ty: ValueType) -> u32 {
    match ty.ty {
        Type::Word(bits) => bits,
        Type::Field(_) => u32::MAX,
    }
}

/// For each value, the domain to which all its readers pin it, if there is one. A negated bit is wanted under
/// encryption if the result is.
fn wanted(
    context: Context<'_>,
    types: &[ValueType],
    operations: &[Operation],
    results: &[ValueId],
) -> Vec<Option<Domain>> {
    // The outer option is none before the first reader; the inner one is the wanted domain, or none if
    // readers differ.
    let mut wanted: Vec<Option<Option<Domain>>> = vec![None; types.len()];
    let read = |wanted: &mut [Option<Option<Domain>>], value: ValueId, domain: Option<Domain>| {
        let slot = &mut wanted[value.index()];
        *slot = match *slot {
            None => Some(domain),
            Some(other) if other == domain => Some(domain),
            Some(_) => Some(None),
        };
    };
    results.iter().for_each(|value| read(&mut wanted, *value, None));
    // Readers come after the value that they read.
    let mut first = types.len() as u32;
    for operation in operations.iter().rev() {
        first -= context.result_count(&operation.op);
        let domain = match operation.op {
            Op::Pin(domain, _) => Some(domain),
            Op::Unary(UnaryOp::Not, value) if word(types[value.index()]) == 1 => {
                wanted[first as usize].flatten().filter(|domain| rules(*domain).is_encrypted())
            }
            _ => None,
        };
        operation.op.for_each_operand(|value| read(&mut wanted, value, domain));
    }
    wanted.into_iter().map(Option::flatten).collect()
}

/// Whether a value's widening, or that of another name of it, extends its sign: the same for all names, since
/// they are widened together.
fn signs(
    types: &[ValueType],
    parameters: usize,
    operations: &[Operation],
    context: Context<'_>,
) -> Vec<bool> {
    let mut signed = extended(types, operations, context, true);
    let zeros = extended(types, operations, context, false);
    // Types are those of parameters, then of results.
    debug_assert!(parameters <= types.len());
    let mut first = parameters;
    for operation in operations {
        match &operation.op {
            Op::Pin(_, value) | Op::Open(value) | Op::Gather(value, _) => {
                signed[first] = signed[value.index()]
            }
            // What has been extended with its sign has it further on.
            Op::Extend { signed: true, .. } if !zeros[first] => signed[first] = true,
            _ => {}
        }
        first += context.result_count(&operation.op) as usize;
    }
    signed
}

/// Whether a value, or another name of it, is extended with its sign, or else with zeros.
fn extended(
    types: &[ValueType],
    operations: &[Operation],
    context: Context<'_>,
    with_sign: bool,
) -> Vec<bool> {
    let mut extended = vec![false; types.len()];
    let mut first = types.len() as u32;
    for operation in operations.iter().rev() {
        first -= context.result_count(&operation.op);
        match &operation.op {
            Op::Extend { value, signed, .. } if *signed == with_sign => extended[value.index()] = true,
            Op::Pin(_, value) | Op::Open(value) | Op::Gather(value, _) => {
                extended[value.index()] |= extended[first as usize];
            }
            Op::Join(values) if extended[first as usize] => {
                values.iter().for_each(|value| extended[value.index()] = true);
            }
            // All others read values as they are.
            _ => {}
        }
    }
    extended
}

/// The value that each value extends, if any, and whether with the sign.
fn extensions(
    types: &[ValueType],
    parameters: usize,
    operations: &[Operation],
    context: Context<'_>,
) -> Vec<Option<(usize, bool)>> {
    let mut extensions = vec![None; types.len()];
    let mut first = parameters;
    for operation in operations {
        if let Op::Extend { value, signed, .. } = &operation.op {
            extensions[first] = Some((value.index(), *signed));
        }
        first += context.result_count(&operation.op) as usize;
    }
    extensions
}

/// Where an operation works.
enum Decision {
    /// In a domain, or in any, with the known range of its result.
    In(Option<Domain>, Option<Range>),
    /// In one domain, with its result in another domain or width, and the known range of the result.
    Leaves(Leaving, Domain, Option<Range>),
}

struct Rules<'a> {
    context: Context<'a>,
    options: &'a Options,
    types: &'a [ValueType],
    bits_home: Domain,
    wanted: Vec<Option<Domain>>,
    signed: Vec<bool>,
    extensions: Vec<Option<(usize, bool)>>,
    of_value: Vec<Option<Domain>>,
    ranges: Vec<Option<Range>>,
    /// Sets of values that share one ring, as a forest.
    rings: Vec<usize>,
    /// The minimum width of a value's shares.
    least: Vec<u32>,
    /// Whether a value is a public constant, or copies of one.
    public: Vec<bool>,
    /// Whether the party that holds encrypted words has a value in the clear.
    held: Vec<bool>,
    /// Whether a value is in its domain only because a kernel of another domain puts it there.
    passing: Vec<bool>,
    /// Where pins put each value; known before the first operation is decided.
    pinned: Vec<Option<Pinned>>,
}

impl Rules<'_> {
    fn bits(&self, value: usize) -> u32 {
        word(self.types[value])
    }

    /// The known range of a value that is converted, or given, unchanged.
    fn whole(&self, value: usize) -> Option<Range> {
        let (mut value, mut signed) = (value, self.signed[value]);
        // Bits that extend others have the range of these, in the form that the words of both have.
        while let Some((narrow, repeats)) = self.extensions[value]
            && self.are_same_bits(narrow, value)
            && self.bits(narrow) < self.bits(value)
            && (signed || !repeats)
        {
            (value, signed) = (narrow, repeats);
        }
        Some(Range { bits: self.bits(value), signed })
    }

    /// Whether two values are bits of one domain.
    fn are_same_bits(&self, a: usize, b: usize) -> bool {
        let of = |value: usize| self.of_value.get(value).copied().flatten();
        of(a) == of(b) && of(a).is_some_and(|domain| !rules(domain).is_of_words())
    }

    /// The known range of an operand of operations in a domain of words.
    fn range(&self, value: ValueId, domain: Domain) -> Option<Range> {
        match self.is(value, domain) {
            true => self.ranges[value.index()],
            false => self.whole(value.index()),
        }
    }

    /// Whether the shares of a value are known to be those of its widening.
    fn is_exact(&self, value: usize) -> bool {
        self.ranges[value].is_some_and(|range| range.is_word(self.bits(value), self.signed[value]))
    }

    fn is(&self, value: ValueId, domain: Domain) -> bool {
        self.of_value[value.index()] == Some(domain)
    }

    /// Decides where an operation works, and the known range of its first result, `result`.
    fn decide(&mut self, op: &Op, result: usize) -> Decision {
        let (domain, range) = match op {
            Op::Constant(words) => (None, Some(Range::of_constant(words))),
            Op::Output { .. } => (None, None),
            Op::Open(value) | Op::Gather(value, _) => {
                let domain = self.of_value[value.index()];
                let is_word = domain.is_some_and(|domain| rules(domain).is_of_words());
                (domain, if is_word { self.ranges[value.index()] } else { None })
            }
            Op::Pin(domain, value) if rules(*domain).is_of_words() => {
                (Some(*domain), self.range(*value, *domain))
            }
            Op::Pin(domain, _) => (Some(*domain), None),
            Op::Input { .. } | Op::Random(_) => self.source(op, result),
            Op::Call { .. } | Op::Map { .. } | Op::Iterate { .. } => (Some(self.bits_home), None),
            op => return self.assigned(op, result).unwrap_or_else(|| self.compute(op, result)),
        };
        if let Some(domain) = domain.filter(|domain| rules(*domain).is_of_words()) {
            self.connect(op, domain, result);
        }
        Decision::In(domain, range)
    }

    /// Decides where something is computed: in the first domain of words that has an operand and supports the
    /// operation, else in one that an operand leaves through a kernel, else on bits.
    fn compute(&mut self, op: &Op, result: usize) -> Decision {
        let asked =
            [false, true].into_iter().flat_map(|left| WORD_DOMAINS.iter().map(move |one| (left, one)));
        for (left, words) in asked {
            if let Some(placed) = self.placed(*words, op, result, left) {
                return self.taken(words.domain(), placed, op, result);
            }
        }
        Decision::In(Some(self.on_bits(op)), None)
    }

    /// The decision for a domain of words that supports an operation.
    fn taken(&mut self, domain: Domain, placed: Placed, op: &Op, result: usize) -> Decision {
        match placed {
            Placed::Here { range, joined } => {
                if joined {
                    self.connect(op, domain, result);
                }
                Decision::In(Some(domain), range)
            }
            Placed::Elsewhere { kernel, width, domain: to, bits, range } => {
                debug_assert_eq!(self.bits(result), bits);
                if to == domain {
                    self.connect(op, domain, result);
                }
                Decision::Leaves(Leaving { kernel, domain, width }, to, range)
            }
        }
    }

    /// Where the options assign an operation, if no pin decides, and all operands can be converted there.
    fn assigned(&mut self, op: &Op, result: usize) -> Option<Decision> {
        let domain = self.options.assigned.of_op(op)?;
        let mut sealed = follows_pin(op, &self.pinned).is_some();
        op.for_each_operand(|value| {
            sealed |= self.of_value[value.index()].is_some_and(|domain| rules(domain).is_encrypted());
        });
        match word_domain(domain) {
            _ if sealed => None,
            Some(words) => {
                let placed = self.placed(words, op, result, false)?;
                Some(self.taken(domain, placed, op, result))
            }
            None => Some(Decision::In(Some(domain), None)),
        }
    }

    /// How a domain of words supports an operation, if one of its operands is there or, with `left`, if all
    /// operands pass through it.
    fn placed(&self, words: &dyn WordDomain, op: &Op, result: usize, left: bool) -> Option<Placed> {
        let domain = words.domain();
        let mut operands = Vec::new();
        let mut comes_by = false;
        op.for_each_operand(|value| {
            let of_value = self.of_value[value.index()];
            comes_by |= of_value.is_some_and(|of| rules(of).boundary == Some(domain));
            let (here, is_constant) = (self.is(value, domain), self.of_value[value.index()].is_none());
            let range = if here || is_constant { self.ranges[value.index()] } else { None };
            let (bits, read) = (self.bits(value.index()), self.range(value, domain));
            let (lanes, is_held) = (self.types[value.index()].lanes, self.held[value.index()]);
            operands.push(Operand { bits, lanes, here, is_constant, is_held, range, read });
        });
        let assigned = self.options.assigned.of_op(op) == Some(domain);
        match operands.iter().any(|operand| operand.here) || left && comes_by || assigned {
            true => {
                let asked = Asked { bits: self.bits(result), pinned: self.wanted[result] == Some(domain) };
                words.place(op, &operands, asked, self.options)
            }
            false => None,
        }
    }

    fn source(&self, op: &Op, result: usize) -> (Option<Domain>, Option<Range>) {
        // Inputs that no reader wants in a particular domain use the default domain.
        let domain = self.wanted[result].unwrap_or(self.options.domain);
        if self.bits(result) > rules(domain).max_bits() {
            return (Some(self.bits_home), None);
        }
        // Kept shares are sums modulo 2^bits, whatever their ring is.
        let is_known = rules(domain).is_of_words() && self.is_fresh(op);
        (Some(domain), if is_known { self.whole(result) } else { None })
    }

    /// Whether this is an input that is shared in this run.
    fn is_fresh(&self, op: &Op) -> bool {
        let program = self.context.program;
        matches!(op, Op::Input { port, .. } if !program.inputs[port.index()].is_stored(program))
    }

    /// The domain of an operation on bits: the first of those in which an operand is.
    fn on_bits(&self, op: &Op) -> Domain {
        let mut found = None;
        op.for_each_operand(|value| {
            let domain = self.of_value[value.index()].filter(|domain| !rules(*domain).is_of_words());
            let counts = domain.filter(|_| !self.passing[value.index()]);
            found = found.into_iter().chain(counts).min();
        });
        found.unwrap_or(self.bits_home)
    }

    /// Whether the result is a public constant, or copies of one. All other results of constants are shared.
    fn is_public(&self, op: &Op) -> bool {
        match op {
            Op::Constant(_) => true,
            Op::Open(value) => self.public[value.index()],
            Op::Gather(value, _) => self.public[value.index()] && self.types[value.index()].lanes == 1,
            _ => false,
        }
    }

    /// Whether the party that holds encrypted words has the result in the clear: an input of its own, or
    /// computed from such values.
    fn is_held(&self, op: &Op, decision: &Decision) -> bool {
        let Decision::In(Some(domain), _) = decision else { return false };
        if !rules(*domain).is_encrypted() {
            return false;
        }
        if let Op::Input { port, .. } = op {
            let role = self.context.program.inputs[port.index()].role.index() as u32;
            return self.is_fresh(op)
                && self.options.holder_roles.checked_shr(role).is_some_and(|roles| roles & 1 == 1);
        }
        let mut held = true;
        let mut some = false;
        op.for_each_operand(|value| {
            let is_constant = self.of_value[value.index()].is_none();
            held &= self.held[value.index()] && (is_constant || self.is(value, *domain));
            some = true;
        });
        held && some
    }

    /// Whether the result is in its domain only because its operand is.
    fn passes(&self, op: &Op) -> bool {
        matches!(op, Op::Open(value) | Op::Gather(value, _) if self.passing[value.index()])
    }

    /// Puts result and operands of an operation on words into one ring.
    fn connect(&mut self, op: &Op, domain: Domain, result: usize) {
        // Conversions make separate shares for each reader.
        let mut operands = Vec::new();
        op.for_each_operand(|value| {
            if self.is(value, domain) {
                operands.push(value);
            }
        });
        for value in operands {
            let (a, b) = (self.root(value.index()), self.root(result));
            self.rings[a.max(b)] = a.min(b);
        }
    }

    fn root(&self, mut value: usize) -> usize {
        while self.rings[value] != value {
            value = self.rings[value];
        }
        value
    }

    /// The width of the shares of each value: the largest in its ring.
    fn ring_bits(&self) -> Vec<u32> {
        let mut widest = vec![0; self.types.len()];
        for value in 0..self.types.len() {
            let root = self.root(value);
            let bits = self.bits(value).max(self.least[value]);
            widest[root] = bits.max(widest[root]);
        }
        (0..self.types.len()).map(|value| widest[self.root(value)]).collect()
    }
}
