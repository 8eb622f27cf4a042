//! How AND gates are garbled, and the layout of their tables in messages.
//!
//! With [`GarblingScheme::HalfGates`], tables of 32 bytes follow one another. With [`GarblingScheme::ThreeHalves`], a message holds the
//! 24 bytes of each of its gates and then the five control bits of each, packed without gaps: 24.625 bytes for each gate, and less than
//! a byte for each message to fill up the last bits.

use tacit_crypto::half_gates::{self, AndGates, Delta, ShapeError, Tweaks};
use tacit_crypto::three_halves;
use tacit_math::Block;
use tacit_net::MAX_RESERVE;

/// Bytes of half-gate tables up to which a circuit over its lanes is small, and of a message of such a circuit.
pub(crate) const SMALL_CIRCUIT: usize = 256 * 1024;
pub(crate) const SMALL_MESSAGE: usize = 16 * 1024;

/// A garbling scheme. XOR is free in each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GarblingScheme {
    /// 32 bytes for each AND ([`tacit_crypto::half_gates`]).
    #[default]
    HalfGates,
    /// 24 bytes and 5 bits for each AND, for one and a half times the computation
    /// ([`tacit_crypto::three_halves`]).
    ThreeHalves,
}

impl GarblingScheme {
    /// Bytes of a message with the tables of `count` gates.
    pub(crate) fn message_bytes(self, count: usize) -> usize {
        match self {
            GarblingScheme::HalfGates => count * half_gates::TABLE_BYTES,
            GarblingScheme::ThreeHalves => three_halves::table_bytes(count),
        }
    }

    /// Maximum number of ANDs of a circuit with `and_count` of them over `width` lanes that are sent together: their tables fit a channel's
    /// contiguous buffer in either scheme. Those of a small circuit are sent in parts, so that the evaluator need not wait for all.
    pub(crate) fn message_ands(and_count: u64, width: usize) -> usize {
        let gate = half_gates::TABLE_BYTES * width;
        let is_small = and_count <= (SMALL_CIRCUIT / gate) as u64;
        let bytes = if is_small { SMALL_MESSAGE } else { MAX_RESERVE };
        bytes / gate
    }

    /// Bytes of the tables of a circuit with `and_count` ANDs and the given lane chunk over `instances`: what
    /// [`crate::yao::Side::circuit`] sends. Saturates.
    pub fn table_bytes(self, and_count: u64, lane_chunk: u32, instances: u64) -> u64 {
        let width = crate::half_gates::lanes(lane_chunk) as u64;
        let (whole, rest) = (instances / width, instances % width);
        let rest = if rest > 0 { self.chunk_bytes(and_count, rest as usize) } else { 0 };
        self.chunk_bytes(and_count, width as usize).saturating_mul(whole).saturating_add(rest)
    }

    /// Bytes of the tables of one chunk of `width` lanes.
    fn chunk_bytes(self, and_count: u64, width: usize) -> u64 {
        let most = GarblingScheme::message_ands(and_count, width);
        let (messages, last) = (and_count / most as u64, (and_count % most as u64) as usize);
        let bytes = |ands: usize| self.message_bytes(ands * width) as u64;
        bytes(most).saturating_mul(messages).saturating_add(bytes(last))
    }
}

/// Control bits of a message's gates, one byte for each gate.
#[derive(Default)]
pub(crate) struct Controls(Vec<u8>);

impl Controls {
    /// A buffer for `count` gates.
    fn room(&mut self, count: usize) -> &mut [u8] {
        if self.0.len() < count {
            self.0.resize(count, 0);
        }
        &mut self.0[..count]
    }
}

/// A message's tables during garbling.
pub(crate) enum Tables<'a> {
    HalfGates(&'a mut [u8]),
    ThreeHalves { tables: &'a mut [u8], controls: &'a mut [u8] },
}

impl GarblingScheme {
    /// Lets `garble` write the tables of `count` gates into a message.
    pub(crate) fn write(
        self,
        message: &mut [u8],
        count: usize,
        controls: &mut Controls,
        garble: impl FnOnce(Tables<'_>) -> Result<(), ShapeError>,
    ) -> Result<(), ShapeError> {
        match self {
            GarblingScheme::HalfGates => garble(Tables::HalfGates(message)),
            GarblingScheme::ThreeHalves => {
                let (tables, packed) = message.split_at_mut(count * three_halves::GATE_BYTES);
                let controls = controls.room(count);
                garble(Tables::ThreeHalves { tables, controls })?;
                three_halves::pack_controls(controls, packed);
                Ok(())
            }
        }
    }

    /// The tables of a message for `count` gates.
    pub(crate) fn read<'a>(
        self,
        message: &'a [u8],
        count: usize,
        controls: &'a mut Controls,
    ) -> Received<'a> {
        match self {
            GarblingScheme::HalfGates => Received::HalfGates(message),
            GarblingScheme::ThreeHalves => {
                let (tables, packed) = message.split_at(count * three_halves::GATE_BYTES);
                let controls = controls.room(count);
                three_halves::unpack_controls(packed, controls);
                Received::ThreeHalves { tables, controls }
            }
        }
    }
}

