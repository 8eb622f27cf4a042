//! A party of a computation among any number of parties, in Python.

use std::collections::BTreeMap;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use num_bigint::BigUint;
use pyo3::prelude::*;
use tacit_engine::{RunOptions, Store};
use tacit_net::session::Field;
use tacit_nparty::compiled::{Schedules, Speaker};
use tacit_nparty::dynamic::{
    AnyOperation, AnyParty, AnyReply, AnyTask, AnyValue, FieldChoice, Keep, Numbers, join, join_alone,
};
use tacit_nparty::outside::Request;
use tacit_nparty::sets;
use tacit_nparty::stored::Stored;
use tacit_nparty::{JoinTerms, Parties, RunError, Security};
use tacit_plan::{Link, Profile, SecurityParams};

use super::among::{Asked, CompiledPart, Outputs, PastRuns};
use super::array::Array;
use super::bitwise::{self, Known, of_bits};
use super::computation::{Core, PartyTask};
use super::errors::{KindError, RangeError, failure};
use super::frames::{Files, Frames};
use super::functions;
use super::inbox::Inbox;
use super::integers;
use super::kind::{PyKind, dims_of};
use super::numbers::{gathered, listed, numbers, outside};
use super::operand::{holds_secrets, literal};
use super::outside_values::described;
use super::party_report;
use super::run_time::{Present, RunCount};
use super::running_task::RunningTask;
use super::share::Share;
use crate::errors::{InputError, UsageError};
use crate::language::kind::Kind;
use crate::language::literal::Literal;
use crate::language::room::Room;
use crate::language::shape;
use crate::links::Links;
use crate::lock::lock;
use crate::program::Program;
use crate::run::Cancel;
use crate::session::{Listener, SecretKey, Session};
use crate::terms::meeting;

/// An awaited result.
enum Answer {
    /// A value that was read.
    Numbers(Numbers),
    /// The same, of floats.
    Floats(Vec<f64>),
    /// The outputs of a program to this party.
    Outputs(Outputs),
    /// Inputs of parties that do not compute, by position.
    Collected(Vec<(usize, Share)>),
}

/// The handler for a value that is read.
fn reply(inbox: &Arc<Inbox<PyResult<Answer>>>, number: u64, kind: Option<Kind>) -> AnyReply {
    let inbox = inbox.clone();
    Box::new(move |result| {
        let checked = result.map_err(|error| failure(&error)).and_then(|numbers| {
            kind.as_ref().map_or(Ok(()), |kind| refuse_broken(&numbers, kind))?;
            Ok(Answer::Numbers(numbers))
        });
        inbox.put(number, checked);
    })
}

/// The same for the bits of elements that are shared bit by bit.
fn reply_of_bits(inbox: &Arc<Inbox<PyResult<Answer>>>, number: u64, kind: Kind) -> AnyReply {
    let inbox = inbox.clone();
    Box::new(move |result| {
        let known = result.map_err(|error| failure(&error)).and_then(|bits| of_bits(&bits, &kind));
        inbox.put(
            number,
            known.map(|known| match known {
                Known::Numbers(numbers) => Answer::Numbers(numbers),
                Known::Floats(floats) => Answer::Floats(floats),
            }),
        );
    })
}

/// Refuses an input that its kind does not hold, at the party that gives it and before it is shared.
pub fn refuse_outside(numbers: &Numbers, kind: &Kind, name: &str) -> PyResult<()> {
    match kind.number().and_then(|number| Some((outside(numbers, number)?, number.bounds()))) {
        None => Ok(()),
        Some((found, (least, greatest))) => Err(InputError::new_err(format!(
            "{name}: {found} does not fit in {kind}, whose numbers are {least} to {greatest}{}; give one of these, or a wider kind at all \
             parties",
            scale(kind)
        ))),
    }
}

/// Refuses an opened number that its kind does not hold.
fn refuse_broken(numbers: &Numbers, kind: &Kind) -> PyResult<()> {
    match kind.number().and_then(|number| outside(numbers, number)) {
        None => Ok(()),
        Some(found) => Err(RangeError::new_err(format!(
            "{found}{} was opened, but x.within(…) promised {kind}; results computed from it may be wrong, \
             and part of it may have become known",
            scale(kind)
        ))),
    }
}

/// The text that says by what the words of a kind are divided.
fn scale(kind: &Kind) -> String {
    match kind.fraction() {
        0 => String::new(),
        fraction => format!(" times 2^-{fraction}"),
    }
}

