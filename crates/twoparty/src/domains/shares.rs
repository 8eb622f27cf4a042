use std::sync::Arc;

use tacit_ir::{Domain, Index};
use tacit_math::{Bits, Block};
use zeroize::Zeroizing;

use crate::he::Lane;

use tacit_schedule::rules;
use tacit_schedule::walk::{
    Buffer, CircuitOperand, CircuitTarget, CircuitTask, Task, WalkError, Wires, copy_bit_lanes, gather_bits,
};

/// A party's part of a bundle, whose domain the walk knows: a label for each wire in `yao`, packed bits in `bool`, a word
/// for each lane in `arith`, a ciphertext or a constant in `he`.
#[derive(Clone, Debug)]
pub enum Shares {
    /// Labels of bits.
    Labels(Wires<Block>),
    /// Packed shares of bits.
    Bits(Arc<Bits>),
    /// Shares of words.
    Words(Wires<u128>),
    /// Encrypted words at their holder; at the key's owner their number, and public constants.
    Encrypted(Arc<Vec<Lane>>),
}

/// The kind of a share of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Labels,
    Bits,
    Words,
    Encrypted,
}

fn kind(domain: Domain) -> Kind {
    let rules = rules(domain);
    match rules.is_of_words() {
        true if rules.is_encrypted() => Kind::Encrypted,
        true => Kind::Words,
        false if rules.is_garbled() => Kind::Labels,
        false => Kind::Bits,
    }
}

impl Shares {
    /// The words.
    ///
    /// # Errors
    /// [`WalkError::Domain`] for values of another domain.
    pub fn words(&self) -> Result<&Wires<u128>, WalkError> {
        match self {
            Shares::Words(words) => Ok(words),
            Shares::Bits(_) | Shares::Labels(_) | Shares::Encrypted(_) => Err(WalkError::Domain),
        }
    }

    /// Encrypted words.
    ///
    /// # Errors
    /// [`WalkError::Domain`] for values of another domain.
    pub fn lanes(&self) -> Result<&[Lane], WalkError> {
        match self {
            Shares::Encrypted(lanes) => Ok(lanes),
            Shares::Bits(_) | Shares::Labels(_) | Shares::Words(_) => Err(WalkError::Domain),
        }
    }

    /// Replaces the content by these encrypted words.
    ///
    /// # Errors
    /// [`WalkError::Domain`] for values of another domain, or another number of them.
    pub fn with_lanes(self, lanes: Vec<Lane>) -> Result<Shares, WalkError> {
        match self.lanes()?.len() == lanes.len() {
            true => Ok(Shares::Encrypted(Arc::new(lanes))),
            false => Err(WalkError::Domain),
        }
    }

    /// Shares of bits; those of labels are their colours.
    pub fn bits(&self) -> Result<Zeroizing<Bits>, WalkError> {
        match self {
            Shares::Labels(labels) => Ok(Zeroizing::new(Bits::from_lsbs(labels))),
            Shares::Bits(bits) => Ok(Zeroizing::new((**bits).clone())),
            Shares::Words(_) | Shares::Encrypted(_) => Err(WalkError::Domain),
        }
    }

    /// Packed bits, for reading in place.
    pub fn packed(&self) -> Result<&Bits, WalkError> {
        match self {
            Shares::Bits(bits) => Ok(bits),
            Shares::Labels(_) | Shares::Words(_) | Shares::Encrypted(_) => Err(WalkError::Domain),
        }
    }

    /// Packed bits, for writing.
    pub fn packed_mut(&mut self) -> Result<&mut Bits, WalkError> {
        match self {
            Shares::Bits(bits) => Ok(Arc::make_mut(bits)),
            Shares::Labels(_) | Shares::Words(_) | Shares::Encrypted(_) => Err(WalkError::Domain),
        }
    }

    /// Replaces the content by these bits.
    pub fn with_bits(mut self, bits: &Bits) -> Result<Shares, WalkError> {
        let into = self.packed_mut()?;
        if into.len() != bits.len() {
            return Err(WalkError::Domain);
        }
        into.copy_range(0, bits, 0..bits.len());
        Ok(self)
    }

    /// Replaces the content by these words.
    pub fn with_words(self, words: &[u128]) -> Result<Shares, WalkError> {
        let mut into = into_words(self)?;
        if into.len() != words.len() {
            return Err(WalkError::Domain);
        }
        into.elements_mut().iter_mut().zip(words).for_each(|(into, word)| *into = *word);
        Ok(Shares::Words(into))
    }

