//! ANDs of several kinds in one message.

use crate::correlations::{BitTriples, NaryTriples};
use crate::end::End;
use crate::error::expect;
use crate::{Party, ShareError, exchange};
use std::borrow::Borrow;
use tacit_math::Bits;

/// ANDs that do not depend on each other, whose operands are opened together.
#[derive(Default)]
pub(crate) struct Layer {
    /// The masked operands.
    message: Bits,
    steps: Vec<OpeningStep>,
}

/// A step that turns opened operands into products.
enum OpeningStep {
    Triples(BitTriples),
    Nary(NaryTriples),
}

impl Layer {
    /// Adds x·y: one product.
    pub(crate) fn and(&mut self, end: &mut End, x: &Bits, y: &Bits) -> Result<(), ShareError> {
        self.vector(end, x, &[y])
    }

    /// Adds x·y for each y: as many products.
    pub(crate) fn vector(
        &mut self,
        end: &mut End,
        x: &Bits,
        ys: &[impl Borrow<Bits>],
    ) -> Result<(), ShareError> {
        ys.iter().try_for_each(|y| expect("second operands of ANDs", y.borrow().len(), x.len()))?;
        let triples = end.pool.take::<BitTriples>(ys.len() as u32, x.len())?;
        self.masked(x, &triples.a);
        ys.iter().zip(&triples.b).for_each(|(y, b)| self.masked(y.borrow(), b));
        self.steps.push(OpeningStep::Triples(triples));
        Ok(())
    }

    /// Adds the product of two to four operands: one product.
    pub(crate) fn conjunction(&mut self, end: &mut End, operands: &[&Bits]) -> Result<(), ShareError> {
        if let [x, y] = operands {
            return self.and(end, x, y);
        }
        let count = operands.first().map_or(0, |operand| operand.len());
        let made = end.pool.take::<NaryTriples>(operands.len() as u32, count)?;
        for (i, operand) in operands.iter().enumerate() {
            expect("further operands of ANDs", operand.len(), count)?;
            self.masked(operand, &made.products[(1 << i) - 1]);
        }
        self.steps.push(OpeningStep::Nary(made));
        Ok(())
    }

    fn masked(&mut self, operand: &Bits, mask: &Bits) {
        let mut masked = operand.clone();
        masked ^= mask;
        self.message.extend_bits(&masked);
    }

    /// Shares of the products, in the order in which they were added.
    ///
    /// Cost: a bit each way for each operand, packed; one round, none without any.
    pub(crate) async fn open(self, end: &mut End) -> Result<Vec<Bits>, ShareError> {
        Ok(self.open_with(end, &Bits::default()).await?.0)
    }

    /// [`Layer::open`], with extra bits for the peer in the same message; returns the shares, and as many extra
    /// bits of the peer.
    pub(crate) async fn open_with(
        mut self,
        end: &mut End,
        extra: &Bits,
    ) -> Result<(Vec<Bits>, Bits), ShareError> {
        let own = self.message.len();
        self.message.extend_bits(extra);
        let theirs = exchange::exchange(&mut end.channel, &self.message).await?;
        let mut opened = theirs.clone();
        opened ^= &self.message;
        let mut opened = OpenedBits { bits: opened, position: 0 };
        let mut products = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            match step {
                OpeningStep::Triples(BitTriples { a, b, c }) => {
                    let d = opened.take(a.len());
                    for (b, c) in b.iter().zip(c) {
                        let e = opened.take(a.len());
                        products.push(product(end.party, (a, &d), (b, &e), c));
                    }
                }
                OpeningStep::Nary(made) => products.push(opened.conjunction(end.party, made)),
            }
        }
        Ok((products, theirs.slice(own..theirs.len())))
    }
}

/// x·y = c ^ d·b ^ e·a ^ d·e, the last term at one party, where d = x ^ a and e = y ^ b.
fn product(party: Party, (a, d): (&Bits, &Bits), (b, e): (&Bits, &Bits), c: &Bits) -> Bits {
    let mut product = a.clone();
    if party == Party::First {
        product ^= d;
    }
    product &= e;
    product ^= c;
    let mut rest = d.clone();
    rest &= b;
    product ^= &rest;
    product
}

/// Opened masked operands.
struct OpenedBits {
    bits: Bits,
    position: usize,
}

impl OpenedBits {
    fn take(&mut self, count: usize) -> Bits {
        self.position += count;
        self.bits.slice(self.position - count..self.position)
    }

    /// The product of all d ^ a, from the products of the a: expanded over one operand after the other.
    fn conjunction(&mut self, party: Party, made: &NaryTriples) -> Bits {
        let count = made.products[0].len();
        let ones = if party == Party::First { u64::MAX } else { 0 };
        let mut terms = vec![Bits::from_words(vec![ones; count.div_ceil(64)], count)];
        terms.extend(made.products.iter().cloned());
        let operands: Vec<Bits> = (0..terms.len().ilog2()).map(|_| self.take(count)).collect();
        for d in operands.iter().rev() {
            // From the terms with this operand's mask and those without it: the former plus d times the latter.
            let with = terms.split_off(terms.len() / 2);
            for (without, with) in terms.iter_mut().zip(&with) {
                *without &= d;
                *without ^= with;
            }
        }
        terms.swap_remove(0)
    }
}