impl Tables<'_> {
    /// Garbles the next gates; returns how many the kernel counted.
    pub(crate) fn garble(
        &mut self,
        slots: &mut [Block],
        width: usize,
        gates: AndGates<'_>,
        delta: &Delta,
        tweaks: Tweaks,
    ) -> Result<u64, ShapeError> {
        let count = gates.len() * width;
        match self {
            Tables::HalfGates(tables) => {
                let tables = take(tables, count * half_gates::TABLE_BYTES);
                half_gates::garble(slots, width, gates, delta, tweaks, tables)
            }
            Tables::ThreeHalves { tables, controls } => {
                let (tables, controls) =
                    (take(tables, count * three_halves::GATE_BYTES), take(controls, count));
                three_halves::garble(slots, width, gates, delta, tweaks, tables, controls)
            }
        }
    }
}

/// Splits the first bytes off.
fn take<'a>(bytes: &mut &'a mut [u8], count: usize) -> &'a mut [u8] {
    let (now, later) = std::mem::take(bytes).split_at_mut(count);
    *bytes = later;
    now
}

/// A message's tables during evaluation.
pub(crate) enum Received<'a> {
    HalfGates(&'a [u8]),
    ThreeHalves { tables: &'a [u8], controls: &'a [u8] },
}

impl Received<'_> {
    /// Evaluates the next gates; returns how many the kernel counted.
    pub(crate) fn evaluate(
        &mut self,
        slots: &mut [Block],
        width: usize,
        gates: AndGates<'_>,
        tweaks: Tweaks,
    ) -> Result<u64, ShapeError> {
        let count = gates.len() * width;
        match self {
            Received::HalfGates(tables) => {
                let (now, later) = tables.split_at(count * half_gates::TABLE_BYTES);
                *tables = later;
                half_gates::evaluate(slots, width, gates, tweaks, now)
            }
            Received::ThreeHalves { tables, controls } => {
                let (now, later) = tables.split_at(count * three_halves::GATE_BYTES);
                let (bits, later_bits) = controls.split_at(count);
                (*tables, *controls) = (later, later_bits);
                three_halves::evaluate(slots, width, gates, tweaks, now, bits)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_gates_take_32_bytes_however_they_are_cut() {
        for (ands, lanes, instances) in [(0, 16, 5), (1, 1, 1), (100_000, 16, 37), (7, 64, 1000)] {
            assert_eq!(GarblingScheme::HalfGates.table_bytes(ands, lanes, instances), 32 * ands * instances);
        }
        assert_eq!(GarblingScheme::HalfGates.table_bytes(u64::MAX, 16, u64::MAX), u64::MAX);
    }

    #[test]
    fn three_halves_round_the_bits_of_each_message_up() {
        // 16 lanes of 6 gates, then 5 lanes.
        let expected = (24 * 96 + 60) + (24 * 30 + 19);
        assert_eq!(GarblingScheme::ThreeHalves.table_bytes(6, 16, 21), expected);
        let bytes = GarblingScheme::ThreeHalves.table_bytes(1 << 20, 16, 16) as f64;
        assert!((24.625..24.626).contains(&(bytes / f64::from(1 << 24))));
    }

    #[test]
    fn tables_of_small_circuits_are_sent_in_parts() {
        // 8192 ANDs have tables of 256 KiB.
        let of = |ands, lanes| GarblingScheme::message_ands(ands, lanes);
        assert_eq!([of(8192, 1), of(8193, 1)], [512, 2048]);
        assert_eq!([of(128, 64), of(129, 64)], [8, 32]);
        let [small, large] = [600, 8193].map(|ands| GarblingScheme::ThreeHalves.table_bytes(ands, 1, 1));
        // 512 and 88 gates; four times 2048 gates and one.
        assert_eq!(small, 24 * 600 + 320 + 55);
        assert_eq!(large, 24 * 8193 + 4 * 1280 + 1);
    }
}