/// The first array with a kind in nested lists of numbers.
fn partner(object: &Bound<'_, PyAny>) -> PyResult<Option<Share>> {
    if let Ok(array) = object.cast::<Array>() {
        let share = array.get().shared("an array")?;
        return Ok(share.kind.is_some().then(|| share.clone()));
    }
    if !holds_secrets(object) {
        return Ok(None);
    }
    for item in object.try_iter()? {
        if let Some(found) = partner(&item?)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The shape that a party's input must have.
///
/// Errors: it has another one.
fn checked_shape(given: &[u64], dims: &[u64]) -> PyResult<()> {
    match given == dims {
        true => Ok(()),
        false => Err(InputError::new_err(format!(
            "the input has shape {}, but shape {} was declared",
            shape::text(given),
            shape::text(dims)
        ))),
    }
}

/// The numbers that a party gives as floats.
fn floats(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Literal> {
    literal(value)?
        .ok_or_else(|| InputError::new_err(format!("{name}: {value} is not a number or an array of numbers")))
}

/// The number of an awaited result, with the result or an exception.
type Told = (u64, Option<Py<PyAny>>, Option<PyErr>);

/// The largest threshold with which this many parties can compute.
#[pyfunction]
pub fn largest_threshold(parties: usize) -> PyResult<usize> {
    sets::largest_threshold(parties).map_err(|error| UsageError::new_err(error.to_string()))
}

/// The security setting of this name.
fn named(name: &str) -> PyResult<Security> {
    let unknown = || {
        let names = Security::ALL.map(Security::name).join(" or ");
        UsageError::new_err(format!("security: expected {names} among three parties or more; found {name}"))
    };
    Security::named(name).ok_or_else(unknown)
}

/// The field of a computation among parties, and its security.
pub struct Protection<'py, 'a> {
    /// A prime, or 256 for GF(2^8).
    pub modulus: &'a Bound<'py, PyAny>,
    pub threshold: usize,
    pub security: &'a str,
}

/// The field of a modulus, or GF(2^8) for 256.
fn field_of(modulus: &Bound<'_, PyAny>) -> PyResult<FieldChoice> {
    let modulus = integers::integer(modulus)?.to_biguint();
    let modulus = modulus.ok_or_else(|| UsageError::new_err("the modulus must be positive"))?;
    Ok(match modulus == BigUint::from(256u32) {
        true => FieldChoice::Gf256,
        false => FieldChoice::Prime(modulus),
    })
}

/// The numbers that fit in a party's field with this modulus.
fn room_of(party: &dyn AnyParty, modulus: Option<BigUint>) -> Option<Room> {
    modulus.map(|modulus| Room::new(modulus, party.root().number_bits()))
}

/// The terms on which a party meets the others, without a store. `fields` are names and texts that must be
/// the same at all parties.
pub fn terms(
    session: &Session,
    (party, key): (String, &SecretKey),
    protection: &Protection<'_, '_>,
    fields: Vec<(String, String)>,
    (links, listener): (Links<'_>, Option<&Listener>),
) -> PyResult<(RunOptions, JoinTerms<FieldChoice>)> {
    let (options, config) = meeting(session, &links.given(), listener)?;
    let field = field_of(protection.modulus)?;
    let against = named(protection.security)?;
    let security = options.plan.security;
    security.check().map_err(|error| UsageError::new_err(error.to_string()))?;
    let level = format!("{} ({} bits computational)", security.level, security.computational_bits);
    let fields = std::iter::once(("security level".to_owned(), level)).chain(fields);
    let terms = JoinTerms {
        config,
        me: party,
        key: Some(key.0.clone()),
        field,
        threshold: protection.threshold,
        security: against,
        statistical_bits: security.statistical_bits as usize,
        fields: fields.map(|(name, text)| Field::text(name, text)).collect(),
        store: None,
    };
    Ok((options, terms))
}

/// A party that has joined the others.
#[pyclass(module = "tacit", frozen)]
pub struct PartyEnd {
    party: Mutex<Option<Box<dyn AnyParty>>>,
    /// Until it leaves.
    present: Mutex<Option<Present>>,
    root: Arc<dyn AnyTask>,
    core: Arc<Core>,
    schedules: Arc<Schedules>,
    /// Compiled programs that have run.
    past: Arc<Mutex<Vec<PastRuns>>>,
    runs: Arc<RunCount>,
    /// Steps of work that lowering a program may take, if the session sets it.
    effort: Option<u64>,
    security: SecurityParams,
    /// The link and the profile that times of runs are predicted for.
    planned: (Link, Arc<Profile>),
    /// The time limit for other parties' actions.
    timeout: Duration,
    inbox: Arc<Inbox<PyResult<Answer>>>,
}

#[pymethods]
impl PartyEnd {
    /// Joins the other parties. `modulus` is a prime, or 256 for GF(2^8); `fields` are names and texts that
    /// must be the same at all parties. `cancel` ends the wait for them. `ask` returns the running task; it
    /// is called when `current` returns another object than before. `front` lists the folders of the
    /// library's own files.
    #[staticmethod]
    #[pyo3(signature = (session, party, key, *, modulus, threshold, security, fields, cancel, current, ask, front, net = None, planned_link = None, profile = None, listener = None, store = None))]
    #[expect(clippy::too_many_arguments, reason = "all by name")]
    fn join(
        py: Python<'_>,
        session: &Session,
        party: String,
        key: &SecretKey,
        modulus: &Bound<'_, PyAny>,
        threshold: usize,
        security: &str,
        fields: Vec<(String, String)>,
        cancel: &Cancel,
        current: Py<PyAny>,
        ask: Py<PyAny>,
        front: Vec<String>,
        net: Option<&str>,
        planned_link: Option<&str>,
        profile: Option<&str>,
        listener: Option<&Listener>,
        store: Option<PathBuf>,
    ) -> PyResult<PartyEnd> {
        let protection = Protection { modulus, threshold, security };
        let links = Links { net, planned: planned_link, profile };
        let (options, terms) = terms(session, (party, key), &protection, fields, (links, listener))?;
        let security = options.plan.security;
        let open = |path: PathBuf| py.detach(|| Store::open(&path, &key.0));
        let store = store.map(open).transpose().map_err(|error| UsageError::new_err(error.to_string()))?;
        let room = match &terms.field {
            FieldChoice::Gf256 => None,
            FieldChoice::Prime(modulus) => Some(modulus.clone()),
        };
        let (terms, timeout) = (JoinTerms { store, ..terms }, session.file.limits.timeout);
        // Signals reach only the main thread, which this is not.
        let poll = || if cancel.0.is_cancelled() { Err(RunError::Over) } else { Ok(()) };
        let party = py.detach(|| join(terms, poll)).map_err(|error| failure(&error))?;
        let frames = Frames::new(py, Files::Outside(front))?;
        let (tasks, room) = (RunningTask::new(current, ask), room_of(&*party, room));
        let core = Core::new(tasks, frames, room, options.effort());
        PartyEnd::over(
            party,
            core,
            (options.effort(), timeout),
            (security, (options.plan.link, options.plan.profile.clone())),
        )
    }

    /// A single party, to try out a program: nothing is protected. The arguments are as for `join`.
    #[staticmethod]
    #[pyo3(signature = (party, *, modulus, security, current, ask, front))]
    fn alone(
        py: Python<'_>,
        party: &str,
        modulus: &Bound<'_, PyAny>,
        security: &str,
        current: Py<PyAny>,
        ask: Py<PyAny>,
        front: Vec<String>,
    ) -> PyResult<PartyEnd> {
        let (field, against) = (field_of(modulus)?, named(security)?);
        let room = match &field {
            FieldChoice::Gf256 => None,
            FieldChoice::Prime(modulus) => Some(modulus.clone()),
        };
        let options = RunOptions::default();
        let security = options.plan.security;
        let bits = security.statistical_bits as usize;
        let party = py.detach(|| join_alone(party, (&field, against), bits));
        let party = party.map_err(|error| failure(&error))?;
        let frames = Frames::new(py, Files::Outside(front))?;
        let core = Core::new(RunningTask::new(current, ask), frames, room_of(&*party, room), None);
        PartyEnd::over(
            party,
            core,
            (None, Duration::ZERO),
            (security, (options.plan.link, options.plan.profile.clone())),
        )
    }

    /// The names of the parties in order.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.root.names().to_vec()
    }

    /// The task of this name; the first task's name is empty.
    fn task(&self, name: &str) -> PyResult<PartyTask> {
        if name.is_empty() {
            return Ok(PartyTask::new(self.root.clone()));
        }
        let task = self.root.named(name).map_err(|error| failure(&error))?;
        Ok(PartyTask::new(task.into()))
    }

    /// An input of the party with this number; with a kind, unless its elements are those of the field.
    /// `name` is used in errors.
    #[pyo3(signature = (owner, dims, value = None, kind = None, name = "an input"))]
    fn input(
        &self,
        py: Python<'_>,
        owner: usize,
        dims: &Bound<'_, PyAny>,
        value: Option<&Bound<'_, PyAny>>,
        kind: Option<&PyKind>,
        name: &str,
    ) -> PyResult<Array> {
        let dims = dims_of(dims)?;
        shape::check(&dims)?;
        if let Some(PyKind(kind @ Kind::Float(_))) = kind {
            let given = value.map(|value| floats(value, name)).transpose()?;
            given.as_ref().map_or(Ok(()), |given| checked_shape(&given.shape, &dims))?;
            self.core.room()?;
            return Ok(bitwise::given(py, &self.core, (owner, name), (kind, dims), given.as_ref())?.into());
        }
        let kind = self.kind_of(kind, name)?;
        let given = value.map(numbers).transpose()?;
        given.as_ref().map_or(Ok(()), |(_, shape)| checked_shape(shape, &dims))?;
        let numbers = given.map(|(numbers, _)| numbers);
        if let (Some(numbers), Some(kind)) = (&numbers, &kind) {
            refuse_outside(numbers, kind, name)?;
        }
        let length = shape::size(&dims) as usize;
        let operation = match length {
            0 => AnyOperation::Constant(Numbers::from(Vec::new())),
            _ => AnyOperation::Input { owner, length, numbers },
        };
        let value = self.core.value(py, operation)?;
        let value = match &kind {
            Some(kind) => self.core.declared(py, &value, kind)?,
            None => value,
        };
        Ok(Share::new(value, dims, &self.core).of(kind).into())
    }

    /// The names of the parties that do not compute, in order.
    #[getter]
    fn outside(&self) -> Vec<String> {
        self.root.outside_names()
    }

    /// Requests an input from parties that do not compute; an event with this number reports the arrays of
    /// those who gave it in time, by their positions in `of`. The arrays are elements of the field, though
    /// their parties are asked for numbers of a kind.
    #[pyo3(signature = (name, dims, of, seconds, number, kind = None))]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn collect(
        &self,
        py: Python<'_>,
        name: &str,
        dims: &Bound<'_, PyAny>,
        of: Vec<String>,
        seconds: f64,
        number: u64,
        kind: Option<&PyKind>,
    ) -> PyResult<()> {
        let kind = self.kind_of(kind, name)?;
        let within = Duration::try_from_secs_f64(seconds);
        let within = within.map_err(|error| UsageError::new_err(format!("within={seconds}: {error}")))?;
        let (what, dims) = described(name, kind.as_ref(), dims)?;
        let collection = self.core.task(py)?.collect(&Request { what, from: of, within });
        let collection = collection.map_err(|error| failure(&error))?;
        let core = self.core.clone();
        self.beside(number, move || {
            let share = |(place, value)| (place, Share::new(value, dims.clone(), &core));
            Ok(Answer::Collected(collection()?.into_iter().map(share).collect()))
        })
    }

    /// Sends the numbers of an array under a name to parties that do not compute; an event with this number
    /// reports that they were sent.
    fn tell(
        &self,
        py: Python<'_>,
        name: &str,
        array: &Bound<'_, Array>,
        to: Vec<String>,
        number: u64,
    ) -> PyResult<()> {
        let share = &array.get().shared("a result")?.in_field(py)?;
        let dims = share.shape.clone().into_pyobject(py)?;
        let (what, _) = described(name, share.kind.as_ref(), &dims)?;
        let telling = self.core.task(py)?.tell_outside(what, &share.value, &to);
        let telling = telling.map_err(|error| failure(&error))?;
        self.beside(number, move || telling().map(|()| Answer::Numbers(Numbers::from(Vec::new()))))
    }

    /// An array of public numbers, which all parties know, of shared ones, or of nested lists of both.
    #[pyo3(signature = (object, kind = None))]
    fn asarray(&self, object: &Bound<'_, PyAny>, kind: Option<&PyKind>) -> PyResult<Array> {
        if let Ok(array) = object.cast::<Array>() {
            let share = array.get().shared("an array")?;
            return match kind {
                None => Ok(share.clone().into()),
                Some(kind) => array.get().astype(object.py(), kind),
            };
        }
        if let Some(PyKind(kind @ Kind::Float(_))) = kind
            && !holds_secrets(object)
        {
            self.core.room()?;
            let public = floats(object, "a public number")?;
            return Ok(bitwise::constant(object.py(), &self.core, &public, kind.clone())?.into());
        }
        if !holds_secrets(object) {
            return Ok(self.constant(object, self.kind_of(kind, "a public number")?)?.into());
        }
        // Public numbers combined with secret ones take kinds that fit theirs.
        let partner = match kind {
            Some(_) => None,
            None => partner(object)?,
        };
        let parts = object.try_iter()?.map(|item| {
            let item = item?;
            let array = match &partner {
                Some(share) if !holds_secrets(&item) => {
                    share.with(&item, |share| Ok(share.clone().into()))?
                }
                _ => self.asarray(&item, kind)?,
            };
            Bound::new(object.py(), array)
        });
        functions::stack(object.py(), parts.collect::<PyResult<_>>()?, 0)
    }

    /// Random elements, or random bits.
    fn random(&self, py: Python<'_>, dims: &Bound<'_, PyAny>, bits: bool) -> PyResult<Array> {
        let dims = dims_of(dims)?;
        shape::check(&dims)?;
        let length = shape::size(&dims) as usize;
        let operation = match (length, bits) {
            (0, _) => AnyOperation::Constant(Numbers::from(Vec::new())),
            (_, true) => AnyOperation::RandomBits(length),
            (_, false) => AnyOperation::Random(length),
        };
        Ok(Share::new(self.core.value(py, operation)?, dims, &self.core).into())
    }

    /// Prepares `count` random bits, masks for comparisons, or masks of `bits` bits, for the running task.
    #[pyo3(signature = (what, count, bits = None))]
    fn prepare(&self, py: Python<'_>, what: &str, count: usize, bits: Option<usize>) -> PyResult<()> {
        let operation = match (what, bits) {
            ("bits", None) => AnyOperation::PrepareBits(count),
            ("comparisons", None) => AnyOperation::PrepareComparisons(count),
            ("masks", Some(bits)) => AnyOperation::PrepareMasks(bits, count),
            _ => return Err(UsageError::new_err(format!("{what} cannot be prepared"))),
        };
        self.core.apply(py, operation).map(drop)
    }

    /// Prepares material as [`PartyEnd::prepare`] does, and keeps it in the stores of all parties; an event
    /// with this number, without a value, reports that all parties have it.
    #[pyo3(signature = (what, count, number, bits = None))]
    fn keep(
        &self,
        py: Python<'_>,
        what: &str,
        count: usize,
        number: u64,
        bits: Option<usize>,
    ) -> PyResult<()> {
        let what = match (what, bits) {
            ("bits", None) => Keep::Bits,
            ("comparisons", None) => Keep::Comparisons,
            ("masks", Some(bits)) => Keep::Masks(bits),
            _ => return Err(UsageError::new_err(format!("{what} cannot be prepared"))),
        };
        let fill = self.core.task(py)?.keep(what, count).map_err(|error| failure(&error))?;
        self.beside(number, move || fill().map(|()| Answer::Numbers(Numbers::from(Vec::new()))))
    }

    /// What the first task may still take from the store: random bits, comparisons, and masks by their number
    /// of bits.
    fn stored(&self) -> (u64, u64, Vec<(usize, u64)>) {
        let Stored { bits, comparisons, masks } = self.root.stored();
        (bits, comparisons, masks)
    }

    /// Opens a value, to all parties or to those with these numbers; an event with this number reports it.
    #[pyo3(signature = (array, number, to = None))]
    fn open(
        &self,
        py: Python<'_>,
        array: &Bound<'_, Array>,
        number: u64,
        to: Option<Vec<usize>>,
    ) -> PyResult<()> {
        let share = array.get().shared("an opening")?;
        if let (Some(kind), Some(_)) = (&share.kind, share.value.word_bits()) {
            let to = to.unwrap_or_else(|| (0..self.root.names().len()).collect());
            // The others learn no bits, only that these were sent.
            let reply = match to.contains(&self.root.me()) {
                true => reply_of_bits(&self.inbox, number, kind.clone()),
                false => reply(&self.inbox, number, None),
            };
            let opened = share.opened_bits(py, to)?;
            return self.core.running(py)?.read(&opened, reply).map_err(|error| failure(&error));
        }
        let value = &share.value;
        let operation = match to {
            None => AnyOperation::Open(value),
            Some(to) => AnyOperation::OpenTo(value, to.into_iter().collect::<Parties>()),
        };
        let opened = self.core.value(py, operation)?;
        self.read(py, &opened, (number, share.kind.clone()))
    }

    /// Compares what all parties have seen of the running task; an event with this number reports that it was
    /// the same.
    fn synchronise(&self, py: Python<'_>, number: u64) -> PyResult<()> {
        let value = self.core.value(py, AnyOperation::Synchronise)?;
        self.read(py, &value, (number, None))
    }

    /// As `synchronise`, once the program needs nothing more.
    fn conclude(&self, py: Python<'_>, number: u64) -> PyResult<()> {
        if let Some(party) = &*lock(&self.party) {
            party.conclude();
        }
        self.synchronise(py, number)
    }

    /// As [`PartyEnd::synchronise`], for a task that may have ended.
    fn settle(&self, task: &PartyTask, number: u64) -> PyResult<()> {
        let value = task.0.value(AnyOperation::Synchronise).map_err(|error| failure(&error))?;
        task.0.read(&value, reply(&self.inbox, number, None)).map_err(|error| failure(&error))
    }

    /// Submits everything that was written.
    fn flush(&self) {
        self.root.flush();
    }

    /// Bytes sent so far, without the transport's overhead.
    #[getter]
    fn bytes_sent(&self) -> u64 {
        lock(&self.party).as_ref().map_or(0, |party| party.bytes_sent())
    }

    /// The cost of the session to this party so far, and the programs that ran in it, as JSON.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        let Some(account) = lock(&self.party).as_ref().map(|party| party.account()) else {
            return Err(UsageError::new_err("the session has ended"));
        };
        let (me, names) = (self.root.me(), self.root.names());
        let terms = (self.security, (self.planned.0, &*self.planned.1));
        py.detach(|| party_report::report((me, names), &account, terms, &lock(&self.past)))
    }

    /// Ends the computation at this party; `why` is sent to the others if its program has failed.
    #[pyo3(signature = (why = None))]
    fn leave(&self, py: Python<'_>, why: Option<&str>) -> PyResult<()> {
        let Some(party) = lock(&self.party).take() else { return Ok(()) };
        drop(lock(&self.present).take());
        let ended = py.detach(|| match why {
            None => party.leave(),
            Some(why) => party.give_up(why),
        });
        ended.map_err(|error| failure(&error))
    }

    /// Becomes readable when there are events.
    fn fileno(&self) -> i32 {
        self.inbox.as_raw_fd()
    }

    /// Runs a compiled program in a task that traces nothing else meanwhile; an event with this number
    /// reports the JSON outputs of this party's roles. `speakers` are the names of the parties that speak for
    /// its roles.
    #[pyo3(signature = (program, speakers, inputs, task, number, effort = None, domain = None, classes = None))]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn run(
        &self,
        program: &Program,
        speakers: Vec<String>,
        inputs: BTreeMap<String, String>,
        task: &PartyTask,
        number: u64,
        effort: Option<u64>,
        domain: Option<&str>,
        classes: Option<&str>,
    ) -> PyResult<()> {
        let asked = Asked { effort: effort.or(self.effort), domain, classes };
        let speakers = speakers.iter().map(|name| self.speaker(name)).collect::<PyResult<_>>()?;
        let among = ((self.root.names().len(), self.root.threshold()), self.root.security());
        let part = CompiledPart::new(program, self.root.me(), speakers, &inputs, (among, asked))?;
        let (task, inbox, schedules) = (task.0.clone(), self.inbox.clone(), self.schedules.clone());
        let (past, runs, within) = (self.past.clone(), self.runs.clone(), self.timeout);
        let (link, profile) = self.planned.clone();
        let run = move || {
            let ran = part.run(&*task, (&schedules, (link, &profile)), (&runs, within));
            let ran = ran.map(|(outputs, run)| {
                run.add(&mut lock(&past));
                Answer::Outputs(outputs)
            });
            inbox.put(number, ran);
        };
        std::thread::Builder::new().name("tacit program".into()).spawn(run)?;
        Ok(())
    }

    /// The awaited results, by number: numbers or outputs, or an exception.
    fn events(&self, py: Python<'_>) -> PyResult<Vec<Told>> {
        let told = |(number, event)| match event {
            Ok(Answer::Numbers(numbers)) => Ok((number, Some(listed(py, numbers)?), None)),
            Ok(Answer::Floats(floats)) => {
                Ok((number, Some(floats.into_pyobject(py)?.into_any().unbind()), None))
            }
            Ok(Answer::Outputs(outputs)) => {
                Ok((number, Some(outputs.into_pyobject(py)?.into_any().unbind()), None))
            }
            Ok(Answer::Collected(shares)) => {
                let arrays = shares.into_iter().map(|(place, share)| (place, Array::from(share)));
                Ok((number, Some(arrays.collect::<Vec<_>>().into_pyobject(py)?.into_any().unbind()), None))
            }
            Err(error) => Ok((number, None, Some(error))),
        };
        self.inbox.take().into_iter().map(told).collect()
    }
}

