//! Powers, inverses and square roots.

use tacit_math::field::Field;

use crate::error::{RunError, UsageError};
use crate::program::{Task, Value};

/// A square root of a public element of a field of odd order, if it is a square.
///
/// Source: Tonelli and Shanks, as in Cohen, “A course in computational algebraic number theory”, algorithm 1.5.1. Not constant time.
pub fn square_root<F: Field>(field: &F, square: F::Element) -> Option<F::Element> {
    let zero = F::Element::default();
    if square == zero {
        return Some(zero);
    }
    let (odd, twos) = odd_part(field);
    let half_of_odd = {
        let mut half = odd.clone();
        half[0] -= 1;
        halve(&mut half);
        half
    };
    let power = field.pow(square, &half_of_odd);
    let mut root = field.mul(power, square);
    let mut error = field.mul(root, power);
    if twos == 1 {
        return (error == field.one()).then_some(root);
    }
    let mut generator = field.pow(non_square(field), &odd);
    let mut order = twos;
    while error != field.one() {
        let mut exponent = 0;
        let mut power = error;
        while power != field.one() {
            power = field.mul(power, power);
            exponent += 1;
            if exponent == order {
                return None;
            }
        }
        let step = (1..order - exponent).fold(generator, |step, _| field.mul(step, step));
        generator = field.mul(step, step);
        order = exponent;
        root = field.mul(root, step);
        error = field.mul(error, generator);
    }
    Some(root)
}

/// Of public squares in a field of odd order, the inverses of their roots by [`square_root`]; 0 for 0 and for elements that are not squares.
pub(super) fn inverse_roots<F: Field>(field: &F, squares: &[F::Element]) -> Vec<F::Element> {
    let (mut half, twos) = odd_part(field);
    if twos > 1 {
        let inverse = |square: &F::Element| field.inverse(square_root(field, *square).unwrap_or_default());
        return squares.iter().map(inverse).collect();
    }
    half[0] -= 1;
    halve(&mut half);
    // Multiplied with the square, they are its roots.
    let mut powers = squares.to_vec();
    field.pow_all(&mut powers, &half);
    for (power, square) in powers.iter_mut().zip(squares) {
        if field.mul(field.mul(*power, *square), *power) != field.one() {
            *power = F::Element::default();
        }
    }
    powers
}

/// The order less 1 as an odd number times a power of two: the odd number, and the exponent.
fn odd_part<F: Field>(field: &F) -> (Vec<u64>, u32) {
    let mut odd = field.order();
    odd[0] -= 1;
    let mut twos = 0;
    while odd[0] & 1 == 0 {
        halve(&mut odd);
        twos += 1;
    }
    (odd, twos)
}

/// The first element that is not a square.
fn non_square<F: Field>(field: &F) -> F::Element {
    let mut half = field.order();
    half[0] -= 1;
    halve(&mut half);
    let minus_one = field.neg(field.one());
    let squares = (2..).map(|number| field.element(number));
    // Half of all elements are not squares, so this ends soon.
    squares.into_iter().find(|element| field.pow(*element, &half) == minus_one).unwrap_or_default()
}

fn halve(number: &mut [u64]) {
    let mut carry = 0;
    for limb in number.iter_mut().rev() {
        (*limb, carry) = (*limb >> 1 | carry << 63, *limb & 1);
    }
}

impl<F: Field> Task<F> {
    /// Whether the field is so large that a uniform element is zero only with a probability that the statistical
    /// security allows.
    pub(super) fn is_large(&self) -> bool {
        self.order_bits() > self.statistical_bits()
    }

    /// `a` to the power of a public number, least significant limb first.
    ///
    /// Cost: a product for each bit of the exponent, and another for each that is 1; as many rounds of products as it has bits.
    ///
    /// Errors: the computation has ended.
    pub fn pow(&self, a: &Value<F>, exponent: &[u64]) -> Result<Value<F>, RunError> {
        let bits = exponent.iter().flat_map(|limb| (0..64).map(move |bit| limb >> bit & 1 == 1));
        let mut bits: Vec<_> = bits.collect();
        while bits.last() == Some(&false) {
            bits.pop();
        }
        let mut result: Option<Value<F>> = None;
        let mut power = self.scale(a, self.field().one())?;
        for (number, bit) in bits.iter().enumerate() {
            if *bit {
                result = Some(match result {
                    Some(result) => self.mul(&result, &power)?,
                    None => self.scale(&power, self.field().one())?,
                });
            }
            if number + 1 < bits.len() {
                power = self.mul(&power, &power)?;
            }
        }
        match result {
            Some(result) => Ok(result),
            None => self.constant(vec![self.field().one(); a.len()]),
        }
    }

