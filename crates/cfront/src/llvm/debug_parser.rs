//! Reading debug records.

use super::lexer::Token;
use super::parser::{Parsed, Parser};
use super::{Field, Node};

impl Parser<'_, '_> {
    /// A metadata node after `!12 =`.
    pub(super) fn node(&mut self) -> Parsed<Node> {
        self.accept_word("distinct");
        let kind = match self.next() {
            Token::MetadataName(name) => name.to_string(),
            Token::Mark(b'!') => String::new(),
            _ => return Ok(Node::default()),
        };
        let close = match self.next() {
            Token::Mark(b'(') => b')',
            Token::Mark(b'{') => b'}',
            _ => return self.fail("expected the fields of a debug record"),
        };
        let mut fields = Vec::new();
        while !self.accept_mark(close) {
            let name = match (self.peek(), self.tokens.get(self.position + 1)) {
                (Token::Word(word), Some((Token::Mark(b':'), _))) => word.to_string(),
                _ => String::new(),
            };
            if !name.is_empty() {
                self.next();
                self.next();
            }
            fields.push((name, self.field(close)?));
            self.accept_mark(b',');
        }
        Ok(Node { kind, fields })
    }

    fn field(&mut self, close: u8) -> Parsed<Field> {
        let start = self.position;
        let field = match self.next() {
            Token::Metadata(number) => Field::Reference(self.metadata_number(number)),
            Token::Number(digits) => digits.parse().map_or(Field::Other, Field::Number),
            Token::Text(text) | Token::MetadataText(text) => {
                Field::Text(String::from_utf8_lossy(&text).into_owned())
            }
            Token::Word(word) => {
                let mut words = word.to_string();
                while self.accept_mark(b'|') {
                    if let Token::Word(word) = self.next() {
                        words = format!("{words} | {word}");
                    }
                }
                Field::Word(words)
            }
            _ => {
                self.position = start;
                Field::Other
            }
        };
        // Skip the rest of the field, such as a node written in place.
        while !matches!(self.peek(), Token::Mark(b',')) && *self.peek() != Token::Mark(close) {
            match self.peek() {
                Token::Mark(b'(' | b'{' | b'[' | b'<') => self.skip_group(),
                Token::End => return self.fail("expected the end of a debug record"),
                _ => drop(self.next()),
            }
        }
        Ok(field)
    }
}
