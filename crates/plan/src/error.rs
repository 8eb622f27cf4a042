use tacit_lower::LowerError;
use tacit_schedule::walk::WalkError;

use crate::{Named, Objective};

/// Why there is no plan for a program.
#[derive(Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The program cannot be put into circuits.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// A security parameter has a value that no protocol here offers.
    #[error("security parameter {parameter} is {value}; it can be {permitted}")]
    Security {
        /// The parameter.
        parameter: &'static str,
        /// Its value.
        value: u32,
        /// The values it may have.
        permitted: &'static str,
    },
    /// A role of the program belongs to no party.
    #[error("no party speaks for role {role}; name one under [role.{role}] or [party.{role}] of the session")]
    NoParty {
        /// The role.
        role: String,
    },
    /// The roles do not belong to exactly two parties.
    #[error("the program's roles belong to {} ({}); exactly two must compute, each for at least one role; others are marked `computes = false` in the session file", parties(.found), .found.join(", "))]
    PartyCount {
        /// The parties that the roles belong to.
        found: Vec<String>,
    },
    /// No way to share values was offered.
    #[error("no domain was offered")]
    NoDomain,
    /// Money is to be saved, and nothing costs any.
    #[error("objective money takes a price: give gigabyte_price, core_hour_price or both")]
    NoTariff,
    /// The run is predicted to take more than a limit allows.
    #[error(
        "the run is predicted to take {needed} {what}, {excess} more than the limit of {limit}; {}",
        within(*.limit, *.least, *.by)
    )]
    Limit {
        /// What is limited.
        what: &'static str,
        /// How much the run takes.
        needed: u64,
        /// The limit.
        limit: u64,
        /// How much it is beyond.
        excess: u64,
        /// The least that a plan was found to take.
        least: u64,
        /// The objective of that plan.
        by: Objective,
    },
    /// A party is predicted to take more memory than a limit allows.
    #[error(
        "the run is predicted to take {needed} bytes of memory{}, {excess} more than the limit of {limit}; raise the limit, or compute with fewer values at a time",
        step(.line)
    )]
    Memory {
        /// Bytes of the party that takes more.
        needed: u64,
        /// The limit.
        limit: u64,
        /// How much it is beyond.
        excess: u64,
        /// Line of the source of the step that takes most; 0 for what no step takes.
        line: u32,
    },
    /// Values that are kept between runs would be shared in another way than other programs find them.
    #[error(
        "the values that the program keeps between runs would be shared in another way than in `yao`; pin them"
    )]
    Stored,
    /// The program does more work than was allowed.
    #[error("the program takes {needed} {what}; at most {limit} are allowed")]
    Budget {
        /// What was counted.
        what: &'static str,
        /// How much the program needs.
        needed: u64,
        /// The bound.
        limit: u64,
    },
    /// Encrypted numbers become larger than a key can hold.
    #[error(
        "values in `he` grow to {needed} bits, and keys of the level {level} hold {limit} besides what hides them; pin them to another domain in between, or make words narrower"
    )]
    Plaintext {
        /// Bits of the largest number that is decrypted.
        needed: u32,
        /// The most that fit.
        limit: u32,
        /// The security level.
        level: &'static str,
    },
    /// What the plan's steps cost cannot be counted, since they cannot all be walked.
    #[error("the cost of the plan cannot be counted: {0}")]
    Uncountable(#[from] WalkError),
    /// What the plan's steps cost cannot be counted, since one shifts words of a width that there is not.
    #[error(
        "the cost of the plan cannot be counted: a step shifts words of {bits} bits; 1 to 128 bits can be shifted"
    )]
    ShiftWidth {
        /// The width.
        bits: u32,
    },
}

fn parties(found: &[String]) -> String {
    match found.len() {
        1 => "1 party".to_owned(),
        n => format!("{n} parties"),
    }
}

/// What to do about a limit, where a plan by an objective takes `least`.
fn within(limit: u64, least: u64, by: Objective) -> String {
    match least <= limit {
        true => format!("plan by objective {}, which takes {least}", by.name()),
        false => format!(
            "no plan was found that takes fewer than {least}; raise the limit, or plan for another link"
        ),
    }
}

pub(crate) fn step(line: &u32) -> String {
    match line {
        0 => String::new(),
        line => format!(" for line {line}"),
    }
}
