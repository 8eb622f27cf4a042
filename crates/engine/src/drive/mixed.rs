//! The walk of one party over values that are shared in several ways.
//!
//! An element of a bundle is a [`Block`]: a label in `yao`, a bit in `bool`, a word in `arith`.

use tacit_ir::{Domain, Words};
use tacit_lower::{ArithOp, Bundle};
use tacit_math::{Bits, Block};
use tacit_plan::{Column, Recipients};
use tacit_twoparty::arith::{self, Factors};
use tacit_twoparty::triples::MatrixShape;
use tacit_twoparty::{End, convert, gmw, mask, yao};
use zeroize::Zeroizing;

use super::labels::{Fetched, Randoms};
use super::outputs::{Outputs, recipients};
use super::{Context, Drive, Revealed};
use crate::inputs::Inputs;
use crate::walk::{CircuitTask, Task, WalkError, Walker, Wires};
use crate::{Failure, Operation, bits};

/// Walks the plan's schedule with `side` for labels and `end` for shares, and reveals all outputs at its end.
///
/// Security: `inputs` are secret.
///
/// # Errors
/// What failed; `operation` then says during what.
pub(crate) async fn drive_mixed<S: yao::Side>(
    context: Context<'_>,
    side: &mut S,
    end: End,
    inputs: &Inputs,
    operation: &mut Operation,
) -> Result<(Vec<Revealed>, End), Failure> {
    let yao = Drive {
        context,
        inputs: Some(inputs),
        operation,
        batches: context.plan.agenda().evaluator_inputs().collect(),
        fetched: Fetched::default(),
        randoms: Randoms::new(context.plan.work().random_bits),
        outputs: Outputs::new(context.plan.agenda()),
    };
    let mut mixed = Mixed { yao, end, inputs, given: Vec::new() };
    *mixed.yao.operation = Operation::Random;
    mixed.yao.randoms.prefetch(side).await?;
    let mut walker = Walker::new(context.plan.schedule(), context.plan.layout());
    while let Some(task) = walker.next()? {
        if context.cancel.is_cancelled() {
            return Err(Failure::Cancelled);
        }
        let written = mixed.task(side, task, walker.line()).await?;
        walker.supply(written);
    }
    side.flush().await?;
    let revealed = mixed.reveal().await?;
    Ok((revealed, mixed.end))
}

struct Mixed<'a> {
    /// The walk where values are labels.
    yao: Drive<'a>,
    end: End,
    inputs: &'a Inputs,
    /// Output columns that are still to be revealed.
    given: Vec<Given>,
}

/// An output column.
struct Given {
    recipients: Recipients,
    column: Column,
    domain: Domain,
    wires: Wires<Block>,
}

