//! Random bits with the products of all their subsets, for ANDs of several operands at once.
//!
//! Triples with a common operand yield the products of pairs, and some of their factors are operands themselves. Each other
//! product is one of a single operand with a pair, or of two pairs, and takes an AND. If one of its factors is a random bit of the
//! set, that is the triple's common operand, so that it need not be opened. All of these ANDs open their operands in one message.
//!
//! Source: Patra, Schneider, Suresh and Yalame, *ABY2.0* (USENIX Security'21), §3.1.3, products of several operands.
//! Differs: masks are those of triples, not of wires, so that setup does not depend on the circuit and makes any
//! number in the same two steps; each operand is opened under its mask, a bit each way, where ABY2.0 only opens the
//! result.
//! Security: every bit that is opened is masked by one of a triple, which neither party knows and nothing else uses.
//! Cost of an AND of three operands: 2 triples with a common operand, an OT each, and 3 bits in each direction; of four operands: 4
//! triples and 11 bits. One exchange for all together.

use super::{BitTriples, Columns, CorrelationKind, Ots, PieceCounts, Pool, Provider, Requirement};
use crate::error::expect;
use crate::{Dialogue, ShareError, exchange};
use tacit_math::Bits;
use tacit_net::Channel;
use tacit_schedule::{Consumed, Unit};

/// Shares of random bits and of the products of their subsets.
#[derive(Default)]
pub struct NaryTriples {
    /// The product over a subset of the operands, whose number s is from 1 to 2^n - 1, is at s - 1; so operand i itself
    /// is at 2^i - 1.
    pub products: Vec<Bits>,
}

impl CorrelationKind for NaryTriples {
    const NAME: &'static str = "triples of several bits";

    /// The number of operands, 3 or 4.
    type Shape = u32;

    fn check(operands: u32) -> Result<(), ShareError> {
        match steps(operands) {
            [] => expect("operands of an AND", operands as usize, 4),
            _ => Ok(()),
        }
    }

    fn consumed(kind: Consumed) -> Option<u32> {
        if let Consumed::NaryAnd { operands } = kind { Some(operands) } else { None }
    }

    fn columns(&self, operands: u32, by: &mut impl Columns) -> NaryTriples {
        NaryTriples { products: by.planes(&self.products, (1 << operands) - 1) }
    }
}

impl Provider<NaryTriples> for Ots {
    fn ingredients(counts: &PieceCounts<NaryTriples>, requirement: &mut Requirement) {
        for (operands, count) in counts {
            for step in steps(*operands) {
                requirement.require::<BitTriples>(step.others.len() as u32, *count);
            }
        }
    }

    fn price(counts: &PieceCounts<NaryTriples>) -> Dialogue {
        let bits = counts.iter().map(|(operands, count)| opened_bits(*operands).saturating_mul(*count));
        let bits = bits.fold(0, u64::saturating_add);
        Dialogue::default().exchange([bits.div_ceil(8); 2]).compute(Unit::NaryBit, bits)
    }

    /// Makes all; all openings are in one message.
    async fn make(
        &mut self,
        channel: &mut Channel,
        counts: &PieceCounts<NaryTriples>,
        pool: &mut Pool,
    ) -> Result<Vec<NaryTriples>, ShareError> {
        let mut made = Vec::with_capacity(counts.len());
        let mut opening = NaryOpening::default();
        for (&operands, &count) in counts {
            let steps = steps(operands);
            let triples = steps.iter().map(|step| pool.split_off(step.others.len() as u32, count as usize));
            let triples = triples.collect::<Result<Vec<BitTriples>, _>>()?;
            made.push(opening.begin(made.len(), operands, (steps, triples)));
        }
        opening.finish(channel, &mut made).await?;
        Ok(made)
    }
}

/// A triple with a common operand, from which products of subsets are made; subsets are numbered as in
/// [`NaryTriples::products`].
///
/// The common operand and the first of the others are the triple's own bits, unless a triple before determined them, and their product
/// is the triple's. Any other operand is opened under the triple's bits.
struct NaryStep {
    common: usize,
    others: &'static [usize],
}

const THREE: &[NaryStep] = &[
    NaryStep { common: 0b001, others: &[0b010] },
    NaryStep { common: 0b100, others: &[0b001, 0b010, 0b011] },
];

const FOUR: &[NaryStep] = &[
    NaryStep { common: 0b0100, others: &[0b1000, 0b0010, 0b0011] },
    NaryStep { common: 0b0001, others: &[0b0010, 0b0100, 0b1000, 0b1100] },
    NaryStep { common: 0b0010, others: &[0b1000, 0b1100] },
    NaryStep { common: 0b0011, others: &[0b1000, 0b1100] },
];

