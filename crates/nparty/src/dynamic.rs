//! Computations in a field that is chosen at run time, on numbers of any size, for a front end without static types.

mod alone;
mod numbers;
mod operation;
mod value;

use std::sync::Arc;
use std::time::Duration;

use num_bigint::BigUint;
use tacit_ir::Words;
use tacit_math::field::{Field, Gf256, Mersenne61, Montgomery};
use tacit_net::session;
use zeroize::Zeroizing;

pub use alone::join_alone;
pub use numbers::Numbers;
pub use operation::{AnyOperation, AnyPair};
pub use value::AnyValue;

use crate::compiled::{Compiled, CompiledError, Plan};
use crate::error::{RunError, UsageError};
use crate::outside::{self, Description, OutsideRun, Request, SplitRun, Visited};
use crate::parties::PartyIndex;
use crate::party::{Account, JoinTerms, Party};
use crate::program::Task;
use crate::runtime::PeerTraffic;
use crate::runtime::forecast::Prediction;
use crate::runtime::identity::CallSite;
use crate::security::Security;
use crate::stored::Stored;

/// A field by its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldChoice {
    /// The integers modulo a prime.
    Prime(BigUint),
    /// GF(2^8).
    Gf256,
}

/// Receives numbers that are read.
pub type AnyReply = Box<dyn FnOnce(Result<Numbers, RunError>) + Send>;

/// Material to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Random bits.
    Bits,
    /// The material for comparisons.
    Comparisons,
    /// Masks of this many bits.
    Masks(usize),
}

/// Makes material and keeps it; returns when all parties have it. Blocks.
pub type AnyPreparation = Box<dyn FnOnce() -> Result<(), RunError> + Send>;

/// Waits for inputs, and returns those that have arrived, by their place in the request. Blocks.
pub type AnyCollection = Box<dyn FnOnce() -> Result<Vec<(usize, AnyValue)>, RunError> + Send>;

