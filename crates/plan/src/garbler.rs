use std::fmt;

use crate::{Goal, Prediction};

/// The other party garbles only if that saves at least 1 part in this many.
const LEAST_GAIN: u128 = 20;

/// Who garbles. The other computing party evaluates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum GarblerChoice {
    /// The party of the program's first role.
    #[default]
    First,
    /// The party of the program's first role, unless the objective is predicted to be at least 5 % better if
    /// the other party garbles; or no worse, and the time that decides between equals at least 5 % better. In programs that compute under encryption, whose time is not predicted, always
    /// the former.
    Auto,
    /// The party of this name, or else the party that speaks for the role of this name.
    Named(String),
}

impl GarblerChoice {
    /// The choice with this name: `auto`, `first`, or a party or role.
    pub fn named(name: &str) -> GarblerChoice {
        match name {
            "first" => GarblerChoice::First,
            "auto" => GarblerChoice::Auto,
            name => GarblerChoice::Named(name.to_owned()),
        }
    }
}

impl fmt::Display for GarblerChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GarblerChoice::First => "first",
            GarblerChoice::Auto => "auto",
            GarblerChoice::Named(name) => name,
        })
    }
}

/// Whether a plan is so much better with the other party as garbler that it is worth departing from the
/// usual one.
pub(crate) fn is_worth_it(usual: &Prediction, other: &Prediction, goal: Goal) -> bool {
    let saves = |usual: u64, other: u64| {
        let [usual, other] = [usual, other].map(u128::from);
        other < usual && other * LEAST_GAIN <= usual * (LEAST_GAIN - 1)
    };
    let (usual, other) = (usual.of(goal), other.of(goal));
    saves(usual.0, other.0) || (other.0 <= usual.0 && saves(usual.1, other.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Objective, PhaseTime, PredictedTime, Traffic};

    /// A prediction of so many bytes and nanoseconds.
    fn of((garbler_bytes, waiting_ns): (u64, u64)) -> Prediction {
        let online = PhaseTime { waiting_ns, ..PhaseTime::default() };
        Prediction {
            online: Traffic { garbler_bytes, ..Traffic::default() },
            time: PredictedTime { online, ..PredictedTime::default() },
            ..Prediction::default()
        }
    }

    /// Whether the second is worth it if bytes count most, and then time.
    fn by_bytes(usual: (u64, u64), other: (u64, u64)) -> bool {
        let goal = Goal { objective: Objective::Bytes, ..Goal::default() };
        is_worth_it(&of(usual), &of(other), goal)
    }

    #[test]
    fn time_decides_between_plans_of_equal_bytes() {
        assert!(by_bytes((1000, 100), (1000, 95)));
        assert!(!by_bytes((1000, 100), (1000, 96)));
        assert!(!by_bytes((1000, 100), (1001, 1)));
        assert!(by_bytes((1000, 100), (950, 500)));
    }

    #[test]
    fn a_gain_of_five_percent_is_worth_it() {
        let is_worth_it = |usual, other| by_bytes((usual, 0), (other, 0));
        assert!(is_worth_it(1000, 950));
        assert!(!is_worth_it(1000, 951));
        assert!(!is_worth_it(1000, 1001));
        assert!(!is_worth_it(0, 0));
        assert!(is_worth_it(u64::MAX, 1));
    }

    #[test]
    fn choices_have_names() {
        for (name, choice) in [
            ("first", GarblerChoice::First),
            ("auto", GarblerChoice::Auto),
            ("B", GarblerChoice::Named("B".to_owned())),
        ] {
            assert_eq!(GarblerChoice::named(name), choice);
            assert_eq!(choice.to_string(), name);
        }
    }
}
