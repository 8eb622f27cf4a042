//! Registers in plain Rust, so that tests can run every shape of the kernels on any machine.

use super::{MOST_GATES, Quad, ROTATE_WORDS, Wide, garbling, hash, three_halves};
use crate::aes::sliced::{Sliced, last_round, round, slice, unslice};
use crate::half_gates::layer::Layer;
use crate::half_gates::{AndGates, Delta, TABLE_BYTES, Tweaks, XorGates, portable};
use crate::orthomorphism::sigma;
use crate::three_halves::{GATE_BYTES, portable as portable_halves};
use crate::{Backend, Prg, mitccrh};
use tacit_math::Block;

/// A register of N blocks.
#[derive(Clone, Copy)]
struct Soft<const N: usize>([Block; N]);

impl<const N: usize> Soft<N> {
    fn each(self, other: Self, operation: impl Fn(Block, Block) -> Block) -> Self {
        Soft(core::array::from_fn(|lane| operation(self.0[lane], other.0[lane])))
    }

    /// A round of AES without its key, then the key.
    fn keyed(self, key: Self, unkeyed: fn(&mut Sliced, &Sliced)) -> Self {
        let cipher = |block: Block| {
            let mut state = slice(&[block; 4]);
            unkeyed(&mut state, &[0; 8]);
            unslice(state)[0]
        };
        self.each(key, |block, key| cipher(block) ^ key)
    }
}

fn words(block: Block) -> [u32; 4] {
    core::array::from_fn(|i| (block.0 >> (32 * i)) as u32)
}

fn from_words(words: [u32; 4]) -> Block {
    Block(words.iter().rev().fold(0, |sum, &word| sum << 32 | u128::from(word)))
}

// Methods are not inlined: kernels that consist only of calls compile in seconds.
//
// SAFETY of the blocks below: plain reads and writes at places that the caller vouches for.
#[allow(clippy::undocumented_unsafe_blocks)]
impl<const N: usize> Wide for Soft<N> {
    const BLOCKS: usize = N;
    type One = Soft<1>;

    #[inline(never)]
    unsafe fn splat(block: Block) -> Self {
        Soft([block; N])
    }

    #[inline(never)]
    unsafe fn load(from: *const Block) -> Self {
        Soft(core::array::from_fn(|lane| unsafe { from.add(lane).read_unaligned() }))
    }

    #[inline(never)]
    unsafe fn store(self, to: *mut Block) {
        for (lane, block) in self.0.into_iter().enumerate() {
            unsafe { to.add(lane).write_unaligned(block) }
        }
    }

    #[inline(never)]
    unsafe fn gather(from: *const Block, places: &[usize]) -> Self {
        Soft(core::array::from_fn(|lane| unsafe { from.add(places[lane]).read_unaligned() }))
    }

    #[inline(never)]
    unsafe fn collect(from: &[*const Block]) -> Self {
        Soft(core::array::from_fn(|lane| unsafe { from[lane].read_unaligned() }))
    }

    #[inline(never)]
    unsafe fn scatter(self, to: *mut Block, places: &[usize]) {
        for (block, &place) in self.0.into_iter().zip(places) {
            unsafe { to.add(place).write_unaligned(block) }
        }
    }

    #[inline(never)]
    unsafe fn store_pairs(left: Self, right: Self, to: *mut Block) {
        for (lane, (left, right)) in left.0.into_iter().zip(right.0).enumerate() {
            unsafe {
                to.add(2 * lane).write_unaligned(left);
                to.add(2 * lane + 1).write_unaligned(right);
            }
        }
    }

    #[inline(never)]
    unsafe fn load_pairs(from: *const Block) -> [Self; 2] {
        let side = |side: usize| {
            Soft(core::array::from_fn(|lane| unsafe { from.add(2 * lane + side).read_unaligned() }))
        };
        [side(0), side(1)]
    }

    #[inline(never)]
    unsafe fn xor(self, other: Self) -> Self {
        self.each(other, |a, b| a ^ b)
    }

    #[inline(never)]
    unsafe fn and(self, other: Self) -> Self {
        self.each(other, |a, b| a & b)
    }

    #[inline(never)]
    unsafe fn keep(self, lanes: usize) -> Self {
        Soft(core::array::from_fn(|lane| self.0[lane] & Block::mask(lanes >> lane & 1 == 1)))
    }

    #[inline(never)]
    unsafe fn colours(self) -> Self {
        Soft(self.0.map(|block| Block::mask(block.lsb())))
    }

