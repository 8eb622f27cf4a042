//! The kernels against the definition, against each other and against the truth table.

use super::layer::Layer;
use super::*;
use crate::aes::Aes128;
use crate::orthomorphism::sigma;
use crate::{Backend, Prg};
use proptest::prelude::*;

impl Layer {
    fn table_bytes(&self) -> usize {
        self.a.len() * self.width * TABLE_BYTES
    }

    /// Garbles on one backend: labels and tables.
    fn garbled(&self, backend: Backend) -> (Vec<Block>, Vec<u8>) {
        let (mut labels, mut tables) = (self.labels(), vec![0xa5; self.table_bytes()]);
        let count = garble_on(
            backend,
            &mut labels,
            self.width,
            self.gates(),
            &self.delta(),
            self.tweaks,
            &mut tables,
        );
        assert_eq!(count, Ok((self.a.len() * self.width) as u64));
        (labels, tables)
    }

    /// Garbles by the figure of the paper, a gate at a time.
    fn defined(&self) -> (Vec<Block>, Vec<u8>) {
        let (mut labels, mut tables) = (self.labels(), Vec::new());
        let delta = self.delta().expose();
        let when = |bit: bool, block: Block| if bit { block } else { Block::ZERO };
        for gate in 0..self.a.len() {
            for lane in 0..self.width {
                let place = |slot: u32| slot as usize * self.width + lane;
                let id = u128::from(self.tweaks.first_id)
                    + u128::from(self.tweaks.lane_stride) * lane as u128
                    + gate as u128;
                let hash = |tweak: u128, x: Block| {
                    Aes128::on(Backend::PORTABLE, self.tweaks.start ^ Block(tweak)).encrypt(x) ^ sigma(x)
                };
                let (left, right) = (|x| hash(2 * id, x), |x| hash(2 * id + 1, x));
                let a = labels[place(self.a[gate])] ^ when(self.flip[gate] & 1 != 0, delta);
                let b = labels[place(self.b[gate])] ^ when(self.flip[gate] & 2 != 0, delta);
                let garbler = left(a) ^ left(a ^ delta) ^ when(b.lsb(), delta);
                let evaluator = right(b) ^ right(b ^ delta) ^ a;
                labels[place(self.out[gate])] =
                    left(a) ^ when(a.lsb(), garbler) ^ right(b) ^ when(b.lsb(), evaluator ^ a);
                tables.extend_from_slice(Block::as_bytes(&[garbler, evaluator]));
            }
        }
        (labels, tables)
    }
}

fn check_against_definition(shapes: &[(usize, usize)]) {
    for (seed, &(width, gates)) in shapes.iter().enumerate() {
        let layer = Layer::random(seed as u128, width, gates);
        let defined = layer.defined();
        for backend in Backend::available() {
            assert_eq!(layer.garbled(backend), defined, "{}", backend.name());
        }
    }
}

/// Few gates, but covering every way in which layers are cut into batches: small enough for Miri.
#[test]
fn small_layers_are_as_defined() {
    check_against_definition(&[(1, 1), (1, 9), (9, 1)]);
}

/// Pinned: garbled tables are sent, so a change of them must be deliberate.
#[test]
fn known_answer() {
    let layer = Layer::random(42, 5, 7);
    for backend in Backend::available() {
        let (labels, tables) = layer.garbled(backend);
        let mut hasher = blake3::Hasher::new();
        hasher.update(Block::as_bytes(&labels)).update(&tables);
        assert_eq!(
            hasher.finalize().to_hex().as_str(),
            "f689034c915f4e05f42d9fa072d7fd8a239dc12ac03b4c4838831ba098636013",
            "{}",
            backend.name()
        );
    }
}

/// The evaluator knows every key. If it could compute the encryption of a label that it does not hold,
/// decrypting it would give delta.
#[test]
fn nothing_the_evaluator_holds_decrypts_to_the_other_label() {
    let layer = Layer::random(77, 1, 64);
    let delta = layer.delta();
    let (zeros, tables) = layer.garbled(Backend::PORTABLE);
    let values = Prg::new(Block(78)).next_bits(layer.inputs);
    for (gate, table) in tables.as_chunks::<16>().0.as_chunks::<2>().0.iter().enumerate() {
        let id = u128::from(layer.tweaks.first_id) + gate as u128;
        let places = [layer.a[gate], layer.b[gate]].map(|slot| slot as usize);
        let held = places.map(|place| delta.label(zeros[place], values.get(place)));
        let cipher =
            |side: usize| Aes128::on(Backend::PORTABLE, layer.tweaks.start ^ Block(2 * id + side as u128));
        let mut known = table.map(Block::from_bytes).to_vec();
        for (side, &label) in held.iter().enumerate() {
            known.extend([cipher(side).encrypt(label), label, sigma(label)]);
        }
        for (side, &label) in held.iter().enumerate() {
            let secret = cipher(side).encrypt(delta.one(label));
            for subset in 0..1 << known.len() {
                let chosen = known.iter().enumerate().filter(|&(i, _)| subset >> i & 1 == 1);
                let sum = chosen.fold(Block::ZERO, |sum, (_, &block)| sum ^ block);
                assert_ne!(sum, secret, "gate {gate}, side {side}");
            }
        }
    }
}

