//! The walk of one party over values that are shared in several ways.
//!
//! Labels, bits and words lie as [`Shares`] has them.

use tacit_ir::{Domain, Words};
use tacit_lower::{ArithOp, Bundle};
use tacit_math::{Bits, Block};
use tacit_plan::{Column, Recipients};
use tacit_twoparty::arith::{self, Comparison, Factors, Relation};
use tacit_twoparty::convert::ToLabels;
use tacit_twoparty::triples::MatrixShape;
use tacit_twoparty::{End, batch, convert, gmw, mask, yao};
use zeroize::Zeroizing;

use super::outputs::recipients;
use super::shares::{Shares, labels_task};
use super::{Context, Drive, Revealed};
use crate::inputs::Inputs;
use crate::walk::{Buffer, CircuitTask, Layer, Operand, SumTask, Target, Task, WalkError, Walker, Wires};
use crate::{Failure, Operation, bits};

/// Walks the plan's schedule with `side` for labels and `end` for shares, and reveals all outputs at its end.
///
/// Security: `inputs` are secret.
///
/// # Errors
/// What failed; `operation` then says during what.
pub(crate) async fn drive_mixed<S: yao::Adds>(
    context: Context<'_>,
    side: &mut S,
    end: End,
    inputs: &Inputs,
    operation: &mut Operation,
) -> Result<(Vec<Revealed>, End), Failure> {
    let mut mixed =
        Mixed { yao: Drive::new(context, Some(inputs), operation), end, inputs, given: Vec::new() };
    *mixed.yao.operation = Operation::Random;
    mixed.yao.randoms.prefetch(side).await?;
    let mut walker = Walker::new(context.plan.schedule(), context.plan.layout());
    loop {
        if context.cancel.is_cancelled() {
            return Err(Failure::Cancelled);
        }
        let Layer { tasks, opens } = walker.layer()?;
        if tasks.is_empty() {
            break;
        }
        if opens {
            mixed.layer(side, tasks).await?.into_iter().for_each(|written| walker.supply(written));
            continue;
        }
        for (task, line) in tasks {
            walker.supply(mixed.task(side, task, line).await?);
        }
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
    column: Column,
    domain: Domain,
    wires: Shares,
}

impl Mixed<'_> {
    /// Does a task; what it wrote.
    async fn task<S: yao::Adds>(
        &mut self,
        side: &mut S,
        task: Task<'_, Shares>,
        line: u32,
    ) -> Result<Vec<Shares>, Failure> {
        match task {
            Task::Output { port, column, bundle, source } => {
                let column = Column { port, column, bits: bundle.bits, lanes: bundle.lanes };
                self.given.push(Given { column, domain: bundle.domain, wires: source });
                Ok(Vec::new())
            }
            Task::Input { port, column, bundle, target } if bundle.domain == Domain::Bool => {
                let own = self.own(port, column, bundle.bits, bundle.lanes).map(bits::of_words);
                let own = own.map(Zeroizing::new);
                let shares = match (self.yao.context.giver(port), own) {
                    (None, Some(shares)) => shares,
                    (_, own) => Zeroizing::new(gmw::input(&mut self.end, own.as_deref(), target.elements())?),
                };
                Ok(vec![target.with_bits(&shares)?])
            }
            Task::Share { port, column, bits, signed, bundle, target } => {
                let words = self.own(port, column, bits, bundle.lanes);
                let own = words.map(|words| Zeroizing::new(words_of(words, bundle.bits, signed)));
                let shares = match (self.yao.context.giver(port), own) {
                    (None, Some(shares)) => shares,
                    (_, own) => {
                        let own = own.as_ref().map(|own| &own[..]);
                        Zeroizing::new(arith::input(&mut self.end, own, bundle.bits, target.elements())?)
                    }
                };
                Ok(vec![target.with_words(&shares)?])
            }
            Task::Random { bundle, target } if bundle.domain != Domain::Yao => match bundle.domain {
                Domain::Arith => {
                    let shares = arith::random(&mut self.end, bundle.bits, target.elements())?;
                    Ok(vec![target.with_words(&shares)?])
                }
                _ => {
                    let shares = gmw::random(&mut self.end, target.elements());
                    Ok(vec![target.with_bits(&shares)?])
                }
            },
            Task::Constant { words, copies, bundle, target } if bundle.domain != Domain::Yao => {
                Ok(vec![self.constant(words, copies, bundle, target)?])
            }
            Task::Convert { source, to, target, .. } if to.domain == Domain::Bool => {
                Ok(vec![target.with_bits(&*source.bits()?)?])
            }
            Task::Addends { source, to, targets: [first, second] } => {
                let [a, b] = convert::a2b_addends(self.end.party(), source.words()?, to.bits)?;
                Ok(vec![first.with_bits(&Zeroizing::new(a))?, second.with_bits(&Zeroizing::new(b))?])
            }
            Task::Arith { op, bits, copies, operands, target } => {
                Ok(vec![target.with_words(&alone(op, bits, copies, &operands)?)?])
            }
            // One that has no ANDs.
            Task::Circuit(task) if task.domain == Domain::Bool => {
                let mut gates = Gates { at: 0, task };
                gmw::run(&mut self.end, &mut [gates.region()?]).await?;
                Ok(gates.written())
            }
            task => {
                let labels = self.yao.task(side, labels_task(task)?, line).await?;
                Ok(labels.into_iter().map(Shares::Labels).collect())
            }
        }
    }

    /// The words of an input column, if this party gives it; its share if both do.
    fn own(&self, port: u32, column: u32, bits: u32, lanes: u64) -> Option<&Words> {
        let mine = self.yao.context.giver(port).is_none_or(|giver| giver == self.yao.context.me);
        mine.then(|| self.inputs.column(Column { port, column, bits, lanes })).flatten()
    }

    fn constant(
        &self,
        words: &Words,
        copies: u64,
        bundle: Bundle,
        target: Shares,
    ) -> Result<Shares, WalkError> {
        let party = self.end.party();
        if bundle.domain == Domain::Bool {
            return target.with_bits(&gmw::constant(party, &bits::of_copies(words, copies)));
        }
        let words = words_of(words, bundle.bits, false).repeat(copies as usize);
        target.with_words(&arith::constant(party, &words, bundle.bits))
    }

    /// Does tasks that open something and do not depend on each other: all labels in one transfer, then all shares in
    /// as many messages as the deepest circuit has layers.
    async fn layer<S: yao::Adds>(
        &mut self,
        side: &mut S,
        tasks: Vec<(Task<'_, Shares>, u32)>,
    ) -> Result<Vec<Vec<Shares>>, Failure> {
        if let Some((task, line)) = tasks.first() {
            *self.yao.operation = opening(task, *line);
        }
        let mut written: Vec<Vec<Shares>> = (0..tasks.len()).map(|_| Vec::new()).collect();
        let (mut labels, mut words, mut gates) = (Vec::new(), Vec::new(), Vec::new());
        let mut compared = Vec::new();
        for (at, (task, _)) in tasks.into_iter().enumerate() {
            match task {
                Task::Circuit(task) => gates.push(Gates { at, task }),
                Task::Convert { source, to, target, .. } if to.domain == Domain::Yao => {
                    let (shares, target) = (source.bits()?, target.into_labels()?);
                    labels.push(Labels { at, shares: Source::Bits(shares), target });
                }
                Task::Sum(SumTask { circuit, instances, first_id, source, target }) => {
                    let (shares, target) = (source.words()?.clone(), target.into_labels()?);
                    let region = yao::Region { circuit, instances, first_id };
                    labels.push(Labels { at, shares: Source::Words(shares, region), target });
                }
                Task::Convert { source, from, to, signed, target } => {
                    let lanes = target.elements();
                    let bits = widened(&*source.bits()?, (from.bits, to.bits), lanes, signed);
                    words.push(Opened { at, operands: Operands::Wires(bits), bits: to.bits, target });
                }
                Task::Arith { op: ArithOp::Compare(how), bits, operands, target, .. } => {
                    let operands = all_words(&operands)?;
                    compared.push(Compared { at, relation: relation(*how), operands, bits, target });
                }
                Task::Arith { op, bits, operands, target, .. } => {
                    let operands = all_words(&operands)?;
                    words.push(Opened { at, operands: Operands::Words(op, operands), bits, target });
                }
                _ => return Err(WalkError::Domain.into()),
            }
        }
        if !labels.is_empty() {
            let shares = labels.iter_mut().map(Labels::shares).collect();
            convert::to_labels(side, self.end.party(), shares).await?;
        }
        if !words.is_empty() || !gates.is_empty() {
            side.flush().await?;
            let operations: Vec<_> = words.iter().map(Opened::operation).collect::<Result<_, _>>()?;
            let mut regions: Vec<_> = gates.iter_mut().map(Gates::region).collect::<Result<_, _>>()?;
            let results = batch::run(&mut self.end, &operations, &mut regions).await?;
            for (opened, result) in words.into_iter().zip(results) {
                written[opened.at] = vec![opened.target.with_words(&Zeroizing::new(result))?];
            }
        }
        if !compared.is_empty() {
            side.flush().await?;
            let asked: Vec<_> = compared.iter().map(Compared::comparison).collect::<Result<_, _>>()?;
            let answers = arith::compare_all(&mut self.end, &asked).await?;
            for (compared, answer) in compared.into_iter().zip(answers) {
                written[compared.at] = vec![compared.target.with_bits(&Zeroizing::new(answer))?];
            }
        }
        for gates in gates {
            self.yao.context.tracker.done(gates.task.circuit.and_count * gates.task.instances);
            let at = gates.at;
            written[at] = gates.written();
        }
        for labels in labels {
            self.yao.context.tracker.done(labels.shares.and_count());
            written[labels.at] = vec![Shares::Labels(labels.target)];
        }
        Ok(written)
    }

    /// Reveals all outputs, those of the same recipients in one message.
    async fn reveal(&mut self) -> Result<Vec<Revealed>, Failure> {
        let mut revealed = Vec::new();
        let Context { program, plan, .. } = self.yao.context;
        for who in Recipients::ALL {
            let of = |given: &&Given| who.receive(program, given.column.port, plan.parties());
            let given: Vec<&Given> = self.given.iter().filter(of).collect();
            let Some(first) = given.first() else { continue };
            if who == Recipients::Nobody {
                for given in given {
                    revealed.push(given.kept()?);
                }
                continue;
            }
            let name = program.outputs[first.column.port as usize].name.clone();
            *self.yao.operation = Operation::Output { name };
            let mut shares = Bits::default();
            for given in &given {
                shares.extend_bits(&*given.shares()?);
            }
            let Some(mut opened) = gmw::open(&mut self.end, recipients(who), &shares).await? else {
                continue;
            };
            // What the peer sent, since sums are not what gmw::open made of it.
            opened ^= &shares;
            let mut start = 0;
            for given in given {
                let end = start + given.column.label_count() as usize;
                let words = given.value(&opened.slice(start..end))?;
                revealed.push(Revealed { column: given.column, words, shared: false });
                start = end;
            }
        }
        Ok(revealed)
    }
}

impl Given {
    /// This party's shares as wires.
    fn shares(&self) -> Result<Zeroizing<Bits>, WalkError> {
        match self.domain {
            Domain::Arith => {
                let words = self.wires.words()?;
                Ok(Zeroizing::new(tacit_twoparty::wires::from_words(words, self.column.bits)))
            }
            _ => self.wires.bits(),
        }
    }

    /// What this party has of a value that nobody learns.
    fn kept(&self) -> Result<Revealed, WalkError> {
        let Column { bits: width, lanes, .. } = self.column;
        let words = match self.domain {
            Domain::Arith => {
                let shares = self.wires.words()?.iter().map(|share| share & mask(width));
                Words::from_u128s(width, &Zeroizing::new(shares.collect::<Vec<u128>>()))
            }
            _ => bits::to_words(&*self.wires.bits()?, 0, width, lanes),
        };
        Ok(Revealed { column: self.column, words, shared: true })
    }

    /// The value, from the peer's shares.
    fn value(&self, theirs: &Bits) -> Result<Words, WalkError> {
        let Column { bits: width, lanes, .. } = self.column;
        if self.domain == Domain::Arith {
            let theirs = tacit_twoparty::wires::to_words(theirs, width);
            let sum = |(x, y): (&u128, &u128)| x.wrapping_add(*y) & mask(width);
            let words: Vec<u128> = self.wires.words()?.iter().zip(&theirs).map(sum).collect();
            return Ok(Words::from_u128s(width, &words));
        }
        let mut value = self.wires.bits()?;
        *value ^= theirs;
        Ok(bits::to_words(&value, 0, width, lanes))
    }
}

/// What a task that waits for the peer does, for errors.
fn opening(task: &Task<'_, Shares>, line: u32) -> Operation {
    match task {
        Task::Circuit(_) => Operation::Gates { line },
        Task::Arith { op, .. } => Operation::Arithmetic { name: op.name(), line },
        _ => Operation::Conversion { line },
    }
}

/// An operation on words that each party does alone.
fn alone(
    op: &ArithOp,
    bits: u32,
    copies: u64,
    operands: &[Shares],
) -> Result<Zeroizing<Vec<u128>>, WalkError> {
    let operands = all_words(operands)?;
    let x = operands.first().ok_or(WalkError::Unwritten)?;
    let y = || operands.get(1).map_or(&[][..], |y| &y[..]);
    Ok(Zeroizing::new(match op {
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
        ArithOp::Square | ArithOp::Mul | ArithOp::MatrixProduct { .. } | ArithOp::Compare(_) => {
            return Err(WalkError::Domain);
        }
    }))
}

/// A circuit on shared bits.
struct Gates<'s> {
    /// Which task of its layer.
    at: usize,
    task: CircuitTask<'s, Shares>,
}

