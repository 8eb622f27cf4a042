//! Widths of `int` other than 32 bits.

use std::str::FromStr;

/// Bits of an `int`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IntWidth {
    /// 16: clang compiles for the MSP430, whose `long` has 32 bits and whose addresses have 16.
    Sixteen,
    /// 32, as on x86-64 Linux.
    #[default]
    ThirtyTwo,
    /// 64: `int` and `unsigned` are read as `long` and `unsigned long`, and so are constants of these types.
    /// Narrower types are still promoted to 32 bits.
    SixtyFour,
}

impl IntWidth {
    /// The machine that clang compiles for.
    pub(crate) fn target(self) -> &'static str {
        match self {
            IntWidth::Sixteen => "msp430",
            IntWidth::ThirtyTwo | IntWidth::SixtyFour => "x86_64-unknown-linux-gnu",
        }
    }
}

impl FromStr for IntWidth {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "16" => Ok(IntWidth::Sixteen),
            "32" => Ok(IntWidth::ThirtyTwo),
            "64" => Ok(IntWidth::SixtyFour),
            _ => Err("an int has 16, 32 or 64 bits".into()),
        }
    }
}

/// Flags that declare an `int` of 64 bits for preprocessed C. `main` may then have any type.
pub(crate) const WIDE_FLAGS: [&str; 7] = [
    "-U__INT_MAX__",
    "-D__INT_MAX__=9223372036854775807L",
    "-U__INT_WIDTH__",
    "-D__INT_WIDTH__=64",
    "-U__SIZEOF_INT__",
    "-D__SIZEOF_INT__=8",
    "-ffreestanding",
];

/// Compiler builtins that take an `int` and have a counterpart for `long`.
const BUILTINS: [&str; 6] = [
    "__builtin_clrsb",
    "__builtin_clz",
    "__builtin_ctz",
    "__builtin_ffs",
    "__builtin_parity",
    "__builtin_popcount",
];

/// `memcmp`, whose result is an `int`.
pub(crate) const COMPARE: &str = "tacit_memcmp";

/// Preprocessed C in which `int` has the width of `long`.
pub(crate) fn widen(text: &str) -> String {
    let mut result = String::with_capacity(text.len() + text.len() / 8);
    let mut specifiers = Specifiers::default();
    for line in text.split_inclusive('\n') {
        // Line markers are not C.
        if line.starts_with('#') {
            specifiers.flush(&mut result);
            result.push_str(line);
        } else {
            specifiers.line(line, &mut result);
        }
    }
    specifiers.flush(&mut result);
    result
}

