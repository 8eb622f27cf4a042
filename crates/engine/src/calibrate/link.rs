//! Measures the link to the peer: round trips, and bytes a second in each direction.

use std::fmt;
use std::time::{Duration, Instant};

use tacit_net::shape::Shape;
use tacit_net::{Channel, NetError};

use super::constants::{GROWTH, LEAD_BYTES, LEAST_TRANSFER, MOST_TRANSFER, ROUND_TRIPS, TRANSFERS};
use crate::Failure;
use crate::peer_fault::{CalibrationFault, PeerFault};

/// The minimum duration of a measured transfer, unless it has [`MOST_TRANSFER`] bytes.
const LEAST_DURATION: Duration = Duration::from_millis(250);
/// The factor by which the middle half of all measurements of a steady link differs at most.
const STEADY: u64 = 2;
/// Round trips that differ by less are steady: schedulers cause as much.
const STEADY_ROUND: u64 = 2_000_000;
/// Bounds of what a peer may have measured: an hour, and the bandwidths that a form of a link may have.
const MOST_ROUND: u64 = 3_600_000_000_000;
const MOST_BITS: u64 = 1_000_000_000_000_000;

const SAMPLES: usize = ROUND_TRIPS + TRANSFERS;

/// What one party has measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LinkSamples {
    /// Nanoseconds of round trips.
    rounds: [u64; ROUND_TRIPS],
    /// Bits a second of what it has received.
    bits: [u64; TRANSFERS],
}

impl LinkSamples {
    const BYTES: usize = 8 * SAMPLES;

    fn encode(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let words = self.rounds.iter().chain(&self.bits);
        bytes.chunks_mut(8).zip(words).for_each(|(chunk, word)| chunk.copy_from_slice(&word.to_le_bytes()));
        bytes
    }

    /// The samples of a peer, which are within bounds.
    fn decode(bytes: &[u8; Self::BYTES]) -> Result<LinkSamples, CalibrationFault> {
        let mut words = [0; SAMPLES];
        for (word, chunk) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            let mut little = [0; 8];
            little.copy_from_slice(chunk);
            *word = u64::from_le_bytes(little);
        }
        let (rounds, bits) = words.split_at(ROUND_TRIPS);
        let within = |words: &[u64], most: u64| words.iter().all(|word| (1..=most).contains(word));
        if !within(rounds, MOST_ROUND) || !within(bits, MOST_BITS) {
            return Err(CalibrationFault::Samples);
        }
        let mut samples = LinkSamples { rounds: [0; ROUND_TRIPS], bits: [0; TRANSFERS] };
        samples.rounds.copy_from_slice(rounds);
        samples.bits.copy_from_slice(bits);
        Ok(samples)
    }
}

/// The median of measurements, and the bounds of their middle half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// The median.
    pub median: u64,
    /// The least of the middle half.
    pub lower: u64,
    /// The greatest of the middle half.
    pub upper: u64,
}

impl Spread {
    /// That of at least one measurement.
    fn of(mut measured: Vec<u64>) -> Spread {
        measured.sort_unstable();
        let (quarter, last) = (measured.len() / 4, measured.len() - 1);
        Spread {
            median: measured[measured.len() / 2],
            lower: measured[quarter],
            upper: measured[last - quarter],
        }
    }

    /// Whether it is within the factor of a steady link, or its bounds differ by at most `allowed`.
    fn is_steady(self, allowed: u64) -> bool {
        self.upper - self.lower <= allowed || self.upper <= self.lower.saturating_mul(STEADY)
    }
}

/// A link as both parties measured it; both have the same, seen from their own end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredLink {
    /// The peer.
    pub peer: String,
    /// Nanoseconds of a round trip.
    pub round_ns: Spread,
    /// Bits a second to the peer.
    pub sent: Spread,
    /// Bits a second from the peer.
    pub received: Spread,
}

impl MeasuredLink {
    fn of(peer: String, own: &LinkSamples, peers: &LinkSamples) -> MeasuredLink {
        MeasuredLink {
            peer,
            round_ns: Spread::of([own.rounds, peers.rounds].concat()),
            sent: Spread::of(peers.bits.to_vec()),
            received: Spread::of(own.bits.to_vec()),
        }
    }

