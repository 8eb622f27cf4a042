//! Impossible requests of a program or its user.

use num_bigint::{BigInt, BigUint};
use tacit_math::field::ModulusError;
use thiserror::Error;

/// Why a request of a program or its user is impossible.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum UsageError {
    /// The modulus is not an odd prime.
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
    /// The field or this software does not support the statistical security.
    #[error(
        "statistical security of {bits} bits is not possible: with this modulus it must be from {least} to {most} bits, \
         because random elements offer no more; a larger modulus, such as 2^255 - 19, offers up to {limit}"
    )]
    StatisticalBits {
        /// The requested security.
        bits: usize,
        /// The minimum.
        least: usize,
        /// The maximum in this field.
        most: usize,
        /// The maximum in any field.
        limit: usize,
    },
    /// The operation is not verified.
    #[error(
        "{what} is only possible with security = \"passive\", since with \"active\" everything must be verified; leave it out, or agree on \"passive\""
    )]
    PassiveOnly {
        /// The request.
        what: &'static str,
    },
    /// The field is too small for verification.
    #[error(
        "security = \"active\" needs a modulus of at least {needed} bits for {security} bits of statistical security, and this one has {bits}; take a larger prime, such as 2^61 - 1 or 2^127 - 1"
    )]
    SmallToVerify {
        /// Bits of the modulus.
        bits: usize,
        /// The minimum.
        needed: usize,
        /// Statistical security in bits.
        security: usize,
    },
    /// A party of the session does not compute.
    #[error(
        "{party} is marked with computes = false, so it does not run the program: it gives inputs and receives results, which \
         t.visit and tacit run do for it"
    )]
    NotComputing {
        /// Its name.
        party: String,
    },
    /// Not a party that gives inputs and receives results without computing.
    #[error(
        "{party} is not one of the parties that do not compute, which are {}; the session file marks these with computes = false",
        listed(.outside)
    )]
    NotOutside {
        /// The requested party.
        party: String,
        /// The parties that do not compute.
        outside: Vec<String>,
    },
    /// Something that a session of one party does not have.
    #[error("{what} needs other parties, but this session has only one party, for trying a program out")]
    Alone {
        /// The request.
        what: &'static str,
    },
    /// A party is asked for, or sent, the same thing twice.
    #[error("{party} is named twice; name each party once")]
    OutsideTwice {
        /// Its name.
        party: String,
    },
    /// The name is not in the session.
    #[error("{party} is not a party of the session, whose parties are {}", .parties.join(", "))]
    NotInSession {
        /// The name.
        party: String,
        /// The parties' names.
        parties: Vec<String>,
    },
    /// The session has no link to a party.
    #[error("the session has no link to {party}; add one to the session file of every party")]
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
    /// The number of names is not the number of parties, or there are too many parties.
    #[error(
        "{names} names are given for {parties} parties; each needs one, and at most {limit} parties can compute together"
    )]
    Names {
        /// How many names.
        names: usize,
        /// How many parties.
        parties: usize,
        /// The limit.
        limit: usize,
    },
    /// An input's party does not exist.
    #[error("there is no party {party}: the {parties} parties are counted from 0")]
    NoParty {
        /// Its number.
        party: usize,
        /// How many there are.
        parties: usize,
    },
    /// An input has the wrong number of elements, or another party gives elements too.
    #[error(
        "an input of {length} elements must be given by {owner} alone, but this party gives {}",
        .given.map_or("none".to_owned(), |given| format!("{given} elements"))
    )]
    Input {
        /// The party that gives the input.
        owner: String,
        /// How many elements it has.
        length: usize,
        /// How many this party gives, if any.
        given: Option<usize>,
    },
    /// An integer is not in the field.
    #[error("{number} is not in the field, whose elements are the numbers from {least} to {most}")]
    OutsideField {
        /// The number.
        number: BigInt,
        /// The smallest number of the field.
        least: BigInt,
        /// The largest number.
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
    /// An operation returns a value of GF(2^8) where one of the computation's field is needed.
    #[error(
        "the operation returns a value of GF(2^8), but one of the computation's field is needed; convert it first"
    )]
    InBytes,
    /// The value of a preparation is requested.
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
        /// The limit.
        limit: usize,
    },
    /// The lengths of two operands differ, and neither is one.
    #[error(
        "values of {left} and of {right} elements do not fit: their lengths must be equal, or one of them 1"
    )]
    Operands {
        /// One length.
        left: usize,
        /// The other length.
        right: usize,
    },
    /// A task has too many elements of one kind.
    #[error("a task computes at most 2^{bits} elements of one kind; use another task for the rest")]
    TaskFull {
        /// The exponent.
        bits: u32,
    },
    /// Two tasks have one name.
    #[error("two tasks have the same name; names cannot be reused, so give each task its own")]
    TaskName,
    /// There are too many tasks.
    #[error("a computation has at most 2^32 tasks")]
    Tasks,
    /// The computation has no such auxiliary field.
    #[error(
        "this computation has no auxiliary field of bits, which needs a computation among at most {limit} parties"
    )]
    NoAuxiliaryField {
        /// The maximum number of parties that have one.
        limit: usize,
    },
    /// This party has no store.
    #[error("this party has joined without a store to keep material in; give it one when it joins")]
    NoStore,
    /// A task that is not the first keeps material.
    #[error("only the first task of a program can keep material in a store")]
    NotFirstTask,
    /// An operation computed another number of elements than it announced.
    #[error("{call_site} computed {made} elements after announcing {announced}")]
    Computed {
        /// The operation.
        call_site: String,
        /// How many it computed.
        made: usize,
        /// How many it announced.
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
    /// Two values are not matrices of these sizes.
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
    /// The least or greatest element of an empty value is requested.
    #[error("an empty value has no least or greatest element")]
    Empty,
    /// Rows do not fill a value.
    #[error("{elements} elements are not a whole number of rows of {length}")]
    Rows {
        /// Elements of a row.
        length: usize,
        /// Elements of the value.
        elements: usize,
    },
    /// There is no room for the masks with which numbers are split at a bit.
    #[error(
        "the low {low} bits of numbers of {bits} bits cannot be computed: with this modulus numbers have from {low} to {most} \
         bits, so that a mask hides them with {security} bits of statistical security; take fewer bits, or a larger modulus"
    )]
    LowBits {
        /// How many low bits.
        low: usize,
        /// How many bits the numbers have.
        bits: usize,
        /// The maximum bits.
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
    /// The two parties that compare for all are the same.
    #[error("{party} cannot be both parties that compare for all; name two")]
    OneComparer {
        /// Its name.
        party: String,
    },
    /// The two parties that compare for all may collude.
    #[error(
        "{server} and {assistant} together learn what they compare, and with a threshold of {threshold} they may \
         collude; take a threshold of 1, or say that these two stay apart"
    )]
    NotApart {
        /// The party with the key.
        server: String,
        /// The assisting party.
        assistant: String,
        /// How many parties may collude.
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
        /// How many the field has room for.
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
        /// For how many there is room.
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
    /// Masks are longer than possible.
    #[error("masks of {bits} bits are not possible here: they have from 1 to {most} bits")]
    MaskBits {
        /// How many.
        bits: usize,
        /// The maximum.
        most: usize,
    },
    /// The field has no square roots.
    #[error("square roots need a field of odd order, but this field has an even one")]
    EvenOrder,
    /// Comparisons are impossible with this modulus.
    #[error(
        "this needs a prime that is just below a power of two (at least 1 - 2^-{security} times that power), such as {}2^127 - 1 \
         or 2^255 - 19",
        if *.security <= 58 { "2^61 - 1, 2^64 - 59, " } else { "" }
    )]
    NotNearPower {
        /// Statistical security in bits.
        security: usize,
    },
}

/// Names for a sentence, cut to a maximum number.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 10;
    match names.len() {
        0 => "none".to_owned(),
        1..=SHOWN => names.join(", "),
        all => format!("{} and {} more", names[..SHOWN].join(", "), all - SHOWN),
    }
}
