//! Boolean circuits, bit by bit.

use super::InterpretError;
use super::operation::prepare;
use super::vector::Layout;
use crate::{Netlist, NetlistGate};

/// Evaluates a netlist; `layouts` are those of the parameters, then of the results.
pub(super) fn run(
    netlist: &Netlist,
    layouts: &[Layout],
    parameters: &[Vec<u64>],
    results: &mut [Vec<u64>],
) -> Result<(), InterpretError> {
    let mut wires = Vec::new();
    for (value, layout) in parameters.iter().zip(layouts) {
        for lane in value.chunks_exact(layout.limbs) {
            wires.extend((0..layout.bits).map(|bit| super::lane::bit(lane, bit)));
        }
    }
    for gate in &netlist.gates {
        let of = |wire: u32| wires[wire as usize];
        wires.push(match *gate {
            NetlistGate::Xor(a, b) => of(a) ^ of(b),
            NetlistGate::And(a, b) => of(a) & of(b),
            NetlistGate::Not(a) => !of(a),
            NetlistGate::Constant(value) => value,
        });
    }
    for ((output, result), layout) in netlist.outputs.iter().zip(results).zip(&layouts[parameters.len()..]) {
        prepare(result, layout.size())?;
        let lanes = result.chunks_exact_mut(layout.limbs).zip(output.chunks_exact(layout.bits as usize));
        for (lane, bits) in lanes {
            for (position, wire) in bits.iter().enumerate() {
                lane[position / 64] |= u64::from(wires[*wire as usize]) << (position % 64);
            }
        }
    }
    Ok(())
}