impl PartyEnd {
    /// A party that has joined.
    fn over(
        party: Box<dyn AnyParty>,
        core: Core,
        (effort, timeout): (Option<u64>, Duration),
        (security, planned): (SecurityParams, (Link, Arc<Profile>)),
    ) -> PyResult<PartyEnd> {
        let (inbox, core) = (Arc::new(Inbox::new()?), Arc::new(core));
        let (schedules, past, runs) = (Arc::default(), Arc::default(), Arc::default());
        let root = party.root();
        let (party, present) = (Mutex::new(Some(party)), Mutex::new(Some(Present::new())));
        Ok(PartyEnd {
            party,
            present,
            root,
            core,
            schedules,
            past,
            runs,
            effort,
            security,
            planned,
            timeout,
            inbox,
        })
    }

    /// Runs work that waits for others on its own thread; an event with this number reports the result.
    fn beside(
        &self,
        number: u64,
        work: impl FnOnce() -> Result<Answer, RunError> + Send + 'static,
    ) -> PyResult<()> {
        let inbox = self.inbox.clone();
        let run = move || inbox.put(number, work().map_err(|error| failure(&error)));
        std::thread::Builder::new().name("tacit waiting".into()).spawn(run)?;
        Ok(())
    }

    fn read(&self, py: Python<'_>, value: &AnyValue, (number, kind): (u64, Option<Kind>)) -> PyResult<()> {
        let task = self.core.running(py)?;
        task.read(value, reply(&self.inbox, number, kind)).map_err(|error| failure(&error))
    }

