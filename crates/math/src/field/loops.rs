//! Powers, and loops over slices of elements, for fields that have nothing better.

use super::Field;

#[inline(always)]
pub(super) fn pow<F: Field>(field: &F, a: F::Element, exponent: &[u64]) -> F::Element {
    let mut power = field.one();
    for limb in exponent.iter().rev() {
        for bit in (0..64).rev() {
            power = field.mul(power, power);
            if limb >> bit & 1 == 1 {
                power = field.mul(power, a);
            }
        }
    }
    power
}

#[inline(always)]
pub(super) fn inverse<F: Field>(field: &F, a: F::Element) -> F::Element {
    field.pow(a, &minus(field.order(), 2))
}

#[inline(always)]
pub(super) fn pow_all<F: Field>(field: &F, elements: &mut [F::Element], exponent: &[u64]) {
    elements.chunks_mut(POWER_LANES).for_each(|elements| pow_lanes(field, elements, exponent));
}

#[inline(always)]
pub(super) fn add_assign<F: Field>(field: &F, a: &mut [F::Element], b: &[F::Element]) {
    for (a, b) in zip(a, b) {
        *a = field.add(*a, *b);
    }
}

#[inline(always)]
pub(super) fn sub_assign<F: Field>(field: &F, a: &mut [F::Element], b: &[F::Element]) {
    for (a, b) in zip(a, b) {
        *a = field.sub(*a, *b);
    }
}

#[inline(always)]
pub(super) fn mul_assign<F: Field>(field: &F, a: &mut [F::Element], b: &[F::Element]) {
    for (a, b) in zip(a, b) {
        *a = field.mul(*a, *b);
    }
}

#[inline(always)]
pub(super) fn add_scaled<F: Field>(field: &F, sum: &mut [F::Element], a: &[F::Element], factor: F::Element) {
    for (sum, a) in zip(sum, a) {
        *sum = field.add(*sum, field.mul(*a, factor));
    }
}

#[inline(always)]
pub(super) fn add_products<F: Field>(field: &F, sum: &mut [F::Element], a: &[F::Element], b: &[F::Element]) {
    debug_assert_eq!(a.len(), b.len());
    for ((sum, a), b) in zip(sum, a).zip(b) {
        *sum = field.add(*sum, field.mul(*a, *b));
    }
}

#[inline(always)]
pub(super) fn dot<F: Field>(field: &F, a: &[F::Element], b: &[F::Element]) -> F::Element {
    debug_assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(F::Element::default(), |sum, (a, b)| field.add(sum, field.mul(*a, *b)))
}

#[inline(always)]
pub(super) fn combine<F: Field>(
    field: &F,
    sum: &mut [F::Element],
    columns: &[&[F::Element]],
    factors: &[F::Element],
) {
    debug_assert_eq!(columns.len(), factors.len());
    sum.fill(F::Element::default());
    for (column, factor) in columns.iter().zip(factors) {
        field.add_scaled(sum, column, *factor);
    }
}

#[inline(always)]
pub(super) fn encode_all<F: Field>(field: &F, elements: &[F::Element], bytes: &mut [u8]) {
    debug_assert_eq!(bytes.len(), elements.len() * field.bytes());
    for (element, bytes) in elements.iter().zip(bytes.chunks_exact_mut(field.bytes())) {
        field.encode(*element, bytes);
    }
}

#[inline(always)]
pub(super) fn decode_all<F: Field>(
    field: &F,
    bytes: &[u8],
    elements: &mut [F::Element],
) -> Result<(), usize> {
    debug_assert_eq!(bytes.len(), elements.len() * field.bytes());
    for (i, (element, bytes)) in elements.iter_mut().zip(bytes.chunks_exact(field.bytes())).enumerate() {
        *element = field.decode(bytes).ok_or(i)?;
    }
    Ok(())
}

#[inline(always)]
pub(super) fn uniform_all<F: Field>(field: &F, bytes: &[u8], elements: &mut [F::Element]) {
    debug_assert_eq!(bytes.len(), elements.len() * field.uniform_bytes());
    for (element, bytes) in elements.iter_mut().zip(bytes.chunks_exact(field.uniform_bytes())) {
        *element = field.uniform(bytes);
    }
}

