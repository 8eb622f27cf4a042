//! Programs in which outside parties, who don't compute, have some of the roles.
//!
//! A result for an outside party is opened to all computing parties under a mask that the party knows. So the program alone defines the run. There are two ways
//! to share the party's inputs and masks:
//!
//! - [`Sharing::Pieces`]: the outside party splits each input and each mask into pieces, one for each of t + 1 computing parties, whose exclusive or it is. Each of
//!   these gives its piece as an input to a program that puts the pieces together, whatever the domains of its values.
//! - [`Sharing::Masks`]: the computing parties draw random bits that nobody knows, and the outside party learns them from all their shares. It answers with its
//!   inputs, masked by exclusive or, to all of them. So an input is the exclusive or of bits that are public and bits that are shared before the run.
//!
//! Pieces are for parties that follow the protocol: among three, they take 4 bits for an input bit where masks take 6; where randomness is dealt, a random bit itself is the sum of what
//! t + 1 parties share as an input, so masks would send more; and words become words in any domain. Masks are for parties that may depart from it, where random bits take no message.
//!
//! Security: any t computing parties lack a piece, which is uniform, of each input and each mask. With pieces security is passive: a party that departs from the protocol can
//! change an input or a result unnoticed. With masks, an outside party takes no mask unless all n shares lie on one polynomial of degree t, which the shares of the honest
//! parties determine; and what is shared is bits, whatever the outside party answers.
//! Cost: t exclusive ors for each bit of an outside party's inputs and results, which send nothing where bits are shared; and t + 1 inputs in place of one. With masks a bit from each
//! computing party for each bit of inputs and results, and for an input bit one back to each; nothing among the computing parties.

use tacit_crypto::Prg;
use tacit_ir::{
    BinaryOp, Body, InputPort, Op, Operation, OutputPort, PortId, Program, RoleId, ValueId, Words,
};
use zeroize::Zeroizing;

use super::CompiledError;
use super::bit_bytes::{bytes_of_words, column_bytes, words_of_bytes};
use crate::error::RunError;
use crate::parties::PartyIndex;
use crate::security::Security;

/// Who has a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// A computing party.
    Computing(PartyIndex),
    /// An outside party, by its place in the order of names.
    Outside(usize),
}

/// How the inputs of outside parties, and the masks of their results, are shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// t + 1 computing parties have a piece each.
    Pieces,
    /// The computing parties have shares of random bits, which the outside party learns.
    Masks,
}

impl Sharing {
    /// The one that is secure and cheapest against such parties.
    pub fn of(security: Security) -> Sharing {
        match security {
            Security::Passive => Sharing::Pieces,
            Security::Active => Sharing::Masks,
        }
    }
}

/// A port of an outside party.
#[derive(Clone, Debug)]
struct SplitPort {
    speaker: usize,
    /// Bits and lanes of each column.
    columns: Vec<(u32, u64)>,
    /// The input ports of the pieces, or the one of which all have shares.
    pieces: Vec<usize>,
}

/// A program in which computing parties hold pieces or shares of outside parties' inputs and results.
#[derive(Clone, Debug)]
pub struct Split {
    sharing: Sharing,
    program: Program,
    /// The party of each of its roles.
    parties: Vec<PartyIndex>,
    /// For each input port of the original program, its port in the new program.
    kept_inputs: Vec<Option<usize>>,
    kept_outputs: Vec<Option<usize>>,
    given: Vec<SplitPort>,
    /// The masks of results, and the output ports of the masked results.
    told: Vec<(SplitPort, usize)>,
}

/// Bytes of a word with this many bits.
fn word_bytes(bits: u32) -> usize {
    bits.div_ceil(8) as usize
}

/// Bytes of columns.
fn bytes_of(columns: &[(u32, u64)]) -> usize {
    let bytes = |(bits, lanes): &(u32, u64)| word_bytes(*bits).saturating_mul(*lanes as usize);
    columns.iter().map(bytes).fold(0, usize::saturating_add)
}

