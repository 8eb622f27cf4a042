//! A planted bug of every class, in every width to which it applies, is found, with inputs that trigger it
//! natively; the same program without the bug is proven.

use crate::programs::{assert_proven, checked, only_violated, run_found, run_native, write};
use tacit_cfront::PropertyKind;
use tacit_check::test;

/// A class of bugs.
struct Class {
    name: &'static str,
    kind: PropertyKind,
    /// The last line of the main function with the bug, for inputs `x` and `y` of type `T`.
    bug: &'static str,
    /// The same line without the bug.
    twin: &'static str,
    /// The types to which it applies.
    types: &'static [&'static str],
    unwind: Option<&'static str>,
    /// How a native run shows the bug.
    shows: Shows,
}

#[derive(Clone, Copy, PartialEq)]
enum Shows {
    /// The program is stopped by a signal.
    Signal,
    /// The result depends on previous memory content.
    Difference,
    /// It exceeds its bound, which native programs do not have.
    Nothing,
}

/// Integer types that arithmetic does not promote, and those to which it promotes.
const ARITHMETIC: &[&str] = &["_BitInt(8)", "_BitInt(16)", "int", "long", "_BitInt(24)", "__int128"];
const ALL: &[&str] = &[
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "_BitInt(24)",
    "unsigned _BitInt(24)",
    "__int128",
    "unsigned __int128",
];

const fn class(
    name: &'static str,
    kind: PropertyKind,
    bug: &'static str,
    twin: &'static str,
    types: &'static [&'static str],
) -> Class {
    Class { name, kind, bug, twin, types, unwind: None, shows: Shows::Signal }
}

const CLASSES: &[Class] = &[
    class("add", PropertyKind::SignedOverflow, "return x + y;", "return x / 2 + y / 2;", ARITHMETIC),
    class("subtract", PropertyKind::SignedOverflow, "return x - y;", "return x / 2 - y / 2;", ARITHMETIC),
    class("multiply", PropertyKind::SignedOverflow, "return x * y;", "return (x & 7) * (y & 7);", ARITHMETIC),
    class("negate", PropertyKind::SignedOverflow, "return -x;", "return -(x / 2);", ARITHMETIC),
    class(
        "divide",
        PropertyKind::DivisionByZero,
        "return y < 0 ? 0 : x / y;",
        "return y > 0 ? x / y : 0;",
        ALL,
    ),
    class(
        "remainder",
        PropertyKind::DivisionByZero,
        "return y < 0 ? 0 : x % y;",
        "return y > 0 ? x % y : 0;",
        ALL,
    ),
    class(
        "quotient",
        PropertyKind::DivisionOverflow,
        "return y ? x / y : 0;",
        "return y && y != -1 ? x / y : 0;",
        ARITHMETIC,
    ),
    class(
        "modulus",
        PropertyKind::DivisionOverflow,
        "return y ? x % y : 0;",
        "return y && y != -1 ? x % y : 0;",
        ARITHMETIC,
    ),
    class("shift_left", PropertyKind::Shift, "return (x & 1) << y;", "return (x & 1) << (y & 3);", ALL),
    class("shift_right", PropertyKind::Shift, "return x >> y;", "return x >> (y & 7);", ALL),
    class(
        "bounds",
        PropertyKind::Bounds,
        "return list[x] + (y & 1);",
        "return x >= 0 && x < 5 ? list[x] : 0;",
        ALL,
    ),
    class(
        "null",
        PropertyKind::Null,
        "T *p = x == 3 ? 0 : &y; return *p;",
        "T *p = x == 3 ? 0 : &y; return p ? *p : 0;",
        ALL,
    ),
    Class {
        shows: Shows::Difference,
        ..class(
            "uninitialised",
            PropertyKind::Uninitialised,
            "T z; if (x == y) z = 1; if (z) exit(1); return 0;",
            "T z = 0; if (x == y) z = 1; return z ? 1 : 0;",
            ALL,
        )
    },
    class(
        "assertion",
        PropertyKind::Assertion,
        "assert(x != 42); return y;",
        "assert(x != 42 || x); return y;",
        ALL,
    ),
    Class {
        unwind: Some("5"),
        shows: Shows::Nothing,
        ..class(
            "unwinding",
            PropertyKind::Unwinding,
            "int n = 0; for (T i = 0; i < x && i < 100; i++) n++; return n;",
            "int n = 0; for (T i = 0; i < x && i < 5; i++) n++; return n;",
            ALL,
        )
    },
];

fn source(ty: &str, body: &str) -> String {
    format!(
        "#include <assert.h>\n#include <stdlib.h>\ntypedef {ty} T;\nstatic const unsigned char list[5] = {{9, 8, 7, 6, 5}};\n\
         T f(T INPUT_A_x, T INPUT_B_y) {{ T x = INPUT_A_x, y = INPUT_B_y;\n{body}\n}}\n"
    )
}

/// Plants a bug, finds it, triggers it, and proves the program without it.
fn plant(test_name: &str, class: &Class, ty: &str) {
    let name = format!("{test_name}_{}_{}", class.name, ty.replace([' ', '(', ')'], "_"));
    let bug = class.bug.replace("exit(1)", "return 1");
    let path = write(&format!("{name}.c"), &source(ty, &bug));
    let report = checked(&path, class.unwind);
    let number = only_violated(&name, &report);
    let property = &report.checked.properties[number];
    assert_eq!((property.kind, property.location.line), (class.kind, 6), "{name}: {property:?}");
    match class.shows {
        Shows::Signal => {
            let status = run_found(&name, &path, &report, number);
            assert!(status.code().is_none(), "{name}: {status}");
        }
        Shows::Difference => {
            let text = test(&report, number, &[&path]).expect("a test").expect("inputs");
            let text = text.replace("return 1", "exit(1)");
            let of = |content: &str| {
                let option = format!("-ftrivial-auto-var-init={content}");
                run_native(&format!("{name}_{content}"), &text, &[&option]).code()
            };
            assert_ne!(of("zero"), of("pattern"), "{name}");
        }
        Shows::Nothing => {}
    }
    let twin = write(&format!("{name}_twin.c"), &source(ty, class.twin));
    assert_proven(&twin, class.unwind);
}

#[test]
fn a_bug_of_every_class_is_found() {
    for (number, class) in CLASSES.iter().enumerate() {
        plant("some", class, class.types[(number * 5 + 2) % class.types.len()]);
    }
}

#[test]
#[ignore = "takes minutes"]
fn a_bug_of_every_class_is_found_in_every_width() {
    for class in CLASSES {
        class.types.iter().for_each(|ty| plant("all", class, ty));
    }
}

#[test]
#[ignore = "takes minutes"]
fn promoted_arithmetic_does_not_overflow() {
    for ty in ["signed char", "short", "unsigned char"] {
        for body in ["return x + y;", "return x - y;", "return -x;", "return y ? x / y : 0;"] {
            let path = write(&format!("promoted_{}.c", ty.replace(' ', "_")), &source(ty, body));
            assert_proven(&path, None);
        }
    }
}