    /// The labels.
    ///
    /// # Errors
    /// [`WalkError::Domain`] for values of another domain.
    pub fn into_labels(self) -> Result<Wires<Block>, WalkError> {
        match self {
            Shares::Labels(labels) => Ok(labels),
            Shares::Bits(_) | Shares::Words(_) | Shares::Encrypted(_) => Err(WalkError::Domain),
        }
    }
}

fn into_words(shares: Shares) -> Result<Wires<u128>, WalkError> {
    match shares {
        Shares::Words(words) => Ok(words),
        Shares::Bits(_) | Shares::Labels(_) | Shares::Encrypted(_) => Err(WalkError::Domain),
    }
}

/// Applies a move of words to encrypted ones: the positions are moved, and tell which lane comes from where.
fn moved(
    into: &mut Arc<Vec<Lane>>,
    source: &[Lane],
    by: impl FnOnce(&Wires<u128>, &mut Wires<u128>) -> Result<(), WalkError>,
) -> Result<(), WalkError> {
    let (old, new) = (into.len(), source.len());
    let beyond = || WalkError::Memory { bits: 1, lanes: (old as u64).saturating_add(new as u64) };
    let mut positions = Wires::allocate(Domain::default(), new).ok_or_else(beyond)?;
    let mut targets = Wires::allocate(Domain::default(), old).ok_or_else(beyond)?;
    positions.elements_mut().iter_mut().zip(1..).for_each(|(position, number)| *position = number);
    by(&positions, &mut targets)?;
    // Zero marks lanes that did not come from the source.
    for (into, from) in Arc::make_mut(into).iter_mut().zip(targets.iter()) {
        if let Some(lane) = (*from as usize).checked_sub(1).and_then(|from| source.get(from)) {
            into.clone_from(lane);
        }
    }
    Ok(())
}

impl Buffer for Shares {
    fn allocate(domain: Domain, len: usize) -> Option<Shares> {
        Some(match kind(domain) {
            Kind::Labels => Shares::Labels(Wires::allocate(domain, len)?),
            Kind::Words => Shares::Words(Wires::allocate(domain, len)?),
            Kind::Encrypted => {
                let mut lanes = Vec::new();
                lanes.try_reserve_exact(len).ok()?;
                lanes.resize(len, Lane::default());
                Shares::Encrypted(Arc::new(lanes))
            }
            Kind::Bits => {
                let mut words = Vec::new();
                words.try_reserve_exact(len.div_ceil(64)).ok()?;
                words.resize(len.div_ceil(64), 0);
                Shares::Bits(Arc::new(Bits::from_words(words, len)))
            }
        })
    }

    fn suits(&self, domain: Domain) -> bool {
        let own = match self {
            Shares::Labels(_) => Kind::Labels,
            Shares::Bits(_) => Kind::Bits,
            Shares::Words(_) => Kind::Words,
            Shares::Encrypted(_) => Kind::Encrypted,
        };
        own == kind(domain)
    }

    fn elements(&self) -> usize {
        match self {
            Shares::Labels(labels) => labels.len(),
            Shares::Bits(bits) => bits.len(),
            Shares::Words(words) => words.len(),
            Shares::Encrypted(lanes) => lanes.len(),
        }
    }

    fn is_alone(&mut self) -> bool {
        match self {
            Shares::Labels(labels) => labels.is_alone(),
            Shares::Bits(bits) => Arc::get_mut(bits).is_some(),
            Shares::Words(words) => words.is_alone(),
            Shares::Encrypted(lanes) => Arc::get_mut(lanes).is_some(),
        }
    }

    fn gather(
        &mut self,
        (source, from): (&Shares, u64),
        positions: &Index,
        to: u64,
    ) -> Result<(), WalkError> {
        match (self, source) {
            (Shares::Labels(into), Shares::Labels(source)) => into.gather((source, from), positions, to),
            (Shares::Words(into), Shares::Words(source)) => into.gather((source, from), positions, to),
            (Shares::Encrypted(into), Shares::Encrypted(source)) => {
                moved(into, source, |source, into| into.gather((source, from), positions, to))
            }
            (Shares::Bits(into), Shares::Bits(source)) => {
                gather_bits((source, from), positions, (Arc::make_mut(into), to));
                Ok(())
            }
            _ => Err(WalkError::Domain),
        }
    }

