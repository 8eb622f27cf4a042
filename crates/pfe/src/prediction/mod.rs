//! Predictions of the time and bytes of a private function on a link, and the choice of the fastest protocol, before
//! anything is sent.
//!
//! Bytes and rounds are exact. Seconds follow from [`Rates`] and counts of operations. Both parties compute at the same time, on all their threads, while they
//! send and receive, so the slowest of these determines the time. A universal circuit takes one thread at each party. The peer's machine is assumed to be as
//! fast as this one.
//!
//! A prediction only depends on public values, so the choice of a protocol reveals nothing about the function.

mod katz_malka;
mod rates;

use std::time::Duration;

use crate::universal::UniversalSize;
use crate::{FunctionError, Protocol, Size};

pub use rates::Rates;

/// A link. The numbers are for each direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Bits per second.
    pub bits_per_second: f64,
    /// One-way latency.
    pub latency: Duration,
}

/// The machines of both parties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// Measured speeds of operations.
    pub rates: Rates,
    /// Threads of each party, or of both where they share them.
    pub threads: usize,
    /// Whether both parties run on the same machine.
    pub shared: bool,
}

/// The predicted cost of a run with its introduction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The protocol.
    pub protocol: Protocol,
    /// Bytes of both parties. Exact.
    pub bytes: u64,
    /// Seconds until inputs are needed.
    pub setup_seconds: f64,
    /// Seconds once inputs are known.
    pub online_seconds: f64,
    /// Seconds in which the slower party computes.
    pub computing_seconds: f64,
    /// Seconds that the busier direction of the link needs.
    pub link_seconds: f64,
}

impl Prediction {
    /// Setup and online.
    pub fn seconds(&self) -> f64 {
        self.setup_seconds + self.online_seconds
    }
}

/// The predicted costs of all protocols, the fastest first. `sizes` has the function's size under each protocol.
///
/// # Errors
/// [`FunctionError`] for a size that a protocol does not support.
pub fn predict(
    sizes: &[(Protocol, Size)],
    machine: &Machine,
    link: &Link,
) -> Result<Vec<Prediction>, FunctionError> {
    let predictions = sizes.iter().map(|(protocol, size)| of(*protocol, size, machine, link));
    let mut predictions: Vec<Prediction> = predictions.collect::<Result<_, _>>()?;
    predictions.sort_by(|a, b| a.seconds().total_cmp(&b.seconds()));
    Ok(predictions)
}

/// Seconds of computing at holder and owner, on one thread each.
struct Work {
    holder: f64,
    owner: f64,
    threads: usize,
}

impl Work {
    /// Seconds of the slower party.
    fn seconds(&self, machine: &Machine) -> f64 {
        let threads = machine.threads.max(1);
        let each = self.threads.min(threads) as f64;
        if machine.shared {
            let both = (2 * self.threads).min(threads) as f64;
            return ((self.holder + self.owner) / both).max(self.holder.max(self.owner) / each);
        }
        self.holder.max(self.owner) / each
    }
}

fn of(protocol: Protocol, size: &Size, machine: &Machine, link: &Link) -> Result<Prediction, FunctionError> {
    let (bytes, rounds) = protocol.cost(size)?;
    let [setup, online] = work(protocol, size, machine)?.map(|work| work.seconds(machine));
    let seconds = |sent: [u64; 2]| sent.into_iter().max().unwrap_or(0) as f64 * 8.0 / link.bits_per_second;
    let on_link = [
        [bytes.introduction.holder + bytes.setup.holder, bytes.introduction.owner + bytes.setup.owner],
        [bytes.online.holder, bytes.online.owner],
    ]
    .map(seconds);
    let latency = link.latency.as_secs_f64();
    let trips = |used: bool, rounds: u64| latency * if used { 1.0 + rounds as f64 } else { 0.0 };
    let has_setup = on_link[0] > 0.0;
    Ok(Prediction {
        protocol,
        bytes: bytes.total(),
        // Windows follow one another without waiting; only the first message and its answer take a round trip.
        setup_seconds: setup.max(on_link[0]) + trips(has_setup, 1),
        online_seconds: online.max(on_link[1]) + trips(true, rounds.online.owner),
        computing_seconds: setup + online,
        link_seconds: on_link[0] + on_link[1],
    })
}