#[inline(always)]
pub(super) fn scale_to_ground<F: Field>(field: &F, elements: &mut [F::Element], factor: F::Element) {
    for element in elements.iter_mut() {
        *element = field.mul(*element, factor);
    }
    field.to_ground(elements);
}

#[inline(always)]
pub(super) fn combine_ground<F: Field>(
    field: &F,
    a: &mut [F::Element],
    b: &[F::Element],
    [x, y]: [F::Element; 2],
) {
    for (a, b) in zip(a, b) {
        *a = field.add(field.mul(*a, x), field.mul(*b, y));
    }
}

#[inline(always)]
pub(super) fn encode_ground<F: Field>(field: &F, elements: &[F::Element], bytes: &mut [u8]) {
    field.encode_all(elements, bytes);
}

#[inline(always)]
pub(super) fn decode_ground<F: Field>(
    field: &F,
    bytes: &[u8],
    elements: &mut [F::Element],
) -> Result<(), usize> {
    field.decode_all(bytes, elements)
}

#[inline(always)]
pub(super) fn add_ground<F: Field>(field: &F, sum: &mut [F::Element], bytes: &[u8], subtracted: bool) {
    debug_assert_eq!(bytes.len(), sum.len() * field.ground_bytes());
    for (sum, bytes) in sum.iter_mut().zip(bytes.chunks_exact(field.ground_bytes())) {
        let mut element = [F::Element::default()];
        let _ = field.decode_ground(bytes, &mut element);
        *sum = if subtracted { field.sub(*sum, element[0]) } else { field.add(*sum, element[0]) };
    }
}

#[inline(always)]
pub(super) fn add_uniform<F: Field>(field: &F, sum: &mut [F::Element], bytes: &[u8], factor: F::Element) {
    debug_assert_eq!(bytes.len(), sum.len() * field.uniform_bytes());
    for (sum, bytes) in sum.iter_mut().zip(bytes.chunks_exact(field.uniform_bytes())) {
        *sum = field.add(*sum, field.mul(field.uniform(bytes), factor));
    }
}

/// Elements that [`Field::pow_all`] raises side by side.
const POWER_LANES: usize = 32;

/// Bits of an exponent for which a table has all powers.
const WINDOW: usize = 4;

/// At most [`POWER_LANES`] elements to the power of an exponent.
fn pow_lanes<F: Field>(field: &F, elements: &mut [F::Element], exponent: &[u64]) {
    let (ones, count) = ([field.one(); POWER_LANES], elements.len());
    let mut powers = [ones; 1 << WINDOW];
    for power in 1..powers.len() {
        powers[power] = powers[power - 1];
        field.mul_assign(&mut powers[power][..count], elements);
    }
    elements.copy_from_slice(&ones[..count]);
    let mut square = ones;
    let digits =
        exponent.iter().rev().flat_map(|limb| (0..64).step_by(WINDOW).rev().map(move |bit| limb >> bit));
    let digits = digits.map(|digit| (digit % (1 << WINDOW)) as usize).skip_while(|digit| *digit == 0);
    for digit in digits {
        for _ in 0..WINDOW {
            square[..count].copy_from_slice(elements);
            field.mul_assign(elements, &square[..count]);
        }
        field.mul_assign(elements, &powers[digit][..count]);
    }
}

pub(super) fn zip<'a, T>(a: &'a mut [T], b: &'a [T]) -> impl Iterator<Item = (&'a mut T, &'a T)> {
    debug_assert_eq!(a.len(), b.len());
    a.iter_mut().zip(b)
}

/// A public number less a small one, which it is not below.
fn minus(mut number: Vec<u64>, small: u64) -> Vec<u64> {
    let mut borrow = small;
    for limb in &mut number {
        let (difference, under) = limb.overflowing_sub(borrow);
        *limb = difference;
        borrow = u64::from(under);
    }
    number
}