    #[inline(never)]
    unsafe fn sigma(self) -> Self {
        Soft(self.0.map(sigma))
    }

    #[inline(never)]
    unsafe fn half_colours(self) -> Self {
        let mask = |half: u64| u128::from((half & 1).wrapping_neg());
        Soft(self.0.map(|block| Block(mask(block.0 as u64) | mask((block.0 >> 64) as u64) << 64)))
    }

    #[inline(never)]
    unsafe fn low_halves(self, other: Self) -> Self {
        self.each(other, |a, b| Block(u128::from(a.0 as u64) | b.0 << 64))
    }

    #[inline(never)]
    unsafe fn high_halves(self, other: Self) -> Self {
        self.each(other, |a, b| Block(a.0 >> 64 | b.0 >> 64 << 64))
    }

    #[inline(never)]
    unsafe fn swap_halves(self) -> Self {
        Soft(self.0.map(|block| Block(block.0.rotate_left(64))))
    }

    #[inline(never)]
    unsafe fn halve(self) -> Self {
        let halve = |half: u64| u128::from(half >> 1);
        Soft(self.0.map(|block| Block(halve(block.0 as u64) | halve((block.0 >> 64) as u64) << 64)))
    }

    #[inline(never)]
    unsafe fn numbers(values: &[u64; MOST_GATES]) -> Self {
        Soft(core::array::from_fn(|lane| {
            Block(u128::from(values[lane]) | u128::from(values[lane + N]) << 64)
        }))
    }

    #[inline(never)]
    unsafe fn add(self, value: u64) -> Self {
        unsafe { self.add_numbers(Self::splat(Block(u128::from(value) * (1 << 64 | 1)))) }
    }

    #[inline(never)]
    unsafe fn add_numbers(self, other: Self) -> Self {
        self.each(other, |a, b| {
            let sum = |shift: u32| u128::from(((a.0 >> shift) as u64).wrapping_add((b.0 >> shift) as u64));
            Block(sum(0) | sum(64) << 64)
        })
    }

    #[inline(never)]
    unsafe fn twice_words(self) -> [Self; 2] {
        let pick = |places: [usize; 4]| Soft(self.0.map(|block| from_words(places.map(|i| words(block)[i]))));
        [pick([0, 0, 2, 2]), pick([1, 1, 3, 3])]
    }

    #[inline(never)]
    unsafe fn round(self, key: Self) -> Self {
        self.keyed(key, round)
    }

    #[inline(never)]
    unsafe fn last_round(self, key: Self) -> Self {
        self.keyed(key, last_round)
    }

    #[inline(never)]
    unsafe fn opaque(self) -> Self {
        self
    }

    #[inline(never)]
    unsafe fn rotate_words(self) -> Self {
        let moved = |block: Block| ROTATE_WORDS.map(|from| block.to_bytes()[usize::from(from)]);
        Soft(self.0.map(|block| Block::from_bytes(moved(block))))
    }

    #[inline(never)]
    unsafe fn transpose_words(quad: Quad<Self>) -> Quad<Self> {
        core::array::from_fn(|word| {
            Soft(core::array::from_fn(|lane| from_words(quad.map(|register| words(register.0[lane])[word]))))
        })
    }
}

fn blocks(seed: u128, count: usize) -> Vec<Block> {
    let mut blocks = vec![Block::ZERO; count];
    Prg::on(Backend::PORTABLE, Block(seed)).fill(&mut blocks);
    blocks
}

/// Garbles and evaluates a layer on registers of N blocks and in the portable way.
fn layers_agree<const N: usize, const G: usize>(width: usize, gates: usize) {
    const INPUTS: usize = 5;
    let slots = INPUTS + gates;
    let (a, b): (Vec<u32>, Vec<u32>) =
        (0..gates as u32).map(|gate| (gate % 5, (gate * gate + 1) % 5)).unzip();
    let out: Vec<u32> = (INPUTS as u32..slots as u32).rev().collect();
    let flips: Vec<u8> = (0..gates).map(|gate| (gate % 4) as u8).collect();
    let layer = AndGates::new(&a, &b, &out, &flips, slots).unwrap();
    let tweaks = Tweaks { start: Block(0x5a << 99 | 7), first_id: (1 << 62) - 3, lane_stride: 1 << 33 };
    let delta = Delta::new(blocks(1, 1)[0]);

    let start = blocks(2, slots * width);
    let (mut labels, mut expected) = (start.clone(), start.clone());
    let (mut tables, mut expected_tables) =
        (vec![0; gates * width * TABLE_BYTES], vec![1; gates * width * TABLE_BYTES]);
    let count = portable::garble(&mut expected, width, layer, &delta, tweaks, &mut expected_tables);
    // SAFETY: soft registers need no instructions.
    let counted =
        unsafe { garbling::garble::<Soft<N>, G>(&mut labels, width, layer, &delta, tweaks, &mut tables) };
    assert_eq!((counted, &tables), (count, &expected_tables), "{N} blocks, {width} x {gates}");
    assert_eq!(labels, expected, "{N} blocks, {width} x {gates}");

    let (mut labels, mut expected) = (start.clone(), start);
    let count = portable::evaluate(&mut expected, width, layer, tweaks, &tables);
    // SAFETY: as above.
    let counted = unsafe { garbling::evaluate::<Soft<N>, G>(&mut labels, width, layer, tweaks, &tables) };
    assert_eq!((counted, labels), (count, expected), "{N} blocks, {width} x {gates}");
}

