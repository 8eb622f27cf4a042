//! Rates of the kernels on every backend of this machine, as JSON rows on stdout.
//!
//! Each row is an object with the kernel, the backend, the unit, the rate per second (the median of several
//! samples) and two counts of the work, one from the kernel or its outputs, one from calls times size. The
//! program fails if the two differ, or if an output is not that of the portable kernel. Encryptions and
//! hashes are chained, and the end of one chain is recomputed separately, so that no call can be counted but
//! not made.

use std::hint::black_box;
use std::time::{Duration, Instant};
use tacit_crypto::aes::Aes128;
use tacit_crypto::half_gates::{
    AndGates, Delta, TABLE_BYTES, Tweaks, XorGates, evaluate_on, garble_on, xor_on,
};
use tacit_crypto::mitccrh::Mitccrh;
use tacit_crypto::three_halves;
use tacit_crypto::{Backend, Prg};
use tacit_math::{Block, transpose};

/// The minimum duration of a sample: short, so that some are undisturbed by other work of the machine.
const SAMPLE: Duration = Duration::from_millis(1);
/// The duration of a row's samples, and their minimum number.
const ROW: Duration = Duration::from_millis(300);
const SAMPLES: usize = 9;
/// Calls between two readings of the clock.
const CALLS: u64 = 8;

fn main() {
    for backend in Backend::available() {
        aes(backend);
        hashing(backend);
        for (name, shape) in SHAPES {
            layers(backend, backend.name(), name, shape);
            narrow_layers(backend, name, shape);
        }
        free_xor(backend);
    }
    let [.., (name, shape), _] = SHAPES;
    layers(Backend::best(), "best", name, shape);
    transposition();
}

/// The layers to garble: the last but one has the size and the XORs of a netlist of AES-128.
const SHAPES: [(&str, Shape); 6] = [
    ("l1, 8 gates x 1 lane", Shape { slots: 32, width: 1, ands: 8, xors: 0 }),
    ("l1, 1 gate x 8 lanes", Shape { slots: 8, width: 8, ands: 1, xors: 0 }),
    ("l1, 64 gates x 1 lane", Shape { slots: 256, width: 1, ands: 64, xors: 0 }),
    ("l1, 4 gates x 16 lanes", Shape { slots: 16, width: 16, ands: 4, xors: 0 }),
    ("64 KiB, 4 xors an and, 32 gates x 16 lanes", Shape { slots: 256, width: 16, ands: 32, xors: 128 }),
    ("64 KiB, 4 xors an and, 64 gates x 1 lane", Shape { slots: 4096, width: 1, ands: 64, xors: 256 }),
];

/// Prints a row: the rate is the median over samples of `batch`, which does `size` units of work for each
/// call and returns the number that it counted. Returns the number of calls.
fn report(
    kernel: &str,
    detail: &str,
    backend: &str,
    unit: &str,
    size: u64,
    mut batch: impl FnMut() -> u64,
) -> u64 {
    let (mut calls, mut counted) = (0u64, 0u64);
    let mut rates = Vec::new();
    let begin = Instant::now();
    while rates.len() < SAMPLES || begin.elapsed() < ROW {
        let (start, before) = (Instant::now(), counted);
        while start.elapsed() < SAMPLE {
            counted += (0..CALLS).map(|_| batch()).sum::<u64>();
            calls += CALLS;
        }
        rates.push((counted - before) as f64 / start.elapsed().as_secs_f64());
    }
    assert_eq!(counted, calls * size, "{kernel}: the two counts of the work differ");
    rates.sort_by(f64::total_cmp);
    let row = serde_json::json!({
        "kernel": kernel, "detail": detail, "backend": backend, "unit": unit,
        "rate": rates[rates.len() / 2].round(), "best": rates[rates.len() - 1].round(),
        "counted": counted, "expected": calls * size,
    });
    println!("{row}");
    counted / size
}

fn random_blocks(seed: u128, count: usize) -> Vec<Block> {
    let mut blocks = vec![Block::ZERO; count];
    Prg::new(Block(seed)).fill(&mut blocks);
    blocks
}

fn aes(backend: Backend) {
    let mut blocks = random_blocks(1, 1024);
    let mut expected = blocks.clone();
    let cipher = Aes128::on(backend, Block(7));
    Aes128::on(Backend::PORTABLE, Block(7)).encrypt_blocks(&mut expected);
    cipher.encrypt_blocks(&mut blocks);
    assert_eq!(blocks, expected);
    let first = blocks[0];
    let calls = report("aes-128-ecb", "16 KiB", backend.name(), "block", 1024, || {
        cipher.encrypt_blocks(black_box(&mut blocks));
        blocks.len() as u64
    });
    let other = Aes128::on(Backend::best(), Block(7));
    assert_eq!(
        (0..calls).fold(first, |block, _| other.encrypt(block)),
        blocks[0],
        "calls that were not made"
    );
}

