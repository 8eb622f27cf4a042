//! The domains of compiled programs among n parties, and the conversions between them: each in a folder or file of its own. The rest of the crate uses only the
//! items of this file.

mod arith;
pub(crate) mod bool;
mod conversions;
mod replicated;
pub(crate) mod yao;

use std::sync::Arc;

use tacit_circuit::Executable;
use tacit_ir::{Domain, Words};
use tacit_math::field::{BitOctets, Field, GaloisRing, Gf256};
use tacit_schedule::walk::{CircuitTask, KernelTask};
use tacit_schedule::{Action, ArithOp, Bundle as Form, Kernel, Schedule};

use super::CompiledError;
use super::column_bits::ColumnBits;
use super::elements::Elements;
use super::memory::Bundle;
use crate::parties::{Parties, PartyIndex};
use crate::program::Task;
use crate::protocol::minimum::shape::Shape;
use crate::security::Security;

/// The domain of bits.
pub(super) const BITS: Domain = Domain::Bool;

/// Where a step is written.
#[derive(Clone, Copy)]
pub(super) struct Site<'a, F: Field> {
    pub(super) task: &'a Task<F>,
    pub(super) schedule: &'a Arc<Schedule>,
    /// Tells the step apart from others.
    pub(super) hash: u64,
}

/// A column of an input.
pub(super) struct InputColumn<'a> {
    pub(super) owner: PartyIndex,
    /// The column's words, if this party is its owner.
    pub(super) words: Option<&'a Words>,
    /// How they are to be shared.
    pub(super) form: Form,
    /// The width of the words; they may be stored wider.
    pub(super) bits: u32,
    /// Whether the words are signed, which decides how they are widened.
    pub(super) signed: bool,
    /// Elements.
    pub(super) length: usize,
}

/// Opened elements that have not been read yet; those of each field in the order of outputs.
pub(super) struct OpenedElements<'a, F: Field> {
    pub(super) own: &'a [F::Element],
    pub(super) bytes: &'a [u8],
}

/// How the values of a domain are shared among n parties, and how steps on them are written to a task. Forecasts count what a step writes.
pub(super) trait SharedDomain<F: Field>: Sync {
    /// The domain; reports name it.
    fn domain(&self) -> Domain;

    /// Whether values of a domain are shared in this way.
    fn has(&self, domain: Domain) -> bool {
        domain == self.domain()
    }

    /// Whether values are shared in this way, for this number of parties and this program.
    fn serves(&self, _: Size) -> bool {
        true
    }

    /// A column of an input.
    fn input(&self, site: Site<'_, F>, column: &InputColumn<'_>) -> Result<Bundle<F>, CompiledError>;

    /// A column of an input of which all parties have shares. Domains whose values are not bits take none.
    fn shared_input(&self, _: &ColumnBits<F>) -> Result<Bundle<F>, CompiledError> {
        Err(CompiledError::OtherSchedule)
    }

    /// A column of an output that stays shared. Domains whose values are not bits give none.
    fn shared_output(&self, _: &Bundle<F>) -> Result<ColumnBits<F>, CompiledError> {
        Err(CompiledError::OtherSchedule)
    }

