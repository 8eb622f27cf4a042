use tacit_ir::Words;

/// A sequence of numbers that look random, from a seed: Steele, Lea and Flood's SplitMix.
#[derive(Clone, Debug)]
pub struct Draw(u64);

impl Draw {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Draw(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// All further numbers, as [`tacit_ir::interpret`] takes them.
    pub fn numbers(mut self) -> impl FnMut() -> u64 {
        move || self.number()
    }

    /// A number below `limit`, which is not 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.number()) * u128::from(limit)) >> 64) as u64
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True once in `times`.
    pub(crate) fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of some items.
    pub(crate) fn choose<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }

    /// A width up to `limit`, often next to that of a limb or of a machine's word.
    pub(crate) fn width(&mut self, limit: u32) -> u32 {
        let edges = [1, 1, 2, 7, 8, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 130];
        match self.once_in(2) {
            true => self.choose(&edges).min(limit),
            false => self.between(1, u64::from(limit)) as u32,
        }
    }

    /// A number of lanes up to `limit`, often 1.
    pub(crate) fn lanes(&mut self, limit: u64) -> u64 {
        match self.below(8) {
            0..3 => 1,
            3..6 => self.between(1, limit.min(6)),
            _ => self.between(1, limit),
        }
    }

    /// A divisor of `lanes`.
    pub(crate) fn divisor(&mut self, lanes: u64) -> u64 {
        let divisors: Vec<_> = (1..=lanes).filter(|divisor| lanes.is_multiple_of(*divisor)).collect();
        self.choose(&divisors)
    }

    /// Words of which about half are 0, 1, -1, the minimum, the maximum, or small.
    pub fn words(&mut self, bits: u32, lanes: u64) -> Words {
        let mut words = Words::zero(bits, lanes);
        for lane in 0..lanes {
            match self.below(12) {
                0 => {}
                1 => words.set_bit(lane, 0, true),
                2 => words.lane_mut(lane).fill(u64::MAX),
                3 => words.set_bit(lane, bits - 1, true),
                4 => {
                    words.lane_mut(lane).fill(u64::MAX);
                    words.set_bit(lane, bits - 1, false);
                }
                5 => words.lane_mut(lane)[0] = self.below(9),
                _ => words.lane_mut(lane).iter_mut().for_each(|limb| *limb = self.number()),
            }
        }
        words.mask();
        words
    }
}
