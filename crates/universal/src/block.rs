//! Networks of blocks: how values enter on wires, pass through poles and leave on wires.

/// Maximum poles of a block.
pub(crate) const MAX_WAYS: usize = 4;

/// A step of a block's network, which has as many wires as poles and changes them in place. Each switch has a control bit.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Exchanges two wires if the bit is 1.
    Exchange(usize, usize),
    /// The second wire takes the first one's value if the bit is 1; the first one keeps it.
    Select(usize, usize),
    /// The pole with this number takes the value of the wire with the same number, and puts its own value on it.
    Pole(usize),
}

/// A block's network. Its switches are numbered in order.
#[derive(Debug)]
pub(crate) struct Block {
    /// Poles and wires.
    pub(crate) ways: usize,
    /// Steps that permute the wires in any way, so that each pole's value from outside is on its wire.
    pub(crate) entry: &'static [Step],
    /// Poles, each of which takes its wire's value or a value that an earlier pole gave.
    pub(crate) poles: &'static [Step],
    /// Steps that, together with those before, permute in any way the values that no pole of the block took.
    pub(crate) exit: &'static [Step],
}

use Step::{Exchange, Pole, Select};

/// Two poles, three switches.
pub(crate) const TWO: Block = Block {
    ways: 2,
    entry: &[Exchange(0, 1)],
    poles: &[Pole(0), Select(0, 1), Pole(1)],
    exit: &[Exchange(0, 1)],
};

/// Four poles, 15 switches. The entry is Waksman's network. The exit has one switch fewer, because the exchanges between poles already
/// order the values that are not taken; a test goes through all cases.
pub(crate) const FOUR: Block = Block {
    ways: 4,
    entry: &[Exchange(0, 1), Exchange(0, 2), Exchange(1, 3), Exchange(0, 1), Exchange(2, 3)],
    poles: &[
        Pole(0),
        Select(0, 1),
        Pole(1),
        Exchange(0, 1),
        Select(0, 2),
        Pole(2),
        Exchange(0, 2),
        Exchange(0, 1),
        Select(0, 3),
        Pole(3),
    ],
    exit: &[Exchange(2, 3), Exchange(0, 1), Exchange(1, 3), Exchange(0, 2)],
};

impl Block {
    /// Switches.
    pub(crate) fn bits(&self) -> usize {
        self.entry.len() + self.rest_bits()
    }

    /// Switches after the entry.
    pub(crate) fn rest_bits(&self) -> usize {
        self.poles.len() - self.ways + self.exit.len()
    }

    /// Steps after the entry.
    pub(crate) fn rest(&self) -> impl Iterator<Item = Step> {
        self.poles.iter().chain(self.exit).copied()
    }
}