/// A task of a computation in any field; see [`Task`].
pub trait AnyTask: Send + Sync {
    /// Writes an operation; most return one value.
    ///
    /// Errors: as the operation's own method of [`Task`]; numbers that are not in the field.
    fn apply(&self, operation: AnyOperation<'_>) -> Result<Vec<AnyValue>, RunError>;

    /// As [`AnyTask::apply`], for an operation with one result.
    ///
    /// Errors: as [`AnyTask::apply`].
    fn value(&self, operation: AnyOperation<'_>) -> Result<AnyValue, RunError>;

    /// Calls back with a public value's numbers; see [`Task::read`].
    ///
    /// Errors: the value is not public, or the computation has ended.
    fn read(&self, value: &AnyValue, reply: AnyReply) -> Result<(), RunError>;

    /// The task with this name; see [`Task::named`].
    ///
    /// Errors: the name was used before, or the computation has ended.
    fn named(&self, name: &str) -> Result<Box<dyn AnyTask>, RunError>;

    /// See [`Task::call_site`].
    fn call_site(&self, name: String) -> CallSite;

    /// See [`Task::at`].
    fn at(&self, call_site: CallSite);

    /// See [`Task::flush`].
    fn flush(&self);

    /// See [`Scheme::security`](crate::scheme::Scheme::security).
    fn security(&self) -> Security;

    /// See [`Task::me`].
    fn me(&self) -> PartyIndex;

    /// See [`Task::names`].
    fn names(&self) -> &[String];

    /// The threshold: this many parties learn nothing, even together.
    fn threshold(&self) -> usize;

    /// See [`Task::number_bits`].
    fn number_bits(&self) -> usize;

    /// As [`Task::agree`], without waiting for the result.
    ///
    /// Errors: as there.
    fn agree(&self, fields: Vec<session::Field>) -> Result<(), RunError>;

    /// See [`Task::has_opened`].
    fn has_opened(&self) -> bool;

    /// Returns a function that makes material and keeps it in the stores of all parties, to be called on a thread of its own; see
    /// [`Task::keep_bits`] and others.
    ///
    /// Errors: as there.
    fn keep(&self, what: Keep, count: usize) -> Result<AnyPreparation, RunError>;

    /// See [`Task::stored`].
    fn stored(&self) -> Stored;

    /// The names of the parties that don't compute, in order.
    fn outside_names(&self) -> Vec<String>;

    /// Asks parties that don't compute for an input; see [`Task::collect`].
    ///
    /// Errors: as there.
    fn collect(&self, request: &Request) -> Result<AnyCollection, RunError>;

    /// Sends a value to parties that don't compute; see [`Task::tell_outside`].
    ///
    /// Errors: as there.
    fn tell_outside(
        &self,
        what: Description,
        value: &AnyValue,
        to: &[String],
    ) -> Result<AnyPreparation, RunError>;

    /// See [`Compiled::plan`].
    ///
    /// Errors: as there.
    fn plan(&self, compiled: &Compiled) -> Result<Plan, CompiledError>;

    /// See [`Compiled::run_agreed`].
    ///
    /// Errors: as there.
    fn run(
        &self,
        compiled: &Compiled,
        inputs: &[Vec<Words>],
        agreed: &mut dyn FnMut(),
    ) -> Result<Vec<Vec<Words>>, CompiledError>;

    /// See [`Compiled::compute`]. `shared` has the words of each port that no party gives.
    ///
    /// Errors: as there.
    fn compute(
        &self,
        compiled: &Compiled,
        own: &[Vec<Words>],
        shared: &[Option<&AnyValue>],
    ) -> Result<Vec<AnyValue>, CompiledError>;

    /// See [`Compiled::opened`], for a program with one input.
    ///
    /// Errors: as there.
    fn opened(&self, compiled: &Compiled, words: &AnyValue) -> Result<AnyValue, CompiledError>;

    /// See [`SplitRun::run`].
    ///
    /// Errors: as there.
    fn run_split(
        &self,
        run: &SplitRun<'_>,
        inputs: &[Vec<Words>],
        within: Duration,
    ) -> Result<Vec<Vec<Words>>, CompiledError>;

    /// See [`Task::payload`].
    fn payload(&self) -> Vec<PeerTraffic>;

    /// See [`Task::idle`].
    fn idle(&self) -> Duration;
}

/// A party of a computation in any field; see [`Party`].
pub trait AnyParty: Send + Sync {
    /// The first task of the program.
    fn root(&self) -> Arc<dyn AnyTask>;

    /// Bytes sent over all links, without the overhead of the transport.
    fn bytes_sent(&self) -> u64;

    /// See [`Party::account`].
    fn account(&self) -> Account;

    /// See [`Party::conclude`].
    fn conclude(&self);

    /// See [`Party::leave`].
    ///
    /// Errors: why the computation had ended already.
    fn leave(self: Box<Self>) -> Result<(), RunError>;

    /// See [`Party::give_up`].
    ///
    /// Errors: why the computation had ended already.
    fn give_up(self: Box<Self>, why: &str) -> Result<(), RunError>;
}

/// Something to do in a field that is chosen at run time.
trait OverField {
    /// Its result.
    type Output;

    /// Does it in a field.
    fn over<F: Field>(self, field: F) -> Self::Output;
}

/// Does something in the chosen field.
///
/// Errors: the modulus is not an odd prime or has more than 512 bits.
fn in_field<W: OverField>(choice: &FieldChoice, work: W) -> Result<W::Output, RunError> {
    let prime = match choice {
        FieldChoice::Gf256 => return Ok(work.over(Gf256)),
        FieldChoice::Prime(prime) => prime,
    };
    let limbs = limbs_of(prime)?;
    let wrong = |cause| UsageError::Modulus { modulus: prime.clone(), cause };
    Ok(match limbs.len() {
        _ if limbs == [Mersenne61::MODULUS] => work.over(Mersenne61),
        1 => work.over(Montgomery::<1>::new(&limbs).map_err(wrong)?),
        2 => work.over(Montgomery::<2>::new(&limbs).map_err(wrong)?),
        _ => work.over(Montgomery::<8>::new(&limbs).map_err(wrong)?),
    })
}

/// Joins the others; see [`Party::join`].
///
/// Errors: the modulus is not an odd prime or has more than 512 bits; as [`Party::join`].
pub fn join(
    terms: JoinTerms<FieldChoice>,
    poll: impl FnMut() -> Result<(), RunError>,
) -> Result<Box<dyn AnyParty>, RunError> {
    struct Join<P>(JoinTerms<FieldChoice>, P);
    impl<P: FnMut() -> Result<(), RunError>> OverField for Join<P> {
        type Output = Result<Box<dyn AnyParty>, RunError>;

        fn over<F: Field>(self, field: F) -> Self::Output {
            Ok(Box::new(Party::join(self.0.in_field(field), self.1)?))
        }
    }
    in_field(&terms.field.clone(), Join(terms, poll))?
}

/// Visits the computing parties as one that doesn't compute; see [`outside::visit`].
///
/// Errors: the modulus is not an odd prime or has more than 512 bits; a number that is not in the field; as [`outside::visit`].
pub fn visit<E: From<RunError>>(
    terms: JoinTerms<FieldChoice>,
    runs: Vec<OutsideRun>,
    give: impl FnMut(&Description) -> Result<Numbers, E>,
    poll: impl FnMut() -> Result<(), E>,
) -> Result<Visited<Numbers>, E> {
    struct Visit<G, P>(JoinTerms<FieldChoice>, Vec<OutsideRun>, G, P);
    impl<E, G, P> OverField for Visit<G, P>
    where
        E: From<RunError>,
        G: FnMut(&Description) -> Result<Numbers, E>,
        P: FnMut() -> Result<(), E>,
    {
        type Output = Result<Visited<Numbers>, E>;

        fn over<F: Field>(self, field: F) -> Self::Output {
            let Visit(terms, runs, mut give, poll) = self;
            let give = |what: &Description| Ok(give(what)?.elements(&field)?);
            let visited = outside::visit(terms.in_field(field.clone()), runs, give, poll)?;
            Ok(visited.map(|elements| Numbers::of_elements(&field, &Zeroizing::new(elements))))
        }
    }
    in_field(&terms.field.clone(), Visit(terms, runs, give, poll))?
}

/// What a run of a compiled program sends in a computation in this field; see [`Compiled::prediction_in`].
///
/// Errors: the modulus is not an odd prime or has more than 512 bits; as [`Compiled::prediction_in`].
pub fn prediction(
    compiled: &Compiled,
    field: &FieldChoice,
    sizes: (usize, usize),
    statistical_bits: usize,
) -> Result<Prediction, CompiledError> {
    struct Predict<'c>(&'c Compiled, (usize, usize), usize);
    impl OverField for Predict<'_> {
        type Output = Result<Prediction, CompiledError>;

        fn over<F: Field>(self, field: F) -> Self::Output {
            self.0.prediction_in(&field, self.1, self.2)
        }
    }
    in_field(field, Predict(compiled, sizes, statistical_bits))?
}

