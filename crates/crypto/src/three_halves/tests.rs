//! The kernels against the paper's equations, against each other and against the truth table.

use super::controls::SPREAD;
use super::portable::Input;
use super::*;
use crate::aes::Aes128;
use crate::half_gates::layer::Layer;
use crate::orthomorphism::sigma;
use crate::{Backend, Prg};
use proptest::prelude::*;

/// Labels, tables and control bits.
type Garbled = (Vec<Block>, Vec<u8>, Vec<u8>);

impl Layer {
    fn three_halves(&self, backend: Backend) -> Garbled {
        let count = self.a.len() * self.width;
        let (mut labels, mut tables, mut controls) =
            (self.labels(), vec![0xa5; count * GATE_BYTES], vec![0xa5; count]);
        let counted = garble_on(
            backend,
            &mut labels,
            self.width,
            self.gates(),
            &self.delta(),
            self.tweaks,
            &mut tables,
            &mut controls,
        );
        assert_eq!(counted, Ok(count as u64));
        (labels, tables, controls)
    }

    /// Garbles by the paper's equations, a gate at a time.
    fn three_halves_defined(&self) -> Garbled {
        let (mut labels, mut tables, mut controls) = (self.labels(), Vec::new(), Vec::new());
        let delta = self.delta().expose();
        for gate in 0..self.a.len() {
            for lane in 0..self.width {
                let place = |slot: u32| slot as usize * self.width + lane;
                let id = self.tweaks.first_id + self.tweaks.lane_stride * lane as u64 + gate as u64;
                let flipped = |flip: u8| delta & Block::mask(flip & 1 == 1);
                let a = labels[place(self.a[gate])] ^ flipped(self.flip[gate]);
                let b = labels[place(self.b[gate])] ^ flipped(self.flip[gate] >> 1);
                let (table, control, output) = defined(self.tweaks.start, id, delta, a, b);
                labels[place(self.out[gate])] = output;
                tables.extend(table);
                controls.push(control);
            }
        }
        (labels, tables, controls)
    }
}

/// The hash of one input of a gate: 64 bits and one more, and the two bits from which the garbler draws dice.
fn hash(start: Block, input: Input, id: u64, label: Block) -> (u64, [bool; 3]) {
    let hash = Aes128::on(Backend::best(), start ^ input.tweak(id)).encrypt(label) ^ sigma(label);
    (hash.0 as u64, [64, 65, 66].map(|bit| hash.bit(bit)))
}

/// The four halves of two labels.
fn halves(a: Block, b: Block) -> [u64; 4] {
    [a.0 as u64, (a.0 >> 64) as u64, b.0 as u64, (b.0 >> 64) as u64]
}

/// The matrices of the first and the second of the dice, and the public parts for colours i and j: a row
/// for each half of the output, a column for each half of A, then of B.
const FIRST: [[u8; 4]; 2] = [[1, 1, 1, 0], [1, 0, 0, 1]];
const SECOND: [[u8; 4]; 2] = [[1, 0, 0, 1], [0, 1, 1, 1]];
const OF_I: [[u8; 4]; 2] = [[0, 0, 1, 0], [0, 0, 0, 0]];
const OF_J: [[u8; 4]; 2] = [[0, 0, 0, 0], [0, 1, 0, 0]];

/// The dice of colours i, j, as a matrix.
fn rolled(x: bool, y: bool, i: bool, j: bool) -> [[u8; 4]; 2] {
    let mut sum = [[0; 4]; 2];
    for (chosen, matrix) in [(x, FIRST), (y, SECOND), (i, OF_I), (j, OF_J)] {
        for row in 0..2 {
            for column in 0..4 {
                sum[row][column] ^= u8::from(chosen) & matrix[row][column];
            }
        }
    }
    sum
}

fn times(matrix: [[u8; 4]; 2], halves: [u64; 4]) -> [u64; 2] {
    matrix.map(|row| row.iter().zip(halves).fold(0, |sum, (&bit, half)| sum ^ (u64::from(bit) * half)))
}

/// The dice of each combination of colours, from those of the first.
fn dice([x, y]: [bool; 2], [p, q]: [bool; 2], i: bool, j: bool) -> [bool; 2] {
    [x ^ (i & q) ^ (j & (p ^ q)), y ^ (i & (p ^ q)) ^ (j & p)]
}

