use crate::{Link, PhaseTime};

/// Picoseconds of a party for an AND, and the increase for each party. Measured among 3 to 32 parties, on two
/// cores of an AMD EPYC.
const BIT_PRODUCT: [u64; 2] = [90_000, 400];
/// Picoseconds of a party for a product of words among three parties, measured on the same machine.
const RING_PRODUCT: u64 = 150_000;
/// Picoseconds for each opened number of a prime field and each party, measured there among 4 to 16.
const FIELD_OPENING: u64 = 650_000;

/// The work of a run among three parties or more, of which its time depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkAmong {
    /// The number of parties that compute.
    pub parties: u64,
    /// Products of two shared elements.
    pub products: u64,
    /// Opened elements; those for several parties count once.
    pub opened: u64,
    /// The smallest number of messages that follow one another.
    pub rounds: u64,
    /// Bytes of elements that the party sends which sends most.
    pub most_bytes: u64,
    /// Whether it computes with words, or only with bits.
    pub has_words: bool,
}

impl WorkAmong {
    /// How long a run takes from its inputs to its last output. Each party has a machine of its own, and the link's
    /// bandwidth for all others together. Computing, sending and waiting follow one another; saturates.
    pub fn time(&self, link: Link) -> PhaseTime {
        let bits = u128::from(self.most_bytes) * 8_000_000_000;
        let waiting = u128::from(self.rounds) * u128::from(link.round_us) * 500;
        let whole = |nanoseconds: u128| u64::try_from(nanoseconds).unwrap_or(u64::MAX);
        PhaseTime {
            computing_ns: whole(self.computing() / 1000),
            sending_ns: whole(bits / u128::from(link.bits_per_second.max(1))),
            waiting_ns: whole(waiting),
        }
    }

    /// Picoseconds of a party.
    fn computing(&self) -> u128 {
        let [products, opened, parties] = [self.products, self.opened, self.parties].map(u128::from);
        let [bit_product, for_each_party] = BIT_PRODUCT.map(u128::from);
        match (self.has_words, self.parties) {
            (false, _) => products.saturating_mul(bit_product + for_each_party * parties),
            (true, 3) => products.saturating_mul(RING_PRODUCT.into()),
            (true, _) => opened.saturating_mul(u128::from(FIELD_OPENING) * parties),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORK: WorkAmong = WorkAmong {
        parties: 3,
        products: 1_000_000,
        opened: 1000,
        rounds: 20,
        most_bytes: 2_500_000,
        has_words: false,
    };

    #[test]
    fn computing_sending_and_waiting_are_counted() {
        let time = WORK.time(Link::SITES);
        // A million times 91.2 ns; 20 million bits of 250 Mbit/s; 20 times 5 ms.
        let expected =
            PhaseTime { computing_ns: 91_200_000, sending_ns: 80_000_000, waiting_ns: 100_000_000 };
        assert_eq!(time, expected);
    }

    #[test]
    fn words_are_counted_by_products_among_three_and_by_openings_among_more() {
        let words = WorkAmong { has_words: true, ..WORK };
        assert_eq!(words.time(Link::SITES).computing_ns, 150_000_000);
        let more = WorkAmong { parties: 5, ..words };
        assert_eq!(more.time(Link::SITES).computing_ns, 3_250_000);
    }

    #[test]
    fn nothing_overflows() {
        let all = u64::MAX;
        for has_words in [false, true] {
            let most = WorkAmong {
                parties: all,
                products: all,
                opened: all,
                rounds: all,
                most_bytes: all,
                has_words,
            };
            let link = Link { bits_per_second: 0, round_us: all };
            assert_eq!(most.time(link).nanoseconds(), all);
        }
    }
}
