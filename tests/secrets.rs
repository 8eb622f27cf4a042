//! Types that hold secrets: none prints them. See `freed` for what they leave in memory.

use std::path::{Path, PathBuf};

use tacit_crypto::Secret;
use tacit_crypto::half_gates::Delta;
use tacit_ir::{Op, Words};
use tacit_math::field::{BitSliced, Field, Montgomery, Slices};
use tacit_math::{Bits, Block, Wiped};
use tacit_nparty::dynamic::{AnyOperation, Numbers};
use tacit_twoparty::arith::{Comparison, ComparisonOperand, Factors, Relation, Resize, Resized};
use tacit_twoparty::batch;

/// A number that nothing else prints, in decimal and in hexadecimal.
const SECRET: u64 = 0x5ec2_e75e_c2e7;

fn hides(shown: String) {
    let lower = shown.to_lowercase();
    for form in [SECRET.to_string(), format!("{SECRET:x}"), format!("{:x}", SECRET.swap_bytes() >> 16)] {
        assert!(!lower.contains(&form), "{shown}");
    }
    assert!(!shown.contains("94, 194, 231") && !shown.contains("231, 194, 94"), "{shown}");
}

#[test]
fn debug_shows_no_secret() {
    let wide = u128::from(SECRET);
    let words = [wide; 3];
    hides(format!("{:?} {:#?}", Block(wide), vec![Block(wide)]));
    hides(format!("{:?}", Bits::from_words(vec![SECRET], 64)));
    hides(format!("{:?}", Wiped::from(vec![SECRET])));
    hides(format!("{:?}", Secret::new([Block(wide)])));
    hides(format!("{:?}", Delta::new(Block(wide))));
    hides(format!("{:?}", Slices([SECRET; 4])));
    hides(format!("{:?}", BitSliced::for_parties(3).map(|field| field.bits(SECRET))));
    let field = Montgomery::<1>::new(&[0xffff_ffff_ffff_ffc5]).expect("a prime");
    hides(format!("{:?}", field.element(SECRET)));
    let column = Words::from_u128s(64, &words);
    hides(format!("{column:?} {:?}", Op::Constant(column.clone())));
    hides(format!("{:?}", Factors { x: &words, y: &words, bits: 64 }));
    hides(format!("{:?}", Resized { how: Resize::ZeroExtend { to: 70 }, x: &words, bits: 64 }));
    let (x, y) = (ComparisonOperand::Shared(&words), ComparisonOperand::Public(&words));
    hides(format!("{:?}", Comparison { relation: Relation::Equal, x, y, bits: 64 }));
    hides(format!("{:?}", batch::WordOperation::Square { x: &words, bits: 64 }));
    let numbers = [Numbers::from(vec![SECRET as i64]), Numbers::Large(vec![SECRET.into()])];
    for numbers in numbers {
        hides(format!("{numbers:?} {:?}", AnyOperation::Constant(numbers.clone())));
    }
}