impl Gates<'_> {
    fn region(&mut self) -> Result<gmw::Region<'_>, WalkError> {
        let CircuitTask { circuit, instances, operands, targets, .. } = &mut self.task;
        Ok(gmw::Region {
            circuit,
            instances: *instances,
            operands: operands.iter().map(shared_operand).collect::<Result<_, _>>()?,
            targets: targets.iter_mut().map(shared_target).collect::<Result<_, _>>()?,
        })
    }

    fn written(self) -> Vec<Shares> {
        self.task.targets.into_iter().map(|target| target.wires).collect()
    }
}

fn shared_operand(operand: &Operand<Shares>) -> Result<gmw::Operand<'_>, WalkError> {
    Ok(gmw::Operand { shares: operand.wires.packed()?, bits: operand.bits, share: operand.share })
}

fn shared_target(target: &mut Target<Shares>) -> Result<gmw::Target<'_>, WalkError> {
    Ok(gmw::Target { shares: target.wires.packed_mut()?, bits: target.bits })
}

/// Shares that become labels.
struct Labels<'s> {
    /// Which task of its layer.
    at: usize,
    shares: Source<'s>,
    target: Wires<Block>,
}

enum Source<'s> {
    Bits(Zeroizing<Bits>),
    /// Words, and what adds them. Their higher bits are of no meaning to it.
    Words(Wires<u128>, yao::Region<'s>),
}

