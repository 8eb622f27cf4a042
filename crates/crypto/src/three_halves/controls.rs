//! Control bits as they are sent: five for each gate, without gaps.

use tacit_math::Block;

/// Control bits of a gate.
pub const CONTROL_BITS: usize = 5;

/// Packs the control bits of gates, one byte each, to five bits each: those of gate g are bits 5g to 5g + 4, the least
/// significant bits of a byte first, and the bits after the last gate's are zero.
///
/// # Panics
/// If the length of `packed` does not fit this number of bits.
pub fn pack_controls(controls: &[u8], packed: &mut [u8]) {
    assert_eq!(packed.len(), (controls.len() * CONTROL_BITS).div_ceil(8), "five bits a gate");
    for (eight, packed) in controls.chunks(8).zip(packed.chunks_mut(CONTROL_BITS)) {
        let gather = |bits: u64, (gate, &control): (usize, &u8)| {
            bits | u64::from(control & 0x1f) << (CONTROL_BITS * gate)
        };
        let bits = eight.iter().enumerate().fold(0, gather);
        packed.copy_from_slice(&bits.to_le_bytes()[..packed.len()]);
    }
}

/// Undoes [`pack_controls`].
///
/// # Panics
/// If the length of `packed` does not fit this number of bits.
pub fn unpack_controls(packed: &[u8], controls: &mut [u8]) {
    assert_eq!(packed.len(), (controls.len() * CONTROL_BITS).div_ceil(8), "five bits a gate");
    for (eight, packed) in controls.chunks_mut(8).zip(packed.chunks(CONTROL_BITS)) {
        let mut bytes = [0; 8];
        bytes[..packed.len()].copy_from_slice(packed);
        let bits = u64::from_le_bytes(bytes);
        for (gate, control) in eight.iter_mut().enumerate() {
            *control = (bits >> (CONTROL_BITS * gate)) as u8 & 0x1f;
        }
    }
}

/// Control bits z0 to z4 in the form for kernels: z0, z1, z2 from bit 0 of the lower half on and z3, z2, z4
/// from bit 0 of the upper half on. Shifting by one gives what colour i adds to both dice, and by two
/// what colour j adds.
pub(crate) const fn spread(control: u8) -> Block {
    let control = control as u128;
    Block(control & 7 | (control >> 3 & 1 | (control >> 2 & 1) << 1 | (control >> 4 & 1) << 2) << 64)
}

/// Undoes [`spread`].
#[inline]
pub(crate) const fn join(spread: Block) -> u8 {
    let upper = (spread.0 >> 64) as u8;
    spread.0 as u8 & 7 | (upper & 1) << 3 | (upper & 4) << 2
}

/// [`spread`] of all control bits.
pub(crate) static SPREAD: [Block; 32] = {
    let mut table = [Block::ZERO; 32];
    let mut control = 0;
    while control < 32 {
        table[control] = spread(control as u8);
        control += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_bits_survive_packing() {
        for count in 0..40 {
            let controls: Vec<u8> = (0..count).map(|gate| (gate * 7 % 32) as u8).collect();
            let mut packed = vec![0xff; (count * CONTROL_BITS).div_ceil(8)];
            pack_controls(&controls, &mut packed);
            let mut unpacked = vec![0; count];
            unpack_controls(&packed, &mut unpacked);
            assert_eq!(unpacked, controls);
        }
        let mut packed = [0; 2];
        pack_controls(&[0b10001, 0b00110], &mut packed);
        assert_eq!(packed, [0b1101_0001, 0]);
    }

    #[test]
    fn spreading_keeps_all_bits() {
        assert!((0..32).all(|control| join(SPREAD[usize::from(control)]) == control));
    }
}
