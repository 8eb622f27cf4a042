//! Small programs with undefined behaviour on some inputs are never proven, and their correct counterparts
//! are.

use crate::programs::{checked, compiler, lines, write};
use tacit_cfront::{CError, Options, PropertyKind};
use tacit_check::{Finding, Limits, check};

/// A mistake, and the program without it. `%` marks where the two programs differ.
struct Case {
    name: &'static str,
    kind: PropertyKind,
    program: &'static str,
    bug: &'static str,
    twin: &'static str,
}

const fn case(
    name: &'static str,
    kind: PropertyKind,
    program: &'static str,
    bug: &'static str,
    twin: &'static str,
) -> Case {
    Case { name, kind, program, bug, twin }
}

/// A function of two small numbers, which `%` completes.
const PLAIN: &str =
    "int f(short INPUT_A_x, short INPUT_B_y) {\n    int x = INPUT_A_x, y = INPUT_B_y;\n%\n}\n";

const CASES: &[Case] = &[
    // Constant objects.
    case(
        "literal",
        PropertyKind::Constant,
        PLAIN,
        "char *s = \"abc\"; if (x > 3) s[1] = 'x'; return s[1] + y;",
        "char s[] = \"abc\"; if (x > 3) s[1] = 'x'; return s[1] + y;",
    ),
    case(
        "literal_by_function",
        PropertyKind::Constant,
        PLAIN,
        "char *s = \"abc\"; if (x > 3) strcpy(s, \"xy\"); return s[1] + y;",
        "char s[4] = \"abc\"; if (x > 3) strcpy(s, \"xy\"); return s[1] + y;",
    ),
    case(
        "const_global",
        PropertyKind::Constant,
        "% int list[2] = {4, 5};\nint f(short INPUT_A_x, short INPUT_B_y) { if (INPUT_A_x == INPUT_B_y) *(int *)&list[1] = 6; return list[1]; }\n",
        "const",
        "static",
    ),
    case(
        "const_static",
        PropertyKind::Constant,
        PLAIN,
        "static const int k = 4; if (x == y) *(int *)&k = 6; return k;",
        "static int k = 4; if (x == y) *(int *)&k = 6; return k;",
    ),
    case(
        "one_of_them_const",
        PropertyKind::Constant,
        PLAIN,
        "static const int k = 4; int z = 5; int *p = x > 3 ? (int *)&k : &z; *p = 6; return z + (y & 1);",
        "static const int k = 4; int z = 5; const int *p = x > 3 ? &k : &z; return *p + z + (y & 1);",
    ),
    case(
        "const_copied_over",
        PropertyKind::Constant,
        PLAIN,
        "static const int k[2] = {4, 5}; int z[2] = {x, y}; if (x == y) memcpy((int *)k, z, sizeof z); return k[1];",
        "static int k[2] = {4, 5}; int z[2] = {x, y}; if (x == y) memcpy((int *)k, z, sizeof z); return k[1];",
    ),
    // Outputs that some path never sets.
    case(
        "scalar_output",
        PropertyKind::Uninitialised,
        PLAIN,
        "int OUTPUT_r; if (x > 3) OUTPUT_r = 1; return y;",
        "int OUTPUT_r = 0; if (x > 3) OUTPUT_r = 1; return y;",
    ),
    case(
        "half_of_an_output",
        PropertyKind::Uninitialised,
        PLAIN,
        "struct { short a, b; } OUTPUT_r; OUTPUT_r.a = 1; if (x > 3) OUTPUT_r.b = 1; return y;",
        "struct { short a, b; } OUTPUT_r; OUTPUT_r.b = OUTPUT_r.a = 1; if (x > 3) OUTPUT_r.b = 1; return y;",
    ),
    case(
        "output_in_a_loop",
        PropertyKind::Uninitialised,
        PLAIN,
        "int OUTPUT_r; for (int i = 0; i < 3; i++) if (i == x) OUTPUT_r = y; return 0;",
        "int OUTPUT_r; for (int i = 0; i < 3; i++) if (i == x || i == 0) OUTPUT_r = y; return 0;",
    ),
    case(
        "output_by_switch",
        PropertyKind::Uninitialised,
        PLAIN,
        "long OUTPUT_r; switch (x & 3) { case 0: OUTPUT_r = 1; break; case 1: case 2: OUTPUT_r = y; } return 0;",
        "long OUTPUT_r; switch (x & 3) { case 0: OUTPUT_r = 1; break; case 1: case 2: OUTPUT_r = y; break; default: OUTPUT_r = 3; } return 0;",
    ),
    case(
        "output_by_callee",
        PropertyKind::Uninitialised,
        "static void set(int *to, int x) { if (x %) *to = 7; }\nvoid f(short INPUT_A_x, short INPUT_B_y) { int OUTPUT_r; set(&OUTPUT_r, INPUT_A_x | INPUT_B_y); }\n",
        "> 3",
        "> 3 || 1",
    ),
    case(
        "array_output",
        PropertyKind::Uninitialised,
        PLAIN,
        "int OUTPUT_r[3]; OUTPUT_r[0] = OUTPUT_r[1] = 2; OUTPUT_r[x & 1] = y; return 0;",
        "int OUTPUT_r[3]; OUTPUT_r[0] = OUTPUT_r[1] = OUTPUT_r[2] = 2; OUTPUT_r[x & 1] = y; return 0;",
    ),
    case(
        "result",
        PropertyKind::Uninitialised,
        PLAIN,
        "if (x > 3) return y;",
        "if (x > 3) return y; return 0;",
    ),
    // Addresses in different objects.
    case(
        "compared",
        PropertyKind::Unrelated,
        PLAIN,
        "int a[2], b[2]; int *p = x > 3 ? a : b; return p < a + 1;",
        "int a[2], b[2]; int *p = x > 3 ? a : a + 1; return p < a + 1;",
    ),
    case(
        "subtracted",
        PropertyKind::Unrelated,
        PLAIN,
        "int a[2], b[2]; int *p = x > 3 ? a : b; return p - a;",
        "int a[2], b[2]; int *p = x > 3 ? a : a + 1; return p - a;",
    ),
    case(
        "always_subtracted",
        PropertyKind::Unrelated,
        PLAIN,
        "int a[2], b[2]; return b - a;",
        "int a[2], b[2]; return b == a;",
    ),
    case(
        "beyond_the_end",
        PropertyKind::Bounds,
        PLAIN,
        "int a[4]; int *p = a + (x & 7); return p > a;",
        "int a[4]; int *p = a + (x & 3); return p > a;",
    ),
    case(
        "before_the_start",
        PropertyKind::Bounds,
        PLAIN,
        "int a[4]; int *p = a + 2; if (x > 3) p -= 3; return p == a;",
        "int a[4]; int *p = a + 2; if (x > 3) p -= 2; return p == a;",
    ),
    // Copies.
    case(
        "overlapping",
        PropertyKind::Overlap,
        PLAIN,
        "char a[8] = {1, 2, 3, 4}; memcpy(a + (x & 3), a, 3); return a[2] + (y & 1);",
        "char a[8] = {1, 2, 3, 4}; memmove(a + (x & 3), a, 3); return a[2] + (y & 1);",
    ),
    case(
        "overlapping_by_choice",
        PropertyKind::Overlap,
        PLAIN,
        "char a[8] = {1, 2, 3, 4}, b[8] = {0}; memcpy(x > 3 ? a : b, a, 3); return a[2] + (y & 1);",
        "char a[8] = {1, 2, 3, 4}, b[8] = {0}; memcpy(x > 3 ? a + 4 : b, a, 4); return a[2] + (y & 1);",
    ),
    case(
        "assigned_across",
        PropertyKind::Overlap,
        PLAIN,
        "struct { int v[2]; } *p, *q; int a[4] = {1, 2, 3, 4}; p = (void *)a; q = (void *)(a + (x & 1)); *p = *q; return a[0];",
        "struct { int v[2]; } *p, *q; int a[4] = {1, 2, 3, 4}; p = (void *)a; q = (void *)(a + 2 * (x & 1)); *p = *q; return a[0];",
    ),
    // Calls.
    case(
        "other_parameters",
        PropertyKind::Call,
        "static int g(int a) { return a & 1; }\nstatic int h(long a, int b) { return b & 1; }\nint f(short INPUT_A_x, short INPUT_B_y) { int (*p)() = %; return ((int (*)(int))p)(INPUT_B_y); }\n",
        "INPUT_A_x > 3 ? (int (*)())g : (int (*)())h",
        "INPUT_A_x > 3 ? (int (*)())g : (int (*)())g",
    ),
    case(
        "other_result",
        PropertyKind::Call,
        "static % g(int a) { return a & 1; }\nint f(short INPUT_A_x, short INPUT_B_y) { if (INPUT_A_x > 3) return ((int (*)(int))g)(INPUT_B_y); return 0; }\n",
        "long",
        "int",
    ),
    case(
        "null_function",
        PropertyKind::Call,
        "static int g(int a) { return a & 1; }\nint f(short INPUT_A_x, short INPUT_B_y) { int (*p)(int) = INPUT_A_x > 3 ? g : 0; return %; }\n",
        "p(INPUT_B_y)",
        "p ? p(INPUT_B_y) : 0",
    ),
    // Arithmetic.
    case(
        "increment",
        PropertyKind::SignedOverflow,
        PLAIN,
        "int z = x << 15; z += y * 65536; z++; return z;",
        "int z = x; z += y; z++; return z;",
    ),
    case(
        "least_by_minus_one",
        PropertyKind::DivisionOverflow,
        PLAIN,
        "int z = -2147483647 - 1; return y ? z / y : 0;",
        "int z = -2147483647; return y ? z / y : 0;",
    ),
    case(
        "least_modulo",
        PropertyKind::DivisionOverflow,
        PLAIN,
        "long z = -9223372036854775807 - 1; return y ? z % y : 0;",
        "long z = -9223372036854775807; return y ? z % y : 0;",
    ),
    case(
        "magnitude",
        PropertyKind::SignedOverflow,
        PLAIN,
        "int z = x * 65536; return abs(z);",
        "int z = x * 65535; return abs(z);",
    ),
    case(
        "long_magnitude",
        PropertyKind::SignedOverflow,
        PLAIN,
        "long z = x * (1l << 48); return labs(z) > 5;",
        "long z = x * (1l << 47); return labs(z) > 5;",
    ),
    case(
        "built_in_magnitude",
        PropertyKind::SignedOverflow,
        PLAIN,
        "int z = x * 65536; return __builtin_abs(z);",
        "int z = x * 65535; return __builtin_abs(z);",
    ),
    case(
        "told_to_assume",
        PropertyKind::Argument,
        PLAIN,
        "__builtin_assume(x != 5); return y;",
        "if (x != 5) __builtin_assume(x < 5 || x > 5); return y;",
    ),
    case("left_of_negative", PropertyKind::Shift, PLAIN, "return x << 1;", "return (x & 255) << 1;"),
    case(
        "shifted_by_width",
        PropertyKind::Shift,
        PLAIN,
        "x <<= y & 63; return 0;",
        "unsigned z = x; z <<= y & 31; return 0;",
    ),
    case(
        "float_to_integer",
        PropertyKind::FloatConversion,
        PLAIN,
        "float z = x; z *= y; z *= 16; return (int)z;",
        "float z = x; z *= 16; return (int)z;",
    ),
    case(
        "integer_to_character",
        PropertyKind::FloatConversion,
        PLAIN,
        "float z = x; return (unsigned char)z;",
        "float z = x & 255; return (unsigned char)z;",
    ),
    case(
        "nan_to_integer",
        PropertyKind::FloatConversion,
        PLAIN,
        "double z = x; return (int)(z / z);",
        "double z = x; return x ? (int)(z / z) : 0;",
    ),
    // Lifetimes of objects.
    case(
        "returned_local",
        PropertyKind::Lifetime,
        "static int k;\nstatic int *g(int x) { int z = x; int *p = x > 3 ? &z : &k; return p; }\nint f(short INPUT_A_x, short INPUT_B_y) { int *p = g(INPUT_A_x%); return *p + INPUT_B_y; }\n",
        "",
        " & 3",
    ),
    case(
        "left_block",
        PropertyKind::Lifetime,
        PLAIN,
        "int k = 5, *p = &k; for (int i = 0; i < 2; i++) { int z = i; if (x > 3) p = &z; } return *p + y;",
        "int k = 5, *p = &k; for (int i = 0; i < 2; i++) { int z = i; if (x > 3) p = &z; *p = 7; p = &k; } return *p + y;",
    ),
    case(
        "freed_twice",
        PropertyKind::Lifetime,
        PLAIN,
        "int *p = malloc(4); free(p); if (x > 3) free(p); return y;",
        "int *p = malloc(4); free(p); p = 0; if (x > 3) free(p); return y;",
    ),
    case(
        "freed_inside",
        PropertyKind::Lifetime,
        PLAIN,
        "char *p = malloc(4); free(p + (x > 3)); return y;",
        "char *p = malloc(4); free(p + (x > 40000)); return y;",
    ),
    case(
        "one_past",
        PropertyKind::Bounds,
        PLAIN,
        "int a[4] = {x, y}; int *p = a + 4; if (x > 3) p -= 4; return *p;",
        "int a[4] = {x, y}; int *p = a + 4; if (x > 3) p -= 4; else p--; return *p;",
    ),
    case(
        "member_array",
        PropertyKind::Bounds,
        PLAIN,
        "struct { int a[2], b[2]; } s = {{x, y}, {1, 2}}; return s.a[x & 3];",
        "struct { int a[2], b[2]; } s = {{x, y}, {1, 2}}; return s.a[x & 1];",
    ),
    case(
        "row",
        PropertyKind::Bounds,
        PLAIN,
        "int a[2][3] = {{0}}; return a[0][x & 3] + y;",
        "int a[2][3] = {{0}}; return a[0][(x & 3) % 3] + y;",
    ),
    case(
        "length_of_array",
        PropertyKind::ArrayLength,
        PLAIN,
        "int n = 0; for (int i = 0; i < 3; i++) { n = 1 - i; char a[n]; a[0] = 1; n = a[0]; } return n;",
        "int n = 0; for (int i = 0; i < 3; i++) { n = 1 + i; char a[n]; a[0] = 1; n = a[0]; } return n;",
    ),
    case(
        "padding_in_union",
        PropertyKind::Uninitialised,
        PLAIN,
        "union { short a; int b; } u; u.a = x; return u.b;",
        "union { short a; int b; } u; u.b = y; u.a = x; return u.b;",
    ),
    case(
        "bit_field",
        PropertyKind::Uninitialised,
        PLAIN,
        "struct { int a : 5, b : 6; } s; s.a = x & 7; if (y) s.b = 1; return s.b;",
        "struct { int a : 5, b : 6; } s; s.a = x & 7; s.b = 2; if (y) s.b = 1; return s.b;",
    ),
    case(
        "copied_unset",
        PropertyKind::Uninitialised,
        PLAIN,
        "int a[2], b[2]; a[0] = x; if (y > 3) a[1] = y; memcpy(b, a, sizeof b); return b[1];",
        "int a[2], b[2]; a[0] = x; a[1] = y; memcpy(b, a, sizeof b); return b[1];",
    ),
    case(
        "allocated_unset",
        PropertyKind::Uninitialised,
        PLAIN,
        "int *p = malloc(8); p[x & 1] = y; return p[0];",
        "int *p = calloc(2, 4); p[x & 1] = y; return p[0];",
    ),
    case(
        "pointer_bytes",
        PropertyKind::Assertion,
        PLAIN,
        "int k; int *p = &k; unsigned char c = x > 3 ? *(unsigned char *)&x : 5; assert(c == 5); return k = y;",
        "unsigned char c = x > 3 ? (unsigned char)x : 5; assert(c == 5 || x > 3); return y;",
    ),
];

