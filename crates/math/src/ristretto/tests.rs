use curve25519_dalek::constants::RISTRETTO_BASEPOINT_TABLE;
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use num_bigint::BigUint;
use proptest::prelude::*;

use super::constants::{D, SQRT_MINUS_ONE};
use super::field::MASK;
use super::word::MAX_LANES;
use super::*;

/// The counts of points at which vectors and groups that share an inversion are full, or not.
const COUNTS: [usize; 8] = [0, 1, 7, 8, 9, 255, 256, 300];

fn modulus() -> BigUint {
    (BigUint::from(1u32) << 255) - 19u32
}

fn big(limbs: &[u64; 5]) -> BigUint {
    limbs.iter().rev().fold(BigUint::ZERO, |sum, limb| (sum << 51) + limb) % modulus()
}

fn limbs(value: &BigUint) -> [u64; 5] {
    let mut words = value.to_u64_digits();
    words.resize(5, 0);
    core::array::from_fn(|k| {
        let pair =
            u128::from(words[k * 51 / 64]) | u128::from(*words.get(k * 51 / 64 + 1).unwrap_or(&0)) << 64;
        (pair >> (k * 51 % 64)) as u64 & MASK
    })
}

/// Elements at the edges of what may go in: 0, 1, p - 1, numbers from the modulus on, limbs with all bits, and others.
fn edges() -> Vec<[u64; 5]> {
    let top = (1 << 52) - 1;
    let p = modulus();
    let mut edges = vec![[0; 5], [1, 0, 0, 0, 0], [top; 5], [MASK; 5], SQRT_MINUS_ONE, D];
    for distance in 0..20u32 {
        let mut above = limbs(&(&p - 1u32));
        above[0] += u64::from(distance);
        edges.push(above);
    }
    edges.extend((0..5).map(|k| core::array::from_fn(|j| if j == k { top } else { 0 })));
    edges.extend((0..5).map(|k| core::array::from_fn(|j| if j == k { 0 } else { top })));
    edges
}

fn canonical<W: Word>(element: Field<W>) -> Vec<BigUint> {
    let mut encodings = [[0; 32]; MAX_LANES];
    element.encode(&mut encodings[..W::LANES]);
    encodings[..W::LANES].iter().map(|bytes| BigUint::from_bytes_le(bytes)).collect()
}

/// Compares arithmetic on words of one kind with that of big integers, in all lanes.
fn arithmetic<W: Word>(a: &[[u64; 5]; MAX_LANES], b: &[[u64; 5]; MAX_LANES]) {
    let load = |numbers: &[[u64; 5]; MAX_LANES]| -> Field<W> {
        Field::load(&core::array::from_fn(|k| core::array::from_fn(|lane| numbers[lane][k])))
    };
    let p = modulus();
    let (x, y) = (load(a), load(b));
    let check = |found: Field<W>, expected: &dyn Fn(BigUint, BigUint) -> BigUint| {
        let mut stored = [[0; MAX_LANES]; 5];
        found.store(&mut stored);
        let largest = stored.iter().flatten().max().unwrap();
        assert!(*largest < (1 << 51) + (1 << 15), "{largest:x}");
        for (lane, found) in canonical(found).into_iter().enumerate() {
            assert!(found < p);
            assert_eq!(found, expected(big(&a[lane]), big(&b[lane])) % &p, "{:x?} {:x?}", a[lane], b[lane]);
        }
    };
    check(x + y, &|a, b| a + b);
    check(x - y, &|a, b| a + &p - b);
    check(-y, &|_, b| &p - b);
    check(x * y, &|a, b| a * b);
    check(y.square(), &|_, b| &b * &b);
    check(x.double(), &|a, _| a * 2u32);
    check(x.inverse(), &|a, _| a.modpow(&(&p - 2u32), &p));
    check((x + Field::ZERO()).absolute(), &|a, _| if a.bit(0) { &p - a } else { a });
    let (square, root) = Field::root_of_ratio(x, y);
    let mut squares = [0; MAX_LANES];
    square.store(&mut squares);
    for (lane, root) in canonical(root).into_iter().enumerate() {
        let (u, v) = (big(&a[lane]), big(&b[lane]));
        let i = big(&SQRT_MINUS_ONE);
        let scale = if squares[lane] == 0 { i } else { BigUint::from(1u32) };
        assert!(!root.bit(0));
        if v == BigUint::ZERO {
            assert_eq!((root, squares[lane] != 0), (BigUint::ZERO, u == BigUint::ZERO));
        } else {
            assert_eq!(&v * &root * &root % &p, u * scale % &p);
        }
    }
}

