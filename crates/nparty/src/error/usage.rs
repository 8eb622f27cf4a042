//! What a program or its user can ask for that is impossible.

use num_bigint::{BigInt, BigUint};
use tacit_math::field::ModulusError;
use thiserror::Error;

/// Why what a program or its user asked for is impossible.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum UsageError {
    /// The modulus is no odd prime.
    #[error("the modulus {modulus} is not an odd prime; give an odd prime, such as 2^61 - 1")]
    NotPrime {
        /// The modulus.
        modulus: BigUint,
    },
    /// There is no field with this modulus.
    #[error("the modulus {modulus} is not possible: {cause}")]
    Modulus {
        /// The modulus.
        modulus: BigUint,
        /// Why.
        cause: ModulusError,
    },
    /// The field or this software cannot offer the statistical security.
    #[error(
        "statistical security of {bits} bits is not possible: with this modulus it must be from {least} to {most} bits, \
         because random elements offer no more; a larger modulus, such as 2^255 - 19, offers up to {limit}"
    )]
    StatisticalBits {
        /// What was asked for.
        bits: usize,
        /// The least.
        least: usize,
        /// The most in this field.
        most: usize,
        /// The most in any field.
        limit: usize,
    },
    /// The operation is not verified.
    #[error(
        "{what} is possible with security = \"passive\" alone, since with \"active\" everything must be verified; leave it out, or agree on \"passive\""
    )]
    PassiveOnly {
        /// What was asked for.
        what: &'static str,
    },
    /// The field is too small to verify in.
    #[error(
        "security = \"active\" needs a modulus of at least {needed} bits for {security} bits of statistical security, and this one has {bits}; take a larger prime, such as 2^61 - 1 or 2^127 - 1"
    )]
    SmallToVerify {
        /// Bits of the modulus.
        bits: usize,
        /// The least.
        needed: usize,
        /// Statistical security in bits.
        security: usize,
    },
    /// A party of the session does not compute.
    #[error(
        "{party} is marked with computes = false, so it does not run the program: it gives inputs and is told results, which \
         t.visit and tacit run do for it"
    )]
    NotComputing {
        /// Its name.
        party: String,
    },
    /// Not a party that gives inputs and is told results without computing.
    #[error(
        "{party} is none of the parties that do not compute, which are {}; the session file marks these with computes = false",
        listed(.outside)
    )]
    NotOutside {
        /// What was asked for.
        party: String,
        /// Those that there are.
        outside: Vec<String>,
    },
    /// Something that a session of one party has not.
    #[error("{what} needs other parties, and this session has one party, to try a program out")]
    Alone {
        /// What it is.
        what: &'static str,
    },
    /// A party is asked, or told, twice at once.
    #[error("{party} is named twice; name each party once")]
    OutsideTwice {
        /// Its name.
        party: String,
    },
    /// This party's name is not in the session.
    #[error("{party} is not a party of the session, whose parties are {}", .parties.join(", "))]
    NotInSession {
        /// The name.
        party: String,
        /// The names that are.
        parties: Vec<String>,
    },
    /// The session has no link to a party.
    #[error("the session has no link to {party}; give it in the session file of every party")]
    NoLink {
        /// Its name.
        party: String,
    },
    /// A party has no key in the session, so material cannot be bound to it.
    #[error(
        "a store needs the keys of all parties, even on a transport without keys; give {party} a key in the session"
    )]
    NoKey {
        /// Its name.
        party: String,
    },
    /// There are not as many names as parties, or too many parties.
    #[error(
        "{names} names are given for {parties} parties; each needs one, and at most {limit} parties can compute together"
    )]
    Names {
        /// How many names.
        names: usize,
        /// How many parties.
        parties: usize,
        /// The most.
        limit: usize,
    },
    /// A party that does not exist gives an input.
    #[error("there is no party {party}: the {parties} parties are counted from 0")]
    NoParty {
        /// Its number.
        party: usize,
        /// How many there are.
        parties: usize,
    },
    /// The party that gives an input gives another number of elements, or another party gives some.
    #[error(
        "an input of {length} elements must be given by {owner} alone, but this party gives {}",
        .given.map_or("none".to_owned(), |given| format!("{given} elements"))
    )]
    Input {
        /// Who gives the input.
        owner: String,
        /// How many elements it has.
        length: usize,
        /// How many this party gives, if any.
        given: Option<usize>,
    },
    /// An integer stands for no element of the field.
    #[error("{number} is not in the field, whose elements are the numbers from {least} to {most}")]
    OutsideField {
        /// The number.
        number: BigInt,
        /// The least number of the field.
        least: BigInt,
        /// The greatest.
        most: BigInt,
    },
    /// Several numbers, or none, are given where one is needed.
    #[error("{given} numbers are given where exactly one is needed")]
    OneNumber {
        /// How many.
        given: usize,
    },
    /// A value belongs to another field.
    #[error("the value belongs to another field than the operation; convert it first")]
    OtherField,
    /// A value belongs to another computation.
    #[error("the value belongs to another computation")]
    OtherComputation,
    /// An operation that gives a value of GF(2^8) is asked for one of the computation's field.
    #[error(
        "the operation gives a value of GF(2^8), but one of the computation's field is needed; convert it first"
    )]
    InBytes,
    /// A preparation is asked for its value.
    #[error("a preparation has no value")]
    NoValue,
    /// A value is not public.
    #[error("a shared value cannot be read; open it first")]
    NotPublic,
    /// A value has too many elements.
    #[error("a value of {length} elements is too long: a value has at most {limit}")]
    Length {
        /// How many elements.
        length: usize,
        /// The most.
        limit: usize,
    },
    /// The lengths of two operands differ, and neither is one.
    #[error(
        "values of {left} and of {right} elements do not fit: their lengths must be equal, or one of them 1"
    )]
    Operands {
        /// How long one is.
        left: usize,
        /// How long the other is.
        right: usize,
    },
    /// A task has too many elements of one kind.
    #[error("a task computes at most 2^{bits} elements of one kind; write what follows in another task")]
    TaskFull {
        /// The exponent.
        bits: u32,
    },
    /// Two tasks have one name.
    #[error("two tasks have the same name; a name is never free again, so give each task its own")]
    TaskName,
    /// There are too many tasks.
    #[error("a computation has at most 2^32 tasks")]
    Tasks,
    /// The computation has no such auxiliary field.
    #[error(
        "this computation has no auxiliary field of bits, which needs a computation among at most {limit} parties"
    )]
    NoAuxiliaryField {
        /// The most parties that have one.
        limit: usize,
    },
    /// This party has no store.
    #[error("this party has joined without a store to keep material in; give it one when it joins")]
    NoStore,
    /// A task that is not the first keeps material.
    #[error("only the first task of a program can keep material in a store")]
    NotFirstTask,
    /// A function made another number of elements than it said.
    #[error("{call_site} computed {made} elements after announcing {announced}")]
    Computed {
        /// The operation.
        call_site: String,
        /// How many it made.
        made: usize,
        /// How many it said.
        announced: usize,
    },
    /// A position lies outside of a value.
    #[error("position {position} is outside of a value of {length} elements, which are counted from 0")]
    NoElement {
        /// The position.
        position: usize,
        /// How many elements there are.
        length: usize,
    },
    /// A value cannot be cut into parts of this length.
    #[error(
        "{length} elements cannot be cut into parts of {part} elements: the length must be a multiple of it"
    )]
    Parts {
        /// How many elements there are.
        length: usize,
        /// How many each part has.
        part: usize,
    },
    /// Two values are no matrices of these sizes.
    #[error("{left} and {right} elements are not matrices of {rows}×{inner} and {inner}×{columns} elements")]
    Matrices {
        /// How many elements the first has.
        left: usize,
        /// How many elements the second has.
        right: usize,
        /// Rows of the first.
        rows: usize,
        /// Columns of the first and rows of the second.
        inner: usize,
        /// Columns of the second.
        columns: usize,
    },
    /// The least or the greatest of nothing is asked for.
    #[error("the least or greatest element of an empty value does not exist")]
    Empty,
    /// Rows do not fill a value.
    #[error("{elements} elements are not a whole number of rows of {length}")]
    Rows {
        /// Elements of a row.
        length: usize,
        /// Elements of the value.
        elements: usize,
    },
    /// There is no room to cut numbers at a bit.
    #[error(
        "the low {low} bits of numbers of {bits} bits cannot be computed: with this modulus numbers have from {low} to {most} \
         bits, so that a mask hides them with {security} bits of statistical security; take fewer bits, or a larger modulus"
    )]
    LowBits {
        /// How many low bits.
        low: usize,
        /// How many bits the numbers have.
        bits: usize,
        /// The most bits.
        most: usize,
        /// Statistical security in bits.
        security: usize,
    },
    /// There is no room to truncate numbers.
    #[error(
        "numbers of {bits} bits cannot be truncated by {dropped} bits with this modulus: from 1 to {} bits can be dropped, and \
         {security} bits of statistical security must fit beyond the numbers; take fewer bits, or a larger modulus",
        .bits.saturating_sub(1)
    )]
    Truncation {
        /// How many bits the numbers have.
        bits: usize,
        /// How many are dropped.
        dropped: usize,
        /// Statistical security in bits.
        security: usize,
    },
    /// Both parties that compare for all are one.
    #[error("{party} cannot be both parties that compare for all; name two")]
    OneComparer {
        /// Its name.
        party: String,
    },
    /// Two parties that compare for all may put together what they see.
    #[error(
        "{server} and {assistant} together learn what they compare, and with a threshold of {threshold} they may put together what they \
         see; take a threshold of 1, or say that these two stay apart"
    )]
    NotApart {
        /// Who has the key.
        server: String,
        /// Who helps it.
        assistant: String,
        /// How many parties may put together what they see.
        threshold: usize,
    },
    /// There is no room for the difference of two numbers.
    #[error(
        "numbers of {bits} bits cannot be compared with this modulus: their difference and {security} bits of statistical \
         security beyond it must fit; take fewer bits, or a larger modulus"
    )]
    Comparison {
        /// How many bits the numbers have.
        bits: usize,
        /// Statistical security in bits.
        security: usize,
    },
    /// There is no room for a division.
    #[error(
        "numbers of {bits} bits cannot be divided with this modulus: {needed} bits must fit, and it has room for {most}; take fewer bits, or a larger modulus"
    )]
    Division {
        /// How many bits the numbers have.
        bits: usize,
        /// How many must fit.
        needed: usize,
        /// How many do.
        most: usize,
    },
    /// There is no room for a product of fixed-point numbers.
    #[error(
        "products of fixed-point numbers of {bits} bits have {product} bits, but with this modulus and {security} bits of \
         statistical security {most} fit, so numbers of {} bits; take fewer bits, or a larger modulus",
        .most.div_ceil(2)
    )]
    FixedPoint {
        /// How many bits the numbers have.
        bits: usize,
        /// How many their product has.
        product: usize,
        /// How many fit.
        most: usize,
        /// Statistical security in bits.
        security: usize,
    },
    /// The bits of numbers are not a multiple of their width.
    #[error("{given} bits are not numbers of {bits} bits each: their number must be a multiple of it")]
    Bits {
        /// How many bits are given.
        given: usize,
        /// How many a number has.
        bits: usize,
    },
    /// Masks have more bits than are possible.
    #[error("masks of {bits} bits are not possible here: they have from 1 to {most} bits")]
    MaskBits {
        /// How many.
        bits: usize,
        /// The most.
        most: usize,
    },
    /// The field has no square roots.
    #[error("square roots need a field of odd order, but this field has an even one")]
    EvenOrder,
    /// Comparisons are impossible with this modulus.
    #[error(
        "this needs a prime that is just below a power of two (by a factor of at most 1 - 2^-{security}), such as {}2^127 - 1 \
         or 2^255 - 19",
        if *.security <= 58 { "2^61 - 1, 2^64 - 59, " } else { "" }
    )]
    NotNearPower {
        /// Statistical security in bits.
        security: usize,
    },
}

/// Names in a sentence, not too many.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 10;
    match names.len() {
        0 => "none".to_owned(),
        1..=SHOWN => names.join(", "),
        all => format!("{} and {} more", names[..SHOWN].join(", "), all - SHOWN),
    }
}