fn source(case: &Case, part: &str) -> String {
    let headers = "#include <assert.h>\n#include <stdlib.h>\n#include <string.h>\n";
    format!("{headers}{}", case.program.replace('%', part))
}

/// The problem of the verdicts about a case, if any.
fn complaint(case: &Case) -> Option<String> {
    let bug = write(&format!("undefined_{}.c", case.name), &source(case, case.bug));
    let options = Options::new(compiler());
    let report = match check(&[&bug], &options, &Limits::default(), |_, _| {}) {
        Ok(report) => report,
        Err(error) => return Some(format!("{}: {error}", case.name)),
    };
    let mut found = report.checked.properties.iter().zip(&report.findings);
    if !found.any(|(one, finding)| one.kind == case.kind && matches!(finding, Finding::Violated(_))) {
        return Some(format!("{} is not found:\n{}", case.name, lines(&report)));
    }
    let twin = write(&format!("undefined_{}_twin.c", case.name), &source(case, case.twin));
    match check(&[&twin], &options, &Limits::default(), |_, _| {}) {
        Ok(report) if report.counts()[1..] == [0, 0] => None,
        Ok(report) => Some(format!("{} is not proven without it:\n{}", case.name, lines(&report))),
        Err(error) => Some(format!("{}, without it: {error}", case.name)),
    }
}