impl Mixed<'_> {
    /// Does a task; what it wrote.
    async fn task<S: yao::Side>(
        &mut self,
        side: &mut S,
        task: Task<'_, Block>,
        line: u32,
    ) -> Result<Vec<Wires<Block>>, Failure> {
        match task {
            Task::Output { port, column, bundle, source } => {
                let recipients =
                    Recipients::of_port(self.yao.context.program, port, self.yao.context.plan.parties());
                let column = Column { port, column, bits: bundle.bits, lanes: bundle.lanes };
                self.given.push(Given { recipients, column, domain: bundle.domain, wires: source });
                Ok(Vec::new())
            }
            Task::Input { port, column, bundle, target } if bundle.domain == Domain::Bool => {
                let own = self.own(port, column, bundle.bits, bundle.lanes).map(bits::of_words);
                let shares = gmw::input(&mut self.end, own.as_ref(), target.len())?;
                Ok(vec![with_bits(target, &shares)])
            }
            Task::Share { port, column, bits, signed, bundle, target } => {
                let words = self.own(port, column, bits, bundle.lanes);
                let own = words.map(|words| Zeroizing::new(words_of(words, bundle.bits, signed)));
                let own = own.as_ref().map(|own| &own[..]);
                let shares = arith::input(&mut self.end, own, bundle.bits, target.len())?;
                Ok(vec![with_words(target, &shares)])
            }
            Task::Random { bundle, target } if bundle.domain != Domain::Yao => match bundle.domain {
                Domain::Arith => {
                    let shares = arith::random(&mut self.end, bundle.bits, target.len())?;
                    Ok(vec![with_words(target, &shares)])
                }
                _ => {
                    let shares = gmw::random(&mut self.end, target.len());
                    Ok(vec![with_bits(target, &shares)])
                }
            },
            Task::Constant { words, copies, bundle, target } if bundle.domain != Domain::Yao => {
                Ok(vec![self.constant(words, copies, bundle, target)])
            }
            Task::Circuit(task) if task.domain == Domain::Bool => {
                *self.yao.operation = Operation::Gates { line };
                side.flush().await?;
                self.circuit(task).await
            }
            Task::Convert { source, from, to, signed, target } => {
                *self.yao.operation = Operation::Conversion { line };
                Ok(vec![self.convert(side, (&source, from), (target, to), signed).await?])
            }
            Task::Addends { source, to, targets } => {
                *self.yao.operation = Operation::Conversion { line };
                self.addends(side, &source, to, targets).await
            }
            Task::Arith { op, bits, copies, operands, target } => {
                *self.yao.operation = Operation::Arithmetic { name: op.name(), line };
                side.flush().await?;
                let result = self.arith(op, bits, copies, &operands).await?;
                Ok(vec![with_words(target, &result)])
            }
            task => self.yao.task(side, task, line).await,
        }
    }

    /// The words of an input column, if this party gives it.
    fn own(&self, port: u32, column: u32, bits: u32, lanes: u64) -> Option<&Words> {
        let mine = self.yao.context.giver(port) == self.yao.context.me;
        mine.then(|| self.inputs.column(Column { port, column, bits, lanes })).flatten()
    }

    fn constant(&self, words: &Words, copies: u64, bundle: Bundle, target: Wires<Block>) -> Wires<Block> {
        let party = self.end.party();
        if bundle.domain == Domain::Bool {
            return with_bits(target, &gmw::constant(party, &bits::of_copies(words, copies)));
        }
        let words = words_of(words, bundle.bits, false).repeat(copies as usize);
        with_words(target, &arith::constant(party, &words, bundle.bits))
    }

    async fn circuit(&mut self, mut task: CircuitTask<'_, Block>) -> Result<Vec<Wires<Block>>, Failure> {
        let operands: Vec<Bits> = task.operands.iter().map(|operand| convert::y2b(&operand.wires)).collect();
        let mut targets: Vec<Bits> =
            task.targets.iter().map(|target| Bits::zeros(target.wires.len())).collect();
        let region = gmw::Region {
            circuit: task.circuit,
            instances: task.instances,
            operands: operands
                .iter()
                .zip(&task.operands)
                .map(|(shares, operand)| gmw::Operand { shares, bits: operand.bits, share: operand.share })
                .collect(),
            targets: targets
                .iter_mut()
                .zip(&task.targets)
                .map(|(shares, target)| gmw::Target { shares, bits: target.bits })
                .collect(),
        };
        gmw::run(&mut self.end, &mut [region]).await?;
        self.yao.context.tracker.done(task.circuit.and_count * task.instances);
        Ok(task
            .targets
            .drain(..)
            .zip(&targets)
            .map(|(target, shares)| with_bits(target.wires, shares))
            .collect())
    }

    async fn convert<S: yao::Side>(
        &mut self,
        side: &mut S,
        (source, from): (&[Block], Bundle),
        (mut target, to): (Wires<Block>, Bundle),
        signed: bool,
    ) -> Result<Wires<Block>, Failure> {
        let shares = convert::y2b(source);
        match to.domain {
            Domain::Bool => Ok(with_bits(target, &shares)),
            Domain::Yao => {
                convert::b2y(side, self.end.party(), &shares, target.elements_mut()).await?;
                Ok(target)
            }
            Domain::Arith => {
                side.flush().await?;
                let lanes = target.len();
                let wide = widened(&shares, (from.bits, to.bits), lanes, signed);
                let words = convert::b2a(&mut self.end, &wide, to.bits, lanes).await?;
                Ok(with_words(target, &words))
            }
        }
    }

    async fn addends<S: yao::Side>(
        &mut self,
        side: &mut S,
        source: &[Block],
        to: Bundle,
        [mut first, mut second]: [Wires<Block>; 2],
    ) -> Result<Vec<Wires<Block>>, Failure> {
        let (words, party) = (words(source), self.end.party());
        if to.domain == Domain::Bool {
            let [a, b] = convert::a2b_addends(party, &words, to.bits)?;
            return Ok(vec![with_bits(first, &a), with_bits(second, &b)]);
        }
        let labels = [first.elements_mut(), second.elements_mut()];
        convert::a2y_addends(side, party, &words, to.bits, labels).await?;
        Ok(vec![first, second])
    }

    async fn arith(
        &mut self,
        op: &ArithOp,
        bits: u32,
        copies: u64,
        operands: &[Wires<Block>],
    ) -> Result<Vec<u128>, Failure> {
        let operands: Vec<Zeroizing<Vec<u128>>> = operands.iter().map(|operand| words(operand)).collect();
        let x = &operands[0];
        let y = || operands.get(1).map_or(&[][..], |y| &y[..]);
        let end = &mut self.end;
        Ok(match op {
            ArithOp::Add => arith::add(x, y(), bits),
            ArithOp::Sub => arith::subtract(x, y(), bits),
            ArithOp::Neg => arith::negate(x, bits),
            ArithOp::Truncate => arith::truncate(x, bits),
            ArithOp::Scale(by) => {
                let by = words_of(by, bits, false).repeat(copies as usize);
                arith::multiply_public(x, &by, bits)
            }
            ArithOp::SegmentSum(length) => arith::segment_sum(x, *length as usize, bits),
            ArithOp::Scan(length) => arith::scan(x, *length as usize, bits),
            ArithOp::Square => arith::square(end, x, bits).await?,
            ArithOp::Mul => {
                let mut products = arith::multiply_all(end, &[Factors { x, y: y(), bits }]).await?;
                products.pop().ok_or(WalkError::Unwritten)?
            }
            ArithOp::MatrixProduct { rows, inner, columns, .. } => {
                let [rows, inner, columns] = [rows, inner, columns].map(|n| *n as usize);
                let shape = MatrixShape { bits, rows, inner, columns };
                arith::matrix_product(end, shape, x, y()).await?
            }
        })
    }

    /// Reveals all outputs, those of the same recipients in one message.
    async fn reveal(&mut self) -> Result<Vec<Revealed>, Failure> {
        let mut revealed = Vec::new();
        for who in [Recipients::Evaluator, Recipients::Both, Recipients::Garbler] {
            let given: Vec<&Given> = self.given.iter().filter(|given| given.recipients == who).collect();
            let Some(first) = given.first() else { continue };
            let name = self.yao.context.program.outputs[first.column.port as usize].name.clone();
            *self.yao.operation = Operation::Output { name };
            let mut shares = Bits::default();
            given.iter().for_each(|given| shares.extend_bits(&given.shares()));
            let Some(mut opened) = gmw::open(&mut self.end, recipients(who), &shares).await? else {
                continue;
            };
            // What the peer sent, since sums are not what gmw::open made of it.
            opened ^= &shares;
            let mut start = 0;
            for given in given {
                let end = start + given.column.label_count() as usize;
                revealed.push((given.column, given.value(&opened.slice(start..end))));
                start = end;
            }
        }
        Ok(revealed)
    }
}

