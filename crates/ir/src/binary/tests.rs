use proptest::prelude::*;

use super::*;
use crate::{Builder, Shape};

fn small() -> Program {
    let mut program = Builder::new("small");
    let role = program.role("A");
    let shape = Shape::Array { length: 3, element: Box::new(Shape::Integer { bits: 9, signed: true }) };
    let port = program.input("x", role, shape.clone()).unwrap();
    let result = program.output("y", vec![role], shape).unwrap();
    let mut main = program.template("main", vec![]);
    let x = main.input(&program, port).unwrap()[0];
    let sum = main.add(x, x).unwrap();
    main.output(&program, result, &[sum]).unwrap();
    program.finish(main).unwrap()
}

#[test]
fn programs_come_back() {
    let program = small();
    assert_eq!(Program::from_bytes(&program.to_bytes()), Ok(program));
}

/// A change of format must be deliberate: it changes this hash and the version.
#[test]
fn the_form_is_pinned() {
    let form = blake3::hash(&small().to_bytes()).to_hex();
    assert_eq!(form.as_str(), "805c7822bd18839d55884dd940a5601ecb371edc835163e2db93547a26466918");
}

#[test]
fn the_hash_is_that_of_the_form_but_for_lines() {
    let (mut one, mut other) = (small(), small());
    for (program, line) in [(&mut one, 0), (&mut other, 7)] {
        for template in &mut program.templates {
            if let Body::Operations { operations, .. } = &mut template.body {
                operations.iter_mut().for_each(|operation| operation.line = line);
            }
        }
    }
    assert_ne!(one.to_bytes(), other.to_bytes());
    assert_eq!(one.hash(), other.hash());
    one.name.push('x');
    assert_ne!(one.hash(), other.hash());
}

#[test]
fn headers_are_told_apart() {
    let bytes = small().to_bytes();
    assert_eq!(Program::from_bytes(b"TACI"), Err(DecodeError::Magic));
    assert_eq!(Program::from_bytes(b"something else"), Err(DecodeError::Magic));
    assert!(matches!(Program::from_bytes(&bytes[..7]), Err(DecodeError::Damaged(_))));
    let mut newer = bytes.clone();
    newer[6] = 2;
    assert_eq!(Program::from_bytes(&newer), Err(DecodeError::Version { found: 2 }));
    assert!(matches!(Program::from_bytes(&bytes[..8]), Err(DecodeError::Damaged(_))));
}

#[test]
fn another_way_of_writing_is_refused() {
    let mut bytes = small().to_bytes();
    assert_eq!(bytes[8], 5, "the length of the name");
    bytes.splice(8..9, [0x85, 0]);
    assert_eq!(Program::from_bytes(&bytes), Err(DecodeError::NotCanonical));
    let mut longer = small().to_bytes();
    longer.push(0);
    assert_eq!(Program::from_bytes(&longer), Err(DecodeError::NotCanonical));
}

#[test]
fn deep_shapes_are_refused_before_they_are_built() {
    let mut program = small();
    program.inputs[0].shape = (0..100).fold(Shape::Integer { bits: 1, signed: false }, |element, _| {
        Shape::Array { length: 1, element: Box::new(element) }
    });
    assert!(matches!(Program::from_bytes(&program.to_bytes()), Err(DecodeError::Damaged(_))));
    assert!(program.validate().is_err());
}

/// A property of any bytes: they are refused, or they are the encoding of the program that they decode to.
fn check(bytes: &[u8]) {
    if let Ok(program) = Program::from_bytes(bytes) {
        assert_eq!(program.to_bytes(), bytes);
    }
}

proptest! {
    #[test]
    fn noise_is_refused(noise in prop::collection::vec(any::<u8>(), 0..400)) {
        check(&noise);
        let mut bytes = small().to_bytes();
        bytes.truncate(HEADER_BYTES);
        bytes.extend(noise);
        check(&bytes);
    }
}