#[test]
fn what_is_undefined_is_found_and_its_twin_proven() {
    let (first, second) = CASES.split_at(CASES.len() / 2);
    let all = |cases: &[Case]| cases.iter().filter_map(complaint).collect::<Vec<_>>();
    let complaints = std::thread::scope(|scope| {
        let other = scope.spawn(|| all(second));
        [all(first), other.join().expect("no panic")].concat()
    });
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn changes_without_an_order_are_refused() {
    for (name, statement) in [("twice", "x = x++ + 1;"), ("index", "int a[4] = {0}; a[x & 3] = x++;")] {
        let text = format!(
            "int f(int INPUT_A_x, int INPUT_B_y) {{\n    int x = INPUT_A_x;\n    {statement}\n    return x;\n}}\n"
        );
        let path = write(&format!("unsequenced_{name}.c"), &text);
        let error = check(&[&path], &Options::new(compiler()), &Limits::default(), |_, _| {});
        let error = error.expect_err("it is refused").to_string();
        assert!(
            error.contains("unsequenced") && error.contains(&format!("unsequenced_{name}.c:3")),
            "{error}"
        );
    }
    let ordered = write(
        "sequenced.c",
        "int f(unsigned INPUT_A_x) { unsigned x = INPUT_A_x; x++; x = x + 1; return x & 7; }\n",
    );
    assert_eq!(checked(&ordered, None).counts()[1..], [0, 0]);
}

/// An output that no path sets is refused.
#[test]
fn outputs_that_are_never_set_are_refused() {
    let path = write("never_set.c", "int f(int INPUT_A_x) {\n    int OUTPUT_r;\n    return INPUT_A_x;\n}\n");
    let error = check(&[&path], &Options::new(compiler()), &Limits::default(), |_, _| {});
    let error = error.expect_err("it is refused");
    assert!(matches!(error, tacit_check::CheckError::C(CError::Variable { .. })), "{error}");
}