/// Garbles a gate by solving, for each combination of colours, the evaluator's equations.
fn defined(start: Block, id: u64, delta: Block, a: Block, b: Block) -> ([u8; GATE_BYTES], u8, Block) {
    let colours = [a.lsb(), b.lsb()];
    let plain = [a ^ delta & Block::mask(a.lsb()), b ^ delta & Block::mask(b.lsb())];
    let label = |side: usize, colour: bool| plain[side] ^ delta & Block::mask(colour);
    let sum_hash = |odd: bool| hash(start, Input::Sum, id, label(0, odd) ^ plain[1]);
    let ((_, [_, x0, y0]), (_, [_, x1, y1])) = (sum_hash(false), sum_hash(true));
    let drawn = [x0 ^ x1, y0 ^ y1];
    // The evaluator's sum without the table: words, and bits that must be the dice.
    let known = |i: bool, j: bool| {
        let (word_a, [bit_a, ..]) = hash(start, Input::A, id, label(0, i));
        let (word_b, [bit_b, ..]) = hash(start, Input::B, id, label(1, j));
        let (word_sum, [bit_sum, ..]) = sum_hash(i ^ j);
        let [x, y] = dice(drawn, colours, i, j);
        let added = times(rolled(x, y, i, j), halves(label(0, i), label(1, j)));
        let words = [word_a ^ word_sum ^ added[0], word_b ^ word_sum ^ added[1]];
        (words, [x ^ bit_a ^ bit_sum, y ^ bit_b ^ bit_sum])
    };
    let value = |i: bool, j: bool| (i ^ colours[0]) & (j ^ colours[1]);
    let [delta_low, delta_high, ..] = halves(delta, delta);
    let wanted = |i: bool, j: bool| {
        let one = if value(i, j) { u64::MAX } else { 0 };
        let ([low, high], bits) = known(i, j);
        ([low ^ delta_low & one, high ^ delta_high & one], bits)
    };
    let ([low, high], [z0, z3]) = wanted(false, false);
    let ([low_a, high_a], [x_a, y_a]) = wanted(true, false);
    let ([low_b, high_b], [x_b, y_b]) = wanted(false, true);
    let (g0, g2, g1) = (low ^ low_a, low ^ low_b, high ^ high_b);
    let (z1, z2, z4) = (z0 ^ x_a, z0 ^ x_b, z3 ^ y_b);
    // The remaining equations must hold automatically.
    assert_eq!((g2, z2), (high ^ high_a, z3 ^ y_a));
    let ([low_ab, high_ab], [x_ab, y_ab]) = wanted(true, true);
    assert_eq!([low_ab, high_ab], [low ^ g0 ^ g2, high ^ g1 ^ g2]);
    assert_eq!([x_ab, y_ab], [z0 ^ z1 ^ z2, z3 ^ z2 ^ z4]);

    let mut table = [0; GATE_BYTES];
    for (bytes, word) in table.chunks_mut(8).zip([g0, g2, g1]) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    let bits = [z0, z1, z2, z3, z4];
    let control = (0..5).fold(0, |control, i| control | u8::from(bits[i]) << i);
    (table, control, Block(u128::from(low) | u128::from(high) << 64))
}

fn check_against_definition(shapes: &[(usize, usize)]) {
    for (seed, &(width, gates)) in shapes.iter().enumerate() {
        let layer = Layer::random(seed as u128, width, gates);
        let defined = layer.three_halves_defined();
        for backend in Backend::available() {
            assert_eq!(layer.three_halves(backend), defined, "{}, {width} x {gates}", backend.name());
        }
    }
}

/// Few gates, but covering every way in which layers are cut into batches: small enough for Miri.
#[test]
fn small_layers_are_as_defined() {
    check_against_definition(&[(1, 1), (1, 9), (9, 1)]);
}

#[test]
fn tables_and_labels_are_as_defined() {
    check_against_definition(&[(3, 5), (16, 2), (17, 3), (1, 30)]);
}

/// Pinned: garbled tables are sent, so a change of them must be deliberate.
#[test]
fn known_answer() {
    let layer = Layer::random(42, 5, 7);
    for backend in Backend::available() {
        let (labels, tables, controls) = layer.three_halves(backend);
        let mut hasher = blake3::Hasher::new();
        hasher.update(Block::as_bytes(&labels)).update(&tables).update(&controls);
        assert_eq!(hasher.finalize().to_hex().as_str(), KNOWN_ANSWER, "{}", backend.name());
    }
}

const KNOWN_ANSWER: &str = "62992098c18b272c0dbeb98338ae7e9c4842ca607f299bd4a43fa2a6c1307483";