impl Given {
    /// This party's shares as wires.
    fn shares(&self) -> Bits {
        match self.domain {
            Domain::Arith => tacit_twoparty::wires::from_words(&words(&self.wires), self.column.bits),
            _ => convert::y2b(&self.wires),
        }
    }

    /// The value, from the peer's shares.
    fn value(&self, theirs: &Bits) -> Words {
        let Column { bits: width, lanes, .. } = self.column;
        if self.domain == Domain::Arith {
            let theirs = tacit_twoparty::wires::to_words(theirs, width);
            let sum = |(x, y): (&Block, &u128)| x.0.wrapping_add(*y) & mask(width);
            let words: Vec<u128> = self.wires.iter().zip(&theirs).map(sum).collect();
            return Words::from_u128s(width, &words);
        }
        let mut value = convert::y2b(&self.wires);
        value ^= theirs;
        bits::to_words(&value, 0, width, lanes)
    }
}

fn with_bits(mut wires: Wires<Block>, bits: &Bits) -> Wires<Block> {
    let elements = wires.elements_mut().iter_mut();
    elements.zip(bits.iter()).for_each(|(element, bit)| *element = Block(u128::from(bit)));
    wires
}

fn with_words(mut wires: Wires<Block>, words: &[u128]) -> Wires<Block> {
    wires.elements_mut().iter_mut().zip(words).for_each(|(element, word)| *element = Block(*word));
    wires
}

fn words(wires: &[Block]) -> Zeroizing<Vec<u128>> {
    Zeroizing::new(wires.iter().map(|element| element.0).collect())
}

/// The lanes of words modulo 2^width, at most 128; with their signs if `signed`.
fn words_of(words: &Words, width: u32, signed: bool) -> Vec<u128> {
    let sign = |word: u128| {
        let top = if signed { word >> (words.bits() - 1) & 1 } else { 0 };
        (word | top.wrapping_neg() & !mask(words.bits())) & mask(width)
    };
    (0..words.lanes()).map(|lane| sign(words.low_u128(lane))).collect()
}

/// Wires of more bits: zeros on top, or copies of the topmost.
fn widened(wires: &Bits, (from, to): (u32, u32), lanes: usize, signed: bool) -> Bits {
    let mut wide = wires.clone();
    let top = match signed {
        true => wires.slice((from as usize - 1) * lanes..from as usize * lanes),
        false => Bits::zeros(lanes),
    };
    (from..to).for_each(|_| wide.extend_bits(&top));
    wide
}