impl Source<'_> {
    /// ANDs that it takes.
    fn and_count(&self) -> u64 {
        match self {
            Source::Bits(_) => 0,
            Source::Words(_, region) => region.circuit.and_count * region.instances,
        }
    }
}

impl Labels<'_> {
    fn shares(&mut self) -> ToLabels<'_> {
        let labels = self.target.elements_mut();
        match &self.shares {
            Source::Bits(shares) => ToLabels::Bits { shares, labels },
            Source::Words(shares, region) => ToLabels::Sum(yao::Sum { region: *region, shares, labels }),
        }
    }
}

/// An operation on words that opens something.
struct Opened<'s> {
    /// Which task of its layer.
    at: usize,
    operands: Operands<'s>,
    /// Width of the words.
    bits: u32,
    target: Shares,
}

/// A comparison of words.
struct Compared {
    /// Which task of its layer.
    at: usize,
    relation: Relation,
    operands: Vec<Wires<u128>>,
    /// Width of the words.
    bits: u32,
    target: Shares,
}

impl Compared {
    fn comparison(&self) -> Result<Comparison<'_>, WalkError> {
        let [x, y] = &self.operands[..] else { return Err(WalkError::Domain) };
        let (x, y) = (arith::Operand::Shared(x), arith::Operand::Shared(y));
        Ok(Comparison { relation: self.relation, x, y, bits: self.bits })
    }
}

