use std::collections::{BTreeMap, BTreeSet};

use tacit_circuit::Executable;
use tacit_schedule::Relation;

use crate::arith::{ComparisonShape, Resize, compare_cost, resize_cost};
use crate::correlations::{MatrixShape, OnlineMatrices};
use crate::he::{CiphertextCount, HeParameters, Questions};
use crate::{Cost, Dialogue, Party, ShareError, yao};

/// The openings of operations that run together.
#[derive(Default)]
pub struct CountedLayer<'s> {
    /// Sums that become labels.
    pub sums: Vec<yao::Region<'s>>,
    /// Labels of bits that the evaluator gets by oblivious transfer.
    pub labels: u64,
    /// Bits that operations on words open, without products of matrices.
    pub(super) words: u64,
    /// Products of matrices.
    pub(super) matrices: BTreeMap<MatrixShape, u64>,
    /// Circuits on shared bits.
    pub circuits: Vec<(&'s Executable, u64)>,
    /// Comparisons of words.
    pub(super) comparisons: Vec<ComparisonShape>,
    /// Shifts of words to the right, their width and number.
    pub(super) shifts: Vec<(Resize, u32, u64)>,
    /// Words to encrypt.
    pub(super) encrypted: u64,
    /// Encrypted words to convert to shares: bits of their numbers, and how many.
    pub(super) replied: Vec<(u32, u64)>,
    /// Products of encrypted words.
    pub(super) multiplied: Vec<CountedProduct>,
    /// Comparisons of encrypted words.
    pub(super) sealed: Vec<CountedComparison>,
}

/// A comparison of encrypted words.
pub(super) struct CountedComparison {
    pub relation: Relation,
    pub lanes: u64,
    /// Width of the words.
    pub bits: u32,
    /// Bits of the encrypted differences.
    pub value_bits: u32,
}

/// A product of encrypted words, part of which the key's owner computes.
pub(super) struct CountedProduct {
    /// Factors that are blinded.
    pub factors: u64,
    /// Number of products that are summed to one result.
    pub inner: u64,
    pub results: u64,
    /// Bits of the encrypted numbers.
    pub factor_bits: u32,
}

impl CountedProduct {
    /// Bits of a masked number that fits a plaintext if the sum of products of blinded factors does.
    fn plaintext_bits(&self, statistical_bits: u32) -> u32 {
        let sum = u64::BITS - self.inner.saturating_sub(1).leading_zeros();
        self.factor_bits.saturating_mul(2).saturating_add(statistical_bits + 1 + sum)
    }
}

impl CountedLayer<'_> {
    /// Bits that operations on words open, including those of matrices that are not multiplied `online`.
    pub fn opened_words(&self, online: &BTreeSet<MatrixShape>) -> u64 {
        let opened = |(shape, count): (&MatrixShape, &u64)| {
            let words = (shape.left() as u64).saturating_add(shape.right() as u64);
            words.saturating_mul(u64::from(shape.bits)).saturating_mul(*count)
        };
        let matrices = self.matrices.iter().filter(|(shape, _)| !online.contains(shape));
        matrices.map(opened).fold(self.words, u64::saturating_add)
    }

    /// The cost of the matrices that are multiplied `online`.
    pub fn online_matrices(&self, online: &BTreeSet<MatrixShape>) -> Dialogue {
        let matrices = self.matrices.iter().filter(|(shape, _)| online.contains(shape));
        matrices.filter_map(|(shape, count)| OnlineMatrices::price(*shape, *count)).sum()
    }

    /// The cost of the comparisons and of the shifts.
    ///
    /// # Errors
    /// A shift has an impossible width.
    pub fn dialogues(&self) -> Result<[Cost; 2], ShareError> {
        Ok([compare_cost(&self.comparisons), resize_cost(&self.shifts)?])
    }

    /// Bits of the widest number that is decrypted, without its mask. For a product it is that of the blinded
    /// factors.
    pub fn widest_plaintext(&self, parameters: &HeParameters) -> u32 {
        let products =
            self.multiplied.iter().map(|product| product.plaintext_bits(parameters.statistical_bits));
        let differences = self.sealed.iter().map(|comparison| comparison.value_bits);
        self.replied.iter().map(|(bits, _)| *bits).chain(products).chain(differences).max().unwrap_or(0)
    }

    /// The ciphertexts that are sent.
    ///
    /// # Errors
    /// A number does not fit a plaintext.
    pub fn ciphertexts(&self, parameters: &HeParameters) -> Result<CiphertextCount, ShareError> {
        let results = self.products().saturating_add(self.compared());
        let mut count = CiphertextCount { encrypted: self.encrypted.saturating_add(results), replies: 0 };
        let blinded = self.multiplied.iter().map(|product| (product.factor_bits, product.factors));
        let differences = self.sealed.iter().map(|comparison| (comparison.value_bits, comparison.lanes));
        for (bits, lanes) in self.replied.iter().copied().chain(blinded).chain(differences) {
            count.replies += lanes.div_ceil(parameters.slots(bits)?.count() as u64);
        }
        Ok(count)
    }

    /// Ciphertexts of bits under the key for comparisons, of the second and of the first party.
    ///
    /// # Errors
    /// [`ShareError::Compare`] for words that are too wide.
    pub fn compared_bits(&self, parameters: &HeParameters) -> Result<[u64; 2], ShareError> {
        self.questions().randomness(parameters)
    }

    /// Products of encrypted words.
    fn products(&self) -> u64 {
        self.multiplied.iter().map(|product| product.results).fold(0, u64::saturating_add)
    }

    /// Comparisons of encrypted words.
    fn compared(&self) -> u64 {
        self.sealed.iter().map(|comparison| comparison.lanes).fold(0, u64::saturating_add)
    }

    /// The comparisons of bits that these need.
    fn questions(&self) -> Questions {
        let mut questions = Questions::default();
        self.sealed.iter().for_each(|one| questions.add(one.relation, one.bits, one.lanes));
        questions
    }

    /// Their messages: those of products come after all others, and those of comparisons last.
    ///
    /// # Errors
    /// As [`CountedLayer::ciphertexts`].
    pub fn encrypted_messages(&self, parameters: &HeParameters) -> Result<Dialogue, ShareError> {
        let [holder, _] = self.ciphertexts(parameters)?.bytes(parameters);
        let of = |count: u64| count.saturating_mul(parameters.ciphertext_bytes());
        let exchanged = Dialogue::default().exchange([holder, of(self.encrypted)]);
        let multiplied = match self.multiplied.is_empty() {
            true => exchanged,
            false => exchanged.send(Party::Second, of(self.products())),
        };
        Ok(match self.sealed.is_empty() {
            true => multiplied,
            false => multiplied
                .then(self.questions().messages(parameters)?)
                .send(Party::Second, of(self.compared())),
        })
    }
}
