//! Fits rates to measured times of runs with known counts of units.

use tacit_plan::Profile;
use tacit_schedule::{Computing, Unit};

/// A measured phase of a run.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Computing that is sequential.
    pub computing: Computing,
    /// Computing of the garbler and of the evaluator at the same time.
    pub streamed: [Computing; 2],
    /// The time that it took.
    pub nanoseconds: f64,
}

/// Times below this one, in nanoseconds, have the same weight as this one.
const LEAST: f64 = 1e6;
/// How strongly a rate is drawn towards the prior one: a rate that differs by a factor of e counts as much as a sample that is off by the
/// root of this. Samples differ by a few percent from run to run, and many of them have units in common.
const PRIOR: f64 = 0.02;
/// The most by which a step changes the logarithm of a rate.
const MOST_STEP: f64 = 0.5;
/// Rates stay within this factor of the prior ones.
const MOST_TIMES: f64 = 25.0;
/// Rounds of the fit; after each, the slower of the two parties is determined anew.
const PARTS: usize = 8;
const SWEEPS: usize = 200;

/// The rates that explain the measured times best, by relative least squares; units with few samples keep the rates of `prior`.
pub(super) fn fitted(samples: &[Sample], prior: Profile) -> Profile {
    let mut profile = prior.clone();
    for _ in 0..PARTS {
        let rows: Vec<Row> = samples.iter().map(|sample| Row::new(sample, &profile, &prior)).collect();
        let times = solve(&rows, &profile, &prior);
        for (unit, times) in Unit::ALL.iter().zip(times) {
            profile = profile.with(*unit, ((prior.rate(*unit) as f64 * times).round() as u64).max(1));
        }
    }
    profile
}

/// A linear equation: the part of the measured time that each unit takes at its prior rate.
struct Row(Vec<f64>, f64);

impl Row {
    fn new(sample: &Sample, profile: &Profile, prior: &Profile) -> Row {
        let [garbler, evaluator] = &sample.streamed;
        let slower =
            if profile.picoseconds(garbler) >= profile.picoseconds(evaluator) { garbler } else { evaluator };
        let weight = sample.nanoseconds.max(LEAST);
        let share = |unit: &Unit| {
            let count = sample.computing.count(*unit).saturating_add(slower.count(*unit));
            count as f64 * prior.rate(*unit) as f64 / 1000.0 / weight
        };
        Row(Unit::ALL.iter().map(share).collect(), sample.nanoseconds / weight)
    }
}

/// Each unit's rate as a multiple of its prior rate, by coordinate descent on logarithms: a rate twice as large is as far from the prior one
/// as a rate half as large, so that machines of any speed are fitted alike.
fn solve(rows: &[Row], from: &Profile, prior: &Profile) -> Vec<f64> {
    let start = |unit: &Unit| from.rate(*unit) as f64 / prior.rate(*unit).max(1) as f64;
    let mut times: Vec<f64> = Unit::ALL.iter().map(start).collect();
    let mut missing: Vec<f64> = rows.iter().map(|Row(shares, all)| all - dot(shares, &times)).collect();
    for _ in 0..SWEEPS {
        for unit in 0..times.len() {
            let (mut along, mut size) = (-PRIOR * times[unit].ln(), PRIOR);
            for (Row(shares, _), missing) in rows.iter().zip(&missing) {
                let part = shares[unit] * times[unit];
                along += part * missing;
                size += part * part;
            }
            let step = (along / size).clamp(-MOST_STEP, MOST_STEP);
            let moved = (times[unit] * step.exp()).clamp(1.0 / MOST_TIMES, MOST_TIMES);
            let by = moved - times[unit];
            rows.iter().zip(&mut missing).for_each(|(Row(shares, _), missing)| *missing -= by * shares[unit]);
            times[unit] = moved;
        }
    }
    times
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The measurement on a machine with these rates.
    fn sample(machine: &Profile, computing: Computing, streamed: [Computing; 2]) -> Sample {
        let slower = streamed.iter().map(|one| machine.picoseconds(one)).max().unwrap_or(0);
        let nanoseconds = (machine.picoseconds(&computing) + slower) as f64 / 1000.0;
        Sample { computing, streamed, nanoseconds }
    }

    #[test]
    fn rates_are_found_and_others_stay() {
        let prior = Profile::named("p");
        let machine = prior.clone().with(Unit::Word, 9_000).with(Unit::HalfGatesGarbled, 60_000);
        let none = Computing::default();
        let and = |count| {
            [Computing::of(Unit::HalfGatesGarbled, count), Computing::of(Unit::HalfGatesEvaluated, count)]
        };
        let samples = [
            sample(&machine, Computing::of(Unit::Word, 1_000_000), [none; 2]),
            sample(&machine, Computing::of(Unit::Word, 3_000_000).and(Unit::Step, 1), and(2_000_000)),
            sample(&machine, none, and(1_000_000)),
        ];
        let found = fitted(&samples, prior.clone());
        for (unit, expected) in [(Unit::Word, 9_000.0), (Unit::HalfGatesGarbled, 60_000.0)] {
            let off = found.rate(unit) as f64 / expected;
            assert!((0.97..1.03).contains(&off), "{unit}: {}", found.rate(unit));
        }
        assert_eq!(found.rate(Unit::SoftSpoken8), prior.rate(Unit::SoftSpoken8));
    }
}
