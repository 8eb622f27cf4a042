use proptest::prelude::*;
use proptest::sample::Index;

use crate::Program;

/// A program that uses every form of the text.
const EVERYTHING: &str = r#"tacit 1 "every \"form\""
role "A"
role "B"
field prime 0x10001
field gf256
input "q" of "A" : {"x": u8, "odd name": [3] i16}
input "db" of "B" : [4] [2] {"k": u8}
output "x" to "A", "B" : [2] u8
output "x2" to "B" : u70

template @0 "" (w8x1, w8x2, w8x1) -> (w8x1, w8x1) {
  %3 = lookup %1, %2 : w8x1
  %4 = add %0, %3 : w8x1 ; line 7
  return %4, %3
}

netlist @1 "adder" (w1x2) -> (w2x1, w1x1) {
  2 = xor 0, 1
  3 = and 0, 1
  4 = not 2
  5 = true
  6 = false
  return [2, 3], [5]
}

template @2 "empty" () -> () {
  return
}

main @3 "main" () -> () {
  %0 = input 0.0 : w8x1
  %1 = input 0.1 : w16x3
  %2 = input 1.0 : w8x8
  call @2, []
  %3 = constant w8 [0x0, 0xff] : w8x2
  %4 = constant w70 [0x000000000000000001] : w70x1
  %5 = gather %2, range(7, -2, 4) : w8x4
  %6 = gather %2, [0, 3] : w8x2
  %7 = gather %3, repeat(2, 1) : w8x4
  %8, %9 = iterate @0, 4, carried [%0], invariant [%3], sliced [%7] : w8x1, w8x4
  %10, %11 = arg_min_s %9, 2 : w8x2, w1x2
  %12, %13 = sort_u %6, [%10], 2 : w8x2, w8x2
  %14, %15 = map @1, 1, [%11] : w2x1, w1x1
  %16 = random f0x2 : f0x2
  %17 = invert %16 : f0x2
  %18 = shift_left_by %8, 3 : w8x1
  %19 = sign_extend %18, 70 : w70x1
  %20 = xor %19, %4 : w70x1 ; line 9
  %21 = slice %20, 3, 8 : w8x1
  %22 = concat %21, %14, %15 : w11x1
  %23 = matrix_product %5, %7, 1, 2, 2, 2 : w8x4
  %24 = scan_max_s %23, 2 : w8x4
  %25 = segment_sum %24, 2 : w8x2
  %26 = open %22 : w11x1
  output 0.0, %25
  output 1.0, %20
  return
}
"#;

fn error(text: &str) -> String {
    Program::parse_text(text).unwrap_err().to_string()
}

/// The text with one replacement, which must occur.
fn with(from: &str, to: &str) -> String {
    assert!(EVERYTHING.contains(from), "{from}");
    EVERYTHING.replacen(from, to, 1)
}

#[test]
fn every_form_comes_back() {
    let program = Program::parse_text(EVERYTHING).unwrap();
    assert_eq!(program.to_text(), EVERYTHING);
    assert_eq!(Program::parse_text(&program.to_text()), Ok(program));
}

#[test]
fn blanks_comments_and_missing_types_do_not_matter() {
    let program = Program::parse_text(EVERYTHING);
    let blanks = with("  %0 = input 0.0 : w8x1\n", "# a comment }\n\t%0=input 0 . 0\r\n");
    assert_eq!(Program::parse_text(&blanks), program);
}

