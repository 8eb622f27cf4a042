//! Inputs that are likely to reveal something: corners of the ranges of numbers, small numbers, equal ones,
//! random ones.

use std::ops::Range;

/// Instances that a circuit computes in parallel.
pub(crate) const LANES: usize = 64;

/// A deterministic generator of inputs: proofs and their findings do not change from run to run.
pub(crate) struct Patterns {
    /// The input bits of each number.
    numbers: Vec<Range<usize>>,
    state: u64,
}

/// How the numbers of a lane are chosen.
#[derive(Clone, Copy)]
enum Style {
    /// Each in a different way.
    Mixed,
    Any,
    Small,
    Corner,
    /// All the same.
    Equal,
}

impl Patterns {
    /// Patterns over adjacent numbers without gaps, from input bit 0 on.
    pub(crate) fn new(numbers: Vec<Range<usize>>) -> Self {
        Patterns { numbers, state: 0 }
    }

    /// A word of 64 random bits (SplitMix64; Steele, Lea, Flood, OOPSLA 2014).
    pub(crate) fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Bit `l` of word `i` is input bit `i` of lane `l`.
    pub(crate) fn next(&mut self) -> Vec<u64> {
        let mut words = vec![0; self.numbers.last().map_or(0, |last| last.end)];
        for lane in 0..LANES {
            let style = match lane % 8 {
                0 | 1 => Style::Any,
                2 => Style::Small,
                3 => Style::Corner,
                4 => Style::Equal,
                _ => Style::Mixed,
            };
            let shared = self.random();
            for number in 0..self.numbers.len() {
                let bits = self.numbers[number].clone();
                self.number(&mut words[bits], lane, style, shared);
            }
        }
        words
    }

    /// Inputs near the given ones: every lane except the first changes some of the numbers.
    pub(crate) fn near(&mut self, inputs: &[bool]) -> Vec<u64> {
        let mut words: Vec<u64> = inputs.iter().map(|bit| 0u64.wrapping_sub(u64::from(*bit))).collect();
        for lane in 1..LANES {
            for _ in 0..1 + lane % 3 {
                let Some(last) = self.numbers.len().checked_sub(1) else { break };
                let number = self.random() as usize % (last + 1);
                let bits = self.numbers[number].clone();
                let shared = self.random();
                match bits.len().checked_sub(1) {
                    Some(top) if lane % 2 == 0 => {
                        words[bits.start + self.random() as usize % (top + 1)] ^= 1 << lane;
                    }
                    _ => self.number(&mut words[bits], lane, Style::Mixed, shared),
                }
            }
        }
        words
    }

    /// Chooses one number of one lane.
    fn number(&mut self, words: &mut [u64], lane: usize, style: Style, shared: u64) {
        let own = match style {
            Style::Equal => shared,
            _ => self.random(),
        };
        let style = match (style, own >> 61) {
            (Style::Mixed, 0..=1) => Style::Any,
            (Style::Mixed, 2..=4) => Style::Small,
            (Style::Mixed, _) => Style::Corner,
            (style, _) => style,
        };
        let top = words.len().saturating_sub(1);
        let mut chunk = own;
        for (bit, word) in words.iter_mut().enumerate() {
            if bit % 64 == 0 && bit > 0 {
                chunk = chunk.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1) ^ chunk >> 29;
            }
            let value = match style {
                Style::Any | Style::Mixed | Style::Equal => chunk >> (bit % 64) & 1 == 1,
                Style::Small => bit < 5 && own >> bit & 1 == 1,
                Style::Corner => corner(own, bit, top),
            };
            *word = *word & !(1 << lane) | u64::from(value) << lane;
        }
    }
}

/// Bit `bit` of a corner of the range of numbers whose highest bit is `top`.
fn corner(choice: u64, bit: usize, top: usize) -> bool {
    let power = (choice >> 8) as usize % (top + 1);
    match choice % 8 {
        0 => false,
        1 => true,
        2 => bit == top,
        3 => bit != top,
        4 => bit == 0,
        5 => bit == power,
        6 => bit < power,
        _ => bit >= power,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_come_early() {
        let mut patterns = Patterns::new(vec![0..8, 8..16]);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..32 {
            let words = patterns.next();
            for lane in 0..LANES {
                let value =
                    |bits: Range<usize>| bits.rev().fold(0, |sum, bit| sum << 1 | words[bit] >> lane & 1);
                seen.insert((value(0..8), value(8..16)));
            }
        }
        for pair in [(0, 0), (255, 255), (128, 255), (127, 127), (0, 128), (1, 0)] {
            assert!(seen.contains(&pair), "{pair:?}");
        }
    }

    #[test]
    fn near_ones_begin_with_the_one_itself() {
        let inputs = [true, false, false, true, true];
        let words = Patterns::new(vec![0..2, 2..5]).near(&inputs);
        assert!(words.iter().zip(inputs).all(|(word, bit)| (word & 1 == 1) == bit));
        assert!(words.iter().any(|word| *word != 0 && *word != u64::MAX));
    }
}
