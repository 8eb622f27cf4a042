//! Tokens of the text form and their positions.

use std::iter::Peekable;
use std::str::CharIndices;

use super::ParseError;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// Letters, digits and underscores that begin with a letter.
    Word(&'t str),
    /// Digits, or `0x` and hexadecimal digits.
    Number(&'t str),
    /// A name in quotes, unquoted.
    Name(String),
    /// A mark; `->` is `>`.
    Mark(char),
    /// The end of the text.
    End,
}

impl Token<'_> {
    /// The token as an error shows it.
    pub(super) fn describe(&self) -> String {
        match self {
            Token::Word(text) | Token::Number(text) => {
                format!("`{}`", text.chars().take(40).collect::<String>())
            }
            Token::Name(name) => format!("{:?}", name.chars().take(40).collect::<String>()),
            Token::Mark('>') => "`->`".into(),
            Token::Mark(mark) => format!("`{mark}`"),
            Token::End => "the end".into(),
        }
    }
}

/// A place in the text, counted from 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    line: u32,
    column: u32,
}

impl Place {
    pub(super) fn error(self, reason: impl Into<String>) -> ParseError {
        ParseError { line: self.line, column: self.column, reason: reason.into() }
    }
}

/// Cuts a text into tokens.
pub(super) struct Lexer<'t> {
    text: &'t str,
    rest: Peekable<CharIndices<'t>>,
    place: Place,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Lexer { text, rest: text.char_indices().peekable(), place: Place { line: 1, column: 1 } }
    }

    /// The next token and its position.
    pub(super) fn next(&mut self) -> Result<(Token<'t>, Place), ParseError> {
        self.skip_blanks();
        let place = self.place;
        let Some((start, first)) = self.step() else { return Ok((Token::End, place)) };
        let token = match first {
            '"' => self.name(start, place)?,
            '-' if self.step_if(|next| next == '>') => Token::Mark('>'),
            '0'..='9' => Token::Number(self.run(start)),
            'a'..='z' | 'A'..='Z' => Token::Word(self.run(start)),
            '%' | '@' | ',' | ':' | ';' | '=' | '(' | ')' | '[' | ']' | '{' | '}' | '.' | '-' => {
                Token::Mark(first)
            }
            other => return Err(place.error(format!("{other:?} begins nothing"))),
        };
        Ok((token, place))
    }

    fn skip_blanks(&mut self) {
        while self.step_if(|next| matches!(next, ' ' | '\t' | '\r' | '\n')) || self.comment() {}
    }

    fn comment(&mut self) -> bool {
        let begins = self.step_if(|next| next == '#');
        while begins && self.step_if(|next| next != '\n') {}
        begins
    }

    fn run(&mut self, start: usize) -> &'t str {
        while self.step_if(|next| next.is_ascii_alphanumeric() || next == '_') {}
        let end = self.rest.peek().map_or(self.text.len(), |(end, _)| *end);
        &self.text[start..end]
    }

    fn name(&mut self, start: usize, place: Place) -> Result<Token<'t>, ParseError> {
        loop {
            match self.step() {
                None | Some((_, '\n')) => return Err(place.error("a name does not end on its line")),
                Some((_, '\\')) => drop(self.step()),
                Some((end, '"')) => {
                    let name = serde_json::from_str(&self.text[start..=end]);
                    return name
                        .map(Token::Name)
                        .map_err(|_| place.error("a name is not written as in JSON"));
                }
                Some(_) => {}
            }
        }
    }

    fn step_if(&mut self, wanted: impl FnOnce(char) -> bool) -> bool {
        let found = self.rest.peek().is_some_and(|(_, next)| wanted(*next));
        if found {
            self.step();
        }
        found
    }

    fn step(&mut self) -> Option<(usize, char)> {
        let (at, character) = self.rest.next()?;
        match character {
            '\n' => self.place = Place { line: self.place.line.saturating_add(1), column: 1 },
            _ => self.place.column = self.place.column.saturating_add(1),
        }
        Some((at, character))
    }
}