    /// This many elements of random words.
    fn random(&self, site: Site<'_, F>, form: Form, length: usize) -> Result<Bundle<F>, CompiledError>;

    /// A public constant, once for every copy of its lanes.
    fn constant(
        &self,
        site: Site<'_, F>,
        words: &Words,
        form_copies: (Form, u64),
    ) -> Result<Bundle<F>, CompiledError>;

    /// Reveals words to some parties, and nothing else.
    fn open(
        &self,
        site: Site<'_, F>,
        source_form: (&Bundle<F>, Form),
        to: Parties,
    ) -> Result<Elements<F>, CompiledError>;

    /// The words of the next opened column, of this many bits and lanes; `None` if there are no more.
    fn words(&self, field: &F, opened: &mut OpenedElements<'_, F>, column: (u32, u64)) -> Option<Words>;

    /// Whether a circuit is garbled.
    fn garbles(&self, _: &Executable) -> bool {
        false
    }

    /// Runs a circuit, and returns how many bytes it takes. A domain of words runs no circuits.
    fn circuit(
        &self,
        _: Site<'_, F>,
        _: &CircuitTask<'_, Bundle<F>>,
    ) -> Result<(Vec<Bundle<F>>, usize), CompiledError> {
        Err(CompiledError::OtherSchedule)
    }
}

/// Something that runs kernels: a domain runs those on its own values, a conversion those between two domains.
pub(super) trait KernelRunner<F: Field>: Sync {
    /// Whether it runs this kernel.
    fn runs(&self, kernel: &Kernel) -> bool;

    /// Whether it serves this number of parties and this program.
    fn serves(&self, _: Size) -> bool {
        true
    }

    /// Writes a kernel, and returns its results.
    fn write(
        &self,
        site: Site<'_, F>,
        task: &KernelTask<'_, Bundle<F>>,
    ) -> Result<Vec<Bundle<F>>, CompiledError>;
}

/// The parties and the program for which values are shared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    /// How many parties there are.
    parties: usize,
    threshold: usize,
    /// Whether they may depart from the protocol.
    active: bool,
    /// Bits of the program's widest word that is not shared as bits.
    word_bits: u32,
}

impl Size {
    /// So many parties, for programs that have only bits.
    pub(super) fn of_parties((parties, threshold): (usize, usize), security: Security) -> Size {
        Size { parties, threshold, active: security == Security::Active, word_bits: 0 }
    }

    /// The parameters of a program and the parties of a task.
    pub(super) fn of<F: Field>(task: &Task<F>, schedule: &Schedule) -> Size {
        Size { word_bits: word_bits(schedule), ..Size::of_bits(task) }
    }

    /// The parties of a task, for programs that have only bits.
    pub(super) fn of_bits<F: Field>(task: &Task<F>) -> Size {
        let security = if task.scheme().is_active() { Security::Active } else { Security::Passive };
        Size::of_parties((task.names().len(), task.scheme().threshold()), security)
    }

    /// Whether there are three parties.
    pub(super) fn is_of_three(self) -> bool {
        self.parties == 3
    }

    /// Whether bits are shared eight to an element.
    pub(super) fn has_octets(self) -> bool {
        <BitOctets as bool::SharedBitDomain>::serves(self)
    }

    /// Whether the least of words is found on words, where they are shared modulo 2^64.
    pub(super) fn has_direct_minima(self) -> bool {
        !self.active && (self.parties, self.threshold) == GaloisRing::PARTIES
    }

