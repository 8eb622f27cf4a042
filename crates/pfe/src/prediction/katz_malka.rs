//! The work of Katz and Malka's protocol.

use super::{Rates, Work};
use crate::Size;
use crate::katz_malka::SchemeName;

/// Seconds of one thread for a wire at owner and holder, an operand at holder and owner, and a gate online at the holder.
struct Costs {
    wire: [f64; 2],
    operand: [f64; 2],
    online: f64,
}

impl SchemeName {
    /// For EC ElGamal, operations on points are counted exactly. For DJN and BFV, the counts of multiplications and transforms are chosen to match the measured
    /// times of whole operations.
    fn costs(self, rates: &Rates) -> Costs {
        let hashes = 3.0 * rates.hash;
        match self {
            SchemeName::EcElgamal => Costs {
                wire: [3.0 * rates.multiply_base + 4.0 * rates.encode, 2.0 * rates.decode],
                operand: [
                    rates.hash_to_group + rates.multiply_base + rates.multiply_table + 2.0 * rates.encode,
                    2.0 * rates.decode + rates.multiply + 2.0 * rates.encode,
                ],
                online: rates.decode + 2.0 * rates.encode + hashes,
            },
            SchemeName::Djn => Costs {
                wire: [400.0, 25.0].map(|count| count * rates.multiply_modular),
                operand: [370.0, 100.0].map(|count| count * rates.multiply_modular),
                online: hashes,
            },
            SchemeName::Bfv => Costs {
                wire: [2.2, 1.4].map(|count| count * rates.transform),
                operand: [3.0, 0.3].map(|count| count * rates.transform),
                online: hashes,
            },
        }
    }
}

pub(super) fn work(scheme: SchemeName, size: &Size, rates: &Rates, threads: usize) -> [Work; 2] {
    let (gates, wires) = (size.gates() as f64, size.outgoing() as f64);
    let Costs { wire, operand, online } = scheme.costs(rates);
    let owner = wires * wire[0] + gates * (2.0 * operand[1] + 8.0 * rates.hash);
    let holder = wires * wire[1] + 2.0 * gates * operand[0];
    [Work { holder, owner, threads }, Work { holder: gates * online, owner: 0.0, threads }]
}