    /// The link to plan for, the same at both parties: the lower bandwidth, and half the median round trip.
    pub fn shape(&self) -> Shape {
        let bandwidth_bits_per_s = self.sent.median.min(self.received.median);
        let latency = Duration::from_nanos(self.round_ns.median / 2);
        Shape { bandwidth_bits_per_s, latency }.rounded()
    }

    /// What has changed while it was measured, if anything.
    pub fn changes(&self) -> Option<LinkChange> {
        let bandwidth = |spread: Spread| !spread.is_steady(0);
        let change = LinkChange {
            peer: self.peer.clone(),
            sent: Some(self.sent).filter(|spread| bandwidth(*spread)),
            received: Some(self.received).filter(|spread| bandwidth(*spread)),
            round_ns: Some(self.round_ns).filter(|spread| !spread.is_steady(STEADY_ROUND)),
        };
        let any = change.sent.or(change.received).or(change.round_ns);
        any.map(|_| change)
    }
}

/// A link that changed while it was measured: the middle half of all measurements differs by more than a factor of two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkChange {
    /// The peer.
    pub peer: String,
    /// Bits a second to the peer, if they have changed.
    pub sent: Option<Spread>,
    /// Bits a second from the peer, if they have changed.
    pub received: Option<Spread>,
    /// Nanoseconds of a round trip, if they have changed.
    pub round_ns: Option<Spread>,
}

impl fmt::Display for LinkChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let peer = &self.peer;
        let bits = |way: &str, spread: Spread| {
            let [lower, upper] = [spread.lower, spread.upper].map(|bits| bits as f64 / 1e6);
            format!("{way} {peer} it had {lower:.3} to {upper:.3} Mbit/s")
        };
        let rounds = |spread: Spread| {
            let [lower, upper] = [spread.lower, spread.upper].map(|round| round as f64 / 1e6);
            format!("round trips took {lower:.3} to {upper:.3} ms")
        };
        let sent = self.sent.map(|spread| bits("to", spread));
        let received = self.received.map(|spread| bits("from", spread));
        let changes: Vec<_> = [sent, received, self.round_ns.map(rounds)].into_iter().flatten().collect();
        write!(
            f,
            "the link with {peer} changed while it was measured: {}; measure again when it is steady, or plan for the slowest link that you expect",
            changes.join(", ")
        )
    }
}

/// Measures the link together with the peer, which does the same at the same time. `first` is different at the two.
pub(super) async fn measure(channel: &mut Channel, first: bool) -> Result<MeasuredLink, Failure> {
    let mut own = LinkSamples { rounds: [0; ROUND_TRIPS], bits: [0; TRANSFERS] };
    for measures in [first, !first] {
        match measures {
            true => own.rounds = round_trips(channel).await?,
            false => answer(channel).await?,
        }
    }
    for receives in [first, !first] {
        match receives {
            true => own.bits = transfers(channel).await?,
            false => serve(channel).await?,
        }
    }
    let mut peers = [0; LinkSamples::BYTES];
    channel.exchange(&own.encode(), &mut peers).await?;
    let peer = channel.peer();
    let peers = LinkSamples::decode(&peers).map_err(|fault| PeerFault::from(fault).by(peer.clone()))?;
    Ok(MeasuredLink::of(peer, &own, &peers))
}

/// Nanoseconds of round trips. The first one, which is not counted, waits until the peer is there.
async fn round_trips(channel: &mut Channel) -> Result<[u64; ROUND_TRIPS], NetError> {
    let mut rounds = [0; ROUND_TRIPS];
    bounce(channel).await?;
    for round in &mut rounds {
        *round = bounce(channel).await?;
    }
    Ok(rounds)
}

async fn bounce(channel: &mut Channel) -> Result<u64, NetError> {
    let began = Instant::now();
    channel.send(&[0]).await?;
    channel.receive(1).await?;
    Ok(nanoseconds(began).min(MOST_ROUND))
}

/// Answers the peer's round trips.
async fn answer(channel: &mut Channel) -> Result<(), NetError> {
    for _ in 0..=ROUND_TRIPS {
        channel.receive(1).await?;
        channel.send(&[0]).await?;
        channel.flush().await?;
    }
    Ok(())
}

