use serde::{Deserialize, Serialize};
use tacit_ir::Domain;

/// How the values of a domain lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// An element for each bit of a lane.
    Bits,
    /// An element for each lane, which is a word of at most so many bits.
    Words(u32),
    /// An element for each lane, which is a word of at most so many bits under encryption.
    Ciphertexts(u32),
}

/// How the circuits of a domain are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Circuits {
    /// Garbled: all of one in one message, of ANDs of two operands.
    Garbled,
    /// Layer by layer, each of which is a round; ANDs may have more operands.
    Layered,
}

/// How the shares of two parties combine to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Combined {
    /// Bits, by exclusive or.
    ExclusiveOr,
    /// Words, by sum modulo 2^bits.
    Sum,
}

/// What everything outside a domain's folder knows of it.
#[derive(Clone, Copy, Debug)]
pub struct DomainRules {
    /// How values lie in memory.
    pub elements: Elements,
    /// How circuits are run, if any are.
    pub circuits: Option<Circuits>,
    /// How two shares of a value combine.
    pub combined: Combined,
    /// The domain in which inputs and random words come before they come here, and to which outputs go first; none where they come and
    /// go as they are.
    pub boundary: Option<Domain>,
}

impl DomainRules {
    /// Whether an element is a word, on which operations are done one by one; else circuits are run on bits.
    pub fn is_of_words(&self) -> bool {
        matches!(self.elements, Elements::Words(_) | Elements::Ciphertexts(_))
    }

    /// Whether one party holds what only the other can read.
    pub fn is_encrypted(&self) -> bool {
        matches!(self.elements, Elements::Ciphertexts(_))
    }

    /// Whether values are labels, which circuits are garbled for.
    pub fn is_garbled(&self) -> bool {
        self.circuits == Some(Circuits::Garbled)
    }

    /// Whether each layer of a circuit is a round.
    pub fn is_layered(&self) -> bool {
        self.circuits == Some(Circuits::Layered)
    }

    /// The widest words that there may be.
    pub fn max_bits(&self) -> u32 {
        match self.elements {
            Elements::Bits => u32::MAX,
            Elements::Words(most) | Elements::Ciphertexts(most) => most,
        }
    }
}
