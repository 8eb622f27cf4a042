use serde::{Deserialize, Serialize};

/// A node of a circuit or its complement: `2 · node + inverted`. Node 0 is the constant 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Lit(pub(crate) u32);

impl Lit {
    /// The constant 0.
    pub const FALSE: Lit = Lit(0);
    /// The constant 1.
    pub const TRUE: Lit = Lit(1);

    pub(crate) fn new(node: u32, inverted: bool) -> Lit {
        Lit(node << 1 | u32::from(inverted))
    }

    /// A node itself, not its complement. `node` is below [`crate::CircuitBuilder::MAX_NODES`].
    pub fn of_node(node: u32) -> Lit {
        Lit::new(node, false)
    }

    /// A constant.
    pub fn constant(value: bool) -> Lit {
        Lit(u32::from(value))
    }

    /// The node.
    pub fn node(self) -> u32 {
        self.0 >> 1
    }

    /// Whether this is the complement of the node.
    pub fn is_inverted(self) -> bool {
        self.0 & 1 == 1
    }

    /// The value if this is a constant.
    pub fn as_constant(self) -> Option<bool> {
        (self.node() == 0).then_some(self.is_inverted())
    }

    /// The complement if `flip` holds, else the literal itself.
    #[must_use]
    pub fn flip(self, flip: bool) -> Lit {
        Lit(self.0 ^ u32::from(flip))
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        self.flip(true)
    }
}