/// Columns as bytes; each lane takes as many bytes as its bits need.
fn packed(columns: &[Words]) -> Zeroizing<Vec<u8>> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(
        columns.iter().map(|words| word_bytes(words.bits()) * words.lanes() as usize).sum(),
    ));
    for words in columns {
        for lane in 0..words.lanes() {
            let limbs = words.lane(lane).iter().flat_map(|limb| limb.to_le_bytes());
            bytes.extend(limbs.take(word_bytes(words.bits())));
        }
    }
    bytes
}

/// The columns from the bytes of [`packed`]; bits beyond a lane's width are dropped.
fn unpacked(columns: &[(u32, u64)], bytes: &[u8]) -> Vec<Words> {
    let mut rest = bytes;
    let column = |(bits, lanes): &(u32, u64)| {
        let mut words = Words::zero(*bits, *lanes);
        for lane in 0..*lanes {
            let (own, others) = rest.split_at(word_bytes(*bits).min(rest.len()));
            rest = others;
            for (limb, bytes) in words.lane_mut(lane).iter_mut().zip(own.chunks(8)) {
                let mut whole = [0; 8];
                whole[..bytes.len()].copy_from_slice(bytes);
                *limb = u64::from_le_bytes(whole);
            }
        }
        words.mask();
        words
    };
    columns.iter().map(column).collect()
}

fn exclusive_or(a: &Words, b: &Words) -> Words {
    let mut words = a.clone();
    for lane in 0..a.lanes() {
        words.lane_mut(lane).iter_mut().zip(b.lane(lane)).for_each(|(a, b)| *a ^= b);
    }
    words
}

fn uniform(columns: &[(u32, u64)], prg: &mut Prg) -> Vec<Words> {
    let mut bytes = Zeroizing::new(vec![0; bytes_of(columns)]);
    prg.fill_bytes(&mut bytes);
    unpacked(columns, &bytes)
}

/// What an outside party sends in a run, and keeps to read its results.
pub struct OutsideShares {
    /// For each computing party.
    pub pieces: Vec<Zeroizing<Vec<u8>>>,
    masks: Vec<Vec<Words>>,
}

/// Columns of each port of an outside party, in the order of ports.
type PortColumns = Vec<Vec<(u32, u64)>>;

/// An outside party's inputs and results in a run of a program.
#[derive(Clone, Debug)]
pub struct OutsidePorts {
    given: PortColumns,
    told: PortColumns,
}

fn columns_of(shape: &tacit_ir::Shape) -> Vec<(u32, u64)> {
    shape.columns().iter().map(|column| (column.bits, column.lanes)).collect()
}

impl OutsidePorts {
    /// The ports of an outside party with these roles of a program.
    pub fn of(program: &Program, roles: &[RoleId]) -> OutsidePorts {
        let given = program.inputs.iter().filter(|port| roles.contains(&port.role));
        let told =
            roles.iter().flat_map(|role| program.outputs.iter().filter(|port| port.roles.contains(role)));
        OutsidePorts {
            given: given.map(|port| columns_of(&port.shape)).collect(),
            told: told.map(|port| columns_of(&port.shape)).collect(),
        }
    }

    /// Splits inputs, given as the columns of each port, among the first t + 1 of the computing parties.
    ///
    /// Errors: the inputs do not fit, or there is no randomness.
    pub fn split(
        &self,
        inputs: &[Vec<Words>],
        (parties, threshold): (usize, usize),
    ) -> Result<OutsideShares, CompiledError> {
        self.check(inputs)?;
        let types = |words: &Words| (words.bits(), words.lanes());
        let mut prg = Prg::from_os().map_err(|_| RunError::Entropy)?;
        let mut pieces = vec![Zeroizing::new(Vec::new()); parties];
        let mut masks: Vec<Vec<Words>> = Vec::new();
        for columns in inputs {
            let mut rest = columns.clone();
            for piece in pieces.iter_mut().take(threshold) {
                let random = uniform(&rest.iter().map(types).collect::<Vec<_>>(), &mut prg);
                rest = rest.iter().zip(&random).map(|(rest, random)| exclusive_or(rest, random)).collect();
                piece.extend_from_slice(&packed(&random));
            }
            pieces[threshold].extend_from_slice(&packed(&rest));
        }
        for columns in &self.told {
            let mut mask: Vec<_> = columns.iter().map(|(bits, lanes)| Words::zero(*bits, *lanes)).collect();
            for piece in pieces.iter_mut().take(threshold + 1) {
                let random = uniform(columns, &mut prg);
                mask = mask.iter().zip(&random).map(|(mask, random)| exclusive_or(mask, random)).collect();
                piece.extend_from_slice(&packed(&random));
            }
            masks.push(mask);
        }
        Ok(OutsideShares { pieces, masks })
    }

