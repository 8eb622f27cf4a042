//! The public shape of edge-universal graphs: which switches each block of each level has.

use crate::Size;

/// How many values a block takes in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// None.
    Closed,
    /// One of two, for the first pole.
    First,
    /// One of two, for the second pole.
    Second,
    /// Two, in either order.
    Both,
}

/// Where a block's second pole takes its value from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Middle {
    /// From what came in.
    Outside,
    /// From the first pole.
    Inside,
    /// From either.
    Either,
}

/// What a block gives on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Nothing.
    Closed,
    /// Its first pole's value, twice.
    First,
    /// Both poles' values in their order.
    Straight,
    /// Both poles' values in either order.
    Both,
}

/// All graphs of one depth; they are equal. Poles are in topological order; two neighbours are a block.
#[derive(Clone, Copy)]
pub(crate) struct Level {
    pub(crate) poles: usize,
    /// The first pole that may receive a value.
    receivers: usize,
    /// The poles below this one may send a value.
    senders: usize,
    /// The number of blocks in the levels above.
    pub(crate) first_block: usize,
    /// How many graphs there are.
    pub(crate) graphs: usize,
}

impl Level {
    /// All levels whose graphs have a switch or pass a value on, from the two largest graphs down.
    pub(crate) fn all(size: Size) -> Vec<Level> {
        let senders = size.inputs() + size.gates();
        let poles = senders + size.outputs();
        let mut level = Level { poles, receivers: size.inputs(), senders, first_block: 0, graphs: 2 };
        let mut levels = Vec::new();
        while level.poles > 1 && level.receivers < level.poles {
            levels.push(level);
            level = level.below();
        }
        levels
    }

    fn below(self) -> Level {
        Level {
            poles: self.blocks(),
            receivers: self.receivers / 2,
            senders: self.senders.div_ceil(2),
            first_block: self.first_block + self.graphs * self.blocks(),
            graphs: 2 * self.graphs,
        }
    }

    /// Blocks of one graph.
    pub(crate) fn blocks(&self) -> usize {
        self.poles.div_ceil(2)
    }

    pub(crate) fn entry(&self, block: usize) -> Entry {
        let (first, second) = (2 * block, 2 * block + 1);
        match (
            block > 0 && first >= self.receivers,
            block > 0 && second >= self.receivers && second < self.poles,
        ) {
            (true, true) => Entry::Both,
            (true, false) => Entry::First,
            (false, true) => Entry::Second,
            (false, false) => Entry::Closed,
        }
    }

    pub(crate) fn middle(&self, block: usize) -> Middle {
        let outside = matches!(self.entry(block), Entry::Both | Entry::Second);
        match (2 * block < self.senders, outside) {
            (true, true) => Middle::Either,
            (true, false) => Middle::Inside,
            (false, _) => Middle::Outside,
        }
    }

    pub(crate) fn exit(&self, block: usize) -> Exit {
        if block + 1 == self.blocks() || 2 * block >= self.senders {
            return Exit::Closed;
        }
        match (2 * block + 1 < self.senders, self.blocks()) {
            (false, _) => Exit::First,
            (true, 2) => Exit::Straight,
            (true, _) => Exit::Both,
        }
    }
}