    /// Whether words are shared modulo 2^64, where they wrap around: among three parties, if no word is wider.
    pub(super) fn wraps(self) -> bool {
        (self.parties, self.threshold) == GaloisRing::PARTIES && self.word_bits <= GaloisRing::BITS
    }
}

/// Bits of a schedule's widest word that is not shared as bits.
fn word_bits(schedule: &Schedule) -> u32 {
    let bundles = schedule.bodies.iter().flat_map(|body| &body.bundles);
    bundles.filter(|bundle| bundle.rules().is_of_words()).map(|bundle| bundle.bits).max().unwrap_or(0)
}

/// Words of a run, and bits of their differences, if a kernel finds the least of words.
fn minimum(kernel: &Kernel) -> Option<(u64, u32)> {
    match *kernel {
        Kernel::Arith(ArithOp::ArgMin { length, difference }) => Some((length, difference)),
        _ => None,
    }
}

/// How many products take as long as comparing words in so many runs, for a kernel that finds the least of them.
pub(super) fn compared_products(kernel: &Kernel, runs: u64) -> u64 {
    let shape = |(length, bits)| Shape { length: length as usize, runs: runs as usize, bits };
    // Two parties make a tag each, in about the time of a product.
    minimum(kernel).map(shape).map_or(0, |shape| shape.tags().saturating_mul(2))
}

/// Whether three parties cannot find the least of words directly as a schedule says, because some words are too wide.
pub(super) fn has_wide_minima(schedule: &Schedule) -> bool {
    let mut steps = schedule.bodies.iter().flat_map(|body| &body.steps);
    let finds = |action: &Action| match action {
        Action::Kernel { kernel, .. } => minimum(kernel).is_some(),
        _ => false,
    };
    word_bits(schedule) > GaloisRing::BITS && steps.any(|step| finds(&step.action))
}

/// All ways in which values are shared among n parties. Those of one domain are for different numbers of parties or different programs.
pub(super) fn all<F: Field>() -> [&'static dyn SharedDomain<F>; 5] {
    [
        &bool::Bits::<Gf256>::NEW,
        &bool::Bits::<BitOctets>::NEW,
        &yao::Garbled,
        &arith::Integers,
        &arith::WrappingWords,
    ]
}

/// The domain in which these parties have values of a domain.
pub(super) fn domain_of(size: Size, domain: Domain) -> Domain {
    shared::<Gf256>(size, domain).map_or(BITS, |shared| shared.domain())
}

/// Whether a circuit in a domain is garbled.
pub(super) fn is_garbled((size, domain): (Size, Domain), circuit: &Executable) -> bool {
    shared::<Gf256>(size, domain).is_some_and(|shared| shared.garbles(circuit))
}

/// The domains that exist among n parties.
pub(super) fn domains() -> Vec<Domain> {
    let mut domains: Vec<_> = all::<Gf256>().into_iter().map(|shared| shared.domain()).collect();
    domains.dedup();
    domains
}

/// The domains that exist among these parties.
pub(super) fn domains_among(size: Size) -> Vec<Domain> {
    let serving = all::<Gf256>().into_iter().filter(|one| one.serves(size));
    serving.map(|one| one.domain()).collect()
}

/// Whether a domain exists among n parties.
pub(super) fn is_shared(domain: Domain) -> bool {
    all::<Gf256>().into_iter().any(|one| one.has(domain))
}

/// How values of a domain are shared for a program, or `None` if they cannot be.
pub(super) fn shared<F: Field>(size: Size, domain: Domain) -> Option<&'static dyn SharedDomain<F>> {
    let serving = all().into_iter().filter(|one| one.has(domain) && one.serves(size));
    serving.max_by_key(|one| one.domain() == domain)
}

/// The domain that stands for another one among n parties: that of bits, if the other is only for two parties.
pub(super) fn domain_among(domain: Domain) -> Domain {
    let here = all::<Gf256>().into_iter().any(|one| one.domain() == domain);
    if here { domain } else { BITS }
}

fn runners<F: Field>() -> [&'static dyn KernelRunner<F>; 13] {
    [
        &bool::Bits::<Gf256>::NEW,
        &bool::Bits::<BitOctets>::NEW,
        &arith::Integers,
        &arith::WrappingWords,
        &conversions::ArithToBool::<Gf256>::NEW,
        &conversions::ArithToBool::<BitOctets>::NEW,
        &conversions::BoolToArith::<Gf256>::NEW,
        &conversions::BoolToArith::<BitOctets>::NEW,
        &conversions::ArithRingToBool,
        &conversions::BoolToArithRing,
        &conversions::ArithToYao::<Gf256>::NEW,
        &conversions::ArithToYao::<BitOctets>::NEW,
        &conversions::ArithRingToYao,
    ]
}

/// Whether this kernel can run among n parties.
pub(super) fn is_run(kernel: &Kernel) -> bool {
    runners::<Gf256>().into_iter().any(|one| one.runs(kernel))
}

/// What runs a kernel for a program, or `None`.
pub(super) fn runner<F: Field>(size: Size, kernel: &Kernel) -> Option<&'static dyn KernelRunner<F>> {
    runners().into_iter().find(|one| one.runs(kernel) && one.serves(size))
}
