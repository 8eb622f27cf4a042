//! The least of words modulo 2^64 among three parties, and its place, in two rounds for each level of groups.
//!
//! One of the parties is the referee, the other two compare. Each of these has a summand of every word ([`GaloisRing::parts`]), and the sum of both is the word. At each level:
//!
//! 1. Both bring the words of each group into a random order that the referee does not know. They send it messages that tell the sign of the difference of each pair of a group, and
//!    nothing else ([`tacit_crypto::difference_signs`]). Equal words are told apart by their places. So the referee learns a random order, and nothing about the words.
//! 2. In the same round, they share the words in that order anew: each word is the sum of what the referee draws with the first, what it draws with the second, and what both
//!    know after they have sent each other their summands, less what they draw.
//! 3. The referee knows which word of a group is the least. It shares a 1 for this word and a 0 for each other one as summands: it draws those of the first, and
//!    sends the second its own. The inner product of these bits with the summand that both know needs no message; that with the other two it knows
//!    itself, and shares in the same way.
//!
//! Then both have summands of the least word of each group, and of its place, and the next level begins. In the end, these are shared among all three in one more round.
//!
//! Source: Laur, Willemson and Zhang, “Round-efficient oblivious database manipulation” (ISC 2011), section 4, for orders that two of three know; for
//! comparisons see there. Differs: the new shares are sent along with what is compared in that order; choices need no product.
//! Security: against one passive party. The two that compare see summands that are masked with what they do not draw. Seeds are drawn once.
//! Cost: two rounds for each level, and one; for each pair one word for each bit of a difference from either party; for each word of a level two words between the two, in either
//! direction, and one word to the second; for each group two more words.

mod drawn;
mod order;
mod parties;
pub(crate) mod shape;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tacit_crypto::Prg;
use tacit_crypto::difference_signs::{Side, message_words};
use tacit_math::field::{GaloisElement, GaloisRing};
use tacit_math::{Block, Wiped};

use crate::error::RunError;
use crate::parties::{Parties, PartyIndex};
use crate::program::{Task, Value, mixed};
use crate::prss::{Prss, Purpose};
use drawn::drawn;
use parties::{Both, Comparing, joined, told, told_words};
use shape::{Level, Shape};

/// Bytes of a word in a message.
pub(crate) const WORD_BYTES: usize = 8;

/// Elements of a seed.
pub(crate) const SEED_WORDS: usize = Block::BYTES / WORD_BYTES;

impl Task<GaloisRing> {
    /// The first least word of each run, and its place. Wrong where differences have more bits than `shape` says.
    ///
    /// Security, cost: see above.
    ///
    /// Errors: parties may depart from the protocol, or the computation has ended.
    pub(crate) fn first_least(
        &self,
        words: &Value<GaloisRing>,
        (shape, hash): (Shape, u64),
    ) -> Result<[Value<GaloisRing>; 2], RunError> {
        let sizes = [shape.length, shape.runs, shape.bits as usize];
        let hash = sizes.into_iter().fold(mixed(0x6d69, hash), |hash, size| mixed(hash, size as u64));
        let levels = shape.levels();
        let drawn = self.draw(SEED_WORDS * (levels.len() + 1));
        let run = Run { shape, roles: Roles::of(drawn), me: self.me(), drawn, hash, state: Mutex::default() };
        let run = Arc::new(run);
        let mut ended = Vec::new();
        for (number, level) in levels.iter().enumerate() {
            ended = run.level(self, &after(words, &ended), (number, *level))?;
        }
        run.share(self, &after(words, &ended), levels.len())
    }
}

/// What is known before a level: what the level before has ended with, or the words.
fn after<'v>(words: &'v Value<GaloisRing>, ended: &'v [Value<GaloisRing>]) -> Vec<&'v Value<GaloisRing>> {
    if ended.is_empty() { vec![words] } else { ended.iter().collect() }
}

/// Which party does what.
#[derive(Clone, Copy)]
struct Roles {
    first: PartyIndex,
    second: PartyIndex,
    referee: PartyIndex,
}

impl Roles {
    /// Parties take turns.
    fn of(drawn: u64) -> Roles {
        let referee = (drawn / SEED_WORDS as u64 % 3) as PartyIndex;
        Roles { referee, first: (referee + 1) % 3, second: (referee + 2) % 3 }
    }

    fn side(self, me: PartyIndex) -> Option<Side> {
        match me {
            me if me == self.first => Some(Side::First),
            me if me == self.second => Some(Side::Second),
            _ => None,
        }
    }
}

/// A search for the least words.
struct Run {
    shape: Shape,
    roles: Roles,
    me: PartyIndex,
    /// The place of its seeds.
    drawn: u64,
    hash: u64,
    state: Mutex<State>,
}