    /// Bytes of the masks of inputs, and of results.
    fn mask_sizes(&self) -> [usize; 2] {
        [&self.given, &self.told].map(|ports| column_bytes(&ports.concat()))
    }

    /// Bytes of the masks of inputs and results.
    pub fn mask_bytes(&self) -> usize {
        self.mask_sizes().into_iter().fold(0, usize::saturating_add)
    }

    /// Masks inputs, given as the columns of each port, with the first of these masks, for all computing parties alike.
    ///
    /// Errors: the inputs do not fit.
    pub fn mask(
        &self,
        inputs: &[Vec<Words>],
        masks: &[u8],
        parties: usize,
    ) -> Result<OutsideShares, CompiledError> {
        self.check(inputs)?;
        let (of_inputs, of_results) = masks.split_at(self.mask_sizes()[0].min(masks.len()));
        let mut masked = bytes_of_words(&inputs.concat());
        masked.iter_mut().zip(of_inputs).for_each(|(input, mask)| *input ^= mask);
        let columns = words_of_bytes(&self.told.concat(), of_results);
        let mut columns = columns.into_iter();
        let masks = self.told.iter().map(|port| columns.by_ref().take(port.len()).collect()).collect();
        Ok(OutsideShares { pieces: vec![masked; parties], masks })
    }

    /// Errors: inputs do not fit the ports.
    fn check(&self, inputs: &[Vec<Words>]) -> Result<(), CompiledError> {
        let types = |words: &Words| (words.bits(), words.lanes());
        let given: PortColumns = inputs.iter().map(|columns| columns.iter().map(types).collect()).collect();
        match given == self.given {
            true => Ok(()),
            false => Err(CompiledError::Inputs { given: inputs.len(), expected: self.given.len() }),
        }
    }

    /// Bytes of the masked results that each computing party sends.
    pub fn told_bytes(&self) -> usize {
        self.told.iter().map(|columns| bytes_of(columns)).fold(0, usize::saturating_add)
    }

    /// The columns of each result, from the masked results that all computing parties sent.
    pub fn results(&self, shares: &OutsideShares, masked: &[u8]) -> Vec<Vec<Words>> {
        let mut rest = masked;
        let port = |(columns, mask): (&Vec<(u32, u64)>, &Vec<Words>)| {
            let (own, others) = rest.split_at(bytes_of(columns).min(rest.len()));
            rest = others;
            unpacked(columns, own).iter().zip(mask).map(|(masked, mask)| exclusive_or(masked, mask)).collect()
        };
        self.told.iter().zip(&shares.masks).map(port).collect()
    }
}

impl Split {
    /// Splits a program for this many computing parties. `speakers` are those of its roles.
    ///
    /// Errors: a role has no speaker, or the program is not valid.
    pub fn new(
        program: &Program,
        speakers: &[Speaker],
        (parties, threshold): (usize, usize),
        sharing: Sharing,
    ) -> Result<Split, CompiledError> {
        let mut splitting = Splitting::new(program, speakers, (parties, threshold), sharing)?;
        splitting.inputs();
        splitting.outputs()?;
        let split = splitting.operations()?;
        split.program.validate().map_err(|_| CompiledError::OtherSchedule)?;
        Ok(split)
    }

    /// The program that the computing parties run.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The parties of its roles.
    pub fn parties(&self) -> &[PartyIndex] {
        &self.parties
    }

    /// The outside parties that have a role, in order.
    pub fn outside(&self) -> Vec<usize> {
        let told = self.told.iter().map(|(port, _)| port.speaker);
        let mut outside: Vec<_> = self.given.iter().map(|port| port.speaker).chain(told).collect();
        outside.sort_unstable();
        outside.dedup();
        outside
    }

    /// How inputs and masks are shared.
    pub fn sharing(&self) -> Sharing {
        self.sharing
    }