fn hashing(backend: Backend) {
    let mut zeros = random_blocks(2, 512);
    let mut ones = vec![Block::ZERO; 512];
    let (mut expected, mut expected_ones) = (zeros.clone(), ones.clone());
    Mitccrh::on(Backend::PORTABLE, Block(5)).hash_both(3, Block(9), &mut expected, &mut expected_ones);
    let hash = Mitccrh::on(backend, Block(5));
    hash.hash_both(3, Block(9), &mut zeros, &mut ones);
    assert_eq!((&zeros, &ones), (&expected, &expected_ones));
    let (mut tweak, first) = (0, zeros[0]);
    let both = report("mitccrh", "both hashes, a key each", backend.name(), "key", 512, || {
        hash.hash_both(tweak, Block(9), black_box(&mut zeros), &mut ones);
        tweak += zeros.len() as u64;
        zeros.len() as u64
    });
    let one = report("mitccrh", "one hash a key", backend.name(), "key", 512, || {
        hash.hash(tweak, black_box(&mut zeros));
        tweak += zeros.len() as u64;
        zeros.len() as u64
    });
    let chained = (0..both + one).fold(first, |block, call| {
        let mut block = [block];
        Mitccrh::new(Block(5)).hash(512 * call, &mut block);
        block[0]
    });
    assert_eq!(chained, zeros[0], "calls that were not made");
}

/// A layer: XORs among the slots of the lower half, then ANDs from there to the upper half.
#[derive(Clone, Copy)]
struct Shape {
    slots: usize,
    width: usize,
    ands: usize,
    xors: usize,
}

struct Layer {
    shape: Shape,
    and: [Vec<u32>; 3],
    flip: Vec<u8>,
    xor: [Vec<u32>; 3],
}

impl Layer {
    fn random(shape: Shape) -> Layer {
        let mut prg = Prg::new(Block(3));
        let half = shape.slots as u64 / 2;
        let mut lower =
            |count: usize| -> Vec<u32> { (0..count).map(|_| (prg.next_u64() % half) as u32).collect() };
        let (a, b, flip) = (lower(shape.ands), lower(shape.ands), lower(shape.ands));
        let xor = [lower(shape.xors), lower(shape.xors), lower(shape.xors)];
        // Distinct outputs spread over the upper half.
        let step = half as usize / shape.ands;
        let out = (0..shape.ands).map(|gate| (half as usize + gate * step) as u32).collect();
        Layer { shape, and: [a, b, out], flip: flip.into_iter().map(|flip| flip as u8 & 3).collect(), xor }
    }