/// The same with three halves.
fn three_halves_agree<const N: usize, const G: usize>(layer: &Layer) {
    let (width, gates, delta, tweaks) = (layer.width, layer.gates(), layer.delta(), layer.tweaks);
    let count = layer.a.len() * width;
    let tables = || (vec![0; count * GATE_BYTES], vec![0; count]);

    let (mut labels, (mut words, mut bits)) = (layer.labels(), tables());
    let (mut expected, (mut expected_words, mut expected_bits)) = (layer.labels(), tables());
    portable_halves::garble(
        &mut expected,
        width,
        gates,
        &delta,
        tweaks,
        &mut expected_words,
        &mut expected_bits,
    );
    // SAFETY: soft registers need no instructions.
    let counted = unsafe {
        three_halves::garble::<Soft<N>, G>(&mut labels, width, gates, &delta, tweaks, &mut words, &mut bits)
    };
    let (garbled, expected) = ((labels, words, bits), (expected, expected_words, expected_bits));
    assert_eq!(counted, count as u64);
    assert_eq!(garbled, expected, "{N} blocks, {width} x {}", layer.a.len());

    let (mut labels, mut expected) = (layer.labels(), layer.labels());
    let (_, words, bits) = garbled;
    portable_halves::evaluate(&mut expected, width, gates, tweaks, &words, &bits);
    // SAFETY: as above.
    unsafe { three_halves::evaluate::<Soft<N>, G>(&mut labels, width, gates, tweaks, &words, &bits) };
    assert_eq!(labels, expected, "{N} blocks, {width} x {}", layer.a.len());
}

#[test]
fn every_shape_garbles_as_the_portable_kernel() {
    for (width, gates) in [(1, 1), (1, 7), (1, 8), (1, 19), (3, 5), (5, 2), (7, 3), (8, 2), (13, 2), (16, 1)]
    {
        layers_agree::<1, 2>(width, gates);
        layers_agree::<2, 4>(width, gates);
        layers_agree::<4, 8>(width, gates);
        let layer = Layer::random(width as u128, width, gates);
        three_halves_agree::<1, 2>(&layer);
        three_halves_agree::<2, 4>(&layer);
        three_halves_agree::<4, 8>(&layer);
    }
}

#[test]
fn the_widest_shape_hashes_and_adds_as_the_portable_kernel() {
    let (start, delta) = (Block(3 << 90), Block(77));
    for count in [0, 1, 5, 16, 17, 40] {
        let (mut zeros, mut ones) = (blocks(3, count), vec![Block::ZERO; count]);
        let (mut expected_zeros, mut expected_ones) = (zeros.clone(), ones.clone());
        mitccrh::hash_both_portable(start, 9, delta, &mut expected_zeros, &mut expected_ones);
        let mut hashed = zeros.clone();
        // SAFETY: soft registers need no instructions.
        unsafe {
            hash::hash_both::<Soft<4>>(start, 9, delta, &mut zeros, &mut ones);
            hash::hash::<Soft<4>>(start, 9, &mut hashed);
        }
        assert_eq!((&zeros, &ones, &hashed), (&expected_zeros, &expected_ones, &expected_zeros));
    }
    let mut labels = blocks(4, 3 * 11);
    let mut expected = labels.clone();
    let gates = XorGates::new(&[0, 2], &[1, 0], &[2, 0], 3).unwrap();
    portable::xor(&mut expected, 11, gates);
    // SAFETY: as above.
    unsafe { garbling::xor::<Soft<4>>(&mut labels, 11, gates) };
    assert_eq!(labels, expected);
}