    /// The input ports of the new program of which all parties have shares before the run, for
    /// [`Compiled::with_shared_inputs`](super::Compiled::with_shared_inputs).
    pub fn shared_inputs(&self) -> Vec<usize> {
        let ports = self.outside().into_iter().flat_map(|speaker| self.mask_ports(speaker));
        ports.flatten().collect()
    }

    /// The same of an outside party: those of its inputs, and of masks of its results.
    pub(crate) fn mask_ports(&self, speaker: usize) -> [Vec<usize>; 2] {
        if self.sharing == Sharing::Pieces {
            return Default::default();
        }
        let ports = |port: &SplitPort| (port.speaker == speaker).then(|| port.pieces.clone());
        let told = self.told.iter().map(|(port, _)| port);
        [self.given.iter().filter_map(ports).flatten().collect(), told.filter_map(ports).flatten().collect()]
    }

    fn ports_of(&self, speaker: usize) -> impl Iterator<Item = &SplitPort> {
        let told = self.told.iter().map(|(port, _)| port);
        self.given.iter().chain(told).filter(move |port| port.speaker == speaker)
    }

    /// Bytes that an outside party sends to a computing party.
    pub fn piece_bytes(&self, speaker: usize, me: PartyIndex) -> usize {
        let ports = self.ports_of(speaker).filter(|port| me < port.pieces.len());
        ports.map(|port| bytes_of(&port.columns)).fold(0, usize::saturating_add)
    }

    /// The columns of all input ports of the new program, from this party's own inputs to the original program and its pieces by speaker.
    pub fn assembled(
        &self,
        me: PartyIndex,
        own: &[Vec<Words>],
        pieces: &[(usize, Zeroizing<Vec<u8>>)],
    ) -> Vec<Vec<Words>> {
        let mut inputs = vec![Vec::new(); self.program.inputs.len()];
        for (kept, columns) in self.kept_inputs.iter().zip(own) {
            if let Some(port) = kept {
                inputs[*port].clone_from(columns);
            }
        }
        for (speaker, bytes) in pieces {
            let mut rest = &bytes[..];
            for port in self.ports_of(*speaker).filter(|port| me < port.pieces.len()) {
                let (columns, others) = rest.split_at(bytes_of(&port.columns).min(rest.len()));
                rest = others;
                inputs[port.pieces[me]] = unpacked(&port.columns, columns);
            }
        }
        inputs
    }

    /// The outputs of the original program, from those of the new program.
    pub fn own_outputs(&self, outputs: &[Vec<Words>]) -> Vec<Vec<Words>> {
        let own = |kept: &Option<usize>| kept.map_or(Vec::new(), |port| outputs[port].clone());
        self.kept_outputs.iter().map(own).collect()
    }

    /// An outside party's masked results.
    pub fn masked(&self, speaker: usize, outputs: &[Vec<Words>]) -> Zeroizing<Vec<u8>> {
        let told = self.told.iter().filter(|(port, _)| port.speaker == speaker);
        let columns: Vec<_> = told.flat_map(|(_, output)| outputs[*output].clone()).collect();
        packed(&columns)
    }
}

/// A program while it is being split.
struct Splitting<'p> {
    from: &'p Program,
    speakers: &'p [Speaker],
    threshold: usize,
    split: Split,
    /// The new role of each role of a computing party.
    roles: Vec<Option<RoleId>>,
    /// Roles of all computing parties, which hold pieces or shares.
    holders: Vec<RoleId>,
    /// By output port, the results for outside parties.
    told_of: Vec<Vec<usize>>,
    /// By input port, its place among the ports of outside parties.
    given_of: Vec<Option<usize>>,
    operations: Vec<Operation>,
    values: u32,
}