    /// Runs the XORs, then `ands`; `report` checks that both counts of ANDs agree.
    fn run(
        &self,
        backend: Backend,
        labels: &mut [Block],
        ands: impl FnOnce(&mut [Block], AndGates<'_>) -> u64,
    ) -> u64 {
        let Shape { slots, width, .. } = self.shape;
        if self.shape.xors > 0 {
            let gates =
                XorGates::new(&self.xor[0], &self.xor[1], &self.xor[2], slots).expect("slots are in range");
            xor_on(backend, labels, width, gates).expect("labels are as many as slots");
        }
        let [a, b, out] = &self.and;
        ands(labels, AndGates::new(a, b, out, &self.flip, slots).expect("slots are in range"))
    }

    fn garble(
        &self,
        backend: Backend,
        labels: &mut [Block],
        delta: &Delta,
        tweaks: Tweaks,
        tables: &mut [u8],
    ) -> u64 {
        self.run(backend, labels, |labels, gates| {
            garble_on(backend, labels, self.shape.width, gates, delta, tweaks, tables).expect("shapes agree")
        })
    }

    fn evaluate(&self, backend: Backend, labels: &mut [Block], tweaks: Tweaks, tables: &[u8]) -> u64 {
        self.run(backend, labels, |labels, gates| {
            evaluate_on(backend, labels, self.shape.width, gates, tweaks, tables).expect("shapes agree")
        })
    }
}

fn layers(backend: Backend, shown: &str, name: &str, shape: Shape) {
    let layer = Layer::random(shape);
    let ands = shape.ands * shape.width;
    let delta = Delta::new(Block(0x1357_9bdf_0246_8ace_1122_3344_5566_7788));
    let mut tweaks = Tweaks { start: Block(77), first_id: 0, lane_stride: shape.ands as u64 };
    let start = random_blocks(4, shape.slots * shape.width);
    let mut tables = vec![0; ands * TABLE_BYTES];

    let (mut zeros, mut expected, mut expected_tables) = (start.clone(), start.clone(), tables.clone());
    layer.garble(Backend::PORTABLE, &mut expected, &delta, tweaks, &mut expected_tables);
    layer.garble(backend, &mut zeros, &delta, tweaks, &mut tables);
    assert!(zeros == expected && tables == expected_tables, "{name}: not what the portable kernel garbles");
    let values = Prg::new(Block(8)).next_bits(start.len());
    let mut active: Vec<Block> =
        start.iter().zip(values.iter()).map(|(&zero, bit)| delta.label(zero, bit)).collect();
    layer.evaluate(backend, &mut active, tweaks, &tables);
    let [_, _, outs] = &layer.and;
    for place in
        outs.iter().flat_map(|&out| (0..shape.width).map(move |lane| out as usize * shape.width + lane))
    {
        let difference = active[place] ^ zeros[place];
        assert!(
            difference == Block::ZERO || difference == delta.expose(),
            "{name}: not a label of the output"
        );
    }

    report("garble", name, shown, "AND", ands as u64, || {
        tweaks.first_id += ands as u64;
        layer.garble(backend, black_box(&mut zeros), &delta, tweaks, black_box(&mut tables))
    });
    report("evaluate", name, shown, "AND", ands as u64, || {
        tweaks.first_id += ands as u64;
        layer.evaluate(backend, black_box(&mut active), tweaks, black_box(&tables))
    });
}

/// The same with three halves; control bits are packed and unpacked as on the wire.
fn narrow_layers(backend: Backend, name: &str, shape: Shape) {
    let layer = Layer::random(shape);
    let (ands, width) = (shape.ands * shape.width, shape.width);
    let delta = Delta::new(Block(0x1357_9bdf_0246_8ace_1122_3344_5566_7788));
    let mut tweaks = Tweaks { start: Block(77), first_id: 0, lane_stride: shape.ands as u64 };
    let start = random_blocks(4, shape.slots * width);
    let mut message = vec![0; three_halves::table_bytes(ands)];
    let garble =
        |backend: Backend, labels: &mut [Block], tweaks: Tweaks, message: &mut [u8], controls: &mut [u8]| {
            let (tables, packed) = message.split_at_mut(ands * three_halves::GATE_BYTES);
            let count = layer.run(backend, labels, |labels, gates| {
                three_halves::garble_on(backend, labels, width, gates, &delta, tweaks, tables, controls)
                    .expect("shapes agree")
            });
            three_halves::pack_controls(controls, packed);
            count
        };
    let evaluate = |labels: &mut [Block], tweaks: Tweaks, message: &[u8], controls: &mut [u8]| {
        let (tables, packed) = message.split_at(ands * three_halves::GATE_BYTES);
        three_halves::unpack_controls(packed, controls);
        layer.run(backend, labels, |labels, gates| {
            three_halves::evaluate_on(backend, labels, width, gates, tweaks, tables, controls)
                .expect("shapes agree")
        })
    };
    let mut controls = vec![0; ands];
    let (mut zeros, mut expected, mut expected_message) = (start.clone(), start.clone(), message.clone());
    garble(Backend::PORTABLE, &mut expected, tweaks, &mut expected_message, &mut controls);
    garble(backend, &mut zeros, tweaks, &mut message, &mut controls);
    assert!(zeros == expected && message == expected_message, "{name}: not what the portable kernel garbles");
    let values = Prg::new(Block(8)).next_bits(start.len());
    let mut active: Vec<Block> =
        start.iter().zip(values.iter()).map(|(&zero, bit)| delta.label(zero, bit)).collect();
    evaluate(&mut active, tweaks, &message, &mut controls);
    for &out in &layer.and[2] {
        for place in (0..width).map(|lane| out as usize * width + lane) {
            let difference = active[place] ^ zeros[place];
            assert!(difference == Block::ZERO || difference == delta.expose(), "{name}: not a label");
        }
    }
    report("garble three halves", name, backend.name(), "AND", ands as u64, || {
        tweaks.first_id += ands as u64;
        garble(backend, black_box(&mut zeros), tweaks, black_box(&mut message), &mut controls)
    });
    report("evaluate three halves", name, backend.name(), "AND", ands as u64, || {
        tweaks.first_id += ands as u64;
        evaluate(black_box(&mut active), tweaks, black_box(&message), &mut controls)
    });
}

fn free_xor(backend: Backend) {
    for width in [1, 16] {
        let layer = Layer::random(Shape { slots: 4096 / width, width, ands: 1, xors: 1024 });
        let mut labels = random_blocks(6, 4096);
        let slots = layer.shape.slots;
        let gates =
            XorGates::new(&layer.xor[0], &layer.xor[1], &layer.xor[2], slots).expect("slots are in range");
        let detail = format!("64 KiB, {width} lanes");
        report("xor", &detail, backend.name(), "XOR", 1024 * width as u64, || {
            xor_on(backend, black_box(&mut labels), width, gates).expect("labels are as many as slots")
        });
    }
}

fn transposition() {
    let rows = random_blocks(5, 128 * 8);
    let mut columns = vec![Block::ZERO; rows.len()];
    transpose::to_columns(&rows, &mut columns);
    for (j, column) in columns.iter().enumerate() {
        assert!((0..128).all(|i| column.bit(i) == rows[8 * i + j / 128].bit(j % 128)));
    }
    report("transpose", "128 x 1024, rows to columns", "best", "column", columns.len() as u64, || {
        transpose::to_columns(black_box(&rows), &mut columns);
        black_box(columns.len()) as u64
    });
    let mut back = rows.clone();
    report("transpose", "128 x 1024, columns to rows", "best", "column", columns.len() as u64, || {
        transpose::to_rows(black_box(&columns), &mut back);
        black_box(back.len()) as u64
    });
}
