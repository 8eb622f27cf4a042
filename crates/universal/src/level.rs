//! The public shape of edge-universal graphs: which switches each block of each level has.

use crate::block::MAX_WAYS;
use crate::count::SwitchCount;
use crate::plan::{Joint, Operation, Plan, Shape};
use crate::{Construction, Size};

/// All graphs of one depth, which have the same shape. Poles are in topological order; neighbouring poles form a block.
#[derive(Clone)]
pub(crate) struct Level {
    pub(crate) construction: Construction,
    pub(crate) poles: usize,
    /// The first pole that may receive a value.
    receivers: usize,
    /// The poles below this one may send a value.
    senders: usize,
    /// The number of blocks in the levels above.
    pub(crate) first_block: usize,
    /// The number of wires in the levels above.
    pub(crate) first_wire: usize,
    /// How many graphs there are.
    pub(crate) graphs: usize,
    /// Runs of blocks with the same operations: the first block, and the operations.
    runs: Vec<Run>,
}

#[derive(Clone)]
struct Run {
    first: usize,
    shape: Shape,
    plan: Plan,
}

impl Level {
    /// All levels whose graphs have a switch or pass a value on, starting with the two largest graphs.
    pub(crate) fn all(size: Size, construction: Construction) -> Vec<Level> {
        let senders = size.inputs() + size.gates();
        let largest = Level {
            construction,
            poles: senders + size.outputs(),
            receivers: size.inputs(),
            senders,
            first_block: 0,
            first_wire: 0,
            graphs: 2,
            runs: Vec::new(),
        };
        let used = |level: Level| level.is_used().then_some(level);
        std::iter::successors(used(largest), |level| used(level.below())).map(Level::with_plans).collect()
    }

    fn is_used(&self) -> bool {
        self.poles > 1 && self.receivers < self.poles
    }

    fn below(&self) -> Level {
        let ways = self.ways();
        let (blocks, senders) = (self.blocks(), self.senders.div_ceil(ways));
        let (poles, receivers) = match self.construction.is_joined() {
            true => (blocks - 1, (self.receivers / ways).saturating_sub(1)),
            false => (blocks, self.receivers / ways),
        };
        Level {
            construction: self.construction,
            poles,
            receivers,
            senders: senders.min(poles),
            first_block: self.first_block + self.graphs * blocks,
            first_wire: self.first_wire + self.graphs * ways,
            graphs: self.graphs * ways,
            runs: Vec::new(),
        }
    }

    /// Poles of every block except the last, and wires.
    pub(crate) fn ways(&self) -> usize {
        self.construction.ways()
    }

    /// The number of a wire of a graph among those of all levels.
    pub(crate) fn wire(&self, graph: usize, wire: usize) -> usize {
        self.first_wire + graph * self.ways() + wire
    }

    /// Blocks of one graph.
    pub(crate) fn blocks(&self) -> usize {
        self.poles.div_ceil(self.ways())
    }

    /// The number of a block of a graph among those of all levels.
    pub(crate) fn block_number(&self, graph: usize, block: usize) -> usize {
        self.first_block + graph * self.blocks() + block
    }

    /// In a graph of two blocks, whether the second one permutes the wires between them. With four poles the first one does, with a smaller network.
    pub(crate) fn second_orders(&self) -> bool {
        self.ways() == 2
    }

    /// Poles of a block.
    pub(crate) fn poles_of(&self, block: usize) -> usize {
        let ways = self.ways();
        ways.min(self.poles - ways * block)
    }

    /// The operations of a block.
    pub(crate) fn plan(&self, block: usize) -> &Plan {
        &self.run(block).plan
    }

    /// What lies between a block and the next one.
    pub(crate) fn joint(&self, block: usize) -> Joint {
        self.run(block).shape.joint
    }

    /// Counts the switches of all graphs of this level.
    pub(crate) fn count(&self) -> SwitchCount {
        let mut count = SwitchCount::default();
        let ends = self.runs.iter().skip(1).map(|run| run.first).chain([self.blocks()]);
        for (run, end) in self.runs.iter().zip(ends) {
            let blocks = (self.graphs * (end - run.first)) as u64;
            for operation in run.plan.operations() {
                match operation {
                    Operation::Exchange(..) => count.exchanges += blocks,
                    Operation::Select { .. } => count.selections += blocks,
                    Operation::Copy { .. } => {}
                }
            }
            if run.shape.joint == Joint::Either {
                count.selections += blocks * self.ways() as u64;
            }
        }
        count
    }

    fn run(&self, block: usize) -> &Run {
        let after = self.runs.partition_point(|run| run.first <= block);
        &self.runs[after - 1]
    }

    fn with_plans(mut self) -> Self {
        let below = self.below();
        for first in 0..self.blocks() {
            let shape = self.shape(&below, first);
            if self.runs.last().is_none_or(|run| run.shape != shape) {
                let plan = Plan::new(self.construction.block(), &shape);
                self.runs.push(Run { first, shape, plan });
            }
        }
        self
    }

    fn shape(&self, below: &Level, block: usize) -> Shape {
        let (ways, blocks) = (self.ways(), self.blocks());
        let first = ways * block;
        let of_block = |pole: usize| pole.saturating_sub(first).min(ways);
        let is_last = block + 1 == blocks;
        let mut left = [!is_last; MAX_WAYS];
        let is_pair = blocks == 2;
        if is_pair && !self.second_orders() && !is_last {
            left = std::array::from_fn(|wire| (self.receivers..self.poles).contains(&(ways + wire)));
        }
        Shape {
            poles: self.poles_of(block),
            receivers: of_block(self.receivers),
            senders: of_block(self.senders),
            entered: block > 0,
            left,
            orders_entry: !is_pair || self.second_orders(),
            orders_exit: !is_pair || !self.second_orders(),
            joint: self.joint_after(below, block),
        }
    }

    /// What lies between a block and the next one: a switch where the next one may receive a value of this block or of an earlier one.
    fn joint_after(&self, below: &Level, block: usize) -> Joint {
        let ways = self.ways();
        let is_open = self.construction.is_joined()
            && block + 1 < self.blocks()
            && block + 1 >= self.receivers / ways
            && block > 0
            && below.is_used()
            && block >= below.receivers;
        match (is_open, ways * block < self.senders) {
            (false, _) => Joint::Before,
            (true, false) => Joint::Below,
            (true, true) => Joint::Either,
        }
    }
}
