//! An outside party: it visits all computing parties, gives the requested inputs and receives results, until the computation ends.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tacit_math::field::{Field, Gf256};
use tokio::sync::mpsc;
use tokio::time::interval;
use zeroize::Zeroizing;

use super::collect::encoded;
use super::gathering::{Gathering, elements};
use super::links::{Heard, Queue, Visiting, links, meet, part};
use super::running::{OutsideRun, Ran, Runs};
use crate::error::{OutsideError, RunError};
use crate::parties::PartyIndex;
use crate::party::JoinTerms;
use crate::reception::message::{Description, FromComputing, FromOutside, Given, encode};
use crate::scheme::Scheme;

/// How often a visitor checks whether it is to give up.
const GLANCE: Duration = Duration::from_millis(100);

/// The maximum number of inputs and results of which messages of some computing parties are missing.
const MAX_OPEN: usize = 1 << 12;

/// A result at an outside party. `Debug` doesn't print the elements.
#[derive(Clone, PartialEq, Eq)]
pub struct Told<E> {
    /// Its description.
    pub what: Description,
    /// Its elements.
    pub elements: E,
}

impl<E> fmt::Debug for Told<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Told").field("what", &self.what).finish_non_exhaustive()
    }
}

/// The outcome of a visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visited<E> {
    /// Each input that was requested, and whether all computing parties have taken it.
    pub given: Vec<(Description, bool)>,
    /// The results, in the order in which they became known.
    pub told: Vec<Told<E>>,
    /// The results of runs of programs, in the order in which they became known.
    pub ran: Vec<Ran>,
}

impl<E> Visited<E> {
    /// The same with results in another form.
    pub(crate) fn map<T>(self, f: impl Fn(E) -> T) -> Visited<T> {
        let told = self.told.into_iter();
        let told = told.map(|Told { what, elements }| Told { what, elements: f(elements) }).collect();
        Visited { given: self.given, told, ran: self.ran }
    }
}

impl<E> Default for Visited<E> {
    fn default() -> Self {
        Visited { given: Vec::new(), told: Vec::new(), ran: Vec::new() }
    }
}

/// Takes part in a computation as an outside party, until the computation ends. `runs` are the programs in which it has roles; `give` returns inputs as they are
/// requested; `poll` is called about ten times a second and may give up with an error. Blocks. `terms` are those of the computing parties.
///
/// Security: see the [module](crate::outside).
///
/// Errors: as [`Session::visit`](tacit_net::Session::visit); a computing party violates the protocol or ends the computation; errors of `give` and
/// `poll`.
pub fn visit<F: Field, E: From<RunError>>(
    terms: JoinTerms<F>,
    runs: Vec<OutsideRun>,
    give: impl FnMut(&Description) -> Result<Vec<F::Element>, E>,
    poll: impl FnMut() -> Result<(), E>,
) -> Result<Visited<Vec<F::Element>>, E> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let system = |cause| RunError::System { what: "event loop", cause: Arc::new(cause) };
    let runtime = runtime.map_err(system)?;
    let mut visited = Err(RunError::Over.into());
    let visiting = async { visited = visit_all(terms, runs, give, Poll(poll)).await };
    // Boxed, so that the event loop is compiled once for all fields.
    runtime.block_on::<Pin<Box<dyn Future<Output = ()> + '_>>>(Box::pin(visiting));
    visited
}

/// As [`visit`], within an event loop.
async fn visit_all<F: Field, E: From<RunError>>(
    terms: JoinTerms<F>,
    runs: Vec<OutsideRun>,
    give: impl FnMut(&Description) -> Result<Vec<F::Element>, E>,
    mut poll: Poll<impl FnMut() -> Result<(), E>>,
) -> Result<Visited<Vec<F::Element>>, E> {
    let (scheme, names, limit) = (terms.scheme()?, terms.computing(), terms.config.timeout);
    let (computing, greeting) = (names.clone(), terms.greeting(&scheme));
    let JoinTerms { config, me, key, .. } = terms;
    let sessions = poll.during(meet(Visiting { config, me, key, computing, greeting })).await??;
    let (links, heard) = links(&sessions, limit);
    let in_bytes = Scheme::new(Gf256, scheme.parties(), scheme.threshold()).map_err(RunError::from)?;
    let runs = Runs::new(runs, (names.clone(), in_bytes.with_security(scheme.security())));
    let (gatherings, asked) = (HashMap::new(), HashMap::new());
    let visited = Visited::default();
    let visitor = Visitor { runs, scheme, names, links, over: 0, gatherings, asked, visited };
    let visited = visitor.attend(heard, give, &mut poll).await;
    part(&sessions, visited.is_ok()).await;
    visited
}

/// Decides now and then whether to continue.
struct Poll<P>(P);

impl<E, P: FnMut() -> Result<(), E>> Poll<P> {
    /// The output of a future, unless the visitor gives up before.
    async fn during<T>(&mut self, work: impl Future<Output = T>) -> Result<T, E> {
        let mut work = std::pin::pin!(work);
        let mut glances = interval(GLANCE);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return Ok(done),
                _ = glances.tick() => (self.0)()?,
            }
        }
    }
}

/// An outside party during a computation.
struct Visitor<F: Field> {
    scheme: Scheme<F>,
    /// The computing parties.
    names: Vec<String>,
    links: Vec<Queue>,
    /// How many computing parties have ended.
    over: usize,
    /// Inputs and results of which messages of some computing parties are missing.
    gatherings: HashMap<u64, Gathering<F>>,
    /// Inputs that were given: their descriptions, and by computing party whether it has taken them.
    asked: HashMap<u64, (Description, Vec<Option<bool>>)>,
    runs: Runs,
    visited: Visited<Vec<F::Element>>,
}