    /// `1 / a`, for elements that are not zero.
    ///
    /// Source: Bar-Ilan and Beaver (PODC 1989).
    /// Security: all parties notice a zero, whose result is 0. In fields with fewer than 2^40 elements (2 to the power of the statistical security) nothing is opened, and it is not
    /// noticed.
    /// Cost: one product, one opening.
    ///
    /// Errors: the computation has ended.
    pub fn inverse(&self, a: &Value<F>) -> Result<Value<F>, RunError> {
        if !self.is_large() {
            let mut exponent = self.field().order();
            exponent[0] -= 2;
            return self.pow(a, &exponent);
        }
        let mask = self.random(a.len())?;
        let (masked, field) = (self.open(&self.mul(a, &mask)?)?, self.field().clone());
        let inverse = self.local(a.len(), true, 0x69, &[&masked], move |_, given| {
            given[0].iter().map(|masked| field.inverse(*masked)).collect()
        })?;
        self.mul(&inverse, &mask)
    }

    /// `a` to the power of numbers whose bits are shared, least significant first; each bit is as long as `a` or has one element.
    ///
    /// Cost: three products for each bit of the exponent; as many rounds as it has bits.
    ///
    /// Errors: the lengths do not fit, or the computation has ended.
    pub fn pow_shared(&self, a: &Value<F>, exponent: &[&Value<F>]) -> Result<Value<F>, RunError> {
        let one = self.field().one();
        let mut power = self.scale(a, one)?;
        let mut result = self.constant(vec![one; a.len()])?;
        for (number, bit) in exponent.iter().enumerate() {
            let factor = self.mul(bit, &self.shift(&power, self.field().neg(one))?)?;
            result = self.mul(&result, &self.shift(&factor, one)?)?;
            if number + 1 < exponent.len() {
                power = self.mul(&power, &power)?;
            }
        }
        Ok(result)
    }

    /// A square root of each element that is a square; in large fields a random one of the two. For other elements the result is
    /// undefined.
    ///
    /// Security: in fields of at least 2^40 elements, it is not secret whether an element is zero or not a square. In smaller fields nothing
    /// is opened.
    /// Cost: three products, two openings; in fields below 2^40 two products for each bit of the order, and s² more where 2^s divides the order less 1.
    ///
    /// Errors: the field is GF(2^8), or the computation has ended.
    pub fn sqrt(&self, a: &Value<F>) -> Result<Value<F>, RunError> {
        if self.field().order().first().is_none_or(|limb| limb & 1 == 0) {
            return Err(UsageError::EvenOrder.into());
        }
        if !self.is_large() {
            return self.sqrt_by_powers(a);
        }
        let mask = self.random(a.len())?;
        let square = self.mul(&mask, &mask)?;
        let (masked, field) = (self.open(&self.mul(a, &square)?)?, self.field().clone());
        let root = self.local(a.len(), true, 0x71, &[&masked], move |_, given| {
            // The result for an element without a root is undefined, as documented.
            given[0].iter().map(|masked| square_root(&field, *masked).unwrap_or_default()).collect()
        })?;
        self.mul(&root, &self.inverse(&mask)?)
    }

    /// The algorithm of Tonelli and Shanks without a branch: where it tests whether a power is 1, the power is 1 or -1,
    /// and selects by a product.
    ///
    /// Source: RFC 9380, appendix I.4, with its letters.
    fn sqrt_by_powers(&self, x: &Value<F>) -> Result<Value<F>, RunError> {
        let field = self.field().clone();
        let (mut odd, twos) = odd_part(&field);
        let mut c = field.pow(non_square(&field), &odd);
        odd[0] -= 1;
        halve(&mut odd);
        let half = field.inverse(field.element(2));
        let power = self.pow(x, &odd)?;
        let mut z = self.mul(&power, x)?;
        let mut t = self.mul(&z, &power)?;
        for i in (2..=twos).rev() {
            let mut b = self.scale(&t, field.one())?;
            for _ in 2..i {
                b = self.mul(&b, &b)?;
            }
            // e = (1 + b) / 2; the choice for e = 0 is c times the choice for e = 1.
            let e = self.scale(&self.shift(&b, field.one())?, half)?;
            let choose = |factor: F::Element| {
                let slope = field.sub(field.one(), factor);
                self.shift(&self.scale(&e, slope)?, factor)
            };
            z = self.mul(&z, &choose(c)?)?;
            c = field.mul(c, c);
            t = self.mul(&t, &choose(c)?)?;
        }
        Ok(z)
    }
}

#[cfg(test)]
mod tests {
    use tacit_math::field::{Mersenne61, Montgomery};

    use super::*;

    fn roots_of<F: Field>(field: &F) {
        let numbers: Vec<_> = (0..40).map(|number| field.element(number * number * 7919 + number)).collect();
        for (inverse, number) in inverse_roots(field, &numbers).into_iter().zip(&numbers) {
            let root = square_root(field, *number).unwrap_or_default();
            assert_eq!(inverse, field.inverse(root), "{field:?}: {number:?}");
            assert!(root == F::Element::default() || field.mul(root, root) == *number);
        }
    }

    #[test]
    fn inverses_of_roots_are_those_of_the_roots() {
        roots_of(&Mersenne61);
        roots_of(&Montgomery::<2>::new(&[u64::MAX, u64::MAX >> 1]).expect("odd"));
        // These primes less 1 are 4 times an odd number, and 2^16.
        roots_of(&Montgomery::<1>::new(&[1_000_000_021]).expect("odd"));
        roots_of(&Montgomery::<1>::new(&[65_537]).expect("odd"));
    }
}