/// The digits of an odd prime, lowest first.
fn limbs_of(prime: &BigUint) -> Result<Vec<u64>, RunError> {
    match numbers::is_odd_prime(prime) {
        true => Ok(prime.to_u64_digits()),
        false => Err(UsageError::NotPrime { modulus: prime.clone() }.into()),
    }
}

impl<F: Field> AnyParty for Party<F> {
    fn root(&self) -> Arc<dyn AnyTask> {
        Party::root(self)
    }

    fn bytes_sent(&self) -> u64 {
        self.counts().bytes_sent
    }

    fn account(&self) -> Account {
        Party::account(self)
    }

    fn conclude(&self) {
        Party::conclude(self);
    }

    fn leave(self: Box<Self>) -> Result<(), RunError> {
        Party::leave(*self)
    }

    fn give_up(self: Box<Self>, why: &str) -> Result<(), RunError> {
        Party::give_up(*self, why)
    }
}

impl<F: Field> AnyTask for Task<F> {
    fn apply(&self, operation: AnyOperation<'_>) -> Result<Vec<AnyValue>, RunError> {
        match operation.is_on_bytes::<F>() {
            true => operation.apply(self.bytes()?),
            false => operation.apply(self),
        }
    }

    fn value(&self, operation: AnyOperation<'_>) -> Result<AnyValue, RunError> {
        match operation.is_on_bytes::<F>() {
            true => operation.any_value(self.bytes()?),
            false => operation.any_value(self),
        }
    }