/// The methods of [`Field`] with these names as the loops here. They are compiled here, for each field once: what uses them may be compiled for size.
macro_rules! loops {
    ($($name:ident)*) => {
        $($crate::field::loops::loops!(@ $name);)*
    };
    (@ pow) => {
        #[inline(never)]
        fn pow(&self, a: Self::Element, exponent: &[u64]) -> Self::Element {
            $crate::field::loops::pow(self, a, exponent)
        }
    };
    (@ inverse) => {
        #[inline(never)]
        fn inverse(&self, a: Self::Element) -> Self::Element {
            $crate::field::loops::inverse(self, a)
        }
    };
    (@ pow_all) => {
        #[inline(never)]
        fn pow_all(&self, elements: &mut [Self::Element], exponent: &[u64]) {
            $crate::field::loops::pow_all(self, elements, exponent)
        }
    };
    (@ add_assign) => {
        #[inline(never)]
        fn add_assign(&self, a: &mut [Self::Element], b: &[Self::Element]) {
            $crate::field::loops::add_assign(self, a, b)
        }
    };
    (@ sub_assign) => {
        #[inline(never)]
        fn sub_assign(&self, a: &mut [Self::Element], b: &[Self::Element]) {
            $crate::field::loops::sub_assign(self, a, b)
        }
    };
    (@ mul_assign) => {
        #[inline(never)]
        fn mul_assign(&self, a: &mut [Self::Element], b: &[Self::Element]) {
            $crate::field::loops::mul_assign(self, a, b)
        }
    };
    (@ add_scaled) => {
        #[inline(never)]
        fn add_scaled(&self, sum: &mut [Self::Element], a: &[Self::Element], factor: Self::Element) {
            $crate::field::loops::add_scaled(self, sum, a, factor)
        }
    };
    (@ add_products) => {
        #[inline(never)]
        fn add_products(&self, sum: &mut [Self::Element], a: &[Self::Element], b: &[Self::Element]) {
            $crate::field::loops::add_products(self, sum, a, b)
        }
    };
    (@ dot) => {
        #[inline(never)]
        fn dot(&self, a: &[Self::Element], b: &[Self::Element]) -> Self::Element {
            $crate::field::loops::dot(self, a, b)
        }
    };
    (@ combine) => {
        #[inline(never)]
        fn combine(&self, sum: &mut [Self::Element], columns: &[&[Self::Element]], factors: &[Self::Element]) {
            $crate::field::loops::combine(self, sum, columns, factors)
        }
    };
    (@ encode_all) => {
        #[inline(never)]
        fn encode_all(&self, elements: &[Self::Element], bytes: &mut [u8]) {
            $crate::field::loops::encode_all(self, elements, bytes)
        }
    };
    (@ decode_all) => {
        #[inline(never)]
        fn decode_all(&self, bytes: &[u8], elements: &mut [Self::Element]) -> Result<(), usize> {
            $crate::field::loops::decode_all(self, bytes, elements)
        }
    };
    (@ uniform_all) => {
        #[inline(never)]
        fn uniform_all(&self, bytes: &[u8], elements: &mut [Self::Element]) {
            $crate::field::loops::uniform_all(self, bytes, elements)
        }
    };
    (@ scale_to_ground) => {
        #[inline(never)]
        fn scale_to_ground(&self, elements: &mut [Self::Element], factor: Self::Element) {
            $crate::field::loops::scale_to_ground(self, elements, factor)
        }
    };
    (@ combine_ground) => {
        #[inline(never)]
        fn combine_ground(&self, a: &mut [Self::Element], b: &[Self::Element], by: [Self::Element; 2]) {
            $crate::field::loops::combine_ground(self, a, b, by)
        }
    };
    (@ encode_ground) => {
        #[inline(never)]
        fn encode_ground(&self, elements: &[Self::Element], bytes: &mut [u8]) {
            $crate::field::loops::encode_ground(self, elements, bytes)
        }
    };
    (@ decode_ground) => {
        #[inline(never)]
        fn decode_ground(&self, bytes: &[u8], elements: &mut [Self::Element]) -> Result<(), usize> {
            $crate::field::loops::decode_ground(self, bytes, elements)
        }
    };
    (@ add_ground) => {
        #[inline(never)]
        fn add_ground(&self, sum: &mut [Self::Element], bytes: &[u8], subtracted: bool) {
            $crate::field::loops::add_ground(self, sum, bytes, subtracted)
        }
    };
    (@ add_uniform) => {
        #[inline(never)]
        fn add_uniform(&self, sum: &mut [Self::Element], bytes: &[u8], factor: Self::Element) {
            $crate::field::loops::add_uniform(self, sum, bytes, factor)
        }
    };
}
pub(super) use loops;