/// The triples of an AND of this many operands; empty except for 3 and 4.
fn steps(operands: u32) -> &'static [NaryStep] {
    match operands {
        3 => THREE,
        4 => FOUR,
        _ => &[],
    }
}

/// Bits that each party opens for an AND of this many operands.
fn opened_bits(operands: u32) -> u64 {
    match operands {
        3 => 3,
        4 => 11,
        _ => 0,
    }
}

/// A product that waits for openings.
struct PendingTriples {
    /// The index of its batch.
    batch: usize,
    /// The index of the product.
    set: usize,
    /// The triple's common bit and product.
    a: Bits,
    c: Bits,
    /// The other operand.
    other: Bits,
    /// The position of the other operand in the opening, and that of the common one, unless it is the
    /// triple's.
    opened: usize,
    opened_common: Option<usize>,
}

/// ANDs of shared bits that open their operands together.
#[derive(Default)]
struct NaryOpening {
    message: Bits,
    pending: Vec<PendingTriples>,
}

impl NaryOpening {
    /// Sets the products that are known already, and collects the pending ones.
    fn begin(
        &mut self,
        batch: usize,
        operands: u32,
        (steps, triples): (&[NaryStep], Vec<BitTriples>),
    ) -> NaryTriples {
        let mut made = NaryTriples { products: vec![Bits::default(); (1 << operands) - 1] };
        // Whether the triple determines its common operand, and its first other operand.
        let mut gives = Vec::new();
        let mut known = 0u32;
        for (step, triple) in steps.iter().zip(&triples) {
            let [common, first] = [step.common, step.others[0]].map(|set| known >> set & 1 == 0);
            known |= 1 << step.common | 1 << step.others[0];
            if common {
                made.products[step.common - 1] = triple.a.clone();
            }
            if first {
                made.products[step.others[0] - 1] = triple.b[0].clone();
            }
            if common && first {
                known |= 1 << (step.common | step.others[0]);
                made.products[(step.common | step.others[0]) - 1] = triple.c[0].clone();
            }
            gives.push((common, first));
        }
        for ((step, triple), (common, first)) in steps.iter().zip(&triples).zip(gives) {
            let opened_common = (!common).then(|| self.open(&made.products[step.common - 1], &triple.a));
            for (i, set) in step.others.iter().enumerate().skip(usize::from(first)) {
                let other = made.products[set - 1].clone();
                let opened = self.open(&other, &triple.b[i]);
                let (a, c, set) = (triple.a.clone(), triple.c[i].clone(), step.common | set);
                self.pending.push(PendingTriples { batch, set, a, c, other, opened, opened_common });
            }
        }
        made
    }

    /// Adds an operand under its mask; returns its position.
    fn open(&mut self, operand: &Bits, mask: &Bits) -> usize {
        let mut masked = operand.clone();
        masked ^= mask;
        self.message.extend_bits(&masked);
        self.message.len() - masked.len()
    }

    /// Makes the pending products: of y and x with masks b and a, c ^ e·a ^ d·y, where e = y ^ b and d = x ^ a.
    async fn finish(self, channel: &mut Channel, made: &mut [NaryTriples]) -> Result<(), ShareError> {
        let mut opened = exchange::exchange(channel, &self.message).await?;
        opened ^= &self.message;
        for pending in &self.pending {
            let at = |start: usize| opened.slice(start..start + pending.a.len());
            let mut product = at(pending.opened);
            product &= &pending.a;
            product ^= &pending.c;
            if let Some(common) = pending.opened_common {
                let mut rest = at(common);
                rest &= &pending.other;
                product ^= &rest;
            }
            made[pending.batch].products[pending.set - 1] = product;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_product_is_made_once() {
        for operands in [3, 4] {
            let mut made = vec![0; 1 << operands];
            let mut opened = 0;
            let mut known = vec![false; 1 << operands];
            for step in steps(operands) {
                for set in [step.common, step.others[0]] {
                    if !std::mem::replace(&mut known[set], true) {
                        made[set] += 1;
                        opened -= 1;
                    }
                }
                known[step.common | step.others[0]] = true;
                opened += 1 + step.others.len() as i64;
                step.others.iter().for_each(|other| made[step.common | other] += 1);
            }
            assert_eq!(made[1..], vec![1; (1 << operands) - 1], "{operands} operands");
            assert_eq!(opened as u64, opened_bits(operands));
        }
    }
}
