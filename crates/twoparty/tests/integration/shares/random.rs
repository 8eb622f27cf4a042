//! Random sequences of operations in one session, against plain arithmetic.

use super::harness::*;
use tacit_crypto::Prg;
use tacit_math::{Bits, Block};
use tacit_twoparty::arith::{self, Comparison, ComparisonOperand, ComparisonShape, Relation, Resize};
use tacit_twoparty::correlations::{EdaBits, Requirement, SquarePairs, WordTriples};
use tacit_twoparty::yao::RevealTo;
use tacit_twoparty::{Cost, End, Party, ShareError, convert, gmw, mask};

/// One operation; numbers refer to earlier words and bits.
#[derive(Clone, Debug)]
enum Step {
    Subtract(usize, usize),
    Multiply(usize, usize),
    Square(usize),
    Compare(Relation, usize, usize),
    Resize(Resize, usize),
    Select(usize, usize, usize),
    Word(usize, u32),
    /// To bits and back.
    Around(usize),
    Conjunction(Vec<usize>),
}

/// Words with their width, and bits, each with every lane.
#[derive(Clone, Default)]
struct Values {
    words: Vec<(u32, Vec<u128>)>,
    bits: Vec<Bits>,
}

struct Program {
    lanes: usize,
    inputs: Values,
    steps: Vec<Step>,
    requirement: Requirement,
    outputs: Values,
}

impl Program {
    fn random(seed: u128, length: usize) -> Program {
        let mut prg = Prg::new(Block(seed));
        let mut below = move |n: usize| prg.next_u64() as usize % n;
        let lanes = [1, 3, 64, 130][below(4)];
        let width = WIDTHS[below(WIDTHS.len())];
        let mut values = Values::default();
        for i in 0..3 {
            values.words.push((width, words(seed * 7 + i, width, lanes)));
            values.bits.push(bits(seed * 7 + i, lanes));
        }
        let mut program = Program {
            lanes,
            inputs: values.clone(),
            steps: vec![],
            requirement: Requirement::default(),
            outputs: values,
        };
        for _ in 0..length {
            let step = program.pick(&mut below);
            program.apply(&step);
            program.steps.push(step);
        }
        program
    }

    fn pick(&self, below: &mut impl FnMut(usize) -> usize) -> Step {
        let Values { words, bits } = &self.outputs;
        let (x, bit) = (below(words.len()), below(bits.len()));
        let width = words[x].0;
        let alike: Vec<usize> = (0..words.len()).filter(|i| words[*i].0 == width).collect();
        let y = alike[below(alike.len())];
        let to = width + below((129 - width).min(20) as usize) as u32;
        let by = below(width as usize + 2) as u32;
        let relations = [Relation::LessUnsigned, Relation::LessSigned, Relation::LessWithin, Relation::Equal];
        match below(9) {
            0 => Step::Subtract(x, y),
            1 => Step::Multiply(x, y),
            2 => Step::Square(x),
            3 | 4 => Step::Compare(relations[below(4)], x, y),
            5 => {
                let high = Resize::High { by: by.min(width - 1) };
                let hows = [Resize::Logical { by }, Resize::Arithmetic { by }, high];
                let wider = [Resize::ZeroExtend { to }, Resize::SignExtend { to }];
                Step::Resize([&hows[..], &wider].concat()[below(5)], x)
            }
            6 => Step::Select(bit, x, y),
            7 if below(2) == 0 => Step::Word(bit, width),
            7 => Step::Around(x),
            _ => Step::Conjunction((0..2 + below(3)).map(|_| below(bits.len())).collect()),
        }
    }

    /// Appends the result of a step, and counts its material.
    fn apply(&mut self, step: &Step) {
        let (lanes, Values { words, bits }) = (self.lanes as u64, &mut self.outputs);
        let mut cost = Cost::default();
        let each = |x: &[u128], y: &[u128], width: u32, of: fn(u128, u128) -> u128| -> (u32, Vec<u128>) {
            (width, x.iter().zip(y).map(|(x, y)| of(*x, *y) & mask(width)).collect())
        };
        match step {
            Step::Subtract(x, y) => {
                words.push(each(&words[*x].1, &words[*y].1, words[*x].0, u128::wrapping_sub))
            }
            Step::Multiply(x, y) => {
                cost.requirement.require::<WordTriples>(words[*x].0, lanes);
                words.push(each(&words[*x].1, &words[*y].1, words[*x].0, u128::wrapping_mul));
            }
            Step::Square(x) => {
                cost.requirement.require::<SquarePairs>(words[*x].0, lanes);
                words.push(each(&words[*x].1, &words[*x].1, words[*x].0, u128::wrapping_mul));
            }
            Step::Compare(relation, x, y) => {
                let ((width, x), y) = (&words[*x], &words[*y].1);
                let shape = ComparisonShape { relation: *relation, shared: [true; 2], bits: *width, lanes };
                cost = arith::compare_cost(&[shape]);
                bits.push(x.iter().zip(y).map(|(x, y)| compared(*relation, *x, *y, *width)).collect());
            }
            Step::Resize(how, x) => {
                let (width, x) = &words[*x];
                cost = arith::resize_cost(&[(*how, *width, lanes)]).unwrap();
                let made =
                    (resized(*how, 0, *width).1, x.iter().map(|x| resized(*how, *x, *width).0).collect());
                words.push(made);
            }
            Step::Select(bit, x, y) => {
                let ((width, x), y) = (&words[*x], &words[*y].1);
                cost = arith::scale_cost(*width, lanes);
                let pairs = x.iter().zip(y).zip(bits[*bit].iter());
                let made = (*width, pairs.map(|((x, y), bit)| if bit { *x } else { *y }).collect());
                words.push(made);
            }
            Step::Word(bit, width) => {
                cost = convert::bits_to_arith_cost(&[(*width, lanes)]);
                words.push((*width, bits[*bit].iter().map(u128::from).collect()));
            }
            Step::Around(x) => {
                let width = words[*x].0;
                cost.requirement.add(&gmw::requirement(&convert::adder(width), lanes), 1);
                cost.requirement.require::<EdaBits>(width, lanes);
                words.push(words[*x].clone());
            }
            Step::Conjunction(operands) => {
                cost = gmw::all_cost(operands.len(), lanes);
                let mut product = bits[operands[0]].clone();
                operands.iter().for_each(|operand| product &= &bits[*operand]);
                bits.push(product);
            }
        }
        self.requirement.add(&cost.requirement, 1);
    }

