//! The walk of one party over values that are shared in several ways.
//!
//! An element of a bundle is a [`Block`]: a label in `yao`, a bit in `bool`, a word in `arith`.

use tacit_ir::{Domain, Words};
use tacit_lower::{ArithOp, Bundle};
use tacit_math::{Bits, Block};
use tacit_plan::{Column, Recipients};
use tacit_twoparty::arith::{self, Comparison, Factors, Operand, Relation};
use tacit_twoparty::convert::ToLabels;
use tacit_twoparty::triples::MatrixShape;
use tacit_twoparty::{End, batch, convert, gmw, mask, yao};
use zeroize::Zeroizing;

use super::outputs::recipients;
use super::{Context, Drive, Revealed};
use crate::inputs::Inputs;
use crate::walk::{CircuitTask, Layer, Task, WalkError, Walker, Wires};
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
                let column = Column { port, column, bits: bundle.bits, lanes: bundle.lanes };
                self.given.push(Given { column, domain: bundle.domain, wires: source });
                Ok(Vec::new())
            }
            Task::Input { port, column, bundle, target } if bundle.domain == Domain::Bool => {
                let own = self.own(port, column, bundle.bits, bundle.lanes).map(bits::of_words);
                let own = own.map(Zeroizing::new);
                let shares = match (self.yao.context.giver(port), own) {
                    (None, Some(shares)) => shares,
                    (_, own) => Zeroizing::new(gmw::input(&mut self.end, own.as_deref(), target.len())?),
                };
                Ok(vec![with_bits(target, &shares)])
            }
            Task::Share { port, column, bits, signed, bundle, target } => {
                let words = self.own(port, column, bits, bundle.lanes);
                let own = words.map(|words| Zeroizing::new(words_of(words, bundle.bits, signed)));
                let shares = match (self.yao.context.giver(port), own) {
                    (None, Some(shares)) => shares,
                    (_, own) => {
                        let own = own.as_ref().map(|own| &own[..]);
                        Zeroizing::new(arith::input(&mut self.end, own, bundle.bits, target.len())?)
                    }
                };
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
            Task::Convert { source, to, target, .. } if to.domain == Domain::Bool => {
                Ok(vec![with_bits(target, &bits_of(&source))])
            }
            Task::Addends { source, to, targets: [first, second] } if to.domain == Domain::Bool => {
                let [a, b] = convert::a2b_addends(self.end.party(), &words(&source), to.bits)?;
                Ok(vec![with_bits(first, &a), with_bits(second, &b)])
            }
            Task::Arith { op, bits, copies, operands, target } => {
                Ok(vec![with_words(target, &alone(op, bits, copies, &operands)?)])
            }
            // One that has no ANDs.
            Task::Circuit(task) if task.domain == Domain::Bool => {
                let mut gates = [Gates::new(0, task)];
                gmw::run(&mut self.end, &mut gates.each_mut().map(Gates::region)).await?;
                let [gates] = gates;
                Ok(gates.written())
            }
            task => self.yao.task(side, task, line).await,
        }
    }

    /// The words of an input column, if this party gives it; its share if both do.
    fn own(&self, port: u32, column: u32, bits: u32, lanes: u64) -> Option<&Words> {
        let mine = self.yao.context.giver(port).is_none_or(|giver| giver == self.yao.context.me);
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

    /// Does tasks that open something and do not depend on each other: all labels in one transfer, then all shares in
    /// as many messages as the deepest circuit has layers.
    async fn layer<S: yao::Side>(
        &mut self,
        side: &mut S,
        tasks: Vec<(Task<'_, Block>, u32)>,
    ) -> Result<Vec<Vec<Wires<Block>>>, Failure> {
        if let Some((task, line)) = tasks.first() {
            *self.yao.operation = opening(task, *line);
        }
        let mut written: Vec<Vec<Wires<Block>>> = (0..tasks.len()).map(|_| Vec::new()).collect();
        let (mut labels, mut words, mut gates) = (Vec::new(), Vec::new(), Vec::new());
        let mut compared = Vec::new();
        for (at, (task, _)) in tasks.into_iter().enumerate() {
            match task {
                Task::Circuit(task) => gates.push(Gates::new(at, task)),
                Task::Convert { source, to, target, .. } if to.domain == Domain::Yao => {
                    labels.push(Labels { at, shares: Shares::Bits(bits_of(&source)), targets: vec![target] });
                }
                Task::Addends { source, to, targets } => {
                    // The shares' higher bits are of no meaning to the adder.
                    let shares = Shares::Words(self::words(&source), to.bits);
                    labels.push(Labels { at, shares, targets: targets.into() });
                }
                Task::Convert { source, from, to, signed, target } => {
                    let lanes = target.len();
                    let bits = widened(&bits_of(&source), (from.bits, to.bits), lanes, signed);
                    words.push(Opened { at, operands: Operands::Wires(bits), bits: to.bits, target });
                }
                Task::Arith { op: ArithOp::Compare(how), bits, operands, target, .. } => {
                    let operands = operands.iter().map(|operand| self::words(operand)).collect();
                    compared.push(Compared { at, relation: relation(*how), operands, bits, target });
                }
                Task::Arith { op, bits, operands, target, .. } => {
                    let operands = operands.iter().map(|operand| self::words(operand)).collect();
                    words.push(Opened { at, operands: Operands::Words(op, operands), bits, target });
                }
                _ => return Err(WalkError::Domain.into()),
            }
        }
        if !labels.is_empty() {
            let mut shares: Vec<ToLabels<'_>> = labels.iter_mut().filter_map(Labels::shares).collect();
            convert::to_labels(side, self.end.party(), &mut shares).await?;
        }
        if !words.is_empty() || !gates.is_empty() {
            side.flush().await?;
            let operations: Vec<_> = words.iter().map(Opened::operation).collect::<Result<_, _>>()?;
            let mut regions: Vec<_> = gates.iter_mut().map(Gates::region).collect();
            let results = batch::run(&mut self.end, &operations, &mut regions).await?;
            for (opened, result) in words.into_iter().zip(results) {
                written[opened.at] = vec![with_words(opened.target, &Zeroizing::new(result))];
            }
        }
        if !compared.is_empty() {
            side.flush().await?;
            let asked: Vec<_> = compared.iter().map(Compared::comparison).collect::<Result<_, _>>()?;
            let answers = arith::compare_all(&mut self.end, &asked).await?;
            for (compared, answer) in compared.into_iter().zip(answers) {
                written[compared.at] = vec![with_bits(compared.target, &Zeroizing::new(answer))];
            }
        }
        for gates in gates {
            self.yao.context.tracker.done(gates.task.circuit.and_count * gates.task.instances);
            let at = gates.at;
            written[at] = gates.written();
        }
        labels.into_iter().for_each(|labels| written[labels.at] = labels.targets);
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
                revealed.extend(given.into_iter().map(Given::kept));
                continue;
            }
            let name = program.outputs[first.column.port as usize].name.clone();
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
                let words = given.value(&opened.slice(start..end));
                revealed.push(Revealed { column: given.column, words, shared: false });
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

    /// What this party has of a value that nobody learns.
    fn kept(&self) -> Revealed {
        let Column { bits: width, lanes, .. } = self.column;
        let words = match self.domain {
            Domain::Arith => {
                let shares: Zeroizing<Vec<u128>> =
                    Zeroizing::new(self.wires.iter().map(|share| share.0 & mask(width)).collect());
                Words::from_u128s(width, &shares)
            }
            _ => bits::to_words(&convert::y2b(&self.wires), 0, width, lanes),
        };
        Revealed { column: self.column, words, shared: true }
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

/// What a task that waits for the peer does, for errors.
fn opening(task: &Task<'_, Block>, line: u32) -> Operation {
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
    operands: &[Wires<Block>],
) -> Result<Zeroizing<Vec<u128>>, WalkError> {
    let operands: Vec<Zeroizing<Vec<u128>>> = operands.iter().map(|operand| words(operand)).collect();
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
    task: CircuitTask<'s, Block>,
    operands: Vec<Zeroizing<Bits>>,
    targets: Vec<Zeroizing<Bits>>,
}

impl<'s> Gates<'s> {
    fn new(at: usize, task: CircuitTask<'s, Block>) -> Gates<'s> {
        let operands = task.operands.iter().map(|operand| bits_of(&operand.wires)).collect();
        let targets =
            task.targets.iter().map(|target| Zeroizing::new(Bits::zeros(target.wires.len()))).collect();
        Gates { at, task, operands, targets }
    }

    fn region(&mut self) -> gmw::Region<'_> {
        let Gates { task, operands, targets, .. } = self;
        let operands = operands.iter().zip(&task.operands);
        let targets = targets.iter_mut().zip(&task.targets);
        gmw::Region {
            circuit: task.circuit,
            instances: task.instances,
            operands: operands
                .map(|(shares, operand)| gmw::Operand { shares, bits: operand.bits, share: operand.share })
                .collect(),
            targets: targets.map(|(shares, target)| gmw::Target { shares, bits: target.bits }).collect(),
        }
    }

    fn written(self) -> Vec<Wires<Block>> {
        let targets = self.task.targets.into_iter().zip(&self.targets);
        targets.map(|(target, shares)| with_bits(target.wires, shares)).collect()
    }
}

/// Shares that become labels.
struct Labels {
    /// Which task of its layer.
    at: usize,
    shares: Shares,
    targets: Vec<Wires<Block>>,
}

enum Shares {
    Bits(Zeroizing<Bits>),
    /// Words, and their width.
    Words(Zeroizing<Vec<u128>>, u32),
}

impl Labels {
    fn shares(&mut self) -> Option<ToLabels<'_>> {
        match (&self.shares, &mut self.targets[..]) {
            (Shares::Bits(shares), [labels]) => {
                Some(ToLabels::Bits { shares, labels: labels.elements_mut() })
            }
            (Shares::Words(shares, bits), [first, second]) => {
                let labels = [first.elements_mut(), second.elements_mut()];
                Some(ToLabels::Addends { shares, bits: *bits, labels })
            }
            _ => None,
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
    target: Wires<Block>,
}

/// A comparison of words.
struct Compared {
    /// Which task of its layer.
    at: usize,
    relation: Relation,
    operands: Vec<Zeroizing<Vec<u128>>>,
    /// Width of the words.
    bits: u32,
    target: Wires<Block>,
}

impl Compared {
    fn comparison(&self) -> Result<Comparison<'_>, WalkError> {
        let [x, y] = &self.operands[..] else { return Err(WalkError::Domain) };
        let (x, y) = (Operand::Shared(x), Operand::Shared(y));
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
    Words(&'s ArithOp, Vec<Zeroizing<Vec<u128>>>),
}

impl Opened<'_> {
    fn operation(&self) -> Result<batch::Operation<'_>, WalkError> {
        let bits = self.bits;
        Ok(match &self.operands {
            Operands::Wires(shares) => {
                batch::Operation::BoolToArith { shares, bits, lanes: self.target.len() }
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

fn with_bits(mut wires: Wires<Block>, bits: &Bits) -> Wires<Block> {
    for (elements, word) in wires.elements_mut().chunks_mut(64).zip(bits.words()) {
        let bit = |(i, element): (usize, &mut Block)| *element = Block(u128::from(word >> i & 1));
        elements.iter_mut().enumerate().for_each(bit);
    }
    wires
}

fn with_words(mut wires: Wires<Block>, words: &[u128]) -> Wires<Block> {
    wires.elements_mut().iter_mut().zip(words).for_each(|(element, word)| *element = Block(*word));
    wires
}

fn bits_of(wires: &[Block]) -> Zeroizing<Bits> {
    Zeroizing::new(convert::y2b(wires))
}

fn words(wires: &[Block]) -> Zeroizing<Vec<u128>> {
    Zeroizing::new(wires.iter().map(|element| element.0).collect())
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