fn arithmetic_everywhere(a: &[[u64; 5]; MAX_LANES], b: &[[u64; 5]; MAX_LANES]) {
    for shift in 0..MAX_LANES {
        let rotated = [a, b].map(|numbers| core::array::from_fn(|lane| numbers[(lane + shift) % MAX_LANES]));
        arithmetic::<u64>(&rotated[0], &rotated[1]);
    }
    #[cfg(target_arch = "x86_64")]
    if available() {
        arithmetic::<simd::Vector>(a, b);
    }
}

#[test]
fn arithmetic_at_the_edges_is_that_of_big_integers() {
    let edges = edges();
    for (first, second) in edges.iter().flat_map(|a| edges.iter().map(move |b| (a, b))).step_by(3) {
        let lane = |k: usize| edges[(k * 7) % edges.len()];
        let a = core::array::from_fn(|k| if k == 2 { *first } else { lane(k) });
        let b = core::array::from_fn(|k| if k == 2 { *second } else { lane(k + 3) });
        arithmetic::<u64>(&[a[2]; MAX_LANES], &[b[2]; MAX_LANES]);
        #[cfg(target_arch = "x86_64")]
        if available() {
            arithmetic::<simd::Vector>(&a, &b);
        }
    }
}

#[test]
fn look_ups_read_the_place_of_the_index() {
    fn check<W: Word>() {
        let table: [u64; 16] = core::array::from_fn(|place| 100 + place as u64);
        for index in 0..16 {
            let mut found = [0; MAX_LANES];
            W::look_up(&table, W::all(index)).store(&mut found);
            assert_eq!(found[..W::LANES], [100 + index; MAX_LANES][..W::LANES]);
        }
    }
    check::<u64>();
    #[cfg(target_arch = "x86_64")]
    if available() {
        check::<simd::Vector>();
    }
}

/// Both twins of the kernels.
struct Twin {
    decode: fn(&[Encoding], &mut [Point]) -> Option<usize>,
    encode: fn(&[Point], &mut [Encoding]),
    encode_doubles: fn(&[Point], &mut [Encoding]),
    hash: fn(&[[u8; 64]], &mut [Point]),
    add: fn(&[Point], &mut [Point]),
    multiply: fn(&[[u8; 32]], &mut [Point]),
    multiply_fixed: fn(&Fixed, &[[u8; 32]], &mut [Point]),
}

fn twins() -> Vec<Twin> {
    let mut twins = vec![Twin {
        decode: kernels::decode::<u64>,
        encode: kernels::encode::<u64>,
        encode_doubles: kernels::encode_doubles::<u64>,
        hash: kernels::hash::<u64>,
        add: kernels::add::<u64>,
        multiply: kernels::multiply::<u64>,
        multiply_fixed: kernels::multiply_fixed::<u64>,
    }];
    #[cfg(target_arch = "x86_64")]
    if available() {
        twins.push(Twin {
            decode: simd::decode,
            encode: simd::encode,
            encode_doubles: simd::encode_doubles,
            hash: simd::hash,
            add: simd::add,
            multiply: simd::multiply,
            multiply_fixed: simd::multiply_fixed,
        });
    }
    twins
}

impl Twin {
    fn points(&self, of: &[RistrettoPoint]) -> Vec<Point> {
        let encodings: Vec<Encoding> = of.iter().map(|point| point.compress().to_bytes()).collect();
        let mut points = vec![Point::default(); of.len()];
        assert_eq!((self.decode)(&encodings, &mut points), None);
        points
    }

