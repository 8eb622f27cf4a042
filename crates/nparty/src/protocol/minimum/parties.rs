//! What each of the three parties computes at a level, and keeps until the next one.

use tacit_crypto::Prg;
use tacit_crypto::difference_signs::{Message, Side, negative};
use tacit_math::{Block, Wiped};

use super::drawn::drawn;
use super::order::shuffle;
use super::shape::{Level, each_pair};

/// The two things that are known of every word: itself, and its place in its run.
pub(super) type Both = [Wiped<u64>; 2];

/// Sums over groups, in two columns.
fn sums(level: Level, of: impl Fn(usize, usize) -> u64) -> Both {
    [0, 1].map(|column| {
        let sum = |range: std::ops::Range<usize>| {
            range.fold(0u64, |sum, place| sum.wrapping_add(of(column, place)))
        };
        Wiped::from(level.ranges().map(sum).collect::<Vec<_>>())
    })
}

fn combined(a: &[u64], b: &[u64], by: impl Fn(u64, u64) -> u64) -> Wiped<u64> {
    Wiped::from(a.iter().zip(b).map(|(a, b)| by(*a, *b)).collect::<Vec<_>>())
}

/// Two columns one after the other.
pub(super) fn joined(both: &Both) -> Wiped<u64> {
    Wiped::from([&both[0][..], &both[1]].concat())
}

/// What the referee draws with the first or with the second of the others.
struct Drawn {
    /// Summands of the words in their new order.
    masks: Both,
    /// With the first: summands of the choices.
    chosen: Wiped<u64>,
    /// With the first: summands of what is left, of which the referee knows the other parts.
    left: Both,
}

impl Drawn {
    fn new(seed: Block, side: Side, level: Level) -> Drawn {
        let mut prg = Prg::new(seed);
        let mut draw = |count: usize| drawn(&mut prg, count);
        let masks = [draw(level.words()), draw(level.words())];
        let (chosen, left) = match side {
            Side::First => (level.words(), level.groups()),
            Side::Second => (0, 0),
        };
        Drawn { masks, chosen: draw(chosen), left: [draw(left), draw(left)] }
    }
}

/// One of the two parties that compare, at a level: it has a summand of each word, and the other one has the rest.
pub(super) struct Comparing {
    level: Level,
    side: Side,
    /// The message to the referee.
    pub(super) compared: Message,
    /// Its summands in the new order, less what it draws with the referee.
    masked: Both,
    drawn: Drawn,
}

impl Comparing {
    /// Brings the words of each group into a random order and compares all pairs. The seeds are those in common with the other one and with the referee.
    pub(super) fn new(
        (level, side): (Level, Side),
        [other, referee]: [Block; 2],
        [mut words, mut places]: Both,
        bits: u32,
    ) -> Comparing {
        let mut prg = Prg::new(other);
        let mut before = Wiped::from((0..level.words() as u64).collect::<Vec<_>>());
        shuffle(&mut prg, level.ranges(), [&mut words, &mut places, &mut before]);
        // Of equal words, the one that came first is less.
        let tie = |one: usize, other: usize| match side {
            Side::First => before[one].wrapping_sub(before[other]) >> 63,
            Side::Second => 0,
        };
        let difference = |(one, other): (usize, usize)| {
            words[one].wrapping_sub(words[other]).wrapping_sub(tie(one, other))
        };
        let differences = Wiped::from(level.ranges().flat_map(each_pair).map(difference).collect::<Vec<_>>());
        let compared = Message::new(side, differences, bits, prg);
        let drawn = Drawn::new(referee, side, level);
        let masked = [(&words, 0), (&places, 1)].map(|(summands, column): (&Wiped<u64>, usize)| {
            combined(summands, &drawn.masks[column], u64::wrapping_sub)
        });
        Comparing { level, side, compared, masked, drawn }
    }

    /// The message to the other one.
    pub(super) fn shown(&self) -> Wiped<u64> {
        joined(&self.masked)
    }

    /// Its summands of what is left, from what the other one has shown and the referee has told.
    pub(super) fn left(self, shown: &[u64], told: &[u64]) -> Both {
        let (words, groups) = (self.level.words(), self.level.groups());
        let (first, rest) = told.split_at(told.len().min(words));
        let chosen = match self.side {
            Side::First => &self.drawn.chosen[..],
            Side::Second => first,
        };
        // Both know this summand of the words.
        let common = |column: usize, place: usize| {
            self.masked[column][place].wrapping_add(shown[column * words + place])
        };
        let sums = sums(self.level, |column, place| chosen[place].wrapping_mul(common(column, place)));
        [0, 1].map(|column: usize| {
            let more = match self.side {
                Side::First => &self.drawn.left[column][..],
                Side::Second => &rest[column * groups..][..groups],
            };
            combined(&sums[column], more, u64::wrapping_add)
        })
    }
}

/// What the referee tells the second party: a summand of a 1 for each word that is the least of its group and a 0 for others, and one of what is left of the summands that
/// the referee knows. The first party draws the other summands. `None` if the two have sent something else than messages about all pairs.
pub(super) fn told(
    level: Level,
    bits: u32,
    [first, second]: [Block; 2],
    compared: &[u64],
) -> Option<Wiped<u64>> {
    let negative = negative(compared, level.pairs(), bits)?;
    let mut least = Wiped::from(vec![1u64; level.words()]);
    for ((one, other), negative) in level.ranges().flat_map(each_pair).zip(negative.iter()) {
        least[one] &= *negative;
        least[other] &= 1 ^ *negative;
    }
    let (first, second) = (Drawn::new(first, Side::First, level), Drawn::new(second, Side::Second, level));
    let known =
        |column: usize, place: usize| first.masks[column][place].wrapping_add(second.masks[column][place]);
    let left = sums(level, |column, place| least[place].wrapping_mul(known(column, place)));
    let rest = [0, 1].map(|column: usize| combined(&left[column], &first.left[column], u64::wrapping_sub));
    let chosen = combined(&least, &first.chosen, u64::wrapping_sub);
    Some(Wiped::from([&chosen[..], &rest[0], &rest[1]].concat()))
}

/// Words of that message.
pub(super) fn told_words(level: Level) -> usize {
    level.words() + 2 * level.groups()
}