#[test]
fn every_backend_garbles_alike_at_every_width() {
    for width in 1..=20 {
        for gates in [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31] {
            let layer = Layer::random((width * 100 + gates) as u128, width, gates);
            let expected = layer.three_halves(Backend::PORTABLE);
            for backend in Backend::available() {
                assert!(layer.three_halves(backend) == expected, "{}, {width} x {gates}", backend.name());
            }
        }
    }
}

proptest! {
    #[test]
    fn evaluation_finds_the_labels_of_the_products(seed: u128, width in 1..40usize, gates in 0..40usize) {
        let layer = Layer::random(seed, width, gates);
        let delta = layer.delta();
        let values = Prg::new(Block(seed ^ 9)).next_bits(layer.slots() * width);
        let (zeros, tables, controls) = layer.three_halves(Backend::PORTABLE);
        for backend in Backend::available() {
            let mut active: Vec<Block> =
                zeros.iter().zip(values.iter()).map(|(&zero, value)| delta.label(zero, value)).collect();
            active[layer.inputs * width..].fill(Block::ZERO);
            let count =
                evaluate_on(backend, &mut active, width, layer.gates(), layer.tweaks, &tables, &controls);
            prop_assert_eq!(count, Ok((gates * width) as u64));
            for gate in 0..gates {
                for lane in 0..width {
                    let place = |slot: u32| slot as usize * width + lane;
                    let a = values.get(place(layer.a[gate])) ^ (layer.flip[gate] & 1 != 0);
                    let b = values.get(place(layer.b[gate])) ^ (layer.flip[gate] & 2 != 0);
                    let out = place(layer.out[gate]);
                    prop_assert_eq!(active[out], delta.label(zeros[out], a & b), "{}", backend.name());
                }
            }
        }
    }
}

/// Gates side by side, gate g from slots g and count + g to slot 2 count + g.
struct Row {
    a: Vec<u32>,
    b: Vec<u32>,
    out: Vec<u32>,
    flips: Vec<u8>,
    delta: Delta,
    tweaks: Tweaks,
    /// Labels of zero.
    zeros: Vec<Block>,
    tables: Vec<u8>,
    controls: Vec<u8>,
}

impl Row {
    /// Garbles gates whose labels of zero have these colours, all with this flip.
    fn garbled(seed: u128, count: u32, [p, q]: [bool; 2], flip: u8) -> Row {
        let mut prg = Prg::new(Block(seed));
        let delta = Delta::new(prg.next_block());
        let tweaks = Tweaks { start: prg.next_block(), first_id: prg.next_u64() >> 2, lane_stride: 0 };
        let mut zeros = vec![Block::ZERO; 3 * count as usize];
        prg.fill(&mut zeros);
        let coloured = |label: Block, colour: bool| Block(label.0 & !1 | u128::from(colour));
        for g in 0..count as usize {
            // The gate sees the flipped label.
            zeros[g] = coloured(zeros[g], p ^ (flip & 1 == 1));
            zeros[count as usize + g] = coloured(zeros[count as usize + g], q ^ (flip & 2 == 2));
        }
        let mut row = Row {
            a: (0..count).collect(),
            b: (count..2 * count).collect(),
            out: (2 * count..3 * count).collect(),
            flips: vec![flip; count as usize],
            delta,
            tweaks,
            zeros,
            tables: vec![0; count as usize * GATE_BYTES],
            controls: vec![0; count as usize],
        };
        let gates = AndGates::new(&row.a, &row.b, &row.out, &row.flips, 3 * count as usize).unwrap();
        garble(&mut row.zeros, 1, gates, &row.delta, row.tweaks, &mut row.tables, &mut row.controls).unwrap();
        row
    }

    /// The evaluator's labels if all left inputs are `a` and all right ones `b`, evaluated.
    fn evaluated(&self, a: bool, b: bool) -> Vec<Block> {
        let count = self.a.len();
        let mut active = self.zeros.clone();
        active[..count].iter_mut().for_each(|label| *label = self.delta.label(*label, a));
        active[count..2 * count].iter_mut().for_each(|label| *label = self.delta.label(*label, b));
        active[2 * count..].fill(Block::ZERO);
        let gates = AndGates::new(&self.a, &self.b, &self.out, &self.flips, 3 * count).unwrap();
        evaluate(&mut active, 1, gates, self.tweaks, &self.tables, &self.controls).unwrap();
        active
    }
}

const BOTH: [bool; 2] = [false, true];

