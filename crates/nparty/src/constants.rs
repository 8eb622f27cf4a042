//! Constants of this crate that determine layouts: how messages and stored material among many parties are addressed and divided.
//!
//! Two builds in which one of them differs are incompatible, so both ends compare them in their greetings. The values
//! are those that the code uses. If a constant that matters is missing here, `tests/layout.rs` fails.
#![allow(clippy::unnecessary_cast, reason = "all constants in one form")]

use tacit_net::session::Build;

/// Version of the order of messages, tables, gate numbers and positions of randomness, as far as no constant below determines it. Every
/// change of a recorded trace increments it.
const ORDER: u64 = 8;

/// Name and value of each constant.
pub const LAYOUT: &[(&str, u64)] = &[
    ("ORDER", ORDER),
    ("runtime::keys::KEY_STREAM", crate::runtime::keys::KEY_STREAM.0 as u64),
    ("runtime::keys::CONFIRMATION_STREAM", crate::runtime::keys::CONFIRMATION_STREAM.0 as u64),
    ("runtime::mesh::STREAMS_0", crate::runtime::mesh::STREAMS[0].0 as u64),
    ("runtime::mesh::STREAMS_1", crate::runtime::mesh::STREAMS[1].0 as u64),
    ("runtime::epochs::DIGEST_BYTES", crate::runtime::epochs::DIGEST_BYTES as u64),
    ("runtime::wire::HEADER", crate::runtime::wire::HEADER as u64),
    ("runtime::wire::TAG_BYTES", crate::runtime::wire::TAG_BYTES as u64),
    ("runtime::wire::MAX_COUNT", crate::runtime::wire::MAX_COUNT as u64),
    ("runtime::wire::MAX_POSITION", crate::runtime::wire::MAX_POSITION as u64),
    ("runtime::shared::FIELDS", crate::runtime::shared::FIELDS as u64),
    ("runtime::shared::BYTES", crate::runtime::shared::BYTES as u64),
    ("runtime::shared::SLICED", crate::runtime::shared::SLICED as u64),
    ("runtime::shared::OCTETS", crate::runtime::shared::OCTETS as u64),
    ("runtime::shared::RING", crate::runtime::shared::RING as u64),
    ("protocol::dgk::STREAM", crate::protocol::dgk::STREAM.0 as u64),
    ("compare::LESS_WINDOW", tacit_compare::LESS_WINDOW as u64),
    ("protocol::bits::DRAWN_BITS", crate::protocol::bits::DRAWN_BITS as u64),
    ("runtime::security::LEAST_STATISTICAL_BITS", crate::runtime::security::LEAST_STATISTICAL_BITS as u64),
    ("protocol::dabits::UPPER_BITS", crate::protocol::dabits::UPPER_BITS as u64),
    ("protocol::dabits::FEW_SETS", crate::protocol::dabits::FEW_SETS as u64),
    ("protocol::toft::MAX_BITS", crate::protocol::toft::MAX_BITS as u64),
    ("protocol::low_bits::MIN_BITS", crate::protocol::low_bits::MIN_BITS as u64),
    ("protocol::edabits::MIN_LANES", crate::protocol::edabits::MIN_LANES as u64),
    ("protocol::edabits::MAX_BITS", crate::protocol::edabits::MAX_BITS as u64),
    ("protocol::end_around::BLOCK", crate::protocol::end_around::BLOCK as u64),
    ("protocol::words::MIN_WORD_LANES", crate::protocol::words::MIN_WORD_LANES as u64),
    ("protocol::replicated_words::INJECTED_BITS", crate::protocol::replicated_words::INJECTED_BITS as u64),
    ("protocol::replicated_words::ROUND_BITS", crate::protocol::replicated_words::ROUND_BITS as u64),
    ("protocol::minimum::WORD_BYTES", crate::protocol::minimum::WORD_BYTES as u64),
    ("protocol::minimum::SEED_WORDS", crate::protocol::minimum::SEED_WORDS as u64),
    ("protocol::minimum::shape::FEW_PAIRS", crate::protocol::minimum::shape::FEW_PAIRS as u64),
    ("protocol::compare::LANES", crate::protocol::compare::LANES as u64),
    ("protocol::random::FEW_SETS", crate::protocol::random::FEW_SETS as u64),
    ("product::compression::LAST_LENGTH", crate::product::compression::LAST_LENGTH as u64),
    ("product::compression::FEW_PIECES", crate::product::compression::FEW_PIECES as u64),
    ("runtime::verification::verifier::WISH", crate::runtime::verification::verifier::WISH as u64),
    ("runtime::verification::verifier::CUT", crate::runtime::verification::verifier::CUT as u64),
    ("runtime::verification::check::FIRST_STEP", crate::runtime::verification::check::FIRST_STEP as u64),
    ("runtime::verification::coins::SEED_BYTES", crate::runtime::verification::coins::SEED_BYTES as u64),
    ("runtime::verification::cut::RANGE_BYTES", crate::runtime::verification::cut::RANGE_BYTES as u64),
    ("runtime::verification::coefficients::BLOCK", crate::runtime::verification::coefficients::BLOCK as u64),
    ("runtime::security::VERIFICATION_BITS", crate::runtime::security::VERIFICATION_BITS as u64),
    ("product::opening::KING_LENGTH", crate::product::opening::KING_LENGTH as u64),
    ("product::opening::KING_THRESHOLD", crate::product::opening::KING_THRESHOLD as u64),
    ("product::king::REIGN", crate::product::king::REIGN as u64),
    ("dealing::MAX_COLUMNS", crate::dealing::MAX_COLUMNS as u64),
    ("randomness::SENDING", crate::randomness::SENDING as u64),
    ("prf::DERIVATION", crate::prf::DERIVATION as u64),
    ("prf::FIELD_KEYS", crate::prf::FIELD_KEYS as u64),
    ("prf::VERIFICATION_KEYS", crate::prf::VERIFICATION_KEYS as u64),
    ("prf::JOINT_KEYS", crate::prf::JOINT_KEYS as u64),
    ("compiled::pace::PARTS", crate::compiled::pace::PARTS as u64),
    (
        "compiled::domains::bool::circuit::CHUNK_BYTES",
        crate::compiled::domains::bool::circuit::CHUNK_BYTES as u64,
    ),
    (
        "compiled::domains::yao::circuit::LABEL_BYTES",
        crate::compiled::domains::yao::circuit::LABEL_BYTES as u64,
    ),
    (
        "compiled::domains::yao::circuit::PART_BYTES",
        crate::compiled::domains::yao::circuit::PART_BYTES as u64,
    ),
    (
        "compiled::domains::yao::circuit::FLAT_LAYERS",
        crate::compiled::domains::yao::circuit::FLAT_LAYERS as u64,
    ),
    ("stored::material::MASKS", crate::stored::material::MASKS as u64),
    ("stored::material::BITS", crate::stored::material::BITS as u64),
    ("stored::material::MAX_ROWS", crate::stored::material::MAX_ROWS as u64),
    ("stored::agree::STREAM", crate::stored::agree::STREAM.0 as u64),
    ("reception::message::STREAM", crate::reception::message::STREAM.0 as u64),
    ("reception::message::MAX_BYTES", crate::reception::message::MAX_BYTES as u64),
    ("outside::collect::WAITING", crate::outside::collect::WAITING as u64),
    ("outside::collect::COMPLETE", crate::outside::collect::COMPLETE as u64),
    ("outside::collect::LATE", crate::outside::collect::LATE as u64),
    ("outside::collect::HASH_BYTES", crate::outside::collect::HASH_BYTES as u64),
    ("math::BitOctets::LANES", tacit_math::field::BitOctets::LANES as u64),
    ("math::GaloisRing::BITS", tacit_math::field::GaloisRing::BITS as u64),
    ("math::BitSliced::LANES", tacit_math::field::BitSliced::LANES as u64),
    ("math::BitSliced::MAX_PARTIES", tacit_math::field::BitSliced::MAX_PARTIES as u64),
];

/// This build: its release, and the layouts of all crates that computations among many parties use.
pub fn build() -> Build {
    Build::new(&[
        ("net", tacit_net::LAYOUT),
        ("crypto", tacit_crypto::LAYOUT),
        ("circuit", tacit_circuit::LAYOUT),
        ("schedule", tacit_schedule::LAYOUT),
        ("lower", tacit_lower::LAYOUT),
        ("nparty", LAYOUT),
    ])
}
