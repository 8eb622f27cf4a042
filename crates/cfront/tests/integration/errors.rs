//! C that cannot be compiled is refused with file, line and construct.

use crate::native;
use std::path::PathBuf;

use tacit_cfront::{CError, Compiled, Compiler, Limits, Location, Options, compile};

fn write(name: &str, text: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("errors");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

fn compile_text(name: &str, text: &str, change: impl FnOnce(&mut Options)) -> Result<Compiled, CError> {
    let mut options = Options::new(native::compiler());
    change(&mut options);
    compile(&[&write(name, text)], &options)
}

fn error(name: &str, text: &str) -> CError {
    compile_text(name, text, |_| {}).expect_err("an error")
}

/// The construct is named, with its file and line.
fn unsupported(name: &str, text: &str, expected_line: u32, expected: &str) {
    match error(name, text) {
        CError::Unsupported { location, construct } => {
            assert_eq!((location.file.as_str(), location.line), (name, expected_line));
            assert!(construct.contains(expected), "{construct}");
        }
        other => panic!("{name}: {other}"),
    }
}

/// The variable is named, with its file and line.
fn variable(name: &str, text: &str, expected_line: u32, expected: &str) {
    match error(name, text) {
        CError::Variable { location, reason, .. } => {
            assert_eq!((location.file.as_str(), location.line), (name, expected_line));
            assert!(reason.contains(expected), "{reason}");
        }
        other => panic!("{name}: {other}"),
    }
}

#[test]
fn clang_speaks_for_itself_where_c_is_wrong() {
    let CError::Clang { message } = error("syntax.c", "int f(int INPUT_A_x) {\n    return INPUT_A_x +;\n}\n")
    else {
        panic!("no message");
    };
    assert!(message.contains("syntax.c:2:") && message.contains("expected expression"), "{message}");
}

#[test]
fn a_compiler_that_is_not_there_is_named() {
    let path = write("none.c", "int f(int INPUT_A_x) { return INPUT_A_x; }\n");
    let options = Options::new(Compiler::new("/nonexistent/clang"));
    let error = compile(&[&path], &options).expect_err("an error");
    assert!(
        matches!(&error, CError::NoCompiler { command, .. } if command == "/nonexistent/clang"),
        "{error}"
    );
}

#[test]
fn a_source_that_is_not_there_is_named() {
    let options = Options::new(native::compiler());
    let error = compile(&["missing.c".as_ref()], &options).expect_err("an error");
    assert!(matches!(&error, CError::File { path, .. } if path == "missing.c"), "{error}");
}

#[test]
fn loops_without_a_bound_say_where_and_how_far() {
    let text = "int f(unsigned INPUT_A_n, unsigned INPUT_B_x) {\n    int sum = 0;\n    \
                for (unsigned i = 0; i != INPUT_A_n; i++)\n        sum ^= INPUT_B_x * i;\n    return sum;\n}\n";
    let result = compile_text("endless.c", text, |options| options.limits.secret_iterations = 50);
    let expected = Location { file: "endless.c".into(), line: 3 };
    match result.expect_err("an error") {
        CError::Unbounded { location, iterations, .. } => assert_eq!((location, iterations), (expected, 51)),
        other => panic!("{other}"),
    }
}

#[test]
fn a_public_loop_without_end_is_stopped() {
    let text = "int f(unsigned INPUT_A_x) {\n    unsigned y = 1;\n    while (y)\n        y = y * 5;\n    return INPUT_A_x;\n}\n";
    let change = |options: &mut Options| {
        options.limits.iterations = 1000;
        options.optimisation = tacit_cfront::Optimisation::None;
    };
    let error = compile_text("forever.c", text, change).expect_err("an error");
    assert!(matches!(error, CError::Unbounded { iterations: 1001, .. }), "{error}");
}

#[test]
fn recursion_without_a_bound_says_where() {
    let text = "static int down(int n) {\n    if (n == 0)\n        return 1;\n    return n * down(n - 1) + 1;\n}\n\
                int f(int INPUT_A_n) { return down(INPUT_A_n); }\n";
    let change = |options: &mut Options| {
        options.limits.recursion = 40;
        options.optimisation = tacit_cfront::Optimisation::None;
    };
    let error = compile_text("deep.c", text, change).expect_err("an error");
    assert!(matches!(&error, CError::Recursion { function, depth: 40, .. } if function == "down"), "{error}");
    assert!(error.to_string().starts_with("deep.c:4: "), "{error}");
}

#[test]
fn a_program_that_grows_too_large_is_stopped() {
    let text = "unsigned f(unsigned INPUT_A_x) {\n    for (int i = 0; i < 100000; i++)\n        \
                INPUT_A_x = INPUT_A_x * INPUT_A_x + i;\n    return INPUT_A_x;\n}\n";
    let limits = Limits { operations: 10_000, ..Limits::default() };
    let error = compile_text("large.c", text, |options| options.limits = limits).expect_err("an error");
    assert!(matches!(error, CError::TooLarge { limit: 10_000, .. }), "{error}");
}

#[test]
fn constructs_without_a_circuit_are_named() {
    let cases = [
        (
            "float.c",
            "int f(int INPUT_A_x) {\n    long double y = INPUT_A_x;\n    return y * 1.5L;\n}\n",
            2,
            "floating",
        ),
        (
            "asm.c",
            "int f(int INPUT_A_x) {\n    __asm__(\"nop\" : \"+r\"(INPUT_A_x));\n    return INPUT_A_x;\n}\n",
            2,
            "inline assembly",
        ),
        (
            "volatile.c",
            "volatile int g;\nint f(int INPUT_A_x) {\n    g = INPUT_A_x;\n    return g;\n}\n",
            3,
            "volatile",
        ),
        (
            "variadic.c",
            "static int v(int n, ...) {\n    __builtin_va_list l;\n    __builtin_va_start(l, n);\n    \
             n += __builtin_va_arg(l, int);\n    __builtin_va_end(l);\n    return n;\n}\n\
             int f(int INPUT_A_x) {\n    return v(INPUT_A_x, 2);\n}\n",
            9,
            "variable argument list of `v`",
        ),
        ("external.c", "int g(int);\nint f(int INPUT_A_x) {\n    return g(INPUT_A_x);\n}\n", 3, "`g`"),
        (
            "vector.c",
            "typedef int v4 __attribute__((vector_size(16)));\nint f(int INPUT_A_x) {\n    v4 v = {INPUT_A_x, 3};\n    \
             v = v * v;\n    return v[INPUT_A_x & 3];\n}\n",
            3,
            "vector",
        ),
        (
            "atomic.c",
            "_Atomic int g;\nint f(int INPUT_A_x) {\n    g += INPUT_A_x;\n    return g;\n}\n",
            3,
            "atomic",
        ),
        (
            "computed.c",
            "int f(int INPUT_A_x) {\n    void *to[] = {&&a, &&b};\n    goto *to[INPUT_A_x & 1];\na:\n    return 1;\nb:\n    \
             return 2;\n}\n",
            2,
            "a computed `goto`",
        ),
        (
            "secret_length.c",
            "void *memset(void *, int, unsigned long);\nchar list[9];\nint f(unsigned INPUT_A_x) {\n    \
             memset(list, 1, INPUT_A_x % 9);\n    return list[3];\n}\n",
            4,
            "secret number of bytes",
        ),
        (
            "address.c",
            "int f(unsigned long INPUT_A_x) {\n    return *(int *)INPUT_A_x;\n}\n",
            2,
            "secret integer",
        ),
    ];
    for (name, text, line, construct) in cases {
        unsupported(name, text, line, construct);
    }
}

#[test]
fn variables_that_cannot_be_inputs_or_outputs_are_named() {
    let cases = [
        (
            "pointer.c",
            "int f(int *INPUT_A_x) {\n    return *INPUT_A_x;\n}\n",
            1,
            "use a global or local array",
        ),
        (
            "array.c",
            "int f(int INPUT_A_x[16]) {\n    return INPUT_A_x[0];\n}\n",
            1,
            "use a global or local array",
        ),
        (
            "union.c",
            "union u { int a; char b; };\nunion u INPUT_A_x;\nint f(void) { return INPUT_A_x.a; }\n",
            2,
            "union",
        ),
        (
            "long_double.c",
            "long double INPUT_A_x;\nint OUTPUT_y;\nvoid f(void) { OUTPUT_y = INPUT_A_x > 1; }\n",
            1,
            "floating",
        ),
        ("role.c", "int INPUT_x;\nint f(void) { return INPUT_x; }\n", 1, "INPUT_<role>_<name>"),
        ("lower.c", "int INPUT_a_x;\nint f(void) { return INPUT_a_x; }\n", 1, "INPUT_<role>_<name>"),
        ("parameter.c", "int f(int INPUT_A_x, int y) {\n    return INPUT_A_x + y;\n}\n", 1, "must be named"),
        (
            "twice.c",
            "int INPUT_A_x;\nint f(void) {\n    int s = INPUT_A_x;\n    {\n        int INPUT_A_x;\n        \
                     s += INPUT_A_x;\n    }\n    return s;\n}\n",
            5,
            "two variables",
        ),
        (
            "unwritten.c",
            "int OUTPUT_y;\nint f(int INPUT_A_x) {\n    return OUTPUT_y + INPUT_A_x;\n}\n",
            1,
            "never written",
        ),
        (
            "partly.c",
            "int f(int INPUT_A_x) {\n    int OUTPUT_y[3];\n    OUTPUT_y[0] = OUTPUT_y[2] = INPUT_A_x;\n    return 0;\n}\n",
            2,
            "element 1",
        ),
        ("nothing.c", "int INPUT_A_x;\nvoid f(void) { INPUT_A_x++; }\n", 2, "no OUTPUT_ variable"),
    ];
    for (name, text, line, reason) in cases {
        variable(name, text, line, reason);
    }
}

#[test]
fn an_output_made_of_nothing_is_refused() {
    let error = error(
        "undefined.c",
        "int f(int INPUT_A_x) {\n    int y;\n    if (INPUT_A_x)\n        INPUT_A_x = y;\n    return y;\n}\n",
    );
    assert!(matches!(error, CError::Undefined { .. }), "{error}");
}

#[test]
fn behaviour_that_every_run_leaves_undefined_is_refused() {
    let cases = [
        (
            "outside.c",
            "int list[4];\nint f(int INPUT_A_x) {\n    int i = 3;\n    i++;\n    list[i] = INPUT_A_x;\n    return list[0];\n}\n",
            "outside of `list`",
        ),
        (
            "null.c",
            "int f(int INPUT_A_x) {\n    int *p = 0;\n    *p = INPUT_A_x;\n    return *p;\n}\n",
            "null pointer",
        ),
        (
            "abort.c",
            "#include <stdlib.h>\nint f(int INPUT_A_x) {\n    if (INPUT_A_x != INPUT_A_x + 0)\n        return 1;\n    \
             abort();\n}\n",
            "abort",
        ),
    ];
    for (name, text, expected) in cases {
        let change = |options: &mut Options| options.optimisation = tacit_cfront::Optimisation::None;
        let error = compile_text(name, text, change).expect_err("an error");
        assert!(matches!(error, CError::Undefined { .. }), "{name}: {error}");
        assert!(error.to_string().contains(expected), "{name}: {error}");
    }
}

#[test]
fn behaviour_that_some_run_leaves_undefined_is_a_warning() {
    let text = "int list[4];\nint f(unsigned INPUT_A_n, int INPUT_B_x) {\n    int sum = 0;\n    list[2] = INPUT_B_x;\n    \
                for (unsigned i = 0; i < INPUT_A_n; i++)\n        sum += list[i];\n    return sum;\n}\n";
    let compiled = compile_text("warning.c", text, |_| {}).expect("a program");
    let warning = &compiled.warnings[0];
    assert_eq!((warning.location.line, compiled.warnings.len()), (6, 1));
    assert!(warning.reason.contains("outside of `list`"), "{}", warning.reason);
}

#[test]
fn a_warning_tells_what_computes_with_a_variable_that_was_never_set() {
    let text = "int f(int INPUT_A_b, int INPUT_B_c) {\n    int x;\n    if (INPUT_A_b)\n        return x * INPUT_B_c;\n    return 1;\n}\n";
    let compiled = compile_text("unset.c", text, |_| {}).expect("a program");
    let warning = &compiled.warnings[0];
    assert_eq!((warning.location.line, compiled.warnings.len()), (4, 1));
    assert!(warning.reason.contains("never set"), "{}", warning.reason);
    // Parts of a variable may be set one by one.
    let fields = "struct S { unsigned a : 3, b : 5; };\nunsigned f(unsigned INPUT_A_x, unsigned INPUT_B_y) {\n    \
                  struct S s;\n    s.a = INPUT_A_x;\n    s.b = INPUT_B_y;\n    return s.a + s.b;\n}\n";
    assert_eq!(compile_text("fields.c", fields, |_| {}).expect("a program").warnings, []);
}

#[test]
fn the_main_function_must_be_clear() {
    let several = "int a(int INPUT_A_x) { return INPUT_A_x; }\nint b(int INPUT_A_x) { return -INPUT_A_x; }\n";
    match error("several.c", several) {
        CError::MainFunction { wanted: None, candidates } => assert_eq!(candidates, ["a", "b"]),
        other => panic!("{other}"),
    }
    match compile_text("several.c", several, |options| options.function = Some("c".into())) {
        Err(CError::MainFunction { wanted: Some(wanted), candidates }) => {
            assert_eq!((wanted.as_str(), candidates.len()), ("c", 2));
        }
        other => panic!("{other:?}"),
    }
    let compiled = compile_text("several.c", several, |options| options.function = Some("b".into()));
    assert_eq!(compiled.expect("a program").program.name, "b");
    match error("without.c", "int a(void) { return 1; }\n") {
        CError::MainFunction { wanted: None, candidates } => assert!(candidates.is_empty()),
        other => panic!("{other}"),
    }
}