#[test]
fn every_gate_is_right_for_all_values_colours_and_flips() {
    for seed in 0..20 {
        for (p, q) in BOTH.map(|p| BOTH.map(|q| (p, q))).concat() {
            for flip in 0..4 {
                let row = Row::garbled(seed, 13, [p, q], flip);
                for (a, b) in BOTH.map(|a| BOTH.map(|b| (a, b))).concat() {
                    let product = (a ^ (flip & 1 == 1)) & (b ^ (flip & 2 == 2));
                    let active = row.evaluated(a, b);
                    for (active, zero) in active[26..].iter().zip(&row.zeros[26..]) {
                        assert_eq!(*active, row.delta.label(*zero, product), "{p} {q} {flip} {a} {b}");
                    }
                }
            }
        }
    }
}

/// Whatever the colours of the labels of zero, each combination of colours has each dice equally
/// often.
#[test]
fn dice_are_uniform_for_each_colour() {
    for (i, j) in BOTH.map(|i| BOTH.map(|j| (i, j))).concat() {
        for (p, q) in BOTH.map(|p| BOTH.map(|q| (p, q))).concat() {
            let mut seen = BOTH.map(|x| BOTH.map(|y| dice([x, y], [p, q], i, j))).concat();
            seen.sort_unstable();
            assert_eq!(seen, [[false, false], [false, true], [true, false], [true, true]]);
        }
    }
}

/// The control bits and dice that the evaluator sees are uniformly distributed, whatever colours and
/// values the garbler's secrets give the wires.
#[test]
fn what_the_evaluator_sees_of_the_dice_is_uniform() {
    const COUNT: usize = 1 << 13;
    for secret in 0..16u32 {
        let [p, q, a, b] = [0, 1, 2, 3].map(|bit| secret >> bit & 1 == 1);
        let row = Row::garbled(u128::from(secret), COUNT as u32, [p, q], 0);
        let active = row.evaluated(a, b);
        let mut seen = [0u32; 128];
        for gate in 0..COUNT {
            let (left, right) = (active[gate], active[COUNT + gate]);
            let id = row.tweaks.first_id + gate as u64;
            let bit = |input: Input, label: Block| hash(row.tweaks.start, input, id, label).1[0];
            let (bit_a, bit_b, bit_sum) =
                (bit(Input::A, left), bit(Input::B, right), bit(Input::Sum, left ^ right));
            let control = row.controls[gate];
            let z = |index: u32| control >> index & 1 == 1;
            let (i, j) = (left.lsb(), right.lsb());
            let x = z(0) ^ (i & z(1)) ^ (j & z(2)) ^ bit_a ^ bit_sum;
            let y = z(3) ^ (i & z(2)) ^ (j & z(4)) ^ bit_b ^ bit_sum;
            seen[usize::from(control) << 2 | usize::from(x) << 1 | usize::from(y)] += 1;
        }
        let expected = (COUNT / 128) as f64;
        let squares = seen.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected);
        // Mean 127, standard deviation 16.
        let statistic: f64 = squares.sum();
        assert!((60.0..220.0).contains(&statistic), "{p} {q} {a} {b}: {statistic}");
    }
}

#[test]
fn short_slices_and_large_tweaks_are_refused() {
    let gates = AndGates::new(&[0], &[1], &[2], &[0], 3).unwrap();
    let delta = Delta::new(Block(4));
    for backend in Backend::available() {
        let run = |labels: usize, tables: usize, controls: usize, first_id: u64| {
            let tweaks = Tweaks { start: Block(0), first_id, lane_stride: 1 };
            let (mut labels, mut tables, mut controls) =
                (vec![Block::ZERO; labels], vec![0; tables], vec![0; controls]);
            let garbled =
                garble_on(backend, &mut labels, 2, gates, &delta, tweaks, &mut tables, &mut controls);
            assert_eq!(garbled, evaluate_on(backend, &mut labels, 2, gates, tweaks, &tables, &controls));
            garbled
        };
        let tables = |each, bytes| Err(ShapeError::Tables { gates: 1, width: 2, each, bytes });
        assert_eq!(run(6, 48, 2, 0), Ok(2));
        assert_eq!(run(6, 49, 2, 0), tables(24, 49));
        assert_eq!(run(6, 48, 1, 0), tables(1, 1));
        assert_eq!(run(5, 48, 2, 0), Err(ShapeError::Labels { slots: 3, width: 2, labels: 5 }));
        assert_eq!(run(6, 48, 2, (1 << 63) - 1), Err(ShapeError::Tweaks));
    }
}

#[test]
fn eight_gates_take_197_bytes() {
    assert_eq!([0, 1, 7, 8, 1000].map(table_bytes), [0, 25, 173, 197, 24_625]);
    assert_eq!(SPREAD[0b10110], Block(0b110 | 0b110 << 64));
}
