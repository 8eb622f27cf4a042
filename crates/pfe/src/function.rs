//! A private function: an extended permutation from outgoing wires to the operands of NAND gates.

use tacit_circuit::Circuit;
use zeroize::Zeroize;

use crate::nand::{Netlist, translate};
use crate::{FunctionError, Size};

/// Who gives the bits of a group of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputOwner {
    /// The party with the private function, P1.
    Holder,
    /// The party with the private data, P2.
    Owner,
}

/// A private function of a public [`Size`]: NAND gates, and for each operand, the wire that it reads.
///
/// Wires are the inputs of the holder, those of the owner, then the gates. Gates read only wires before them; the
/// last gates are the outputs, and no gate reads these (Katz and Malka's condition). `Debug` only shows the size.
pub struct PrivateFunction {
    size: Size,
    /// π: two operands for each gate.
    wiring: Vec<[u32; 2]>,
    /// The ends of levels, which are stretches of gates that do not read one another.
    levels: Vec<usize>,
}

impl Drop for PrivateFunction {
    fn drop(&mut self) {
        self.wiring.zeroize();
    }
}

impl core::fmt::Debug for PrivateFunction {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.debug_struct("PrivateFunction").field("size", &self.size).finish_non_exhaustive()
    }
}

impl PrivateFunction {
    /// The function whose gate i reads the wires `wiring[i]`.
    ///
    /// # Errors
    /// [`FunctionError::Count`] for another number of gates than announced, [`FunctionError::Wire`].
    pub fn new(size: Size, wiring: Vec<[u32; 2]>) -> Result<PrivateFunction, FunctionError> {
        if wiring.len() != size.gates() {
            return Err(FunctionError::Count { what: "gates", given: wiring.len(), announced: size.gates() });
        }
        for (gate, operands) in wiring.iter().enumerate() {
            let end = size.outgoing().min(size.inputs() + gate);
            if let Some(&wire) = operands.iter().find(|wire| **wire as usize >= end) {
                return Err(FunctionError::Wire { gate, wire });
            }
        }
        let levels = levels(&size, &wiring);
        Ok(PrivateFunction { size, wiring, levels })
    }

    /// A circuit as a private function. `owners` has an entry for each group of inputs. Inputs of each party keep
    /// their order. Inputs that nothing reads, and outputs that are inputs or constants, are allowed. Without `gates` the
    /// size is the function's own. With `gates`, the function is padded to that number, so the size only reveals this upper
    /// bound.
    ///
    /// # Errors
    /// [`FunctionError::Gates`] if the function has more than `gates`; [`FunctionError::Count`] for a wrong number of owners;
    /// those of [`Size::new`].
    pub fn from_circuit(
        circuit: &Circuit,
        owners: &[InputOwner],
        gates: Option<usize>,
    ) -> Result<PrivateFunction, FunctionError> {
        let (holder, owner) = widths(circuit, owners)?;
        Size::new(holder, owner, circuit.output_bits(), circuit.output_bits())?;
        let netlist = Ordered::new(translate(circuit));
        let needed = netlist.gates.len();
        let size = Size::new(holder, owner, gates.unwrap_or(needed), circuit.output_bits())?;
        if needed > size.gates() {
            return Err(FunctionError::Gates { given: needed, announced: size.gates() });
        }
        let places = places(circuit.inputs(), owners, holder);
        let padding = size.gates() - needed;
        let moved = |wire: u32| match places.get(wire as usize) {
            Some(place) => *place,
            None => wire + padding as u32,
        };
        let real = netlist.gates.into_iter().map(|[a, b]| [moved(a), moved(b)]);
        PrivateFunction::new(size, core::iter::repeat_n([0; 2], padding).chain(real).collect())
    }

    /// The public size.
    pub fn size(&self) -> &Size {
        &self.size
    }

    /// The wires that each gate reads. Secret.
    pub fn wiring(&self) -> &[[u32; 2]] {
        &self.wiring
    }

