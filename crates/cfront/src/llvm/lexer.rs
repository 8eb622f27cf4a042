use std::borrow::Cow;

/// A token of LLVM's text form.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// `%name`
    Local(Cow<'a, str>),
    /// `@name`
    Global(Cow<'a, str>),
    /// A keyword, a type's name, an attribute or a label.
    Word(&'a str),
    /// Decimal digits, with an optional minus sign.
    Number(&'a str),
    /// A floating-point literal.
    Float(&'a str),
    /// `"…"`, or `c"…"` with its escapes resolved.
    Text(Vec<u8>),
    /// `!12`
    Metadata(u32),
    /// `!name`
    MetadataName(&'a str),
    /// `!"…"`
    MetadataText(Vec<u8>),
    /// `#name` and `#12`
    Hash(&'a str),
    /// Any other character; `!` stands before a brace.
    Mark(u8),
    End,
}

/// Splits a text into tokens with the line of each. Never fails: any other character becomes a
/// [`Token::Mark`].
pub(super) fn tokens(text: &str) -> Vec<(Token<'_>, u32)> {
    let mut lexer = Lexer { text, position: 0, line: 1 };
    let mut tokens = Vec::with_capacity(text.len() / 5);
    loop {
        lexer.skip_blanks();
        let line = lexer.line;
        let token = lexer.token();
        let end = token == Token::End;
        tokens.push((token, line));
        if end {
            return tokens;
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    position: usize,
    line: u32,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"$._-".contains(&byte)
}

impl<'a> Lexer<'a> {
    fn peek(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.position + ahead).copied().unwrap_or(0)
    }

    fn take_while(&mut self, accept: impl Fn(u8) -> bool) -> &'a str {
        let rest = &self.text.as_bytes()[self.position..];
        let length = rest.iter().position(|byte| !accept(*byte)).unwrap_or(rest.len());
        let start = self.position;
        self.position += length;
        self.text.get(start..self.position).unwrap_or("")
    }

    fn skip_blanks(&mut self) {
        loop {
            match self.peek(0) {
                b'\n' => (self.line, self.position) = (self.line + 1, self.position + 1),
                b' ' | b'\t' | b'\r' => self.position += 1,
                b';' => drop(self.take_while(|byte| byte != b'\n')),
                _ => return,
            }
        }
    }

    fn token(&mut self) -> Token<'a> {
        match self.peek(0) {
            0 if self.position >= self.text.len() => Token::End,
            b'%' => self.name().map_or(Token::Mark(b'%'), Token::Local),
            b'@' => self.name().map_or(Token::Mark(b'@'), Token::Global),
            b'!' => self.metadata(),
            b'#' if is_word(self.peek(1)) => {
                self.position += 1;
                Token::Hash(self.take_while(is_word))
            }
            b'"' => Token::Text(self.quoted()),
            b'c' if self.peek(1) == b'"' => {
                self.position += 1;
                Token::Text(self.quoted())
            }
            b'-' if self.peek(1).is_ascii_digit() => self.number(),
            byte if byte.is_ascii_digit() => self.number(),
            byte if is_word(byte) => Token::Word(self.take_while(is_word)),
            byte => {
                self.position += 1;
                while !self.text.is_char_boundary(self.position) {
                    self.position += 1;
                }
                Token::Mark(byte)
            }
        }
    }

    fn name(&mut self) -> Option<Cow<'a, str>> {
        match self.peek(1) {
            b'"' => {
                self.position += 1;
                Some(Cow::Owned(String::from_utf8_lossy(&self.quoted()).into_owned()))
            }
            byte if is_word(byte) => {
                self.position += 1;
                Some(Cow::Borrowed(self.take_while(is_word)))
            }
            _ => {
                self.position += 1;
                None
            }
        }
    }

    fn metadata(&mut self) -> Token<'a> {
        self.position += 1;
        match self.peek(0) {
            b'"' => Token::MetadataText(self.quoted()),
            byte if byte.is_ascii_digit() => match self.take_while(|byte| byte.is_ascii_digit()).parse() {
                Ok(number) => Token::Metadata(number),
                Err(_) => Token::Mark(b'!'),
            },
            byte if is_word(byte) => Token::MetadataName(self.take_while(is_word)),
            _ => Token::Mark(b'!'),
        }
    }

    /// Digits are a number, unless they continue as a float or as the label of a block.
    fn number(&mut self) -> Token<'a> {
        let start = self.position;
        self.position += 1;
        let word = self.take_while(|byte| is_word(byte) || byte == b'+');
        let text = &self.text[start..start + 1 + word.len()];
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.bytes().all(|byte| byte.is_ascii_digit()) {
            Token::Number(text)
        } else {
            Token::Float(text)
        }
    }

    /// A quoted text with `\xx` escapes, at its opening quote.
    fn quoted(&mut self) -> Vec<u8> {
        self.position += 1;
        let mut bytes = Vec::new();
        loop {
            match self.peek(0) {
                b'"' | 0 => break,
                b'\\' if self.peek(1) == b'\\' => {
                    bytes.push(b'\\');
                    self.position += 2;
                }
                b'\\' => match (hex(self.peek(1)), hex(self.peek(2))) {
                    (Some(high), Some(low)) => {
                        bytes.push(high << 4 | low);
                        self.position += 3;
                    }
                    _ => {
                        bytes.push(b'\\');
                        self.position += 1;
                    }
                },
                byte => {
                    self.line += u32::from(byte == b'\n');
                    bytes.push(byte);
                    self.position += 1;
                }
            }
        }
        self.position = (self.position + 1).min(self.text.len());
        bytes
    }
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lex(text: &str) -> Vec<Token<'_>> {
        tokens(text).into_iter().map(|(token, _)| token).collect()
    }

    #[test]
    fn tokens_of_every_kind() {
        use Token::*;
        assert_eq!(
            lex("%x.1 = add i32 -7, @\"a b\" ; note\n c\"\\0Aq\" !12 !dbg !\"s\" !{ #3 1.0e+00 ..."),
            [
                Local("x.1".into()),
                Mark(b'='),
                Word("add"),
                Word("i32"),
                Number("-7"),
                Mark(b','),
                Global("a b".into()),
                Text(b"\nq".to_vec()),
                Metadata(12),
                MetadataName("dbg"),
                MetadataText(b"s".to_vec()),
                Mark(b'!'),
                Mark(b'{'),
                Hash("3"),
                Float("1.0e+00"),
                Word("..."),
                End
            ]
        );
    }

    #[test]
    fn odd_texts_end() {
        for text in ["\"", "%", "@\"", "!", "é%é", "\\", "c\"\\0", "99999999999999999999:", "!99999999999"]
        {
            assert_eq!(lex(text).last(), Some(&Token::End), "{text}");
        }
    }
}