    fn encodings(&self, points: &[Point]) -> Vec<Encoding> {
        let mut encodings = vec![[0; 32]; points.len()];
        (self.encode)(points, &mut encodings);
        encodings
    }
}

/// Points of the reference, the identity among them.
fn reference(count: usize, seed: u64) -> Vec<RistrettoPoint> {
    let point = |index: u64| match index % 19 {
        5 => RistrettoPoint::default(),
        index if index % 7 == 3 => RistrettoPoint::mul_base(&Scalar::from(index)),
        _ => RistrettoPoint::from_uniform_bytes(&wide(index * 1000 + seed)),
    };
    (0..count as u64).map(point).collect()
}

fn wide(seed: u64) -> [u8; 64] {
    let mut state = seed;
    core::array::from_fn(|_| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 56) as u8
    })
}

fn number(seed: u64) -> [u8; 32] {
    let wide = wide(seed);
    core::array::from_fn(|k| wide[k])
}

fn compressed(points: impl IntoIterator<Item = RistrettoPoint>) -> Vec<Encoding> {
    points.into_iter().map(|point| point.compress().to_bytes()).collect()
}

#[test]
fn points_are_encoded_and_decoded_as_by_the_reference() {
    for twin in twins() {
        for count in COUNTS {
            let of = reference(count, 1);
            let points = twin.points(&of);
            assert_eq!(twin.encodings(&points), compressed(of.iter().copied()));
            let mut doubles = vec![[0; 32]; count];
            (twin.encode_doubles)(&points, &mut doubles);
            assert_eq!(doubles, compressed(of.iter().map(|point| point + point)));
        }
    }
}

#[test]
fn sums_are_those_of_the_reference() {
    let (a, b) = (reference(40, 1), reference(40, 2));
    for twin in twins() {
        let (x, y) = (twin.points(&a), twin.points(&b));
        for k in 0..40 {
            let sums = [&x[k] + &y[k], &x[k] - &y[k], -&x[k], x[k].double(), &x[k] + &x[k], &x[k] - &x[k]];
            let expected =
                [a[k] + b[k], a[k] - b[k], -a[k], a[k] + a[k], a[k] + a[k], RistrettoPoint::default()];
            assert_eq!(twin.encodings(&sums), compressed(expected));
            assert!(sums[3] == sums[4] && sums[5] == Point::IDENTITY && sums[5].is_identity());
            assert_eq!(x[k].is_identity(), a[k] == RistrettoPoint::default());
            assert_eq!(x[k] == y[k], a[k] == b[k]);
            // Sums have other coordinates than what is decoded.
            let decoded = twin.points(&[a[k] + b[k]])[0];
            assert!(decoded == sums[0] && (decoded == -&sums[0]) == decoded.is_identity());
        }
    }
}

#[test]
fn sums_of_batches_are_those_of_the_reference() {
    for twin in twins() {
        for count in COUNTS {
            let (a, b) = (reference(count, 1), reference(count, 2));
            let (mut each, mut all) = (twin.points(&a), twin.points(&a));
            (twin.add)(&twin.points(&b), &mut each);
            assert_eq!(twin.encodings(&each), compressed(a.iter().zip(&b).map(|(a, b)| a + b)));
            let other = reference(2, 5)[1];
            (twin.add)(&twin.points(&[other]), &mut all);
            assert_eq!(twin.encodings(&all), compressed(a.iter().map(|a| a + other)));
        }
    }
}

#[test]
fn hashes_are_those_of_the_reference() {
    let mut uniform: Vec<[u8; 64]> = (0..300).map(wide).collect();
    uniform[0] = [0; 64];
    uniform[1] = [255; 64];
    // The modulus itself, its neighbours, and the roots of -1/d and -d, at which a factor is 0.
    for (place, distance) in (2..22).zip(0..20u8) {
        uniform[place] = [0xff; 64];
        uniform[place][0] = 0xec + distance.min(19);
        uniform[place][31] = 0x7f;
    }
    for twin in twins() {
        for count in COUNTS {
            let mut points = vec![Point::default(); count];
            (twin.hash)(&uniform[..count], &mut points);
            let expected = uniform[..count].iter().map(RistrettoPoint::from_uniform_bytes);
            assert_eq!(twin.encodings(&points), compressed(expected));
        }
    }
}

