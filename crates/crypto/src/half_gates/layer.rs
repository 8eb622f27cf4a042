//! Layers of random gates to test kernels on.

use super::{AndGates, Delta, Tweaks};
use crate::{Backend, Prg};
use tacit_math::Block;

/// A layer of random gates: the first slots are inputs, then comes one output slot a gate.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    pub(crate) width: usize,
    pub(crate) inputs: usize,
    pub(crate) a: Vec<u32>,
    pub(crate) b: Vec<u32>,
    pub(crate) out: Vec<u32>,
    pub(crate) flip: Vec<u8>,
    pub(crate) tweaks: Tweaks,
    pub(crate) seed: u128,
}

impl Layer {
    pub(crate) fn random(seed: u128, width: usize, gates: usize) -> Layer {
        let mut prg = Prg::on(Backend::PORTABLE, Block(seed));
        let inputs = 1 + (prg.next_u64() % 20) as usize;
        let mut slots =
            || -> Vec<u32> { (0..gates).map(|_| (prg.next_u64() % inputs as u64) as u32).collect() };
        let (a, b) = (slots(), slots());
        // Outputs in a scattered order.
        let mut out: Vec<u32> = (inputs as u32..(inputs + gates) as u32).collect();
        for i in (1..gates).rev() {
            out.swap(i, (prg.next_u64() % (i as u64 + 1)) as usize);
        }
        let flip = (0..gates).map(|_| prg.next_u64() as u8).collect();
        let tweaks = Tweaks {
            start: prg.next_block(),
            first_id: prg.next_u64() >> 2,
            lane_stride: gates as u64 + prg.next_u64() % 1000,
        };
        Layer { width, inputs, a, b, out, flip, tweaks, seed }
    }

    pub(crate) fn slots(&self) -> usize {
        self.inputs + self.a.len()
    }

    pub(crate) fn gates(&self) -> AndGates<'_> {
        AndGates::new(&self.a, &self.b, &self.out, &self.flip, self.slots()).unwrap()
    }

    pub(crate) fn labels(&self) -> Vec<Block> {
        let mut labels = vec![Block::ZERO; self.slots() * self.width];
        Prg::on(Backend::PORTABLE, Block(!self.seed)).fill(&mut labels);
        labels
    }

    pub(crate) fn delta(&self) -> Delta {
        Delta::new(Prg::on(Backend::PORTABLE, Block(self.seed ^ 5)).next_block())
    }
}
