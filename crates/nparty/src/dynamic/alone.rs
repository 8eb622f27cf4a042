//! A program with one party, for trying it out: three parties of this process compute, and the program only sees the
//! first.
//!
//! Every operation is written to all three, so that the program meets the same arrays, errors and limits as among several
//! parties.
//!
//! Security: none. All shares are in this process.

use std::net::TcpListener;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tacit_ir::Words;
use tacit_net::keys::{SecretKey, generate};
use tacit_net::session::{self, Config};

use super::{
    AnyCollection, AnyOperation, AnyParty, AnyPreparation, AnyReply, AnyTask, AnyValue, FieldChoice, Keep,
    join,
};
use crate::compiled::{Compiled, CompiledError, Plan};
use crate::error::{RunError, UsageError};
use crate::outside::{Description, Request, SplitRun};
use crate::parties::PartyIndex;
use crate::party::{Account, JoinTerms};
use crate::runtime::PeerTraffic;
use crate::runtime::identity::CallSite;
use crate::security::Security;
use crate::stored::Stored;

/// The number of parties that compute for the one.
const PARTIES: usize = 3;
const THRESHOLD: usize = 1;

/// Joins as a single party called `name`.
///
/// Errors: as [`join`]; there is no port on loopback.
pub fn join_alone(
    name: &str,
    (field, security): (&FieldChoice, Security),
    statistical_bits: usize,
) -> Result<Box<dyn AnyParty>, RunError> {
    let terms = terms_of(name, (field, security), statistical_bits)?;
    let joined = at_the_same_time(terms, |terms| join(terms, || Ok(())));
    let parties = joined.into_iter().collect::<Result<Vec<_>, _>>()?;
    let root = Arc::new(AloneTask { tasks: parties.iter().map(|party| party.root()).collect() });
    Ok(Box::new(Alone { parties, root }))
}

/// The terms of all parties, on loopback.
fn terms_of(
    name: &str,
    (field, security): (&FieldChoice, Security),
    statistical_bits: usize,
) -> Result<Vec<JoinTerms<FieldChoice>>, RunError> {
    let system = |cause| RunError::System { what: "port on loopback", cause: Arc::new(cause) };
    // The party itself is the first by name.
    let names = (0..PARTIES).map(|number| format!("{name}{}", "'".repeat(number)));
    let mut members = Vec::new();
    for name in names {
        let listener = TcpListener::bind("127.0.0.1:0").map_err(system)?;
        let address = listener.local_addr().map_err(system)?.to_string();
        let (key, public) = generate().map_err(|_| RunError::Entropy)?;
        let address = address.parse().map_err(|_| RunError::Over)?;
        members.push((session::Party { name, address, key: Some(public) }, key, Arc::new(listener)));
    }
    let parties: Vec<_> = members.iter().map(|(party, ..)| party.clone()).collect();
    let terms = |(party, key, listener): (session::Party, SecretKey, Arc<TcpListener>)| JoinTerms {
        config: Config { listener: Some(listener), ..Config::new(parties.clone()) },
        me: party.name,
        key: Some(key),
        field: field.clone(),
        threshold: THRESHOLD,
        security,
        statistical_bits,
        fields: Vec::new(),
        store: None,
    };
    Ok(members.into_iter().map(terms).collect())
}