/// Every line of a private key is kept back.
#[test]
fn debug_of_a_key_shows_the_public_one_alone() {
    let folder = std::env::temp_dir().join(format!("tacit-debug-of-a-key-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (secret, public) = tacit_net::keys::generate().expect("randomness");
    secret.save(&folder.join("key")).expect("a file");
    let text = std::fs::read_to_string(folder.join("key")).expect("a file");
    std::fs::remove_dir_all(&folder).expect("a folder");
    let shown = format!("{secret:?}");
    assert_eq!(shown, format!("SecretKey {{ public: {public:?}, .. }}"));
    assert!(text.lines().filter(|line| line.len() > 8).all(|line| !shown.contains(line)));
}

/// Crates whose types may hold secrets.
const CRATES: [&str; 15] = [
    "math", "crypto", "ir", "ot", "he", "compare", "auction", "twoparty", "engine", "nparty", "net", "store",
    "embed", "capi", "py",
];

/// What numbers, bytes and elements lie in that are not of a type that hides them.
const PLAIN: [&str; 16] = [
    "u128",
    "Vec<u8>",
    "[u8]",
    "Vec<u64>",
    "[u64",
    "Vec<i64>",
    "[i64]",
    "Vec<bool>",
    "[bool]",
    "Element",
    "Zeroizing",
    "BigInt",
    "BigUint",
    "BoxedUint",
    "Map<String",
    "Option<Value>",
];

/// Types that hide them.
const HIDING: [&str; 3] = ["Wires<u128>", "Wiped<", "<T: Element>"];

/// Types that derive `Debug` though they hold numbers or bytes, and why these are public.
const PUBLIC: &[(&str, &str, &str)] = &[
    ("crypto", "Layer", "random gates of a test"),
    ("crypto", "AndGates", "the wiring of gates"),
    ("ir", "Field", "a modulus"),
    ("engine", "LinkSamples", "times and rates of a link, which both parties tell each other"),
    ("twoparty", "CountedChannel", "counts"),
    ("twoparty", "Step", "counts"),
    ("twoparty", "KeySet", "which keys there are, which the plan says"),
    ("twoparty", "StoredEncryption", "sizes and counts, which the plan says"),
    ("compare", "CompareError", "a public modulus"),
    ("auction", "Definition", "prices, which are public"),
    ("auction", "Entry", "decisions, which are public"),
    ("auction", "Ledger", "decisions, which are public"),
    ("net", "SessionFile", "settings; keys are the public ones"),
    ("engine", "BatchHeader", "travels, and says what is kept, not what it is"),
    ("engine", "ShareEntry", "sealed"),
    ("engine", "Values", "what an option may be"),
    ("nparty", "FieldChoice", "a modulus"),
    ("nparty", "Draw", "what tests record of randomness, by numbers of keys"),
    ("nparty", "Opening", "what tests record of openings"),
    ("nparty", "AnyOperation", "exponents; numbers hide themselves"),
    ("nparty", "Scheme", "the parties' points"),
    ("nparty", "Prediction", "counts"),
    ("nparty", "RunReport", "names and counts"),
    ("nparty", "RunWork", "counts"),
    ("nparty", "PredictedRun", "counts"),
    ("nparty", "Description", "a name and a shape"),
    ("nparty", "UsageError", "what its text says: a modulus, or a number that its giver got wrong"),
    ("py", "Kind", "a modulus"),
    ("py", "Literal", "a shape, and public elements"),
    ("py", "TraceError", "what its text says: a modulus"),
    ("py", "Elements", "public numbers of a program"),
    ("py", "Value", "a shape"),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().expect("a folder of the workspace") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The text without comments.
fn code(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Names and fields of the types of a file that derive `Debug`.
fn deriving(text: &str) -> Vec<(String, String)> {
    let code = code(text);
    let mut found = Vec::new();
    for (at, _) in code.match_indices("#[derive(") {
        let (derived, mut rest) = code[at + 9..].split_once(")]").expect("a closed attribute");
        if !derived.split(',').any(|one| one.trim() == "Debug") {
            continue;
        }
        while let Some(attribute) = rest.trim_start().strip_prefix("#[") {
            rest = attribute.split_once("]\n").expect("a closed attribute").1;
        }
        let item = rest.split_once(['{', ';']).expect("an item").0;
        let mut words = item.split_whitespace().skip_while(|word| !matches!(*word, "struct" | "enum"));
        let name = words.nth(1).expect("a named item").split(['<', '(', ':']).next().unwrap_or_default();
        let end = if rest[item.len()..].starts_with(';') {
            item.len()
        } else {
            rest.find("\n}").unwrap_or(rest.len())
        };
        found.push((name.to_owned(), rest[..end].to_owned()));
    }
    found
}

#[test]
fn types_that_derive_debug_hold_nothing_secret() {
    let (mut wrong, mut unused) = (Vec::new(), PUBLIC.to_vec());
    let mut seen = 0;
    for name in CRATES {
        let mut files = Vec::new();
        sources(
            &Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../crates")).join(name).join("src"),
            &mut files,
        );
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a source file in UTF-8");
            for (item, fields) in deriving(&text) {
                seen += 1;
                let fields = HIDING.iter().fold(fields, |fields, hiding| fields.replace(hiding, ""));
                let Some(plain) = PLAIN.iter().find(|plain| fields.contains(**plain)) else { continue };
                unused.retain(|(of, public, _)| (*of, *public) != (name, &item));
                if !PUBLIC.iter().any(|(of, public, _)| (*of, *public) == (name, &item)) {
                    wrong.push(format!("{name}: {item} has {plain}"));
                }
            }
        }
    }
    assert!(seen > 150, "only {seen} types were found");
    assert!(wrong.is_empty(), "write `Debug` by hand, or say here why they are public: {}", wrong.join(", "));
    assert!(unused.is_empty(), "listed, but not found: {unused:?}");
}