    /// Runs the program on shares; returns what it opens.
    async fn run(&self, end: &mut End) -> Result<Values, ShareError> {
        let (mut words, mut bits) = (Vec::new(), Vec::new());
        for (i, (width, word)) in self.inputs.words.iter().enumerate() {
            let own = given(end, [Party::First, Party::Second][i % 2], &word[..]);
            words.push((*width, arith::input(end, own, *width, self.lanes)?));
        }
        for (i, bit) in self.inputs.bits.iter().enumerate() {
            let own = given(end, [Party::First, Party::Second][i % 2], bit);
            bits.push(gmw::input(end, own, self.lanes)?);
        }
        for step in &self.steps {
            match step {
                Step::Subtract(x, y) => {
                    words.push((words[*x].0, arith::subtract(&words[*x].1, &words[*y].1, words[*x].0)));
                }
                Step::Multiply(x, y) => {
                    let (width, x) = &words[*x];
                    words.push((*width, arith::multiply(end, x, &words[*y].1, *width).await?));
                }
                Step::Square(x) => {
                    let (width, x) = &words[*x];
                    words.push((*width, arith::square(end, x, *width).await?));
                }
                Step::Compare(relation, x, y) => {
                    let ((width, x), y) = (&words[*x], &words[*y].1);
                    let [x, y] = [ComparisonOperand::Shared(x), ComparisonOperand::Shared(y)];
                    let comparison = Comparison { relation: *relation, x, y, bits: *width };
                    bits.extend(arith::compare_all(end, &[comparison]).await?);
                }
                Step::Resize(how, x) => {
                    let (width, x) = &words[*x];
                    words.push((resized(*how, 0, *width).1, arith::resize(end, *how, x, *width).await?));
                }
                Step::Select(bit, x, y) => {
                    let ((width, x), y) = (&words[*x], &words[*y].1);
                    words.push((*width, arith::select(end, &bits[*bit], x, y, *width).await?));
                }
                Step::Word(bit, width) => {
                    let made = convert::bits_to_arith(end, &[(&bits[*bit], *width)]).await?;
                    words.extend(made.into_iter().map(|word| (*width, word)));
                }
                Step::Around(x) => {
                    let (width, x) = &words[*x];
                    let wires = convert::a2b(end, x, *width, &convert::adder(*width)).await?;
                    words.push((*width, convert::b2a(end, &wires, *width, self.lanes).await?));
                }
                Step::Conjunction(operands) => {
                    let operands: Vec<&Bits> = operands.iter().map(|operand| &bits[*operand]).collect();
                    bits.push(gmw::conjunction(end, &operands).await?);
                }
            }
        }
        assert!(end.is_spent(), "more was made than used");
        let mut opened = Values::default();
        for (width, word) in &words {
            let word = arith::open(end, RevealTo::Both, word, *width).await?;
            opened.words.push((*width, word.unwrap_or_default()));
        }
        for bit in &bits {
            opened.bits.push(gmw::open(end, RevealTo::Both, bit).await?.unwrap_or_default());
        }
        Ok(opened)
    }
}

async fn check(seeds: std::ops::Range<u128>, length: usize) {
    for seed in seeds {
        let program = Program::random(seed, length);
        let ended = measured(&program.requirement, async |end| program.run(end).await).await;
        for (opened, ..) in ended {
            let steps = &program.steps;
            assert_eq!(opened.words, program.outputs.words, "seed {seed}, {steps:?}");
            assert_eq!(opened.bits, program.outputs.bits, "seed {seed}, {steps:?}");
        }
    }
}

#[tokio::test]
async fn sequences_of_operations() {
    check(0..12, 20).await;
}

#[tokio::test]
#[ignore = "minutes: a thousand sequences"]
async fn a_thousand_sequences_of_operations() {
    check(1000..2000, 20).await;
}
