use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// The most inputs of a function given by its table.
pub const MAX_FAN_IN: usize = 12;

/// Any function of a few bits, given by its `2^n` values: entry `i` is the value where input `k` is bit `k` of `i`.
///
/// Functions of at most three inputs and all functions of degree two get the minimum number of ANDs; others
/// are split at one input after another until their parts are of these kinds.
/// Source: TASTY, section 4.3, which rewrites gates of three inputs to few gates of two. Differs: supports
/// any number of inputs, and uses products of sums of inputs, which are free, instead of selected gates.
/// Cost: for three inputs, one AND less than the degree; below `2^(n-1)` in general.
///
/// # Panics
/// If there are more than [`MAX_FAN_IN`] inputs, or not `2^n` values.
pub fn truth_table(builder: &mut CircuitBuilder, table: &[bool], inputs: &[Lit]) -> Lit {
    assert!(inputs.len() <= MAX_FAN_IN, "a function of more inputs than there may be");
    assert_eq!(table.len(), 1 << inputs.len(), "a value for each combination of inputs");
    let mut monomials = table.to_vec();
    for input in 0..inputs.len() {
        for index in (0..monomials.len()).filter(|index| index >> input & 1 == 1) {
            monomials[index] ^= monomials[index ^ 1 << input];
        }
    }
    sum_of_products(builder, &monomials, inputs)
}

/// The sum of the monomials: `monomials[i]` says whether the product of the inputs in the set `i` is one of
/// them.
fn sum_of_products(builder: &mut CircuitBuilder, monomials: &[bool], inputs: &[Lit]) -> Lit {
    let present = || (0..monomials.len()).filter(|set| monomials[*set]);
    if present().all(|set| set.count_ones() <= 2) {
        return Quadratic::new(monomials, inputs.len()).build(builder, inputs);
    }
    let heavy = |input: &usize| {
        let product = |set: &usize| set.count_ones() > 2 && set >> input & 1 == 1;
        present().filter(product).count()
    };
    // There is a product of three inputs, so there is an input to split at.
    let input = (0..inputs.len()).max_by_key(heavy).unwrap_or(0);
    let part = |with: usize| -> Vec<bool> {
        let chosen = (0..monomials.len()).filter(|set| set >> input & 1 == with);
        chosen.map(|set| monomials[set]).collect()
    };
    let rest: Vec<Lit> =
        (0..inputs.len()).filter(|other| *other != input).map(|other| inputs[other]).collect();
    let without = sum_of_products(builder, &part(0), &rest);
    let factor = sum_of_products(builder, &part(1), &rest);
    let product = builder.and(inputs[input], factor);
    builder.xor(without, product)
}

/// A function of degree at most two. Sets of inputs are bit masks.
struct Quadratic {
    constant: bool,
    linear: u32,
    /// For each input, the later inputs with which it is multiplied.
    products: Vec<u32>,
}

impl Quadratic {
    fn new(monomials: &[bool], inputs: usize) -> Quadratic {
        let bit = |set: usize, input: usize| u32::from(monomials[set]) << input;
        let later = |i: usize| (i + 1..inputs).map(|j| bit(1 << i | 1 << j, j)).sum();
        Quadratic {
            constant: monomials[0],
            linear: (0..inputs).map(|i| bit(1 << i, i)).sum(),
            products: (0..inputs).map(later).collect(),
        }
    }

    /// If `xy` is a product of the function, the function is `xy + xA + yB + rest = (x + B)(y + A) + AB +
    /// rest`, where `A` and `B` are sums of other inputs: one AND removes two inputs. The number of steps is
    /// half the rank of the products, and no circuit has fewer ANDs.
    /// Source: Dickson's normal form of quadratic forms; Boyar, Peralta, Pochuev, "On the multiplicative complexity of
    /// Boolean functions over the basis (∧,⊕,1)", 2000.
    fn build(mut self, builder: &mut CircuitBuilder, inputs: &[Lit]) -> Lit {
        let mut sum = Lit::FALSE;
        while let Some(x) = self.products.iter().position(|others| *others != 0) {
            let y = self.products[x].trailing_zeros() as usize;
            let (a, b) = (self.take(x, y), self.take(y, x));
            self.products[x] &= !(1 << y);
            let (left, right) = (add(builder, inputs, b | 1 << x), add(builder, inputs, a | 1 << y));
            let product = builder.and(left, right);
            sum = builder.xor(sum, product);
            self.multiply(a, b);
        }
        let linear = add(builder, inputs, self.linear);
        builder.xor(sum, linear).flip(self.constant)
    }

    /// Removes and returns the inputs that `input` is multiplied with, except `other`.
    fn take(&mut self, input: usize, other: usize) -> u32 {
        let mut taken = 0;
        for factor in (0..self.products.len()).filter(|factor| *factor != input && *factor != other) {
            let (low, high) = (factor.min(input), factor.max(input));
            taken |= (self.products[low] >> high & 1) << factor;
            self.products[low] &= !(1 << high);
        }
        taken
    }

