//! The properties of a C program are outputs of the program that [`check`] makes.

use crate::native;
use std::path::PathBuf;

use tacit_cfront::{Checked, Options, PropertyKind, check};
use tacit_ir::{Words, interpret};

fn write(name: &str, text: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("checks");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

fn checked(name: &str, text: &str, change: impl FnOnce(&mut Options)) -> Checked {
    let mut options = Options::new(native::compiler());
    change(&mut options);
    let checked = check(&[&write(name, text)], &options).unwrap_or_else(|error| panic!("{name}: {error}"));
    checked.program.validate().expect("a valid program");
    checked
}

/// The kind and line of the property that a run with these inputs violates, if any.
fn violated(checked: &Checked, inputs: &[u128]) -> Option<(PropertyKind, u32)> {
    let words = checked.program.inputs.iter().zip(inputs).map(|(port, value)| {
        let column = &port.shape.columns()[0];
        vec![Words::from_u128s(column.bits, &[*value])]
    });
    let outputs = interpret(&checked.program, &words.collect::<Vec<_>>(), || 0).expect("outputs");
    let set: Vec<usize> =
        (0..checked.properties.len()).filter(|lane| outputs[0][0].low_u128(*lane as u64) == 1).collect();
    assert!(set.len() <= 1, "{set:?}");
    set.first().map(|number| {
        let property = &checked.properties[*number];
        (property.kind, property.location.line)
    })
}

/// A program of two inputs of type `ty`, the runs that violate a property at line 2, and the runs that do not.
struct Case {
    body: &'static str,
    ty: &'static str,
    kind: PropertyKind,
    bad: &'static [[i128; 2]],
    good: &'static [[i128; 2]],
}

const CASES: &[Case] = &[
    Case {
        body: "return INPUT_A_x + INPUT_B_y;",
        ty: "int",
        kind: PropertyKind::SignedOverflow,
        bad: &[[i32::MAX as i128, 1], [i32::MIN as i128, -1]],
        good: &[[i32::MAX as i128, 0], [-5, 5]],
    },
    Case {
        body: "return INPUT_A_x * INPUT_B_y;",
        ty: "long",
        kind: PropertyKind::SignedOverflow,
        bad: &[[i64::MAX as i128, 2], [1 << 40, 1 << 40]],
        good: &[[1 << 31, 1 << 31]],
    },
    Case {
        body: "return -INPUT_A_x + INPUT_B_y;",
        ty: "_BitInt(24)",
        kind: PropertyKind::SignedOverflow,
        bad: &[[-(1 << 23), 0]],
        good: &[[1 - (1 << 23), 0]],
    },
    Case {
        body: "return INPUT_A_x / INPUT_B_y;",
        ty: "int",
        kind: PropertyKind::DivisionByZero,
        bad: &[[7, 0], [i32::MIN as i128, 0]],
        good: &[[7, -1]],
    },
    Case {
        body: "return INPUT_A_x % INPUT_B_y;",
        ty: "long",
        kind: PropertyKind::DivisionOverflow,
        bad: &[[i64::MIN as i128, -1]],
        good: &[[i64::MIN as i128, 1]],
    },
    Case {
        body: "return INPUT_A_x << INPUT_B_y;",
        ty: "int",
        kind: PropertyKind::Shift,
        bad: &[[1, 32], [1, -1], [3, 31], [-1, 1]],
        good: &[[1, 30]],
    },
    Case {
        body: "return list[INPUT_A_x] + INPUT_B_y;",
        ty: "unsigned char",
        kind: PropertyKind::Bounds,
        bad: &[[9, 0], [255, 0]],
        good: &[[8, 255]],
    },
    Case {
        body: "return *(list + INPUT_A_x) + *(INPUT_B_y ? list : 0);",
        ty: "short",
        kind: PropertyKind::Bounds,
        bad: &[[9, 1], [-1, 1]],
        good: &[[0, 1]],
    },
    Case {
        body: "return *(list + INPUT_A_x) + *(INPUT_B_y ? list : 0);",
        ty: "short",
        kind: PropertyKind::Null,
        bad: &[[3, 0]],
        good: &[[0, 1]],
    },
    Case {
        body: "int z; if (INPUT_A_x) z = INPUT_B_y; return z;",
        ty: "int",
        kind: PropertyKind::Uninitialised,
        bad: &[[0, 5]],
        good: &[[1, 5]],
    },
    Case {
        body: "struct { int a : 3, b : 4; } s; s.b = INPUT_B_y; if (INPUT_A_x) s.a = 1; return s.a == 1;",
        ty: "int",
        kind: PropertyKind::Uninitialised,
        bad: &[[0, 5]],
        good: &[[1, 5]],
    },
    Case {
        body: "int s = 0; for (int i = 0; i < 2; i++) { int z; if (i == INPUT_A_x) z = 1; if (i == INPUT_B_y) s += z; } return s;",
        ty: "int",
        kind: PropertyKind::Uninitialised,
        bad: &[[0, 1]],
        good: &[[0, 0], [1, 1], [2, 2]],
    },
    Case {
        body: "int z[4]; z[INPUT_A_x & 3] = 7; return z[INPUT_B_y & 3];",
        ty: "int",
        kind: PropertyKind::Uninitialised,
        bad: &[[0, 1]],
        good: &[[3, 3]],
    },
    Case {
        body: "int *p; if (INPUT_A_x) p = list; return *p + INPUT_B_y;",
        ty: "short",
        kind: PropertyKind::Uninitialised,
        bad: &[[0, 1]],
        good: &[[3, 3]],
    },
    Case {
        body: "assert(INPUT_A_x <= INPUT_B_y); return 0;",
        ty: "unsigned",
        kind: PropertyKind::Assertion,
        bad: &[[2, 1]],
        good: &[[1, 1]],
    },
    Case {
        body: "if (INPUT_A_x == INPUT_B_y) abort(); return 0;",
        ty: "unsigned",
        kind: PropertyKind::Abort,
        bad: &[[2, 2]],
        good: &[[1, 2]],
    },
    Case {
        body: "int s = 0; for (int i = 0; i < INPUT_A_x; i++) s ^= INPUT_B_y; return s;",
        ty: "int",
        kind: PropertyKind::Unwinding,
        bad: &[[5, 1]],
        good: &[[4, 1], [-9, 1]],
    },
    Case {
        body: "return down(INPUT_A_x) + (INPUT_B_y & 1);",
        ty: "unsigned char",
        kind: PropertyKind::Unwinding,
        bad: &[],
        good: &[[4, 1], [0, 1]],
    },
    Case {
        body: "int *p = INPUT_A_x ? malloc(4) : list; if (INPUT_B_y) free(p); *p = 3; return *p;",
        ty: "unsigned char",
        kind: PropertyKind::Lifetime,
        bad: &[[1, 1], [0, 1]],
        good: &[[1, 0], [0, 0]],
    },
    Case {
        body: "int *p; { int q = 5; p = INPUT_A_x ? &q : list; } return *p + INPUT_B_y;",
        ty: "unsigned char",
        kind: PropertyKind::Lifetime,
        bad: &[[1, 1]],
        good: &[[0, 0]],
    },
    Case {
        body: "return __builtin_ctz(INPUT_A_x) + (INPUT_B_y & 1);",
        ty: "unsigned",
        kind: PropertyKind::Argument,
        bad: &[[0, 1]],
        good: &[[8, 0]],
    },
    Case {
        body: "tacit_assume(INPUT_B_y > 3); return INPUT_A_x / (INPUT_B_y - 3 - INPUT_A_x);",
        ty: "unsigned char",
        kind: PropertyKind::DivisionByZero,
        bad: &[[1, 4]],
        good: &[[0, 3], [1, 5]],
    },
    Case {
        body: "if (INPUT_A_x > 4) __builtin_unreachable(); return INPUT_B_y;",
        ty: "unsigned char",
        kind: PropertyKind::Unreachable,
        bad: &[[5, 4]],
        good: &[[0, 3]],
    },
];

#[test]
fn planted_bugs_are_conditions() {
    for (number, case) in CASES.iter().enumerate() {
        let (ty, body) = (case.ty, case.body);
        let text = format!(
            "#include <assert.h>\n#include <stdlib.h>\nint list[9];\n\
             static int down(unsigned n) {{\n    return n ? down(n - 1) + 1 : 0;\n}}\n\
             int f({ty} INPUT_A_x, {ty} INPUT_B_y) {{\n{body}\n}}\n"
        );
        let checked = checked(&format!("case_{number}.c"), &text, |options| {
            options.unwind = "4".parse().expect("a bound");
        });
        let run = |inputs: &[i128; 2]| violated(&checked, &inputs.map(|value| value as u128));
        for inputs in case.bad {
            assert_eq!(run(inputs), Some((case.kind, 8)), "{body} on {inputs:?}: {:?}", checked.properties);
        }
        for inputs in case.good {
            assert_eq!(run(inputs), None, "{body} on {inputs:?}");
        }
    }
}

#[test]
fn bounds_are_conditions_at_the_loop_and_the_call() {
    let text = "static int down(unsigned n) {\n    return n ? down(n - 1) + 1 : 0;\n}\n\
                int f(unsigned INPUT_A_x, unsigned INPUT_B_y) {\n    int s = 0;\n    for (int i = 0; i < 20; i++)\n        \
                for (unsigned j = 0; j < INPUT_B_y; j++)\n            s ^= 1;\n    return s + down(INPUT_A_x);\n}\n";
    let checked = checked("bounds.c", text, |options| {
        options.unwind = "f.1=3,down=2".parse().expect("bounds");
    });
    assert_eq!(violated(&checked, &[2, 3]), None);
    assert_eq!(violated(&checked, &[2, 4]), Some((PropertyKind::Unwinding, 7)));
    assert_eq!(violated(&checked, &[3, 3]), Some((PropertyKind::Unwinding, 2)));
    let names: Vec<&str> = checked.properties.iter().map(|one| one.function.as_str()).collect();
    assert!(names.contains(&"f") && names.contains(&"down"), "{names:?}");
}

#[test]
fn what_cannot_go_wrong_is_a_property_too() {
    let checked =
        checked("fine.c", "int f(unsigned char INPUT_A_x) {\n    return INPUT_A_x + 1;\n}\n", |_| {});
    assert_eq!(checked.properties.len(), 1, "{:?}", checked.properties);
    let property = &checked.properties[0];
    assert_eq!((property.kind, property.location.line), (PropertyKind::SignedOverflow, 2));
    assert_eq!(property.location.file, "fine.c");
    assert_eq!(violated(&checked, &[255]), None);
}

#[test]
fn programs_of_the_tests_can_be_checked() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut sources: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("programs").flatten().map(|entry| entry.path()).collect();
    sources.sort();
    for source in sources {
        let text = std::fs::read_to_string(&source).expect("a source");
        let mut options = Options::new(native::compiler());
        options.function = native::Directives::of(&text).function;
        let checked =
            check(&[&source], &options).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
        checked.program.validate().unwrap_or_else(|error| panic!("{}: {error}", source.display()));
    }
}
