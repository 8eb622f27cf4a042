//! Carries out the attack on sparse codes: finds a subset of the columns by peeling, and solves within it.

use tacit_crypto::Prg;
use tacit_crypto::aes::Aes128;
use tacit_crypto::local_code::{LOCALITY, encode};
use tacit_math::Block;
use tacit_ot::ferret::Set;

/// The nonzero places of all rows of a code.
pub(crate) struct Code {
    rows: Vec<[u32; LOCALITY]>,
    columns: usize,
}

/// A subset of a code's columns, and the rows within it.
pub(crate) struct Subset {
    pub(crate) columns: Vec<u32>,
    rows: Vec<u32>,
}

impl Code {
    /// A code of silent OT by its definition: see [`tacit_crypto::local_code`].
    pub(crate) fn new(seed: u128, rows: usize, columns: usize) -> Code {
        let seed = Aes128::new(Block(seed));
        let mut random: Vec<Block> = (0..(rows as u128).div_ceil(2) * 5).map(Block).collect();
        seed.encrypt_blocks(&mut random);
        let (numbers, _) = Block::as_bytes(&random).as_chunks::<4>();
        let place = |number: &[u8; 4]| u32::from_le_bytes(*number) >> 4 & (columns as u32 - 1);
        let (numbers, _) = numbers.as_chunks::<LOCALITY>();
        Code { rows: numbers[..rows].iter().map(|row| row.each_ref().map(place)).collect(), columns }
    }

    /// Drops columns, first those in `dropped`, then each time one that the fewest rows need, until there are no more than
    /// `ratio` rows per column.
    pub(crate) fn peel(&self, ratio: f64, dropped: &[u32]) -> Subset {
        let mut degree = vec![0u32; self.columns];
        self.rows.iter().flatten().for_each(|&column| degree[column as usize] += 1);
        // Rows by column.
        let mut start: Vec<u32> =
            degree.iter().scan(0, |sum, &count| Some(std::mem::replace(sum, *sum + count))).collect();
        let mut users = vec![0u32; LOCALITY * self.rows.len()];
        for (row, &column) in
            self.rows.iter().enumerate().flat_map(|(i, row)| row.iter().map(move |c| (i, c)))
        {
            users[start[column as usize] as usize] = row as u32;
            start[column as usize] += 1;
        }
        // Columns by degree; outdated entries are skipped.
        let mut waiting = vec![Vec::new(); *degree.iter().max().unwrap() as usize + 1];
        (0..self.columns as u32).for_each(|column| waiting[degree[column as usize] as usize].push(column));
        let (mut kept, mut alive) = (vec![true; self.columns], vec![true; self.rows.len()]);
        let (mut columns, mut rows, mut least) = (self.columns, self.rows.len(), 0);
        let mut dropped = dropped;
        while rows as f64 > ratio * columns as f64 {
            let column = if let Some((&column, later)) = dropped.split_first() {
                dropped = later;
                column as usize
            } else if let Some(column) = waiting[least].pop() {
                if degree[column as usize] as usize != least {
                    continue;
                }
                column as usize
            } else {
                least += 1;
                continue;
            };
            if !kept[column] {
                continue;
            }
            kept[column] = false;
            columns -= 1;
            let end = start[column] as usize;
            let first = if column == 0 { 0 } else { start[column - 1] as usize };
            for &row in &users[first..end] {
                if !std::mem::replace(&mut alive[row as usize], false) {
                    continue;
                }
                rows -= 1;
                for &other in &self.rows[row as usize] {
                    let degree = &mut degree[other as usize];
                    *degree -= 1;
                    if kept[other as usize] {
                        waiting[*degree as usize].push(other);
                        least = least.min(*degree as usize);
                    }
                }
            }
        }
        let chosen =
            |flags: Vec<bool>| (0u32..).zip(flags).filter(|(_, flag)| *flag).map(|(i, _)| i).collect();
        Subset { columns: chosen(kept), rows: chosen(alive) }
    }
}

/// A code word of a random secret with regular noise.
pub(crate) struct Instance {
    code: Code,
    secret: Vec<bool>,
    samples: Vec<bool>,
    prg: Prg,
}

/// The effort of finding the secret: columns of the subset, and attempts there.
pub(crate) struct Solved {
    pub(crate) columns: usize,
    pub(crate) tries: u32,
}

impl Instance {
    /// An instance of this size, by the code that silent OT uses.
    pub(crate) fn new(set: Set, seed: u128) -> Instance {
        let mut prg = Prg::new(Block(seed));
        let inputs: Vec<Block> = (0..set.secrets).map(|_| prg.next_block()).collect();
        let mut outputs = vec![Block::ZERO; set.samples()];
        encode(&Aes128::new(Block(seed)), 0, &inputs, &mut outputs);
        let code = Code::new(seed, set.samples(), set.secrets);
        for (row, output) in code.rows.iter().zip(&outputs) {
            let sum = row.iter().fold(Block::ZERO, |sum, &place| sum ^ inputs[place as usize]);
            assert_eq!(sum, *output, "the code is that of silent OT");
        }
        for block in outputs.chunks_mut(set.leaves()) {
            let place = prg.next_u64() as usize % block.len();
            block[place] ^= Block(1);
        }
        let lsbs = |blocks: &[Block]| blocks.iter().map(|block| block.lsb()).collect();
        Instance { code, secret: lsbs(&inputs), samples: lsbs(&outputs), prg }
    }

