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
    /// No protocol here supports this value of a security parameter.
    #[error("security parameter {parameter} is {value}; it can be {permitted}")]
    Security {
        /// The parameter.
        parameter: &'static str,
        /// Its value.
        value: u32,
        /// The values it may have.
        permitted: &'static str,
    },
    /// No party speaks for a role of the program.
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
    /// The given garbler is no computing party.
    #[error("garbler: expected auto, first, {}, {}, or a role of theirs; found {found}", .computing[0], .computing[1])]
    Garbler {
        /// The given name.
        found: String,
        /// The parties that compute.
        computing: [String; 2],
    },
    /// No way to share values was offered.
    #[error("no domain was offered")]
    NoDomain,
    /// The objective is money, but nothing has a price.
    #[error("objective money needs a price: give gigabyte_price, core_hour_price or both")]
    NoTariff,
    /// The run is predicted to take more than a limit allows.
    #[error(
        "the run is predicted to take {needed} {what}, {excess} more than the limit of {limit}; {}",
        within(*.limit, *.least, *.by)
    )]
    Limit {
        /// What is limited.
        what: &'static str,
        /// The predicted amount.
        needed: u64,
        /// The limit.
        limit: u64,
        /// The amount beyond the limit.
        excess: u64,
        /// The smallest amount among the plans that were found.
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
        /// Predicted bytes of the party that takes more.
        needed: u64,
        /// The limit.
        limit: u64,
        /// The amount beyond the limit.
        excess: u64,
        /// Line of the source of the step that takes most; 0 if no step does.
        line: u32,
    },
    /// Values that are kept between runs would be shared in another way than other programs expect.
    #[error(
        "the values that the program keeps between runs would be shared in another way than in `yao`; pin them"
    )]
    Stored,
    /// The program exceeds a budget.
    #[error("the program takes {needed} {what}; at most {limit} are allowed")]
    Budget {
        /// What was counted.
        what: &'static str,
        /// The amount that the program needs.
        needed: u64,
        /// The bound.
        limit: u64,
    },
    /// Encrypted numbers become larger than the keys allow.
    #[error(
        "values in `he` grow to {needed} bits, and keys of level {level} have room for {limit} beside the mask; pin values to another domain in between, or use narrower words"
    )]
    Plaintext {
        /// Bits of the largest number that is decrypted.
        needed: u32,
        /// The most bits that fit.
        limit: u32,
        /// The security level.
        level: &'static str,
    },
    /// The cost of the plan's steps cannot be counted, because a walk over them fails.
    #[error("the cost of the plan cannot be counted: {0}")]
    Uncountable(#[from] WalkError),
    /// The cost of the plan's steps cannot be counted, because one shifts words of an unsupported width.
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

/// The remedy for a limit, where a plan by an objective takes `least`.
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