    fn read(&self, value: &AnyValue, reply: AnyReply) -> Result<(), RunError> {
        if let (Err(_), Ok(value)) = (value.of::<F>(), value.of::<Gf256>()) {
            return self.bytes()?.read(value, move |result| {
                reply(result.map(|elements| Numbers::of_elements(&Gf256, &elements)));
            });
        }
        let field = self.field().clone();
        Task::read(self, value.of()?, move |result| {
            reply(result.map(|elements| Numbers::of_elements(&field, &elements)));
        })
    }

    fn named(&self, name: &str) -> Result<Box<dyn AnyTask>, RunError> {
        Ok(Box::new(Task::named(self, name)?))
    }

    fn call_site(&self, name: String) -> CallSite {
        Task::call_site(self, name)
    }

    fn at(&self, call_site: CallSite) {
        Task::at(self, call_site);
    }

    fn flush(&self) {
        Task::flush(self);
    }

    fn security(&self) -> Security {
        self.scheme().security()
    }

    fn me(&self) -> PartyIndex {
        Task::me(self)
    }

    fn names(&self) -> &[String] {
        Task::names(self)
    }

    fn threshold(&self) -> usize {
        self.scheme().threshold()
    }

    fn number_bits(&self) -> usize {
        Task::number_bits(self)
    }

    fn agree(&self, fields: Vec<session::Field>) -> Result<(), RunError> {
        Task::agree(self, fields).map(drop)
    }

    fn has_opened(&self) -> bool {
        Task::has_opened(self)
    }

    fn keep(&self, what: Keep, count: usize) -> Result<AnyPreparation, RunError> {
        let preparation = match what {
            Keep::Bits => self.keep_bits(count),
            Keep::Comparisons => self.keep_comparisons(count),
            Keep::Masks(bits) => self.keep_masks(bits, count),
        }?;
        Ok(Box::new(|| preparation.fill()))
    }

    fn stored(&self) -> Stored {
        Task::stored(self)
    }

    fn outside_names(&self) -> Vec<String> {
        self.outside().map_or(Vec::new(), |outside| outside.names.clone())
    }

    fn collect(&self, request: &Request) -> Result<AnyCollection, RunError> {
        let collection = Task::collect(self, request)?;
        Ok(Box::new(|| {
            let values = collection.finish()?.into_iter();
            Ok(values.map(|(place, value)| (place, AnyValue::new(value))).collect())
        }))
    }

    fn tell_outside(
        &self,
        what: Description,
        value: &AnyValue,
        to: &[String],
    ) -> Result<AnyPreparation, RunError> {
        let telling = Task::tell_outside(self, what, value.of()?, to)?;
        Ok(Box::new(|| telling.finish()))
    }

    fn plan(&self, compiled: &Compiled) -> Result<Plan, CompiledError> {
        compiled.plan(self)
    }

    fn run(
        &self,
        compiled: &Compiled,
        inputs: &[Vec<Words>],
        agreed: &mut dyn FnMut(),
    ) -> Result<Vec<Vec<Words>>, CompiledError> {
        compiled.run_agreed(self, inputs, agreed)
    }

    fn compute(
        &self,
        compiled: &Compiled,
        own: &[Vec<Words>],
        shared: &[Option<&AnyValue>],
    ) -> Result<Vec<AnyValue>, CompiledError> {
        let column = |words: &AnyValue| Ok(words.column::<F>()?.clone());
        let port = |words: &Option<&AnyValue>| words.iter().map(|words| column(words)).collect();
        let shared = shared.iter().map(port).collect::<Result<Vec<Vec<_>>, RunError>>()?;
        let made = compiled.compute(self, own, &shared)?.into_iter().zip(compiled.output_columns());
        Ok(made.map(|(bits, column)| AnyValue::of_column(bits, column)).collect())
    }

    fn opened(&self, compiled: &Compiled, words: &AnyValue) -> Result<AnyValue, CompiledError> {
        let column = words.column::<F>()?.clone();
        Ok(AnyValue::new(compiled.opened(self, &[vec![column]])?))
    }

    fn run_split(
        &self,
        run: &SplitRun<'_>,
        inputs: &[Vec<Words>],
        within: Duration,
    ) -> Result<Vec<Vec<Words>>, CompiledError> {
        run.run(self, inputs, within)
    }

    fn payload(&self) -> Vec<PeerTraffic> {
        Task::payload(self)
    }

    fn idle(&self) -> Duration {
        Task::idle(self)
    }
}