    /// Finds the secret, first on subsets of the columns, and with it the other columns.
    pub(crate) fn solve(mut self) -> Solved {
        let all: Vec<u32> = (0..self.code.rows.len() as u32).collect();
        for tries in 1..10_000 {
            // A new subset each time, so that different rows are wrong.
            let dropped: Vec<u32> = (0..self.code.columns / 16)
                .map(|_| self.prg.next_u64() as u32 % self.code.columns as u32)
                .collect();
            let Subset { columns, rows } = self.code.peel(1.1, &dropped);
            let mut known = vec![None; self.code.columns];
            // All rows have an even number of places, so the complement of a secret has the same code word, and one bit is free.
            if !self.guess(&columns, &rows, columns.len() - 1, &mut known) {
                continue;
            }
            let others: Vec<u32> =
                (0..known.len() as u32).filter(|&column| known[column as usize].is_none()).collect();
            // If a few columns are wrong, no solution for the others fits.
            if !(0..40).any(|_| self.guess(&others, &all, others.len(), &mut known)) {
                continue;
            }
            let complement = known[0] != Some(self.secret[0]);
            assert!(
                known.iter().zip(&self.secret).all(|(known, &secret)| *known == Some(secret ^ complement))
            );
            return Solved { columns: columns.len(), tries };
        }
        panic!("no solution in ten thousand attempts")
    }

    /// Guesses that `rank` of the `rows` have no noise and solves them for `columns`. Returns whether most other rows agree.
    fn guess(&mut self, columns: &[u32], rows: &[u32], rank: usize, known: &mut [Option<bool>]) -> bool {
        let mut place = vec![usize::MAX; known.len()];
        columns.iter().enumerate().for_each(|(i, &column)| place[column as usize] = i);
        let mut equations: Vec<Vec<u64>> =
            rows.iter().map(|&row| self.equation(row, &place, known, columns.len())).collect();
        for i in (1..equations.len()).rev() {
            equations.swap(i, self.prg.next_u64() as usize % (i + 1));
        }
        let found = eliminate(equations.iter(), columns.len(), rank);
        let wrong = equations.iter().filter(|equation| {
            equation.iter().zip(&found).fold(0, |sum, (a, b)| sum ^ (a & b).count_ones()) % 2 == 1
        });
        // With a wrong solution, half of the rows that were not solved for are wrong.
        let right = wrong.count() < equations.len() / 50;
        if right {
            columns.iter().enumerate().for_each(|(i, &column)| known[column as usize] = Some(bit(&found, i)));
        }
        right
    }

    /// A row as an equation in the columns with a place; the last bit is the right-hand side.
    fn equation(&self, row: u32, place: &[usize], known: &[Option<bool>], end: usize) -> Vec<u64> {
        let mut equation = vec![0; end / 64 + 1];
        let mut flip = |i: usize| equation[i / 64] ^= 1 << (i % 64);
        let mut sum = self.samples[row as usize];
        for &column in &self.code.rows[row as usize] {
            match known[column as usize] {
                Some(bit) => sum ^= bit,
                None => flip(place[column as usize]),
            }
        }
        if sum {
            flip(end);
        }
        equation
    }
}

fn bit(words: &[u64], i: usize) -> bool {
    words[i / 64] >> (i % 64) & 1 == 1
}

/// Solves the first `rank` independent equations. Returns a solution, followed by a one.
fn eliminate<'a>(equations: impl Iterator<Item = &'a Vec<u64>>, unknowns: usize, rank: usize) -> Vec<u64> {
    let mut pivots: Vec<Option<Vec<u64>>> = vec![None; unknowns];
    let mut missing = rank;
    for equation in equations {
        let mut equation = equation.clone();
        let free = (0..unknowns).find(|&i| {
            let Some(pivot) = bit(&equation, i).then(|| pivots[i].as_ref()).flatten() else {
                return bit(&equation, i);
            };
            equation.iter_mut().zip(pivot).for_each(|(a, b)| *a ^= b);
            false
        });
        if let Some(i) = free {
            pivots[i] = Some(equation);
            missing -= 1;
            if missing == 0 {
                break;
            }
        }
    }
    assert_eq!(missing, 0, "the rows do not determine the columns");
    let mut found = vec![0u64; unknowns / 64 + 1];
    found[unknowns / 64] |= 1 << (unknowns % 64);
    for i in (0..unknowns).rev() {
        let Some(pivot) = &pivots[i] else { continue };
        let sum = pivot.iter().zip(&found).fold(0, |sum, (a, b)| sum ^ (a & b).count_ones());
        found[i / 64] |= u64::from(sum % 2) << (i % 64);
    }
    found
}
