//! The constructions of edge-universal graphs: how many poles a block has, and what lies between two blocks.

use crate::block::{Block, FOUR, TWO};

/// How the edge-universal graphs of a universal circuit are built. With each construction, every circuit of a size can be programmed; they
/// differ in the number of switches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Construction {
    /// Blocks of two poles, each of which is a pole of both graphs below: about `3 n log2 n` switches.
    #[default]
    Liu = 0,
    /// Valiant's 2-way split. Blocks of two poles; poles of both graphs below lie between two blocks: about `5 n log2 n` switches.
    TwoWay = 2,
    /// Valiant's 4-way split. Blocks of four poles; poles of the four graphs below lie between two blocks: about `4.75 n log2 n` switches.
    FourWay = 4,
}

impl Construction {
    /// All of them.
    pub const ALL: [Construction; 3] = [Construction::Liu, Construction::TwoWay, Construction::FourWay];

    /// The network of a block.
    pub(crate) fn block(self) -> &'static Block {
        match self {
            Construction::Liu | Construction::TwoWay => &TWO,
            Construction::FourWay => &FOUR,
        }
    }

    /// Poles of a block, and graphs below a graph.
    pub(crate) fn ways(self) -> usize {
        self.block().ways
    }

    /// Whether poles of the graphs below lie between two blocks.
    pub(crate) fn is_joined(self) -> bool {
        self != Construction::Liu
    }

    /// The number of the control bit for a wire between two blocks.
    pub(crate) fn joint_bit(self, wire: usize) -> usize {
        self.block().bits() + wire
    }

    /// Control bits of a block and of the poles between it and the next one.
    pub(crate) fn control_bits(self) -> usize {
        self.block().bits() + if self.is_joined() { self.ways() } else { 0 }
    }
}