    /// The party of this name, whether it computes or not.
    fn speaker(&self, name: &str) -> PyResult<Speaker> {
        let place = |names: &[String]| names.iter().position(|known| known == name);
        let outside = || place(&self.root.outside_names()).map(Speaker::Outside);
        let found = place(self.root.names()).map(Speaker::Computing).or_else(outside);
        found.ok_or_else(|| UsageError::new_err(format!("there is no party {name} in the session")))
    }

    /// The kind of numbers in this session; none for elements of this field.
    fn kind_of(&self, kind: Option<&PyKind>, name: &str) -> PyResult<Option<Kind>> {
        let Some(PyKind(kind)) = kind else { return Ok(None) };
        let room = self.core.room()?;
        if *kind == room.field() {
            return Ok(None);
        }
        let Some(number) = kind.number() else {
            return Err(KindError::new_err(format!(
                "{name} is {kind}, but the parties of this session compute in {}; give it an integer or \
                 fixed-point kind, leave the kind out, or run a function with such inputs",
                room.field()
            )));
        };
        room.kind(|| format!("{name} of {kind}"), number)?;
        Ok(Some(kind.clone()))
    }

    /// Public numbers; without a kind, elements of the field.
    fn constant(&self, object: &Bound<'_, PyAny>, kind: Option<Kind>) -> PyResult<Share> {
        let (numbers, dims) = match &kind {
            None => numbers(object)?,
            Some(kind) => {
                let public = literal(object)?.ok_or_else(|| {
                    KindError::new_err(format!("{object} is not a number or an array of numbers"))
                })?;
                (gathered(public.integers(kind)?), public.shape)
            }
        };
        let value = self.core.value(object.py(), AnyOperation::Constant(numbers))?;
        Ok(Share::new(value, dims, &self.core).of(kind))
    }
}
