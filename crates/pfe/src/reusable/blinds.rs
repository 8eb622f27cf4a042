//! The blinds of a holder's operands. They are the same in all runs and are computed when they are used.

use curve25519_dalek::scalar::Scalar;
use tacit_crypto::{Oracle, OracleStream, Prg};
use zeroize::Zeroizing;

use super::GROUP;
use crate::points;

/// A pseudorandom function from groups of gates to the blinds of their operands. Its one key has 256 bits, so a function with many groups gives an attacker no
/// more targets than one with few.
pub(super) struct Blinds(Oracle);

impl Blinds {
    /// The function with a fresh key.
    pub fn new(prg: &mut Prg) -> Blinds {
        let mut key = Zeroizing::new([0; 32]);
        prg.fill_bytes(&mut *key);
        Blinds::from_key(&key)
    }

    fn from_key(key: &[u8; 32]) -> Blinds {
        Blinds(Oracle::new("tacit private functions v1: blind").absorb(key))
    }

    /// The blinds of the group that begins with this gate.
    pub fn of_group(&self, gate: usize) -> GroupBlinds {
        let group = (gate / GROUP) as u64;
        GroupBlinds(self.0.clone().absorb(&group.to_le_bytes()).stream())
    }
}

/// The blinds of a group's operands, in order.
pub(super) struct GroupBlinds(OracleStream);

impl GroupBlinds {
    /// The blind of the next operand: a number other than 0.
    fn next_blind(&mut self) -> Scalar {
        points::random_scalar(|bytes| self.0.fill(bytes))
    }

    /// The blinds of the next operands.
    pub fn next_blinds(&mut self, count: usize) -> Zeroizing<Vec<Scalar>> {
        Zeroizing::new((0..count).map(|_| self.next_blind()).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn halves(key: u8, gate: usize) -> Vec<[u8; 32]> {
        let mut group = Blinds::from_key(&[key; 32]).of_group(gate);
        (0..2 * GROUP).map(|_| group.next_blind().to_bytes()).collect()
    }

    #[test]
    fn known_answer() {
        let mut bytes = [0; 64];
        let oracle = Oracle::new("tacit private functions v1: blind").absorb(&[7; 32]);
        oracle.absorb(&3u64.to_le_bytes()).stream().fill(&mut bytes);
        assert_eq!(halves(7, 3 * GROUP)[0], Scalar::from_bytes_mod_order_wide(&bytes).to_bytes());
    }

    #[test]
    fn keys_groups_and_operands_have_blinds_of_their_own() {
        let all = [(1, 0), (1, GROUP), (1, 2 * GROUP), (2, 0)].map(|(key, gate)| halves(key, gate));
        let distinct: HashSet<&[u8; 32]> = all.iter().flatten().collect();
        assert_eq!(distinct.len(), 4 * 2 * GROUP);
    }

    #[test]
    fn blinds_come_again_in_further_runs() {
        assert_eq!(halves(1, GROUP), halves(1, GROUP));
    }
}