/// Asks the peer for transfers, longer and longer until they take long enough to be measured; returns the bits a second
/// of those after that.
async fn transfers(channel: &mut Channel) -> Result<[u64; TRANSFERS], NetError> {
    let mut bytes = LEAST_TRANSFER;
    while bytes < MOST_TRANSFER && receive(channel, bytes).await? < LEAST_DURATION {
        bytes *= GROWTH;
    }
    let bytes = bytes.min(MOST_TRANSFER);
    let mut measured = [0; TRANSFERS];
    for bits in &mut measured {
        let nanoseconds = receive(channel, bytes).await?.as_nanos().max(1);
        let found = u128::from(bytes) * 8_000_000_000 / nanoseconds;
        *bits = u64::try_from(found).unwrap_or(MOST_BITS).clamp(1, MOST_BITS);
    }
    channel.send(&0u64.to_le_bytes()).await?;
    channel.flush().await?;
    Ok(measured)
}

/// Asks for a transfer; returns the time between its first bytes and its last.
async fn receive(channel: &mut Channel, bytes: u64) -> Result<Duration, NetError> {
    channel.send(&bytes.to_le_bytes()).await?;
    channel.receive(LEAD_BYTES).await?;
    let began = Instant::now();
    let mut left = bytes;
    while left > 0 {
        let piece = left.min(LEAST_TRANSFER);
        channel.receive(piece as usize).await?;
        left -= piece;
    }
    Ok(began.elapsed())
}

/// Sends the transfers that the peer asks for.
async fn serve(channel: &mut Channel) -> Result<(), Failure> {
    let most = TRANSFERS + (MOST_TRANSFER / LEAST_TRANSFER).ilog(GROWTH) as usize;
    for _ in 0..=most {
        let mut asked = [0; 8];
        channel.receive_into(&mut asked).await?;
        match u64::from_le_bytes(asked) {
            0 => return Ok(()),
            bytes if (LEAST_TRANSFER..=MOST_TRANSFER).contains(&bytes) => send(channel, bytes).await?,
            bytes => {
                let fault = CalibrationFault::Transfer { bytes, least: LEAST_TRANSFER, most: MOST_TRANSFER };
                return Err(PeerFault::from(fault).by(channel.peer()));
            }
        }
    }
    Err(PeerFault::from(CalibrationFault::Transfers { limit: most }).by(channel.peer()))
}

async fn send(channel: &mut Channel, bytes: u64) -> Result<(), NetError> {
    // What arrives first must be a frame of its own.
    channel.send(&[0; LEAD_BYTES]).await?;
    channel.flush().await?;
    let piece = [0; LEAST_TRANSFER as usize];
    let mut left = bytes;
    while left > 0 {
        let length = left.min(LEAST_TRANSFER) as usize;
        channel.send(&piece[..length]).await?;
        left -= length as u64;
    }
    channel.flush().await
}