/// The protocol's name for a relation.
pub(crate) fn relation(relation: tacit_lower::Relation) -> Relation {
    match relation {
        tacit_lower::Relation::LessUnsigned => Relation::LessUnsigned,
        tacit_lower::Relation::LessSigned => Relation::LessSigned,
        tacit_lower::Relation::LessWithin => Relation::LessWithin,
        tacit_lower::Relation::Equal => Relation::Equal,
    }
}

enum Operands<'s> {
    /// Bits that become words.
    Wires(Zeroizing<Bits>),
    Words(&'s ArithOp, Vec<Wires<u128>>),
}

impl Opened<'_> {
    fn operation(&self) -> Result<batch::Operation<'_>, WalkError> {
        let bits = self.bits;
        Ok(match &self.operands {
            Operands::Wires(shares) => {
                batch::Operation::BoolToArith { shares, bits, lanes: self.target.elements() }
            }
            Operands::Words(op, operands) => match (op, &operands[..]) {
                (ArithOp::Square, [x]) => batch::Operation::Square { x, bits },
                (ArithOp::Mul, [x, y]) => batch::Operation::Multiply(Factors { x, y, bits }),
                (ArithOp::MatrixProduct { rows, inner, columns, .. }, [x, y]) => {
                    let [rows, inner, columns] = [rows, inner, columns].map(|n| *n as usize);
                    batch::Operation::MatrixProduct {
                        shape: MatrixShape { bits, rows, inner, columns },
                        x,
                        y,
                    }
                }
                _ => return Err(WalkError::Domain),
            },
        })
    }
}

fn all_words(operands: &[Shares]) -> Result<Vec<Wires<u128>>, WalkError> {
    operands.iter().map(|operand| operand.words().cloned()).collect()
}

/// The lanes of words modulo 2^width, at most 128; with their signs if `signed`.
pub(crate) fn words_of(words: &Words, width: u32, signed: bool) -> Vec<u128> {
    let sign = |word: u128| {
        let top = if signed { word >> (words.bits() - 1) & 1 } else { 0 };
        (word | top.wrapping_neg() & !mask(words.bits())) & mask(width)
    };
    (0..words.lanes()).map(|lane| sign(words.low_u128(lane))).collect()
}

/// Wires of more bits: zeros on top, or copies of the topmost.
fn widened(wires: &Bits, (from, to): (u32, u32), lanes: usize, signed: bool) -> Zeroizing<Bits> {
    let mut wide = Zeroizing::new(wires.clone());
    let top = match signed {
        true => wires.slice((from as usize - 1) * lanes..from as usize * lanes),
        false => Bits::zeros(lanes),
    };
    (from..to).for_each(|_| wide.extend_bits(&top));
    wide
}
