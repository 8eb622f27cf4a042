//! The owner's walk: one label of each wire.

use tacit_crypto::mitccrh::Mitccrh;
use tacit_math::Block;
use tacit_universal::{Control, Switches};

use super::stream::TableSource;
use super::{GATE_TWEAKS, ROWS, SWITCH};

/// Evaluates a garbled universal circuit.
pub(super) struct Evaluator {
    hash: Mitccrh,
    tweak: u64,
    tables: TableSource,
}

impl Evaluator {
    pub fn new(start: Block, tables: TableSource) -> Evaluator {
        Evaluator { hash: Mitccrh::new(start), tweak: 0, tables }
    }

    /// The label of the AND of a bit that the garbler knows and a wire's bit.
    fn and(&mut self, wire: Block) -> Block {
        let mut hashed = [wire];
        self.hash.hash(self.tweak, &mut hashed);
        self.tweak += 1;
        let table = Block::from(self.tables.read::<SWITCH>());
        hashed[0] ^ (Block::mask(wire.lsb()) & table)
    }
}

impl Switches for Evaluator {
    type Wire = Block;

    fn unused(&self) -> Block {
        Block::ZERO
    }

    fn exchange(&mut self, _: Control, [left, right]: [Block; 2]) -> [Block; 2] {
        let exchanged = self.and(left ^ right);
        [left ^ exchanged, right ^ exchanged]
    }

    fn select(&mut self, _: Control, [left, right]: [Block; 2]) -> Block {
        left ^ self.and(left ^ right)
    }

    fn gate(&mut self, _: usize, [x, y]: [Block; 2]) -> Block {
        let row = u64::from(x.lsb()) + 2 * u64::from(y.lsb());
        let (mut x, mut y) = ([x], [y]);
        self.hash.hash(self.tweak + row, &mut x);
        self.hash.hash(self.tweak + ROWS as u64 + 1 + row, &mut y);
        self.tweak += GATE_TWEAKS;
        let rows = self.tables.read::<{ ROWS * SWITCH }>();
        let masked = |(number, bytes): (u64, &[u8; SWITCH])| Block::mask(number == row) & Block::from(*bytes);
        let sent =
            (1..).zip(rows.as_chunks::<SWITCH>().0).map(masked).fold(Block::ZERO, |all, one| all ^ one);
        x[0] ^ y[0] ^ sent
    }
}
