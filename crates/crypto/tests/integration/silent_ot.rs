//! The kernels of silent OT, correlated trees and local codes, against their definitions on every backend.

use std::collections::HashSet;
use tacit_crypto::aes::Aes128;
use tacit_crypto::half_tree::{child_of_zero, grow, place};
use tacit_crypto::local_code::encode;
use tacit_crypto::{Backend, Prg};
use tacit_math::Block;

fn blocks(seed: u128, count: usize) -> Vec<Block> {
    let mut prg = Prg::new(Block(seed));
    (0..count).map(|_| prg.next_block()).collect()
}

/// Each half with the words h and l to h ^ l and h.
fn sigma(block: Block) -> Block {
    let half = |half: u64| u128::from((half >> 32 ^ half & 0xffff_ffff) << 32 | half >> 32);
    Block(half((block.0 >> 64) as u64) << 64 | half(block.0 as u64))
}

fn sum(nodes: &[Block]) -> Block {
    nodes.iter().fold(Block::ZERO, |sum, node| sum ^ *node)
}

#[test]
fn every_level_of_a_tree_sums_to_the_offset() {
    let offset = Block(0x1234_5678_9abc_def0_0fed_cba9_8765_4321);
    let mut outputs = Vec::new();
    for backend in Backend::available() {
        let permutation = Aes128::on(backend, Block(9));
        let mut nodes = vec![Block::ZERO; 1 << 9];
        (nodes[0], nodes[1]) = (Block(7), Block(7) ^ offset);
        for level in 1..9 {
            let width = 1 << level;
            let parents = nodes[..width].to_vec();
            let left = grow(&permutation, &mut nodes, width);
            for (j, &x) in parents.iter().enumerate() {
                assert_eq!(nodes[j], permutation.encrypt(x) ^ sigma(x), "{}", backend.name());
                assert_eq!(nodes[j] ^ nodes[j + width], x);
            }
            assert_eq!((sum(&nodes[..width]), sum(&nodes[..2 * width])), (left, offset));
        }
        assert_eq!(child_of_zero(&permutation), permutation.encrypt(Block::ZERO));
        outputs.push(nodes);
    }
    assert!(outputs.iter().all(|nodes| *nodes == outputs[0]));
}

#[test]
fn levels_of_any_width_grow() {
    for backend in Backend::available() {
        let permutation = Aes128::on(backend, Block(3));
        for width in [0, 1, 3, 17, 33, 70] {
            let parents = blocks(2, width);
            let mut nodes = [parents.clone(), vec![Block::ONES; width + 1]].concat();
            let left = grow(&permutation, &mut nodes, width);
            let expected: Vec<Block> = parents.iter().map(|&x| permutation.encrypt(x) ^ sigma(x)).collect();
            assert_eq!(
                (&nodes[..width], left, nodes[2 * width]),
                (&expected[..], sum(&expected), Block::ONES)
            );
            assert!(parents.iter().zip(&expected).zip(&nodes[width..]).all(|((x, l), r)| *x ^ *l == *r));
        }
    }
}

#[test]
fn placing_changes_one_node_of_each_half() {
    let keep = !Block(1);
    for width in [1usize, 2, 8, 16, 32, 64] {
        let before = blocks(1, 2 * width);
        for at in 0..width {
            let mut level = before.clone();
            place(&mut level, at, Block(3), Block(5), keep);
            for (j, (node, before)) in level.iter().zip(&before).enumerate() {
                let added = if j == at {
                    3
                } else if j == at + width {
                    5
                } else {
                    0
                };
                assert_eq!(*node, (*before & keep) ^ Block(added), "width {width}, place {at}, node {j}");
            }
        }
    }
}

/// The places of a row: ten numbers of 32 bits of the counter's encryptions, lowest first, less their four lowest bits.
fn places(seed: &Aes128, row: u64, inputs: usize) -> Vec<usize> {
    let number =
        |number: u64| seed.encrypt(Block(u128::from(number / 4))).0 >> (32 * (number % 4)) & 0xffff_ffff;
    (10 * row..10 * row + 10).map(|n| (number(n) >> 4) as usize % inputs).collect()
}

#[test]
fn rows_of_a_code_are_those_of_the_definition() {
    let reference = Aes128::new(Block(5));
    for (inputs, rows) in [(1usize, 3), (2, 1), (256, 1000), (1 << 14, 1300)] {
        let (inputs, before) = (blocks(6, inputs), blocks(7, rows));
        let row = |j: usize| places(&reference, 77 + j as u64, inputs.len()).into_iter();
        let expected: Vec<Block> = before
            .iter()
            .enumerate()
            .map(|(j, &b)| row(j).fold(b, |sum, place| sum ^ inputs[place]))
            .collect();
        for backend in Backend::available() {
            let seed = Aes128::on(backend, Block(5));
            let mut whole = before.clone();
            encode(&seed, 77, &inputs, &mut whole);
            assert!(whole == expected, "{}, {} inputs", backend.name(), inputs.len());
            let mut parts = before.clone();
            for (part, outputs) in parts.chunks_mut(50).enumerate() {
                encode(&seed, 77 + 50 * part as u64, &inputs, outputs);
            }
            assert!(parts == expected, "{}, {} inputs in parts", backend.name(), inputs.len());
        }
    }
}

#[test]
fn places_of_a_code_are_spread_evenly() {
    let (seed, inputs) = (Aes128::new(Block(8)), 1 << 10);
    let (mut seen, mut rows) = (vec![0u32; inputs], HashSet::new());
    for row in 0..1 << 12 {
        let places = places(&seed, row, inputs);
        places.iter().for_each(|&place| seen[place] += 1);
        assert!(rows.insert(places));
    }
    // 40 on average; six standard deviations.
    assert!(seen.iter().all(|&count| (2..79).contains(&count)), "{:?}", seen.iter().max());
}

#[test]
#[should_panic(expected = "inputs of a local code")]
fn other_numbers_of_inputs_are_refused() {
    encode(&Aes128::new(Block(5)), 0, &blocks(1, 3), &mut blocks(1, 1));
}