/// The work of setup and of online.
fn work(protocol: Protocol, size: &Size, machine: &Machine) -> Result<[Work; 2], FunctionError> {
    match protocol {
        Protocol::HalfElGamal => Ok(half_elgamal(size, &machine.rates, machine.threads)),
        Protocol::KatzMalka(scheme) => Ok(katz_malka::work(scheme, size, &machine.rates, machine.threads)),
        Protocol::UniversalCircuit => {
            let switches = UniversalSize::new(*size)?.circuit().count().switches() as f64;
            let slower = switches * machine.rates.switch;
            let none = Work { holder: 0.0, owner: 0.0, threads: 1 };
            Ok([none, Work { holder: slower, owner: slower, threads: 1 }])
        }
    }
}

fn half_elgamal(size: &Size, rates: &Rates, threads: usize) -> [Work; 2] {
    let (gates, wires) = (size.gates() as f64, size.outgoing() as f64);
    let holder = wires * rates.hash_to_group
        + gates * 2.0 * (rates.multiply_base + rates.encode + rates.multiply_table);
    let operand = rates.decode + rates.multiply + 2.0 * rates.encode;
    let wire = rates.hash_to_group + rates.multiply + 2.0 * rates.encode;
    let owner = gates * (2.0 * operand + 8.0 * rates.hash) + wires * wire;
    let online = gates * (rates.decode + 2.0 * rates.encode + 3.0 * rates.hash);
    [Work { holder, owner, threads }, Work { holder: online, owner: 0.0, threads }]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Measured on a machine with IFMA.
    const RATES: Rates = Rates {
        multiply_base: 2.8e-6,
        multiply_table: 2.8e-6,
        multiply: 5.8e-6,
        hash_to_group: 1.7e-6,
        decode: 8e-7,
        encode: 1e-7,
        hash: 2e-7,
        multiply_modular: 2e-6,
        transform: 7.6e-6,
        switch: 1e-7,
    };

    fn all(size: Size) -> [(Protocol, Size); 5] {
        Protocol::ALL.map(|protocol| (protocol, size))
    }

    fn first(gates: usize, bits_per_second: f64, threads: usize) -> Prediction {
        let machine = Machine { rates: RATES, threads, shared: false };
        let link = Link { bits_per_second, latency: Duration::from_millis(1) };
        predict(&all(Size::new(0, 64, gates, 64).unwrap()), &machine, &link).unwrap()[0]
    }

    #[test]
    fn fast_links_take_universal_circuits_and_slow_ones_half_elgamal() {
        assert_eq!(first(100_000, 1e10, 2).protocol, Protocol::UniversalCircuit);
        assert_eq!(first(100_000, 1e7, 2).protocol, Protocol::HalfElGamal);
        assert_eq!(first(100_000, 1e9, 64).protocol, Protocol::HalfElGamal);
    }

    #[test]
    fn katz_malka_takes_more_than_half_elgamal() {
        let size = Size::new(0, 64, 10_000, 64).unwrap();
        let machine = Machine { rates: RATES, threads: 2, shared: false };
        let link = Link { bits_per_second: 1e9, latency: Duration::from_millis(1) };
        let predicted = predict(&all(size), &machine, &link).unwrap();
        let place = |name: &str| predicted.iter().position(|one| one.protocol.name() == name).unwrap();
        assert!(place("half-elgamal") < place("katz-malka-elgamal"));
        assert!(place("katz-malka-elgamal") < place("katz-malka-djn"));
    }

    #[test]
    fn bytes_are_those_of_runs() {
        let size = Size::new(3, 5, 400, 7).unwrap();
        let machine = Machine { rates: RATES, threads: 1, shared: true };
        let link = Link { bits_per_second: 1e8, latency: Duration::ZERO };
        for prediction in predict(&all(size), &machine, &link).unwrap() {
            assert_eq!(prediction.bytes, prediction.protocol.cost(&size).unwrap().0.total());
        }
    }

    #[test]
    fn parties_on_one_machine_share_its_threads() {
        let size = Size::new(0, 64, 1000, 64).unwrap();
        let link = Link { bits_per_second: 1e12, latency: Duration::ZERO };
        let seconds = |threads, shared| {
            let machine = Machine { rates: RATES, threads, shared };
            of(Protocol::UniversalCircuit, &size, &machine, &link).unwrap().computing_seconds
        };
        assert_eq!(seconds(1, true), 2.0 * seconds(1, false));
        assert_eq!(seconds(2, true), seconds(2, false));
        assert_eq!(seconds(8, false), seconds(1, false));
    }

    #[tokio::test(flavor = "current_thread")]
    async fn machines_are_measured() {
        let rates = Rates::measure().await.unwrap();
        for rate in
            [rates.multiply, rates.multiply_base, rates.decode, rates.encode, rates.hash, rates.switch]
                .into_iter()
                .chain([rates.multiply_modular, rates.transform])
        {
            assert!(rate > 0.0 && rate < 1.0, "{rates:?}");
        }
    }
}