#[test]
fn errors_have_a_place() {
    assert_eq!(error(""), "1:1: the end where `tacit` is expected");
    assert_eq!(error("tacit 2 \"x\""), "1:7: this version reads text form 1");
    assert_eq!(error("tacit 1 \"x\"\nrôle"), "2:2: 'ô' begins nothing");
    assert_eq!(error("tacit 1 \"x\"\n"), "2:1: the end does not begin a declaration");
    assert_eq!(error("tacit 1 \"x\nrole"), "1:9: a name does not end on its line");
    assert_eq!(error("tacit 1 \"\\q\""), "1:9: a name is not written as in JSON");
    assert_eq!(error(&with("add %0, %3", "add %0, %1")), "13:8: add: %0 is w8x1 but %1 is w8x2");
    assert_eq!(error(&with("add %0, %3", "plus %0, %3")), "13:8: `plus` is not an operation");
    assert_eq!(error(&with("%4 = add", "%5 = add")), "13:3: the results of `add` are [%4]");
    assert_eq!(error(&with("%3 : w8x1 ;", "%3 : w9x1 ;")), "13:21: it gives (w8x1) where (w9x1) is declared");
    assert_eq!(error(&with("return %4, %3", "return %4, %5")), "14:14: %5 is not defined");
    assert!(
        error(&with("return %4, %3", "return %4"))
            .contains("it returns (w8x1) where (w8x1, w8x1) is declared")
    );
    assert!(error(&with("xor 0, 1", "xor 0, 2")).contains("gate 0 uses wire 2"));
    assert!(error(&with("3 = and", "4 = and")).contains("gates are not in order"));
    assert!(error(&with("template @2", "template @7")).contains("the next template is @2"));
    assert!(error(&with("role \"B\"", "role \"A\"")).contains("occurs twice"));
    assert!(error(&with("\"A\", \"B\"", "\"B\", \"A\"")).contains("order of their declaration"));
    assert!(error(&with("of \"A\"", "of \"C\"")).contains("there is no role \"C\""));
    assert!(error(&with("0x10001", "0x10000")).contains("not a prime"));
    assert!(error(&with("field gf256", "field prime 0x10001")).contains("the field occurs twice"));
    assert!(error(&with("0xff]", "0x1ff]")).contains("does not fit in 8 bits"));
    assert!(error(&with("0x000000000000000001", "0x1")).contains("a lane of 70 bits has 18 digits"));
    assert!(error(&with("range(7, -2, 4)", "range(7, -2, 5)")).contains("there is no lane -1"));
    assert!(error(&with("  output 1.0, %20\n", "")).contains("does not occur exactly once"));
    assert!(error(&format!("{EVERYTHING}role \"C\"")).contains("where the end after main is expected"));
}

#[test]
fn what_is_too_large_is_refused_before_it_is_made() {
    let deep = with("[4] [2]", &"[1]".repeat(100_000));
    assert!(error(&deep).contains("nests too deep"));
    assert!(error(&with("w70 [0x000000000000000001]", "w4294967295 [0x1]")).contains("digits"));
    assert!(error(&with("[4] [2]", "[4294967295] [4294967295]")).contains("lanes"));
    assert!(error(&with("random f0x2", "random w64x4294967296")).contains("bits"));
    assert!(error(&with("w8x2, w8x1)", "w8x99999999999999999999, w8x1)")).contains("is not a type"));
}

#[test]
fn cut_texts_are_errors() {
    for end in 0..EVERYTHING.len() - 2 {
        assert!(Program::parse_text(&EVERYTHING[..end]).is_err());
    }
}

/// Another character, one more, or some fewer: which of these, the two places, and how many fewer.
fn change() -> impl Strategy<Value = (u8, Index, Index, usize)> {
    (0..3u8, any::<Index>(), any::<Index>(), 1..=4usize)
}

proptest! {
    #[test]
    fn names_of_any_characters_come_back(name: String, role in "..?.?", member in "..?.?") {
        let quoted = |name: &str| serde_json::Value::from(name).to_string();
        let text = EVERYTHING.replace("\"A\"", &quoted(&role)).replace("\"odd name\"", &quoted(&member));
        let text = text.replacen("\"every \\\"form\\\"\"", &quoted(&name), 1);
        if let Ok(program) = Program::parse_text(&text) {
            prop_assert_eq!(&program.name, &name);
            prop_assert_eq!(program.to_text(), text);
        } else {
            prop_assert!(role == "B" || member == "x");
        }
    }

    #[test]
    fn changed_texts_are_read_or_refused(changes in prop::collection::vec(change(), 1..=3)) {
        let mut text: Vec<char> = EVERYTHING.chars().collect();
        for (kind, from, to, length) in changes {
            let (from, to) = (from.index(text.len()), to.index(text.len()));
            match kind {
                0 => text[from] = text[to],
                1 => text.insert(from, text[to]),
                _ => drop(text.drain(from..(from + length).min(text.len()))),
            }
        }
        if let Ok(program) = Program::parse_text(&text.iter().collect::<String>()) {
            prop_assert_eq!(Program::parse_text(&program.to_text()), Ok(program));
        }
    }
}
