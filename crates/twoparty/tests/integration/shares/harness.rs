//! Runs the same protocol at both parties and combines shares.

pub(crate) use crate::tap;

use crate::tap::{Edit, Trace};
use std::time::Duration;
use tacit_crypto::Prg;
use tacit_math::{Bits, Block};
use tacit_net::StreamId;
use tacit_ot::cot::Extension;
use tacit_ot::rot;
use tacit_ot::softspoken::Params;
use tacit_twoparty::arith::{Relation, Resize};
use tacit_twoparty::correlations::{Ots, Pool, Requirement};
use tacit_twoparty::transfers::Tally;
use tacit_twoparty::yao::streamed::{Evaluator, Garbler};
use tacit_twoparty::{Cost, CountedChannel, CountedOts, Dialogue, End, Party, ShareError, mask};

pub const LIMIT: Duration = Duration::from_secs(30);
pub const SESSION: [u8; 32] = [3; 32];
pub const WIDTHS: [u32; 9] = [1, 7, 8, 16, 31, 32, 63, 64, 128];
pub const LANES: [usize; 4] = [1, 3, 64, 1000];

/// Every width with some lanes, and all numbers of lanes with some width; every pair in the long form.
pub fn grid(long: bool) -> Vec<(u32, usize)> {
    let pair = |(i, bits): (usize, &u32)| {
        let lanes = LANES.into_iter().enumerate().filter(move |(j, _)| long || i % LANES.len() == *j);
        lanes.map(|(_, lanes)| (*bits, lanes)).collect::<Vec<_>>()
    };
    WIDTHS.iter().enumerate().flat_map(pair).collect()
}

/// Secret randomness of a party in a test.
pub fn prg(party: Party, seed: u128) -> Prg {
    Prg::new(Block(seed << 1 | party.index() as u128))
}

/// The same randomness for the whole test.
pub fn words(seed: u128, bits: u32, count: usize) -> Vec<u128> {
    let mut prg = Prg::new(Block(seed));
    (0..count).map(|_| prg.next_block().0 & mask(bits)).collect()
}

pub fn bits(seed: u128, count: usize) -> Bits {
    Prg::new(Block(seed)).next_bits(count)
}

/// What one party has at the start of a protocol.
pub struct Start {
    pub party: Party,
    pub link: tap::End,
    pub seed: u128,
}

impl Start {
    /// Makes the material of `requirement` on the first channel, stores and reads it, and starts with the
    /// result.
    pub async fn end(self, requirement: &Requirement) -> Result<(End, tacit_net::Connection), ShareError> {
        let Start { party, link: tap::End { mut channel, connection }, seed } = self;
        let mut ots = Ots::setup(&mut channel, party, Params::K4, &SESSION, prg(party, seed)).await?;
        let pool = Pool::make(&mut ots, &mut channel, requirement).await?;
        let pool = Pool::from_bytes(requirement, &pool.to_bytes())?;
        Ok((End::start(channel, party, pool, prg(party, seed + 1)).await?, connection))
    }
}

/// Runs both parties; returns their results, and the bytes that each sent.
pub async fn both<T>(
    edits: [Edit; 2],
    limit: Duration,
    protocol: impl AsyncFn(Start) -> T,
) -> ([T; 2], Trace) {
    let start = |party| {
        let protocol = &protocol;
        move |link| protocol(Start { party, link, seed: 77 })
    };
    let (a, b, trace) = tap::run(edits, limit, start(Party::First), start(Party::Second)).await;
    ([a, b], trace)
}

/// Runs a protocol with the material of `requirement` at both parties; returns each party's result with the bytes it sent and
/// the rounds it took.
pub async fn measured<T>(
    requirement: &Requirement,
    protocol: impl AsyncFn(&mut End) -> Result<T, ShareError>,
) -> [(T, u64, u64); 2] {
    let run = async |start: Start| -> Result<(T, u64, u64), ShareError> {
        let (mut end, _connection) = start.end(requirement).await?;
        let (bytes, rounds) = (end.channel().bytes_sent(), end.channel().rounds());
        let given = protocol(&mut end).await?;
        let (bytes, rounds) = (end.channel().bytes_sent() - bytes, end.channel().rounds() - rounds);
        end.finish().finish().await?;
        Ok((given, bytes, rounds))
    };
    let (ended, _) = both([Edit::None; 2], LIMIT, run).await;
    match ended {
        [Ok(first), Ok(second)] => [first, second],
        [first, second] => panic!("{:?} and {:?}", first.err(), second.err()),
    }
}