    /// Adds the product of two sums of inputs.
    fn multiply(&mut self, a: u32, b: u32) {
        let members = |set: u32| (0..self.products.len()).filter(move |input| set >> input & 1 == 1);
        let pairs: Vec<(usize, usize)> = members(a).flat_map(|i| members(b).map(move |j| (i, j))).collect();
        for (i, j) in pairs {
            match i == j {
                true => self.linear ^= 1 << i,
                false => self.products[i.min(j)] ^= 1 << i.max(j),
            }
        }
    }
}

/// The sum of some inputs.
fn add(builder: &mut CircuitBuilder, inputs: &[Lit], set: u32) -> Lit {
    let chosen = (0..inputs.len()).filter(|input| set >> input & 1 == 1);
    chosen.fold(Lit::FALSE, |sum, input| builder.xor(sum, inputs[input]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::Circuit;

    fn circuit_of(table: &[bool]) -> Circuit {
        let mut builder = CircuitBuilder::new();
        let inputs = builder.input(table.len().trailing_zeros());
        let output = truth_table(&mut builder, table, &inputs);
        builder.finish(vec![vec![output]]).expect("a small circuit")
    }

    fn assert_computes(circuit: &Circuit, table: &[bool]) {
        for (index, value) in table.iter().enumerate() {
            let inputs: Vec<bool> = (0..circuit.input_bits()).map(|input| index >> input & 1 == 1).collect();
            assert_eq!(circuit.evaluate(&inputs), Ok(vec![*value]), "{table:?} at {index}");
        }
    }

    fn table_of(function: u64, inputs: u32) -> Vec<bool> {
        (0..1 << inputs).map(|index| function >> index & 1 == 1).collect()
    }

    /// All functions that `ands` ANDs reach from three inputs, found by exhaustive search: the reachable sets
    /// are spanned by affine functions and products.
    fn reach(ands: usize) -> Vec<bool> {
        fn grow(basis: &[u8], ands: usize, found: &mut [bool]) {
            let span: Vec<u8> = (0..1u32 << basis.len())
                .map(|set| (0..basis.len()).filter(|i| set >> i & 1 == 1).fold(0, |sum, i| sum ^ basis[i]))
                .collect();
            if ands == 0 {
                return span.iter().for_each(|function| found[usize::from(*function)] = true);
            }
            for (place, a) in span.iter().enumerate() {
                for b in &span[place..] {
                    grow(&[basis, &[a & b]].concat(), ands - 1, found);
                }
            }
        }
        let mut found = vec![false; 256];
        grow(&[0b1010_1010, 0b1100_1100, 0b1111_0000, 0b1111_1111], ands, &mut found);
        found
    }

    #[test]
    fn three_inputs_take_the_fewest_ands() {
        let reached: Vec<Vec<bool>> = (0..3).map(reach).collect();
        for function in 0..256 {
            let table = table_of(function, 3);
            let circuit = circuit_of(&table);
            assert_computes(&circuit, &table);
            let fewest = reached.iter().position(|found| found[function as usize]);
            assert_eq!(Some(circuit.stats().and_count as usize), fewest, "function {function:08b}");
        }
    }

    #[test]
    fn every_function_of_four_inputs() {
        let mut counts = [0u32; 8];
        for function in 0..1 << 16 {
            let table = table_of(function, 4);
            let circuit = circuit_of(&table);
            assert_computes(&circuit, &table);
            counts[circuit.stats().and_count as usize] += 1;
        }
        assert_eq!(counts[5..], [0, 0, 0], "{counts:?}");
    }

    #[test]
    fn functions_of_many_inputs() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 63 == 1
        };
        for inputs in 0..=MAX_FAN_IN as u32 {
            let table: Vec<bool> = (0..1 << inputs).map(|_| random()).collect();
            let circuit = circuit_of(&table);
            assert_computes(&circuit, &table);
            assert!(circuit.stats().and_count <= (1 << inputs) / 2, "{inputs} inputs");
        }
    }

    #[test]
    fn quadratic_functions_take_half_their_rank() {
        // x0x1 + x2x3 + x4x5 + x6x7 after a change of variables, which keeps its rank.
        let sums = [
            0b0000_0011u32,
            0b0000_0110,
            0b0001_1100,
            0b0010_1001,
            0b0111_0000,
            0b1010_0000,
            0b1100_0001,
            0b0100_0000,
        ];
        let value = |index: u32| {
            let form = |set: u32| (index & set).count_ones() & 1 == 1;
            sums.chunks(2).fold(false, |sum, pair| sum ^ (form(pair[0]) && form(pair[1])))
        };
        let table: Vec<bool> = (0..256).map(value).collect();
        let circuit = circuit_of(&table);
        assert_computes(&circuit, &table);
        assert!(circuit.stats().and_count <= 4);
    }

    #[test]
    fn conjunction_and_choice_of_many() {
        for inputs in 1..8 {
            let all: Vec<bool> = (0..1 << inputs).map(|index| index == (1 << inputs) - 1).collect();
            assert_eq!(circuit_of(&all).stats().and_count, inputs - 1);
            let any: Vec<bool> = (0..1 << inputs).map(|index| index != 0).collect();
            assert_eq!(circuit_of(&any).stats().and_count, inputs - 1);
        }
        // Bits 4 and 5 choose among bits 0 to 3.
        let choice: Vec<bool> = (0..64).map(|index| index >> (index >> 4) & 1 == 1).collect();
        assert_eq!(circuit_of(&choice).stats().and_count, 3);
    }
}