    fn copy_lanes(
        &mut self,
        (source, from, offset): (&Shares, usize, usize),
        (to, at): (usize, usize),
        count: usize,
    ) -> Result<(), WalkError> {
        match (self, source) {
            (Shares::Labels(into), Shares::Labels(source)) => {
                into.copy_lanes((source, from, offset), (to, at), count)
            }
            (Shares::Words(into), Shares::Words(source)) => {
                into.copy_lanes((source, from, offset), (to, at), count)
            }
            (Shares::Encrypted(into), Shares::Encrypted(source)) => {
                moved(into, source, |source, into| into.copy_lanes((source, from, offset), (to, at), count))
            }
            (Shares::Bits(into), Shares::Bits(source)) => {
                copy_bit_lanes((source, from, offset), (Arc::make_mut(into), to, at), count);
                Ok(())
            }
            _ => Err(WalkError::Domain),
        }
    }
}

/// A task of a walk in which all values are labels.
pub fn labels_task(task: Task<'_, Shares>) -> Result<Task<'_, Wires<Block>>, WalkError> {
    Ok(match task {
        Task::Input { port, column, start, bits, signed, bundle, target } => {
            Task::Input { port, column, start, bits, signed, bundle, target: target.into_labels()? }
        }
        Task::Random { bundle, target } => Task::Random { bundle, target: target.into_labels()? },
        Task::Constant { words, copies, bundle, target } => {
            Task::Constant { words, copies, bundle, target: target.into_labels()? }
        }
        Task::Circuit(task) => Task::Circuit(labels_circuit(task)?),
        _ => return Err(WalkError::Domain),
    })
}

fn labels_circuit(task: CircuitTask<'_, Shares>) -> Result<CircuitTask<'_, Wires<Block>>, WalkError> {
    let operand = |operand: CircuitOperand<Shares>| {
        let CircuitOperand { wires, bits, share } = operand;
        Ok(CircuitOperand { wires: wires.into_labels()?, bits, share })
    };
    let target = |target: CircuitTarget<Shares>| {
        Ok(CircuitTarget { wires: target.wires.into_labels()?, bits: target.bits })
    };
    let CircuitTask { domain, number, circuit, instances, first_id, operands, targets } = task;
    Ok(CircuitTask {
        domain,
        number,
        circuit,
        instances,
        first_id,
        operands: operands.into_iter().map(operand).collect::<Result<_, WalkError>>()?,
        targets: targets.into_iter().map(target).collect::<Result<_, WalkError>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_keep_to_their_domains() {
        let domains = [Domain::Yao, Domain::Bool, Domain::Arith, Domain::He];
        for of in domains {
            let mut shares = Shares::allocate(of, 70).unwrap();
            assert_eq!(shares.elements(), 70);
            assert!(domains.iter().all(|domain| shares.suits(*domain) == (*domain == of)));
            let other = shares.clone();
            assert!(!shares.is_alone());
            drop(other);
            assert!(shares.is_alone());
        }
        let bits = Bits::from_fn(70, |i| i % 3 == 0);
        let shares = Shares::allocate(Domain::Bool, 70).unwrap().with_bits(&bits).unwrap();
        assert_eq!(*shares.bits().unwrap(), bits);
        assert!(shares.clone().with_words(&[1]).is_err() && shares.into_labels().is_err());
    }

    #[test]
    fn nothing_moves_between_domains() {
        let domains = [Domain::Yao, Domain::Bool, Domain::Arith, Domain::He];
        let one = Index::Range { start: 0, step: 1, count: 1 };
        for (into, from) in domains.into_iter().flat_map(|into| domains.map(|from| (into, from))) {
            let source = Shares::allocate(from, 1).unwrap();
            let mut target = Shares::allocate(into, 1).unwrap();
            let expected = if into == from { Ok(()) } else { Err(WalkError::Domain) };
            assert_eq!(target.gather((&source, 1), &one, 1), expected);
            assert_eq!(target.copy_lanes((&source, 1, 0), (1, 0), 1), expected);
        }
    }

    #[test]
    fn words_of_another_number_are_refused() {
        let target = Shares::allocate(Domain::Arith, 2).unwrap();
        assert!(matches!(target.with_words(&[1]), Err(WalkError::Domain)));
    }

    #[test]
    fn debug_shows_no_share() {
        let words = Shares::allocate(Domain::Arith, 1).unwrap().with_words(&[123_456]).unwrap();
        let mut labels = Wires::allocate(Domain::Yao, 1).unwrap();
        labels.elements_mut()[0] = Block(123_456);
        let shown = format!("{words:?} {:?}", Shares::Labels(labels));
        assert_eq!(shown, "Words(Wires(Wiped(1))) Labels(Wires(Wiped(1)))");
    }
}