    /// The levels: stretches of gates that do not read one another, in order.
    pub(crate) fn levels(&self) -> impl Iterator<Item = core::ops::Range<usize>> + '_ {
        let starts = core::iter::once(0).chain(self.levels.iter().copied());
        starts.zip(&self.levels).map(|(start, end)| start..*end)
    }

    /// The outputs in the clear.
    ///
    /// # Errors
    /// [`FunctionError::Count`] for another number of input bits.
    pub fn evaluate(&self, holder: &[bool], owner: &[bool]) -> Result<Vec<bool>, FunctionError> {
        let size = &self.size;
        let given = [
            ("input bits of the function's holder", holder.len(), size.holder_inputs()),
            ("input bits of the data's owner", owner.len(), size.owner_inputs()),
        ];
        for (what, given, announced) in given {
            if given != announced {
                return Err(FunctionError::Count { what, given, announced });
            }
        }
        let mut wires = [holder, owner].concat();
        for [a, b] in &self.wiring {
            wires.push(!(wires[*a as usize] && wires[*b as usize]));
        }
        Ok(wires.split_off(size.outgoing()))
    }
}

/// Numbers of input bits of the holder and of the data's owner, for a circuit whose groups of inputs have these owners.
pub(crate) fn widths(circuit: &Circuit, owners: &[InputOwner]) -> Result<(usize, usize), FunctionError> {
    let groups = circuit.inputs();
    if owners.len() != groups.len() {
        let (given, announced) = (owners.len(), groups.len());
        return Err(FunctionError::Count { what: "owners of input groups", given, announced });
    }
    let of = |owner| -> usize {
        groups.iter().zip(owners).filter(|(_, of)| **of == owner).map(|(width, _)| *width as usize).sum()
    };
    Ok((of(InputOwner::Holder), of(InputOwner::Owner)))
}

/// The places of a circuit's input bits: the holder's come first.
pub(crate) fn places(groups: &[u32], owners: &[InputOwner], holder_inputs: usize) -> Vec<u32> {
    let (mut holder, mut owner) = (0, holder_inputs as u32);
    let mut places = Vec::new();
    for (width, of) in groups.iter().zip(owners) {
        let next = if *of == InputOwner::Holder { &mut holder } else { &mut owner };
        places.extend(*next..*next + width);
        *next += width;
    }
    places
}

fn levels(size: &Size, wiring: &[[u32; 2]]) -> Vec<usize> {
    let (mut ends, mut start) = (Vec::new(), 0);
    for (gate, operands) in wiring.iter().enumerate() {
        if operands.iter().any(|wire| *wire as usize >= size.inputs() + start) {
            ends.push(gate);
            start = gate;
        }
    }
    ends.push(wiring.len());
    ends
}

/// Gates by level, without those that no output needs, and the outputs' own gates last.
struct Ordered {
    gates: Vec<[u32; 2]>,
}

impl Ordered {
    fn new(netlist: Netlist) -> Ordered {
        let Netlist { inputs, gates, outputs } = netlist;
        let needed = needed(inputs, &gates, &outputs);
        let mut depth = vec![0u32; inputs + gates.len()];
        for (gate, [a, b]) in gates.iter().enumerate() {
            depth[inputs + gate] = 1 + depth[*a as usize].max(depth[*b as usize]);
        }
        let mut order: Vec<usize> = (0..gates.len()).filter(|gate| needed[*gate]).collect();
        order.sort_by_key(|gate| depth[inputs + gate]);
        let mut wires: Vec<u32> = (0..(inputs + gates.len()) as u32).collect();
        for (place, gate) in order.iter().enumerate() {
            wires[inputs + gate] = (inputs + place) as u32;
        }
        let inner = order.iter().map(|gate| gates[*gate]);
        let gates = inner.chain(outputs).map(|operands| operands.map(|wire| wires[wire as usize])).collect();
        Ordered { gates }
    }
}

/// Which gates the outputs need.
fn needed(inputs: usize, gates: &[[u32; 2]], outputs: &[[u32; 2]]) -> Vec<bool> {
    let mut needed = vec![false; gates.len()];
    let mark = |needed: &mut Vec<bool>, operands: &[u32; 2]| {
        for wire in operands {
            if let Some(gate) = (*wire as usize).checked_sub(inputs) {
                needed[gate] = true;
            }
        }
    };
    outputs.iter().for_each(|operands| mark(&mut needed, operands));
    for (gate, operands) in gates.iter().enumerate().rev() {
        if needed[gate] {
            mark(&mut needed, operands);
        }
    }
    needed
}

#[cfg(test)]
mod tests;