#[test]
fn tables_and_labels_are_as_defined() {
    check_against_definition(&[(3, 5), (16, 2), (17, 3), (1, 30)]);
}

#[test]
fn every_backend_garbles_alike_at_every_width() {
    for width in 1..=40 {
        for gates in [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31] {
            let layer = Layer::random((width * 100 + gates) as u128, width, gates);
            let expected = layer.garbled(Backend::PORTABLE);
            for backend in Backend::available() {
                assert!(layer.garbled(backend) == expected, "{}, {width} x {gates}", backend.name());
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
        for backend in Backend::available() {
            let (zeros, tables) = layer.garbled(Backend::PORTABLE);
            let mut active: Vec<Block> =
                zeros.iter().zip(values.iter()).map(|(&zero, value)| delta.label(zero, value)).collect();
            active[layer.inputs * width..].fill(Block::ZERO);
            let count = evaluate_on(backend, &mut active, width, layer.gates(), layer.tweaks, &tables);
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

    /// Every gate may read what an earlier one wrote, and write where anything was.
    #[test]
    fn xors_run_in_order(seed: u128, width in 1..40usize, slots in 1..12u32, gates in 0..60usize) {
        let mut prg = Prg::new(Block(seed));
        let mut list = || -> Vec<u32> { (0..gates).map(|_| (prg.next_u64() % u64::from(slots)) as u32).collect() };
        let (a, b, out) = (list(), list(), list());
        let mut start = vec![Block::ZERO; slots as usize * width];
        prg.fill(&mut start);
        let mut expected = start.clone();
        for gate in 0..gates {
            for lane in 0..width {
                let place = |slot: u32| slot as usize * width + lane;
                expected[place(out[gate])] = expected[place(a[gate])] ^ expected[place(b[gate])];
            }
        }
        for backend in Backend::available() {
            let mut labels = start.clone();
            let gates = XorGates::new(&a, &b, &out, slots as usize).unwrap();
            prop_assert_eq!(xor_on(backend, &mut labels, width, gates), Ok((gates.len() * width) as u64));
            prop_assert_eq!(&labels, &expected, "{}", backend.name());
        }
    }
}

#[test]
fn gates_out_of_bounds_are_refused() {
    assert_eq!(AndGates::new(&[0], &[3], &[1], &[0], 3).unwrap_err(), ShapeError::Slot { slot: 3, slots: 3 });
    assert_eq!(XorGates::new(&[0], &[1], &[7], 3).unwrap_err(), ShapeError::Slot { slot: 7, slots: 3 });
    assert_eq!(AndGates::new(&[0], &[1], &[1], &[], 3).unwrap_err(), ShapeError::Gates([1, 1, 1, 0]));
    assert!(AndGates::new(&[], &[], &[], &[], 0).unwrap().is_empty());
}

#[test]
fn short_slices_and_large_tweaks_are_refused() {
    let gates = AndGates::new(&[0], &[1], &[2], &[0], 3).unwrap();
    let delta = Delta::new(Block(4));
    let tweaks = |first_id, lane_stride| Tweaks { start: Block(0), first_id, lane_stride };
    for backend in Backend::available() {
        let run = |labels: usize, width: usize, bytes: usize, tweaks: Tweaks| {
            let mut labels = vec![Block::ZERO; labels];
            let garbled = garble_on(backend, &mut labels, width, gates, &delta, tweaks, &mut vec![0; bytes]);
            let evaluated = evaluate_on(backend, &mut labels, width, gates, tweaks, &vec![0; bytes]);
            assert_eq!(garbled, evaluated);
            garbled
        };
        assert_eq!(run(6, 2, 64, tweaks(0, 1)), Ok(2));
        assert_eq!(run(5, 2, 64, tweaks(0, 1)), Err(ShapeError::Labels { slots: 3, width: 2, labels: 5 }));
        assert_eq!(
            run(6, 2, 32, tweaks(0, 1)),
            Err(ShapeError::Tables { gates: 1, width: 2, each: 32, bytes: 32 })
        );
        assert_eq!(run(6, 2, 64, tweaks((1 << 63) - 2, 1)), Ok(2));
        assert_eq!(run(6, 2, 64, tweaks((1 << 63) - 1, 1)), Err(ShapeError::Tweaks));
        assert_eq!(run(6, 2, 64, tweaks(0, u64::MAX)), Err(ShapeError::Tweaks));
        let empty = run(6, usize::MAX, 64, tweaks(0, 1));
        assert_eq!(empty, Err(ShapeError::Labels { slots: 3, width: usize::MAX, labels: 6 }));
    }
    let gates = XorGates::new(&[0], &[1], &[2], 3).unwrap();
    assert!(xor(&mut [Block::ZERO; 5], 2, gates).is_err());
}

#[test]
fn delta_keeps_its_colour_and_its_secret() {
    let delta = Delta::new(Block(6));
    assert_eq!((delta.expose(), delta.one(Block(8))), (Block(7), Block(15)));
    assert_eq!([false, true].map(|bit| delta.label(Block(8), bit)), [Block(8), Block(15)]);
    assert_eq!(format!("{delta:?}"), "Delta(..)");
}
