//! C++ and Rust, and other widths of `int`: programs compute the same as natively compiled ones.

use crate::native;
use std::path::PathBuf;

use crate::native::agree::Random;
use tacit_cfront::{CError, IntWidth, Native, NativeRun, Optimisation, Options, compile};
use tacit_ir::{Program, Shape, Words, interpret};

const TRIALS: usize = 24;

fn write(name: &str, text: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("languages");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

fn options(change: impl FnOnce(&mut Options)) -> Options {
    let mut options = Options::new(native::compiler());
    change(&mut options);
    options
}

/// Compiles a program in every way and compares it with native runs on random inputs.
fn agrees(name: &str, text: &str, options: &Options) -> Program {
    let source = write(name, text);
    let native = Native::compile(&[&source], options).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut program = None;
    for optimisation in [Optimisation::None, Optimisation::One, Optimisation::Smallest] {
        let options = Options { optimisation, ..options.clone() };
        let compiled = match compile(&[&source], &options) {
            Ok(compiled) => compiled.program,
            // Optimisation may produce unsupported constructs; then the unoptimised program is the smallest.
            Err(CError::Unsupported { .. }) if optimisation == Optimisation::One => continue,
            Err(error) => panic!("{name}: {error}"),
        };
        let mut random = Random(3);
        let trials: Vec<_> = (0..TRIALS).map(|_| random.inputs(&compiled)).collect();
        for (trial, run) in trials.iter().zip(native.run(&trials).expect("runs")) {
            let NativeRun::Returned(expected) = run else { panic!("{name}: {run:?} on {trial:?}") };
            let ours = interpret(&compiled, trial, || 0).expect("outputs");
            assert_eq!(ours, expected, "{name}, {optimisation:?}, on {trial:?}");
        }
        program = Some(compiled);
    }
    program.expect("a program")
}

#[test]
fn cpp_computes_as_natively() {
    let text = include_str!("languages/shapes.cpp");
    let program = agrees("shapes.cpp", text, &options(|_| {}));
    assert_eq!(program.name, "areas");
    assert_eq!(program.inputs.len(), 3);
}

#[test]
fn cpp_names_its_mistakes() {
    let cases = [
        (
            "throw.cpp",
            "int f(int INPUT_A_x) {\n    if (INPUT_A_x) throw 1;\n    return 2;\n}\n",
            "throw.cpp:2:",
        ),
        ("reference.cpp", "int f(int &INPUT_A_x) {\n    return INPUT_A_x;\n}\n", "reference.cpp:1:"),
        (
            "base.cpp",
            "struct a { int x; };\nstruct b : a { int y; };\nb INPUT_A_b;\nint f() { return INPUT_A_b.y; }\n",
            "base.cpp:3: INPUT_A_b: a class with a base",
        ),
    ];
    for (name, text, expected) in cases {
        let error = compile(&[&write(name, text)], &options(|_| {})).expect_err("an error").to_string();
        assert!(error.contains(expected), "{error}");
    }
}

fn has_rustc() -> bool {
    std::process::Command::new("rustc").arg("--version").output().is_ok_and(|output| output.status.success())
}

#[test]
fn rust_computes_as_natively() {
    if !has_rustc() {
        return;
    }
    let program = agrees("auction.rs", include_str!("languages/auction.rs"), &options(|_| {}));
    assert_eq!(program.name, "auction");
    assert_eq!(program.roles, ["ALICE", "BOB"]);
    let integer = |bits, signed| Shape::Integer { bits, signed };
    let list = |element| Shape::Array { length: 4, element: Box::new(element) };
    let shapes: Vec<_> = program.inputs.iter().map(|port| port.shape.clone()).collect();
    assert!(shapes.contains(&list(integer(32, false))), "{shapes:?}");
    assert!(shapes.contains(&integer(1, false)) && shapes.contains(&Shape::Float { bits: 64 }), "{shapes:?}");
}

#[test]
fn results_of_every_form_agree_with_native_ones() {
    let cases = [
        ("double.c", "double f(double INPUT_A_x, float INPUT_B_y) {\n    return INPUT_A_x < INPUT_B_y;\n}\n"),
        (
            "floats.c",
            "struct p { float x, y; };\nstruct p f(struct p INPUT_A_p) {\n    return (struct p){INPUT_A_p.y, INPUT_A_p.x};\n}\n",
        ),
        (
            "mixed.c",
            "struct p { double x; char y; };\nstruct p f(struct p INPUT_A_p, int INPUT_B_z) {\n    INPUT_A_p.y += INPUT_B_z;\n    \
             return INPUT_A_p;\n}\n",
        ),
        (
            "large.c",
            "struct p { int x[9]; };\nstruct p f(struct p INPUT_A_p, int INPUT_B_z) {\n    INPUT_A_p.x[8] += INPUT_B_z;\n    \
             return INPUT_A_p;\n}\n",
        ),
    ];
    for (name, text) in cases {
        agrees(name, text, &options(|_| {}));
    }
    if has_rustc() {
        let text = "pub fn f(INPUT_A_x: f32, INPUT_A_y: (u8, i64), INPUT_B_c: i16) -> (bool, i64, f32) {\n    \
                    (INPUT_B_c > 7, INPUT_A_y.1 ^ i64::from(INPUT_A_y.0), -INPUT_A_x)\n}\n";
        agrees("tuple.rs", text, &options(|_| {}));
        let pair = "pub fn f(INPUT_A_x: u8, INPUT_B_y: f32) -> (u8, f32) { (INPUT_A_x + 1, -INPUT_B_y) }\n";
        agrees("pair.rs", pair, &options(|_| {}));
    }
}

#[test]
fn rust_names_its_mistakes() {
    if !has_rustc() {
        return;
    }
    let error = |name: &str, text: &str| {
        compile(&[&write(name, text)], &options(|_| {})).expect_err("an error").to_string()
    };
    let wrong = error("wrong.rs", "pub fn f(INPUT_A_x: u32) -> u32 { INPUT_A_x + true }\n");
    assert!(wrong.contains("wrong.rs:1:") && wrong.contains("E0277"), "{wrong}");
    let reference = error("reference.rs", "pub fn f(INPUT_A_x: &u32) -> u32 { *INPUT_A_x }\n");
    assert!(reference.contains("INPUT_A_x"), "{reference}");
    let panics = error("panics.rs", "pub fn f(INPUT_A_x: u32) -> u32 {\n    panic!(\"{INPUT_A_x}\")\n}\n");
    assert!(panics.contains("panics.rs"), "{panics}");
}

#[test]
fn a_panic_of_some_runs_is_a_warning() {
    if !has_rustc() {
        return;
    }
    let text =
        "pub fn f(INPUT_A_list: [u8; 5], INPUT_B_at: usize) -> u8 {\n    INPUT_A_list[INPUT_B_at]\n}\n";
    let compiled = compile(&[&write("index.rs", text)], &options(|_| {})).expect("a program");
    let warning = compiled.warnings.first().expect("a warning");
    assert!(warning.reason.contains("panic"), "{warning:?}");
    assert_eq!((warning.location.file.as_str(), warning.location.line), ("index.rs", 2));
}

const NARROW: &str = "short g[3] = {1, 2, 3};\nint INPUT_A_x, INPUT_B_y;\nlong OUTPUT_wide;\nint OUTPUT_narrow[4];\n\
     void f(void) {\n    short *p = g + (INPUT_A_x & 1);\n    OUTPUT_wide = (long)INPUT_A_x * INPUT_B_y;\n    \
     OUTPUT_narrow[0] = INPUT_A_x * INPUT_B_y / 3;\n    OUTPUT_narrow[1] = (INPUT_A_x + INPUT_B_y) >> 2;\n    \
     OUTPUT_narrow[2] = sizeof(int) * 1000 + sizeof(long) * 100 + sizeof p;\n    OUTPUT_narrow[3] = p[1];\n}\n";

#[test]
fn an_int_of_16_bits_wraps_there() {
    let narrow = options(|options| options.int_width = IntWidth::Sixteen);
    let source = write("narrow.c", NARROW);
    let program = compile(&[&source], &narrow).expect("a program").program;
    assert_eq!(program.inputs[0].shape, Shape::Integer { bits: 16, signed: true });
    let mut random = Random(9);
    for _ in 0..200 {
        let (x, y) = (random.next() as i16, random.next() as i16);
        let word = |value: i16| vec![Words::scalar(16, (value as u16).into())];
        let outputs = interpret(&program, &[word(x), word(y)], || 0).expect("outputs");
        let wide = i32::from(x).wrapping_mul(y.into());
        assert_eq!(outputs[0][0].low_u128(0), (wide as u32).into());
        let expected = [x.wrapping_mul(y) / 3, x.wrapping_add(y) >> 2, 2402, 2 + (x & 1)];
        for (lane, expected) in expected.into_iter().enumerate() {
            assert_eq!(outputs[1][0].low_u128(lane as u64), (expected as u16).into(), "{lane} of {x} {y}");
        }
    }
    let Err(CError::Unsupported { construct, .. }) = Native::compile(&[&source], &narrow) else {
        panic!("16 bits run natively")
    };
    assert!(construct.contains("16 bits"), "{construct}");
}

#[test]
fn an_int_of_16_bits_is_checked_as_such() {
    let narrow = options(|options| options.int_width = IntWidth::Sixteen);
    let source = write(
        "narrow_sum.c",
        "int f(int INPUT_A_x, int INPUT_B_y) {\n    return INPUT_A_x + INPUT_B_y;\n}\n",
    );
    let checked = tacit_cfront::check(&[&source], &narrow).expect("a check");
    let violated = |x: u16, y: u16| {
        let word = |value: u16| vec![Words::scalar(16, value.into())];
        let outputs = interpret(&checked.program, &[word(x), word(y)], || 0).expect("outputs");
        (0..outputs[0][0].lanes()).any(|lane| outputs[0][0].low_u128(lane) == 1)
    };
    assert!(violated(32767, 1) && violated(0x8000, 0xffff) && !violated(32766, 1));
}

#[test]
fn an_int_of_64_bits_agrees_with_the_native_one() {
    let wide = options(|options| options.int_width = IntWidth::SixtyFour);
    let text = "#include <limits.h>\n#include <stdint.h>\n#include <string.h>\nint INPUT_A_x;\nunsigned INPUT_B_y;\nuint32_t INPUT_B_z;\n\
         int OUTPUT_r[6];\nuint32_t OUTPUT_low;\n\
         int main(int argc, char **argv) {\n    OUTPUT_r[0] = INPUT_A_x * 3 + 1;\n    OUTPUT_r[1] = INPUT_B_y >> 40;\n    \
         OUTPUT_r[2] = __builtin_popcount(INPUT_B_y);\n    OUTPUT_r[3] = (INPUT_A_x & 1) << 40;\n    \
         OUTPUT_r[4] = sizeof(int) + (INPUT_A_x == INT_MAX);\n    OUTPUT_r[5] = strcmp(\"a\", \"b\") < 0;\n    \
         OUTPUT_low = INPUT_B_z * 5;\n    return 0;\n}\n";
    let program = agrees("wide.c", text, &wide);
    assert_eq!(program.inputs[0].shape, Shape::Integer { bits: 64, signed: true });
    assert_eq!(program.inputs[2].shape, Shape::Integer { bits: 32, signed: false });
    let other = options(|options| options.int_width = IntWidth::SixtyFour);
    let error = compile(&[&write("wide.cpp", "int f(int INPUT_A_x) { return INPUT_A_x; }\n")], &other);
    assert!(matches!(error, Err(CError::Unsupported { .. })), "{error:?}");
}