/// Numbers with digits at all edges.
fn numbers() -> Vec<[u8; 32]> {
    let mut numbers: Vec<[u8; 32]> = (0..300).map(number).collect();
    let order = {
        let mut order = (-Scalar::ONE).to_bytes();
        order[0] += 1;
        order
    };
    let edges = [
        [0; 32],
        [255; 32],
        [0x88; 32],
        [0x77; 32],
        [0x80; 32],
        [0x08; 32],
        order,
        (-Scalar::ONE).to_bytes(),
    ];
    numbers[..8].copy_from_slice(&edges);
    numbers[8] = Scalar::ONE.to_bytes();
    numbers
}

#[test]
fn multiples_are_those_of_the_reference() {
    let numbers = numbers();
    for twin in twins() {
        for count in COUNTS {
            let of = reference(count, 3);
            let mut points = twin.points(&of);
            (twin.multiply)(&numbers[..count], &mut points);
            let scalar = |bytes: &[u8; 32]| Scalar::from_bytes_mod_order(*bytes);
            // The reference leaves out the top bit, which is added here.
            let exact = |bytes: &[u8; 32]| {
                let mut wide = [0; 64];
                wide[..32].copy_from_slice(bytes);
                Scalar::from_bytes_mod_order_wide(&wide)
            };
            assert_eq!(scalar(&numbers[8]), exact(&numbers[8]));
            let expected = of.iter().zip(&numbers).map(|(point, number)| exact(number) * point);
            assert_eq!(twin.encodings(&points), compressed(expected));
            for number in &numbers[..9] {
                let mut points = twin.points(&of[..count.min(9)]);
                (twin.multiply)(&[*number], &mut points);
                let expected = of[..count.min(9)].iter().map(|point| exact(number) * point);
                assert_eq!(twin.encodings(&points), compressed(expected));
            }
        }
    }
}

#[test]
fn multiples_by_tables_are_those_of_the_reference() {
    let numbers = numbers();
    let exact = |bytes: &[u8; 32]| {
        let mut wide = [0; 64];
        wide[..32].copy_from_slice(bytes);
        Scalar::from_bytes_mod_order_wide(&wide)
    };
    for twin in twins() {
        let other = RistrettoPoint::from_uniform_bytes(&wide(77));
        let fixed = [Fixed::base(), Fixed::new(&twin.points(&[other])[0]), Fixed::new(&Point::IDENTITY)];
        let bases = [RISTRETTO_BASEPOINT_TABLE.basepoint(), other, RistrettoPoint::default()];
        for (fixed, base) in fixed.iter().zip(bases) {
            for count in [0, 1, 9, 300] {
                let mut points = vec![Point::default(); count];
                (twin.multiply_fixed)(fixed, &numbers[..count], &mut points);
                let expected = numbers[..count].iter().map(|number| exact(number) * base);
                assert_eq!(twin.encodings(&points), compressed(expected));
            }
        }
    }
}

/// Encodings that are none: of RFC 9496's appendix A.3 each kind, and some that the reference refuses.
fn wrong_encodings() -> Vec<Encoding> {
    let p = modulus();
    let mut wrong: Vec<Encoding> = (0..19u32)
        .map(|distance| &p + distance)
        .chain([
            &p - 1u32,
            BigUint::from(1u32),
            (BigUint::from(1u32) << 256) - 1u32,
            BigUint::from(1u32) << 255,
        ])
        .map(|number| {
            let mut bytes = number.to_bytes_le();
            bytes.resize(32, 0);
            core::array::from_fn(|k| bytes[k])
        })
        .collect();
    let base = RISTRETTO_BASEPOINT_TABLE.basepoint().compress().to_bytes();
    wrong.push(core::array::from_fn(|k| base[k] | if k == 31 { 0x80 } else { 0 }));
    let refused = |bytes: &Encoding| CompressedRistretto(*bytes).decompress().is_none();
    wrong.extend((0..200).map(number).filter(refused));
    assert!(wrong.iter().all(refused));
    wrong
}

