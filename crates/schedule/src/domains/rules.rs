use serde::{Deserialize, Serialize};
use tacit_ir::Domain;

/// How the values of a domain are stored in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// An element for each bit of a lane.
    Bits,
    /// An element for each lane, which is a word of at most this many bits.
    Words(u32),
    /// An element for each lane, which is an encrypted word of at most this many bits.
    Ciphertexts(u32),
}

/// How the circuits of a domain are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Circuits {
    /// Garbled: a whole circuit in one message, with ANDs of two operands.
    Garbled,
    /// Layer by layer, each of which is a round; ANDs may have more operands.
    Layered,
}

/// How the shares of two parties combine into a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Combined {
    /// Bits, by exclusive or.
    ExclusiveOr,
    /// Words, by sum modulo 2^bits.
    Sum,
}

/// The interface of a domain to everything outside its folder.
#[derive(Clone, Copy, Debug)]
pub struct DomainRules {
    /// How values are stored in memory.
    pub elements: Elements,
    /// How circuits are run, if any are.
    pub circuits: Option<Circuits>,
    /// How two shares of a value combine.
    pub combined: Combined,
    /// The domain through which inputs, random words and outputs pass; none if they enter and leave directly.
    pub boundary: Option<Domain>,
}

impl DomainRules {
    /// Whether an element is a word that operations work on; otherwise circuits run on bits.
    pub fn is_of_words(&self) -> bool {
        matches!(self.elements, Elements::Words(_) | Elements::Ciphertexts(_))
    }

    /// Whether one party holds values that only the other can read.
    pub fn is_encrypted(&self) -> bool {
        matches!(self.elements, Elements::Ciphertexts(_))
    }

    /// Whether values are labels of garbled circuits.
    pub fn is_garbled(&self) -> bool {
        self.circuits == Some(Circuits::Garbled)
    }

    /// Whether each layer of a circuit is a round.
    pub fn is_layered(&self) -> bool {
        self.circuits == Some(Circuits::Layered)
    }

    /// The maximum width of words.
    pub fn max_bits(&self) -> u32 {
        match self.elements {
            Elements::Bits => u32::MAX,
            Elements::Words(most) | Elements::Ciphertexts(most) => most,
        }
    }
}