/// What a party keeps between its messages.
#[derive(Default)]
struct State {
    /// Of a party that compares: its part of the level that it is at, and the number of levels that it has begun.
    comparing: Option<Comparing>,
    begun: usize,
    /// What has arrived: from the other party, whose next message may arrive before the last one is used; from the referee; or from both parties, together.
    shown: [Wiped<u64>; 2],
    told: Wiped<u64>,
    compared: Wiped<u64>,
    /// Summands at the end.
    left: Option<Both>,
}

/// Where a party is when it makes a message.
struct Giving<'a> {
    run: &'a Run,
    state: &'a mut State,
    prss: &'a Prss<GaloisRing>,
    /// Its shares of the words, before the first level.
    given: &'a [&'a [GaloisElement]],
}

/// A message that is made at once.
fn whole(
    make: impl Fn(Giving<'_>) -> Wiped<u64> + Send + 'static,
) -> impl FnMut(Giving<'_>, &mut [[u8; WORD_BYTES]]) -> bool + Send + 'static {
    let (mut made, mut written) = (None, 0);
    move |giving, room| {
        let message = made.get_or_insert_with(|| make(giving));
        let Some(words) = message.get(written..written + room.len()) else { return false };
        room.iter_mut().zip(words).for_each(|(room, word)| *room = word.to_le_bytes());
        written += room.len();
        true
    }
}

impl<'a> Giving<'a> {
    /// Begins a level, if that has not been done.
    fn begun(mut self, number: usize, level: Level) -> Option<&'a mut Comparing> {
        let Roles { first, second, referee } = self.run.roles;
        let side = self.run.roles.side(self.run.me)?;
        if self.state.begun == number {
            let seed = |one, other| self.run.seed(self.prss, (one, other), number);
            let seeds = [seed(first, second), seed(referee, self.run.me)];
            let left = self.left();
            self.state.comparing = Some(Comparing::new((level, side), seeds, left, self.run.shape.bits));
            self.state.begun += 1;
        }
        self.state.comparing.as_mut()
    }

    /// Its summands of what is left: after the level before, or of the words.
    fn left(&mut self) -> Both {
        let state = &mut *self.state;
        if let Some(comparing) = state.comparing.take() {
            let shown = std::mem::take(&mut state.shown[(state.begun + 1) % 2]);
            return comparing.left(&shown, &std::mem::take(&mut state.told));
        }
        let is_first = self.run.me == self.run.roles.first;
        let summand = |share: &GaloisElement| match GaloisRing.parts(*share) {
            [next, previous] if is_first => next.wrapping_add(previous),
            [next, _] => next,
        };
        let summands: Vec<_> = self.given[0].iter().map(summand).collect();
        let place = |place: usize| if is_first { (place % self.run.shape.length) as u64 } else { 0 };
        let places: Vec<_> = (0..summands.len()).map(place).collect();
        [Wiped::from(summands), Wiped::from(places)]
    }
}

impl Run {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A message of some words from one party to another: how it is written, and where the receiver adds it, by exclusive or, to what is there.
    fn hand(
        self: &Arc<Self>,
        task: &Task<GaloisRing>,
        (way, length, hash): ((PartyIndex, PartyIndex), usize, u64),
        known: &[&Value<GaloisRing>],
        mut write: impl FnMut(Giving<'_>, &mut [[u8; WORD_BYTES]]) -> bool + Send + 'static,
        place: impl Fn(&mut State) -> &mut Wiped<u64> + Send + 'static,
    ) -> Result<Value<GaloisRing>, RunError> {
        let giver = self.clone();
        let give = move |prss: &Prss<GaloisRing>, given: &[&[GaloisElement]], room: &mut [u8]| {
            let giving = Giving { run: &giver, state: &mut giver.state(), prss, given };
            write(giving, room.as_chunks_mut().0)
        };
        let (taker, mut passed) = (self.clone(), 0);
        let take = move |_: &Prss<GaloisRing>, bytes: &[u8]| {
            let (mut state, bytes, first) = (taker.state(), bytes.as_chunks().0, passed);
            let place = place(&mut state);
            if place.is_empty() {
                *place = Wiped::from(vec![0; length]);
            }
            passed += bytes.len();
            let Some(words) = place.get_mut(first..passed) else { return false };
            words.iter_mut().zip(bytes).for_each(|(word, bytes)| *word ^= u64::from_le_bytes(*bytes));
            true
        };
        task.hand(way, (length, mixed(self.hash, hash)), known, give, take)
    }

    /// Writes a level: what is known when it has ended.
    fn level(
        self: &Arc<Self>,
        task: &Task<GaloisRing>,
        known: &[&Value<GaloisRing>],
        (number, level): (usize, Level),
    ) -> Result<Vec<Value<GaloisRing>>, RunError> {
        let Roles { first, second, referee } = self.roles;
        let (bits, hash) = (self.shape.bits, mixed(0x6c76, number as u64));
        let compared = [first, second].map(|party| {
            let length = message_words(level.pairs(), bits);
            let write = move |giving: Giving<'_>, room: &mut [_]| {
                giving.begun(number, level).is_some_and(|comparing| comparing.compared.write(room))
            };
            let way = ((party, referee), length, mixed(hash, 1));
            self.hand(task, way, known, write, |state| &mut state.compared)
        });
        let compared = compared.into_iter().collect::<Result<Vec<_>, _>>()?;
        let compared: Vec<_> = compared.iter().collect();
        let mut ended = Vec::with_capacity(3);
        for way in [(first, second), (second, first)] {
            let make = move |giving: Giving<'_>| {
                giving.begun(number, level).map_or_else(Wiped::default, |comparing| comparing.shown())
            };
            let way = (way, 2 * level.words(), mixed(hash, 2));
            ended.push(self.hand(task, way, known, whole(make), move |state| &mut state.shown[number % 2])?);
        }
        let make = move |Giving { run, state, prss, .. }: Giving<'_>| {
            let seeds = [first, second].map(|party| run.seed(prss, (referee, party), number));
            told(level, bits, seeds, &std::mem::take(&mut state.compared)).unwrap_or_default()
        };
        let way = ((referee, second), told_words(level), mixed(hash, 3));
        ended.push(self.hand(task, way, &compared, whole(make), |state| &mut state.told)?);
        Ok(ended)
    }

    /// Shares what is left among all three: the words, and their places.
    fn share(
        self: &Arc<Self>,
        task: &Task<GaloisRing>,
        known: &[&Value<GaloisRing>],
        number: usize,
    ) -> Result<[Value<GaloisRing>; 2], RunError> {
        let (Roles { first, second, .. }, runs) = (self.roles, self.shape.runs);
        let mut shown = Vec::with_capacity(2);
        for way in [(first, second), (second, first)] {
            let make = move |mut giving: Giving<'_>| {
                let mut left = giving.left();
                let Giving { run, state, prss, .. } = giving;
                let masks = run.masks(prss, way.0, number);
                for (left, mask) in left.iter_mut().flat_map(|one| one.iter_mut()).zip(masks.iter()) {
                    *left = left.wrapping_sub(*mask);
                }
                let masked = joined(&left);
                state.left = Some(left);
                masked
            };
            let way = (way, 2 * runs, 0x7368);
            shown.push(self.hand(task, way, known, whole(make), move |state| &mut state.shown[number % 2])?);
        }
        let shown: Vec<_> = shown.iter().collect();
        let shared = |column: usize| {
            let run = self.clone();
            let body =
                move |prss: &Prss<GaloisRing>, _: &[&[GaloisElement]]| run.shares(prss, (column, number));
            task.local(runs, false, mixed(self.hash, 0x7366 + column as u64), &shown, body)
        };
        Ok([shared(0)?, shared(1)?])
    }

    /// A party's shares of the least words or of their places.
    fn shares(&self, prss: &Prss<GaloisRing>, (column, number): (usize, usize)) -> Vec<GaloisElement> {
        let (Roles { first, second, referee }, runs) = (self.roles, self.shape.runs);
        let drawn = |party: PartyIndex| self.masks(prss, party, number);
        let state = self.state();
        let both = match (self.roles.side(self.me), &state.left) {
            (Some(side), Some(left)) => {
                let common = left[column].iter().zip(&state.shown[number % 2][column * runs..]);
                let common =
                    Wiped::from(common.map(|(own, shown)| own.wrapping_add(*shown)).collect::<Vec<_>>());
                match side {
                    Side::First => [(common, 0), (drawn(first), column)],
                    Side::Second => [(drawn(second), column), (common, 0)],
                }
            }
            _ => [(drawn(first), column), (drawn(second), column)],
        };
        debug_assert_eq!([(first + 2) % 3, (second + 1) % 3], [referee; 2]);
        let [next, previous] =
            both.map(|(words, column)| Wiped::from(words[column * runs..][..runs].to_vec()));
        next.iter()
            .zip(previous.iter())
            .map(|(next, previous)| GaloisRing.share([*next, *previous]))
            .collect()
    }

    /// What the referee draws with a party at the end.
    fn masks(&self, prss: &Prss<GaloisRing>, party: PartyIndex, number: usize) -> Wiped<u64> {
        drawn(&mut Prg::new(self.seed(prss, (self.roles.referee, party), number)), 2 * self.shape.runs)
    }

    /// A seed that exactly two parties know.
    fn seed(&self, prss: &Prss<GaloisRing>, (one, other): (PartyIndex, PartyIndex), number: usize) -> Block {
        let first = self.drawn + (SEED_WORDS * number) as u64;
        prss.common_seed(Parties::from_iter([one, other]), Purpose::LEAST, first)
    }
}

#[cfg(test)]
mod tests;