#[test]
fn encodings_of_no_point_are_refused_wherever_they_are() {
    let good = compressed(reference(20, 9));
    for twin in twins() {
        for wrong in wrong_encodings() {
            for place in [0, 6, 7, 8, 19] {
                let mut encodings = good.clone();
                encodings[place] = wrong;
                encodings[19] = wrong;
                let mut points = vec![Point::default(); 20];
                assert_eq!((twin.decode)(&encodings, &mut points), Some(place), "{wrong:x?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn arithmetic_is_that_of_big_integers(
        a in prop::array::uniform8(prop::array::uniform5(0u64..1 << 52)),
        b in prop::array::uniform8(prop::array::uniform5(0u64..1 << 52)),
    ) {
        arithmetic_everywhere(&a, &b);
    }

    #[test]
    fn any_bytes_are_decoded_as_by_the_reference(bytes in any::<[u8; 32]>(), clear in any::<bool>()) {
        let mut bytes = bytes;
        if clear {
            bytes[0] &= 0xfe;
            bytes[31] &= 0x7f;
        }
        let expected = CompressedRistretto(bytes).decompress();
        for twin in twins() {
            let mut points = [Point::default()];
            prop_assert_eq!((twin.decode)(&[bytes], &mut points).is_none(), expected.is_some());
            if expected.is_some() {
                prop_assert_eq!(twin.encodings(&points), vec![bytes]);
            }
        }
    }

    #[test]
    fn any_numbers_and_points_multiply_as_by_the_reference(
        bytes in prop::collection::vec(any::<([u8; 32], [u8; 32])>(), 1..20),
    ) {
        let uniform = |(a, b): &([u8; 32], [u8; 32])| {
            let mut uniform = [0; 64];
            uniform[..32].copy_from_slice(a);
            uniform[32..].copy_from_slice(b);
            uniform
        };
        let of: Vec<RistrettoPoint> =
            bytes.iter().map(|pair| RistrettoPoint::from_uniform_bytes(&uniform(pair))).collect();
        let scalars: Vec<Scalar> = bytes.iter().map(|(a, _)| Scalar::from_bytes_mod_order(*a)).collect();
        let numbers: Vec<[u8; 32]> = scalars.iter().map(Scalar::to_bytes).collect();
        for twin in twins() {
            let mut points = twin.points(&of);
            (twin.multiply)(&numbers, &mut points);
            let expected: Vec<RistrettoPoint> = of.iter().zip(&scalars).map(|(point, scalar)| scalar * point).collect();
            prop_assert_eq!(twin.encodings(&points), compressed(expected.iter().copied()));
            (twin.encode_doubles)(&points, &mut vec![[0; 32]; points.len()]);
            let mut doubles = vec![[0; 32]; points.len()];
            (twin.encode_doubles)(&points, &mut doubles);
            prop_assert_eq!(doubles, compressed(expected.iter().map(|point| point + point)));
        }
    }
}

#[test]
fn calls_check_their_lengths_and_say_where_decoding_fails() {
    let good = compressed(reference(9, 1));
    let mut points = vec![Point::default(); 9];
    assert_eq!(decode_into(&good, &mut points), Ok(()));
    let mut encodings = vec![[0; 32]; 9];
    encode_into(&points, &mut encodings);
    assert_eq!(encodings, good);
    assert_eq!(decode_into(&[good[0], [1; 32]], &mut points[..2]), Err(1));
    assert_eq!(format!("{:?}", points[0]), "Point(..)");
    points[0].zeroize();
    assert_eq!(points[0].0, [[0; 5]; 4]);
    let wrong = std::panic::catch_unwind(|| decode_into(&good, &mut [Point::default()]));
    assert!(wrong.is_err());
}