impl<F: Field> Visitor<F> {
    /// Answers the computing parties until all have ended.
    async fn attend<E: From<RunError>>(
        mut self,
        mut heard: mpsc::Receiver<Heard>,
        mut give: impl FnMut(&Description) -> Result<Vec<F::Element>, E>,
        poll: &mut Poll<impl FnMut() -> Result<(), E>>,
    ) -> Result<Visited<Vec<F::Element>>, E> {
        let mut computation = None;
        while self.over < self.names.len() {
            let Some((party, message)) = poll.during(heard.recv()).await? else {
                return Err(RunError::Over.into());
            };
            match message? {
                FromComputing::Computation(id) if *computation.get_or_insert(id) == id => {}
                FromComputing::Computation(_) => {
                    return Err(self.wrong(party, OutsideError::OtherComputation).into());
                }
                FromComputing::Again => return Err(self.wrong(party, OutsideError::Again).into()),
                FromComputing::Waiting => {}
                FromComputing::Over => self.over += 1,
                FromComputing::Asked { number, what, shares } => {
                    if let Some(asked) = self.gather((party, number), what, (shares, Zeroizing::default()))? {
                        self.give((number, asked), &mut give)?;
                    }
                }
                FromComputing::Told { number, what, shares, masked } => {
                    if let Some(told) = self.gather((party, number), what, (shares, masked))? {
                        let elements = told.result(&self.scheme).map_err(|error| self.wrong(party, error))?;
                        self.visited.told.push(Told { what: told.what, elements });
                    }
                }
                FromComputing::Taken { number, taken } => self.taken((party, number), taken),
                FromComputing::Runs { number, run, shares } => {
                    let pieces = self.runs.asked((party, number), run, shares)?;
                    pieces
                        .iter()
                        .zip(&self.links)
                        .try_for_each(|(piece, link)| post(link, number, piece.clone()))?;
                }
                FromComputing::Computed { number, masked } => {
                    self.visited.ran.extend(self.runs.computed((party, number), masked)?);
                }
            }
        }
        Ok(self.visited)
    }

    fn wrong(&self, party: PartyIndex, error: OutsideError) -> RunError {
        RunError::Outside { peer: self.names[party].clone(), error }
    }

    /// Adds a computing party's message about an input or a result; returns it when all have sent theirs.
    fn gather(
        &mut self,
        (party, number): (PartyIndex, u64),
        what: Description,
        (shares, masked): (Zeroizing<Vec<u8>>, Zeroizing<Vec<u8>>),
    ) -> Result<Option<Gathering<F>>, RunError> {
        let (peer, parties) = (&self.names[party], self.names.len());
        if self.gatherings.len() + self.asked.len() >= MAX_OPEN {
            return Err(self.wrong(
                party,
                OutsideError::NotDue { what: "more inputs and results at once than there can be" },
            ));
        }
        let shares = elements(self.scheme.field(), &shares, peer)?;
        let masked = elements(self.scheme.field(), &masked, peer)?;
        let mut gathering = match self.gatherings.entry(number) {
            Entry::Occupied(entry) => entry,
            Entry::Vacant(entry) => {
                entry.insert_entry(Gathering::new(what.clone(), masked.to_vec(), parties))
            }
        };
        let added = gathering.get_mut().add(party, (&what, &masked), shares);
        let complete = gathering.get().is_complete().then(|| gathering.remove());
        added.map_err(|error| self.wrong(party, error))?;
        Ok(complete)
    }

    /// Gives an input that all computing parties have requested.
    fn give<E: From<RunError>>(
        &mut self,
        (number, asked): (u64, Gathering<F>),
        give: &mut impl FnMut(&Description) -> Result<Vec<F::Element>, E>,
    ) -> Result<(), E> {
        let first = |error| RunError::Outside { peer: self.names[0].clone(), error };
        let mask = asked.mask(&self.scheme).map_err(first)?;
        let input = Zeroizing::new(give(&asked.what)?);
        if input.len() != mask.len() {
            let given = input.len() * self.scheme.field().bytes();
            let expected = mask.len() * self.scheme.field().bytes();
            return Err(first(OutsideError::Size { given, expected }).into());
        }
        let field = self.scheme.field();
        let masked: Vec<_> =
            input.iter().zip(mask.iter()).map(|(input, mask)| field.sub(*input, *mask)).collect();
        let given = encoded(field, &masked);
        self.asked.insert(number, (asked.what, vec![None; self.names.len()]));
        Ok(self.links.iter().try_for_each(|link| post(link, number, given.clone()))?)
    }

    /// Notes whether a computing party has taken an input. An input that not all have requested in time was not
    /// given.
    fn taken(&mut self, (party, number): (PartyIndex, u64), taken: bool) {
        if let Some(unasked) = self.gatherings.remove(&number) {
            self.asked.entry(number).or_insert((unasked.what, vec![None; self.names.len()]));
        }
        let Entry::Occupied(mut asked) = self.asked.entry(number) else { return };
        asked.get_mut().1[party] = Some(taken);
        if asked.get().1.iter().all(Option::is_some) {
            let (what, answers) = asked.remove();
            self.visited.given.push((what, answers.into_iter().all(|taken| taken == Some(true))));
        }
    }
}

/// Queues an input for a computing party.
///
/// Errors: it is too long.
fn post(link: &Queue, number: u64, masked: Zeroizing<Vec<u8>>) -> Result<(), RunError> {
    // The receiver of a failed link gets its error.
    let _ = link.send(encode(&FromOutside::Given(Given { number, masked }))?);
    Ok(())
}