fn nanoseconds(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use tacit_net::{Options, memory};

    use super::super::constants::STREAM;
    use super::*;

    const SAMPLE: LinkSamples = LinkSamples {
        rounds: [5_000_000; ROUND_TRIPS],
        bits: [90_000_000, 91_000_000, 92_000_000, 93_000_000, 94_000_000, 95_000_000, 20_000_000],
    };

    fn pair() -> (Channel, Channel) {
        let (a, b) = memory::pair(Options::default());
        (a.open(STREAM).expect("a stream"), b.open(STREAM).expect("a stream"))
    }

    #[tokio::test]
    async fn both_ends_get_the_same() {
        let (mut a, mut b) = pair();
        let (a, b) = tokio::join!(measure(&mut a, true), measure(&mut b, false));
        let (a, b) = (a.expect("measured"), b.expect("measured"));
        assert_eq!((a.sent, a.received, a.round_ns), (b.received, b.sent, b.round_ns));
        assert_eq!(a.shape(), b.shape());
        assert_eq!(a.shape().form().parse(), Ok(a.shape()));
    }

    #[test]
    fn plans_are_for_the_slower_direction_and_the_median_round_trip() {
        let slower = LinkSamples { bits: SAMPLE.bits.map(|bits| bits / 2), rounds: [7_000_000; ROUND_TRIPS] };
        let link = MeasuredLink::of("B".to_owned(), &SAMPLE, &slower);
        assert_eq!((link.received.median, link.sent.median), (92_000_000, 46_000_000));
        assert_eq!(link.shape().form(), "46mbit,3.5ms");
        let other = MeasuredLink::of("A".to_owned(), &slower, &SAMPLE);
        assert_eq!(other.shape(), link.shape());
    }

    #[test]
    fn a_link_that_changes_is_told_with_what_changed() {
        // One measurement that stands out is no change.
        let steady = MeasuredLink::of("B".to_owned(), &SAMPLE, &SAMPLE);
        assert_eq!(steady.changes(), None);
        let mut changed = SAMPLE;
        changed.bits[..3].fill(30_000_000);
        let link = MeasuredLink::of("B".to_owned(), &changed, &SAMPLE);
        let change = link.changes().expect("three times as much");
        assert_eq!((change.sent, change.round_ns), (None, None));
        let text = change.to_string();
        assert!(text.contains("from B it had 30.000 to 94.000 Mbit/s"), "{text}");
        assert!(!text.contains("round trips"), "{text}");
        changed = SAMPLE;
        changed.rounds.fill(25_000_000);
        let text = MeasuredLink::of("B".to_owned(), &changed, &SAMPLE).changes().expect("slower").to_string();
        assert!(text.contains("round trips took 5.000 to 25.000 ms"), "{text}");
        // Schedulers cause as much.
        changed.rounds.fill(100_000);
        let short = LinkSamples { rounds: [1_000_000; ROUND_TRIPS], ..SAMPLE };
        assert_eq!(MeasuredLink::of("B".to_owned(), &changed, &short).changes(), None);
    }

    #[test]
    fn samples_are_read_back_and_bounded() {
        assert_eq!(LinkSamples::decode(&SAMPLE.encode()), Ok(SAMPLE));
        let refused = |place: usize, word: u64| {
            let mut bytes = SAMPLE.encode();
            bytes[8 * place..][..8].copy_from_slice(&word.to_le_bytes());
            assert_eq!(LinkSamples::decode(&bytes), Err(CalibrationFault::Samples), "{place}: {word}");
        };
        for place in 0..SAMPLES {
            refused(place, 0);
            refused(place, u64::MAX);
        }
        refused(0, MOST_ROUND + 1);
        refused(ROUND_TRIPS, MOST_BITS + 1);
    }

    /// How serving a peer ends that asks for transfers of these sizes.
    async fn served(asked: &[u64]) -> String {
        let (mut a, mut b) = pair();
        let asks = async {
            for bytes in asked {
                b.send(&bytes.to_le_bytes()).await.expect("sent");
                b.flush().await.expect("sent");
                let mut left = if *bytes > MOST_TRANSFER { 0 } else { LEAD_BYTES as u64 + bytes };
                while left > 0 && *bytes >= LEAST_TRANSFER {
                    let piece = left.min(LEAST_TRANSFER);
                    b.receive(piece as usize).await.expect("received");
                    left -= piece;
                }
            }
        };
        let (served, ()) = tokio::join!(serve(&mut a), asks);
        served.expect_err("refused").to_string()
    }

    #[tokio::test]
    async fn a_peer_cannot_ask_for_more_than_is_needed() {
        for bytes in [1, LEAST_TRANSFER - 1, MOST_TRANSFER + 1, u64::MAX] {
            let error = served(&[bytes]).await;
            assert!(error.contains(&format!("it asks for a transfer of {bytes} bytes; 16384 to")), "{error}");
        }
        let error = served(&[LEAST_TRANSFER; 14]).await;
        assert!(error.contains("more than 13 transfers"), "{error}");
    }

    #[tokio::test]
    async fn samples_of_a_peer_that_are_not_possible_are_its_fault() {
        let (mut a, mut b) = pair();
        let lies = async {
            answer(&mut b).await.expect("answered");
            round_trips(&mut b).await.expect("measured");
            serve(&mut b).await.expect("served");
            transfers(&mut b).await.expect("measured");
            let mut bytes = SAMPLE.encode();
            bytes[..8].fill(0);
            b.exchange(&bytes, &mut [0; LinkSamples::BYTES]).await.expect("sent");
        };
        let (measured, ()) = tokio::join!(measure(&mut a, true), lies);
        let error = measured.expect_err("refused").to_string();
        assert!(error.contains("what it has measured is not possible"), "{error}");
    }
}