/// A word, number, string or punctuation mark of C, or the space between two.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Token<'t> {
    Word(&'t str),
    Number(&'t str),
    Other(&'t str),
}

/// The words of a type, as they are read.
#[derive(Default)]
struct Specifiers<'t> {
    /// Words and spaces since the first of them.
    pending: Vec<Token<'t>>,
}

impl<'t> Specifiers<'t> {
    fn line(&mut self, line: &'t str, result: &mut String) {
        let mut rest = line;
        while let Some((token, after)) = next(rest) {
            rest = after;
            match token {
                Token::Word(word) if is_specifier(word) => self.pending.push(token),
                Token::Other(space) if !self.pending.is_empty() && space.trim().is_empty() => {
                    self.pending.push(token);
                }
                token => {
                    self.flush(result);
                    push(token, result);
                }
            }
        }
    }

    /// Writes the words of one type, with `int` as `long`.
    fn flush(&mut self, result: &mut String) {
        let words = || {
            self.pending
                .iter()
                .filter_map(|token| if let Token::Word(word) = token { Some(*word) } else { None })
        };
        let sized = words().any(|word| matches!(word, "long" | "short" | "char" | "__int128" | "_BitInt"));
        let has_int = words().any(|word| word == "int");
        let sign = |word: &str| matches!(word, "unsigned" | "signed" | "__signed__" | "__signed");
        let mut widened = sized;
        for token in self.pending.drain(..) {
            match token {
                Token::Word("int") if !sized => result.push_str("long"),
                Token::Word(word) if !widened && !has_int && sign(word) => {
                    result.push_str(word);
                    result.push_str(" long");
                    widened = true;
                }
                Token::Word(text) | Token::Number(text) | Token::Other(text) => result.push_str(text),
            }
        }
    }
}

fn is_specifier(word: &str) -> bool {
    matches!(
        word,
        "int"
            | "unsigned"
            | "signed"
            | "__signed__"
            | "__signed"
            | "long"
            | "short"
            | "char"
            | "__int128"
            | "_BitInt"
            | "const"
            | "volatile"
            | "static"
            | "extern"
            | "register"
            | "inline"
            | "typedef"
            | "restrict"
            | "_Noreturn"
    )
}

/// Writes a token that does not belong to a type; an integer constant without a size suffix has type `long`.
fn push(token: Token<'_>, result: &mut String) {
    match token {
        Token::Word(word) => {
            match word {
                "__builtin_abs" => result.push_str("__builtin_labs"),
                "abs" => result.push_str("labs"),
                "memcmp" => result.push_str(COMPARE),
                word => result.push_str(word),
            }
            if BUILTINS.contains(&word) {
                result.push('l');
            }
        }
        Token::Number(number) => {
            result.push_str(number);
            let hexadecimal = number.starts_with("0x") || number.starts_with("0X");
            let digits = if hexadecimal { &number[2..] } else { number };
            let fraction =
                digits.contains('.') || digits.contains(if hexadecimal { ['p', 'P'] } else { ['e', 'E'] });
            if !fraction && !number.contains(['l', 'L']) && !number.to_ascii_lowercase().contains("wb") {
                result.push('L');
            }
        }
        Token::Other(text) => result.push_str(text),
    }
}

/// The first token of a text and the rest.
fn next(text: &str) -> Option<(Token<'_>, &str)> {
    let first = text.chars().next()?;
    let until = |end: Option<usize>| text.split_at(end.unwrap_or(text.len()));
    let word = |character: char| character.is_alphanumeric() || character == '_' || character == '$';
    Some(if first.is_ascii_digit() || first == '.' && text[1..].starts_with(|c: char| c.is_ascii_digit()) {
        let mut previous = ' ';
        let (number, rest) = until(text.find(|c: char| {
            let sign = matches!(c, '+' | '-') && matches!(previous, 'e' | 'E' | 'p' | 'P');
            previous = c;
            !(word(c) || c == '.' || c == '\'' || sign)
        }));
        (Token::Number(number), rest)
    } else if word(first) {
        let (found, rest) = until(text.find(|c: char| !word(c)));
        (Token::Word(found), rest)
    } else if first == '"' || first == '\'' {
        let mut escaped = true;
        let (quoted, rest) = until(text.find(|c: char| {
            let ends = c == first && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        }));
        match rest.split_at_checked(1) {
            Some((_, after)) => (Token::Other(&text[..quoted.len() + 1]), after),
            None => (Token::Other(quoted), rest),
        }
    } else if first.is_whitespace() {
        let (space, rest) = until(text.find(|c: char| !c.is_whitespace()));
        (Token::Other(space), rest)
    } else {
        let (mark, rest) = text.split_at(first.len_utf8());
        (Token::Other(mark), rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn int_becomes_long() {
        for (narrow, wide) in [
            ("int x = 5, *y;", "long x = 5L, *y;"),
            ("unsigned x;", "unsigned long x;"),
            (
                "static unsigned const int f(int, unsigned short int);",
                "static unsigned const long f(long, unsigned short int);",
            ),
            ("long unsigned int x; long long y;", "long unsigned int x; long long y;"),
            (
                "signed char c = 'a' + '\\''; unsigned char d;",
                "signed char c = 'a' + '\\''; unsigned char d;",
            ),
            (
                "x = 0x1F + 7u + 1.5e+3 + 2e3f + 0x1p-3 + 3UL + 4ll;",
                "x = 0x1FL + 7uL + 1.5e+3 + 2e3f + 0x1p-3 + 3UL + 4ll;",
            ),
            (
                "char *s = \"int 5 \\\" unsigned\"; print(int);",
                "char *s = \"int 5 \\\" unsigned\"; print(long);",
            ),
            ("unsigned _BitInt(37) x; printint(x1);", "unsigned _BitInt(37L) x; printint(x1);"),
            ("y = (unsigned)x + __builtin_popcount(x);", "y = (unsigned long)x + __builtin_popcountl(x);"),
            ("# 1 \"int.c\" 1\nint x;\n", "# 1 \"int.c\" 1\nlong x;\n"),
        ] {
            assert_eq!(widen(narrow), wide);
        }
    }
}