/// Does the same with each element, all at the same time, since they may wait for one another.
fn at_the_same_time<T: Send, R: Send>(all: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = all.into_iter().map(|one| scope.spawn(move || work(one))).collect();
        let done = threads.into_iter().map(|thread| thread.join());
        done.map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

/// The values of an operation, from those at each of the parties.
fn whole(parts: Vec<Vec<AnyValue>>) -> Vec<AnyValue> {
    let count = parts.first().map_or(0, Vec::len);
    let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
    (0..count).map(|_| AnyValue::of_parts(parts.iter_mut().flat_map(Iterator::next).collect())).collect()
}

/// The parties that compute for the one.
struct Alone {
    parties: Vec<Box<dyn AnyParty>>,
    root: Arc<AloneTask>,
}

impl AnyParty for Alone {
    fn root(&self) -> Arc<dyn AnyTask> {
        self.root.clone()
    }

    fn bytes_sent(&self) -> u64 {
        self.parties.first().map_or(0, |party| party.bytes_sent())
    }

    fn account(&self) -> Account {
        let mut account = self.parties[0].account();
        account.peers.truncate(1);
        account
    }

    fn conclude(&self) {
        self.parties.iter().for_each(|party| party.conclude());
    }

    fn leave(self: Box<Self>) -> Result<(), RunError> {
        at_the_same_time(self.parties, |party| party.leave()).into_iter().collect()
    }

    fn give_up(self: Box<Self>, why: &str) -> Result<(), RunError> {
        let mut ended = self.parties.into_iter().map(|party| party.give_up(why));
        let first = ended.next().unwrap_or(Ok(()));
        // The others may have ended because the first told them of its end, which is no failure here.
        ended.for_each(drop);
        first
    }
}

/// The same task at all three.
struct AloneTask {
    tasks: Vec<Arc<dyn AnyTask>>,
}

impl AloneTask {
    fn first(&self) -> &dyn AnyTask {
        &*self.tasks[0]
    }
}

impl AnyTask for AloneTask {
    fn apply(&self, operation: AnyOperation<'_>) -> Result<Vec<AnyValue>, RunError> {
        let apply = |(part, task): (usize, &Arc<dyn AnyTask>)| task.apply(operation.part(part)?);
        Ok(whole(self.tasks.iter().enumerate().map(apply).collect::<Result<_, _>>()?))
    }

    fn value(&self, operation: AnyOperation<'_>) -> Result<AnyValue, RunError> {
        let value = |(part, task): (usize, &Arc<dyn AnyTask>)| task.value(operation.part(part)?);
        Ok(AnyValue::of_parts(self.tasks.iter().enumerate().map(value).collect::<Result<_, _>>()?))
    }

    fn read(&self, value: &AnyValue, reply: AnyReply) -> Result<(), RunError> {
        self.first().read(value.part(0)?, reply)
    }

    fn named(&self, name: &str) -> Result<Box<dyn AnyTask>, RunError> {
        let named = self.tasks.iter().map(|task| task.named(name).map(Arc::from));
        Ok(Box::new(AloneTask { tasks: named.collect::<Result<_, _>>()? }))
    }

    fn call_site(&self, name: String) -> CallSite {
        // The same at all three, since they are asked in the same order.
        let sites: Vec<_> = self.tasks.iter().map(|task| task.call_site(name.clone())).collect();
        sites[0]
    }

    fn at(&self, call_site: CallSite) {
        self.tasks.iter().for_each(|task| task.at(call_site));
    }

    fn flush(&self) {
        self.tasks.iter().for_each(|task| task.flush());
    }

    fn security(&self) -> Security {
        self.first().security()
    }

    fn me(&self) -> PartyIndex {
        0
    }

    fn names(&self) -> &[String] {
        &self.first().names()[..1]
    }

    fn threshold(&self) -> usize {
        THRESHOLD
    }

    fn number_bits(&self) -> usize {
        self.first().number_bits()
    }

    fn agree(&self, fields: Vec<session::Field>) -> Result<(), RunError> {
        self.tasks.iter().try_for_each(|task| task.agree(fields.clone()))
    }

    fn has_opened(&self) -> bool {
        self.first().has_opened()
    }

    fn keep(&self, _: Keep, _: usize) -> Result<AnyPreparation, RunError> {
        Err(UsageError::Alone { what: "a store of prepared material" }.into())
    }

    fn stored(&self) -> Stored {
        self.first().stored()
    }

    fn outside_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn collect(&self, _: &Request) -> Result<AnyCollection, RunError> {
        Err(UsageError::Alone { what: "collecting inputs of parties that do not compute" }.into())
    }

    fn tell_outside(&self, _: Description, _: &AnyValue, _: &[String]) -> Result<AnyPreparation, RunError> {
        Err(UsageError::Alone { what: "telling parties that do not compute" }.into())
    }

    fn plan(&self, compiled: &Compiled) -> Result<Plan, CompiledError> {
        self.first().plan(compiled)
    }

    fn run(
        &self,
        compiled: &Compiled,
        inputs: &[Vec<Words>],
        agreed: &mut dyn FnMut(),
    ) -> Result<Vec<Vec<Words>>, CompiledError> {
        agreed();
        let nothing = vec![Vec::new(); inputs.len()];
        let of = |part: usize| if part == 0 { inputs } else { &nothing };
        let parts: Vec<_> = self.tasks.iter().enumerate().map(|(part, task)| (task, of(part))).collect();
        let mut ran = at_the_same_time(parts, |(task, inputs)| task.run(compiled, inputs, &mut || ()));
        ran.swap_remove(0)
    }

    fn compute(
        &self,
        compiled: &Compiled,
        own: &[Vec<Words>],
        shared: &[Option<&AnyValue>],
    ) -> Result<Vec<AnyValue>, CompiledError> {
        let nothing = vec![Vec::new(); own.len()];
        let compute = |(part, task): (usize, &Arc<dyn AnyTask>)| {
            let shared = shared.iter().map(|words| words.map(|words| words.part(part)).transpose());
            let shared = shared.collect::<Result<Vec<_>, _>>()?;
            task.compute(compiled, if part == 0 { own } else { &nothing }, &shared)
        };
        Ok(whole(self.tasks.iter().enumerate().map(compute).collect::<Result<_, _>>()?))
    }

    fn opened(&self, compiled: &Compiled, words: &AnyValue) -> Result<AnyValue, CompiledError> {
        let opened = |(part, task): (usize, &Arc<dyn AnyTask>)| task.opened(compiled, words.part(part)?);
        Ok(AnyValue::of_parts(self.tasks.iter().enumerate().map(opened).collect::<Result<_, _>>()?))
    }

    fn run_split(
        &self,
        _: &SplitRun<'_>,
        _: &[Vec<Words>],
        _: Duration,
    ) -> Result<Vec<Vec<Words>>, CompiledError> {
        Err(RunError::from(UsageError::Alone { what: "roles of parties that do not compute" }).into())
    }

    fn payload(&self) -> Vec<PeerTraffic> {
        self.first().payload().into_iter().take(1).collect()
    }

    fn idle(&self) -> Duration {
        self.first().idle()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use num_bigint::BigUint;

    use super::*;
    use crate::dynamic::{AnyPair, Numbers};
    use crate::runtime::security::LEAST_STATISTICAL_BITS;

    fn numbers(numbers: &[i64]) -> Numbers {
        Numbers::from(numbers.to_vec())
    }

    #[test]
    fn a_program_of_one_party_computes_as_among_three() {
        let fields = [FieldChoice::Prime(BigUint::from((1u64 << 61) - 1)), FieldChoice::Gf256];
        for (field, security) in
            fields.iter().flat_map(|field| Security::ALL.map(|security| (field, security)))
        {
            let party = join_alone("p1", (field, security), LEAST_STATISTICAL_BITS).expect("a party");
            let task = party.root();
            assert_eq!((task.names(), task.me()), (&["p1".to_owned()][..], 0));
            let input = AnyOperation::Input { owner: 0, length: 2, numbers: Some(numbers(&[3, 5])) };
            let x = task.value(input).expect("an input");
            let square = task.value(AnyOperation::Pair(AnyPair::Mul, &x, &x)).expect("a product");
            let other = task.named("other").expect("a task");
            let sum = other.value(AnyOperation::SumRuns(&square, 2)).expect("a sum");
            let opened = other.value(AnyOperation::Open(&sum)).expect("an opening");
            let (sender, told) = sync_channel(1);
            other
                .read(&opened, Box::new(move |told| sender.send(told).expect("somebody waits")))
                .expect("public");
            let found = told.recv_timeout(Duration::from_secs(60)).expect("in time").expect("numbers");
            let expected = if *field == FieldChoice::Gf256 { 5 ^ 17 } else { 34 };
            assert_eq!(found, numbers(&[expected]));
            let synchronised = task.value(AnyOperation::Synchronise).expect("alive");
            let (sender, told) = sync_channel(1);
            task.read(&synchronised, Box::new(move |told| sender.send(told).expect("somebody waits")))
                .expect("public");
            told.recv_timeout(Duration::from_secs(60)).expect("in time").expect("all are there");
            party.leave().expect("a good end");
        }
    }

    #[test]
    fn what_needs_others_is_refused() {
        let field = FieldChoice::Prime(BigUint::from((1u64 << 61) - 1));
        let party = join_alone("p1", (&field, Security::Passive), LEAST_STATISTICAL_BITS).expect("a party");
        let task = party.root();
        let error = task.keep(Keep::Bits, 5).map(drop).expect_err("no store").to_string();
        assert!(error.contains("one party"), "{error}");
        let wrong = AnyOperation::Input { owner: 1, length: 1, numbers: None };
        assert!(task.value(wrong).is_err(), "the first of three is not the second");
        party.give_up("a test").expect("nothing went wrong before");
    }
}
