//! The holder's walk: labels for 0 of all wires, and tables.

use tacit_crypto::Secret;
use tacit_crypto::mitccrh::Mitccrh;
use tacit_math::Block;
use tacit_universal::{Control, Program, Switches};
use zeroize::Zeroizing;

use super::stream::TableSink;
use super::{GATE_TWEAKS, ROWS};

/// Garbles the universal circuit of a program.
pub(super) struct Garbler<'a> {
    program: &'a Program,
    hash: Mitccrh,
    delta: Secret<Block>,
    tweak: u64,
    tables: TableSink,
}

impl<'a> Garbler<'a> {
    /// `delta` is uniform except for its lowest bit, which is 1.
    pub fn new(program: &'a Program, start: Block, delta: Block, tables: TableSink) -> Garbler<'a> {
        Garbler { program, hash: Mitccrh::new(start), delta: Secret::new(delta), tweak: 0, tables }
    }

    /// Passes on the last tables.
    pub fn finish(&mut self) {
        self.tables.flush();
    }

    fn delta_if(&self, bit: bool) -> Block {
        Block::mask(bit) & *self.delta.expose()
    }

    /// The label for 0 of the AND of `known` and a wire's bit. The table hides `known` under the difference of the hashes of the wire's two labels, of which the
    /// evaluator has one.
    fn and(&mut self, known: bool, wire: Block) -> Block {
        let (mut zero, mut one) = (Zeroizing::new([wire]), Zeroizing::new([Block::ZERO]));
        self.hash.hash_both(self.tweak, *self.delta.expose(), &mut *zero, &mut *one);
        self.tweak += 1;
        let difference = zero[0] ^ one[0];
        self.tables.write(&(difference ^ self.delta_if(known)).to_bytes());
        // The hash of the label with colour 0.
        zero[0] ^ (Block::mask(wire.lsb()) & difference) ^ self.delta_if(wire.lsb() & known)
    }
}

impl Switches for Garbler<'_> {
    type Wire = Block;

    /// The label of an unused wire. Both parties know it, and its bit is 0.
    fn unused(&self) -> Block {
        Block::ZERO
    }

    fn exchange(&mut self, control: Control, [left, right]: [Block; 2]) -> [Block; 2] {
        let exchanged = self.and(self.program.control(control), left ^ right);
        [left ^ exchanged, right ^ exchanged]
    }

    fn select(&mut self, control: Control, [left, right]: [Block; 2]) -> Block {
        left ^ self.and(self.program.control(control), left ^ right)
    }

    fn gate(&mut self, gate: usize, [x, y]: [Block; 2]) -> Block {
        let table = self.program.table(gate);
        // For each row, which stands for a pair of colours of x and y: the labels of these colours, and the row's value.
        let bit = |wire: Block, colour: usize| wire.lsb() ^ (colour == 1);
        let mut labels = Zeroizing::new([Block::ZERO; 2 * (ROWS + 1)]);
        let mut values = Zeroizing::new([false; ROWS + 1]);
        for row in 0..=ROWS {
            let (a, b) = (bit(x, row & 1), bit(y, row >> 1));
            labels[row] = x ^ self.delta_if(a);
            labels[ROWS + 1 + row] = y ^ self.delta_if(b);
            values[row] = table >> (u8::from(a) + 2 * u8::from(b)) & 1 == 1;
        }
        self.hash.hash(self.tweak, &mut *labels);
        self.tweak += GATE_TWEAKS;
        let masked = |row: usize| labels[row] ^ labels[ROWS + 1 + row] ^ self.delta_if(values[row]);
        let zero = masked(0);
        let rows: [Block; ROWS] = std::array::from_fn(|row| masked(row + 1) ^ zero);
        self.tables.write(Block::as_bytes(&rows));
        zero
    }
}