/// What setting up OTs and making `requirement` sends: fails unless a channel has sent exactly that, in as many rounds.
pub fn as_counted(
    channel: &tacit_net::Channel,
    party: Party,
    extension: impl Into<Extension>,
    requirement: &Requirement,
) {
    let all = Dialogue::default().set_up(Party::First).set_up(Party::Second);
    let mut counted = CountedChannel::default();
    let mut ots = CountedOts { tally: Tally::default(), extension: extension.into() };
    counted.play(&all.then(requirement.price::<Ots>()), &mut ots);
    let (i, sent) = (party.index(), (channel.bytes_sent(), channel.rounds()));
    assert_eq!(sent, (counted.bytes[i], counted.rounds[i]), "{party:?}, {requirement:?}");
}

/// [`measured`] for a predicted cost: fails unless the protocol takes exactly that, including all of its
/// material.
pub async fn predicted<T>(cost: &Cost, protocol: impl AsyncFn(&mut End) -> Result<T, ShareError>) -> [T; 2] {
    let ended = measured(&cost.requirement, async |end| {
        let given = protocol(end).await?;
        assert!(end.is_spent(), "less was used than {cost:?}");
        Ok(given)
    })
    .await;
    let mut place = 0;
    ended.map(|(given, bytes, rounds)| {
        let predicted = (cost.bytes()[place], cost.rounds()[place]);
        assert_eq!((bytes, rounds), predicted, "party {place} of {cost:?}");
        place += 1;
        given
    })
}

/// Either side of a streamed garbling, behind one type.
pub enum YaoSide {
    Garbler(Box<Garbler>),
    Evaluator(Box<Evaluator>),
}

/// Starts the side of Yao's protocol on the second channel of a link.
pub async fn yao(party: Party, connection: &tacit_net::Connection) -> Result<YaoSide, ShareError> {
    let (mut channel, mut prg) = (connection.open(StreamId(2))?, prg(party, 991));
    Ok(match party {
        Party::First => {
            let ots = rot::Sender::setup(&mut channel, Params::K4, &SESSION, &mut prg).await?;
            YaoSide::Garbler(Box::new(Garbler::start(channel, ots, prg).await?))
        }
        Party::Second => {
            let ots = rot::Receiver::setup(&mut channel, Params::K4, &SESSION, &mut prg).await?;
            YaoSide::Evaluator(Box::new(Evaluator::start(channel, ots).await?))
        }
    })
}

/// Calls an async function of either side.
#[macro_export]
macro_rules! with_side {
    ($side:expr, $name:ident => $call:expr) => {
        match $side {
            $crate::shares::harness::YaoSide::Garbler($name) => {
                let $name = &mut **$name;
                $call
            }
            $crate::shares::harness::YaoSide::Evaluator($name) => {
                let $name = &mut **$name;
                $call
            }
        }
    };
}

/// Words from both parties' shares.
pub fn sum(shares: [&[u128]; 2], bits: u32) -> Vec<u128> {
    shares[0].iter().zip(shares[1]).map(|(x, y)| x.wrapping_add(*y) & mask(bits)).collect()
}

pub fn xor(shares: [&Bits; 2]) -> Bits {
    let mut bits = shares[0].clone();
    bits ^= shares[1];
    bits
}

/// This party's input: its values if it is the one that gives them.
pub fn given<T>(end: &End, giver: Party, values: T) -> Option<T> {
    (end.party() == giver).then_some(values)
}

fn signed(word: u128, bits: u32) -> i128 {
    (word << (128 - bits)) as i128 >> (128 - bits)
}

/// Whether a relation holds between words of `bits` bits.
pub fn compared(relation: Relation, x: u128, y: u128, bits: u32) -> bool {
    match relation {
        Relation::LessUnsigned => x < y,
        Relation::LessSigned => signed(x, bits) < signed(y, bits),
        Relation::LessWithin => signed(x.wrapping_sub(y) & mask(bits), bits) < 0,
        Relation::Equal => x == y,
    }
}

/// The result, and its width.
pub fn resized(how: Resize, x: u128, bits: u32) -> (u128, u32) {
    match how {
        Resize::Logical { by } => (x.checked_shr(by).unwrap_or(0), bits),
        Resize::Arithmetic { by } => ((signed(x, bits) >> by.min(127)) as u128 & mask(bits), bits),
        Resize::High { by } => (x >> by, bits - by),
        Resize::ZeroExtend { to } => (x, to),
        Resize::SignExtend { to } => (signed(x, bits) as u128 & mask(to), to),
    }
}