impl<'p> Splitting<'p> {
    fn new(
        from: &'p Program,
        speakers: &'p [Speaker],
        (parties, threshold): (usize, usize),
        sharing: Sharing,
    ) -> Result<Self, CompiledError> {
        let mut program = from.clone();
        (program.inputs, program.outputs, program.roles) = Default::default();
        let mut numbers = Vec::new();
        let mut roles = Vec::new();
        for (place, name) in from.roles.iter().enumerate() {
            roles.push(match speakers.get(place) {
                None => return Err(CompiledError::Role { role: name.clone() }),
                Some(Speaker::Outside(_)) => None,
                Some(Speaker::Computing(party)) => {
                    program.roles.push(name.clone());
                    numbers.push(*party);
                    Some(RoleId(program.roles.len() as u32 - 1))
                }
            });
        }
        let held = match sharing {
            Sharing::Pieces => "pieces",
            Sharing::Masks => "shares",
        };
        let holders = (0..parties).map(|party| {
            let mut name = format!("{held} {}", party + 1);
            while program.roles.contains(&name) {
                name.push('\'');
            }
            program.roles.push(name);
            numbers.push(party);
            RoleId(program.roles.len() as u32 - 1)
        });
        let holders = holders.collect();
        let split = Split {
            sharing,
            program,
            parties: numbers,
            kept_inputs: Vec::new(),
            kept_outputs: Vec::new(),
            given: Vec::new(),
            told: Vec::new(),
        };
        let (told_of, given_of, operations) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Splitting {
            from,
            speakers,
            threshold,
            split,
            roles,
            holders,
            told_of,
            given_of,
            operations,
            values: 0,
        })
    }

    /// Makes the input ports for the pieces of a port with this name and shape, or the one of which all have shares.
    fn pieces(&mut self, name: &str, shape: &tacit_ir::Shape, speaker: usize) -> SplitPort {
        let inputs = &mut self.split.program.inputs;
        let count = match self.split.sharing {
            Sharing::Pieces => self.threshold + 1,
            Sharing::Masks => 1,
        };
        let ports = self.holders.iter().take(count).map(|role| {
            inputs.push(InputPort { name: name.to_owned(), role: *role, shape: shape.clone() });
            inputs.len() - 1
        });
        SplitPort { speaker, columns: columns_of(shape), pieces: ports.collect() }
    }

    fn inputs(&mut self) {
        for port in &self.from.inputs {
            match (self.speakers[port.role.index()], self.roles[port.role.index()]) {
                (Speaker::Outside(speaker), _) => {
                    let name = format!("{}.{}", self.from.roles[port.role.index()], port.name);
                    let split = self.pieces(&name, &port.shape, speaker);
                    self.given_of.push(Some(self.split.given.len()));
                    self.split.given.push(split);
                    self.split.kept_inputs.push(None);
                }
                (_, role) => {
                    let inputs = &mut self.split.program.inputs;
                    inputs.push(InputPort { role: role.unwrap_or(port.role), ..port.clone() });
                    self.given_of.push(None);
                    self.split.kept_inputs.push(Some(inputs.len() - 1));
                }
            }
        }
    }

    /// Makes the ports of results. Those of one outside party are in the order of its roles, and of ports within
    /// each role.
    fn outputs(&mut self) -> Result<(), CompiledError> {
        self.told_of = vec![Vec::new(); self.from.outputs.len()];
        for port in &self.from.outputs {
            let inside: Vec<_> = port.roles.iter().filter_map(|role| self.roles[role.index()]).collect();
            let kept = (!inside.is_empty()).then(|| {
                let outputs = &mut self.split.program.outputs;
                outputs.push(OutputPort { roles: inside, ..port.clone() });
                outputs.len() - 1
            });
            self.split.kept_outputs.push(kept);
        }
        for (role, speaker) in self.speakers.iter().enumerate() {
            let Speaker::Outside(speaker) = speaker else { continue };
            for (number, port) in self.from.outputs.iter().enumerate() {
                if port.roles.iter().all(|told| told.index() != role) {
                    continue;
                }
                let name = format!("{}.{}", self.from.roles[role], port.name);
                let masks = self.pieces(&format!("mask of {name}"), &port.shape, *speaker);
                let outputs = &mut self.split.program.outputs;
                outputs.push(OutputPort { name, roles: self.holders.clone(), shape: port.shape.clone() });
                self.told_of[number].push(self.split.told.len());
                self.split.told.push((masks, outputs.len() - 1));
            }
        }
        Ok(())
    }

    fn push(&mut self, op: Op, line: u32, results: usize) -> ValueId {
        self.operations.push(Operation { op, line });
        let first = ValueId(self.values);
        self.values += results as u32;
        first
    }

    /// The exclusive or of pieces, and of a value if one is given.
    fn together(
        &mut self,
        pieces: &[usize],
        (column, line): (u32, u32),
        value: Option<ValueId>,
    ) -> Option<ValueId> {
        pieces.iter().fold(value, |sum, port| {
            let piece = self.push(Op::Input { port: PortId(*port as u32), column }, line, 1);
            Some(match sum {
                None => piece,
                Some(sum) => self.push(Op::Binary(BinaryOp::Xor, sum, piece), line, 1),
            })
        })
    }

    fn operations(mut self) -> Result<Split, CompiledError> {
        let main = self.from.main.index();
        let Body::Operations { operations, results } = &self.from.templates[main].body else {
            return Err(CompiledError::OtherSchedule);
        };
        let mut values: Vec<ValueId> = Vec::new();
        for Operation { op, line } in operations {
            match op {
                Op::Input { port, column } => {
                    let first = match self.given_of[port.index()] {
                        Some(given) => {
                            let pieces = self.split.given[given].pieces.clone();
                            self.together(&pieces, (*column, *line), None)
                                .ok_or(CompiledError::OtherSchedule)?
                        }
                        None => {
                            let kept =
                                self.split.kept_inputs[port.index()].ok_or(CompiledError::OtherSchedule)?;
                            self.push(Op::Input { port: PortId(kept as u32), column: *column }, *line, 1)
                        }
                    };
                    values.push(first);
                }
                Op::Output { port, column, value } => {
                    let value = values[value.index()];
                    self.output((port.index(), *column), *line, value);
                }
                op => {
                    let mut op = op.clone();
                    op.for_each_operand_mut(|value| *value = values[value.index()]);
                    let count = op.result_count(&self.from.templates);
                    let first = self.push(op, *line, count);
                    values.extend((0..count as u32).map(|result| ValueId(first.0 + result)));
                }
            }
        }
        let results = results.iter().map(|value| values[value.index()]).collect();
        self.split.program.templates[main].body = Body::Operations { operations: self.operations, results };
        Ok(self.split)
    }

    /// Opens a value to computing parties, and under masks for outside parties.
    fn output(&mut self, (port, column): (usize, u32), line: u32, value: ValueId) {
        let given = |port: usize, value| Op::Output { port: PortId(port as u32), column, value };
        if let Some(kept) = self.split.kept_outputs[port] {
            self.push(given(kept, value), line, 0);
        }
        for told in self.told_of[port].clone() {
            let (masks, output) = self.split.told[told].clone();
            if let Some(masked) = self.together(&masks.pieces, (column, line), Some(value)) {
                self.push(given(output, masked), line, 0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tacit_arbitrary as arbitrary;
    use tacit_ir::interpret;

    use super::*;

    /// The roles of outside parties of this number, in order.
    fn roles_of(speakers: &[Speaker], outside: usize) -> Vec<RoleId> {
        let of = |(role, speaker): (usize, &Speaker)| {
            (*speaker == Speaker::Outside(outside)).then_some(RoleId(role as u32))
        };
        speakers.iter().enumerate().filter_map(of).collect()
    }

    /// Runs a program in which outside parties have some roles, and compares it with the original program.
    fn agrees(seed: u64, (parties, threshold): (usize, usize)) {
        let program = arbitrary::program(seed, &arbitrary::Size::default());
        let inputs = arbitrary::inputs(&program, seed);
        let drawn = || 7;
        let expected = interpret(&program, &inputs, drawn).expect("a value");
        let speaker = |role: usize| match (seed as usize + role) % 3 {
            0 => Speaker::Computing(role % parties),
            outside => Speaker::Outside(outside - 1),
        };
        let speakers: Vec<_> = (0..program.roles.len()).map(speaker).collect();
        let split =
            Split::new(&program, &speakers, (parties, threshold), Sharing::Pieces).expect("a program");
        let outside: Vec<_> = split
            .outside()
            .into_iter()
            .map(|number| {
                let roles = roles_of(&speakers, number);
                let ports = OutsidePorts::of(&program, &roles);
                let given = program.inputs.iter().zip(&inputs).filter(|(port, _)| roles.contains(&port.role));
                let given: Vec<_> = given.map(|(_, columns)| columns.clone()).collect();
                let shares = ports.split(&given, (parties, threshold)).expect("inputs that fit");
                (number, roles, ports, shares)
            })
            .collect();
        let mut all = vec![Vec::new(); split.program().inputs.len()];
        for me in 0..parties {
            let own: Vec<_> = program
                .inputs
                .iter()
                .zip(&inputs)
                .map(|(port, columns)| {
                    let mine = speakers[port.role.index()] == Speaker::Computing(me);
                    if mine { columns.clone() } else { Vec::new() }
                })
                .collect();
            let pieces: Vec<_> =
                outside.iter().map(|(number, _, _, shares)| (*number, shares.pieces[me].clone())).collect();
            for (number, bytes) in &pieces {
                assert_eq!(bytes.len(), split.piece_bytes(*number, me));
            }
            for (port, columns) in split.assembled(me, &own, &pieces).into_iter().enumerate() {
                if !columns.is_empty() {
                    assert!(all[port].is_empty(), "one party gives each port");
                    all[port] = columns;
                }
            }
        }
        let outputs = interpret(split.program(), &all, drawn).expect("a value");
        for (port, (kept, expected)) in split.own_outputs(&outputs).iter().zip(&expected).enumerate() {
            let inside = program.outputs[port]
                .roles
                .iter()
                .any(|role| matches!(speakers[role.index()], Speaker::Computing(_)));
            assert!(if inside { kept == expected } else { kept.is_empty() }, "seed {seed}, port {port}");
        }
        for (number, roles, ports, shares) in &outside {
            let masked = split.masked(*number, &outputs);
            assert_eq!(masked.len(), ports.told_bytes());
            let told = roles.iter().flat_map(|role| {
                program.outputs.iter().zip(&expected).filter(|(port, _)| port.roles.contains(role))
            });
            let told: Vec<_> = told.map(|(_, columns)| columns.clone()).collect();
            assert_eq!(ports.results(shares, &masked), told, "seed {seed}");
        }
    }

    #[test]
    fn random_programs_of_which_others_speak_for_some_roles_agree_with_the_interpreter() {
        for seed in 0..300 {
            agrees(seed, [(3, 1), (5, 2), (4, 1)][seed as usize % 3]);
        }
    }

    #[test]
    fn pieces_that_t_parties_hold_are_uniform_and_new_each_time() {
        let ports = OutsidePorts { given: vec![vec![(13, 4000)]], told: vec![vec![(13, 4000)]] };
        let inputs = vec![vec![Words::zero(13, 4000)]];
        let split = || ports.split(&inputs, (5, 2)).expect("inputs that fit");
        let (first, second) = (split(), split());
        for party in 0..3 {
            assert_ne!(first.pieces[party], second.pieces[party]);
            let words = unpacked(&[(13, 4000), (13, 4000)], &first.pieces[party]);
            for bit in 0..13 {
                let ones = |words: &Words| (0..4000).filter(|lane| words.bit(*lane, bit)).count();
                words.iter().for_each(|words| assert!((1850..2150).contains(&ones(words))));
            }
        }
        // The exclusive or of two of the three pieces is also uniform.
        let two = exclusive_or(
            &unpacked(&[(13, 4000)], &first.pieces[0])[0],
            &unpacked(&[(13, 4000)], &first.pieces[2])[0],
        );
        let ones = (0..4000).filter(|lane| two.bit(*lane, 5)).count();
        assert!((1850..2150).contains(&ones), "{ones}");
        assert!(first.pieces[3].is_empty() && first.pieces[4].is_empty());
    }

    #[test]
    fn inputs_that_do_not_fit_are_refused() {
        let ports = OutsidePorts { given: vec![vec![(13, 4)]], told: vec![] };
        for wrong in [vec![], vec![vec![Words::zero(12, 4)]], vec![vec![Words::zero(13, 5)]]] {
            assert!(ports.split(&wrong, (3, 1)).is_err());
        }
        let program = arbitrary::program(1, &arbitrary::Size::default());
        assert!(Split::new(&program, &[], (3, 1), Sharing::Pieces).is_err());
    }
}
